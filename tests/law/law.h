/*
 * Programs that are run on many machines, and the laws that must hold for each
 * run.
 *
 * A check that fails prints why and returns false. The tests run each machine
 * in its own process, so that a crash names its parameters.
 */
#ifndef HEDDLE_TESTS_LAW_LAW_H
#define HEDDLE_TESTS_LAW_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

enum { BUFFERS = 5, INTS = 3, SNAPSHOT = 1 << 17, STATS = 256 };

/* What a buffer holds before the launch. */
enum fill {
	FILL_NONE, /* no buffer */
	FILL_ZERO,
	FILL_INDEX, /* numbers below 1024 */
	FILL_FLOAT, /* small integers as floats */
	FILL_HALF,  /* ones and zeros as half floats */
	FILL_START, /* multiples of three: rows of a sparse matrix */
	FILL_BYTE
};

/* A kernel whose parameters are pointers, then 32-bit integers. */
struct program {
	const char *kernel;
	const char *text; /* NULL: the kernel is in bench/kernels.ptx */
	struct heddle_dim3 grid, block;
	struct {
		enum fill fill;
		uint32_t bytes;
	} buffer[BUFFERS];
	uint32_t ints[INTS];
	unsigned int_count;
};

#define PTX_HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define PTX_REGISTERS                                             \
	".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; " \
	".reg .f32 %f<8>;\n"
/* A kernel with one buffer. %r0: thread of the block, %r1: of the grid, %rd0:
 * the buffer, %rd1: the thread's own word of it. */
#define KERNEL(name, before, body)                                            \
	PTX_HEAD before                                                       \
		"\n.visible .entry " name "(.param .u64 a) {\n" PTX_REGISTERS \
		"ld.param.u64 %rd0, [a]; mov.u32 %r0, %tid.x; "               \
		"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; "               \
		"mad.lo.u32 %r1, %r2, %r3, %r0; mul.wide.u32 %rd1, %r1, 4; "  \
		"add.u64 %rd1, %rd0, %rd1;\n" body "\nret;\n}\n"

extern const struct program programs[];
extern const unsigned program_count;

/* All buffers of a program, one after the other, and all statistics. */
struct outcome {
	enum heddle_status status;
	char error[480];
	size_t bytes;
	unsigned char memory[SNAPSHOT];
	uint64_t cycles, window;
	unsigned threads;
	char engine[32];
	bool exact;
	uint64_t samples, events; /* hashes of them; 0: not watched */
	uint64_t own; /* hash of what each kernel of a group counted; or 0 */
	struct heddle_stat stat[STATS];
	size_t stats;
};

/* How a machine is simulated, which must not change the outcome. */
struct way {
	uint64_t window; /* 0: the longest */
	unsigned threads;
	const char *engine; /* NULL: by the number of threads */
	bool watch;         /* samples and events too */
	const char *record; /* NULL, or the trace to write */
};
#define PLAIN_WAY ((struct way){ .threads = 1 })

/* Runs the program on a device with that configuration, twice in a row: the
 * second launch finds a warm L2. NULL: without time, whatever the way. False:
 * it failed, and the reason was printed. */
bool program_run(const struct program *p, const struct heddle_config *c,
		 struct way way, struct outcome *out);

/* The same from the trace of a run: the statistics of the last launch, the
 * samples and events of all. No memory contents. */
bool trace_run(const char *path, const struct heddle_config *c, struct way way,
	       struct outcome *out);

/* Programs that are launched together, number i in stream i mod 3; their
 * buffers one after the other. Each has its own text. */
enum { GROUP = 8 };
bool group_run(const struct program *const *list, size_t n,
	       const struct heddle_config *c, struct way way,
	       struct outcome *out);

bool same_memory(const struct outcome *a, const struct outcome *b);
bool same_stats(const struct outcome *a, const struct outcome *b);

/* Checks everything that must hold for the program on that machine: memory is
 * that of a run without time, no counter contradicts another, and windows of 1
 * and 7 cycles, or three threads, change nothing. A load or launch may fail
 * with an error that names what the machine cannot do. */
bool program_obeys(const struct program *p, const struct heddle_config *c);

/* Checks that what leaves one end of the network arrives at the other. */
bool bytes_add_up(const struct outcome *o);
bool has_atomics(const struct outcome *o);
/* The value of a statistic, by its key. */
double stat_of(const struct outcome *o, const char *key);

/* A parameter's number in a resolved configuration, bytes with their K. */
double config_number(const char *dump, const char *key);
/* Its text, as it can be set. */
void config_value(const char *dump, const char *key, char *to, size_t size);
bool config_is(const char *dump, const char *key, const char *word);

/* Runs a test in its own process, for at most this many seconds; false: it
 * returned false, crashed or hung. */
bool apart(bool (*run)(const void *ctx), const void *ctx, unsigned seconds);

#endif
