/*
 * What the timing model knows of an instruction: one compact row for each
 * instruction of a function, made once when the module is loaded for timing.
 *
 * Registers. PTX has as many as it likes; a GPU does not. Every PTX register
 * that a function uses, predicates and the carry flag among them, gets a
 * number of its own for the scoreboard (`reg`), dense from 0 in order of
 * appearance, so that there are no false dependences; and a physical register
 * of the register file by a linear allocation over live ranges (sm/live.h),
 * from which come the banks of the operands. Constants, kernel parameters and
 * what is computed of them alone by a uniform datapath have no physical one:
 * reading them costs no bank. Registers per thread, for occupancy, are an
 * estimate of what ptxas takes.
 *
 * A unit that the SM has not is replaced by another that can do its work: half
 * precision and transcendentals by FP32, textures by the LSU, the rest of them
 * by INT or FP32. Nothing replaces FP64 and tensor cores: such an instruction
 * is refused when the module is loaded.
 *
 * Latencies take account of the basic block (sm/tune.h). With sm.compiled, what
 * a block writes anew has a number of its own, as if the compiler had given it
 * another register.
 *
 * Models:  which registers an instruction waits for and writes, unit, latency
 *          class, bank conflicts of its operands, operands that the reuse
 *          cache holds, size of the kernel's register demand.
 * Does not model: spilling (a kernel that needs more than the limit is taken
 *          to have the limit), ptxas's instruction selection. Beyond 65,535
 *          registers of a function, those so far apart share a number.
 */
#ifndef HEDDLE_ARCH_TIMED_H
#define HEDDLE_ARCH_TIMED_H

#include "arch/inst.h"
#include "base/arena.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "simt/program.h"

/* How the SM treats an instruction once it is issued. */
enum timing_kind {
	KIND_PLAIN, /* result after lat.cycles; cp.async.commit_group, too */
	KIND_LOAD,  /* ld, ldu, ldmatrix, wmma.load, mbarrier waits: by space */
	KIND_STORE, /* st, stmatrix, wmma.store, sust */
	KIND_ATOMIC,     /* atom, red, sured, mbarrier: shared or global */
	KIND_ASYNC,      /* cp.async: global to shared, nobody waits at once */
	KIND_BULK,       /* cp.async.bulk: the engine of bulk.c takes it over */
	KIND_ASYNC_WAIT, /* cp.async.wait_group, wait_all, and of .bulk */
	KIND_TEX,        /* tex, tld4, suld */
	KIND_BARRIER,    /* bar, barrier: of a block */
	KIND_FENCE,      /* membar, fence */
	KIND_BRANCH,     /* bra, brx: may change the pc */
	KIND_CALL,       /* call, ret: another frame of registers */
	KIND_EXIT,       /* exit; ret of a kernel */
	KIND_SLEEP,      /* nanosleep */
	KIND_COUNT
};

/* Bits of row.flags. */
enum {
	TIMED_ACQUIRE =
		1, /* nothing of the warp issues until it has completed */
	TIMED_RELEASE = 2,    /* waits as a fence does, before it */
	TIMED_UNCACHED = 4,   /* .cg, .cv, volatile, relaxed: not from the L1 */
	TIMED_READONLY = 8,   /* ld.nc, ldu */
	TIMED_STREAMING = 16, /* .cs, .lu, evict_first: as any other today */
	TIMED_NO_RESULT = 32, /* red, or an atom whose result nobody takes */
	TIMED_SYSTEM = 64,    /* a fence or access at system scope */
	TIMED_BLOCK = 128     /* the same at block (cta) scope */
};

enum { TIMED_REGS = 9, TIMED_QUICK = 4, TIMED_BANKS = 4 };

/* One cache line. */
struct timed_inst {
	uint8_t kind; /* enum timing_kind */
	uint8_t unit; /* enum unit_class */
	uint8_t lat;  /* enum lat_class */
	uint8_t flags;
	uint8_t orders; /* 1: it must ask for atomics under way; 2: always */
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
	struct timed_inst
		*row; /* by index in code->insts; pseudo ones are zero */
	uint32_t count;
	uint32_t scoreboard; /* registers of this function for the scoreboard */
	/* It, or what it calls, has an instruction that the SM has no unit for:
	 * the place and the instruction, else NULL. */
	const char *refused;
};

/* All functions of a program, for one configuration. */
struct timed_program {
	struct timed_func *func; /* by ptx_func.index; row NULL: no body */
	uint32_t func_count;
	uint32_t scoreboard; /* the most of any function */
	/* By ptx_func.index: 32-bit registers a thread, with the functions
	 * that it calls. */
	uint32_t *registers;
};

/* Lives in *a. ERR_UNSUPP: an instruction for a unit that the SM has not. */
MUST_USE enum err time_program(struct timed_program **out, struct arena *a,
			       const struct program *p, const struct cfg *cfg,
			       struct diag *d);

static inline const uint16_t *timed_regs(const struct timed_inst *r)
{
	return r->more ? r->more : r->reg;
}

/* As many cycles as a row can tell. */
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
