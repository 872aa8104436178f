#include <fenv.h>
#include <math.h>
#include <string.h>

#include "isa/gcn/inst.h"
#include "tests/gcn/reference.h"

/* ---- floats ------------------------------------------------------------ */

static float f32(uint64_t u)
{
	uint32_t w = (uint32_t)u;
	float f;

	memcpy(&f, &w, 4);
	return f;
}

static double f64(uint64_t u)
{
	double f;

	memcpy(&f, &u, 8);
	return f;
}

static uint64_t u32_of(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return u;
}

static uint64_t u64_of(double f)
{
	uint64_t u;

	memcpy(&u, &f, 8);
	return u;
}

static uint64_t flush32(uint64_t u, bool keep)
{
	return !keep && fpclassify(f32(u)) == FP_SUBNORMAL ? u & 0x80000000 : u;
}

static uint64_t flush64(uint64_t u, bool keep)
{
	return !keep && fpclassify(f64(u)) == FP_SUBNORMAL ? u & 1ull << 63 : u;
}

enum { IN32 = 16, OUT32 = 32, IN64 = 64, OUT64 = 128 };

/* The host rounds as the mode says, until `nearest`. */
static void round_as(unsigned bits)
{
	static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
				     FE_TOWARDZERO };

	fesetround(modes[bits & 3]);
}

static void nearest(void)
{
	fesetround(FE_TONEAREST);
}

/* The NaN of an operation: the first operand that is one, quiet. */
static uint64_t nan32(const struct reference *r, unsigned sources)
{
	const uint64_t v[3] = { r->a, r->b, r->c };

	for (unsigned i = 0; i < sources; i++)
		if (isnan(f32(v[i])))
			return v[i] | 0x400000;
	return 0x7fc00000;
}

static uint64_t nan64(const struct reference *r, unsigned sources)
{
	const uint64_t v[3] = { r->a, r->b, r->c };

	for (unsigned i = 0; i < sources; i++)
		if (isnan(f64(v[i])))
			return v[i] | 1ull << 51;
	return 0x7ff8ull << 48;
}

static void flush_sources(struct reference *r, bool keep, bool wide)
{
	r->a = wide ? flush64(r->a, keep) : flush32(r->a, keep);
	r->b = wide ? flush64(r->b, keep) : flush32(r->b, keep);
	r->c = wide ? flush64(r->c, keep) : flush32(r->c, keep);
}

static bool is_zero32(uint64_t u)
{
	return f32(u) == 0;
}

/* Operations on volatile floats: the host's rounding is not assumed away. */
static float multiply(float x, float y)
{
	volatile float a = x, b = y, p = a * b;

	return p;
}

static float add(float x, float y)
{
	volatile float a = x, b = y, s = a + b;

	return s;
}

static bool single(unsigned op, struct reference *r)
{
	struct reference given = *r;
	bool mad = false, legacy = false;
	unsigned n = 2;
	volatile float v;
	float p;

	switch (op) {
	case GCN_OP_V_MAC_LEGACY_F32:
	case GCN_OP_V_MAD_LEGACY_F32:
	case GCN_OP_V_MAC_F32:
	case GCN_OP_V_MAD_F32:
	case GCN_OP_V_MADMK_F32:
	case GCN_OP_V_MADAK_F32:
		mad = true;
		/* fall through */
	case GCN_OP_V_FMA_F32:
		n = 3;
		break;
	default:
		break;
	}
	legacy = op == GCN_OP_V_MAC_LEGACY_F32 ||
		 op == GCN_OP_V_MAD_LEGACY_F32 || op == GCN_OP_V_MUL_LEGACY_F32;
	flush_sources(r, !mad && r->mode & IN32, false);
	round_as(r->mode);
	p = legacy && (is_zero32(r->a) || is_zero32(r->b)) ?
		    0 :
		    multiply(f32(r->a), f32(r->b));
	switch (op) {
	case GCN_OP_V_ADD_F32:
		v = add(f32(r->a), f32(r->b));
		break;
	case GCN_OP_V_SUB_F32:
		v = add(f32(r->a), -f32(r->b));
		break;
	case GCN_OP_V_SUBREV_F32:
		v = add(f32(r->b), -f32(r->a));
		break;
	case GCN_OP_V_MUL_F32:
	case GCN_OP_V_MUL_LEGACY_F32:
		v = p;
		break;
	case GCN_OP_V_FMA_F32:
		v = fmaf(f32(r->a), f32(r->b), f32(r->c));
		break;
	default:
		if (!mad) {
			nearest();
			*r = given;
			return false;
		}
		v = add(f32(flush32(u32_of(p), false)), f32(r->c));
	}
	nearest();
	r->d = isnan(v) ? nan32(r, n) :
			  flush32(u32_of(v), !mad && r->mode & OUT32);
	return true;
}

