/* Where the time of the parallel sections goes, and what coherence costs. */
#include <math.h>
#include <string.h>

#include "explore/html.h"
#include "study.h"

static double microseconds(const struct study_run *r)
{
	return r->ran ? r->ns / 1e3 : NAN;
}

/* "-" where it has not run. */
static double count_of(const struct study_run *r, double v)
{
	return r->ran ? v : NAN;
}

/* ---- commit slots ---- */

/* Slots of cores that had a thread. */
static double busy_slots(const struct study *s, const struct study_run *r)
{
	double sum = 0;

	for (size_t i = 0; i < s->slots; i++)
		if (strcmp(s->slot[i], "idle") != 0)
			sum += r->slot[i];
	return sum;
}

static double share_of(const struct study *s, const struct study_run *r,
		       size_t slot)
{
	return r->ran ? r->slot[slot] / busy_slots(s, r) : NAN;
}

/* Reasons that take this share of some section are shown one by one. */
#define SHOWN 0.02

static bool is_shown(const struct study *s, size_t slot)
{
	if (!strcmp(s->slot[slot], "idle"))
		return false;
	for (size_t i = 0; i < s->programs; i++)
		for (int t = 0; t < STUDY_THREADS; t++)
			if (share_of(s, &s->program[i].run[PAPER][t], slot) >=
			    SHOWN)
				return true;
	return false;
}

static enum err plot_time(struct study_page *p, const struct study *s,
			  struct diag *d)
{
	static double y[STUDY_SLOTS][STUDY_PROGRAMS];
	static const char *ticks[STUDY_PROGRAMS];
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "slots",
			     .x_label = "program",
			     .y_label = "percent of commit slots, four threads",
			     .ticks = ticks,
			     .tick_count = s->programs };

	for (size_t i = 0; i < s->programs; i++)
		ticks[i] = s->program[i].name;
	for (size_t k = 0; k < s->slots; k++) {
		if (!is_shown(s, k) || plot.series_count == PLOT_SERIES)
			continue;
		for (size_t i = 0; i < s->programs; i++)
			y[k][i] =
				100 *
				share_of(s, &s->program[i].run[PAPER][FOUR], k);
		plot.series[plot.series_count++] = (struct plot_series){
			.title = s->slot[k], .y = y[k], .count = s->programs
		};
	}
	return plots_add(&p->plots, &plot, d);
}

static void slots_row(const struct study_out *o, const struct study *s,
		      const struct study_program *q, int t)
{
	const struct study_run *r = &q->run[PAPER][t];
	char name[64];

	snprintf(name, sizeof(name), "%.40s, %d", q->name, study_threads[t]);
	out_row(o, name);
	out_ratio(o, count_of(r, r->instructions / 1e6));
	out_whole(o, microseconds(r));
	for (size_t k = 0; k < s->slots; k++)
		if (is_shown(s, k))
			out_percent(o, share_of(s, r, k));
	out_row_end(o);
}

static double pace_of(const struct study_run *r)
{
	return r->ran ? r->instructions / r->cycles : NAN;
}

/* One thread: instructions for each cycle, here and on hardware, which executes the
 * same ones. */
static void pace_rows(const struct study_out *o, const struct study *s)
{
	static const char *const heads[] = {
		"one thread",       "hardware, us",
		"cgm.cfg",          "the same machine",
		"hardware IPC",     "simulated",
		"the same machine", NULL
	};

	out_table(o, heads);
	for (size_t i = 0; i < s->programs; i++) {
		const struct study_program *q = &s->program[i];
		const struct study_run *r = &q->run[PAPER][ONE];
		const struct study_run *h = &q->run[HARDWARE][ONE];
		double ns = study_median(&q->measured[ONE]);

		out_row(o, q->name);
		out_whole(o, ns / 1e3);
		out_whole(o, microseconds(r));
		out_whole(o, microseconds(h));
		out_ratio(o,
			  r->ran ? r->instructions / (ns * s->mhz / 1e3) : NAN);
		out_ratio(o, pace_of(r));
		out_ratio(o, pace_of(h));
		out_row_end(o);
	}
	out_table_end(o);
}

