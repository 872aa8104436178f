#include "door/rt/alloc.h"
#include "door/rt/state.h"

enum { NOWHERE = cudaInvalidDeviceId, HOST = cudaCpuDeviceId };

_Static_assert(MAX_DEVICES <= 32, "struct advice has a bit for each device");

/* Managed memory, all of it of one allocation. */
static struct alloc *managed(const void *p, size_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)p;
	struct alloc *a = alloc_find(at);

	return a && a->kind == RT_MANAGED && size &&
			       size <= a->base + a->size - at ?
		       a :
		       NULL;
}

static bool is_place(int device)
{
	return device == HOST || device_at(device);
}

static void set_access(struct advice *a, int device, bool on)
{
	uint32_t bit = device == HOST ? 0 : 1u << device;

	if (device == HOST)
		a->host = on;
	a->devices = on ? a->devices | bit : a->devices & ~bit;
}

/* Where is of no matter to the first two, and to the fourth. */
static bool names_place(int advice)
{
	return advice == cudaMemAdviseSetPreferredLocation ||
	       advice == cudaMemAdviseSetAccessedBy ||
	       advice == cudaMemAdviseUnsetAccessedBy;
}

int rt_advise(const void *p, size_t size, int advice, int device)
{
	struct alloc *a = managed(p, size);

	if (!a)
		return cudaErrorInvalidValue;
	if (names_place(advice) && !is_place(device))
		return cudaErrorInvalidDevice;
	switch (advice) {
	case cudaMemAdviseSetReadMostly:
	case cudaMemAdviseUnsetReadMostly:
		a->advice.read_mostly = advice == cudaMemAdviseSetReadMostly;
		return cudaSuccess;
	case cudaMemAdviseSetPreferredLocation:
		a->advice.preferred = device;
		return cudaSuccess;
	case cudaMemAdviseUnsetPreferredLocation:
		a->advice.preferred = NOWHERE;
		return cudaSuccess;
	case cudaMemAdviseSetAccessedBy:
	case cudaMemAdviseUnsetAccessedBy:
		set_access(&a->advice, device,
			   advice == cudaMemAdviseSetAccessedBy);
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

int rt_prefetch(const void *p, size_t size, int device, struct rt_stream *s)
{
	struct alloc *a = managed(p, size);

	if (!stream_find(s))
		return cudaErrorInvalidResourceHandle;
	if (!a)
		return cudaErrorInvalidValue;
	if (!is_place(device))
		return cudaErrorInvalidDevice;
	a->advice.prefetched = device;
	return cudaSuccess;
}

/* The devices in their order, then the host; the rest is nowhere. */
static void list_access(int *out, size_t room, const struct advice *a)
{
	size_t n = 0;

	for (int i = 0; i < MAX_DEVICES && n < room; i++)
		if (a->devices & 1u << i)
			out[n++] = i;
	if (a->host && n < room)
		out[n++] = HOST;
	while (n < room)
		out[n++] = NOWHERE;
}

static int place_type(int place)
{
	return place == NOWHERE ? cudaMemLocationTypeInvalid :
	       place == HOST    ? cudaMemLocationTypeHost :
				  cudaMemLocationTypeDevice;
}

static int value(const struct advice *a, int attribute)
{
	switch (attribute) {
	case cudaMemRangeAttributeReadMostly:
		return a->read_mostly;
	case cudaMemRangeAttributePreferredLocation:
	case cudaMemRangeAttributePreferredLocationId:
		return a->preferred;
	case cudaMemRangeAttributePreferredLocationType:
		return place_type(a->preferred);
	case cudaMemRangeAttributeLastPrefetchLocationType:
		return place_type(a->prefetched);
	default:
		return a->prefetched;
	}
}

int rt_range_attribute(int *out, size_t bytes, int attribute, const void *p,
		       size_t size)
{
	const struct alloc *a = managed(p, size);
	size_t room = bytes / sizeof(*out);

	if (!a || !out || !room || bytes % sizeof(*out) ||
	    attribute < cudaMemRangeAttributeReadMostly ||
	    attribute > cudaMemRangeAttributeLastPrefetchLocationId)
		return cudaErrorInvalidValue;
	if (attribute == cudaMemRangeAttributeAccessedBy) {
		list_access(out, room, &a->advice);
		return cudaSuccess;
	}
	if (room != 1)
		return cudaErrorInvalidValue;
	*out = value(&a->advice, attribute);
	return cudaSuccess;
}
