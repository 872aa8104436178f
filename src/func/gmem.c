#include "func/gmem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum { GRANULE = 256 };

void gmem_init(struct gmem *g, uint64_t base, uint64_t capacity)
{
	memset(g, 0, sizeof(*g));
	g->base = base;
	g->capacity = capacity;
	g->limit = base == GMEM_BASE_32 ? 0x100000000ull :
					  base + 0x100000000000ull;
}

static uint64_t padded(uint64_t size)
{
	return (size + GRANULE - 1) & ~(uint64_t)(GRANULE - 1);
}

void gmem_free_all(struct gmem *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		pages_unmap(g->ranges[i].host, padded(g->ranges[i].size));
	free(g->ranges);
	g->ranges = NULL;
	g->count = g->room = 0;
}

/*
 * First fit, with a granule left free between neighbours, so that running off
 * the end of one array never lands in the next. Returns the index to insert
 * at and the address.
 */
static uint32_t find_gap(const struct gmem *g, uint64_t size, uint64_t *at)
{
	uint64_t from = g->base;

	for (uint32_t i = 0; i < g->count; i++) {
		const struct range *r = &g->ranges[i];

		if (r->base - from >= size + GRANULE && r->base > from) {
			*at = from;
			return i;
		}
		from = r->base + padded(r->size) + GRANULE;
	}
	*at = from;
	return g->count;
}

static int reserve(struct gmem *g)
{
	uint32_t room = g->room ? 2 * g->room : 64;
	struct range *more;

	if (g->count < g->room)
		return 1;
	more = realloc(g->ranges, room * sizeof(*more));
	if (!more)
		return 0;
	g->ranges = more;
	g->room = room;
	return 1;
}

enum err gmem_alloc(struct gmem *g, uint64_t size, uint64_t *out,
		    struct diag *d)
{
	uint64_t bytes, at;
	uint32_t i;
	void *host;

	if (size == 0)
		return fail(d, ERR_RANGE, "an allocation of 0 bytes");
	if (size > g->capacity - g->used)
		return fail(d, ERR_NOMEM,
			    "%" PRIu64 " bytes asked for, %" PRIu64
			    " of the GPU's %" PRIu64 " are free",
			    size, g->capacity - g->used, g->capacity);
	bytes = padded(size);
	i = find_gap(g, bytes, &at);
	if (at + bytes > g->limit || !reserve(g))
		return fail(d, ERR_NOMEM,
			    "no address range for %" PRIu64 " bytes", size);
	host = pages_map(bytes);
	if (!host)
		return fail(d, ERR_NOMEM,
			    "the host has no %" PRIu64 " bytes left", size);
	memmove(&g->ranges[i + 1], &g->ranges[i],
		(g->count - i) * sizeof(*g->ranges));
	g->ranges[i] = (struct range){ at, size, host };
	g->count++;
	g->used += size;
	*out = at;
	return ERR_OK;
}

/* Index of the last range with base <= at, or -1. */
static int64_t at_or_below(const struct gmem *g, uint64_t at)
{
	int64_t lo = -1, hi = (int64_t)g->count - 1;

	while (lo < hi) {
		int64_t mid = hi - (hi - lo) / 2;

		if (g->ranges[mid].base <= at)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

enum err gmem_free(struct gmem *g, uint64_t at, struct diag *d)
{
	int64_t i = at_or_below(g, at);
	struct range *r;

	if (i < 0 || g->ranges[i].base != at)
		return fail(d, ERR_RANGE,
			    "0x%" PRIx64 " is not the start of an allocation",
			    at);
	r = &g->ranges[i];
	pages_unmap(r->host, padded(r->size));
	g->used -= r->size;
	memmove(r, r + 1, (g->count - (uint32_t)i - 1) * sizeof(*r));
	g->count--;
	return ERR_OK;
}

const struct range *gmem_find(const struct gmem *g, uint64_t at, uint64_t size)
{
	int64_t i = at_or_below(g, at);
	const struct range *r;

	if (i < 0)
		return NULL;
	r = &g->ranges[i];
	if (at - r->base > r->size || r->size - (at - r->base) < size)
		return NULL;
	return r;
}

uint64_t gmem_guest(const struct gmem *g, const void *host)
{
	for (uint32_t i = 0; i < g->count; i++) {
		const struct range *r = &g->ranges[i];

		if ((uintptr_t)host - (uintptr_t)r->host < r->size)
			return r->base + ((uintptr_t)host - (uintptr_t)r->host);
	}
	return 0;
}

enum err gmem_host(const struct gmem *g, uint64_t at, uint64_t size, void **out,
		   struct diag *d)
{
	const struct range *r = gmem_find(g, at, size);

	if (!r)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes at 0x%" PRIx64
			    " are not inside of one allocation",
			    size, at);
	*out = r->host + (at - r->base);
	return ERR_OK;
}
