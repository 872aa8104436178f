/* The values of a launch on both sides: expressions of explore/correlate.def. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "explore/correlate.h"
#include "explore/nsight.h"

/* clang-format off */
const struct correlate_info correlate_info[CORRELATE_METRICS] = {
#define METRIC(id, its_name, its_unit, its_scale, its_floor, its_tolerance, expression, of_ncu, of_nvprof, its_note) \
	[CORRELATE_##id] = { .name = its_name, .unit = its_unit, \
		.scale = CORRELATE_##its_scale, .floor = its_floor, \
		.tolerance = its_tolerance, .simulated = #expression, \
		.ncu = of_ncu, .nvprof = of_nvprof, .note = its_note },
#include "explore/correlate.def"
};
/* clang-format on */

int correlate_find(const char *name)
{
	for (int i = 0; i < CORRELATE_METRICS; i++)
		if (!strcmp(correlate_info[i].name, name))
			return i;
	return -1;
}

/* ---- expressions of profilers' metrics ---- */

struct evaluation {
	const char *at;
	const struct measured *m;
	const struct measured_launch *l;
	const struct cfg *cfg;
	struct diag *d;
	enum err e;
};

static void skip_blanks(struct evaluation *v)
{
	v->at += strspn(v->at, " ");
}

static bool evaluate_takes(struct evaluation *v, char c)
{
	skip_blanks(v);
	if (*v->at != c)
		return false;
	v->at++;
	return true;
}

/* A metric by the name that it has in the profile. */
static double evaluate_metric(struct evaluation *v, const char *name,
			      size_t size)
{
	double value = NAN;

	if (!v->e && v->l)
		v->e = measured_number(&value, v->m, v->l, name, size, v->d);
	return value;
}

/* @group.name: what Nsight Compute calls our statistic. */
static double evaluate_statistic(struct evaluation *v, const char *key,
				 size_t size)
{
	char text[STAT_KEY_SIZE] = "";
	const char *name;
	int i;

	CHECK(size < sizeof(text));
	memcpy(text, key, size);
	i = stat_index(text);
	CHECK(i >= 0);
	name = nsight_of((unsigned)i)->name;
	CHECK(*name);
	return evaluate_metric(v, name, strlen(name));
}

static double evaluate_name(struct evaluation *v, const char *name, size_t size)
{
	if (size == 3 && !memcmp(name, "sms", 3))
		return (double)v->cfg->sm.count;
	if (size == 9 && !memcmp(name, "dram_peak", 9))
		return v->cfg->dram.bandwidth * 1e9;
	return evaluate_metric(v, name, size);
}

static double evaluate_sum(struct evaluation *v);

