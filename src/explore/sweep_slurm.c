#define _GNU_SOURCE
#include "explore/sweep_slurm.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "explore/files.h"
#include "explore/sweep_file.h"
#include "explore/sweep_point.h"

#define PER_TASK 8      /* points of a task, if nobody says otherwise */
#define TASKS_MOST 1000 /* Slurm's MaxArraySize is 1001 unless it is set */
#define LOOK 0.5        /* seconds between two looks at the folder ... */
#define ASK_EVERY 10    /* ... and so many of these between two at Slurm */

struct slurm {
	struct sweep_run *r;
	char folder[PATH_MAX]; /* absolute */
	char job[SLURM_JOB];   /* "": none */
	bool *taken;           /* of r->todo */
	size_t done;
	double start;
};

/*
 * Results
 */

static enum err take_one(struct slurm *s, size_t i, struct diag *d)
{
	struct sweep_run *r = s->r;
	const char *key = r->todo[i].key;
	struct outcome o;
	enum err e = sweep_result_read(&o, s->folder, key, d);

	if (e == ERR_UNKNOWN)
		return ERR_OK;
	if (e)
		return e;
	if (store_result(r->store, key, &o, d))
		return d->code;
	sweep_result_remove(s->folder, key);
	s->taken[i] = true;
	s->done++;
	r->failed += !o.ok;
	return ERR_OK;
}

static enum err take_all(struct slurm *s, struct diag *d)
{
	for (size_t i = 0; i < s->r->todo_count; i++)
		if (!s->taken[i] && take_one(s, i, d))
			return d->code;
	return ERR_OK;
}

/*
 * Asking Slurm
 */

/* Runs a command; out: the first line that it prints. */
static enum err ask(char *out, size_t room, const char *command, struct diag *d)
{
	FILE *f = popen(command, "re");
	char rest[256];
	int status;

	if (!f)
		return fail(d, ERR_IO, "cannot run '%.100s': %s", command,
			    strerror(errno));
	out[0] = '\0';
	if (fgets(out, (int)room, f))
		out[strcspn(out, "\n")] = '\0';
	while (fgets(rest, sizeof(rest), f))
		;
	status = pclose(f);
	return status ? fail(d, ERR_IO, "'%.200s' failed", command) : ERR_OK;
}

/* squeue fails for a job that has left its memory: then it is over, too. */
static bool job_is_there(const struct slurm *s)
{
	char command[128], line[64];
	struct diag d;

	if (!s->job[0])
		return false;
	snprintf(command, sizeof(command), "squeue -h -j %s -o %%i 2>/dev/null",
		 s->job);
	return !ask(line, sizeof(line), command, &d) && line[0];
}

static void job_file(const struct slurm *s, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.*s/job", PATH_MAX - 64, s->folder);
}

static void read_job(struct slurm *s)
{
	char path[PATH_MAX];
	FILE *f;

	job_file(s, path);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(s->job, sizeof(s->job), f))
		s->job[0] = '\0';
	s->job[strspn(s->job, "0123456789")] = '\0';
	fclose(f);
}

static enum err write_text(const char *folder, const char *name,
			   const char *text, struct diag *d)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return file_write(path, text, strlen(text), d);
}

/*
 * Submitting
 */

static enum err write_point(struct slurm *s, FILE *to, size_t i,
			    struct words *argv, struct diag *d)
{
	struct sweep_run *r = s->r;
	const struct store_todo *t = &r->todo[i];
	const struct sweep_program *p = &r->sweep.programs[t->program];
	char config[PATH_MAX];
	struct point_paths paths;
	struct sweep_job job = {
		.key = t->key,
		.version = r->version,
		.timeout = p->timeout > 0 ? p->timeout : r->sweep.timeout,
	};

	if (point_paths(&paths, s->folder, t->key, d) ||
	    point_config(config, s->folder, NULL, &r->plan, t->config, d) ||
	    target_command(argv, &r->sweep, p, &r->targets[t->program], r->self,
			   config, paths.out, d))
		return d->code;
	job.argv = argv->at;
	return sweep_job_write(to, &job, d);
}

