/* Which processors of this machine disturb each other, and how far apart they are.
 *
 *	topology PAIRS LATENCY
 *
 * writes two tables. PAIRS: for each two processors, the time of a loop that fills a
 * core's units when both run it, over its time alone: near 2 for two hardware threads
 * of one core. LATENCY: nanoseconds for a line to go from one to the other, half a
 * round trip of a counter that both write in turns. Both are the least of several
 * sweeps over all pairs, since what others do on the same machine disturbs some of
 * them. Prints, as OMP_PLACES, processors that do not disturb each other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, TRIPS = 500, SERIES = 4, SPINS = 200000 };
enum { REPEATS = 2, SWEEPS = 15 };

static double pairs[MOST][MOST], latency[MOST][MOST];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Independent additions, four a cycle and more. */
static double spin(void)
{
	double from = now();
	unsigned long n = SPINS, a = 1, b = 2, c = 3, d = 4;

	__asm__ volatile("1:\n\t"
			 "add $1, %0\n\tadd $1, %1\n\t"
			 "add $1, %2\n\tadd $1, %3\n\t"
			 "add $3, %0\n\tadd $3, %1\n\t"
			 "add $3, %2\n\tadd $3, %3\n\t"
			 "add $5, %0\n\tadd $5, %1\n\t"
			 "add $5, %2\n\tadd $5, %3\n\t"
			 "add $7, %0\n\tadd $7, %1\n\t"
			 "add $7, %2\n\tadd $7, %3\n\t"
			 "dec %4\n\tjnz 1b"
			 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(n));
	return now() - from;
}

static _Alignas(128) atomic_int turn;
static _Alignas(128) atomic_int ready;
static _Alignas(128) atomic_int stop;

struct job {
	int cpu, other;
	double best, trip;
};

static void *other(void *arg)
{
	struct job *j = arg;

	pin(j->other);
	/* While the first one measures, this one spins the same. */
	atomic_store(&ready, 1);
	while (!atomic_load(&stop))
		spin();
	atomic_store(&ready, 2);
	for (int i = 0; i < TRIPS * SERIES; i++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) !=
		       2 * i + 1)
			;
		atomic_store_explicit(&turn, 2 * i + 2, memory_order_release);
	}
	return NULL;
}

static void measure(struct job *j)
{
	pthread_t t;

	pin(j->cpu);
	atomic_store(&turn, 0);
	atomic_store(&ready, 0);
	atomic_store(&stop, 0);
	pthread_create(&t, NULL, other, j);
	while (atomic_load(&ready) != 1)
		;
	j->best = j->trip = 1e30;
	for (int i = 0; i < REPEATS; i++) {
		double d = spin();

		j->best = d < j->best ? d : j->best;
	}
	atomic_store(&stop, 1);
	while (atomic_load(&ready) != 2)
		;
	for (int s = 0; s < SERIES; s++) {
		double from = now(), d;

		for (int i = s * TRIPS; i < (s + 1) * TRIPS; i++) {
			atomic_store_explicit(&turn, 2 * i + 1,
					      memory_order_release);
			while (atomic_load_explicit(&turn,
						    memory_order_acquire) !=
			       2 * i + 2)
				;
		}
		d = (now() - from) / TRIPS / 2;
		j->trip = d < j->trip ? d : j->trip;
	}
	pthread_join(t, NULL);
}

static void least(double *to, double v)
{
	if (!*to || v < *to)
		*to = v;
}

static void sweep(int i, int k, double alone)
{
	struct job j = { .cpu = i, .other = k };

	measure(&j);
	least(&pairs[i][k], j.best / alone);
	least(&latency[i][k], j.trip);
	pairs[k][i] = pairs[i][k];
	latency[k][i] = latency[i][k];
}

static void table(const char *path, double (*of)[MOST], int n)
{
	FILE *to = fopen(path, "w");

	if (!to)
		exit(1);
	fprintf(to, "cpu");
	for (int k = 0; k < n; k++)
		fprintf(to, ",%d", k);
	for (int i = 0; i < n; i++) {
		fprintf(to, "\n%d", i);
		for (int k = 0; k < n; k++)
			fprintf(to, ",%.2f", of[i][k]);
	}
	fprintf(to, "\n");
	fclose(to);
}

int main(int argc, char **argv)
{
	int n = (int)sysconf(_SC_NPROCESSORS_ONLN), chosen[MOST], count = 0;
	double alone = 1e30;

	if (argc != 3 || n > MOST)
		return 2;
	for (int i = 0; i < n; i++) {
		pin(i);
		for (int r = 0; r < 20; r++) {
			double d = spin();

			alone = d < alone ? d : alone;
		}
	}
	for (int s = 0; s < SWEEPS; s++)
		for (int i = 0; i < n; i++)
			for (int k = i + 1; k < n; k++)
				sweep(i, k, alone);
	table(argv[1], pairs, n);
	table(argv[2], latency, n);
	for (int i = 0; i < n; i++) {
		int fits = 1;

		for (int k = 0; k < count; k++)
			fits &= pairs[i][chosen[k]] < 1.3;
		if (fits)
			chosen[count++] = i;
	}
	for (int k = 0; k < count; k++)
		printf("%s{%d}", k ? "," : "", chosen[k]);
	printf("\n");
	return 0;
}
