#include "door/guest/state.h"

#include <stdlib.h>

/* Handles are far from addresses of the program, and 16 apart. */
#define HANDLE_FIRST 0x686500000000ull
enum { HANDLE_STEP = 16 };

void *guest_object(uint64_t handle)
{
	/* No object: door/opencl finds it nowhere. */
	static char none;
	uint64_t i = (handle - HANDLE_FIRST) / HANDLE_STEP;

	if (!handle)
		return NULL;
	if (handle < HANDLE_FIRST || (handle - HANDLE_FIRST) % HANDLE_STEP ||
	    i >= guest.objects || !guest.object[i])
		return &none;
	return guest.object[i];
}

static bool make_room(void)
{
	size_t room = guest.object_room ? guest.object_room * 2 : 64;
	void **more;

	if (guest.objects < guest.object_room)
		return true;
	more = realloc(guest.object, room * sizeof(*more));
	if (!more)
		return false;
	guest.object = more;
	guest.object_room = room;
	return true;
}

/* An object that was freed may have had the same address: its handle is no more. */
static void forget(const void *object)
{
	void *number = symbol_value(&guest.number, object, SYMBOL_FUNC);

	if (!number)
		return;
	guest.object[(uintptr_t)number - 1] = NULL;
	handle_remove(&guest.number, object);
}

uint64_t guest_handle_new(void *object)
{
	uint64_t i = guest.objects;

	if (!object)
		return 0;
	forget(object);
	if (!make_room() || !symbol_add(&guest.number, object, SYMBOL_FUNC,
					(void *)(uintptr_t)(i + 1)))
		return 0;
	guest.object[guest.objects++] = object;
	return HANDLE_FIRST + i * HANDLE_STEP;
}

uint64_t guest_handle(void *object)
{
	void *number = symbol_value(&guest.number, object, SYMBOL_FUNC);
	uint64_t i = (uint64_t)(uintptr_t)number;

	return number ? HANDLE_FIRST + (i - 1) * HANDLE_STEP :
			guest_handle_new(object);
}

void guest_handles_free(void)
{
	free(guest.object);
	free(guest.number.slots);
	guest.object = NULL;
	guest.objects = guest.object_room = 0;
	guest.number = (struct handles){ 0 };
}

void *guest_pointer(uint64_t at)
{
	struct x86_mem *mem = x86_process_mem(guest.process);

	if (!at)
		return NULL;
	/* The last page is never mapped: it stands for all that are none. */
	return mem->memory + (at < X86_SPACE ? at : X86_SPACE - X86_PAGE);
}

uint64_t guest_address(const void *host)
{
	struct x86_mem *mem = x86_process_mem(guest.process);

	return host ? (uint64_t)((const uint8_t *)host - mem->memory) : 0;
}
