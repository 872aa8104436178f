/* Records programs with `record = yes`: one trace of each. */
#include "explore/files.h"
#include "explore/sweep_point.h"
#include "explore/sweep_run.h"

static bool has_points(const struct sweep_run *r, size_t program)
{
	for (size_t i = 0; i < r->todo_count; i++)
		if (r->todo[i].program == program)
			return true;
	return false;
}

static enum err record_program(struct sweep_run *r, size_t i,
			       struct process_pool *pool, struct words *argv,
			       struct diag *d)
{
	const struct sweep_program *p = &r->sweep.programs[i];
	char config[PATH_MAX], why[400];
	struct point_paths paths;
	struct pool_end end;

	if (point_paths(&paths, r->work, r->targets[i].identity.hash, d) ||
	    point_config(config, r->work, NULL, &r->plan, 0, d) ||
	    target_record(argv, &r->targets[i], p, r->self, config, r->work,
			  d) ||
	    pool_start(pool, argv->at, paths.log, i, 0, d))
		return d->code;
	while (!pool_wait(pool, 1, &end))
		if (pool->interrupted)
			return fail(d, ERR_FAULT, "interrupted");
	if (end.status) {
		point_why(why, sizeof(why), &paths, &end);
		return fail(d, ERR_FAULT,
			    "program '%.60s' was not recorded: %s", p->name,
			    why);
	}
	file_remove(paths.log);
	return ERR_OK;
}

enum err sweep_run_record(struct sweep_run *r, struct diag *d)
{
	struct process_pool pool = { 0 };
	struct words argv = { 0 };
	enum err e = ERR_OK;

	for (size_t i = 0; !e && i < r->sweep.program_count; i++) {
		if (!r->sweep.programs[i].record || !has_points(r, i))
			continue;
		if (!pool.room)
			e = pool_open(&pool, 1, d);
		if (e)
			break;
		r->host.recording(r->host.ctx, r->sweep.programs[i].name);
		e = record_program(r, i, &pool, &argv, d);
	}
	r->interrupted = pool.interrupted;
	pool_close(&pool);
	words_free(&argv);
	return e;
}
