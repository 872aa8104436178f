/* Names and texts of errors, from error.def. */
#include <stddef.h>

#include "door/rt/rt.h"

/* The numbers have gaps. A linear search is fast enough here. */
static const struct error_row {
	int number;
	const char *name, *text;
} rows[] = {
#define ERROR(name, text) { name, #name, text },
#include "door/rt/error.def"
};

static const struct error_row *error_find(int e)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number == e)
			return &rows[i];
	return NULL;
}

const char *rt_error_name(int e)
{
	const struct error_row *r = error_find(e);

	return r ? r->name : NULL;
}

const char *rt_error_text(int e)
{
	const struct error_row *r = error_find(e);

	return r ? r->text : NULL;
}
