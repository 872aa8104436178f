/*
 * Shared by all workloads: arguments, reproducible random input, checked calls,
 * copies, and one line of result.
 *
 *	static struct workload self = {"bfs", "nodes", 4096, 1, 1 << 20};
 *
 *	int main(int argc, char **argv)
 *	{
 *		int n = size_arg(&self, argc, argv);
 *		...
 *		check_exact(&self, got, want, n);
 *		return report(&self);
 *	}
 *
 * A program prints one line, `NAME SIZE: ok` (exit 0) or `NAME SIZE: WRONG at
 * I: got X expected Y` (exit 1). It prints no times: two runs print the same.
 * A failed CUDA call is reported on stderr (exit 1), the usage too (exit 2). With
 * WORKLOAD_BITS in the environment the line ends with a hash of all bytes that
 * were checked, to compare two GPUs to the last bit.
 */
#ifndef WORKLOADS_COMMON_H
#define WORKLOADS_COMMON_H

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

struct workload {
	const char *name;
	const char *meaning; /* of the size, for the usage */
	int size;            /* the default, then the size in use */
	int min, max;        /* limits of the size */
	const char *option;  /* meaning of a second argument, or NULL */
	/* The second argument and its limits; a default outside of the limits
	 * means that it was not given. */
	int choice, min_choice, max_choice;

	/* The first difference that a check found. */
	int wrong;
	size_t at;
	const char *part;
	char got[32], want[32];
	uint64_t bits; /* hash of the results */
};

#define CHECK(call) check_call((call), #call, __FILE__, __LINE__)

/* Checks that a launch was accepted; the next copy reports its faults. */
#define CHECK_LAUNCH() CHECK(cudaGetLastError())

static inline void check_call(cudaError_t e, const char *call, const char *file,
			      int line)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
		cudaGetErrorString(e));
	exit(1);
}

/* ---- arguments ---- */

static inline void usage(const struct workload *w)
{
	fprintf(stderr, "usage: %s [SIZE%s]; SIZE: %s, %d to %d, default %d",
		w->name, w->option ? " [OPTION]" : "", w->meaning, w->min,
		w->max, w->size);
	if (w->option)
		fprintf(stderr, "; OPTION: %s, %d to %d", w->option,
			w->min_choice, w->max_choice);
	if (w->option && w->choice >= w->min_choice &&
	    w->choice <= w->max_choice)
		fprintf(stderr, ", default %d", w->choice);
	fprintf(stderr, "\n");
	exit(2);
}

/* For a size within the limits that the program cannot use; `rule` says which
 * sizes it can, such as "a power of two". */
static inline void bad_size(const struct workload *w, const char *rule)
{
	fprintf(stderr, "%s: size %d: must be %s\n", w->name, w->size, rule);
	exit(2);
}

static inline int number_arg(const struct workload *w, const char *text,
			     int min, int max)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (errno || end == text || *end || v < min || v > max)
		usage(w);
	return (int)v;
}

/* The first argument, or the default; a second one goes to w->choice. */
static inline int size_arg(struct workload *w, int argc, char **argv)
{
	int size = w->size, choice = w->choice;

	if (argc > (w->option ? 3 : 2))
		usage(w);
	if (argc > 1)
		size = number_arg(w, argv[1], w->min, w->max);
	if (argc > 2)
		choice = number_arg(w, argv[2], w->min_choice,
				    w->max_choice);
	w->size = size;
	w->choice = choice;
	return size;
}

/* ---- random numbers: the same on every machine, for every library ---- */

/* splitmix64: a counter and two rounds of xor, shift and multiply. */
static inline uint64_t random_bits(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* From 0 to n - 1; n is small compared with 2^32, and so is the bias. */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(((random_bits(state) >> 32) * n) >> 32);
}

/* From 0 inclusive to 1 exclusive, a multiple of 2^-24: exact in a float. */
static inline float random_float(uint64_t *state)
{
	return (float)(random_bits(state) >> 40) / 16777216.0f;
}

static inline void random_floats(float *x, size_t n, float low, float high,
				 uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		x[i] = low + (high - low) * random_float(&seed);
}

