#include "mem/cgm/hub.h"

#include "base/minmax.h"

/* Of all addresses, which have 64 bits. */
#define HUB_BLOCKS (UINT64_MAX / CGM_BLOCK + 1)

/* A page that was known once: at hand, or from a table of its own. */
static cycle_t cgm_hub_known(struct cgm_hub *h, uint64_t page)
{
	if (cgm_tlb_lookup(&h->tlb, page))
		return 0;
	cgm_tlb_fill(&h->tlb, page);
	h->st.reverse_misses++;
	return h->cfg.reverse_latency * h->cfg.period;
}

/* Begins or goes on with the walk for a page. */
static void cgm_hub_walk(struct cgm_hub *h, uint64_t page, cycle_t now)
{
	struct cgm_packet p = { .kind = CGM_NC_GET,
				.from = h->cfg.self,
				.requester = h->cfg.self,
				.bare = h->from_net->cfg.bare };

	if (!h->walking) {
		h->walking = true;
		h->level = 0;
		h->walk_page = page;
	}
	if (h->walk_sent || !cgm_out_room(&h->to_net, CGM_LANE_REQUEST))
		return;
	p.block = cgm_walk_block(h->walk_page, h->level, h->cfg.walk_levels);
	p.to = cgm_home_of(&h->cfg.homes, p.block);
	cgm_out_push(&h->to_net, now + h->cfg.period, &p);
	h->walk_sent = true;
	h->st.walk_reads++;
}

static void cgm_hub_walked(struct cgm_hub *h)
{
	h->walk_sent = false;
	if (++h->level < h->cfg.walk_levels)
		return;
	h->walking = false;
	cgm_tlb_fill(&h->tlb, h->walk_page);
}

/* A bank's message to the system; false: it has to wait. */
static bool cgm_hub_forward(struct cgm_hub *h, const struct cgm_packet *in,
			    cycle_t now)
{
	uint64_t page = cgm_tlb_page(&h->tlb, in->block);
	cycle_t latency = h->cfg.latency * h->cfg.period;
	struct cgm_packet *p;

	if (!cgm_out_room(&h->to_net, in->lane))
		return false;
	if (in->lane != CGM_LANE_REQUEST) {
		latency += cgm_hub_known(h, page);
	} else if (!cgm_tlb_lookup(&h->tlb, page)) {
		cgm_hub_walk(h, page, now);
		return false;
	}
	p = cgm_out_pass(&h->to_net, now + latency, (enum cgm_msg)in->kind, in);
	p->block = (p->block + h->cfg.distance) % HUB_BLOCKS;
	if (p->to == CGM_HUB_HOME)
		p->to = cgm_home_of(&h->cfg.homes, p->block);
	h->st.up++;
	return true;
}

/* The system's message to a bank. */
static bool cgm_hub_reverse(struct cgm_hub *h, const struct cgm_packet *in,
			    cycle_t now)
{
	struct cgm_packet p;
	struct cgm_out *to;

	if (in->to == h->cfg.self) {
		cgm_hub_walked(h);
		return true;
	}
	to = &h->to_bank[in->to - h->cfg.first_bank];
	if (!cgm_out_room(to, in->lane))
		return false;
	cgm_packet_copy(&p, in);
	p.block = (p.block - h->cfg.distance) % HUB_BLOCKS;
	cgm_out_push(to,
		     now + h->cfg.latency * h->cfg.period +
			     cgm_hub_known(h, cgm_tlb_page(&h->tlb, p.block)),
		     &p);
	h->st.down++;
	return true;
}

static bool cgm_hub_up(struct cgm_hub *h, cycle_t now)
{
	uint32_t inputs = CGM_LANES * h->cfg.banks;

	for (uint32_t i = 0; i < inputs; i++) {
		uint32_t k = h->turn + i < inputs ? h->turn + i :
						    h->turn + i - inputs;
		struct cgm_wire *w = h->from_bank[k / CGM_LANES];
		unsigned lane = k % CGM_LANES;
		const struct cgm_packet *p = cgm_wire_peek(w, lane, now);

		if (!p || !cgm_hub_forward(h, p, now))
			continue;
		cgm_wire_pop(w, lane, now);
		h->turn = k + 1 == inputs ? 0 : k + 1;
		return true;
	}
	return false;
}

