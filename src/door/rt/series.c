#include "door/rt/series.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/demangle.h"
#include "door/common/csv.h"
#include "door/common/launch_json.h"
#include "door/common/timeline.h"

/* Where a file stands. */
enum series_file { NOT_OPENED, OPEN, LOST };

static struct series {
	enum series_file csv_is, timeline_is;
	struct csv csv;
	struct timeline timeline;
	/* The group in flight, for intervals. */
	struct csv_launch launch;
	char kernel[256];
	bool active; /* it writes to one of the files */
	bool csv_good, timeline_good;
	char cut[160]; /* why a launch did not end; "": none */
	bool over;     /* the process has ended */
} series;

static void series_lose_csv(const char *why)
{
	csv_free(&series.csv);
	series.csv_is = LOST;
	rt_lost_file("CSV file", why);
}

static void series_lose_timeline(const char *why)
{
	timeline_free(&series.timeline);
	series.timeline_is = LOST;
	rt_lost_file("timeline", why);
}

/* Opens the files at the first timed launch. */
static void series_open(void)
{
	const struct settings *s = &rt.settings;
	struct diag d;

	if (s->csv && series.csv_is == NOT_OPENED) {
		series.csv_is = OPEN;
		if (csv_open(&series.csv, s->csv, true, &d))
			series_lose_csv(d.text);
	}
	if (s->timeline && series.timeline_is == NOT_OPENED) {
		series.timeline_is = OPEN;
		if (timeline_open(&series.timeline, s->timeline,
				  s->timeline_limit, rt.device_count > 1, &d))
			series_lose_timeline(d.text);
	}
}

static void series_sample(void *ctx, uint64_t from, uint64_t to,
			  const struct heddle_stats *s)
{
	(void)ctx;
	if (rt.settings.interval && series.csv_is == OPEN && series.csv_good)
		series.csv_good =
			csv_row(&series.csv, &series.launch, from, to, s);
	if (series.timeline_is == OPEN && series.timeline_good)
		series.timeline_good =
			timeline_sample(&series.timeline, from, to, s);
}

static void series_event(void *ctx, const struct heddle_event *e)
{
	(void)ctx;
	if (series.timeline_is == OPEN && series.timeline_good)
		series.timeline_good = timeline_add(&series.timeline, e);
}

void series_begin(const struct report_launch *first, const struct rt_device *d,
		  double start, struct heddle_timing_options *o)
{
	const struct cfg *c = &d->sheet.cfg;
	const struct timeline_gpu gpu = { .name = c->gpu.name,
					  .mhz = c->gpu.clock,
					  .sms = (uint32_t)c->sm.count,
					  .slots = (uint32_t)c->sm.max_warps };
	struct diag why;

	if (series.over)
		return;
	series_open();
	demangle_instance(series.kernel, sizeof(series.kernel), first->kernel);
	series.launch = (struct csv_launch){ .number = first->number,
					     .at_once = first->group,
					     .device = first->device,
					     .kernel = series.kernel };
	if (series.timeline_is == OPEN &&
	    timeline_begin(&series.timeline, (unsigned)d->number, &gpu, start,
			   &why))
		series_lose_timeline(why.text);
	series.csv_good = series.csv_is == OPEN;
	series.timeline_good = series.timeline_is == OPEN;
	series.active = series.csv_good || series.timeline_good;
	if (!series.active)
		return;
	o->interval = rt.settings.interval ? rt.settings.interval :
		      series.timeline_good ? TIMELINE_INTERVAL :
					     0;
	o->sample = series_sample;
	o->event = series.timeline_good ? series_event : NULL;
}

/* Notes that a launch was cut short. */
static void series_cut(const struct report_launch *l, uint64_t cycles)
{
	const char *why = fault_name(l->result->fault.kind);

	snprintf(series.cut, sizeof(series.cut),
		 "launch %" PRIu64 " after %" PRIu64 " cycles: %s", l->number,
		 cycles, why);
}

/* Writes the row of a launch; with intervals, they have the rows. */
static void series_row(const struct report_launch *l, const char *kernel,
		       const struct heddle_kernel_timing *k, uint64_t cycles)
{
	const struct csv_launch row = { .number = l->number,
					.at_once = l->group,
					.device = l->device,
					.kernel = kernel,
					.own = l->group > 1 };

	if (rt.settings.interval || series.csv_is != OPEN || !series.csv_good)
		return;
	series.csv_good = csv_row(
		&series.csv, &row, row.own ? k->start : 0,
		row.own && k->end ? k->end : cycles,
		row.own ? heddle_timing_kernel_stats(l->timing, l->member) :
			  heddle_timing_stats(l->timing));
}

void series_launch(const struct report_launch *l)
{
	struct heddle_timing_info info;
	struct heddle_kernel_timing k;
	char name[256];

	if (!series.active ||
	    heddle_timing_kernel(l->timing, l->member, &k, NULL))
		return;
	heddle_timing_info(l->timing, &info);
	if (!info.whole && l->result->fault.kind &&
	    (!series.cut[0] || l->result->fault.kind != HEDDLE_FAULT_STOPPED))
		series_cut(l, info.cycles);
	demangle_instance(name, sizeof(name), l->kernel);
	series_row(l, name, &k, info.cycles);
	if (series.timeline_is != OPEN)
		return;
	timeline_launch(&series.timeline,
			&(struct timeline_launch){
				.number = l->number,
				.stream = l->stream,
				.kernel = name,
				.grid = l->grid,
				.block = l->block,
				.start = k.start,
				.end = k.end ? k.end : info.cycles });
}

/* Drops what could not be written. */
static void series_check(void)
{
	struct diag d;

	if (series.csv_is == OPEN && !series.csv_good &&
	    csv_close(&series.csv, true, &d))
		series_lose_csv(d.text);
	if (series.timeline_is == OPEN && !series.timeline_good &&
	    timeline_close(&series.timeline, "", NULL, true, &d))
		series_lose_timeline(d.text);
}

void series_end(const struct heddle_timing *t)
{
	struct heddle_timing_info info;

	if (!series.active)
		return;
	series.active = false;
	heddle_timing_info(t, &info);
	if (series.csv_is == OPEN && !info.whole)
		csv_cut(&series.csv, series.cut);
	if (series.timeline_is == OPEN)
		timeline_end(&series.timeline, info.cycles);
	series_check();
}

void series_close(void)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct diag d;

	program[n > 0 ? n : 0] = '\0';

	series.over = true;
	if (series.csv_is == OPEN && csv_close(&series.csv, true, &d))
		series_lose_csv(d.text);
	if (series.timeline_is == OPEN &&
	    timeline_close(&series.timeline, program,
			   series.cut[0] ? series.cut : NULL, true, &d))
		series_lose_timeline(d.text);
	if (series.timeline.dropped && !rt.settings.quiet)
		rt_say("the timeline has only the first %" PRIu64
		       " events; --timeline-limit N allows more",
		       series.timeline.written);
	series.csv_is = series.timeline_is = NOT_OPENED;
}

/* The child has copies of what is not written yet, and its exit would write
 * them once more. */
void series_forked(void)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nothing >= 0 && series.csv_is == OPEN)
		dup2(nothing, fileno(series.csv.file.to));
	if (nothing >= 0 && series.timeline_is == OPEN)
		dup2(nothing, fileno(series.timeline.file.to));
	if (nothing >= 0)
		close(nothing);
}
