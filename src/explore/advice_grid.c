/* Rules on the shape of a launch: too few blocks, a ragged end, the launch itself,
 * too few warps on an SM. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/minmax.h"
#include "explore/advice_case.h"
#include "explore/view.h"

static double sm_slots(const struct advice_case *c, double sms, double cycles)
{
	return sms * cycles * (double)c->in->cfg->sm.schedulers;
}

/* SMs that never had a block: with all of them the work would take that share
 * of its time less. */
static bool rule_grid(const struct advice_case *c, struct advice_finding *f)
{
	const struct advice_input *in = c->in;
	char a[GROUPED_TEXT];

	f->bound = case_share(c, WHY(NO_BLOCK));
	if (c->used >= in->cores)
		return false;
	case_say(f->finding, "The grid is too small for the GPU.");
	case_say(f->evidence,
		 "%s block%s for %" PRIu32 " SMs: %" PRIu32
		 " SMs had none; no_block has %.1f%% "
		 "of the issue slots.",
		 grouped(a, in->blocks), in->blocks == 1 ? "" : "s", in->cores,
		 in->cores - c->used, 100 * f->bound);
	case_say(f->remedy,
		 "Split the work into at least %" PRIu32
		 " blocks; several times as "
		 "many hide latency as well.",
		 in->cores);
	return true;
}

/* How many blocks the SMs hold at once. */
static uint64_t grid_room(const struct advice_input *in)
{
	return (uint64_t)in->blocks_per_sm * in->cores;
}

static void say_waves(const struct advice_input *in, struct advice_finding *f)
{
	uint64_t room = grid_room(in), last = in->blocks % room;
	uint64_t each = in->blocks / in->cores;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (in->blocks > room && last) {
		case_say(f->evidence,
			 "%s blocks are %.2f waves of %s: the last wave has "
			 "%" PRIu64 ". ",
			 grouped(a, in->blocks),
			 ratio_of((double)in->blocks, (double)room),
			 grouped(b, room), last);
		case_say(f->remedy,
			 "Choose a grid of a multiple of %s blocks, or smaller "
			 "blocks, so that the last wave is full or short.",
			 grouped(b, room));
	} else if (in->blocks < room && in->blocks % in->cores) {
		case_say(f->evidence,
			 "%s blocks on %" PRIu32 " SMs: some have %" PRIu64
			 ", others %" PRIu64 ". ",
			 grouped(a, in->blocks), in->cores, each + 1, each);
		case_say(f->remedy,
			 "Choose a grid of a multiple of %" PRIu32
			 " blocks, or "
			 "smaller blocks.",
			 in->cores);
	} else {
		case_say(f->remedy,
			 "Give blocks equal work, or start the longest ones "
			 "first; smaller blocks even it out.");
	}
}

/* SMs that wait for the others to end: with equal work all would end in the
 * mean. That the dispatcher hears of the last end later is not part of it. */
static bool rule_tail(const struct advice_case *c, struct advice_finding *f)
{
	const struct advice_input *in = c->in;
	uint64_t first = UINT64_MAX, last = 0;
	double heard =
		sm_slots(c, c->used, (double)in->cfg->dispatch.block_latency);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	f->bound =
		ratio_of((double)in->s.reason[REASON_TAIL] - heard, c->slots);
	for (size_t i = 0; i < in->sms; i++) {
		if (!in->sm_ends[i])
			continue;
		first = min_u64(first, in->sm_ends[i]);
		last = max_u64(last, in->sm_ends[i]);
	}
	case_say(f->finding, "SMs run out of blocks while others still work.");
	say_waves(in, f);
	case_say(f->evidence,
		 "The first SM was done at cycle %s, the last at %s; tail has "
		 "%.1f%% of the issue slots.",
		 grouped(a, first), grouped(b, last),
		 100 * case_share(c, WHY(TAIL)));
	return true;
}

/* Slots before the first block could be there. */
static double launch_slots(const struct advice_case *c)
{
	return fmin((double)c->in->s.reason[REASON_LAUNCH],
		    sm_slots(c, c->in->cores, case_before(c)));
}

static bool rule_launch(const struct advice_case *c, struct advice_finding *f)
{
	const struct cfg *cfg = c->in->cfg;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	f->bound = ratio_of(launch_slots(c), c->slots);
	case_say(f->finding, "The launch itself takes much of the time.");
	case_say(f->evidence,
		 "The first block starts %s cycles after the launch, of %s "
		 "cycles in all.",
		 grouped(a, (uint64_t)(cfg->dispatch.launch_latency +
				       cfg->dispatch.block_latency)),
		 grouped(b, c->in->cycles));
	case_say(f->remedy,
		 "Do more work in one launch: larger problems, several steps "
		 "in one kernel, or kernels that overlap in streams.");
	return true;
}

/* Blocks that can follow others in a cycle: sent, and their ends handled. */
static double replaced_per_cycle(const struct cfg_dispatch *k)
{
	return 1 / fmax(1 / k->blocks_per_cycle, k->end_interval);
}

