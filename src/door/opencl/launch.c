/* Launches: clEnqueueNDRangeKernel and clEnqueueTask. */
#include <stdlib.h>
#include <string.h>

#include "door/opencl/kernel.h"
#include "door/opencl/print.h"

enum { LOCAL_ALIGN = 16, DEFAULT_GROUP = 256, GRID_Y = 65535 };

/* A command's copy of the arguments. */
struct ndrange {
	cl_kernel kernel;
	struct rt_func *func;
	cl_uint dims;
	uint32_t grid[3], block[3];
	uint64_t offset[3];
	size_t local; /* dynamic bytes */
	struct arg *args;
	unsigned char *params;
	size_t param_bytes;
};

static void launch_drop(void *data)
{
	struct ndrange *l = data;

	for (size_t i = 0; l->args && i < l->kernel->meta->arg_count; i++)
		object_drop(l->args[i].mem);
	free(l->args);
	free(l->params);
	object_drop(l->kernel);
}

/*
 * Running
 */

static bool arg_writes(const struct _cl_mem *m, const struct meta_arg *meta)
{
	if (meta->space == META_CONSTANT || strstr(meta->qualifiers, "const") ||
	    !strcmp(meta->access, "read_only"))
		return false;
	return !(m->flags & CL_MEM_READ_ONLY);
}

/* The addresses of memory objects on the device of the command. */
static cl_int launch_place_mem(struct ndrange *l, cl_event e)
{
	const struct meta_kernel *meta = l->kernel->meta;
	cl_device_id d = e->queue->device;
	cl_int error = CL_SUCCESS;

	for (size_t i = 0; !error && i < meta->arg_count; i++) {
		struct arg *a = &l->args[i];
		size_t offset, size;
		void *at = NULL;
		bool writes;

		if (!a->mem)
			continue;
		writes = arg_writes(a->mem, &meta->args[i]);
		error = a->kind == ARG_IMAGE ?
				image_on(a->mem, d, e->stream, writes, &at) :
				mem_on(a->mem, d, e->stream, writes, &at);
		if (!error && !rt_func_param(&offset, &size, l->func, i) &&
		    size == sizeof(at))
			memcpy(l->params + offset, &at, sizeof(at));
	}
	return error;
}

/* Sets a variable of the module that differs from the last launch. */
static cl_int state_set(struct build *b, const char *name, void *known,
			const void *value, size_t size)
{
	void *at;
	size_t bytes;

	if (!memcmp(known, value, size))
		return CL_SUCCESS;
	if (rt_module_global(&at, &bytes, b->module, name) || bytes != size)
		return CL_SUCCESS; /* no kernel asks for it */
	memcpy(known, value, size);
	return cl_error(rt_poke(at, value, size));
}

static cl_int launch_set_state(const struct ndrange *l, struct build *b)
{
	cl_int e = state_set(b, "heddle_cl_offset", b->offset, l->offset,
			     sizeof(l->offset));

	if (!e)
		e = state_set(b, "heddle_cl_dim", &b->dim, &l->dims,
			      sizeof(l->dims));
	return e ? e : print_begin(b);
}

/*
 * Where a launch lasts, its text is prepared and printed in its stream. The program
 * is held until then.
 */

static void print_before(void *program)
{
	cl_program p = program;

	(void)print_reset(&p->builds[p->devices[0]->number]);
}

static void print_after(void *program)
{
	cl_program p = program;

	print_end(&p->builds[p->devices[0]->number]);
	object_drop(p);
}

static cl_int launch_print_later(cl_program p, cl_event e,
				 const struct rt_launch *r)
{
	cl_int error;

	if (!cl.later(e->stream, print_before, p))
		return CL_OUT_OF_HOST_MEMORY;
	error = cl_error(rt_launch(r, e->stream));
	object_hold(p);
	if (cl.later(e->stream, print_after, p))
		return error;
	object_drop(p);
	return CL_OUT_OF_HOST_MEMORY;
}

static cl_int launch_run(cl_event e, void *data)
{
	struct ndrange *l = data;
	struct build *b = &l->kernel->program->builds[e->queue->device->number];
	struct rt_launch r = { .func = l->func,
			       .shared_bytes = l->local,
			       .block_of_args = l->params,
			       .block_bytes = l->param_bytes };
	cl_int error = launch_place_mem(l, e);

	rt_device_set(e->queue->device->number);
	if (!error)
		error = launch_set_state(l, b);
	if (error)
		return error;
	memcpy(r.grid, l->grid, sizeof(r.grid));
	memcpy(r.block, l->block, sizeof(r.block));
	r.dims = l->dims;
	for (int i = 0; i < 3; i++)
		r.offset[i] = (uint32_t)l->offset[i];
	if (b->print && cl.later)
		return launch_print_later(l->kernel->program, e, &r);
	error = cl_error(rt_launch(&r, e->stream));
	if (b->print)
		print_end(b);
	cl_unsettled(e);
	return error;
}

