/*
 * What the system workloads share: arguments, threads, the parallel section, numbers
 * that are the same in every run, and the line that says whether the results are
 * right. An invalid argument prints the usage, with status 2.
 *
 *	int main(int argc, char **argv)
 *	{
 *		int n = read_size(argc, argv, "bfs", 65536, 1, 1 << 20, 1);
 *		...			all memory is allocated and written here
 *		section_begin();
 *		...			loops with #pragma omp parallel
 *		section_end();
 *		...			the same again, by one thread in another way
 *		return finish();
 *	}
 *
 * The parallel section is region 1 of heddle/guest.h. With HEDDLE_REGIONS in the
 * environment its time is printed on stderr, "region 1: 123456 ns". The threads
 * exist before it begins, so that starting them is no part of it; where the time is
 * printed, they have worked for 20 ms. "pace: 980000 ns" says how fast their
 * processors were: the longest time of any thread for a loop that fills a core,
 * before the section or after it. On a machine that others use, too, runs of
 * different paces do not compare.
 */
#ifndef WORKLOADS_SYSTEM_COMMON_H
#define WORKLOADS_SYSTEM_COMMON_H

#include <heddle/guest.h>

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECTION = 1, LINE_BYTES = 64, MOST_THREADS = 64 };

static struct {
	const char *name;
	int size;
	int timed;
	struct timespec start;
	double pace;
} self;

static inline int read_number(const char *text, int least, int most,
			      int multiple)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *end || end == text || n < least || n > most || n % multiple ?
		       -1 :
		       (int)n;
}

/* The size is the first argument, the number of threads the second one: else it
 * is that of OMP_NUM_THREADS. */
static inline int read_size(int argc, char **argv, const char *name, int normal,
			    int least, int most, int multiple)
{
	int threads = argc > 2 ? read_number(argv[2], 1, MOST_THREADS, 1) : 0;

	self.name = name;
	self.size = argc > 1 ? read_number(argv[1], least, most, multiple) :
			       normal;
	if (argc > 3 || self.size < 0 || threads < 0) {
		fprintf(stderr,
			"usage: %s [SIZE [THREADS]]: SIZE from %d to %d, a "
			"multiple of %d (%d)\n",
			name, least, most, multiple, normal);
		exit(2);
	}
	if (threads)
		omp_set_num_threads(threads);
	self.timed = getenv("HEDDLE_REGIONS") != NULL;
	return self.size;
}

/* Memory that is there: every page of it has been written. */
static inline void *allocate(size_t bytes)
{
	size_t whole = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	void *p = aligned_alloc(LINE_BYTES, whole);

	if (!p) {
		fprintf(stderr, "%s: out of memory\n", self.name);
		exit(1);
	}
	return memset(p, 0, whole);
}

/* Processors that have just been given work may still be slow. */
static inline void warm_up(void)
{
	const double seconds = 0.02, start = omp_get_wtime();

#pragma omp parallel
	while (omp_get_wtime() - start < seconds)
		;
}

/* Independent additions: as many a cycle as the core can. */
static inline void fill_core(void)
{
#ifdef __x86_64__
	unsigned long n = 600000, a = 1, b = 2, c = 3, d = 4;

	__asm__ volatile("1:\n\t"
			 "add $1, %0\n\tadd $1, %1\n\t"
			 "add $1, %2\n\tadd $1, %3\n\t"
			 "add $3, %0\n\tadd $3, %1\n\t"
			 "add $3, %2\n\tadd $3, %3\n\t"
			 "dec %4\n\tjnz 1b"
			 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(n));
#endif
}

/* All threads at once; the longest time in seconds. */
static inline double measure_pace(void)
{
	double longest = 0;

#pragma omp parallel reduction(max : longest)
	{
		double start = omp_get_wtime();

		fill_core();
		longest = omp_get_wtime() - start;
	}
	return longest;
}

static inline void section_begin(void)
{
	/* The library starts its threads. */
#pragma omp parallel
	__asm__ volatile("" : : : "memory");
	if (self.timed) {
		warm_up();
		self.pace = measure_pace();
		clock_gettime(CLOCK_MONOTONIC, &self.start);
	}
	HEDDLE_REGION_BEGIN(SECTION);
}

static inline void section_end(void)
{
	struct timespec end;
	double pace;

	HEDDLE_REGION_END(SECTION);
	if (!self.timed)
		return;
	clock_gettime(CLOCK_MONOTONIC, &end);
	pace = measure_pace();
	pace = pace > self.pace ? pace : self.pace;
	fprintf(stderr, "region %d: %lld ns\n", SECTION,
		(end.tv_sec - self.start.tv_sec) * 1000000000ll +
			(end.tv_nsec - self.start.tv_nsec));
	fprintf(stderr, "pace: %.0f ns\n", 1e9 * pace);
}

/* Numbers that are the same in every run. */
static inline uint32_t random_bits(void)
{
	static uint32_t state = 0x2545f491;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static inline float random_float(float from, float to)
{
	return from + (to - from) * (float)(random_bits() >> 8) * 0x1p-24f;
}

static inline int finish(void)
{
	printf("%s %d: ok\n", self.name, self.size);
	return 0;
}

static inline int wrong(size_t at, double got, double expected)
{
	printf("%s %d: WRONG at %zu: got %g expected %g\n", self.name,
	       self.size, at, got, expected);
	return 1;
}

/* tolerance: of the larger of 1 and the expected value. */
static inline int far(double got, double want, double tolerance)
{
	double w = fabs(want);

	return !(fabs(got - want) <= tolerance * (w > 1 ? w : 1));
}

static inline int compare_ints(const int *got, const int *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			return wrong(i, got[i], want[i]);
	return finish();
}

#endif
