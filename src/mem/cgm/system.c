#include "mem/cgm/system.h"

#include <stdlib.h>

#include "base/fetch.h"
#include "base/minmax.h"
#include "base/team.h"
#include "mem/cgm/agent.h"
#include "mem/cgm/build.h"
#include "mem/cgm/memory.h"

void cgm_system_free(struct cgm_system *s)
{
	if (!s)
		return;
	free(s->hot);
	team_free(s->team);
	cgm_store_free(s->store);
	arena_free(&s->arena);
	free(s);
}

struct cgm_source *cgm_system_source(struct cgm_system *s,
				     enum cgm_port_kind kind, unsigned index)
{
	bool gpu = kind == CGM_PORT_VECTOR || kind == CGM_PORT_SCALAR;
	uint32_t at = gpu ? 2 * (s->cores + index) : 2 * index;

	if (index >= (gpu ? s->cus : s->cores))
		return NULL;
	return &s->source[at +
			  (kind == CGM_PORT_DATA || kind == CGM_PORT_SCALAR)];
}

void cgm_system_wake(struct cgm_system *s, struct cgm_source *source)
{
	source->part.wake = min_u64(source->part.wake,
				    cgm_part_cycle(&source->part, s->now));
	cgm_wheel_wake(&s->wheel, &source->part);
}

void cgm_system_attach(struct cgm_system *s, struct cgm_part *part)
{
	CHECK(s->parts < s->part_room);
	part->alone = s->members == 1;
	s->part[s->parts++] = part;
}

void cgm_system_lead(struct cgm_system *s,
		     void (*before)(void *ctx, cycle_t now, cycle_t to),
		     void *ctx)
{
	s->before = before;
	s->before_ctx = ctx;
}

static void cgm_run_part(struct cgm_system *s, uint32_t i)
{
	if (s->part[i]->wake < s->to)
		cgm_part_run(s->part[i], s->to);
}

/* What elements need in each cycle are their first members, so many bytes. */
enum { CGM_HOT = 384 };

/* The part that runs next, the first of a set, comes into the host's cache. */
static void cgm_fetch_next(const struct cgm_system *s, uint32_t k, uint64_t set)
{
	if (set)
		fetch_soon(s->part[64 * k + (uint32_t)__builtin_ctzll(set)],
			   CGM_HOT);
}

/* Simulates a member's share of the window. */
static void cgm_run_member(void *ctx, unsigned member)
{
	struct cgm_system *s = ctx;

	for (uint32_t k = 0; k < s->wheel.words; k++)
		for (uint64_t m = s->wheel.due[k]; m; m &= m - 1) {
			uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(m);

			cgm_fetch_next(s, k, m & (m - 1));
			if (i % s->members == member)
				cgm_run_part(s, i);
		}
	for (uint32_t i = s->own + member; i < s->parts; i += s->members)
		cgm_run_part(s, i);
}

/* Simulates the window on one thread. */
static void cgm_run_alone(struct cgm_system *s)
{
	for (uint32_t k = 0; k < s->wheel.words; k++)
		for (uint64_t m = s->wheel.due[k]; m; m &= m - 1) {
			uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(m);

			cgm_fetch_next(s, k, m & (m - 1));
			cgm_run_part(s, i);
			cgm_wheel_add(&s->wheel, i);
		}
	for (uint32_t i = s->own; i < s->parts; i++)
		cgm_run_part(s, i);
}

static void cgm_run_window(struct cgm_system *s)
{
	if (s->members == 1) {
		cgm_run_alone(s);
		return;
	}
	team_do(s->team, cgm_run_member, s);
	cgm_wheel_end(&s->wheel);
}

/* When the next part wakes, what was sent to it included. */
static cycle_t cgm_next_wake(struct cgm_system *s)
{
	cycle_t next = cgm_wheel_next(&s->wheel);

	for (uint32_t i = s->own; i < s->parts; i++)
		next = min_u64(next, cgm_part_take_mail(s->part[i]));
	return next;
}

enum err cgm_system_run(struct cgm_system *s, cycle_t until, struct diag *d)
{
	cycle_t next;

