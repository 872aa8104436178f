/*
 * The effect of a statistic: what its change means in cycles of the GPU's clock.
 * A component is taken at its peak rate, so that an effect is a lower bound of
 * the time that the component was busy with what it counted.
 */
#include <math.h>
#include <string.h>

#include "explore/compare.h"

/* Components of the machine that count a group's statistics. */
static double effect_components(const struct cfg *c, enum stat_group group)
{
	switch (group) {
	case STAT_GROUP_gpu:
	case STAT_GROUP_engine:
		return 1;
	case STAT_GROUP_l2:
		return (double)c->l2.slices;
	case STAT_GROUP_dram:
		return (double)c->dram.channels;
	default:
		return (double)c->sm.count;
	}
}

static double effect_issue_rate(const struct cfg *c)
{
	return (double)(c->sm.schedulers * c->sm.issue_width) /
	       (double)c->sm.issue_interval;
}

static double effect_lookups(const struct cfg *c, enum stat_group group)
{
	return group == STAT_GROUP_l1 ? (double)c->l1.lookups :
	       group == STAT_GROUP_l2 ? (double)c->l2.lookups :
					1;
}

static double effect_sectors(const struct cfg *c, enum stat_group group)
{
	return group == STAT_GROUP_l2 ?
		       (double)(c->l2.lookups * c->l2.line / c->l2.sector) :
		       (double)(c->l1.lookups * c->l1.line / c->l1.sector);
}

static double effect_bytes(const struct cfg *c, enum stat_group group)
{
	double hertz = c->gpu.clock * 1e6;

	switch (group) {
	case STAT_GROUP_dram:
		return c->dram.bandwidth * 1e9 / hertz /
		       (double)c->dram.channels;
	case STAT_GROUP_gpu:
		return c->host.bandwidth * 1e9 / hertz;
	case STAT_GROUP_l2:
		return (double)c->net.slice_out;
	default:
		return (double)c->net.sm_in;
	}
}

/* Counters whose unit alone does not tell their rate. */
static double effect_special(const struct cfg *c, const struct stat_info *t)
{
	size_t unit;

	if (t->kind == STAT_UNIT) {
		unit = (t->at - offsetof(struct stats, unit)) /
		       sizeof(uint64_t);
		return unit < UNIT_COUNT ? (double)c->unit[unit].lanes /
						   (double)c->sm.warp_size :
					   0;
	}
	if (t->at == offsetof(struct stats, lsu.bytes_out))
		return (double)c->net.sm_out;
	if (t->at == offsetof(struct stats, l2.bytes_in))
		return (double)c->net.slice_in;
	if (t->at == offsetof(struct stats, sm.lanes))
		return effect_issue_rate(c) * (double)c->sm.warp_size;
	if (t->at == offsetof(struct stats, sm.warp_cycles))
		return (double)c->sm.max_warps;
	return 0;
}

/* Events per cycle of one component. */
static double effect_rate(const struct cfg *c, const struct stat_info *t)
{
	const char *u = t->unit;
	double special = effect_special(c, t);

	if (special > 0)
		return special;
	if (!strcmp(u, "slot"))
		return (double)c->sm.schedulers;
	if (!strcmp(u, "instruction"))
		return effect_issue_rate(c);
	if (!strcmp(u, "byte"))
		return effect_bytes(c, t->group);
	if (!strcmp(u, "sector"))
		return effect_sectors(c, t->group);
	if (!strcmp(u, "clock") || !strcmp(u, "command"))
		return c->dram.clock / c->gpu.clock;
	if (!strcmp(u, "lane") || !strcmp(u, "operand") || !strcmp(u, "thread"))
		return (double)c->sm.warp_size;
	return effect_lookups(c, t->group);
}

static double effect_cycles(const struct cfg *c, const struct stat_info *t,
			    double n)
{
	double rate = effect_rate(c, t);

	/* The maximum over the components is that of one. */
	if (t->kind != STAT_PEAK)
		rate *= effect_components(c, t->group);
	return rate > 0 ? n / rate : 0;
}

/* What a change of the ratio means for its numerator, if the denominator is the
 * larger of the two. */
static double effect_of_ratio(const struct compare_run *a,
			      const struct compare_run *b, unsigned stat)
{
	const struct stat_info *t = &stat_table[stat], *over = NULL;
	double by = b->values[stat] - a->values[stat];
	uint64_t x[2], y[2];

	for (unsigned i = 0; i < stat_count && !over; i++)
		if (stat_table[i].group == t->group && stat_table[i].name &&
		    !strcmp(stat_table[i].name, t->over))
			over = &stat_table[i];
	if (!over || isnan(by))
		return 0;
	t->terms(&a->counts, x);
	t->terms(&b->counts, y);
	return effect_cycles(&b->cfg, over,
			     by * (double)(x[1] > y[1] ? x[1] : y[1]));
}

double compare_effect(const struct compare_run *a, const struct compare_run *b,
		      unsigned stat)
{
	const struct stat_info *t = &stat_table[stat];
	double x = a->values[stat], y = b->values[stat];

	if (t->kind == STAT_RATE)
		return effect_of_ratio(a, b, stat);
	return effect_cycles(&b->cfg, t, isnan(y) ? 0 : y) -
	       effect_cycles(&a->cfg, t, isnan(x) ? 0 : x);
}
