/*
 * Builds the machine from its configuration.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "gpu/machine.h"
#include "sm/lsu.h"

/* The state of a large GPU is tens of megabytes: large pieces get huge
 * pages. */
enum { ARENA_PIECE = 16 << 20 };

cycle_t gpu_default_epoch(const struct cfg *c)
{
	cycle_t request = (cycle_t)c->net.request_latency;
	cycle_t reply = (cycle_t)c->net.reply_latency;
	cycle_t block = (cycle_t)c->dispatch.block_latency;

	return min_u64(request, block) +
	       min_u64(min_u64(request, reply), block);
}

/* Sets how far partitions may advance without hearing from the other side, and
 * how long stores stay invisible to other SMs: an atomic must be performed
 * before its answer arrives. Credits take as long as requests. */
static enum err choose_windows(struct gpu *g, struct diag *d)
{
	const struct cfg *c = &g->cfg;

	g->lead = min_u64((cycle_t)c->net.request_latency,
			  (cycle_t)c->dispatch.block_latency);
	g->lookahead = gpu_default_epoch(c);
	g->epoch = c->mem.epoch ? (cycle_t)c->mem.epoch : g->lookahead;
	if (g->epoch > g->lookahead)
		return fail(
			d, ERR_RANGE,
			"mem.epoch = %" PRId64 ": at most %" PRIu64
			", the time of a request and an answer (the minimum "
			"of net.request_latency, net.reply_latency and "
			"dispatch.block_latency for each)",
			c->mem.epoch, g->lookahead);
	return ERR_OK;
}

/* What will be in the places of SMs; later g->cu says it. */
static bool has_units(const struct gpu *g)
{
	return g->cfg.gpu.core == CFG_CORE_CU;
}

/* The maximum time from the start of a window to the arrival of a message that
 * is sent in it. */
static cycle_t message_horizon(const struct gpu *g)
{
	const struct cfg *c = &g->cfg;

	return g->lookahead +
	       max_u64(max_u64(has_units(g) ? cu_horizon(c) : lsu_horizon(c),
			       mem_partition_horizon(c)),
		       (cycle_t)c->dispatch.block_latency);
}

static enum err gpu_alloc_tables(struct gpu *g, struct diag *d)
{
	struct arena *a = &g->arena;

	if (has_units(g))
		g->cu = arena_new(a, struct cu_cluster *, g->sms);
	else
		g->sm = arena_new(a, struct sm *, g->sms);
	g->views = arena_new(a, struct view *, g->sms);
	g->mem = arena_new(a, struct mem_partition *, g->mems);
	g->partition = arena_new(a, struct gpu_partition, g->partitions);
	g->next = arena_new(a, cycle_t, g->partitions);
	g->awake = arena_new(a, bitmap_word, bitmap_words(g->partitions));
	g->changed = arena_new(a, bitmap_word, bitmap_words(g->partitions));
	g->merged = arena_new(a, bitmap_word, bitmap_words(g->partitions));
	g->touched = arena_new(a, bitmap_word, bitmap_words(g->partitions));
	g->regions = arena_new(a, bitmap_word, bitmap_words(TLB_REGIONS));
	g->due = arena_new(a, uint32_t, g->partitions);
	g->merge.mems = arena_new(a, uint32_t, g->mems);
	g->merge.views = arena_new(a, struct view *, g->sms);
	g->merge.calls = arena_room(a, const struct service_call *,
				    2 * (size_t)g->sms * VIEW_WARPS);
	g->logs = arena_new(a, struct event_log, g->sms);
	if (!g->logs || (!g->sm && !g->cu) || !g->views || !g->mem ||
	    !g->partition || !g->next || !g->awake || !g->changed ||
	    !g->merged || !g->touched || !g->regions || !g->due ||
	    !g->merge.mems || !g->merge.views || !g->merge.calls)
		return fail(d, ERR_NOMEM, "out of memory");
	return gpu_calls_init(&g->calls, a, g->sms * VIEW_WARPS, d);
}

static enum err gpu_build_wires(struct gpu *g, struct diag *d)
{
	const struct cfg *c = &g->cfg;
	struct wire_room *room = calloc(g->partitions, sizeof(*room));
	struct wire_room sm = g->cu ? cu_room(c, &g->shape, g->lookahead) :
				      sm_room(c, &g->shape, g->lookahead);
	struct wire_room mem =
		mem_partition_room(c, &g->shape, g->sms, g->lookahead);
	enum err e;

	if (!room)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < g->sms; i++)
		room[i] = sm;
	for (uint32_t i = 0; i < g->mems; i++)
		room[g->sms + i] = mem;
	room[g->partitions - 1] = dispatch_room(c, g->sms, g->lookahead);
	e = wires_new(&g->wires, &g->arena, g->partitions, room,
		      message_horizon(g), d);
	free(room);
	for (uint32_t i = 0; !e && i < g->partitions; i++)
		wire_open(g->wires, i, gpu_box_of(g, i));
	return e;
}