static double evaluate_factor(struct evaluation *v)
{
	const char *from;
	bool statistic;
	double value;
	size_t n;

	if (evaluate_takes(v, '(')) {
		value = evaluate_sum(v);
		CHECK(evaluate_takes(v, ')'));
		return value;
	}
	if (evaluate_takes(v, '\'')) {
		from = v->at;
		v->at += strcspn(v->at, "'") + 1;
		return evaluate_metric(v, from, (size_t)(v->at - from) - 1);
	}
	if (isdigit((unsigned char)*v->at)) {
		for (value = 0; isdigit((unsigned char)*v->at); v->at++)
			value = 10 * value + (*v->at - '0');
		return value;
	}
	statistic = evaluate_takes(v, '@');
	from = v->at;
	n = strspn(from, "abcdefghijklmnopqrstuvwxyz"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
	CHECK(n);
	v->at += n;
	return statistic ? evaluate_statistic(v, from, n) :
			   evaluate_name(v, from, n);
}

static double evaluate_product(struct evaluation *v)
{
	double value = evaluate_factor(v);

	for (;;) {
		if (evaluate_takes(v, '*')) {
			value *= evaluate_factor(v);
		} else if (evaluate_takes(v, '/')) {
			double under = evaluate_factor(v);

			/* A share of nothing is unknown. */
			value = under != 0 ? value / under : NAN;
		} else {
			return value;
		}
	}
}

static double evaluate_sum(struct evaluation *v)
{
	double value = evaluate_product(v);

	for (;;) {
		if (evaluate_takes(v, '+'))
			value += evaluate_product(v);
		else if (evaluate_takes(v, '-'))
			value -= evaluate_product(v);
		else
			return value;
	}
}

enum err correlate_evaluate(double *out, const char *alternatives,
			    const struct measured *m,
			    const struct measured_launch *l,
			    const struct cfg *c, struct diag *d)
{
	struct evaluation v = { alternatives, m, l, c, d, ERR_OK };

	*out = NAN;
	if (!*alternatives)
		return ERR_OK;
	do {
		double value = evaluate_sum(&v);

		skip_blanks(&v);
		CHECK(!*v.at || *v.at == '|');
		*out = value;
	} while (!v.e && isnan(*out) && evaluate_takes(&v, '|'));
	return v.e;
}

/* ---- warp states ---- */

/* The distinct words of explore/nsight.def, in its order; "selected" is no
 * reason to wait. */
static size_t states(const char *list[CORRELATE_STATES_MAX])
{
	/* clang-format off */
	static const char *const words[] = {
#define NAMED_REASON(id, state, suffix, note) [REASON_##id] = suffix,
#include "explore/nsight.def"
	};
	/* clang-format on */
	size_t n = 0;

	for (size_t i = 0; i < REASON_COUNT; i++) {
		size_t k = 0;

		if (!*words[i] || !strcmp(words[i], "selected"))
			continue;
		while (k < n && strcmp(list[k], words[i]) != 0)
			k++;
		if (k < n)
			continue;
		CHECK(n < CORRELATE_STATES_MAX);
		list[n++] = words[i];
	}
	return n;
}

size_t correlate_state_count(void)
{
	const char *list[CORRELATE_STATES_MAX];

	return states(list);
}

const char *correlate_state_name(size_t i)
{
	const char *list[CORRELATE_STATES_MAX];

	return i < states(list) ? list[i] : NULL;
}

static const char *state_of_nvprof(const char *suffix)
{
	/* clang-format off */
	static const struct { const char *suffix, *nvprof; } names[] = {
#define STATE(suffix, nvprof) { suffix, nvprof },
#include "explore/correlate.def"
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].suffix, suffix))
			return names[i].nvprof;
	return NULL;
}

/* Names of a state's metric; %s is its word. A profile has one kind. */
static const char *const state_forms[] = {
	"smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
	"smsp__average_warp_latency_issue_stalled_%s.ratio",
	"smsp__warp_issue_stalled_%s_per_warp_active.pct",
	"smsp__pcsamp_warps_issue_stalled_%s",
	"smsp__average_warps_issue_stalled_%s.ratio",
};

static enum err state_value(double *out, const char *suffix,
			    const struct measured *m,
			    const struct measured_launch *l, struct diag *d)
{
	const char *nvprof = state_of_nvprof(suffix);
	const size_t forms = sizeof(state_forms) / sizeof(*state_forms);
	char name[128];

	*out = NAN;
	if (m->tool == MEASURED_NVPROF)
		return nvprof ? measured_number(out, m, l, nvprof,
						strlen(nvprof), d) :
				ERR_OK;
	for (size_t i = 0; i < forms && isnan(*out); i++) {
		const char *hole = strstr(state_forms[i], "%s");
		int n = snprintf(name, sizeof(name), "%.*s%s%s",
				 (int)(hole - state_forms[i]), state_forms[i],
				 suffix, hole + 2);

		if (measured_number(out, m, l, name, (size_t)n, d))
			return d->code;
	}
	return ERR_OK;
}

/* Makes shares of amounts; those that are not known stay so. */
static void make_shares(double v[CORRELATE_STATES_MAX], size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += isnan(v[i]) ? 0 : v[i];
	for (size_t i = 0; i < n; i++)
		v[i] = sum > 0 ? v[i] / sum : NAN;
}

