/*
 * Wavefronts of 64 lanes whose program handles divergence itself: scalar
 * registers beside vector registers, one of which is the mask of active lanes.
 *
 *   program --decode--> struct wave_op --exec--> struct wave, struct wave_effect
 *
 * An instruction set whose isa.lanes is WAVE_LANES makes wave_ops of its
 * instructions and executes on these structures. Everything else here knows no
 * instruction set: the functional launch, and the compute unit that models time,
 * run work-groups through the same calls:
 *
 *	wk = wave_worker_new(launch, 0);          after launch_begin
 *	g = workgroup_start(wk, index);           waves are g->waves[0 ... count)
 *	op = wave_next(w);                        what it will do: unit, counters
 *	wave_step(w);                             does it; wk->effect tells what
 *	if (w->state == WAVE_ENDED) ...           also WAVE_AT_BARRIER, WAVE_FAULTED
 *	workgroup_retire(wk, g);                  when g->live is 0, or on a fault
 *
 * Models:  work-groups with their local data share, barriers, faults; global
 *          memory at once, or through a view (simt/view.h) if time is modelled.
 * Does not model: time. Loads have written their registers when wave_step
 *          returns; s_waitcnt and its like do nothing then.
 * Owner:   the worker, which one host thread uses at a time.
 */
#ifndef HEDDLE_SIMT_WAVE_H
#define HEDDLE_SIMT_WAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "simt/fault.h"
#include "simt/gmem.h"
#include "simt/launch.h"

enum { WAVE_LANES = 64, WAVE_SCALARS = 256 };

struct atomic;
struct view;
struct wave;
struct wave_op;
struct workgroup;

/* What executes an instruction. Each cycle a SIMD may issue one instruction to
 * each of these, of different wavefronts. */
enum wave_unit {
	WAVE_VALU,
	WAVE_SALU,    /* shares its issue slot with WAVE_SMEM */
	WAVE_SMEM,    /* scalar loads */
	WAVE_VMEM,    /* buffers and images */
	WAVE_LDS,     /* local data share */
	WAVE_EXPORT,  /* exports, global data share: no program here has any */
	WAVE_BRANCH,  /* branches and messages */
	WAVE_SPECIAL, /* stays in the instruction buffer: waits, barrier, nop */
	WAVE_UNITS
};

/* What the issuing unit must do beyond executing it. */
enum wave_kind {
	WAVE_PLAIN,
	WAVE_WAIT,     /* until counters are at most `wait` */
	WAVE_BARRIER,  /* of the work-group */
	WAVE_NOP,      /* for `amount` cycles of the wave's turn */
	WAVE_SLEEP,    /* for `amount` times 64 cycles */
	WAVE_PRIORITY, /* `amount` is the wave's new priority, 0 to 3 */
	WAVE_JUMP,     /* a branch: wave_next may be anything afterwards */
	WAVE_END
};

/* Counters of instructions in flight. */
enum wave_counter {
	WAVE_VM,   /* vector memory */
	WAVE_LGKM, /* local data share, scalar loads, messages */
	WAVE_EXP,  /* exports; stores until their data have been read */
	WAVE_COUNTERS
};

/* Of wave_op.wait: this counter is not waited for. */
enum { WAVE_ANY = 255 };

/* How long a vector instruction takes, in units of the time of a simple one where
 * double precision is fast; the compute unit has its own times. */
enum wave_rate {
	WAVE_FULL = 1,    /* single precision, most of the integers */
	WAVE_F64_ADD = 2, /* addition, comparison */
	WAVE_QUARTER = 4, /* transcendental functions, 32-bit multiplication */
	WAVE_F64_MUL = 8, /* multiplication, conversion, rcp, sqrt */
	WAVE_RATES
};

typedef void wave_fn(struct wave *w, const struct wave_op *op);
typedef void wave_prefetch_fn(const struct wave *w, const struct wave_op *op);

