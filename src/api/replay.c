/* Replays the launches and copies of a trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "accelsim/list.h"
#include "api/device.h"

struct replay_module {
	uint32_t number;
	struct heddle_module *module;
	struct replay_module *next;
};

struct replay_session {
	struct heddle_device *dev;
	struct trace *trace;
	const struct heddle_replay_options *options;
	struct replay_module *modules; /* loaded so far */
	bool over;                     /* the caller wants no more */
	bool found;                    /* the launch asked for was found */
};

/* The launches of a group. */
struct replay_group {
	size_t n;
	struct job *jobs;
	struct heddle_launch *launches;
	struct replaying *replays;
	struct heddle_replayed_launch *described;
	struct heddle_result *results;
};

static struct heddle_module *find_replay_module(const struct replay_session *r,
						uint32_t number)
{
	for (const struct replay_module *m = r->modules; m; m = m->next)
		if (m->number == number)
			return m->module;
	return NULL;
}

static enum err read_module(struct replay_session *r, struct replay_module *m,
			    struct diag *d)
{
	const char *name = trace_module_name(r->trace, m->number);
	struct heddle_error err;
	size_t bytes;
	char *text;
	int status;

	if (trace_module_text(r->trace, m->number, &text, &bytes, d))
		return d->code;
	status =
		heddle_module_load(r->dev, &m->module, name, text, bytes, &err);
	free(text);
	if (status)
		return fail(d, (enum err)status, "%s", err.text);
	return program_replay(m->module->program, r->trace, d);
}

static enum err load_module(struct replay_session *r, uint32_t number,
			    struct diag *d)
{
	struct replay_module *m;

	if (find_replay_module(r, number))
		return ERR_OK;
	m = calloc(1, sizeof(*m));
	if (!m)
		return fail(d, ERR_NOMEM, "out of memory");
	m->number = number;
	m->next = r->modules;
	r->modules = m;
	return read_module(r, m, d);
}

static void free_modules(struct replay_session *r)
{
	while (r->modules) {
		struct replay_module *m = r->modules;

		r->modules = m->next;
		heddle_module_free(r->dev, m->module);
		free(m);
	}
}

/* Whether a launch can be replayed; if not, why. */
static enum err check_replayable(struct replay_session *r, uint32_t number,
				 struct diag *d)
{
	const struct trace_launch_record *l =
		trace_get_launch(r->trace, number);
	const char *damage = trace_damage(r->trace, NULL);

	if (l->outcome.fault)
		return fail(d, ERR_FAULT,
			    "launch %u faulted when it was recorded: %s",
			    number, l->outcome.text);
	if (!l->ended || !l->whole)
		return fail(d, ERR_SYNTAX,
			    "launch %u is incomplete: %" PRIu64
			    " of its blocks are in the trace%s%s",
			    number, l->blocks, damage ? "; " : "",
			    damage ? damage : "");
	return ERR_OK;
}

static void free_group(struct replay_group *g)
{
	free(g->jobs);
	free(g->launches);
	free(g->replays);
	free(g->described);
	free(g->results);
}

static bool make_group(struct replay_group *g, size_t n)
{
	*g = (struct replay_group){
		.n = n,
		.jobs = calloc(n, sizeof(*g->jobs)),
		.launches = calloc(n, sizeof(*g->launches)),
		.replays = calloc(n, sizeof(*g->replays)),
		.described = calloc(n, sizeof(*g->described)),
		.results = calloc(n, sizeof(*g->results)),
	};
	return g->jobs && g->launches && g->replays && g->described &&
	       g->results;
}

static void prepare_replay(struct replay_session *r, struct replay_group *g,
			   size_t i, uint32_t number)
{
	const struct trace_launch_record *rec =
		trace_get_launch(r->trace, number);
	const struct trace_launch *l = &rec->launch;
	const struct heddle_replay_options *o = r->options;
	struct heddle_dim3 grid = { l->grid[0], l->grid[1], l->grid[2] };
	struct heddle_dim3 block = { l->block[0], l->block[1], l->block[2] };
	struct heddle_module *mod;

	g->launches[i] =
		(struct heddle_launch){ .kernel = l->kernel,
					.grid = grid,
					.block = block,
					.shared_bytes = l->dynamic_shared,
					.params = l->params,
					.param_bytes = l->param_bytes,
					.registers = l->registers,
					.cooperative = (int)l->cooperative,
					.timing = o->timing,
					.progress = o->progress,
					.ctx = o->ctx };
	mod = find_replay_module(r, l->module);
	g->described[i] = (struct heddle_replayed_launch){
		.number = number,
		.stream = l->stream,
		.kernel = l->kernel,
		.grid = grid,
		.block = block,
		.shared_bytes = l->dynamic_shared,
		.depends = rec->outcome.depends,
		.isa = mod ? mod->program->isa->name : "",
		.target = mod ? mod->program->target : 0,
	};
	replaying_start(&g->replays[i], r->trace, number);
	g->jobs[i] = (struct job){ .mod = mod,
				   .launch = &g->launches[i],
				   .stream = l->stream,
				   .replay = &g->replays[i].hooks,
				   .code = l->code };
}