/*
 * Arguments
 */

/* Lays out local memory behind that of the kernel itself, and copies values. */
static cl_int launch_pack(struct ndrange *l, cl_kernel k, size_t used)
{
	size_t end = (used + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
	bool dynamic = false;

	for (size_t i = 0; i < k->meta->arg_count; i++) {
		struct arg *a = &l->args[i];
		size_t offset, size;

		if (rt_func_param(&offset, &size, l->func, i) ||
		    offset + size > l->param_bytes)
			return CL_INVALID_KERNEL_ARGS;
		if (a->value && !a->mem && size == a->size)
			memcpy(l->params + offset, a->value, size);
		if (a->kind == ARG_SAMPLER ||
		    (a->kind == ARG_BUFFER && !a->mem))
			memcpy(l->params + offset, &a->bits,
			       size < 8 ? size : 8);
		if (a->kind != ARG_LOCAL)
			continue;
		memcpy(l->params + offset, &end, size < 8 ? size : 8);
		end += (a->size + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
		dynamic = true;
	}
	l->local = dynamic ? end - used : 0;
	return CL_SUCCESS;
}

static cl_int launch_take_args(struct ndrange *l, cl_kernel k)
{
	struct rt_func_info info;
	size_t n = k->meta->arg_count;

	if (rt_func_info(&info, l->func))
		return CL_INVALID_PROGRAM_EXECUTABLE;
	l->param_bytes = info.param_bytes;
	l->args = calloc(n + 1, sizeof(*l->args));
	l->params = calloc(1, l->param_bytes + 1);
	if (!l->args || !l->params)
		return CL_OUT_OF_HOST_MEMORY;
	for (size_t i = 0; i < n; i++) {
		l->args[i] = k->args[i];
		l->args[i].mem = NULL;
	}
	for (size_t i = 0; i < n; i++) {
		cl_mem m = k->args[i].mem;

		if (!m)
			continue;
		if (!object_is(m, OBJECT_MEM))
			return CL_INVALID_KERNEL_ARGS;
		l->args[i].mem = m;
		object_hold(m);
	}
	return launch_pack(l, k, info.shared_bytes);
}

/*
 * Shapes
 */

struct shape {
	cl_uint dims;
	const size_t *offset, *global, *local;
};

static size_t divisor(size_t n, size_t most)
{
	size_t d = n < most ? n : most;

	while (n % d)
		d--;
	return d;
}

/* Groups as wide as they can be, if the program does not care. */
static void choose_local(size_t local[3], const size_t global[3],
			 cl_device_id d, size_t most)
{
	size_t left = most < DEFAULT_GROUP ? most : DEFAULT_GROUP;

	for (unsigned i = 0; i < 3; i++) {
		size_t item = device_max_item(d, i);

		local[i] = divisor(global[i], item < left ? item : left);
		left /= local[i];
	}
}

static cl_int check_global(const struct shape *s, cl_device_id d)
{
	if (s->dims < 1 || s->dims > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (!s->global)
		return CL_INVALID_GLOBAL_WORK_SIZE;
	for (cl_uint i = 0; i < s->dims; i++) {
		size_t end;

		if (!s->global[i])
			return CL_INVALID_GLOBAL_WORK_SIZE;
		if (s->offset &&
		    __builtin_add_overflow(s->offset[i], s->global[i], &end))
			return CL_INVALID_GLOBAL_OFFSET;
	}
	(void)d;
	return CL_SUCCESS;
}

static cl_int check_local(const size_t local[3], const size_t global[3],
			  cl_device_id d, size_t most)
{
	size_t items = 1;

	for (unsigned i = 0; i < 3; i++) {
		if (!local[i] || global[i] % local[i])
			return CL_INVALID_WORK_GROUP_SIZE;
		if (local[i] > device_max_item(d, i))
			return CL_INVALID_WORK_ITEM_SIZE;
		items *= local[i];
	}
	return items > most ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int check_required(const struct meta_kernel *m, const size_t *local,
			     const size_t sizes[3])
{
	if (!m->required[0])
		return CL_SUCCESS;
	for (int i = 0; i < 3; i++)
		if (!local || sizes[i] != m->required[i])
			return CL_INVALID_WORK_GROUP_SIZE;
	return CL_SUCCESS;
}

static cl_int launch_shape(struct ndrange *l, const struct shape *s,
			   cl_device_id d)
{
	size_t global[3] = { 1, 1, 1 }, local[3] = { 1, 1, 1 };
	struct rt_func_info info;
	cl_int e = check_global(s, d);

	if (!e && rt_func_info(&info, l->func))
		e = CL_INVALID_PROGRAM_EXECUTABLE;
	if (e)
		return e;
	for (cl_uint i = 0; i < s->dims; i++) {
		global[i] = s->global[i];
		local[i] = s->local ? s->local[i] : 1;
		l->offset[i] = s->offset ? s->offset[i] : 0;
	}
	if (!s->local)
		choose_local(local, global, d, (size_t)info.max_threads);
	e = check_required(l->kernel->meta, s->local, local);
	if (!e)
		e = check_local(local, global, d, (size_t)info.max_threads);
	if (e)
		return e;
	l->dims = s->dims;
	for (int i = 0; i < 3; i++) {
		size_t groups = global[i] / local[i];

		if (groups > (i ? GRID_Y : INT32_MAX))
			return CL_INVALID_GLOBAL_WORK_SIZE;
		l->grid[i] = (uint32_t)groups;
		l->block[i] = (uint32_t)local[i];
	}
	return CL_SUCCESS;
}

/*
 * Submitting
 */

static cl_int launch_check(cl_command_queue q, cl_kernel k,
			   const struct wait_list *w)
{
	cl_int e = command_check(q, w);

	if (e)
		return e;
	if (!object_is(k, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (k->program->context != q->context)
		return CL_INVALID_CONTEXT;
	for (size_t i = 0; i < k->meta->arg_count; i++)
		if (!k->args[i].set)
			return CL_INVALID_KERNEL_ARGS;
	return CL_SUCCESS;
}

static cl_int launch_make(struct ndrange *l, cl_command_queue q, cl_kernel k,
			  const struct shape *s)
{
	struct rt_func_info info;
	cl_int e = kernel_func(k, q->device, &l->func);

	if (e)
		return e;
	l->kernel = k;
	object_hold(k);
	e = launch_shape(l, s, q->device);
	if (!e)
		e = launch_take_args(l, k);
	if (!e &&
	    (rt_func_info(&info, l->func) ||
	     info.shared_bytes + l->local > device_local_bytes(q->device)))
		e = CL_OUT_OF_RESOURCES;
	if (e)
		launch_drop(l);
	return e;
}

static cl_int launch_submit(cl_command_queue q, cl_kernel k,
			    const struct shape *s, cl_command_type type,
			    const struct wait_list *w)
{
	struct ndrange l = { .kernel = NULL };
	cl_int e = launch_check(q, k, w);

	if (!e)
		e = launch_make(&l, q, k, s);
	if (e)
		return e;
	return command_submit(q,
			      &(struct cl_command){ .type = type,
						    .run = launch_run,
						    .drop = launch_drop,
						    .data = &l,
						    .size = sizeof(l) },
			      w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(
	cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
	const size_t *global, const size_t *local, cl_uint n,
	const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueNDRangeKernel");

	return cl_leave(
		e ? e :
		    launch_submit(q, k,
				  &(struct shape){ dims, offset, global,
						   local },
				  CL_COMMAND_NDRANGE_KERNEL,
				  &(struct wait_list){ n, list, event }));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue q, cl_kernel k,
					      cl_uint n, const cl_event *list,
					      cl_event *event)
{
	static const size_t one[1] = { 1 };
	cl_int e = cl_enter("clEnqueueTask");

	return cl_leave(
		e ? e :
		    launch_submit(q, k, &(struct shape){ 1, NULL, one, one },
				  CL_COMMAND_TASK,
				  &(struct wait_list){ n, list, event }));
}

typedef void(CL_CALLBACK *native_function)(void *);

/* Devices are no processors: CL_DEVICE_EXECUTION_CAPABILITIES says so. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(
	cl_command_queue q, native_function fn, void *args, size_t size,
	cl_uint mem_count, const cl_mem *mems, const void **places, cl_uint n,
	const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueNativeKernel");

	(void)fn, (void)args, (void)size, (void)mem_count, (void)mems;
	(void)places, (void)n, (void)list, (void)event;
	if (!e)
		e = object_is(q, OBJECT_QUEUE) ? CL_INVALID_OPERATION :
						 CL_INVALID_COMMAND_QUEUE;
	return cl_leave(e);
}
