#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MADV_* */
#include "base/pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/minmax.h"

/* HUGE: bytes of a huge page. CLEAR: from this size on, giving pages back to
 * the host is cheaper than writing zeros. */
enum { HUGE = 2 << 20, CLEAR = 64 << 20 };

/* Maps at `hint` if that address is free, else anywhere. */
static void *pages_mmap(void *hint, size_t bytes)
{
	void *p = mmap(hint, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The size of the mapping that holds this many bytes: whole pages. */
static size_t pages_size(size_t bytes)
{
	return round_up(bytes, bytes < HUGE ? 4096 : HUGE);
}

void *pages_map_small(size_t bytes)
{
	void *p = pages_mmap(NULL, pages_size(bytes));

	if (p && bytes >= HUGE)
		(void)madvise(p, pages_size(bytes), MADV_NOHUGEPAGE);
	return p;
}

void *pages_map(size_t bytes)
{
	char *p, *start;
	size_t before;

	if (bytes < HUGE)
		return pages_map_small(bytes);
	bytes = pages_size(bytes);
	p = pages_mmap(NULL, bytes + HUGE);
	if (!p)
		return NULL;
	start = (char *)round_up((uintptr_t)p, HUGE);
	before = (size_t)(start - p);
	if (before)
		munmap(p, before);
	if (before < HUGE)
		munmap(start + bytes, HUGE - before);
	/* A hint: without huge pages everything works, but slower. */
	(void)madvise(start, bytes, MADV_HUGEPAGE);
	return start;
}

size_t pages_align(size_t bytes)
{
	return bytes < HUGE ? 1 << 16 : HUGE;
}

void *pages_map_at(void *at, size_t bytes)
{
	void *p = pages_mmap(at, pages_size(bytes));

	if (p && p != at) {
		munmap(p, pages_size(bytes));
		return NULL;
	}
	if (p && bytes >= HUGE)
		(void)madvise(p, pages_size(bytes), MADV_HUGEPAGE);
	return p;
}

void pages_unmap(void *p, size_t bytes)
{
	if (p)
		munmap(p, pages_size(bytes));
}

void pages_clear(void *p, size_t bytes)
{
	char *from = p, *to = from + bytes;
	char *first = (char *)round_up((uintptr_t)from, HUGE);
	char *last = (char *)((uintptr_t)to / HUGE * HUGE);

	if (bytes < CLEAR ||
	    madvise(first, (size_t)(last - first), MADV_DONTNEED)) {
		memset(p, 0, bytes);
		return;
	}
	memset(from, 0, (size_t)(first - from));
	memset(last, 0, (size_t)(to - last));
}
