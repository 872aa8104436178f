/*
 * An instruction as it is executed: decoded once, compact, with its executor.
 *
 * Operands are slots. A slot names an array over the lanes of a warp (a mask
 * for predicates) in one of three places, so that registers, constants and
 * special registers are read in the same way.
 *
 * Owner:   the program (simt/program.h); constant while a launch runs.
 */
#ifndef HEDDLE_ARCH_INST_H
#define HEDDLE_ARCH_INST_H

#include <stdint.h>

#include "arch/kind.h"
#include "arch/lanes.h"
#include "arch/space.h"
#include "base/diag.h"

/* Address registers whose lane pattern a warp remembers: simt/warp.h. */
enum { LANE_PATTERNS = 4 };

struct function;
struct warp;
struct inst;
struct branch_table;
struct tape_site;

typedef void exec_fn(struct warp *w, const struct inst *in);

/* Place in the top two bits, byte offset in the rest. */
typedef uint32_t slot_t;

enum slot_place {
	SLOT_REG,   /* the registers of the current frame */
	SLOT_CONST, /* the program's constants, the same for all warps */
	SLOT_SREG   /* special registers fixed when the warp starts */
};
#define SLOT(place, offset) ((slot_t)(place) << 30 | (slot_t)(offset))
#define SLOT_PLACE(s) ((s) >> 30)
#define SLOT_OFFSET(s) ((s)&0x3fffffffu)
/* A destination that is dropped: `_`, or an absent second destination. */
#define SLOT_NONE 0xffffffffu

/* How the address of a memory operand is computed. */
enum addr_mode {
	ADDR_REG64, /* a 64-bit register plus an offset */
	ADDR_REG32,
	ADDR_ABS,   /* the offset alone */
	ADDR_FRAME, /* the frame's local memory plus the offset */
	/* A pair: LANES words, then as many upper words of the same addresses.
	 * The others add operand e, of the same width as the result. */
	ADDR_PAIR,
	ADDR_PAIR_BASE,
	ADDR_WORD_BASE, /* a 32-bit register to a pair */
	ADDR_REG32_BASE,
	/* The same, the register multiplied by 4, 8 or 16. */
	ADDR_REG32_X4,
	ADDR_REG32_X8,
	ADDR_REG32_X16,
	/* Added to one of these: rounded down to a multiple of the width. */
	ADDR_ROUNDED = 0x80
};

struct inst {
	exec_fn *exec;
	slot_t d, a, b, c, e; /* operands as the row's form names them */
	slot_t d2;            /* second destination: p of d|p, q of p|q */
	slot_t guard;         /* predicate, or SLOT_NONE */
	int32_t guard_flip;   /* ~0 for @!p */
	int64_t offset;       /* immediate of an address; target pc */
	union {
		const void *x; /* further operands of the executor */
		struct branch_table *table;
	};
	uint32_t m;     /* modifiers, simt/lane.h */
	uint16_t op;    /* row of its instruction set's table */
	uint8_t space;  /* enum space */
	uint8_t addr;   /* enum addr_mode */
	uint8_t width;  /* bytes of a memory element, of a type */
	uint8_t count;  /* elements of a vector */
	uint8_t flip;   /* bit i: predicate operand i is negated */
	uint8_t k;      /* a small constant for the executor */
	uint32_t index; /* in the function's text, for messages */
};

/*
 * Operands of an instruction with lists of registers (vectors, matrices,
 * textures): in->x points to this. List i starts at slots[first[i]].
 */
struct opnd_lists {
	uint8_t count[6]; /* registers in list i */
	uint8_t first[6];
	uint8_t bytes[6]; /* of a register in list i: 2, 4, 8 */
	slot_t *slots;
	uint32_t room; /* of slots */
};

enum { NO_PC = 0xffffffffu };

/* Callers may read INST_TAIL instructions past the last one; they are zero. */
enum { INST_TAIL = 2 };

/* Bits of inst.flip. */
enum {
	INST_PSEUDO = 0x80, /* made by the lowering, not an instruction */
	/* A barrier of the warp: lanes may meet at different ones. */
	INST_WARP_BARRIER = 0x40,
	/* A compiler has replaced a branch around it by its guard: it does not
	 * count if no lane executes it. */
	INST_APART = 0x20
};

/* A function ready to run. */
struct code {
	const struct function *func;
	struct inst *insts;
	uint32_t count;
	uint32_t reg_bytes;   /* of one frame's registers */
	uint32_t local_bytes; /* of one frame's .local and .param variables */
	slot_t carry;         /* the carry flag: a predicate of its own */
	/* For recording and replay, by index in insts; else NULL. */
	struct tape_site *sites;
};

#endif
