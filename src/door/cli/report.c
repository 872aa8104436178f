#include "door/cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/param.h"
#include "door/cli/configs.h"
#include "door/cli/text.h"
#include "door/common/launch_json.h"
#include "door/common/stats.h"
#include "explore/core_words.h"

enum { WIDTH = 79, MARGIN = 12 };

/* The data that is printed. */
struct report {
	const struct timing *t;
	const struct heddle_stats *s;
	double sms, cycles, seconds;
};

static uint64_t report_count(const struct report *r, const char *key)
{
	return stat_count_of(r->s, key);
}

static double report_ratio(double over, double under)
{
	return under > 0 ? over / under : 0;
}

static double report_percent(double part, double whole)
{
	return 100 * report_ratio(part, whole);
}

/* ---- time ---- */

/* A line that speaks of SMs, or, where the GPU has those, of compute units. */
static void print_words(const struct report *r, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

static void print_words(const struct report *r, const char *fmt, ...)
{
	char text[400], said[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fputs(r->t->sheet.cfg.gpu.core == CFG_CORE_CU ?
		      core_words(said, sizeof(said), text) :
		      text,
	      stderr);
}

static void print_time(const struct report *r)
{
	const struct cfg *c = &r->t->sheet.cfg;
	double n = (double)report_count(r, "sm.instructions");
	double most = (double)(c->sm.schedulers * c->sm.issue_width) /
		      (double)c->sm.issue_interval;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	fprintf(stderr, "  cycles    %s, %s at %.0f MHz\n",
		grouped(a, r->t->info.cycles), duration(b, r->seconds),
		c->gpu.clock);
	print_words(
		r,
		"  IPC       %.2f of %.3g per SM; %.2f of the GPU, %d SM%s\n",
		report_ratio(n, r->cycles * r->sms), most,
		report_ratio(n, r->cycles), (int)c->sm.count,
		c->sm.count == 1 ? "" : "s");
}

/* Warns if the engine is not exact. */
static void print_doubt(const struct report *r)
{
	uint64_t late = report_count(r, "engine.late_messages");
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (r->t->info.exact)
		return;
	fprintf(stderr, "  warning   the engine %s is not exact",
		r->t->info.engine);
	if (late)
		fprintf(stderr,
			": %s message%s arrived late, by up to %s cycles",
			grouped(a, late), late == 1 ? "" : "s",
			grouped(b, report_count(r, "engine.late_most")));
	fputs(late ? "\n" : "; no message arrived late this time\n", stderr);
}

static void print_occupancy(const struct report *r)
{
	const struct heddle_kernel_timing *k = &r->t->kernel;
	double active = (double)report_count(r, "sm.active_cycles");
	double warps =
		report_ratio((double)report_count(r, "sm.warp_cycles"), active);
	uint32_t fit = k->blocks_per_sm * k->warps;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	print_words(r,
		    "  occupancy %.1f of %" PRIu32
		    " warps on an SM that had any (%.1f%%); %" PRIu32
		    " would fit\n",
		    warps, k->most_warps, report_percent(warps, k->most_warps),
		    fit);
	print_words(r,
		    "            %" PRIu32 " block%s of %" PRIu32
		    " warp%s, limited by %s; %" PRIu32 " registers a thread\n",
		    k->blocks_per_sm, k->blocks_per_sm == 1 ? "" : "s",
		    k->warps, k->warps == 1 ? "" : "s",
		    k->limit ? k->limit : "nothing", k->registers);
	if (k->limit && !strcmp(k->limit, "grid"))
		print_words(
			r,
			"            the grid has %s block%s, the GPU holds %s\n",
			grouped(a, k->blocks), k->blocks == 1 ? "" : "s",
			grouped(b, k->blocks_per_sm * (uint64_t)r->sms));
	print_words(r, "            SMs had work in %.1f%% of the cycles\n",
		    report_percent(active, r->cycles * r->sms));
}

/* ---- shares that add up ---- */

enum { SHARES = 64 };

struct slot_share {
	const char *name, *doc;
	uint64_t n;
	unsigned tenths; /* of a percent */
	double rest;     /* what rounding down cut off */
};

static int shares_by_size(const void *a, const void *b)
{
	const struct slot_share *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The statistics of a group that are not 0, largest first. */
static size_t shares_of(struct slot_share *out, const struct report *r,
			const char *group, uint64_t *whole)
{
	struct heddle_stat v;
	size_t n = 0;

	*whole = 0;
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		if (heddle_stats_get(r->s, i, &v, NULL) ||
		    strcmp(v.group, group) || !v.count)
			continue;
		CHECK(n < SHARES);
		out[n++] = (struct slot_share){ .name = v.name,
						.doc = v.doc,
						.n = v.count };
		*whole += v.count;
	}
	if (n)
		qsort(out, n, sizeof(*out), shares_by_size);
	return n;
}

/* Joins the shares below 0.1% into one, the last. */
static size_t fold_shares(struct slot_share *at, size_t n, uint64_t whole)
{
	struct slot_share other = { .name = "other",
				    .doc = "less than 0.1% each" };
	size_t kept = 0, folded;

	while (kept < n && (double)at[kept].n >= 1e-3 * (double)whole)
		kept++;
	folded = n - kept;
	if (folded < 2)
		return n;
	for (size_t i = kept; i < n; i++)
		other.n += at[i].n;
	at[kept] = other;
	return kept + 1;
}

/* Rounds to tenths that add up to 1000: the remainder goes to the largest
 * rests. */
static void round_shares(struct slot_share *at, size_t n, uint64_t whole)
{
	unsigned left = 1000;

	for (size_t i = 0; i < n; i++) {
		double exact = 1000 * (double)at[i].n / (double)whole;

		at[i].tenths = (unsigned)exact;
		at[i].rest = exact - floor(exact);
		left -= at[i].tenths < left ? at[i].tenths : left;
	}
	for (; left; left--) {
		size_t best = 0;

		for (size_t i = 1; i < n; i++)
			if (at[i].rest > at[best].rest)
				best = i;
		at[best].tenths++;
		at[best].rest = -1;
	}
}

/* Drops the start of an explanation that the heading already says. */
static const char *shorter(const char *doc)
{
	static const char *const said[] = { "a warp was ready, ",
					    "waiting for " };

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (!strncmp(doc, said[i], strlen(said[i])))
			return doc + strlen(said[i]);
	return doc;
}

static void print_slots(const struct report *r)
{
	struct slot_share at[SHARES];
	uint64_t whole;
	size_t n = shares_of(at, r, "reason", &whole);
	char a[GROUPED_TEXT];

	if (!whole)
		return;
	n = fold_shares(at, n, whole);
	round_shares(at, n, whole);
	fprintf(stderr, "  issue slots, %s: issued, or the reason why not\n",
		grouped(a, whole));
	if (!at[n - 1].tenths)
		n--;
	for (size_t i = 0; i < n; i++)
		print_words(r, "    %3u.%u%%  %-10s  %s\n", at[i].tenths / 10,
			    at[i].tenths % 10, at[i].name, shorter(at[i].doc));
}

/* Prints an item of a list, separated by commas, with line breaks. */
static void print_list_item(size_t *column, bool first, const char *text)
{
	if (!first && *column + 2 + strlen(text) >= WIDTH) {
		fprintf(stderr, ",\n%*s", MARGIN, "");
		*column = MARGIN;
	} else if (!first) {
		fputs(", ", stderr);
		*column += 2;
	}
	fputs(text, stderr);
	*column += strlen(text);
}

static void report_print_mix(const struct report *r)
{
	struct slot_share at[SHARES];
	uint64_t whole;
	size_t n = shares_of(at, r, "unit", &whole), column = MARGIN;
	uint64_t branches = report_count(r, "sm.branches");
	char text[80], a[GROUPED_TEXT];

	if (!whole)
		return;
	round_shares(at, n, whole);
	fputs("  mix       ", stderr);
	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s %u.%u%%", at[i].name,
			 at[i].tenths / 10, at[i].tenths % 10);
		print_list_item(&column, i == 0, text);
	}
	fputc('\n', stderr);
	fprintf(stderr, "  lanes     %.1f of %d active",
		report_ratio((double)report_count(r, "sm.lanes"),
			     (double)report_count(r, "sm.instructions")),
		(int)r->t->sheet.cfg.sm.warp_size);
	if (branches)
		fprintf(stderr, "; %.1f%% of %s branches went both ways",
			report_percent((double)report_count(r, "sm.diverged"),
				       (double)branches),
			grouped(a, branches));
	fputc('\n', stderr);
}

