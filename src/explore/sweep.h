/*
 * A sweep: programs, a GPU, and what is varied of it. docs/sweeps.md describes
 * the file that it is read from.
 *
 *	name = "l2"
 *	gpu  = "c2050"
 *	l2.replace = lru                         # of every point
 *	program mm { exec = "./matmul 256" }
 *	vary sm.count = 7, 14, 28..56 step 14    # one at a time
 *	vary { l2.bytes = 384K, 768K; l2.ways = 8, 16 }    # together
 *	variant "no L1" { l1.on = no }
 *	cross { vary ...; vary ... }             # every combination
 *	cost = 2 * sm.count + l2.bytes / 1M
 *
 * This is what the file says, checked against the table of parameters but not
 * against a GPU: sweep_plan.h does that.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_H
#define HEDDLE_EXPLORE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cfg/param.h"

#define SWEEP_VALUES_MOST 100000 /* of all lists and ranges of a file */
#define SWEEP_FILE_MOST (1 << 20)

struct sweep_place {
	unsigned line, column; /* from 1 */
};

/* An expression over numbers and parameters: what a point costs. */
struct sweep_expr;

struct sweep_assign {
	enum cfg_id id;
	bool factor;      /* `number` times the value of the base */
	const char *text; /* as cfg_value_parse takes it; NULL: the number */
	double number;
	struct sweep_place at;
};

/* One step of an axis: what is assigned there, all at once. */
struct sweep_choice {
	const char *label; /* of a variant, else NULL */
	struct sweep_assign *assigns;
	size_t count;
	const struct sweep_expr *cost; /* of a variant; NULL: the sweep's */
	struct sweep_place at;
};

struct sweep_axis {
	const char *name; /* "sm.count", "no L1" */
	struct sweep_choice *choices;
	size_t count;
	struct sweep_place at;
};

/* Axes that are crossed; one axis alone is varied by itself. */
struct sweep_set {
	struct sweep_axis *axes;
	size_t count;
	struct sweep_place at;
};

enum sweep_kind {
	SWEEP_RUN,  /* a command line of `heddle run` */
	SWEEP_EXEC, /* a CUDA program and its arguments */
	SWEEP_TRACE /* a trace file */
};

struct sweep_program {
	const char *name;
	enum sweep_kind kind;
	const char *command; /* as in the file */
	const char **words;  /* the same, split as a shell does */
	size_t word_count;
	bool record;         /* record a trace once, replay it */
	const char *kernels; /* of SWEEP_EXEC: which launches are timed */
	const char **inputs; /* files that it reads besides */
	size_t input_count;
	double timeout; /* seconds of a point; 0: the sweep's */
	struct sweep_place at;
};

struct sweep {
	const char *path;                        /* what errors call the file */
	const char *name, *title, *gpu, *engine; /* NULL: not given */
	struct sweep_place gpu_at;
	unsigned threads; /* 0: not given */
	double timeout;   /* 0: none */
	const char *cost_text;
	const struct sweep_expr *cost;
	struct sweep_choice base; /* what holds for every point */
	struct sweep_program *programs;
	size_t program_count;
	struct sweep_set *sets;
	size_t set_count;
	struct arena arena; /* all of it */
};

/* Reads a text; errors are "path:line:column: what". sweep_free ends the sweep
 * in any case. */
MUST_USE enum err sweep_read(struct sweep *s, const char *path,
			     const char *text, size_t size, struct diag *d);
MUST_USE enum err sweep_read_file(struct sweep *s, const char *path,
				  struct diag *d);
void sweep_free(struct sweep *s);

/* The cost of a configuration. A division by zero gives no finite number. */
double sweep_expr_value(const struct sweep_expr *e, const struct cfg *c);

#endif
