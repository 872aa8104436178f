#include "mem/cgm/agent.h"

#include "base/minmax.h"

static enum cgm_agent_port cgm_agent_route(const struct cgm_agent *g,
					   enum cgm_agent_port from,
					   const struct cgm_packet *p)
{
	bool gpu = (p->to >= g->cfg.gpu_first && p->to < g->cfg.gpu_end) ||
		   p->to == g->cfg.hub;

	if (from != CGM_AGENT_MEMORY)
		return CGM_AGENT_MEMORY;
	return gpu && g->in[CGM_AGENT_GPU] ? CGM_AGENT_GPU : CGM_AGENT_RING;
}

/* Moves one message of a port, the latest lane first; false: none may move. */
static bool cgm_agent_move(struct cgm_agent *g, enum cgm_agent_port from,
			   cycle_t now)
{
	for (unsigned lane = CGM_LANES; g->in[from] && lane-- > 0;) {
		const struct cgm_packet *p =
			cgm_wire_peek(g->in[from], lane, now);
		struct cgm_out *to;

		if (!p)
			continue;
		to = &g->out[cgm_agent_route(g, from, p)];
		if (!cgm_out_room(to, lane))
			continue;
		cgm_out_push(to, now + g->cfg.latency * g->cfg.period, p);
		cgm_wire_pop(g->in[from], lane, now);
		return true;
	}
	return false;
}

static cycle_t cgm_agent_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_agent *g = (struct cgm_agent *)part;
	cycle_t next = CYCLE_NEVER;

	cgm_agent_move(g, CGM_AGENT_MEMORY, now);
	for (unsigned i = 0; i < 2; i++) {
		enum cgm_agent_port from =
			(enum cgm_agent_port)((g->turn + i) % 2);

		if (!cgm_agent_move(g, from, now))
			continue;
		g->turn = from + 1u;
		break;
	}
	for (unsigned i = 0; i < CGM_AGENT_PORTS; i++) {
		if (!g->in[i])
			continue;
		next = min_u64(next, cgm_out_drain(&g->out[i], now));
		next = min_u64(next, cgm_wire_next(g->in[i]));
	}
	return max_u64(next, now + 1);
}

enum err cgm_agent_new(struct cgm_agent **out, struct arena *a,
		       const struct cgm_agent_config *cfg,
		       struct cgm_wire *const wire[CGM_AGENT_PORTS][2],
		       struct diag *d)
{
	struct cgm_agent *g = arena_new(a, struct cgm_agent, 1);

	if (!g)
		return fail(d, ERR_NOMEM, "out of memory");
	g->cfg = *cfg;
	cgm_part_init(&g->part, cgm_agent_step, cfg->period);
	for (unsigned i = 0; i < CGM_AGENT_PORTS; i++) {
		g->in[i] = wire[i][0];
		if (!g->in[i])
			continue;
		g->in[i]->to = &g->part;
		if (!cgm_out_init(&g->out[i], a, &g->part, wire[i][1],
				  cfg->room))
			return fail(d, ERR_NOMEM, "out of memory");
	}
	*out = g;
	return ERR_OK;
}

bool cgm_agent_is_idle(const struct cgm_agent *g)
{
	for (unsigned i = 0; i < CGM_AGENT_PORTS; i++)
		if (g->in[i] && (!cgm_out_is_empty(&g->out[i]) ||
				 !cgm_wire_is_empty(g->in[i])))
			return false;
	return true;
}
