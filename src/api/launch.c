#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "base/clock.h"

/* The two enumerations have the same values. */
_Static_assert((int)HEDDLE_FAULT_STOPPED == (int)FAULT_STOPPED, "faults");
_Static_assert((int)HEDDLE_FAULT_TRAP == (int)FAULT_TRAP, "faults");
_Static_assert((int)HEDDLE_FAULT_LOOP == (int)FAULT_LOOP, "faults");
_Static_assert((int)HEDDLE_FAULT_TRACE == (int)FAULT_TRACE, "faults");

enum { MAX_THREADS = 1024, MAX_GRID_YZ = 65535 };
/* Maximum number of resident blocks without a configuration. */
enum { MAX_COOPERATIVE = 4096 };

static enum err check_launch_shape(const struct heddle_launch *l,
				   const struct function *f, struct diag *d)
{
	struct heddle_dim3 g = l->grid, b = l->block;
	uint64_t threads = (uint64_t)b.x * b.y * b.z;
	const uint32_t *req = f->limits.required, *n = f->limits.max;
	uint64_t max = MAX_THREADS;

	if (n[0])
		max = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
	if (!g.x || !g.y || !g.z || g.x > INT32_MAX || g.y > MAX_GRID_YZ ||
	    g.z > MAX_GRID_YZ)
		return fail(d, ERR_RANGE,
			    "grid %u x %u x %u: each at least 1, at most "
			    "2147483647 x 65535 x 65535",
			    g.x, g.y, g.z);
	if (!b.x || !b.y || !b.z || b.x > MAX_THREADS || b.y > MAX_THREADS ||
	    b.z > 64 || threads > MAX_THREADS)
		return fail(d, ERR_RANGE,
			    "block %u x %u x %u: each at least 1, at most "
			    "1024 x 1024 x 64 and 1024 threads in all",
			    b.x, b.y, b.z);
	if (threads > max)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " threads in a block: '%s' was compiled "
			    "for at most %" PRIu64,
			    threads, f->name, max);
	if (req[0] && (b.x != req[0] || b.y != (req[1] ? req[1] : 1) ||
		       b.z != (req[2] ? req[2] : 1)))
		return fail(d, ERR_RANGE,
			    "block %u x %u x %u: '%s' was compiled for "
			    "%u x %u x %u",
			    b.x, b.y, b.z, f->name, req[0], req[1] ? req[1] : 1,
			    req[2] ? req[2] : 1);
	return ERR_OK;
}

/* Finds a kernel that can be run. */
static enum err find_kernel(const struct function **out,
			    const struct heddle_device *dev,
			    const struct heddle_module *mod, const char *name,
			    struct diag *d)
{
	const struct program *p = mod->program;

	if (p->gmem != &dev->gmem)
		return fail(d, ERR_RANGE, "%s belongs to another device",
			    p->name);
	*out = program_find(p, name);
	if (!*out || !(*out)->is_kernel || !(*out)->has_body)
		return fail(d, ERR_UNKNOWN, "%s has no kernel named '%s'",
			    p->name, name);
	if ((*out)->refused)
		return fail(d, ERR_UNSUPP, "%s", (*out)->refused);
	return ERR_OK;
}

static enum err prepare_launch(struct launch *out, struct heddle_device *dev,
			       const struct heddle_module *mod,
			       const struct heddle_launch *l, struct diag *d)
{
	const struct program *p = mod->program;
	const struct function *f = NULL;
	enum err e = find_kernel(&f, dev, mod, l->kernel, d);

	if (e)
		return e;
	e = check_launch_shape(l, f, d);
	if (e)
		return e;
	if (l->param_bytes != f->param_bytes)
		return fail(d, ERR_RANGE,
			    "%zu bytes of parameters: '%s' takes %u",
			    l->param_bytes, f->name, f->param_bytes);
	if (program_shared_bytes(f, l->shared_bytes) > WINDOW_BYTES)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes of dynamic shared memory: at "
			    "most %u",
			    l->shared_bytes,
			    WINDOW_BYTES - program_shared_start(f));
	if (f->code->local_bytes > dev->machine.local_bytes)
		return fail(d, ERR_RANGE,
			    "'%s' needs %u bytes of local memory, a thread has "
			    "%" PRIu64,
			    f->name, f->code->local_bytes,
			    dev->machine.local_bytes);
	*out = (struct launch){
		.machine = &dev->machine,
		.program = p,
		.kernel = f->code,
		.grid = { l->grid.x, l->grid.y, l->grid.z },
		.block = { l->block.x, l->block.y, l->block.z },
		.dynamic_shared = l->shared_bytes,
		.shared_bytes =
			(uint32_t)program_shared_bytes(f, l->shared_bytes),
		.param_bytes = (uint32_t)l->param_bytes,
		.id = ++dev->launches,
		.offset = { l->global_offset[0], l->global_offset[1],
			    l->global_offset[2] },
		.dimensions = l->work_dim,
		.progress = l->progress,
		.ctx = l->ctx,
	};
	return ERR_OK;
}

