/*
 * A core alone: a program that the test writes, micro-operation by
 * micro-operation, and caches that answer after so many cycles.
 *
 * Instruction n lies at n times `stride` bytes. What it does is written in its struct rig_inst: where it goes,
 * each time it is executed, and what it accesses.
 */
#ifndef HEDDLE_TESTS_CPU_RIG_H
#define HEDDLE_TESTS_CPU_RIG_H

#include "cfg/cfg.h"
#include "cpu/core.h"

enum { RIG_MOST = 64, RIG_TURNS = 64, RIG_WAITING = 64 };

struct rig_inst {
	struct guest_inst inst;
	struct uop uop[2];
	uint64_t address;
	/* A branch: the number of the instruction it goes to, each time; after
	 * `turns` of them, the next one. */
	unsigned to[RIG_TURNS], turns, done;
	/* When it was committed first, and last. */
	cycle_t first, last;
};

/* A thread, or a wrong path of one. */
struct rig_thread {
	unsigned at; /* the instruction */
	bool stray;
	struct rig *rig;
};

struct rig_cache {
	struct cgm_port port; /* the core's end */
	struct cgm_stat_port st;
	cycle_t latency;
	struct cgm_packet waiting[RIG_WAITING];
	unsigned count;
	uint64_t loads, stores, others;
};

struct rig {
	struct arena arena;
	struct cfg cfg;
	struct guest guest;
	struct cpu_host host;
	struct cpu_core *core;
	struct rig_inst program[RIG_MOST];
	struct rig_thread thread[CPU_THREADS];
	unsigned stride; /* bytes from one instruction to the next */
	struct rig_cache code, data;
	cycle_t now;
	unsigned stopped;
	cycle_t stopped_at;
};

/* Defaults of the configuration; a perfect predictor; 4 cycles each cache. */
void rig_init(struct rig *r);
void rig_start(struct rig *r);
/* Thread t runs from instruction `begin` to one that is none. */
void rig_thread(struct rig *r, unsigned t, unsigned begin);
/* Simulates a cycle; for tests of several cores. */
void rig_step(struct rig *r);
/* Simulates until all threads have come to their ends. */
void rig_run(struct rig *r);
void rig_free(struct rig *r);

/* Instruction n: one micro-operation that reads a and b and writes d. */
struct rig_inst *rig_compute(struct rig *r, unsigned n, enum uop_unit unit,
			     enum uop_lat lat, uint8_t d, uint8_t a, uint8_t b);
struct rig_inst *rig_add(struct rig *r, unsigned n, uint8_t d, uint8_t a,
			 uint8_t b);
struct rig_inst *rig_load(struct rig *r, unsigned n, uint8_t d, uint8_t a,
			  uint64_t address, uint8_t bytes);
struct rig_inst *rig_store(struct rig *r, unsigned n, uint8_t value,
			   uint64_t address, uint8_t bytes);
/* A branch that goes to `to` `turns` times, then falls through. */
struct rig_inst *rig_branch(struct rig *r, unsigned n, enum guest_branch kind,
			    unsigned to, unsigned turns);

#endif
