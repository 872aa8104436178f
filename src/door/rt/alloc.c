#include "door/rt/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by base, never overlapping. Addresses mostly grow, so that most are
 * added at the end. */
static struct alloc **list;
static size_t count, room;

/* The first whose end is beyond `at`. */
static size_t seek(uint64_t at)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (list[mid]->base + list[mid]->size > at)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

struct alloc *alloc_find(uint64_t at)
{
	size_t i = seek(at);

	return i < count && list[i]->base <= at ? list[i] : NULL;
}

struct alloc *alloc_overlap(uint64_t at, uint64_t size)
{
	size_t i = seek(at);

	return i < count && list[i]->base < at + size ? list[i] : NULL;
}

struct alloc *alloc_add(const struct alloc *a)
{
	size_t i = seek(a->base);
	struct alloc *mine;

	if (count == room) {
		size_t wide = room ? room * 2 : 64;
		struct alloc **bigger = realloc(list, wide * sizeof(*list));

		if (!bigger)
			return NULL;
		list = bigger;
		room = wide;
	}
	mine = malloc(sizeof(*mine));
	if (!mine)
		return NULL;
	*mine = *a;
	memmove(&list[i + 1], &list[i], (count - i) * sizeof(*list));
	list[i] = mine;
	count++;
	return mine;
}

void alloc_remove(struct alloc *a)
{
	size_t i = seek(a->base);

	memmove(&list[i], &list[i + 1], (count - i - 1) * sizeof(*list));
	count--;
	free(a);
}

struct alloc *alloc_at(size_t i)
{
	return i < count ? list[i] : NULL;
}

struct alloc *alloc_of_device(int device)
{
	for (size_t i = count; i-- > 0;)
		if (list[i]->device == device)
			return list[i];
	return NULL;
}

void allocs_leave_pool(const struct rt_pool *pool)
{
	for (size_t i = 0; i < count; i++)
		if (list[i]->pool == pool)
			list[i]->pool = NULL;
}
