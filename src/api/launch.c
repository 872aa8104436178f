#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "base/clock.h"

/* The two enumerations are one list, in one order. */
_Static_assert((int)HEDDLE_FAULT_STOPPED == (int)FAULT_STOPPED, "faults");
_Static_assert((int)HEDDLE_FAULT_TRAP == (int)FAULT_TRAP, "faults");
_Static_assert((int)HEDDLE_FAULT_LOOP == (int)FAULT_LOOP, "faults");

enum { MAX_THREADS = 1024, MAX_GRID_YZ = 65535 };

static enum err check_shape(const struct heddle_launch *l,
			    const struct ptx_func *f, struct diag *d)
{
	struct heddle_dim3 g = l->grid, b = l->block;
	uint64_t threads = (uint64_t)b.x * b.y * b.z;
	const uint32_t *req = f->limits.reqntid, *max = f->limits.maxntid;
	uint64_t most = max[0] ? (uint64_t)max[0] * (max[1] ? max[1] : 1) *
					 (max[2] ? max[2] : 1) :
				 MAX_THREADS;

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
	if (threads > most)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " threads in a block: '%s' was compiled "
			    "for at most %" PRIu64,
			    threads, f->name, most);
	if (req[0] && (b.x != req[0] || b.y != (req[1] ? req[1] : 1) ||
		       b.z != (req[2] ? req[2] : 1)))
		return fail(d, ERR_RANGE,
			    "block %u x %u x %u: '%s' was compiled for "
			    "%u x %u x %u",
			    b.x, b.y, b.z, f->name, req[0], req[1] ? req[1] : 1,
			    req[2] ? req[2] : 1);
	return ERR_OK;
}

static enum err prepare(struct launch *out, struct heddle_device *dev,
			const struct heddle_module *mod,
			const struct heddle_launch *l, struct diag *d)
{
	const struct program *p = mod->program;
	struct ptx_func *f = ptx_find_func(p->module, l->kernel);
	enum err e;

	if (!f || !f->is_entry || !f->has_body)
		return fail(d, ERR_UNKNOWN, "%s has no kernel named '%s'",
			    p->module->name, l->kernel);
	e = check_shape(l, f, d);
	if (e)
		return e;
	if (l->param_bytes != param_bytes(f))
		return fail(d, ERR_RANGE,
			    "%zu bytes of parameters: '%s' takes %u",
			    l->param_bytes, f->name, param_bytes(f));
	if (l->shared_bytes > WINDOW_BYTES - p->shared_static)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " bytes of dynamic shared memory: at "
			    "most %u",
			    l->shared_bytes, WINDOW_BYTES - p->shared_static);
	if (p->codes[f->index]->local_bytes > dev->machine.local_bytes)
		return fail(d, ERR_RANGE,
			    "'%s' needs %u bytes of local memory, a thread has "
			    "%" PRIu64,
			    f->name, p->codes[f->index]->local_bytes,
			    dev->machine.local_bytes);
	*out = (struct launch){
		.machine = &dev->machine,
		.program = p,
		.kernel = p->codes[f->index],
		.grid = { l->grid.x, l->grid.y, l->grid.z },
		.block = { l->block.x, l->block.y, l->block.z },
		.dynamic_shared = l->shared_bytes,
		.shared_bytes = p->shared_static + (uint32_t)l->shared_bytes,
		.param_bytes = (uint32_t)l->param_bytes,
		.id = ++dev->launches,
		.progress = l->progress,
		.ctx = l->ctx,
	};
	return ERR_OK;
}

static void describe_place(struct heddle_fault *out, const struct fault *f,
			   const struct ptx_module *m)
{
	const char *file = m->name;

	snprintf(out->function, sizeof(out->function), "%s", f->func->name);
	if (f->inst) {
		out->pc = (uint32_t)(f->inst - f->func->insts);
		out->ptx_line = out->line = f->inst->loc.line;
		ptx_print_inst(out->instruction, sizeof(out->instruction),
			       f->func, f->inst);
		if (f->inst->src_file && f->inst->src_file < m->file_count &&
		    m->files[f->inst->src_file]) {
			file = m->files[f->inst->src_file];
			out->line = f->inst->src_line;
		}
	}
	snprintf(out->file, sizeof(out->file), "%s", file);
}

static void describe_fault(struct heddle_fault *out, const struct fault *f,
			   const struct ptx_module *m, const char *kernel)
{
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
	describe_place(out, f, m);
	snprintf(out->text, sizeof(out->text),
		 "%s: %.200s (kernel %.40s, block %u,%u,%u, thread %u,%u,%u, "
		 "%.60s:%u)",
		 fault_text(f->kind), f->text, kernel, f->block[0], f->block[1],
		 f->block[2], f->thread[0], f->thread[1], f->thread[2],
		 out->file, out->line);
}

static void emit_texts(struct launch *run, const struct heddle_launch *l)
{
	if (l->print) {
		launch_sort_texts(run);
		for (struct launch_text *t = run->texts; t; t = t->next)
			l->print(l->ctx, t->text, t->size);
	}
	launch_clear(run);
}

/* The caller's parameters need not be aligned, the program's are. */
static void *copy_params(const struct heddle_launch *l)
{
	void *p = aligned_alloc(64, (l->param_bytes + 64) / 64 * 64);

	if (p && l->param_bytes)
		memcpy(p, l->params, l->param_bytes);
	return p;
}

int heddle_launch(struct heddle_device *dev, struct heddle_module *mod,
		  const struct heddle_launch *launch,
		  struct heddle_result *result, struct heddle_error *err)
{
	struct launch run;
	struct diag d;
	double start = clock_seconds();
	enum err e = prepare(&run, dev, mod, launch, &d);
	void *params;

	memset(result, 0, sizeof(*result));
	if (!e)
		e = profile_attach(launch->profile, &run, &d);
	if (e)
		return api_result(e, &d, err);
	params = copy_params(launch);
	if (!params)
		return api_result(fail(&d, ERR_NOMEM, "out of memory"), &d,
				  err);
	run.params = params;
	atomic_store(&dev->machine.stop, false);
	e = launch_run(&run, &d);
	free(params);
	result->blocks = atomic_load(&run.blocks_done);
	result->threads =
		result->blocks * run.block[0] * run.block[1] * run.block[2];
	result->warp_instructions = atomic_load(&run.steps);
	result->thread_instructions = atomic_load(&run.lane_steps);
	result->seconds = clock_seconds() - start;
	emit_texts(&run, launch);
	if (e == ERR_FAULT) {
		describe_fault(&result->fault, &run.fault, mod->program->module,
			       launch->kernel);
		fail(&d, ERR_FAULT, "%s", result->fault.text);
	}
	return api_result(e, &d, err);
}
