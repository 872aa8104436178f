/* The allocations that the program made, by address. */
#ifndef HEDDLE_RT_ALLOC_H
#define HEDDLE_RT_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "door/rt/rt.h"

/* Of managed memory: what the program advised. Places are devices, -1 is the
 * host, -2 none. */
struct advice {
	bool read_mostly;
	int preferred, prefetched;
	uint32_t devices; /* that access it, by their bits */
	bool host;        /* accesses it */
};

struct alloc {
	uint64_t base, size;
	enum rt_memory kind; /* RT_HOST, RT_DEVICE or RT_MANAGED */
	int device;
	unsigned flags;
	uint64_t id;
	bool registered;      /* host memory of the program's own */
	bool variable;        /* of a module, which frees it */
	struct rt_pool *pool; /* of rt_malloc_async; NULL: none */
	struct advice advice;
	unsigned nodes; /* of graphs that allocate it */
	bool in_use;    /* with nodes: one has run, and nobody has freed it */
};

/* The one that holds the address; NULL: none. */
struct alloc *alloc_find(uint64_t at);
/* The first that overlaps [at, at + size); NULL: none. */
struct alloc *alloc_overlap(uint64_t at, uint64_t size);
/* Takes a copy; NULL: out of memory. */
struct alloc *alloc_add(const struct alloc *a);
void alloc_remove(struct alloc *a);
/* In the order of addresses; NULL: there are not as many. */
struct alloc *alloc_at(size_t i);
/* Any of that device's; NULL: none is left. */
struct alloc *alloc_of_device(int device);
/* The pool ends: its memory has none. */
void allocs_leave_pool(const struct rt_pool *pool);

#endif
