#include "door/rt/capture.h"

#include <stdlib.h>
#include <string.h>

#include "door/rt/graph.h"

/* Work of one stream, and of the streams that wait for it, becomes nodes of a
 * graph. */
struct capture {
	struct capture *next;
	uint64_t id;
	enum rt_capture_mode mode;
	struct rt_graph *graph;
	bool given;    /* the program passed the graph in */
	bool invalid;  /* the program did something that a capture forbids */
	bool blocking; /* one of its streams waits for the legacy stream */
	struct rt_stream *origin;
	const struct rt_thread *thread;
};

static struct capture *captures;

int capture_invalidate(struct capture *c)
{
	c->invalid = true;
	return cudaErrorStreamCaptureUnsupported;
}

/* Whether the capture forbids potentially unsafe calls to the thread. */
static bool capture_restricts(const struct capture *c,
			      const struct rt_thread *t)
{
	if (c->mode == RT_CAPTURE_RELAXED ||
	    t->capture_mode == RT_CAPTURE_RELAXED)
		return false;
	return c->thread == t || (c->mode == RT_CAPTURE_GLOBAL &&
				  t->capture_mode == RT_CAPTURE_GLOBAL);
}

int capture_check_unsafe(void)
{
	int e = cudaSuccess;

	for (struct capture *c = captures; c; c = c->next)
		if (capture_restricts(c, rt_thread()))
			e = capture_invalidate(c);
	return e;
}

int capture_invalidate_all(void)
{
	int e = cudaSuccess;

	for (struct capture *c = captures; c; c = c->next)
		e = capture_invalidate(c);
	return e;
}

/* cudaErrorStreamCaptureImplicit if a capture of the device would have to wait
 * for the legacy stream. */
static int capture_find_implicit(int device, bool spoil)
{
	int e = cudaSuccess;

	for (struct capture *c = captures; c; c = c->next)
		if (c->blocking && c->origin->device == device) {
			c->invalid |= spoil;
			e = cudaErrorStreamCaptureImplicit;
		}
	return e;
}

int capture_check_implicit(int device)
{
	return capture_find_implicit(device, true);
}

/* Sets the nodes that the stream's next node depends on. */
static int capture_set_deps(struct rt_stream *s, struct rt_node *const *deps,
			    size_t count)
{
	if (count > s->dep_room) {
		struct rt_node **more = realloc(s->deps, count * sizeof(*more));

		if (!more)
			return cudaErrorMemoryAllocation;
		s->deps = more;
		s->dep_room = count;
	}
	if (count)
		memmove(s->deps, deps, count * sizeof(*deps));
	s->dep_count = count;
	return cudaSuccess;
}

static int capture_add_dep(struct rt_stream *s, struct rt_node *n)
{
	struct rt_node **more;

	for (size_t i = 0; i < s->dep_count; i++)
		if (s->deps[i] == n)
			return cudaSuccess;
	if (s->dep_count == s->dep_room) {
		more = realloc(s->deps, (s->dep_room + 8) * sizeof(*more));
		if (!more)
			return cudaErrorMemoryAllocation;
		s->deps = more;
		s->dep_room += 8;
	}
	s->deps[s->dep_count++] = n;
	return cudaSuccess;
}

static int capture_join(struct rt_stream *s, struct capture *c)
{
	s->capture = c;
	if (!(s->flags & RT_STREAM_NON_BLOCKING))
		c->blocking = true;
	return cudaSuccess;
}

int rt_capture_begin(struct rt_stream *s, enum rt_capture_mode mode,
		     struct rt_graph *g, struct rt_node *const *deps,
		     size_t count)
{
	struct capture *c;
	int e;

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (mode < RT_CAPTURE_GLOBAL || mode > RT_CAPTURE_RELAXED ||
	    (g && !graph_find(g)) || (count && !deps))
		return cudaErrorInvalidValue;
	if (stream_is_legacy(s))
		return cudaErrorStreamCaptureUnsupported;
	if (s->capture)
		return cudaErrorIllegalState;
	for (size_t i = 0; i < count; i++)
		if (!node_find(deps[i]) || deps[i]->graph != g)
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
		e = capture_set_deps(s, deps, count);
	if (e) {
		free(c);
		return e;
	}
	captures = c;
	return capture_join(s, c);
}

