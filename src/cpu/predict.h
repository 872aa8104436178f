/*
 * Branch prediction of a core: directions, targets, returns.
 *
 * Models:  directions by one of the predictors of cpu.predictor behind one
 *          interface; a set-associative branch target buffer with the least
 *          recently used replaced; a return stack for each hardware thread.
 *          Threads share the tables.
 * Does not model: the time between a prediction and what is learned from it:
 *          tables, history and return stack learn in the order of the right
 *          path, as soon as a branch is fetched. Wrong paths look up, and
 *          change nothing.
 * Owner:   the core.
 */
#ifndef HEDDLE_CPU_PREDICT_H
#define HEDDLE_CPU_PREDICT_H

#include "arch/guest.h"
#include "base/arena.h"
#include "base/diag.h"
#include "cfg/cfg.h"

struct cpu_predict;

/* A predictor of directions. */
struct cpu_direction {
	bool (*guess)(const struct cpu_predict *p, uint64_t at);
	void (*learn)(struct cpu_predict *p, uint64_t at, bool taken);
};

struct cpu_target {
	uint64_t at, to; /* at: plus 1; 0: empty */
	uint64_t used;
};

struct cpu_returns {
	uint64_t *to;
	uint32_t top, count;
};

struct cpu_predict {
	const struct cpu_direction *direction;
	bool perfect;
	/* Counters of two bits: 2 and 3 are taken, or two_level. */
	uint8_t *bimodal, *pattern, *chooser;
	uint16_t *history;
	uint64_t bimodals, patterns, choosers, histories;
	unsigned history_bits;
	struct cpu_target *target;
	uint32_t sets, ways;
	uint64_t clock;
	struct cpu_returns *returns; /* of each thread */
	uint32_t depth;
};

enum { CPU_THREADS = 4 };

/* What is fetched after a branch. */
struct cpu_guess {
	bool taken;
	bool known; /* false: nothing predicts the target */
	uint64_t to;
};

/* False: out of memory. */
MUST_USE bool cpu_predict_init(struct cpu_predict *p, struct arena *a,
			       const struct cfg_cpu *cfg);
/* Looks up the branch `i` at `at` of a thread; not for perfect prediction. */
struct cpu_guess cpu_predict_look(const struct cpu_predict *p, unsigned thread,
				  uint64_t at, const struct guest_inst *i);
/* The branch went to `next`. */
void cpu_predict_learn(struct cpu_predict *p, unsigned thread, uint64_t at,
		       const struct guest_inst *i, uint64_t next);
/* The thread is another one now. */
void cpu_predict_forget_returns(struct cpu_predict *p, unsigned thread);

#endif