static void describe_place(struct heddle_fault *out, const struct fault *f,
			   const struct program *p)
{
	struct inst_text in = { .file = p->name };

	snprintf(out->function, sizeof(out->function), "%s", f->func->name);
	if (f->inst != FAULT_NO_INST) {
		p->isa->describe(f->func, f->inst, &in);
		out->pc = f->inst;
		out->ptx_line = in.asm_line;
		out->line = in.line;
		snprintf(out->instruction, sizeof(out->instruction), "%s",
			 in.text);
	}
	snprintf(out->file, sizeof(out->file), "%s", in.file);
}

static void describe_fault(struct heddle_fault *out, const struct fault *f,
			   const struct program *p, const char *kernel)
{
	char place[96];

	memset(out, 0, sizeof(*out));
	out->kind = (enum heddle_fault_kind)f->kind;
	snprintf(out->kernel, sizeof(out->kernel), "%s", kernel);
	if (!f->func) {
		snprintf(out->text, sizeof(out->text), "%s",
			 fault_text(f->kind));
		return;
	}
	out->block =
		(struct heddle_dim3){ f->block[0], f->block[1], f->block[2] };
	out->thread = (struct heddle_dim3){ f->thread[0], f->thread[1],
					    f->thread[2] };
	out->warp = f->warp;
	out->lane = f->lane;
	out->address = f->address;
	describe_place(out, f, p);
	if (out->line)
		snprintf(place, sizeof(place), "%.60s:%u", out->file,
			 out->line);
	else
		snprintf(place, sizeof(place), "%.60s, instruction %u",
			 out->file, out->pc);
	snprintf(out->text, sizeof(out->text),
		 "%s: %.1000s (kernel %.40s, block %u,%u,%u, thread %u,%u,%u, "
		 "%s)",
		 fault_text(f->kind), f->text, kernel, f->block[0], f->block[1],
		 f->block[2], f->thread[0], f->thread[1], f->thread[2], place);
}

static void print_texts(struct launch *run, const struct heddle_launch *l)
{
	if (l->print) {
		launch_sort_texts(run);
		for (struct launch_text *t = run->texts; t; t = t->next)
			l->print(l->ctx, t->text, t->size);
	}
	launch_clear(run);
}

/* The caller's parameters need not be aligned; those of a program must be. */
static void *copy_params(const struct heddle_launch *l)
{
	void *p = aligned_alloc(64, (l->param_bytes + 64) / 64 * 64);

	if (p && l->param_bytes)
		memcpy(p, l->params, l->param_bytes);
	return p;
}

/* Blocks of a cooperative launch wait for each other, so all of them must be
 * resident. */
static enum err check_resident(const struct job *j,
			       const struct heddle_device *dev, struct diag *d)
{
	const struct heddle_dim3 *g = &j->launch->grid;
	uint64_t blocks = (uint64_t)g->x * g->y * g->z;
	uint64_t max = (uint64_t)j->occupancy.blocks * dev->machine.sm_count;

	if (!j->launch->cooperative)
		return ERR_OK;
	if (!dev->gpu && blocks > MAX_COOPERATIVE)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " blocks of a cooperative launch: at "
			    "most %d without a configuration",
			    blocks, MAX_COOPERATIVE);
	if (dev->gpu && blocks > max)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " blocks of a cooperative launch: "
			    "%" PRIu64 " are resident at once, %u on each of "
			    "%u SMs, limited by %s",
			    blocks, max, j->occupancy.blocks,
			    dev->machine.sm_count,
			    occupancy_limit_names[j->occupancy.limit]);
	return ERR_OK;
}

/* A block that no SM can hold is refused, timed or not. */
static enum err check_occupancy(struct job *j, const struct heddle_device *dev,
				struct diag *d)
{
	if (!dev->gpu)
		return ERR_OK;
	return gpu_occupancy(&j->occupancy, &j->registers, gpu_cfg(dev->gpu),
			     j->mod->timed, &j->run, j->launch->registers, d);
}

