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

#include <stdbool.h>
#include <stdint.h>

struct view;

enum { BULK_CHUNK = 16, BULK_ALL = 0xffff };

/* What one lane has asked for. */
struct bulk {
	uint64_t address;  /* in global memory */
	char *global;      /* where that is; NULL: nothing is copied */
	char *shared;      /* where its bytes of shared memory are */
	uint64_t *barrier; /* that is told, or NULL: a group of the thread's */
	uint32_t offset;   /* of shared memory */
	uint32_t bytes;    /* a multiple of BULK_CHUNK, not 0 */
	uint16_t keep;     /* bytes of each chunk that are copied */
	bool store;        /* to global memory */
};

/* All of it, and tells the barrier. */
void bulk_at_once(const struct bulk *b);
/* At most 32 chunks that begin `at` bytes into it, as the SM of *v sees global
 * memory. */
void bulk_move(struct view *v, const struct bulk *b, uint32_t at,
	       uint32_t chunks);
/* Everything has arrived: tells the barrier. */
void bulk_land(const struct bulk *b);

/* exec_mbar.c: so many bytes have come that the barrier may wait for. */
void mbar_complete_tx(uint64_t *barrier, uint32_t bytes);

#endif
