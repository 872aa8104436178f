/*
 * The registers of one thread of an x86-64 guest, and what it was stopped by.
 *
 * Models: 16 general registers, RFLAGS' status flags and DF, the bases of FS
 * and GS, 16 XMM registers and MXCSR, the x87 registers. What x86-64-v2
 * has, up to SSE4.2 and POPCNT, is there; CPUID says so.
 * Does not model: MMX (its instructions are refused), other modes than 64-bit,
 * control and debug registers, segments but their bases.
 *
 * Flags are kept as what they are computed from; see flags.h.
 */
#ifndef HEDDLE_ISA_X86_CPU_H
#define HEDDLE_ISA_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct x86_code;
struct x86_inst;
struct x86_mem;

struct x86_xmm {
	union {
		uint8_t b[16];
		uint16_t h[8];
		uint32_t w[4];
		uint64_t q[2];
		float f[4];
		double d[2];
	};
} __attribute__((aligned(16)));

/* An 80-bit number: sign and exponent, and the significand with its one. */
struct x86_f80 {
	uint64_t sig;
	uint16_t se;
};

struct x86_fpu {
	struct x86_f80 st[8]; /* by physical number; ST(0) is st[top] */
	uint8_t top;
	uint8_t full; /* a bit for each physical register that is not empty */
	uint16_t control, status; /* status without its field TOP */
};

/* See flags.h. */
struct x86_flags {
	uint64_t result, carry, extra;
};

enum {
	X86_RAX,
	X86_RCX,
	X86_RDX,
	X86_RBX,
	X86_RSP,
	X86_RBP,
	X86_RSI,
	X86_RDI,
	X86_R8,
	X86_R9,
	X86_R10,
	X86_R11,
	X86_ZERO = 16, /* always zero: an address without base or index */
	X86_REGS
};

enum { X86_SEG_NONE, X86_SEG_FS, X86_SEG_GS, X86_SEGS };

/* Why x86_run returned. */
enum x86_stop {
	X86_STOP_NONE, /* the budget is used up */
	X86_STOP_SYSCALL,
	X86_STOP_YIELD,  /* a pause: another thread may go on */
	X86_STOP_REGION, /* a region begins or ends: `mark` */
	X86_STOP_FAULT
};

/* The guest's fault; the program dies of it. */
enum x86_fault_kind {
	X86_FAULT_NONE,
	X86_FAULT_READ,
	X86_FAULT_WRITE,
	X86_FAULT_FETCH,
	X86_FAULT_ALIGN,   /* a vector in memory that is not aligned to 16 */
	X86_FAULT_DIVIDE,  /* by zero, or the quotient is too large */
	X86_FAULT_INVALID, /* no instruction */
	X86_FAULT_TRAP,    /* int3 */
	X86_FAULT_PROTECT, /* only the kernel may; a reserved bit is set */
	X86_FAULT_FLOAT,   /* an exception of SSE or x87 that is not masked */
	X86_FAULT_UNSUPP   /* an instruction that Heddle does not execute */
};

struct x86_fault {
	enum x86_fault_kind kind;
	uint64_t address; /* of the access */
	unsigned bytes;
	const char *name; /* of the instruction, if it is not supported */
};

struct x86_cpu {
	uint64_t r[X86_REGS];
	uint64_t segment[X86_SEGS]; /* bases */
	struct x86_flags flags;
	/* Copies of what x86_mem has, read by every access. */
	uint8_t *memory;
	const uint8_t *allowed;
	uint64_t rip;
	uint64_t count; /* instructions executed */
	/* What rdtsc shows instead of that, if its time is simulated. */
	uint64_t cycle;
	bool timed;
	/* On a wrong path, where stores go; NULL: on no wrong path. */
	uint8_t *stray;
	bool down; /* DF */
	/* Results are rounded to nearest, and all exceptions are masked; those that
	 * are normal numbers need no second look: "inexact" is set, too. */
	bool nearest, quick;
	uint32_t mxcsr;
	struct x86_xmm x[16];
	struct x86_fpu fpu;
	struct x86_mem *mem;
	const struct x86_inst *at; /* the one that stopped */
	uint16_t mark;             /* as in region.h, without X86_MARK */
	enum x86_stop stop;
	struct x86_fault fault;
};

enum { X86_STRAY_BYTES = 128 };

/* As the kernel starts a program: all zero, MXCSR and the x87 with defaults. */
void x86_cpu_init(struct x86_cpu *c, struct x86_mem *mem);
/* Sets MXCSR. */
void x86_set_mxcsr(struct x86_cpu *c, uint32_t mxcsr);

/*
 * Executes at least one instruction and about `budget` of them: up to the end
 * of a basic block. c->stop says why it returned; after a fault c->rip is the
 * instruction's that faulted, after a system
 * call and the like the next one's.
 */
void x86_run(struct x86_cpu *c, struct x86_code *code, uint64_t budget);
/* Executes one instruction; a repeated string instruction is one. */
void x86_step(struct x86_cpu *c, struct x86_code *code);

#endif
