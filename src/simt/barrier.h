/*
 * Executors of the barriers of a block, with counts and reductions.
 *
 * in->a is the barrier's number; in->b the count of threads, if in->k says that
 * there is one; in->c the predicate of a reduction; in->count which reduction.
 */
#ifndef HEDDLE_SIMT_BARRIER_H
#define HEDDLE_SIMT_BARRIER_H

#include "simt/warp.h"

/* in->count. */
enum { BAR_PLAIN, BAR_POPC, BAR_AND, BAR_OR };

exec_fn bar_sync, bar_arrive, bar_red;

#endif
