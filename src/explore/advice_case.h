/*
 * What the rules of advice.c ask of a launch: how many cycles the run would be
 * shorter without some of its stalls, how busy the memory was, which line an
 * access is in.
 *
 * Owner:   advice*.c; nothing but their tests may include this header besides.
 */
#ifndef HEDDLE_EXPLORE_ADVICE_CASE_H
#define HEDDLE_EXPLORE_ADVICE_CASE_H

#include "explore/advice.h"

/* How busy a part of the memory was, relative to its peak. */
enum case_level { CASE_L1, CASE_L2, CASE_DRAM, CASE_LEVELS };
struct case_use {
	double share;  /* over the whole run */
	double active; /* over the time in which blocks were there */
	const char *name;
};

struct advice_case {
	const struct advice_input *in;
	struct case_use use[CASE_LEVELS]; /* of each, the busiest component */
	double slots;                     /* of all SMs */
	bool units;                       /* cores are compute units, not SMs */
	uint32_t used;   /* of in->cores, those that had a block */
	double launched; /* share of the slots that are not `launch` */
	struct advice_finding *found; /* so far, in the order of the rules */
	size_t found_count;
};

/* What a rule is for: SMs, compute units, or both. */
enum advice_core { ADVICE_BOTH, ADVICE_SM, ADVICE_CU };

struct advice_rule {
	const char *name;
	/* Fills in the texts and the bound, which may be too small to be
	 * shown. False: the rule does not apply. */
	bool (*check)(const struct advice_case *c, struct advice_finding *f);
	enum advice_core core;
};

/* In the order in which they are tried. Each array ends with a NULL name. */
extern const struct advice_rule advice_grid_rules[];
extern const struct advice_rule advice_memory_rules[];
extern const struct advice_rule advice_issue_rules[];

/* Stands for a place in a text until case_words. */
enum { CASE_PLACE = '\001' };

/* A set of reasons, as bits. */
#define WHY(reason) (UINT64_C(1) << REASON_##reason)
/* Warps that wait for results, which other warps could hide. */
#define WHY_WAITING                                                   \
	(WHY(DEPENDENCE) | WHY(REDIRECT) | WHY(FETCH) | WHY(SHARED) | \
	 WHY(CONSTANT) | WHY(MEMORY) | WHY(ATOMIC) | WHY(FENCE) |     \
	 WHY(BARRIER) | WHY(CONVERGE))
/* All slots of an SM with a block that has warps. */
#define WHY_RESIDENT (WHY(UNFILLED) - 1)

/*
 * An upper bound of the share of the cycles that the run would be shorter without
 * `share` of the slots charged to these reasons. The run is as long as its last
 * SM, so each SM's end moves by its own slots, and by no more than
 * most(stats of the SM) cycles if `most` is not NULL.
 */
double case_saved(const struct advice_case *c, uint64_t reasons, double share,
		  double (*most)(const struct stats *sm,
				 const struct cfg *cfg));
/* Cycles before the first block can be on its SM. */
double case_before(const struct advice_case *c);
/* The share of all slots that are charged to these reasons; and their share of
 * the slots of SMs in the time that they had a block. */
double case_share(const struct advice_case *c, uint64_t reasons);
double case_busy_share(const struct advice_case *c, uint64_t reasons);
/* Whether these reasons cost more slots than all others that warps wait for. */
bool case_prevails(const struct advice_case *c, uint64_t reasons);

/* Finds case.use; case.launched must be known. */
void case_find_use(struct advice_case *c);
/* The largest share of all levels, over the whole run. */
double case_busiest(const struct advice_case *c);

/* Whether an earlier rule has given a finding that is large enough. */
bool case_found(const struct advice_case *c, const char *rule);

/* An instruction's opcode begins with one of these words, separated by spaces;
 * a guard in front of it is skipped. */
bool case_is(const struct advice_inst *i, const char *words);
/* Copies the place of the instruction for which `value` is largest among those
 * that `fits`; nothing if it is 0 everywhere. */
void case_place(const struct advice_case *c, struct advice_finding *f,
		bool (*fits)(const struct advice_inst *i),
		uint64_t (*value)(const struct advice_inst *i));
uint64_t case_issued(const struct advice_inst *i);
uint64_t case_waited(const struct advice_inst *i);
uint64_t case_excess(const struct advice_inst *i);

/* Appends to a text as much as fits. */
void case_say(char text[ADVICE_TEXT], const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Appends `before` and FILE:LINE if a place is known; case_words puts it in. */
void case_say_place(struct advice_finding *f, const char *before);

/* Puts the place into a text, and the words of compute units if they are meant. */
void case_words(char text[ADVICE_TEXT], const struct advice_finding *f,
		bool units);

#endif
