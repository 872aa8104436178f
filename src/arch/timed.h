/*
 * The timed instruction: what timing knows of an instruction before it
 * executes. An instruction set makes one for each instruction of a function,
 * once, when a module is loaded for timing (isa.time).
 *
 * How an instruction waits for others depends on its instruction set.
 *
 *   scoreboard    It waits for the registers that it reads or writes. They are
 *                 numbered densely from 0 in each function.
 *   control bits  A compiler has encoded what to wait for. `stall` cycles pass
 *                 between an instruction and the next one of its warp, which
 *                 is all that a result of fixed latency needs. For the others a
 *                 warp has TIMED_COUNTERS counters: an instruction raises one
 *                 when it issues, and another that has to wait names it. The
 *                 write counter falls when the result is written, the read
 *                 counter when the operands have been read. A counter takes
 *                 the place of a register in `reg`: the scoreboard holds the
 *                 cycle from which it is 0.
 *
 * Models:  which registers an instruction waits for and writes, its unit and
 *          latency, what orders it, bank conflicts of its operands, operands
 *          that the reuse cache holds, the kernel's demand for registers.
 * Does not model: what it does to memory (arch/effect.h).
 * Owner:   the arena that isa.time is given; constant while a launch runs.
 */
#ifndef HEDDLE_ARCH_TIMED_H
#define HEDDLE_ARCH_TIMED_H

#include "arch/inst.h"
#include "arch/kind.h"
#include "base/arena.h"
#include "base/diag.h"
#include "cfg/cfg.h"

/* Bits of timed_inst.flags. */
enum {
	/* The warp issues nothing until it has completed. */
	TIMED_ACQUIRE = 1,
	TIMED_RELEASE = 2,  /* waits like a fence before it issues */
	TIMED_UNCACHED = 4, /* .cg, .cv, volatile, relaxed: not from the L1 */
	/* Of atomics on shared memory: lanes on one word share a pass. */
	TIMED_SHARES = 4,
	TIMED_READONLY = 8,   /* ld.nc, ldu */
	TIMED_PARAMETER = 8,  /* the same of constants: a kernel's parameter */
	TIMED_PLANE = 8,      /* of textures: more than one dimension */
	TIMED_STREAMING = 16, /* .cs, .lu, evict_first: no effect yet */
	TIMED_CAS = 8,        /* of atomics: compare and swap */
	TIMED_EMPTY_L1 = 8,   /* of fences: empties the L1 */
	TIMED_REGISTER = 8,   /* of indirect branches: of machine code */
	TIMED_FLOAT = 16,     /* of atomics: on floating point */
	/* Of atomics on shared memory: a compare and swap in one pass, which
	 * serves one lane of a bank; the others must try again. */
	TIMED_SPIN = TIMED_CAS | TIMED_FLOAT,
	TIMED_NO_RESULT = 32, /* red, or an atom whose result is dropped */
	TIMED_SYSTEM = 64,    /* a fence or access at system scope */
	TIMED_BLOCK = 128     /* a fence or access at block (cta) scope */
};

/* What is checked before an instruction issues, so that memory accesses stay
 * in order. */
enum timed_order {
	ORDER_NONE,    /* nothing */
	ORDER_ATOMIC,  /* whether it touches sectors with atomics in flight */
	ORDER_BLIND,   /* whether any atomic is in flight: address unknown */
	ORDER_ALWAYS,  /* always: fences, bulk copies */
	ORDER_CONSTANT /* whether its constant operand is in the cache */
};

/* Groups of copies that a thread waits for. */
enum copy_group { GROUP_COPY, GROUP_BULK, GROUP_KINDS };

/* Which lanes' atomics the memory sees; all lanes perform theirs. */
enum atomic_lanes {
	COMBINE_NONE,  /* those of all lanes */
	COMBINE_LANES, /* one of them does it for all: they have one address */
	COMBINE_WARP   /* the same if no lane of the warp is missing */
};

enum {
	TIMED_REGS = 9,
	TIMED_QUICK = 4,
	TIMED_BANKS = 4,
	/* Control bits: counters of a warp, scoreboard entries that they take,
	 * and the room that all they need takes there. */
	TIMED_COUNTERS = 6,
	TIMED_COUNTER_SCORES = 2 * TIMED_COUNTERS,
	TIMED_COUNTER_ROOM = TIMED_COUNTER_SCORES + TIMED_COUNTERS / 2
};

