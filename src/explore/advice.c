#include "explore/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/advice_case.h"
#include "explore/view.h"

enum { RULES_MOST = 32 };

static const struct advice_rule *const rule_tables[] = {
	advice_grid_rules,
	advice_memory_rules,
	advice_issue_rules,
};

/* A bound of 1 would mean that nothing is left. */
#define BOUND_MOST 0.9999

double advice_speedup(double bound)
{
	return 1 / (1 - fmin(bound, BOUND_MOST));
}

static void try_rule(struct advice_case *c, const struct advice_rule *rule)
{
	struct advice_finding *f = &c->found[c->found_count];

	memset(f, 0, sizeof(*f));
	if (rule->core == (c->units ? ADVICE_SM : ADVICE_CU) ||
	    !rule->check(c, f))
		return;
	case_words(f->finding, f, c->units);
	case_words(f->evidence, f, c->units);
	case_words(f->remedy, f, c->units);
	snprintf(f->rule, sizeof(f->rule), "%s", rule->name);
	f->bound = fmax(0, fmin(f->bound, BOUND_MOST));
	c->found_count++;
}

/* The reason that cost the most slots, for a launch without a finding. */
static void say_none(struct advice_list *out, const struct advice_case *c)
{
	static const char *const names[] = {
#define REASON(id, name, doc) name,
#include "stat/stat.def"
	};
	const uint64_t *n = c->in->s.reason;
	unsigned most = REASON_ISSUED + 1;

	for (unsigned r = most; r < REASON_COUNT; r++)
		if (n[r] > n[most])
			most = r;
	snprintf(out->none, sizeof(out->none),
		 "Nothing stands out: no change could save %.0f%% of the "
		 "cycles by itself. %.0f%% of the slots issued; most others, "
		 "%.0f%%, were lost to %s.",
		 100 * ADVICE_LEAST,
		 100 * ratio_of((double)n[REASON_ISSUED], c->slots),
		 100 * ratio_of((double)n[most], c->slots), names[most]);
}

/* Takes the largest bounds that are large enough; of equal ones, the first. */
static void take_largest(struct advice_list *out, struct advice_case *c)
{
	while (out->count < ADVICE_FINDINGS) {
		struct advice_finding *best = NULL;

		for (size_t i = 0; i < c->found_count; i++)
			if (c->found[i].bound >= ADVICE_LEAST &&
			    (!best || c->found[i].bound > best->bound))
				best = &c->found[i];
		if (!best)
			return;
		out->at[out->count++] = *best;
		best->bound = 0;
	}
}

/* A cluster does not tell how many of its units had a block: those that had none
 * are charged to no_block from the time on in which they could have had one. */
static uint32_t cores_used(const struct advice_case *c)
{
	const struct advice_input *in = c->in;
	double left = ((double)in->cycles - case_before(c)) *
		      (double)in->cfg->sm.schedulers;
	double idle = ratio_of((double)in->s.reason[REASON_NO_BLOCK], left);
	uint32_t used = 0;

	if (c->units)
		return in->cores - (uint32_t)lround(fmin(idle, in->cores));
	for (size_t i = 0; i < in->sms; i++)
		used += in->sm_ends[i] != 0;
	return used;
}

void advice_find(struct advice_list *out, const struct advice_input *in)
{
	struct advice_finding found[RULES_MOST];
	struct advice_case c = { .in = in,
				 .slots = (double)in->s.sm.slots,
				 .found = found };

	memset(out, 0, sizeof(*out));
	c.units = in->cfg->gpu.core == CFG_CORE_CU;
	c.used = cores_used(&c);
	c.launched = 1 - case_share(&c, WHY(LAUNCH));
	case_find_use(&c);
	for (size_t t = 0; t < sizeof(rule_tables) / sizeof(rule_tables[0]);
	     t++)
		for (const struct advice_rule *r = rule_tables[t]; r->name;
		     r++) {
			CHECK(c.found_count < RULES_MOST);
			try_rule(&c, r);
		}
	take_largest(out, &c);
	if (!out->count)
		say_none(out, &c);
}
