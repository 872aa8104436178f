#include "door/rt/capture.h"

#include <stdlib.h>
#include <string.h>

#include "door/rt/graph.h"

/* What one stream, and others that wait for it, do: nodes of a graph. */
struct capture {
	struct capture *next;
	uint64_t id;
	enum rt_capture_mode mode;
	struct rt_graph *graph;
	bool given;    /* the graph is the program's */
	bool invalid;  /* something was done that it does not allow */
	bool blocking; /* a stream of it would wait for the legacy stream */
	struct rt_stream *origin;
	const struct rt_thread *thread;
};

static struct capture *captures;

int capture_spoil(struct capture *c)
{
	c->invalid = true;
	return cudaErrorStreamCaptureUnsupported;
}

/* Whether the thread may not do unsafe things while the capture goes on. */
static bool binds(const struct capture *c, const struct rt_thread *t)
{
	if (c->mode == RT_CAPTURE_RELAXED ||
	    t->capture_mode == RT_CAPTURE_RELAXED)
		return false;
	return c->thread == t || (c->mode == RT_CAPTURE_GLOBAL &&
				  t->capture_mode == RT_CAPTURE_GLOBAL);
}

int capture_forbids(void)
{
	int e = cudaSuccess;

	for (struct capture *c = captures; c; c = c->next)
		if (binds(c, rt_thread()))
			e = capture_spoil(c);
	return e;
}

int captures_spoil(void)
{
	int e = cudaSuccess;

	for (struct capture *c = captures; c; c = c->next)
		e = capture_spoil(c);
	return e;
}

/* Captures that would have to wait for the legacy stream. */
static int implicit(int device, bool spoil)
{
	int e = cudaSuccess;

	for (struct capture *c = captures; c; c = c->next)
		if (c->blocking && c->origin->device == device) {
			c->invalid |= spoil;
			e = cudaErrorStreamCaptureImplicit;
		}
	return e;
}

int capture_implicit(int device)
{
	return implicit(device, true);
}

/* The stream's next node follows these. */
static int set_after(struct rt_stream *s, struct rt_node *const *after,
		     size_t count)
{
	if (count > s->after_room) {
		struct rt_node **more =
			realloc(s->after, count * sizeof(*more));

		if (!more)
			return cudaErrorMemoryAllocation;
		s->after = more;
		s->after_room = count;
	}
	if (count)
		memmove(s->after, after, count * sizeof(*after));
	s->after_count = count;
	return cudaSuccess;
}

static int add_after(struct rt_stream *s, struct rt_node *n)
{
	struct rt_node **more;

	for (size_t i = 0; i < s->after_count; i++)
		if (s->after[i] == n)
			return cudaSuccess;
	if (s->after_count == s->after_room) {
		more = realloc(s->after, (s->after_room + 8) * sizeof(*more));
		if (!more)
			return cudaErrorMemoryAllocation;
		s->after = more;
		s->after_room += 8;
	}
	s->after[s->after_count++] = n;
	return cudaSuccess;
}

static int join(struct rt_stream *s, struct capture *c)
{
	s->capture = c;
	if (!(s->flags & RT_STREAM_NON_BLOCKING))
		c->blocking = true;
	return cudaSuccess;
}

int rt_capture_begin(struct rt_stream *s, enum rt_capture_mode mode,
		     struct rt_graph *g, struct rt_node *const *after,
		     size_t count)
{
	struct capture *c;
	int e;

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (mode < RT_CAPTURE_GLOBAL || mode > RT_CAPTURE_RELAXED ||
	    (g && !graph_find(g)) || (count && !after))
		return cudaErrorInvalidValue;
	if (stream_is_legacy(s))
		return cudaErrorStreamCaptureUnsupported;
	if (s->capture)
		return cudaErrorIllegalState;
	for (size_t i = 0; i < count; i++)
		if (!node_find(after[i]) || after[i]->graph != g)
			return cudaErrorInvalidValue;
	c = calloc(1, sizeof(*c));
	if (!c)
		return cudaErrorMemoryAllocation;
	*c = (struct capture){ .next = captures,
			       .id = ++rt.next_id,
			       .mode = mode,
			       .graph = g,
			       .given = g != NULL,
			       .origin = s,
			       .thread = rt_thread() };
	e = g ? cudaSuccess : rt_graph_new(&c->graph);
	if (!e)
		e = set_after(s, after, count);
	if (e) {
		free(c);
		return e;
	}
	captures = c;
	return join(s, c);
}

int capture_add(struct rt_stream *s, struct rt_work *w)
{
	struct capture *c = s->capture;
	struct rt_node *n;
	int e;

	if (c->invalid)
		return cudaErrorStreamCaptureInvalidated;
	w->device = s->device;
	e = node_new(&n, c->graph, s->after, s->after_count, w);
	return e ? e : set_after(s, &n, 1);
}

