#include "door/cli/outfolder.h"

#include <stdlib.h>

#include "explore/report_system.h"

/* Renames the file, but for the error of its writing; the first error. */
static enum err outfolder_commit(FILE *f, const struct results *r,
				 const char *name, enum err e, struct diag *d)
{
	struct diag ignored;

	if (results_commit(f, r->path, name, e ? &ignored : d))
		return e ? e : d->code;
	return e;
}

static enum err outfolder_config(const struct results *r,
				 const struct outfolder *o, struct diag *d)
{
	FILE *f = results_create(r->path, RESULTS_SYSTEM, d);
	enum err e = ERR_OK;
	char *text;

	if (!f)
		return d->code;
	text = cfg_dump(&o->sheet->cfg, o->sheet->origin);
	if (text)
		fputs(text, f);
	else
		e = fail(d, ERR_NOMEM, "out of memory");
	free(text);
	return outfolder_commit(f, r, RESULTS_SYSTEM, e, d);
}

static enum err outfolder_json(const struct results *r,
			       const struct outfolder *o, struct diag *d)
{
	struct json j = { .to = results_create(r->path, RESULTS_PROGRAM, d) };

	if (!j.to)
		return d->code;
	return outfolder_commit(j.to, r, RESULTS_PROGRAM,
				o->json(&j, o->ctx, d), d);
}

static enum err outfolder_more(const struct results *r,
			       const struct outfolder *o, struct diag *d)
{
	FILE *f;

	if (!o->name)
		return ERR_OK;
	f = results_create(r->path, o->name, d);
	if (!f)
		return d->code;
	return outfolder_commit(f, r, o->name, o->write(f, o->ctx, d), d);
}

static enum err outfolder_page(const struct results *r, struct diag *d)
{
	FILE *f = results_create(r->path, RESULTS_PAGE, d);
	char path[PATH_MAX + 32];

	if (!f)
		return d->code;
	snprintf(path, sizeof(path), "%s/" RESULTS_PROGRAM, r->path);
	return outfolder_commit(f, r, RESULTS_PAGE,
				report_system_of(f, path, d), d);
}

enum err outfolder_write(const struct results *r, const struct outfolder *o,
			 struct diag *d)
{
	struct diag ignored;

	if (outfolder_config(r, o, d) || outfolder_more(r, o, d) ||
	    outfolder_json(r, o, d) || outfolder_page(r, d)) {
		(void)!results_incomplete(r, d->text, &ignored);
		return d->code;
	}
	if (o->incomplete)
		return results_incomplete(r, o->incomplete, d);
	return results_complete(r, d);
}
