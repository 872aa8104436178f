/* Sections of a system's page with values over time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "explore/draw_series.h"
#include "explore/html.h"
#include "explore/report_system.h"
#include "explore/view.h"

enum {
	CORES_DRAWN = 16,
	CORE_SAMPLES = 128,
	BARS_DRAWN = 1500,
	KINDS = 8,
	BLOCKS_SHOWN = 16
};

static enum err time_no_memory(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory");
}

/* A chart of this run, still without lines. */
static struct series_chart chart_of(const struct system_run *r,
				    const char *name, const char *unit)
{
	return (struct series_chart){ .name = name,
				      .unit = unit,
				      .ends = r->ends,
				      .samples = r->samples,
				      .ns = 1e3 / r->clock };
}

static double sample_length(const struct system_run *r, size_t sample)
{
	return r->ends[sample] - (sample ? r->ends[sample - 1] : 0);
}

/* over / under of each sample, times a factor; NaN where nothing was. */
static double *ratio_series(struct system_run *r, const char *over,
			    const char *under, double factor)
{
	const double *a = system_run_series(r, over);
	const double *b = system_run_series(r, under);
	double *v = arena_new(&r->arena, double, r->samples + 1);

	if (!a || !b || !v)
		return NULL;
	for (size_t i = 0; i < r->samples; i++)
		v[i] = b[i] > 0 ? factor * a[i] / b[i] : NAN;
	return v;
}

/* What was counted for each 1,000 cycles. */
static double *rate_series(struct system_run *r, const char *path)
{
	const double *a = system_run_series(r, path);
	double *v = arena_new(&r->arena, double, r->samples + 1);

	if (!a || !v)
		return NULL;
	for (size_t i = 0; i < r->samples; i++)
		v[i] = 1e3 * ratio_of(a[i], sample_length(r, i));
	return v;
}

/*
 * Commit slots
 */

/* The shares of uses in the slots of a core, or of all (core < 0). */
static enum err slot_lines(struct series_line line[CPU_SLOT_USES],
			   struct system_run *r, int core, struct diag *d)
{
	double slots = (double)r->cfg.cpu.commit_width *
		       (core < 0 ? (double)r->cores : 1);

	for (unsigned u = 0; u < CPU_SLOT_USES; u++) {
		const char *name = system_use(u)->name;
		char path[80];
		double *v;

		if (core < 0)
			snprintf(path, sizeof(path), "cpu.%s", name);
		else
			snprintf(path, sizeof(path), "core.%d.%s", core, name);
		v = rate_series(r, path);
		if (!v)
			return time_no_memory(d);
		for (size_t i = 0; i < r->samples; i++)
			v[i] *= .1 / slots;
		line[u] = (struct series_line){ name, system_use_colour(u), v };
	}
	return ERR_OK;
}

/* Neighbours become one, so that there are no more than `most`. */
static enum err thin_chart(struct series_chart *c, struct arena *a, size_t most,
			   struct diag *d)
{
	size_t step = (c->samples + most - 1) / most, n = 0;
	double *ends = arena_new(a, double, most + 1);

	if (step < 2)
		return ERR_OK;
	if (!ends)
		return time_no_memory(d);
	for (size_t k = 0; k < c->lines; k++) {
		double *v = c->line[k].v;

		n = 0;
		for (size_t i = 0; i < c->samples; i += step, n++) {
			double sum = 0, cycles = 0;
			size_t last = i;

			for (; last < i + step && last < c->samples; last++) {
				double one = c->ends[last] -
					     (last ? c->ends[last - 1] : 0);

				sum += v[last] * one;
				cycles += one;
			}
			ends[n] = c->ends[last - 1];
			v[n] = ratio_of(sum, cycles);
		}
	}
	c->ends = ends;
	c->samples = n;
	return ERR_OK;
}

static enum err slots_of_cores(FILE *to, struct system_run *r, struct diag *d)
{
	struct series_line line[CPU_SLOT_USES];
	size_t shown = r->cores < CORES_DRAWN ? r->cores : CORES_DRAWN;
	char name[40];