/* ---- memory ---- */

/* A row of the table of requests: keys of its statistics, or NULL. */
struct space_row {
	const char *name;
	const char *loads, *stores, *atomics, *sectors;
};

static uint64_t report_count_if(const struct report *r, const char *key)
{
	return key ? report_count(r, key) : 0;
}

static void print_space(const struct report *r, const struct space_row *s)
{
	uint64_t loads = report_count_if(r, s->loads),
		 stores = report_count_if(r, s->stores);
	uint64_t atomics = report_count_if(r, s->atomics);
	uint64_t sectors = report_count_if(r, s->sectors),
		 asked = loads + stores;
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];

	if (!loads && !stores && !atomics)
		return;
	fprintf(stderr, "    %-11s%15s%15s%13s", s->name, grouped(a, loads),
		s->stores ? grouped(b, stores) : "-",
		s->atomics ? grouped(c, atomics) : "-");
	if (s->sectors && asked)
		fprintf(stderr, "%15s%6.1f\n", grouped(a, sectors),
			report_ratio((double)sectors, (double)asked));
	else
		fprintf(stderr, "%15s%6s\n", "-", "-");
}

static void print_requests(const struct report *r)
{
	static const struct space_row spaces[] = {
		{ "global", "lsu.global_loads", "lsu.global_stores",
		  "lsu.global_atomics", "lsu.global_sectors" },
		{ "local", "lsu.local_loads", "lsu.local_stores", NULL,
		  "lsu.local_sectors" },
		{ "shared", "lsu.shared_loads", "lsu.shared_stores",
		  "lsu.shared_atomics", NULL },
		{ "constant", "lsu.const_loads", NULL, NULL, NULL },
		{ "texture", "lsu.textures", NULL, NULL, NULL },
		{ "async copy", "lsu.async_copies", NULL, NULL, NULL },
	};
	uint64_t passes = report_count(r, "lsu.shared_passes");
	uint64_t conflicts = report_count(r, "lsu.shared_conflicts");
	char a[GROUPED_TEXT], b[GROUPED_TEXT];
	uint64_t all = 0;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		all += report_count_if(r, spaces[i].loads) +
		       report_count_if(r, spaces[i].stores) +
		       report_count_if(r, spaces[i].atomics);
	if (!all) {
		fputs("  memory    no loads, stores or atomics\n", stderr);
		return;
	}
	fprintf(stderr, "  %-13s%15s%15s%13s%15s%6s\n", "memory", "loads",
		"stores", "atomics", "sectors", "each");
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		print_space(r, &spaces[i]);
	if (passes)
		fprintf(stderr,
			"    bank conflicts added %s of %s passes through "
			"shared memory (%.1f%%)\n",
			grouped(a, conflicts), grouped(b, passes),
			report_percent((double)conflicts, (double)passes));
}