static bool is_timed(const struct heddle_device *dev, const struct job *j)
{
	return dev->gpu && !j->launch->functional;
}

enum err job_open(struct job *j, struct heddle_device *dev, struct diag *d)
{
	enum err e = prepare_launch(&j->run, dev, j->mod, j->launch, d);

	if (!e)
		e = check_occupancy(j, dev, d);
	if (!e)
		e = check_resident(j, dev, d);
	if (!e && is_timed(dev, j) && j->launch->profile)
		e = fail(d, ERR_UNSUPP,
			 "profiles are for launches that are not timed; "
			 "use heddle_timing_hot for timed ones");
	if (!e)
		e = profile_attach(j->launch->profile, &j->run, d);
	if (e)
		return e;
	j->run.hooks = j->replay;
	j->run.code = j->code;
	j->params = copy_params(j->launch);
	j->run.params = j->params;
	return j->params ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

static void describe_end(struct heddle_fault *out, const struct job *j)
{
	describe_fault(out, &j->run.fault, j->mod->program, j->launch->kernel);
	if (j->limited) {
		out->kind = HEDDLE_FAULT_LIMIT;
		snprintf(out->text, sizeof(out->text),
			 "cycle limit reached: kernel %.40s has not ended "
			 "after %" PRIu64 " cycles",
			 j->launch->kernel, j->cycles);
	}
}

void job_close(struct job *j, struct heddle_device *dev,
	       struct heddle_result *r)
{
	struct launch *run = &j->run;

	r->blocks = atomic_load(&run->blocks_done);
	r->threads = r->blocks * run->block[0] * run->block[1] * run->block[2];
	r->warp_instructions = atomic_load(&run->steps);
	r->thread_instructions = atomic_load(&run->lane_steps);
	r->cycles = j->cycles;
	if (is_timed(dev, j))
		r->gpu_seconds = (double)j->cycles /
				 (gpu_cfg(dev->gpu)->gpu.clock * 1e6);
	if (j->status == ERR_FAULT)
		describe_end(&r->fault, j);
	else
		warn_outside(dev, j, r);
	warn_hazards(dev, j, r);
	print_texts(run, j->launch);
}

/* Runs the jobs one after the other; those after a failure are not run. */
static enum err functional_run(struct job *jobs, size_t n, struct diag *d)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < n; i++) {
		if (!e) {
			e = jobs[i].status = launch_run(&jobs[i].run, d);
		} else {
			jobs[i].status = ERR_FAULT;
			jobs[i].run.fault.kind = FAULT_STOPPED;
		}
	}
	return e == ERR_FAULT ? ERR_OK : e;
}

/* The status of the group: that of the kernel that faulted, rather than of
 * those that were stopped. */
static enum err first_fault(const struct job *jobs, size_t n,
			    const struct heddle_result *results, struct diag *d)
{
	const struct heddle_fault *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (jobs[i].status == ERR_FAULT &&
		    (!first || first->kind == HEDDLE_FAULT_STOPPED))
			first = &results[i].fault;
	return first ? fail(d, ERR_FAULT, "%s", first->text) : ERR_OK;
}

/* Allocates the memory in which cooperative launches synchronise. Each has its
 * own, at an address that does not displace other allocations. *at = 0: there
 * are no cooperative launches. */
static enum err make_workspaces(struct heddle_device *dev, struct job *jobs,
				size_t n, uint64_t *at, struct diag *d)
{
	const uint32_t size = LAUNCH_WORKSPACE;
	size_t count = 0;
	void *host;
	enum err e;

	*at = 0;
	for (size_t i = 0; i < n; i++)
		count += jobs[i].launch->cooperative != 0;
	if (!count)
		return ERR_OK;
	e = gmem_alloc_top(&dev->gmem, count * size, at, d);
	for (size_t i = 0; !e && i < n; i++) {
		if (!jobs[i].launch->cooperative)
			continue;
		jobs[i].run.workspace = *at + --count * size;
		e = gmem_host(&dev->gmem, jobs[i].run.workspace, size, &host,
			      d);
		if (!e)
			memcpy(host, &size, sizeof(size));
	}
	return e;
}

