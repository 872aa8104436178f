/* The performance model beside the circuit, and what it says of other machines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/html.h"
#include "study.h"

/* ---- predicted and counted ---- */

static double prediction_error(const struct study *s, size_t k)
{
	struct fl_rates r = study_rates(s, k, "base");
	double counted = study_get(s, k, "rtl", "host_cycles");

	return fl_predict_speed(&r, &study_external).host_cycles / counted - 1;
}

double study_worst_prediction(const struct study *s)
{
	double worst = 0;

	for (size_t k = 0; k < s->kernel_count; k++)
		worst = fmax(worst, fabs(prediction_error(s, k)));
	return worst;
}

static enum err plot_nothing(struct study_page *p, const struct study *s,
			     struct diag *d)
{
	(void)p;
	(void)s;
	(void)d;
	return ERR_OK;
}

static void prediction_row(const struct study_out *o, const struct study *s,
			   size_t k)
{
	struct fl_rates r = study_rates(s, k, "base");
	struct fl_speed v = fl_predict_speed(&r, &study_external);
	double counted = study_get(s, k, "rtl", "host_cycles");

	out_row(o, s->kernels[k]);
	out_cell(o, "%.0f", r.turns);
	out_cell(o, "%.0f", r.cycle_fm);
	out_cell(o, "%.2f", r.eta);
	out_cell(o, "%.2f", r.ipc);
	out_cell(o, "%.2f", r.beta);
	out_cell(o, "%.3f", r.p_ls);
	out_cell(o, "%.0f", r.R);
	out_cell(o, "%.1f", r.W);
	out_cell(o, "%.0f", v.cycle_switch);
	out_cell(o, "%.2f", v.lambda);
	out_cell(o, "%.1f", v.throughput * STUDY_MHZ);
	out_cell(o, "%.0f", v.host_cycles);
	if (isnan(counted))
		out_cell(o, "-");
	else
		out_cell(o, "%.0f", counted);
	out_percent(o, prediction_error(s, k));
	out_row_end(o);
}

static enum err write_prediction(struct study_page *p, const struct study *s,
				 struct diag *d)
{
	static const char *const heads[] = {
		"kernel", "turns", "cycle_FM", "eta", "IPC", "beta", "P_LS", "R",
		"W", "cycle_switch", "lambda", "V (million operations a second)",
		"host cycles, predicted", "counted", "difference", NULL
	};
	const struct study_out *o = &p->out;