/* One cache line. */
struct timed_inst {
	uint8_t kind; /* enum timing_kind */
	uint8_t unit; /* enum unit_class */
	uint8_t lat;  /* enum lat_class */
	uint8_t flags;
	uint8_t order; /* enum timed_order */
	/* Of KIND_COMMIT and KIND_ASYNC_WAIT: enum copy_group. Of KIND_LOAD, in
	 * shared memory: the bytes of each lane, a power of two, if they are
	 * more than what it loads itself, else 0: folded loads follow that are
	 * part of this access. Of KIND_ATOMIC: enum atomic_lanes. */
	uint8_t group;
	/* The next instruction in the code is also the next one of the text,
	 * and executes next unless an event intervenes; it is no KIND_CALL.
	 * Never of branches. */
	bool falls_through;
	bool fetches;      /* a load that mem_fetch can prefetch */
	uint16_t cycles;   /* latency of its class, as adjusted here */
	uint16_t interval; /* cycles for which it holds its pipe */
	/* Registers that it waits for; the first `writes` are those that it
	 * writes. If there are more than TIMED_REGS, all are in more[]. */
	uint8_t writes, regs;
	/* Number of registers read from each bank. If regs.banks is more than
	 * TIMED_BANKS: from the banks that it reads most from, bank b at index
	 * b mod TIMED_BANKS or, where that is taken, at the next free one.
	 * reuse: the same if its scheduler issued the previous instruction of
	 * the text, of the same warp, just before. */
	uint8_t reads[TIMED_BANKS], reuse[TIMED_BANKS];
	/* The same in cycles of regs.read_ports reads each. saved: the reads
	 * that reuse avoids. */
	uint8_t passes[TIMED_BANKS], reuse_passes[TIMED_BANKS], saved;
	/* Cycles until the warp may issue again, at least 1. */
	uint8_t stall;
	/* The first TIMED_QUICK are valid unless `regs` is 0: unused ones
	 * repeat the first. */
	uint16_t reg[TIMED_REGS];
	uint8_t counters; /* timed_counters; 0: raises none, does not yield */
	/* Part of another instruction: if what it reads is known to arrive, it
	 * executes without being issued, and what it writes arrives then. */
	bool folded;
	union {
		uint32_t constant; /* ORDER_CONSTANT: the operand's address */
		uint32_t bound;    /* KIND_COUNT_WAIT: timed_bound */
	};
	const uint16_t *more;
};
_Static_assert(sizeof(struct timed_inst) <= 64, "fits one cache line");

/*
 * What the check of hazards (sm.hazards) knows of a register that an instruction
 * reads or writes. Registers are numbered from 0 over all register files.
 */
struct timed_use {
	uint16_t reg;
	uint8_t class; /* of producers, or of consumers: timed_checks.latency */
	bool writes;
};

/* The class of results that a counter ends. */
enum { TIMED_VARIABLE };

struct timed_check {
	uint32_t first; /* of its uses */
	uint16_t uses;
	/* Not 0: instructions of one group complete in the order of the text,
	 * so that a counter of one ends those before it, too. */
	uint8_t group;
};

enum { TIMED_GROUPS = 16 }; /* timed_check.group is below this */

struct timed_checks {
	const struct timed_check *inst; /* by index in code->insts */
	const struct timed_use *use;
	uint32_t regs;
	/* Cycles from the issue of a producer to that of a consumer; 0: not
	 * known. Of producer p and consumer c: at p * consumers + c. */
	const uint8_t *latency;
	uint32_t consumers;
};

struct timed_func {
	const struct code *code;
	struct timed_inst *inst; /* by index in code->insts; pseudo: zeros */
	uint32_t count;
	uint32_t scoreboard; /* registers of this function in the scoreboard */
	const struct timed_checks *checks; /* NULL: none are made */
	/* The place and text of an instruction, in it or in a function that it
	 * calls, that the SM has no unit for; else NULL. */
	const char *refused;
};

/* All functions of a program, for one configuration. */
struct timed_program {
	struct timed_func *func; /* by function; inst NULL: no body */
	uint32_t func_count;
	uint32_t scoreboard; /* room for that of any function */
	bool control;        /* instructions have control bits */
	/* By function: 32-bit registers per thread, including the functions
	 * that it calls. */
	uint32_t *registers;
};

/* timed_inst.counters: the counters that an instruction raises, each its number
 * plus 1, or 0 for none; and whether a greedy scheduler turns to another warp
 * after it. */
enum { TIMED_YIELDS = 1 << 6 };

static inline uint8_t timed_counters(unsigned write, unsigned read, bool yields)
{
	return (uint8_t)(write | read << 3 | (yields ? TIMED_YIELDS : 0));
}

static inline unsigned timed_write_counter(const struct timed_inst *ti)
{
	return ti->counters & 7;
}

static inline unsigned timed_read_counter(const struct timed_inst *ti)
{
	return ti->counters >> 3 & 7;
}

static inline bool timed_yields(const struct timed_inst *ti)
{
	return ti->counters & TIMED_YIELDS;
}

/* timed_inst.bound: the warp waits until the counter is at most `most`. */
static inline uint32_t timed_bound(unsigned counter, unsigned most)
{
	return counter << 16 | most;
}

static inline const uint16_t *timed_regs(const struct timed_inst *ti)
{
	return ti->more ? ti->more : ti->reg;
}

/* Clamps a number of cycles to what timed_inst can hold. */
static inline uint16_t timed_cycles(int64_t n)
{
	return (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
}

/* A fetch from more than one dimension holds its pipe for longer; once kind,
 * flags and interval are set. */
static inline void timed_count_planes(struct timed_inst *ti,
				      const struct cfg *cfg)
{
	if (ti->kind == KIND_TEX && ti->flags & TIMED_PLANE)
		ti->interval =
			timed_cycles(ti->interval * cfg->tex.plane_passes);
}

/* Arithmetic with a fixed latency: memory and control instructions read their
 * operands in another way. */
static inline bool timed_has_fixed_latency(const struct timed_inst *ti)
{
	switch (ti->lat) {
	case LAT_ALU:
	case LAT_MAD:
	case LAT_WIDE:
	case LAT_FMA:
	case LAT_F64:
	case LAT_F16:
		return ti->kind == KIND_PLAIN;
	default:
		return false;
	}
}

#endif
