/* Copies and sets of boxes of bytes, in memory and in arrays. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "door/rt/alloc.h"
#include "door/rt/report.h"
#include "door/rt/state.h"

/* Where a box lies: its first byte, and the bytes from row to row and from
 * slice to slice. */
struct copy_side {
	bool host;
	int device;
	uint64_t at;
	uint64_t row, slice;
};

/* Computes the bytes from the first of the box to its end; false: overflow. */
static bool side_reach(const struct copy_side *s, size_t width, size_t height,
		       size_t depth, uint64_t *out)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow(s->row, height - 1, &rows) &&
	       !__builtin_mul_overflow(s->slice, depth - 1, &slices) &&
	       !__builtin_add_overflow(rows, slices, out) &&
	       !__builtin_add_overflow(*out, width, out) &&
	       s->at + *out >= s->at;
}

/* Whether the host has memory there. An access would find out by a signal. */
static bool host_is_mapped(uint64_t at, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = at / page * page;

	return at >= page &&
	       msync((void *)(uintptr_t)from, at + size - from, MS_ASYNC) == 0;
}

/* Finds the memory that holds the bytes; false: there is none, or not where
 * `where` allows it. */
static bool side_find_memory(struct copy_side *s, uint64_t size,
			     enum rt_where where)
{
	const struct alloc *a = alloc_find(s->at);
	struct rt_pointer p;

	if (a) {
		s->host = a->kind != RT_DEVICE;
		s->device = a->device;
		return a->registered || size <= a->base + a->size - s->at;
	}
	rt_pointer(&p, (void *)(uintptr_t)s->at);
	s->host = p.kind == RT_UNREGISTERED;
	s->device = p.device;
	if (!s->host)
		return size <= (uint64_t)(uintptr_t)p.base + p.size - s->at;
	return where != RT_AT_DEVICE && host_is_mapped(s->at, size);
}

static int side_resolve_array(struct copy_side *s, const struct rt_place *p,
			      const struct rt_copy *c)
{
	struct rt_array_info info;
	int e = rt_array_info(&info, p->array);
	size_t height, depth;

	if (e)
		return e;
	height = info.extent.height ? info.extent.height : 1;
	depth = info.extent.depth ? info.extent.depth : 1;
	s->row = info.extent.width * info.element;
	s->slice = s->row * height;
	if (p->x > s->row || c->width > s->row - p->x || p->y > height ||
	    c->height > height - p->y || p->z > depth ||
	    c->depth > depth - p->z)
		return cudaErrorInvalidValue;
	s->device = info.device;
	s->at = array_address(p->array) + p->x + p->y * s->row +
		p->z * s->slice;
	return cudaSuccess;
}

static int side_resolve(struct copy_side *s, const struct rt_place *p,
			const struct rt_copy *c)
{
	uint64_t size;

	*s = (struct copy_side){ 0 };
	if (p->where == RT_AT_ARRAY)
		return side_resolve_array(s, p, c);
	s->row = p->pitch ? p->pitch : c->width;
	if (s->row < c->width)
		return cudaErrorInvalidPitchValue;
	if (__builtin_mul_overflow(s->row, p->rows ? p->rows : c->height,
				   &s->slice))
		return cudaErrorInvalidValue;
	s->at = (uint64_t)(uintptr_t)p->p + p->x + p->y * s->row +
		p->z * s->slice;
	return p->p && side_reach(s, c->width, c->height, c->depth, &size) &&
			       side_find_memory(s, size, p->where) ?
		       cudaSuccess :
		       cudaErrorInvalidValue;
}

static bool copy_is_empty(const struct rt_copy *c)
{
	return !c->width || !c->height || !c->depth;
}

static int copy_resolve(struct copy_side *to, struct copy_side *from,
			const struct rt_copy *c)
{
	int e = side_resolve(to, &c->to, c);

	return e ? e : side_resolve(from, &c->from, c);
}

int copy_check(const struct rt_copy *c)
{
	struct copy_side to, from;

	return copy_is_empty(c) ? cudaSuccess : copy_resolve(&to, &from, c);
}

static void *host_pointer(uint64_t at)
{
	return (void *)(uintptr_t)at;
}

/* Copies from one device to another through the host. */
static int copy_between_devices(const struct copy_side *to,
				const struct copy_side *from, uint64_t t,
				uint64_t f, size_t size)
{
	enum { PIECE = 1 << 20 };
	char *buffer = malloc(size < PIECE ? size : PIECE);
	int e = 0;

	if (!buffer)
		return HEDDLE_NOMEM;
	for (size_t done = 0; !e && done < size; done += PIECE) {
		size_t n = size - done < PIECE ? size - done : PIECE;

		e = heddle_read(rt.devices[from->device].sim, buffer, f + done,
				n, NULL);
		if (!e)
			e = heddle_write(rt.devices[to->device].sim, t + done,
					 buffer, n, NULL);
	}
	free(buffer);
	return e;
}

