/*
 * Device-side malloc over a piece of global memory.
 *
 * Models:  the addresses that malloc gives: aligned to 16 bytes, the same in
 *          every run that asks in the same order. NULL when nothing fits.
 * Does not model: time; where the real one puts its blocks.
 * Owner:   the device. Any number of threads may call it.
 *
 * What it knows is kept outside of the guest's memory, so that a stray store
 * cannot break it. Free blocks lie in lists by the power of two of their size:
 * thousands of threads ask at once, and each wants an answer without a search.
 */
#ifndef HEDDLE_SIMT_HEAP_H
#define HEDDLE_SIMT_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap;

/* Over [base, base + size); NULL: the host has no memory. */
struct heap *heap_new(uint64_t base, uint64_t size);
void heap_free(struct heap *h);

/* 0: no block is that large; or size is 0. */
uint64_t heap_take(struct heap *h, uint64_t size);
/* False: nothing that was taken begins there. */
bool heap_give(struct heap *h, uint64_t at);

#endif
