/*
 * Timed launches: makes the grids of a group, runs them on the GPU, and keeps
 * the results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "api/places.h"
#include "base/clock.h"
#include "base/minmax.h"

_Static_assert((int)HEDDLE_EVENT_BLOCK == (int)SM_EVENT_BLOCK, "events");
_Static_assert((int)HEDDLE_EVENT_STALL == (int)SM_EVENT_STALL, "events");

/* A group of launches that is being run; the context of callbacks. */
struct timed_group {
	struct heddle_device *dev;
	const struct heddle_timing_options *options; /* NULL: none */
	struct job *jobs;
	struct gpu_grid *grids;
	size_t n;
	uint64_t blocks;
	cycle_t start;
	struct places *places; /* by kernel, for events */
	struct arena arena;    /* of the places */
};

/* Passes copies to the GPU, unless it is about to be replaced by a new one. */
static void apply_copies(struct heddle_device *dev)
{
	for (unsigned i = 0; i < dev->copy_count; i++)
		if (!gpu_broken(dev->gpu))
			gpu_host_copy(dev->gpu, dev->copies[i].at,
				      dev->copies[i].size);
	dev->copy_count = 0;
}

void timed_note_copy(struct heddle_device *dev, uint64_t at, uint64_t size)
{
	const unsigned max = sizeof(dev->copies) / sizeof(dev->copies[0]);

	if (!dev->gpu)
		return;
	if (dev->copy_count == max)
		apply_copies(dev);
	dev->copies[dev->copy_count++] = (struct host_copy){ at, size };
}

/* Allocates tables for the heat of every function of the kernel's module. */
static enum err alloc_heat(struct gpu_grid *g, struct diag *d)
{
	uint32_t n = g->timed->func_count;

	g->heat = calloc(n + 1, sizeof(*g->heat));
	g->excess = calloc(n + 1, sizeof(*g->excess));
	if (!g->heat || !g->excess)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		const struct timed_func *f = &g->timed->func[i];
		size_t count;

		if (!f->inst)
			continue;
		count = (size_t)f->code->func->inst_count + 1;
		g->heat[i] = calloc(count, sizeof(**g->heat));
		g->excess[i] = calloc(count, sizeof(**g->excess));
		if (!g->heat[i] || !g->excess[i])
			return fail(d, ERR_NOMEM, "out of memory");
	}
	return ERR_OK;
}

/* The same for details. */
static enum err alloc_details(struct gpu_grid *g, struct diag *d)
{
	uint32_t n = g->timed->func_count;

	g->details = calloc(n + 1, sizeof(*g->details));
	for (uint32_t i = 0; g->details && i < n; i++) {
		if (!g->heat[i])
			continue;
		g->details[i] =
			calloc(g->timed->func[i].code->func->inst_count + 1,
			       sizeof(**g->details));
		if (!g->details[i])
			return fail(d, ERR_NOMEM, "out of memory");
	}
	return g->details ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

static void free_grid(struct gpu_grid *g)
{
	for (uint32_t i = 0; g->details && i < g->timed->func_count; i++)
		free(g->details[i]);
	free(g->details);
	for (uint32_t i = 0; g->heat && i < g->timed->func_count; i++)
		free(g->heat[i]);
	for (uint32_t i = 0; g->excess && i < g->timed->func_count; i++)
		free(g->excess[i]);
	free(g->heat);
	free(g->excess);
}

static enum err make_grid(struct timed_group *r, size_t i, struct diag *d)
{
	struct job *j = &r->jobs[i];
	struct gpu_grid *g = &r->grids[i];
	const char *refused =
		j->mod->timed->func[j->run.kernel->func->index].refused;