static bool cgm_hub_down(struct cgm_hub *h, cycle_t now)
{
	for (unsigned i = CGM_LANES; i-- > 0;) {
		const struct cgm_packet *p = cgm_wire_peek(h->from_net, i, now);

		if (!p || !cgm_hub_reverse(h, p, now))
			continue;
		cgm_wire_pop(h->from_net, i, now);
		return true;
	}
	return false;
}

/* Sends what may leave; returns when more may, and in *moved whether any did. */
static cycle_t cgm_hub_drain(struct cgm_hub *h, cycle_t now, bool *moved)
{
	uint32_t before = h->to_net.count, after;
	cycle_t next = cgm_out_drain(&h->to_net, now);

	after = h->to_net.count;
	for (uint32_t i = 0; i < h->cfg.banks; i++) {
		before += h->to_bank[i].count;
		next = min_u64(next, cgm_out_drain(&h->to_bank[i], now));
		after += h->to_bank[i].count;
	}
	*moved |= before != after;
	return next;
}

/* When a message arrives that is not there yet, or, if any may go on, one that
 * is. */
static cycle_t cgm_hub_arrival(const struct cgm_hub *h, cycle_t now, bool any)
{
	cycle_t next = any ? cgm_wire_next(h->from_net) :
			     cgm_wire_later(h->from_net, now);

	for (uint32_t i = 0; i < h->cfg.banks; i++)
		next = min_u64(next,
			       any ? cgm_wire_next(h->from_bank[i]) :
				     cgm_wire_later(h->from_bank[i], now));
	return next;
}

static cycle_t cgm_hub_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_hub *h = (struct cgm_hub *)part;
	bool moved = cgm_hub_down(h, now), walking;
	cycle_t next;

	if (h->walking)
		cgm_hub_walk(h, h->walk_page, now);
	walking = h->walking;
	moved |= cgm_hub_up(h, now);
	/* Only a message or room lets it go on, but for a walk that begins. */
	moved |= walking != h->walking;
	next = cgm_hub_drain(h, now, &moved);
	next = min_u64(next, cgm_hub_arrival(h, now, moved));
	return max_u64(next, now + 1);
}

enum err cgm_hub_new(struct cgm_hub **out, struct arena *a,
		     const struct cgm_hub_config *cfg,
		     struct cgm_wire *const (*bank)[2],
		     struct cgm_wire *const net[2], struct diag *d)
{
	struct cgm_hub *h = arena_new(a, struct cgm_hub, 1);

	if (!h)
		return fail(d, ERR_NOMEM, "out of memory");
	CHECK(cfg->banks <= CGM_BANKS);
	h->cfg = *cfg;
	cgm_part_init(&h->part, cgm_hub_step, cfg->period);
	h->from_net = net[0];
	h->from_net->to = &h->part;
	if (!cgm_out_init(&h->to_net, a, &h->part, net[1], cfg->room) ||
	    !cgm_tlb_init(&h->tlb, a, cfg->tlb_sets, cfg->tlb_ways, cfg->page))
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < cfg->banks; i++) {
		h->from_bank[i] = bank[i][0];
		h->from_bank[i]->to = &h->part;
		if (!cgm_out_init(&h->to_bank[i], a, &h->part, bank[i][1],
				  cfg->room))
			return fail(d, ERR_NOMEM, "out of memory");
	}
	*out = h;
	return ERR_OK;
}

bool cgm_hub_is_idle(const struct cgm_hub *h)
{
	if (h->walking || !cgm_out_is_empty(&h->to_net) ||
	    !cgm_wire_is_empty(h->from_net))
		return false;
	for (uint32_t i = 0; i < h->cfg.banks; i++)
		if (!cgm_out_is_empty(&h->to_bank[i]) ||
		    !cgm_wire_is_empty(h->from_bank[i]))
			return false;
	return true;
}