static bool wide(unsigned op, struct reference *r)
{
	volatile double a, b, v;

	if (op != GCN_OP_V_ADD_F64 && op != GCN_OP_V_MUL_F64 &&
	    op != GCN_OP_V_FMA_F64)
		return false;
	flush_sources(r, r->mode & IN64, true);
	a = f64(r->a);
	b = f64(r->b);
	round_as(r->mode >> 2);
	v = op == GCN_OP_V_ADD_F64 ? a + b :
	    op == GCN_OP_V_MUL_F64 ? a * b :
				     fma(a, b, f64(r->c));
	nearest();
	r->d = isnan(v) ? nan64(r, op == GCN_OP_V_FMA_F64 ? 3 : 2) :
			  flush64(u64_of(v), r->mode & OUT64);
	return true;
}

/* ---- minimum and maximum ----------------------------------------------- */

static uint64_t pick32(uint64_t a, uint64_t b, bool least)
{
	float x = f32(a), y = f32(b);

	if (isnan(x) && isnan(y))
		return a | 0x400000;
	if (isnan(x) || isnan(y))
		return isnan(x) ? b : a;
	if (x == 0 && y == 0)
		return (signbit(x) != 0) == least ? a : b;
	return (x < y) == least ? a : b;
}

static uint64_t pick64(uint64_t a, uint64_t b, bool least)
{
	double x = f64(a), y = f64(b);

	if (isnan(x) && isnan(y))
		return a | 1ull << 51;
	if (isnan(x) || isnan(y))
		return isnan(x) ? b : a;
	if (x == 0 && y == 0)
		return (signbit(x) != 0) == least ? a : b;
	return (x < y) == least ? a : b;
}

/* The one between the two others, by sorting. */
static uint64_t middle32(const struct reference *r)
{
	uint64_t v[3] = { r->a, r->b, r->c };

	for (int i = 0; i < 3; i++)
		if (isnan(f32(v[i])))
			return pick32(pick32(v[0], v[1], true), v[2], true);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < 2; i++) {
			uint64_t lo = pick32(v[i], v[i + 1], true);
			uint64_t hi = pick32(v[i], v[i + 1], false);

			v[i] = lo;
			v[i + 1] = hi;
		}
	return v[1];
}

static int64_t ordered(uint64_t v, bool is_signed)
{
	return is_signed ? (int32_t)v : (int64_t)(uint32_t)v;
}

static uint64_t middle(const struct reference *r, bool is_signed)
{
	uint64_t v[3] = { r->a, r->b, r->c };

	for (int i = 0; i < 3; i++) {
		int64_t x = ordered(v[i], is_signed);
		int64_t y = ordered(v[(i + 1) % 3], is_signed);
		int64_t z = ordered(v[(i + 2) % 3], is_signed);

		if ((y <= x && x <= z) || (z <= x && x <= y))
			return v[i];
	}
	return v[0];
}

static uint64_t extreme(const struct reference *r, int sources, bool is_signed,
			bool least)
{
	uint64_t v[3] = { r->a, r->b, r->c }, best = v[0];

	for (int i = 1; i < sources; i++) {
		int64_t x = ordered(v[i], is_signed);
		int64_t y = ordered(best, is_signed);

		if (least ? x < y : x > y)
			best = v[i];
	}
	return best;
}

static bool extremes(unsigned op, struct reference *r)
{
	switch (op) {
	case GCN_OP_V_MIN_F32:
		r->d = pick32(r->a, r->b, true);
		return true;
	case GCN_OP_V_MAX_F32:
		r->d = pick32(r->a, r->b, false);
		return true;
	case GCN_OP_V_MIN3_F32:
		r->d = pick32(pick32(r->a, r->b, true), r->c, true);
		return true;
	case GCN_OP_V_MAX3_F32:
		r->d = pick32(pick32(r->a, r->b, false), r->c, false);
		return true;
	case GCN_OP_V_MED3_F32:
		r->d = middle32(r);
		return true;
	case GCN_OP_V_MIN_F64:
		r->d = pick64(r->a, r->b, true);
		return true;
	case GCN_OP_V_MAX_F64:
		r->d = pick64(r->a, r->b, false);
		return true;
	case GCN_OP_V_MIN_LEGACY_F32:
		r->d = f32(r->a) < f32(r->b) ? r->a : r->b;
		return true;
	case GCN_OP_V_MAX_LEGACY_F32:
		r->d = f32(r->a) >= f32(r->b) ? r->a : r->b;
		return true;
	case GCN_OP_V_MIN_I32:
		r->d = extreme(r, 2, true, true);
		return true;
	case GCN_OP_V_MAX_I32:
		r->d = extreme(r, 2, true, false);
		return true;
	case GCN_OP_V_MIN_U32:
		r->d = extreme(r, 2, false, true);
		return true;
	case GCN_OP_V_MAX_U32:
		r->d = extreme(r, 2, false, false);
		return true;
	case GCN_OP_V_MIN3_I32:
		r->d = extreme(r, 3, true, true);
		return true;
	case GCN_OP_V_MAX3_I32:
		r->d = extreme(r, 3, true, false);
		return true;
	case GCN_OP_V_MIN3_U32:
		r->d = extreme(r, 3, false, true);
		return true;
	case GCN_OP_V_MAX3_U32:
		r->d = extreme(r, 3, false, false);
		return true;
	case GCN_OP_V_MED3_I32:
		r->d = middle(r, true);
		return true;
	case GCN_OP_V_MED3_U32:
		r->d = middle(r, false);
		return true;
	default:
		return false;
	}
}

