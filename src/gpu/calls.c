#include "gpu/calls.h"

#include <math.h>
#include <string.h>

#include "arch/effect.h"
#include "base/minmax.h"
#include "simt/view.h"

/* Each block has a header. A chunk of one class is a unit of the next. */
enum { HEADER = 16, CHUNK_UNITS = 24 };
static const uint32_t unit_bytes[CALLS_CLASSES] = { 80, 2208, 53280 };

/* The class of a block, and in *units what it takes of a chunk where only such
 * blocks are. */
static unsigned class_of(uint64_t bytes, uint64_t *units)
{
	uint64_t n;
	unsigned k = 0;

	bytes += HEADER;
	while (k < CALLS_CLASSES - 1 && bytes > CHUNK_UNITS * unit_bytes[k])
		k++;
	n = (bytes + unit_bytes[k] - 1) / unit_bytes[k];
	*units = n > CHUNK_UNITS ?
			 (n + CHUNK_UNITS - 1) / CHUNK_UNITS * CHUNK_UNITS :
			 CHUNK_UNITS / (CHUNK_UNITS / n);
	return k;
}

/* The last class always has one. */
static uint64_t calls_chunks(const struct gpu_calls *c, unsigned k)
{
	uint64_t n = (c->used[k] + CHUNK_UNITS - 1) / CHUNK_UNITS;

	return k == CALLS_CLASSES - 1 ? max_u64(n, 1) : n;
}

/* Takes units of class k. Returns the number of chunks that are new, in this class
 * and those above. */
static uint64_t take_units(struct gpu_calls *c, unsigned k, uint64_t units)
{
	uint64_t before = calls_chunks(c, k), made;

	c->used[k] += units;
	made = calls_chunks(c, k) - before;
	if (made && k < CALLS_CLASSES - 1)
		return made + take_units(c, k + 1, made);
	return made;
}

/* Returns the number of chunks that are empty now. */
static uint64_t give_units(struct gpu_calls *c, unsigned k, uint64_t units)
{
	uint64_t before = calls_chunks(c, k), freed;

	/* What a launch allocated that was not timed is not known. */
	c->used[k] -= min_u64(units, c->used[k]);
	freed = before - calls_chunks(c, k);
	if (freed && k < CALLS_CLASSES - 1)
		return freed + give_units(c, k + 1, freed);
	return freed;
}

/* The full chunks of a class up to the first one with room. */
static uint64_t full_chunks(const struct gpu_calls *c, unsigned k)
{
	uint64_t chunks = calls_chunks(c, k);

	return chunks ? (chunks - 1) / (c->holes[k] + 1) : 0;
}

static void leave_heap(struct gpu_calls *c)
{
	cycle_t last = c->inside[--c->inside_count], *at = c->inside;
	uint32_t i = 0, n = c->inside_count;

	for (uint32_t k = 1; k < n; k = 2 * i + 1) {
		k += k + 1 < n && at[k + 1] < at[k];
		if (last <= at[k])
			break;
		at[i] = at[k];
		i = k;
	}
	at[i] = last;
}

static void enter_heap(struct gpu_calls *c, cycle_t until)
{
	uint32_t i;

	/* Of a run that was cut short, calls may be left. */
	if (c->inside_count == c->inside_room)
		leave_heap(c);
	for (i = c->inside_count++; i && until < c->inside[(i - 1) / 2];
	     i = (i - 1) / 2)
		c->inside[i] = c->inside[(i - 1) / 2];
	c->inside[i] = until;
}

/* How many calls of malloc have not returned at t. */
static uint64_t inside_heap(struct gpu_calls *c, cycle_t t)
{
	while (c->inside_count && c->inside[0] <= t)
		leave_heap(c);
	return c->inside_count;
}

/* What a call does to chunks. */
struct chunk_work {
	uint64_t passed, made, emptied;
};

static struct chunk_work take_blocks(struct gpu_calls *c,
				     const uint64_t bytes[LANES])
{
	bool searched[CALLS_CLASSES] = { false };
	struct chunk_work w = { 0 };

	for (int l = 0; l < LANES; l++) {
		uint64_t units, before;
		unsigned k;

		if (!bytes[l])
			continue;
		k = class_of(bytes[l], &units);
		before = calls_chunks(c, k);
		w.made += take_units(c, k, units);
		if (calls_chunks(c, k) != before || !searched[k])
			w.passed += full_chunks(c, k);
		searched[k] = true;
		c->holes[k] -= min_u64(c->holes[k], 1);
	}
	return w;
}

/* Where lanes are served one after the other, those that are done wait outside, and
 * those to come take part in some of it: a third of the lanes, on average. */
static uint64_t lanes_of(uint64_t instructions, uint64_t lanes)
{
	return instructions * (lanes + 2) / 3;
}

