/* Rules on memory: access patterns, bandwidth, latency, atomics, spills. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "explore/advice_case.h"
#include "explore/view.h"

/* What warps wait for when memory is the limit. Stores and atomics without a
 * result keep nobody waiting but fill the queues, or outlive their warp. */
#define WHY_MEMORY (WHY(MEMORY) | WHY(LSU) | WHY(TEX) | WHY(DRAIN))

/* A part of the memory counts as full from here on; DRAM refreshes, turns its
 * bus around and opens rows. */
#define NEAR_PEAK 0.7

/* One sector more than the need, 5 for 4, is the price of an unaligned pointer:
 * 20%. */
#define EXCESS_LEAST 0.25

static double excess_share(const struct advice_case *c)
{
	return ratio_of((double)c->in->s.lsu.global_excess,
			(double)c->in->s.lsu.global_sectors);
}

static bool inst_in_global(const struct advice_inst *i)
{
	return !strcmp(i->unit, "lsu") && !strstr(i->text, ".shared") &&
	       !case_is(i, "ds_");
}

/*
 * At best nobody waits for memory any more; and the busiest part of the memory,
 * whatever it is, must still carry the sectors that remain.
 */
static bool rule_uncoalesced(const struct advice_case *c,
			     struct advice_finding *f)
{
	const struct stat_lsu *l = &c->in->s.lsu;
	double excess = excess_share(c);
	double asked =
		(double)(l->global_loads + l->global_stores + l->async_copies);
	char a[GROUPED_TEXT];

	if (excess <= EXCESS_LEAST)
		return false;
	f->bound = fmin(case_saved(c, WHY_MEMORY, 1, NULL),
			1 - (1 - excess) * case_busiest(c));
	case_place(c, f, inst_in_global, case_excess);
	case_say(f->finding, "Accesses to global memory are not coalesced.");
	case_say(f->evidence,
		 "A request touches %.1f sectors where the bytes of its lanes "
		 "fit into %.1f: %.0f%% of %s sectors are too many",
		 ratio_of((double)l->global_sectors, asked),
		 ratio_of((double)(l->global_sectors - l->global_excess),
			  asked),
		 100 * excess, grouped(a, l->global_sectors));
	case_say_place(f, ", most of them in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Let neighbouring lanes access neighbouring addresses: "
		 "another layout, or a transposition in shared memory.");
	return true;
}

/* ---- shared memory ---- */

static double conflict_cycles(const struct stats *sm, const struct cfg *cfg)
{
	int64_t pass = cfg->shared.conflict + cfg->shared.conflict_latency;

	if (sm->lsu.shared_atomics && cfg->shared.atomic > pass)
		pass = cfg->shared.atomic;
	return (double)sm->lsu.shared_conflicts * (double)pass;
}

/* A generic address may be one of shared memory. */
static bool inst_in_shared(const struct advice_inst *i)
{
	return !strcmp(i->unit, "lsu") && !strstr(i->text, ".global") &&
	       !strstr(i->text, ".local") && !case_is(i, "buffer_ tbuffer_");
}

static bool rule_conflicts(const struct advice_case *c,
			   struct advice_finding *f)
{
	const struct stat_lsu *l = &c->in->s.lsu;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (!l->shared_conflicts)
		return false;
	f->bound = case_saved(
		c, WHY(SHARED) | WHY(LSU) | WHY(BARRIER) | WHY(MEMORY), 1,
		conflict_cycles);
	case_place(c, f, inst_in_shared, case_excess);
	case_say(f->finding, "Bank conflicts slow down shared memory.");
	case_say(f->evidence,
		 "They add %s of %s passes through the banks (%.0f%%)",
		 grouped(a, l->shared_conflicts), grouped(b, l->shared_passes),
		 100 * ratio_of((double)l->shared_conflicts,
				(double)l->shared_passes));
	case_say_place(f, ", most of them in ");
	case_say(f->evidence, ".");
	if (l->shared_atomics > l->shared_loads + l->shared_stores)
		case_say(f->remedy,
			 "Most accesses are atomics: combine lanes of a warp "
			 "first, or keep several copies of the counters.");
	else
		case_say(f->remedy,
			 "Pad rows by one word, or permute columns, so that "
			 "the lanes of a warp use different banks.");
	return true;
}

/* ---- bandwidth ---- */

static bool rule_bandwidth(const struct advice_case *c,
			   struct advice_finding *f, enum case_level level,
			   const char *name)
{
	struct case_use u = c->use[level];

	if (u.active < NEAR_PEAK)
		return false;
	f->bound = case_saved(c,
			      WHY_MEMORY | WHY(ATOMIC) |
				      (level == CASE_L1 ? WHY(SHARED) : 0),
			      1, NULL);
	case_say(f->finding, "The bandwidth of the %s is the limit.", name);
	if (level == CASE_DRAM)
		case_say(f->evidence, "It reaches %.0f%% of %.0f GB/s",
			 100 * u.active, c->in->cfg->dram.bandwidth);
	else
		case_say(f->evidence, "The %s %s busy to %.0f%%", u.name,
			 u.name[strlen(u.name) - 1] == 's' ? "are" : "is",
			 100 * u.active);
	case_say(f->evidence, " in the time that SMs had blocks.");
	return true;
}

