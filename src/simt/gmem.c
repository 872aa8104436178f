#include "simt/gmem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "base/pages.h"
#include "base/search.h"

enum { GRANULE = 256 };

void gmem_init(struct gmem *g, uint64_t base, uint64_t capacity)
{
	memset(g, 0, sizeof(*g));
	g->base = g->floor = base;
	g->capacity = capacity;
	g->limit = base == GMEM_BASE_32 ? 0x100000000ull : base + GMEM_SPAN_64;
}

static uint64_t gmem_padded(uint64_t size)
{
	return round_up(size, GRANULE);
}

/* Bytes of the host behind a range. Memory that it shares has, with pages, also
 * the free granule after it, so that an access over the end is contiguous. */
static uint64_t range_bytes(const struct gmem *g, enum range_kind kind,
			    uint64_t size)
{
	return gmem_padded(size) +
	       (kind == RANGE_SHARED && g->paged_bytes ? GRANULE : 0);
}

static bool range_is_paged(const struct gmem_range *r)
{
	return r->kind == RANGE_OWN && r->maps_pages;
}

/* Returns the bytes of a range to the host, unless the caller owns them. */
static void range_unmap(const struct gmem *g, const struct gmem_range *r)
{
	if (r->kind != RANGE_MAPPED && !range_is_paged(r))
		pages_unmap(r->range.host,
			    range_bytes(g, r->kind, r->range.size));
}

void gmem_free_all(struct gmem *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		range_unmap(g, &g->ranges[i]);
	free(g->ranges);
	g->ranges = NULL;
	g->count = g->room = 0;
	pages_unmap(g->paged, g->paged_bytes);
	g->paged = NULL;
	g->paged_bytes = 0;
}

/*
 * First fit, with a free granule between neighbours, so that an access past the
 * end of one array never falls into the next.
 */
static uint64_t find_gap(const struct gmem *g, uint64_t size, uint64_t align)
{
	uint64_t from = round_up(g->floor, align);

	for (uint32_t i = 0; i < g->count; i++) {
		const struct range *r = &g->ranges[i].range;
		uint64_t end = r->base + gmem_padded(r->size) + GRANULE;

		if (r->base > from && r->base - from >= size + GRANULE)
			break;
		from = max_u64(from, round_up(end, align));
	}
	return from;
}

void gmem_skip(struct gmem *g, uint64_t size)
{
	g->floor = g->base + gmem_padded(size) + GRANULE;
}

/* Index of the last range with base <= at, or -1. */
static int64_t at_or_below(const struct gmem *g, uint64_t at)
{
	size_t i;

	SEARCH_FIRST(i, g->count, g->ranges[i].range.base <= at);
	return (int64_t)i - 1;
}

/* Whether any range overlaps [at, at + size). */
static bool overlaps(const struct gmem *g, uint64_t at, uint64_t size)
{
	int64_t i = at_or_below(g, at + size - 1);
	const struct range *r;

	if (i < 0)
		return false;
	r = &g->ranges[i].range;
	return r->base >= at || at - r->base < r->size;
}

/* ---- pages, as on hardware ---- */

_Static_assert((int)GMEM_PAGE == (int)PAGES_UNIT, "pages of the host");

void gmem_page(struct gmem *g, uint64_t skipped)
{
	uint64_t before = min_u64(skipped, g->limit - g->base);
	uint64_t from = (g->base + before) / GMEM_PAGE * GMEM_PAGE;
	uint64_t span = g->limit - from;
	uint64_t bytes = 2 * min_u64(g->capacity, span / 2);

	CHECK(!g->count && !g->paged);
	bytes = min_u64(round_up(bytes, GMEM_PAGE), span);
	g->paged_from = from;
	g->paged = bytes ? pages_reserve(bytes) : NULL;
	/* Others need addresses, too: take no more than an eighth. */
	for (uint64_t most = bytes; !g->paged && most >= 16 * GMEM_PAGE;) {
		most /= 2;
		bytes = most / 8 / GMEM_PAGE * GMEM_PAGE;
		if (pages_can_reserve(most))
			g->paged = pages_reserve(bytes);
	}
	g->paged_bytes = g->paged ? bytes : 0;
}