static enum err write_time(struct study_page *p, const struct study *s,
			   struct diag *d)
{
	const char *heads[STUDY_SLOTS + 4] = { "program, threads",
					       "M instructions", "us" };
	const struct study_out *o = &p->out;
	size_t n = 3;

	for (size_t k = 0; k < s->slots; k++)
		if (is_shown(s, k))
			heads[n++] = s->slot[k];
	out_section(o, "Where the time goes",
		    "Commit slots of the parallel section on cores that have a "
		    "thread: used, or the reason why not. Threads that wait "
		    "at a barrier execute instructions.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p, "commit slots by reason, on four threads", d))
		return d->code;
	html(o->page, "</div>\n");
	out_table(o, heads);
	for (size_t i = 0; i < s->programs; i++)
		for (int t = 0; t < STUDY_THREADS; t++)
			slots_row(o, s, &s->program[i], t);
	out_table_end(o);
	out_section_end(o);
	out_section(
		o, "The same section on one thread, in time",
		"Hardware has another clock, another cache and wider cores; "
		"it executes the same instructions.");
	pace_rows(o, s);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_time = { plot_time, write_time };

/* ---- coherence ---- */

static enum err plot_traffic(struct study_page *p, const struct study *s,
			     struct diag *d)
{
	static double y[2][STUDY_PROGRAMS];
	static const char *ticks[STUDY_PROGRAMS];
	static const char *const names[2] = { "MESI", "no coherence" };
	struct plot plot = { .kind = PLOT_BARS,
			     .name = "coherence",
			     .x_label = "program",
			     .y_label = "microseconds, four threads",
			     .ticks = ticks,
			     .tick_count = s->programs,
			     .series_count = 2 };

	for (size_t i = 0; i < s->programs; i++) {
		const struct study_program *q = &s->program[i];

		ticks[i] = q->name;
		y[0][i] = microseconds(&q->run[PAPER][FOUR]);
		y[1][i] = microseconds(&q->run[INCOHERENT][FOUR]);
	}
	for (int i = 0; i < 2; i++)
		plot.series[i] = (struct plot_series){ .title = names[i],
						       .y = y[i],
						       .count = s->programs };
	return plots_add(&p->plots, &plot, d);
}

static void traffic_row(const struct study_out *o,
			const struct study_program *q)
{
	const struct study_run *r = &q->run[PAPER][FOUR];
	const struct study_run *n = &q->run[INCOHERENT][FOUR];

	out_row(o, q->name);
	out_whole(o, microseconds(r));
	out_whole(o, microseconds(n));
	out_ratio(o, r->ran && n->ran ? r->ns / n->ns : NAN);
	out_whole(o, count_of(r, r->forwards));
	out_whole(o, count_of(r, r->upgrades));
	out_whole(o, count_of(r, r->invalidations));
	out_row_end(o);
}

static enum err write_traffic(struct study_page *p, const struct study *s,
			      struct diag *d)
{
	static const char *const heads[] = { "program",       "MESI, us",
					     "none, us",      "MESI / none",
					     "forwards",      "upgrades",
					     "invalidations", NULL };
	const struct study_out *o = &p->out;

	out_section(o, "What coherence costs the OpenMP programs",
		    "The parallel section on four threads, with MESI and with "
		    "caches that never hear of each other. Results are those "
		    "of the program in both cases: only the time is that of "
		    "such caches.");
	html(o->page, "<div class=\"cols wide\">\n");
	if (study_show(p, "time on four threads, coherent and not", d))
		return d->code;
	html(o->page, "</div>\n");
	out_table(o, heads);
	for (size_t i = 0; i < s->programs; i++)
		traffic_row(o, &s->program[i]);
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

const struct study_part study_traffic = { plot_traffic, write_traffic };
