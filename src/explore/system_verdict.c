#include "explore/system_verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "explore/view.h"

/* A run with the sums that rules compare. */
struct judged {
	struct system_run *r;
	double slots, busy; /* all; those of cores that had a thread */
	double seconds, ticks;
	struct system_verdict *out;
	size_t count;
};

static double slots_of(const struct judged *j, enum cpu_slot_use use)
{
	struct cpu_stats *st = &j->r->cpu;

	return (double)*cpu_stat_slot(st, use);
}

static void verdict_add(struct judged *j, const char *rule, double share,
			const char *fmt, ...) PRINTF_LIKE(4, 5);

static void verdict_add(struct judged *j, const char *rule, double share,
			const char *fmt, ...)
{
	struct system_verdict *v;
	va_list ap;

	if (j->count == SYSTEM_VERDICTS)
		return;
	v = &j->out[j->count++];
	*v = (struct system_verdict){ .rule = rule, .share = share };
	va_start(ap, fmt);
	vsnprintf(v->text, sizeof(v->text), fmt, ap);
	va_end(ap);
}

/* Adds to the evidence of the last verdict. */
static void verdict_say(struct judged *j, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

static void verdict_say(struct judged *j, const char *fmt, ...)
{
	struct system_verdict *v = &j->out[j->count - 1];
	size_t used = strlen(v->evidence);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->evidence + used, sizeof(v->evidence) - used, fmt, ap);
	va_end(ap);
}

/* The functions in which most of these uses' slots were lost. */
static void verdict_where(struct judged *j, unsigned uses)
{
	const struct system_run *r = j->r;
	double all = 0;
	int said = 0;

	for (unsigned u = 0; u < CPU_SLOT_USES; u++)
		if (uses >> u & 1)
			all += slots_of(j, (enum cpu_slot_use)u);
	for (double below = INFINITY; said < 3 && all > 0;) {
		const struct system_part *best = NULL;
		double most = 0.05 * all;

		for (size_t i = 0; i < r->function_count; i++) {
			const struct system_part *p = &r->functions[i];
			double n = 0;

			for (unsigned u = 0; u < CPU_SLOT_USES; u++)
				if (uses >> u & 1)
					n += (double)p->slot[u];
			if (n < below && n >= most && p->name) {
				most = n;
				best = p;
			}
		}
		if (!best)
			break;
		verdict_say(j, "%s%.60s (%.0f%%)",
			    said ? ", " : " Where: ", best->name,
			    100 * most / all);
		below = most;
		said++;
	}
	if (said)
		verdict_say(j, ".");
}

static double judged_percent(double part, double whole)
{
	return 100 * ratio_of(part, whole);
}

/* Cycles of a core that an access of the CPU's ports takes. */
static double judged_port_cycles(const struct judged *j, double ticks,
				 double count)
{
	return ratio_of(ticks, count) * j->r->cfg.cgm.cpu_clock * 1e3 /
	       j->r->khz;
}

/*
 * Rules
 */

bool system_cores_at_work(double *out, struct system_run *r)
{
	double before = 0;

	for (size_t k = 0; k <= r->cores; k++)
		out[k] = 0;
	if (!r->samples)
		return false;
	for (size_t i = 0; i < r->samples; i++)
		before = r->ends[i];
	for (size_t i = 0; i < r->samples; i++) {
		double cycles = r->ends[i] - (i ? r->ends[i - 1] : 0);
		size_t at_work = 0;

		for (size_t k = 0; k < r->cores; k++)
			at_work +=
				r->core_idle[k][i] <
				cycles * .5 * (double)r->cfg.cpu.commit_width;
		out[at_work] += ratio_of(cycles, before);
	}
	return true;
}

/* Few threads work while other cores have none. */
static void rule_idle(struct judged *j)
{
	double idle = slots_of(j, CPU_SLOT_idle), most = 0, share = 0;
	double *at_work = calloc(j->r->cores + 1, sizeof(double));
	size_t busiest = 0;

	if (!at_work || idle < .1 * j->slots || j->r->cores < 2) {
		free(at_work);
		return;
	}
	for (size_t i = 0; i < j->r->cores; i++) {
		double busy = ratio_of((double)j->r->core[i].busy,
				       (double)j->r->core[i].cycles);

		if (busy > most) {
			most = busy;
			busiest = i;
		}
	}
	if (system_cores_at_work(at_work, j->r))
		share = at_work[1];
	verdict_add(j, "idle", idle / j->slots,
		    share > .3 ?
			    "One core works while the others have no thread" :
			    "Cores have no thread");
	if (share > 0)
		verdict_say(j,
			    "For %.0f%% of the time one of %zu cores works, "
			    "for %.0f%% all do. ",
			    100 * share, j->r->cores,
			    100 * at_work[j->r->cores]);
	verdict_say(j,
		    "Core %zu has a thread for %.0f%% of the time, all "
		    "together for %.0f%%.",
		    busiest, 100 * most, judged_percent(j->busy, j->slots));
	if (j->r->threads < (double)j->r->cores)
		verdict_say(j, " The program had %.0f thread%s.", j->r->threads,
			    j->r->threads == 1 ? "" : "s");
	free(at_work);
}

