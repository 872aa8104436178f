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

#define PER_TASK 8     /* points of a task, by default */
#define MAX_TASKS 1000 /* the default of Slurm's MaxArraySize is 1001 */
#define PAUSE 0.5      /* seconds between two looks at the folder ... */
#define ASK_EVERY 10   /* ... and this many looks between two squeue */

struct slurm_run {
	struct sweep_run *r;
	char folder[PATH_MAX]; /* absolute */
	char job[SLURM_JOB];   /* number; "": none */
	bool *taken;           /* by index in r->todo */
	size_t done;
	double start;
};

/*
 * Results
 */

static enum err slurm_take_result(struct slurm_run *s, size_t i, struct diag *d)
{
	struct sweep_run *r = s->r;
	const char *key = r->todo[i].key;
	struct sweep_outcome o;
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

static enum err slurm_take_results(struct slurm_run *s, struct diag *d)
{
	for (size_t i = 0; i < s->r->todo_count; i++)
		if (!s->taken[i] && slurm_take_result(s, i, d))
			return d->code;
	return ERR_OK;
}

/*
 * Commands of Slurm
 */

/* Runs a command; out: the first line of its output. */
static enum err slurm_command(char *out, size_t room, const char *command,
			      struct diag *d)
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

/* squeue also fails if Slurm has forgotten the job, which has ended then. */
static bool slurm_job_exists(const struct slurm_run *s)
{
	char command[128], line[64];
	struct diag d;

	if (!s->job[0])
		return false;
	snprintf(command, sizeof(command), "squeue -h -j %s -o %%i 2>/dev/null",
		 s->job);
	return !slurm_command(line, sizeof(line), command, &d) && line[0];
}

static void slurm_job_path(const struct slurm_run *s, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.*s/job", PATH_MAX - 64, s->folder);
}

static void slurm_read_job(struct slurm_run *s)
{
	char path[PATH_MAX];
	FILE *f;

	slurm_job_path(s, path);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(s->job, sizeof(s->job), f))
		s->job[0] = '\0';
	s->job[strspn(s->job, "0123456789")] = '\0';
	fclose(f);
}

static enum err slurm_write_file(const char *folder, const char *name,
				 const char *text, struct diag *d)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return file_write(path, text, strlen(text), d);
}

/*
 * Submitting
 */

static enum err slurm_write_point(struct slurm_run *s, FILE *to, size_t i,
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
		.region = p->region,
		.timeout = p->timeout > 0 ? p->timeout : r->sweep.timeout,
	};

	if (point_paths(&paths, s->folder, t->key, d) ||
	    point_config(config, s->folder, NULL, &r->plan, t->config, d) ||
	    target_command(argv, &r->sweep, p, &r->targets[t->program],
			   &r->plan.configs[t->config], r->self, config,
			   paths.out, d))
		return d->code;
	job.argv = argv->at;
	return sweep_job_write(to, &job, d);
}

static enum err slurm_write_points(struct slurm_run *s, struct diag *d)
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
			e = slurm_write_point(s, f, i, &argv, d);
	words_free(&argv);
	if (fclose(f) && !e)
		e = fail(d, ERR_IO, "cannot write '%.300s': %s", path,
			 strerror(errno));
	return e;
}

/* Quotes a path for a shell. */
static void shell_quote(char *out, size_t room, const char *text)
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

static enum err slurm_write_script(struct slurm_run *s, size_t tasks,
				   struct diag *d)
{
	char self[2 * PATH_MAX], folder[2 * PATH_MAX];
	char text[5 * PATH_MAX];

	shell_quote(self, sizeof(self), s->r->self);
	shell_quote(folder, sizeof(folder), s->folder);
	snprintf(text, sizeof(text),
		 "#!/bin/sh\n"
		 "# A task of the sweep '%.100s': its share of the points.\n"
		 "exec %s sweep work %s --task \"$SLURM_ARRAY_TASK_ID\" "
		 "--tasks %zu\n",
		 s->r->sweep.name, self, folder, tasks);
	return slurm_write_file(s->folder, "task.sh", text, d);
}

static enum err slurm_submit(struct slurm_run *s, struct diag *d)
{
	const struct sweep_options *o = &s->r->o;
	size_t left = s->r->todo_count - s->done;
	size_t each = o->per_task ? (size_t)o->per_task : PER_TASK;
	size_t tasks = (left + each - 1) / each;
	char folder[2 * PATH_MAX], most[32] = "", command[6 * PATH_MAX];
	unsigned threads = s->r->sweep.threads ? s->r->sweep.threads : 1;

