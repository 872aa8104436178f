/* Issue: ready micro-operations, oldest first, to units; and their completion. */
#include "base/minmax.h"
#include "cpu/core.h"

bool cpu_issue_init(struct cpu_core *c, struct arena *a)
{
	uint32_t events = 2 * CPU_WHEEL * (uint32_t)c->cfg.issue_width +
			  c->slots + CPU_FLIGHTS;

	c->event = arena_new(a, struct cpu_event, events);
	if (!c->event || events >= CPU_NONE)
		return false;
	c->event_free = CPU_NONE;
	for (uint32_t i = events; i-- > 0;) {
		c->event[i].next = c->event_free;
		c->event_free = (uint16_t)i;
	}
	for (unsigned i = 0; i < CPU_WHEEL; i++)
		c->wheel[i] = CPU_NONE;
	c->ready_first = c->ready_last = CPU_NONE;
	return true;
}

/* In the order of age. */
void cpu_issue_ready(struct cpu_core *c, uint16_t at)
{
	struct cpu_slot *s = &c->slot[at];
	uint16_t before = c->ready_last;

	while (before != CPU_NONE && c->slot[before].seq > s->seq)
		before = c->slot[before].before;
	s->state = CPU_READY;
	s->before = before;
	s->after = before == CPU_NONE ? c->ready_first : c->slot[before].after;
	if (before == CPU_NONE)
		c->ready_first = at;
	else
		c->slot[before].after = at;
	if (s->after == CPU_NONE)
		c->ready_last = at;
	else
		c->slot[s->after].before = at;
}

void cpu_issue_drop(struct cpu_core *c, uint16_t at)
{
	const struct cpu_slot *s = &c->slot[at];

	if (s->before == CPU_NONE)
		c->ready_first = s->after;
	else
		c->slot[s->before].after = s->after;
	if (s->after == CPU_NONE)
		c->ready_last = s->before;
	else
		c->slot[s->after].before = s->before;
}

void cpu_issue_complete_at(struct cpu_core *c, uint16_t at, cycle_t cycle)
{
	unsigned in = cycle % CPU_WHEEL;
	uint16_t e = c->event_free;

	CHECK(e != CPU_NONE);
	c->event_free = c->event[e].next;
	c->event[e] = (struct cpu_event){ c->slot[at].seq, at, c->wheel[in] };
	c->wheel[in] = e;
	c->wheel_live[in / 64] |= UINT64_C(1) << in % 64;
}

/* A unit that is free; NULL: none. */
static cycle_t *cpu_issue_unit(struct cpu_core *c, unsigned unit, cycle_t cycle)
{
	for (uint32_t i = 0; i < c->units[unit]; i++)
		if (c->unit_free[unit][i] <= cycle)
			return &c->unit_free[unit][i];
	return NULL;
}

void cpu_issue(struct cpu_core *c, cycle_t cycle)
{
	uint32_t left = (uint32_t)c->cfg.issue_width;
	uint16_t at = c->ready_first;

	while (left && at != CPU_NONE) {
		struct cpu_slot *s = &c->slot[at];
		uint16_t next = s->after;
		cycle_t *unit = cpu_issue_unit(c, s->unit, cycle);

		if (unit) {
			*unit = cycle + c->interval[s->lat];
			cpu_issue_drop(c, at);
			cpu_issue_complete_at(c, at, cycle + c->lat[s->lat]);
			s->state = CPU_EXECUTES;
			c->iq--;
			c->active = true;
			left--;
		}
		at = next;
	}
}

static void cpu_issue_finish(struct cpu_core *c, uint16_t at, cycle_t cycle)
{
	struct cpu_slot *s = &c->slot[at];
	struct cpu_context *x = &c->context[s->thread];
	/* A load was in its unit, or has its value by now. */
	bool address = s->state == CPU_EXECUTES;

	if (address && s->sends &&
	    (s->kind == UOP_LOAD || s->kind == UOP_ATOMIC ||
	     s->kind == UOP_FLUSH)) {
		cpu_lsq_access(c, at);
		return;
	}
	if (s->kind == UOP_STORE)
		x->store[s->store].ready = true;
	if (s->kind == UOP_ATOMIC || s->kind == UOP_FLUSH)
		x->atomics--;
	s->state = CPU_DONE;
	cpu_rename_wake(c, s);
	if (s->missed && !s->wrong)
		cpu_squash(c, x, at, cycle);
}

void cpu_issue_complete(struct cpu_core *c, cycle_t cycle)
{
	unsigned in = cycle % CPU_WHEEL;
	uint16_t e = c->wheel[in];

	c->wheel[in] = CPU_NONE;
	c->wheel_live[in / 64] &= ~(UINT64_C(1) << in % 64);
	while (e != CPU_NONE) {
		struct cpu_event v = c->event[e];
		struct cpu_slot *s = &c->slot[v.slot];

		c->event[e].next = c->event_free;
		c->event_free = e;
		e = v.next;
		c->active = true;
		/* Not if it was squashed. */
		if (s->seq == v.seq && s->state != CPU_DONE)
			cpu_issue_finish(c, v.slot, cycle);
	}
}

/* The first slot of the wheel after a cycle that is not empty. */
static cycle_t cpu_issue_next_event(const struct cpu_core *c, cycle_t cycle)
{
	for (unsigned i = 1; i < CPU_WHEEL;) {
		unsigned in = (cycle + i) % CPU_WHEEL;
		uint64_t live = c->wheel_live[in / 64] >> in % 64;

		if (live)
			return cycle + i + (unsigned)__builtin_ctzll(live);
		i += 64 - in % 64;
	}
	return CYCLE_NEVER;
}

cycle_t cpu_issue_next(const struct cpu_core *c, cycle_t cycle)
{
	cycle_t next = cpu_issue_next_event(c, cycle);

	for (uint16_t at = c->ready_first; at != CPU_NONE;
	     at = c->slot[at].after) {
		unsigned unit = c->slot[at].unit;

		for (uint32_t i = 0; i < c->units[unit]; i++)
			next = min_u64(next, c->unit_free[unit][i]);
	}
	return next;
}
