/* The device's memory, and what moves between it and the program's. */
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "door/guest/rt_state.h"
#include "door/opencl/svm.h"

static uint64_t device_address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/*
 * The device's memory is the program's, too, which copies to it and from it. Of a
 * GPU with an address space of its own, the program sees an address so much
 * further on.
 */

uint64_t memory_to_program(uint64_t device)
{
	return device + gcl.distance;
}

static struct allocation **allocation_at(uint64_t at)
{
	struct allocation **a = &gcl.allocations;

	while (*a && (*a)->at != at)
		a = &(*a)->next;
	return a;
}

static bool memory_map(struct allocation *a)
{
	uint64_t at = x86_process_map(gcl.process, a->size);
	struct diag d;

	if (!at)
		return false;
	a->at = at - gcl.distance;
	if (at > gcl.distance &&
	    !gmem_map_at(&gcl.sim->gmem, a->at, gcl_pointer(at), a->size, &d))
		return true;
	x86_process_unmap(gcl.process, at, a->size);
	return false;
}

int rt_malloc(void **out, size_t size)
{
	struct allocation *a = malloc(sizeof(*a));
	uint64_t left = (uint64_t)rt_device_cfg(0)->dram.bytes - gcl.used;

	if (!a)
		return cudaErrorMemoryAllocation;
	*a = (struct allocation){ .next = gcl.allocations, .size = size };
	if (size > left || !memory_map(a)) {
		free(a);
		return cudaErrorMemoryAllocation;
	}
	gcl.allocations = a;
	gcl.used += size;
	*out = (void *)(uintptr_t)a->at;
	return cudaSuccess;
}

static void device_free(void *p)
{
	struct allocation **place = allocation_at(device_address(p)), *a;
	struct diag d;

	a = *place;
	if (!a || gmem_unmap_at(&gcl.sim->gmem, a->at, &d))
		return;
	x86_process_unmap(gcl.process, memory_to_program(a->at), a->size);
	gcl.used -= a->size;
	*place = a->next;
	free(a);
}

/* One address for the program and the device: they share the address space. */
int rt_malloc_managed(void **out, size_t size, unsigned flags)
{
	(void)flags;
	return gcl.distance ? cudaErrorNotSupported : rt_malloc(out, size);
}

int rt_free(void *p)
{
	if (p)
		free_when_idle(device_free, p);
	return cudaSuccess;
}

void memory_free_all(void)
{
	while (gcl.allocations) {
		struct allocation *next = gcl.allocations->next;

		free(gcl.allocations);
		gcl.allocations = next;
	}
}

void *map_shared(const void *device)
{
	return gcl_pointer(memory_to_program(device_address(device)));
}

/*
 * Memory of the program that is not the device's: kernels may access it if both
 * have one address space, and know of no windows for other memory in it.
 */

enum { BEYOND_PAGES = 4096 };

static bool page_is_open(const struct x86_mem *m, uint64_t page)
{
	const unsigned both = X86_READ | X86_WRITE;

	return (m->allowed[page] & both) == both;
}

/* The bytes lie in pages that may be read and written: how far do these go on? */
static struct range open_range(const struct x86_mem *m, uint64_t at,
			       uint64_t size)
{
	uint64_t first = at / X86_PAGE, end = (at + size - 1) / X86_PAGE + 1;

	for (unsigned i = 0; i < BEYOND_PAGES && page_is_open(m, end); i++)
		end++;
	return (struct range){ first * X86_PAGE, (end - first) * X86_PAGE,
			       (char *)m->memory + first * X86_PAGE };
}

static bool beyond_find(void *ctx, uint64_t at, uint64_t size, bool write,
			struct range *out, bool *kept)
{
	struct x86_mem *m = x86_process_mem(gcl.process);

	(void)ctx;
	if (!x86_mem_can(m, at, size,
			 write ? X86_WRITE | X86_DECODED : X86_READ))
		return false;
	if (write)
		(void)x86_mem_put(m, at, size);
	*kept = x86_mem_can(m, at, size, X86_WRITE);
	*out = *kept ? open_range(m, at, size) :
		       (struct range){ at, size, (char *)m->memory + at };
	return true;
}

void memory_share(void)
{
	if (gcl.shares)
		gcl.sim->gmem.beyond =
			(struct gmem_beyond){ NULL, beyond_find };
}

