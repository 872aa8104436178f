/*
 * The life of a run: its grids are attached to the SMs, samples are taken while
 * the engine advances the partitions, and its statistics are summed up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/pages.h"
#include "base/team.h"
#include "gpu/machine.h"

static const double PROGRESS_SECONDS = 0.1;

bool gpu_broken(const struct gpu *g)
{
	return g->broken;
}

/* A memory partition picks its own chunks of what was copied. */
static void place_in_partition(void *ctx, uint32_t mem)
{
	struct gpu *g = ctx;

	for (uint32_t i = 0; i < g->copy_count; i++) {
		uint64_t first = g->copies[i].from / CHUNK_BYTES;
		uint64_t end = (g->copies[i].to - 1) / CHUNK_BYTES + 1;

		mem_partition_host_copy(g->mem[mem], first, end - first);
	}
}

/* Puts what was copied into the L2. */
static void place_copies(struct gpu *g, struct team *team)
{
	if (g->copy_count)
		team_each(team, g->mems, place_in_partition, g);
	g->copy_count = 0;
}

/* Code of programs and descriptions of launches: beyond their memory. Programs
 * that are loaded at the same time have their code at the same place. */
#define CODE_SPACE (UINT64_C(1) << 56)
#define DESCRIPTION_SPACE (UINT64_C(3) << 55)

static void gpu_preload(struct gpu *g, uint32_t grid, uint64_t address,
			uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes; at += CHUNK_BYTES) {
		uint64_t chunk = (address + at) / CHUNK_BYTES;
		uint32_t mem = mem_partition_of(&g->shape, chunk);

		mem_partition_preload(g->mem[mem], grid, chunk);
		gpu_mark(g, g->touched, g->sms + mem, true);
	}
}

/* Where the code of a grid's kernel begins. */
static uint64_t kernel_code_address(const struct gpu *g,
				    const struct gpu_grid *grid)
{
	const struct timed_program *t = grid->timed;
	uint64_t at = CODE_SPACE;

	for (uint32_t f = 0; f < t->func_count; f++) {
		const struct code *c = t->func[f].code;

		if (c == grid->launch->kernel)
			return at;
		if (t->func[f].inst)
			at = round_up(
				at + c->func->inst_count *
						(uint64_t)g->cfg.front.inst,
				CHUNK_BYTES);
	}
	return at;
}

/* Reads what a launch needs before its first block can start. */
static void preload_launch(struct gpu *g, uint32_t i)
{
	const struct gpu_grid *grid = &g->grids[i];
	uint64_t code = grid->launch->kernel->func->inst_count *
			(uint64_t)g->cfg.front.inst;

	if (g->mems)
		mem_partition_spread(g->mem, g->mems,
				     launch_blocks(grid->launch));
	code = min_u64(code, (uint64_t)g->cfg.front.launch_prefetch);
	if (code)
		gpu_preload(g, i, kernel_code_address(g, grid), code);
	gpu_preload(g, i, DESCRIPTION_SPACE,
		    (uint64_t)g->cfg.dispatch.launch_bytes);
}

void gpu_host_copy(struct gpu *g, uint64_t address, uint64_t bytes)
{
	uint64_t max = (uint64_t)g->cfg.l2.bytes;
	struct gpu_copy *last = &g->copies[g->copy_count];

	if (!bytes)
		return;
	g->host_bytes += bytes;
	tlb_learn(g->regions, &g->cfg, address, bytes);
	if (!g->cfg.l2.host_copies)
		return;
	/* Anything before has been evicted again. */
	if (bytes > max) {
		address += bytes - max;
		bytes = max;
	}
	/* A copy that continues the last one extends it: of many in a row, only
	 * the end need be placed. */
	if (g->copy_count && last[-1].to == address) {
		last[-1].to += bytes;
		return;
	}
	*last = (struct gpu_copy){ address, address + bytes };
	if (++g->copy_count == GPU_COPIES)
		place_copies(g, NULL);
}

