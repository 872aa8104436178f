#include "isa/gcn/inst.h"
#include "tests/gcn/reference.h"

static int bit_of(uint64_t v, int i)
{
	return (int)(v >> i & 1);
}

static uint64_t set_bit(uint64_t v, int i, int to)
{
	return to ? v | 1ull << i : v & ~(1ull << i);
}

static int count(uint64_t v, int bits, int value)
{
	int n = 0;

	for (int i = 0; i < bits; i++)
		n += bit_of(v, i) == value;
	return n;
}

static int lowest(uint64_t v, int bits, int value)
{
	for (int i = 0; i < bits; i++)
		if (bit_of(v, i) == value)
			return i;
	return -1;
}

static int from_top(uint64_t v, int bits, int value)
{
	for (int i = 0; i < bits; i++)
		if (bit_of(v, bits - 1 - i) == value)
			return i;
	return -1;
}

/* The first bit from the top that is not the sign. */
static int unlike_sign(uint64_t v, int bits)
{
	return from_top(v, bits, !bit_of(v, bits - 1));
}

static uint64_t mirror(uint64_t v, int bits)
{
	uint64_t r = 0;

	for (int i = 0; i < bits; i++)
		r = set_bit(r, bits - 1 - i, bit_of(v, i));
	return r;
}

static uint64_t whole_quads(uint64_t v, int bits)
{
	uint64_t r = 0;

	for (int i = 0; i < bits; i++)
		r = set_bit(r, i, (v >> (i & ~3) & 15) != 0);
	return r;
}

static uint64_t quad_bits(uint64_t v, int bits)
{
	uint64_t r = 0;

	for (int i = 0; i < bits / 4; i++)
		r = set_bit(r, i, (v >> 4 * i & 15) != 0);
	return r;
}

/* Bits from `at` on, `width` of them, bit by bit. */
static uint64_t extract(uint64_t v, int at, int width, int bits, bool is_signed)
{
	uint64_t r = 0;
	int n = 0;

	for (; n < width && at + n < bits; n++)
		r = set_bit(r, n, bit_of(v, at + n));
	for (int i = n; is_signed && n && i < 64; i++)
		r = set_bit(r, i, bit_of(r, n - 1));
	return r;
}

static uint64_t field_of_ones(int width, int at)
{
	uint64_t r = 0;

	for (int i = 0; i < width && at + i < 64; i++)
		r |= 1ull << (at + i);
	return r;
}

