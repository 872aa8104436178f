/*
 * Integer and bit arithmetic of one lane: the integer part of simt/lane.h,
 * which includes it. PTX ISA 9.7.1, 9.7.2 and 9.7.8.
 */
#ifndef HEDDLE_SIMT_LANE_INT_H
#define HEDDLE_SIMT_LANE_INT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The one place that says what division by zero gives: all ones, as quotient
 * and as remainder, at every width and signedness. PTX leaves it unspecified.
 */
static inline uint64_t int_div0(uint64_t a)
{
	(void)a;
	return ~UINT64_C(0);
}

static inline uint64_t int_rem0(uint64_t a)
{
	(void)a;
	return ~UINT64_C(0);
}

/*
 * What exists at 16, 32 and 64 bits. W is the width, U and S its types, UU and
 * SS types at least twice as wide. Shift amounts are 32 bits and clamp at W.
 */
#define INT_FAMILY(W, U, S, UU, SS)                           \
	static inline U u##W##_mulhi(U a, U b)                \
	{                                                     \
		return (U)(((UU)a * b) >> W);                 \
	}                                                     \
	static inline S s##W##_mulhi(S a, S b)                \
	{                                                     \
		return (S)(((SS)a * b) >> W);                 \
	}                                                     \
	static inline U u##W##_sad(U a, U b, U c)             \
	{                                                     \
		return (U)(c + (U)(a < b ? b - a : a - b));   \
	}                                                     \
	static inline S s##W##_sad(S a, S b, S c)             \
	{                                                     \
		U d = (U)(a < b ? (U)b - (U)a : (U)a - (U)b); \
		return (S)(U)((U)c + d);                      \
	}                                                     \
	static inline U u##W##_div(U a, U b)                  \
	{                                                     \
		return b ? (U)(a / b) : (U)int_div0(a);       \
	}                                                     \
	static inline U u##W##_rem(U a, U b)                  \
	{                                                     \
		return b ? (U)(a % b) : (U)int_rem0(a);       \
	}                                                     \
	static inline S s##W##_div(S a, S b)                  \
	{                                                     \
		if (b == 0)                                   \
			return (S)int_div0((uint64_t)a);      \
		return b == -1 ? (S)(0 - (U)a) : (S)(a / b);  \
	}                                                     \
	static inline S s##W##_rem(S a, S b)                  \
	{                                                     \
		if (b == 0)                                   \
			return (S)int_rem0((uint64_t)a);      \
		return b == -1 ? 0 : (S)(a % b);              \
	}                                                     \
	static inline U u##W##_shl(U a, uint32_t n)           \
	{                                                     \
		U r = (U)(a << (n & (W - 1)));                \
		return n < W ? r : 0;                         \
	}                                                     \
	static inline U u##W##_shr(U a, uint32_t n)           \
	{                                                     \
		U r = (U)(a >> (n & (W - 1)));                \
		return n < W ? r : 0;                         \
	}                                                     \
	static inline S s##W##_shr(S a, uint32_t n)           \
	{                                                     \
		return (S)(a >> (n < W ? n : W - 1));         \
	}                                                     \
	static inline U u##W##_min(U a, U b)                  \
	{                                                     \
		return a < b ? a : b;                         \
	}                                                     \
	static inline U u##W##_max(U a, U b)                  \
	{                                                     \
		return a > b ? a : b;                         \
	}                                                     \
	static inline S s##W##_min(S a, S b)                  \
	{                                                     \
		return a < b ? a : b;                         \
	}                                                     \
	static inline S s##W##_max(S a, S b)                  \
	{                                                     \
		return a > b ? a : b;                         \
	}                                                     \
	static inline S s##W##_neg(S a)                       \
	{                                                     \
		return (S)(0 - (U)a);                         \
	}                                                     \
	static inline S s##W##_abs(S a)                       \
	{                                                     \
		return a < 0 ? (S)(0 - (U)a) : a;             \
	}                                                     \
	static inline U u##W##_cnot(U a)                      \
	{                                                     \
		return a == 0;                                \
	}

INT_FAMILY(16, uint16_t, int16_t, uint32_t, int32_t)
INT_FAMILY(32, uint32_t, int32_t, uint64_t, int64_t)
INT_FAMILY(64, uint64_t, int64_t, unsigned __int128, __int128)
#undef INT_FAMILY

static inline int32_t s32_clamp(int64_t x)
{
	x = x > INT32_MAX ? INT32_MAX : x;
	return (int32_t)(x < INT32_MIN ? INT32_MIN : x);
}

static inline int32_t s32_add_sat(int32_t a, int32_t b)
{
	return s32_clamp((int64_t)a + b);
}

static inline int32_t s32_sub_sat(int32_t a, int32_t b)
{
	return s32_clamp((int64_t)a - b);
}