enum err gpu_set_far(struct gpu *g, const struct mem_far *far, uint32_t n,
		     struct diag *d)
{
	struct mem_far *copy = NULL;

	if (!g->cfg.host.access_latency || g->outside ||
	    g->cfg.mem.kind == CFG_MEM_LATENCY)
		n = 0;
	if (n) {
		copy = malloc(n * sizeof(*copy));
		if (!copy)
			return fail(d, ERR_NOMEM, "out of memory");
		memcpy(copy, far, n * sizeof(*copy));
	}
	free(g->far);
	g->far = copy;
	g->shape.far = copy;
	g->shape.fars = n;
	return ERR_OK;
}

void gpu_inherit(struct gpu *g, const struct gpu *from)
{
	g->host_bytes = from->host_bytes;
	gpu_calls_inherit(&g->calls, &from->calls);
	for (uint32_t i = 0; i < bitmap_words(TLB_REGIONS); i++)
		bitmap_add(g->regions, i, bitmap_word_at(from->regions, i));
}

static enum err sm_occupancy(struct occupancy *out, uint32_t *used,
			     const struct cfg *cfg,
			     const struct timed_program *timed,
			     const struct launch *l, uint32_t registers,
			     struct diag *d)
{
	const struct function *f = l->kernel->func;
	struct occupancy_demand need = {
		.threads = l->block[0] * l->block[1] * l->block[2],
		.registers = registers ? registers : timed->registers[f->index],
		.shared = f->shared_used + l->dynamic_shared,
	};
	enum err e;

	if (!registers) {
		if (need.registers > cfg->sm.thread_registers)
			need.registers = (uint32_t)cfg->sm.thread_registers;
		if (f->limits.max_registers &&
		    need.registers > f->limits.max_registers)
			need.registers = f->limits.max_registers;
	}
	/* The number is an estimate: a compiler would spill registers rather
	 * than build a kernel that cannot be launched. */
	while ((e = occupancy_of(out, cfg, &need, d)) && !registers &&
	       need.registers > 16)
		need.registers--;
	*used = need.registers;
	return e;
}

enum err gpu_occupancy(struct occupancy *out, uint32_t *used,
		       const struct cfg *cfg, const struct timed_program *timed,
		       const struct launch *l, uint32_t registers,
		       struct diag *d)
{
	if (cfg->gpu.core == CFG_CORE_CU)
		return cu_occupancy(out, used, cfg, l, d);
	return sm_occupancy(out, used, cfg, timed, l, registers, d);
}

/* The number of places that can get blocks of the grid, if it is the only one;
 * *per_sm: the maximum number of blocks on one of them. Memory for others is
 * not needed. */
static uint32_t places_needed(const struct gpu *g, const struct gpu_grid *grid,
			      uint32_t *per_sm)
{
	uint64_t blocks = grid->launch->block_count;
	uint32_t max = grid->occupancy.blocks * cfg_units(&g->cfg);
	uint32_t sms = g->sms;
	uint64_t share = (blocks + sms - 1) / sms;

	*per_sm = max;
	if (g->grid_count > 1)
		return sms;
	if (g->cfg.dispatch.order == CFG_ORDER_DEPTH) {
		uint64_t full = (blocks + max - 1) / max;

		return full < sms ? (uint32_t)full : sms;
	}
	*per_sm = share < max ? (uint32_t)share : max;
	return blocks < sms ? (uint32_t)blocks : sms;
}

/* Detaches the SM of a place from all grids. */
static void gpu_detach_place(void *ctx, uint32_t place)
{
	struct gpu *g = ctx;

	for (uint32_t i = 0; i < g->grid_count; i++)
		CORE(g, gpu_sm_at(g, place), detach, i);
}

static void gpu_detach_all(struct gpu *g)
{
	team_each(g->options.team, g->places, gpu_detach_place, g);
	for (uint32_t i = 0; i < g->grid_count; i++) {
		g->attached[i] = 0;
		waves_free(&g->waves[i]);
		pages_unmap(g->local[i], g->local_bytes[i]);
		g->local[i] = NULL;
		if (i)
			gpu_free_pool(g, i);
	}
}

