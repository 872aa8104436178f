/* Command queues. */
#include <stdlib.h>

#include "door/opencl/command.h"

void command_queue_destroy(cl_command_queue q)
{
	for (unsigned i = 0; i < CL_STREAMS; i++)
		if (q->streams[i])
			rt_stream_free(q->streams[i]);
	free(q->pending);
	object_drop(q->context);
}

cl_int queue_stream(cl_command_queue q, struct rt_stream **out)
{
	unsigned i = 0;

	rt_device_set(q->device->number);
	if (q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
		i = q->turn++ % CL_STREAMS;
	if (!q->streams[i] &&
	    rt_stream_new(&q->streams[i], RT_STREAM_NON_BLOCKING, 0))
		return CL_OUT_OF_RESOURCES;
	*out = q->streams[i];
	return CL_SUCCESS;
}

cl_int queue_join(cl_command_queue q, struct rt_stream *s)
{
	struct rt_event *mark = NULL;
	int e = 0;

	for (unsigned i = 0; !e && i < CL_STREAMS; i++) {
		if (!q->streams[i] || q->streams[i] == s)
			continue;
		if (!mark)
			mark = mark_new(q->device->number);
		e = mark ? rt_event_record(mark, q->streams[i], 0) :
			   cudaErrorMemoryAllocation;
		if (!e)
			e = rt_stream_wait(s, mark, 0);
	}
	mark_free(mark, q->device->number);
	return cl_error(e);
}

cl_int queue_wait_for(cl_command_queue q, struct rt_event *mark)
{
	int e = 0;

	for (unsigned i = 0; !e && i < CL_STREAMS; i++)
		if (q->streams[i])
			e = rt_stream_wait(q->streams[i], mark, 0);
	return cl_error(e);
}

static cl_int queue_make(cl_command_queue *out, cl_context c, cl_device_id d,
			 cl_command_queue_properties properties)
{
	const cl_command_queue_properties known =
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
		CL_QUEUE_PROFILING_ENABLE;
	cl_command_queue q;

	if (!object_is(c, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!device_is(d) || !context_has(c, d))
		return CL_INVALID_DEVICE;
	if (properties & ~known)
		return CL_INVALID_VALUE;
	q = object_new(OBJECT_QUEUE, sizeof(*q));
	if (!q)
		return CL_OUT_OF_HOST_MEMORY;
	q->context = c;
	object_hold(c);
	q->device = d;
	q->properties = properties;
	*out = q;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueue(cl_context c, cl_device_id d,
		     cl_command_queue_properties properties, cl_int *error)
{
	cl_int e = cl_enter("clCreateCommandQueue");
	cl_command_queue q = NULL;

	if (!e)
		e = queue_make(&q, c, d, properties);
	if (error)
		*error = e;
	cl_leave(e);
	return q;
}

/* A function of OpenCL 2.0 that programs call without asking for the version. */
static cl_int queue_read_properties(const cl_queue_properties *list,
				    cl_command_queue_properties *out)
{
	*out = 0;
	for (; list && *list; list += 2) {
		if (list[0] != CL_QUEUE_PROPERTIES)
			return CL_INVALID_VALUE;
		*out = list[1];
	}
	return CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(
	cl_context c, cl_device_id d, const cl_queue_properties *list,
	cl_int *error)
{
	cl_int e = cl_enter("clCreateCommandQueueWithProperties");
	cl_command_queue_properties properties;
	cl_command_queue q = NULL;

	if (!e)
		e = queue_read_properties(list, &properties);
	if (!e)
		e = queue_make(&q, c, d, properties);
	if (error)
		*error = e;
	cl_leave(e);
	return q;
}

/* A function of OpenCL 1.0, which changes a queue. */
CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(
	cl_command_queue q, cl_command_queue_properties properties,
	cl_bool enable, cl_command_queue_properties *old)
{
	cl_int e = cl_enter("clSetCommandQueueProperty");

	(void)properties, (void)enable, (void)old;
	if (!e)
		e = object_is(q, OBJECT_QUEUE) ? CL_INVALID_OPERATION :
						 CL_INVALID_COMMAND_QUEUE;
	return cl_leave(e);
}

static cl_int queue_query(cl_command_queue q, cl_command_queue_info name,
			  const struct query *to)
{
	switch (name) {
	case CL_QUEUE_CONTEXT:
		return QUERY(to, cl_context, q->context);
	case CL_QUEUE_DEVICE:
		return QUERY(to, cl_device_id, q->device);
	case CL_QUEUE_REFERENCE_COUNT:
		return QUERY(to, cl_uint, q->o.refs);
	case CL_QUEUE_PROPERTIES:
		return QUERY(to, cl_command_queue_properties, q->properties);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL
clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info name,
		      size_t room, void *value, size_t *size)
{
	cl_int e = cl_enter("clGetCommandQueueInfo");

	if (!e && !object_is(q, OBJECT_QUEUE))
		e = CL_INVALID_COMMAND_QUEUE;
	return cl_leave(
		e ? e :
		    queue_query(q, name, &(struct query){ room, value, size }));
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue q)
{
	cl_int e = cl_enter("clFlush");

	if (!e && !object_is(q, OBJECT_QUEUE))
		e = CL_INVALID_COMMAND_QUEUE;
	return cl_leave(e);
}

static cl_int queue_finish(cl_command_queue q)
{
	int e = 0;

	object_hold(q);
	while (q->pending_count)
		cl_wait();
	cl_settle();
	rt_device_set(q->device->number);
	for (unsigned i = 0; !e && i < CL_STREAMS; i++)
		if (q->streams[i])
			e = rt_stream_synchronize(q->streams[i]);
	object_drop(q);
	return cl_error(e);
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue q)
{
	cl_int e = cl_enter("clFinish");

	if (!e && !object_is(q, OBJECT_QUEUE))
		e = CL_INVALID_COMMAND_QUEUE;
	return cl_leave(e ? e : queue_finish(q));
}