	if (r->cores < 2)
		return ERR_OK;
	html(to, "<div class=\"cols plain\">\n");
	for (size_t i = 0; i < shown; i++) {
		struct series_chart c;

		snprintf(name, sizeof(name), "core %zu", i);
		c = chart_of(r, name, "%");
		if (slot_lines(line, r, (int)i, d))
			return d->code;
		c.line = line;
		c.lines = CPU_SLOT_USES;
		c.stacked = true;
		c.top = 100;
		if (thin_chart(&c, &r->arena, CORE_SAMPLES, d))
			return d->code;
		draw_series(to, &c);
	}
	html(to, "</div>\n");
	if (shown < r->cores)
		html(to, "<p class=\"about\">The first %zu of %zu cores.</p>\n",
		     shown, r->cores);
	return ERR_OK;
}

/*
 * What was marked
 */

static const char *bar_text(struct system_run *r, const char *what,
			    const struct system_bar *b)
{
	char a[GROUPED_TEXT], n[GROUPED_TEXT], text[300];

	if (b->count > 1)
		snprintf(text, sizeof(text), "%.150s, %s of them in %s", what,
			 grouped_real(n, b->count),
			 duration(a, (b->end - b->begin) * 1e-9));
	else
		snprintf(text, sizeof(text), "%.150s, %s", what,
			 duration(a, (b->end - b->begin) * 1e-9));
	return arena_strndup(&r->arena, text, strlen(text));
}

/* Bars as bands, in cycles. NULL: out of memory. */
static struct series_band *bands_of(struct system_run *r,
				    const struct system_bars *bars,
				    const char *what, size_t *count)
{
	double cycle = r->clock * 1e-3; /* cycles of a ns */
	size_t n = bars->count < BARS_DRAWN ? bars->count : BARS_DRAWN;
	struct series_band *band =
		arena_new(&r->arena, struct series_band, n + 1);
	char name[100];

	*count = n;
	for (size_t i = 0; band && i < n; i++) {
		const struct system_bar *b = &bars->at[i];

		if (b->name)
			snprintf(name, sizeof(name), "%.90s", b->name);
		else if (what)
			snprintf(name, sizeof(name), "%s", what);
		else
			snprintf(name, sizeof(name), "%s %" PRIu64,
				 r->alone ? "phase" : "region", b->number);
		band[i] = (struct series_band){ b->begin * cycle,
						b->end * cycle,
						bar_text(r, name, b) };
		if (!band[i].text)
			return NULL;
	}
	return band;
}

/*
 * Sections
 */

static enum err time_cores(FILE *to, struct system_run *r, struct diag *d)
{
	struct series_chart c = chart_of(r, "commit slots of all cores", "%");
	struct series_line line[CPU_SLOT_USES];

	if (slot_lines(line, r, -1, d))
		return d->code;
	c.line = line;
	c.lines = CPU_SLOT_USES;
	c.stacked = c.wide = true;
	c.top = 100;
	c.band = bands_of(r, &r->regions, NULL, &c.bands);
	if (!c.band)
		return time_no_memory(d);
	draw_series(to, &c);
	return slots_of_cores(to, r, d);
}

static enum err time_ipc(FILE *to, struct system_run *r, struct diag *d)
{
	double *ipc = rate_series(r, "cpu.instructions");
	double *mpki =
		ratio_series(r, "cpu.mispredicted", "cpu.instructions", 1000);
	struct series_line line[] = { { "IPC of all cores", "k1", ipc } };
	struct series_line missed[] = { { "mispredicted", "k6", mpki } };
	struct series_chart c = chart_of(r, "IPC of all cores", "");

	if (!ipc || !mpki)
		return time_no_memory(d);
	for (size_t i = 0; i < r->samples; i++)
		ipc[i] *= 1e-3;
	c.line = line;
	c.lines = 1;
	html(to, "<div class=\"cols\">\n");
	draw_series(to, &c);
	c = chart_of(r, "mispredictions for 1,000 instructions", "");
	c.line = missed;
	c.lines = 1;
	draw_series(to, &c);
	html(to, "</div>\n");
	return ERR_OK;
}

struct rate_line {
	const char *name, *colour, *path;
};

static enum err time_rates(FILE *to, struct system_run *r, const char *name,
			   const char *unit, const struct rate_line *rate,
			   size_t n, double factor, struct diag *d)
{
	struct series_line line[KINDS + 1];
	struct series_chart c = chart_of(r, name, unit);

	CHECK(n <= KINDS + 1);
	for (size_t k = 0; k < n; k++) {
		double *v = rate_series(r, rate[k].path);

		if (!v)
			return time_no_memory(d);
		for (size_t i = 0; i < r->samples; i++)
			v[i] *= factor;
		line[k] =
			(struct series_line){ rate[k].name, rate[k].colour, v };
	}
	c.line = line;
	c.lines = n;
	draw_series(to, &c);
	return ERR_OK;
}

