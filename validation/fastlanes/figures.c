/* The paper's Figures 6 and 7. */
#include <math.h>
#include <string.h>

#include "explore/html.h"
#include "study.h"

/* ---- Figure 6: instructions per cycle ---- */

enum ipc_source { IPC_MODEL, IPC_OWN, IPC_H200, IPC_HEDDLE, IPC_SOURCES };

static const char *const ipc_names[IPC_SOURCES] = {
	"FastLanes", "Heddle, the same GPU", "H200, measured", "Heddle, H200"
};

/* Of a multiprocessor; of the H200's, those that have a block. */
static double ipc_of(const struct study *s, size_t k, int source)
{
	double blocks = study_get(s, k, "h200", "blocks");

	switch (source) {
	case IPC_MODEL:
		return study_get(s, k, "model", "instructions") /
		       study_get(s, k, "model", "cycles") / 16;
	case IPC_OWN:
		return study_get(s, k, "own", "warp_instructions") /
		       study_get(s, k, "own", "cycles") / 16;
	case IPC_H200:
		return s->h200_ipc[k];
	default:
		return study_get(s, k, "h200", "warp_instructions") /
		       study_get(s, k, "h200", "cycles") / fmin(blocks, 132);
	}
}

static enum err plot_ipc(struct study_page *p, const struct study *s,
			 struct diag *d)
{
	static double y[IPC_SOURCES][STUDY_KERNELS];
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "ipc",
			     .x_label = "kernel",
			     .y_label = "instructions per cycle",
			     .ticks = s->kernels,
			     .tick_count = s->kernel_count,
			     .series_count = IPC_SOURCES };

	for (int i = 0; i < IPC_SOURCES; i++) {
		for (size_t k = 0; k < s->kernel_count; k++)
			y[i][k] = ipc_of(s, k, i);
		plot.series[i] = (struct plot_series){
			.title = ipc_names[i], .y = y[i], .count = s->kernel_count
		};
	}
	return plots_add(&p->plots, &plot, d);
}

/* Spearman's: do two sources put the kernels in the same order? */
static double rank_correlation(const struct study *s, int a, int b)
{
	double sum = 0, n = (double)s->kernel_count;

	for (size_t i = 0; i < s->kernel_count; i++) {
		double ra = 0, rb = 0;

		for (size_t k = 0; k < s->kernel_count; k++) {
			ra += ipc_of(s, k, a) < ipc_of(s, i, a);
			rb += ipc_of(s, k, b) < ipc_of(s, i, b);
		}
		sum += (ra - rb) * (ra - rb);
	}
	return n > 1 ? 1 - 6 * sum / (n * (n * n - 1)) : NAN;
}

static enum err write_ipc(struct study_page *p, const struct study *s,
			  struct diag *d)
{
	static const char *const heads[] = { "kernel",	     "FastLanes",
					     "Heddle, the same GPU",
					     "H200, measured", "Heddle, H200",
					     NULL };
	const struct study_out *o = &p->out;

