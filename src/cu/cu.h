/*
 * A cluster of compute units of a GCN GPU: SIMDs, wavefronts, and the caches that
 * the units share, cycle by cycle. To the rest of the machine it is one partition
 * in the place of an SM (sm/sm.h): the same wires, views of memory, dispatcher
 * and engines.
 *
 *   dispatcher ==group==> [unit: SIMDs, wavefronts] -> issue -> SIMD, scalar,
 *              <==done===         ^                         branch unit
 *                                 |-- counters ------- vector memory -> L1 -\
 *                                 |                     LDS                 |
 *   memory <==requests== [instruction cache, scalar cache of the cluster] <-/
 *
 * Each cycle it is one SIMD's turn; its wavefronts issue up to sm.issue_width
 * instructions of different kinds, one of each wavefront, the oldest of the
 * highest priority first. Function runs at issue (simt/wave.h). An instruction
 * waits for no register: a simple vector instruction takes as long as the SIMD's
 * next turn, and for memory the program waits itself, with s_waitcnt. So a
 * wavefront needs its instruction, its unit, and the counters that it names.
 *
 * Models:  turns of SIMDs, kinds of instructions, vector instructions that take
 *          several passes, the counters vm, lgkm and exp, in-order returns of
 *          vector memory and of the LDS, instruction buffers and fetch, a scalar
 *          cache and an instruction cache shared by the cluster, the vector L1,
 *          bank conflicts of the LDS, atomics, barriers, s_sleep, s_setprio,
 *          residency by registers, LDS and wavefronts.
 * Does not model: exports, the global data share, register banks, hazards that
 *          s_nop resolves, the texture filter (an image load is a load), writes
 *          that combine in the L1, an L1 shared by reads and writes of
 *          different wavefronts in flight (a store is complete when the L2 could
 *          have answered it).
 * Owner:   the GPU; its state belongs to one thread at a time.
 */
#ifndef HEDDLE_CU_CU_H
#define HEDDLE_CU_CU_H

#include "sm/sm.h"

struct cu_cluster;
struct service_cost;

/* How many work-groups of a launch a unit holds. *used: vector registers of a
 * work-item; they are in the code object, not estimated. */
MUST_USE enum err cu_occupancy(struct occupancy *out, uint32_t *used,
			       const struct cfg *cfg, const struct launch *l,
			       struct diag *d);

struct wire_room cu_room(const struct cfg *cfg, const struct mem_shape *shape,
			 cycle_t window);
/* The maximum number of cycles that a message of a cluster is in flight; add the
 * window to get the wires' horizon. */
cycle_t cu_horizon(const struct cfg *cfg);

/* Whether a request is of the caches that units share: of scalar loads and code. */
bool cu_is_shared_read(const struct msg *m);

/* The functions of sm/sm.h, for a cluster. Its slots are turns of its units'
 * SIMDs, one in each cycle of a unit. */
MUST_USE enum err cu_new(struct cu_cluster **out, struct arena *a,
			 const struct sm_env *env, struct diag *d);
void cu_free(struct cu_cluster *x);
size_t cu_grid_bytes(const struct sm_grid *g);
size_t cu_grid_local_bytes(const struct sm_grid *g);
void cu_start(struct cu_cluster *x, cycle_t now);
MUST_USE enum err cu_attach(struct cu_cluster *x, uint32_t id,
			    const struct sm_grid *g, struct diag *d);
void cu_detach(struct cu_cluster *x, uint32_t id);
cycle_t cu_advance(struct cu_cluster *x, cycle_t from, cycle_t to);
void cu_stop_at_end(struct cu_cluster *x);
bool cu_ended(const struct cu_cluster *x);
void cu_return(struct cu_cluster *x, uint32_t slot,
	       const struct service_cost *cost);
struct view *cu_view(struct cu_cluster *x);
bool cu_idle(const struct cu_cluster *x);
void cu_finish(struct cu_cluster *x, cycle_t end);
void cu_stats(struct cu_cluster *x, cycle_t now, struct stats *out);
void cu_own_stats(struct cu_cluster *x, uint32_t grid, struct stats *to);
cycle_t cu_last(const struct cu_cluster *x);
const struct sm_heat *cu_heat(const struct cu_cluster *x, uint32_t grid,
			      uint32_t func);
const uint64_t *cu_excess(const struct cu_cluster *x, uint32_t grid,
			  uint32_t func);
uint64_t cu_issued(const struct cu_cluster *x);
const struct sm_detail *cu_detail(const struct cu_cluster *x, uint32_t grid,
				  uint32_t func);
const char *cu_broken_law(const struct cu_cluster *x);

#endif
