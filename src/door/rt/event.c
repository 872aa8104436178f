/* Events: recording, waiting, elapsed time. */
#include <stdlib.h>

#include "door/rt/capture.h"
#include "door/rt/state.h"

enum {
	EVENT_FLAGS = RT_EVENT_BLOCKING | RT_EVENT_NO_TIMING |
		      RT_EVENT_INTERPROCESS,
	RECORD_EXTERNAL =
		1, /* cudaEventRecordExternal, cudaEventWaitExternal */
};

static struct rt_event *event_find(struct rt_event *e)
{
	return handle_is(&rt.handles, e, HANDLE_EVENT) ? e : NULL;
}

int rt_event_new(struct rt_event **out, unsigned flags)
{
	struct rt_device *d;
	struct rt_event *e;
	int error;

	/* An interprocess event cannot be timed. */
	if (!out || flags & ~(unsigned)EVENT_FLAGS ||
	    ((flags & RT_EVENT_INTERPROCESS) && !(flags & RT_EVENT_NO_TIMING)))
		return cudaErrorInvalidValue;
	error = current_device(&d);
	if (error)
		return error;
	e = calloc(1, sizeof(*e));
	if (!e || !handle_add(&rt.handles, e, HANDLE_EVENT)) {
		free(e);
		return cudaErrorMemoryAllocation;
	}
	e->device = d->number;
	e->flags = flags;
	*out = e;
	return cudaSuccess;
}

int rt_event_free(struct rt_event *e)
{
	if (!event_find(e))
		return cudaErrorInvalidResourceHandle;
	if (e->held)
		rt_flush();
	handle_remove(&rt.handles, e);
	free(e->deps);
	free(e);
	return cudaSuccess;
}

/* If the stream has launches held back, they set the event's time later. */
int event_record_now(struct rt_event *e, struct rt_stream *s)
{
	free(e->deps);
	e->deps = NULL;
	e->capture = NULL;
	e->captured = false;
	e->recorded = true;
	e->time = stream_start_time(s);
	e->began = s->began < 0 ? e->time : s->began;
	e->ended = s->began < 0 ? e->time : s->ready;
	s->began = -1;
	e->held = 0;
	return s->held ? event_hold(e, s) : cudaSuccess;
}

int event_wait_now(struct rt_stream *s, struct rt_event *e)
{
	if (e->held)
		rt_flush();
	if (e->recorded && e->time > s->ready)
		stream_advance(s, e->time);
	return cudaSuccess;
}

int rt_event_record(struct rt_event *e, struct rt_stream *s, unsigned flags)
{
	if (!event_find(e))
		return cudaErrorInvalidResourceHandle;
	s = stream_find(s);
	if (!s || s->device != e->device)
		return cudaErrorInvalidResourceHandle;
	if (flags & ~(unsigned)RECORD_EXTERNAL)
		return cudaErrorInvalidValue;
	if (!s->capture)
		return event_record_now(e, s);
	if (flags & RECORD_EXTERNAL) {
		struct rt_work w = { .kind = RT_NODE_RECORD, .event = e };

		return work_submit(s, &w);
	}
	return capture_record(s, e);
}

int rt_stream_wait(struct rt_stream *s, struct rt_event *e, unsigned flags)
{
	if (!event_find(e))
		return cudaErrorInvalidResourceHandle;
	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (flags & ~(unsigned)RECORD_EXTERNAL)
		return cudaErrorInvalidValue;
	if ((flags & RECORD_EXTERNAL) && s->capture) {
		struct rt_work w = { .kind = RT_NODE_WAIT, .event = e };

		return work_submit(s, &w);
	}
	if (e->capture || s->capture)
		return capture_wait(s, e);
	return event_wait_now(s, e);
}

/* Runs the work that the event waits for. An event recorded in a capture has no
 * time: asking for it is an error, but does not invalidate the capture. */
static int event_drain(struct rt_event *e, bool ask)
{
	int error;

	if (!event_find(e))
		return cudaErrorInvalidResourceHandle;
	if (e->captured)
		return cudaErrorInvalidValue;
	error = ask ? capture_check_unsafe() : cudaSuccess;
	if (error)
		return error;
	rt_flush();
	return rt.devices[e->device].fault;
}

int rt_event_query(struct rt_event *e)
{
	return event_drain(e, true);
}

int rt_event_synchronize(struct rt_event *e)
{
	int error = event_drain(e, true);

	if (!error && e->recorded)
		host_advance(e->time);
	return error;
}

int rt_event_span(double *start, double *end, struct rt_event *e)
{
	if (!event_find(e) || !e->recorded)
		return cudaErrorInvalidResourceHandle;
	if (e->held)
		rt_flush();
	*start = e->began;
	*end = e->ended;
	return cudaSuccess;
}

int rt_event_elapsed(float *ms, struct rt_event *from, struct rt_event *to)
{
	int error;

	if (!event_find(from) || !event_find(to))
		return cudaErrorInvalidResourceHandle;
	if (!ms)
		return cudaErrorInvalidValue;
	error = event_drain(from, false);
	if (!error)
		error = event_drain(to, false);
	if (error)
		return error;
	if (!from->recorded || !to->recorded || from->device != to->device ||
	    (from->flags | to->flags) & RT_EVENT_NO_TIMING)
		return cudaErrorInvalidResourceHandle;
	*ms = (float)((to->time - from->time) * 1e3);
	return cudaSuccess;
}