/* mad.hi.sat.s32: the product's upper half plus c, clamped. */
static inline int32_t s32_madhi_sat(int32_t a, int32_t b, int32_t c)
{
	return s32_clamp((int64_t)s32_mulhi(a, b) + c);
}

static inline int32_t s32_min_relu(int32_t a, int32_t b)
{
	return s32_max(s32_min(a, b), 0);
}

static inline int32_t s32_max_relu(int32_t a, int32_t b)
{
	return s32_max(s32_max(a, b), 0);
}

/* ---- 24-bit multiplication: the product has 48 bits -------------------- */

static inline int32_t s24_of(int32_t a)
{
	return (int32_t)((uint32_t)a << 8) >> 8;
}

static inline uint32_t u32_mul24_lo(uint32_t a, uint32_t b)
{
	return (a & 0xffffff) * (b & 0xffffff);
}

static inline uint32_t u32_mul24_hi(uint32_t a, uint32_t b)
{
	return (uint32_t)(((uint64_t)(a & 0xffffff) * (b & 0xffffff)) >> 16);
}

static inline int32_t s32_mul24_lo(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)s24_of(a) * (uint32_t)s24_of(b));
}

static inline int32_t s32_mul24_hi(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)s24_of(a) * s24_of(b)) >> 16);
}

static inline uint32_t u32_mad24_lo(uint32_t a, uint32_t b, uint32_t c)
{
	return u32_mul24_lo(a, b) + c;
}

static inline uint32_t u32_mad24_hi(uint32_t a, uint32_t b, uint32_t c)
{
	return u32_mul24_hi(a, b) + c;
}

static inline int32_t s32_mad24_lo(int32_t a, int32_t b, int32_t c)
{
	return (int32_t)((uint32_t)s32_mul24_lo(a, b) + (uint32_t)c);
}

static inline int32_t s32_mad24_hi(int32_t a, int32_t b, int32_t c)
{
	return (int32_t)((uint32_t)s32_mul24_hi(a, b) + (uint32_t)c);
}

static inline int32_t s32_mad24_hi_sat(int32_t a, int32_t b, int32_t c)
{
	return s32_clamp((int64_t)s32_mul24_hi(a, b) + c);
}

/* ---- packed 16-bit pairs ----------------------------------------------- */

#define PAIR_OP(name, S, expr)                                  \
	static inline uint32_t name(uint32_t a, uint32_t b)     \
	{                                                       \
		uint32_t out = 0;                               \
		for (int i = 0; i < 32; i += 16) {              \
			S x = (S)(a >> i), y = (S)(b >> i);     \
			out |= (uint32_t)(uint16_t)(expr) << i; \
		}                                               \
		return out;                                     \
	}

PAIR_OP(u16x2_add, uint16_t, x + y)
PAIR_OP(s16x2_add, int16_t, x + y)
PAIR_OP(u16x2_min, uint16_t, u16_min(x, y))
PAIR_OP(u16x2_max, uint16_t, u16_max(x, y))
PAIR_OP(s16x2_min, int16_t, s16_min(x, y))
PAIR_OP(s16x2_max, int16_t, s16_max(x, y))
PAIR_OP(s16x2_min_relu, int16_t, s16_max(s16_min(x, y), 0))
PAIR_OP(s16x2_max_relu, int16_t, s16_max(s16_max(x, y), 0))
#undef PAIR_OP

/* ---- bits -------------------------------------------------------------- */

static inline uint32_t u32_popc(uint32_t a)
{
	return (uint32_t)__builtin_popcount(a);
}

static inline uint32_t u64_popc(uint64_t a)
{
	return (uint32_t)__builtin_popcountll(a);
}

static inline uint32_t u32_clz(uint32_t a)
{
	return a ? (uint32_t)__builtin_clz(a) : 32;
}

static inline uint32_t u64_clz(uint64_t a)
{
	return a ? (uint32_t)__builtin_clzll(a) : 64;
}

static inline uint32_t u32_brev(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(a);
}

static inline uint64_t u64_brev(uint64_t a)
{
	return (uint64_t)u32_brev((uint32_t)a) << 32 |
	       u32_brev((uint32_t)(a >> 32));
}

/* The position of the highest bit that is not the sign, or all ones. */
static inline uint32_t u32_bfind(uint32_t a)
{
	return 31 - u32_clz(a);
}

static inline uint32_t u64_bfind(uint64_t a)
{
	return 63 - u64_clz(a);
}

static inline uint32_t s32_bfind(int32_t a)
{
	return u32_bfind((uint32_t)(a < 0 ? ~a : a));
}

static inline uint32_t s64_bfind(int64_t a)
{
	return u64_bfind((uint64_t)(a < 0 ? ~a : a));
}

