/* Frees what a program made on a device that is reset. */
#include <stdlib.h>

#include "door/rt/state.h"

static bool stream_on(const void *p, int device)
{
	const struct rt_stream *s = p;

	return s->device == device && !s->by_thread;
}

static bool event_on(const void *p, int device)
{
	return ((const struct rt_event *)p)->device == device;
}

static bool pool_on(const void *p, int device)
{
	return ((const struct rt_pool *)p)->device == device &&
	       p != &rt.devices[device].pool;
}

/* Graphs belong to no device: nodes that refer to freed handles fail when they
 * run. */
void handles_reset(int device)
{
	void *p;

	while ((p = handle_any(&rt.handles, HANDLE_STREAM, stream_on,
			       device))) {
		capture_drop_stream(p);
		rt_stream_free(p);
	}
	while ((p = handle_any(&rt.handles, HANDLE_EVENT, event_on, device)))
		rt_event_free(p);
	while ((p = handle_any(&rt.handles, HANDLE_POOL, pool_on, device)))
		rt_pool_free(p);
	arrays_reset(device);
}
