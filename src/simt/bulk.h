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

/* Copies everything and notifies the mbarrier. */
void bulk_at_once(const struct bulk *b);
/* Copies up to 32 chunks that begin `at` bytes into it, as the SM of *v sees
 * global memory. */
void bulk_move(struct view *v, const struct bulk *b, uint32_t at,
	       uint32_t chunks);
/* Everything has arrived: notifies the mbarrier. */
void bulk_land(const struct bulk *b);

#endif