static bool rule_dram(const struct advice_case *c, struct advice_finding *f)
{
	const struct stat_dram *d = &c->in->s.dram;

	if (!rule_bandwidth(c, f, CASE_DRAM, "DRAM"))
		return false;
	case_say(f->evidence, " %.0f%% of the accesses found their row open.",
		 100 * ratio_of((double)d->row_hits,
				(double)(d->reads + d->writes)));
	case_say(f->remedy,
		 "Move fewer bytes: smaller types, reuse in shared memory or "
		 "registers, tiles that fit the L2, kernels fused.");
	return true;
}

static bool rule_l2(const struct advice_case *c, struct advice_finding *f)
{
	if (!rule_bandwidth(c, f, CASE_L2, "L2"))
		return false;
	case_say(f->evidence, " %.0f%% of the L1's reads missed.",
		 100 * ratio_of((double)c->in->s.l1.read_misses,
				(double)c->in->s.l1.reads));
	case_say(f->remedy,
		 "Reuse what was loaded: tiles in shared memory, more work "
		 "for each thread, accesses that hit in the L1.");
	return true;
}

static bool inst_in_l1(const struct advice_inst *i)
{
	return case_is(i, "ld st atom red buffer_ tbuffer_ ds_");
}

static bool rule_l1(const struct advice_case *c, struct advice_finding *f)
{
	if (!rule_bandwidth(c, f, CASE_L1, "L1 and shared memory"))
		return false;
	case_place(c, f, inst_in_l1, case_issued);
	case_say(f->remedy,
		 "Use fewer and wider accesses (float4), keep values in "
		 "registers, exchange them with shuffles.");
	return true;
}

/* ---- latency ---- */

static bool inst_reads_memory(const struct advice_inst *i)
{
	return strcmp(i->unit, "branch") != 0;
}

/* Nothing is full, but warps wait for loads. */
static bool rule_latency(const struct advice_case *c, struct advice_finding *f)
{
	const struct stats *s = &c->in->s;
	double read = (double)s->l1.reads;

	for (int i = 0; i < CASE_LEVELS; i++)
		if (c->use[i].active >= NEAR_PEAK)
			return false;
	if (case_found(c, "uncoalesced"))
		return false;
	f->bound = case_saved(c, WHY(MEMORY), 1, NULL);
	if (case_prevails(c, WHY(MEMORY)))
		case_place(c, f, inst_reads_memory, case_waited);
	case_say(f->finding,
		 "Warps wait for the latency of loads; no bandwidth is used "
		 "up.");
	case_say(f->evidence, "memory has %.1f%% of the slots of busy SMs",
		 100 * case_busy_share(c, WHY(MEMORY)));
	if (read > 0)
		case_say(f->evidence, "; %.0f%% of the reads hit the L1",
			 100 * ratio_of((double)s->l1.read_hits, read));
	case_say_place(f, "; the longest waits are in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Have more loads in flight: load earlier, unroll, prefetch "
		 "to registers or by asynchronous copies; reuse data.");
	return true;
}

/* ---- atomics, local memory ---- */

static bool inst_is_atomic(const struct advice_inst *i)
{
	return case_is(i, "atom red buffer_atomic") &&
	       !strstr(i->text, ".shared");
}

static bool rule_atomics(const struct advice_case *c, struct advice_finding *f)
{
	const struct stats *s = &c->in->s;
	double sent = (double)s->lsu.atomics_sent;
	double all = sent + (double)(s->lsu.reads_sent + s->lsu.writes_sent);
	uint64_t why = WHY(ATOMIC);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (!s->lsu.global_atomics)
		return false;
	/* If most requests are atomics, it is they that fill the queues. */
	if (2 * sent > all)
		why |= WHY(LSU) | WHY(DRAIN) | WHY(MEMORY) | WHY(FENCE);
	f->bound = case_saved(c, why, 1, NULL);
	case_place(c, f, inst_is_atomic, case_issued);
	case_say(f->finding, "Atomics on global memory hold up the warps.");
	case_say(f->evidence,
		 "%s atomic requests with %.1f lanes each; requests waited at "
		 "the head of the slices' queues for %s cycles in all",
		 grouped(a, s->lsu.atomics_sent),
		 ratio_of((double)s->l2.atomic_lanes, (double)s->l2.atomics),
		 grouped(b, s->l2.stall_cycles));
	case_say_place(f, "; most atomics are in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Reduce within the warp or the block first, then one atomic "
		 "for all; spread the rest over several addresses.");
	return true;
}

