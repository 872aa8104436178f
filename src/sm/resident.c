/*
 * Resident blocks and warps of an SM: their start, barriers and end.
 */
#include "sm/core.h"
#include "sm/counters.h"

void sm_residency(struct sm *s, cycle_t t)
{
	cycle_t n = t - s->residency_at;

	s->st.warp_cycles += n * s->resident_warps;
	s->st.active_cycles += s->blocks ? n : 0;
	if (UNLIKELY(s->many))
		sm_own_residency(s, n);
	s->residency_at = t;
}

/* Takes a free slot of the scheduler that has the most free slots. */
static int take_slot(struct sm *s)
{
	int best = -1, max = 0, slot;

	for (uint32_t k = 0; k < s->schedulers; k++) {
		int n = __builtin_popcountll(s->free_slots & s->mine[k]);

		if (n > max) {
			max = n;
			best = (int)k;
		}
	}
	CHECK(best >= 0);
	slot = __builtin_ctzll(s->free_slots & s->mine[best]);
	s->free_slots &= ~(UINT64_C(1) << slot);
	return slot;
}

static void resident_start_warp(struct sm *s, int slot, unsigned block,
				struct warp *w)
{
	struct slot *p = SM_SLOT(s, slot);
	uint8_t sched = p->sched, sub = p->sub;
	uint8_t unit = p->unit;
	const struct sm_gridstate *g = s->grids[s->block[block].grid];

	*p = (struct slot){ .warp = w,
			    .ready = g->scoreboard + (size_t)slot * g->stride,
			    .pc = (uint32_t)-1,
			    .line = (uint32_t)-1,
			    .ahead = (uint32_t)-1,
			    .unit = unit,
			    .wait = NO_WAIT,
			    .sched = sched,
			    .sub = sub,
			    .block = (uint8_t)block,
			    .control = g->grid.timed->control,
			    .acquires = NO_OP,
			    .issued = s->now,
			    .start = s->now };
	counters_start(p);
	s->live |= UINT64_C(1) << slot;
	s->needs[unit] |= UINT64_C(1) << slot;
	sched_started(SM_SCHED(s, sched), slot);
	s->st.warps++;
	s->resident_warps++;
	if (g->checks)
		sm_hazards_start(g->checks, slot);
	sm_prepare(s, slot, s->now, s->now + 1, REASON_FETCH);
}

static void account_schedulers(struct sm *s)
{
	for (uint32_t k = 0; k < s->schedulers; k++)
		sm_account(s, k, s->now);
}

/* The SM gets a block after it had none. */
static void end_idle_time(struct sm *s, const struct msg *m)
{
	s->idle.known = m->bytes[0] + 1;
	s->idle.end_known = false;
	account_schedulers(s);
}

/* The SM's only block has ended. */
static void begin_idle_time(struct sm *s)
{
	account_schedulers(s);
	s->idle.since = s->now;
	s->idle.had_block = true;
}

void sm_block_arrives(struct sm *s, const struct msg *m)
{
	struct sm_gridstate *g = s->grids[m->id];
	struct resident *r;
	struct warp *warps;
	uint32_t count;
	int slots[64]; /* as many as free_slots has bits */
	unsigned b = 0;

	while (s->block[b].block)
		b++;
	CHECK(b < BLOCKS && g);
	s->held = false;
	sm_residency(s, s->now);
	r = &s->block[b];
	*r = (struct resident){ .block = worker_block(g->worker, m->chunk),
				.worker = g->worker,
				.grid = m->id,
				.start = s->now };
	CHECK(r->block);
	r->releases = r->block->releases;
	warps = r->block->warps;
	count = r->block->warp_count;
	if (!s->blocks)
		end_idle_time(s, m);
	s->blocks++;
	s->st.blocks++;
	/* A warp without instructions ends at once, and the last one ends the
	 * block: so all get their slots before the first one starts. */
	for (uint32_t i = 0; i < count; i++) {
		slots[i] = take_slot(s);
		r->slots |= UINT64_C(1) << slots[i];
	}
	for (uint32_t i = 0; i < count; i++) {
		sm_account(s, SM_SLOT(s, slots[i])->sched, s->now);
		resident_start_warp(s, slots[i], b, &warps[i]);
	}
}

void sm_report_stall(struct sm *s, int slot, cycle_t to)
{
	const struct slot *p = SM_SLOT(s, slot);
	struct sm_event e = { .kind = SM_EVENT_STALL,
			      .reason = p->wait,
			      .sm = (uint16_t)s->env.self,
			      .slot = (uint16_t)slot,
			      .grid = s->block[p->block].grid,
			      .func = p->since_func,
			      .pc = p->since_pc,
			      .block = p->warp->block->index,
			      .from = p->since,
			      .to = to };

	if (to > p->since)
		s->env.event(s->env.event_ctx, &e);
}

static void report_event(struct sm *s, enum sm_event_kind kind, int slot,
			 const struct resident *r, cycle_t from, cycle_t to)
{
	if (s->env.event)
		s->env.event(s->env.event_ctx,
			     &(struct sm_event){ .kind = (uint8_t)kind,
						 .sm = (uint16_t)s->env.self,
						 .slot = (uint16_t)slot,
						 .grid = r->grid,
						 .block = r->block->index,
						 .from = from,
						 .to = to });
}

