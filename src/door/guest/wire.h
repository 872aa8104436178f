/*
 * What a guest's library and the simulator agree on: the number of the private
 * system call, the functions, and how a program learns that it must wait.
 *
 * A call passes the number of a function and the address of its arguments, a word
 * of 64 bits for each. It returns what the function does; a signed int is
 * extended.
 */
#ifndef HEDDLE_GUEST_WIRE_H
#define HEDDLE_GUEST_WIRE_H

#include "door/opencl/cl.h"

typedef void CL_CALLBACK gcl_context_function(const char *text,
					      const void *info, size_t size,
					      void *data);
typedef void CL_CALLBACK gcl_program_function(cl_program p, void *data);
typedef void CL_CALLBACK gcl_svm_function(cl_command_queue q, cl_uint count,
					  void **list, void *data);

/* The functions. The first ones are no functions of OpenCL. */
enum gcl_function {
	/* Words: how many events, their list, the place of a cl_int. Returns 1
	 * and writes what clWaitForEvents does, or 0: some are not complete.
	 * Before it returns 0, the thread sleeps until something has changed. */
	GCL_WAIT,
	/* Whether the program can move bytes itself, and where they are in the
	 * device's memory. Words: queue (0: none), buffer (0: only whether the
	 * host's bytes may be accessed), whether it writes to the buffer,
	 * offset, size, the host's bytes (0: none), how many, events to wait
	 * for, their list. Returns an address, 1 for no buffer, or 0: it cannot,
	 * or something is wrong, which the command will say. */
	GCL_PLACE,
	/* No words. Whether what the program writes to the device's memory, or
	 * is about to read there, must be flushed from its caches. */
	GCL_FLUSHES,
#define CALL(way, result, name) GCL_##name,
#include "door/guest/call.def"
	GCL_FUNCTIONS
};

/* Linux has no system call of this number. A library with other functions than the
 * simulator has another number, and is refused. */
/* Added to a function: its bytes have been moved. */
enum { GCL_MOVED = 0x8000 };

enum { GCL_SYSCALL = 0x48440000 + GCL_FUNCTIONS };

#endif