/* .shiftamt: the left shift that brings that bit to the top. */
static inline uint32_t u32_bfind_shift(uint32_t a)
{
	return a ? u32_clz(a) : ~UINT32_C(0);
}

static inline uint32_t u64_bfind_shift(uint64_t a)
{
	return a ? u64_clz(a) : ~UINT32_C(0);
}

static inline uint32_t s32_bfind_shift(int32_t a)
{
	return u32_bfind_shift((uint32_t)(a < 0 ? ~a : a));
}

static inline uint32_t s64_bfind_shift(int64_t a)
{
	return u64_bfind_shift((uint64_t)(a < 0 ? ~a : a));
}

/* n ones from bit 0 up; n beyond the width means all. */
static inline uint32_t u32_ones(uint32_t n)
{
	return n < 32 ? (UINT32_C(1) << (n & 31)) - 1 : ~UINT32_C(0);
}

static inline uint64_t u64_ones(uint32_t n)
{
	return n < 64 ? (UINT64_C(1) << (n & 63)) - 1 : ~UINT64_C(0);
}

static inline uint32_t u32_bfe(uint32_t a, uint32_t pos, uint32_t len)
{
	return u32_shr(a, pos & 0xff) & u32_ones(len & 0xff);
}

/* Fields of 64 bits are a sequence that takes pos and len as they are; the
 * instruction for 32 bits looks at their low bytes. */
static inline uint64_t u64_bfe(uint64_t a, uint32_t pos, uint32_t len)
{
	return u64_shr(a, pos) & u64_ones(len);
}

/* The field's own top bit extends it, or the operand's beyond its end. */
static inline int64_t s64_bfe(int64_t a, uint32_t pos, uint32_t len)
{
	uint32_t up = len < 64 ? 64 - len : 0;
	int64_t t = s64_shr(a, pos);

	return len ? (int64_t)((uint64_t)t << (up & 63)) >> (up & 63) : 0;
}

static inline int32_t s32_bfe(int32_t a, uint32_t pos, uint32_t len)
{
	uint32_t n = len & 0xff, up = n < 32 ? 32 - n : 0;
	int32_t t = s32_shr(a, pos & 0xff);

	return n ? (int32_t)((uint32_t)t << (up & 31)) >> (up & 31) : 0;
}

/* The low len bits of a over those of b from pos on. */
static inline uint32_t u32_bfi(uint32_t a, uint32_t b, uint32_t pos,
			       uint32_t len)
{
	uint32_t mask = u32_shl(u32_ones(len & 0xff), pos & 0xff);

	return (b & ~mask) | (u32_shl(a, pos & 0xff) & mask);
}

static inline uint64_t u64_bfi(uint64_t a, uint64_t b, uint32_t pos,
			       uint32_t len)
{
	uint64_t mask = u64_shl(u64_ones(len), pos);

	return (b & ~mask) | (u64_shl(a, pos) & mask);
}

/* The n-th set bit from base on, downwards if n < 0; all ones if none. */
static inline uint32_t u32_fns(uint32_t mask, uint32_t base, int32_t n)
{
	uint32_t left = n < 0 ? 0 - (uint32_t)n : (uint32_t)n;

	if (base > 31)
		return ~UINT32_C(0);
	/* INT32_MIN has no negative: the result of the sequence of sm_90. */
	if (n == INT32_MIN)
		return 0;
	if (!n)
		return mask >> base & 1 ? base : ~UINT32_C(0);
	for (uint32_t pos = base; pos < 32; pos += n < 0 ? ~UINT32_C(0) : 1)
		if ((mask >> pos & 1) && --left == 0)
			return pos;
	return ~UINT32_C(0);
}

/* Bit 4a+2b+c of lut is the result for the input bits a, b, c. */
static inline uint32_t u32_lop3(uint32_t a, uint32_t b, uint32_t c,
				uint32_t lut)
{
	uint32_t k[8];

	for (int i = 0; i < 8; i++)
		k[i] = 0 - (lut >> i & 1);
	uint32_t f0 = (k[0] & ~c) | (k[1] & c), f1 = (k[2] & ~c) | (k[3] & c);
	uint32_t f2 = (k[4] & ~c) | (k[5] & c), f3 = (k[6] & ~c) | (k[7] & c);

	return (~a & ((f0 & ~b) | (f1 & b))) | (a & ((f2 & ~b) | (f3 & b)));
}

/* Funnel shifts of the 64 bits b:a, b above a. */
static inline uint32_t u32_shf_l_clamp(uint32_t a, uint32_t b, uint32_t n)
{
	uint64_t w = (uint64_t)b << 32 | a;

	return (uint32_t)((w << (n < 32 ? n : 32)) >> 32);
}

