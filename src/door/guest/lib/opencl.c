/*
 * libheddle_guest_opencl.a: OpenCL 1.2, and shared virtual memory, for static x86-64
 * programs that run on a simulated system: each call is one system call of Heddle's
 * own (door/guest/wire.h).
 *
 * A command that blocks is one that does not, and a wait (event.c). svm.c has shared
 * virtual memory. On any other machine than Heddle's the calls fail.
 */
#include "door/guest/lib/lib.h"

#include <stdlib.h>
#include <string.h>

/* DIRECT functions are the program's, those BELOW have a name of our own. */
#define NAME_DIRECT(name) CL_API_ENTRY CL_API_CALL name
#define NAME_BELOW(name) below_##name
#define NAME_MOVES(name) below_##name
#define CLASS_DIRECT
#define CLASS_BELOW static __attribute__((unused))
#define CLASS_MOVES CLASS_BELOW
#define INT cl_int
#define NEW(type) type
#define PTR void *
#define ADDR void *
#define BODY(name, result, ...)                                     \
	{                                                           \
		const uint64_t words[] = { __VA_ARGS__ };           \
                                                                    \
		return (result)gcl_program_call(GCL_##name, words); \
	}
#define HEAD(way, result, name) CLASS_##way result NAME_##way(name)
/* clang-format off */
#define CALL1(way, result, name, t0, k0) \
	HEAD(way, result, name)(t0 a0) BODY(name, result, W(a0))
#define CALL2(way, result, name, t0, k0, t1, k1) \
	HEAD(way, result, name)(t0 a0, t1 a1) BODY(name, result, W(a0), W(a1))
#define CALL3(way, result, name, t0, k0, t1, k1, t2, k2) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2) BODY(name, result, W(a0), W(a1), W(a2))
#define CALL4(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3) BODY(name, result, W(a0), W(a1), W(a2), W(a3))
#define CALL5(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4))
#define CALL6(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5))
#define CALL7(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6))
#define CALL8(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6), W(a7))
#define CALL9(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6), W(a7), W(a8))
#define CALL10(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6), W(a7), W(a8), W(a9))
#define CALL11(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6), W(a7), W(a8), W(a9), W(a10))
#define CALL12(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10, t11 a11) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6), W(a7), W(a8), W(a9), W(a10), W(a11))
#define CALL13(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11, t12, k12) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10, t11 a11, t12 a12) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6), W(a7), W(a8), W(a9), W(a10), W(a11), W(a12))
#define CALL14(way, result, name, t0, k0, t1, k1, t2, k2, t3, k3, t4, k4, t5, k5, t6, k6, t7, k7, t8, k8, t9, k9, t10, k10, t11, k11, t12, k12, t13, k13) \
	HEAD(way, result, name)(t0 a0, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10, t11 a11, t12 a12, t13 a13) BODY(name, result, W(a0), W(a1), W(a2), W(a3), W(a4), W(a5), W(a6), W(a7), W(a8), W(a9), W(a10), W(a11), W(a12), W(a13))
/* clang-format on */
#include "door/guest/call.def"

/*
 * Moving bytes: the program does it itself, in the device's memory, which is in its
 * own. It waits for what comes before, so that a copy that need not block may.
 */

struct place {
	cl_command_queue queue;
	cl_mem buffer;
	bool writes; /* to the buffer */
	size_t offset, size;
	const void *host;
	size_t host_size;
	cl_uint waits; /* events that it waits for */
	const cl_event *list;
};

/* NULL: the simulator shall do it, or say what is wrong. */
static char *find_place(const struct place *p)
{
	const uint64_t words[] = { W(p->queue),  W(p->buffer), p->writes,
				   p->offset,    p->size,      W(p->host),
				   p->host_size, p->waits,     W(p->list) };

	return (char *)gcl_call(GCL_PLACE, words);
}

/* What the list and the queue have before the copy. False: some of it failed. */
static bool wait_before(const struct place *p)
{
	if (p->waits && gcl_wait(p->waits, p->list))
		return false;
	return !clFinish(p->queue);
}

enum { BLOCK = 64 };

bool gcl_flushes(void)
{
	static int known; /* 1: no, 2: yes */

	if (!known)
		known = 1 + (gcl_call(GCL_FLUSHES, NULL) != 0);
	return known == 2;
}

void gcl_flush(const void *from, size_t size)
{
	const char *at = from, *end = at + size;

	if (!gcl_flushes())
		return;
	for (at -= (uint64_t)at % BLOCK; at < end; at += BLOCK)
		__builtin_ia32_clflush(at);
}

/* A buffer may be the host's bytes itself. */
static void move(const struct place *p, char *at)
{
	char *host = (char *)(uint64_t)p->host;

	if (!p->writes)
		gcl_flush(at, p->size);
	if (at != host)
		memcpy(p->writes ? at : host, p->writes ? host : at, p->size);
	if (p->writes)
		gcl_flush(at, p->size);
}

/* A copy of a line. True: the bytes are where they should be. */
static bool move_line(const struct place *p)
{
	char *at = p->host ? find_place(p) : NULL;

	if (!at || !wait_before(p))
		return false;
	move(p, at);
	return true;
}

/* The rest of a command whose bytes were moved, or not, is the simulator's. */
#define MOVE_CALL(moved, function, ...)                                   \
	({                                                                \
		const uint64_t words_[] = { __VA_ARGS__ };                \
                                                                          \
		gcl_call((function) + ((moved) ? GCL_MOVED : 0), words_); \
	})

static cl_int enqueue_line(const struct place *p, cl_bool blocks,
			   cl_event *event)
{
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, blocks, p->waits, p->list, event);
	enum gcl_function f = p->writes ? GCL_clEnqueueWriteBuffer :
					  GCL_clEnqueueReadBuffer;
	bool moved = move_line(p);

	return gcl_end(&b, (cl_int)MOVE_CALL(moved, f, W(p->queue),
					     W(p->buffer), CL_FALSE, p->offset,
					     p->size, W(p->host), p->waits,
					     W(p->list), W(place)));
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocks,
			   size_t offset, size_t size, void *to, cl_uint n,
			   const cl_event *list, cl_event *event)
{
	return enqueue_line(&(struct place){ q, m, false, offset, size, to,
					     size, n, list },
			    blocks, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocks,
			    size_t offset, size_t size, const void *from,
			    cl_uint n, const cl_event *list, cl_event *event)
{
	return enqueue_line(&(struct place){ q, m, true, offset, size, from,
					     size, n, list },
			    blocks, event);
}

/* A box of a buffer and of the host's memory: rows and slices of bytes. */
struct box {
	const size_t *origin, *region;
	size_t row, slice;
};

static size_t box_row(const struct box *b)
{
	return b->row ? b->row : b->region[0];
}

static size_t box_slice(const struct box *b)
{
	return b->slice ? b->slice : b->region[1] * box_row(b);
}

static size_t box_at(const struct box *b, size_t y, size_t z)
{
	return (b->origin[2] + z) * box_slice(b) +
	       (b->origin[1] + y) * box_row(b) + b->origin[0];
}

/* The bytes from the first one to the last. */
static size_t box_span(const struct box *b)
{
	return box_at(b, b->region[1] - 1, b->region[2] - 1) + b->region[0] -
	       box_at(b, 0, 0);
}

static bool box_is_valid(const struct box *b)
{
	return b->origin && b->region && b->region[0] && b->region[1] &&
	       b->region[2] && box_row(b) >= b->region[0] &&
	       box_slice(b) >= b->region[1] * box_row(b) &&
	       box_slice(b) % box_row(b) == 0;
}

/* p: queue, buffer, direction, and where the host's memory begins. */
static bool move_box(struct place p, const struct box *mem,
		     const struct box *host)
{
	const char *begin = p.host;
	char *at;

	if (!begin || !box_is_valid(mem) || !box_is_valid(host))
		return false;
	p.offset = box_at(mem, 0, 0);
	p.size = box_span(mem);
	p.host = begin + box_at(host, 0, 0);
	p.host_size = box_span(host);
	at = find_place(&p);
	if (!at || !wait_before(&p))
		return false;
	at -= p.offset;
	p.size = mem->region[0];
	for (size_t z = 0; z < mem->region[2]; z++)
		for (size_t y = 0; y < mem->region[1]; y++) {
			p.host = begin + box_at(host, y, z);
			move(&p, at + box_at(mem, y, z));
		}
	return true;
}

/* A command that moves a box, on its way to the simulator. */
struct box_command {
	struct place place; /* without offset and sizes */
	struct box mem, host;
	cl_bool blocks;
	cl_event *event;
};

static cl_int enqueue_rect(const struct box_command *r)
{
	const struct place *p = &r->place;
	const struct box *m = &r->mem, *h = &r->host;
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, r->blocks, p->waits, p->list, r->event);
	enum gcl_function f = p->writes ? GCL_clEnqueueWriteBufferRect :
					  GCL_clEnqueueReadBufferRect;
	bool moved = move_box(*p, m, h);

	return gcl_end(&b,
		       (cl_int)MOVE_CALL(moved, f, W(p->queue), W(p->buffer),
					 CL_FALSE, W(m->origin), W(h->origin),
					 W(m->region), m->row, m->slice, h->row,
					 h->slice, W(p->host), p->waits,
					 W(p->list), W(place)));
}

