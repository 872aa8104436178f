/* Work of a stream: runs it, or adds it to the stream's capture. */
#include "door/rt/capture.h"
#include "door/rt/state.h"

int work_run(struct rt_stream *s, const struct rt_work *w)
{
	switch (w->kind) {
	case RT_NODE_KERNEL:
		return launch_run_now(&w->launch, s);
	case RT_NODE_COPY:
		return copy_run(&w->copy, s);
	case RT_NODE_SET:
		return set_run(&w->set, s);
	case RT_NODE_HOST:
		rt_flush();
		call_host(w->host.fn, w->host.data);
		return cudaSuccess;
	case RT_NODE_WAIT:
		return event_wait_now(s, w->event);
	case RT_NODE_RECORD:
		return event_record_now(w->event, s);
	case RT_NODE_FREE:
		rt_flush();
		return memory_release(w->memory.p);
	/* rt_exec_launch runs a graph's nodes; its memory is there already. */
	case RT_NODE_GRAPH:
	case RT_NODE_ALLOC:
	case RT_NODE_EMPTY:
		return cudaSuccess;
	}
	return cudaErrorInvalidValue;
}

int work_submit(struct rt_stream *s, struct rt_work *w)
{
	int e;

	if (s->capture)
		return capture_add(s, w);
	e = stream_is_legacy(s) ? capture_check_implicit(s->device) :
				  cudaSuccess;
	return e ? e : work_run(s, w);
}