/* ---- integers ---------------------------------------------------------- */

static int bit(uint64_t v, unsigned i)
{
	return (int)(v >> i & 1);
}

static uint64_t ones_of(uint64_t v)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 32; i++)
		n += (uint64_t)bit(v, i);
	return n;
}

static int64_t low24(uint64_t v, bool is_signed)
{
	int64_t n = (int64_t)(v & 0xffffff);

	return is_signed && n >= 0x800000 ? n - 0x1000000 : n;
}

static uint64_t byte(uint64_t v, unsigned i)
{
	return v >> 8 * i & 255;
}

static uint64_t apart(uint64_t x, uint64_t y)
{
	return x > y ? x - y : y - x;
}

static uint64_t byte_sum(uint64_t a, uint64_t b, bool masked)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 4; i++)
		if (!masked || byte(b, i))
			sum += apart(byte(a, i), byte(b, i));
	return sum;
}

static bool carries(unsigned op, struct reference *r)
{
	int64_t a = (uint32_t)r->a, b = (uint32_t)r->b, v;
	bool in = r->carry;

	switch (op) {
	case GCN_OP_V_ADD_I32:
		v = a + b;
		break;
	case GCN_OP_V_ADDC_U32:
		v = a + b + in;
		break;
	case GCN_OP_V_SUB_I32:
		v = a - b;
		break;
	case GCN_OP_V_SUBREV_I32:
		v = b - a;
		break;
	case GCN_OP_V_SUBB_U32:
		v = a - b - in;
		break;
	case GCN_OP_V_SUBBREV_U32:
		v = b - a - in;
		break;
	default:
		return false;
	}
	r->d = (uint32_t)v;
	r->bit = v < 0 || v > UINT32_MAX;
	return true;
}

static bool products(unsigned op, struct reference *r)
{
	int64_t u = low24(r->a, false) * low24(r->b, false);
	int64_t s = low24(r->a, true) * low24(r->b, true);

	switch (op) {
	case GCN_OP_V_MUL_I32_I24:
		r->d = (uint64_t)s;
		return true;
	case GCN_OP_V_MUL_HI_I32_I24:
		r->d = (uint64_t)(s >> 32);
		return true;
	case GCN_OP_V_MUL_U32_U24:
		r->d = (uint64_t)u;
		return true;
	case GCN_OP_V_MUL_HI_U32_U24:
		r->d = (uint64_t)(u >> 32);
		return true;
	case GCN_OP_V_MAD_I32_I24:
		r->d = (uint64_t)s + r->c;
		return true;
	case GCN_OP_V_MAD_U32_U24:
		r->d = (uint64_t)u + r->c;
		return true;
	case GCN_OP_V_MUL_LO_U32:
	case GCN_OP_V_MUL_LO_I32:
		r->d = (uint64_t)(uint32_t)r->a * (uint32_t)r->b;
		return true;
	case GCN_OP_V_MUL_HI_U32:
		r->d = (uint64_t)(uint32_t)r->a * (uint32_t)r->b >> 32;
		return true;
	case GCN_OP_V_MUL_HI_I32:
		r->d = (uint64_t)((int64_t)(int32_t)r->a * (int32_t)r->b >> 32);
		return true;
	default:
		return false;
	}
}

static uint64_t field_bits(uint64_t v, unsigned at, unsigned width, bool sign)
{
	uint64_t f = 0;
	unsigned n = 0;

	for (; n < width && at + n < 32; n++)
		f |= (uint64_t)bit(v, at + n) << n;
	for (unsigned i = n; sign && n && i < 32; i++)
		f |= (uint64_t)bit(f, n - 1) << i;
	return f;
}

static bool shifts(unsigned op, struct reference *r)
{
	uint32_t a = (uint32_t)r->a, b = (uint32_t)r->b, c = (uint32_t)r->c;

	switch (op) {
	case GCN_OP_V_LSHL_B32:
		r->d = a << b % 32;
		return true;
	case GCN_OP_V_LSHLREV_B32:
		r->d = b << a % 32;
		return true;
	case GCN_OP_V_LSHR_B32:
		r->d = a >> b % 32;
		return true;
	case GCN_OP_V_LSHRREV_B32:
		r->d = b >> a % 32;
		return true;
	case GCN_OP_V_ASHR_I32:
		r->d = (uint64_t)((int64_t)(int32_t)a >> b % 32);
		return true;
	case GCN_OP_V_ASHRREV_I32:
		r->d = (uint64_t)((int64_t)(int32_t)b >> a % 32);
		return true;
	case GCN_OP_V_LSHL_B64:
		r->d = r->a << b % 64;
		return true;
	case GCN_OP_V_LSHR_B64:
		r->d = r->a >> b % 64;
		return true;
	case GCN_OP_V_ASHR_I64:
		r->d = (uint64_t)((int64_t)r->a >> b % 64);
		return true;
	case GCN_OP_V_BFE_U32:
		r->d = field_bits(a, b % 32, c % 32, false);
		return true;
	case GCN_OP_V_BFE_I32:
		r->d = field_bits(a, b % 32, c % 32, true);
		return true;
	case GCN_OP_V_BFM_B32:
		r->d = 0;
		for (unsigned i = 0; i < a % 32; i++)
			r->d |= (uint64_t)1 << (b % 32 + i);
		return true;
	case GCN_OP_V_ALIGNBIT_B32:
		r->d = (r->a << 32 | b) >> c % 32;
		return true;
	case GCN_OP_V_ALIGNBYTE_B32:
		r->d = (r->a << 32 | b) >> 8 * (c % 4);
		return true;
	default:
		return false;
	}
}