static inline uint32_t u32_shf_r_clamp(uint32_t a, uint32_t b, uint32_t n)
{
	uint64_t w = (uint64_t)b << 32 | a;

	return (uint32_t)(w >> (n < 32 ? n : 32));
}

static inline uint32_t u32_shf_l_wrap(uint32_t a, uint32_t b, uint32_t n)
{
	return u32_shf_l_clamp(a, b, n & 31);
}

static inline uint32_t u32_shf_r_wrap(uint32_t a, uint32_t b, uint32_t n)
{
	return u32_shf_r_clamp(a, b, n & 31);
}

/* Nibble i of sel picks byte i of the result; its top bit spreads the sign. */
static inline uint32_t u32_prmt(uint32_t a, uint32_t b, uint32_t sel)
{
	uint64_t w = (uint64_t)b << 32 | a;
	uint32_t out = 0;

	for (int i = 0; i < 4; i++) {
		uint32_t s = sel >> (4 * i) & 15;
		uint32_t byte = (uint32_t)(w >> (8 * (s & 7))) & 0xff;
		uint32_t sign = (0 - (byte >> 7)) & 0xff;

		out |= (s & 8 ? sign : byte) << (8 * i);
	}
	return out;
}

/* The other modes are four selectors each, chosen by the low bits of c. */
#define PRMT_MODE(mode, s3, s2, s1, s0)                                   \
	static inline uint32_t u32_prmt_##mode(uint32_t a, uint32_t b,    \
					       uint32_t c)                \
	{                                                                 \
		uint64_t sel = UINT64_C(s3##s2##s1##s0);                  \
		return u32_prmt(a, b, (uint32_t)(sel >> (16 * (c & 3)))); \
	}

PRMT_MODE(f4e, 0x6543, 5432, 4321, 3210)
PRMT_MODE(b4e, 0x0123, 7012, 6701, 5670)
PRMT_MODE(rc8, 0x3333, 2222, 1111, 0000)
PRMT_MODE(ecl, 0x3333, 3222, 3211, 3210)
PRMT_MODE(ecr, 0x3210, 2210, 1110, 0000)
PRMT_MODE(rc16, 0x3232, 1010, 3232, 1010)
#undef PRMT_MODE

/*
 * Dot products onto c. The two letters are the signedness of a and b; dp2a
 * takes halves of a with the low or the high bytes of b.
 */
#define DP_FAMILY(sx, A8, A16, B8)                                           \
	static inline uint32_t dp4a_##sx(uint32_t a, uint32_t b, uint32_t c) \
	{                                                                    \
		for (int i = 0; i < 32; i += 8)                              \
			c += (uint32_t)((A8)(a >> i) * (B8)(b >> i));        \
		return c;                                                    \
	}                                                                    \
	static inline uint32_t dp2a_lo_##sx(uint32_t a, uint32_t b,          \
					    uint32_t c)                      \
	{                                                                    \
		c += (uint32_t)((A16)a * (B8)b);                             \
		return c + (uint32_t)((A16)(a >> 16) * (B8)(b >> 8));        \
	}                                                                    \
	static inline uint32_t dp2a_hi_##sx(uint32_t a, uint32_t b,          \
					    uint32_t c)                      \
	{                                                                    \
		return dp2a_lo_##sx(a, b >> 16, c);                          \
	}

DP_FAMILY(uu, uint8_t, uint16_t, uint8_t)
DP_FAMILY(us, uint8_t, uint16_t, int8_t)
DP_FAMILY(su, int8_t, int16_t, uint8_t)
DP_FAMILY(ss, int8_t, int16_t, int8_t)
#undef DP_FAMILY

/* szext: a as a number of n bits. clamp: n from 32 on leaves a as it is. */
static inline uint32_t u32_szext_clamp(uint32_t a, uint32_t n)
{
	return a & u32_ones(n);
}

static inline uint32_t u32_szext_wrap(uint32_t a, uint32_t n)
{
	return a & u32_ones(n & 31);
}

static inline int32_t s32_szext_clamp(int32_t a, uint32_t n)
{
	return s32_bfe(a, 0, n < 32 ? n : 32);
}

static inline int32_t s32_szext_wrap(int32_t a, uint32_t n)
{
	return s32_bfe(a, 0, n & 31);
}

/* bmsk: len ones from pos on. clamp: large values count as 32, wrap: mod 32. */
static inline uint32_t u32_bmsk_clamp(uint32_t pos, uint32_t len)
{
	return u32_shl(u32_ones(len), pos);
}

static inline uint32_t u32_bmsk_wrap(uint32_t pos, uint32_t len)
{
	return u32_shl(u32_ones(len & 31), pos & 31);
}

#endif
