/* Rules on the instructions of an SM: idle lanes, dependences, pipes, their
 * supply, barriers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "explore/advice_case.h"
#include "explore/view.h"

/* Lanes of a block's warps that have a thread. */
static double threads_share(const struct advice_input *in)
{
	return ratio_of(in->threads,
			(double)in->warps * (double)in->cfg->sm.warp_size);
}

/* Fewer warps would do the same work: at best their number shrinks as the idle
 * lanes are filled, and all that an SM does with it. */
static bool rule_partial(const struct advice_case *c, struct advice_finding *f)
{
	const struct advice_input *in = c->in;

	if (in->threads % (uint64_t)in->cfg->sm.warp_size == 0)
		return false;
	f->bound = case_saved(c, WHY_RESIDENT, 1 - threads_share(in), NULL);
	case_say(f->finding, "Blocks do not fill their warps.");
	case_say(f->evidence,
		 "A block of %" PRIu32 " threads takes %" PRIu32
		 " warps of %" PRId64 " lanes: %.0f%% of the lanes have no "
		 "thread.",
		 in->threads, in->warps, in->cfg->sm.warp_size,
		 100 * (1 - threads_share(in)));
	case_say(f->remedy,
		 "Choose a block size that is a multiple of %" PRId64
		 " threads.",
		 in->cfg->sm.warp_size);
	return true;
}

static bool inst_is_branch(const struct advice_inst *i)
{
	return !strcmp(i->unit, "branch");
}

/* With fewer than three quarters of the lanes at work. */
static bool rule_divergence(const struct advice_case *c,
			    struct advice_finding *f)
{
	const struct stat_sm *s = &c->in->s.sm;
	double lanes = ratio_of((double)s->lanes, (double)s->instructions);
	double use = ratio_of(lanes, (double)c->in->cfg->sm.warp_size *
					     threads_share(c->in));
	char a[GROUPED_TEXT];

	if (!s->instructions || use >= 0.75)
		return false;
	f->bound = case_saved(c, WHY_RESIDENT, 1 - use, NULL);
	case_place(c, f, inst_is_branch, case_excess);
	case_say(f->finding, "Lanes of a warp take different ways.");
	case_say(f->evidence, "%.1f of %" PRId64 " lanes are active", lanes,
		 c->in->cfg->sm.warp_size);
	if (s->diverged)
		case_say(f->evidence, "; %.0f%% of %s branches went both ways",
			 100 * ratio_of((double)s->diverged,
					(double)s->branches),
			 grouped(a, s->branches));
	else
		case_say(f->evidence,
			 ", though no branch went both ways: guards or early "
			 "exits switch lanes off");
	case_say_place(f, ", most of them in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Give the lanes of a warp the same way: sort or bin the work, "
		 "let several lanes share a long item, shorten what differs.");
	return true;
}

static bool inst_computes(const struct advice_inst *i)
{
	return strcmp(i->unit, "lsu") && strcmp(i->unit, "tex") &&
	       strcmp(i->unit, "branch");
}

static bool rule_dependence(const struct advice_case *c,
			    struct advice_finding *f)
{
	const struct advice_input *in = c->in;

	f->bound = case_saved(c, WHY(DEPENDENCE), 1, NULL);
	/* Otherwise the longest waits are for something else. */
	if (case_prevails(c, WHY(DEPENDENCE)))
		case_place(c, f, inst_computes, case_waited);
	case_say(f->finding,
		 "Instructions wait for the results of those before them.");
	case_say(
		f->evidence,
		"dependence has %.1f%% of the slots of busy SMs, with %.1f warps on "
		"an SM",
		100 * case_busy_share(c, WHY(DEPENDENCE)),
		ratio_of((double)in->s.sm.warp_cycles,
			 (double)in->s.sm.active_cycles));
	case_say_place(f, "; the longest waits are in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Give a thread independent work: several accumulators, "
		 "unrolled loops; or have more warps.");
	return true;
}

/* ---- pipes ---- */

/* Double precision where single precision runs at twice the rate or more. */
static bool fp64_is_slow(const struct advice_case *c)
{
	const struct cfg *cfg = c->in->cfg;

	return c->in->s.unit[UNIT_FP64] &&
	       cfg->unit[UNIT_FP32].lanes >= 2 * cfg->unit[UNIT_FP64].lanes;
}

