/* Streams. */
#include <stdlib.h>

#include "door/rt/state.h"

bool stream_is_legacy(const struct rt_stream *s)
{
	return s == &rt.devices[s->device].legacy;
}

void stream_init(struct rt_stream *s, int device, unsigned flags)
{
	*s = (struct rt_stream){ .device = device,
				 .flags = flags,
				 .sync_policy = cudaSyncPolicyAuto,
				 .id = ++rt.next_id,
				 .ready = rt.host,
				 .began = -1 };
}

void stream_release(struct rt_stream *s)
{
	free(s->deps);
	s->deps = NULL;
}

/* The calling thread's own default stream of its device. */
static struct rt_stream *thread_stream(void)
{
	struct rt_thread *t = rt_thread();
	struct rt_stream **own = &t->streams[t->device];

	if (*own)
		return *own;
	*own = calloc(1, sizeof(**own));
	if (!*own)
		return NULL;
	stream_init(*own, t->device, 0);
	(*own)->by_thread = true;
	if (!handle_add(&rt.handles, *own, HANDLE_STREAM)) {
		free(*own);
		*own = NULL;
	}
	return *own;
}

struct rt_stream *stream_find(struct rt_stream *s)
{
	if (!s || s == RT_STREAM_LEGACY)
		return &rt.devices[rt_thread()->device].legacy;
	if (s == RT_STREAM_THREAD)
		return thread_stream();
	return handle_is(&rt.handles, s, HANDLE_STREAM) ? s : NULL;
}

int rt_stream_new(struct rt_stream **out, unsigned flags, int priority)
{
	struct rt_device *d;
	struct rt_stream *s;
	int e;

	if (!out || flags & ~(unsigned)RT_STREAM_NON_BLOCKING)
		return cudaErrorInvalidValue;
	e = current_device(&d);
	if (e)
		return e;
	s = calloc(1, sizeof(*s));
	if (!s || !handle_add(&rt.handles, s, HANDLE_STREAM)) {
		free(s);
		return cudaErrorMemoryAllocation;
	}
	stream_init(s, d->number, flags);
	s->priority = priority > RT_PRIORITY_LEAST    ? RT_PRIORITY_LEAST :
		      priority < RT_PRIORITY_GREATEST ? RT_PRIORITY_GREATEST :
							priority;
	*out = s;
	return cudaSuccess;
}

/* The default streams cannot be destroyed. */
int rt_stream_free(struct rt_stream *s)
{
	if (!handle_is(&rt.handles, s, HANDLE_STREAM) || s->by_thread)
		return cudaErrorInvalidResourceHandle;
	rt_flush();
	capture_drop_stream(s);
	handle_remove(&rt.handles, s);
	stream_release(s);
	free(s);
	return cudaSuccess;
}

int rt_stream_info(struct rt_stream_info *out, struct rt_stream *s)
{
	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	*out = (struct rt_stream_info){ s->device, s->priority, s->flags, s->id,
					s->sync_policy };
	return cudaSuccess;
}

int rt_stream_sync_policy(struct rt_stream *s, int policy)
{
	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (policy < cudaSyncPolicyAuto || policy > cudaSyncPolicyBlockingSync)
		return cudaErrorInvalidValue;
	s->sync_policy = policy;
	return cudaSuccess;
}

/* Runs the stream's work that is held back. The host may not wait for a stream
 * that captures, whatever the mode. */
static int stream_drain(struct rt_stream **s)
{
	int e = cudaSuccess;

	*s = stream_find(*s);
	if (!*s)
		return cudaErrorInvalidResourceHandle;
	if ((*s)->capture)
		e = capture_invalidate((*s)->capture);
	else if (stream_is_legacy(*s))
		e = capture_check_unsafe();
	if (e)
		return e;
	rt_flush();
	return rt.devices[(*s)->device].fault;
}

int rt_stream_query(struct rt_stream *s)
{
	return stream_drain(&s);
}

int rt_stream_synchronize(struct rt_stream *s)
{
	int e = stream_drain(&s);

	if (!e)
		host_advance(stream_start_time(s));
	return e;
}

int rt_stream_host(struct rt_stream *s, void (*fn)(void *), void *data)
{
	struct rt_work w = { .kind = RT_NODE_HOST, .host = { fn, data } };

	s = stream_find(s);
	if (!fn)
		return cudaErrorInvalidValue;
	return s ? work_submit(s, &w) : cudaErrorInvalidResourceHandle;
}

struct stream_callback {
	void (*fn)(struct rt_stream *, int, void *);
	struct rt_stream *stream;
	int status;
	void *data;
};

static void run_callback(void *p)
{
	const struct stream_callback *c = p;

	c->fn(c->stream, c->status, c->data);
}

int rt_stream_callback(struct rt_stream *s,
		       void (*fn)(struct rt_stream *, int, void *), void *data)
{
	struct stream_callback c = { .fn = fn, .stream = s, .data = data };

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!fn)
		return cudaErrorInvalidValue;
	if (s->capture)
		return capture_invalidate(s->capture);
	rt_flush();
	c.status = rt.devices[s->device].fault;
	call_host(run_callback, &c);
	return cudaSuccess;
}
