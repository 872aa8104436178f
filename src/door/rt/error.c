#include <stddef.h>

#include "door/rt/rt.h"

/* The numbers have gaps: a row is found by search, which nobody waits for. */
static const struct row {
	int number;
	const char *name, *text;
} rows[] = {
#define ERROR(name, text) { name, #name, text },
#include "door/rt/error.def"
};

static const struct row *find(int e)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number == e)
			return &rows[i];
	return NULL;
}

const char *rt_error_name(int e)
{
	const struct row *r = find(e);

	return r ? r->name : NULL;
}

const char *rt_error_text(int e)
{
	const struct row *r = find(e);

	return r ? r->text : NULL;
}