/* Copies one row. Returns the simulator's status. */
static int copy_row(const struct copy_side *to, const struct copy_side *from,
		    uint64_t t, uint64_t f, size_t size)
{
	if (to->host && from->host) {
		memmove(host_pointer(t), host_pointer(f), size);
		return HEDDLE_OK;
	}
	if (to->host)
		return heddle_read(rt.devices[from->device].sim,
				   host_pointer(t), f, size, NULL);
	if (from->host)
		return heddle_write(rt.devices[to->device].sim, t,
				    host_pointer(f), size, NULL);
	if (to->device == from->device)
		return heddle_copy(rt.devices[to->device].sim, t, f, size,
				   NULL);
	return copy_between_devices(to, from, t, f, size);
}

static int copy_rows(const struct copy_side *to, const struct copy_side *from,
		     const struct rt_copy *c)
{
	size_t width = c->width, height = c->height, depth = c->depth;
	int e = 0;

	/* Merge rows, then slices, that have no gaps into one long row. */
	if (to->row == width && from->row == width) {
		width *= height;
		height = 1;
		if (to->slice == width && from->slice == width) {
			width *= depth;
			depth = 1;
		}
	}
	for (size_t z = 0; z < depth; z++)
		for (size_t y = 0; !e && y < height; y++)
			e = copy_row(to, from,
				     to->at + z * to->slice + y * to->row,
				     from->at + z * from->slice + y * from->row,
				     width);
	return e ? cudaErrorInvalidValue : cudaSuccess;
}

static void copy_report(const struct copy_side *to,
			const struct copy_side *from, uint64_t bytes,
			struct rt_stream *s)
{
	struct report_copy r = { .device = s->device,
				 .stream = s->id,
				 .bytes = bytes };
	struct time_span t;

	r.kind = to->host   ? from->host ? REPORT_HOST_TO_HOST :
					   REPORT_DEVICE_TO_HOST :
		 from->host ? REPORT_HOST_TO_DEVICE :
			      REPORT_DEVICE_TO_DEVICE;
	if (r.kind == REPORT_HOST_TO_HOST)
		t = (struct time_span){ stream_start_time(s),
					stream_start_time(s) };
	else
		t = time_copy(s, bytes,
			      to->host || from->host ||
				      to->device != from->device);
	r.start = t.start;
	r.end = t.end;
	report_copy(&r);
}

int copy_run(const struct rt_copy *c, struct rt_stream *s)
{
	struct copy_side to, from;
	int e;

	if (copy_is_empty(c))
		return cudaSuccess;
	e = copy_resolve(&to, &from, c);
	if (e)
		return e;
	rt_flush();
	if (rt.devices[s->device].fault)
		return rt.devices[s->device].fault;
	e = copy_rows(&to, &from, c);
	if (!e)
		copy_report(&to, &from, c->width * c->height * c->depth, s);
	return e;
}

int rt_poke(void *at, const void *from, size_t size)
{
	struct rt_device *d;
	int e = current_device(&d);

	rt_flush();
	return e ? e :
	       heddle_write(d->sim, (uint64_t)(uintptr_t)at, from, size, NULL) ?
		   cudaErrorInvalidValue :
		   cudaSuccess;
}

int rt_peek(void *to, const void *at, size_t size)
{
	struct rt_device *d;
	int e = current_device(&d);

	rt_flush();
	return e ? e :
	       heddle_read(d->sim, to, (uint64_t)(uintptr_t)at, size, NULL) ?
		   cudaErrorInvalidValue :
		   cudaSuccess;
}

int rt_copy_kind(int kind, enum rt_where *to, enum rt_where *from)
{
	static const struct {
		enum rt_where to, from;
	} rows[] = {
		[cudaMemcpyHostToHost] = { RT_AT_HOST, RT_AT_HOST },
		[cudaMemcpyHostToDevice] = { RT_AT_DEVICE, RT_AT_HOST },
		[cudaMemcpyDeviceToHost] = { RT_AT_HOST, RT_AT_DEVICE },
		[cudaMemcpyDeviceToDevice] = { RT_AT_DEVICE, RT_AT_DEVICE },
		[cudaMemcpyDefault] = { RT_ANYWHERE, RT_ANYWHERE },
	};

	if (kind < 0 || kind >= (int)(sizeof(rows) / sizeof(rows[0])))
		return cudaErrorInvalidMemcpyDirection;
	*to = rows[kind].to;
	*from = rows[kind].from;
	return cudaSuccess;
}

