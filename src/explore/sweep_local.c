/* Runs points as processes of this machine, several at a time. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "explore/files.h"
#include "explore/sweep_point.h"
#include "explore/sweep_run.h"

#define TICK 0.25 /* seconds between two reports of progress */

struct local_run {
	struct sweep_run *r;
	struct process_pool pool;
	size_t next, done;
	double start;
	struct words argv;
};

static size_t local_worker_count(const struct sweep_run *r)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = r->o.workers ? (size_t)r->o.workers :
		   cores > 0    ? (size_t)cores :
				  1;

	/* A point with several threads takes the place of several points. */
	if (!r->o.workers && r->sweep.threads > 1)
		n = n > r->sweep.threads ? n / r->sweep.threads : 1;
	if (n > r->todo_count)
		n = r->todo_count;
	return n ? n : 1;
}

static void local_report(const struct local_run *l)
{
	const struct sweep_host *h = &l->r->host;

	h->progress(h->ctx, &(struct sweep_progress){
				    .done = l->done,
				    .points = l->r->todo_count,
				    .failed = l->r->failed,
				    .seconds = clock_seconds() - l->start });
}

static enum err local_keep_result(struct local_run *l, size_t i,
				  const struct sweep_outcome *o, struct diag *d)
{
	l->done++;
	l->r->failed += !o->ok;
	return store_result(l->r->store, l->r->todo[i].key, o, d);
}

/*
 * A worker's files are reused by its next point, because creating and removing
 * files would take a good part of a point's time. Only the folder of
 * `heddle exec` belongs to one point.
 */
static enum err local_paths(const struct local_run *l, size_t place, size_t i,
			    struct point_paths *paths, char name[24],
			    struct diag *d)
{
	const struct sweep_run *r = l->r;
	const struct store_todo *t = &r->todo[i];
	const struct sweep_program *p = &r->sweep.programs[t->program];
	struct point_paths own;

	snprintf(name, 24, "worker-%zu", place);
	if (point_paths(paths, r->work, name, d) ||
	    point_paths(&own, r->work, t->key, d))
		return d->code;
	if (p->kind == SWEEP_EXEC && !p->record)
		memcpy(paths->out, own.out, sizeof(own.out));
	return ERR_OK;
}

static enum err local_start_point(struct local_run *l, size_t i, struct diag *d)
{
	struct sweep_run *r = l->r;
	const struct store_todo *t = &r->todo[i];
	const struct sweep_program *p = &r->sweep.programs[t->program];
	double timeout = p->timeout > 0 ? p->timeout : r->sweep.timeout;
	char config[PATH_MAX], name[24];
	struct point_paths paths;

	if (local_paths(l, pool_place(&l->pool), i, &paths, name, d) ||
	    point_config(config, r->work, name, &r->plan, t->config, d) ||
	    target_command(&l->argv, &r->sweep, p, &r->targets[t->program],
			   &r->plan.configs[t->config], r->self, config,
			   paths.out, d))
		return d->code;
	return pool_start(&l->pool, l->argv.at, paths.log, i, timeout, d);
}

/* Empties the worker's files for the next point. The log of a point that failed
 * is kept under the point's name. */
static void local_clean_up(const struct local_run *l, size_t i,
			   const struct point_paths *paths, bool ok)
{
	struct point_paths own;
	struct diag d;
	struct stat st;

	if (!stat(paths->out, &st) && S_ISDIR(st.st_mode))
		file_remove(paths->out);
	else if (truncate(paths->out, 0) && errno != ENOENT)
		file_remove(paths->out);
	if (!ok && !point_paths(&own, l->r->work, l->r->todo[i].key, &d))
		rename(paths->log, own.log);
}

static enum err local_read_outcome(const struct local_run *l,
				   const struct pool_end *end,
				   struct sweep_outcome *o, struct diag *d)
{
	struct point_paths paths;
	char name[24];

	if (local_paths(l, end->place, end->tag, &paths, name, d))
		return d->code;
	point_outcome(o, &paths, end,
		      l->r->sweep.programs[l->r->todo[end->tag].program].region,
		      l->r->version);
	local_clean_up(l, end->tag, &paths, o->ok);
	return ERR_OK;
}

static enum err local_start_points(struct local_run *l, struct diag *d)
{
	while (l->next < l->r->todo_count && l->pool.running < l->pool.room &&
	       !l->pool.interrupted)
		if (local_start_point(l, l->next++, d))
			return d->code;
	return ERR_OK;
}

static enum err local_run_points(struct local_run *l, struct diag *d)
{
	struct pool_end end;
	struct sweep_outcome o;

	if (local_start_points(l, d))
		return d->code;
	while (l->done < l->r->todo_count && !l->pool.interrupted) {
		local_report(l);
		if (!pool_wait(&l->pool, TICK, &end))
			continue;
		/* Start the next point before storing the result. */
		if (local_read_outcome(l, &end, &o, d) ||
		    local_start_points(l, d) ||
		    local_keep_result(l, end.tag, &o, d))
			return d->code;
	}
	return ERR_OK;
}

enum err sweep_run_local(struct sweep_run *r, struct diag *d)
{
	struct local_run l = { .r = r, .start = clock_seconds() };
	enum err e = pool_open(&l.pool, local_worker_count(r), d);

	if (!e)
		e = local_run_points(&l, d);
	r->interrupted = l.pool.interrupted;
	r->seconds = clock_seconds() - l.start;
	pool_close(&l.pool);
	words_free(&l.argv);
	local_report(&l);
	if (!e && !r->failed)
		file_remove(r->work);
	return e;
}
