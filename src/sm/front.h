/*
 * Instruction supply of one SM: L0 caches of the sub-cores, the SM's L1
 * instruction cache, a stream prefetcher, and how far a warp's buffer of
 * decoded instructions runs ahead.
 *
 *   warp --> [ L0 | stream buffer ] --> [ L1 ] --> the L2
 *               of its sub-core        of the SM
 *
 * A warp requests a line when it comes within front.buffer instructions of it,
 * so that in straight-line code a hit costs nothing. A branch requests its
 * target at once; the cost of a hit is part of lat.branch.
 *
 * Time. A line that is requested at cycle t and is in the L0 can issue at t.
 * Otherwise it arrives at
 *   t + l1_cycles               if it is in the L1,
 *   t + l1_cycles + l2_cycles   if it is not,
 *   t + l2_cycles               if there is no L1,
 *   its own arrival             if it is in flight to the L0; and not before
 *                               the L1 has it, if it is in flight to the L1;
 * and can issue decode_cycles after it has arrived. If there is no L0, the L1
 * takes its place for all sub-cores: a hit issues at t, a miss arrives at
 * t + l2_cycles, and nothing is prefetched.
 *
 * Stream buffer. Each sub-core's buffer holds the prefetch_lines that follow a
 * line. A request for a line that is neither in the L0 nor in the buffer
 * restarts it: the lines that follow are requested from the L1 one per cycle,
 * the i-th one i cycles after the miss. A line that is in the buffer moves to
 * the L0 at no cost, or when it arrives; the buffer drops the lines before it
 * and requests as many new ones, again one per cycle. Lines that are in the L0
 * are skipped.
 *
 * Runs. Instead of the buffer, a miss requests a run of prefetch_lines + 1
 * lines at once, and the first request for the second line of a run the next
 * run. On an H200 straight code that is not in the L0 takes 8, 8, 36 cycles a
 * line again and again, and a jump to it 47 more than one within the L0.
 *
 * Launch. The first front.launch_prefetch bytes of a kernel are in the L1 when
 * its first block starts, as the descriptor of a launch demands.
 *
 * All SMs that get blocks start together, and fetch the same code and parameters
 * through levels that they share: nothing arrives from the L1 before the SM's
 * first line, and that takes front.start_latency more, and front.start_cycles
 * for each of these SMs.
 *
 * With front_ask, lines come from the memory, and front.l2_cycles has no meaning.
 *
 * Models:  two levels of caches with LRU, the latency of misses, merging of
 *          misses to a line in flight, the stream buffer.
 * Does not model: bandwidth of the instruction network after that, instruction
 *          lines in
 *          the L2's tags (front.l2_cycles is fixed), fetch arbitration
 *          between warps of a sub-core, a bound on misses in flight (a line
 *          is allocated when it is requested; a warp that waits for a line that
 *          is evicted meanwhile still gets it), the end of the program.
 * Counts:  the stream buffer counts as part of the L0. A line in flight to the
 *          L1 is an L1 miss. Without an L0 every fetch is an L0 miss, without
 *          an L1 every fetch from it is an L1 miss. With front.perfect nothing
 *          is counted.
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

/* Lives in *a. ERR_NOMEM, or ERR_RANGE for what cfg_check accepts and this
 * cannot model: lines that do not hold a power of two of instructions, an L1
 * line smaller than an L0 line. */
MUST_USE enum err front_new(struct front **out, struct arena *a,
			    const struct cfg *cfg, struct stat_front *st,
			    struct diag *d);
/* Lines that the L1 does not have, or the L0s if there is no L1, are requested by
 * miss(ctx, line) from now on, instead of arriving after l2_cycles; front_arrived
 * says that one has come. Until then front_fetch returns FRONT_COMING or more. */
#define FRONT_COMING (UINT64_C(1) << 63)
typedef void front_miss(void *ctx, uint32_t line);
void front_ask(struct front *f, front_miss *miss, void *ctx);
void front_arrived(struct front *f, uint32_t line, cycle_t now);
/* log2 of the lines of front_fetch in one, and the cycles from its arrival to the
 * issue of its instructions. */
unsigned front_ask_shift(const struct front *f);
cycle_t front_decode_cycles(const struct front *f);
/* Before a launch: empties the caches and stream buffers. */
void front_start(struct front *f);
/* A kernel with code in lines from..to of the L0 is launched on so many SMs: the
 * first front.launch_prefetch bytes of them are in the L1. */
void front_launch(struct front *f, uint32_t from, uint32_t to, uint32_t sms);
/* The program has `lines` lines of the L0, numbered from 0. If they all fit,
 * none is ever evicted, and the lookup of one that has arrived is faster. */
void front_code(struct front *f, uint32_t lines);

/* The line of instruction `pc` of a function. The functions of a program are
 * laid out one after the other; this one starts at instruction `base`. */
static inline uint32_t front_line(uint32_t base, uint32_t pc, unsigned shift)
{
	return (base + pc) >> shift;
}

/* The shift for front_line: log2 of the instructions in a line of the first
 * cache level. With front.perfect, so large that all code is in one line. */
unsigned front_shift(const struct front *f);

/*
 * Sub-core `sub` requests line `line`, not UINT32_MAX, at cycle `now`, which
 * never decreases. Returns the cycle from which its instructions can issue
 * (`now` or earlier: at once).
 */
cycle_t front_fetch(struct front *f, uint32_t sub, uint32_t line, cycle_t now);

#endif
