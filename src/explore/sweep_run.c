#include "explore/sweep_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore/files.h"
#include "explore/machine.h"
#include "explore/sweep_point.h"

static enum err sweep_run_read(struct sweep_run *r, struct diag *d)
{
	FILE *f = fopen(r->path, "rb");
	size_t n = 0;
	enum err e = ERR_OK;

	if (!f)
		return fail(d, ERR_IO, "cannot open '%.200s': %s", r->path,
			    strerror(errno));
	r->text = calloc(1, SWEEP_MAX_FILE + 2);
	if (r->text)
		n = fread(r->text, 1, SWEEP_MAX_FILE + 1, f);
	if (!r->text)
		e = fail(d, ERR_NOMEM, "out of memory");
	else if (ferror(f))
		e = fail(d, ERR_IO, "cannot read '%.200s': %s", r->path,
			 strerror(errno));
	fclose(f);
	return e ? e : sweep_read(&r->sweep, r->path, r->text, n, d);
}

enum err sweep_run_load(struct sweep_run *r, struct diag *d)
{
	struct diag why;

	cfg_sheet_init(&r->sheet);
	if (sweep_run_read(r, d))
		return d->code;
	if (machine_load(&r->sheet, r->sweep.gpu, NULL, 0, &why))
		return fail(d, why.code, "%s:%u:%u: %s", r->path,
			    r->sweep.gpu_at.line, r->sweep.gpu_at.column,
			    why.text);
	return plan_make(&r->plan, &r->sweep, &r->sheet.cfg, d);
}

enum err sweep_database_path(char out[PATH_MAX], const char *given,
			     const char *sweep, struct diag *d)
{
	const char *slash = strrchr(sweep, '/');
	const char *name = given ? given : slash ? slash + 1 : sweep;
	const char *dot = strrchr(name, '.');
	int size = given || !dot || dot == name ? (int)strlen(name) :
						  (int)(dot - name);

	/* Room for .work and a file's name in it. */
	if (size > PATH_MAX - 100)
		return fail(d, ERR_IO, "the database's name is too long");
	snprintf(out, PATH_MAX, "%.*s%s", size, name, given ? "" : ".db");
	return ERR_OK;
}

static enum err sweep_run_make_folder(struct sweep_run *r, struct diag *d)
{
	snprintf(r->work, sizeof(r->work), "%.*s.work", PATH_MAX - 80, r->db);
	/* We hold the database's lock: an existing folder is left over from an
	 * execution that has died. */
	file_remove(r->work);
	if (mkdir(r->work, 0777))
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    r->work, strerror(errno));
	return ERR_OK;
}

static enum err sweep_run_prepare_programs(struct sweep_run *r, struct diag *d)
{
	unsigned sm = (unsigned)r->plan.base.gpu.capability;
	size_t n = r->sweep.program_count;

	r->targets = calloc(n, sizeof(*r->targets));
	if (!r->targets)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		if (target_prepare(&r->targets[i], &r->host.finder, &r->sweep,
				   &r->sweep.programs[i], sm, r->work, d))
			return d->code;
	return ERR_OK;
}

static enum err sweep_run_write_plan(struct sweep_run *r, struct diag *d)
{
	size_t n = r->sweep.program_count;
	struct store_program *programs = calloc(n, sizeof(*programs));
	struct store_counts c;
	enum err e;

	if (!programs)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		programs[i] = r->targets[i].identity;
	e = store_plan(r->store, &r->plan, r->text, programs, r->version, d);
	free(programs);
	if (!e && (r->o.fresh || r->o.retry))
		e = store_again(r->store, r->sweep.name, !r->o.fresh, d);
	if (!e)
		e = store_count(r->store, r->sweep.name, &c, d);
	if (!e) {
		r->before = c.ok + c.failed - c.again;
		e = store_todo(r->store, &r->plan, &r->todo, &r->todo_count, d);
	}
	return e;
}

enum err sweep_run_prepare(struct sweep_run *r, struct diag *d)
{
	if (sweep_database_path(r->db, r->o.database, r->path, d) ||
	    target_version(r->version, r->self, r->host.finder.libraries, d) ||
	    store_open(&r->store, r->db, STORE_WRITE, d) ||
	    sweep_run_make_folder(r, d) || sweep_run_prepare_programs(r, d) ||
	    sweep_run_write_plan(r, d))
		return d->code;
	if (r->o.limit && r->todo_count > r->o.limit)
		r->todo_count = (size_t)r->o.limit;
	return sweep_run_record(r, d);
}

enum err sweep_run_count(struct sweep_run *r, struct store_counts *c,
			 struct diag *d)
{
	return store_count(r->store, r->sweep.name, c, d);
}

void sweep_run_free(struct sweep_run *r)
{
	free(r->todo);
	free(r->targets);
	store_close(r->store);
	plan_free(&r->plan);
	cfg_sheet_free(&r->sheet);
	sweep_free(&r->sweep);
	free(r->text);
}
