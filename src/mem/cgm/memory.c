#include "mem/cgm/memory.h"

#include <string.h>

#include "base/minmax.h"

static struct dram_request cgm_memory_place(const struct cgm_memory *m,
					    uint64_t block, uint32_t *channel)
{
	const struct dram_config *c = dram_config(m->dram[0]);
	uint64_t at = block / m->cfg.channels * CGM_BLOCK;
	uint64_t row = at / c->row_bytes;

	*channel = (uint32_t)(block % m->cfg.channels);
	return (struct dram_request){
		.column = (uint32_t)(at % c->row_bytes),
		.bank = (uint32_t)(row % c->banks),
		.row = row / c->banks,
		.bytes = CGM_BLOCK,
	};
}

static bool cgm_memory_writes(const struct cgm_packet *p)
{
	return p->kind == CGM_MC_PUT || p->kind == CGM_MC_STORE ||
	       p->kind == CGM_NC_PUT;
}

/* The answer, without its data. */
static void cgm_memory_answer(const struct cgm_memory *m,
			      const struct cgm_packet *p,
			      struct cgm_packet *answer)
{
	cgm_packet_copy(answer, p);
	answer->to = p->requester;
	answer->from = m->cfg.self;
	if (p->kind == CGM_MC_PUT) /* The data of a put needs none. */
		return;
	if (cgm_memory_writes(p))
		answer->kind = p->kind == CGM_NC_PUT ? CGM_NC_ACK : CGM_MC_ACK;
	else
		answer->kind = p->kind == CGM_MC_LOAD ? CGM_MC_DATA :
							CGM_NC_DATA;
}

/* Reads or writes the data now. */
static void cgm_memory_perform(struct cgm_memory *m, const struct cgm_packet *p,
			       struct cgm_packet *answer)
{
	uint8_t block[CGM_BLOCK];

	if (cgm_memory_writes(p)) {
		m->lost |=
			!cgm_store_write(m->store, p->block, p->data, p->mask);
		return;
	}
	cgm_store_read(m->store, p->block, block);
	if (p->kind == CGM_NC_ATOMIC) {
		cgm_perform(block, answer);
		m->lost |=
			!cgm_store_write(m->store, p->block, block, UINT64_MAX);
	} else {
		memcpy(answer->data, block, CGM_BLOCK);
	}
}

/* All that is in flight can be answered, and one more: answers wait until the
 * network takes them. */
static bool cgm_memory_has_room(const struct cgm_memory *m)
{
	return cgm_out_room(&m->to_net, CGM_LANE_REPLY) > m->in_flight;
}

/* A flush of a GPU that is connected here: there is nothing to take back. */
static bool cgm_memory_flush(struct cgm_memory *m, const struct cgm_packet *p,
			     cycle_t now)
{
	struct cgm_packet out;

	if (!cgm_memory_has_room(m))
		return false;
	cgm_packet_copy(&out, p);
	out.kind = CGM_FLUSHED;
	out.to = p->requester;
	out.from = m->cfg.self;
	cgm_out_push(&m->to_net, now + m->cfg.latency * m->cfg.period, &out);
	return true;
}

/* Starts a request; false: it has to wait. */
static bool cgm_memory_start(struct cgm_memory *m, const struct cgm_packet *p,
			     cycle_t now)
{
	struct dram_request r;
	uint32_t channel, tag = 0;

	if (p->kind == CGM_FLUSH)
		return cgm_memory_flush(m, p, now);
	r = cgm_memory_place(m, p->block, &channel);
	r.write = cgm_memory_writes(p);
	if (m->in_flight == m->cfg.queue || !cgm_memory_has_room(m) ||
	    !dram_can_accept(m->dram[channel], r.write)) {
		m->st.stalls++;
		return false;
	}
	while (m->used[tag])
		tag++;
	r.tag = tag;
	m->used[tag] = true;
	m->since[tag] = now;
	if (++m->in_flight > m->st.queue_peak)
		m->st.queue_peak = m->in_flight;
	CHECK(dram_push(m->dram[channel], now, &r));
	cgm_memory_answer(m, p, cgm_packets_at(&m->answer, tag));
	if (!p->bare)
		cgm_memory_perform(m, p, cgm_packets_at(&m->answer, tag));
	m->st.reads += !r.write;
	m->st.writes += r.write;
	return true;
}