/* Of a trace: what was answered, and how long that took. */
static enum err time_requests(FILE *to, struct system_run *r, struct diag *d)
{
	static const struct rate_line answered[] = {
		{ "reads of cores", "k1", "memory.cpu.reads" },
		{ "stores of cores", "k2", "memory.cpu.writes" },
		{ "atomics of cores", "k3", "memory.cpu.atomics" },
		{ "reads of the GPU", "k4", "memory.gpu.reads" },
		{ "stores of the GPU", "k5", "memory.gpu.writes" },
		{ "atomics of the GPU", "k6", "memory.gpu.atomics" },
	};
	double tick = 1e6 / r->khz;
	struct series_line line[] = {
		{ "reads of cores", "k1",
		  ratio_series(r, "memory.cpu.read_ticks", "memory.cpu.reads",
			       tick) },
		{ "reads of the GPU", "k4",
		  ratio_series(r, "memory.gpu.read_ticks", "memory.gpu.reads",
			       tick) },
	};
	struct series_chart c = chart_of(r, "a read takes, mean", " ns");

	if (!line[0].v || !line[1].v)
		return time_no_memory(d);
	c.line = line;
	c.lines = 2;
	c.band = bands_of(r, &r->regions, NULL, &c.bands);
	if (!c.band)
		return time_no_memory(d);
	html(to, "<div class=\"cols\">\n");
	if (time_rates(to, r, "answers for 1,000 cycles", "", answered, 6, 1,
		       d))
		return d->code;
	draw_series(to, &c);
	html(to, "</div>\n");
	return ERR_OK;
}

enum err system_part_time(FILE *to, struct system_run *r, struct diag *d)
{
	char about[200], a[GROUPED_TEXT];

	if (!r->samples)
		return ERR_OK;
	snprintf(about, sizeof(about),
		 "%zu samples of %s cycles. Point at a picture to read its "
		 "values%s.",
		 r->samples,
		 grouped_real(a,
			      json_get_number(r->json, "series.interval", 0)),
		 !r->regions.count ? "" :
		 r->alone          ? "; shaded: what lies between barriers" :
				     "; shaded: the regions that the program "
				     "marks");
	html_section(to, "Over time", about);
	if (r->alone ? time_requests(to, r, d) :
		       time_cores(to, r, d) || time_ipc(to, r, d))
		return d->code;
	html_section_end(to);
	return ERR_OK;
}

/* Hit rates of caches. */
static enum err time_hits(FILE *to, struct system_run *r, struct diag *d)
{
	static const struct {
		const char *name, *colour, *hits, *all;
	} cache[] = {
		{ "L1I", "k7", "memory.l1i.hits", "memory.l1i.accesses" },
		{ "L1D", "k1", "memory.l1d.hits", "loads" },
		{ "L2", "k2", "memory.l2.hits", "memory.l2.accesses" },
		{ "L3", "k3", "memory.l3.hits", "memory.l3.requests" },
		{ "vector L1", "k4", "memory.vector.hits", "loads" },
		{ "GPU's L2", "k5", "memory.gpu_l2.hits",
		  "memory.gpu_l2.accesses" },
	};
	struct series_line line[6];
	struct series_chart c = chart_of(r, "hit rates", "%");

	for (size_t k = 0; k < 6; k++) {
		bool l1 = !strcmp(cache[k].all, "loads");
		const char *place = k == 1 ? "memory.l1d" : "memory.vector";
		char path[60];
		double *v = ratio_series(r, cache[k].hits,
					 l1 ? cache[k].hits : cache[k].all,
					 100);
		const double *hits, *joins, *misses;

		if (!v)
			return time_no_memory(d);
		line[c.lines++] = (struct series_line){ cache[k].name,
							cache[k].colour, v };
		if (!l1)
			continue;
		/* Of loads: stores are passed on. */
		hits = system_run_series(r, cache[k].hits);
		snprintf(path, sizeof(path), "%s.joins", place);
		joins = system_run_series(r, path);
		snprintf(path, sizeof(path), "%s.misses", place);
		misses = system_run_series(r, path);
		if (!hits || !joins || !misses)
			return time_no_memory(d);
		for (size_t i = 0; i < r->samples; i++) {
			double all = hits[i] + joins[i] + misses[i];

			v[i] = all > 0 ? 100 * hits[i] / all : NAN;
		}
	}
	if (!r->cgm.gpu_l2.accesses)
		c.lines -= 2;
	c.line = line;
	c.top = 100;
	draw_series(to, &c);
	return ERR_OK;
}

