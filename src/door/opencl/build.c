#include "door/opencl/build.h"

#include <stdlib.h>
#include <string.h>

void build_reset(struct build *b, int device)
{
	rt_device_set(device);
	if (b->module)
		rt_module_free(b->module);
	if (b->print)
		rt_free(b->print);
	b->module = NULL;
	b->print = NULL;
	memset(b->offset, 0, sizeof(b->offset));
	b->dim = 0;
	binary_free(&b->binary);
}

/* What a build, a compilation or a link does, for one device after the other. */
struct build_task {
	cl_program program;
	cl_uint count;
	const cl_device_id *devices;
	struct options options;
	const char *option_text;
	bool compiles, links, library;
	const struct program_header *headers;
	size_t header_count;
	/* Of clLinkProgram: the programs whose objects are linked. */
	const cl_program *inputs;
	cl_uint input_count;
	/* The device at hand. */
	cl_device_id device;
	struct blob *objects;
	size_t object_count;
	struct binary made;
	struct text log;
	struct diag why;
	enum err result;
};

static struct compile_target target_of(const struct _cl_device_id *d)
{
	unsigned sm = (unsigned)d->cfg->gpu.capability;

	return (struct compile_target){
		.isa = d->isa,
		.sm = d->isa == DEVICE_PTX ? sm : 0,
		.incoherent = d->cfg->cgm.gpu_protocol != CFG_CGM_PROTOCOL_MESI,
	};
}

/* Adds a blob to a list, with its bytes. */
static bool objects_add(struct blob **list, size_t *count, struct blob b)
{
	struct blob *more = realloc(*list, (*count + 1) * sizeof(*more));

	if (more)
		*list = more;
	if (!more || !b.at) {
		free(b.at);
		return false;
	}
	more[(*count)++] = b;
	return true;
}

static void objects_free(struct blob *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i].at);
	free(list);
}

static struct blob blob_copy(const struct blob *b)
{
	struct blob copy = { malloc(b->size + 1), b->size };

	if (copy.at)
		memcpy(copy.at, b->at, b->size + 1);
	return copy;
}

static bool objects_copy(struct build_task *t, const struct binary *from)
{
	for (size_t i = 0; i < from->part_count; i++)
		if (!objects_add(&t->objects, &t->object_count,
				 blob_copy(&from->parts[i])))
			return false;
	return true;
}

/*
 * Without the locks: the source, headers, options and objects stay.
 */

static enum err task_compile(struct build_task *t, struct compile_job *j)
{
	enum err e = compile_source(j, &t->why);

	if (!e && !objects_add(&t->objects, &t->object_count, j->out))
		e = fail(&t->why, ERR_NOMEM, "out of memory");
	j->out = (struct blob){ 0 };
	return e;
}

static enum err task_link(struct build_task *t, struct compile_job *j)
{
	enum err e;
	size_t n = 0;
	struct blob *part = NULL;

	j->objects = t->objects;
	j->object_count = t->object_count;
	e = compile_link(j, &t->why);
	t->made.meta = j->meta;
	if (!e && !objects_add(&part, &n, j->out))
		e = fail(&t->why, ERR_NOMEM, "out of memory");
	t->made.parts = part;
	t->made.part_count = n;
	return e;
}

static void task_run(void *p)
{
	struct build_task *t = p;
	struct compile_job j = { .target = target_of(t->device),
				 .source = t->program->source,
				 .name = t->program->name,
				 .headers = t->headers,
				 .header_count = t->header_count,
				 .options = &t->options };

	t->result = ERR_OK;
	if (t->compiles)
		t->result = task_compile(t, &j);
	if (!t->result && t->links)
		t->result = task_link(t, &j);
	t->log = j.log;
}

/*
 * With the locks
 */

static bool build_load(struct build *b, const struct _cl_program *p,
		       cl_device_id d, struct text *log)
{
	rt_device_set(d->number);
	if (rt_module_new_plain(&b->module, b->binary.parts[0].at,
				b->binary.parts[0].size,
				p->name[0] ? p->name : "program.cl")) {
		b->module = NULL;
		text_printf(log, "error: the code cannot be read\n");
		return false;
	}
	if (!rt_module_load(b->module))
		return true;
	text_printf(log, "error: %s\n", rt_module_log(b->module));
	rt_module_free(b->module);
	b->module = NULL;
	return false;
}

/* Takes over what the task made. */
static void build_take(struct build *b, struct build_task *t)
{
	b->binary = t->made;
	b->binary.target = target_of(t->device);
	b->binary.kind = t->links   ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE :
			 t->library ? CL_PROGRAM_BINARY_TYPE_LIBRARY :
				      CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	if (!t->links) {
		b->binary.parts = t->objects;
		b->binary.part_count = t->object_count;
		t->objects = NULL;
		t->object_count = 0;
	}
	t->made = (struct binary){ 0 };
}

