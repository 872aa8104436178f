/* SSE and SSE2: numbers one by one and as vectors, conversions, comparisons. */
#include "start.h"

typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef int16_t h8 __attribute__((vector_size(16)));
typedef uint8_t b16 __attribute__((vector_size(16)));
typedef int64_t l2 __attribute__((vector_size(16)));

static double x[40], y[40], vx[40], vy[40];

static __attribute__((noinline)) void bodies(int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double dx = x[j] - x[i], dy = y[j] - y[i];
			double d = dx * dx + dy * dy + 1e-3, root = d, f;

			__asm__("sqrtsd %0, %0" : "+x"(root));
			f = 1e-3 / (d * root);
			vx[i] += dx * f;
			vy[i] += dy * f;
		}
	for (int i = 0; i < n; i++) {
		x[i] += vx[i];
		y[i] += vy[i];
	}
}

static __attribute__((noinline)) uint64_t convert(double d, int64_t v)
{
	float f = (float)d;
	uint64_t sum = (uint64_t)(int64_t)d + (uint64_t)(int32_t)f;

	sum += (uint64_t)(int64_t)((double)v * 0.25);
	sum += (uint64_t)(int64_t)((float)(int32_t)v * 0.5f);
	sum += (uint64_t)(d < (double)v) + 2 * (uint64_t)(f >= 1.5f);
	sum ^= d != d;
	return sum;
}

static __attribute__((noinline)) f4 vectors(f4 a, f4 b, i4 n)
{
	f4 r = a * b + a / (b * b + 1) - b;
	i4 less = a < b;
	h8 h = (h8)n + (h8)r * (h8)less;
	b16 c = (b16)h - (b16)n;

	r = (f4)(((i4)r & less) | ((i4)b & ~less));
	n = (n << 3) ^ (n >> 5) ^ (i4)c;
	h = (h8)n > (h8)r;
	h = ((h8)n & h) | ((h8)r & ~h);
	r += __builtin_convertvector(n >> 16, f4);
	return r + (f4)((i4)(h >> 2) & 0x3fffff);
}

static __attribute__((noinline)) d2 doubles(d2 a, d2 b, l2 n)
{
	d2 r = a * b - a / (b * b + 1);

	r = __builtin_shuffle(r, b, (l2){ 1, 2 });
	n += (l2)__builtin_shuffle((d2)n, a, (l2){ 3, 0 }) >> 60;
	return r + (d2)((n & 0xfffff) | 0x3ff0000000000000);
}

int main(void)
{
	uint64_t sum = 0;
	f4 v = { 1, 2, 3, 4 };
	d2 d = { 0.5, -0.25 };
	union {
		f4 f;
		d2 d;
		l2 l;
	} u;

	for (int i = 0; i < 40; i++) {
		x[i] = (double)(next() >> 11) * 0x1p-53;
		y[i] = (double)(next() >> 11) * 0x1p-53;
	}
	bodies(24);
	for (int i = 0; i < 40; i++) {
		int64_t n = (int64_t)next() >> (i % 40);

		sum += convert(x[i] * 1e9, n) + convert(-y[i], n);
		v = vectors(v, (f4){ (float)x[i], (float)i, -1.5f, 0 },
			    (i4){ (int32_t)n, i, -i, 77 });
		d = doubles(d, (d2){ x[i], y[i] }, (l2){ n, i });
	}
	sum += convert(1e300 * x[3] * 1e300, 1) + convert(0 / x[4], 2);
	u.f = v;
	sum += (uint64_t)(u.l[0] ^ u.l[1]);
	u.d = d;
	return (int)((sum ^ (uint64_t)u.l[0]) & 0x7f);
}
