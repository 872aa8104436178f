/*
 * Device-side malloc over a range of global memory.
 *
 * Models:  the addresses that malloc returns: aligned to 16 bytes, the same in
 *          every run with the same order of calls. NULL if nothing fits.
 * Does not model: time (gpu/calls.h does); the placement of blocks by the vendor's malloc.
 * Owner:   the device. Any number of threads may call it.
 *
 * Its data structures are outside of the guest's memory, so that a stray store
 * cannot corrupt them. Free blocks are in lists by the power of two of their
 * size, because thousands of threads call at once and a search would be slow.
 */
#ifndef HEDDLE_SIMT_HEAP_H
#define HEDDLE_SIMT_HEAP_H

#include <stdint.h>

struct heap;

/* A heap over [base, base + size). NULL: out of memory. */
struct heap *heap_new(uint64_t base, uint64_t size);
void heap_free(struct heap *h);

/* Allocates a block. 0: no free block is large enough, or size is 0. */
uint64_t heap_take(struct heap *h, uint64_t size);
/* The size of a block, rounded up. 0: no allocated block begins there. */
uint64_t heap_size(struct heap *h, uint64_t at);
/* Frees a block and returns its size, rounded up. 0: no allocated block begins
 * there. */
uint64_t heap_give(struct heap *h, uint64_t at);

#endif