void gpu_free_pool(struct gpu *g, uint32_t id)
{
	pages_unmap(g->pool[id], g->pool_bytes[id]);
	g->pool[id] = NULL;
}

/* Provides memory for the blocks of a grid; *used: it is not all zeros. It is
 * kept and reused, since mapping and clearing it takes as long as a small
 * run. */
static enum err gpu_reserve_pool(struct gpu *g, uint32_t id, size_t bytes,
				 bool *used, struct diag *d)
{
	*used = g->pool[id] && g->pool_bytes[id] >= bytes;
	if (*used)
		return ERR_OK;
	gpu_free_pool(g, id);
	g->pool_bytes[id] = bytes;
	g->pool[id] = pages_map(bytes);
	if (!g->pool[id])
		return fail(d, ERR_NOMEM, "no memory for resident blocks");
	return ERR_OK;
}

struct gpu_start {
	struct gpu *g;
	uint32_t first; /* place */
};

static void start_place(void *ctx, uint32_t i)
{
	const struct gpu_start *x = ctx;

	CORE(x->g, gpu_sm_at(x->g, x->first + i), start, x->g->now);
}

/* Starts the SMs of places up to `places`. Those that get no block are not even
 * started: one of them stands for all. */
static void start_places(struct gpu *g, uint32_t places)
{
	struct gpu_start x = { g, g->places };

	if (places <= g->places)
		return;
	team_each(g->options.team, places - g->places, start_place, &x);
	g->places = places;
}

struct gpu_attach {
	struct gpu *g;
	uint32_t id; /* of the grid */
	const struct sm_grid *grid;
	size_t stride, local; /* of an SM's memory in the grid's */
	atomic_bool failed;
};

static void attach_place(void *ctx, uint32_t i)
{
	struct gpu_attach *a = ctx;
	struct gpu *g = a->g;
	struct sm_grid grid = *a->grid;
	struct diag ignored;

	grid.pool = g->pool[a->id] + i * a->stride;
	if (g->local[a->id])
		grid.local = g->local[a->id] + i * a->local;
	if (CORE(g, gpu_sm_at(g, i), attach, a->id, &grid, &ignored))
		atomic_store(&a->failed, true);
}

/* The SMs that get blocks of the grid, if it is the only one. */
static uint32_t grid_sms(const struct gpu *g, const struct gpu_grid *grid)
{
	uint64_t blocks = grid->launch->block_count;

	return blocks < g->sms ? (uint32_t)blocks : g->sms;
}

static enum err gpu_attach_grid(struct gpu *g, uint32_t id, struct diag *d)
{
	struct gpu_grid *grid = &g->grids[id];
	struct sm_grid sg = { .launch = grid->launch,
			      .timed = grid->timed,
			      .occupancy = grid->occupancy,
			      .details = grid->details != NULL };
	uint32_t places = places_needed(g, grid, &sg.occupancy.blocks);
	struct gpu_attach all = { .g = g, .id = id, .grid = &sg };

	sg.sms = grid_sms(g, grid);
	start_places(g, places);
	g->queue[id] = (struct dispatch_grid){
		.blocks = grid->launch->block_count,
		.stream = grid->stream,
		.max = sg.occupancy.blocks,
		.share = grid->occupancy.share,
		.waves = &g->waves[id],
	};
	if (waves_init(&g->waves[id], grid->launch->block_count,
		       (uint64_t)g->cfg.sm.count * grid->occupancy.blocks, d))
		return d->code;
	all.stride =
		round_up(g->cu ? cu_grid_bytes(&sg) : sm_grid_bytes(&sg), 4096);
	if (gpu_reserve_pool(g, id, places * all.stride, &sg.used, d))
		return d->code;
	/* Mapped at once: a mapping for each block would take longer, and the
	 * threads would contend for it. Most of it is never touched. */
	all.local = g->cu ? cu_grid_local_bytes(&sg) : sm_grid_local_bytes(&sg);
	g->local_bytes[id] = places * all.local;
	g->local[id] = pages_map_small(g->local_bytes[id]);
	team_each(g->options.team, places, attach_place, &all);
	g->attached[id] = places;
	return atomic_load(&all.failed) ?
		       fail(d, ERR_NOMEM, "no memory for resident blocks") :
		       ERR_OK;
}

