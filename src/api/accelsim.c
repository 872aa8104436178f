/* Replays the kernels and copies of a list of Accel-Sim. */
#include <stdlib.h>
#include <string.h>

#include "accelsim/list.h"
#include "accelsim/play.h"
#include "api/device.h"
#include "base/minmax.h"

/* A kernel that is being replayed. */
struct asim_launch {
	struct asim_code code;
	struct asim_play play;
	struct heddle_module *module;
	struct heddle_launch launch;
};

struct asim_session {
	struct heddle_device *dev;
	const struct heddle_replay_options *options;
	const struct asim_list *list;
	const struct asim_command *reading;
	bool over; /* the caller wants no more */
};

struct asim_group {
	size_t n;
	struct asim_launch *launches;
	struct job *jobs;
	struct heddle_replayed_launch *described;
	struct heddle_result *results;
};

static void end_group(struct asim_session *r, struct asim_group *g)
{
	for (size_t i = 0; g->launches && i < g->n; i++) {
		struct asim_launch *l = &g->launches[i];

		asim_play_end(&l->play);
		heddle_module_free(r->dev, l->module);
		asim_code_free(&l->code);
	}
	free(g->launches);
	free(g->jobs);
	free(g->described);
	free(g->results);
}

static enum err begin_group(struct asim_group *g, size_t n, struct diag *d)
{
	*g = (struct asim_group){
		.n = n,
		.launches = calloc(n, sizeof(*g->launches)),
		.jobs = calloc(n, sizeof(*g->jobs)),
		.described = calloc(n, sizeof(*g->described)),
		.results = calloc(n, sizeof(*g->results)),
	};
	return g->launches && g->jobs && g->described && g->results ?
		       ERR_OK :
		       fail(d, ERR_NOMEM, "out of memory");
}

static bool on_reading(void *ctx, uint64_t bytes)
{
	const struct asim_session *r = ctx;

	if (r->options->reading)
		r->options->reading(r->options->ctx, r->reading->path, bytes,
				    r->reading->file_bytes);
	return !atomic_load(&r->dev->machine.stop);
}

static enum err load_kernel(struct asim_session *r, struct asim_launch *l,
			    const struct asim_command *c, struct diag *d)
{
	enum err e;

	r->reading = c;
	e = asim_scan(&l->code, c->path, on_reading, r, d);
	if (e)
		return e;
	l->module = calloc(1, sizeof(*l->module));
	if (!l->module)
		return fail(d, ERR_NOMEM, "out of memory");
	e = asim_program(&l->module->program, &l->code, c->path, &r->dev->gmem,
			 d);
	if (!e)
		e = module_describe(r->dev, l->module, d);
	if (!e)
		e = asim_play_start(&l->play, &l->code, l->module->program,
				    c->path, d);
	return e;
}

static void describe_launch(struct asim_session *r, struct asim_group *g,
			    size_t i, const struct asim_command *c)
{
	const struct heddle_replay_options *o = r->options;
	const struct asim_header *h = c->header;
	struct heddle_dim3 grid = { h->grid[0], h->grid[1], h->grid[2] };
	struct heddle_dim3 block = { h->block[0], h->block[1], h->block[2] };
	struct asim_launch *l = &g->launches[i];

	l->launch = (struct heddle_launch){ .kernel = h->kernel,
					    .grid = grid,
					    .block = block,
					    .shared_bytes = h->shared_bytes,
					    .timing = o->timing,
					    .progress = o->progress,
					    .ctx = o->ctx };
	g->described[i] = (struct heddle_replayed_launch){
		.number = c->number,
		.stream = c->stream,
		.kernel = h->kernel,
		.grid = grid,
		.block = block,
		.shared_bytes = h->shared_bytes,
		.isa = l->module->program->isa->name,
		.target = h->target,
	};
	g->jobs[i] = (struct job){ .mod = l->module,
				   .launch = &l->launch,
				   .stream = c->stream,
				   .replay = &l->play.hooks };
}

/* The local memory of a thread is that of the kernel that needs the most. */
static enum err run_kernels(struct asim_session *r, struct asim_group *g,
			    struct diag *d)
{
	struct replayed_jobs jobs = { g->n, g->jobs, g->described, g->results,
				      r->dev->machine.local_bytes };

	for (size_t i = 0; i < g->n; i++)
		jobs.local_bytes = max_u64(jobs.local_bytes,
					   g->launches[i].play.local_bytes);
	return run_replayed(r->dev, &jobs, r->options, &r->over, d);
}

static enum err replay_kernels(struct asim_session *r,
			       const struct asim_command *c, size_t n,
			       struct diag *d)
{
	struct asim_group g;
	enum err e = begin_group(&g, n, d);

	for (size_t i = 0; !e && i < n; i++) {
		e = load_kernel(r, &g.launches[i], &c[i], d);
		if (!e)
			describe_launch(r, &g, i, &c[i]);
	}
	if (!e)
		e = run_kernels(r, &g, d);
	timing_clear(&r->dev->timing); /* it refers to the modules */
	end_group(r, &g);
	return e;
}

static enum err replay_list(struct asim_session *r, struct diag *d)
{
	const struct heddle_replay_options *o = r->options;
	const struct asim_list *l = r->list;
	enum err e = ERR_OK;
	size_t n;

	if (o->one && o->launch >= l->kernels)
		return fail(d, ERR_UNKNOWN, "the list has no kernel %u",
			    o->launch);
	for (size_t i = 0; !e && !r->over && i < l->count; i += n) {
		const struct asim_command *c = &l->command[i];

		n = 1;
		if (!c->path) {
			timed_note_copy(r->dev, c->at, c->bytes);
		} else if (!o->one) {
			n = asim_list_group(l, i);
			e = replay_kernels(r, c, n, d);
		} else if (c->number == o->launch) {
			return replay_kernels(r, c, 1, d);
		} else {
			/* Copies before other kernels do not matter. */
			r->dev->copy_count = 0;
		}
	}
	return e;
}

enum err accelsim_replay(struct heddle_device *dev, const char *path,
			 const struct heddle_replay_options *options,
			 struct diag *d)
{
	struct asim_session r = { .dev = dev, .options = options };
	struct asim_list *list;
	enum err e;

	if (options->partial)
		return fail(d, ERR_UNSUPP,
			    "%s: only traces that Heddle has recorded are "
			    "replayed in part",
			    path);
	atomic_store(&dev->machine.stop, false);
	e = asim_list_open(&list, path, d);
	if (e)
		return e;
	r.list = list;
	e = replay_list(&r, d);
	asim_list_free(list);
	return e;
}
