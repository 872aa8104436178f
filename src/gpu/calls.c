#include "gpu/calls.h"

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

/* Takes units of class k. Returns the cycles for the chunks that are new, in this
 * class and those above. */
static uint64_t take_units(struct gpu_calls *c, const struct cfg_system *p,
			   unsigned k, uint64_t units)
{
	uint64_t before = calls_chunks(c, k), made, cycles;

	c->used[k] += units;
	made = calls_chunks(c, k) - before;
	cycles = made * (uint64_t)(p->chunk_cycles);
	if (made && k < CALLS_CLASSES - 1)
		cycles += take_units(c, p, k + 1, made);
	return cycles;
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

/* Cycles to pass the full chunks of a class up to the first one with room. */
static uint64_t search(const struct gpu_calls *c, const struct cfg_system *p,
		       unsigned k)
{
	uint64_t chunks = calls_chunks(c, k);

	return chunks ? (chunks - 1) / (c->holes[k] + 1) *
				(uint64_t)p->search_cycles :
			0;
}

/* How many calls of malloc have not returned at t, as far as they count. */
static uint64_t contenders(const struct gpu_calls *c,
			   const struct cfg_system *p, cycle_t t)
{
	uint64_t n = 0;

	for (int64_t i = 0; i < p->contenders; i++)
		n += c->inside[i] > t;
	return n;
}

static void enter_heap(struct gpu_calls *c, const struct cfg_system *p,
		       cycle_t until)
{
	int64_t first = 0;

	for (int64_t i = 1; i < p->contenders; i++)
		if (c->inside[i] < c->inside[first])
			first = i;
	c->inside[first] = max_u64(c->inside[first], until);
}

static cycle_t calls_malloc(struct gpu_calls *c, const struct cfg_system *p,
			    cycle_t t, uint64_t lanes,
			    const uint64_t bytes[LANES])
{
	uint64_t lane = (uint64_t)p->malloc_lane, units, cycles, made;
	bool searched[CALLS_CLASSES] = { false };

	lane += contenders(c, p, t) * (uint64_t)p->contention;
	cycles = (uint64_t)p->malloc_cycles + (lanes - 1) * lane;
	for (int l = 0; l < LANES; l++) {
		unsigned k;

		if (!bytes[l])
			continue;
		k = class_of(bytes[l], &units);
		made = calls_chunks(c, k);
		cycles += take_units(c, p, k, units);
		made = calls_chunks(c, k) - made;
		if (made || !searched[k])
			cycles += search(c, p, k);
		searched[k] = true;
		c->holes[k] -= min_u64(c->holes[k], 1);
	}
	enter_heap(c, p, t + cycles);
	return t + cycles;
}

/* Frees a block of class k. Returns the number of chunks that are empty now. */
static uint64_t free_block(struct gpu_calls *c, unsigned k, uint64_t units)
{
	uint64_t freed = give_units(c, k, units);

	c->holes[k] = c->used[k] ? c->holes[k] + !freed : 0;
	return freed;
}

static cycle_t calls_free(struct gpu_calls *c, const struct cfg_system *p,
			  cycle_t t, uint64_t lanes,
			  const uint64_t bytes[LANES])
{
	cycle_t end = t + (cycle_t)p->free_cycles +
		      (lanes - 1) * (cycle_t)p->free_lane;
	bool searched[CALLS_CLASSES] = { false };
	uint64_t freed = 0, units;

	for (int l = 0; l < LANES; l++) {
		unsigned k;

		if (!bytes[l])
			continue;
		k = class_of(bytes[l], &units);
		if (!searched[k])
			end += search(c, p, k);
		searched[k] = true;
		freed += free_block(c, k, units);
	}
	if (!freed)
		return end;
	c->release_free = max_u64(c->release_free, end) +
			  freed * (cycle_t)p->release_cycles;
	return c->release_free;
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

cycle_t gpu_calls_return(struct gpu_calls *c, const struct cfg_system *p,
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
		return calls_print(c, p, call->cycle, lanes);
	case SERVICE_NONE:
		break;
	}
	return call->cycle;
}
