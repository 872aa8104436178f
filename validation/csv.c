#include "csv.h"

#include <stdio.h>

static enum err load_text(struct study_csv *c, struct arena *a,
			  const char *path, struct diag *d)
{
	FILE *from = fopen(path, "r");
	size_t room = 1 << 20, n;

	if (!from)
		return fail(d, ERR_IO, "cannot read '%.200s'", path);
	c->text = arena_new(a, char, room);
	n = c->text ? fread(c->text, 1, room, from) : 0;
	fclose(from);
	if (!c->text || n == room)
		return fail(d, ERR_NOMEM, "'%.200s' is too large", path);
	c->size = n;
	return ERR_OK;
}

enum err study_csv_open(struct study_csv *c, struct arena *a, const char *path,
			const char *first, struct diag *d)
{
	if (load_text(c, a, path, d) ||
	    csv_start(&c->r, a, path, c->text, c->size, d) ||
	    csv_read_row(&c->r, d))
		return d->code;
	return csv_find(&c->r, first) == 0 ?
		       ERR_OK :
		       fail(d, ERR_SYNTAX,
			    "'%.200s': the first column is not %s", path,
			    first);
}
