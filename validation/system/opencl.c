/* The paper's Figure 3, and what its authors announced: the OpenCL programs with
 * coherent and other memory, in one address space and in two. */
#include <math.h>

#include "explore/html.h"
#include "study.h"

/* validation/system/run has their options. */
const struct study_variant study_variants[STUDY_VARIANTS] = {
	{ "opencl-separate-none", "separate, not coherent" },
	{ "opencl-separate-mesi", "separate, coherent" },
	{ "opencl-shared-none", "shared, not coherent" },
	{ "opencl-shared-mesi", "shared, coherent" },
	{ "opencl-zero-mesi", "without copies, coherent" },
	[CALLS] = { "opencl-calls", "calls as measured" },
	[SMS] = { "opencl-sm", "calls as measured, multiprocessors" },
};

/* The systems of Figure 3: in all of them the GPU is not coherent, with a space of its
 * own. */
enum { FIGURES = 3 };
static const struct figure3 {
	int variant;
	const char *title;
} figure3[FIGURES] = {
	{ 0, "cgm.cfg" },
	{ CALLS, "calls as measured" },
	{ SMS, "multiprocessors, too" },
};

/* The paper's average difference of the shares. */
#define PAPER_SHARES 0.064

static double share_of(const struct study_opencl *r)
{
	return r->ran ? r->kernel / r->section : NAN;
}

static bool any_ran(const struct study *s)
{
	for (size_t i = 0; i < s->programs; i++)
		for (int v = 0; v < STUDY_SPACES; v++)
			if (s->program[i].opencl[v].ran)
				return true;
	return false;
}

static void put_ticks(const struct study *s, const char **ticks)
{
	for (size_t i = 0; i < s->programs; i++)
		ticks[i] = s->program[i].name;
}

static enum err plot_shares(struct study_page *p, const struct study *s,
			    struct diag *d)
{
	static double y[1 + FIGURES][STUDY_PROGRAMS];
	static const char *ticks[STUDY_PROGRAMS];
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "shares",
			     .x_label = "program",
			     .y_label = "kernels, percent of the section",
			     .ticks = ticks,
			     .tick_count = s->programs,
			     .series_count = 1 + FIGURES };

	put_ticks(s, ticks);
	for (int k = 0; k <= FIGURES; k++) {
		for (size_t i = 0; i < s->programs; i++) {
			const struct study_program *q = &s->program[i];

			y[k][i] =
				100 *
				(k ? share_of(
					     &q->opencl[figure3[k - 1].variant]) :
				     study_median(&q->shares));
		}
		plot.series[k] = (struct plot_series){
			.title = k ? figure3[k - 1].title : "H200, measured",
			.y = y[k],
			.count = s->programs
		};
	}
	return plots_add(&p->plots, &plot, d);
}

static void shares_row(const struct study_out *o, const struct study_program *q,
		       int variant)
{
	const struct study_opencl *r = &q->opencl[variant];
	double hardware = study_median(&q->shares);

	out_row(o, q->name);
	out_ratio(o, study_median(&q->sections) / 1e3);
	out_percent(o, hardware);
	out_percent(o, 1 - hardware);
	out_ratio(o, r->ran ? r->section / 1e3 : NAN);
	out_percent(o, share_of(r));
	out_percent(o, r->ran ? r->call / r->section : NAN);
	out_percent(o, r->ran ? r->copy / r->section : NAN);
	out_percent(o, fabs(share_of(r) - hardware));
	out_row_end(o);
}

static void average_shares(const struct study_out *o, const struct study *s,
			   int variant)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->programs; i++) {
		const struct study_program *q = &s->program[i];
		double x = fabs(share_of(&q->opencl[variant]) -
				study_median(&q->shares));

		if (isnan(x))
			continue;
		sum += x;
		n++;
	}
	out_row(o, "average");
	for (int i = 0; i < 7; i++)
		out_cell(o, " ");
	out_percent(o, n ? sum / (double)n : NAN);
	out_row_end(o);
	out_row(o, "the paper's average");
	for (int i = 0; i < 7; i++)
		out_cell(o, " ");
	out_percent(o, PAPER_SHARES);
	out_row_end(o);
}