static void rule_load(struct judged *j)
{
	const struct cgm_stats *m = &j->r->cgm;
	double lost = slots_of(j, CPU_SLOT_load);
	double loads = (double)(m->l1d.accesses - m->l1d.passed);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (lost < .1 * j->busy)
		return;
	verdict_add(j, "load", lost / j->slots,
		    "Loads wait for memory: latency");
	verdict_say(j,
		    "%.0f%% of the slots of busy cores. L1D serves %.1f%% of "
		    "%s loads, L2 %.1f%% of what comes to it, L3 %.1f%%; "
		    "%s blocks come from DRAM. A read takes %.0f cycles on "
		    "average, the longest %.0f.",
		    judged_percent(lost, j->busy),
		    judged_percent((double)m->l1d.hits, loads),
		    grouped_real(a, loads),
		    judged_percent((double)m->l2.hits, (double)m->l2.accesses),
		    judged_percent((double)m->l3.hits, (double)m->l3.requests),
		    grouped(b, m->memory.reads),
		    judged_port_cycles(j, (double)m->cpu.read_ticks,
				       (double)m->cpu.reads),
		    judged_port_cycles(j, (double)m->cpu.read_max, 1));
	if (j->r->cpu.stall_rob > j->r->cpu.busy / 10)
		verdict_say(j, " The ROB was full in %.0f%% of the cycles.",
			    judged_percent((double)j->r->cpu.stall_rob,
					   (double)j->r->cpu.busy));
	verdict_where(j, 1u << CPU_SLOT_load);
}

/* Bytes that the bus of DRAM carried, as a share of what it can. */
static double dram_share(const struct judged *j)
{
	double bytes =
		(double)(j->r->cgm.memory.reads + j->r->cgm.memory.writes) * 64;

	return ratio_of(bytes, j->r->cfg.dram.bandwidth * 1e9 * j->seconds);
}

/* One in twenty of its instructions gives way to others: it waits for them. */
static bool function_waits(const struct system_part *p)
{
	return p->pauses && 20 * p->pauses >= p->slot[CPU_SLOT_committed];
}

/* Loops in which threads wait for each other, awake. */
static void rule_spin(struct judged *j)
{
	const struct system_run *r = j->r;
	double lost = 0;
	int said = 0;

	for (size_t i = 0; i < r->function_count; i++)
		if (function_waits(&r->functions[i]))
			lost += (double)r->functions[i].slots;
	if (lost < .05 * j->busy)
		return;
	verdict_add(j, "spin", lost / j->slots,
		    "Threads wait for each other in loops");
	verdict_say(j,
		    "%.0f%% of the slots of busy cores are those of functions "
		    "that execute pauses:",
		    judged_percent(lost, j->busy));
	for (size_t i = 0; i < r->function_count && said < 3; i++) {
		const struct system_part *p = &r->functions[i];

		if (!function_waits(p) || !p->name)
			continue;
		verdict_say(j, "%s %.60s (%.0f%%)", said ? "," : "", p->name,
			    judged_percent((double)p->slots, j->busy));
		said++;
	}
	verdict_say(j, ". Work is unevenly spread, or one thread works alone.");
}

static void rule_dram_rate(struct judged *j)
{
	const struct cgm_stats *m = &j->r->cgm;
	double share = dram_share(j);

	if (share < .5)
		return;
	verdict_add(j, "bandwidth", share, "DRAM's bandwidth is in use");
	verdict_say(j,
		    "%.1f of %.1f GB/s; %.0f%% of the requests found their row "
		    "open; a request waits %.0f ns on average.",
		    share * j->r->cfg.dram.bandwidth, j->r->cfg.dram.bandwidth,
		    judged_percent((double)m->memory.row_hits,
				   (double)(m->memory.row_hits +
					    m->memory.row_misses +
					    m->memory.row_conflicts)),
		    ratio_of((double)m->memory.wait * 1e6 / j->r->khz,
			     (double)(m->memory.reads + m->memory.writes)));
}

