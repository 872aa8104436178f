/* Streams and events. */
#include <stdlib.h>

#include "door/guest/rt_state.h"

struct gcl_gpu gpu;

struct trash {
	struct trash *next;
	void (*free_it)(void *);
	void *p;
};

double now_seconds(void)
{
	return gcl.process ?
		       (double)x86_process_nanoseconds(gcl.process) / 1e9 :
		       0;
}

void empty_trash(void)
{
	while (gpu.trash && !gpu.in_flight) {
		struct trash *t = gpu.trash;

		gpu.trash = t->next;
		t->free_it(t->p);
		free(t);
	}
}

void free_when_idle(void (*free_it)(void *), void *p)
{
	struct trash *t = gpu.in_flight ? malloc(sizeof(*t)) : NULL;

	if (!gpu.in_flight) {
		free_it(p);
	} else if (t) {
		/* Without memory for a note it is never freed. */
		*t = (struct trash){ gpu.trash, free_it, p };
		gpu.trash = t;
	}
}

static void record_drop(struct record *r)
{
	if (r && !--r->refs)
		free(r);
}

static void work_free(struct work *w)
{
	record_drop(w->record);
	free(w->owned);
	free(w->kernel.params);
	free(w);
}

void work_run(const struct work *w)
{
	if (w->kind == WORK_COPY)
		copy_run(w);
	else if (w->kind == WORK_SET)
		set_run(w);
	else
		kernel_run(w);
}

static void work_start(struct rt_stream *s, struct work *w)
{
	s->busy = true;
	if (!s->began)
		s->since = now_seconds();
	s->began = true;
	if (timed_is_on()) {
		timed_start(w);
		return;
	}
	work_run(w);
	stream_work_done(s);
}

static void record_reach(struct rt_stream *s, struct record *r)
{
	r->end = now_seconds();
	r->start = s->began ? s->since : r->end;
	r->done = true;
	s->began = false;
}

static void stream_pop(struct rt_stream *s)
{
	struct work *w = s->first;

	s->first = w->next;
	if (!s->first)
		s->last = &s->first;
	gpu.in_flight--;
	work_free(w);
}

static bool work_is_the_gpus(const struct work *w)
{
	return w->kind == WORK_LAUNCH || w->kind == WORK_COPY ||
	       w->kind == WORK_SET;
}

/* Does what can be done; returns whether a moment was reached. */
static bool stream_pump(struct rt_stream *s)
{
	bool reached = false;

	while (s->first && !s->busy) {
		struct work *w = s->first;

		if (w->kind == WORK_WAIT && !w->record->done)
			break;
		if (work_is_the_gpus(w) && timed_is_full())
			break;
		if (w->kind == WORK_HOST) {
			w->fn(w->data);
			stream_pop(s);
		} else if (w->kind == WORK_WAIT || w->kind == WORK_RECORD) {
			reached |= w->kind == WORK_RECORD;
			if (w->kind == WORK_RECORD)
				record_reach(s, w->record);
			stream_pop(s);
		} else {
			work_start(s, w);
		}
	}
	return reached;
}

static void streams_sweep(void)
{
	for (struct rt_stream **at = &gpu.streams; *at;) {
		struct rt_stream *s = *at;

		if (s->dropped && !s->first) {
			*at = s->next;
			free(s);
		} else {
			at = &s->next;
		}
	}
	empty_trash();
}

/* A moment that one stream reaches lets others go on. */
static void streams_pump(struct rt_stream *first)
{
	bool again = stream_pump(first);

	while (again) {
		again = false;
		for (struct rt_stream *s = gpu.streams; s; s = s->next)
			again |= stream_pump(s);
	}
	streams_sweep();
}

void stream_work_done(struct rt_stream *s)
{
	s->busy = false;
	stream_pop(s);
}

void stream_work_end(struct rt_stream *s)
{
	stream_work_done(s);
	streams_pump(s);
	/* Kernels of other streams may wait for the GPU. */
	for (struct rt_stream *x = gpu.streams; x; x = x->next)
		if (stream_pump(x)) {
			streams_pump(x);
			break;
		}
}

bool stream_add(struct rt_stream *s, const struct work *w)
{
	struct work *copy = malloc(sizeof(*copy));

	if (!copy) {
		free(w->owned);
		free(w->kernel.params);
		record_drop(w->record);
		return false;
	}
	*copy = *w;
	copy->next = NULL;
	copy->stream = s;
	*s->last = copy;
	s->last = &copy->next;
	gpu.in_flight++;
	streams_pump(s);
	return true;
}

bool stream_later(struct rt_stream *s, void (*fn)(void *), void *data)
{
	return stream_add(
		s, &(struct work){ .kind = WORK_HOST, .fn = fn, .data = data });
}

int rt_stream_new(struct rt_stream **out, unsigned flags, int priority)
{
	struct rt_stream *s = calloc(1, sizeof(*s));

	(void)flags, (void)priority;
	if (!s)
		return cudaErrorMemoryAllocation;
	s->last = &s->first;
	s->next = gpu.streams;
	gpu.streams = s;
	*out = s;
	return cudaSuccess;
}

int rt_stream_free(struct rt_stream *s)
{
	s->dropped = true;
	streams_sweep();
	return cudaSuccess;
}

void streams_free(void)
{
	for (struct rt_stream *s = gpu.streams; s; s = s->next) {
		while (s->first)
			stream_pop(s);
		s->dropped = true;
	}
	streams_sweep();
}

/* A guest waits for events before it asks for this, see lib/opencl.c. */
int rt_stream_synchronize(struct rt_stream *s)
{
	return s->first ? cudaErrorNotReady : gpu.fault;
}

int rt_stream_wait(struct rt_stream *s, struct rt_event *e, unsigned flags)
{
	(void)flags;
	if (!e->record || e->record->done)
		return cudaSuccess;
	e->record->refs++;
	return stream_add(s, &(struct work){ .kind = WORK_WAIT,
					     .record = e->record }) ?
		       cudaSuccess :
		       cudaErrorMemoryAllocation;
}

int rt_event_new(struct rt_event **out, unsigned flags)
{
	(void)flags;
	*out = calloc(1, sizeof(**out));
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

int rt_event_free(struct rt_event *e)
{
	record_drop(e->record);
	free(e);
	return cudaSuccess;
}

int rt_event_record(struct rt_event *e, struct rt_stream *s, unsigned flags)
{
	struct record *r = calloc(1, sizeof(*r));

	(void)flags;
	if (!r)
		return cudaErrorMemoryAllocation;
	record_drop(e->record);
	r->refs = 2;
	e->record = r;
	return stream_add(s,
			  &(struct work){ .kind = WORK_RECORD, .record = r }) ?
		       cudaSuccess :
		       cudaErrorMemoryAllocation;
}

int rt_event_query(struct rt_event *e)
{
	return !e->record || e->record->done ? cudaSuccess : cudaErrorNotReady;
}

int rt_event_synchronize(struct rt_event *e)
{
	return rt_event_query(e);
}

int rt_event_span(double *start, double *end, struct rt_event *e)
{
	if (!e->record || !e->record->done)
		return cudaErrorNotReady;
	*start = e->record->start;
	*end = e->record->end;
	return cudaSuccess;
}

double rt_now(void)
{
	return now_seconds();
}

void rt_flush(void)
{
}