/* An instruction as it is executed: one cache line. */
struct wave_op {
	wave_fn *exec;
	wave_fn *inner; /* of an exec that prepares another one */
	uint8_t unit;   /* enum wave_unit */
	uint8_t kind;   /* enum wave_kind */
	uint8_t passes; /* of a VALU: enum wave_rate */
	uint8_t words;  /* of 4 bytes, of its code */
	uint8_t raises; /* bits 1 << enum wave_counter */
	uint8_t wait[WAVE_COUNTERS];
	uint16_t amount;
	/* The rest is the instruction set's: numbers of registers, modifiers,
	 * constants. */
	uint16_t d, d2, a, b, c;
	uint8_t mods, bytes, lanes, flags;
	uint32_t literal, imm;
	int32_t jump;   /* to the op so many behind this one */
	uint32_t at;    /* offset of its code in the program's, in bytes */
	uint32_t index; /* in the function's text, for messages */
	uint16_t op;    /* row of its instruction set's table */
	uint16_t func;  /* program.funcs that it belongs to */
};
_Static_assert(sizeof(struct wave_op) == 64, "an op is a cache line");

/* Where an instruction accessed memory. */
enum wave_space {
	WAVE_NOWHERE, /* it accessed none, or no lane was active */
	WAVE_GLOBAL,
	WAVE_SHARED, /* addresses are offsets in the work-group's LDS */
	WAVE_SCALAR  /* addr[0], for the wave as a whole: through that cache */
};

/* What the last instruction did to memory. Valid until the worker's next one. */
struct wave_effect {
	uint8_t space; /* enum wave_space */
	bool write;    /* also an atomic */
	bool is_atomic;
	bool returns;  /* an atomic's old values go to registers */
	bool coherent; /* glc: not from the L1 */
	bool image;
	bool invalidate; /* it empties the L1 of its unit, and nothing else */
	/* Two accesses of each lane, as ds_read2: the second ones at shared[1]. */
	bool pairs;
	uint32_t bytes; /* of each access of a lane */
	uint64_t mask;  /* lanes that access memory */
	/* With a view, atomics on global memory are performed later: lanes 0 to
	 * 31 by the first, 32 to 63 by the second. Either may be NULL. Whoever
	 * models time hands them to memory (atomic_perform at the end of the
	 * epoch in which the request arrives, atomic_finish when the answer is
	 * back). In them, lane l is lane l or l + 32 of the wave. */
	struct atomic *atomic[2];
	union {
		uint64_t addr[WAVE_LANES];
		uint32_t shared[2][WAVE_LANES]; /* of WAVE_SHARED */
	};
};

enum wave_state { WAVE_RUNNING, WAVE_AT_BARRIER, WAVE_ENDED, WAVE_FAULTED };

struct wave {
	const struct wave_op *pc; /* the next instruction */
	struct workgroup *group;
	uint32_t *v;    /* register r of lane l at [r * WAVE_LANES + l] */
	uint32_t *s;    /* WAVE_SCALARS, by the numbers of operands */
	uint32_t mode;  /* rounding and subnormals, of the instruction set */
	uint32_t index; /* in the group */
	uint8_t state;  /* enum wave_state */
	uint64_t steps;
	uint64_t lane_steps;        /* of vector instructions: active lanes */
	struct wave_effect *effect; /* the worker's */
	struct view *view;          /* the worker's; NULL: no time */
	bool tells;                 /* loads and stores fill in *effect */
	uint32_t v_count;           /* vector registers that it has */
};

/* Allocations that were found last: most accesses are to these. */
enum { WAVE_RECENT = 32 };

/* Addresses of scratch memory, far from those of allocations: of each worker and
 * number of a work-group its own. */
#define WAVE_SCRATCH 0x600000000000ull

struct wave_worker {
	struct launch *launch;
	/* Global memory as the compute unit sees it: set by whoever models time
	 * before the first work-group starts. NULL: functional. */
	struct view *view;
	int index;
	struct range recent[WAVE_RECENT];
	struct workgroup *free_groups;
	struct wave_effect effect;
	uint32_t groups; /* that it has made; each has a number */
};

struct workgroup {
	struct launch *launch;
	struct wave_worker *worker;
	uint64_t index;
	uint32_t id[3];
	uint32_t wave_count, live, arrived;
	uint32_t releases; /* of the barrier so far */
	struct wave *waves;
	char *lds;
	uint32_t lds_bytes;
	char *scratch; /* scratch_bytes for each wave */
	uint64_t scratch_bytes;
	char *slab;
	uint32_t number; /* among the worker's; work-groups reuse it */
	uint32_t next_wave;
	struct workgroup *next; /* parked or free */
	void *tape;             /* of recording or replay (launch.hooks) */
};

