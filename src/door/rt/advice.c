/* Advice and prefetches of managed memory: remembered, without effect. */
#include "door/rt/alloc.h"
#include "door/rt/state.h"

enum { LOCATION_NONE = cudaInvalidDeviceId, LOCATION_HOST = cudaCpuDeviceId };

_Static_assert(MAX_DEVICES <= 32, "struct advice has a bit for each device");

/* The managed allocation that holds all of [p, p + size); NULL: none does. */
static struct alloc *managed_alloc(const void *p, size_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)p;
	struct alloc *a = alloc_find(at);

	return a && a->kind == RT_MANAGED && size &&
			       size <= a->base + a->size - at ?
		       a :
		       NULL;
}

static bool is_location(int device)
{
	return device == LOCATION_HOST || device_at(device);
}

static void advice_set_access(struct advice *a, int device, bool on)
{
	uint32_t bit = device == LOCATION_HOST ? 0 : 1u << device;

	if (device == LOCATION_HOST)
		a->host = on;
	a->devices = on ? a->devices | bit : a->devices & ~bit;
}

/* The other kinds of advice ignore the location. */
static bool advice_takes_location(int advice)
{
	return advice == cudaMemAdviseSetPreferredLocation ||
	       advice == cudaMemAdviseSetAccessedBy ||
	       advice == cudaMemAdviseUnsetAccessedBy;
}

int rt_advise(const void *p, size_t size, int advice, int device)
{
	struct alloc *a = managed_alloc(p, size);

	if (!a)
		return cudaErrorInvalidValue;
	if (advice_takes_location(advice) && !is_location(device))
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
		a->advice.preferred = LOCATION_NONE;
		return cudaSuccess;
	case cudaMemAdviseSetAccessedBy:
	case cudaMemAdviseUnsetAccessedBy:
		advice_set_access(&a->advice, device,
				  advice == cudaMemAdviseSetAccessedBy);
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

int rt_prefetch(const void *p, size_t size, int device, struct rt_stream *s)
{
	struct alloc *a = managed_alloc(p, size);

	if (!stream_find(s))
		return cudaErrorInvalidResourceHandle;
	if (!a)
		return cudaErrorInvalidValue;
	if (!is_location(device))
		return cudaErrorInvalidDevice;
	a->advice.prefetched = device;
	return cudaSuccess;
}

/* Lists the devices in order, then the host; fills the rest with
 * cudaInvalidDeviceId. */
static void advice_list_access(int *out, size_t room, const struct advice *a)
{
	size_t n = 0;

	for (int i = 0; i < MAX_DEVICES && n < room; i++)
		if (a->devices & 1u << i)
			out[n++] = i;
	if (a->host && n < room)
		out[n++] = LOCATION_HOST;
	while (n < room)
		out[n++] = LOCATION_NONE;
}

static int location_type(int location)
{
	return location == LOCATION_NONE ? cudaMemLocationTypeInvalid :
	       location == LOCATION_HOST ? cudaMemLocationTypeHost :
					   cudaMemLocationTypeDevice;
}

static int advice_value(const struct advice *a, int attribute)
{
	switch (attribute) {
	case cudaMemRangeAttributeReadMostly:
		return a->read_mostly;
	case cudaMemRangeAttributePreferredLocation:
	case cudaMemRangeAttributePreferredLocationId:
		return a->preferred;
	case cudaMemRangeAttributePreferredLocationType:
		return location_type(a->preferred);
	case cudaMemRangeAttributeLastPrefetchLocationType:
		return location_type(a->prefetched);
	default:
		return a->prefetched;
	}
}

int rt_range_attribute(int *out, size_t bytes, int attribute, const void *p,
		       size_t size)
{
	const struct alloc *a = managed_alloc(p, size);
	size_t room = bytes / sizeof(*out);

	if (!a || !out || !room || bytes % sizeof(*out) ||
	    attribute < cudaMemRangeAttributeReadMostly ||
	    attribute > cudaMemRangeAttributeLastPrefetchLocationId)
		return cudaErrorInvalidValue;
	if (attribute == cudaMemRangeAttributeAccessedBy) {
		advice_list_access(out, room, &a->advice);
		return cudaSuccess;
	}
	if (room != 1)
		return cudaErrorInvalidValue;
	*out = advice_value(&a->advice, attribute);
	return cudaSuccess;
}
