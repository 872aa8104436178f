#include "door/opencl/command.h"

#include <stdlib.h>
#include <string.h>

/*
 * Marks, for each device
 */
enum { MARKS = 256 };

static struct rt_event *marks[CL_DEVICES][MARKS];
static unsigned mark_count[CL_DEVICES];

struct rt_event *mark_new(int device)
{
	struct rt_event *m;

	if (mark_count[device])
		return marks[device][--mark_count[device]];
	rt_device_set(device);
	return rt_event_new(&m, 0) ? NULL : m;
}

/* One whose launch is held back may be recorded again before that ends. */
void mark_free(struct rt_event *m, int device)
{
	if (!m)
		return;
	if (mark_count[device] < MARKS)
		marks[device][mark_count[device]++] = m;
	else
		rt_event_free(m);
}

/*
 * Lists of events
 */

static bool list_add(cl_event **list, size_t *count, cl_event e)
{
	cl_event *more = *list;

	/* Grow at powers of two. */
	if (!(*count & (*count - 1))) {
		more = realloc(more, (*count ? *count * 2 : 1) * sizeof(e));
		if (!more)
			return false;
		*list = more;
	}
	more[(*count)++] = e;
	return true;
}

cl_int command_check(cl_command_queue q, const struct wait_list *w)
{
	if (!object_is(q, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!w->count != !w->list)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < w->count; i++) {
		if (!object_is(w->list[i], OBJECT_EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (w->list[i]->context != q->context)
			return CL_INVALID_CONTEXT;
	}
	return CL_SUCCESS;
}

/*
 * What a command waits for
 */

static bool event_pends(const struct _cl_event *e)
{
	return e->status > CL_COMPLETE;
}

static bool depend(cl_event e, cl_event on)
{
	if (!list_add(&e->deps, &e->dep_count, on))
		return false;
	object_hold(on);
	if (!event_pends(on))
		return true;
	if (!list_add(&on->waiters, &on->waiter_count, e))
		return false;
	e->waits++;
	return true;
}

static bool depend_on_all(cl_event e, cl_command_queue q)
{
	for (size_t i = 0; i < q->pending_count; i++)
		if (q->pending[i] != e && !depend(e, q->pending[i]))
			return false;
	return true;
}

static bool command_depend(cl_event e, const struct cl_command *c,
			   const struct wait_list *w)
{
	for (cl_uint i = 0; i < w->count; i++)
		if (!depend(e, w->list[i]))
			return false;
	e->listed = w->count;
	if (e->queue->last && !depend(e, e->queue->last))
		return false;
	return !c->all || depend_on_all(e, e->queue);
}

static void command_forget(cl_event e)
{
	for (size_t i = 0; i < e->dep_count; i++)
		object_drop(e->deps[i]);
	free(e->deps);
	e->deps = NULL;
	e->dep_count = 0;
	if (e->data && e->drop)
		e->drop(e->data);
	free(e->data);
	e->data = NULL;
}

static bool queue_list(cl_command_queue q, cl_event e)
{
	cl_event *more = q->pending;

	if (q->pending_count == q->pending_room) {
		size_t room = q->pending_room ? q->pending_room * 2 : 16;

		more = realloc(more, room * sizeof(e));
		if (!more)
			return false;
		q->pending = more;
		q->pending_room = room;
	}
	more[q->pending_count++] = e;
	return true;
}

static void queue_unlist(cl_command_queue q, cl_event e)
{
	size_t i = 0;

	while (i < q->pending_count && q->pending[i] != e)
		i++;
	if (i == q->pending_count)
		return;
	q->pending_count--;
	memmove(q->pending + i, q->pending + i + 1,
		(q->pending_count - i) * sizeof(e));
	if (q->last == e)
		q->last = NULL;
}

/*
 * Running
 */

/* An error in the list of events ends the command; one of the command before it
 * does not. */
static cl_int command_order(cl_event e)
{
	for (size_t i = 0; i < e->dep_count; i++) {
		cl_event on = e->deps[i];

		if (on->status < 0 && i < e->listed)
			return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
		if (on->mark && on->stream != e->stream &&
		    rt_stream_wait(e->stream, on->mark, 0))
			return CL_OUT_OF_RESOURCES;
	}
	return CL_SUCCESS;
}

static cl_int command_mark(cl_event e)
{
	int device = e->queue->device->number;

	e->mark = mark_new(device);
	rt_device_set(device);
	return e->mark && !rt_event_record(e->mark, e->stream, 0) ?
		       CL_SUCCESS :
		       CL_OUT_OF_HOST_MEMORY;
}

static cl_int command_execute(cl_event e)
{
	int device = e->queue->device->number;
	cl_int error = queue_stream(e->queue, &e->stream);

	e->submitted = rt_now();
	if (!error)
		error = command_order(e);
	if (!error && rt_device_fault(device))
		error = CL_OUT_OF_RESOURCES;
	if (!error)
		error = e->run(e, e->data);
	if (!error)
		error = command_mark(e);
	return !error && rt_device_fault(device) ? CL_OUT_OF_RESOURCES : error;
}

struct notice {
	struct event_callback callback;
	cl_event event;
	cl_int status;
};

static void notice_give(void *p)
{
	struct notice *n = p;

	n->callback.fn(n->event, n->status, n->callback.data);
	free(n);
}

static void notice_send(cl_event e, const struct event_callback *c)
{
	struct notice *n = malloc(sizeof(*n));

	if (!n)
		return;
	*n = (struct notice){ *c, e, e->status < 0 ? e->status : c->type };
	if (!cl_call_later(notice_give, n, e))
		free(n);
}

void event_notify(cl_event e)
{
	struct event_callback **at = &e->callbacks;

	if (*at && e->status == CL_COMPLETE)
		cl_settle();
	while (*at) {
		struct event_callback *c = *at;

		if (c->type < e->status) {
			at = &c->next;
			continue;
		}
		notice_send(e, c);
		*at = c->next;
		free(c);
	}
}

/* The event has ended: those of its waiters that may run now are appended to the
 * list. */
static void event_release(cl_event e, cl_event **last)
{
	for (size_t i = 0; i < e->waiter_count; i++) {
		cl_event w = e->waiters[i];

		if (--w->waits)
			continue;
		w->next = NULL;
		**last = w;
		*last = &w->next;
	}
	free(e->waiters);
	e->waiters = NULL;
	e->waiter_count = 0;
	event_notify(e);
}

/* Runs a list of commands, and those that may run thereby. */
static void run_all(cl_event first)
{
	cl_event *last = &first;

	while (*last)
		last = &(*last)->next;
	while (first) {
		cl_event e = first;

		e->status = command_execute(e);
		queue_unlist(e->queue, e);
		event_release(e, &last);
		first = e->next;
		if (!first)
			last = &first;
		command_forget(e);
		object_drop(e);
	}
}

void event_end(cl_event e, cl_int status)
{
	cl_event first = NULL, *last = &first;

	e->status = status;
	event_release(e, &last);
	run_all(first);
	pthread_cond_broadcast(&cl.changed);
}

/*
 * Launches that are held back
 */
enum { UNSETTLED = 1024 };

static cl_event *unsettled;
static size_t unsettled_count;

void cl_unsettled(cl_event e)
{
	if (unsettled_count == UNSETTLED)
		cl_settle();
	if (list_add(&unsettled, &unsettled_count, e))
		object_hold(e);
	else
		rt_flush();
}

void cl_settle(void)
{
	cl_event *list = unsettled;
	size_t n = unsettled_count;

	rt_flush();
	unsettled = NULL;
	unsettled_count = 0;
	for (size_t i = 0; i < n; i++) {
		if (list[i]->status == CL_COMPLETE &&
		    rt_device_fault(list[i]->queue->device->number))
			list[i]->status = CL_OUT_OF_RESOURCES;
		object_drop(list[i]);
	}
	free(list);
}

cl_int event_wait(cl_event e)
{
	object_hold(e);
	while (event_pends(e))
		cl_wait();
	cl_settle();
	if (e->mark) {
		rt_device_set(e->queue->device->number);
		rt_event_synchronize(e->mark);
	}
	object_drop(e);
	return e->status;
}

/*
 * Submitting
 */

static cl_event command_new(cl_command_queue q, const struct cl_command *c)
{
	cl_event e = event_new(q->context, q, c->type);

	if (!e)
		return NULL;
	e->status = CL_QUEUED;
	e->queued = rt_now();
	e->run = c->run;
	e->drop = c->drop;
	e->o.refs = 0; /* what it holds is the command's, until it has run */
	return e;
}

/* What it would wait for must not find a command that cannot be made. */
static void command_abandon(cl_event e)
{
	for (size_t i = 0; i < e->dep_count; i++) {
		cl_event on = e->deps[i];

		for (size_t k = on->waiter_count; k--;)
			if (on->waiters[k] == e)
				on->waiters[k] =
					on->waiters[--on->waiter_count];
	}
	queue_unlist(e->queue, e);
	command_forget(e);
	object_drop(e);
}

static cl_event command_make(cl_command_queue q, const struct cl_command *c,
			     const struct wait_list *w)
{
	void *data = malloc(c->size + 1);
	cl_event e = data ? command_new(q, c) : NULL;

	if (data && c->size)
		memcpy(data, c->data, c->size);
	if (!e) {
		if (c->drop)
			c->drop((void *)(uintptr_t)c->data);
		free(data);
		return NULL;
	}
	e->data = data;
	if (command_depend(e, c, w) && queue_list(q, e))
		return e;
	command_abandon(e);
	return NULL;
}

/* Waits for a command that blocks; an error of its own is the call's. */
static cl_int command_block(cl_event e)
{
	cl_int status = event_wait(e);

	return status < 0 ? status : CL_SUCCESS;
}

cl_int command_submit(cl_command_queue q, const struct cl_command *c,
		      const struct wait_list *w)
{
	bool in_order =
		!(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_event e = command_make(q, c, w);
	cl_int error = CL_SUCCESS;

	if (!e)
		return CL_OUT_OF_HOST_MEMORY;
	if (w->event) {
		e->o.refs = 1;
		object_hold(e);
		*w->event = e;
	}
	if (in_order || c->barrier)
		q->last = e;
	object_hold(e);
	if (!e->waits)
		run_all(e);
	if (c->blocking)
		error = command_block(e);
	else if (!w->event && e->status < 0)
		error = e->status;
	object_drop(e);
	return error;
}