static uint64_t lane_mask(unsigned lane, unsigned first)
{
	uint64_t m = 0;

	for (unsigned i = 0; i < 32; i++)
		m |= (uint64_t)(first + i < lane) << i;
	return m;
}

static bool bits(unsigned op, struct reference *r)
{
	switch (op) {
	case GCN_OP_V_MOV_B32:
		r->d = r->a;
		return true;
	case GCN_OP_V_CNDMASK_B32:
		r->d = r->carry ? r->b : r->a;
		return true;
	case GCN_OP_V_NOT_B32:
		r->d = ~r->a;
		return true;
	case GCN_OP_V_AND_B32:
		r->d = r->a & r->b;
		return true;
	case GCN_OP_V_OR_B32:
		r->d = r->a | r->b;
		return true;
	case GCN_OP_V_XOR_B32:
		r->d = r->a ^ r->b;
		return true;
	case GCN_OP_V_BFI_B32:
		r->d = 0;
		for (unsigned i = 0; i < 32; i++)
			r->d |= (uint64_t)bit(bit(r->a, i) ? r->b : r->c, i)
				<< i;
		return true;
	case GCN_OP_V_BFREV_B32:
		r->d = 0;
		for (unsigned i = 0; i < 32; i++)
			r->d |= (uint64_t)bit(r->a, i) << (31 - i);
		return true;
	case GCN_OP_V_BCNT_U32_B32:
		r->d = ones_of(r->a) + r->b;
		return true;
	case GCN_OP_V_MBCNT_LO_U32_B32:
		r->d = ones_of(r->a & lane_mask(r->lane, 0)) + r->b;
		return true;
	case GCN_OP_V_MBCNT_HI_U32_B32:
		r->d = ones_of(r->a & lane_mask(r->lane, 32)) + r->b;
		return true;
	case GCN_OP_V_FFBL_B32:
		r->d = UINT32_MAX;
		for (unsigned i = 32; i--;)
			r->d = bit(r->a, i) ? i : r->d;
		return true;
	case GCN_OP_V_FFBH_U32:
		r->d = UINT32_MAX;
		for (unsigned i = 0; i < 32; i++)
			r->d = bit(r->a, i) ? 31 - i : r->d;
		return true;
	case GCN_OP_V_FFBH_I32:
		r->d = UINT32_MAX;
		for (unsigned i = 0; i < 31; i++)
			r->d = bit(r->a, i) != bit(r->a, 31) ? 31 - i : r->d;
		return true;
	default:
		return false;
	}
}

static bool bytes(unsigned op, struct reference *r)
{
	uint64_t v = 0;

	switch (op) {
	case GCN_OP_V_LERP_U8:
		for (unsigned i = 0; i < 4; i++)
			v |= (byte(r->a, i) + byte(r->b, i) +
			      byte(r->c, i) % 2) /
				     2
			     << 8 * i;
		r->d = v;
		return true;
	case GCN_OP_V_SAD_U8:
		r->d = byte_sum(r->a, r->b, false) + r->c;
		return true;
	case GCN_OP_V_SAD_HI_U8:
		r->d = (byte_sum(r->a, r->b, false) << 16) + r->c;
		return true;
	case GCN_OP_V_SAD_U16:
		r->d = apart(r->a & 0xffff, r->b & 0xffff) +
		       apart((uint32_t)r->a >> 16, (uint32_t)r->b >> 16) + r->c;
		return true;
	case GCN_OP_V_SAD_U32:
		r->d = apart((uint32_t)r->a, (uint32_t)r->b) + r->c;
		return true;
	case GCN_OP_V_MSAD_U8:
		r->d = byte_sum(r->a, r->b, true) + r->c;
		return true;
	case GCN_OP_V_MQSAD_PK_U16_U8:
		for (unsigned i = 0; i < 4; i++)
			v |= (byte_sum(r->a >> 8 * i, r->b, true) +
			      (r->c >> 16 * i) % 65536) %
				     65536
			     << 16 * i;
		r->d = v;
		return true;
	case GCN_OP_V_CVT_PK_U16_U32:
		r->d = ((uint32_t)r->a > 65535 ? 65535 : r->a) |
		       ((uint32_t)r->b > 65535 ? 65535 : r->b) << 16;
		return true;
	case GCN_OP_V_CVT_PK_I16_I32:
		for (unsigned i = 0; i < 2; i++) {
			int32_t n = (int32_t)(i ? r->b : r->a);

			n = n > 32767 ? 32767 : n < -32768 ? -32768 : n;
			v |= (uint64_t)(uint16_t)n << 16 * i;
		}
		r->d = v;
		return true;
	default:
		return false;
	}
}

