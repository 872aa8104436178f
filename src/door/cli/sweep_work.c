/*
 * heddle sweep work: a task of a job array. Runs its share of the points in a
 * folder that `heddle sweep --on slurm` has made, one after the other, each in
 * a process of its own, and leaves a file for each.
 */
#include <stdio.h>
#include <string.h>

#include "door/cli/commands.h"
#include "door/cli/sweep_file.h"
#include "door/cli/sweep_point.h"
#include "door/cli/text.h"

struct work_options {
	uint64_t task, tasks;
};

#define AT(field) offsetof(struct work_options, field)

static const struct opt work_opts[] = {
	OPT_HEADING("Options:"),
	{ "task", 0, "N", "the number of this task, from 0", opt_u64,
	  AT(task) },
	{ "tasks", 0, "N", "of so many", opt_count, AT(tasks) },
	OPT_END
};

static enum err run_point(struct pool *pool, const char *folder,
			  const struct sweep_job *j, struct diag *d)
{
	struct pool_end end;
	struct point_paths paths;
	struct outcome o;

	if (point_paths(&paths, folder, j->key, d))
		return d->code;
	/* What a worker has left that was killed. */
	point_remove(paths.out);
	if (pool_start(pool, j->argv, paths.log, 0, j->timeout, d))
		return d->code;
	while (!pool_wait(pool, 1, &end))
		if (pool->interrupted)
			return ERR_OK;
	point_outcome(&o, &paths, &end, j->version);
	point_remove(paths.out);
	if (o.ok)
		point_remove(paths.log);
	return sweep_result_write(folder, j->key, &o, d);
}

static int work_on(const struct work_options *o, const char *folder,
		   struct pool *pool)
{
	struct sweep_job *jobs;
	struct arena a = { 0 };
	struct diag d;
	size_t n;
	enum err e = sweep_jobs_read(&jobs, &n, &a, folder, &d);

	for (size_t i = (size_t)o->task; !e && i < n && !pool->interrupted;
	     i += (size_t)o->tasks)
		if (!sweep_result_exists(folder, jobs[i].key))
			e = run_point(pool, folder, &jobs[i], &d);
	if (e)
		say_error("%s", d.text);
	arena_free(&a);
	return e ? EXIT_INPUT : pool->interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}

static int work(int argc, char **argv)
{
	struct work_options o = { .tasks = 1 };
	struct words folders = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_sweep_work, to, argc, argv, &folders);
	struct pool pool = { 0 };
	struct diag d;

	if (code < 0 && folders.count != 1) {
		say_error("one folder of points is needed, %zu given",
			  folders.count);
		code = EXIT_USAGE;
	}
	if (code < 0 && pool_open(&pool, 1, &d)) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	}
	if (code < 0)
		code = work_on(&o, folders.at[0], &pool);
	pool_close(&pool);
	words_free(&folders);
	return code;
}

const struct command cmd_sweep_work = {
	.name = "sweep work",
	.summary = "Run a share of a sweep's points, as a task of a job array",
	.usage = "FOLDER [OPTIONS]",
	.details =
		"FOLDER is one that 'heddle sweep FILE --on slurm' has made. "
		"The task runs\npoints N, N + TASKS, N + 2 * TASKS and so on "
		"that have no result yet.\n",
	.tables = { work_opts },
	.run = work,
};