	if (refused)
		return fail(d, ERR_UNSUPP, "%s", refused);
	*g = (struct gpu_grid){ .launch = &j->run,
				.timed = j->mod->timed,
				.stream = j->stream,
				.occupancy = j->occupancy };
	r->blocks += (uint64_t)j->run.grid[0] * j->run.grid[1] * j->run.grid[2];
	if (r->options && r->options->event &&
	    places_init(&r->places[i], &r->arena, g->timed, d))
		return d->code;
	if (alloc_heat(g, d))
		return d->code;
	return r->options && r->options->details ? alloc_details(g, d) : ERR_OK;
}

static void on_sample(void *ctx, cycle_t from, cycle_t to,
		      const struct stats *s)
{
	struct timed_group *r = ctx;

	r->options->sample(r->options->ctx, from, to,
			   (const struct heddle_stats *)s);
}

static void on_parts(void *ctx, cycle_t from, cycle_t to,
		     const struct gpu_parts *p)
{
	struct timed_group *r = ctx;

	r->options->parts(r->options->ctx, from, to,
			  &(struct heddle_parts){ p->sms, p->slices, p->issued,
						  p->requests });
}

static void on_event(void *ctx, const struct sm_event *e)
{
	static const char *const reasons[] = {
#define REASON(id, name, doc) name,
#include "stat/stat.def"
	};
	struct timed_group *r = ctx;
	bool stall = e->kind == SM_EVENT_STALL && e->reason < REASON_COUNT;

	r->options->event(r->options->ctx,
			  &(struct heddle_event){
				  .kind = (enum heddle_event_kind)e->kind,
				  .reason = stall ? reasons[e->reason] : NULL,
				  .at = stall ? places_find(&r->places[e->grid],
							    e->func, e->pc) :
						NULL,
				  .sm = e->sm,
				  .slot = e->slot,
				  .launch = e->grid,
				  .block = e->block,
				  .from = e->from - r->start,
				  .to = e->to - r->start,
			  });
}

static void on_progress(void *ctx, cycle_t cycles, uint64_t blocks_done,
			const struct stats *s)
{
	struct timed_group *r = ctx;
	const struct heddle_launch *l = r->jobs[0].launch;

	if (l->progress)
		l->progress(l->ctx, blocks_done, r->blocks, s->sm.instructions);
	if (r->options && r->options->progress)
		r->options->progress(r->options->ctx,
				     &(struct heddle_timing_progress){
					     .cycles = cycles,
					     .blocks_done = blocks_done,
					     .blocks = r->blocks,
					     .warp_instructions =
						     s->sm.instructions });
}

static enum err choose_options(struct gpu_options *out, struct timed_group *r,
			       struct diag *d)
{
	const struct heddle_timing_options *o = r->options;

	*out = (struct gpu_options){ .ctx = r };
	if (r->jobs[0].launch->progress || (o && o->progress))
		out->progress = on_progress;
	if (!o)
		return ERR_OK;
	if (o->event && !r->dev->timeline)
		return fail(d, ERR_RANGE,
			    "events need a device with the option `timeline`");
	out->max_cycles = o->max_cycles;
	out->host_time = o->host_time;
	out->interval = o->sample || o->parts ? o->interval : 0;
	out->parts = o->interval && o->parts ? on_parts : NULL;
	out->sample = o->sample ? on_sample : NULL;
	out->event = o->event ? on_event : NULL;
	return ERR_OK;
}

/* Replaces a GPU whose run was cut short, which has messages in flight, and one
 * that is not to remember anything: a new one has empty caches and closed rows,
 * and its time begins at 0, so that refreshes come in the same cycles. */
static enum err replace_gpu(struct heddle_device *dev, bool cold,
			    struct diag *d)
{
	struct gpu *fresh;
	enum err e;

	if (!cold && !gpu_broken(dev->gpu))
		return ERR_OK;
	e = gpu_new(&fresh, gpu_cfg(dev->gpu), dev->timeline, d);
	if (e)
		return e;
	gpu_inherit(fresh, dev->gpu);
	gpu_free(dev->gpu);
	dev->gpu = fresh;
	return ERR_OK;
}

static enum err grow_hot(struct heddle_timing *t, bool detailed, struct diag *d)
{
	size_t room = t->hot_room ? 2 * t->hot_room : 256;
	struct hot_inst *hot = realloc(t->hot, room * sizeof(*hot));
	struct sm_detail *details;

