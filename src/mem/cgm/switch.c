#include "mem/cgm/switch.h"

#include "base/minmax.h"

enum { SWITCH_INPUTS = CGM_SIDES * CGM_LANES };

static bool cgm_on_ring(unsigned side)
{
	return side == CGM_EAST || side == CGM_WEST;
}

/* The first message of every input's lane that may leave by now. */
struct cgm_switch_heads {
	const struct cgm_packet *head[SWITCH_INPUTS];
	uint32_t wants[CGM_SIDES]; /* by output: a bit for each input */
	cycle_t later; /* when another is the first of its lane and may leave */
	cycle_t next;  /* when one that is blocked may go */
};

static void cgm_switch_look_at(const struct cgm_switch *s, unsigned side,
			       cycle_t by, struct cgm_switch_heads *h)
{
	cgm_lane_counts held = s->in[side] ? cgm_wire_held(s->in[side]) : 0;

	for (unsigned lane = 0; held; lane++, held >>= 16) {
		unsigned input = side * CGM_LANES + lane;
		const struct cgm_packet *p;

		if (!(held & 0xffff))
			continue;
		p = cgm_wire_first(s->in[side], lane);
		if (p->time > by) {
			h->later = min_u64(h->later, p->time);
			continue;
		}
		h->head[input] = p;
		h->wants[s->cfg.route[p->to]] |= 1u << input;
	}
}

/* `by`: the latest arrival of what may leave now. */
static void cgm_switch_look(const struct cgm_switch *s, cycle_t by,
			    struct cgm_switch_heads *h)
{
	h->later = h->next = CYCLE_NEVER;
	for (unsigned i = 0; i < CGM_SIDES; i++)
		h->wants[i] = 0;
	for (unsigned i = 0; i < CGM_SIDES; i++)
		cgm_switch_look_at(s, i, by, h);
}

/* Whether the first message of an input has room behind an output. */
static bool cgm_switch_may(struct cgm_switch *s, struct cgm_switch_heads *h,
			   unsigned input, unsigned to, cycle_t now)
{
	unsigned from = input / CGM_LANES, lane = input % CGM_LANES;
	bool enters = cgm_on_ring(to) && !cgm_on_ring(from);

	if (cgm_wire_has_room(s->out[to], lane, enters ? 2 : 1, now))
		return true;
	s->blocked++;
	h->next = min_u64(h->next, cgm_wire_wait(s->out[to], lane, now));
	return false;
}

static void cgm_switch_pass(struct cgm_switch *s, struct cgm_switch_heads *h,
			    unsigned input, unsigned to, cycle_t now)
{
	unsigned from = input / CGM_LANES, lane = input % CGM_LANES;
	cycle_t waited =
		now - h->head[input]->time - s->cfg.latency * s->cfg.period;

	s->st.waited += waited;
	s->out[to]->waited += waited;
	s->st.messages++;
	cgm_wire_send(s->out[to], lane, now, h->head[input]);
	cgm_wire_pop(s->in[from], lane, now);
	/* An input gives one message a cycle. */
	for (unsigned k = 0; k < CGM_SIDES; k++)
		h->wants[k] &= ~(((1u << CGM_LANES) - 1) << from * CGM_LANES);
	s->turn[to] = input + 1;
}

/* True: a message has gone. */
static bool cgm_switch_output(struct cgm_switch *s, struct cgm_switch_heads *h,
			      unsigned to, cycle_t now)
{
	/* Those whose turn is next, then the others. */
	uint32_t first = UINT32_MAX << s->turn[to];
	uint32_t sets[] = { h->wants[to] & first, h->wants[to] & ~first };

	if (!cgm_wire_is_free(s->out[to], now)) {
		h->next = min_u64(h->next, s->out[to]->free);
		return false;
	}
	for (unsigned k = 0; k < 2; k++)
		for (uint32_t m = sets[k]; m; m &= m - 1) {
			unsigned input = (unsigned)__builtin_ctz(m);

			if (!cgm_switch_may(s, h, input, to, now))
				continue;
			cgm_switch_pass(s, h, input, to, now);
			return true;
		}
	return false;
}

/* When the first message of any input arrives. */
static cycle_t cgm_switch_arrival(const struct cgm_switch *s)
{
	cycle_t next = CYCLE_NEVER;

	for (unsigned i = 0; i < CGM_SIDES; i++)
		if (s->in[i])
			next = min_u64(next, cgm_wire_next(s->in[i]));
	return next;
}

static cycle_t cgm_switch_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_switch *s = (struct cgm_switch *)part;
	cycle_t since = s->cfg.latency * s->cfg.period, arrival, next;
	struct cgm_switch_heads h;
	bool moved = false;

	s->st.blocked += cgm_part_rested(part, now) * s->blocked;
	s->blocked = 0;
	/* No message arrives at tick 0. */
	cgm_switch_look(s, now > since ? now - since : 0, &h);
	for (unsigned to = 0; to < CGM_SIDES; to++)
		if (h.wants[to])
			moved |= cgm_switch_output(s, &h, to, now);
	s->st.blocked += s->blocked;
	part->rest = moved ? CYCLE_NEVER : now;
	arrival = moved ? cgm_switch_arrival(s) : h.later;
	next = arrival == CYCLE_NEVER ? arrival : arrival + since;
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