void sm_report_written(struct sm *s)
{
	struct msg m = { .time = s->now + s->block_latency,
			 .kind = MSG_WRITTEN };

	s->held = false;
	wire_send(s->env.wires, s->env.self, s->env.dispatcher, &m);
}

static void end_block(struct sm *s, struct resident *r)
{
	struct msg m = { .time = s->now + s->block_latency,
			 .kind = MSG_BLOCK_DONE,
			 .chunk = r->block->index,
			 .id = r->grid,
			 .flags = r->stored ? MSG_STORED : 0 };

	report_event(s, SM_EVENT_BLOCK, __builtin_ctzll(r->slots), r, r->start,
		     s->now);
	sm_residency(s, s->now);
	s->held = s->blocks == 1 && lsu_holds_writes(s->lsu);
	s->aside |= s->held;
	m.flags |= s->held ? MSG_HELD : 0;
	wire_send(s->env.wires, s->env.self, s->env.dispatcher, &m);
	worker_retire(r->worker, r->block);
	s->free_slots |= r->slots;
	r->block = NULL;
	if (s->blocks == 1)
		begin_idle_time(s);
	s->blocks--;
	s->st.blocks_done++;
	if (s->stop_at_end) {
		s->ended = true;
		s->until = s->now + 1;
	}
}

/* The warp has ended, and so have its memory operations. */
void sm_end_warp(struct sm *s, int slot)
{
	struct slot *p = SM_SLOT(s, slot);
	struct resident *r = &s->block[p->block];
	uint64_t bit = UINT64_C(1) << slot;

	sm_residency(s, s->now);
	sm_account(s, p->sched, s->now);
	if (s->env.event && p->wait != NO_WAIT)
		sm_report_stall(s, slot, s->now);
	report_event(s, SM_EVENT_WARP, slot, r, p->start, s->now);
	if (p->wait != NO_WAIT)
		s->waits[p->wait] &= ~bit;
	p->wait = NO_WAIT;
	s->ready &= ~bit;
	s->live &= ~bit;
	s->needs[p->unit] &= ~bit;
	sched_ended(SM_SCHED(s, p->sched), slot);
	s->resident_warps--;
	r->ended |= bit;
	if (r->ended == r->slots)
		end_block(s, r);
}

void sm_report_rest(struct sm *s, cycle_t end)
{
	for (uint64_t left = s->live; left && s->env.event; left &= left - 1) {
		int slot = __builtin_ctzll(left);
		const struct slot *p = SM_SLOT(s, slot);

		if (p->start >= end)
			continue;
		if (p->wait != NO_WAIT)
			sm_report_stall(s, slot, end);
		report_event(s, SM_EVENT_WARP, slot, &s->block[p->block],
			     p->start, end);
	}
	for (unsigned i = 0; i < BLOCKS && s->env.event; i++) {
		const struct resident *r = &s->block[i];

		if (r->block && r->start < end)
			report_event(s, SM_EVENT_BLOCK,
				     __builtin_ctzll(r->slots), r, r->start,
				     end);
	}
}

static bool resident_at_barrier(const struct warp *w)
{
	for (int i = 0; i < w->split_count; i++)
		if (w->splits[i].state == SPLIT_BARRIER)
			return true;
	return false;
}

bool sm_release(struct sm *s, unsigned block, cycle_t t, cycle_t at)
{
	struct resident *r = &s->block[block];
	uint64_t waiting = r->waiting;

	if (r->releases == r->block->releases)
		return false;
	r->releases = r->block->releases;
	for (; waiting; waiting &= waiting - 1) {
		int slot = __builtin_ctzll(waiting);

		if (!warp_next(SM_SLOT(s, slot)->warp))
			continue;
		r->waiting &= ~(waiting & -waiting);
		sm_prepare(s, slot, t, at, REASON_BARRIER);
	}
	return true;
}

/* Every warp of the block waits for others: lanes that wait for the rest of
 * their warp continue alone. If there are none, it is a deadlock. */
static void unblock(struct sm *s, unsigned block, cycle_t t)
{
	struct resident *r = &s->block[block];
	uint64_t waiting = r->waiting;

	if (!block_unblock(r->block)) {
		block_deadlock(r->block);
		s->stopped = true;
		return;
	}
	for (; waiting; waiting &= waiting - 1) {
		int slot = __builtin_ctzll(waiting);

		if (!warp_next(SM_SLOT(s, slot)->warp))
			continue;
		r->waiting &= ~(waiting & -waiting);
		sm_prepare(s, slot, t, t + 1, REASON_CONVERGE);
	}
}

void sm_blocked(struct sm *s, int slot, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	unsigned block = p->block;
	struct resident *r = &s->block[block];
	uint64_t bit = UINT64_C(1) << slot;

	if (p->warp->event & EVENT_FAULT) {
		s->stopped = true;
		return;
	}
	if (warp_done(p->warp)) {
		if (p->pending)
			sm_wait(s, slot, REASON_DRAIN);
		else
			sm_end_warp(s, slot);
		if (!r->block)
			return;
		/* Drained or not, no other warp can wait for it any more. */
		r->done |= bit;
	} else {
		r->waiting |= bit;
		sm_wait(s, slot,
			resident_at_barrier(p->warp) ? REASON_BARRIER :
						       REASON_CONVERGE);
	}
	if (r->waiting && (r->waiting | r->done) == r->slots && !s->stopped)
		unblock(s, block, t);
}