/* The blocks that have most of the coherence. */
static void verdict_blocks(struct judged *j, double all)
{
	int said = 0;

	for (size_t i = 0; i < j->r->block_count && said < 3; i++) {
		const struct system_block *b = &j->r->blocks[i];
		double own = b->count - b->over;

		if (own < .05 * all)
			break;
		verdict_say(j, "%s %.50s (%.0f%%)",
			    said ? "," : " Blocks:", b->what,
			    judged_percent(own, all));
		said++;
	}
	if (said)
		verdict_say(j, ".");
}

static void rule_coherence(struct judged *j)
{
	const struct cgm_stats *m = &j->r->cgm;
	double misses = (double)(m->l2.misses + m->l2.upgrades);
	double shared = (double)(m->l3.forwards + m->l3.upgrades);
	double lost = slots_of(j, CPU_SLOT_load) + slots_of(j, CPU_SLOT_store) +
		      slots_of(j, CPU_SLOT_atomic);
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];

	if (shared < .1 * misses || lost < .05 * j->busy ||
	    shared < 1e-4 * j->r->instructions)
		return;
	verdict_add(j, "coherence", lost / j->slots * fmin(1, shared / misses),
		    "Cores take blocks from each other: coherence");
	verdict_say(j,
		    "%.0f%% of what the cores' L2 ask for is in another cache "
		    "or only needs the right to write: %s forwards, %s "
		    "upgrades, %s invalidations, %.1f for 1,000 "
		    "instructions.",
		    judged_percent(shared, misses), grouped(a, m->l3.forwards),
		    grouped(b, m->l3.upgrades), grouped(c, m->l2.invalidations),
		    1e3 * ratio_of(shared, j->r->instructions));
	verdict_where(j, 1u << CPU_SLOT_load | 1u << CPU_SLOT_store |
				 1u << CPU_SLOT_atomic);
	verdict_blocks(j, (double)(m->l3.forwards + m->l3.recalls +
				   m->l2.invalidations));
}

static void rule_branch(struct judged *j)
{
	const struct cpu_stats *st = &j->r->cpu;
	double lost = slots_of(j, CPU_SLOT_branch);
	char a[GROUPED_TEXT];

	if (lost < .05 * j->busy)
		return;
	verdict_add(j, "branch", lost / j->slots,
		    "Branches are predicted wrong");
	verdict_say(
		j,
		"%.2f%% of %s branches, %.1f for 1,000 instructions; "
		"%.1f%% of what was fetched was of a wrong path.",
		judged_percent((double)st->mispredicted, (double)st->branches),
		grouped(a, st->branches),
		1e3 * ratio_of((double)st->mispredicted, j->r->instructions),
		judged_percent((double)st->wrong, (double)st->fetched));
	verdict_where(j, 1u << CPU_SLOT_branch);
}

static void rule_front(struct judged *j)
{
	const struct cgm_stats *m = &j->r->cgm;
	double fetch = slots_of(j, CPU_SLOT_fetch);
	double lost = fetch + slots_of(j, CPU_SLOT_front);

	if (lost < .1 * j->busy)
		return;
	verdict_add(j, "front", lost / j->slots,
		    "The front end does not deliver instructions");
	verdict_say(
		j,
		"%.0f%% of the slots of busy cores, %.0f%% because code "
		"comes from below L1I, which serves %.1f%% of its reads; "
		"%.1f for 1,000 instructions miss.",
		judged_percent(lost, j->busy), judged_percent(fetch, j->busy),
		judged_percent((double)m->l1i.hits, (double)m->l1i.accesses),
		1e3 * ratio_of((double)m->l1i.misses, j->r->instructions));
	verdict_where(j, 1u << CPU_SLOT_fetch | 1u << CPU_SLOT_front);
}

/* Uses of which little more is to be said than where. */
struct plain_rule {
	const char *name, *text;
	unsigned uses;
	double least; /* share of the slots of busy cores */
};

static void rule_plain(struct judged *j, const struct plain_rule *p)
{
	double lost = 0;

	for (unsigned u = 0; u < CPU_SLOT_USES; u++)
		if (p->uses >> u & 1)
			lost += slots_of(j, (enum cpu_slot_use)u);
	if (lost < p->least * j->busy)
		return;
	verdict_add(j, p->name, lost / j->slots, "%s", p->text);
	verdict_say(j, "%.0f%% of the slots of busy cores.",
		    judged_percent(lost, j->busy));
	verdict_where(j, p->uses);
}

