/*
 * Bulk copies (cp.async.bulk): a lane names any number of 16-byte chunks, from
 * global to shared memory or back.
 *
 *   executor --> struct bulk --> bulk_at_once               functional mode
 *                           \--> effect.bulk --> bulk_move ... bulk_land
 *                                                with time (sm/bulk.c)
 *
 * Models:  what is copied, byte masks, the transaction bytes that an mbarrier
 *          receives; a size is rounded down to whole chunks, as H200s do it.
 * Does not model: time, other blocks of a cluster, cache policies.
 * Owner:   none; functions without state.
 */
#ifndef HEDDLE_SIMT_BULK_H
#define HEDDLE_SIMT_BULK_H

#include "arch/effect.h"

struct view;

enum { BULK_CHUNK = 16, BULK_ALL = 0xffff };

/* Bits of in->k of a bulk copy. */
enum {
	BULK_IN_CHUNKS = 1, /* the size counts chunks, in 16 bits */
	BULK_ONCE = 2       /* one copy for the warp, that of its first lane */
};

/* Bytes of a copy whose size operand is this. */
static inline uint32_t bulk_bytes(const struct inst *in, uint64_t size)
{
	if (in->k & BULK_IN_CHUNKS)
		return (uint32_t)(size & 0xffff) * BULK_CHUNK;
	return (uint32_t)size / BULK_CHUNK * BULK_CHUNK;
}

/* The lanes that request one, of those that are active. */
static inline lanes_t bulk_lanes(const struct inst *in, lanes_t mask)
{
	return in->k & BULK_ONCE ? mask & -mask : mask;
}

/* Executor. in->x: struct bulk_opnds (simt/mem.h); b: size; c: mask of the bytes
 * of each chunk that are copied, or SLOT_NONE. A block is a cluster of its own,
 * so shared::cluster addresses are addresses of its own shared memory. */
exec_fn bulk_exec;

/* Copies everything and notifies the mbarrier. */
void bulk_at_once(const struct bulk *b);
/* Copies up to 32 chunks that begin `at` bytes into it, as the SM of *v sees
 * global memory. */
void bulk_move(struct view *v, const struct bulk *b, uint32_t at,
	       uint32_t chunks);
/* Everything has arrived: notifies the mbarrier. */
void bulk_land(const struct bulk *b);

#endif
