/*
 * The timed instruction: what timing knows of an instruction before it
 * executes. An instruction set makes one for each instruction of a function,
 * once, when a module is loaded for timing (isa.time).
 *
 * Registers are numbers of the scoreboard, dense from 0 in each function.
 *
 * Models:  which registers an instruction waits for and writes, its unit and
 *          latency, what orders it, bank conflicts of its operands, operands
 *          that the reuse cache holds, the kernel's demand for registers.
 * Does not model: what it does to memory: arch/effect.h.
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
	/* Nothing of the warp issues until it has completed. */
	TIMED_ACQUIRE = 1,
	TIMED_RELEASE = 2,    /* waits as a fence does, before it */
	TIMED_UNCACHED = 4,   /* .cg, .cv, volatile, relaxed: not from the L1 */
	TIMED_READONLY = 8,   /* ld.nc, ldu */
	TIMED_STREAMING = 16, /* .cs, .lu, evict_first: as any other today */
	TIMED_NO_RESULT = 32, /* red, or an atom whose result nobody takes */
	TIMED_SYSTEM = 64,    /* a fence or access at system scope */
	TIMED_BLOCK = 128     /* the same at block (cta) scope */
};

/* What an instruction asks before it issues, so that memory accesses stay in
 * order. */
enum timed_order {
	ORDER_NONE,   /* nothing */
	ORDER_ATOMIC, /* whether it touches sectors with atomics in flight */
	ORDER_BLIND,  /* the same, its addresses not being known yet */
	ORDER_ALWAYS  /* whether it may issue at all: fences, bulk copies */
};

/* Groups of copies that a thread waits for. */
enum copy_group { GROUP_COPY, GROUP_BULK, GROUP_KINDS };

enum { TIMED_REGS = 9, TIMED_QUICK = 4, TIMED_BANKS = 4 };

/* One cache line. */
struct timed_inst {
	uint8_t kind; /* enum timing_kind */
	uint8_t unit; /* enum unit_class */
	uint8_t lat;  /* enum lat_class */
	uint8_t flags;
	uint8_t order; /* enum timed_order */
	uint8_t group; /* enum copy_group, of KIND_COMMIT and KIND_ASYNC_WAIT */
	/* The one after it in the code is the next in the text, and follows if
	 * nothing happens. */
	bool leads_on;
	bool fetches;      /* a load that mem_fetch is for */
	uint16_t cycles;   /* of its latency class, and what changes it here */
	uint16_t interval; /* for which it holds its pipe */
	/* Registers it waits for: the first `writes` are those it writes. More
	 * than TIMED_REGS: all of them are in more[] instead. */
	uint8_t writes, regs;
	/* Registers read from each bank. Where regs.banks is more than
	 * TIMED_BANKS: from those that it reads most of, bank b at b mod
	 * TIMED_BANKS or, where that is taken, at the next free place.
	 * reuse: the same when the previous instruction in the text was the
	 * one issued before it by the same scheduler, of the same warp. */
	uint8_t reads[TIMED_BANKS], reuse[TIMED_BANKS];
	/* The same as cycles of regs.read_ports reads; reads that reuse saves. */
	uint8_t passes[TIMED_BANKS], reuse_passes[TIMED_BANKS], saved;
	/* The first TIMED_QUICK can be read whatever `regs` is, unless that is 0:
	 * in the place of none is the first one again. */
	uint16_t reg[TIMED_REGS];
	const uint16_t *more;
};
_Static_assert(sizeof(struct timed_inst) <= 64, "a row fills one cache line");

struct timed_func {
	const struct code *code;
	struct timed_inst *inst; /* by index in code->insts; pseudo: zero */
	uint32_t count;
	uint32_t scoreboard; /* registers of this function for the scoreboard */
	/* It, or what it calls, has an instruction that the SM has no unit for:
	 * the place and the instruction, else NULL. */
	const char *refused;
};

/* All functions of a program, for one configuration. */
struct timed_program {
	struct timed_func *func; /* by function; inst NULL: no body */
	uint32_t func_count;
	uint32_t scoreboard; /* the most of any function */
	/* By function: 32-bit registers a thread, with the functions
	 * that it calls. */
	uint32_t *registers;
};

static inline const uint16_t *timed_regs(const struct timed_inst *r)
{
	return r->more ? r->more : r->reg;
}

/* A number of cycles, cut to what timed_inst can hold. */
static inline uint16_t timed_cycles(int64_t n)
{
	return (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
}

/* Operands of memory and control instructions take another way. */
static inline bool timed_has_fixed_latency(const struct timed_inst *r)
{
	switch (r->lat) {
	case LAT_ALU:
	case LAT_MAD:
	case LAT_FMA:
	case LAT_F64:
	case LAT_F16:
		return r->kind == KIND_PLAIN;
	default:
		return false;
	}
}

#endif
