/* Built without SQLite: a store cannot be opened, so nobody has one. */
#include "explore/store.h"

#ifndef HEDDLE_SQLITE

#define NOBODY BUG("there is no store without SQLite")

enum err store_open(struct store **out, const char *path, enum store_mode mode,
		    struct diag *d)
{
	(void)path, (void)mode;
	*out = NULL;
	return fail(d, ERR_UNSUPP,
		    "this Heddle was built without SQLite, which holds the "
		    "results of sweeps; install its package for developers, "
		    "libsqlite3-dev, and build again");
}

void store_close(struct store *s)
{
	CHECK(!s);
}

enum err store_plan(struct store *s, const struct plan *p, const char *text,
		    const struct store_program *programs, const char *version,
		    struct diag *d)
{
	(void)s, (void)p, (void)text, (void)programs, (void)version, (void)d;
	NOBODY;
}

enum err store_todo(struct store *s, const struct plan *p,
		    struct store_todo **out, size_t *count, struct diag *d)
{
	(void)s, (void)p, (void)out, (void)count, (void)d;
	NOBODY;
}

enum err store_forget(struct store *s, const char *sweep, bool only_failed,
		      struct diag *d)
{
	(void)s, (void)sweep, (void)only_failed, (void)d;
	NOBODY;
}

enum err store_result(struct store *s, const char *key, const struct outcome *o,
		      struct diag *d)
{
	(void)s, (void)key, (void)o, (void)d;
	NOBODY;
}

enum err store_count(struct store *s, const char *sweep,
		     struct store_counts *out, struct diag *d)
{
	(void)s, (void)sweep, (void)out, (void)d;
	NOBODY;
}

enum err store_sweeps(struct store *s,
		      void (*each)(void *ctx, const char *name,
				   const char *title,
				   const struct store_counts *c),
		      void *ctx, struct diag *d)
{
	(void)s, (void)each, (void)ctx, (void)d;
	NOBODY;
}

enum err store_failed(struct store *s, const char *sweep,
		      void (*each)(void *ctx, const char *program,
				   const char *axis, const char *label,
				   const char *reason),
		      void *ctx, struct diag *d)
{
	(void)s, (void)sweep, (void)each, (void)ctx, (void)d;
	NOBODY;
}

#endif
