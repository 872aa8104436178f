/* Nanoseconds of a barrier of OpenMP, and of one after which each thread reads what the
 * first one has written before it, as CSV without a head: what,threads,nanoseconds
 *
 *	barrier ROUNDS THREADS
 *
 * The median of rounds of 100 barriers each. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1000, SERIES = 100, LINES = 16, LINE = 64 };

static _Alignas(LINE) volatile int lines[LINES][LINE / sizeof(int)];

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int read_all(void)
{
	int sum = 0;

	for (int i = 0; i < LINES; i++)
		sum += lines[i][0];
	return sum;
}

static void write_all(int v)
{
	for (int i = 0; i < LINES; i++)
		lines[i][0] = v;
}

static void measure(const char *name, int rounds, int exchange)
{
	double took[MOST], sum = 0;

#pragma omp parallel reduction(+ : sum)
	for (int r = 0; r < rounds; r++) {
		double from = omp_get_wtime();

		for (int i = 0; i < SERIES; i++) {
			if (exchange && omp_get_thread_num() == 0)
				write_all(i);
#pragma omp barrier
			if (exchange)
				sum += read_all();
		}
		if (omp_get_thread_num() == 0)
			took[r] = (omp_get_wtime() - from) * 1e9 / SERIES;
	}
	qsort(took, (size_t)rounds, sizeof(*took), compare);
	printf("%s,%d,%.1f\n", name, omp_get_max_threads(), took[rounds / 2]);
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[1]) : 0;

	if (rounds < 1 || rounds > MOST)
		return 2;
	omp_set_num_threads(atoi(argv[2]));
	measure("barrier", rounds, 0);
	measure("barrier_and_lines", rounds, 1);
	return 0;
}
