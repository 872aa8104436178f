/* Numbers: integers of all widths, floats, conversions. */
#include <math.h>
#include <stdlib.h>

#include "prog.h"

static uint64_t random64(struct prog *p)
{
	const uint64_t high = prog_random(p);

	return high << 32 | prog_random(p);
}

static void expect_wide(const uint64_t *a, const uint64_t *b, int i,
			uint64_t *o)
{
	typedef unsigned __int128 u128;
	const u128 x = (u128)a[1] << 64 | a[0], y = (u128)b[1] << 64 | b[0];
	const u128 z = x * y + (x >> 7) - (y << 3);
	const u128 x96 = (u128)(uint32_t)a[2] << 64 | a[0],
		   y96 = (u128)(uint32_t)b[2] << 64 | b[0];
	unsigned carry = 0;

	o[0] = (u128)a[0] * b[0] >> 64;
	o[1] = (__int128)(int64_t)a[1] * (int64_t)b[1] >> 64;
	o[2] = (a[0] & 0xffffffff) * (b[0] & 0xffffffff) >> 32;
	o[3] = (int64_t)(int32_t)a[1] * (int32_t)b[1] >> 32;
	for (int k = 0; k < 4; k++) {
		const u128 sum = (u128)a[k] + b[k] + carry;

		o[4 + k] = (uint64_t)sum;
		carry = sum >> 64;
	}
	o[8] = (uint64_t)(x96 - y96);
	o[9] = (uint32_t)((x96 - y96) >> 64);
	o[10] = (uint64_t)z;
	o[11] = z >> 64;
	o[12] = a[0] / (b[0] >> i % 60 | 1);
	o[13] = (int64_t)a[1] % (int64_t)(b[1] >> i % 50 | 1);
	o[14] = (uint32_t)a[2] / ((uint32_t)b[2] >> i % 30 | 1);
	o[15] = (int32_t)a[3] % ((int16_t)b[3] | 1);
}

