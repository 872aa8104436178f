/*
 * Instruction supply of one SM: L0 caches of the sub-cores, the SM's L1
 * instruction cache, a stream prefetcher, and how far a warp's buffer of
 * decoded instructions runs ahead.
 *
 *   warp --> [ L0 | stream buffer ] --> [ L1 ] --> the L2
 *               of its sub-core        of the SM
 *
 * A warp asks when it comes within front.buffer instructions of a line that
 * it has not asked for; in straight code a hit therefore never shows. A
 * branch asks for its target at once; what a hit costs it is in lat.branch.
 *
 * Time. Asked for at cycle t, a line that is in the L0 can issue at t. Else
 * it arrives at
 *   t + l1_cycles               if it is in the L1,
 *   t + l1_cycles + l2_cycles   if it is not,
 *   t + l2_cycles               where there is no L1,
 *   when it would anyway        if it is under way to the L0, and not before
 *                               the L1 has it, if under way to the L1;
 * and can issue decode_cycles after it has arrived. Where there is no L0, the
 * L1 takes its place for all sub-cores: a hit issues at t, a miss arrives at
 * t + l2_cycles, and nothing is prefetched.
 *
 * Stream buffer. A sub-core's holds the prefetch_lines that follow a line. A
 * line asked for that is neither in the L0 nor in the buffer restarts it: the
 * lines that follow are asked of the L1 one per cycle, the i-th i cycles after
 * the miss. A line that is in the buffer moves to the L0 at no cost, or when
 * it arrives; the buffer drops the lines before it and asks for as many new
 * ones, again one per cycle. Lines that the L0 has are passed over.
 *
 * Models:  two levels of caches with LRU, latency of misses, misses to one
 *          line under way merged, the stream buffer.
 * Does not model: bandwidth of the instruction network, instruction lines in
 *          the L2's tags (front.l2_cycles is fixed), fetch arbitration
 *          between warps of a sub-core, a bound on misses under way (a line
 *          takes its way when it is asked for; who waits for a line that is
 *          replaced meanwhile gets it nevertheless), the end of the program.
 * Counts:  the stream buffer as part of the L0. A line that the L1 has yet to
 *          wait for is an L1 miss. Without an L0 every fetch is an L0 miss,
 *          without an L1 every fetch from it is an L1 miss. Nothing if
 *          front.perfect.
 * Owner:   the SM. Nothing is allocated after front_new.
 */
#ifndef HEDDLE_SM_FRONT_H
#define HEDDLE_SM_FRONT_H

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "stat/stat.h"

struct front;

/* ERR_NOMEM, or ERR_RANGE where cfg_check lets pass what this cannot model:
 * lines that hold no power of two of instructions, an L1 line smaller than
 * an L0 line. */
MUST_USE enum err front_new(struct front **out, struct arena *a,
			    const struct cfg *cfg, struct stat_front *st,
			    struct diag *d);
/* Before a launch: empties the caches and stream buffers. */
void front_start(struct front *f);
/* The program has so many lines of the L0, numbered from 0. If they fit, none
 * is ever replaced, and looking up one that has arrived is quick here. */
void front_code(struct front *f, uint32_t lines);

/* The line of instruction `pc` of a function: the functions of a program lie
 * one after the other, this one from instruction `base` on. */
static inline uint32_t front_line(uint32_t base, uint32_t pc, unsigned shift)
{
	return (base + pc) >> shift;
}

/* Its shift: instructions of a line of the first cache there is, as a power
 * of two. If front.perfect, so many that nobody comes to a second line. */
unsigned front_shift(const struct front *f);

/*
 * Sub-core `sub` needs line `line`, not UINT32_MAX, at cycle `now`, which
 * never falls: returns the cycle from which on its instructions can issue
 * (`now` or earlier: at once).
 */
cycle_t front_fetch(struct front *f, uint32_t sub, uint32_t line, cycle_t now);

#endif
