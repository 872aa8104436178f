#include "door/guest/state.h"

#include <stdlib.h>

/* Handles are far from addresses of the program, and 16 apart. */
#define HANDLE_FIRST 0x686500000000ull
enum { HANDLE_STEP = 16 };

void *gcl_object(uint64_t handle)
{
	/* No object: door/opencl finds it nowhere. */
	static char none;
	uint64_t i = (handle - HANDLE_FIRST) / HANDLE_STEP;

	if (!handle)
		return NULL;
	if (handle < HANDLE_FIRST || (handle - HANDLE_FIRST) % HANDLE_STEP ||
	    i >= gcl.objects || !gcl.object[i])
		return &none;
	return gcl.object[i];
}

static bool make_room(void)
{
	size_t room = gcl.object_room ? gcl.object_room * 2 : 64;
	void **more;

	if (gcl.objects < gcl.object_room)
		return true;
	more = realloc(gcl.object, room * sizeof(*more));
	if (!more)
		return false;
	gcl.object = more;
	gcl.object_room = room;
	return true;
}

/* An object that was freed may have had the same address: its handle is no more. */
static void forget(const void *object)
{
	void *number = symbol_value(&gcl.number, object, SYMBOL_FUNC);

	if (!number)
		return;
	gcl.object[(uintptr_t)number - 1] = NULL;
	handle_remove(&gcl.number, object);
}

uint64_t gcl_handle_new(void *object)
{
	uint64_t i = gcl.objects;

	if (!object)
		return 0;
	forget(object);
	if (!make_room() || !symbol_add(&gcl.number, object, SYMBOL_FUNC,
					(void *)(uintptr_t)(i + 1)))
		return 0;
	gcl.object[gcl.objects++] = object;
	return HANDLE_FIRST + i * HANDLE_STEP;
}

uint64_t gcl_handle(void *object)
{
	void *number = symbol_value(&gcl.number, object, SYMBOL_FUNC);
	uint64_t i = (uint64_t)(uintptr_t)number;

	return number ? HANDLE_FIRST + (i - 1) * HANDLE_STEP :
			gcl_handle_new(object);
}

void gcl_handles_free(void)
{
	free(gcl.object);
	free(gcl.number.slots);
	gcl.object = NULL;
	gcl.objects = gcl.object_room = 0;
	gcl.number = (struct handles){ 0 };
}

void *gcl_pointer(uint64_t at)
{
	struct x86_mem *mem = x86_process_mem(gcl.process);

	if (!at)
		return NULL;
	/* The last page is never mapped: it stands for all that are none. */
	return mem->memory + (at < X86_SPACE ? at : X86_SPACE - X86_PAGE);
}

uint64_t gcl_address(const void *host)
{
	struct x86_mem *mem = x86_process_mem(gcl.process);

	return host ? (uint64_t)((const uint8_t *)host - mem->memory) : 0;
}
