#include "door/cli/fileuse.h"

#include <string.h>
#include <unistd.h>

#include "base/outfile.h"

enum err file_uses_add(struct file_uses *u, const char *option,
		       const char *path, bool written, struct diag *d)
{
	struct file_use *use;

	if (!path)
		return ERR_OK;
	use = arena_new(&u->arena, struct file_use, 1);
	if (!use)
		return fail(d, ERR_NOMEM, "out of memory");
	*use = (struct file_use){ option, path, written, u->first };
	u->first = use;
	return ERR_OK;
}

/* a is written. */
static enum err file_check_clash(const struct file_use *a,
				 const struct file_use *b, struct diag *d)
{
	if (!b->written && access(b->path, F_OK))
		return ERR_OK; /* the reader will say that it is missing */
	if (!outfile_same(a->path, b->path))
		return ERR_OK;
	if (b->written)
		return fail(d, ERR_SYNTAX,
			    "%s and %s write the same file, '%.300s'",
			    b->option, a->option, a->path);
	return fail(d, ERR_SYNTAX,
		    "%s would overwrite the input '%.300s' (%s): expected "
		    "another file",
		    a->option, b->path, b->option);
}

enum err file_uses_check(const struct file_uses *u, struct diag *d)
{
	struct diag why;

	for (const struct file_use *a = u->first; a; a = a->next) {
		if (!a->written)
			continue;
		if (outfile_check(a->path, &why))
			return fail(d, why.code, "%s: %.400s", a->option,
				    why.text);
		for (const struct file_use *b = u->first; b; b = b->next)
			if (a != b && file_check_clash(a, b, d))
				return d->code;
	}
	return ERR_OK;
}

void file_uses_free(struct file_uses *u)
{
	arena_free(&u->arena);
	u->first = NULL;
}

enum err file_check_pair(const char *in, const char *what, const char *out,
			 const char *option, struct diag *d)
{
	struct file_uses u = { 0 };
	enum err e = file_uses_add(&u, what, in, false, d);

	if (!e)
		e = file_uses_add(&u, option, out, true, d);
	if (!e)
		e = file_uses_check(&u, d);
	file_uses_free(&u);
	return e;
}