/* ---- conversions ------------------------------------------------------- */

/* Of a rounded value, within the type; NaN is 0. */
static uint64_t to_integer(double v, double least, double most)
{
	if (isnan(v))
		return 0;
	v = v < least ? least : v > most ? most : v;
	return (uint64_t)(int64_t)v;
}

/* A half, by comparing with all of them would be slow: by scaling. */
static uint64_t half_of(uint64_t u, unsigned mode)
{
	float f = f32(u);
	uint64_t sign = u >> 16 & 0x8000;
	double m = fabs((double)f), step, n;
	int e;

	if (isnan(f))
		return sign | 0x7e00 | (u >> 13 & 0x1ff);
	if (isinf(f))
		return sign | 0x7c00;
	if (m == 0)
		return sign;
	frexp(m, &e);
	step = ldexp(1, (e - 11 < -24 ? -24 : e - 11));
	round_as(mode);
	n = nearbyint(copysign(m, (double)f) / step);
	nearest();
	m = fabs(n) * step;
	if (m > 65504) {
		bool away = mode == 0 || (mode == 1 && !sign) ||
			    (mode == 2 && sign);

		return sign | (away ? 0x7c00 : 0x7bff);
	}
	if (m < 0x1p-14)
		return sign | (uint64_t)(m * 0x1p24);
	frexp(m, &e);
	return sign | (uint64_t)(e + 14) << 10 |
	       (uint64_t)(ldexp(m, 11 - e) - 1024);
}

static uint64_t of_half(uint64_t h)
{
	uint64_t m = h & 0x3ff, e = h >> 10 & 31, sign = (h & 0x8000) << 16;
	double v = e ? ldexp((double)(m + 1024), (int)e - 25) :
		       ldexp((double)m, -24);

	if (e == 31)
		return sign | (m ? 0x7fc00000 | (m & 0x1ff) << 13 : 0x7f800000);
	return sign | u32_of((float)v);
}

static uint64_t norm(uint64_t u, double least, double most)
{
	double v = (double)f32(u);

	if (isnan(v))
		return 0;
	v = v < least ? least : v > 1 ? 1 : v;
	return (uint64_t)(int64_t)nearbyint((double)(float)(v * most)) & 65535;
}

static bool to_integers(unsigned op, struct reference *r)
{
	double s = (double)f32(r->a);

	switch (op) {
	case GCN_OP_V_CVT_I32_F32:
		r->d = to_integer(trunc(s), INT32_MIN, INT32_MAX);
		return true;
	case GCN_OP_V_CVT_U32_F32:
		r->d = to_integer(trunc(s), 0, UINT32_MAX);
		return true;
	case GCN_OP_V_CVT_FLR_I32_F32:
		r->d = to_integer(floor(s), INT32_MIN, INT32_MAX);
		return true;
	case GCN_OP_V_CVT_RPI_I32_F32:
		r->d = to_integer(floor(s + 0.5), INT32_MIN, INT32_MAX);
		return true;
	case GCN_OP_V_CVT_I32_F64:
		r->d = to_integer(trunc(f64(r->a)), INT32_MIN, INT32_MAX);
		return true;
	case GCN_OP_V_CVT_U32_F64:
		r->d = to_integer(trunc(f64(r->a)), 0, UINT32_MAX);
		return true;
	case GCN_OP_V_CVT_PKNORM_I16_F32:
		r->d = norm(r->a, -1, 32767) | norm(r->b, -1, 32767) << 16;
		return true;
	case GCN_OP_V_CVT_PKNORM_U16_F32:
		r->d = norm(r->a, 0, 65535) | norm(r->b, 0, 65535) << 16;
		return true;
	case GCN_OP_V_CVT_PKACCUM_U8_F32:
		r->c = r->old;
		/* fall through */
	case GCN_OP_V_CVT_PK_U8_F32:
		r->d = r->c & ~(255ull << 8 * (r->b % 4));
		r->d |= to_integer(trunc(s), 0, 255) << 8 * (r->b % 4);
		return true;
	default:
		return false;
	}
}

static volatile double source;