static void cgm_memory_done(struct cgm_memory *m, cycle_t now,
			    const struct dram_done *done)
{
	const struct cgm_packet *p = cgm_packets_at(&m->answer, done->tag);
	cycle_t took = now - m->since[done->tag];

	m->used[done->tag] = false;
	m->in_flight--;
	m->st.wait += took;
	if (took > m->st.wait_peak)
		m->st.wait_peak = took;
	if (p->kind != CGM_MC_PUT)
		cgm_out_push(&m->to_net, now + m->cfg.latency * m->cfg.period,
			     p);
}

static cycle_t cgm_memory_drams(struct cgm_memory *m, cycle_t now)
{
	cycle_t next = CYCLE_NEVER;

	for (uint32_t i = 0; i < m->cfg.channels; i++) {
		struct dram_done done;

		if (dram_advance(m->dram[i], now))
			while (dram_take(m->dram[i], &done))
				cgm_memory_done(m, now, &done);
	}
	if (m->in_flight)
		for (uint32_t i = 0; i < m->cfg.channels; i++)
			next = min_u64(next, dram_next_event(m->dram[i]));
	return next;
}

static cycle_t cgm_memory_step(struct cgm_part *part, cycle_t now)
{
	static const enum cgm_lane lanes[] = { CGM_LANE_COHERENCE,
					       CGM_LANE_REQUEST };
	struct cgm_memory *m = (struct cgm_memory *)part;
	cycle_t next;

	cgm_memory_drams(m, now);
	for (unsigned i = 0; i < 2; i++) {
		const struct cgm_packet *p =
			cgm_wire_peek(m->from_net, lanes[i], now);

		if (!p || !cgm_memory_start(m, p, now))
			continue;
		cgm_wire_pop(m->from_net, lanes[i], now);
		break;
	}
	next = cgm_memory_drams(m, now);
	next = min_u64(next, cgm_out_drain(&m->to_net, now));
	next = min_u64(next, cgm_wire_next(m->from_net));
	return max_u64(next, now + 1);
}

enum err cgm_memory_new(struct cgm_memory **out, struct arena *a,
			const struct cgm_memory_config *cfg,
			struct cgm_store *store, struct cgm_wire *const net[2],
			struct diag *d)
{
	struct cgm_memory *m = arena_new(a, struct cgm_memory, 1);

	if (!m)
		return fail(d, ERR_NOMEM, "out of memory");
	CHECK(cfg->channels <= CGM_CHANNELS);
	m->cfg = *cfg;
	m->store = store;
	cgm_part_init(&m->part, cgm_memory_step, cfg->period);
	m->from_net = net[0];
	m->from_net->to = &m->part;
	m->used = arena_new(a, bool, cfg->queue);
	m->since = arena_new(a, cycle_t, cfg->queue);
	if (!m->used || !m->since ||
	    !cgm_packets_init(&m->answer, a, cfg->queue, net[0]->cfg.bare) ||
	    !cgm_out_init(&m->to_net, a, &m->part, net[1], 2 * cfg->queue + 8))
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < cfg->channels; i++)
		if (dram_new(&m->dram[i], a, &cfg->dram, i ? m->dram[0] : NULL,
			     d))
			return d->code;
	*out = m;
	return ERR_OK;
}

bool cgm_memory_is_idle(const struct cgm_memory *m)
{
	return !m->in_flight && cgm_out_is_empty(&m->to_net) &&
	       cgm_wire_is_empty(m->from_net);
}
