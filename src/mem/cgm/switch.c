#include "mem/cgm/switch.h"

#include "base/minmax.h"

enum { SWITCH_INPUTS = CGM_SIDES * CGM_LANES };

static bool cgm_on_ring(unsigned side)
{
	return side == CGM_EAST || side == CGM_WEST;
}

/* The first message of an input's lane, if it wants this output and may go. */
static const struct cgm_packet *
cgm_switch_wants(struct cgm_switch *s, unsigned input, unsigned to, cycle_t now)
{
	unsigned from = input / CGM_LANES, lane = input % CGM_LANES;
	bool enters = cgm_on_ring(to) && !cgm_on_ring(from);
	cycle_t since = s->cfg.latency * s->cfg.period;
	const struct cgm_packet *p;

	if (!s->in[from] || now < since)
		return NULL;
	p = cgm_wire_peek(s->in[from], lane, now - since);
	if (!p || s->cfg.route[p->to] != to)
		return NULL;
	if (cgm_wire_room(s->out[to], lane, now) < (enters ? 2u : 1u)) {
		s->st.blocked++;
		return NULL;
	}
	return p;
}

static void cgm_switch_output(struct cgm_switch *s, unsigned to, cycle_t now,
			      unsigned *busy)
{
	for (unsigned i = 0; i < SWITCH_INPUTS; i++) {
		unsigned input = (s->turn[to] + i) % SWITCH_INPUTS;
		unsigned from = input / CGM_LANES, lane = input % CGM_LANES;
		const struct cgm_packet *p;

		if (*busy >> from & 1)
			continue;
		p = cgm_switch_wants(s, input, to, now);
		if (!p)
			continue;
		s->st.waited += now - p->time - s->cfg.latency * s->cfg.period;
		s->st.messages++;
		cgm_wire_send(s->out[to], lane, now, p);
		cgm_wire_pop(s->in[from], lane, now);
		*busy |= 1u << from;
		s->turn[to] = input + 1;
		return;
	}
}

static cycle_t cgm_switch_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_switch *s = (struct cgm_switch *)part;
	cycle_t since = s->cfg.latency * s->cfg.period;
	cycle_t next = CYCLE_NEVER;
	unsigned busy = 0;

	for (unsigned to = 0; to < CGM_SIDES; to++)
		if (s->out[to] && cgm_wire_is_free(s->out[to], now))
			cgm_switch_output(s, to, now, &busy);
	for (unsigned i = 0; i < CGM_SIDES; i++)
		if (s->in[i])
			next = min_u64(next, cgm_wire_next(s->in[i]));
	if (next == CYCLE_NEVER)
		return next;
	return max_u64(next + since, now + 1);
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
	}
	*out = s;
	return ERR_OK;
}