static enum err gpu_alloc_merge(struct gpu *g, struct diag *d)
{
	size_t room = 0;

	for (uint32_t i = 0; i < g->sms; i++)
		room += g->views[i]->room;
	g->merge.scratch =
		arena_room(&g->arena, const struct view_entry *, room + 1);
	return g->merge.scratch ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* Called by the thread that simulates the SM. */
static void keep_event(void *ctx, const struct sm_event *e)
{
	struct gpu *g = ctx;
	struct event_log *l = &g->logs[e->sm / cfg_units(&g->cfg)];

	if (l->count == l->room) {
		size_t room = 2 * l->room + 64;
		struct sm_event *more = realloc(l->event, room * sizeof(*more));

		if (!more) { /* no timeline is better than one with gaps */
			atomic_store(&g->grids[0].launch->machine->stop, true);
			return;
		}
		l->event = more;
		l->room = room;
	}
	l->event[l->count++] = *e;
}

/*
 * SMs, or clusters of compute units, then memory partitions, then the
 * dispatcher: each gets its own number on the wires and the number of the first
 * partition of the other kinds.
 */
static enum err gpu_build_partitions(struct gpu *g, struct diag *d)
{
	struct sm_env sm = { .cfg = &g->cfg,
			     .shape = &g->shape,
			     .wires = g->wires,
			     .first_partition = g->sms,
			     .dispatcher = g->partitions - 1,
			     .phases = &g->phases,
			     .regions = g->regions,
			     .epoch = g->epoch,
			     .outside = g->outside != NULL,
			     .fences = g->outside && g->outside->fences,
			     .event = g->events ? keep_event : NULL,
			     .event_ctx = g };
	struct mem_partition_env mem = { .cfg = &g->cfg,
					 .shape = &g->shape,
					 .wires = g->wires,
					 .sms = g->sms,
					 .views = g->views,
					 .outside = g->outside };
	struct dispatch_env dispatch = { .cfg = &g->cfg,
					 .wires = g->wires,
					 .self = g->partitions - 1,
					 .sms = g->sms,
					 .phases = &g->phases };

	for (uint32_t i = 0; i < g->sms; i++) {
		sm.self = i;
		if (g->cu ? cu_new(&g->cu[i], &g->arena, &sm, d) :
			    sm_new(&g->sm[i], &g->arena, &sm, d))
			return d->code;
		g->views[i] = CORE_OF(g, i, view);
	}
	for (uint32_t i = 0; i < g->mems; i++) {
		mem.index = i;
		mem.self = g->sms + i;
		mem.first = i ? g->mem[0] : NULL;
		if (mem_partition_new(&g->mem[i], &g->arena, &mem, d))
			return d->code;
	}
	if (dispatch_new(&g->dispatch, &g->arena, &dispatch, d))
		return d->code;
	return gpu_alloc_merge(g, d);
}

enum err gpu_new(struct gpu **out, const struct cfg *cfg, bool events,
		 struct diag *d)
{
	return gpu_new_on(out, cfg, events, NULL, d);
}

enum err gpu_new_on(struct gpu **out, const struct cfg *cfg, bool events,
		    const struct mem_outside *outside, struct diag *d)
{
	struct gpu *g;
	enum err e = cfg_check(cfg, d);

	if (e)
		return e;
	g = calloc(1, sizeof(*g));
	if (!g)
		return fail(d, ERR_NOMEM, "out of memory");
	g->cfg = *cfg;
	g->events = events;
	g->outside = outside;
	g->arena.piece = ARENA_PIECE;
	e = mem_shape_init(&g->shape, &g->cfg, d);
	if (!e) {
		g->sms = (uint32_t)cfg->sm.count / cfg_units(cfg);
		g->mems = g->shape.partitions;
		g->partitions = g->sms + g->mems + 1;
		e = choose_windows(g, d);
	}
	if (!e)
		e = gpu_alloc_tables(g, d);
	if (!e)
		e = gpu_build_wires(g, d);
	if (!e)
		e = gpu_build_partitions(g, d);
	if (e) {
		gpu_free(g);
		return e;
	}
	arena_seal(&g->arena);
	for (uint32_t i = 0; i < g->partitions; i++)
		gpu_set_next(g, i, CYCLE_NEVER);
	*out = g;
	return ERR_OK;
}

void gpu_free(struct gpu *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; g->sm && i < g->sms; i++)
		if (g->sm[i])
			sm_free(g->sm[i]);
	for (uint32_t i = 0; g->cu && i < g->sms; i++)
		if (g->cu[i])
			cu_free(g->cu[i]);
	for (uint32_t i = 0; g->logs && i < g->sms; i++)
		free(g->logs[i].event);
	gpu_free_pool(g, 0);
	free(g->part_counts);
	free(g->far);
	arena_free(&g->arena);
	free(g);
}

const struct cfg *gpu_cfg(const struct gpu *g)
{
	return &g->cfg;
}

struct view *const *gpu_views(const struct gpu *g)
{
	return g->views;
}