static enum err run_prepared(struct heddle_device *dev, struct job *jobs,
			     size_t n, struct diag *d)
{
	bool timed = n ? is_timed(dev, &jobs[0]) : dev->gpu != NULL;
	uint64_t workspaces;
	enum err e = make_workspaces(dev, jobs, n, &workspaces, d);

	if (!e)
		e = timed ? timed_run(dev, jobs, n, d) :
			    functional_run(jobs, n, d);
	if (workspaces)
		gmem_drop(&dev->gmem, workspaces);
	return e;
}

static enum err run_group(struct heddle_device *dev, struct job *jobs, size_t n,
			  struct heddle_result *results, struct diag *d)
{
	double start = clock_seconds();
	enum err e;

	timing_clear(&dev->timing);
	for (size_t i = 0; i < n; i++) {
		if (is_timed(dev, &jobs[i]) != is_timed(dev, &jobs[0]))
			return fail(d, ERR_RANGE,
				    "a group of kernels must be timed as a "
				    "whole or not at all");
		if (job_open(&jobs[i], dev, d))
			return d->code;
	}
	atomic_store(&dev->machine.stop, false);
	record_begin(dev, jobs, n);
	e = run_prepared(dev, jobs, n, d);
	for (size_t i = 0; !e && i < n; i++) {
		job_close(&jobs[i], dev, &results[i]);
		results[i].seconds = clock_seconds() - start;
	}
	record_end(dev, jobs, n, results);
	return e ? e : first_fault(jobs, n, results, d);
}

enum err run_jobs(struct heddle_device *dev, struct job *jobs, size_t n,
		  struct heddle_result *results, struct diag *d)
{
	enum err e = run_group(dev, jobs, n, results, d);

	for (size_t i = 0; i < n; i++) {
		launch_clear(&jobs[i].run);
		free(jobs[i].params);
	}
	return e;
}

enum err run_replayed(struct heddle_device *dev, const struct replayed_jobs *r,
		      const struct heddle_replay_options *o, bool *over,
		      struct diag *d)
{
	uint64_t before = dev->machine.local_bytes;
	enum err e;

	dev->machine.local_bytes = r->local_bytes;
	e = run_jobs(dev, r->jobs, r->n, r->results, d);
	dev->machine.local_bytes = before;
	if ((!e || e == ERR_FAULT) && o->done)
		*over = o->done(o->ctx, &(struct heddle_replayed){
						.count = r->n,
						.launches = r->described,
						.results = r->results }) != 0;
	return e;
}

int heddle_launch_group(struct heddle_device *dev,
			const struct heddle_group_launch *launches, size_t n,
			struct heddle_result *results, struct heddle_error *err)
{
	struct job *jobs = calloc(n + 1, sizeof(*jobs));
	struct diag d;
	enum err e;

	memset(results, 0, n * sizeof(*results));
	for (size_t i = 0; jobs && i < n; i++)
		jobs[i] = (struct job){ .mod = launches[i].module,
					.launch = launches[i].launch,
					.stream = launches[i].stream };
	e = jobs ? run_jobs(dev, jobs, n, results, &d) :
		   fail(&d, ERR_NOMEM, "out of memory");
	free(jobs);
	return api_result(e, &d, err);
}

int heddle_launch(struct heddle_device *dev, struct heddle_module *mod,
		  const struct heddle_launch *launch,
		  struct heddle_result *result, struct heddle_error *err)
{
	const struct heddle_group_launch one = { .module = mod,
						 .launch = launch };

	return heddle_launch_group(dev, &one, 1, result, err);
}

int heddle_occupancy(struct heddle_device *dev, struct heddle_module *mod,
		     const char *kernel, uint32_t threads,
		     uint64_t dynamic_shared, uint32_t *blocks,
		     struct heddle_error *err)
{
	const struct function *f = NULL;
	struct occupancy o = { 0 };
	struct diag d;
	enum err e = find_kernel(&f, dev, mod, kernel, &d);

	*blocks = 0;
	if (!e && !dev->gpu)
		e = fail(&d, ERR_UNSUPP,
			 "the occupancy of an SM needs a device with a "
			 "configuration");
	if (!e) {
		const struct launch l = {
			.program = mod->program,
			.kernel = f->code,
			.block = { threads, 1, 1 },
			.dynamic_shared = dynamic_shared,
		};
		uint32_t registers;
		struct diag none_fits;

		if (!gpu_occupancy(&o, &registers, gpu_cfg(dev->gpu),
				   mod->timed, &l, 0, &none_fits))
			*blocks = o.blocks;
	}
	return api_result(e, &d, err);
}
