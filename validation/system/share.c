/* What it costs to take lines that another core has, as CSV without a head:
 * first,second,what,bytes,nanoseconds
 *
 *	share ROUNDS CPU CPU
 *
 * Two threads do the steps of a test in turns on an array; the last step is timed:
 * nanoseconds of a line, the median of all rounds. Steps, of the first thread in small
 * letters, of the second one in capitals:
 *
 *	w	a store to each line, line after line
 *	r	all bytes are read, line after line
 *	c	loads that wait for each other, lines in no order
 *	f	all lines are flushed
 *
 * "turns" is a line that both write in turns, from one to the other: half of a round
 * trip. */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, MOST = 256 << 10, ROUNDS = 1000, TURNS = 64 };

static const size_t sizes[] = { 1 << 10, 16 << 10, MOST };
static const char *const tests[] = {
	"WC",   "WR",   "WW",   /* alone */
	"wC",   "wR",   "wW",   /* written by the other one */
	"frC",  "frR",  "frW",  /* read by it */
	"wRW",  "wRc",  "wRr",  /* taken by reading */
	"wRrC", "wRrR", "wRrW", /* and read back */
};
enum { SIZES = sizeof(sizes) / sizeof(*sizes) };
enum { TESTS = sizeof(tests) / sizeof(*tests) };

static char *lines;
static size_t next[MOST / LINE];
static double took[SIZES][TESTS][ROUNDS], in_turns[ROUNDS];
static int rounds, cpus[2];

/* Steps that have been done. */
static _Alignas(128) atomic_int turn;

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

static void wait_for(int t)
{
	while (atomic_load_explicit(&turn, memory_order_acquire) != t)
		;
}

static void pass(int t)
{
	atomic_store_explicit(&turn, t, memory_order_release);
}

/* A circle through the lines of `bytes`, in no order. */
static void shuffle(size_t bytes)
{
	static size_t order[MOST / LINE];
	uint64_t state = 88172645463325252u;
	size_t n = bytes / LINE;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t k, t = order[i];

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		k = state % (i + 1);
		order[i] = order[k];
		order[k] = t;
	}
	for (size_t i = 0; i < n; i++)
		next[order[i]] = order[(i + 1) % n];
}

static void do_step(char what, size_t bytes)
{
	size_t n = bytes / LINE;
	void **p = (void **)lines;
	__m128i v = _mm_setzero_si128();

	switch (what | 32) {
	case 'w':
		for (size_t i = 0; i < n; i++)
			*(void **)(lines + i * LINE) = lines + next[i] * LINE;
		break;
	case 'r':
		for (size_t i = 0; i < bytes; i += sizeof(v))
			v = _mm_add_epi32(
				v, _mm_load_si128((__m128i *)(lines + i)));
		break;
	case 'c':
		for (size_t i = 0; i < n; i++)
			p = *p;
		break;
	default:
		for (size_t i = 0; i < n; i++)
			_mm_clflush(lines + i * LINE);
	}
	__asm__ volatile("" : : "r"(p), "x"(v) : "memory");
	_mm_mfence();
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, (size_t)rounds, sizeof(*v), compare);
	return v[rounds / 2];
}

static double clock_itself(void)
{
	double v[ROUNDS];

	for (int i = 0; i < rounds; i++) {
		double from = now();

		_mm_mfence();
		v[i] = now() - from;
	}
	return median(v);
}

/* One thread's part of a round; returns how many steps have been done. */
static int run_test(int me, int at, const char *steps, size_t bytes, double *ns)
{
	for (; *steps; steps++, at++) {
		double from;

		if (me == !!(*steps & 32))
			continue;
		wait_for(at);
		from = now();
		do_step(*steps, bytes);
		if (!steps[1])
			*ns = now() - from;
		pass(at + 1);
	}
	return at;
}

static void take_turns(int me, int at, double *ns)
{
	double from = now();

	for (int i = me; i < 2 * TURNS; i += 2) {
		wait_for(at + i);
		pass(at + i + 1);
	}
	if (me)
		*ns = now() - from;
}

static void *run(void *cpu)
{
	int me = (int)((int *)cpu - cpus), at = 0;

	pin(cpus[me]);
	for (size_t s = 0; s < SIZES; s++) {
		if (!me) {
			wait_for(at);
			shuffle(sizes[s]);
			pass(at + 1);
		}
		at++;
		for (size_t t = 0; t < TESTS; t++)
			for (int r = 0; r < rounds; r++)
				at = run_test(me, at, tests[t], sizes[s],
					      &took[s][t][r]);
	}
	for (int r = 0; r < rounds; r++, at += 2 * TURNS)
		take_turns(me, at, &in_turns[r]);
	return NULL;
}

static void report(void)
{
	double extra = clock_itself();

	for (size_t s = 0; s < SIZES; s++)
		for (size_t t = 0; t < TESTS; t++)
			printf("%d,%d,%s,%zu,%.2f\n", cpus[0], cpus[1],
			       tests[t], sizes[s],
			       (median(took[s][t]) - extra) /
				       (double)(sizes[s] / LINE));
	printf("%d,%d,turns,%d,%.2f\n", cpus[0], cpus[1], LINE,
	       median(in_turns) / (2 * TURNS));
}

int main(int argc, char **argv)
{
	pthread_t t;

	rounds = argc == 4 ? atoi(argv[1]) : 0;
	if (rounds < 1 || rounds > ROUNDS)
		return 2;
	cpus[0] = atoi(argv[2]);
	cpus[1] = atoi(argv[3]);
	lines = aligned_alloc(2 << 20, 2 << 20);
	if (!lines)
		return 1;
	madvise(lines, 2 << 20, MADV_HUGEPAGE);
	memset(lines, 0, MOST);
	if (pthread_create(&t, NULL, run, &cpus[1]))
		return 1;
	run(&cpus[0]);
	pthread_join(t, NULL);
	report();
	return 0;
}