	if (!hot)
		return fail(d, ERR_NOMEM, "out of memory");
	t->hot = hot;
	if (detailed) {
		details = realloc(t->details, room * sizeof(*details));
		if (!details)
			return fail(d, ERR_NOMEM, "out of memory");
		t->details = details;
	}
	t->hot_room = room;
	return ERR_OK;
}

static enum err add_hot(struct heddle_timing *t, const struct hot_inst *row,
			const struct sm_detail *detail, struct diag *d)
{
	if (t->hot_count == t->hot_room && grow_hot(t, detail != NULL, d))
		return d->code;
	if (detail)
		t->details[t->hot_count] = *detail;
	t->hot[t->hot_count++] = *row;
	return ERR_OK;
}

static enum err keep_heat(struct heddle_timing *t, uint32_t kernel,
			  const struct function *f, const struct sm_heat *heat,
			  const uint64_t *excess,
			  const struct sm_detail *details, struct diag *d)
{
	for (uint32_t i = 0; heat && i < f->inst_count; i++) {
		struct hot_inst row = { .kernel = kernel,
					.pc = i,
					.func = f,
					.issued = heat[i].issued,
					.waited = heat[i].waited,
					.excess = excess[i] };

		if ((row.issued || row.waited) &&
		    add_hot(t, &row, details ? &details[i] : NULL, d))
			return d->code;
	}
	return ERR_OK;
}

/* What limits the warps of an SM: "grid" if there are fewer blocks than the SMs
 * could hold. */
static const char *limit_name(const struct timed_group *r, size_t i)
{
	const struct occupancy *o = &r->grids[i].occupancy;
	uint64_t room = (uint64_t)gpu_cfg(r->dev->gpu)->sm.count * o->blocks;

	return r->jobs[i].run.block_count < room ?
		       "grid" :
		       occupancy_limit_names[o->limit];
}

static void keep_kernel(struct kernel_record *row, const struct timed_group *r,
			size_t i)
{
	const struct gpu_grid *g = &r->grids[i];
	const struct job *j = &r->jobs[i];
	const struct cfg_sm *sm = &gpu_cfg(r->dev->gpu)->sm;
	const struct function *f = j->run.kernel->func;

	snprintf(row->name, sizeof(row->name), "%s", j->launch->kernel);
	row->stats = g->stats;
	row->timing = (struct heddle_kernel_timing){
		.kernel = row->name,
		.stream = g->stream,
		.blocks = j->run.block_count,
		.blocks_done = g->blocks_done,
		.start = g->start,
		.end = g->end,
		.blocks_per_sm = g->occupancy.blocks,
		.limit = limit_name(r, i),
		.resource = occupancy_limit_names[g->occupancy.limit],
		.registers = j->registers,
		.warps = g->occupancy.share.warps,
		.shared_bytes = f->shared_used + j->run.dynamic_shared,
		.most_warps = (uint32_t)sm->max_warps,
		.wave_deviation = g->waves.deviation,
		.wave_gap = g->waves.gap,
	};
}

static void keep_sms(struct heddle_timing *t, struct gpu *g)
{
	t->sm_ends = calloc(gpu_sms(g), sizeof(*t->sm_ends));
	t->sm_stats = malloc(sizeof(*t->sm_stats));
	t->gpu = g;
	t->sms = t->sm_ends ? gpu_sms(g) : 0;
	for (uint32_t i = 0; i < t->sms; i++)
		t->sm_ends[i] = gpu_sm_end(g, i);
}

/* Details are optional: without memory for them the launch has still
 * succeeded. */
static void keep_details(struct timed_group *r)
{
	struct heddle_timing *t = &r->dev->timing;
	struct diag ignored;

	keep_sms(t, r->dev->gpu);
	t->kernels = calloc(r->n + 1, sizeof(*t->kernels));
	for (size_t i = 0; t->kernels && i < r->n; i++) {
		const struct program *p = r->jobs[i].mod->program;

		keep_kernel(&t->kernels[t->kernel_count++], r, i);
		for (uint32_t f = 0; f < p->func_count; f++)
			if (keep_heat(t, (uint32_t)i, &p->funcs[f],
				      r->grids[i].heat[f],
				      r->grids[i].excess[f],
				      r->grids[i].details ?
					      r->grids[i].details[f] :
					      NULL,
				      &ignored))
				return;
	}
}

static void set_job_outcomes(struct timed_group *r, const struct gpu_outcome *o)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct gpu_grid *g = &r->grids[i];
		struct job *j = &r->jobs[i];