static enum err write_points(struct slurm *s, struct diag *d)
{
	char path[PATH_MAX];
	struct words argv = { 0 };
	enum err e = ERR_OK;
	FILE *f;

	snprintf(path, sizeof(path), "%.*s/" SWEEP_POINTS, PATH_MAX - 64,
		 s->folder);
	f = fopen(path, "we");
	if (!f)
		return fail(d, ERR_IO, "cannot write '%.300s': %s", path,
			    strerror(errno));
	for (size_t i = 0; !e && i < s->r->todo_count; i++)
		if (!s->taken[i])
			e = write_point(s, f, i, &argv, d);
	words_free(&argv);
	if (fclose(f) && !e)
		e = fail(d, ERR_IO, "cannot write '%.300s': %s", path,
			 strerror(errno));
	return e;
}

/* The path in quotes that a shell takes away. */
static void quote(char *out, size_t room, const char *text)
{
	size_t n = 0;

	out[n++] = '\'';
	for (; *text && n + 6 < room; text++) {
		if (*text == '\'')
			n += (size_t)snprintf(out + n, room - n, "'\\''");
		else
			out[n++] = *text;
	}
	snprintf(out + n, room - n, "'");
}

static enum err write_script(struct slurm *s, size_t tasks, struct diag *d)
{
	char self[2 * PATH_MAX], folder[2 * PATH_MAX];
	char text[5 * PATH_MAX];

	quote(self, sizeof(self), s->r->self);
	quote(folder, sizeof(folder), s->folder);
	snprintf(text, sizeof(text),
		 "#!/bin/sh\n"
		 "# A task of the sweep '%.100s': its share of the points.\n"
		 "exec %s sweep work %s --task \"$SLURM_ARRAY_TASK_ID\" "
		 "--tasks %zu\n",
		 s->r->sweep.name, self, folder, tasks);
	return write_text(s->folder, "task.sh", text, d);
}

static enum err submit(struct slurm *s, struct diag *d)
{
	const struct sweep_options *o = &s->r->o;
	size_t left = s->r->todo_count - s->done;
	size_t each = o->per_task ? (size_t)o->per_task : PER_TASK;
	size_t tasks = (left + each - 1) / each;
	char folder[2 * PATH_MAX], most[32] = "", command[6 * PATH_MAX];
	unsigned threads = s->r->sweep.threads ? s->r->sweep.threads : 1;

	if (tasks > TASKS_MOST)
		tasks = TASKS_MOST;
	if (write_points(s, d) || write_script(s, tasks, d))
		return d->code;
	if (o->workers)
		snprintf(most, sizeof(most), "%%%" PRIu64, o->workers);
	quote(folder, sizeof(folder), s->folder);
	snprintf(command, sizeof(command),
		 "sbatch --parsable --job-name=heddle --array=0-%zu%s "
		 "--cpus-per-task=%u --output=%s/task-%%a.log %s %s/task.sh",
		 tasks - 1, most, threads, folder,
		 o->slurm_options ? o->slurm_options : "", folder);
	if (ask(s->job, sizeof(s->job), command, d))
		return d->code;
	/* "17;cluster" where there are several. */
	s->job[strspn(s->job, "0123456789")] = '\0';
	if (!s->job[0])
		return fail(d, ERR_IO, "sbatch did not name a job");
	s->r->host.submitted(s->r->host.ctx, s->job, tasks, left);
	return write_text(s->folder, "job", s->job, d);
}

/*
 * Waiting
 */

static void report(const struct slurm *s)
{
	const struct sweep_host *h = &s->r->host;

	h->progress(h->ctx, &(struct sweep_progress){
				    .job = s->job,
				    .done = s->done,
				    .points = s->r->todo_count,
				    .failed = s->r->failed,
				    .seconds = clock_seconds() - s->start });
}

