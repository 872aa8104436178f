/* The program's allocations, sorted by address. */
#ifndef HEDDLE_RT_ALLOC_H
#define HEDDLE_RT_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "door/rt/rt.h"

/* What the program advised about managed memory. A location is a device, -1
 * for the host or -2 for none. */
struct advice {
	bool read_mostly;
	int preferred, prefetched;
	uint32_t devices; /* bit i: device i accesses it */
	bool host;        /* the host accesses it */
};

struct alloc {
	uint64_t base, size;
	enum rt_memory kind; /* RT_HOST, RT_DEVICE or RT_MANAGED */
	int device;
	unsigned flags;
	uint64_t id;
	bool registered;      /* the program's own host memory */
	bool variable;        /* a module's variable; the module frees it */
	struct rt_pool *pool; /* from rt_malloc_async; NULL: none */
	struct advice advice;
	unsigned nodes; /* graph nodes that allocate it */
	bool in_use;    /* with nodes: one has run and it is not freed */
};

/* The allocation that holds the address; NULL: none. */
struct alloc *alloc_find(uint64_t at);
/* The first allocation that overlaps [at, at + size); NULL: none. */
struct alloc *alloc_overlap(uint64_t at, uint64_t size);
/* Adds a copy of *a; NULL: out of memory. */
struct alloc *alloc_add(const struct alloc *a);
void alloc_remove(struct alloc *a);
/* Allocation i in the order of addresses; NULL: there are fewer. */
struct alloc *alloc_at(size_t i);
/* Some allocation of the device; NULL: none is left. */
struct alloc *alloc_of_device(int device);
/* The pool is being destroyed: its allocations outlive it without a pool. */
void alloc_detach_pool(const struct rt_pool *pool);

#endif