/* Messages by kind, the most frequent ones apart. */
static enum err time_messages(FILE *to, struct system_run *r, struct diag *d)
{
	static const char *const colour[] = { "k1", "k2", "k3", "k4",
					      "k5", "k6", "k7", "k8" };
	struct series_chart c =
		chart_of(r, "messages for 1,000 cycles, by kind", "");
	struct series_line line[KINDS];
	double *rest = arena_new(&r->arena, double, r->samples + 1);

	if (!rest)
		return time_no_memory(d);
	for (size_t k = 0; k < r->message_count; k++) {
		char path[80];
		double *v;

		snprintf(path, sizeof(path), "messages.%.60s",
			 r->messages[k].name);
		v = rate_series(r, path);
		if (!v)
			return time_no_memory(d);
		if (c.lines < KINDS - 1) {
			line[c.lines] =
				(struct series_line){ r->messages[k].name,
						      colour[c.lines], v };
			c.lines++;
			continue;
		}
		for (size_t i = 0; i < r->samples; i++)
			rest[i] += v[i];
	}
	if (r->message_count >= KINDS)
		line[c.lines++] = (struct series_line){ "others",
							colour[KINDS - 1],
							rest };
	c.line = line;
	c.stacked = c.wide = true;
	draw_series(to, &c);
	return ERR_OK;
}

static int messages_order(const void *a, const void *b)
{
	const struct system_messages *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

static void messages_table(FILE *to, const struct system_run *r)
{
	char a[GROUPED_TEXT];
	double all = 0;

	for (size_t i = 0; i < r->message_count; i++)
		all += r->messages[i].count;
	html(to,
	     "<details><summary>Messages by kind <small>%s in all</small>"
	     "</summary><table><thead><tr><th scope=\"col\">kind</th>"
	     "<th scope=\"col\" class=\"n\">messages</th>"
	     "<th scope=\"col\" class=\"n\">share</th></tr></thead>"
	     "<tbody>\n",
	     grouped_real(a, all));
	for (size_t i = 0; i < r->message_count; i++)
		html(to,
		     "<tr><th scope=\"row\" class=\"m\">%s</th>"
		     "<td class=\"n\">%s</td><td class=\"n\">%.1f%%</td></tr>\n",
		     r->messages[i].name, grouped_real(a, r->messages[i].count),
		     100 * ratio_of(r->messages[i].count, all));
	html(to, "</tbody></table></details>\n");
}

static void blocks_head(FILE *to, const struct system_run *r)
{
	html(to,
	     "<h3>Blocks that caches take from each other</h3>\n"
	     "<p class=\"about\">Of 64 bytes each, those with the most "
	     "forwards, invalidations and recalls%s.</p>\n"
	     "<div class=\"scroll\"><table><thead><tr>"
	     "<th scope=\"col\">address</th>",
	     r->alone ? "" : "; what lies in them, by the program's symbols");
	if (!r->alone)
		html(to, "<th scope=\"col\">what</th>");
	html(to, "<th scope=\"col\" class=\"n\">forwards</th>"
		 "<th scope=\"col\" class=\"n\">invalidations</th>"
		 "<th scope=\"col\" class=\"n\">recalls</th></tr></thead>"
		 "<tbody>\n");
}

/* Who is shared, and perhaps should not be. */
static void blocks_table(FILE *to, const struct system_run *r)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];

	if (!r->block_count)
		return;
	blocks_head(to, r);
	for (size_t i = 0; i < r->block_count && i < BLOCKS_SHOWN; i++) {
		const struct system_block *k = &r->blocks[i];

		html(to, "<tr><td class=\"m\">0x%lx</td>",
		     (unsigned long)k->at);
		if (!r->alone)
			html(to, "<td class=\"m\">%s</td>", k->what);
		html(to,
		     "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
		     "<td class=\"n\">%s</td></tr>\n",
		     grouped_real(a, k->forwards),
		     grouped_real(b, k->invalidations),
		     grouped_real(c, k->recalls));
	}
	html(to, "</tbody></table></div>\n");
}

