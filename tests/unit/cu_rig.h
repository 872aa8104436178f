/*
 * A compute unit and a program of an instruction set that has no instructions: each
 * op says itself which unit it needs, how long it takes and what it accesses, and
 * when it was issued is written down.
 *
 *	cu_open(&r, "sm.count=1 cu.cluster=1");
 *	cu_op(&r, (struct cu_op_spec){ .unit = WAVE_VALU });
 *	cu_end(&r);
 *	cu_run(&r, 1, 64);
 *	EQ(4, cu_at(&r, 0, 1) - cu_at(&r, 0, 0));
 *	cu_close(&r);
 */
#ifndef HEDDLE_TESTS_UNIT_CU_RIG_H
#define HEDDLE_TESTS_UNIT_CU_RIG_H

#include "arch/isa.h"
#include "arch/timed.h"
#include "base/arena.h"
#include "engine/engine.h"
#include "gpu/gpu.h"
#include "simt/launch.h"
#include "simt/program.h"
#include "simt/wave.h"

enum { CU_OPS = 4096, CU_WAVES_SEEN = 4096, CU_OPS_SEEN = 64 };

/* Where the lanes of a memory op access: lane l of wave w (of the grid) at
 * at + l * stride + w * wave. */
struct cu_access {
	uint64_t at, stride, wave, lanes; /* lanes: 0 means all of them */
	uint32_t bytes;
	bool write, coherent, pairs, adds;
};

struct cu_rig {
	struct arena arena;
	struct cfg cfg;
	struct gpu *gpu;
	struct gmem gmem;
	struct machine machine;
	struct isa isa;
	struct program program;
	struct function function;
	struct code code;
	struct timed_func timed_func;
	struct timed_program timed;
	struct wave_code waves;
	struct wave_isa wave_isa;
	struct wave_demand demand; /* of a group; waves is set by cu_run */
	struct wave_op ops[CU_OPS];
	struct cu_access access[CU_OPS];
	uint32_t count;
	uint64_t data; /* 64 MiB of global memory */
	const char *engine;
	unsigned threads;
	struct launch launch;
	struct gpu_outcome out;
	/* By wave of the grid and op. */
	cycle_t at[CU_WAVES_SEEN][CU_OPS_SEEN];
	uint32_t loop; /* cu_loop: iterations left are in scalar 0 */
};

void cu_open_on(struct cu_rig *r, const char *config, const char *set);
/* hd7970 with one unit, perfect instruction supply, no launch latency. */
void cu_open(struct cu_rig *r, const char *set);
/* Each returns the number of the op. */
uint32_t cu_op(struct cu_rig *r, enum wave_unit unit);
uint32_t cu_rate(struct cu_rig *r, enum wave_rate rate);
uint32_t cu_wait(struct cu_rig *r, unsigned vm, unsigned lgkm, unsigned exp);
uint32_t cu_special(struct cu_rig *r, enum wave_kind kind, unsigned amount);
uint32_t cu_memory(struct cu_rig *r, enum wave_unit unit, struct cu_access a);
/* Jumps back to an op so many times. */
uint32_t cu_loop(struct cu_rig *r, uint32_t to, uint32_t times);
void cu_end(struct cu_rig *r);
void cu_run(struct cu_rig *r, uint32_t groups, uint32_t threads);
/* Without the check that the run came to its end. */
cycle_t cu_at(const struct cu_rig *r, uint32_t wave, uint32_t op);
void cu_close(struct cu_rig *r);

#endif