static bool has_pages(const struct gmem *g, uint64_t at, uint64_t size)
{
	uint64_t offset = at - g->paged_from;

	return offset < g->paged_bytes && g->paged_bytes - offset >= size;
}

static char *page_host(const struct gmem *g, uint64_t at)
{
	return g->paged + (at - g->paged_from);
}

/* Whether an allocation has bytes in the page. */
static bool page_is_mapped(const struct gmem *g, uint64_t page)
{
	int64_t i = at_or_below(g, page + GMEM_PAGE - 1);

	for (; i >= 0; i--) {
		const struct gmem_range *r = &g->ranges[i];

		if (r->range.base + r->range.size <= page)
			return false;
		if (r->maps_pages)
			return true;
	}
	return false;
}

/* The pages of the bytes from `at` to `end` that no allocation of the table
 * has mapped: all but the first and the last, at most. */
struct page_run {
	uint64_t from, to;
};

static struct page_run unmapped_pages(const struct gmem *g, uint64_t at,
				      uint64_t end)
{
	struct page_run run = { at / GMEM_PAGE * GMEM_PAGE,
				round_up(end, GMEM_PAGE) };

	if (page_is_mapped(g, run.from))
		run.from += GMEM_PAGE;
	if (run.to > run.from && page_is_mapped(g, run.to - GMEM_PAGE))
		run.to -= GMEM_PAGE;
	return run;
}

/* Zeroes the bytes that are not in the pages of the run. */
static void clear_beside(const struct gmem *g, uint64_t at, uint64_t end,
			 struct page_run run)
{
	uint64_t low = min_u64(run.from, end), high = max_u64(run.to, low);

	if (at < low)
		pages_zero(page_host(g, at), low - at);
	if (high < end)
		pages_zero(page_host(g, high), end - high);
}

/* Maps the pages of a range that is not in the table yet. */
static bool range_map_pages(const struct gmem *g, const struct gmem_range *r)
{
	uint64_t at = r->range.base, size = r->range.size;
	uint64_t end = at + range_bytes(g, r->kind, size);
	struct page_run run = unmapped_pages(g, at, end);

	if (run.from < run.to &&
	    !pages_commit(page_host(g, run.from), run.to - run.from,
			  size >= GMEM_PAGE))
		return false;
	if (atomic_load_explicit(&g->written_outside, memory_order_relaxed))
		clear_beside(g, at, end, run);
	return true;
}

/* Unmaps the pages of a range that is not in the table any more. */
static void range_unmap_pages(const struct gmem *g, const struct gmem_range *r)
{
	uint64_t at = r->range.base;
	uint64_t end = at + range_bytes(g, r->kind, r->range.size);
	struct page_run run = unmapped_pages(g, at, end);

	if (run.from < run.to)
		pages_decommit(page_host(g, run.from), run.to - run.from);
	if (range_is_paged(r))
		clear_beside(g, at, end, run);
}

/* Whether bytes of a range that is not in g->paged are among these. */
static bool overlaps_unpaged(const struct gmem *g, uint64_t at, uint64_t size)
{
	int64_t i = at_or_below(g, at + size - 1);

	for (; i >= 0; i--) {
		const struct gmem_range *r = &g->ranges[i];

		if (r->range.base + range_bytes(g, r->kind, r->range.size) <=
		    at)
			return false;
		if (!range_is_paged(r))
			return true;
	}
	return false;
}

/* The host's address of bytes that it has mapped with the range below them. */
static char *host_beside(const struct gmem *g, uint64_t at, uint64_t size)
{
	int64_t i = at_or_below(g, at);
	const struct gmem_range *r = i < 0 ? NULL : &g->ranges[i];
	uint64_t bytes, offset;

	if (!r || r->kind != RANGE_SHARED)
		return NULL;
	bytes = range_bytes(g, r->kind, r->range.size);
	offset = at - r->range.base;
	return offset < bytes && bytes - offset >= size ?
		       r->range.host + offset :
		       NULL;
}

