#include "explore/outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/human.h"
#include "explore/run.h"
#include "explore/system_run.h"

/* Adds what ran, if it is not there yet. */
static void outcome_add_code(struct sweep_outcome *o,
			     const struct run_launch *l)
{
	char code[sizeof(o->code)];
	size_t used = strlen(o->code);

	if (!l->isa)
		return;
	snprintf(code, sizeof(code), "%.12s %.12s", l->isa,
		 l->target ? l->target : "");
	if (!strstr(o->code, code))
		snprintf(o->code + used, sizeof(o->code) - used, "%s%s",
			 used ? ", " : "", code);
}

static enum err outcome_add_launch(struct sweep_outcome *o,
				   const struct run_launch *l, struct diag *d)
{
	if (l->fault)
		return fail(d, ERR_FAULT, "launch %" PRIu64 ", %.60s: %.300s",
			    l->number, l->kernel, l->fault);
	if (!l->timed)
		return ERR_OK;
	if (!l->whole)
		return fail(d, ERR_FAULT,
			    "launch %" PRIu64 ", %.60s: cut short", l->number,
			    l->kernel);
	o->launches++;
	outcome_add_code(o, l);
	/* The statistics cover all launches that ran at the same time. */
	if (l->place)
		return ERR_OK;
	stats_add(&o->stats, &l->stats);
	o->cycles += (double)l->group_cycles;
	if (l->mhz > 0)
		o->gpu_seconds += (double)l->group_cycles / (l->mhz * 1e6);
	return ERR_OK;
}

/* A replay gives the sums of its launches; its "timing" is the last one. */
static enum err outcome_add_trace(struct sweep_outcome *o,
				  const struct json_node *trace, double mhz,
				  struct diag *d)
{
	const struct json_node *stats = json_get(trace, "stats");
	const struct json_node *n = stats ? stats->first : NULL;

	o->stats = (struct stats){ 0 };
	for (; n; n = n->next) {
		int i = n->key ? stat_index(n->key) : -1;

		if (i < 0 || n->kind != JSON_NUMBER)
			return fail(d, ERR_SYNTAX, "unknown statistic '%.60s'",
				    n->key ? n->key : "");
		stat_put(&o->stats, (unsigned)i, strtoull(n->text, NULL, 10));
	}
	o->launches = whole_of_real(json_get_number(trace, "launches", 0));
	o->cycles = (double)o->stats.gpu.cycles;
	o->gpu_seconds = mhz > 0 ? o->cycles / (mhz * 1e6) : 0;
	return ERR_OK;
}

static enum err outcome_read_file(struct sweep_outcome *o, struct run_result *r,
				  const char *path, struct diag *d)
{
	const struct json_node *root, *trace;
	struct arena tree = { 0 };
	struct run_launch l = { 0 };
	enum err e = json_read_file(&root, &tree, path, d);

	if (!e)
		e = run_launch_read(r, &l, root, d);
	if (!e && !l.timed)
		e = fail(d, ERR_SYNTAX, "'%.200s' has no timing", path);
	if (!e)
		e = outcome_add_launch(o, &l, d);
	trace = e ? NULL : json_get(root, "trace");
	if (trace)
		e = outcome_add_trace(o, trace, l.mhz, d);
	if (!e)
		r->host_seconds = json_get_number(
			root, trace ? "trace.host_seconds" : "seconds", 0);
	arena_free(&tree);
	return e;
}

static enum err outcome_read_folder(struct sweep_outcome *o,
				    struct run_result *r, const char *path,
				    struct diag *d)
{
	if (run_read(r, path, d))
		return d->code;
	if (r->incomplete)
		return fail(d, ERR_FAULT, "%.400s", r->incomplete);
	for (size_t i = 0; i < r->launch_count; i++)
		if (outcome_add_launch(o, &r->launches[i], d))
			return d->code;
	return ERR_OK;
}

enum err outcome_read(struct sweep_outcome *o, const char *path, int region,
		      struct diag *d)
{
	struct run_result r = { .path = path };
	struct stat st;
	enum err e;

	if (stat(path, &st))
		return fail(d, ERR_IO, "the run left no result: %s",
			    strerror(errno));
	if (!S_ISDIR(st.st_mode) && system_run_is(path))
		return outcome_system_read(o, path, region, d);
	e = S_ISDIR(st.st_mode) ? outcome_read_folder(o, &r, path, d) :
				  outcome_read_file(o, &r, path, d);
	if (!e) {
		o->ok = true;
		o->host_seconds = r.host_seconds;
		o->warp_instructions = (double)o->stats.sm.instructions;
		snprintf(o->engine, sizeof(o->engine), "%s",
			 r.engine ? r.engine : "");
	}
	run_free(&r);
	return e;
}
