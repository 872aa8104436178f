#define _GNU_SOURCE /* environ */
#include "door/cli/sweep_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cfg/configs.h"
#include "door/cli/sweep_point.h"
#include "door/cli/text.h"

#define FAILURES_SHOWN 10

static int wrong(const struct diag *d)
{
	say_error("%s", d->text);
	return EXIT_INPUT;
}

/* Where things are; all else of ours in the environment is about runs. */
static bool is_place(const char *name, size_t n)
{
	static const char *const places[] = { "HEDDLE_CLANG", "HEDDLE_CONFIGS",
					      "HEDDLE_CUDA_INCLUDE",
					      "HEDDLE_CUDA_LIB" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strlen(places[i]) == n && !memcmp(places[i], name, n))
			return true;
	return false;
}

/* What the environment says of simulations is not for points. */
static void clear_environment(void)
{
	char name[64];

	for (char **e = environ; e && *e;) {
		size_t n = strcspn(*e, "=");

		if (strncmp(*e, "HEDDLE_", 7) != 0 || n >= sizeof(name) ||
		    is_place(*e, n)) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		name[n] = '\0';
		unsetenv(name);
		e = environ;
	}
}

static enum err load_text(struct sweep_run *r, struct diag *d)
{
	FILE *f = fopen(r->path, "rb");
	size_t n = 0;
	enum err e = ERR_OK;

	if (!f)
		return fail(d, ERR_IO, "cannot open '%.200s': %s", r->path,
			    strerror(errno));
	r->text = calloc(1, SWEEP_FILE_MOST + 2);
	if (r->text)
		n = fread(r->text, 1, SWEEP_FILE_MOST + 1, f);
	if (!r->text)
		e = fail(d, ERR_NOMEM, "out of memory");
	else if (ferror(f))
		e = fail(d, ERR_IO, "cannot read '%.200s': %s", r->path,
			 strerror(errno));
	fclose(f);
	return e ? e : sweep_read(&r->sweep, r->path, r->text, n, d);
}

int sweep_load(struct sweep_run *r)
{
	struct diag d, why;

	cfg_sheet_init(&r->sheet);
	if (load_text(r, &d))
		return wrong(&d);
	if (configs_load(&r->sheet, r->sweep.gpu, NULL, 0, &why)) {
		say_error("%s:%u:%u: %s", r->path, r->sweep.gpu_at.line,
			  r->sweep.gpu_at.column, why.text);
		return EXIT_INPUT;
	}
	if (plan_make(&r->plan, &r->sweep, &r->sheet.cfg, &d))
		return wrong(&d);
	return -1;
}

enum err sweep_db_path(char out[PATH_MAX], const char *given, const char *sweep,
		       struct diag *d)
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

static enum err open_work(struct sweep_run *r, struct diag *d)
{
	snprintf(r->work, sizeof(r->work), "%.*s.work", PATH_MAX - 80, r->db);
	/* The database's lock is ours: what is there is of one that has died. */
	point_remove(r->work);
	if (mkdir(r->work, 0777))
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    r->work, strerror(errno));
	return ERR_OK;
}

static int prepare_programs(struct sweep_run *r)
{
	unsigned sm = (unsigned)r->plan.base.gpu.capability;
	size_t n = r->sweep.program_count;

	r->targets = calloc(n, sizeof(*r->targets));
	if (!r->targets) {
		say_error("out of memory");
		return EXIT_INPUT;
	}
	for (size_t i = 0; i < n; i++) {
		int code = target_prepare(&r->targets[i], &r->sweep,
					  &r->sweep.programs[i], sm, r->work);

		if (code >= 0)
			return code;
	}
	return -1;
}

static enum err write_plan(struct sweep_run *r, struct diag *d)
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
		e = store_forget(r->store, r->sweep.name, !r->o.fresh, d);
	if (!e)
		e = store_count(r->store, r->sweep.name, &c, d);
	if (!e) {
		r->before = c.ok + c.failed;
		e = store_todo(r->store, &r->plan, &r->todo, &r->todo_count, d);
	}
	return e;
}

int sweep_prepare(struct sweep_run *r)
{
	struct diag d;
	int code;

	clear_environment();
	if (sweep_db_path(r->db, r->o.out, r->path, &d) ||
	    target_version(r->version, r->self, &d) ||
	    store_open(&r->store, r->db, STORE_WRITE, &d) || open_work(r, &d))
		return wrong(&d);
	code = prepare_programs(r);
	if (code >= 0)
		return code;
	if (write_plan(r, &d))
		return wrong(&d);
	if (r->o.limit && r->todo_count > r->o.limit)
		r->todo_count = (size_t)r->o.limit;
	return sweep_record(r);
}

void sweep_end(struct sweep_run *r)
{
	free(r->todo);
	free(r->targets);
	store_close(r->store);
	plan_free(&r->plan);
	cfg_sheet_free(&r->sheet);
	sweep_free(&r->sweep);
	free(r->text);
}

/*
 * What is said at the end
 */

struct failures {
	uint64_t shown, same;
	char last[400]; /* reason */
};

static void end_same(struct failures *f)
{
	if (f->same)
		fprintf(stderr, "  ... and %" PRIu64 " for the same reason\n",
			f->same);
	f->same = 0;
}

static void show_failure(void *ctx, const char *program, const char *axis,
			 const char *label, const char *reason)
{
	struct failures *f = ctx;
	bool named = *axis && strcmp(axis, label) != 0;

	if (!strncmp(f->last, reason, sizeof(f->last) - 1)) {
		f->same += f->shown <= FAILURES_SHOWN;
		return;
	}
	if (f->shown <= FAILURES_SHOWN)
		end_same(f);
	snprintf(f->last, sizeof(f->last), "%s", reason);
	if (f->shown++ < FAILURES_SHOWN)
		fprintf(stderr, "  %s, %s%s%s: %s\n", program,
			*axis ? axis : "baseline", named ? " = " : "",
			named ? label : "", reason);
}

static void show_failures(struct sweep_run *r)
{
	struct failures f = { 0 };
	struct diag d;

	if (store_failed(r->store, r->sweep.name, show_failure, &f, &d))
		say_error("%s", d.text);
	if (f.shown > FAILURES_SHOWN)
		fprintf(stderr,
			"  and others, see 'heddle sweep status %s "
			"--failed'\n",
			r->db);
	else
		end_same(&f);
	if (r->failed)
		fprintf(stderr, "  what they printed is in %s\n", r->work);
	fputs("  --retry runs them again\n", stderr);
}

int sweep_conclude(struct sweep_run *r, double seconds, bool interrupted)
{
	char time[GROUPED_TEXT];
	struct store_counts c;
	struct diag d;

	if (store_count(r->store, r->sweep.name, &c, &d))
		return wrong(&d);
	if (interrupted)
		fprintf(stderr,
			"heddle: interrupted; 'heddle sweep %s' goes "
			"on where it was\n",
			r->path);
	if (!r->o.quiet || c.failed || interrupted)
		fprintf(stderr,
			"%s: %" PRIu64 " points, %" PRIu64 " done, %" PRIu64
			" failed, %" PRIu64 " left; %" PRIu64
			" were done before; %s; results in %s\n",
			r->sweep.name, c.points, c.ok, c.failed, c.left,
			r->before, duration(time, seconds), r->db);
	if (c.failed)
		show_failures(r);
	if (!r->failed)
		point_remove(r->work);
	return interrupted ? EXIT_INTERRUPTED : c.failed ? EXIT_FAULT : EXIT_OK;
}