void *map_direct(void *host, size_t size)
{
	uint64_t at = gcl_address(host);

	return !gcl.distance &&
			       (gcl.shares ||
				svm_find((void *)(uintptr_t)at, size)) &&
			       x86_mem_can(x86_process_mem(gcl.process), at,
					   size, X86_WRITE) ?
		       (void *)(uintptr_t)at :
		       NULL;
}

void *map_host(void *pointer)
{
	return gcl_pointer(device_address(pointer));
}

/* The host's address of device memory; NULL: it is not allocated. */
static char *device_bytes(const void *p, uint64_t size)
{
	void *host;
	struct range r;
	struct diag d;
	bool kept;

	if (!gmem_host(&gcl.sim->gmem, device_address(p), size, &host, &d))
		return host;
	if (!gcl.shares ||
	    !beyond_find(NULL, device_address(p), size, true, &r, &kept))
		return NULL;
	return r.host + (device_address(p) - r.base);
}

int rt_poke(void *at, const void *from, size_t size)
{
	char *to = device_bytes(at, size);

	if (!to)
		return cudaErrorInvalidValue;
	memcpy(to, from, size);
	return cudaSuccess;
}

int rt_peek(void *to, const void *at, size_t size)
{
	const char *from = device_bytes(at, size);

	if (!from)
		return cudaErrorInvalidValue;
	memcpy(to, from, size);
	return cudaSuccess;
}

/*
 * Boxes of bytes
 */

/* The bytes from the first to the last of a box; false: more than there can be. */
static bool box_span(const struct rt_place *p, const struct rt_copy *c,
		     uint64_t *span)
{
	uint64_t rows = p->rows ? p->rows : c->height, slice, a, b;

	return !__builtin_mul_overflow(rows, p->pitch, &slice) &&
	       !__builtin_mul_overflow(c->depth - 1, slice, &a) &&
	       !__builtin_mul_overflow(c->height - 1, p->pitch, &b) &&
	       !__builtin_add_overflow(a, b, &a) &&
	       !__builtin_add_overflow(a, c->width, span);
}

/* Where the box begins on the host; NULL: not all of it may be accessed. */
static char *box_bytes(const struct rt_place *p, const struct rt_copy *c,
		       bool writes)
{
	struct x86_mem *mem = x86_process_mem(gcl.process);
	uint64_t span;

	if (!c->width || !c->height || !c->depth || !box_span(p, c, &span))
		return NULL;
	if (p->where == RT_AT_DEVICE)
		return device_bytes(p->p, span);
	if ((uint8_t *)p->p < mem->memory ||
	    (uint8_t *)p->p >= mem->memory + X86_SPACE)
		return NULL;
	return writes ? x86_mem_put(mem, gcl_address(p->p), span) :
			(void *)(uintptr_t)x86_mem_get(mem, gcl_address(p->p),
						       span);
}

int copy_check(const struct rt_copy *c)
{
	return box_bytes(&c->from, c, false) && box_bytes(&c->to, c, true) ?
		       cudaSuccess :
		       cudaErrorInvalidValue;
}

static uint64_t box_offset(const struct rt_place *p, const struct rt_copy *c,
			   size_t y, size_t z)
{
	uint64_t rows = p->rows ? p->rows : c->height;

	return (z * rows + y) * p->pitch;
}

static struct rt_copy set_box(const struct rt_set *s)
{
	return (struct rt_copy){ .to = { .where = RT_AT_DEVICE,
					 .p = s->p,
					 .pitch = s->pitch,
					 .rows = s->rows },
				 .width = s->width * s->element,
				 .height = s->height,
				 .depth = s->depth };
}

/* The device's address of a place. The program's own memory has one, too, which
 * wraps around if it is below the distance. */
static uint64_t place_address(const struct rt_place *p)
{
	return p->where == RT_AT_DEVICE ? device_address(p->p) :
					  gcl_address(p->p) - gcl.distance;
}

static uint64_t place_slice(const struct rt_place *p, const struct rt_copy *c)
{
	return (p->rows ? p->rows : c->height) * p->pitch;
}

