/*
 * Any bytes as the CSV of a profiler: `heddle correlate` must compare it with a
 * run or say what is wrong with it, in which line. The page must hold no markup
 * of the file's.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/correlate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two launches of a kernel that the corpus has, one of which was not timed. */
static struct run_launch launches[] = {
	{ .number = 1,
	  .kernel = "saxpy",
	  .grid = { 8, 1, 1 },
	  .block = { 128, 1, 1 },
	  .timed = true,
	  .whole = true,
	  .at_once = 1,
	  .cycles = 5000,
	  .seconds = 2.5e-6 },
	{ .number = 2,
	  .kernel = "saxpy",
	  .grid = { 8, 1, 1 },
	  .block = { 128, 1, 1 },
	  .whole = true,
	  .at_once = 1 },
	{ .number = 3,
	  .kernel = "t<4>",
	  .grid = { 8, 1, 1 },
	  .block = { 128, 1, 1 },
	  .timed = true,
	  .whole = true,
	  .at_once = 1,
	  .cycles = 7,
	  .seconds = 1e-9 },
};

static void check_page(const struct correlate *c, struct diag *d)
{
	char *page = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&page, &size);

	if (report_correlate(to, c, true, 3, d))
		abort();
	fclose(to);
	if (!strstr(page, "</html>") || strstr(page, "<script") ||
	    strstr(page, "<iframe"))
		abort();
	free(page);
}

/* Every launch of the profile is joined once, or told. */
static void check_count(const struct correlate *c, const struct measured *m)
{
	size_t lone = 0;

	for (size_t i = 0; i < c->lone_count; i++)
		lone += c->lone[i].hardware ? c->lone[i].count : 0;
	if (c->point_count + lone != m->count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run_device device;
	struct run_result r = { .path = "run",
				.devices = &device,
				.device_count = 1,
				.launches = launches,
				.launch_count = 3 };
	struct correlate_source from = { "p", "", "fuzz", "run" };
	struct correlate c = { 0 };
	struct measured m;
	struct diag d;

	cfg_defaults(&device.cfg);
	if (!measured_read_text(&m, "fuzz", (const char *)data, size, &d) &&
	    !correlate_join(&c, &from, &m, &r, &d)) {
		check_count(&c, &m);
		check_page(&c, &d);
	}
	correlate_free(&c);
	measured_free(&m);
	return 0;
}