/* SMs that wait for their next block. */
static bool rule_gaps(const struct advice_case *c, struct advice_finding *f)
{
	const struct advice_input *in = c->in;
	double gaps = (double)in->s.reason[REASON_LAUNCH] - launch_slots(c);

	f->bound = ratio_of(gaps, c->slots);
	case_say(f->finding, "SMs wait for their next block.");
	case_say(f->evidence,
		 "A block is there for %.0f cycles on average; the next one "
		 "comes %" PRId64 " cycles after its end at the earliest, and "
		 "%.3g blocks can start in a cycle. Between the first block "
		 "and the last, SMs without one lost %.1f%% of all slots.",
		 ratio_of((double)in->s.sm.warp_cycles, (double)in->s.sm.warps),
		 2 * in->cfg->dispatch.block_latency,
		 replaced_per_cycle(&in->cfg->dispatch), 100 * f->bound);
	case_say(f->remedy,
		 "Let a block do more: a loop over several pieces of work, or "
		 "more threads.");
	return true;
}

/* ---- occupancy ---- */

static void say_limit(const struct advice_input *in, struct advice_finding *f)
{
	const char *limit = in->limit ? in->limit : "";
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	case_say(f->evidence, "the limit is %s: ", limit);
	if (!strcmp(limit, "grid")) {
		case_say(f->evidence, "%s blocks, where the GPU holds %s.",
			 grouped(a, in->blocks), grouped(b, grid_room(in)));
		case_say(f->remedy,
			 "Split the work into more blocks, smaller ones if "
			 "need be.");
	} else if (!strcmp(limit, "registers")) {
		case_say(f->evidence, "%" PRIu32 " for each thread.",
			 in->registers);
		case_say(f->remedy,
			 "Use fewer registers: __launch_bounds__, shorter "
			 "live ranges, less unrolling.");
	} else if (!strcmp(limit, "shared memory")) {
		case_say(f->evidence, "%s bytes for each block.",
			 grouped(a, in->shared));
		case_say(f->remedy,
			 "Use less shared memory for a block, or share it "
			 "among more threads.");
	} else if (!strcmp(limit, "blocks")) {
		case_say(f->evidence, "%" PRIu32 " of %" PRIu32 " warp%s each.",
			 in->blocks_per_sm, in->warps,
			 in->warps == 1 ? "" : "s");
		case_say(f->remedy, "Use larger blocks.");
	} else {
		case_say(f->evidence,
			 "%" PRIu32 " block%s of %" PRIu32 " warps.",
			 in->blocks_per_sm, in->blocks_per_sm == 1 ? "" : "s",
			 in->warps);
		case_say(f->remedy,
			 "Choose a block size that divides what an SM holds, "
			 "%" PRIu32 " warps.",
			 in->most_warps);
	}
}

/* Warps that the limit allows on an SM, on average. */
static double allowed_warps(const struct advice_case *c)
{
	const struct advice_input *in = c->in;
	double fit = (double)in->blocks_per_sm * in->warps;
	double share = ratio_of((double)in->blocks * in->warps, c->used);

	return fmin(fit, share);
}

/*
 * More warps can hide what warps wait for. They make an SM faster at most by the
 * ratio of the warps that it can hold to those that it had.
 */
static bool rule_occupancy(const struct advice_case *c,
			   struct advice_finding *f)
{
	const struct advice_input *in = c->in;
	double most = in->most_warps;
	double had = ratio_of((double)in->s.sm.warp_cycles,
			      (double)in->s.sm.active_cycles);

	if (allowed_warps(c) > 0.75 * most)
		return false;
	/* More blocks would go to SMs that have none: see rule_grid. */
	if (c->used < in->cores)
		return false;
	f->bound = fmin(case_saved(c, WHY_WAITING | WHY(UNFILLED), 1, NULL),
			case_saved(c, WHY_RESIDENT | WHY(UNFILLED),
				   1 - fmin(1, ratio_of(had, most)), NULL));
	case_say(f->finding,
		 "Too few warps are resident to hide what they wait for.");
	case_say(f->evidence,
		 "%.1f of %.0f warps on an SM that had any; %.1f%% of its "
		 "slots were lost to warps that wait or are missing; ",
		 had, most,
		 100 * case_busy_share(c, WHY_WAITING | WHY(UNFILLED)));
	say_limit(in, f);
	return true;
}

const struct advice_rule advice_grid_rules[] = {
	{ "grid", rule_grid, ADVICE_BOTH },
	{ "tail", rule_tail, ADVICE_BOTH },
	{ "launch", rule_launch, ADVICE_BOTH },
	{ "block_gaps", rule_gaps, ADVICE_BOTH },
	{ "occupancy", rule_occupancy, ADVICE_BOTH },
	{ NULL, NULL, ADVICE_BOTH },
};
