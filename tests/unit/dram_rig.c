#include "dram_rig.h"

#include <string.h>

#include "test.h"

struct dram_config rig_config(enum dram_std standard)
{
	struct dram_config c = dram_defaults(standard);

	c.refresh = false;
	return c;
}

void rig_init(struct rig *r, const struct dram_config *cfg)
{
	struct diag d;

	memset(r, 0, sizeof(*r));
	EQ(ERR_OK, dram_new(&r->m, &r->arena, cfg, NULL, &d));
	arena_seal(&r->arena);
}

void rig_free(struct rig *r)
{
	arena_free(&r->arena);
}

bool rig_push(struct rig *r, struct dram_request q)
{
	OK(r->pushed < RIG_MAX);
	q.tag = r->pushed;
	if (!dram_push(r->m, r->now, &q))
		return false;
	r->pushed++;
	return true;
}

uint64_t rig_read(struct rig *r, uint32_t bank, uint64_t row)
{
	OK(rig_push(r, (struct dram_request){
			       .bank = bank, .row = row, .bytes = 32 }));
	return r->pushed - 1;
}

uint64_t rig_write(struct rig *r, uint32_t bank, uint64_t row)
{
	OK(rig_push(r, (struct dram_request){ .bank = bank,
					      .row = row,
					      .bytes = 32,
					      .write = true }));
	return r->pushed - 1;
}

void rig_until(struct rig *r, cycle_t cycle)
{
	struct dram_done x;

	dram_advance(r->m, cycle);
	r->now = cycle;
	while (dram_take(r->m, &x)) {
		OK(x.tag < r->pushed);
		EQ(0, r->at[x.tag]);
		r->at[x.tag] = x.cycle;
		r->done[r->count++] = x;
	}
}

void rig_drain(struct rig *r)
{
	for (;;) {
		cycle_t next = dram_next_event(r->m);

		if (next == CYCLE_NEVER)
			break;
		OK(next > r->now);
		rig_until(r, next);
	}
	EQ(r->pushed, r->count);
}

void rig_laws(struct rig *r)
{
	const struct dram_stats *s = dram_stats(r->m);
	const struct dram_config *c = dram_config(r->m);

	r->st = *s;
	EQ(r->pushed, s->reads + s->writes);
	EQ(r->pushed, s->row_hits + s->row_misses + s->row_conflicts);
	OK(s->activates >= s->row_misses + s->row_conflicts);
	OK(s->precharges <= s->activates);
	OK(s->activates - s->precharges <= c->banks);
	OK(s->bus_clocks <= c->pseudo * dram_clock(r->m, r->now));
	OK(s->bus_clocks % c->burst_clocks == 0);
	OK(s->bytes <= s->bus_clocks / c->burst_clocks * c->burst_bytes);
	if (c->refresh)
		EQ(dram_clock(r->m, r->now) / c->clocks[DRAM_T_REFI],
		   s->refreshes);
	else
		EQ(0, s->refreshes);
}
