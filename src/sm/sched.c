#include "sm/sched.h"

#include <string.h>

#include "sm/sched_impl.h"

const struct sched_ops *const sched_all[] = {
	[CFG_SCHEDULER_LRR] = &sched_lrr,
	[CFG_SCHEDULER_GTO] = &sched_gto,
	[CFG_SCHEDULER_TWO_LEVEL] = &sched_two_level,
	[CFG_SCHEDULER_CGGTY] = &sched_cggty,
	[CFG_SCHEDULER_CCWS] = &sched_ccws,
	NULL,
};

enum err sched_init(struct sched *s, struct arena *a, const struct cfg *cfg,
		    uint64_t mine, struct diag *d)
{
	memset(s, 0, sizeof(*s));
	s->cfg = cfg;
	s->mine = mine;
	s->ops = sched_all[cfg->sm.scheduler];
	s->greedy = s->ops->greedy;
	s->youngest = s->ops->youngest;
	if (s->ops->init && s->ops->init(s, a, d))
		return d->code;
	sched_start(s);
	return ERR_OK;
}

void sched_start(struct sched *s)
{
	s->last = SCHED_NONE;
	s->same = 0;
	s->yielded = 0;
	s->after = UINT64_MAX;
	s->filled = UINT64_MAX;
	s->live = 0;
	s->in_order = true;
	s->wake = CYCLE_NEVER;
	/* Any order will do for slots that never started; it must be one. */
	for (int slot = 0; slot < SCHED_SLOTS; slot++)
		s->older[slot] = s->mine & (sched_bit(slot) - 1);
	if (s->ops->start)
		s->ops->start(s);
}

/* Whether those that started before a warp have the slots below its own, from
 * that of the warp that started last on, going round. */
static bool sched_goes_round(const struct sched *s)
{
	for (uint64_t m = s->live; m; m &= m - 1) {
		int slot = sched_lowest(m);
		uint64_t below = sched_bit(slot) - 1, above = ~s->filled;
		uint64_t before = s->filled & sched_bit(slot) ? below | above :
								below & above;

		if ((s->older[slot] ^ before) & s->live)
			return false;
	}
	return true;
}

void sched_started(struct sched *s, int slot)
{
	CHECK(s->mine & sched_bit(slot));
	for (uint64_t m = s->mine; m; m &= m - 1)
		s->older[sched_lowest(m)] &= ~sched_bit(slot);
	s->older[slot] = s->mine & ~sched_bit(slot);
	s->filled = sched_bit(slot) | (sched_bit(slot) - 1);
	s->live |= sched_bit(slot);
	s->in_order = sched_goes_round(s);
	/* It is not the warp that issued last from this slot. */
	if (s->last == slot) {
		s->last = SCHED_NONE;
		s->same = 0;
	}
	if (s->ops->started)
		s->ops->started(s, slot);
}

void sched_ended(struct sched *s, int slot)
{
	s->live &= ~sched_bit(slot);
	if (s->ops->ended)
		s->ops->ended(s, slot);
}
