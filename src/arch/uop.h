/*
 * Micro-operations: what an out-of-order core sees of an instruction. They have
 * no names of any instruction set; an instruction set lowers its instructions
 * to them.
 *
 * A register is a number: 0 is none, then integer, floating-point and vector
 * registers, temporaries of an instruction among them. A core renames them.
 */
#ifndef HEDDLE_ARCH_UOP_H
#define HEDDLE_ARCH_UOP_H

#include <stdint.h>

/* What executes it: the pools of functional units. */
#define UOP_UNIT_MAP(X)                                \
	X(ALU, alu, "integer")                         \
	X(MUL, mul, "integer multiplication")          \
	X(DIV, div, "integer division")                \
	X(BRANCH, branch, "branch")                    \
	X(SIMD, simd, "vector integer")                \
	X(FADD, fadd, "floating-point addition")       \
	X(FMUL, fmul, "floating-point multiplication") \
	X(FDIV, fdiv, "floating-point division")       \
	X(LOAD, load, "addresses of loads")            \
	X(STORE, store, "addresses of stores")

enum uop_unit {
#define X(id, name, text) UOP_UNIT_##id,
	UOP_UNIT_MAP(X)
#undef X
		UOP_UNITS
};

/* How long the unit takes. */
#define UOP_LAT_MAP(X)                                 \
	X(ALU, alu, "integer")                         \
	X(MUL, mul, "integer multiplication")          \
	X(DIV, div, "integer division")                \
	X(BRANCH, branch, "branch")                    \
	X(SIMD, simd, "vector integer")                \
	X(SMUL, smul, "vector integer multiplication") \
	X(FADD, fadd, "floating-point addition")       \
	X(FMUL, fmul, "floating-point multiplication") \
	X(FDIV, fdiv, "floating-point division")       \
	X(FSQRT, fsqrt, "square root")                 \
	X(CVT, cvt, "conversion")                      \
	X(LOAD, load, "address of a load")             \
	X(STORE, store, "address of a store")

enum uop_lat {
#define X(id, name, text) UOP_LAT_##id,
	UOP_LAT_MAP(X)
#undef X
		UOP_LATS
};

enum uop_kind {
	UOP_COMPUTE,
	UOP_BRANCH, /* the last of its instruction */
	UOP_LOAD,
	UOP_STORE,
	UOP_ATOMIC, /* reads, changes and writes; the only access */
	UOP_FLUSH,  /* drops a block from all caches */
	UOP_KINDS
};

enum {
	UREG_NONE = 0,
	UREG_INT = 1,
	UREG_FP = 40,
	UREG_VECTOR = 60,
	UREGS = 90
};

/* The files of physical registers. */
enum uop_file { UOP_FILE_INT, UOP_FILE_FP, UOP_FILE_VECTOR, UOP_FILES };

static inline enum uop_file ureg_file(unsigned reg)
{
	return reg < UREG_FP     ? UOP_FILE_INT :
	       reg < UREG_VECTOR ? UOP_FILE_FP :
				   UOP_FILE_VECTOR;
}

enum { UOP_SOURCES = 4, UOP_TARGETS = 2 };

struct uop {
	uint8_t kind, unit, lat;
	uint8_t bytes; /* of an access */
	/* Of a store, the first `addresses` sources are its address. */
	uint8_t addresses;
	uint8_t src[UOP_SOURCES], dst[UOP_TARGETS];
};

#endif