	if (!s->circuit) {
		html(o->page, "<p class=\"about\">The circuit has not run.</p>\n");
		fprintf(o->text, "\nThe circuit has not run.\n");
	}
	out_section(o, "Figure 6: instructions per cycle",
		    "Warp-instructions for each cycle of a multiprocessor. The "
		    "paper compares with a Kepler GPU and sees a similar trend; "
		    "here it is an H200, whose multiprocessors issue up to four "
		    "and have other instructions: only the trend compares.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p, "instructions per cycle of a multiprocessor", d))
		return d->code;
	html(o->page, "</div>\n");
	out_table(o, heads);
	for (size_t k = 0; k < s->kernel_count; k++) {
		out_row(o, s->kernels[k]);
		for (int i = 0; i < IPC_SOURCES; i++)
			out_ratio(o, ipc_of(s, k, i));
		out_row_end(o);
	}
	out_row(o, "rank correlation with FastLanes");
	for (int i = 0; i < IPC_SOURCES; i++)
		out_ratio(o, rank_correlation(s, IPC_MODEL, i));
	out_row_end(o);
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_ipc = { plot_ipc, write_ipc };

/* ---- Figure 7: throughput ---- */

struct source {
	const char *name, *tick, *variant, *instructions, *seconds;
};

/* The circuit's time is its cycles at the assumed clock. */
static const struct source sources[] = {
	{ "circuit at 50 MHz (assumed)", "circuit", "rtl", "instructions", "host_cycles" },
	{ "circuit by Verilator", "Verilator", "rtl", "instructions", "seconds" },
	{ "model in C", "model", "model", "instructions", "seconds" },
	{ "Heddle, timed", "timed", "own", "warp_instructions", "host_seconds" },
	{ "Heddle, timed, all cores", "timed, cores", "own_cores", "warp_instructions",
	  "host_seconds" },
	{ "Heddle, functional", "functional", "functional", "warp_instructions", "seconds" },
	{ "Heddle, functional, all cores", "f., cores", "functional_cores",
	  "warp_instructions", "seconds" },
};
enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

/* Warp-instructions a second. */
static double rate_of(const struct study *s, size_t k, const struct source *x)
{
	double n = study_get(s, k, x->variant, x->instructions);
	double t = study_get(s, k, x->variant, x->seconds);

	return strcmp(x->seconds, "host_cycles") ? n / t :
						   n / t * STUDY_MHZ * 1e6;
}

/* The geometric mean over the kernels. */
static double mean_rate(const struct study *s, const struct source *x)
{
	double sum = 0;

	for (size_t k = 0; k < s->kernel_count; k++)
		sum += log(rate_of(s, k, x));
	return exp(sum / (double)s->kernel_count);
}

/* Bars from a single instruction a second on, so that also what is slower than
 * GPGPU-Sim has one. */
static enum err plot_throughput(struct study_page *p, const struct study *s,
				struct diag *d)
{
	enum { PEERS = 2 };
	static double y[SOURCES + PEERS];
	static const char *ticks[SOURCES + PEERS];
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "throughput",
			     .x_label = "simulator",
			     .y_label = "warp-instructions a second, as a power of ten",
			     .ticks = ticks,
			     .tick_count = SOURCES + PEERS,
			     .series_count = 1 };

	for (int i = 0; i < SOURCES; i++) {
		y[i] = log10(mean_rate(s, &sources[i]));
		ticks[i] = sources[i].tick;
	}
	y[SOURCES] = log10(s->timed.most);
	ticks[SOURCES] = "GPGPU-Sim";
	y[SOURCES + 1] = log10(s->functional.most);
	ticks[SOURCES + 1] = "its functional";
	plot.series[0] = (struct plot_series){ .y = y, .count = SOURCES + PEERS };
	return plots_add(&p->plots, &plot, d);
}

static void throughput_row(const struct study_out *o, const struct study *s,
			   const struct source *x)
{
	double mean = mean_rate(s, x);

	if (isnan(mean))
		return;
	out_row(o, x->name);
	for (size_t k = 0; k < s->kernel_count; k++)
		out_cell(o, "%.3g", rate_of(s, k, x) / 1e6);
	out_cell(o, "%.3g", mean / 1e6);
	out_cell(o, "%.2g to %.2g", mean / s->timed.most,
		 mean / s->timed.least);
	out_row_end(o);
}

static void peer_row(const struct study_out *o, const struct study *s,
		     const char *name, const struct study_peer *p)
{
	out_row(o, name);
	for (size_t k = 0; k < s->kernel_count; k++)
		out_cell(o, "-");
	out_cell(o, "%.3g to %.3g", p->least / 1e6, p->most / 1e6);
	out_cell(o, "-");
	out_row_end(o);
}

static enum err write_throughput(struct study_page *p, const struct study *s,
				 struct diag *d)
{
	const char *heads[STUDY_KERNELS + 4] = {
		"million warp-instructions a second"
	};
	const struct study_out *o = &p->out;
	size_t n = s->kernel_count;

	memcpy(heads + 1, s->kernels, n * sizeof(heads[0]));
	heads[n + 1] = "geometric mean";
	heads[n + 2] = "times GPGPU-Sim, timed";
	out_section(o, "Figure 7: throughput",
		    "Warp-instructions that are simulated in a second; a thread's "
		    "are 32 times as many. The circuit's clock is the paper's and "
		    "assumed: only its cycles are counted. GPGPU-Sim 4.2.0 as "
		    "measured with five other programs on one core of another "
		    "machine; the last column is the mean over the best and the "
		    "worst of these.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p,
		       "mean throughput of the ten kernels; of GPGPU-Sim the best",
		       d))
		return d->code;
	html(o->page, "</div>\n");
	out_table(o, heads);
	for (int i = 0; i < SOURCES; i++)
		throughput_row(o, s, &sources[i]);
	peer_row(o, s, "GPGPU-Sim, timed", &s->timed);
	peer_row(o, s, "GPGPU-Sim, functional", &s->functional);
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_throughput = { plot_throughput,
					     write_throughput };