static struct service_cost calls_malloc(struct gpu_calls *c,
					const struct cfg_system *p, cycle_t t,
					uint64_t lanes,
					const uint64_t bytes[LANES])
{
	uint64_t others = inside_heap(c, t);
	uint64_t delay = min_u64(others, (uint64_t)p->contenders) *
			 (uint64_t)p->contention;
	struct chunk_work w = take_blocks(c, bytes);
	struct service_cost cost = {
		.end = t + (uint64_t)p->malloc_cycles +
		       (lanes - 1) * ((uint64_t)p->malloc_lane + delay) +
		       w.made * (uint64_t)p->chunk_cycles +
		       w.passed * (uint64_t)p->search_cycles,
	};

	enter_heap(c, cost.end);
	if (!p->malloc_instructions)
		return cost;
	cost.instructions =
		(uint64_t)p->malloc_instructions +
		(lanes - 1) * (uint64_t)p->malloc_lane_instructions +
		w.made * (uint64_t)p->chunk_instructions +
		w.passed * (uint64_t)p->search_instructions +
		(uint64_t)((double)lanes * (double)p->spin_instructions *
			   sqrt((double)others));
	cost.lanes = lanes_of(cost.instructions, lanes);
	return cost;
}

/* Frees a block of class k. Returns the number of chunks that are empty now. */
static uint64_t free_block(struct gpu_calls *c, unsigned k, uint64_t units)
{
	uint64_t freed = give_units(c, k, units);

	c->holes[k] = c->used[k] ? c->holes[k] + !freed : 0;
	return freed;
}

static struct chunk_work free_blocks(struct gpu_calls *c,
				     const uint64_t bytes[LANES])
{
	bool searched[CALLS_CLASSES] = { false };
	struct chunk_work w = { 0 };

	for (int l = 0; l < LANES; l++) {
		uint64_t units;
		unsigned k;

		if (!bytes[l])
			continue;
		k = class_of(bytes[l], &units);
		if (!searched[k])
			w.passed += full_chunks(c, k);
		searched[k] = true;
		w.emptied += free_block(c, k, units);
	}
	return w;
}

static struct service_cost calls_free(struct gpu_calls *c,
				      const struct cfg_system *p, cycle_t t,
				      uint64_t lanes,
				      const uint64_t bytes[LANES])
{
	struct chunk_work w = free_blocks(c, bytes);
	struct service_cost cost = {
		.end = t + (cycle_t)p->free_cycles +
		       (lanes - 1) * (cycle_t)p->free_lane +
		       w.passed * (cycle_t)p->search_cycles,
	};

	if (w.emptied)
		cost.end = c->release_free =
			max_u64(c->release_free, cost.end) +
			w.emptied * (cycle_t)p->release_cycles;
	if (!p->malloc_instructions)
		return cost;
	cost.instructions = (uint64_t)p->free_instructions +
			    (lanes - 1) * (uint64_t)p->free_lane_instructions +
			    w.passed * (uint64_t)p->search_instructions;
	cost.lanes = lanes_of(cost.instructions, lanes);
	return cost;
}

static cycle_t calls_print(struct gpu_calls *c, const struct cfg_system *p,
			   cycle_t t, uint64_t lanes)
{
	cycle_t start = max_u64(c->print_free, t);

	c->print_free = start + (cycle_t)p->print_interval +
			lanes * (cycle_t)p->print_interval_lane;
	return start + (cycle_t)p->print_cycles +
	       (lanes - 1) * (cycle_t)p->print_lane;
}

void gpu_calls_inherit(struct gpu_calls *c, const struct gpu_calls *from)
{
	memcpy(c->used, from->used, sizeof(c->used));
	memcpy(c->holes, from->holes, sizeof(c->holes));
}

enum err gpu_calls_init(struct gpu_calls *c, struct arena *a, uint32_t warps,
			struct diag *d)
{
	c->inside = arena_room(a, cycle_t, warps);
	c->inside_room = warps;
	return c->inside ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

struct service_cost gpu_calls_cost(struct gpu_calls *c,
				   const struct cfg_system *p,
				   const struct service_call *call,
				   const uint64_t bytes[LANES])
{
	uint64_t lanes = lanes_count(call->mask);

	switch ((enum service_kind)call->kind) {
	case SERVICE_MALLOC:
		return calls_malloc(c, p, call->cycle, lanes, bytes);
	case SERVICE_FREE:
		return calls_free(c, p, call->cycle, lanes, bytes);
	case SERVICE_PRINT:
		return (struct service_cost){
			.end = calls_print(c, p, call->cycle, lanes)
		};
	case SERVICE_NONE:
		break;
	}
	return (struct service_cost){ .end = call->cycle };
}
