/* The paper's Figure 2: the speed-up of the OpenMP programs. */
#include <math.h>

#include "explore/html.h"
#include "study.h"

/* The paper's average differences from its hardware. */
static const double paper[STUDY_THREADS] = { 0, 0.104, 0.22 };

enum { SOURCES = 3 };

/* The speed-up by hardware, and by the two simulated systems. */
static double source_of(const struct study_program *q, int source, int t)
{
	return source ? study_simulated(q, source == 1 ? PAPER : HARDWARE, t) :
			study_measured(q, t);
}

static const char *const titles[STUDY_THREADS][SOURCES] = {
	[TWO] = { "2 threads, measured", "cgm.cfg", "the same machine" },
	[FOUR] = { "4 threads, measured", "cgm.cfg", "the same machine" },
};

static enum err plot_speedup(struct study_page *p, const struct study *s,
			     struct diag *d)
{
	static double y[STUDY_THREADS][SOURCES][STUDY_PROGRAMS];
	static const char *ticks[STUDY_PROGRAMS];
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "speedup",
			     .x_label = "program",
			     .y_label = "times as fast as one thread",
			     .ticks = ticks,
			     .tick_count = s->programs,
			     .from_one = true };

	for (int t = TWO; t <= FOUR; t++)
		for (int k = 0; k < SOURCES; k++) {
			double *to = y[t][k];

			for (size_t i = 0; i < s->programs; i++) {
				ticks[i] = s->program[i].name;
				to[i] = source_of(&s->program[i], k, t);
			}
			plot.series[plot.series_count++] =
				(struct plot_series){ .title = titles[t][k],
						      .y = to,
						      .count = s->programs };
		}
	return plots_add(&p->plots, &plot, d);
}

static void speedup_row(const struct study_out *o,
			const struct study_program *q, int t)
{
	double hardware = study_measured(q, t);

	out_row(o, q->name);
	out_ratio(o, hardware);
	out_ratio(o, study_least(&q->measured[ONE]) /
			     study_least(&q->measured[t]));
	for (int k = 1; k < SOURCES; k++) {
		out_ratio(o, source_of(q, k, t));
		out_percent(o, fabs(source_of(q, k, t) / hardware - 1));
	}
	out_row_end(o);
}

static void speedup_table(const struct study_out *o, const struct study *s,
			  int t)
{
	static const char *const heads[STUDY_THREADS][8] = {
		[TWO] = { "2 threads", "hardware", "its fastest runs",
			  "cgm.cfg", "difference", "the same machine",
			  "difference", NULL },
		[FOUR] = { "4 threads", "hardware", "its fastest runs",
			   "cgm.cfg", "difference", "the same machine",
			   "difference", NULL },
	};

	out_table(o, heads[t]);
	for (size_t i = 0; i < s->programs; i++)
		speedup_row(o, &s->program[i], t);
	out_row(o, "average");
	for (int k = 0; k < SOURCES; k++) {
		out_cell(o, " ");
		if (k)
			out_percent(o,
				    study_difference(
					    s, k == 1 ? PAPER : HARDWARE, t));
		else
			out_cell(o, " ");
	}
	out_row_end(o);
	out_row(o, "the paper's average");
	for (int k = 0; k < 3; k++)
		out_cell(o, " ");
	out_percent(o, paper[t]);
	for (int k = 0; k < 2; k++)
		out_cell(o, " ");
	out_row_end(o);
	out_table_end(o);
}

/* What the medians come from. */
static void runs_table(const struct study_out *o, const struct study *s)
{
	static const char *const heads[] = { "program, threads",
					     "undisturbed runs",
					     "of",
					     "first quartile, us",
					     "median",
					     "third quartile",
					     NULL };

	out_table(o, heads);
	for (size_t i = 0; i < s->programs; i++)
		for (int t = 0; t < STUDY_THREADS; t++) {
			const struct study_times *m =
				&s->program[i].measured[t];
			char name[64];

			snprintf(name, sizeof(name), "%s, %d",
				 s->program[i].name, study_threads[t]);
			out_row(o, name);
			out_cell(o, "%zu", m->count);
			out_cell(o, "%zu", m->all);
			for (int q = 1; q <= 3; q++)
				out_whole(o,
					  1e-3 * study_quantile(m, 0.25 * q));
			out_row_end(o);
		}
	out_table_end(o);
}

static enum err write_speedup(struct study_page *p, const struct study *s,
			      struct diag *d)
{
	const struct study_out *o = &p->out;

	out_section(
		o, "Figure 2: speed-up of the OpenMP programs",
		"The parallel section on one thread against two and four. "
		"Hardware: medians of its undisturbed runs, and the speed-up "
		"of its fastest ones. Simulated: the paper's system, and the "
		"machine that was measured. Differences are from the "
		"medians.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p, "speed-up on two and four threads", d))
		return d->code;
	html(o->page, "</div>\n");
	for (int t = TWO; t <= FOUR; t++)
		speedup_table(o, s, t);
	runs_table(o, s);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_speedup = { plot_speedup, write_speedup };