static bool to_floats(unsigned op, struct reference *r)
{
	volatile float v;

	switch (op) {
	case GCN_OP_V_CVT_F32_I32:
	case GCN_OP_V_CVT_F32_U32:
		source = op == GCN_OP_V_CVT_F32_I32 ? (double)(int32_t)r->a :
						      (double)(uint32_t)r->a;
		round_as(r->mode);
		v = (float)source;
		nearest();
		r->d = u32_of(v);
		return true;
	case GCN_OP_V_CVT_F32_UBYTE0:
	case GCN_OP_V_CVT_F32_UBYTE1:
	case GCN_OP_V_CVT_F32_UBYTE2:
	case GCN_OP_V_CVT_F32_UBYTE3:
		r->d = u32_of((float)byte(r->a, op - GCN_OP_V_CVT_F32_UBYTE0));
		return true;
	case GCN_OP_V_CVT_OFF_F32_I4:
		r->d = u32_of(
			(float)((int)(r->a % 16) - (r->a % 16 > 7 ? 16 : 0)) /
			16);
		return true;
	case GCN_OP_V_CVT_F64_I32:
		r->d = u64_of((double)(int32_t)r->a);
		return true;
	case GCN_OP_V_CVT_F64_U32:
		r->d = u64_of((double)(uint32_t)r->a);
		return true;
	case GCN_OP_V_CVT_F64_F32:
		r->d = isnan(f32(r->a)) ?
			       (r->a & 0x80000000) << 32 | 0x7ff8ull << 48 |
				       (r->a & 0x3fffff) << 29 :
			       u64_of((double)f32(
				       flush32(r->a, r->mode & IN32)));
		return true;
	case GCN_OP_V_CVT_F32_F64:
		source = f64(flush64(r->a, r->mode & IN64));
		round_as(r->mode);
		v = (float)source;
		nearest();
		r->d = isnan(v) ? (r->a >> 32 & 0x80000000) | 0x7fc00000 |
					  (r->a >> 29 & 0x3fffff) :
				  flush32(u32_of(v), r->mode & OUT32);
		return true;
	case GCN_OP_V_CVT_F16_F32:
		r->d = half_of(r->a, r->mode >> 2 & 3);
		if (!(r->mode & OUT64) && !(r->d & 0x7c00))
			r->d &= 0x8000;
		return true;
	case GCN_OP_V_CVT_F32_F16:
		r->a &= 0xffff;
		if (!(r->mode & IN64) && !(r->a & 0x7c00))
			r->a &= 0x8000;
		r->d = of_half(r->a);
		return true;
	case GCN_OP_V_CVT_PKRTZ_F16_F32:
		r->d = half_of(r->a, 3);
		r->old = half_of(r->b, 3);
		if (!(r->mode & OUT64) && !(r->d & 0x7c00))
			r->d &= 0x8000;
		if (!(r->mode & OUT64) && !(r->old & 0x7c00))
			r->old &= 0x8000;
		r->d |= r->old << 16;
		return true;
	default:
		return false;
	}
}

/* ---- parts of numbers -------------------------------------------------- */

static bool parts32(unsigned op, struct reference *r)
{
	uint64_t a = flush32(r->a, r->mode & IN32);
	volatile float v = f32(r->a);
	int e = 0;

	switch (op) {
	case GCN_OP_V_TRUNC_F32:
		v = truncf(v);
		break;
	case GCN_OP_V_CEIL_F32:
		v = ceilf(v);
		break;
	case GCN_OP_V_FLOOR_F32:
		v = floorf(v);
		break;
	case GCN_OP_V_RNDNE_F32:
		v = nearbyintf(v);
		break;
	case GCN_OP_V_FRACT_F32:
		v = f32(a) - floorf(f32(a));
		v = v >= 1 ? 0x1.fffffep-1f : v;
		break;
	case GCN_OP_V_FREXP_EXP_I32_F32:
		if (isfinite(f32(a)))
			frexpf(f32(a), &e);
		r->d = (uint32_t)e;
		return true;
	case GCN_OP_V_FREXP_MANT_F32:
		v = isfinite(f32(a)) ? frexpf(f32(a), &e) : f32(a);
		break;
	case GCN_OP_V_LDEXP_F32:
		source = (double)f32(a);
		e = (int32_t)r->b;
		e = e > 500 ? 500 : e < -500 ? -500 : e;
		source = ldexp(source, e);
		round_as(r->mode);
		v = (float)source;
		nearest();
		r->d = isnan(v) ? r->a | 0x400000 :
				  flush32(u32_of(v), r->mode & OUT32);
		return true;
	default:
		return false;
	}
	r->d = isnan(v) ? nan32(r, 1) : u32_of(v);
	return true;
}

static bool parts64(unsigned op, struct reference *r)
{
	uint64_t a = flush64(r->a, r->mode & IN64);
	volatile double v = f64(a);
	int e = 0;

	switch (op) {
	case GCN_OP_V_FRACT_F64:
		v = v - floor(v);
		v = v >= 1 ? 0x1.fffffffffffffp-1 : v;
		break;
	case GCN_OP_V_FREXP_EXP_I32_F64:
		if (isfinite(v))
			frexp(v, &e);
		r->d = (uint32_t)e;
		return true;
	case GCN_OP_V_FREXP_MANT_F64:
		v = isfinite(v) ? frexp(v, &e) : v;
		break;
	case GCN_OP_V_LDEXP_F64:
		e = (int32_t)r->b;
		round_as(r->mode >> 2);
		v = scalbn(v, e > 5000 ? 5000 : e < -5000 ? -5000 : e);
		nearest();
		r->d = isnan(v) ? r->a | 1ull << 51 :
				  flush64(u64_of(v), r->mode & OUT64);
		return true;
	default:
		return false;
	}
	r->d = isnan(v) ? nan64(r, 1) : u64_of(v);
	return true;
}

/* ---- comparisons ------------------------------------------------------- */

