/*
 * Host threads that help with functional launches, and the memory for the
 * blocks of each thread. Both are kept from launch to launch, because starting
 * a thread or mapping memory takes longer than many launches.
 *
 * The calling thread begins a launch alone. If the launch turns out to be long,
 * it is opened, and helpers join it as they wake up; nothing waits for a helper
 * that does not wake up.
 *
 * A process that forks leaves its helpers behind: the child may free the crew,
 * which then does nothing, but must not use it.
 *
 * Owner:   the device, whose launches run one after the other.
 */
#ifndef HEDDLE_SIMT_CREW_H
#define HEDDLE_SIMT_CREW_H

#include <stddef.h>
#include <stdint.h>

struct launch;
struct crew;

/* Memory for the blocks of one thread; not cleared. */
struct store {
	char *slab, *local;
	size_t slab_bytes, local_bytes;
};

/* Takes part in a launch as thread number `index`, from 1. */
typedef void crew_fn(struct launch *l, uint32_t index);

/* No thread is started yet. NULL: out of memory. */
struct crew *crew_new(uint32_t threads, crew_fn *help);
void crew_free(struct crew *c);
/* Up to `max` helpers take part in the launch from now on. */
void crew_open(struct crew *c, struct launch *l, uint32_t max);
/* No more helpers join; waits for those that did. */
void crew_close(struct crew *c);
/* The memory of thread `index`, where 0 is the calling one; of at least that
 * many bytes, unless the host has no memory or a slab is too large to keep. */
struct store *crew_store(struct crew *c, uint32_t index, size_t slab,
			 size_t local);

#endif