enum err system_part_traffic(FILE *to, struct system_run *r, struct diag *d)
{
	static const struct rate_line coherence[] = {
		{ "forwards", "k1", "memory.l3.forwards" },
		{ "upgrades", "k5", "memory.l3.upgrades" },
		{ "invalidations", "k6", "memory.l2.invalidations" },
		{ "recalls", "k8", "memory.l3.recalls" },
	};
	static const struct rate_line dram[] = {
		{ "read", "k1", "memory.memory.reads" },
		{ "written", "k2", "memory.memory.writes" },
	};

	if (r->message_count)
		qsort(r->messages, r->message_count, sizeof(*r->messages),
		      messages_order);
	html_section(to, "Coherence and traffic",
		     "What the caches and the directory send each other: each "
		     "message is counted once, where it begins.");
	if (r->samples) {
		if (time_messages(to, r, d))
			return d->code;
		html(to, "<div class=\"cols\">\n");
		if (time_rates(to, r, "coherence, for 1,000 cycles", "",
			       coherence, 4, 1, d) ||
		    time_hits(to, r, d) ||
		    time_rates(to, r, "DRAM, GB/s", " GB/s", dram, 2,
			       64 * r->clock * 1e-6, d))
			return d->code;
		html(to, "</div>\n");
	}
	messages_table(to, r);
	blocks_table(to, r);
	html_section_end(to);
	return ERR_OK;
}

/*
 * OpenCL
 */

static void opencl_share(FILE *to, const char *name, double ns, double of,
			 const char *colour)
{
	char a[GROUPED_TEXT];

	html_bar(to, name, ratio_of(ns, of), colour, duration(a, ns * 1e-9));
}

static void opencl_kernels(FILE *to, const struct system_opencl *o)
{
	size_t shown = o->kernels.count < 200 ? o->kernels.count : 200;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	html(to,
	     "<details><summary>Kernels <small>%zu</small></summary>"
	     "<table><thead><tr><th scope=\"col\">kernel</th>"
	     "<th scope=\"col\" class=\"n\">begins at</th>"
	     "<th scope=\"col\" class=\"n\">time</th></tr></thead><tbody>\n",
	     o->kernels.count);
	for (size_t i = 0; i < shown; i++) {
		const struct system_bar *k = &o->kernels.at[i];

		html(to,
		     "<tr><th scope=\"row\" class=\"m\">%s</th>"
		     "<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
		     k->name, duration(a, k->begin * 1e-9),
		     duration(b, (k->end - k->begin) * 1e-9));
	}
	html(to, "</tbody></table></details>\n");
}

enum err system_part_opencl(FILE *to, struct system_run *r, struct diag *d)
{
	const struct system_opencl *o = &r->opencl;
	double cycle = r->clock * 1e-3;
	struct series_row row[] = { { .name = "kernels", .colour = "k4" },
				    { .name = "calls", .colour = "k5" },
				    { .name = "copies", .colour = "k1" } };
	char a[GROUPED_TEXT], about[160];

	if (!(o->region > 0))
		return ERR_OK;
	row[0].bar = bands_of(r, &o->kernels, NULL, &row[0].bars);
	row[1].bar = bands_of(r, &o->call_spans, "calls", &row[1].bars);
	row[2].bar = bands_of(r, &o->copy_spans, "copies", &row[2].bars);
	if (!row[0].bar || !row[1].bar || !row[2].bar)
		return time_no_memory(d);
	snprintf(about, sizeof(about),
		 "From the first buffer to the last copy, %s; parts may "
		 "overlap.",
		 duration(a, o->region * 1e-9));
	html_section(to, "OpenCL", about);
	html(to, "<table class=\"bars\"><tbody>\n");
	opencl_share(to, "kernels", o->kernel, o->region, "k4");
	opencl_share(to, "calls", o->call, o->region, "k5");
	opencl_share(to, "copies", o->copy, o->region, "k1");
	opencl_share(to, "rest", o->rest, o->region, "k8");
	html(to, "</tbody></table>\n");
	draw_bars(to, row, 3, o->begin * cycle, (o->begin + o->region) * cycle,
		  1e3 / r->clock);
	opencl_kernels(to, o);
	html_section_end(to);
	return ERR_OK;
}