static bool inst_is_fp64(const struct advice_inst *i)
{
	return !strcmp(i->unit, "fp64");
}

/*
 * At best nobody waits for the pipe any more; for the share of the arithmetic that
 * is FP64, results come as early as those of single precision, and operands of one
 * register keep nobody waiting for a bank.
 */
static bool rule_fp64(const struct advice_case *c, struct advice_finding *f)
{
	const struct cfg *cfg = c->in->cfg;
	const struct stats *s = &c->in->s;
	double n = (double)s->unit[UNIT_FP64];
	double other = (double)(s->unit[UNIT_INT] + s->unit[UNIT_FP32] +
				s->unit[UNIT_FP16] + s->unit[UNIT_SFU]);
	double sooner = 1 - ratio_of((double)cfg->lat[LAT_FMA].cycles,
				     (double)cfg->lat[LAT_F64].cycles);
	double part = ratio_of(n, n + other);

	if (!fp64_is_slow(c))
		return false;
	f->bound =
		case_saved(c, WHY(FP64), 1, NULL) +
		case_saved(c, WHY(DEPENDENCE), fmax(0, sooner) * part, NULL) +
		case_saved(c, WHY(REGISTERS), part, NULL);
	case_place(c, f, inst_is_fp64, case_issued);
	case_say(f->finding,
		 "Double precision is slow on this GPU, and costs time.");
	case_say(f->evidence,
		 "%.0f%% of the instructions are FP64, with %" PRId64
		 " lanes a cycle where FP32 has %" PRId64
		 "; fp64 has %.1f%% of the slots of busy SMs",
		 100 * ratio_of(n, (double)s->sm.instructions),
		 cfg->unit[UNIT_FP64].lanes, cfg->unit[UNIT_FP32].lanes,
		 100 * case_busy_share(c, WHY(FP64)));
	case_say_place(f, "; most of them are in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Compute in single precision where it is enough; a constant "
		 "without an f, such as 0.5, makes an expression double.");
	return true;
}

/* The unit that ready warps waited for most, by the time that it would save. */
static enum unit_class worst_unit(const struct advice_case *c, double *saved)
{
	enum unit_class worst = UNIT_INT;

	*saved = -1;
	for (unsigned u = 0; u < UNIT_COUNT; u++) {
		double here = case_saved(c, WHY(INT) << u, 1, NULL);

		if ((u == UNIT_FP64 && fp64_is_slow(c)) || here <= *saved)
			continue;
		*saved = here;
		worst = (enum unit_class)u;
	}
	return worst;
}

static bool memory_is_full(const struct advice_case *c)
{
	return case_found(c, "uncoalesced") ||
	       case_found(c, "bank_conflicts") ||
	       case_found(c, "dram_bandwidth") ||
	       case_found(c, "l2_bandwidth") || case_found(c, "l1_bandwidth") ||
	       case_found(c, "atomics") || case_found(c, "constant") ||
	       case_found(c, "scalar_loads");
}

/* What ready warps wait for. */
static void say_unit(char text[ADVICE_TEXT], const struct advice_case *c,
		     enum unit_class u, bool memory)
{
	/* Statistics know a compute unit's ports by the units of an SM. */
	static const char *const ports[UNIT_COUNT] = {
		[UNIT_FP32] = "vector ALU",
		[UNIT_SFU] = "vector ALU, at a quarter of its rate",
		[UNIT_FP64] = "vector ALU, in double precision",
		[UNIT_LSU] = "queue of vector memory or LDS",
		[UNIT_UNIFORM] = "scalar ALU",
	};

	if (c->units && ports[u])
		case_say(text, "%s", ports[u]);
	else
		case_say(text, "%s%s", unit_names[u],
			 memory ? " unit's queue" : " pipe");
}

