/*
 * Large pieces of the host's memory: zeroed, costing nothing until they are
 * touched, in huge pages where the host has them. A simulated GPU touches tens
 * of megabytes in turns, far more than a processor keeps translations for.
 */
#ifndef HEDDLE_BASE_PAGES_H
#define HEDDLE_BASE_PAGES_H

#include <stddef.h>

/* Aligned to a page, or to a huge page if it is that large. NULL: no memory. */
void *pages_map(size_t bytes);
/* In small pages: for room of which little is ever used. */
void *pages_map_small(size_t bytes);
/* As pages_map, at an address that is a multiple of pages_align of as many bytes;
 * nothing else may be in the way up to the next multiple. NULL also: the host
 * does not have that address free, or at all. */
void *pages_map_at(void *at, size_t bytes);
size_t pages_align(size_t bytes);
/* Of any kind, the same size again. NULL is fine. */
void pages_unmap(void *p, size_t bytes);
/* Bytes of mapped pages become zero; whole pages cost nothing again until they
 * are touched. */
void pages_clear(void *p, size_t bytes);

#endif