static bool pages_are_mapped(const struct gmem *g, uint64_t at, uint64_t size)
{
	uint64_t page = at / GMEM_PAGE * GMEM_PAGE;

	for (; page < at + size; page += GMEM_PAGE)
		if (!page_is_mapped(g, page))
			return false;
	return true;
}

char *gmem_outside(struct gmem *g, uint64_t at, uint64_t size, bool write)
{
	char *host = NULL;
	struct range r;
	bool kept;

	if (g->beyond.find &&
	    g->beyond.find(g->beyond.ctx, at, size, write, &r, &kept))
		return r.host + (at - r.base);
	if (!g->paged_bytes)
		return NULL;
	if (has_pages(g, at, size) && !overlaps_unpaged(g, at, size) &&
	    pages_are_mapped(g, at, size))
		host = page_host(g, at);
	else
		host = host_beside(g, at, size);
	if (host && write)
		atomic_store_explicit(&g->written_outside, true,
				      memory_order_relaxed);
	return host;
}

const struct range *gmem_nearest(const struct gmem *g, uint64_t at)
{
	int64_t i = at_or_below(g, at);
	const struct range *below, *above;

	below = i < 0 ? NULL : &g->ranges[i].range;
	above = i + 1 < (int64_t)g->count ? &g->ranges[i + 1].range : NULL;
	if (!below || !above || at - below->base < below->size)
		return below ? below : above;
	return at - (below->base + below->size) <= above->base - at ? below :
								      above;
}

/* ---- the table ---- */

static bool gmem_reserve(struct gmem *g)
{
	uint32_t room = g->room ? 2 * g->room : 64;
	struct gmem_range *more;

	if (g->count < g->room)
		return true;
	more = realloc(g->ranges, room * sizeof(*more));
	if (!more)
		return false;
	g->ranges = more;
	g->room = room;
	return true;
}

static enum err gmem_nomem(uint64_t size, struct diag *d)
{
	return fail(d, ERR_NOMEM, "the host has no %" PRIu64 " bytes left",
		    size);
}

/* Adds a range; returns its bytes to the host if there is no memory for the
 * entry. */
static enum err gmem_insert(struct gmem *g, struct range r,
			    enum range_kind kind, struct diag *d)
{
	int64_t i = at_or_below(g, r.base) + 1;
	struct gmem_range entry = {
		.range = r,
		.kind = kind,
		.kept = kind == RANGE_TOP,
		.maps_pages =
			kind <= RANGE_SHARED &&
			has_pages(g, r.base, range_bytes(g, kind, r.size)),
	};

	if (!gmem_reserve(g) ||
	    (entry.maps_pages && !range_map_pages(g, &entry))) {
		range_unmap(g, &entry);
		return gmem_nomem(r.size, d);
	}
	memmove(&g->ranges[i + 1], &g->ranges[i],
		(g->count - (uint64_t)i) * sizeof(*g->ranges));
	g->ranges[i] = entry;
	g->count++;
	return ERR_OK;
}

static void gmem_delete(struct gmem *g, int64_t i)
{
	struct gmem_range *r = &g->ranges[i];

	memmove(r, r + 1, (g->count - (uint64_t)i - 1) * sizeof(*r));
	g->count--;
}

static enum err check_size(const struct gmem *g, uint64_t size, struct diag *d)
{
	if (size == 0)
		return fail(d, ERR_RANGE,
			    "an allocation of 0 bytes: must be at least 1");
	if (size > g->limit - g->base)
		return fail(d, ERR_NOMEM,
			    "no address range for %" PRIu64 " bytes", size);
	return ERR_OK;
}

/* Allocates memory of the host for a range of guest addresses. */
static enum err gmem_back(struct gmem *g, uint64_t at, uint64_t size,
			  enum range_kind kind, struct diag *d)
{
	uint64_t bytes = range_bytes(g, kind, size);
	void *host = kind == RANGE_OWN && has_pages(g, at, bytes) ?
			     page_host(g, at) :
			     pages_map(bytes);

