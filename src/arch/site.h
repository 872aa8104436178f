/*
 * Recording and replay: what an instruction records.
 *
 * A *fact* is one thing that values decided: a predicate of all lanes, the
 * addresses or operands of all lanes, or a single number. A *site* is the place
 * in the code that a fact belongs to; the codec (trace/codec.h) predicts a fact
 * from earlier facts of the same site. An instruction with several facts has
 * several sites.
 *
 * Facts are in the order of the text. Where instructions are executed in another
 * order, those whose facts have changed places are a *group*: a recording
 * collects the facts of all of them before it writes any, and a replay reads
 * all of them before it uses one.
 *
 * A compiler may replace the branch around an instruction by a guard. The trace
 * has what the branch would have led to: a fact only if a lane executes the
 * instruction, in the stream of these lanes. Such a fact is always in a group; a
 * replay reads all comparisons of the group and knows from them which lanes have
 * it (tape_guard).
 *
 * Owner:   the program. An instruction set fills it in (isa.mark); replay/
 *          does the rest.
 */
#ifndef HEDDLE_ARCH_SITE_H
#define HEDDLE_ARCH_SITE_H

#include <stdbool.h>

#include "arch/inst.h"

/* A predicate that follows from others. */
enum tape_guard_kind {
	GUARD_FACT, /* of the same group */
	GUARD_REG,  /* in a register, when the group begins */
	GUARD_AND,
	GUARD_OR,
	GUARD_XOR,
	GUARD_SAME /* its first source */
};

struct tape_guard {
	uint8_t kind; /* enum tape_guard_kind */
	bool negated; /* the result is */
	uint8_t fact; /* FACT: the first or second of its instruction */
	uint32_t at;  /* FACT: index in code.insts */
	slot_t reg;   /* REG */
	const struct tape_guard *source[2];
};

/* Instructions of a basic block, without a guard or with one that stands for a
 * branch. */
struct tape_group {
	uint32_t count; /* facts */
	uint32_t *site; /* of each, in the order of the text */
	bool *mask;     /* whether it is a predicate */
	/* By fact: the lanes that have it; NULL: all. NULL: all facts are of
	 * all lanes. */
	const struct tape_guard **guard;
	const struct tape_site *sites; /* of the code */
};

/* By index in code.insts. */
struct tape_site {
	exec_fn *plain; /* the original executor, while it is replaced */
	uint32_t site;  /* the first one; dense over instructions with facts */
	/* Registers whose values are facts. PRED: predicates. STEER and SLEEP: where it goes, or
	 * how long. SYNC: operand[0], the lanes that execute it together.
	 * SURFACE: operand_bytes[0] is the size of a texel's element. */
	slot_t operand[2];
	uint8_t operand_bytes[2];
	uint8_t kind; /* enum replay_kind */
	/* Which of them are recorded as facts. Bit 0: d or operand[0]; bit 1:
	 * d2 or operand[1]. MBAR, MBAR_TEST: RECORDED_*. */
	uint8_t recorded;
	bool writes; /* ROWS: it stores */
	/* SYNC: its results follow from the lanes and predicates alone. */
	bool follows;
	/* PRED, STEER: operands are one for all lanes, active or not. */
	bool whole;
	/* PRED, LOAD, LOAD_SHARED, STORE, TEXELS: not 0: executed in another order than
	 * that of the text, among those that have the same number. */
	uint32_t reordered;
	/* Of the first of its facts in a group: where it would be if nothing but
	 * whole basic blocks had been moved. */
	uint32_t order;
	/* In copies of a loop's iteration, and in the loop itself: `ahead` is
	 * set, the facts are in groups; the number of the iteration, from 1
	 * on, and 0 in the loop itself. Facts of all iterations have the same
	 * sites. UNROLLED: `site` is that of the predicate on which the loop
	 * goes on, `turn` its place among the facts of an iteration, `group`
	 * that of the copies. END: `group` is the one that ends. */
	bool ahead;
	/* Only some lanes have its facts: its guard stands for a branch. NULL:
	 * it does not. */
	const struct tape_guard *apart;
	uint16_t copy;
	uint32_t turn;            /* of its first fact in the group */
	struct tape_group *group; /* NULL: none; replay/ makes it */
};

/* Bits of tape_site.recorded of mbarriers. */
enum {
	RECORDED_OPERAND = 1, /* the operand is a register */
	RECORDED_SPIN = 2     /* of a loop that only waits: its last test */
};

/* Distance to the site of an instruction's next fact, and the maximum number
 * of its sites. */
enum { NEXT_SITE = 1, SITES_OF_ONE = 5 };

/* The number of sites that the facts of an instruction take. */
static inline uint32_t tape_site_count(const struct tape_site *s)
{
	switch ((enum replay_kind)s->kind) {
	case REPLAY_FREE:
	case REPLAY_COMPUTE:
	case REPLAY_CLOCK:
	case REPLAY_SERVICE:
	case REPLAY_CONVERGE:
	case REPLAY_NO_TEXELS:
	case REPLAY_UNROLLED:
	case REPLAY_END:
		return 0;
	case REPLAY_MBAR:
	case REPLAY_MBAR_TEST:
		return 2;
	case REPLAY_ASYNC:
	case REPLAY_BULK:
		return SITES_OF_ONE;
	case REPLAY_PRED:
	case REPLAY_STEER:
	case REPLAY_SLEEP:
	case REPLAY_SYNC:
		return (uint32_t)__builtin_popcount(s->recorded);
	default:
		return 1;
	}
}

#endif
