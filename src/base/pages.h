/*
 * Large blocks of the host's memory: zeroed, in huge pages where the host has
 * them. Pages cost nothing until they are touched. A simulated GPU touches tens
 * of megabytes in turn, far more than a processor's TLB covers.
 */
#ifndef HEDDLE_BASE_PAGES_H
#define HEDDLE_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Maps memory aligned to a page, or to a huge page if it is at least that
 * large. NULL: out of memory. */
void *pages_map(size_t bytes);
/* Maps small pages: for memory of which little is ever used. */
void *pages_map_small(size_t bytes);
/* As pages_map, but at the given address, a multiple of pages_align(bytes).
 * The space up to the next multiple must be free, too. NULL: out of memory, or
 * the host has that address in use or does not have it at all. */
void *pages_map_at(void *at, size_t bytes);
size_t pages_align(size_t bytes);
/* Unmaps any of these; `bytes` as when it was mapped. p may be NULL. */
void pages_unmap(void *p, size_t bytes);
/* Zeroes mapped memory. Much of it, in whole huge pages, goes back to the host
 * and costs nothing until it is touched again. */
void pages_clear(void *p, size_t bytes);
/* The same for memory that may never have been touched: any whole pages. */
void pages_zero(void *p, size_t bytes);

/*
 * Addresses without memory, for PAGES_UNIT bytes and multiples of that, aligned
 * to it: pages_commit makes some of them zeroed memory, pages_decommit drops it
 * again. NULL: the process may not have that many (ulimit -v).
 */
enum { PAGES_UNIT = 2 << 20 };
void *pages_reserve(size_t bytes);
/* Whether the process may have that many more now. */
bool pages_can_reserve(size_t bytes);
/* huge: in huge pages, if the host has them. False: out of memory. */
bool pages_commit(void *p, size_t bytes, bool huge);
void pages_decommit(void *p, size_t bytes);

#endif
