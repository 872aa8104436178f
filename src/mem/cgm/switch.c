#include "mem/cgm/switch.h"

#include "base/minmax.h"

enum { SWITCH_INPUTS = CGM_SIDES * CGM_LANES };

static bool cgm_on_ring(unsigned side)
{
	return side == CGM_EAST || side == CGM_WEST;
}

/* The first message of every input's lane that may leave by now. */
struct cgm_switch_heads {
	const struct cgm_packet *head[SWITCH_INPUTS]; /* NULL: none */
	unsigned wanted; /* bit i: some of them wants output i */
	cycle_t next;    /* when one that is blocked may go */
};

static void cgm_switch_look(const struct cgm_switch *s, cycle_t now,
			    struct cgm_switch_heads *h)
{
	cycle_t since = s->cfg.latency * s->cfg.period;

	*h = (struct cgm_switch_heads){ .next = CYCLE_NEVER };
	if (now < since)
		return;
	for (unsigned i = 0; i < SWITCH_INPUTS; i++) {
		struct cgm_wire *in = s->in[i / CGM_LANES];

		if (!in)
			continue;
		h->head[i] = cgm_wire_peek(in, i % CGM_LANES, now - since);
		if (h->head[i])
			h->wanted |= 1u << s->cfg.route[h->head[i]->to];
	}
}

/* Whether the first message of an input wants this output and may go. */
static bool cgm_switch_may(struct cgm_switch *s, struct cgm_switch_heads *h,
			   unsigned input, unsigned to, cycle_t now)
{
	unsigned from = input / CGM_LANES, lane = input % CGM_LANES;
	bool enters = cgm_on_ring(to) && !cgm_on_ring(from);
	const struct cgm_packet *p = h->head[input];

	if (!p || s->cfg.route[p->to] != to)
		return false;
	if (cgm_wire_room(s->out[to], lane, now) < (enters ? 2u : 1u)) {
		s->blocked++;
		h->next =
			min_u64(h->next, cgm_wire_wait(s->out[to], lane, now));
		return false;
	}
	return true;
}

/* True: a message has gone. */
static bool cgm_switch_output(struct cgm_switch *s, struct cgm_switch_heads *h,
			      unsigned to, cycle_t now)
{
	if (!cgm_wire_is_free(s->out[to], now)) {
		h->next = min_u64(h->next, s->out[to]->free);
		return false;
	}
	for (unsigned i = 0; i < SWITCH_INPUTS; i++) {
		unsigned input = (s->turn[to] + i) % SWITCH_INPUTS;
		unsigned from = input / CGM_LANES, lane = input % CGM_LANES;
		cycle_t waited;

		if (!cgm_switch_may(s, h, input, to, now))
			continue;
		waited = now - h->head[input]->time -
			 s->cfg.latency * s->cfg.period;
		s->st.waited += waited;
		s->out[to]->waited += waited;
		s->st.messages++;
		cgm_wire_send(s->out[to], lane, now, h->head[input]);
		cgm_wire_pop(s->in[from], lane, now);
		/* An input gives one message a cycle. */
		for (unsigned k = 0; k < CGM_LANES; k++)
			h->head[from * CGM_LANES + k] = NULL;
		s->turn[to] = input + 1;
		return true;
	}
	return false;
}

/* When a message arrives that is not there yet, or, if any may go, one that
 * is. */
static cycle_t cgm_switch_arrival(const struct cgm_switch *s, cycle_t now,
				  bool any)
{
	cycle_t since = s->cfg.latency * s->cfg.period, next = CYCLE_NEVER;

	for (unsigned i = 0; i < CGM_SIDES; i++)
		if (s->in[i])
			next = min_u64(next,
				       any || now < since ?
					       cgm_wire_next(s->in[i]) :
					       cgm_wire_later(s->in[i],
							      now - since));
	return next == CYCLE_NEVER ? next : next + since;
}

static cycle_t cgm_switch_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_switch *s = (struct cgm_switch *)part;
	struct cgm_switch_heads h;
	bool moved = false;
	cycle_t next;

	s->st.blocked += cgm_part_rested(part, now) * s->blocked;
	s->blocked = 0;
	cgm_switch_look(s, now, &h);
	for (unsigned to = 0; to < CGM_SIDES; to++)
		if (h.wanted >> to & 1)
			moved |= cgm_switch_output(s, &h, to, now);
	s->st.blocked += s->blocked;
	part->rest = moved ? CYCLE_NEVER : now;
	next = cgm_switch_arrival(s, now, moved);
	if (!moved)
		next = min_u64(next, h.next);
	return max_u64(next, now + 1);
}

enum err cgm_switch_new(struct cgm_switch **out, struct arena *a,
			const struct cgm_switch_config *cfg,
			struct cgm_wire *const wire[CGM_SIDES][2],
			struct diag *d)
{
	struct cgm_switch *s = arena_new(a, struct cgm_switch, 1);

	if (!s)
		return fail(d, ERR_NOMEM, "out of memory");
	s->cfg = *cfg;
	cgm_part_init(&s->part, cgm_switch_step, cfg->period);
	for (unsigned i = 0; i < CGM_SIDES; i++) {
		s->in[i] = wire[i][0];
		s->out[i] = wire[i][1];
		if (s->in[i])
			s->in[i]->to = &s->part;
		if (s->out[i])
			s->out[i]->from = &s->part;
	}
	*out = s;
	return ERR_OK;
}