static enum err hardware_states(struct correlate_point *p,
				const struct measured *m,
				const struct measured_launch *l, struct diag *d)
{
	const char *list[CORRELATE_STATES_MAX];
	size_t n = states(list);

	for (size_t i = 0; i < CORRELATE_STATES_MAX; i++)
		p->hardware_state[i] = NAN;
	for (size_t i = 0; i < n; i++)
		if (state_value(&p->hardware_state[i], list[i], m, l, d))
			return d->code;
	make_shares(p->hardware_state, n);
	return ERR_OK;
}

static void simulated_states(struct correlate_point *p, const struct stats *s)
{
	const char *list[CORRELATE_STATES_MAX];
	size_t n = states(list);

	for (size_t i = 0; i < CORRELATE_STATES_MAX; i++)
		p->simulated_state[i] = i < n ? 0 : NAN;
#define NAMED_REASON(id, state, suffix, note)       \
	for (size_t i = 0; *(suffix) && i < n; i++) \
		if (!strcmp(list[i], suffix))       \
			p->simulated_state[i] += (double)s->reason[REASON_##id];
#include "explore/nsight.def"
	/* A state that the profile does not have must not take a share. */
	for (size_t i = 0; i < n; i++)
		if (isnan(p->hardware_state[i]))
			p->simulated_state[i] = NAN;
	make_shares(p->simulated_state, n);
}

/* ---- both sides ---- */

/* Counters are read one after the other, so a rate may exceed 1 a little. */
#define MOST_OF_ALL 1.02

enum err correlate_hardware(struct correlate_point *p, const struct measured *m,
			    const struct measured_launch *l,
			    const struct cfg *c, struct diag *d)
{
	for (int i = 0; i < CORRELATE_METRICS; i++) {
		if (correlate_evaluate(&p->hardware[i],
				       m->tool == MEASURED_NCU ?
					       correlate_info[i].ncu :
					       correlate_info[i].nvprof,
				       m, l, c, d))
			return d->code;
		/* More than all of it: the counters are not what the
		 * profiler takes them for. */
		if (correlate_info[i].scale == CORRELATE_POINTS &&
		    p->hardware[i] > MOST_OF_ALL)
			p->hardware[i] = NAN;
	}
	return hardware_states(p, m, l, d);
}

static double ratio(uint64_t over, uint64_t under)
{
	return under ? (double)over / (double)under : NAN;
}

/* The share of the whole that a part leaves; 0 if the part is larger. */
static double rest(uint64_t part, uint64_t whole)
{
	return whole && part > whole ? 0 : 1 - ratio(part, whole);
}

/* Sectors of reads that missed, of SMs alone: l2.sectors_missed contains what a
 * launch reads before its first block, and neighbours that come with a sector. */
static uint64_t l2_sectors_that_miss(const struct stat_l2 *s)
{
	if (!s->reads)
		return 0;
	return (uint64_t)(ratio(s->read_misses, s->reads) *
			  (double)s->sectors_read);
}

/* Whether a launch's own values are known for a metric: where several ran at
 * the same time, older versions knew only the statistics of all. */
static bool simulated_is_own(const struct run_launch *l, int metric)
{
	return l->at_once <= 1 || l->own_known || metric == CORRELATE_CYCLES ||
	       metric == CORRELATE_TIME || metric == CORRELATE_REGISTERS;
}

void correlate_simulated(struct correlate_point *p, const struct run_launch *l,
			 const struct cfg *c)
{
	const struct stats *s = l->at_once > 1 ? &l->own : &l->stats;

	/* clang-format off */
#define METRIC(id, name, unit, scale, floor, tolerance, expression, ncu, nvprof, note) \
	p->simulated[CORRELATE_##id] = \
		simulated_is_own(l, CORRELATE_##id) ? (expression) : NAN;
#include "explore/correlate.def"
	/* clang-format on */
	simulated_states(p, s);
	/* Warps of several launches share the reasons. */
	for (size_t i = 0; i < CORRELATE_STATES_MAX && l->at_once > 1; i++)
		p->simulated_state[i] = NAN;
}
