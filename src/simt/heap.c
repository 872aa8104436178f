#include "simt/heap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "base/pages.h"

enum { UNIT = 16, LISTS = 32 };

#define NONE UINT32_MAX
#define USED (UINT32_C(1) << 31)
#define MAX_UNITS (USED - 1)

/*
 * The state of a unit of memory; only those of the first and the last unit of a
 * block are valid. Memory that was never touched costs the host nothing.
 */
struct heap_unit {
	uint32_t size;       /* first unit: size of the block, maybe | USED */
	uint32_t back;       /* last unit of a free block: first unit, plus 1 */
	uint32_t next, prev; /* first unit of a free block: in its list */
};

struct heap {
	pthread_mutex_t lock;
	uint64_t base;
	uint32_t count;
	uint32_t filled; /* lists that are not empty, as bits */
	uint32_t list[LISTS];
	struct heap_unit *unit;
};

static unsigned list_of(uint32_t size)
{
	return 31 - (unsigned)__builtin_clz(size);
}

static void heap_put(struct heap *h, uint32_t first, uint32_t size)
{
	unsigned l = list_of(size);
	struct heap_unit *u = &h->unit[first];

	u->size = size;
	u->prev = NONE;
	u->next = h->filled >> l & 1 ? h->list[l] : NONE;
	if (u->next != NONE)
		h->unit[u->next].prev = first;
	h->list[l] = first;
	h->filled |= 1u << l;
	h->unit[first + size - 1].back = first + 1;
}

static void heap_take_out(struct heap *h, uint32_t first)
{
	struct heap_unit *u = &h->unit[first];
	unsigned l = list_of(u->size);

	if (u->next != NONE)
		h->unit[u->next].prev = u->prev;
	if (u->prev != NONE)
		h->unit[u->prev].next = u->next;
	else if (u->next != NONE)
		h->list[l] = u->next;
	else
		h->filled &= ~(1u << l);
	h->unit[first + u->size - 1].back = 0;
}

struct heap *heap_new(uint64_t base, uint64_t size)
{
	struct heap *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->base = base;
	h->count = (uint32_t)min_u64(size / UNIT, MAX_UNITS);
	h->unit = pages_map((h->count + 1) * sizeof(*h->unit));
	if (!h->unit) {
		free(h);
		return NULL;
	}
	pthread_mutex_init(&h->lock, NULL);
	if (h->count)
		heap_put(h, 0, h->count);
	return h;
}

void heap_free(struct heap *h)
{
	if (!h)
		return;
	pages_unmap(h->unit, (h->count + 1) * sizeof(*h->unit));
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* A free block of at least that size, or NONE. All blocks of larger lists are
 * large enough, and some of its own list are. */
static uint32_t heap_find(const struct heap *h, uint32_t size)
{
	unsigned l = list_of(size);
	uint32_t above = h->filled >> l >> 1 << l << 1;
	uint32_t at = NONE;

	if (h->filled >> l & 1)
		at = h->list[l];
	if (above && (at == NONE || h->unit[at].size < size))
		return h->list[__builtin_ctz(above)];
	while (at != NONE && h->unit[at].size < size)
		at = h->unit[at].next;
	return at;
}

uint64_t heap_take(struct heap *h, uint64_t size)
{
	uint32_t want, at, rest;

	if (!size || size > (uint64_t)MAX_UNITS * UNIT)
		return 0;
	want = (uint32_t)((size + UNIT - 1) / UNIT);
	pthread_mutex_lock(&h->lock);
	at = heap_find(h, want);
	if (at != NONE) {
		rest = h->unit[at].size - want;
		heap_take_out(h, at);
		h->unit[at].size = want | USED;
		if (rest)
			heap_put(h, at + want, rest);
	}
	pthread_mutex_unlock(&h->lock);
	return at == NONE ? 0 : h->base + (uint64_t)at * UNIT;
}

/* Frees the block and merges it with its free neighbours. */
static void heap_release(struct heap *h, uint32_t at)
{
	uint32_t size = h->unit[at].size & ~USED, after = at + size;

	h->unit[at].size = 0;
	if (after < h->count && h->unit[after].size &&
	    !(h->unit[after].size & USED)) {
		heap_take_out(h, after);
		size += h->unit[after].size;
		h->unit[after].size = 0;
	}
	if (at && h->unit[at - 1].back) {
		uint32_t before = h->unit[at - 1].back - 1;

		heap_take_out(h, before);
		size += h->unit[before].size;
		at = before;
	}
	heap_put(h, at, size);
}

/* heap_size, with the lock. */
static uint64_t size_at(const struct heap *h, uint64_t at)
{
	uint64_t i = (at - h->base) / UNIT;
	bool found = at >= h->base && (at - h->base) % UNIT == 0 &&
		     i < h->count && h->unit[i].size & USED;

	return found ? (uint64_t)(h->unit[i].size & ~USED) * UNIT : 0;
}

uint64_t heap_size(struct heap *h, uint64_t at)
{
	uint64_t size;

	pthread_mutex_lock(&h->lock);
	size = size_at(h, at);
	pthread_mutex_unlock(&h->lock);
	return size;
}

uint64_t heap_give(struct heap *h, uint64_t at)
{
	uint64_t size;

	pthread_mutex_lock(&h->lock);
	size = size_at(h, at);
	if (size)
		heap_release(h, (uint32_t)((at - h->base) / UNIT));
	pthread_mutex_unlock(&h->lock);
	return size;
}