		j->status = g->status;
		j->cycles = (g->end ? g->end : o->cycles) - g->start;
		j->limited = o->end == GPU_LIMIT && !g->end;
	}
}

/* The device's plan with no more threads than there are blocks. */
static struct engine_plan limit_threads(const struct timed_group *r)
{
	struct engine_plan plan = r->dev->plan;
	uint64_t blocks = 0;

	for (size_t i = 0; i < r->n; i++)
		blocks += launch_blocks(r->grids[i].launch);
	plan.threads = (unsigned)min_u64(plan.threads, blocks);
	return plan;
}

/* Only events need places. */
static enum err alloc_places(struct timed_group *r, struct diag *d)
{
	if (!r->options || !r->options->event)
		return ERR_OK;
	r->places = arena_new(&r->arena, struct places, r->n);
	return r->places ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* Tells the GPU which memory stays with the host. */
static enum err set_far(struct heddle_device *dev, struct diag *d)
{
	const struct range *r;
	struct mem_far *far;
	uint32_t n = 0;
	enum err e;

	for (uint32_t i = 0; gmem_next_far(&dev->gmem, &i);)
		n++;
	far = malloc((n + 1) * sizeof(*far));
	if (!far)
		return fail(d, ERR_NOMEM, "out of memory");
	n = 0;
	for (uint32_t i = 0; (r = gmem_next_far(&dev->gmem, &i));)
		far[n++] = (struct mem_far){
			.first = r->base / CHUNK_BYTES,
			.end = (r->base + r->size - 1) / CHUNK_BYTES + 1,
		};
	e = gpu_set_far(dev->gpu, far, n, d);
	free(far);
	return e;
}

static enum err timed_simulate(struct timed_group *r, struct diag *d)
{
	struct heddle_device *dev = r->dev;
	struct heddle_timing *t = &dev->timing;
	struct gpu_options options;
	struct engine_plan plan;
	enum err e = choose_options(&options, r, d);

	if (!e)
		e = set_far(dev, d);
	if (!e)
		e = alloc_places(r, d);
	for (size_t i = 0; !e && i < r->n; i++)
		e = make_grid(r, i, d);
	if (e)
		return e;
	r->start = gpu_now(dev->gpu);
	t->host_seconds = -clock_seconds();
	plan = limit_threads(r);
	options.team = engine_team(&plan, &dev->team);
	if (!options.team)
		return fail(d, ERR_NOMEM, "out of memory");
	e = gpu_begin(dev->gpu, r->grids, (uint32_t)r->n, &options, d);
	if (e)
		return e;
	e = engine_run(&plan, dev->gpu, options.team, &t->engine, d);
	t->engine.engine = dev->plan.engine.name;
	gpu_end(dev->gpu, &t->outcome);
	if (e)
		return e;
	t->host_seconds += clock_seconds();
	t->host_time = gpu_host_time(dev->gpu);
	t->filled = true;
	t->clock_mhz = gpu_cfg(dev->gpu)->gpu.clock;
	t->config = dev->config;
	t->cold = r->options && r->options->cold;
	set_job_outcomes(r, &t->outcome);
	keep_details(r);
	return ERR_OK;
}

enum err timed_run(struct heddle_device *dev, struct job *jobs, size_t n,
		   struct diag *d)
{
	struct timed_group r = { .dev = dev, .jobs = jobs, .n = n };
	enum err e;

	apply_copies(dev);
	if (!n || n > GPU_GRIDS)
		return fail(d, ERR_RANGE,
			    "%zu kernels in one group: expected 1 to %d", n,
			    GPU_GRIDS);
	r.options = jobs[0].launch->timing;
	r.grids = calloc(n, sizeof(*r.grids));
	e = r.grids ? replace_gpu(dev, r.options && r.options->cold, d) :
		      fail(d, ERR_NOMEM, "out of memory");
	if (!e)
		e = timed_simulate(&r, d);
	for (size_t i = 0; r.grids && i < n; i++)
		free_grid(&r.grids[i]);
	free(r.grids);
	arena_free(&r.arena);
	return e;
}