/* Relations: bits for less, equal, greater, unordered, by the row's number. */
static bool relation(int which, bool less, bool equal, bool greater,
		     bool unordered)
{
	bool holds = (which & 1 && less) || (which & 2 && equal) ||
		     (which & 4 && greater);

	/* 7: ordered; from 8 on the opposite, of which unordered is one. */
	if (which < 8)
		return which == 7 ? !unordered : holds && !unordered;
	which = 15 - which;
	holds = (which & 1 && less) || (which & 2 && equal) ||
		(which & 4 && greater);
	return which == 7 ? unordered : !holds || unordered;
}

static unsigned class_of(int kind, bool negative, bool quiet)
{
	switch (kind) {
	case FP_NAN:
		return quiet ? 1 : 0;
	case FP_INFINITE:
		return negative ? 2 : 9;
	case FP_NORMAL:
		return negative ? 3 : 8;
	case FP_SUBNORMAL:
		return negative ? 4 : 7;
	default:
		return negative ? 5 : 6;
	}
}

static bool classes(unsigned code, struct reference *r)
{
	double d = f64(r->a);
	float f = f32(r->a);

	if (code == 0x88 || code == 0x98)
		r->bit = r->b >> class_of(fpclassify(f), signbit(f) != 0,
					  r->a >> 22 & 1) &
			 1;
	else if (code == 0xa8 || code == 0xb8)
		r->bit = r->b >> class_of(fpclassify(d), signbit(d) != 0,
					  r->a >> 51 & 1) &
			 1;
	else
		return false;
	return true;
}

static bool compare_floats(unsigned code, struct reference *r)
{
	bool is_wide = code & 0x20;
	double x, y;

	flush_sources(r, r->mode & (is_wide ? IN64 : IN32), is_wide);
	x = is_wide ? f64(r->a) : (double)f32(r->a);
	y = is_wide ? f64(r->b) : (double)f32(r->b);
	r->bit = relation((int)(code & 15), x<y, x == y, x> y,
			  isnan(x) || isnan(y));
	return true;
}

static bool compare_integers(unsigned code, struct reference *r)
{
	bool is_wide = code & 0x20, is_signed = code < 0xc0;
	uint64_t x = is_wide ? r->a : (uint32_t)r->a;
	uint64_t y = is_wide ? r->b : (uint32_t)r->b;

	if (is_signed) {
		uint64_t top = is_wide ? 1ull << 63 : 1ull << 31;

		x ^= top;
		y ^= top;
	}
	r->bit = (code & 7) == 7 ||
		 relation((int)(code & 7), x<y, x == y, x> y, false);
	return true;
}

static bool comparisons(unsigned op, struct reference *r)
{
	unsigned code = gcn_rows[op].code;

	if (gcn_rows[op].format != GCN_VOPC)
		return false;
	if (code < 0x80)
		return compare_floats(code, r);
	return classes(code, r) || compare_integers(code, r);
}

/* ---- approximations ---------------------------------------------------- */

static uint64_t finish(struct reference *r, double v, double ulps)
{
	r->ulps = ulps;
	if (isnan(f32(r->a)))
		return r->a | 0x400000;
	return isnan(v) ? 0x7fc00000 : flush32(u32_of((float)v), false);
}

static uint64_t instead(uint64_t u, uint64_t of_infinity)
{
	return (u & 0x7fffffff) == 0x7f800000 ? (u & 0x80000000) | of_infinity :
						u;
}

static bool approximations(unsigned op, struct reference *r)
{
	double a = (double)f32(flush32(r->a, false));
	const double pi = 3.141592653589793;
	uint64_t u;

	switch (op) {
	case GCN_OP_V_RCP_F32:
	case GCN_OP_V_RCP_IFLAG_F32:
	case GCN_OP_V_RCP_CLAMP_F32:
	case GCN_OP_V_RCP_LEGACY_F32:
		u = finish(r, 1 / a, 1);
		r->d = op == GCN_OP_V_RCP_CLAMP_F32  ? instead(u, 0x7f7fffff) :
		       op == GCN_OP_V_RCP_LEGACY_F32 ? instead(u, 0) :
						       u;
		return true;
	case GCN_OP_V_RSQ_F32:
	case GCN_OP_V_RSQ_CLAMP_F32:
	case GCN_OP_V_RSQ_LEGACY_F32:
		u = finish(r, a == 0 ? 1 / a : 1 / sqrt(a), 1);
		r->d = op == GCN_OP_V_RSQ_CLAMP_F32  ? instead(u, 0x7f7fffff) :
		       op == GCN_OP_V_RSQ_LEGACY_F32 ? instead(u, 0) :
						       u;
		return true;
	case GCN_OP_V_SQRT_F32:
		r->d = finish(r, sqrt(a), 1);
		return true;
	case GCN_OP_V_EXP_F32:
		r->d = finish(r, exp2(a), 1);
		return true;
	case GCN_OP_V_LOG_F32:
	case GCN_OP_V_LOG_CLAMP_F32:
		u = finish(r, log2(a), 1);
		r->d = op == GCN_OP_V_LOG_F32 ? u : instead(u, 0x7f7fffff);
		return true;
	case GCN_OP_V_SIN_F32:
		r->d = finish(r,
			      isinf(a)      ? NAN :
			      fabs(a) > 256 ? copysign(0, a) :
					      sin(2 * pi * remainder(a, 1)),
			      1);
		r->away = 0x1p-24;
		return true;
	case GCN_OP_V_COS_F32:
		r->d = finish(r,
			      isinf(a)      ? NAN :
			      fabs(a) > 256 ? 1 :
					      cos(2 * pi * remainder(a, 1)),
			      1);
		r->away = 0x1p-24;
		return true;
	default:
		return false;
	}
}

