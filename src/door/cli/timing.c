#include "door/cli/timing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "door/cli/configs.h"
#include "door/cli/text.h"
#include "explore/machine.h"

#define AT(field) offsetof(struct timing_options, field)

const struct opt timing_opts[] = {
	OPT_HEADING("How long it takes on a GPU:"),
	{ "gpu", 0, "NAME|FILE",
	  "simulate this GPU cycle by cycle: a name ('heddle gpus' lists them) "
	  "or a file",
	  opt_string, AT(gpu) },
	{ NULL, 'o', "KEY=VALUE", "set a parameter of the GPU; may be repeated",
	  opt_words, AT(set) },
	{ "registers", 0, "N",
	  "registers per thread, which limit the blocks per SM (estimated)",
	  opt_count32, AT(registers) },
	{ "cold", 0, NULL,
	  "start every launch with empty caches, as profilers measure", opt_on,
	  AT(cold) },
	{ "hazards", 0, NULL,
	  "machine code: report registers that are read before they are "
	  "written; slower",
	  opt_on, AT(hazards) },
	{ "max-cycles", 0, "N", "stop after this many cycles; exit code 3",
	  opt_count, AT(max_cycles) },
	{ "interval", 0, "N", "show values over time, for every N cycles",
	  opt_count, AT(interval) },
	{ "csv", 0, "FILE",
	  "write all statistics as CSV, a row for each interval; - is standard "
	  "output",
	  opt_string, AT(csv) },
	{ "timeline", 0, "FILE",
	  "write counters, blocks, warps and their waits for ui.perfetto.dev; "
	  "slower",
	  opt_string, AT(timeline) },
	{ "timeline-limit", 0, "N",
	  "maximum number of events of the timeline (2,000,000)", opt_count,
	  AT(limit) },
	{ "host-time", 0, NULL,
	  "report in --json how the host's time was spent; a few percent slower",
	  opt_on, AT(host_time) },
	{ "show-config", 0, NULL, "print every parameter of the GPU", opt_on,
	  AT(show_config) },
	OPT_END
};

static int timing_needs(const char *option, const char *other)
{
	say_error("%s needs %s", option, other);
	fputs("Try 'heddle run --help'.\n", stderr);
	return EXIT_USAGE;
}

int timing_check(const struct timing_options *o, const char *json)
{
	if (o->limit && !o->timeline)
		return timing_needs("--timeline-limit", "--timeline");
	if (o->csv && json && !strcmp(o->csv, "-") && !strcmp(json, "-")) {
		say_error("--csv and --json cannot both use standard output");
		return EXIT_USAGE;
	}
	if (o->gpu)
		return -1;
	return o->set.count   ? timing_needs("-o", "--gpu") :
	       o->registers   ? timing_needs("--registers", "--gpu") :
	       o->cold        ? timing_needs("--cold", "--gpu") :
	       o->hazards     ? timing_needs("--hazards", "--gpu") :
	       o->max_cycles  ? timing_needs("--max-cycles", "--gpu") :
	       o->interval    ? timing_needs("--interval", "--gpu") :
	       o->csv         ? timing_needs("--csv", "--gpu") :
	       o->timeline    ? timing_needs("--timeline", "--gpu") :
	       o->host_time   ? timing_needs("--host-time", "--gpu") :
	       o->show_config ? timing_needs("--show-config", "--gpu") :
				-1;
}

enum err timing_configure(struct timing *t, struct heddle_device_options *dev,
			  struct diag *d)
{
	struct heddle_error he;
	char *text;
	int e;

	cfg_sheet_init(&t->sheet);
	if (machine_load(&t->sheet, t->o.gpu, t->o.set.at, t->o.set.count, d) ||
	    (t->o.hazards && cfg_sheet_set(&t->sheet, "sm.hazards=yes", d)))
		return d->code;
	/* The library's copy is the same configuration by construction. */
	text = cfg_dump(&t->sheet.cfg, t->sheet.origin);
	if (!text)
		return fail(d, ERR_NOMEM, "out of memory");
	e = heddle_config_text(&t->config, t->o.gpu, text, strlen(text), &he);
	free(text);
	if (e)
		return fail_api(d, &he);
	dev->config = t->config;
	dev->timeline = t->o.timeline != NULL;
	return ERR_OK;
}

enum err timing_open(struct timing *t, bool json, struct diag *d)
{
	const struct cfg *c = &t->sheet.cfg;
	const struct timeline_gpu gpu = { .name = c->gpu.name,
					  .mhz = c->gpu.clock,
					  .sms = (uint32_t)c->sm.count,
					  .slots = (uint32_t)c->sm.max_warps };

	t->details = json;
	t->parts = json ? calloc(1, sizeof(*t->parts)) : NULL;
	if (json && !t->parts)
		return fail(d, ERR_NOMEM, "out of memory");
	if (intervals_open(&t->intervals, t->o.csv, json && t->o.interval, d))
		return d->code;
	if (!t->o.timeline)
		return ERR_OK;
	if (timeline_open(&t->timeline, t->o.timeline, t->o.limit, false, d))
		return d->code;
	return timeline_begin(&t->timeline, 0, &gpu, 0, d);
}

