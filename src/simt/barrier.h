/*
 * Executors of the barriers of a block, with counts and reductions.
 *
 * in->a is the number of the barrier; in->b the number of threads, if in->k
 * says so; in->c the predicate of a reduction; in->count the kind of reduction.
 * simt/block.h says what is modelled.
 */
#ifndef HEDDLE_SIMT_BARRIER_H
#define HEDDLE_SIMT_BARRIER_H

#include "simt/warp.h"

/* in->k. PACKED: in->a has the number in its lower half, and the count in its
 * upper half, where 0 stands for all threads. */
enum { BAR_ALL, BAR_COUNTED, BAR_PACKED };

/* in->count. */
enum { BAR_PLAIN, BAR_POPC, BAR_AND, BAR_OR };

exec_fn bar_sync, bar_arrive, bar_red;

#endif
