/* Half precision, bfloat16 and matrix products. */
#include <math.h>

#include "prog.h"

/* x with `digits` binary digits, ties to even, in steps of at least 2^step. */
static double rounded(double x, int digits, int step)
{
	int e;

	if (x == 0)
		return x;
	frexp(x, &e);
	if (e - digits > step)
		step = e - digits;
	return ldexp(nearbyint(ldexp(x, -step)), step);
}

static double half(double x)
{
	return rounded(x, 11, -24);
}

static double bf16(double x)
{
	return rounded(x, 8, -133);
}

/* Of a normal number that fits. */
static uint16_t half_bits(double x)
{
	int e;
	const double m = frexp(fabs(x), &e);

	if (x == 0)
		return 0;
	return (x < 0 ? 0x8000 : 0) | (e + 14) << 10 |
	       ((int)ldexp(m, 11) & 0x3ff);
}

static uint16_t bf16_bits(double x)
{
	int e;
	const double m = frexp(fabs(x), &e);

	if (x == 0)
		return 0;
	return (x < 0 ? 0x8000 : 0) | (e + 126) << 7 |
	       ((int)ldexp(m, 8) & 0x7f);
}

static float some_value(struct prog *p)
{
	return ((int)(prog_random(p) % 20001) - 10000) * 0.00317f;
}

void check_half_math(struct prog *p)
{
	enum { N = 64 };
	float in[3 * N], want[12 * N];
	uint16_t pairs[2 * N];

	for (int i = 0; i < 3 * N; i++)
		in[i] = some_value(p);
	for (int i = 0; i < N; i++) {
		const double a = half(in[3 * i]), b = half(in[3 * i + 1]),
			     c = half(in[3 * i + 2]);
		const double low = half(a + c), high = half(b + a);
		const double values[12] = {
			half(a + b),
			half(a - b),
			half(a * b),
			half(a * b + c),
			half(sqrt(fabs(a))),
			(a < b) + 2 * (b >= c) + 4,
			-a,
			a + i,
			low,
			high,
			half(a * c + low),
			half(b * a + high),
		};

		for (int k = 0; k < 12; k++)
			want[12 * i + k] = (float)values[k];
		pairs[2 * i] = half_bits(high);
		pairs[2 * i + 1] = half_bits(low);
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want)),
		   bits = prog_room(p, sizeof(pairs));

	RUN(p, "half_math", D1(2), D1(32), 0, ARG(from), ARG(to), ARG(bits));
	SAME(p, want, to);
	SAME(p, pairs, bits);
}

void check_bf16_math(struct prog *p)
{
	enum { N = 64 };
	float in[3 * N], want[6 * N];
	uint16_t words[N];

	for (int i = 0; i < 3 * N; i++)
		in[i] = some_value(p);
	for (int i = 0; i < N; i++) {
		const double a = bf16(in[3 * i]), b = bf16(in[3 * i + 1]),
			     c = bf16(in[3 * i + 2]);
		float *o = want + 6 * i;

		o[0] = (float)bf16(a + b);
		o[1] = (float)bf16(a - b);
		o[2] = (float)bf16(a * b);
		o[3] = (float)bf16(a * b + c);
		o[4] = (float)bf16(a * c + a);
		o[5] = (float)bf16(b * a + b);
		words[i] = bf16_bits(a);
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want)),
		   bits = prog_room(p, sizeof(words));

	RUN(p, "bf16_math", D1(2), D1(32), 0, ARG(from), ARG(to), ARG(bits));
	SAME(p, want, to);
	SAME(p, words, bits);
}

/* Small integers, whose sums of products are exact. */
static int small(struct prog *p)
{
	return (int)(prog_random(p) % 17) - 8;
}

void check_wmma_product(struct prog *p)
{
	enum { N = 32 };
	const int n = N;
	int a[N][N], b[N][N];
	uint16_t ha[N * N], hb[N * N];
	float c[N * N], want[N * N];

	for (int i = 0; i < N * N; i++) {
		ha[i] = half_bits(a[i / N][i % N] = small(p));
		/* B is stored by columns. */
		hb[i] = half_bits(b[i % N][i / N] = small(p));
		c[i] = small(p) * 0.5f;
	}
	for (int i = 0; i < N * N; i++) {
		want[i] = c[i];
		for (int k = 0; k < N; k++)
			want[i] += a[i / N][k] * b[k][i % N];
		want[i] *= 2;
	}
	heddle_ptr da = PUT(p, ha), db = PUT(p, hb), dc = PUT(p, c),
		   dd = prog_room(p, sizeof(want));

	RUN(p, "wmma_product", D2(2, 2), D1(32), 0, ARG(da), ARG(db), ARG(dc),
	    ARG(dd), ARG(n));
	SAME(p, want, dd);
}

void check_mma_sync(struct prog *p)
{
	uint16_t a[16][16], b[8][16];
	int ia[16][16], ib[8][16];
	int8_t a8[16][32], b8[8][32];
	float want[16 * 8];
	int want8[16 * 8];

	for (int i = 0; i < 16 * 16; i++)
		a[i / 16][i % 16] = half_bits(ia[i / 16][i % 16] = small(p));
	for (int i = 0; i < 8 * 16; i++)
		b[i / 16][i % 16] = half_bits(ib[i / 16][i % 16] = small(p));
	for (int i = 0; i < 16 * 32; i++)
		a8[i / 32][i % 32] = prog_random(p);
	for (int i = 0; i < 8 * 32; i++)
		b8[i / 32][i % 32] = prog_random(p);
	for (int i = 0; i < 16 * 8; i++) {
		const int row = i / 8, col = i % 8;
		/* The initial value of the element's accumulator. */
		const int start = row / 8 * 2 + col % 2 + 1;

		want[i] = start;
		want8[i] = -start;
		for (int k = 0; k < 16; k++)
			want[i] += ia[row][k] * ib[col][k];
		for (int k = 0; k < 32; k++)
			want8[i] += a8[row][k] * b8[col][k];
	}
	heddle_ptr da = PUT(p, a), db = PUT(p, b),
		   dd = prog_room(p, sizeof(want)), da8 = PUT(p, a8),
		   db8 = PUT(p, b8), dd8 = prog_room(p, sizeof(want8));

	RUN(p, "mma_sync", D1(1), D1(32), 0, ARG(da), ARG(db), ARG(dd),
	    ARG(da8), ARG(db8), ARG(dd8));
	SAME(p, want, dd);
	SAME(p, want8, dd8);
}
