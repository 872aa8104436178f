#include "explore/sweep_work.h"

#include "explore/files.h"
#include "explore/sweep_file.h"
#include "explore/sweep_point.h"

static enum err work_point(struct process_pool *pool, const char *folder,
			   const struct sweep_job *j, struct diag *d)
{
	struct pool_end end;
	struct point_paths paths;
	struct sweep_outcome o;

	if (point_paths(&paths, folder, j->key, d))
		return d->code;
	/* A worker that was killed may have left one. */
	file_remove(paths.out);
	if (pool_start(pool, j->argv, paths.log, 0, j->timeout, d))
		return d->code;
	while (!pool_wait(pool, 1, &end))
		if (pool->interrupted)
			return ERR_OK;
	point_outcome(&o, &paths, &end, j->region, j->version);
	file_remove(paths.out);
	if (o.ok)
		file_remove(paths.log);
	return sweep_result_write(folder, j->key, &o, d);
}

enum err sweep_work(const char *folder, uint64_t task, uint64_t tasks,
		    int *interrupted, struct diag *d)
{
	struct process_pool pool = { 0 };
	struct sweep_job *jobs = NULL;
	struct arena a = { 0 };
	size_t n = 0;
	enum err e = pool_open(&pool, 1, d);

	if (!e)
		e = sweep_jobs_read(&jobs, &n, &a, folder, d);
	for (size_t i = (size_t)task; !e && i < n && !pool.interrupted;
	     i += (size_t)tasks)
		if (!sweep_result_exists(folder, jobs[i].key))
			e = work_point(&pool, folder, &jobs[i], d);
	*interrupted = pool.interrupted;
	pool_close(&pool);
	arena_free(&a);
	return e;
}