	if (tasks > MAX_TASKS)
		tasks = MAX_TASKS;
	if (slurm_write_points(s, d) || slurm_write_script(s, tasks, d))
		return d->code;
	if (o->workers)
		snprintf(most, sizeof(most), "%%%" PRIu64, o->workers);
	shell_quote(folder, sizeof(folder), s->folder);
	snprintf(command, sizeof(command),
		 "sbatch --parsable --job-name=heddle --array=0-%zu%s "
		 "--cpus-per-task=%u --output=%s/task-%%a.log %s %s/task.sh",
		 tasks - 1, most, threads, folder,
		 o->slurm_options ? o->slurm_options : "", folder);
	if (slurm_command(s->job, sizeof(s->job), command, d))
		return d->code;
	/* "17;cluster" if there are several clusters. */
	s->job[strspn(s->job, "0123456789")] = '\0';
	if (!s->job[0])
		return fail(d, ERR_IO, "sbatch printed no job number");
	s->r->host.submitted(s->r->host.ctx, s->job, tasks, left);
	return slurm_write_file(s->folder, "job", s->job, d);
}

/*
 * Waiting
 */

static void slurm_report(const struct slurm_run *s)
{
	const struct sweep_host *h = &s->r->host;

	h->progress(h->ctx, &(struct sweep_progress){
				    .job = s->job,
				    .done = s->done,
				    .points = s->r->todo_count,
				    .failed = s->r->failed,
				    .seconds = clock_seconds() - s->start });
}

/* Sleeps; true: a signal asks us to stop. */
static int slurm_pause(void)
{
	struct timespec t = { .tv_nsec = (long)(PAUSE * 1e9) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigtimedwait(&set, NULL, &t);
}

static enum err slurm_wait(struct slurm_run *s, struct diag *d)
{
	bool there = true;

	for (unsigned i = 1; there && s->done < s->r->todo_count; i++) {
		int signal = slurm_pause();

		if (signal > 0) {
			s->r->interrupted = signal;
			break;
		}
		/* Ask before looking: results of a job that has ended are
		 * already there. */
		if (i % ASK_EVERY == 0)
			there = slurm_job_exists(s);
		if (slurm_take_results(s, d))
			return d->code;
		slurm_report(s);
	}
	return ERR_OK;
}

static enum err slurm_open_folder(struct slurm_run *s, struct diag *d)
{
	struct sweep_run *r = s->r;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s.slurm", PATH_MAX - 80, r->db);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    path, strerror(errno));
	if (!realpath(path, s->folder) || strlen(s->folder) > PATH_MAX - 100)
		return fail(d, ERR_IO, "cannot use the folder '%.300s': %s",
			    path, strerror(errno));
	snprintf(path, sizeof(path), "%.*s/" SWEEP_RESULTS, PATH_MAX - 80,
		 s->folder);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    path, strerror(errno));
	s->taken = calloc(r->todo_count + 1, sizeof(*s->taken));
	s->start = clock_seconds();
	slurm_read_job(s);
	return s->taken ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* Moves a file of the work folder to the folder that the cluster sees. */
static enum err slurm_share_file(struct slurm_run *s, char path[PATH_MAX],
				 struct diag *d)
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

/* Shares compiled sources and traces. */
static enum err slurm_share_programs(struct slurm_run *s, struct diag *d)
{
	struct sweep_run *r = s->r;

	for (size_t i = 0; i < r->sweep.program_count; i++)
		if (slurm_share_file(s, r->targets[i].path, d) ||
		    slurm_share_file(s, r->targets[i].trace, d))
			return d->code;
	return ERR_OK;
}

/*
 * The points of a lost worker have not failed: they have no result, and the next
 * execution submits them again.
 */
static void slurm_conclude(struct slurm_run *s, struct slurm_state *state)
{
	struct sweep_run *r = s->r;

	r->seconds = clock_seconds() - s->start;
	memcpy(state->job, s->job, sizeof(state->job));
	memcpy(state->folder, s->folder, sizeof(state->folder));
	state->left = r->todo_count - s->done;
	state->running = state->left && (r->interrupted || slurm_job_exists(s));
	if (!state->left && !r->failed)
		file_remove(s->folder);
	if (!r->failed)
		file_remove(r->work);
}

enum err sweep_run_slurm(struct sweep_run *r, struct slurm_state *state,
			 struct diag *d)
{
	struct slurm_run s = { .r = r };
	enum err e = slurm_open_folder(&s, d);

	if (!e)
		e = slurm_take_results(&s, d);
	if (!e && s.done < r->todo_count && !slurm_job_exists(&s)) {
		e = slurm_share_programs(&s, d);
		if (!e)
			e = slurm_submit(&s, d);
	}
	if (!e && !r->o.no_wait)
		e = slurm_wait(&s, d);
	if (!e)
		slurm_conclude(&s, state);
	free(s.taken);
	return e;
}

enum err sweep_run_collect(struct sweep_run *r, struct slurm_state *state,
			   struct diag *d)
{
	struct slurm_run s = { .r = r };
	enum err e = slurm_open_folder(&s, d);

	if (!e)
		e = slurm_take_results(&s, d);
	if (!e)
		slurm_conclude(&s, state);
	free(s.taken);
	return e;
}
