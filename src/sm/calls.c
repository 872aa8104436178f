/*
 * Calls of the system: malloc, free and printf of kernels. A warp that has called
 * is held until the end of the epoch, when the GPU knows what its call takes, and
 * until the call returns.
 */
#include <string.h>

#include "base/minmax.h"
#include "simt/launch.h"
#include "sm/core.h"

/* A call that computes nothing now, but takes time. */
static void note_service(struct sm *s, struct warp *w, cycle_t t)
{
	struct view *v = s->view;

	struct service_call *c = &v->calls[v->call_count++];

	CHECK(v->call_count <= VIEW_WARPS);
	*c = (struct service_call){ .warp = w,
				    .mask = w->effect->called,
				    .cycle = t };
	memcpy(c->bytes, w->effect->addr, sizeof(c->bytes));
}

void sm_await_service(struct sm *s, int slot, const struct timed_inst *ti,
		      cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	struct warp *w = p->warp;
	enum service_kind kind = (enum service_kind)w->effect->service;
	cycle_t end = (t / s->env.epoch + 1) * s->env.epoch;
	struct service_call *c;

	w->effect->service = SERVICE_NONE;
	if (kind == SERVICE_PRINT && !s->env.cfg->system.print_cycles) {
		sm_prepare(s, slot, t, t + ti->stall, REASON_REDIRECT);
		return;
	}
	if (kind == SERVICE_PRINT || launch_replays(w->block->launch))
		note_service(s, w, t);
	c = &s->view->calls[s->view->call_count - 1];
	c->sm = s->env.self;
	c->slot = (uint8_t)slot;
	c->kind = (uint8_t)kind;
	s->call[slot] = (struct sm_call){
		.since = t,
		.place = sm_place_of(s->grids[s->block[p->block].grid], p),
	};
	s->call_next = min_u64(s->calling ? s->call_next : CYCLE_NEVER, end);
	s->calling |= UINT64_C(1) << slot;
	s->aside = true;
	p->hold |= HOLD_CALL;
	sm_prepare(s, slot, t, end, REASON_ATOMIC);
	sm_wait(s, slot, REASON_ATOMIC); /* it is held, for whatever reason */
}

void sm_return(struct sm *s, uint32_t slot, const struct service_cost *cost)
{
	struct slot *p = SM_SLOT(s, slot);

	s->call[slot].cost = *cost;
	p->earliest = max_u64(p->earliest, cost->end);
}

/* What of n is done at t, if it is done evenly until the call returns. */
static uint64_t done_at(const struct sm_call *c, uint64_t n, cycle_t t)
{
	return t < c->cost.end ? n * (t - c->since) / (c->cost.end - c->since) :
				 n;
}

static void count_call(struct sm *s, int slot, cycle_t t)
{
	struct sm_call *c = &s->call[slot];
	uint32_t grid = s->block[SM_SLOT(s, slot)->block].grid;
	struct sm_gridstate *g = s->grids[grid];
	uint64_t instructions =
		done_at(c, c->cost.instructions, t) - c->instructions;
	uint64_t lanes = done_at(c, c->cost.lanes, t) - c->lanes;
	uint64_t off = LANES * instructions - lanes;

	if (!c->cost.instructions)
		return;
	c->instructions += instructions;
	c->lanes += lanes;
	if (s->many)
		sm_switch_grid(s, grid);
	s->st.served += instructions;
	s->lanes_off += off;
	g->pool[c->place].issued += instructions;
	if (g->details)
		g->details[c->place].lanes_off += off;
}

void sm_count_calls(struct sm *s, cycle_t t)
{
	for (uint64_t left = s->calling; left; left &= left - 1)
		count_call(s, __builtin_ctzll(left), t);
}

void sm_return_calls(struct sm *s, cycle_t t)
{
	cycle_t next = CYCLE_NEVER;

	for (uint64_t left = s->calling; left; left &= left - 1) {
		int slot = __builtin_ctzll(left);
		struct slot *p = SM_SLOT(s, slot);

		if (p->earliest > t) {
			next = min_u64(next, p->earliest);
			continue;
		}
		count_call(s, slot, t);
		s->calling &= ~(UINT64_C(1) << slot);
		p->hold &= (uint8_t)~HOLD_CALL;
		sm_reconsider(s, slot, t);
	}
	s->call_next = next;
}