static enum err gpu_attach_all(struct gpu *g, struct diag *d)
{
	struct diag ignored;
	enum err e = ERR_OK;
	uint32_t n = 0;

	for (; !e && n < g->grid_count; n++) {
		e = launch_begin(g->grids[n].launch, d);
		if (!e)
			e = gpu_attach_grid(g, n, d);
	}
	if (e) {
		gpu_detach_all(g);
		while (n-- > 0)
			if (launch_end(g->grids[n].launch, &ignored))
				continue;
	}
	return e;
}

/* Only those that did something in the last run have anything to clear. */
static void clear_counts(struct gpu *g)
{
	for (uint32_t i = 0; i < g->mems; i++)
		if (bitmap_has(g->touched, g->sms + i))
			mem_partition_clear_stats(g->mem[i]);
	bitmap_clear(g->touched, g->partitions);
	for (uint32_t i = 0; g->drifted && i < g->partitions; i++)
		g->partition[i].late = (struct post_late){ 0 };
	for (uint32_t i = 0; g->options.host_time && i < g->partitions; i++)
		g->partition[i].network = g->partition[i].own = 0;
	g->drifted = false;
	memset(&g->before, 0, sizeof(g->before));
}

enum err gpu_begin(struct gpu *g, struct gpu_grid *grids, uint32_t n,
		   const struct gpu_options *options, struct diag *d)
{
	CHECK(!g->broken);
	if (!n || n > GPU_GRIDS)
		return fail(d, ERR_RANGE,
			    "%u kernels in one group: expected 1 to %d", n,
			    GPU_GRIDS);
	g->grids = grids;
	g->grid_count = n;
	g->options = options ? *options : (struct gpu_options){ 0 };
	g->over = false;
	g->how = GPU_DONE;
	g->reached = g->sampled = g->memory_at = g->epoch_at = g->now;
	g->began = g->now;
	g->places = 0;
	clear_counts(g);
	if (gpu_parts_begin(g, d))
		return d->code;
	g->next_progress = clock_seconds() + PROGRESS_SECONDS;
	place_copies(g, g->options.team);
	for (uint32_t i = 0; i < n; i++)
		preload_launch(g, i);
	if (gpu_attach_all(g, d))
		return d->code;
	if (g->places < g->sms)
		CORE(g, gpu_sm_at(g, g->places), start, g->now);
	dispatch_start(g->dispatch, g->now, g->queue, n);
	gpu_set_next(g, g->partitions - 1, g->now);
	return ERR_OK;
}

void gpu_abandon(struct gpu *g)
{
	g->how = GPU_STOPPED;
	g->over = true;
}

bool gpu_over(const struct gpu *g)
{
	return g->over;
}

static void gpu_take_sample(struct gpu *g, cycle_t at)
{
	struct stats now, s;

	gpu_count(g, at, &now);
	stats_diff(&s, &now, &g->before);
	g->before = now;
	if (g->options.sample)
		g->options.sample(g->options.ctx, g->sampled - g->now,
				  at - g->now, &s);
	gpu_parts_sample(g, at);
	g->sampled = at;
}

/* Whether all blocks have ended by that cycle. */
static bool finished_by(const struct gpu *g, cycle_t at)
{
	return dispatch_finished(g->dispatch) &&
	       dispatch_last_end(g->dispatch) <= at;
}

/* Memory has been simulated up to now + lead: requests that SMs send in a
 * sample and what memory does with them belong to the same sample. */
void gpu_sample_until(struct gpu *g, cycle_t now)
{
	cycle_t every = g->options.interval;

	while (every && g->sampled + every <= now &&
	       !finished_by(g, g->sampled + every))
		gpu_take_sample(g, g->sampled + every);
}