static const struct plain_rule plain_rules[] = {
	{ "execute",
	  "Instructions wait for results of units: latency of "
	  "computing",
	  1u << CPU_SLOT_execute | 1u << CPU_SLOT_operand, .2 },
	{ "unit", "Instructions are ready and wait for units",
	  1u << CPU_SLOT_unit, .1 },
	{ "store", "Stores wait: the store buffer is full",
	  1u << CPU_SLOT_store, .05 },
	{ "atomic", "Atomics, fences and what must be alone hold the pipeline",
	  1u << CPU_SLOT_atomic | 1u << CPU_SLOT_order, .05 },
	{ "call", "Threads are in system calls", 1u << CPU_SLOT_call, .05 },
};

static void rule_width(struct judged *j)
{
	double used = slots_of(j, CPU_SLOT_committed);

	if (used < .6 * j->busy)
		return;
	verdict_add(j, "width", used / j->slots,
		    "Busy cores commit most of what they can");
	verdict_say(j,
		    "%.0f%% of their slots; only fewer instructions, more "
		    "threads or a wider core make it faster.",
		    judged_percent(used, j->busy));
}

static void rule_link(struct judged *j)
{
	const struct system_link *best = NULL;

	for (size_t i = 0; i < j->r->link_count; i++)
		if (!best || j->r->links[i].busy > best->busy)
			best = &j->r->links[i];
	if (!best || best->busy < .6 * j->ticks)
		return;
	verdict_add(j, "link", best->busy / j->ticks,
		    "The link from %.60s is busy", best->name);
	verdict_say(j,
		    "%.0f%% of the time; its %.0f messages wait %.1f ns each "
		    "for it.",
		    judged_percent(best->busy, j->ticks), best->messages,
		    ratio_of(best->waited * 1e6 / j->r->khz, best->messages));
}

/* The mean of a queue that is nearly full, as a share of its room. */
static void rule_queue(struct judged *j)
{
	const struct cfg_cgm *c = &j->r->cfg.cgm;
	const struct cgm_stats *m = &j->r->cgm;
	double share = ratio_of((double)m->memory.wait,
				j->ticks * (double)c->memory_queue);

	if (share < .6)
		return;
	verdict_add(j, "queue", fmin(1, share),
		    "The memory controller's queue is full");
	verdict_say(j,
		    "On average %.1f of %.0f places are taken; a request is "
		    "there for %.0f ns.",
		    share * (double)c->memory_queue, (double)c->memory_queue,
		    ratio_of((double)m->memory.wait * 1e6 / j->r->khz,
			     (double)(m->memory.reads + m->memory.writes)));
}

static void rule_opencl(struct judged *j)
{
	const struct system_opencl *o = &j->r->opencl;
	char a[GROUPED_TEXT];

	if (o->region < .02 * j->seconds * 1e9)
		return;
	verdict_add(j, "opencl", o->region * 1e-9 / j->seconds,
		    o->kernel >= o->call + o->copy ?
			    "OpenCL: its kernels take most of its time" :
			    "OpenCL: calls and copies take more than kernels");
	verdict_say(j,
		    "%s from the first buffer to the last copy: %.0f%% "
		    "kernels, %.0f%% calls (%.0f of them), %.0f%% copies, "
		    "%.0f%% the program's own instructions.",
		    duration(a, o->region * 1e-9),
		    judged_percent(o->kernel, o->region),
		    judged_percent(o->call, o->region), o->calls,
		    judged_percent(o->copy, o->region),
		    judged_percent(o->rest, o->region));
}

static int verdict_order(const void *a, const void *b)
{
	const struct system_verdict *x = a, *y = b;

	return x->share > y->share ? -1 : x->share < y->share;
}

static void rules_of_cores(struct judged *j)
{
	rule_idle(j);
	rule_spin(j);
	rule_load(j);
	rule_coherence(j);
	rule_branch(j);
	rule_front(j);
	for (size_t i = 0; i < sizeof(plain_rules) / sizeof(plain_rules[0]);
	     i++)
		rule_plain(j, &plain_rules[i]);
	rule_width(j);
}

size_t system_verdicts(struct system_verdict out[SYSTEM_VERDICTS],
		       struct system_run *r)
{
	struct judged j = { .r = r,
			    .slots = (double)r->cpu.slots,
			    .seconds = r->ns * 1e-9,
			    .ticks = r->ns * r->khz * 1e-6,
			    .out = out };

	j.busy = j.slots - slots_of(&j, CPU_SLOT_idle);
	if (!(j.seconds > 0))
		return 0;
	if (j.slots > 0)
		rules_of_cores(&j);
	rule_dram_rate(&j);
	rule_link(&j);
	rule_queue(&j);
	rule_opencl(&j);
	if (j.count)
		qsort(out, j.count, sizeof(*out), verdict_order);
	return j.count;
}
