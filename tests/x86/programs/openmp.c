/* OpenMP: loops, reductions, tasks, sections, ordered output. */
#include <omp.h>
#include <stdio.h>

static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	static double v[1000];
	long count = 0;
	int f = 0;

#pragma omp parallel for schedule(dynamic, 7)
	for (int i = 0; i < 1000; i++)
		v[i] = i * 0.25;
#pragma omp parallel for reduction(+ : count) ordered
	for (int i = 0; i < 8; i++) {
		for (int j = 0; j < 1000; j++)
			count += v[j] > i;
#pragma omp ordered
		printf("%d ", i);
	}
#pragma omp parallel
#pragma omp single
	f = fib(12);
	printf("%ld %d %d\n", count, f, omp_get_max_threads());
	return 0;
}