	if (!host)
		return gmem_nomem(size, d);
	return gmem_insert(g, (struct range){ at, size, host }, kind, d);
}

enum err gmem_alloc(struct gmem *g, uint64_t size, uint64_t *out,
		    struct diag *d)
{
	uint64_t at;
	enum err e;

	if (size > g->capacity - g->used)
		return fail(d, ERR_NOMEM,
			    "%" PRIu64 " bytes asked for, %" PRIu64
			    " of the GPU's %" PRIu64 " are free",
			    size, g->capacity - g->used, g->capacity);
	e = check_size(g, size, d);
	if (e)
		return e;
	at = find_gap(g, gmem_padded(size), GRANULE);
	if (at + gmem_padded(size) > g->limit)
		return fail(d, ERR_NOMEM,
			    "no address range for %" PRIu64 " bytes", size);
	e = gmem_back(g, at, size, RANGE_OWN, d);
	if (e)
		return e;
	g->used += size;
	*out = at;
	return ERR_OK;
}

/* At the address that is the same in every run, if the host has it free; else
 * anywhere. */
static char *map_shared(const struct gmem *g, uint64_t size)
{
	uint64_t align = pages_align(size), bytes = round_up(size, align);
	uint64_t backed = range_bytes(g, RANGE_SHARED, size);
	uint64_t at = find_gap(g, bytes, align);
	char *host = NULL;

	if (at + bytes <= g->limit)
		host = pages_map_at((void *)(uintptr_t)at, backed);
	if (host)
		return host;
	host = pages_map(backed);
	at = (uintptr_t)host;
	if (host && (overlaps(g, at, size) ||
		     (g->base == GMEM_BASE_32 && at + bytes > g->limit))) {
		pages_unmap(host, backed);
		return NULL;
	}
	return host;
}

enum err gmem_alloc_shared(struct gmem *g, uint64_t size, uint64_t *out,
			   struct diag *d)
{
	enum err e = check_size(g, size, d);
	char *host;

	if (e)
		return e;
	host = map_shared(g, size);
	if (!host)
		return gmem_nomem(size, d);
	*out = (uintptr_t)host;
	return gmem_insert(g, (struct range){ *out, size, host }, RANGE_SHARED,
			   d);
}

enum err gmem_alloc_top(struct gmem *g, uint64_t size, uint64_t *out,
			struct diag *d)
{
	enum err e = check_size(g, size, d);
	uint64_t at = g->limit - gmem_padded(size);

	if (!e && overlaps(g, at, size))
		e = fail(d, ERR_NOMEM, "no address range for %" PRIu64 " bytes",
			 size);
	if (!e)
		e = gmem_back(g, at, size, RANGE_TOP, d);
	if (!e)
		*out = at;
	return e;
}

enum err gmem_map(struct gmem *g, void *host, uint64_t size, struct diag *d)
{
	return gmem_map_at(g, (uintptr_t)host, host, size, d);
}

enum err gmem_map_at(struct gmem *g, uint64_t at, void *host, uint64_t size,
		     struct diag *d)
{
	uint64_t windows = WINDOW_PARAM + WINDOW_BYTES;

	if (!host || !size || at + size < at)
		return fail(d, ERR_RANGE, "%" PRIu64 " bytes at %p", size,
			    host);
	if (at < WINDOWS_END && at + size > WINDOW_SHARED_HIGH)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes at %p: the GPU has shared "
			    "memory at 0x%llx to 0x%llx",
			    size, host, WINDOW_SHARED_HIGH, WINDOWS_END);
	if (at < windows && at + size > WINDOW_SHARED)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes at %p: the GPU has shared and "
			    "local memory at 0x%x to 0x%" PRIx64,
			    size, host, WINDOW_SHARED, windows);
	if (g->base == GMEM_BASE_32 && at + size > g->limit)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes at %p: addresses have 32 bits",
			    size, host);
	if (overlaps(g, at, size))
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes at %p: the GPU has something "
			    "else there",
			    size, host);
	return gmem_insert(g, (struct range){ at, size, host }, RANGE_MAPPED,
			   d);
}