static void print_cache(const char *name, uint64_t hits, uint64_t pending,
			uint64_t missed)
{
	double all = (double)(hits + pending + missed);
	char a[GROUPED_TEXT];

	if (all == 0)
		return;
	fprintf(stderr, "    %-15s%15s%10.1f%%%10.1f%%%10.1f%%\n", name,
		grouped(a, hits + pending + missed),
		report_percent((double)hits, all),
		report_percent((double)pending, all),
		report_percent((double)missed, all));
}

static void print_caches(const struct report *r)
{
	uint64_t l0 = report_count(r, "lsu.const_l0_hits");
	uint64_t l1 = report_count(r, "lsu.const_l1_hits");
	uint64_t none = report_count(r, "lsu.const_misses");

	if (!(l0 + l1 + none + report_count(r, "l1.reads") +
	      report_count(r, "l2.reads") + report_count(r, "front.fetches"))) {
		fputs("  caches    no reads\n", stderr);
		return;
	}
	fprintf(stderr, "  %-17s%15s%11s%11s%11s\n", "caches", "reads", "hit",
		"in flight", "missed");
	print_cache("L1", report_count(r, "l1.read_hits"),
		    report_count(r, "l1.read_pending"),
		    report_count(r, "l1.read_misses"));
	print_cache("L2", report_count(r, "l2.read_hits"),
		    report_count(r, "l2.read_pending"),
		    report_count(r, "l2.read_misses"));
	print_cache("constant L0", l0, 0, l1 + none);
	print_cache("constant L1", l1, 0, none);
	print_cache("instruction L0", report_count(r, "front.l0_hits"),
		    report_count(r, "front.l0_pending"),
		    report_count(r, "front.l0_misses"));
	print_cache("instruction L1", report_count(r, "front.l1_hits"), 0,
		    report_count(r, "front.l1_misses"));
}

