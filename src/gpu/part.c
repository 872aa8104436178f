#include "gpu/part.h"

#include "base/minmax.h"
#include "gpu/machine.h"

uint32_t gpu_parts(const struct gpu *g)
{
	return g->parts;
}

cycle_t gpu_lookahead(const struct gpu *g)
{
	return g->lookahead;
}

cycle_t gpu_now(const struct gpu *g)
{
	return g->now;
}

static cycle_t epoch_end(const struct gpu *g, cycle_t at)
{
	return (at / g->epoch + 1) * g->epoch;
}

cycle_t gpu_window_end(const struct gpu *g, cycle_t from, cycle_t length)
{
	cycle_t end =
		least(from + least(length, g->lookahead), epoch_end(g, from));

	if (g->options.interval)
		end = least(end, g->sampled + g->options.interval);
	if (g->options.max_cycles)
		end = least(end, g->now + g->options.max_cycles);
	return end > from ? end : from + 1;
}

static cycle_t simulate(struct gpu *g, uint32_t part, cycle_t from, cycle_t to)
{
	struct gpu_part *p = &g->part[part];
	cycle_t next;

	if (part < g->sms) {
		next = sm_advance(g->sm[part], from, to);
		p->changed = g->views[part]->count > 0;
	} else if (part < g->parts - 1) {
		struct mempart *m = g->mem[part - g->sms];

		next = mempart_advance(m, from, to);
		p->changed = mempart_has_atomics(m);
	} else {
		next = dispatch_advance(g->dispatch, from, to);
	}
	return next;
}

/* Windows shorter than this are not worth it. */
enum { LONG_WINDOW = 16 };

/* While a partition is simulated, what the next ones need is on its way. */
static void gpu_prefetch(const struct gpu *g, uint32_t part)
{
	if (part + 2 < g->sms)
		sm_prefetch(g->sm[part + 2]);
	else if (part + 2 < g->parts - 1)
		mempart_prefetch(g->mem[part + 2 - g->sms]);
	if (part + 1 < g->sms)
		sm_prefetch_warps(g->sm[part + 1]);
	else if (part + 1 < g->parts - 1)
		mempart_prefetch_more(g->mem[part + 1 - g->sms]);
}

/*
 * A partition that sleeps through the window costs a look at its own line. Its
 * mail must be fetched all the same, and an outbox that it left two windows ago
 * must be emptied before anybody fetches from it again.
 */
cycle_t gpu_advance(struct gpu *g, uint32_t part, cycle_t from, cycle_t to)
{
	struct gpu_part *p = &g->part[part];
	unsigned parity = g->parity;
	cycle_t sent;

	if (g->mail || p->sent[parity] || p->next < to) {
		p->next = least(p->next, wire_open(g->wires, part, parity));
		p->sent[parity] = false;
	}
	if (p->next >= to)
		return p->next;
	if (to - from >= LONG_WINDOW)
		gpu_prefetch(g, part);
	p->next = simulate(g, part, from, to);
	sent = wire_sent(g->wires, part);
	p->sent[parity] = sent != CYCLE_NEVER;
	return least(p->next, sent);
}

/* What there is to merge, listed so that idle SMs cost nothing. */
static void list_changes(struct gpu *g)
{
	struct gpu_merge *m = &g->merge;
	uint64_t filled = 0;

	m->mem_count = m->view_count = m->bucket_count = 0;
	atomic_store_explicit(&m->used, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < g->sms; i++)
		if (g->part[i].changed) {
			m->views[m->view_count++] = g->views[i];
			filled |= g->views[i]->filled;
			g->part[i].changed = false;
		}
	for (uint32_t i = 0; i < g->mems; i++)
		if (g->part[g->sms + i].changed) {
			m->mems[m->mem_count++] = i;
			g->part[g->sms + i].changed = false;
		}
	for (; filled; filled &= filled - 1)
		m->buckets[m->bucket_count++] =
			(uint8_t)__builtin_ctzll(filled);
}

bool gpu_must_merge(struct gpu *g, cycle_t from, cycle_t to, cycle_t next)
{
	cycle_t end = epoch_end(g, from);

	if (to < end && next < end)
		return false;
	g->merge.epoch = end - g->epoch;
	list_changes(g);
	return g->merge.view_count || g->merge.mem_count;
}

uint32_t gpu_merge_shares(const struct gpu *g, unsigned phase)
{
	switch (phase) {
	case 0:
		return g->merge.mem_count;
	case 1:
		return g->merge.bucket_count;
	default:
		return g->merge.view_count;
	}
}

static size_t count_entries(const struct gpu_merge *m, unsigned bucket)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->view_count; i++) {
		const struct view *v = m->views[i];

		if (v->filled >> bucket & 1)
			for (uint32_t e = v->head[bucket]; e != VIEW_NONE;
			     e = v->log[e].newer)
				n++;
	}
	return n;
}

void gpu_merge(struct gpu *g, unsigned phase, uint32_t share)
{
	struct gpu_merge *m = &g->merge;
	unsigned bucket;
	size_t at;

	switch (phase) {
	case 0:
		mempart_perform(g->mem[m->mems[share]]);
		break;
	case 1:
		bucket = m->buckets[share];
		at = atomic_fetch_add_explicit(&m->used,
					       count_entries(m, bucket),
					       memory_order_relaxed);
		view_apply(m->views, m->view_count, bucket, m->epoch, g->epoch,
			   m->scratch + at);
		break;
	default:
		view_clear(m->views[share]);
		break;
	}
}
