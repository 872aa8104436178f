/* Where the program may move bytes itself. */
#include <string.h>

#include "door/guest/rt_state.h"
#include "door/guest/state.h"
#include "door/opencl/mem.h"

enum {
	WORD_QUEUE,
	WORD_BUFFER,
	WORD_WRITES,
	WORD_OFFSET,
	WORD_SIZE,
	WORD_HOST,
	WORD_HOST_SIZE,
	WORD_WAITS,
	WORD_LIST
};

/* Nothing of the queue waits for an event of the user: then the program could wait
 * for what only it can do. */
static bool queue_is_free(cl_command_queue q, cl_mem m)
{
	return object_is(q, OBJECT_QUEUE) && m->context == q->context &&
	       !q->pending_count;
}

/* The same of the events that the command waits for. */
static bool list_is_free(uint64_t count, uint64_t list)
{
	const char *at = x86_mem_get(x86_process_mem(gcl.process), list,
				     8 * (uint64_t)(uint32_t)count);

	for (uint64_t i = 0; at && i < (uint32_t)count; i++) {
		uint64_t handle;
		cl_event e;

		memcpy(&handle, at + 8 * i, sizeof(handle));
		e = gcl_object(handle);
		if (!object_is(e, OBJECT_EVENT) || e->status > CL_COMPLETE)
			return false;
	}
	return at != NULL;
}

static bool buffer_fits(cl_mem m, uint64_t offset, uint64_t size)
{
	return object_is(m, OBJECT_MEM) && !mem_is_image(m) && size &&
	       offset <= m->size && size <= m->size - offset;
}

uint64_t gcl_place(const uint64_t w[GCL_PLACE_WORDS])
{
	cl_command_queue q = gcl_object(w[WORD_QUEUE]);
	cl_mem m = gcl_object(w[WORD_BUFFER]);
	bool writes = w[WORD_WRITES];
	void *at;

	if (w[WORD_HOST] &&
	    !x86_mem_can(x86_process_mem(gcl.process), w[WORD_HOST],
			 w[WORD_HOST_SIZE],
			 writes ? X86_READ : X86_WRITE | X86_DECODED))
		return 0;
	if (!m)
		return 1;
	if (!buffer_fits(m, w[WORD_OFFSET], w[WORD_SIZE]))
		return 0;
	if (q && (!queue_is_free(q, m) ||
		  !list_is_free(w[WORD_WAITS], w[WORD_LIST]) ||
		  (w[WORD_HOST] && mem_check_host(m, !writes, writes))))
		return 0;
	if (mem_on(m, m->context->devices[0], NULL, writes, &at))
		return 0;
	return memory_to_program((uint64_t)(uintptr_t)at) + w[WORD_OFFSET];
}
