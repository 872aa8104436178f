#include "explore/engines.h"

size_t engines_runs_of_program(const struct engines *e)
{
	return (e->engine_count + 1) * e->runs;
}

static bool engines_stopped(const struct engines *e)
{
	return e->host.stopped(e->host.ctx);
}

/* Runs every engine once, in turn, so that a disturbance of the host affects
 * all of them. False: serial has failed, or the caller wants to stop. */
static bool engines_run_round(struct engines *e, size_t program, unsigned run)
{
	size_t all = engines_runs_of_program(e);
	/* If serial fails, the rest of the program's runs count as done. */
	size_t done = program * all + run * (e->engine_count + 1);

	for (size_t i = 0; i <= e->engine_count && !engines_stopped(e); i++) {
		engines_child(e, program, i, run);
		e->host.ran(e->host.ctx, e, program, i, run, ++done,
			    e->program_count * all);
		if (i == 0 && !engines_run_of(e, program, 0, run)->done)
			return false;
	}
	return !engines_stopped(e);
}

void engines_run_all(struct engines *e)
{
	for (size_t i = 0; i < e->program_count && !engines_stopped(e); i++)
		for (unsigned run = 0; run < e->runs; run++)
			if (!engines_run_round(e, i, run))
				break;
}