	while (next = cgm_next_wake(s), next < until) {
		if (s->options.stop && s->options.stop())
			return fail(d, ERR_IO, "interrupted");
		s->now = next;
		s->to = min_u64(next + s->window, until);
		if (s->before)
			s->before(s->before_ctx, s->now, s->to);
		cgm_wheel_begin(&s->wheel, s->now, s->to);
		cgm_run_window(s);
		if (s->memory->lost)
			return fail(d, ERR_NOMEM, "out of memory");
	}
	if (until != CYCLE_NEVER)
		s->now = until;
	return ERR_OK;
}

cycle_t cgm_system_now(const struct cgm_system *s)
{
	return s->now;
}

cycle_t cgm_system_end(const struct cgm_system *s)
{
	return max_u64(s->now, s->to);
}

bool cgm_system_is_idle(const struct cgm_system *s)
{
	for (uint32_t i = 0; i < s->wires; i++)
		if (!cgm_wire_is_empty(s->wire[i]))
			return false;
	for (uint32_t i = 0; i < s->l1s; i++)
		if (!cgm_l1_is_idle(s->l1[i]))
			return false;
	for (uint32_t i = 0; i < s->caches; i++)
		if (!cgm_cache_is_idle(s->cache[i]))
			return false;
	for (uint32_t i = 0; i < s->slices; i++)
		if (!cgm_slice_is_idle(s->slice[i]))
			return false;
	return (!s->hub || cgm_hub_is_idle(s->hub)) &&
	       cgm_agent_is_idle(s->agent) && cgm_memory_is_idle(s->memory);
}

uint64_t cgm_system_khz(const struct cgm_system *s)
{
	return s->khz;
}

cycle_t cgm_system_cycle(const struct cgm_system *s)
{
	return s->mem_period;
}

unsigned cgm_system_threads(const struct cgm_system *s)
{
	return s->members;
}

cycle_t cgm_system_window(const struct cgm_system *s)
{
	return s->window;
}

static void cgm_stats_l1(const struct cgm_system *s, struct cgm_stats *out)
{
	static const enum cgm_stat_instance cpu[] = { CGM_STATS_l1i,
						      CGM_STATS_l1d };
	static const enum cgm_stat_instance gpu[] = { CGM_STATS_vector,
						      CGM_STATS_scalar };

	for (uint32_t i = 0; i < s->l1s; i++) {
		struct cgm_stat_l1 st = s->l1[i]->st;
		bool is_gpu = i >= 2 * s->cores;

		st.stalls += cgm_part_rested(&s->l1[i]->part, s->now);
		st.tlb_hits = s->l1[i]->tlb.hits;
		st.tlb_misses = s->l1[i]->tlb.misses;
		cgm_stats_add(out, is_gpu ? gpu[i % 2] : cpu[i % 2], &st);
		cgm_stats_add(out, is_gpu ? CGM_STATS_gpu : CGM_STATS_cpu,
			      &s->source[i].st);
	}
}

static void cgm_stats_net(const struct cgm_system *s, struct cgm_stats *out)
{
	for (uint32_t i = 0; i < s->switches; i++) {
		const struct cgm_switch *x = s->crossbar[i];
		struct cgm_stat_net st = x->st;

		st.blocked += cgm_part_rested(&x->part, s->now) * x->blocked;
		cgm_stats_add(out, CGM_STATS_net, &st);
	}
	for (uint32_t i = 0; i < s->links; i++) {
		const struct cgm_wire *w = s->wire[i];
		struct cgm_stat_net st = {
			.links = 1,
			.requests = cgm_wire_messages(w, CGM_LANE_REQUEST),
			.coherence = cgm_wire_messages(w, CGM_LANE_COHERENCE),
			.replies = cgm_wire_messages(w, CGM_LANE_REPLY),
			.bytes = w->bytes,
			.busy_ticks = w->busy,
			.busiest = w->busy,
		};

		for (unsigned k = 0; k < CGM_LANES; k++)
			st.buffer_peak =
				max_u64(st.buffer_peak, w->lane[k].peak);
		cgm_stats_add(out, CGM_STATS_net, &st);
	}
}

static void cgm_stats_memory(const struct cgm_system *s, struct cgm_stats *out)
{
	struct cgm_stat_memory st = s->memory->st;

	for (uint32_t i = 0; i < s->memory->cfg.channels; i++) {
		const struct dram_stats *d = dram_stats(s->memory->dram[i]);

		st.row_hits += d->row_hits;
		st.row_misses += d->row_misses;
		st.row_conflicts += d->row_conflicts;
		st.bus_clocks += d->bus_clocks;
		st.refreshes += d->refreshes;
	}
	cgm_stats_add(out, CGM_STATS_memory, &st);
}