void gpu_check_limit(struct gpu *g, cycle_t now)
{
	cycle_t limit = g->now + g->options.max_cycles;

	if (!g->options.max_cycles || now < limit || finished_by(g, limit))
		return;
	g->reached = limit;
	g->how = GPU_LIMIT;
	g->over = true;
}

/* Not after the last block has ended: counting charges the SMs' cycles, and
 * those that follow are not part of the run. */
void gpu_report_progress(struct gpu *g, cycle_t now)
{
	double t;
	struct stats s;

	if (!g->options.progress || finished_by(g, now))
		return;
	t = clock_seconds();
	if (t < g->next_progress)
		return;
	g->next_progress = t + PROGRESS_SECONDS;
	gpu_count(g, now, &s);
	g->options.progress(g->options.ctx, now - g->now,
			    dispatch_blocks_done(g->dispatch), &s);
}

bool gpu_cut_short(struct gpu *g)
{
	for (uint32_t i = 0; i < g->grid_count; i++)
		if (atomic_load_explicit(&g->grids[i].launch->ended,
					 memory_order_relaxed)) {
			g->how = GPU_FAULT;
			return true;
		}
	if (atomic_load_explicit(&g->grids[0].launch->machine->stop,
				 memory_order_relaxed)) {
		g->how = GPU_STOPPED;
		return true;
	}
	return false;
}

/* In the order of the SMs, whichever threads have simulated them. */
void gpu_deliver_events(struct gpu *g)
{
	for (uint32_t i = 0; g->events && i < g->sms; i++) {
		struct event_log *l = &g->logs[i];

		for (size_t k = 0; g->options.event && k < l->count; k++)
			g->options.event(g->options.ctx, &l->event[k]);
		l->count = 0;
	}
}

void gpu_window_done(struct gpu *g, cycle_t end, cycle_t next)
{
	gpu_deliver_events(g);
	g->reached = end;
	g->over = gpu_cut_short(g) || next == CYCLE_NEVER;
	/* An SM finds a deadlock of its blocks by itself. */
	if (g->over && g->how == GPU_DONE && !dispatch_finished(g->dispatch))
		BUG("no event is left, but not all blocks have ended");
}

/* Stores of the last epoch take effect, though it is not complete. */
static void merge_last_epoch(struct gpu *g)
{
	if (gpu_end_epoch(g, g->epoch_at))
		gpu_merge(g);
}

static void add_heat(const struct gpu *g, uint32_t id, uint32_t func)
{
	struct gpu_grid *grid = &g->grids[id];
	uint32_t n = grid->timed->func[func].code->func->inst_count;

	for (uint32_t i = 0; i < g->attached[id]; i++) {
		uint32_t s = gpu_sm_at(g, i);
		const struct sm_heat *from = CORE(g, s, heat, id, func);
		const uint64_t *excess = CORE(g, s, excess, id, func);

		for (uint32_t k = 0; from && k < n; k++) {
			grid->heat[func][k].issued += from[k].issued;
			grid->heat[func][k].waited += from[k].waited;
			grid->excess[func][k] += excess[k];
		}
	}
}

static void add_details(const struct gpu *g, uint32_t id, uint32_t func)
{
	struct gpu_grid *grid = &g->grids[id];
	uint32_t n = grid->timed->func[func].code->func->inst_count;

	for (uint32_t i = 0; i < g->attached[id]; i++) {
		uint32_t s = gpu_sm_at(g, i);
		const struct sm_detail *from = CORE(g, s, detail, id, func);

		for (uint32_t k = 0; from && k < n; k++) {
			struct sm_detail *to = &grid->details[func][k];

			to->lanes_off += from[k].lanes_off;
			for (unsigned r = 0; r < REASON_COUNT; r++)
				to->slots[r] += from[k].slots[r];
		}
	}
}

