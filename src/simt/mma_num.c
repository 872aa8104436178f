#include "simt/mma_num.h"

#include "base/fp.h"
#include "simt/lane.h"

/* clang-format off */
static const struct mma_model models[] = {
	/* type     from  way        block frac */
	{ NUM_F16,  70,   MMA_BLOCKS, 4,   23 },
	{ NUM_F16,  75,   MMA_BLOCKS, 4,   24 },
	{ NUM_F16,  80,   MMA_BLOCKS, 8,   24 },
	{ NUM_F16,  90,   MMA_BLOCKS, 16,  25 },
	{ NUM_BF16, 80,   MMA_BLOCKS, 8,   24 },
	{ NUM_BF16, 90,   MMA_BLOCKS, 16,  25 },
	{ NUM_TF32, 80,   MMA_BLOCKS, 4,   24 },
	{ NUM_TF32, 90,   MMA_BLOCKS, 8,   25 },
	{ NUM_E4M3, 89,   MMA_BLOCKS, 16,  13 },
	{ NUM_E4M3, 90,   MMA_PAIRS,  16,  25 },
	{ NUM_E5M2, 89,   MMA_BLOCKS, 16,  13 },
	{ NUM_E5M2, 90,   MMA_PAIRS,  16,  25 },
};
/* clang-format on */

const struct mma_model *mma_model(enum num_type type, unsigned sm)
{
	const struct mma_model *found = NULL;

	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
		if (models[i].type == type && models[i].sm <= sm)
			found = &models[i];
	return found;
}

/*
 * Multiplicands become sig * 2^(exp - 10) with |sig| < 2^11, so that a product
 * of any type has 20 fraction bits. The exponent classifies a value: EXP_ZERO is
 * zero, EXP_SPECIAL and above is infinity or NaN. The sum of two exponents stays
 * in these ranges.
 */
enum {
	AB_FRAC = 10,
	C_FRAC = 23,
	EXP_ZERO = -0x1000,
	EXP_FLOOR = -133,
	EXP_SPECIAL = 0x0800,
	EXP_INF = 0x2000,
	EXP_NAN = 0x3000
};

#define F32_INF 0x7f800000u
#define F32_NAN 0x7fffffffu

/*
 * Eight columns at a time, in two vectors of four: every host has vectors of
 * four, and two of them hide each other's latency.
 */
typedef int32_t cols __attribute__((vector_size(16)));
typedef uint32_t ucols __attribute__((vector_size(16)));
enum { PARTS = MMA_COLS / 4 };

struct mma_side {
	int32_t sig[MMA_AB_ELEMS] __attribute__((aligned(16)));
	int32_t exp[MMA_AB_ELEMS] __attribute__((aligned(16)));
};

