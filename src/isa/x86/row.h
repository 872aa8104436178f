/* The rows of x86.def. */
#ifndef HEDDLE_ISA_X86_ROW_H
#define HEDDLE_ISA_X86_ROW_H

#include "isa/x86/inst.h"

/* What operands an instruction takes; decode.c checks them. */
#define X86_FORM_MAP(X)                                                 \
	X(RMW2, "r/m, r/m/imm", "changes its first operand")            \
	X(RD2, "r/m, r/m/imm", "sets flags only")                       \
	X(MOV2, "r/m, r/m/imm", "writes its first operand")             \
	X(RMW1, "r/m", "changes it")                                    \
	X(SHIFT, "r/m, imm/cl", "changes its first operand")            \
	X(GPR, "r/m, r/m/imm", "general registers")                     \
	X(GPR1, "r/m", "one general register, or memory")               \
	X(GPR3, "r, r/m, imm", "three operands")                        \
	X(NONE, "", "no operands, or fixed registers")                  \
	X(HINT, "", "operands have no effect")                          \
	X(MARK, "m32", "at an address that marks a region")             \
	X(XLAT, "", "a byte of a table at RBX")                         \
	X(JUMP, "rel", "an address relative to RIP")                    \
	X(RET, "imm", "may release bytes of the stack")                 \
	X(SET, "r/m8", "writes 0 or 1")                                 \
	X(CMOV, "r, r/m", "moves if the condition holds")               \
	X(FCMOV, "st, st", "moves if the condition holds")              \
	X(STR, "", "memory at RSI and RDI, may be repeated")            \
	X(A16, "xmm, xmm/m128", "memory is aligned to 16 bytes")        \
	X(U16, "xmm, xmm/m128", "memory may be unaligned")              \
	X(U8, "xmm, xmm/m64", "")                                       \
	X(U4, "xmm, xmm/m32", "")                                       \
	X(U2, "xmm, xmm/m16", "")                                       \
	X(VSH, "xmm, xmm/m128/imm", "shifts all elements by one count") \
	X(FX, "m", "512 bytes of memory, aligned to 16")                \
	X(XLOAD, "xmm, m", "clears the rest of the register")           \
	X(XMEM, "m, xmm", "")                                           \
	X(XREG, "xmm, xmm", "")                                         \
	X(XPICK, "xmm, xmm/m, imm", "memory may be unaligned")          \
	X(XTOG, "r/m, xmm/m", "from a vector to a general register")    \
	X(GTOX, "xmm, r/m", "from a general register to a vector")      \
	X(X87, "st/m", "x87 stack and memory")

enum x86_form {
#define X(id, operands, text) X86_FORM_##id,
	X86_FORM_MAP(X)
#undef X
};

/* Which functional unit executes it, besides loads and stores. */
#define X86_UNIT_MAP(X)                      \
	X(ALU, "integer")                    \
	X(MUL, "multiplier")                 \
	X(DIV, "divider")                    \
	X(BRANCH, "branch")                  \
	X(SIMD, "vector integer")            \
	X(FADD, "floating-point adder")      \
	X(FMUL, "floating-point multiplier") \
	X(FDIV, "floating-point divider")    \
	X(X87, "x87")                        \
	X(SYSTEM, "system")

enum x86_unit {
#define X(id, text) X86_UNIT_##id,
	X86_UNIT_MAP(X)
#undef X
};

#define X86_LATENCY_MAP(X)                       \
	X(ALU, "integer")                        \
	X(SHIFT, "shift")                        \
	X(MUL, "integer multiplication")         \
	X(DIV, "integer division")               \
	X(SIMD, "vector integer")                \
	X(SMUL, "vector multiplication")         \
	X(FADD, "floating-point addition")       \
	X(FMUL, "floating-point multiplication") \
	X(FDIV, "floating-point division")       \
	X(FSQRT, "square root")                  \
	X(CVT, "conversion")

enum x86_latency {
#define X(id, text) X86_LATENCY_##id,
	X86_LATENCY_MAP(X)
#undef X
};

enum x86_row_id {
#define X86_INT(id, mn, form, sem, undef, unit, lat, uops) X86_ROW_##id,
#define X86_COND X86_INT
#define X86_ONE X86_INT
#define X86_SSE X86_INT
#define X86_SSF X86_INT
#include "isa/x86/x86.def"
	X86_ROWS
};

struct x86_row {
	const char *name; /* as it is written */
	enum x86_form form;
	uint16_t undefined; /* flags; those of shifts depend on the count */
	enum x86_unit unit;
	enum x86_latency latency;
	uint8_t uops;
	x86_exec *const *run; /* the form says how many */
};
extern const struct x86_row x86_rows[X86_ROWS];

#define X86_INT(id, mn, form, sem, undef, unit, lat, uops) \
	extern x86_exec *const x86_execs_##id[];
#define X86_COND X86_INT
#define X86_SSE X86_INT
#define X86_SSF X86_INT
#define X86_ONE(id, mn, form, sem, undef, unit, lat, uops) \
	x86_exec x86_do_##sem;
#include "isa/x86/x86.def"
/* The end of a block that runs into the next one; imm: its address. */
x86_exec x86_do_end;
/* An instruction that is not executed here; imm: its name. And one that is
 * none. */
x86_exec x86_do_refuse, x86_do_invalid;

#endif
