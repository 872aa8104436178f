/* The frequency of the processor while it works: a chain of additions takes a cycle
 * for each. Prints MHz, the largest of several. */
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 20, CHAIN = 10000000 };

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
	double most = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double from = seconds(), mhz;
		unsigned long x = 1, n = CHAIN;

		__asm__ volatile("1:\n\t"
				 "add %2, %0\n\tadd %2, %0\n\t"
				 "add %2, %0\n\tadd %2, %0\n\t"
				 "add %2, %0\n\tadd %2, %0\n\t"
				 "add %2, %0\n\tadd %2, %0\n\t"
				 "dec %1\n\tjnz 1b"
				 : "+r"(x), "+r"(n)
				 : "r"(3ul));
		mhz = 8.0 * CHAIN / (seconds() - from) / 1e6;
		if (mhz > most)
			most = mhz;
	}
	printf("%.0f\n", most);
	return 0;
}