int capture_add(struct rt_stream *s, struct rt_work *w)
{
	struct capture *c = s->capture;
	struct rt_node *n;
	int e;

	if (c->invalid)
		return cudaErrorStreamCaptureInvalidated;
	w->device = s->device;
	e = node_new(&n, c->graph, s->deps, s->dep_count, w);
	return e ? e : capture_set_deps(s, &n, 1);
}

int capture_record(struct rt_stream *s, struct rt_event *e)
{
	size_t size = s->dep_count * sizeof(*e->deps);
	struct rt_node **deps;

	if (s->capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	deps = malloc(size + 1);
	if (!deps)
		return cudaErrorMemoryAllocation;
	if (size)
		memcpy(deps, s->deps, size);
	if (e->held)
		rt_flush();
	free(e->deps);
	e->deps = deps;
	e->dep_count = s->dep_count;
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
		/* Waiting for an event that was never recorded does nothing. */
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
		s->dep_count = 0;
		capture_join(s, e->capture);
	}
	for (size_t i = 0; !error && i < e->dep_count; i++)
		error = capture_add_dep(s, e->deps[i]);
	return error;
}

static bool stream_in_ending_capture(const void *p, int what)
{
	const struct rt_stream *s = p;

	(void)what;
	return s->capture && s->capture->origin == NULL;
}

static bool event_in_ending_capture(const void *p, int what)
{
	const struct rt_event *e = p;

	(void)what;
	return e->capture && e->capture->origin == NULL;
}

/* Ends the capture and detaches its streams and events. A capture that ends
 * has no origin. */
static void capture_end(struct capture *c)
{
	struct capture **at = &captures;
	struct rt_stream *s;
	struct rt_event *e;

	c->origin = NULL;
	while ((s = handle_any(&rt.handles, HANDLE_STREAM,
			       stream_in_ending_capture, 0))) {
		s->capture = NULL;
		s->dep_count = 0;
	}
	while ((e = handle_any(&rt.handles, HANDLE_EVENT,
			       event_in_ending_capture, 0))) {
		e->capture = NULL;
		e->dep_count = 0;
	}
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c);
}

static bool capture_shared(const struct rt_stream *t, const struct rt_stream *s)
{
	return t->capture == s->capture && t != s;
}

/* Whether the last nodes of `other` come before a node of s. */
static bool capture_joined(const struct rt_stream *s,
			   const struct rt_stream *other)
{
	for (size_t i = 0; i < other->dep_count; i++) {
		/* A node that the program has destroyed need not be joined. */
		bool found = !node_find(other->deps[i]);

		for (size_t k = 0; !found && k < s->dep_count; k++)
			found = node_follows(s->capture->graph, s->deps[k],
					     other->deps[i]);
		if (!found)
			return false;
	}
	return true;
}

static bool capture_all_joined(const struct rt_stream *s)
{
	const struct handles *t = &rt.handles;

	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i].kind == HANDLE_STREAM &&
		    capture_shared(t->slots[i].p, s) &&
		    !capture_joined(s, t->slots[i].p))
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
	else if (!capture_all_joined(s))
		e = cudaErrorStreamCaptureUnjoined;
	g = c->graph;
	given = c->given;
	capture_end(c);
	if (!e)
		*out = g;
	else if (!given)
		graph_destroy(g);
	return e;
}

/* The program may destroy a graph that a capture still writes: one that it
 * passed in or got from rt_capture_info. */
void capture_end_of_graph(const struct rt_graph *g)
{
	struct capture **at = &captures, *c;

	while ((c = *at)) {
		if (c->graph == g)
			capture_end(c);
		else
			at = &c->next;
	}
}

/* Destroying the origin of a capture ends the capture. */
void capture_drop_stream(struct rt_stream *s)
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
	capture_end(c);
	if (g)
		graph_destroy(g);
}

int rt_capture_info(struct rt_capture_info *out, struct rt_stream *s)
{
	*out = (struct rt_capture_info){ .status =
						 cudaStreamCaptureStatusNone };
	if (!s || s == RT_STREAM_LEGACY)
		return capture_find_implicit(rt_thread()->device, false);
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
		.deps = s->deps,
		.count = s->dep_count,
	};
	return cudaSuccess;
}

int rt_capture_after(struct rt_stream *s, struct rt_node *const *deps,
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
		if (!deps || !node_find(deps[i]) ||
		    deps[i]->graph != s->capture->graph)
			return cudaErrorInvalidValue;
	if (replace)
		return capture_set_deps(s, deps, count);
	for (size_t i = 0; !e && i < count; i++)
		e = capture_add_dep(s, deps[i]);
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
