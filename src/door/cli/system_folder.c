/*
 * heddle system --out: a folder as heddle exec makes it (door/common/results.h),
 * with program.json, system.cfg and the page, index.html.
 */
#include <stdlib.h>

#include "base/outfile.h"
#include "door/cli/simulate.h"
#include "explore/report_system.h"

enum err simulate_folder_open(struct simulation *s, struct diag *d)
{
	if (!s->o->out)
		return ERR_OK;
	return results_open(&s->folder, s->o->out, d);
}

static enum err folder_write_config(const struct simulation *s, struct diag *d)
{
	FILE *f = results_create(s->folder.path, RESULTS_SYSTEM, d);
	char *text = NULL;

	if (!f)
		return d->code;
	text = cfg_dump(&s->sheet.cfg, s->sheet.origin);
	if (text)
		fputs(text, f);
	free(text);
	if (results_commit(f, s->folder.path, RESULTS_SYSTEM, d))
		return d->code;
	return text ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

static enum err folder_write_program(struct simulation *s, struct diag *d)
{
	struct json j = {
		.to = results_create(s->folder.path, RESULTS_PROGRAM, d),
	};
	struct diag ignored;
	enum err e;

	if (!j.to)
		return d->code;
	e = simulate_json(&j, s, true, d);
	if (results_commit(j.to, s->folder.path, RESULTS_PROGRAM,
			   e ? &ignored : d))
		return e ? e : d->code;
	return e;
}

static enum err folder_write_page(const struct simulation *s, struct diag *d)
{
	FILE *f = results_create(s->folder.path, RESULTS_PAGE, d);
	struct diag ignored;
	enum err e;

	if (!f)
		return d->code;
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/" RESULTS_PROGRAM, s->folder.path);
	e = report_system_of(f, path, d);
	if (results_commit(f, s->folder.path, RESULTS_PAGE, e ? &ignored : d))
		return e ? e : d->code;
	return e;
}

static enum err folder_write(struct simulation *s, struct diag *d)
{
	if (folder_write_config(s, d) || folder_write_program(s, d))
		return d->code;
	return folder_write_page(s, d);
}

enum err simulate_folder_write(struct simulation *s, struct diag *d)
{
	struct diag ignored;

	if (!s->o->out)
		return ERR_OK;
	if (folder_write(s, d)) {
		(void)!results_incomplete(&s->folder, d->text, &ignored);
		return d->code;
	}
	if (s->stopped)
		return results_incomplete(&s->folder,
					  "The run was interrupted.", d);
	return results_complete(&s->folder, d);
}