static bool rule_pipe(const struct advice_case *c, struct advice_finding *f)
{
	const struct advice_input *in = c->in;
	enum unit_class u = worst_unit(c, &f->bound);
	bool memory = u == UNIT_LSU || u == UNIT_TEX;
	double lanes = (double)in->cfg->unit[u].lanes;
	double busy =
		ratio_of((double)in->s.unit[u] * (double)in->cfg->sm.warp_size,
			 lanes * (double)in->s.sm.active_cycles);

	/* The queue of memory instructions is full for another reason. */
	if (memory && memory_is_full(c))
		return false;
	case_say(f->finding, "Ready warps wait for the ");
	say_unit(f->finding, c, u, memory);
	case_say(f->finding, ".");
	case_say(f->evidence, "%s has %.1f%% of the slots of busy SMs",
		 unit_names[u], 100 * case_busy_share(c, WHY(INT) << u));
	if (!memory)
		case_say(f->evidence,
			 "; at %.0f lanes a cycle, its %.0f%% of the "
			 "instructions keep it busy for %.0f%% of the time at "
			 "least",
			 lanes,
			 100 * ratio_of((double)in->s.unit[u],
					(double)in->s.sm.instructions),
			 100 * fmin(1, busy));
	case_say(f->evidence, ".");
	case_say(f->remedy, "%s",
		 memory ? "Use fewer and wider accesses (float4); keep values "
			  "in registers." :
			  "Use fewer instructions of this kind, or move work "
			  "to pipes that are idle.");
	return true;
}

/* ---- supply, barriers, branches ---- */

static bool rule_fetch(const struct advice_case *c, struct advice_finding *f)
{
	const struct stat_front *s = &c->in->s.front;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	f->bound = case_saved(c, WHY(FETCH), 1, NULL);
	case_say(f->finding, "Warps wait for instructions.");
	case_say(
		f->evidence,
		"fetch has %.1f%% of the slots of busy SMs; %s of %s fetches missed "
		"the L0, %s lines came from the L2.",
		100 * case_busy_share(c, WHY(FETCH)), grouped(a, s->l0_misses),
		grouped(b, s->fetches),
		grouped((char[GROUPED_TEXT]){ 0 }, s->l1_misses));
	case_say(f->remedy,
		 "Make the code shorter: less unrolling and inlining, loops "
		 "that fit the instruction cache; let blocks run longer, so "
		 "that each line is used more often.");
	return true;
}

static bool inst_is_barrier(const struct advice_inst *i)
{
	return case_is(i, "bar barrier s_barrier");
}

static bool rule_barrier(const struct advice_case *c, struct advice_finding *f)
{
	char a[GROUPED_TEXT];

	if (!c->in->s.sm.barriers)
		return false;
	f->bound = case_saved(c, WHY(BARRIER), 1, NULL);
	case_place(c, f, inst_is_barrier, case_issued);
	case_say(f->finding, "Warps wait for each other at barriers.");
	case_say(f->evidence,
		 "barrier has %.1f%% of the slots of busy SMs; %s arrivals",
		 100 * case_busy_share(c, WHY(BARRIER)),
		 grouped(a, c->in->s.sm.barriers));
	case_say_place(f, ", most of them in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Have several smaller blocks on an SM, balance the work "
		 "between barriers, or synchronize warps only.");
	return true;
}

static bool rule_branches(const struct advice_case *c, struct advice_finding *f)
{
	const struct stat_sm *s = &c->in->s.sm;

	if (!s->branches)
		return false;
	f->bound = case_saved(c, WHY(REDIRECT), 1, NULL);
	case_place(c, f, inst_is_branch, case_issued);
	case_say(f->finding, "Warps wait after branches.");
	case_say(f->evidence,
		 "redirect has %.1f%% of the slots of busy SMs; one of %.1f "
		 "instructions is a branch",
		 100 * case_busy_share(c, WHY(REDIRECT)),
		 ratio_of((double)s->instructions, (double)s->branches));
	case_say_place(f, ", most of them in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Unroll short loops; replace short branches by selection; "
		 "have more warps.");
	return true;
}

const struct advice_rule advice_issue_rules[] = {
	{ "partial_warps", rule_partial, ADVICE_SM },
	{ "partial_wavefronts", rule_partial, ADVICE_CU },
	{ "divergence", rule_divergence, ADVICE_BOTH },
	{ "dependence", rule_dependence, ADVICE_BOTH },
	{ "fp64", rule_fp64, ADVICE_BOTH },
	{ "pipe", rule_pipe, ADVICE_BOTH },
	{ "fetch", rule_fetch, ADVICE_BOTH },
	{ "barrier", rule_barrier, ADVICE_BOTH },
	{ "branches", rule_branches, ADVICE_BOTH },
	{ NULL, NULL, ADVICE_BOTH },
};