static bool inst_is_local(const struct advice_inst *i)
{
	return strstr(i->text, ".local") != NULL;
}

/*
 * Without them their issue slots and their waits are gone. A wait counts by the
 * number of accesses, as local memory is no slower than global memory.
 */
static bool rule_local(const struct advice_case *c, struct advice_finding *f)
{
	const struct stat_lsu *l = &c->in->s.lsu;
	double local = (double)(l->local_loads + l->local_stores);
	double all = local + (double)(l->global_loads + l->global_stores +
				      l->global_atomics + l->async_copies);
	char a[GROUPED_TEXT];

	if (local == 0)
		return false;
	f->bound = case_saved(c, WHY_MEMORY, ratio_of(local, all), NULL) +
		   case_saved(c, WHY(ISSUED),
			      ratio_of(local, (double)c->in->s.sm.instructions),
			      NULL);
	case_place(c, f, inst_is_local, case_issued);
	case_say(f->finding,
		 "Threads keep values in local memory: spilled registers or "
		 "arrays.");
	case_say(f->evidence,
		 "%s loads and stores of local memory, %.0f%% of those outside "
		 "of shared memory",
		 grouped(a, l->local_loads + l->local_stores),
		 100 * ratio_of(local, all));
	case_say_place(f, ", most of them in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Index arrays by constants (unroll the loops), make them "
		 "smaller, put them in shared memory, or allow more "
		 "registers.");
	return true;
}

static bool inst_reads_constant(const struct advice_inst *i)
{
	return case_is(i, "ld.const");
}

static bool rule_constant(const struct advice_case *c, struct advice_finding *f)
{
	const struct stat_lsu *l = &c->in->s.lsu;
	double lines =
		(double)(l->const_l0_hits + l->const_l1_hits + l->const_misses);
	uint64_t why = WHY(CONSTANT);

	if (!l->const_loads)
		return false;
	/* If most memory instructions are such loads, they fill the queue. */
	if (2 * l->const_loads > c->in->s.unit[UNIT_LSU])
		why |= WHY(LSU);
	f->bound = case_saved(c, why, 1, NULL);
	case_place(c, f, inst_reads_constant, case_issued);
	case_say(f->finding, "Warps wait for constant memory.");
	case_say(f->evidence,
		 "A load of constants reads %.1f lines, and %.0f%% of them are "
		 "not in the nearest cache",
		 ratio_of(lines, (double)l->const_loads),
		 100 * ratio_of((double)(l->const_l1_hits + l->const_misses),
				lines));
	case_say_place(f, "; most loads are in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Let all lanes read the same address; put tables that lanes "
		 "index differently into shared or global memory.");
	return true;
}

static bool inst_is_scalar_load(const struct advice_inst *i)
{
	return case_is(i, "s_load s_buffer_load");
}

/* Scalar loads of compute units; the statistics count them as those of constants. */
static bool rule_scalar(const struct advice_case *c, struct advice_finding *f)
{
	const struct stat_lsu *l = &c->in->s.lsu;
	double lines =
		(double)(l->const_l0_hits + l->const_l1_hits + l->const_misses);

	if (!l->const_loads)
		return false;
	f->bound = case_saved(c, WHY(CONSTANT), 1, NULL);
	case_place(c, f, inst_is_scalar_load, case_issued);
	case_say(f->finding, "Wavefronts wait for scalar loads.");
	case_say(f->evidence,
		 "constant has %.1f%% of the slots of busy SMs; a scalar load "
		 "reads %.1f lines, and %.0f%% of them are not in the scalar "
		 "cache",
		 100 * case_busy_share(c, WHY(CONSTANT)),
		 ratio_of(lines, (double)l->const_loads),
		 100 * ratio_of((double)l->const_misses, lines));
	case_say_place(f, "; most loads are in ");
	case_say(f->evidence, ".");
	case_say(f->remedy,
		 "Read what all lanes share before independent work, and what "
		 "lies side by side by one load; have more wavefronts.");
	return true;
}

const struct advice_rule advice_memory_rules[] = {
	{ "uncoalesced", rule_uncoalesced, ADVICE_BOTH },
	{ "bank_conflicts", rule_conflicts, ADVICE_BOTH },
	{ "dram_bandwidth", rule_dram, ADVICE_BOTH },
	{ "l2_bandwidth", rule_l2, ADVICE_BOTH },
	{ "l1_bandwidth", rule_l1, ADVICE_BOTH },
	{ "memory_latency", rule_latency, ADVICE_BOTH },
	{ "atomics", rule_atomics, ADVICE_BOTH },
	{ "local_memory", rule_local, ADVICE_BOTH },
	{ "constant", rule_constant, ADVICE_SM },
	{ "scalar_loads", rule_scalar, ADVICE_CU },
	{ NULL, NULL, ADVICE_BOTH },
};
