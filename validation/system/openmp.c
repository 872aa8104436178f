/* The paper's Figure 2: the speed-up of the OpenMP programs. */
#include <math.h>

#include "explore/html.h"
#include "study.h"

/* The paper's average differences from its hardware. */
static const double paper[STUDY_THREADS] = { 0, 0.104, 0.22 };

static enum err plot_speedup(struct study_page *p, const struct study *s,
			     struct diag *d)
{
	static double y[STUDY_THREADS][2][STUDY_PROGRAMS];
	static const char *ticks[STUDY_PROGRAMS];
	static const char *const names[STUDY_THREADS][2] = {
		[TWO] = { "2 threads, measured", "2 threads, simulated" },
		[FOUR] = { "4 threads, measured", "4 threads, simulated" },
	};
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "speedup",
			     .x_label = "program",
			     .y_label = "times as fast as one thread",
			     .ticks = ticks,
			     .tick_count = s->programs,
			     .from_one = true };

	for (int t = TWO; t <= FOUR; t++)
		for (int what = 0; what < 2; what++) {
			double *to = y[t][what];

			for (size_t i = 0; i < s->programs; i++) {
				const struct study_program *q = &s->program[i];

				ticks[i] = q->name;
				to[i] = what ? study_simulated(q, t) :
					       study_measured(q, t);
			}
			plot.series[plot.series_count++] =
				(struct plot_series){ .title = names[t][what],
						      .y = to,
						      .count = s->programs };
		}
	return plots_add(&p->plots, &plot, d);
}

static void speedup_row(const struct study_out *o,
			const struct study_program *q)
{
	out_row(o, q->name);
	for (int t = TWO; t <= FOUR; t++) {
		double hardware = study_measured(q, t);
		double least = study_least(&q->measured[ONE]) /
			       study_least(&q->measured[t]);
		double simulated = study_simulated(q, t);

		out_ratio(o, hardware);
		out_ratio(o, least);
		out_ratio(o, simulated);
		out_percent(o, fabs(simulated / hardware - 1));
	}
	out_row_end(o);
}

static void average_row(const struct study_out *o, const char *name, double two,
			double four)
{
	out_row(o, name);
	for (int i = 0; i < 3; i++)
		out_cell(o, " ");
	out_percent(o, two);
	for (int i = 0; i < 3; i++)
		out_cell(o, " ");
	out_percent(o, four);
	out_row_end(o);
}

static enum err write_speedup(struct study_page *p, const struct study *s,
			      struct diag *d)
{
	static const char *const heads[] = {
		"program",      "2 threads, hardware",
		"fastest runs", "simulated",
		"difference",   "4 threads, hardware",
		"fastest runs", "simulated",
		"difference",   NULL
	};
	const struct study_out *o = &p->out;

	out_section(o, "Figure 2: speed-up of the OpenMP programs",
		    "The parallel section on one thread against two and four: "
		    "medians of the runs on hardware, and beside them the "
		    "speed-up of the fastest runs. The difference is that of "
		    "the medians.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p, "speed-up on two and four threads", d))
		return d->code;
	html(o->page, "</div>\n");
	out_table(o, heads);
	for (size_t i = 0; i < s->programs; i++)
		speedup_row(o, &s->program[i]);
	average_row(o, "average", study_difference(s, TWO),
		    study_difference(s, FOUR));
	average_row(o, "the paper's average", paper[TWO], paper[FOUR]);
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_speedup = { plot_speedup, write_speedup };
