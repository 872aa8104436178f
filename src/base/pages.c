#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MADV_HUGEPAGE */
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

void *pages_map(size_t bytes)
{
	char *p, *start;
	size_t before;

	if (bytes < HUGE)
		return map(round_up(bytes, 4096));
	bytes = round_up(bytes, HUGE);
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
		munmap(p, round_up(bytes, bytes < HUGE ? 4096 : HUGE));
}
