#include "sm/own.h"

#include "sm/core.h"

static void sm_settle(struct sm *s)
{
	struct sm_own *own = &s->grids[s->counting]->own;

	COUNTS_MOVE(&own->sm.st, &s->st, &s->mark.st);
	counts_move(own->sm.unit, s->unit_count, s->mark.unit, UNIT_COUNT);
	counts_move(&own->sm.lanes_off, &s->lanes_off, &s->mark.lanes_off, 1);
}

void sm_switch_grid(struct sm *s, uint32_t grid)
{
	if (grid != s->counting) {
		sm_settle(s);
		s->counting = grid;
	}
	lsu_switch_grid(s->lsu, (uint8_t)grid);
}

void sm_own_residency(struct sm *s, uint64_t n)
{
	uint64_t seen[SM_GRIDS / 64] = { 0 };

	for (unsigned b = 0; n && b < BLOCKS; b++) {
		const struct resident *r = &s->block[b];
		struct sm_own *own;

		if (!r->block)
			continue;
		own = &s->grids[r->grid]->own;
		own->warp_cycles += n * (uint64_t)__builtin_popcountll(
						r->slots & ~r->ended);
		if (!(seen[r->grid / 64] >> r->grid % 64 & 1))
			own->active_cycles += n;
		seen[r->grid / 64] |= UINT64_C(1) << r->grid % 64;
	}
}

void sm_own_stats(struct sm *s, uint32_t grid, struct stats *to)
{
	const struct sm_own *own = &s->grids[grid]->own;
	struct stats one = { 0 };

	sm_settle(s);
	lsu_settle(s->lsu);
	one.sm = own->sm.st;
	one.lsu = own->memory.lsu;
	one.l1 = own->memory.l1;
	/* Those that the SM computes when it is asked. */
	one.sm.cycles = one.sm.slots = 0;
	one.sm.instructions = one.sm.served;
	for (unsigned u = 0; u < UNIT_COUNT; u++) {
		one.unit[u] = own->sm.unit[u];
		one.sm.instructions += own->sm.unit[u];
	}
	one.sm.lanes = LANES * one.sm.instructions - own->sm.lanes_off;
	one.sm.active_cycles = own->active_cycles;
	one.sm.warp_cycles = own->warp_cycles;
	/* Blocks and warps start and end whatever is charged. */
	one.sm.blocks = one.sm.blocks_done = one.sm.warps = 0;
	stats_add(to, &one);
}