/* Advances the host's time if the caller waits for the stream. */
static void host_wait_for(const struct rt_stream *s, bool wait)
{
	if (wait)
		host_advance(stream_start_time(s));
}

static int submit_and_wait(struct rt_work *w, struct rt_stream *s, bool wait)
{
	int e = wait ? capture_check_unsafe() : cudaSuccess;

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!e)
		e = work_submit(s, w);
	if (!e)
		host_wait_for(s, wait);
	return e;
}

int rt_copy(const struct rt_copy *c, struct rt_stream *s, bool wait)
{
	struct rt_work w = { .kind = RT_NODE_COPY, .copy = *c };

	return submit_and_wait(&w, s, wait);
}

int rt_copy_line(void *to, const void *from, size_t size, int kind,
		 struct rt_stream *s, bool wait)
{
	struct rt_copy c = { .to.p = to,
			     .from.p = (void *)(uintptr_t)from,
			     .width = size,
			     .height = 1,
			     .depth = 1 };
	int e = rt_copy_kind(kind, &c.to.where, &c.from.where);

	return e ? e : rt_copy(&c, s, wait);
}

/* Resolves the memory that a set writes into a box of bytes. */
static int set_resolve(struct copy_side *s, const struct rt_set *set)
{
	uint64_t size, width = set->width * set->element;

	if ((set->element != 1 && set->element != 2 && set->element != 4) ||
	    width / set->element != set->width)
		return cudaErrorInvalidValue;
	*s = (struct copy_side){ .at = (uint64_t)(uintptr_t)set->p,
				 .row = set->pitch ? set->pitch : width };
	if (s->row < width || s->at % set->element || s->row % set->element ||
	    __builtin_mul_overflow(s->row, set->rows ? set->rows : set->height,
				   &s->slice))
		return cudaErrorInvalidValue;
	return set->p && side_reach(s, width, set->height, set->depth, &size) &&
			       side_find_memory(s, size, RT_AT_DEVICE) ?
		       cudaSuccess :
		       cudaErrorInvalidValue;
}

int set_check(const struct rt_set *set)
{
	struct copy_side s;

	return set->width && set->height && set->depth ? set_resolve(&s, set) :
							 cudaSuccess;
}

/* Repeats the element over a buffer. */
static void set_fill(char *to, const struct rt_set *set, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += set->element)
		memcpy(to + i, &set->value, set->element);
}

static int set_row(const struct copy_side *s, const struct rt_set *set,
		   uint64_t at, size_t bytes)
{
	char piece[4096];
	int e = 0;

	if (s->host) {
		set_fill(host_pointer(at), set, bytes);
		return 0;
	}
	if (set->element == 1)
		return heddle_set(rt.devices[s->device].sim, at,
				  (uint8_t)set->value, bytes, NULL);
	set_fill(piece, set, sizeof(piece));
	for (size_t done = 0; !e && done < bytes; done += sizeof(piece))
		e = heddle_write(rt.devices[s->device].sim, at + done, piece,
				 bytes - done < sizeof(piece) ? bytes - done :
								sizeof(piece),
				 NULL);
	return e;
}

int set_run(const struct rt_set *set, struct rt_stream *s)
{
	size_t bytes = set->width * set->element;
	struct report_copy r = { .kind = REPORT_SET, .stream = s->id };
	struct copy_side side;
	struct time_span t;
	int e;

	if (!set->width || !set->height || !set->depth)
		return cudaSuccess;
	e = set_resolve(&side, set);
	if (e)
		return e;
	rt_flush();
	if (rt.devices[s->device].fault)
		return rt.devices[s->device].fault;
	for (size_t z = 0; z < set->depth; z++)
		for (size_t y = 0; !e && y < set->height; y++)
			e = set_row(&side, set,
				    side.at + z * side.slice + y * side.row,
				    bytes);
	if (e)
		return cudaErrorInvalidValue;
	r.bytes = bytes * set->height * set->depth;
	t = time_set(s, r.bytes);
	r.device = s->device;
	r.start = t.start;
	r.end = t.end;
	report_copy(&r);
	return cudaSuccess;
}

int rt_set(const struct rt_set *set, struct rt_stream *s, bool wait)
{
	struct rt_work w = { .kind = RT_NODE_SET, .set = *set };

	return submit_and_wait(&w, s, wait);
}