static void report_print_traffic(const struct report *r)
{
	double in = (double)report_count(r, "dram.bytes_read");
	double out = (double)report_count(r, "dram.bytes_written");
	double served = (double)(report_count(r, "dram.reads") +
				 report_count(r, "dram.writes"));
	double to_sm = (double)report_count(r, "lsu.bytes_in");
	double rate = report_ratio(in + out, r->seconds) / 1e9;
	double peak = r->t->sheet.cfg.dram.bandwidth;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	fprintf(stderr, "  DRAM      %s read, %s written", bytes_text(a, in),
		bytes_text(b, out));
	if (served > 0)
		fprintf(stderr, "; %.1f%% row hits",
			report_percent((double)report_count(r, "dram.row_hits"),
				       served));
	fprintf(stderr, "\n            %.1f GB/s, %.1f%% of %.0f GB/s\n", rate,
		report_percent(rate, peak), peak);
	print_words(r,
		    "  L2 to SMs %s; %.1f GB/s, %.1f bytes per cycle and SM\n",
		    bytes_text(a, to_sm), report_ratio(to_sm, r->seconds) / 1e9,
		    report_ratio(to_sm, r->cycles * r->sms));
}

/* ---- lines ---- */

enum { HOT_SHOWN = 10, PLACE = 22 /* columns */ };

/* FILE:LINE; only the end of a long name, which says more. */
static void place_text(char out[PLACE + 1], const struct hot_line *l)
{
	const char *slash = strrchr(l->file, '/');
	char all[256];
	size_t n;

	/* Compilers use line 0 for code that belongs to no line. */
	snprintf(all, sizeof(all), l->line ? "%.200s:%" PRIu32 : "%.200s",
		 slash ? slash + 1 : l->file, l->line);
	n = strlen(all);
	if (n <= PLACE)
		memcpy(out, all, n + 1);
	else
		snprintf(out, PLACE + 1, "..%s", all + n - (PLACE - 2));
}

static void print_hot(const struct hot *h)
{
	char place[PLACE + 1], a[GROUPED_TEXT];

	if (!h->waited)
		return;
	fprintf(stderr, "  %-33s %13s  %s\n", "hottest lines, by time of warps",
		"issued", "most of it before");
	for (size_t i = 0; i < h->count && i < HOT_SHOWN; i++) {
		const struct hot_line *l = &h->lines[i];

		place_text(place, l);
		fprintf(stderr, "    %5.1f%%  %-*s %14s  %.28s\n",
			100.0 * (double)l->waited / (double)h->waited, PLACE,
			place, grouped(a, l->issued), l->instruction);
	}
}

static struct report report_of(const struct timing *t)
{
	return (struct report){
		.t = t,
		.s = heddle_timing_stats(t->result),
		.sms = (double)t->sheet.cfg.sm.count,
		.cycles = (double)t->info.cycles,
		.seconds = t->info.gpu_seconds,
	};
}

void report_print(const struct timing *t)
{
	struct report r;

	if (!t->result)
		return;
	r = report_of(t);
	print_time(&r);
	print_doubt(&r);
	print_occupancy(&r);
	print_slots(&r);
	report_print_mix(&r);
	print_requests(&r);
	print_caches(&r);
	report_print_traffic(&r);
	print_hot(&t->hot);
	intervals_print(&t->intervals, (uint64_t)t->sheet.cfg.sm.count,
			t->sheet.cfg.gpu.clock);
	if (t->timeline.dropped)
		fprintf(stderr,
			"  timeline  only the first %" PRIu64 " events; "
			"--timeline-limit N allows more\n",
			t->timeline.written);
	if (t->o.show_config)
		fprintf(stderr, "  parameters\n%s", t->info.config);
}

/* ---- JSON ---- */

static void json_config(const struct timing *t, struct json *j)
{
	json_open(j, "config", '{');
	for (int i = 0; i < CFG_COUNT; i++)
		configs_json_value(j, cfg_params[i].key, &t->sheet.cfg,
				   (enum cfg_id)i);
	json_close(j, '{');
}

void report_json(struct timing *t, struct json *j)
{
	json_open(j, "timing", '{');
	json_string(j, "gpu", t->o.gpu);
	json_timing(j, t->result, 0);
	intervals_json(&t->intervals, j);
	if (t->parts)
		parts_json(t->parts, j);
	hot_json(&t->hot, j);
	json_config(t, j);
	json_close(j, '{');
}

void report_bug(const struct timing *t)
{
	say_error("a bug in Heddle: the counters of this run disagree (%s)",
		  t->info.law);
	fputs("Its numbers cannot be trusted. Please report this with the "
	      "program and the\ncommand line.\n",
	      stderr);
}
