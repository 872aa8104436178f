/* What system calls cost that wait for nobody, as CSV: what,nanoseconds
 *
 * The median of rounds of 1000 calls each. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 101, SERIES = 1000 };

static int nobody;

static void look_up(void)
{
	syscall(SYS_getppid);
}

static void wake(void)
{
	syscall(SYS_futex, &nobody, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1000);
}

static void yield(void)
{
	syscall(SYS_sched_yield);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *name, void call(void))
{
	double took[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double from = now();

		for (int i = 0; i < SERIES; i++)
			call();
		took[r] = (now() - from) / SERIES;
	}
	qsort(took, ROUNDS, sizeof(*took), compare);
	printf("%s,%.1f\n", name, took[ROUNDS / 2]);
}

int main(void)
{
	printf("what,nanoseconds\n");
	measure("getppid", look_up);
	measure("futex_wake", wake);
	measure("sched_yield", yield);
	return 0;
}
