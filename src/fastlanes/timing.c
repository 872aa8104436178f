/*
 * When memory instructions are done: segments, tags, latencies.
 *
 * A multiprocessor has a FIFO for each way. One segment a cycle enters one of
 * them, and stays for the latency of the way: so requests leave a FIFO in order, one
 * a cycle, and no FIFO has to be kept to know when.
 */
#include <string.h>

#include "fastlanes/machine.h"

static uint64_t fl_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Looks a line up and makes it the most recently used; a line that is not there
 * replaces the least recently used one if `fill`. Returns whether it was there. */
static bool fl_tags_touch(struct fl_tags *t, uint32_t line, bool fill)
{
	uint32_t *way = t->line + (size_t)(line % t->sets) * t->ways, i = 0;
	bool hit;

	while (i < t->ways && way[i] != line + 1)
		i++;
	hit = i < t->ways;
	if (!hit && !fill)
		return false;
	if (!hit)
		i = t->ways - 1;
	memmove(way + 1, way, i * sizeof(*way));
	way[0] = line + 1;
	return hit;
}

/* The way of one segment of global memory. */
static enum fl_way fl_find_way(struct fl_machine *m, struct fl_sm *sm,
			       uint32_t line, bool load)
{
	bool hit = fl_tags_touch(&sm->l1, line, load);

	m->stats.l1_hits += load && hit;
	m->stats.l1_misses += load && !hit;
	if (load && hit)
		return FL_WAY_L1;
	hit = fl_tags_touch(&m->l2, line, true);
	m->stats.l2_hits += hit;
	m->stats.l2_misses += !hit;
	return hit ? FL_WAY_L2 : FL_WAY_GLOBAL;
}

static void fl_count_access(struct fl_stats *s, const struct fl_access *a)
{
	if (a->shared) {
		s->shared_accesses++;
		s->shared_segments += a->count;
		return;
	}
	s->loads += a->load;
	s->stores += !a->load;
	s->segments += a->count;
}

uint64_t fl_access_time(struct fl_machine *m, struct fl_sm *sm,
			const struct fl_access *a)
{
	uint32_t addresses = (FL_LANES + m->c->lsu_lanes - 1) / m->c->lsu_lanes;
	uint64_t start = fl_later(sm->now + addresses, sm->segments_free);
	uint64_t done = start;

	fl_count_access(&m->stats, a);
	for (uint32_t i = 0; i < a->count; i++) {
		enum fl_way way =
			a->shared ? FL_WAY_SHARED :
				    fl_find_way(m, sm, a->segment[i], a->load);

		if (a->load)
			done = fl_later(done,
					start + i + m->c->way_latency[way]);
	}
	sm->lsu_free = start;
	sm->segments_free = start + a->count;
	return done;
}