cl_int clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocks,
			       const size_t *origin, const size_t *host_origin,
			       const size_t *region, size_t row, size_t slice,
			       size_t host_row, size_t host_slice, void *to,
			       cl_uint n, const cl_event *list, cl_event *event)
{
	return enqueue_rect(&(struct box_command){
		{ q, m, false, 0, 0, to, 0, n, list },
		{ origin, region, row, slice },
		{ host_origin, region, host_row, host_slice },
		blocks,
		event });
}

cl_int clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool blocks,
				const size_t *origin, const size_t *host_origin,
				const size_t *region, size_t row, size_t slice,
				size_t host_row, size_t host_slice,
				const void *from, cl_uint n,
				const cl_event *list, cl_event *event)
{
	return enqueue_rect(&(struct box_command){
		{ q, m, true, 0, 0, from, 0, n, list },
		{ origin, region, row, slice },
		{ host_origin, region, host_row, host_slice },
		blocks,
		event });
}

/* One that has its contents from the program gets them from here. */
cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *host,
		      cl_int *error)
{
	struct place p = { .writes = true, .host = host, .host_size = size };
	cl_int e = CL_SUCCESS;
	bool moves = host && find_place(&p);
	cl_mem m = (cl_mem)MOVE_CALL(moves, GCL_clCreateBuffer, W(c), flags,
				     size, W(host), W(&e));
	char *at = NULL;

	gcl_callbacks_run();
	p.buffer = m;
	p.size = size;
	if (m && moves)
		at = find_place(&p);
	if (at)
		move(&p, at);
	if (error)
		*error = e;
	return m;
}