/* The code of a program. */
struct wave_code {
	struct wave_op *ops;
	uint32_t count;
	uint64_t base;    /* address of its first byte in global memory */
	uint64_t bytes;   /* of the code */
	uint32_t vectors; /* vector registers that it names, at least 1 */
	/* By word of the code: the op that begins there, or WAVE_NO_OP. */
	const uint32_t *op_at;
};
enum { WAVE_NO_OP = 0xffffffffu };

/* What a work-group of the launch needs of a compute unit. */
struct wave_demand {
	uint32_t waves;     /* of a work-group */
	uint32_t vectors;   /* vector registers of a wave, as allocated */
	uint32_t scalars;   /* scalar registers of a wave, as allocated */
	uint32_t lds_bytes; /* of a work-group, as allocated */
};

enum wave_trait {
	WAVE_SETS_ACTIVE = 1, /* it may change the mask of active lanes */
	WAVE_READS_CLOCK = 2
};

/* What the launch asks of the instruction set: isa.waves. */
struct wave_isa {
	const struct wave_code *(*code)(const struct program *p);
	/* Sets the registers, the mode and the pc of a wave that starts; all
	 * registers are 0 before, but for constants among the scalars. */
	void (*start)(struct wave *w);
	void (*demand)(struct wave_demand *out, const struct launch *l);
	/* Values of scalar operands that never change; WAVE_SCALARS. */
	const uint32_t *constants;
	/* Prefetches the vector registers of an instruction into the host's
	 * cache: those of all waves that are resident are more than it holds. */
	wave_prefetch_fn *prefetch;
	/* For recording and replay: the mask of active lanes, and what an
	 * instruction may do (enum wave_trait). */
	uint64_t (*active)(const struct wave *w);
	void (*set_active)(struct wave *w, uint64_t mask);
	unsigned (*traits)(const struct wave_op *op);
};

/* The next instruction of a wave that is running. */
static inline const struct wave_op *wave_next(const struct wave *w)
{
	return w->pc;
}

/* Statistics and profiles know the units of an SM. */
enum unit_class wave_unit_class(const struct wave_op *op);

/* Where the launch's program has its code in global memory. */
uint64_t wave_code_address(const struct launch *l);
/* The next instruction's address there, for an instruction cache. */
uint64_t wave_pc_address(const struct wave *w);

/* Executes the next instruction. The wave must be running. */
static inline void wave_step(struct wave *w)
{
	const struct wave_op *op = w->pc;

	w->pc = op + 1;
	w->steps++;
	w->effect->space = WAVE_NOWHERE;
	w->effect->invalidate = false;
	op->exec(w, op);
}

/* Bytes of a wave's scratch memory, and its address. */
uint64_t wave_scratch_bytes(const struct launch *l);
uint64_t wave_scratch_address(const struct wave *w);

/* NULL: out of memory. */
struct wave_worker *wave_worker_new(struct launch *l, int index);
/* All its work-groups must have been retired. */
void wave_worker_free(struct wave_worker *wk);
/* Starts a work-group of the grid: all waves at the kernel's first instruction.
 * NULL: out of memory. */
struct workgroup *workgroup_start(struct wave_worker *wk, uint64_t index);
/* Counts its instructions and keeps its memory for the next one. */
void workgroup_retire(struct wave_worker *wk, struct workgroup *g);

void wave_demand(struct wave_demand *out, const struct launch *l);

/* A launch without time: the work of one host thread (launch_run). False: out of
 * memory. */
bool wave_join(struct launch *l, uint32_t index);

/* ---- for executors ------------------------------------------------------- */

/* Arrives at the work-group's barrier; the last one releases all. */
void wave_barrier(struct wave *w);
void wave_end(struct wave *w);
/* Ends the launch. The instruction is the one before w->pc. */
void wave_fault(struct wave *w, enum fault_kind kind, unsigned lane,
		uint64_t address, const char *format, ...) PRINTF_LIKE(5, 6);

#endif