void cgm_system_stats(const struct cgm_system *s, struct cgm_stats *out)
{
	*out = (struct cgm_stats){ 0 };
	cgm_stats_l1(s, out);
	for (uint32_t i = 0; i < s->caches; i++) {
		struct cgm_stat_cache st = cgm_cache_stats(s->cache[i], s->now);

		cgm_stats_add(out,
			      i < s->cores ? CGM_STATS_l2 : CGM_STATS_gpu_l2,
			      &st);
	}
	for (uint32_t i = 0; i < s->slices; i++) {
		struct cgm_stat_slice st = s->slice[i]->st;

		st.stalls += cgm_part_rested(&s->slice[i]->part, s->now) *
			     s->slice[i]->stalled;
		cgm_stats_add(out, CGM_STATS_l3, &st);
	}
	cgm_stats_net(s, out);
	if (s->hub) {
		struct cgm_stat_hub st = s->hub->st;

		st.tlb_hits = s->hub->tlb.hits;
		st.tlb_misses = s->hub->tlb.misses;
		cgm_stats_add(out, CGM_STATS_hub, &st);
	}
	cgm_stats_memory(s, out);
}

enum err cgm_system_watch_blocks(struct cgm_system *s, struct diag *d)
{
	s->hot = calloc(s->slices, sizeof(*s->hot));
	if (!s->hot)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < s->slices; i++)
		s->slice[i]->hot = &s->hot[i];
	return ERR_OK;
}

/* Whether a block comes before another in the order of hot ones. */
static bool cgm_is_hotter(const struct cgm_hot_block *a,
			  const struct cgm_hot_block *b)
{
	return a->count != b->count ? a->count > b->count : a->block < b->block;
}

bool cgm_system_hot_block(const struct cgm_system *s, unsigned n,
			  struct cgm_hot_block *out)
{
	const struct cgm_hot_block *last = NULL, *best = NULL;

	for (unsigned k = 0; k <= n; k++, last = best) {
		best = NULL;
		for (uint32_t i = 0; s->hot && i < s->slices; i++)
			for (unsigned m = 0; m < CGM_HOT_BLOCKS; m++) {
				const struct cgm_hot_block *b =
					&s->hot[i].at[m];

				if (b->count &&
				    (!last || cgm_is_hotter(last, b)) &&
				    (!best || cgm_is_hotter(b, best)))
					best = b;
			}
		if (!best)
			return false;
	}
	*out = *best;
	return true;
}

unsigned cgm_system_links(const struct cgm_system *s)
{
	return s->wires;
}

void cgm_system_link(const struct cgm_system *s, unsigned n,
		     struct cgm_link *out)
{
	const struct cgm_wire *w = s->wire[n];

	*out = (struct cgm_link){ .name = w->name,
				  .bytes = w->bytes,
				  .busy = w->busy / max_u64(w->cfg.burst, 1),
				  .waited = w->waited,
				  .held = w->held,
				  .room = w->cfg.room,
				  .ring = n < s->links };
	for (unsigned i = 0; i < CGM_MESSAGES; i++)
		out->messages += w->messages[i];
	for (unsigned i = 0; i < CGM_LANES; i++)
		out->peak = max_u64(out->peak, w->lane[i].peak);
}

void cgm_system_messages(const struct cgm_system *s,
			 uint64_t count[CGM_MESSAGES])
{
	for (unsigned k = 0; k < CGM_MESSAGES; k++)
		count[k] = 0;
	for (uint32_t i = 0; i < s->wires; i++)
		for (unsigned k = 0; s->wire[i]->source && k < CGM_MESSAGES;
		     k++)
			count[k] += s->wire[i]->messages[k];
}

uint64_t cgm_system_bytes(const struct cgm_system *s)
{
	return s->arena.used + cgm_store_bytes(s->store);
}

void cgm_system_peek(const struct cgm_system *s, uint64_t block, uint8_t *data)
{
	cgm_store_read(s->store, block, data);
}

bool cgm_system_poke(struct cgm_system *s, uint64_t block, const uint8_t *data)
{
	return cgm_store_write(s->store, block, data, UINT64_MAX);
}