/* True: somebody wants us to stop. */
static bool rest(void)
{
	struct timespec t = { .tv_nsec = (long)(LOOK * 1e9) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigtimedwait(&set, NULL, &t) > 0;
}

static enum err await(struct slurm *s, struct diag *d)
{
	bool there = true;

	for (unsigned i = 1; there && s->done < s->r->todo_count; i++) {
		if (rest()) {
			s->r->interrupted = true;
			break;
		}
		/* What a job leaves at its end is there after it. */
		if (i % ASK_EVERY == 0)
			there = job_is_there(s);
		if (take_all(s, d))
			return d->code;
		report(s);
	}
	return ERR_OK;
}

static enum err open_folder(struct slurm *s, struct diag *d)
{
	struct sweep_run *r = s->r;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s.slurm", PATH_MAX - 80, r->db);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    path, strerror(errno));
	if (!realpath(path, s->folder) || strlen(s->folder) > PATH_MAX - 100)
		return fail(d, ERR_IO, "the folder '%.300s': %s", path,
			    strerror(errno));
	snprintf(path, sizeof(path), "%.*s/" SWEEP_RESULTS, PATH_MAX - 80,
		 s->folder);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    path, strerror(errno));
	s->taken = calloc(r->todo_count + 1, sizeof(*s->taken));
	s->start = clock_seconds();
	read_job(s);
	return s->taken ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* Moves a file of the work folder to where the cluster sees it. */
static enum err share(struct slurm *s, char path[PATH_MAX], struct diag *d)
{
	size_t n = strlen(s->r->work);
	char there[PATH_MAX];

	if (strncmp(path, s->r->work, n) != 0 || path[n] != '/')
		return ERR_OK;
	snprintf(there, sizeof(there), "%.*s/%.100s", PATH_MAX - 128, s->folder,
		 path + n + 1);
	if (rename(path, there))
		return fail(d, ERR_IO, "cannot write '%.300s': %s", there,
			    strerror(errno));
	snprintf(path, PATH_MAX, "%s", there);
	return ERR_OK;
}

/* Sources that were compiled, and traces. */
static enum err share_programs(struct slurm *s, struct diag *d)
{
	struct sweep_run *r = s->r;

	for (size_t i = 0; i < r->sweep.program_count; i++)
		if (share(s, r->targets[i].path, d) ||
		    share(s, r->targets[i].trace, d))
			return d->code;
	return ERR_OK;
}

/*
 * A worker that was lost is no failure of its points: they have no result, and
 * another run submits them again.
 */
static void conclude(struct slurm *s, struct slurm_state *state)
{
	struct sweep_run *r = s->r;

	r->seconds = clock_seconds() - s->start;
	memcpy(state->job, s->job, sizeof(state->job));
	memcpy(state->folder, s->folder, sizeof(state->folder));
	state->left = r->todo_count - s->done;
	state->running = state->left && (r->interrupted || job_is_there(s));
	if (!state->left && !r->failed)
		file_remove(s->folder);
	if (!r->failed)
		file_remove(r->work);
}

enum err sweep_run_slurm(struct sweep_run *r, struct slurm_state *state,
			 struct diag *d)
{
	struct slurm s = { .r = r };
	enum err e = open_folder(&s, d);

	if (!e)
		e = take_all(&s, d);
	if (!e && s.done < r->todo_count && !job_is_there(&s)) {
		e = share_programs(&s, d);
		if (!e)
			e = submit(&s, d);
	}
	if (!e && !r->o.no_wait)
		e = await(&s, d);
	if (!e)
		conclude(&s, state);
	free(s.taken);
	return e;
}

enum err sweep_run_collect(struct sweep_run *r, struct slurm_state *state,
			   struct diag *d)
{
	struct slurm s = { .r = r };
	enum err e = open_folder(&s, d);

	if (!e)
		e = take_all(&s, d);
	if (!e)
		conclude(&s, state);
	free(s.taken);
	return e;
}
