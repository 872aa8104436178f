#include "cpu/predict.h"

#include <string.h>

/*
 * Directions
 */

static bool cpu_counts(const uint8_t *counter, uint64_t entries, uint64_t at)
{
	return counter[at & (entries - 1)] >= 2;
}

static void cpu_count(uint8_t *counter, uint64_t entries, uint64_t at, bool up)
{
	uint8_t *c = &counter[at & (entries - 1)];

	if (up && *c < 3)
		++*c;
	if (!up && *c > 0)
		--*c;
}

static bool cpu_guess_taken(const struct cpu_predict *p, uint64_t at)
{
	(void)p;
	(void)at;
	return true;
}

static bool cpu_guess_not_taken(const struct cpu_predict *p, uint64_t at)
{
	(void)p;
	(void)at;
	return false;
}

static void cpu_learn_nothing(struct cpu_predict *p, uint64_t at, bool taken)
{
	(void)p;
	(void)at;
	(void)taken;
}

static bool cpu_guess_bimodal(const struct cpu_predict *p, uint64_t at)
{
	return cpu_counts(p->bimodal, p->bimodals, at);
}

static void cpu_learn_bimodal(struct cpu_predict *p, uint64_t at, bool taken)
{
	cpu_count(p->bimodal, p->bimodals, at, taken);
}

/* The history, and the address above it. */
static uint64_t cpu_pattern_of(const struct cpu_predict *p, uint64_t at)
{
	return p->history[at & (p->histories - 1)] | at << p->history_bits;
}

static bool cpu_guess_two_level(const struct cpu_predict *p, uint64_t at)
{
	return cpu_counts(p->pattern, p->patterns, cpu_pattern_of(p, at));
}

static void cpu_learn_two_level(struct cpu_predict *p, uint64_t at, bool taken)
{
	uint16_t *history = &p->history[at & (p->histories - 1)];

	cpu_count(p->pattern, p->patterns, cpu_pattern_of(p, at), taken);
	*history = (uint16_t)((*history << 1 | taken) &
			      ((1u << p->history_bits) - 1));
}

static bool cpu_guess_combined(const struct cpu_predict *p, uint64_t at)
{
	return cpu_counts(p->chooser, p->choosers, at) ?
		       cpu_guess_two_level(p, at) :
		       cpu_guess_bimodal(p, at);
}

static void cpu_learn_combined(struct cpu_predict *p, uint64_t at, bool taken)
{
	bool one = cpu_guess_bimodal(p, at), two = cpu_guess_two_level(p, at);

	if (one != two)
		cpu_count(p->chooser, p->choosers, at, two == taken);
	cpu_learn_bimodal(p, at, taken);
	cpu_learn_two_level(p, at, taken);
}

static const struct cpu_direction cpu_directions[] = {
	[CFG_PREDICTOR_PERFECT] = { cpu_guess_taken, cpu_learn_nothing },
	[CFG_PREDICTOR_TAKEN] = { cpu_guess_taken, cpu_learn_nothing },
	[CFG_PREDICTOR_NOT_TAKEN] = { cpu_guess_not_taken, cpu_learn_nothing },
	[CFG_PREDICTOR_BIMODAL] = { cpu_guess_bimodal, cpu_learn_bimodal },
	[CFG_PREDICTOR_TWO_LEVEL] = { cpu_guess_two_level,
				      cpu_learn_two_level },
	[CFG_PREDICTOR_COMBINED] = { cpu_guess_combined, cpu_learn_combined },
};

/*
 * Targets
 */

static struct cpu_target *cpu_target_set(const struct cpu_predict *p,
					 uint64_t at)
{
	return &p->target[(at & (p->sets - 1)) * p->ways];
}

static struct cpu_target *cpu_target_find(const struct cpu_predict *p,
					  uint64_t at)
{
	struct cpu_target *t = cpu_target_set(p, at);

	for (uint32_t i = 0; i < p->ways; i++)
		if (t[i].at == at + 1)
			return &t[i];
	return NULL;
}

static void cpu_target_learn(struct cpu_predict *p, uint64_t at, uint64_t to)
{
	struct cpu_target *set = cpu_target_set(p, at);
	struct cpu_target *t = cpu_target_find(p, at);

	if (!t) {
		t = set;
		for (uint32_t i = 1; i < p->ways; i++)
			if (set[i].used < t->used)
				t = &set[i];
	}
	*t = (struct cpu_target){ at + 1, to, ++p->clock };
}