/* The parts that the task starts from. */
static bool task_gather(struct build_task *t)
{
	int n = t->device->number;

	if (t->input_count == 0)
		return t->compiles ||
		       objects_copy(t, &t->program->builds[n].binary);
	for (cl_uint i = 0; i < t->input_count; i++)
		if (!objects_copy(t, &t->inputs[i]->builds[n].binary))
			return false;
	return true;
}

static bool build_device(struct build_task *t)
{
	struct build *b = &t->program->builds[t->device->number];
	/* An executable was given as a binary. */
	bool ready = !t->compiles && !t->input_count &&
		     b->binary.kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	bool ok = ready || task_gather(t);

	b->status = CL_BUILD_IN_PROGRESS;
	if (ok && !ready) {
		cl_unlocked(task_run, t);
		ok = !t->result;
		build_reset(b, t->device->number);
		if (ok)
			build_take(b, t);
		else if (t->result != ERR_SYNTAX)
			cl_say("error: %s", t->why.text);
		if (!ok && (t->result != ERR_SYNTAX || !t->log.size))
			text_printf(&t->log, "error: %s\n", t->why.text);
	}
	if (ok && !b->module &&
	    b->binary.kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		ok = build_load(b, t->program, t->device, &t->log);
	text_free(&b->log);
	b->log = t->log;
	t->log = (struct text){ 0 };
	objects_free(t->objects, t->object_count);
	t->objects = NULL;
	t->object_count = 0;
	binary_free(&t->made);
	b->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
	return ok;
}

static bool build_all(struct build_task *t)
{
	bool ok = true;

	t->program->busy = true;
	object_hold(t->program);
	for (cl_uint i = 0; i < t->count; i++) {
		struct build *b;

		t->device = t->devices[i];
		b = &t->program->builds[t->device->number];
		free(b->options);
		b->options = strdup(t->option_text ? t->option_text : "");
		ok = build_device(t) && ok;
	}
	t->program->busy = false;
	pthread_cond_broadcast(&cl.changed);
	object_drop(t->program);
	return ok;
}

/*
 * The API
 */

struct program_notice {
	cl_program program;
	program_function fn;
	void *data;
};

static void notice_run(void *p)
{
	struct program_notice *n = p;

	n->fn(n->program, n->data);
	free(n);
}

static void notify(cl_program p, program_function fn, void *data)
{
	struct program_notice *n = fn ? malloc(sizeof(*n)) : NULL;

	if (!n)
		return;
	*n = (struct program_notice){ p, fn, data };
	if (!cl_call_later(notice_run, n, p))
		free(n);
}

/* The devices of a task: those given, or all of the program. */
static cl_int task_devices(struct build_task *t, cl_uint n,
			   const cl_device_id *devices)
{
	if (!n != !devices)
		return CL_INVALID_VALUE;
	t->count = n ? n : t->program->device_count;
	t->devices = n ? devices : t->program->devices;
	for (cl_uint i = 0; i < t->count; i++)
		if (!program_has(t->program, t->devices[i]))
			return CL_INVALID_DEVICE;
	return CL_SUCCESS;
}

static cl_int task_open(struct build_task *t, cl_uint n,
			const cl_device_id *devices, const char *options,
			cl_int bad_options)
{
	cl_int e = task_devices(t, n, devices);

	if (e)
		return e;
	t->option_text = options;
	if (t->program->busy || t->program->kernels)
		return CL_INVALID_OPERATION;
	if (!options_read(&t->options, options, false, &t->why))
		return CL_SUCCESS;
	cl_say("error: %s", t->why.text);
	return bad_options;
}

static cl_int build(cl_program p, cl_uint n, const cl_device_id *devices,
		    const char *options)
{
	struct build_task t = { .program = p, .links = true };
	cl_int e = object_is(p, OBJECT_PROGRAM) ? CL_SUCCESS :
						  CL_INVALID_PROGRAM;

	if (e)
		return e;
	t.compiles = p->source != NULL;
	e = task_open(&t, n, devices, options, CL_INVALID_BUILD_OPTIONS);
	for (cl_uint i = 0; !e && !t.compiles && i < t.count; i++)
		if (!p->builds[t.devices[i]->number].binary.kind)
			e = CL_INVALID_BINARY;
	if (!e && !build_all(&t))
		e = CL_BUILD_PROGRAM_FAILURE;
	options_free(&t.options);
	return e;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program p, cl_uint n,
					       const cl_device_id *devices,
					       const char *options,
					       program_function fn, void *data)
{
	cl_int e = cl_enter("clBuildProgram");

	if (!e && !object_is(p, OBJECT_PROGRAM))
		e = CL_INVALID_PROGRAM;
	if (!e && !fn && data)
		e = CL_INVALID_VALUE;
	if (!e)
		e = build(p, n, devices, options);
	if (!e || e == CL_BUILD_PROGRAM_FAILURE)
		notify(p, fn, data);
	return cl_leave(e);
}

struct header_list {
	cl_uint count;
	const cl_program *programs;
	const char **names;
};

static cl_int headers_read(struct program_header **out,
			   const struct header_list *h)
{
	if (!h->count)
		return h->programs || h->names ? CL_INVALID_VALUE : CL_SUCCESS;
	if (!h->programs || !h->names)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < h->count; i++)
		if (!object_is(h->programs[i], OBJECT_PROGRAM))
			return CL_INVALID_PROGRAM;
		else if (!h->programs[i]->source || !h->names[i])
			return CL_INVALID_VALUE;
	*out = calloc(h->count, sizeof(**out));
	if (!*out)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < h->count; i++)
		(*out)[i] = (struct program_header){ h->names[i],
						     h->programs[i]->source };
	return CL_SUCCESS;
}