static uint64_t instead64(uint64_t u, bool clamp)
{
	bool infinite = (u & INT64_MAX) == 0x7ffull << 52;

	return infinite && clamp ? u - 1 : u;
}

static bool approximations64(unsigned op, struct reference *r)
{
	double a = f64(flush64(r->a, r->mode & IN64)), v;
	bool clamp = op == GCN_OP_V_RCP_CLAMP_F64 ||
		     op == GCN_OP_V_RSQ_CLAMP_F64;

	switch (op) {
	case GCN_OP_V_RCP_F64:
	case GCN_OP_V_RCP_CLAMP_F64:
		v = 1 / a;
		break;
	case GCN_OP_V_RSQ_F64:
	case GCN_OP_V_RSQ_CLAMP_F64:
		v = a == 0 ? 1 / a : 1 / sqrt(a);
		break;
	case GCN_OP_V_SQRT_F64:
		v = sqrt(a);
		break;
	default:
		return false;
	}
	r->ulps = 1;
	r->d = isnan(v) ?
		       nan64(r, 1) :
		       instead64(flush64(u64_of(v), r->mode & OUT64 || v == a),
				 clamp);
	return true;
}

/* ---- cube maps, lighting, division ------------------------------------- */

/* 0 to 2: the coordinate of the largest magnitude; z before y before x. */
static int largest(const float v[3])
{
	int best = 0;

	for (int i = 1; i < 3; i++)
		if (fabsf(v[i]) >= fabsf(v[best]))
			best = i;
	return best;
}

static bool cubes(unsigned op, struct reference *r)
{
	float v[3] = { f32(r->a), f32(r->b), f32(r->c) };
	int m = largest(v);
	bool back = v[m] < 0;

	if (isnan(v[0]) || isnan(v[1]) || isnan(v[2]))
		m = -1;
	switch (op) {
	case GCN_OP_V_CUBEID_F32:
		r->d = u32_of((float)(2 * m + back));
		break;
	case GCN_OP_V_CUBEMA_F32:
		r->d = m < 0 ? 0 : u32_of(2 * v[m]);
		break;
	case GCN_OP_V_CUBESC_F32:
		r->d = u32_of(m == 2 ? (back ? -v[0] : v[0]) :
			      m == 1 ? v[0] :
				       (back ? v[2] : -v[2]));
		break;
	case GCN_OP_V_CUBETC_F32:
		r->d = u32_of(m == 1 ? (back ? -v[2] : v[2]) : -v[1]);
		break;
	case GCN_OP_V_MULLIT_F32:
		m = 0;
		r->d = v[1] > -0x1.fffffep127f && v[2] > 0 ?
			       (v[0] == 0 || v[1] == 0 ? 0 :
							 u32_of(v[0] * v[1])) :
			       0xff7fffff;
		if (isnan(f32(r->d)))
			r->away = INFINITY;
		break;
	default:
		return false;
	}
	if (m < 0)
		r->away = INFINITY; /* of NaNs nothing is said */
	return true;
}

static bool fixup(unsigned op, struct reference *r)
{
	bool is_wide = op == GCN_OP_V_DIV_FIXUP_F64;
	double q = is_wide ? f64(r->a) : (double)f32(r->a);
	double d = is_wide ? f64(r->b) : (double)f32(r->b);
	double n = is_wide ? f64(r->c) : (double)f32(r->c), v;

	if (op != GCN_OP_V_DIV_FIXUP_F32 && op != GCN_OP_V_DIV_FIXUP_F64)
		return false;
	if (isnan(n) || isnan(d)) {
		r->d = isnan(n) ? r->c : r->b;
		r->d |= is_wide ? 1ull << 51 : 0x400000;
		return true;
	}
	if ((n == 0 && d == 0) || (isinf(n) && isinf(d))) {
		r->d = is_wide ? 0xfff8ull << 48 : 0xffc00000;
		return true;
	}
	v = d == 0 || isinf(n) ? INFINITY : isinf(d) || n == 0 ? 0 : fabs(q);
	v = copysign(v, signbit(d) != signbit(n) ? -1.0 : 1.0);
	r->d = is_wide ? u64_of(v) : u32_of((float)v);
	if (isnan(q))
		r->away = INFINITY;
	return true;
}

bool reference_vector(unsigned op, struct reference *r)
{
	return single(op, r) || wide(op, r) || extremes(op, r) ||
	       carries(op, r) || products(op, r) || shifts(op, r) ||
	       bits(op, r) || bytes(op, r) || to_integers(op, r) ||
	       to_floats(op, r) || parts32(op, r) || parts64(op, r) ||
	       comparisons(op, r) || approximations(op, r) ||
	       approximations64(op, r) || cubes(op, r) || fixup(op, r);
}
