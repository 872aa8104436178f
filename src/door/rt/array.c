/* Arrays and mipmaps: the memory of textures and surfaces. */
#include <stdlib.h>

#include "door/rt/state.h"

enum {
	ARRAY_FLAGS = RT_ARRAY_LAYERED | RT_ARRAY_SURFACE | RT_ARRAY_CUBEMAP |
		      RT_ARRAY_GATHER,
	MAX_LEVELS = 17
};

struct rt_array {
	struct rt_array_info info;
	uint64_t at;
	bool level; /* a level of a mipmap, which owns it */
};

struct rt_mipmap {
	int device;
	unsigned count;
	struct rt_array *levels[MAX_LEVELS];
};

static const struct rt_array *array_find(const struct rt_array *a)
{
	return handle_is(&rt.handles, a, HANDLE_ARRAY) ? a : NULL;
}

/* Bytes of an element: 1, 2 or 4 equal channels of 8, 16 or 32 bits; 0: any
 * other format. */
static size_t element_bytes(const struct rt_channel *c)
{
	int bits[4] = { c->x, c->y, c->z, c->w }, n = 0;

	while (n < 4 && bits[n])
		n++;
	for (int i = 0; i < 4; i++)
		if (bits[i] != (i < n ? c->x : 0))
			return 0;
	if (n == 0 || n == 3 || (c->x != 8 && c->x != 16 && c->x != 32) ||
	    c->kind < RT_CHANNEL_SIGNED || c->kind > RT_CHANNEL_FLOAT ||
	    (c->kind == RT_CHANNEL_FLOAT && c->x == 8))
		return 0;
	return (size_t)(n * c->x / 8);
}

/* Reads the attributes for the maximum width, height and depth or layers. */
static void array_max_extent(int out[3], const struct rt_extent *x,
			     unsigned flags)
{
	static const int layered[2][3] = { { 42, 0, 43 }, { 27, 28, 29 } };
	static const int plain[3][3] = { { 21, 0, 0 },
					 { 22, 23, 0 },
					 { 24, 25, 26 } };
	const int *row = flags & RT_ARRAY_LAYERED ? layered[x->height > 0] :
						    plain[x->depth  ? 2 :
							  x->height ? 1 :
								      0];

	for (int i = 0; i < 3; i++) {
		out[i] = 0;
		if (row[i])
			rt_device_attribute(&out[i], row[i],
					    rt_thread()->device);
	}
}

static bool array_extent_fits(const struct rt_extent *x, unsigned flags)
{
	int max[3];

	if (flags & RT_ARRAY_CUBEMAP &&
	    (x->width != x->height || !x->depth || x->depth % 6 ||
	     (!(flags & RT_ARRAY_LAYERED) && x->depth != 6)))
		return false;
	array_max_extent(max, x, flags);
	return x->width && x->width <= (size_t)max[0] &&
	       x->height <= (size_t)max[1] && x->depth <= (size_t)max[2] &&
	       (x->height || !x->depth || flags & RT_ARRAY_LAYERED) &&
	       (x->depth || !(flags & RT_ARRAY_LAYERED));
}

static int array_make(struct rt_array **out, const struct rt_channel *c,
		      const struct rt_extent *x, unsigned flags)
{
	struct rt_array *a = calloc(1, sizeof(*a));
	struct rt_device *d;
	uint64_t size;
	int e = current_device(&d);

	if (!a || e) {
		free(a);
		return e ? e : cudaErrorMemoryAllocation;
	}
	a->info = (struct rt_array_info){ .channel = *c,
					  .extent = *x,
					  .flags = flags,
					  .element = element_bytes(c),
					  .device = d->number };
	size = a->info.element * x->width * (x->height ? x->height : 1) *
	       (x->depth ? x->depth : 1);
	if (heddle_alloc(d->sim, size, &a->at, NULL) ||
	    !handle_add(&rt.handles, a, HANDLE_ARRAY)) {
		if (a->at)
			heddle_free(d->sim, a->at, NULL);
		free(a);
		return cudaErrorMemoryAllocation;
	}
	*out = a;
	return cudaSuccess;
}

static void array_destroy(struct rt_array *a)
{
	heddle_free(rt.devices[a->info.device].sim, a->at, NULL);
	handle_remove(&rt.handles, a);
	free(a);
}

