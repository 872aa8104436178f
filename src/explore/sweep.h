/*
 * A sweep: programs, a GPU, and parameters to vary. docs/sweeps.md describes
 * the file format.
 *
 *	name = "l2"
 *	gpu  = "c2050"                           # or config = "cgm"
 *	l2.replace = lru                         # of every point
 *	program mm { exec = "./matmul 256" }
 *	vary sm.count = 7, 14, 28..56 step 14    # one at a time
 *	vary { l2.bytes = 384K, 768K; l2.ways = 8, 16 }    # together
 *	variant "no L1" { l1.on = no }
 *	cross { vary ...; vary ... }             # every combination
 *	cost = 2 * sm.count + l2.bytes / 1M
 *
 * Holds what the file says, checked against the table of parameters but not
 * against a GPU: sweep_plan.h does that.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_H
#define HEDDLE_EXPLORE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cfg/param.h"

#define SWEEP_MAX_VALUES 100000 /* maximum of all lists and ranges */
#define SWEEP_MAX_FILE (1 << 20)

struct sweep_place {
	unsigned line, column; /* from 1 */
};

/* An expression over numbers and parameters: the cost of a point. */
struct sweep_expr;

struct sweep_assign {
	enum cfg_id id;
	const char *variable; /* "env.NAME", of the environment; else NULL */
	bool factor;          /* `number` times the base's value */
	const char *text;     /* for cfg_value_parse; NULL: use `number` */
	double number;
	struct sweep_place at;
};

/* One step of an axis: parameters that are assigned together. */
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

/* Axes that are crossed, or one axis that is varied alone. */
struct sweep_set {
	struct sweep_axis *axes;
	size_t count;
	struct sweep_place at;
};

enum sweep_kind {
	SWEEP_RUN,   /* a command line of `heddle run` */
	SWEEP_EXEC,  /* a CUDA program and its arguments */
	SWEEP_TRACE, /* a trace file */
	SWEEP_SYSTEM /* a program for `heddle system`, and its arguments */
};

struct sweep_program {
	const char *name;
	enum sweep_kind kind;
	const char *command; /* as in the file */
	const char **words;  /* the command, split as a shell does */
	size_t word_count;
	bool record;         /* record a trace once and replay it */
	bool cold;           /* launches start with empty caches */
	const char *isa;     /* --isa; NULL: not given */
	const char *kernels; /* of SWEEP_EXEC: which launches to time */
	const char **inputs; /* further files that it reads */
	size_t input_count;
	/* Of SWEEP_SYSTEM. */
	const char **env; /* "NAME=VALUE" */
	size_t env_count;
	const char *root; /* --root; NULL: not given */
	int region;     /* whose cycles count, or OUTCOME_ALL, OUTCOME_OPENCL */
	double timeout; /* of a point, in seconds; 0: the sweep's */
	struct sweep_place at;
};

struct sweep {
	const char *path;                        /* of the file, for errors */
	const char *name, *title, *gpu, *engine; /* NULL: not given */
	struct sweep_place gpu_at;
	unsigned threads; /* 0: not given */
	double timeout;   /* 0: none */
	const char *cost_text;
	const struct sweep_expr *cost;
	struct sweep_choice base; /* assignments for every point */
	struct sweep_program *programs;
	size_t program_count;
	struct sweep_set *sets;
	size_t set_count;
	struct arena arena; /* owns everything */
};

/* Parses a text; errors are "path:line:column: what". Call sweep_free in any
 * case. */
MUST_USE enum err sweep_read(struct sweep *s, const char *path,
			     const char *text, size_t size, struct diag *d);
void sweep_free(struct sweep *s);

/* What an assignment sets: "sm.count", "env.OMP_NUM_THREADS". */
static inline const char *sweep_assign_key(const struct sweep_assign *v)
{
	return v->variable ? v->variable : cfg_params[v->id].key;
}
/* Whether all, or any, programs are for systems. */
bool sweep_is_for_systems(const struct sweep *s, bool all);

/* Computes the cost of a configuration; not finite after a division by 0. */
double sweep_expr_value(const struct sweep_expr *e, const struct cfg *c);

#endif