static void cpu_returns_push(struct cpu_predict *p, unsigned thread,
			     uint64_t to)
{
	struct cpu_returns *r = &p->returns[thread];

	r->to[r->top] = to;
	r->top = (r->top + 1) % p->depth;
	if (r->count < p->depth)
		r->count++;
}

static bool cpu_returns_top(const struct cpu_predict *p, unsigned thread,
			    uint64_t *to)
{
	const struct cpu_returns *r = &p->returns[thread];

	if (!r->count)
		return false;
	*to = r->to[(r->top + p->depth - 1) % p->depth];
	return true;
}

static void cpu_returns_pop(struct cpu_predict *p, unsigned thread)
{
	struct cpu_returns *r = &p->returns[thread];

	if (!r->count)
		return;
	r->top = (r->top + p->depth - 1) % p->depth;
	r->count--;
}

void cpu_predict_forget_returns(struct cpu_predict *p, unsigned thread)
{
	p->returns[thread].count = 0;
}

/*
 * Both
 */

struct cpu_guess cpu_predict_look(const struct cpu_predict *p, unsigned thread,
				  uint64_t at, const struct guest_inst *i)
{
	struct cpu_guess g = { .taken = true, .to = at + i->length };
	const struct cpu_target *t;

	if (i->branch == GUEST_BRANCH_COND)
		g.taken = p->direction->guess(p, at);
	if (!g.taken) {
		g.known = true;
		return g;
	}
	if (i->branch == GUEST_BRANCH_RETURN) {
		g.known = cpu_returns_top(p, thread, &g.to);
		return g;
	}
	t = cpu_target_find(p, at);
	g.known = t;
	if (t)
		g.to = t->to;
	return g;
}

void cpu_predict_learn(struct cpu_predict *p, unsigned thread, uint64_t at,
		       const struct guest_inst *i, uint64_t next)
{
	uint64_t after = at + i->length;
	bool cond = i->branch == GUEST_BRANCH_COND;
	/* A conditional branch to the next instruction is not taken. */
	bool taken = !cond || next != after;

	if (cond)
		p->direction->learn(p, at, taken);
	if (i->branch == GUEST_BRANCH_RETURN) {
		cpu_returns_pop(p, thread);
		return;
	}
	if (i->branch == GUEST_BRANCH_CALL ||
	    i->branch == GUEST_BRANCH_INDIRECT_CALL)
		cpu_returns_push(p, thread, after);
	if (taken)
		cpu_target_learn(p, at, next);
}

static uint8_t *cpu_counters_new(struct arena *a, uint64_t entries)
{
	uint8_t *c = arena_new(a, uint8_t, entries);

	/* Weakly taken. */
	if (c)
		memset(c, 2, entries);
	return c;
}

bool cpu_predict_init(struct cpu_predict *p, struct arena *a,
		      const struct cfg_cpu *cfg)
{
	*p = (struct cpu_predict){
		.direction = &cpu_directions[cfg->predictor],
		.perfect = cfg->predictor == CFG_PREDICTOR_PERFECT,
		.bimodals = (uint64_t)cfg->bimodal_entries,
		.patterns = (uint64_t)cfg->pattern_entries,
		.choosers = (uint64_t)cfg->chooser_entries,
		.histories = (uint64_t)cfg->history_entries,
		.history_bits = (unsigned)cfg->history_bits,
		.sets = (uint32_t)(cfg->btb_entries / cfg->btb_ways),
		.ways = (uint32_t)cfg->btb_ways,
		.depth = (uint32_t)cfg->return_stack,
	};
	p->bimodal = cpu_counters_new(a, p->bimodals);
	p->pattern = cpu_counters_new(a, p->patterns);
	p->chooser = cpu_counters_new(a, p->choosers);
	p->history = arena_new(a, uint16_t, p->histories);
	p->target = arena_new(a, struct cpu_target, (size_t)p->sets * p->ways);
	p->returns = arena_new(a, struct cpu_returns, (size_t)cfg->threads);
	if (!p->bimodal || !p->pattern || !p->chooser || !p->history ||
	    !p->target || !p->returns)
		return false;
	for (int64_t i = 0; i < cfg->threads; i++) {
		p->returns[i].to = arena_new(a, uint64_t, p->depth);
		if (!p->returns[i].to)
			return false;
	}
	return true;
}