static int array_check(const struct rt_channel *c, const struct rt_extent *x,
		       unsigned flags)
{
	int e = capture_check_unsafe();

	if (e)
		return e;
	if (!element_bytes(c))
		return cudaErrorInvalidChannelDescriptor;
	return flags & ~(unsigned)ARRAY_FLAGS || !array_extent_fits(x, flags) ?
		       cudaErrorInvalidValue :
		       cudaSuccess;
}

int rt_array_new(struct rt_array **out, const struct rt_channel *channel,
		 const struct rt_extent *extent, unsigned flags)
{
	int e = array_check(channel, extent, flags);

	return e ? e : array_make(out, channel, extent, flags);
}

int rt_array_free(struct rt_array *a)
{
	if (!a)
		return cudaSuccess;
	if (!array_find(a))
		return cudaErrorInvalidResourceHandle;
	if (a->level)
		return cudaErrorInvalidValue;
	rt_flush();
	array_destroy(a);
	return cudaSuccess;
}

int rt_array_info(struct rt_array_info *out, const struct rt_array *a)
{
	if (!array_find(a))
		return cudaErrorInvalidResourceHandle;
	*out = a->info;
	return cudaSuccess;
}

uint64_t array_address(const struct rt_array *a)
{
	return a->at;
}

static size_t mipmap_size(size_t v, unsigned level)
{
	return v ? v >> level ? v >> level : 1 : 0;
}

static void mipmap_destroy(struct rt_mipmap *m)
{
	for (unsigned i = 0; i < m->count; i++)
		array_destroy(m->levels[i]);
	handle_remove(&rt.handles, m);
	free(m);
}

static unsigned mipmap_max_levels(const struct rt_extent *x, bool layered)
{
	size_t max = x->width > x->height ? x->width : x->height;
	unsigned n = 1;

	if (!layered && x->depth > max)
		max = x->depth;
	while (max >>= 1)
		n++;
	return n < MAX_LEVELS ? n : MAX_LEVELS;
}

/* Limits the levels to what the extent allows. */
int rt_mipmap_new(struct rt_mipmap **out, const struct rt_channel *channel,
		  const struct rt_extent *extent, unsigned levels,
		  unsigned flags)
{
	bool layered = flags & (RT_ARRAY_LAYERED | RT_ARRAY_CUBEMAP);
	unsigned max = mipmap_max_levels(extent, layered);
	int e = array_check(channel, extent, flags);
	struct rt_mipmap *m;

	if (e || !levels)
		return e ? e : cudaErrorInvalidValue;
	m = calloc(1, sizeof(*m));
	if (!m || !handle_add(&rt.handles, m, HANDLE_MIPMAP)) {
		free(m);
		return cudaErrorMemoryAllocation;
	}
	m->device = rt_thread()->device;
	for (unsigned i = 0; !e && i < levels && i < max; i++) {
		struct rt_extent x = { mipmap_size(extent->width, i),
				       mipmap_size(extent->height, i),
				       layered ?
					       extent->depth :
					       mipmap_size(extent->depth, i) };

		e = array_make(&m->levels[i], channel, &x, flags);
		if (!e) {
			m->levels[i]->level = true;
			m->count++;
		}
	}
	if (e)
		mipmap_destroy(m);
	else
		*out = m;
	return e;
}

int rt_mipmap_free(struct rt_mipmap *m)
{
	if (!m)
		return cudaSuccess;
	if (!handle_is(&rt.handles, m, HANDLE_MIPMAP))
		return cudaErrorInvalidResourceHandle;
	rt_flush();
	mipmap_destroy(m);
	return cudaSuccess;
}

int rt_mipmap_level(struct rt_array **out, const struct rt_mipmap *m,
		    unsigned level)
{
	if (!handle_is(&rt.handles, m, HANDLE_MIPMAP))
		return cudaErrorInvalidResourceHandle;
	if (level >= m->count)
		return cudaErrorInvalidValue;
	*out = m->levels[level];
	return cudaSuccess;
}

static bool array_on(const void *p, int device)
{
	const struct rt_array *a = p;

	return a->info.device == device && !a->level;
}

static bool mipmap_on(const void *p, int device)
{
	return ((const struct rt_mipmap *)p)->device == device;
}

void arrays_reset(int device)
{
	void *p;

	while ((p = handle_any(&rt.handles, HANDLE_ARRAY, array_on, device)))
		array_destroy(p);
	while ((p = handle_any(&rt.handles, HANDLE_MIPMAP, mipmap_on, device)))
		mipmap_destroy(p);
}
