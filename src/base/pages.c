#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MADV_* */
#include "base/pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/minmax.h"

/* HUGE: bytes of a huge page. CLEAR, ZERO: from this size on, giving pages back
 * to the host is cheaper than writing zeros, to memory that is in use and to
 * memory that may never have been. */
enum { HUGE = PAGES_UNIT, CLEAR = 64 << 20, ZERO = 64 << 10 };

static void *pages_mmap_as(void *hint, size_t bytes, int access, int flags)
{
	void *p = mmap(hint, bytes, access,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1,
		       0);

	return p == MAP_FAILED ? NULL : p;
}

/* Maps at `hint` if that address is free, else anywhere. */
static void *pages_mmap(void *hint, size_t bytes)
{
	return pages_mmap_as(hint, bytes, PROT_READ | PROT_WRITE, 0);
}

/* Keeps of bytes + HUGE mapped bytes at p those from the first huge page on. */
static char *pages_trim(char *p, size_t bytes)
{
	char *start = (char *)round_up((uintptr_t)p, HUGE);
	size_t before = (size_t)(start - p);

	if (before)
		munmap(p, before);
	if (before < HUGE)
		munmap(start + bytes, HUGE - before);
	return start;
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

	if (bytes < HUGE)
		return pages_map_small(bytes);
	bytes = pages_size(bytes);
	p = pages_mmap(NULL, bytes + HUGE);
	if (!p)
		return NULL;
	start = pages_trim(p, bytes);
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

void pages_zero(void *p, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *from = p, *to = from + bytes;
	char *first = (char *)round_up((uintptr_t)from, page);
	char *last = (char *)((uintptr_t)to / page * page);

	if (bytes < ZERO ||
	    madvise(first, (size_t)(last - first), MADV_DONTNEED)) {
		memset(p, 0, bytes);
		return;
	}
	memset(from, 0, (size_t)(first - from));
	memset(last, 0, (size_t)(to - last));
}

void *pages_reserve(size_t bytes)
{
	void *p = pages_mmap_as(NULL, bytes + HUGE, PROT_NONE, 0);

	return p ? pages_trim(p, bytes) : NULL;
}

bool pages_can_reserve(size_t bytes)
{
	void *p = pages_mmap_as(NULL, bytes, PROT_NONE, 0);

	if (p)
		munmap(p, bytes);
	return p != NULL;
}

bool pages_commit(void *p, size_t bytes, bool huge)
{
	if (mprotect(p, bytes, PROT_READ | PROT_WRITE))
		return false;
	if (huge)
		(void)madvise(p, bytes, MADV_HUGEPAGE);
	return true;
}

void pages_decommit(void *p, size_t bytes)
{
	/* The host can have too many mappings; zeros are the contract. */
	if (!pages_mmap_as(p, bytes, PROT_NONE, MAP_FIXED))
		memset(p, 0, bytes);
}
