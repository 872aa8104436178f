/* Prints the points, the progress and the end of `heddle sweep`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "door/cli/sweep.h"
#include "door/cli/text.h"

#define PROGRESS_EVERY 0.25 /* seconds */
#define FAILURES_SHOWN 10

/* The sign in "sm.count = 4"; a variant has the same axis and label. */
static const char *axis_sign(const char *axis, const char *label)
{
	return *axis && strcmp(axis, label) != 0 ? " = " : "";
}

static void print_point(const struct sweep_run *r, size_t i)
{
	const struct plan_config *k =
		&r->plan.configs[i % r->plan.config_count];
	const char *program = r->sweep.programs[i / r->plan.config_count].name;
	const char *sign = axis_sign(k->axis, k->label);

	printf("%6zu  %-16s %s%s%s", i, program,
	       *k->axis ? k->axis : "baseline", sign, *sign ? k->label : "");
	if (k->cost == k->cost)
		printf("  cost %g", k->cost);
	putchar('\n');
}

void sweep_print_points(const struct sweep_session *s)
{
	const struct sweep_run *r = &s->run;
	size_t n = plan_points(&r->plan);

	for (size_t i = 0; i < n; i++)
		print_point(r, i);
	if (!s->quiet)
		fprintf(stderr,
			"%s: %zu points, %zu program%s on %zu configurations "
			"of %s\n",
			r->sweep.name, n, r->sweep.program_count,
			r->sweep.program_count == 1 ? "" : "s",
			r->plan.config_count, r->sweep.gpu);
}

/*
 * Progress
 */

static void on_recording(void *ctx, const char *program)
{
	const struct sweep_session *s = ctx;

	if (!s->quiet)
		fprintf(stderr, "%s: recording %s\n", s->run.sweep.name,
			program);
}

static void on_submitted(void *ctx, const char *job, size_t tasks,
			 size_t points)
{
	const struct sweep_session *s = ctx;

	if (!s->quiet)
		fprintf(stderr, "%s: job %s, %zu tasks for %zu points\n",
			s->run.sweep.name, job, tasks, points);
}

static void print_progress(const struct sweep_session *s)
{
	const struct sweep_progress *p = &s->last;
	size_t left = p->points - p->done;
	char text[GROUPED_TEXT];

	fprintf(stderr, "\r\033[K%s: ", s->run.sweep.name);
	if (p->job)
		fprintf(stderr, "job %s, ", p->job);
	fprintf(stderr, "%zu of %zu points", p->done, p->points);
	if (p->failed)
		fprintf(stderr, ", %" PRIu64 " failed", p->failed);
	if (p->done && left)
		fprintf(stderr, ", %s left",
			duration(text,
				 p->seconds / (double)p->done * (double)left));
	fflush(stderr);
}

static void on_sweep_progress(void *ctx, const struct sweep_progress *p)
{
	struct sweep_session *s = ctx;
	double now = clock_seconds();

	s->last = *p;
	if (!s->progress || (s->shown > 0 && now - s->shown < PROGRESS_EVERY))
		return;
	s->shown = now;
	print_progress(s);
}

void sweep_begin_progress(struct sweep_session *s)
{
	s->run.host.ctx = s;
	s->run.host.recording = on_recording;
	s->run.host.submitted = on_submitted;
	s->run.host.progress = on_sweep_progress;
}

void sweep_end_progress(struct sweep_session *s)
{
	if (!(s->shown > 0))
		return;
	print_progress(s);
	fputs("\r\033[K", stderr);
}

/*
 * The end
 */

struct failure_list {
	uint64_t shown, same;
	char last[400]; /* reason */
};

static void print_same_failures(struct failure_list *f)
{
	if (f->same)
		fprintf(stderr, "  ... and %" PRIu64 " for the same reason\n",
			f->same);
	f->same = 0;
}

static void print_failure(void *ctx, const char *program, const char *axis,
			  const char *label, const char *reason)
{
	struct failure_list *f = ctx;
	const char *sign = axis_sign(axis, label);

	if (!strncmp(f->last, reason, sizeof(f->last) - 1)) {
		f->same += f->shown <= FAILURES_SHOWN;
		return;
	}
	if (f->shown <= FAILURES_SHOWN)
		print_same_failures(f);
	snprintf(f->last, sizeof(f->last), "%s", reason);
	if (f->shown++ < FAILURES_SHOWN)
		fprintf(stderr, "  %s, %s%s%s: %s\n", program,
			*axis ? axis : "baseline", sign, *sign ? label : "",
			reason);
}

static void print_failures(struct sweep_run *r)
{
	struct failure_list f = { 0 };
	struct diag d;

	if (store_failed(r->store, r->sweep.name, print_failure, &f, &d))
		say_error("%s", d.text);
	if (f.shown > FAILURES_SHOWN)
		fprintf(stderr,
			"  and others; see 'heddle sweep status %s "
			"--failed'\n",
			r->db);
	else
		print_same_failures(&f);
	if (r->failed)
		fprintf(stderr, "  their output is in %s\n", r->work);
	fputs("  --retry runs them again\n", stderr);
}

int sweep_conclude(struct sweep_session *s)
{
	struct sweep_run *r = &s->run;
	char time[GROUPED_TEXT];
	struct store_counts c;
	struct diag d;

	if (sweep_run_count(r, &c, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (r->interrupted)
		fprintf(stderr,
			"heddle: interrupted; 'heddle sweep %s' continues "
			"where it stopped\n",
			r->path);
	if (!s->quiet || c.failed || r->interrupted)
		fprintf(stderr,
			"%s: %" PRIu64 " points, %" PRIu64 " done, %" PRIu64
			" failed, %" PRIu64 " left; %" PRIu64
			" were done before; %s; results in %s\n",
			r->sweep.name, c.points, c.ok, c.failed, c.left,
			r->before, duration(time, r->seconds), r->db);
	if (c.again)
		fprintf(stderr,
			"  %" PRIu64 " results are from before, until their "
			"points have been run again; 'heddle sweep %s' "
			"continues\n",
			c.again, r->path);
	if (c.failed)
		print_failures(r);
	return r->interrupted ? exit_of_signal(r->interrupted) :
	       c.failed       ? EXIT_FAULT :
				EXIT_OK;
}

int sweep_conclude_slurm(struct sweep_session *s, const struct slurm_state *on)
{
	int code = sweep_conclude(s);

	if (on->running) {
		fprintf(stderr, "  job %s continues; 'scancel %s' ends it\n",
			on->job, on->job);
	} else if (on->left) {
		fprintf(stderr,
			"  the job has ended, but %zu points have no result: "
			"their workers were lost;\n  see %s/task-*.log; the "
			"same command submits them again\n",
			on->left, on->folder);
		code = EXIT_FAULT;
	}
	return code;
}
