/*
 * Small CUDA programs and what they must leave in memory.
 *
 * A program is a row of programs.def, a file cu/NAME.cu with its kernels (all
 * of them extern "C") and a function check_NAME that makes the input, launches
 * and compares with what the host computes. Each is run as PTX of clang and of
 * nvcc, on one thread and on several, and with both ways to handle divergence.
 */
#ifndef HEDDLE_TESTS_PROG_PROG_H
#define HEDDLE_TESTS_PROG_PROG_H

#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"
#include "test.h"

enum { PROG_LAUNCHES = 256 };

/* A program under test: its module on a device of its own. */
struct prog {
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_result result; /* of the last launch */
	struct heddle_error err;
	char *text; /* what the last launch printed */
	size_t text_size;
	struct prog_buffer *buffers; /* of prog_get, freed with the program */
	uint32_t seed;
	int cooperative; /* launches from now on */
	/* Of each timed launch so far: a hash of its statistics. */
	uint64_t timed[PROG_LAUNCHES];
	size_t timed_count;
};

#define PROG(name, modes, what) void check_##name(struct prog *p);
#include "programs.def"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Device memory: a copy of the host's, or zeros. */
heddle_ptr prog_put(struct prog *p, const void *from, size_t size);
heddle_ptr prog_room(struct prog *p, size_t size);
#define PUT(p, array) prog_put(p, array, sizeof(array))
/* A copy of device memory that lives as long as the program. */
void *prog_get(struct prog *p, heddle_ptr from, size_t size);
/* A global or constant variable of the module; its size must be as given. */
heddle_ptr prog_global(struct prog *p, const char *name, size_t size);
/* The same numbers in every run of a program. */
uint32_t prog_random(struct prog *p);

/* A hash of all statistics of the device's last launch, not 0; 0: it was not
 * timed. */
uint64_t prog_timing(struct heddle_device *dev);

struct prog_arg {
	const void *at;
	size_t size;
};

struct prog_launch {
	const char *kernel;
	struct heddle_dim3 grid, block;
	size_t shared;
	const struct prog_arg *args;
	size_t arg_count;
};

/* RUN(p, "kernel", D1(4), D1(128), 0, ARG(x), ARG(n)); the arguments are
 * variables of the kernel's own types. A launch that fails ends the test. */
#define D1(x) ((struct heddle_dim3){ (x), 1, 1 })
#define D2(x, y) ((struct heddle_dim3){ (x), (y), 1 })
#define ARG(x) ((struct prog_arg){ &(x), sizeof(x) })
#define LAUNCH_OF(kernel, grid, block, shared, ...)                          \
	(&(struct prog_launch){ kernel, grid, block, shared,                 \
				(struct prog_arg[]){ __VA_ARGS__ },          \
				sizeof((struct prog_arg[]){ __VA_ARGS__ }) / \
					sizeof(struct prog_arg) })
#define RUN(p, ...) prog_run(__FILE__, __LINE__, p, LAUNCH_OF(__VA_ARGS__))
/* Returns the status; p->result and p->err have the details. */
#define TRY(p, ...) prog_try(__FILE__, __LINE__, p, LAUNCH_OF(__VA_ARGS__))

void prog_run(const char *file, int line, struct prog *p,
	      const struct prog_launch *l);
int prog_try(const char *file, int line, struct prog *p,
	     const struct prog_launch *l);

/* Checks that the device's memory at `at` holds the array `want`. */
#define SAME(p, want, at)                                                      \
	do {                                                                   \
		const __typeof__((want)[0]) *got_ =                            \
			prog_get(p, at, sizeof(want));                         \
		for (size_t i_ = 0; i_ < COUNT(want); i_++)                    \
			prog_eq(__FILE__, __LINE__, #want, i_,                 \
				TEST_VALUE((want)[i_]), TEST_VALUE(got_[i_])); \
	} while (0)
/* The same for floats: |got - want| <= error * max(1, |want|). */
#define NEAR(p, want, at, error)                                             \
	do {                                                                 \
		const __typeof__((want)[0]) *got_ =                          \
			prog_get(p, at, sizeof(want));                       \
		for (size_t i_ = 0; i_ < COUNT(want); i_++)                  \
			prog_near(__FILE__, __LINE__, #want, i_, (want)[i_], \
				  got_[i_], error);                          \
	} while (0)

void prog_eq(const char *file, int line, const char *array, size_t i,
	     struct test_value want, struct test_value got);
void prog_near(const char *file, int line, const char *array, size_t i,
	       double want, double got, double error);

#endif