int capture_record(struct rt_stream *s, struct rt_event *e)
{
	size_t size = s->after_count * sizeof(*e->after);
	struct rt_node **after;

	if (s->capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	after = malloc(size + 1);
	if (!after)
		return cudaErrorMemoryAllocation;
	if (size)
		memcpy(after, s->after, size);
	if (e->held)
		rt_flush();
	free(e->after);
	e->after = after;
	e->after_count = s->after_count;
	e->capture = s->capture;
	e->captured = true;
	e->recorded = false;
	return cudaSuccess;
}

int capture_wait(struct rt_stream *s, struct rt_event *e)
{
	int error = cudaSuccess;

	if (stream_is_legacy(s))
		return cudaErrorStreamCaptureImplicit;
	if (!e->capture) {
		/* An event that was never recorded is no work. */
		if (!e->recorded)
			return cudaSuccess;
		s->capture->invalid = true;
		return cudaErrorStreamCaptureIsolation;
	}
	if (e->capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	if (s->capture && s->capture != e->capture) {
		s->capture->invalid = e->capture->invalid = true;
		return cudaErrorStreamCaptureMerge;
	}
	if (!s->capture) {
		s->after_count = 0;
		join(s, e->capture);
	}
	for (size_t i = 0; !error && i < e->after_count; i++)
		error = add_after(s, e->after[i]);
	return error;
}

static bool stream_in(const void *p, int what)
{
	const struct rt_stream *s = p;

	(void)what;
	return s->capture && s->capture->origin == NULL;
}

static bool event_in(const void *p, int what)
{
	const struct rt_event *e = p;

	(void)what;
	return e->capture && e->capture->origin == NULL;
}

/* Streams and events leave; a capture without origin is one that ends. */
static void end(struct capture *c)
{
	struct capture **at = &captures;
	struct rt_stream *s;
	struct rt_event *e;

	c->origin = NULL;
	while ((s = handle_any(&rt.handles, HANDLE_STREAM, stream_in, 0))) {
		s->capture = NULL;
		s->after_count = 0;
	}
	while ((e = handle_any(&rt.handles, HANDLE_EVENT, event_in, 0))) {
		e->capture = NULL;
		e->after_count = 0;
	}
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c);
}

static bool stream_of(const struct rt_stream *t, const struct rt_stream *s)
{
	return t->capture == s->capture && t != s;
}

/* Whether what the stream did last comes before something that s did. */
static bool joined(const struct rt_stream *s, const struct rt_stream *other)
{
	for (size_t i = 0; i < other->after_count; i++) {
		/* A node that the program has destroyed is nobody's work. */
		bool found = !node_find(other->after[i]);

		for (size_t k = 0; !found && k < s->after_count; k++)
			found = node_follows(s->capture->graph, s->after[k],
					     other->after[i]);
		if (!found)
			return false;
	}
	return true;
}

static bool all_joined(const struct rt_stream *s)
{
	const struct handles *t = &rt.handles;

	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i].kind == HANDLE_STREAM &&
		    stream_of(t->slots[i].p, s) && !joined(s, t->slots[i].p))
			return false;
	return true;
}

int rt_capture_end(struct rt_stream *s, struct rt_graph **out)
{
	struct capture *c;
	struct rt_graph *g;
	bool given;
	int e = cudaSuccess;

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!out)
		return cudaErrorInvalidValue;
	c = s->capture;
	if (!c)
		return cudaErrorIllegalState;
	if (c->mode != RT_CAPTURE_RELAXED && c->thread != rt_thread())
		return cudaErrorStreamCaptureWrongThread;
	*out = NULL;
	if (c->origin != s) {
		c->invalid = true;
		return cudaErrorStreamCaptureUnmatched;
	}
	if (c->invalid)
		e = cudaErrorStreamCaptureInvalidated;
	else if (!all_joined(s))
		e = cudaErrorStreamCaptureUnjoined;
	g = c->graph;
	given = c->given;
	end(c);
	if (!e)
		*out = g;
	else if (!given)
		graph_unmake(g);
	return e;
}

/* A graph that the program gave, or got told of, and destroys meanwhile. */
void captures_forget(const struct rt_graph *g)
{
	struct capture **at = &captures, *c;

	while ((c = *at)) {
		if (c->graph == g)
			end(c);
		else
			at = &c->next;
	}
}

/* A stream that ends takes its capture with it. */
void capture_abandon(struct rt_stream *s)
{
	struct capture *c = s->capture;
	struct rt_graph *g;

	if (!c)
		return;
	if (c->origin != s) {
		c->invalid = true;
		s->capture = NULL;
		return;
	}
	g = c->given ? NULL : c->graph;
	end(c);
	if (g)
		graph_unmake(g);
}

int rt_capture_info(struct rt_capture_info *out, struct rt_stream *s)
{
	*out = (struct rt_capture_info){ .status =
						 cudaStreamCaptureStatusNone };
	if (!s || s == RT_STREAM_LEGACY)
		return implicit(rt_thread()->device, false);
	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!s->capture)
		return cudaSuccess;
	if (s->capture->invalid) {
		out->status = cudaStreamCaptureStatusInvalidated;
		return cudaSuccess;
	}
	*out = (struct rt_capture_info){
		.status = cudaStreamCaptureStatusActive,
		.id = s->capture->id,
		.graph = s->capture->graph,
		.after = s->after,
		.count = s->after_count,
	};
	return cudaSuccess;
}

int rt_capture_after(struct rt_stream *s, struct rt_node *const *after,
		     size_t count, bool replace)
{
	int e = cudaSuccess;

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!s->capture)
		return cudaErrorIllegalState;
	if (s->capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	for (size_t i = 0; i < count; i++)
		if (!after || !node_find(after[i]) ||
		    after[i]->graph != s->capture->graph)
			return cudaErrorInvalidValue;
	if (replace)
		return set_after(s, after, count);
	for (size_t i = 0; !e && i < count; i++)
		e = add_after(s, after[i]);
	return e;
}

int rt_capture_mode(int *mode)
{
	struct rt_thread *t = rt_thread();
	int had = t->capture_mode;

	if (!mode || *mode < RT_CAPTURE_GLOBAL || *mode > RT_CAPTURE_RELAXED)
		return cudaErrorInvalidValue;
	t->capture_mode = *mode;
	*mode = had;
	return cudaSuccess;
}