/* The host's bytes of a box of an image, from the first row to the last. */
static void flush_image(cl_mem m, const size_t *region, size_t row,
			size_t slice, const void *host)
{
	size_t element;

	if (!gcl_flushes() || !region || !host ||
	    clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof(element), &element,
			   NULL))
		return;
	if (!row)
		row = region[0] * element;
	if (!slice)
		slice = region[1] * row;
	gcl_flush(host, region[2] * slice);
}

cl_int clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocks,
			  const size_t *origin, const size_t *region,
			  size_t row, size_t slice, void *to, cl_uint n,
			  const cl_event *list, cl_event *event)
{
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, blocks, n, list, event);
	cl_int e = gcl_end(&b, below_clEnqueueReadImage(q, m, CL_FALSE, origin,
							region, row, slice, to,
							n, list, place));

	if (!e)
		flush_image(m, region, row, slice, to);
	return e;
}

cl_int clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocks,
			   const size_t *origin, const size_t *region,
			   size_t row, size_t slice, const void *from,
			   cl_uint n, const cl_event *list, cl_event *event)
{
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, blocks, n, list, event);

	flush_image(m, region, row, slice, from);
	return gcl_end(&b, below_clEnqueueWriteImage(q, m, CL_FALSE, origin,
						     region, row, slice, from,
						     n, list, place));
}

