/*
 * Constant caches of one SM: a first level in each sub-core, a second one that
 * they share.
 *
 * Models:  tags of both levels with LRU, the latency of each, a line that is
 *          still on its way: whoever asks for it meanwhile waits for it too.
 * Does not model: the network. A line found in neither level comes after
 *          ccache.l2_cycles, whatever else is under way, and costs no
 *          bandwidth. Of lines under way only the CONSTCACHE_LATE youngest are
 *          remembered; older ones are taken to have come.
 * Owner:   the LSU.
 */
#ifndef HEDDLE_SM_CONSTCACHE_H
#define HEDDLE_SM_CONSTCACHE_H

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "stat/stat.h"

enum { CONSTCACHE_LATE = 64 };

struct constcache;

/* Lives in *a. */
MUST_USE enum err constcache_new(struct constcache **out, struct arena *a,
				 const struct cfg *cfg, struct stat_lsu *st,
				 struct diag *d);
/* Empties the caches. */
void constcache_start(struct constcache *c);
/* Bits of an address inside of a line of the first level. */
unsigned constcache_shift(const struct constcache *c);
/* When a line (address >> constcache_shift) that a sub-core reads can be used,
 * by an instruction that was issued at cycle t. */
cycle_t constcache_read(struct constcache *c, uint32_t sub, uint64_t line,
			cycle_t t);

#endif
