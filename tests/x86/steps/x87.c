/* The x87: arithmetic in three precisions, conversions, comparisons, remainders,
 * decimal numbers. Its transcendental functions are other ones in qemu. */
#include "start.h"

static __attribute__((noinline)) long double series(int n)
{
	long double sum = 0, term = 1;

	for (int i = 1; i < n; i++) {
		sum += term;
		term = term * 0.75L / (long double)i;
		sum -= (long double)(int16_t)(i * 977) * 1e-9L;
	}
	return sum;
}

static __attribute__((noinline)) long double
with_control(uint16_t control, long double a, long double b)
{
	long double r;
	uint16_t old;

	__asm__ volatile("fnstcw %0" : "=m"(old));
	__asm__ volatile("fldcw %0" : : "m"(control));
	__asm__ volatile("fadd %%st(0), %%st; fmul %%st(1), %%st;"
			 "fsqrt; fdiv %%st(1), %%st; frndint; fchs; fabs"
			 : "=t"(r)
			 : "0"(a), "u"(b));
	__asm__ volatile("fldcw %0" : : "m"(old));
	return r;
}

static uint16_t compare(long double a, long double b)
{
	uint16_t status;

	__asm__ volatile("fucomp %%st(1); fnstsw %0"
			 : "=a"(status)
			 : "t"(a), "u"(b)
			 : "st");
	return status;
}

static long double remainders(long double a, long double b)
{
	long double r = a;
	uint16_t status;

	do
		__asm__ volatile("fprem; fnstsw %1"
				 : "+t"(r), "=a"(status)
				 : "u"(b));
	while (status & 0x400);
	__asm__ volatile("fprem1" : "+t"(r) : "u"(b));
	__asm__ volatile("fscale; fxtract; faddp" : "+t"(r) : "u"(b) : "st(7)");
	return r;
}

static int64_t decimal(long double v)
{
	uint8_t digits[10];
	long double back;

	__asm__ volatile("fbstp %0" : "=m"(digits) : "t"(v) : "st");
	__asm__ volatile("fbld %1" : "=t"(back) : "m"(digits));
	return (int64_t)back + digits[0];
}

int main(void)
{
	static const uint16_t controls[] = { 0x37f, 0x27f, 0x07f,
					     0x77f, 0xb7f, 0xf7f };
	long double sum = series(40);
	uint64_t bits = 0;

	for (unsigned i = 0; i < 30; i++) {
		long double a = (long double)(int64_t)next();
		long double b = (long double)((int64_t)next() >> 40) + 0.5L;

		if (i % 3 == 0)
			a = a / 1e17L;
		sum += with_control(controls[i % 6], a < 0 ? -a : a,
				    b < 0 ? -b : b) *
		       1e-12L;
		bits = bits * 31 + compare(a, b) + (a < b) + (a == b);
		sum += remainders(a, b) + (long double)(float)a;
		sum += (long double)decimal(a / 1e3L) * 1e-15L + (double)b;
	}
	bits += (uint64_t)(int64_t)sum;
	return (int)(bits & 0x7f);
}
