#include "door/cli/regions.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"

static bool regions_any(const struct x86_regions *r)
{
	for (unsigned i = 0; i < X86_REGION_NUMBERS; i++)
		if (r->region[i].entries)
			return true;
	return false;
}

static void regions_warn_of(const struct x86_process *p, unsigned number,
			    const struct x86_unmatched *u, const char *what)
{
	char count[GROUPED_TEXT], place[160];

	if (!u->count)
		return;
	x86_process_place(p, u->at, place, sizeof(place));
	fprintf(stderr, "heddle: warning: region %u %s", number, what);
	if (u->count > 1)
		fprintf(stderr, ", %s times; first", grouped(count, u->count));
	fprintf(stderr, " (thread %u, at %s)\n", u->thread, place);
}

void regions_warn(const struct x86_process *p)
{
	const struct x86_regions *r = x86_process_regions(p);

	for (unsigned i = 0; i < X86_REGION_NUMBERS; i++) {
		regions_warn_of(p, i, &r->region[i].ends,
				"ends where its thread has not begun it");
		regions_warn_of(p, i, &r->region[i].begins,
				"begins and its thread never ends it");
	}
}

void regions_print(const struct x86_regions *r, double unit)
{
	if (!regions_any(r))
		return;
	fprintf(stderr, "  %-8s%12s%9s%18s%18s%12s\n", "region", "entered",
		"threads", "instructions", "of those inside", "time");
	for (unsigned i = 0; i < X86_REGION_NUMBERS; i++) {
		const struct x86_region *g = &r->region[i];
		char entries[GROUPED_TEXT], all[GROUPED_TEXT];
		char own[GROUPED_TEXT], time[GROUPED_TEXT];

		if (!g->entries)
			continue;
		fprintf(stderr, "  %-8u%12s%9u%18s%18s%12s\n", i,
			grouped(entries, g->entries), g->threads,
			grouped(all, g->all), grouped(own, g->own),
			duration(time, (double)g->time * unit));
	}
}

void regions_write(struct json *j, const struct x86_regions *r,
		   const char *time)
{
	if (!regions_any(r))
		return;
	json_open(j, "regions", '[');
	for (unsigned i = 0; i < X86_REGION_NUMBERS; i++) {
		const struct x86_region *g = &r->region[i];

		if (!g->entries)
			continue;
		json_open_line(j, NULL, '{');
		json_uint(j, "region", i);
		json_uint(j, "entries", g->entries);
		json_uint(j, "threads", g->threads);
		json_uint(j, "instructions", g->all);
		json_uint(j, "instructions_inside", g->own);
		json_uint(j, time, g->time);
		json_uint(j, "unmatched_begins", g->begins.count);
		json_uint(j, "unmatched_ends", g->ends.count);
		json_close(j, '{');
	}
	json_close(j, '[');
}
