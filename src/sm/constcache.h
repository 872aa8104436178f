/*
 * Constant caches of one SM: a first level in each sub-core, a second one that
 * they share.
 *
 * Models:  tags of both levels with LRU, the latency of each, lanes that read
 *          different addresses (one after the other with ccache.word_cycles,
 *          else by lines, one a cycle), hits under miss:
 *          a read of a line in flight waits for that line; parameters of
 *          machine code, which a launch leaves in the second level (the first
 *          read of one costs as much on an H200); lines that come from DRAM,
 *          because no launch has read them yet (ccache.first_cycles).
 * Does not model: the network. A line that is in neither level arrives after
 *          ccache.l2_cycles, whatever else is in flight, and costs no
 *          bandwidth. What other SMs have read, what the host has written and
 *          what the L2 has evicted does not matter for first_cycles; an SM
 *          remembers the last CONSTCACHE_SEEN bytes that it has read. Only the CONSTCACHE_LATE youngest lines in flight are
 *          remembered; older ones are assumed to have arrived.
 * Owner:   the LSU.
 *
 * asks: a line that is in neither level must be requested from the memory, which
 * costs what it costs there, instead of l2_cycles and first_cycles; nothing is
 * remembered of lines in flight, and those of the second level are as long as the
 * first one's.
 */
#ifndef HEDDLE_SM_CONSTCACHE_H
#define HEDDLE_SM_CONSTCACHE_H

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "stat/stat.h"

enum { CONSTCACHE_LATE = 64, CONSTCACHE_SEEN = 256 << 10 };

struct constcache;

/* Lives in *a. back: an instruction's first access is at most so many cycles
 * before that of one that was made earlier. */
MUST_USE enum err constcache_new(struct constcache **out, struct arena *a,
				 const struct cfg *cfg, struct stat_lsu *st,
				 bool asks, cycle_t back, struct diag *d);
/* Empties the caches, but not the memory of lines that were read. */
void constcache_start(struct constcache *c);
/* Lanes that agree in address >> shift share an access. */
unsigned constcache_shift(const struct constcache *c);
/* How long an access occupies the LSU. */
uint32_t constcache_interval(const struct constcache *c);
/*
 * A sub-core makes an access (address >> constcache_shift) at cycle *t, by an
 * instruction whose first access was at `start`: returns the cycle from which
 * its word can be used, and in *t the cycle of the instruction's next access.
 * Lines that no level has are requested from the L2 together, at the start.
 * kept: the line is in the second level, come what may. With `asks`, CYCLE_NEVER:
 * it must be requested.
 */
cycle_t constcache_read(struct constcache *c, uint32_t sub, uint64_t access,
			bool kept, cycle_t start, cycle_t *t);
/* With `asks`: the line of an access, and how long it is; it has arrived for a
 * sub-core. */
uint64_t constcache_line(const struct constcache *c, uint64_t access);
uint32_t constcache_line_bytes(const struct constcache *c);
void constcache_fill(struct constcache *c, uint32_t sub, uint64_t line);

#endif