/* The end of a map: NULL if it failed. */
static void *end_map(struct gcl_blocking *b, void *at, cl_int e, cl_int *error)
{
	e = gcl_end(b, e);
	if (error)
		*error = e;
	return e ? NULL : at;
}

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocks,
			 cl_map_flags flags, size_t offset, size_t size,
			 cl_uint n, const cl_event *list, cl_event *event,
			 cl_int *error)
{
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, blocks, n, list, event);
	cl_int e;
	void *at = below_clEnqueueMapBuffer(q, m, CL_FALSE, flags, offset, size,
					    n, list, place, &e);

	at = end_map(&b, at, e, error);
	if (at)
		gcl_mapped(at, size);
	return at;
}

void *clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocks,
			cl_map_flags flags, const size_t *origin,
			const size_t *region, size_t *row, size_t *slice,
			cl_uint n, const cl_event *list, cl_event *event,
			cl_int *error)
{
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, blocks, n, list, event);
	cl_int e;
	void *at = below_clEnqueueMapImage(q, m, CL_FALSE, flags, origin,
					   region, row, slice, n, list, place,
					   &e);

	at = end_map(&b, at, e, error);
	if (at)
		gcl_mapped(at, slice && *slice ? region[2] * *slice :
						 region[1] * *row);
	return at;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *at,
			       cl_uint n, const cl_event *list, cl_event *event)
{
	gcl_unmapped(at);
	return below_clEnqueueUnmapMemObject(q, m, at, n, list, event);
}

/*
 * Calls back. Programs are built while the call lasts, so that the function can be
 * called at its end.
 */

cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *devices,
		      const char *options, gcl_program_function *fn, void *data)
{
	cl_int e;

	if (!fn && data)
		return CL_INVALID_VALUE;
	e = below_clBuildProgram(p, n, devices, options, NULL, NULL);
	if (fn && (!e || e == CL_BUILD_PROGRAM_FAILURE))
		fn(p, data);
	return e;
}

cl_int clCompileProgram(cl_program p, cl_uint n, const cl_device_id *devices,
			const char *options, cl_uint headers,
			const cl_program *programs, const char **names,
			gcl_program_function *fn, void *data)
{
	cl_int e;

	if (!fn && data)
		return CL_INVALID_VALUE;
	e = below_clCompileProgram(p, n, devices, options, headers, programs,
				   names, NULL, NULL);
	if (fn && (!e || e == CL_COMPILE_PROGRAM_FAILURE))
		fn(p, data);
	return e;
}

cl_program clLinkProgram(cl_context c, cl_uint n, const cl_device_id *devices,
			 const char *options, cl_uint inputs,
			 const cl_program *list, gcl_program_function *fn,
			 void *data, cl_int *error)
{
	cl_program p = NULL;
	cl_int e = CL_INVALID_VALUE;

	if (fn || !data)
		p = below_clLinkProgram(c, n, devices, options, inputs, list,
					NULL, NULL, &e);
	if (p && fn)
		fn(p, data);
	if (error)
		*error = e;
	return p;
}

/*
 * What the simulator need not know
 */

cl_int clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *fn)(void *),
			     void *args, size_t size, cl_uint mems,
			     const cl_mem *list, const void **places, cl_uint n,
			     const cl_event *events, cl_event *event)
{
	cl_int e = clFlush(q);

	(void)fn, (void)args, (void)size, (void)mems, (void)list;
	(void)places, (void)n, (void)events, (void)event;
	return e ? e : CL_INVALID_OPERATION;
}

cl_int clUnloadCompiler(void)
{
	return CL_SUCCESS;
}

void *clGetExtensionFunctionAddress(const char *name)
{
	(void)name;
	return NULL;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id p,
					       const char *name)
{
	(void)p, (void)name;
	return NULL;
}