	(void)d;
	out_section(o, "Equations 1 to 3, and the circuit",
		    "Predicted from the program, as the model in C runs it, and "
		    "from the stages of the circuit; no count of the circuit's "
		    "cycles goes in. V at 50 MHz.");
	out_table(o, heads);
	for (size_t k = 0; k < s->kernel_count; k++)
		prediction_row(o, s, k);
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_prediction = { plot_nothing, write_prediction };

/* ---- other machines ---- */

/* An axis: a variant of the model for each value, or a change of the equations. */
struct axis {
	const char *name, *label, *about;
	const char *variant; /* prefix of the variants; NULL: "base" is changed */
	size_t count;
	double value[10];
	void (*change)(struct fl_rates *r, struct fl_external *e, double v);
	bool error; /* with the error in target cycles */
};

/* With external memory that is slow enough for it to matter; by the means. */
static void set_registers(struct fl_rates *r, struct fl_external *e, double v)
{
	r->R = v;
	r->longer = 0;
	e->interval = 32;
}

static const struct axis axes[] = {
	{ .name = "slice",
	  .label = "slice: target cycles of a turn",
	  .about = "The paper's trade-off: a longer turn hides the exchange of "
		   "registers, and lets multiprocessors see each other later.",
	  .variant = "slice",
	  .count = 9,
	  .value = { 1, 10, 32, 100, 320, 1000, 3200, 10000, 32000 },
	  .error = true },
	{ .name = "taken",
	  .label = "slice: the same, one block at a time",
	  .about = "With sm.max_blocks = 1 most blocks are taken while the "
		   "kernel runs, by whoever is simulated first: a long turn "
		   "takes too many.",
	  .variant = "taken",
	  .count = 9,
	  .value = { 1, 10, 32, 100, 320, 1000, 3200, 10000, 32000 },
	  .error = true },
	{ .name = "warps",
	  .label = "W: warps of a multiprocessor, with a slice of 100 for each",
	  .about = "More warps have more registers to move, and more to do in "
		   "a turn.",
	  .variant = "warps",
	  .count = 4,
	  .value = { 8, 16, 24, 32 } },
	{ .name = "registers",
	  .label = "R: registers that move, with 32 host cycles for a line",
	  .about = "Only those that the kernel has are moved. With a line each "
		   "cycle the exchange is hidden in any case. By mean turns; "
		   "all else is turn by turn.",
	  .count = 5,
	  .value = { 4, 8, 16, 24, 32 },
	  .change = set_registers },
	{ .name = "lanes",
	  .label = "L: SIMD lanes of the target",
	  .about = "The circuit has 32; a narrower target occupies its SIMD "
		   "for longer, and the circuit skips these cycles.",
	  .variant = "lanes",
	  .count = 3,
	  .value = { 8, 16, 32 } },
	{ .name = "bandwidth",
	  .label = "host cycles of a line of 128 bytes of external memory",
	  .about = "At 50 MHz a line each cycle is 6.4 GB/s, half of what the "
		   "board's DDR3 has at best.",
	  .variant = "interval",
	  .count = 6,
	  .value = { 1, 2, 4, 8, 16, 32 } },
};
enum { AXES = sizeof(axes) / sizeof(axes[0]) };

static const char *variant_of(char out[40], const struct axis *a, size_t i)
{
	if (!a->variant)
		return "base";
	snprintf(out, 40, "%s=%g", a->variant, a->value[i]);
	return out;
}

/* Operations for each host cycle. */
static double speed_at(const struct study *s, size_t k, const struct axis *a,
		       size_t i)
{
	char name[40];
	struct fl_rates r = study_rates(s, k, variant_of(name, a, i));
	struct fl_external e = study_external;

	if (a->change)
		a->change(&r, &e, a->value[i]);
	return r.operations / fl_predict_speed(&r, &e).host_cycles;
}

/* The geometric mean over the kernels, relative to the axis's last value. */
static double relative_speed(const struct study *s, const struct axis *a,
			     size_t i)
{
	double sum = 0;

	for (size_t k = 0; k < s->kernel_count; k++)
		sum += log(speed_at(s, k, a, i));
	return exp(sum / (double)s->kernel_count);
}

/* Of target cycles, relative to those of the first value. */
static double cycles_error(const struct study *s, const struct axis *a,
			   size_t i, size_t k)
{
	char name[40], first[40];

	return fabs(study_get(s, k, variant_of(name, a, i), "cycles") /
			    study_get(s, k, variant_of(first, a, 0), "cycles") -
		    1);
}

static double mean_error(const struct study *s, const struct axis *a, size_t i)
{
	double sum = 0;

	for (size_t k = 0; k < s->kernel_count; k++)
		sum += cycles_error(s, a, i, k);
	return sum / (double)s->kernel_count;
}

static size_t worst_kernel(const struct study *s, const struct axis *a, size_t i)
{
	size_t worst = 0;

	for (size_t k = 1; k < s->kernel_count; k++)
		if (cycles_error(s, a, i, k) > cycles_error(s, a, i, worst))
			worst = k;
	return worst;
}

static enum err plot_axis(struct study_page *p, const struct study *s,
			  const struct axis *a, bool error, struct diag *d)
{
	static char labels[10][16];
	static const char *ticks[10];
	static double y[2][10];
	char name[40];
	struct plot plot = { .kind = PLOT_LINES,
			     .name = name,
			     .x_label = a->label,
			     .y_label = error ? "error in target cycles, %" :
						"operations for each host cycle",
			     .ticks = ticks,
			     .tick_count = a->count,
			     .series_count = error ? 2 : 1 };

	snprintf(name, sizeof(name), "%s%s", a->name, error ? "-error" : "");
	for (size_t i = 0; i < a->count; i++) {
		snprintf(labels[i], sizeof(labels[i]), "%g", a->value[i]);
		ticks[i] = labels[i];
		y[0][i] = error ? 100 * mean_error(s, a, i) :
				  relative_speed(s, a, i);
		y[1][i] = 100 * cycles_error(s, a, i, worst_kernel(s, a, i));
	}
	plot.series[0] = (struct plot_series){ .title = error ? "mean" : NULL,
					       .y = y[0],
					       .count = a->count };
	plot.series[1] = (struct plot_series){ .title = "greatest",
					       .y = y[1],
					       .count = a->count };
	return plots_add(&p->plots, &plot, d);
}

static enum err plot_tradeoff(struct study_page *p, const struct study *s,
			      struct diag *d)
{
	for (int i = 0; i < AXES; i++)
		if (plot_axis(p, s, &axes[i], false, d) ||
		    (axes[i].error && plot_axis(p, s, &axes[i], true, d)))
			return d->code;
	return ERR_OK;
}

static void axis_table(const struct study_out *o, const struct study *s,
		       const struct axis *a)
{
	const char *heads[] = { a->label, "operations for each host cycle",
				a->error ? "mean error of target cycles" : NULL,
				"greatest", "of", NULL };
	char value[16];

	out_table(o, heads);
	for (size_t i = 0; i < a->count; i++) {
		size_t worst = worst_kernel(s, a, i);

		snprintf(value, sizeof(value), "%g", a->value[i]);
		out_row(o, value);
		out_cell(o, "%.2f", relative_speed(s, a, i));
		if (a->error) {
			out_percent(o, mean_error(s, a, i));
			out_percent(o, cycles_error(s, a, i, worst));
			out_words(o, s->kernels[worst]);
		}
		out_row_end(o);
	}
	out_table_end(o);
}

static enum err write_axis(struct study_page *p, const struct study *s,
			   const struct axis *a, struct diag *d)
{
	char heading[120];

	snprintf(heading, sizeof(heading), "Speed: %s", a->label);
	out_section(&p->out, heading, a->about);
	html(p->out.page, "<div class=\"cols wide\">\n");
	if (study_show(p, "speed, geometric mean over the kernels", d) ||
	    (a->error &&
	     study_show(p, "error in target cycles, against a slice of 1", d)))
		return d->code;
	html(p->out.page, "</div>\n");
	axis_table(&p->out, s, a);
	out_section_end(&p->out);
	return ERR_OK;
}

static enum err write_tradeoff(struct study_page *p, const struct study *s,
			       struct diag *d)
{
	for (int i = 0; i < AXES; i++)
		if (write_axis(p, s, &axes[i], d))
			return d->code;
	return ERR_OK;
}

const struct study_part study_tradeoff = { plot_tradeoff, write_tradeoff };
