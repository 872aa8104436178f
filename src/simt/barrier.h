/*
 * Executors of the barriers of a block, with counts and reductions.
 *
 * in->a is the number of the barrier; in->b the number of threads, if in->k is
 * set; in->c the predicate of a reduction; in->count the kind of reduction.
 * simt/block.h says what is modelled.
 */
#ifndef HEDDLE_SIMT_BARRIER_H
#define HEDDLE_SIMT_BARRIER_H

#include "simt/warp.h"

/* in->count. */
enum { BAR_PLAIN, BAR_POPC, BAR_AND, BAR_OR };

exec_fn bar_sync, bar_arrive, bar_red;

#endif