static enum err run_replay(struct replay_session *r, struct replay_group *g,
			   uint64_t local_bytes, struct diag *d)
{
	struct replayed_jobs jobs = { g->n, g->jobs, g->described, g->results,
				      local_bytes };

	if (local_bytes > WINDOW_BYTES || local_bytes % 16)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes of local memory: at most %u",
			    local_bytes, WINDOW_BYTES);
	if (!local_bytes)
		jobs.local_bytes = r->dev->machine.local_bytes;
	return run_replayed(r->dev, &jobs, r->options, &r->over, d);
}

/* Replays the launches [number, number + n) at the same time. */
static enum err replay_group(struct replay_session *r, uint32_t number,
			     size_t n, struct diag *d)
{
	const struct trace_launch_record *first =
		trace_get_launch(r->trace, number);
	struct replay_group g;
	enum err e = ERR_OK;

	if (!make_group(&g, n))
		e = fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; !e && i < n; i++) {
		e = check_replayable(r, number + i, d);
		if (!e)
			e = load_module(r,
					trace_get_launch(r->trace, number + i)
						->launch.module,
					d);
		if (!e)
			prepare_replay(r, &g, i, number + i);
	}
	if (!e)
		e = run_replay(r, &g, first->launch.local_bytes, d);
	free_group(&g);
	return e;
}

static bool all_whole(const struct trace *t, uint32_t number, size_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_launch_record *l =
			trace_get_launch(t, number + i);

		if (!l->whole || l->outcome.fault)
			return false;
	}
	return true;
}

/* The number of launches from item i on that ran at the same time. */
static size_t group_size(const struct trace *t, size_t i)
{
	const struct trace_item first = trace_item(t, i);
	uint32_t group = trace_get_launch(t, first.number)->launch.group;
	size_t n = 1;

	for (; i + n < trace_item_count(t); n++) {
		struct trace_item it = trace_item(t, i + n);

		if (it.kind != TRACE_LAUNCH || it.number != first.number + n ||
		    trace_get_launch(t, it.number)->launch.group != group)
			break;
	}
	return n;
}

static enum err replay_launch(struct replay_session *r, size_t *i,
			      struct diag *d)
{
	const struct heddle_replay_options *o = r->options;
	uint32_t number = trace_item(r->trace, *i).number;
	size_t n = o->one ? 1 : group_size(r->trace, *i);

	*i += n - 1;
	if (!o->one || number == o->launch) {
		r->found = true;
		if (o->partial && !all_whole(r->trace, number, n))
			return ERR_OK;
		return replay_group(r, number, n, d);
	}
	/* Copies before other launches do not matter. */
	r->dev->copy_count = 0;
	return ERR_OK;
}

static enum err replay_all(struct replay_session *r, struct diag *d)
{
	const struct heddle_replay_options *o = r->options;
	enum err e = ERR_OK;

	for (size_t i = 0; !e && !r->over && i < trace_item_count(r->trace);
	     i++) {
		struct trace_item it = trace_item(r->trace, i);
		const struct trace_copy *c;

		switch (it.kind) {
		case TRACE_COPY:
			c = trace_get_copy(r->trace, it.number);
			timed_note_copy(r->dev, c->at, c->bytes);
			break;
		case TRACE_LAUNCH:
			e = replay_launch(r, &i, d);
			break;
		default:
			break;
		}
	}
	if (!e && o->one && !r->found)
		e = fail(d, ERR_UNKNOWN, "the trace has no launch %u",
			 o->launch);
	return e;
}

/* A damaged trace is replayed only if the caller asks for partial replays. */
static enum err check_trace(struct replay_session *r, struct diag *d)
{
	const char *damage = trace_damage(r->trace, NULL);

	if (r->options->partial) {
		enum err e = trace_check(r->trace, d);

		return e == ERR_SYNTAX ? ERR_OK : e;
	}
	if (damage)
		return fail(d, ERR_SYNTAX, "the trace is damaged: %s", damage);
	return ERR_OK;
}

int heddle_replay_is(const char *path)
{
	return heddle_trace_is(path) || asim_list_is(path);
}

int heddle_replay(struct heddle_device *dev, const char *path,
		  const struct heddle_replay_options *options,
		  struct heddle_error *err)
{
	static const struct heddle_replay_options defaults;
	struct replay_session r = { .dev = dev,
				    .options = options ? options : &defaults };
	struct diag d;
	enum err e;

	if (asim_list_is(path))
		return api_result(accelsim_replay(dev, path, r.options, &d), &d,
				  err);
	e = trace_open(&r.trace, path, &d);
	if (!e)
		e = check_trace(&r, &d);
	if (!e)
		e = replay_all(&r, &d);
	timing_clear(&dev->timing); /* it refers to the modules */
	free_modules(&r);
	trace_close(r.trace);
	return api_result(e, &d, err);
}
