/* Integers, doubles, long doubles, in and out as text. */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reals(void)
{
	static const char *const text[] = { "3.14159265358979323846", "1e-310",
					    "0x1.8p-16445", "1e4000", "-0.1" };
	double sum = 0;

	for (int i = 1; i < 100; i++)
		sum += sin(i) * exp(-i / 10.0) + log(i) + pow(i, 0.3) +
		       fmod(i, 0.7) + cbrt(i) + tan(i);
	printf("%.17g %a %g\n", sum, sum, sqrt(sum));
	for (int i = 0; i < 5; i++) {
		long double v = strtold(text[i], NULL);

		printf("%.21Lg %La %.5Lf %g\n", v, v * v / 7,
		       sqrtl(fabsl(v)) < 10 ? v : 1, (double)v);
	}
	printf("%f %f %f\n", 1 / 0.0, -1 / 0.0, 0.0 / 0.0 == 0 ? 1 : 2.0);
}

static void modes(void)
{
	static const int mode[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD,
				    FE_TOWARDZERO };
	volatile double one = 1, three = 3;

	for (int i = 0; i < 4; i++) {
		fesetround(mode[i]);
		printf("%a %ld %ld\n", one / three, lrint(2.5 * one),
		       lrint(-2.5 * one));
	}
	fesetround(FE_TONEAREST);
	feclearexcept(FE_ALL_EXCEPT);
	printf("%d", fetestexcept(FE_ALL_EXCEPT));
	three = one / (three - 3);
	printf(" %d\n", fetestexcept(FE_DIVBYZERO) != 0);
}

int main(int argc, char **argv)
{
	uint64_t hash = 1;
	__int128 wide = 1;

	for (int i = 1; i < 5000; i++) {
		hash = hash * 6364136223846793005u + (uint64_t)i;
		hash ^= hash >> (i % 31) | hash << (i % 13);
		wide = wide * 7 + (int64_t)hash / i + (int32_t)hash % i;
	}
	printf("%d %s %" PRIx64 " %" PRIx64 " %" PRId64 "\n", argc, argv[1],
	       hash, (uint64_t)(wide >> 64), (int64_t)(wide / 1234567));
	reals();
	modes();
	printf("%s %zu\n", strstr("a needle in a haystack", "hay"),
	       strcspn("strings too", " "));
	return 7;
}
