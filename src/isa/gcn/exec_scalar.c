/* Scalar instructions: SOP1, SOP2, SOPK, SOPC, SOPP. */
#include "arch/isa.h"
#include "isa/gcn/exec.h"
#include "simt/program.h"
#include "simt/view.h"

#define ROW(id, fn, n) \
	const struct gcn_exec gcn_exec_##id = { .exec = fn, .k = n }

#define STATED(id, text)                                           \
	const struct gcn_exec gcn_exec_##id = { .exec = exec_##id, \
						.does = text };

static void set_scc(struct wave *w, bool to)
{
	w->s[GCN_SCC] = to;
}

/* What most scalar instructions do: scc tells whether the result is not 0. */
enum { KEEPS_SCC, TESTS_RESULT };

#define SCALAR32(id, test, expr)                                        \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		uint32_t a = gcn_scalar(w, op, op->a), r;               \
		uint32_t b = gcn_scalar(w, op, op->b);                  \
                                                                        \
		(void)a, (void)b;                                       \
		r = (uint32_t)(expr);                                   \
		w->s[op->d] = r;                                        \
		if (test)                                               \
			set_scc(w, r != 0);                             \
	}                                                               \
	STATED(id, #expr)

#define SCALAR64(id, test, expr)                                        \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		uint64_t a = gcn_scalar64(w, op, op->a), r;             \
		uint64_t b = gcn_scalar64(w, op, op->b);                \
                                                                        \
		(void)a, (void)b;                                       \
		r = (uint64_t)(expr);                                   \
		gcn_set_pair(w, op->d, r);                              \
		if (test)                                               \
			set_scc(w, r != 0);                             \
	}                                                               \
	STATED(id, #expr)

/* 64-bit result; b is one word. A constant that is shifted as a signed number is
 * extended with its sign. */
#define SCALAR64_32(id, test, expr)                                     \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		uint64_t a = gcn_scalar64(w, op, op->a), r;             \
		uint32_t b = gcn_scalar(w, op, op->b);                  \
                                                                        \
		r = (uint64_t)(expr);                                   \
		gcn_set_pair(w, op->d, r);                              \
		if (test)                                               \
			set_scc(w, r != 0);                             \
	}                                                               \
	STATED(id, #expr)

/* A word of a 64-bit source. */
#define SCALAR32_64(id, test, expr)                                     \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		uint64_t a = gcn_scalar64(w, op, op->a);                \
		uint32_t r = (uint32_t)(expr);                          \
                                                                        \
		w->s[op->d] = r;                                        \
		if (test)                                               \
			set_scc(w, r != 0);                             \
	}                                                               \
	STATED(id, #expr)

/* Sums, whose scc is a carry or an overflow: `scc` of a, b, r. */
#define SUM(id, expr, scc)                                              \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		uint32_t a = gcn_scalar(w, op, op->a);                  \
		uint32_t b = gcn_scalar(w, op, op->b);                  \
		uint32_t in = w->s[GCN_SCC], r = (uint32_t)(expr);      \
                                                                        \
		(void)in;                                               \
		w->s[op->d] = r;                                        \
		set_scc(w, scc);                                        \
	}                                                               \
	STATED(id, #expr)

static bool overflows(uint32_t a, uint32_t b, uint32_t sum)
{
	return (~(a ^ b) & (a ^ sum)) >> 31;
}

SUM(S_ADD_U32, a + b, r < a)
SUM(S_SUB_U32, a - b, b > a)
SUM(S_ADD_I32, a + b, overflows(a, b, r))
SUM(S_SUB_I32, a - b, overflows(a, ~b, r))
SUM(S_ADDC_U32, a + b + in, (uint64_t)a + b + in > UINT32_MAX)
SUM(S_SUBB_U32, a - b - in, (uint64_t)b + in > a)
/* Minimum and maximum: scc tells that the first source was taken. */
SUM(S_MIN_I32, (int32_t)a < (int32_t)b ? a : b, (int32_t)a < (int32_t)b)
SUM(S_MIN_U32, a < b ? a : b, a < b)
SUM(S_MAX_I32, (int32_t)a > (int32_t)b ? a : b, (int32_t)a > (int32_t)b)
SUM(S_MAX_U32, a > b ? a : b, a > b)

SCALAR32(S_CSELECT_B32, KEEPS_SCC, w->s[GCN_SCC] ? a : b)
SCALAR64(S_CSELECT_B64, KEEPS_SCC, w->s[GCN_SCC] ? a : b)
SCALAR32(S_AND_B32, TESTS_RESULT, (a & b))
SCALAR64(S_AND_B64, TESTS_RESULT, (a & b))
SCALAR32(S_OR_B32, TESTS_RESULT, a | b)
SCALAR64(S_OR_B64, TESTS_RESULT, a | b)
SCALAR32(S_XOR_B32, TESTS_RESULT, a ^ b)
SCALAR64(S_XOR_B64, TESTS_RESULT, a ^ b)
SCALAR32(S_ANDN2_B32, TESTS_RESULT, a & ~b)
SCALAR64(S_ANDN2_B64, TESTS_RESULT, a & ~b)
SCALAR32(S_ORN2_B32, TESTS_RESULT, a | ~b)
SCALAR64(S_ORN2_B64, TESTS_RESULT, a | ~b)
SCALAR32(S_NAND_B32, TESTS_RESULT, ~((a) & (b)))
SCALAR64(S_NAND_B64, TESTS_RESULT, ~((a) & (b)))
SCALAR32(S_NOR_B32, TESTS_RESULT, ~(a | b))
SCALAR64(S_NOR_B64, TESTS_RESULT, ~(a | b))
SCALAR32(S_XNOR_B32, TESTS_RESULT, ~(a ^ b))
SCALAR64(S_XNOR_B64, TESTS_RESULT, ~(a ^ b))
SCALAR32(S_LSHL_B32, TESTS_RESULT, a << (b & 31))
SCALAR64_32(S_LSHL_B64, TESTS_RESULT, a << (b & 63))
SCALAR32(S_LSHR_B32, TESTS_RESULT, a >> (b & 31))
SCALAR64_32(S_LSHR_B64, TESTS_RESULT, a >> (b & 63))
SCALAR32(S_ASHR_I32, TESTS_RESULT, (int32_t)a >> (b & 31))

static uint64_t signed_literal(const struct wave_op *op, uint64_t a)
{
	return op->a == GCN_LITERAL ? (uint64_t)(int32_t)op->literal : a;
}
SCALAR64_32(S_ASHR_I64, TESTS_RESULT,
	    (int64_t)signed_literal(op, a) >> (b & 63))
SCALAR32(S_BFM_B32, KEEPS_SCC, ((UINT32_C(1) << (a & 31)) - 1) << (b & 31))

static void exec_bfm64(struct wave *w, const struct wave_op *op)
{
	uint32_t a = gcn_scalar(w, op, op->a), b = gcn_scalar(w, op, op->b);

	gcn_set_pair(w, op->d, ((UINT64_C(1) << (a & 63)) - 1) << (b & 63));
}
ROW(S_BFM_B64, exec_bfm64, 0);

SCALAR32(S_MUL_I32, KEEPS_SCC, (a * b))

/* A field of bits: its place in the low bits of b, its width from bit 16 on. */
static uint64_t field(uint64_t a, unsigned place, unsigned width, unsigned bits,
		      bool is_signed)
{
	uint64_t v = a >> place;
	unsigned left = bits - place; /* bits that are there */

	if (!width)
		return 0;
	if (width > left)
		width = left;
	v = v << (64 - width);
	return is_signed ? (uint64_t)((int64_t)v >> (64 - width)) :
			   v >> (64 - width);
}
SCALAR32(S_BFE_U32, TESTS_RESULT, field(a, b & 31, b >> 16 & 0x7f, 32, false))
SCALAR32(S_BFE_I32, TESTS_RESULT, field(a, b & 31, b >> 16 & 0x7f, 32, true))
SCALAR64_32(S_BFE_U64, TESTS_RESULT,
	    field(a, b & 63, b >> 16 & 0x7f, 64, false))
SCALAR64_32(S_BFE_I64, TESTS_RESULT,
	    field(signed_literal(op, a), b & 63, b >> 16 & 0x7f, 64, true))
SCALAR32(S_ABSDIFF_I32, TESTS_RESULT, (int32_t)a > (int32_t)b ? a - b : b - a)

/* ---- constants of 16 bits ---------------------------------------------- */

#define CONSTANT(id, body)                                              \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		uint32_t d = w->s[op->d], u = op->imm;                  \
		uint32_t i = (uint32_t)(int16_t)op->imm;                \
                                                                        \
		(void)d, (void)u, (void)i;                              \
		body;                                                   \
	}                                                               \
	STATED(id, #body)

CONSTANT(S_MOVK_I32, w->s[op->d] = i)
CONSTANT(S_CMOVK_I32, w->s[op->d] = w->s[GCN_SCC] ? i : d)
CONSTANT(S_CMPK_EQ_I32, set_scc(w, d == i))
CONSTANT(S_CMPK_LG_I32, set_scc(w, d != i))
CONSTANT(S_CMPK_GT_I32, set_scc(w, (int32_t)d > (int32_t)i))
CONSTANT(S_CMPK_GE_I32, set_scc(w, (int32_t)d >= (int32_t)i))
CONSTANT(S_CMPK_LT_I32, set_scc(w, (int32_t)d < (int32_t)i))
CONSTANT(S_CMPK_LE_I32, set_scc(w, (int32_t)d <= (int32_t)i))
CONSTANT(S_CMPK_EQ_U32, set_scc(w, d == u))
CONSTANT(S_CMPK_LG_U32, set_scc(w, d != u))
CONSTANT(S_CMPK_GT_U32, set_scc(w, d > u))
CONSTANT(S_CMPK_GE_U32, set_scc(w, d >= u))
CONSTANT(S_CMPK_LT_U32, set_scc(w, d < u))
CONSTANT(S_CMPK_LE_U32, set_scc(w, d <= u))
CONSTANT(S_ADDK_I32, w->s[op->d] = d + i; set_scc(w, overflows(d, i, d + i)))
CONSTANT(S_MULK_I32, w->s[op->d] = d * i)

/* A hardware register: its number in bits 0 to 5, the lowest bit of a field from
 * bit 6 on, its width minus 1 from bit 11 on. Loading has refused all but MODE. */
static uint32_t field_mask(uint32_t imm)
{
	unsigned width = (imm >> 11 & 31) + 1, place = imm >> 6 & 31;

	return (uint32_t)(((UINT64_C(1) << width) - 1) << place);
}

static void set_mode(struct wave *w, uint32_t imm, uint32_t v)
{
	uint32_t mask = field_mask(imm);

	w->mode = (w->mode & ~mask) | (v << (imm >> 6 & 31) & mask);
}
CONSTANT(S_GETREG_B32, w->s[op->d] = (w->mode & field_mask(u)) >> (u >> 6 & 31))
CONSTANT(S_SETREG_B32, set_mode(w, u, d))
CONSTANT(S_SETREG_IMM32_B32, set_mode(w, u, op->literal))

/* ---- one source -------------------------------------------------------- */

SCALAR32(S_MOV_B32, KEEPS_SCC, a)
SCALAR64(S_MOV_B64, KEEPS_SCC, a)
SCALAR32(S_CMOV_B32, KEEPS_SCC, w->s[GCN_SCC] ? a : w->s[op->d])
SCALAR64(S_CMOV_B64, KEEPS_SCC, w->s[GCN_SCC] ? a : gcn_pair(w, op->d))
SCALAR32(S_NOT_B32, TESTS_RESULT, ~a)
SCALAR64(S_NOT_B64, TESTS_RESULT, ~a)

/* All four bits of each group of which one is set; one bit of each group. */
static uint64_t quads(uint64_t a)
{
	return (a | a >> 1 | a >> 2 | a >> 3) & UINT64_C(0x1111111111111111);
}
static uint64_t quad_mask(uint64_t a)
{
	uint64_t q = quads(a), r = 0;

	for (unsigned i = 0; i < 16; i++)
		r |= (q >> 4 * i & 1) << i;
	return r;
}
SCALAR32(S_WQM_B32, TESTS_RESULT, quads(a) * 15)
SCALAR64(S_WQM_B64, TESTS_RESULT, quads(a) * 15)
SCALAR32(S_QUADMASK_B32, TESTS_RESULT, quad_mask(a))
SCALAR64(S_QUADMASK_B64, TESTS_RESULT, quad_mask(a))

static uint64_t reverse(uint64_t a)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 64; i++)
		r |= (a >> i & 1) << (63 - i);
	return r;
}
SCALAR32(S_BREV_B32, KEEPS_SCC, reverse(a) >> 32)
SCALAR64(S_BREV_B64, KEEPS_SCC, reverse(a))
SCALAR32(S_BCNT0_I32_B32, TESTS_RESULT, __builtin_popcount(~a))
SCALAR32_64(S_BCNT0_I32_B64, TESTS_RESULT, __builtin_popcountll(~a))
SCALAR32(S_BCNT1_I32_B32, TESTS_RESULT, __builtin_popcount(a))
SCALAR32_64(S_BCNT1_I32_B64, TESTS_RESULT, __builtin_popcountll(a))

