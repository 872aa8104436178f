#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MADV_* */
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/minmax.h"

enum { HUGE = 2 << 20 };

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Both kinds have this size, so that pages_unmap need not know which. */
static size_t whole_pages(size_t bytes)
{
	return round_up(bytes, bytes < HUGE ? 4096 : HUGE);
}

void *pages_map_small(size_t bytes)
{
	void *p = map(whole_pages(bytes));

	if (p && bytes >= HUGE)
		(void)madvise(p, whole_pages(bytes), MADV_NOHUGEPAGE);
	return p;
}

void *pages_map(size_t bytes)
{
	char *p, *start;
	size_t before;

	if (bytes < HUGE)
		return pages_map_small(bytes);
	bytes = whole_pages(bytes);
	p = map(bytes + HUGE);
	if (!p)
		return NULL;
	start = (char *)round_up((uintptr_t)p, HUGE);
	before = (size_t)(start - p);
	if (before)
		munmap(p, before);
	if (before < HUGE)
		munmap(start + bytes, HUGE - before);
	/* A wish: without it everything works, slower. */
	(void)madvise(start, bytes, MADV_HUGEPAGE);
	return start;
}

void pages_unmap(void *p, size_t bytes)
{
	if (p)
		munmap(p, whole_pages(bytes));
}
