#include "door/rt/alloc.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by base, never overlapping. Addresses mostly grow, so most
 * allocations are added at the end. */
static struct alloc **allocs;
static size_t alloc_count, alloc_room;

/* The index of the first allocation that ends after `at`. */
static size_t alloc_seek(uint64_t at)
{
	size_t i;

	SEARCH_FIRST(i, alloc_count, allocs[i]->base + allocs[i]->size <= at);
	return i;
}

struct alloc *alloc_find(uint64_t at)
{
	size_t i = alloc_seek(at);

	return i < alloc_count && allocs[i]->base <= at ? allocs[i] : NULL;
}

struct alloc *alloc_overlap(uint64_t at, uint64_t size)
{
	size_t i = alloc_seek(at);

	return i < alloc_count && allocs[i]->base < at + size ? allocs[i] :
								NULL;
}

struct alloc *alloc_add(const struct alloc *a)
{
	size_t i = alloc_seek(a->base);
	struct alloc *mine;

	if (alloc_count == alloc_room) {
		size_t wide = alloc_room ? alloc_room * 2 : 64;
		struct alloc **bigger = realloc(allocs, wide * sizeof(*allocs));

		if (!bigger)
			return NULL;
		allocs = bigger;
		alloc_room = wide;
	}
	mine = malloc(sizeof(*mine));
	if (!mine)
		return NULL;
	*mine = *a;
	memmove(&allocs[i + 1], &allocs[i],
		(alloc_count - i) * sizeof(*allocs));
	allocs[i] = mine;
	alloc_count++;
	return mine;
}

void alloc_remove(struct alloc *a)
{
	size_t i = alloc_seek(a->base);

	memmove(&allocs[i], &allocs[i + 1],
		(alloc_count - i - 1) * sizeof(*allocs));
	alloc_count--;
	free(a);
}

struct alloc *alloc_at(size_t i)
{
	return i < alloc_count ? allocs[i] : NULL;
}

struct alloc *alloc_of_device(int device)
{
	for (size_t i = alloc_count; i-- > 0;)
		if (allocs[i]->device == device)
			return allocs[i];
	return NULL;
}

void alloc_detach_pool(const struct rt_pool *pool)
{
	for (size_t i = 0; i < alloc_count; i++)
		if (allocs[i]->pool == pool)
			allocs[i]->pool = NULL;
}