/* ---- memory ---- */

/* Zeroed memory; free it with free(). */
template <class T> static inline T *host_alloc(size_t n)
{
	T *p = (T *)calloc(n ? n : 1, sizeof(T));

	if (!p) {
		fprintf(stderr, "out of memory: %zu elements of %zu bytes\n", n,
			sizeof(T));
		exit(1);
	}
	return p;
}

/* Uninitialized memory; free it with cudaFree(). */
template <class T> static inline T *device_alloc(size_t n)
{
	void *p;

	CHECK(cudaMalloc(&p, n * sizeof(T)));
	return (T *)p;
}

template <class T>
static inline void to_device(T *device, const T *host, size_t n)
{
	CHECK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T> static inline T *device_copy(const T *host, size_t n)
{
	T *device = device_alloc<T>(n);

	to_device(device, host, n);
	return device;
}

/* Waits for the kernels before it and reports their errors. */
template <class T>
static inline void from_device(T *host, const T *device, size_t n)
{
	CHECK(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost));
}

/* How many blocks of `size` cover n elements. */
static inline int blocks_of(int n, int size)
{
	return (int)(((long long)n + size - 1) / size);
}

/* ---- results ---- */

static inline void put_value(char *text, size_t room, double v)
{
	snprintf(text, room, "%.9g", v);
}

static inline void put_value(char *text, size_t room, long long v)
{
	snprintf(text, room, "%lld", v);
}

static inline void put_value(char *text, size_t room, unsigned long long v)
{
	snprintf(text, room, "%llu", v);
}

static inline void put_value(char *text, size_t room, float v)
{
	put_value(text, room, (double)v);
}

static inline void put_value(char *text, size_t room, int v)
{
	put_value(text, room, (long long)v);
}

static inline void put_value(char *text, size_t room, unsigned v)
{
	put_value(text, room, (unsigned long long)v);
}

/* Keeps the first difference only. */
template <class T>
static inline void note_wrong(struct workload *w, size_t at, T got, T want,
			      const char *part)
{
	if (w->wrong)
		return;
	w->wrong = 1;
	w->at = at;
	w->part = part;
	put_value(w->got, sizeof w->got, got);
	put_value(w->want, sizeof w->want, want);
}

/* FNV-1a. */
static inline void note_bits(struct workload *w, const void *got, size_t size)
{
	const unsigned char *byte = (const unsigned char *)got;
	uint64_t bits = w->bits ? w->bits : 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		bits = (bits ^ byte[i]) * 0x100000001b3u;
	w->bits = bits;
}

/* `part` names one of several results that a program checks. */
template <class T>
static inline void check_exact(struct workload *w, const T *got, const T *want,
			       size_t n, const char *part = NULL)
{
	note_bits(w, got, n * sizeof(T));
	for (size_t i = 0; i < n && !w->wrong; i++)
		if (got[i] != want[i])
			note_wrong(w, i, got[i], want[i], part);
}

/*
 * Within `relative` of the expected value, plus `absolute` for values near
 * zero that are the difference of larger ones. A NaN is never close.
 */
template <class T>
static inline void check_close(struct workload *w, const T *got, const T *want,
			       size_t n, double relative, double absolute = 0,
			       const char *part = NULL)
{
	note_bits(w, got, n * sizeof(T));
	for (size_t i = 0; i < n && !w->wrong; i++) {
		double limit = absolute + relative * fabs((double)want[i]);

		if (!(fabs((double)got[i] - (double)want[i]) <= limit))
			note_wrong(w, i, got[i], want[i], part);
	}
}

/* Prints the line; returns main's exit status. */
static inline int report(const struct workload *w)
{
	if (!w->wrong) {
		printf("%s %d: ok", w->name, w->size);
		if (getenv("WORKLOAD_BITS"))
			printf(" %016llx", (unsigned long long)w->bits);
		printf("\n");
		return 0;
	}
	printf("%s %d: WRONG at %zu: got %s expected %s%s%s\n", w->name,
	       w->size, w->at, w->got, w->want, w->part ? " in " : "",
	       w->part ? w->part : "");
	return 1;
}

#endif