/* The number of the first 1 from below, from above; -1: there is none. */
static int first_one(uint64_t a)
{
	return a ? __builtin_ctzll(a) : -1;
}
static int last_one(uint64_t a, unsigned bits)
{
	return a ? (int)(__builtin_clzll(a) - (64 - bits)) : -1;
}
/* The same of the first bit that differs from the sign. */
static int last_sign(int64_t a, unsigned bits)
{
	uint64_t u = (uint64_t)(a < 0 ? ~a : a);

	return last_one(u, bits);
}
SCALAR32(S_FF0_I32_B32, KEEPS_SCC, first_one((uint32_t)~a))
SCALAR32_64(S_FF0_I32_B64, KEEPS_SCC, first_one(~a))
SCALAR32(S_FF1_I32_B32, KEEPS_SCC, first_one(a))
SCALAR32_64(S_FF1_I32_B64, KEEPS_SCC, first_one(a))
SCALAR32(S_FLBIT_I32_B32, KEEPS_SCC, last_one(a, 32))
SCALAR32_64(S_FLBIT_I32_B64, KEEPS_SCC, last_one(a, 64))
SCALAR32(S_FLBIT_I32, KEEPS_SCC, last_sign((int32_t)a, 32))
SCALAR32_64(S_FLBIT_I32_I64, KEEPS_SCC, last_sign((int64_t)a, 64))
SCALAR32(S_SEXT_I32_I8, KEEPS_SCC, (int8_t)a)
SCALAR32(S_SEXT_I32_I16, KEEPS_SCC, (int16_t)a)
SCALAR32(S_BITSET0_B32, KEEPS_SCC, w->s[op->d] & ~(UINT32_C(1) << (a & 31)))
SCALAR32(S_BITSET1_B32, KEEPS_SCC, w->s[op->d] | UINT32_C(1) << (a & 31))
SCALAR32(S_ABS_I32, TESTS_RESULT, (int32_t)a < 0 ? -a : a)