/* Stops the launch if a file cannot be written, as when the disk is full. */
static void timing_give_up(struct timing *t)
{
	if (!t->unwritten)
		heddle_stop(t->dev);
	t->unwritten = true;
}

static void timing_on_sample(void *ctx, uint64_t from, uint64_t to,
			     const struct heddle_stats *s)
{
	struct timing *t = ctx;
	bool good = true;

	if (t->o.interval)
		good = intervals_add(&t->intervals, from, to, s);
	if (t->o.timeline)
		good &= timeline_sample(&t->timeline, from, to, s);
	if (!good)
		timing_give_up(t);
}

static void timing_on_parts(void *ctx, uint64_t from, uint64_t to,
			    const struct heddle_parts *p)
{
	struct timing *t = ctx;

	(void)from;
	parts_add(t->parts, to, p);
}

static void timing_on_event(void *ctx, const struct heddle_event *e)
{
	struct timing *t = ctx;

	if (!timeline_add(&t->timeline, e))
		timing_give_up(t);
}

static void timing_on_progress(void *ctx,
			       const struct heddle_timing_progress *p)
{
	struct timing *t = ctx;

	progress_timed(t->progress, p);
}

void timing_attach(struct timing *t, struct heddle_launch *l,
		   struct heddle_device *dev, struct progress *p, bool last)
{
	bool wanted = t->o.interval || t->o.timeline;
	uint64_t interval = t->o.interval ? t->o.interval :
			    t->o.timeline ? TIMELINE_INTERVAL :
			    t->details    ? PARTS_INTERVAL :
					    0;

	t->dev = dev;
	t->launch = l;
	t->result = NULL;
	t->progress = p;
	t->options = (struct heddle_timing_options){
		.max_cycles = t->o.max_cycles,
		.interval = last ? interval : 0,
		.sample = last && wanted ? timing_on_sample : NULL,
		.parts = last && t->parts ? timing_on_parts : NULL,
		.event = last && t->o.timeline ? timing_on_event : NULL,
		.progress = timing_on_progress,
		.ctx = t,
		.host_time = t->o.host_time,
		.details = last && t->details,
		.cold = t->o.cold,
	};
	t->threads = l->block.x * l->block.y * l->block.z;
	l->timing = &t->options;
	l->registers = t->o.registers;
	l->progress = NULL;
}

enum err timing_read(struct timing *t, struct diag *d)
{
	struct advice_shape shape = { .cfg = &t->sheet.cfg,
				      .threads = t->threads };
	struct heddle_error he;

	hot_clear(&t->hot);
	t->result = t->dev ? heddle_device_timing(t->dev) : NULL;
	if (!t->result)
		return ERR_OK;
	heddle_timing_info(t->result, &t->info);
	if (!t->o.interval)
		intervals_whole(&t->intervals, t->info.cycles,
				heddle_timing_stats(t->result));
	if (t->info.kernels &&
	    heddle_timing_kernel(t->result, 0, &t->kernel, &he))
		return fail_api(d, &he);
	if (t->info.kernels &&
	    advice_of_launch(&t->advice, t->result, 0, &shape, d))
		return d->code;
	return hot_read(&t->hot, t->result, 0, &t->sources, d);
}

/* Adds the launches of the last group to the timeline. */
static void timing_end_timeline(struct timing *t)
{
	struct heddle_kernel_timing k;

	for (size_t i = 0; i < t->info.kernels; i++) {
		struct timeline_launch l = { .number = t->number + i };
		char name[256];

		if (heddle_timing_kernel(t->result, i, &k, NULL))
			continue;
		demangle(name, sizeof(name), k.kernel);
		l.kernel = name;
		l.stream = k.stream;
		l.start = k.start;
		l.end = k.end ? k.end : t->info.cycles;
		if (t->info.kernels == 1) {
			l.grid = t->launch->grid;
			l.block = t->launch->block;
		}
		timeline_launch(&t->timeline, &l);
	}
	timeline_end(&t->timeline, t->info.cycles);
}

enum err timing_finish(struct timing *t, const char *program, const char *cut,
		       struct diag *d)
{
	char why[200];

	if (!t->result && timing_read(t, d))
		return d->code;
	if (!t->result) {
		intervals_free(&t->intervals);
		timeline_free(&t->timeline);
		return ERR_OK;
	}
	if (cut && !t->info.whole) {
		snprintf(why, sizeof(why), "after %" PRIu64 " cycles: %s",
			 t->info.cycles, cut);
		cut = why;
	}
	if (t->timeline.path)
		timing_end_timeline(t);
	if (intervals_close(&t->intervals, cut, d))
		return d->code;
	return timeline_close(&t->timeline, program, cut, false, d);
}

void timing_free(struct timing *t)
{
	free(t->parts);
	t->parts = NULL;
	hot_clear(&t->hot);
	timeline_free(&t->timeline);
	intervals_free(&t->intervals);
	heddle_config_free(t->config);
	if (t->o.gpu)
		cfg_sheet_free(&t->sheet);
	words_free(&t->o.set);
}
