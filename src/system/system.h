/*
 * A system: cores and the memory system of CGM, on which a program runs.
 *
 *   program -- threads --> scheduler --> hardware threads of cores
 *                                            |  instructions, data
 *                                            CGM
 *
 * Models:  threads of the program on hardware threads, first come, first
 *          served, with a quantum when there are more; system calls that take
 *          the time of section os of the configuration (call.c).
 * Does not model: the operating system's own instructions, its cache misses,
 *          interrupts, page faults.
 * Owner:   whoever made it.
 *
 * Windows: the memory system's (mem/cgm/system.h). Everything that touches the
 * program (function, system calls, scheduling) is done between windows by one
 * thread, in the order of cores; what the cores and the memory system do in
 * a window may be simulated on several threads. Results are the same to the
 * last bit.
 */
#ifndef HEDDLE_SYSTEM_SYSTEM_H
#define HEDDLE_SYSTEM_SYSTEM_H

#include "arch/guest.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "base/spans.h"
#include "cfg/cfg.h"
#include "mem/cgm/series.h"
#include "stat/cgm.h"
#include "stat/cpu.h"

struct cgm_system;
struct system;

/* A marked region of the program, from its first instruction to its last. */
struct system_region {
	uint32_t number;
	uint64_t times;
	bool open;
	cycle_t since;
	/* Summed over the times it was executed. */
	double ns;
	struct cpu_stats cpu;
	struct cgm_stats cgm;
	/* When it was opened. */
	struct cpu_stats cpu_before;
	struct cgm_stats cgm_before;
};

struct system_options {
	unsigned threads; /* of the host; 0: 1 */
	uint64_t limit;   /* of instructions; 0: none */
	/* Plus 1: the region after whose first end instructions only execute; 0:
	 * all is simulated. */
	uint32_t detail_until;
};

/* ERR_RANGE, ERR_NOMEM. cfg must have passed cfg_check. The guest must have been
 * told system_cores(cfg) processors. */
MUST_USE enum err system_new(struct system **out, const struct cfg *cfg,
			     const struct guest *guest,
			     const struct system_options *o, struct diag *d);
void system_free(struct system *s); /* s may be NULL */
/* How many hardware threads a system has. */
unsigned system_cores(const struct cfg *cfg);

/* Simulates until the program has ended, or about `cycles` of a core's clock.
 * ERR_NOMEM. */
MUST_USE enum err system_run(struct system *s, uint64_t cycles, struct diag *d);
/* The program has ended, or the limit was reached. */
bool system_ended(const struct system *s);
bool system_limited(const struct system *s);

/* So far: time, cycles of a core's clock. */
double system_ns(const struct system *s);
uint64_t system_cycles(const struct system *s);
/* Statistics of all cores together, and of core `n`. */
void system_cpu_stats(const struct system *s, struct cpu_stats *out);
void system_core_stats(const struct system *s, unsigned n,
		       struct cpu_stats *out);
void system_cgm_stats(const struct system *s, struct cgm_stats *out);
/* Marked regions, in the order in which they began. */
unsigned system_regions(const struct system *s);
const struct system_region *system_region(const struct system *s, unsigned n);
/* When regions were open, in ticks: region n, in the order in which they began, is
 * kind n. Regions that are still open end at the present. */
void system_region_spans(const struct system *s, struct spans *out);

/*
 * Values over time, and a profile: kept if they are asked for before the first
 * run. They change nothing in what is simulated.
 */

/* Samples, every `interval` cycles of a core at first (mem/cgm/series.h). `cpu`: the
 * statistics of all cores in the order of cpu_stat_rows; `core`: for each one the uses
 * of slots, then instructions. */
struct system_series {
	struct cgm_series all;
	unsigned cpu, core, core_width;
};
MUST_USE enum err system_observe(struct system *s, uint64_t interval,
				 struct diag *d);
/* NULL: not asked for. Up to the present. */
const struct system_series *system_series(struct system *s);

/* Commit slots by instruction. */
struct system_hot {
	uint64_t at; /* its address; 0: those that concern none, and the rest */
	uint64_t slot[CPU_SLOT_USES];
	uint64_t pauses; /* committed; of a loop that waits for others */
};
/* The sum over all cores, by address; the caller frees *out. Slots of cores
 * without a thread are not in it. */
MUST_USE enum err system_profile(struct system *s, struct system_hot **out,
				 size_t *count, struct diag *d);

uint64_t system_bytes(const struct system *s);

/*
 * For devices beside the cores, such as a GPU
 */

/* The memory system, to attach parts to its ports (cgm_system_attach). */
struct cgm_system *system_memory(struct system *s);
/* The present, in the memory system's ticks; in a system call: of the call. */
cycle_t system_now(const struct system *s);
/* Ticks of so many nanoseconds, rounded up. */
cycle_t system_ticks(const struct system *s, uint64_t ns);
/*
 * Something to be done between windows at tick `at`, or in the next one after
 * it; once. A device's own work that touches the program belongs here.
 */
typedef void system_event(void *ctx, cycle_t now);
void system_at(struct system *s, cycle_t at, system_event *event, void *ctx);
/* Calls `watch` before every window in which anything happens, for devices
 * whose parts finish something within a window. */
void system_watch(struct system *s, system_event *watch, void *ctx);
/* A device has woken threads by itself, in an event or a watch. */
void system_woken(struct system *s);
/* Someone works for whom the program may wait: a deadlock is none while
 * this is more than zero. */
void system_busy(struct system *s, int by);

#endif