static bool fits(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

static void result(struct reference *r, uint64_t d, bool scc)
{
	r->d = d;
	r->scc_out = scc;
}

/* scc: whether the low `bits` bits are not all 0. */
static void tested(struct reference *r, uint64_t d, int bits)
{
	uint64_t low = bits == 64 ? d : d & 0xffffffff;

	result(r, low, low != 0);
}

static void kept(struct reference *r, uint64_t d)
{
	result(r, d, r->scc);
}

#define A32 ((uint32_t)r->a)
#define B32 ((uint32_t)r->b)
#define AI ((int32_t)r->a)
#define BI ((int32_t)r->b)

static bool sums(unsigned op, struct reference *r)
{
	int64_t wide;
	uint64_t u;

	switch (op) {
	case GCN_OP_S_ADD_U32:
	case GCN_OP_S_ADDC_U32:
		u = (uint64_t)A32 + B32 + (op == GCN_OP_S_ADDC_U32 && r->scc);
		result(r, (uint32_t)u, u > UINT32_MAX);
		return true;
	case GCN_OP_S_SUB_U32:
	case GCN_OP_S_SUBB_U32:
		wide = (int64_t)A32 - B32 - (op == GCN_OP_S_SUBB_U32 && r->scc);
		result(r, (uint32_t)wide, wide < 0);
		return true;
	case GCN_OP_S_ADD_I32:
		wide = (int64_t)AI + BI;
		result(r, (uint32_t)wide, !fits(wide));
		return true;
	case GCN_OP_S_SUB_I32:
		wide = (int64_t)AI - BI;
		result(r, (uint32_t)wide, !fits(wide));
		return true;
	case GCN_OP_S_ADDK_I32:
		wide = (int64_t)(int32_t)r->old + r->k;
		result(r, (uint32_t)wide, !fits(wide));
		return true;
	case GCN_OP_S_MULK_I32:
		kept(r, (uint32_t)((int64_t)(int32_t)r->old * r->k));
		return true;
	case GCN_OP_S_MUL_I32:
		kept(r, (uint32_t)((int64_t)AI * BI));
		return true;
	case GCN_OP_S_ABSDIFF_I32:
		wide = AI > BI ? (int64_t)AI - BI : (int64_t)BI - AI;
		tested(r, (uint32_t)wide, 32);
		return true;
	case GCN_OP_S_ABS_I32:
		tested(r, (uint32_t)(AI < 0 ? -(int64_t)AI : AI), 32);
		return true;
	case GCN_OP_S_MIN_I32:
		result(r, AI < BI ? A32 : B32, AI < BI);
		return true;
	case GCN_OP_S_MAX_I32:
		result(r, AI > BI ? A32 : B32, AI > BI);
		return true;
	case GCN_OP_S_MIN_U32:
		result(r, A32 < B32 ? A32 : B32, A32 < B32);
		return true;
	case GCN_OP_S_MAX_U32:
		result(r, A32 > B32 ? A32 : B32, A32 > B32);
		return true;
	default:
		return false;
	}
}

#define LOGIC(name, expr)            \
	case GCN_OP_S_##name##_B32:  \
		tested(r, expr, 32); \
		return true;         \
	case GCN_OP_S_##name##_B64:  \
		tested(r, expr, 64); \
		return true;

static bool logic(unsigned op, struct reference *r)
{
	switch (op) {
		LOGIC(AND, r->a & r->b)
		LOGIC(OR, r->a | r->b)
		LOGIC(XOR, r->a ^ r->b)
		LOGIC(ANDN2, r->a & ~r->b)
		LOGIC(ORN2, r->a | ~r->b)
		LOGIC(NAND, ~(r->a & r->b))
		LOGIC(NOR, ~(r->a | r->b))
		LOGIC(XNOR, ~(r->a ^ r->b))
		LOGIC(NOT, ~r->a)
	case GCN_OP_S_LSHL_B32:
		tested(r, (uint64_t)A32 << (r->b % 32), 32);
		return true;
	case GCN_OP_S_LSHR_B32:
		tested(r, (uint64_t)A32 >> (r->b % 32), 32);
		return true;
	case GCN_OP_S_ASHR_I32:
		tested(r, (uint64_t)((int64_t)AI >> (r->b % 32)), 32);
		return true;
	case GCN_OP_S_LSHL_B64:
		tested(r, r->a << (r->b % 64), 64);
		return true;
	case GCN_OP_S_LSHR_B64:
		tested(r, r->a >> (r->b % 64), 64);
		return true;
	case GCN_OP_S_ASHR_I64:
		tested(r, (uint64_t)((int64_t)r->a >> (r->b % 64)), 64);
		return true;
	case GCN_OP_S_BFM_B32:
		kept(r, (uint32_t)field_of_ones(A32 % 32, B32 % 32));
		return true;
	case GCN_OP_S_BFM_B64:
		kept(r, field_of_ones(A32 % 64, B32 % 64));
		return true;
	case GCN_OP_S_BFE_U32:
		tested(r, extract(A32, B32 % 32, B32 >> 16 & 127, 32, false),
		       32);
		return true;
	case GCN_OP_S_BFE_I32:
		tested(r, extract(A32, B32 % 32, B32 >> 16 & 127, 32, true),
		       32);
		return true;
	case GCN_OP_S_BFE_U64:
		tested(r, extract(r->a, B32 % 64, B32 >> 16 & 127, 64, false),
		       64);
		return true;
	case GCN_OP_S_BFE_I64:
		tested(r, extract(r->a, B32 % 64, B32 >> 16 & 127, 64, true),
		       64);
		return true;
	default:
		return false;
	}
}

static bool moves(unsigned op, struct reference *r)
{
	switch (op) {
	case GCN_OP_S_MOV_B32:
	case GCN_OP_S_MOV_B64:
		kept(r, r->a);
		return true;
	case GCN_OP_S_CMOV_B32:
	case GCN_OP_S_CMOV_B64:
		kept(r, r->scc ? r->a : r->old);
		return true;
	case GCN_OP_S_CSELECT_B32:
	case GCN_OP_S_CSELECT_B64:
		kept(r, r->scc ? r->a : r->b);
		return true;
	case GCN_OP_S_MOVK_I32:
		kept(r, (uint32_t)r->k);
		return true;
	case GCN_OP_S_CMOVK_I32:
		kept(r, r->scc ? (uint32_t)r->k : r->old);
		return true;
	case GCN_OP_S_SEXT_I32_I8:
		kept(r, (uint32_t)extract(A32, 0, 8, 32, true));
		return true;
	case GCN_OP_S_SEXT_I32_I16:
		kept(r, (uint32_t)extract(A32, 0, 16, 32, true));
		return true;
	case GCN_OP_S_BITSET0_B32:
	case GCN_OP_S_BITSET1_B32:
		kept(r, set_bit(r->old, A32 % 32, op == GCN_OP_S_BITSET1_B32));
		return true;
	case GCN_OP_S_BITSET0_B64:
	case GCN_OP_S_BITSET1_B64:
		kept(r, set_bit(r->old, A32 % 64, op == GCN_OP_S_BITSET1_B64));
		return true;
	default:
		return false;
	}
}

/* Of 32 and of 64 bits: the result of the second is one word all the same. */
#define BITS(name, test, f, value)                     \
	case GCN_OP_S_##name##_B32:                    \
		test(r, (uint32_t)f(A32, 32, value));  \
		return true;                           \
	case GCN_OP_S_##name##_B64:                    \
		test(r, (uint32_t)f(r->a, 64, value)); \
		return true;

static void tested32(struct reference *r, uint32_t d)
{
	tested(r, d, 32);
}

static bool bits(unsigned op, struct reference *r)
{
	switch (op) {
		BITS(BCNT0_I32, tested32, count, 0)
		BITS(BCNT1_I32, tested32, count, 1)
		BITS(FF0_I32, kept, lowest, 0)
		BITS(FF1_I32, kept, lowest, 1)
		BITS(FLBIT_I32, kept, from_top, 1)
	case GCN_OP_S_FLBIT_I32:
		kept(r, (uint32_t)unlike_sign(A32, 32));
		return true;
	case GCN_OP_S_FLBIT_I32_I64:
		kept(r, (uint32_t)unlike_sign(r->a, 64));
		return true;
	case GCN_OP_S_BREV_B32:
		kept(r, mirror(A32, 32));
		return true;
	case GCN_OP_S_BREV_B64:
		kept(r, mirror(r->a, 64));
		return true;
	case GCN_OP_S_WQM_B32:
		tested(r, whole_quads(A32, 32), 32);
		return true;
	case GCN_OP_S_WQM_B64:
		tested(r, whole_quads(r->a, 64), 64);
		return true;
	case GCN_OP_S_QUADMASK_B32:
		tested(r, quad_bits(A32, 32), 32);
		return true;
	case GCN_OP_S_QUADMASK_B64:
		tested(r, quad_bits(r->a, 64), 64);
		return true;
	default:
		return false;
	}
}

#define COMPARE(name, how)                                             \
	case GCN_OP_S_CMP_##name##_I32:                                \
		result(r, r->old, AI how BI);                          \
		return true;                                           \
	case GCN_OP_S_CMP_##name##_U32:                                \
		result(r, r->old, A32 how B32);                        \
		return true;                                           \
	case GCN_OP_S_CMPK_##name##_I32:                               \
		result(r, r->old, (int32_t)r->old how r->k);           \
		return true;                                           \
	case GCN_OP_S_CMPK_##name##_U32:                               \
		result(r, r->old,                                      \
		       (uint32_t)r->old how(uint32_t)(uint16_t) r->k); \
		return true;

static bool comparisons(unsigned op, struct reference *r)
{
	switch (op) {
		COMPARE(EQ, ==)
		COMPARE(LG, !=)
		COMPARE(GT, >)
		COMPARE(GE, >=)
		COMPARE(LT, <)
		COMPARE(LE, <=)
	case GCN_OP_S_BITCMP0_B32:
	case GCN_OP_S_BITCMP1_B32:
		result(r, r->old,
		       bit_of(A32, B32 % 32) == (op == GCN_OP_S_BITCMP1_B32));
		return true;
	case GCN_OP_S_BITCMP0_B64:
	case GCN_OP_S_BITCMP1_B64:
		result(r, r->old,
		       bit_of(r->a, B32 % 64) == (op == GCN_OP_S_BITCMP1_B64));
		return true;
	default:
		return false;
	}
}

bool reference_scalar(unsigned op, struct reference *r)
{
	return sums(op, r) || logic(op, r) || moves(op, r) || bits(op, r) ||
	       comparisons(op, r);
}