static void end_grid(struct gpu *g, uint32_t id)
{
	struct gpu_grid *grid = &g->grids[id];
	const struct dispatch_grid *q = &g->queue[id];

	for (uint32_t f = 0; grid->heat && f < grid->timed->func_count; f++)
		if (grid->heat[f])
			add_heat(g, id, f);
	for (uint32_t f = 0; grid->details && f < grid->timed->func_count; f++)
		if (grid->details[f])
			add_details(g, id, f);
	grid->start = q->start == CYCLE_NEVER ? 0 : q->start - g->now;
	grid->end = q->end == CYCLE_NEVER ? 0 : q->end - g->now;
	grid->blocks_done = q->done;
	grid->waves = waves_sum(q->waves);
	if (q->end == CYCLE_NEVER)
		atomic_store(&grid->launch->ended, true);
}

static cycle_t last_event(const struct gpu *g)
{
	cycle_t last = dispatch_last_end(g->dispatch);

	for (uint32_t i = 0; i < g->places; i++)
		last = max_u64(last, CORE_OF(g, gpu_sm_at(g, i), last));
	for (uint32_t i = 0; i < g->mems; i++)
		if (bitmap_has(g->touched, g->sms + i))
			last = max_u64(last, mem_partition_last(g->mem[i]));
	return last;
}

static void finish_place(void *ctx, uint32_t i)
{
	struct gpu *g = ctx;

	CORE(g, gpu_sm_at(g, i), finish, g->reached);
}

void gpu_end(struct gpu *g, struct gpu_outcome *out)
{
	bool whole = g->how == GPU_DONE;
	cycle_t end = whole ? dispatch_last_end(g->dispatch) : g->reached;
	struct diag ignored;

	CHECK(g->over);
	/* The last events may be those of memory, which is ahead of the SMs:
	 * how far the SMs have come depends on the windows. */
	gpu_sample_until(g, end);
	g->reached = end;
	team_each(g->options.team, g->places, finish_place, g);
	gpu_deliver_events(g);
	merge_last_epoch(g);
	gpu_count(g, end, &out->stats);
	if (g->options.interval && g->sampled < end)
		gpu_take_sample(g, end);
	for (uint32_t i = 0; i < g->grid_count; i++) {
		end_grid(g, i);
		if (g->grid_count > 1)
			gpu_count_grid(g, i, end, &g->grids[i].stats);
		else
			g->grids[i].stats = out->stats;
	}
	out->end = g->how;
	out->cycles = end - g->now;
	out->law.code = ERR_OK;
	if (whole)
		gpu_broken_law(g, &out->stats, &out->law);
	for (uint32_t i = 0; !g->cu && i < g->places; i++)
		sm_share_regions(g->sm[gpu_sm_at(g, i)], g->regions);
	gpu_detach_all(g);
	for (uint32_t i = 0; i < g->grid_count; i++)
		g->grids[i].status = launch_end(g->grids[i].launch, &ignored);
	g->broken = !whole;
	g->host_bytes = 0;
	/* The epoch after the last event, whatever the windows were. */
	g->now = (last_event(g) / g->epoch + 1) * g->epoch;
	g->grids = NULL;
	g->grid_count = 0;
}

uint32_t gpu_sms(const struct gpu *g)
{
	return g->sms;
}

cycle_t gpu_sm_end(const struct gpu *g, uint32_t sm)
{
	return dispatch_sm_end(g->dispatch, sm);
}

void gpu_sm_stats(struct gpu *g, uint32_t sm, struct stats *out)
{
	memset(out, 0, sizeof(*out));
	if (!gpu_takes_part(g, sm))
		CORE(g, sm, start, g->began);
	CORE(g, sm, stats, g->reached, out);
}

struct gpu_host_time gpu_host_time(const struct gpu *g)
{
	struct gpu_host_time t = {
		.dispatch = g->partition[g->partitions - 1].own
	};

	if (!g->options.host_time)
		return (struct gpu_host_time){ 0 };
	for (uint32_t i = 0; i < g->partitions; i++)
		t.network += g->partition[i].network;
	for (uint32_t i = 0; i < g->sms; i++)
		t.sms += g->partition[i].own;
	for (uint32_t i = 0; i < g->mems; i++)
		t.memory += g->partition[g->sms + i].own;
	return t;
}