void check_wide_int(struct prog *p)
{
	uint64_t in[64 * 8], want[64 * 16];

	for (size_t i = 0; i < COUNT(in); i++)
		in[i] = prog_random(p) % 4 ? random64(p) : ~0ull;
	for (int i = 0; i < 64; i++)
		expect_wide(in + 8 * i, in + 8 * i + 4, i, want + 16 * i);
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "wide_int", D1(1), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

static uint32_t ones(uint64_t x)
{
	uint32_t n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

/* The distance of the highest one below bit `width`. */
static uint32_t leading(uint64_t x, uint32_t width)
{
	for (; x; x >>= 1)
		width--;
	return width;
}

static uint32_t first(uint64_t x)
{
	return x ? ones((x & -x) - 1) + 1 : 0;
}

static uint32_t reversed(uint32_t x)
{
	uint32_t r = 0;

	for (int k = 0; k < 32; k++)
		r |= (x >> k & 1) << (31 - k);
	return r;
}

void check_bit_tricks(struct prog *p)
{
	uint32_t in[64 * 2], want[64 * 16];

	for (size_t i = 0; i < COUNT(in); i++)
		in[i] = prog_random(p) % 8 ? prog_random(p) >> i % 31 : 0;
	for (uint32_t i = 0; i < 64; i++) {
		const uint32_t a = in[2 * i], b = in[2 * i + 1], s = i % 32;
		const uint64_t w = (uint64_t)a << 32 | b;
		const uint64_t pair = (uint64_t)b << 32 | a,
			       twice = (uint64_t)a << 32 | a;
		uint32_t *o = want + 16 * i;

		o[0] = ones(a);
		o[1] = leading(a, 32);
		o[2] = first(a);
		o[3] = reversed(a);
		o[4] = ones(w);
		o[5] = leading(w, 64);
		o[6] = first(w);
		o[7] = reversed(b);
		o[8] = (a & 0xff) | (b & 0xff) << 8 | (a >> 8 & 0xff) << 16 |
		       (b >> 8 & 0xff) << 24;
		o[9] = (uint32_t)(pair << s >> 32);
		o[10] = (uint32_t)(pair >> s);
		o[11] = (uint32_t)llabs((int64_t)(int32_t)a - (int32_t)b) + 7;
		o[12] = (uint32_t)(twice << b % 32 >> 32);
		o[13] = a / 32 % 1024;
		o[14] = (uint32_t)((int32_t)(a << 7) >> 20);
		o[15] = (a & 0xffff00ff) | (b & 0xff) << 8;
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "bit_tricks", D1(1), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

void check_dot_bytes(struct prog *p)
{
	enum { LANES = 64, N = 5 };
	const int n = N;
	uint8_t a[LANES * N * 4], b[LANES * N * 4];
	int want[LANES * 2];

	for (size_t i = 0; i < COUNT(a); i++) {
		a[i] = prog_random(p);
		b[i] = prog_random(p);
	}
	for (int i = 0; i < LANES; i++) {
		want[2 * i] = -5;
		want[2 * i + 1] = 7;
		for (int k = 4 * N * i; k < 4 * N * (i + 1); k++) {
			want[2 * i] += (int8_t)a[k] * (int8_t)b[k];
			want[2 * i + 1] += a[k] * b[k];
		}
	}
	heddle_ptr da = PUT(p, a), db = PUT(p, b),
		   to = prog_room(p, sizeof(want));

	RUN(p, "dot_bytes", D1(2), D1(32), 0, ARG(da), ARG(db), ARG(n),
	    ARG(to));
	SAME(p, want, to);
}

void check_nbody(struct prog *p)
{
	enum { N = 64 };
	const int n = N;
	const double dt = 0.125;
	double at[N][4], v[N * 3], want[N * 3];

	for (int i = 0; i < 4 * N; i++)
		at[i / 4][i % 4] = prog_random(p) % 1000 / 100.0;
	for (int i = 0; i < 3 * N; i++)
		v[i] = prog_random(p) % 100 / 10.0;
	for (int i = 0; i < N; i++) {
		double a[3] = { 0 };

		for (int k = 0; k < N; k++) {
			double d[3], r2 = 0.01;

			for (int c = 0; c < 3; c++) {
				d[c] = at[k][c] - at[i][c];
				r2 += d[c] * d[c];
			}
			for (int c = 0; c < 3; c++)
				a[c] += d[c] * at[k][3] / pow(r2, 1.5);
		}
		for (int c = 0; c < 3; c++)
			want[3 * i + c] = v[3 * i + c] + dt * a[c];
	}
	heddle_ptr from = PUT(p, at), speed = PUT(p, v),
		   to = prog_room(p, sizeof(want));

	RUN(p, "nbody", D1(2), D1(32), 0, ARG(from), ARG(speed), ARG(to),
	    ARG(n), ARG(dt));
	NEAR(p, want, to, 1e-12);
}

void check_functions_f32(struct prog *p)
{
	enum { N = 64 };
	float in[N], want[24 * N];

	for (int i = 0; i < N; i++) {
		const float x = in[i] =
			(int)(prog_random(p) % 6001) * 0.01f - 30;
		const float a = fabsf(x) + 0.01f;
		const double values[24] = {
			sin(x),
			cos(x),
			tan(x * 0.1f),
			exp(x * 0.2f),
			log(a),
			pow(a, 1.7f),
			sqrt(a),
			1 / sqrt(a),
			atan2(x, 3),
			tanh(x),
			cbrt(x),
			erf(x * 0.3f),
			exp2(x * 0.5f),
			log2(a),
			fmod(x, 0.7f),
			hypot(x, 2),
			floor(x) + 0.25 * nearbyint(x) + 0.125 * trunc(x),
			asin(x / 32),
			sinh(x * 0.2f),
			lgamma(a),
			sin(x * 0.1f),
			exp(x * 0.1f),
			log(a),
			x / (a + 1.0f),
		};

		for (int k = 0; k < 24; k++)
			want[24 * i + k] = (float)values[k];
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "functions_f32", D1(2), D1(32), 0, ARG(from), ARG(to));
	NEAR(p, want, to, 2e-6);
}

void check_functions_f64(struct prog *p)
{
	enum { N = 32 };
	double in[N], want[12 * N];

	for (int i = 0; i < N; i++) {
		const double x = in[i] =
			(int)(prog_random(p) % 6001) * 0.01 - 30;
		const double a = fabs(x) + 0.01;
		double *o = want + 12 * i;

		o[0] = sin(x);
		o[1] = cos(x * 1000);
		o[2] = exp(x * 0.2);
		o[3] = log(a);
		o[4] = pow(a, 1.7);
		o[5] = sqrt(a) / a;
		o[6] = atan(x);
		o[7] = tanh(x);
		o[8] = cbrt(x);
		o[9] = erf(x * 0.3);
		o[10] = fmod(x, 0.7);
		o[11] = nearbyint(x * 4) + floor(x) / 8;
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "functions_f64", D1(1), D1(32), 0, ARG(from), ARG(to));
	NEAR(p, want, to, 2e-15);
}

static int64_t clamped(double x, double least, double most)
{
	return (int64_t)(x < least ? least : x > most ? most : x);
}

static int32_t bits(float f)
{
	const union {
		float f;
		int32_t i;
	} u = { f };

	return u.i;
}

/* The float next to x in the direction `to`, unless x is one. */
static float directed(double x, float to)
{
	const float f = (float)x;

	return (to < x ? f > x : f < x) ? nextafterf(f, to) : f;
}

void check_conversions(struct prog *p)
{
	static const float some[] = { 0.5f,  1.5f, 2.5f,  -0.5f, -1.5f,
				      -2.5f, 3e9f, -3e9f, 1e10f, -0.0f,
				      0.25f, 1.0f, 255.5f };
	const double least = INT32_MIN, most = INT32_MAX;
	float in[64];
	int64_t want[64 * 14];

	for (size_t i = 0; i < 64; i++) {
		const float x = in[i] =
			i < COUNT(some) ?
				some[i] :
				(int)(prog_random(p) % 20001 - 10000) * 0.37f;
		const double d = x * 1.0000001;
		int64_t *o = want + 14 * i;

		o[0] = clamped(nearbyint(x), least, most);
		o[1] = clamped(trunc(x), least, most);
		o[2] = clamped(ceil(x), least, most);
		o[3] = clamped(floor(x), least, most);
		o[4] = clamped(nearbyint(x), 0, UINT32_MAX);
		o[5] = (int64_t)floor(x);
		o[6] = clamped(nearbyint(d), least, most);
		o[7] = (int64_t)ceil(d);
		o[8] = bits(directed(d, -INFINITY));
		o[9] = bits(directed(d, INFINITY));
		o[10] = bits(directed(12345677.0 * i, 0));
		o[11] = bits(x > 1 ? 1 : x > 0 ? x : 0);
		o[12] = (int8_t)clamped(trunc(x), -2e9, 2e9);
		o[13] = bits(directed((double)x + 1e-3f, INFINITY));
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "conversions", D1(1), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}
