/* Events: those of commands and of the user, markers and barriers. */
#include <stdlib.h>

#include "door/opencl/command.h"

void event_destroy(cl_event e)
{
	while (e->callbacks) {
		struct event_callback *next = e->callbacks->next;

		free(e->callbacks);
		e->callbacks = next;
	}
	if (e->queue)
		mark_free(e->mark, e->queue->device->number);
	free(e->waiters);
	object_drop(e->queue);
	object_drop(e->context);
}

cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type)
{
	cl_event e = object_new(OBJECT_EVENT, sizeof(*e));

	if (!e)
		return NULL;
	e->context = c;
	object_hold(c);
	e->queue = q;
	if (q)
		object_hold(q);
	e->type = type;
	e->status = CL_SUBMITTED;
	return e;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context c, cl_int *error)
{
	cl_int e = cl_enter("clCreateUserEvent");
	cl_event out = NULL;

	if (!e && !object_is(c, OBJECT_CONTEXT))
		e = CL_INVALID_CONTEXT;
	if (!e) {
		out = event_new(c, NULL, CL_COMMAND_USER);
		e = out ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	}
	if (error)
		*error = e;
	cl_leave(e);
	return out;
}

static cl_int user_event_set(cl_event event, cl_int status)
{
	if (!object_is(event, OBJECT_EVENT) || event->queue)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (event->status <= CL_COMPLETE)
		return CL_INVALID_OPERATION;
	object_hold(event);
	event_end(event, status);
	object_drop(event);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event,
						     cl_int status)
{
	cl_int e = cl_enter("clSetUserEventStatus");

	return cl_leave(e ? e : user_event_set(event, status));
}

static cl_int events_check(cl_uint n, const cl_event *list)
{
	if (!n || !list)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++)
		if (!object_is(list[i], OBJECT_EVENT))
			return CL_INVALID_EVENT;
	for (cl_uint i = 1; i < n; i++)
		if (list[i]->context != list[0]->context)
			return CL_INVALID_CONTEXT;
	return CL_SUCCESS;
}

/* Other threads may release the events meanwhile. */
static cl_int events_wait(cl_uint n, const cl_event *list)
{
	cl_int e = CL_SUCCESS;

	for (cl_uint i = 0; i < n; i++)
		object_hold(list[i]);
	for (cl_uint i = 0; i < n; i++)
		if (event_wait(list[i]) < 0)
			e = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	for (cl_uint i = 0; i < n; i++)
		object_drop(list[i]);
	return e;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *list)
{
	cl_int e = cl_enter("clWaitForEvents");

	if (!e)
		e = events_check(n, list);
	return cl_leave(e ? e : events_wait(n, list));
}

static cl_int event_status(cl_event e)
{
	if (e->status == CL_COMPLETE)
		cl_settle();
	/* Work that was begun may last. */
	if (e->status == CL_COMPLETE && e->mark && rt_event_query(e->mark))
		return CL_RUNNING;
	return e->status;
}

static cl_int event_query(cl_event e, cl_event_info name, const struct query *q)
{
	switch (name) {
	case CL_EVENT_COMMAND_QUEUE:
		return QUERY(q, cl_command_queue, e->queue);
	case CL_EVENT_CONTEXT:
		return QUERY(q, cl_context, e->context);
	case CL_EVENT_COMMAND_TYPE:
		return QUERY(q, cl_command_type, e->type);
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		return QUERY(q, cl_int, event_status(e));
	case CL_EVENT_REFERENCE_COUNT:
		return QUERY(q, cl_uint, e->o.refs);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event,
					       cl_event_info name, size_t room,
					       void *value, size_t *size)
{
	cl_int e = cl_enter("clGetEventInfo");

	if (!e && !object_is(event, OBJECT_EVENT))
		e = CL_INVALID_EVENT;
	return cl_leave(e ? e :
			    event_query(event, name,
					&(struct query){ room, value, size }));
}

/* Simulated nanoseconds since the program's start. */
static cl_ulong event_time(double seconds)
{
	return (cl_ulong)(seconds * 1e9 + 0.5);
}

static cl_int profile_query(cl_event e, cl_profiling_info name,
			    const struct query *q)
{
	double start, end;

	if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE) ||
	    event_status(e) != CL_COMPLETE ||
	    rt_event_span(&start, &end, e->mark))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	switch (name) {
	case CL_PROFILING_COMMAND_QUEUED:
		return QUERY(q, cl_ulong, event_time(e->queued));
	case CL_PROFILING_COMMAND_SUBMIT:
		return QUERY(q, cl_ulong, event_time(e->submitted));
	case CL_PROFILING_COMMAND_START:
		return QUERY(q, cl_ulong, event_time(start));
	case CL_PROFILING_COMMAND_END:
		return QUERY(q, cl_ulong, event_time(end));
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event,
							cl_profiling_info name,
							size_t room,
							void *value,
							size_t *size)
{
	cl_int e = cl_enter("clGetEventProfilingInfo");

	if (!e && !object_is(event, OBJECT_EVENT))
		e = CL_INVALID_EVENT;
	return cl_leave(
		e ? e :
		    profile_query(event, name,
				  &(struct query){ room, value, size }));
}

