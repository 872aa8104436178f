#include "explore/outcome.h"

#include <inttypes.h>
#include <stdio.h>

#include "explore/run.h"

static enum err add_launch(struct outcome *o, const struct run_launch *l,
			   struct diag *d)
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
	/* The statistics are those of all that ran at once. */
	if (l->place)
		return ERR_OK;
	stats_add(&o->stats, &l->stats);
	o->cycles += (double)l->group_cycles;
	if (l->mhz > 0)
		o->gpu_seconds += (double)l->group_cycles / (l->mhz * 1e6);
	return ERR_OK;
}

enum err outcome_read(struct outcome *o, const char *path, struct diag *d)
{
	struct run r;
	enum err e = run_read(&r, path, d);

	if (!e && r.incomplete)
		e = fail(d, ERR_FAULT, "%.400s", r.incomplete);
	for (size_t i = 0; !e && i < r.launch_count; i++)
		e = add_launch(o, &r.launches[i], d);
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