struct apu_copy work_box(const struct work *w)
{
	const struct rt_copy c = w->kind == WORK_SET ? set_box(&w->set) :
						       w->copy;
	bool reads = w->kind == WORK_COPY && !w->owned;

	return (struct apu_copy){
		.reads = reads,
		.from = reads ? place_address(&c.from) : 0,
		.to = place_address(&c.to),
		.from_row = c.from.pitch,
		.from_slice = place_slice(&c.from, &c),
		.to_row = c.to.pitch,
		.to_slice = place_slice(&c.to, &c),
		.width = c.width,
		.height = c.height,
		.depth = c.depth,
	};
}

uint64_t work_bytes(const struct work *w)
{
	const struct apu_copy box = work_box(w);

	return box.width * box.height * box.depth;
}

bool work_is_to_host(const struct work *w)
{
	return w->kind == WORK_COPY && w->copy.to.where != RT_AT_DEVICE;
}

/* The program may have unmapped its side since the check: then nothing moves. */
void copy_run(const struct work *w)
{
	const struct rt_copy *c = &w->copy;
	const char *from = w->owned ? w->owned : box_bytes(&c->from, c, false);
	char *to = box_bytes(&c->to, c, true);

	if (!from || !to)
		return;
	for (size_t z = 0; z < c->depth; z++)
		for (size_t y = 0; y < c->height; y++)
			memmove(to + box_offset(&c->to, c, y, z),
				from + box_offset(&c->from, c, y, z), c->width);
}

/* The stream of what belongs to none. */
static struct rt_stream *null_stream(void)
{
	static struct rt_stream *s;

	if (!gpu.streams)
		s = NULL;
	if (!s && rt_stream_new(&s, 0, 0))
		return NULL;
	return s;
}

static int add(struct rt_stream *s, const struct work *w)
{
	if (!s)
		s = null_stream();
	if (!s) {
		free(w->owned);
		return cudaErrorMemoryAllocation;
	}
	return stream_add(s, w) ? cudaSuccess : cudaErrorMemoryAllocation;
}

int rt_copy(const struct rt_copy *c, struct rt_stream *s, bool wait)
{
	int e = copy_check(c);

	(void)wait;
	return e ? e : add(s, &(struct work){ .kind = WORK_COPY, .copy = *c });
}

/* From bytes of our own, which may be gone when the copy starts. */
int rt_copy_line(void *to, const void *from, size_t size, int kind,
		 struct rt_stream *s, bool wait)
{
	struct work w = { .kind = WORK_COPY,
			  .copy = { .to = { .where = RT_AT_DEVICE, .p = to },
				    .width = size,
				    .height = 1,
				    .depth = 1 },
			  .owned = malloc(size + 1) };

	(void)wait;
	CHECK(kind == cudaMemcpyHostToDevice);
	if (!w.owned)
		return cudaErrorMemoryAllocation;
	memcpy(w.owned, from, size);
	return add(s, &w);
}

void set_run(const struct work *w)
{
	const struct rt_set *s = &w->set;
	const struct rt_copy c = set_box(s);
	char *to = box_bytes(&c.to, &c, true);

	for (size_t z = 0; to && z < s->depth; z++)
		for (size_t y = 0; y < s->height; y++)
			for (size_t x = 0; x < s->width; x++)
				memcpy(to + box_offset(&c.to, &c, y, z) +
					       x * s->element,
				       &s->value, s->element);
}

int rt_set(const struct rt_set *s, struct rt_stream *stream, bool wait)
{
	const struct rt_copy c = set_box(s);

	(void)wait;
	if (!box_bytes(&c.to, &c, true))
		return cudaErrorInvalidValue;
	return add(stream, &(struct work){ .kind = WORK_SET, .set = *s });
}

/*
 * Memory objects are mapped into the program's memory
 */

void *map_take(size_t size)
{
	return gcl_pointer(x86_process_map(gcl.process, size));
}

struct unmapping {
	uint64_t at;
	size_t size;
};

static void unmap_now(void *p)
{
	struct unmapping *u = p;

	x86_process_unmap(gcl.process, u->at, u->size);
	free(u);
}

void map_drop(void *at, size_t size)
{
	struct unmapping *u = malloc(sizeof(*u));

	if (!u)
		return;
	*u = (struct unmapping){ gcl_address(at), size };
	free_when_idle(unmap_now, u);
}