static void exec_bitset64(struct wave *w, const struct wave_op *op)
{
	uint64_t bit = UINT64_C(1) << (gcn_scalar(w, op, op->a) & 63);
	uint64_t v = gcn_pair(w, op->d);

	gcn_set_pair(w, op->d,
		     op->op == GCN_OP_S_BITSET1_B64 ? v | bit : v & ~bit);
}
ROW(S_BITSET0_B64, exec_bitset64, 0);
ROW(S_BITSET1_B64, exec_bitset64, 0);

#define SAVE_EXEC(id, expr)                                             \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		uint64_t a = gcn_scalar64(w, op, op->a);                \
		uint64_t b = gcn_mask(w), r = (expr);                   \
                                                                        \
		gcn_set_pair(w, op->d, b);                              \
		gcn_set_pair(w, GCN_EXEC, r);                           \
		set_scc(w, r != 0);                                     \
	}                                                               \
	STATED(id, #expr)

SAVE_EXEC(S_AND_SAVEEXEC_B64, (a & b))
SAVE_EXEC(S_OR_SAVEEXEC_B64, a | b)
SAVE_EXEC(S_XOR_SAVEEXEC_B64, a ^ b)
SAVE_EXEC(S_ANDN2_SAVEEXEC_B64, a & ~b)
SAVE_EXEC(S_ORN2_SAVEEXEC_B64, a | ~b)
SAVE_EXEC(S_NAND_SAVEEXEC_B64, ~((a) & (b)))
SAVE_EXEC(S_NOR_SAVEEXEC_B64, ~(a | b))
SAVE_EXEC(S_XNOR_SAVEEXEC_B64, ~(a ^ b))

/* ---- moves by a register's number ------------------------------------- */

enum { SGPRS = 104 };

/* The register that m0 moves to; SGPRS: there is none. */
static unsigned moved(struct wave *w, unsigned code, unsigned words)
{
	uint64_t at = (uint64_t)code + w->s[GCN_M0];

	if (at + words <= SGPRS)
		return (unsigned)at;
	wave_fault(w, FAULT_ILLEGAL, 0, 0,
		   "scalar register s%u moved by m0 = %u does not exist", code,
		   w->s[GCN_M0]);
	return SGPRS;
}

static void exec_salu_movrel(struct wave *w, const struct wave_op *op)
{
	bool wide = op->op == GCN_OP_S_MOVRELS_B64 ||
		    op->op == GCN_OP_S_MOVRELD_B64;
	bool source = op->op == GCN_OP_S_MOVRELS_B32 ||
		      op->op == GCN_OP_S_MOVRELS_B64;
	unsigned at = moved(w, source ? op->a : op->d, wide ? 2 : 1);
	unsigned d = source ? op->d : at;

	if (at == SGPRS)
		return;
	if (wide)
		gcn_set_pair(w, d,
			     source ? gcn_pair(w, at) :
				      gcn_scalar64(w, op, op->a));
	else
		w->s[d] = source ? w->s[at] : gcn_scalar(w, op, op->a);
}
ROW(S_MOVRELS_B32, exec_salu_movrel, 0);
ROW(S_MOVRELS_B64, exec_salu_movrel, 0);
ROW(S_MOVRELD_B32, exec_salu_movrel, 0);
ROW(S_MOVRELD_B64, exec_salu_movrel, 0);

/* ---- comparisons ------------------------------------------------------- */

#define COMPARE(id, type, how)                                          \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		type a = (type)gcn_scalar(w, op, op->a);                \
		type b = (type)gcn_scalar(w, op, op->b);                \
                                                                        \
		set_scc(w, a how b);                                    \
	}                                                               \
	STATED(id, "a " #how " b")

COMPARE(S_CMP_EQ_I32, int32_t, ==)
COMPARE(S_CMP_LG_I32, int32_t, !=)
COMPARE(S_CMP_GT_I32, int32_t, >)
COMPARE(S_CMP_GE_I32, int32_t, >=)
COMPARE(S_CMP_LT_I32, int32_t, <)
COMPARE(S_CMP_LE_I32, int32_t, <=)
COMPARE(S_CMP_EQ_U32, uint32_t, ==)
COMPARE(S_CMP_LG_U32, uint32_t, !=)
COMPARE(S_CMP_GT_U32, uint32_t, >)
COMPARE(S_CMP_GE_U32, uint32_t, >=)
COMPARE(S_CMP_LT_U32, uint32_t, <)
COMPARE(S_CMP_LE_U32, uint32_t, <=)

/* k: the value of the bit that is looked for. */
static void exec_bitcmp(struct wave *w, const struct wave_op *op)
{
	uint32_t b = gcn_scalar(w, op, op->b);
	bool wide = op->op == GCN_OP_S_BITCMP0_B64 ||
		    op->op == GCN_OP_S_BITCMP1_B64;
	uint64_t a = wide ? gcn_scalar64(w, op, op->a) :
			    gcn_scalar(w, op, op->a);

	set_scc(w, (a >> (b & (wide ? 63 : 31)) & 1) == gcn_exec[op->op]->k);
}
ROW(S_BITCMP0_B32, exec_bitcmp, 0);
ROW(S_BITCMP1_B32, exec_bitcmp, 1);
ROW(S_BITCMP0_B64, exec_bitcmp, 0);
ROW(S_BITCMP1_B64, exec_bitcmp, 1);

/* ---- program control --------------------------------------------------- */

/* What only the issuing unit minds: waits, priorities, performance counters. */
static void exec_nothing(struct wave *w, const struct wave_op *op)
{
	(void)w, (void)op;
}
ROW(S_NOP, exec_nothing, 0);
ROW(S_WAITCNT, exec_nothing, 0);
ROW(S_SLEEP, exec_nothing, 0);
ROW(S_SETPRIO, exec_nothing, 0);
ROW(S_ICACHE_INV, exec_nothing, 0);
ROW(S_INCPERFLEVEL, exec_nothing, 0);
ROW(S_DECPERFLEVEL, exec_nothing, 0);
ROW(S_TTRACEDATA, exec_nothing, 0);
/* No debugger is attached. */
ROW(S_CBRANCH_CDBGSYS, exec_nothing, 0);
ROW(S_CBRANCH_CDBGUSER, exec_nothing, 0);
ROW(S_CBRANCH_CDBGSYS_OR_USER, exec_nothing, 0);
ROW(S_CBRANCH_CDBGSYS_AND_USER, exec_nothing, 0);

static void exec_endpgm(struct wave *w, const struct wave_op *op)
{
	(void)op;
	wave_end(w);
}
ROW(S_ENDPGM, exec_endpgm, 0);

static void exec_barrier(struct wave *w, const struct wave_op *op)
{
	(void)op;
	wave_barrier(w);
}
ROW(S_BARRIER, exec_barrier, 0);

static void exec_salu_trap(struct wave *w, const struct wave_op *op)
{
	wave_fault(w, FAULT_TRAP, 0, 0, "s_trap %u", op->imm);
}
ROW(S_TRAP, exec_salu_trap, 0);

#define BRANCH(id, condition)                                           \
	static void exec_##id(struct wave *w, const struct wave_op *op) \
	{                                                               \
		if (condition)                                          \
			w->pc = op + op->jump;                          \
	}                                                               \
	STATED(id, #condition)

BRANCH(S_BRANCH, true)
BRANCH(S_CBRANCH_SCC0, !w->s[GCN_SCC])
BRANCH(S_CBRANCH_SCC1, w->s[GCN_SCC])
BRANCH(S_CBRANCH_VCCZ, !gcn_pair(w, GCN_VCC))
BRANCH(S_CBRANCH_VCCNZ, gcn_pair(w, GCN_VCC))
BRANCH(S_CBRANCH_EXECZ, !gcn_mask(w))
BRANCH(S_CBRANCH_EXECNZ, gcn_mask(w))

static const struct wave_code *salu_code_of(const struct wave *w)
{
	const struct program *p = w->group->launch->program;

	return p->isa->waves->code(p);
}

static void jump_to(struct wave *w, uint64_t address)
{
	const struct wave_code *c = salu_code_of(w);
	uint64_t at = address - c->base;

	if (address & 3 || at >= c->bytes || c->op_at[at / 4] == WAVE_NO_OP) {
		wave_fault(w, FAULT_ILLEGAL, 0, address,
			   "no instruction begins at 0x%llx",
			   (unsigned long long)address);
		return;
	}
	w->pc = c->ops + c->op_at[at / 4];
}

/* The address of the instruction behind this one. */
static uint64_t next_address(const struct wave *w, const struct wave_op *op)
{
	return salu_code_of(w)->base + op->at + 4 * (uint64_t)op->words;
}

static void exec_getpc(struct wave *w, const struct wave_op *op)
{
	gcn_set_pair(w, op->d, next_address(w, op));
}
ROW(S_GETPC_B64, exec_getpc, 0);

static void exec_setpc(struct wave *w, const struct wave_op *op)
{
	jump_to(w, gcn_scalar64(w, op, op->a));
}
ROW(S_SETPC_B64, exec_setpc, 0);

static void exec_swappc(struct wave *w, const struct wave_op *op)
{
	uint64_t to = gcn_scalar64(w, op, op->a);

	gcn_set_pair(w, op->d, next_address(w, op));
	jump_to(w, to);
}
ROW(S_SWAPPC_B64, exec_swappc, 0);

/* Cycles where time is modelled; else the wave's instructions so far. */
static void exec_memtime(struct wave *w, const struct wave_op *op)
{
	gcn_set_pair(w, op->d, w->view ? w->view->now : w->steps);
}
ROW(S_MEMTIME, exec_memtime, 0);

/* Caches are part of time. */
static void exec_dcache_inv(struct wave *w, const struct wave_op *op)
{
	(void)op;
	w->effect->invalidate = true;
}
ROW(S_DCACHE_INV, exec_dcache_inv, 0);