static inline cols mma_num_load(const void *p)
{
	cols v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline cols mma_num_pick(cols mask, cols yes, cols no)
{
	return (yes & mask) | (no & ~mask);
}

/* Floats of `exp_bits` and `man` bits; `zero` is the exponent of zero. */
static inline void mma_num_split(cols u, int exp_bits, int man, int zero,
				 cols *sig, cols *exp)
{
	const cols none = { 0 };
	int top = (1 << exp_bits) - 1;
	cols sign = -(u >> (exp_bits + man) & 1);
	cols e = u >> man & top, f = u & ((1 << man) - 1);
	cols s = f | ((e != 0) & 1 << man), x = e - (top >> 1) - (e == 0);
	cols odd = mma_num_pick(f == 0, none + EXP_INF, none + EXP_NAN);

	x = mma_num_pick(s == 0, none + zero, x);
	*exp = mma_num_pick(e == top, odd, x);
	*sig = (s ^ sign) - sign;
}

/* Decodes a multiple of four elements; shifts significands left by `up`. */
static void decode_side(struct mma_side *s, const uint32_t *raw, unsigned count,
			enum num_type type, int up)
{
	for (unsigned i = 0; i < count; i += 4) {
		cols u = mma_num_load(raw + i), sig, exp;

		if (type == NUM_BF16) {
			mma_num_split(u, 8, 7, EXP_ZERO, &sig, &exp);
			sig *= 1 << (AB_FRAC - 7);
		} else if (type == NUM_TF32) {
			/* The low bits of the f32 are ignored. */
			mma_num_split(u >> 13, 8, 10, EXP_ZERO, &sig, &exp);
		} else {
			mma_num_split(u, 5, 10, EXP_ZERO, &sig, &exp);
		}
		sig *= 1 << up;
		memcpy(&s->sig[i], &sig, sizeof(sig));
		memcpy(&s->exp[i], &exp, sizeof(exp));
	}
}

/*
 * The accumulators, from f32. Products far below the range of f32 are not aligned
 * to the largest of them but to a fixed exponent (measured), which is the
 * exponent of a zero accumulator.
 */
struct acc {
	cols sig[PARTS], exp[PARTS];
};

static void decode_acc(struct acc *c, const uint32_t *f32)
{
	for (int h = 0; h < PARTS; h++)
		mma_num_split(mma_num_load(f32 + 4 * h), 8, C_FRAC, EXP_FLOOR,
			      &c->sig[h], &c->exp[h]);
}

/* `len` elements of a row of A, and as many rows of eight columns of B. */
struct dot {
	const int32_t *a_sig, *a_exp, *b_sig, *b_exp;
	unsigned len, n; /* n: distance of the rows of B */
	int frac;        /* fraction bits of sums */
	int less;        /* fraction bits of a product minus those of sums */
};

/* Shifts magnitudes right: truncates toward zero. */
static inline cols shift_down(cols v, cols by)
{
	cols sign = v >> 31;
	ucols mag = (ucols)((v ^ sign) - sign);

	by = mma_num_pick(by > 31, by - by + 31, by);
	return ((cols)(mag >> (ucols)by) ^ sign) - sign;
}

struct mma_sums {
	int32_t sum[MMA_COLS]; /* in units of 2^(top - frac) */
	int32_t acc[MMA_COLS]; /* to be added to it: both fit 32 bits */
	int32_t top[MMA_COLS]; /* the largest exponents */
};

static inline __attribute__((always_inline)) void
sum_products(struct mma_sums *o, const struct dot *b, const struct acc *c,
	     unsigned len)
{
	cols top[PARTS], s[PARTS] = { { 0 } };
	int up = b->frac - C_FRAC;

	memcpy(top, c->exp, sizeof(top));
#pragma GCC unroll 16
	for (unsigned k = 0; k < len; k++) {
		for (int h = 0; h < PARTS; h++) {
			unsigned at = k * b->n + 4 * (unsigned)h;
			cols e = b->a_exp[k] + mma_num_load(&b->b_exp[at]);

			top[h] = mma_num_pick(e > top[h], e, top[h]);
		}
	}
#pragma GCC unroll 16
	for (unsigned k = 0; k < len; k++) {
		for (int h = 0; h < PARTS; h++) {
			unsigned at = k * b->n + 4 * (unsigned)h;
			cols e = b->a_exp[k] + mma_num_load(&b->b_exp[at]);
			cols p = b->a_sig[k] * mma_num_load(&b->b_sig[at]);

			s[h] += shift_down(p, top[h] + b->less - e);
		}
	}
	memcpy(o->sum, s, sizeof(s));
	memcpy(o->top, top, sizeof(top));
	for (int h = 0; h < PARTS; h++)
		s[h] = shift_down(c->sig[h] * (up > 0 ? 1 << up : 1),
				  top[h] - c->exp[h] + (up < 0 ? -up : 0));
	memcpy(o->acc, s, sizeof(s));
}

/* Loops of constant length are unrolled, which is twice as fast. */
static void sum_block(struct mma_sums *o, const struct dot *b,
		      const struct acc *c)
{
	switch (b->len) {
	case 16:
		sum_products(o, b, c, 16);
		break;
	case 8:
		sum_products(o, b, c, 8);
		break;
	default:
		sum_products(o, b, c, b->len);
		break;
	}
}

/* 2^e, for every e that a finite sum can have; wrong for others. */
static inline double exp2_double(int e)
{
	return f64_of((uint64_t)(e + 1023) << 52);
}

/*
 * sum * 2^exp as f32, truncated. If that is inexact, `last` is set in the result,
 * so that it can be rounded again.
 */
#define F32_LAST 0x20000000ull /* of an f32 in a double: its last bit */

static inline uint32_t mma_num_pack(double sum, int exp, uint64_t last)
{
	uint64_t u = f64_bits(sum), lost = u & (F32_LAST - 1);

	u = (u & -F32_LAST) | (lost ? last : 0);
	return f32_bits((float)(f64_of(u) * exp2_double(exp)));
}

/* The same for values below the normal f32; never minus zero. */
static uint32_t pack_tiny(double sum, int exp)
{
	double v = sum * exp2_double(exp) * 0x1p149;

	return f32_bits(0.0f + (float)((double)(int64_t)v * 0x1p-149));
}

/* The result of column j, which has an infinity or a NaN among its addends. */
static uint32_t mma_num_special(const struct dot *b, const struct acc *c, int j)
{
	bool inf[2] = { false, false };

	if (c->exp[j / 4][j % 4] == EXP_NAN)
		return F32_NAN;
	if (c->exp[j / 4][j % 4] == EXP_INF)
		inf[c->sig[j / 4][j % 4] < 0] = true;
	for (unsigned k = 0; k < b->len; k++) {
		unsigned at = k * b->n + (unsigned)j;
		int ea = b->a_exp[k], eb = b->b_exp[at];

		if (ea < EXP_SPECIAL && eb < EXP_SPECIAL)
			continue;
		if (ea == EXP_NAN || eb == EXP_NAN || ea == EXP_ZERO ||
		    eb == EXP_ZERO)
			return F32_NAN;
		inf[(b->a_sig[k] < 0) != (b->b_sig[at] < 0)] = true;
	}
	if (inf[0] && inf[1])
		return F32_NAN;
	return inf[1] ? 0x80000000u | F32_INF : F32_INF;
}

/* At most the smallest normal f32, to which smaller values may have been
 * rounded. */
static inline int is_tiny(uint32_t f32)
{
	return (f32 & 0x7fffffff) <= 0x00800000;
}

/* Rounds to f16; a negative number too small for it becomes plus zero. */
static inline uint32_t round_half(uint32_t f32)
{
	return f32_bits(0.0f + f16_to_f32(f32_to_f16(f32_of(f32))));
}

/*
 * Adds one block to eight accumulators: f32 bits in and out. With `half` they are
 * rounded to f16 and stored as f32.
 */
static void run_block(const struct dot *b, uint32_t *acc, bool half)
{
	uint64_t last = half ? F32_LAST : 0;
	double sum[MMA_COLS];
	struct mma_sums s;
	struct acc c;
	int rare = 0;

	decode_acc(&c, acc);
	sum_block(&s, b, &c);
	for (int j = 0; j < MMA_COLS; j++)
		sum[j] = (double)s.sum[j] + (double)s.acc[j]; /* exact */
	for (int j = 0; j < MMA_COLS; j++)
		acc[j] = mma_num_pack(sum[j], s.top[j] - b->frac, last);
	for (int j = 0; j < MMA_COLS; j++)
		rare |= (s.top[j] >= EXP_SPECIAL) | is_tiny(acc[j]);
	for (int j = 0; half && j < MMA_COLS; j++)
		acc[j] = round_half(acc[j]);
	for (int j = 0; rare && j < MMA_COLS; j++) {
		if (s.top[j] >= EXP_SPECIAL)
			acc[j] = mma_num_special(b, &c, j);
		else if (!half && is_tiny(acc[j]))
			acc[j] = pack_tiny(sum[j], s.top[j] - b->frac);
	}
}

/* Exact: an f16 has the range and precision of either. */
static uint32_t fp8_to_f16(enum num_type type, uint32_t bits)
{
	uint32_t sign = (bits & 0x80) << 8, v = bits & 0x7f;

	if (type == NUM_E5M2)
		return bits << 8;
	if (v == 0x7f)
		return 0x7fff;
	if (v < 8) /* subnormal: v * 2^-9 */
		return sign | f32_to_f16((float)v * 0x1p-9f);
	return sign | ((v << 7) + (8 << 10));
}

static uint32_t mma_num_widen(uint32_t bits, enum num_type type)
{
	return type == NUM_F16 ? f32_bits(f16_to_f32((uint16_t)bits)) : bits;
}

static uint32_t narrow(uint32_t f32, enum num_type type)
{
	return type == NUM_F16 ? f32_to_f16(f32_of(f32)) : f32;
}

/* All of k for a row and eight columns. */
static void run_row(const struct mma_job *j, struct dot *b, uint32_t *acc)
{
	bool half = j->d_type == NUM_F16 && j->c_type == NUM_F16;
	bool late = j->model.way == MMA_PAIRS;
	unsigned block = late ? j->k / 2 : j->model.block;
	uint32_t c[MMA_COLS];

	for (int i = 0; i < MMA_COLS; i++) {
		c[i] = acc[i];
		acc[i] = late ? 0 : acc[i];
	}
	for (unsigned left = j->k; left; left -= b->len) {
		b->len = left < block ? left : block;
		run_block(b, acc, half);
		b->a_sig += b->len;
		b->a_exp += b->len;
		b->b_sig += b->len * b->n;
		b->b_exp += b->len * b->n;
	}
	for (int i = 0; late && i < MMA_COLS; i++)
		acc[i] = f32_bits(f32_add(f32_of(c[i]), f32_of(acc[i]), 0));
}

/* Converts fp8 to f16, in the order in which blocks sum them. */
static void unpack_fp8(struct mma_job *j)
{
	uint32_t a[MMA_AB_ELEMS], b[MMA_AB_ELEMS];
	bool pairs = j->model.way == MMA_PAIRS;

	for (unsigned k = 0; k < j->k; k++) {
		unsigned paired = k / 4 * 2 + k % 2 + (k & 2 ? j->k / 2 : 0);
		unsigned to = pairs ? paired : k;

		for (unsigned i = 0; i < j->m; i++)
			a[i * j->k + to] =
				fp8_to_f16(j->a_type, j->a[i * j->k + k]);
		for (unsigned i = 0; i < j->n; i++)
			b[to * j->n + i] =
				fp8_to_f16(j->b_type, j->b[k * j->n + i]);
	}
	memcpy(j->a, a, j->m * j->k * sizeof(*a));
	memcpy(j->b, b, j->k * j->n * sizeof(*b));
}

static void float_blocks(struct mma_job *j)
{
	struct mma_side a, b;
	int up = j->model.frac - 2 * AB_FRAC;

	if (j->a_type == NUM_E4M3 || j->a_type == NUM_E5M2)
		unpack_fp8(j);
	decode_side(&a, j->a, j->m * j->k, j->a_type, up > 0 ? up : 0);
	decode_side(&b, j->b, j->k * j->n, j->b_type, 0);
	for (unsigned i = 0; i < j->m * j->n; i += MMA_COLS) {
		unsigned row = i / j->n * j->k, col = i % j->n;
		uint32_t acc[MMA_COLS];
		struct dot dot = {
			.a_sig = &a.sig[row],
			.a_exp = &a.exp[row],
			.b_sig = &b.sig[col],
			.b_exp = &b.exp[col],
			.n = j->n,
			.frac = j->model.frac,
			.less = up < 0 ? -up : 0,
		};

		for (int x = 0; x < MMA_COLS; x++)
			acc[x] = mma_num_widen(j->c[i + x], j->c_type);
		run_row(j, &dot, acc);
		for (int x = 0; x < MMA_COLS; x++)
			j->d[i + x] = narrow(acc[x], j->d_type);
	}
}

/* m8n8k4 on GPUs that have no unit for it: f32 arithmetic. */
static float mma_num_chain(const float *a, const float *b, unsigned n,
			   unsigned k, float c)
{
	float s = 0.0f;

	for (unsigned i = 0; i < k; i++)
		s = f32_fma(a[i], b[i * n], s, 0);
	return f32_add(c, s, 0);
}

static float mma_num_halves(const float *a, const float *b, unsigned n, float c)
{
	float p = f32_fma(a[1], b[n], f32_mul(a[0], b[0], 0), 0);
	float q = f32_fma(a[3], b[3 * n], f32_mul(a[2], b[2 * n], 0), 0);

	return f32_add(f32_add(c, p, 0), q, 0);
}

static void float_chain(struct mma_job *j)
{
	float a[MMA_AB_ELEMS], b[MMA_AB_ELEMS];

	for (unsigned i = 0; i < j->m * j->k; i++)
		a[i] = f32_of(mma_num_widen(j->a[i], j->a_type));
	for (unsigned i = 0; i < j->k * j->n; i++)
		b[i] = f32_of(mma_num_widen(j->b[i], j->b_type));
	for (unsigned i = 0; i < j->m * j->n; i++) {
		const float *row = &a[i / j->n * j->k], *col = &b[i % j->n];
		float c = f32_of(mma_num_widen(j->c[i], j->c_type));
		float d = j->model.way == MMA_HALVES ?
				  mma_num_halves(row, col, j->n, c) :
				  mma_num_chain(row, col, j->n, j->k, c);

		j->d[i] = narrow(f32_bits(d), j->d_type);
	}
}

void mma_float(struct mma_job *j)
{
	if (j->model.way == MMA_CHAIN || j->model.way == MMA_HALVES)
		float_chain(j);
	else
		float_blocks(j);
}

static void mma_num_extend(int32_t *to, const uint32_t *from, unsigned count,
			   enum num_type type)
{
	unsigned bits = type == NUM_S8 || type == NUM_U8 ? 8 : 4;
	/* Flipping the sign bit and subtracting it extends the sign. */
	int32_t sign = type == NUM_S8 || type == NUM_S4 ? 1 << (bits - 1) : 0;

	for (unsigned i = 0; i < count; i++)
		to[i] = ((int32_t)from[i] ^ sign) - sign;
}

static uint32_t add_clamped(int32_t a, uint32_t b)
{
	int64_t s = (int64_t)a + (int32_t)b;

	s = s > INT32_MAX ? INT32_MAX : s;
	return (uint32_t)(s < INT32_MIN ? INT32_MIN : s);
}

void mma_int(struct mma_job *j)
{
	int32_t a[MMA_AB_ELEMS], b[MMA_AB_ELEMS];

	mma_num_extend(a, j->a, j->m * j->k, j->a_type);
	mma_num_extend(b, j->b, j->k * j->n, j->b_type);
	for (unsigned i = 0; i < j->m * j->n; i += MMA_COLS) {
		const int32_t *row = &a[i / j->n * j->k], *col = &b[i % j->n];
		cols s[PARTS] = { { 0 } };
		int32_t sum[MMA_COLS];

		for (unsigned k = 0; k < j->k; k++)
			for (int h = 0; h < PARTS; h++)
				s[h] += row[k] *
					mma_num_load(&col[k * j->n + 4 * h]);
		memcpy(sum, s, sizeof(sum));
		for (int x = 0; x < MMA_COLS; x++)
			j->d[i + x] = j->satfinite ?
					      add_clamped(sum[x], j->c[i + x]) :
					      (uint32_t)sum[x] + j->c[i + x];
	}
}

void mma_bits(struct mma_job *j)
{
	for (unsigned i = 0; i < j->m * j->n; i++) {
		const uint32_t *row = &j->a[i / j->n * j->k];
		const uint32_t *col = &j->b[i % j->n];
		uint32_t s = j->c[i];

		for (unsigned k = 0; k < j->k; k++) {
			uint32_t u = row[k], v = col[k * j->n];

			s += (uint32_t)__builtin_popcount(j->bit_and ? u & v :
								       u ^ v);
		}
		j->d[i] = s;
	}
}

/* Of several NaNs, B's is returned, then the sum's, then A's (measured). */
static double fma_f64(uint64_t a, uint64_t b, double c)
{
	double d = __builtin_fma(f64_of(a), f64_of(b), c);

	return d == d ? d : f64_of(fp_nan64(a, f64_bits(c), b));
}

void mma_f64(unsigned m, unsigned n, unsigned k, const uint64_t *a,
	     const uint64_t *b, const uint64_t *c, uint64_t *d)
{
	for (unsigned i = 0; i < m * n; i++) {
		const uint64_t *row = &a[i / n * k], *col = &b[i % n];
		double s = f64_of(c[i]);

		for (unsigned x = 0; x < k; x++)
			s = fma_f64(row[x], col[x * n], s);
		d[i] = f64_bits(s);
	}
}

void mma_run(struct mma_job *j)
{
	switch (j->a_type) {
	case NUM_B1:
		mma_bits(j);
		break;
	case NUM_S8:
	case NUM_U8:
	case NUM_S4:
	case NUM_U4:
		mma_int(j);
		break;
	default:
		mma_float(j);
		break;
	}
}
