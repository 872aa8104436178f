/*
 * Advice: what limits a timed launch, in words.
 *
 * A table of rules (advice.c) looks at the statistics of a launch, SM by SM, at
 * the GPU's configuration, at the shape of the launch and at what each
 * instruction cost. A rule that applies gives a finding: what is the matter, the
 * evidence, the remedy, and an upper bound of the gain, as a share of the cycles.
 * Findings are ranked by that bound.
 *
 *	advice_of_launch(&a, timing, kernel, &shape, &d)   (advice_launch.c)
 *	advice_print(stderr, &a), advice_json(&j, &a)      (advice_text.c)
 *	advice_sum_add(&sum, &a, cycles)                   (advice_sum.c)
 *
 * Rules are written in the words of SMs. A GPU of compute units (gpu.core) has rules
 * and words of its own (core_words.h).
 *
 * docs/advice.md lists the rules, their thresholds and how bounds are computed.
 *
 * Does not model: how much of the bound a change would reach, and what two
 * changes would gain together. Launches that ran at the same time get no advice,
 * because their statistics cannot be told apart; nor do launches that were cut
 * short.
 */
#ifndef HEDDLE_EXPLORE_ADVICE_H
#define HEDDLE_EXPLORE_ADVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/jsonwrite.h"
#include "cfg/cfg.h"
#include "stat/stat.h"

enum { ADVICE_FINDINGS = 5, ADVICE_TEXT = 400, ADVICE_NAME = 32 };

/* Bounds below this are left out: the model's own error is as large. */
#define ADVICE_LEAST 0.05

struct advice_finding {
	char rule[ADVICE_NAME];
	char finding[ADVICE_TEXT], evidence[ADVICE_TEXT], remedy[ADVICE_TEXT];
	double bound; /* at most this share of the cycles can be saved */
	char file[ADVICE_TEXT]; /* "": no line is known */
	uint32_t line;
};

struct advice_list {
	struct advice_finding at[ADVICE_FINDINGS]; /* largest bound first */
	size_t count;
	char none[ADVICE_TEXT]; /* why there is no finding; "" if there is one */
};

/* An instruction that was issued; as heddle_hot_line. */
struct advice_inst {
	const char *file;
	uint32_t line;
	const char *unit;
	char text[160];
	uint64_t issued, waited, excess;
};

/* What the rules look at: one launch that ran alone and to its end. */
struct advice_input {
	const struct cfg *cfg;
	struct stats s;
	uint64_t cycles, blocks;
	uint32_t threads, warps; /* of a block */
	uint32_t blocks_per_sm;
	uint32_t most_warps; /* of an SM */
	uint32_t registers;  /* of a thread */
	uint64_t shared;     /* bytes of a block */
	const char *limit, *resource;
	/* Of each SM that had a block: reason, sm.active_cycles,
	 * lsu.shared_conflicts and shared_atomics; and when its last block ended,
	 * 0 if it had none. */
	const struct stats *sm;
	const uint64_t *sm_ends;
	size_t sms;
	uint32_t cores; /* SMs; compute units, of which each of `sms` has some */
	const struct advice_inst *insts;
	size_t inst_count;
};

void advice_find(struct advice_list *out, const struct advice_input *in);

/* Speed-up that a bound allows: 1 / (1 - bound). */
double advice_speedup(double bound);

/*
 * advice_launch.c
 */

struct heddle_timing;

struct advice_shape {
	const struct cfg
		*cfg;     /* NULL: read from the result, which takes longer */
	uint32_t threads; /* of a block */
};

/* Advice on a launch, or why there is none. kernel: its number in the group. */
MUST_USE enum err advice_of_launch(struct advice_list *out,
				   const struct heddle_timing *t, size_t kernel,
				   const struct advice_shape *shape,
				   struct diag *d);

/*
 * advice_text.c
 */

/* "at most 37% of the cycles, 1.6x" */
#define ADVICE_BOUND_TEXT 64
const char *advice_bound_text(char text[ADVICE_BOUND_TEXT], double bound);
/* "saxpy.cu:6"; "": no line is known. */
const char *advice_place_text(char text[ADVICE_TEXT],
			      const struct advice_finding *f);
/* Prints the block that begins with the word "advice". */
void advice_print(FILE *to, const struct advice_list *a);
/* The same for one of several kernels. */
void advice_print_kernel(FILE *to, const char *kernel,
			 const struct advice_list *a);
/* Writes the members "advice" and, without findings, "advice_about". */
void advice_json(struct json *j, const struct advice_list *a);

/*
 * advice_sum.c
 */

/* The advice on all launches of a kernel: of each rule, the cycles that it could
 * save over all of them, and the words of the launch where it saves the most. */
struct advice_part {
	struct advice_finding finding;
	double saved; /* cycles of all launches */
	double most;  /* cycles of the launch that `finding` is of */
};

struct advice_sum {
	double cycles;
	uint64_t launches;
	struct advice_part *at; /* by rule, in the order of appearance */
	size_t count, room;
	char none[ADVICE_TEXT]; /* of the last launch without a finding */
};

/* False: out of memory. */
bool advice_sum_add(struct advice_sum *sum, const struct advice_list *a,
		    double cycles);
void advice_sum_find(struct advice_list *out, const struct advice_sum *sum);
void advice_sum_free(struct advice_sum *sum);

#endif
