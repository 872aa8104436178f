/*
 * Bulk copies (cp.async.bulk): a lane names any number of 16-byte chunks, from
 * global to shared memory or back.
 *
 *   executor --> struct bulk --> bulk_at_once              function alone
 *                           \--> view->bulk --> bulk_move ... bulk_land
 *                                               as time passes (sm/bulk.c)
 *
 * Models:  what is copied, byte masks, the transaction bytes that a barrier is
 *          told of; a size counts as the whole chunks in it, as H200s do it.
 * Does not model: time, other blocks of a cluster, cache policies.
 */
#ifndef HEDDLE_SIMT_BULK_H
#define HEDDLE_SIMT_BULK_H

#include "arch/effect.h"

struct view;

enum { BULK_CHUNK = 16, BULK_ALL = 0xffff };

/* All of it, and tells the barrier. */
void bulk_at_once(const struct bulk *b);
/* At most 32 chunks that begin `at` bytes into it, as the SM of *v sees global
 * memory. */
void bulk_move(struct view *v, const struct bulk *b, uint32_t at,
	       uint32_t chunks);
/* Everything has arrived: tells the barrier. */
void bulk_land(const struct bulk *b);

#endif