/* The headers must stay while the compiler has them. */
static void headers_hold(const struct header_list *h, bool hold)
{
	for (cl_uint i = 0; i < h->count; i++)
		if (hold)
			object_hold(h->programs[i]);
		else
			object_drop(h->programs[i]);
}

static cl_int compile(cl_program p, cl_uint n, const cl_device_id *devices,
		      const char *options, const struct header_list *h)
{
	struct build_task t = { .program = p, .compiles = true };
	struct program_header *files = NULL;
	cl_int e = object_is(p, OBJECT_PROGRAM) ? CL_SUCCESS :
						  CL_INVALID_PROGRAM;

	if (!e)
		e = headers_read(&files, h);
	if (!e && !p->source)
		e = CL_INVALID_OPERATION;
	if (!e)
		e = task_open(&t, n, devices, options,
			      CL_INVALID_COMPILER_OPTIONS);
	if (!e) {
		t.headers = files;
		t.header_count = h->count;
		headers_hold(h, true);
		e = build_all(&t) ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE;
		headers_hold(h, false);
	}
	options_free(&t.options);
	free(files);
	return e;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(
	cl_program p, cl_uint n, const cl_device_id *devices,
	const char *options, cl_uint headers, const cl_program *programs,
	const char **names, program_function fn, void *data)
{
	cl_int e = cl_enter("clCompileProgram");

	if (!e && !object_is(p, OBJECT_PROGRAM))
		e = CL_INVALID_PROGRAM;
	if (!e && !fn && data)
		e = CL_INVALID_VALUE;
	if (!e)
		e = compile(p, n, devices, options,
			    &(struct header_list){ headers, programs, names });
	if (!e || e == CL_COMPILE_PROGRAM_FAILURE)
		notify(p, fn, data);
	return cl_leave(e);
}

/* Every input must be an object or a library, for all of the devices. */
static cl_int link_check_inputs(const struct build_task *t, cl_context c)
{
	if (!t->input_count || !t->inputs)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < t->input_count; i++)
		if (!object_is(t->inputs[i], OBJECT_PROGRAM) ||
		    t->inputs[i]->context != c)
			return CL_INVALID_PROGRAM;
	for (cl_uint k = 0; k < t->count; k++)
		for (cl_uint i = 0; i < t->input_count; i++) {
			const struct binary *b =
				&t->inputs[i]
					 ->builds[t->devices[k]->number]
					 .binary;

			if (b->kind != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
			    b->kind != CL_PROGRAM_BINARY_TYPE_LIBRARY)
				return CL_INVALID_OPERATION;
		}
	return CL_SUCCESS;
}

static cl_int link_programs(cl_program *out, cl_context c, cl_uint n,
			    const cl_device_id *devices, struct build_task *t)
{
	cl_int e;

	if (!object_is(c, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!n != !devices)
		return CL_INVALID_VALUE;
	t->count = n ? n : c->device_count;
	t->devices = n ? devices : c->devices;
	for (cl_uint i = 0; i < t->count; i++)
		if (!context_has(c, t->devices[i]))
			return CL_INVALID_DEVICE;
	e = link_check_inputs(t, c);
	if (e)
		return e;
	if (options_read(&t->options, t->option_text, true, &t->why)) {
		cl_say("error: %s", t->why.text);
		return CL_INVALID_LINKER_OPTIONS;
	}
	*out = program_new(c, t->count, t->devices);
	if (!*out)
		return CL_OUT_OF_HOST_MEMORY;
	t->program = *out;
	t->library = t->options.library;
	t->links = !t->library;
	return build_all(t) ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
}

CL_API_ENTRY cl_program CL_API_CALL
clLinkProgram(cl_context c, cl_uint n, const cl_device_id *devices,
	      const char *options, cl_uint inputs, const cl_program *list,
	      program_function fn, void *data, cl_int *error)
{
	cl_int e = cl_enter("clLinkProgram");
	struct build_task t = { .option_text = options,
				.inputs = list,
				.input_count = inputs };
	cl_program p = NULL;

	if (!e && !fn && data)
		e = CL_INVALID_VALUE;
	if (!e)
		e = link_programs(&p, c, n, devices, &t);
	options_free(&t.options);
	if (p)
		notify(p, fn, data);
	if (error)
		*error = e;
	cl_leave(e);
	return p;
}