typedef void(CL_CALLBACK *event_function)(cl_event, cl_int, void *);

static cl_int event_add_callback(cl_event e, cl_int type, event_function fn,
				 void *data)
{
	struct event_callback *c;

	if (!object_is(e, OBJECT_EVENT))
		return CL_INVALID_EVENT;
	if (!fn || type < CL_COMPLETE || type > CL_SUBMITTED)
		return CL_INVALID_VALUE;
	c = malloc(sizeof(*c));
	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	*c = (struct event_callback){ e->callbacks, type, fn, data };
	e->callbacks = c;
	event_notify(e);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int type,
						   event_function fn,
						   void *data)
{
	cl_int e = cl_enter("clSetEventCallback");

	return cl_leave(e ? e : event_add_callback(event, type, fn, data));
}

/*
 * Markers and barriers
 */

struct joining {
	bool all;     /* no list was given: all earlier commands */
	bool barrier; /* later ones wait */
};

static cl_int join_run(cl_event e, void *data)
{
	const struct joining *j = data;
	struct rt_event *mark;
	cl_int error = j->all ? queue_join(e->queue, e->stream) : CL_SUCCESS;

	if (error || !j->barrier)
		return error;
	mark = mark_new(e->queue->device->number);
	if (!mark || rt_event_record(mark, e->stream, 0))
		error = CL_OUT_OF_HOST_MEMORY;
	else
		error = queue_wait_for(e->queue, mark);
	mark_free(mark, e->queue->device->number);
	return error;
}

static cl_int join_submit(cl_command_queue q, const struct wait_list *w,
			  bool barrier)
{
	struct joining j = { .all = !w->count, .barrier = barrier };
	cl_int e = command_check(q, w);

	if (e)
		return e;
	return command_submit(
		q,
		&(struct cl_command){ .type = barrier ? CL_COMMAND_BARRIER :
							CL_COMMAND_MARKER,
				      .run = join_run,
				      .data = &j,
				      .size = sizeof(j),
				      .barrier = barrier,
				      .all = j.all },
		w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(
	cl_command_queue q, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueMarkerWithWaitList");

	return cl_leave(e ? e :
			    join_submit(q,
					&(struct wait_list){ n, list, event },
					false));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(
	cl_command_queue q, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueBarrierWithWaitList");

	return cl_leave(e ? e :
			    join_submit(q,
					&(struct wait_list){ n, list, event },
					true));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue q,
						cl_event *event)
{
	cl_int e = cl_enter("clEnqueueMarker");

	if (!e && !event)
		e = object_is(q, OBJECT_QUEUE) ? CL_INVALID_VALUE :
						 CL_INVALID_COMMAND_QUEUE;
	return cl_leave(e ? e :
			    join_submit(q,
					&(struct wait_list){ .event = event },
					false));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue q)
{
	cl_int e = cl_enter("clEnqueueBarrier");

	return cl_leave(e ? e : join_submit(q, &(struct wait_list){ 0 }, true));
}

/* Later commands of the queue wait for the events. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue q,
						       cl_uint n,
						       const cl_event *list)
{
	cl_int e = cl_enter("clEnqueueWaitForEvents");

	if (!e && !object_is(q, OBJECT_QUEUE))
		e = CL_INVALID_COMMAND_QUEUE;
	if (!e)
		e = events_check(n, list);
	return cl_leave(
		e ? e :
		    join_submit(q, &(struct wait_list){ n, list, NULL }, true));
}