/* The index of the range that starts at that address, or -1. */
static int64_t gmem_starts(const struct gmem *g, uint64_t at)
{
	int64_t i = at_or_below(g, at);

	return i >= 0 && g->ranges[i].range.base == at ? i : -1;
}

enum err gmem_stay(struct gmem *g, uint64_t at, struct diag *d)
{
	int64_t i = gmem_starts(g, at);

	if (i < 0 || (g->ranges[i].kind != RANGE_MAPPED &&
		      g->ranges[i].kind != RANGE_SHARED))
		return fail(d, ERR_RANGE,
			    "0x%" PRIx64 " is not the start of memory that "
			    "the host and the GPU share",
			    at);
	g->ranges[i].far = true;
	return ERR_OK;
}

const struct range *gmem_next_far(const struct gmem *g, uint32_t *i)
{
	while (*i < g->count) {
		const struct gmem_range *r = &g->ranges[(*i)++];

		if (r->far)
			return &r->range;
	}
	return NULL;
}

enum err gmem_unmap(struct gmem *g, const void *host, struct diag *d)
{
	return gmem_unmap_at(g, (uintptr_t)host, d);
}

enum err gmem_unmap_at(struct gmem *g, uint64_t at, struct diag *d)
{
	int64_t i = gmem_starts(g, at);

	if (i < 0 || g->ranges[i].kind != RANGE_MAPPED)
		return fail(d, ERR_RANGE,
			    "0x%" PRIx64 " is not the start of mapped memory",
			    at);
	gmem_delete(g, i);
	return ERR_OK;
}

static void gmem_release(struct gmem *g, int64_t i)
{
	struct gmem_range r = g->ranges[i];

	if (r.kind == RANGE_OWN)
		g->used -= r.range.size;
	gmem_delete(g, i);
	if (r.maps_pages)
		range_unmap_pages(g, &r);
	range_unmap(g, &r);
}

enum err gmem_free(struct gmem *g, uint64_t at, struct diag *d)
{
	int64_t i = gmem_starts(g, at);

	if (i < 0 || g->ranges[i].kind == RANGE_MAPPED || g->ranges[i].kept)
		return fail(d, ERR_RANGE,
			    "0x%" PRIx64 " is not the start of an allocation",
			    at);
	gmem_release(g, i);
	return ERR_OK;
}

void gmem_keep(struct gmem *g, uint64_t at)
{
	int64_t i = gmem_starts(g, at);

	CHECK(i >= 0);
	g->ranges[i].kept = true;
}

void gmem_drop(struct gmem *g, uint64_t at)
{
	int64_t i = gmem_starts(g, at);

	CHECK(i >= 0 && g->ranges[i].kept);
	gmem_release(g, i);
}

static const struct gmem_range *gmem_lookup(const struct gmem *g, uint64_t at,
					    uint64_t size)
{
	int64_t i = at_or_below(g, at);
	const struct range *r;

	if (i < 0)
		return NULL;
	r = &g->ranges[i].range;
	if (at - r->base > r->size || r->size - (at - r->base) < size)
		return NULL;
	return &g->ranges[i];
}

const struct range *gmem_find(const struct gmem *g, uint64_t at, uint64_t size)
{
	const struct gmem_range *r = gmem_lookup(g, at, size);

	return r ? &r->range : NULL;
}

void gmem_fill(const struct gmem *g, uint64_t at, uint8_t value, uint64_t size)
{
	const struct gmem_range *r = gmem_lookup(g, at, size);
	char *host;

	CHECK(r);
	host = r->range.host + (at - r->range.base);
	/* What the caller mapped may be a file. */
	if (value || r->kind == RANGE_MAPPED)
		memset(host, value, size);
	else
		pages_clear(host, size);
}

uint64_t gmem_guest(const struct gmem *g, const void *host)
{
	for (uint32_t i = 0; i < g->count; i++) {
		const struct range *r = &g->ranges[i].range;

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
