/*
 * A GPU of compute units, or of multiprocessors, on the GPU ports of CGM (mem/cgm).
 *
 *   kernel -> dispatcher -> units -> requests -> bridge -> ports -> CGM
 *                             ^------ answers <----'
 *
 * The units are those of cu/ or sm/; the L1s for vectors and scalars, the banks of the
 * second level and everything behind are CGM's. A compute unit's instruction cache and
 * the scalar cache beside it are its own, and their misses go through the port for
 * scalars. A multiprocessor may have an L1 of its own before CGM's (l1.on). With a GPU that is not coherent, every port fences before a kernel, and
 * after it: what the caches have written arrives, what they have read is dropped.
 *
 * Models:  kernels and copies (copy.h) one after the other; a request for each block of 64 bytes that
 *          an instruction accesses, one a tick and port; atomics, one request for
 *          each address; the fences before and after kernels, and of kernels.
 * Does not model: several kernels at once. The values that memory holds: function
 *          is the units', and what CGM carries is not looked at.
 * Owner:   whoever made it. Called between windows of CGM by one thread.
 */
#ifndef HEDDLE_APU_APU_H
#define HEDDLE_APU_APU_H

#include "arch/timed.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "simt/launch.h"
#include "sm/occupancy.h"
#include "stat/stat.h"

struct apu;
struct apu_copy;
struct cgm_system;

struct apu_kernel {
	struct launch *launch;
	const struct timed_program *timed;
	struct occupancy occupancy;
};

/* What a kernel or copy took, when it has ended. Ticks are CGM's. */
struct apu_result {
	bool done; /* else it faulted, or was stopped: launch->fault */
	cycle_t began, started, ended, left; /* fences before `started`, after
					      * `ended` */
	uint64_t cycles;   /* of the GPU, from `started` to `ended` */
	uint64_t requests; /* to CGM */
	uint64_t fences;
	struct stats stats;
	struct diag law; /* as in struct gpu_outcome */
};

/* ERR_RANGE: there is no GPU, or one that cannot be. The memory must outlive
 * it. */
MUST_USE enum err apu_new(struct apu **out, const struct cfg *cfg,
			  struct cgm_system *memory, struct diag *d);
void apu_free(struct apu *a); /* a may be NULL */
/* The parameters of the units as they are, to find out what fits. */
const struct cfg *apu_cfg(const struct apu *a);

/* Begins a kernel at tick `now`. Nothing may be running. */
MUST_USE enum err apu_begin(struct apu *a, cycle_t now,
			    const struct apu_kernel *k, struct diag *d);
/* The same for a copy. */
void apu_begin_copy(struct apu *a, cycle_t now, const struct apu_copy *box);
/* CGM has been simulated up to `now`. Returns the tick of the next call, or
 * CYCLE_NEVER: the kernel or copy has ended. */
cycle_t apu_advance(struct apu *a, cycle_t now);
bool apu_runs(const struct apu *a);
const struct apu_result *apu_result(const struct apu *a);

#endif