static void shares_table(const struct study_out *o, const struct study *s,
			 const struct figure3 *f)
{
	const char *heads[] = { f->title,        "H200, us",
				"kernels",       "CPU and calls",
				"simulated, us", "kernels",
				"calls",         "copies",
				"difference",    NULL };

	out_table(o, heads);
	for (size_t i = 0; i < s->programs; i++)
		shares_row(o, &s->program[i], f->variant);
	average_shares(o, s, f->variant);
	out_table_end(o);
}

static enum err write_shares(struct study_page *p, const struct study *s,
			     struct diag *d)
{
	const struct study_out *o = &p->out;

	out_section(o, "Figure 3: shares of the OpenCL programs",
		    "From the first buffer to the last copy to the host: the "
		    "share of kernels on the device. Simulated: the GPU not "
		    "coherent, with an address space of its own, as a card "
		    "has it. With the paper's compute units; then with calls "
		    "that take what they took with the H200's driver; then "
		    "with as many of the H200's multiprocessors, too.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p, "kernels' share of the section", d))
		return d->code;
	html(o->page, "</div>\n");
	for (int i = 0; i < FIGURES; i++)
		shares_table(o, s, &figure3[i]);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_shares = { plot_shares, write_shares };

/* ---- coherent or not, one address space or two ---- */

static enum err plot_spaces(struct study_page *p, const struct study *s,
			    struct diag *d)
{
	static double y[STUDY_SPACES][STUDY_PROGRAMS];
	static const char *ticks[STUDY_PROGRAMS];
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "spaces",
			     .x_label = "program",
			     .y_label = "section, relative to the first",
			     .ticks = ticks,
			     .tick_count = s->programs,
			     .from_one = true,
			     .series_count = STUDY_SPACES };

	if (!any_ran(s))
		return ERR_OK;
	put_ticks(s, ticks);
	for (int v = 0; v < STUDY_SPACES; v++) {
		for (size_t i = 0; i < s->programs; i++) {
			const struct study_opencl *r = s->program[i].opencl;

			y[v][i] = r[v].ran && r[0].ran ?
					  r[v].section / r[0].section :
					  NAN;
		}
		plot.series[v] =
			(struct plot_series){ .title = study_variants[v].title,
					      .y = y[v],
					      .count = s->programs };
	}
	return plots_add(&p->plots, &plot, d);
}

static void spaces_rows(const struct study_out *o,
			const struct study_program *q)
{
	for (int v = 0; v < STUDY_SPACES; v++) {
		const struct study_opencl *r = &q->opencl[v];
		char name[96];

		if (!r->ran)
			continue;
		snprintf(name, sizeof(name), "%.40s, %s", q->name,
			 study_variants[v].title);
		out_row(o, name);
		out_ratio(o, r->section / 1e3);
		out_ratio(o, q->opencl[0].ran ?
				     q->opencl[0].section / r->section :
				     NAN);
		out_ratio(o, (r->kernel - r->fence) / 1e3);
		out_ratio(o, r->fence / 1e3);
		out_ratio(o, r->call / 1e3);
		out_ratio(o, r->copy / 1e3);
		out_ratio(o,
			  fmax(0, r->section - r->kernel - r->call - r->copy) /
				  1e3);
		out_cell(o, "%.0f", r->reads);
		out_row_end(o);
	}
}

static enum err write_spaces(struct study_page *p, const struct study *s,
			     struct diag *d)
{
	static const char *const heads[] = { "program",       "section, us",
					     "times as fast", "kernels",
					     "fences",        "calls",
					     "copies",        "CPU",
					     "memory reads",  NULL };
	const struct study_out *o = &p->out;

	if (!any_ran(s))
		return ERR_OK;
	out_section(
		o, "Coherent or not, one address space or two",
		"The same programs and sizes with the GPU's caches coherent "
		"or not, and with an address space of its own or that of "
		"the CPU; where the microseconds go. Times as fast as with "
		"a space of its own and without coherence.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p, "time of the section", d))
		return d->code;
	html(o->page, "</div>\n");
	out_table(o, heads);
	for (size_t i = 0; i < s->programs; i++)
		spaces_rows(o, &s->program[i]);
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_spaces = { plot_spaces, write_spaces };
