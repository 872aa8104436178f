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

/* The functions. The first ones are no functions of OpenCL. */
enum gcl_function {
	/* Words: how many events, their list, the place of a cl_int. Returns 1
	 * and writes what clWaitForEvents does, or 0: some are not complete.
	 * Before it returns 0, the thread sleeps until something has changed. */
	GCL_WAIT,
#define CALL(way, result, name) GCL_##name,
#include "door/guest/call.def"
	GCL_FUNCTIONS
};

/* Linux has no system call of this number. A library with other functions than the
 * simulator has another number, and is refused. */
enum { GCL_SYSCALL = 0x48440000 + GCL_FUNCTIONS };

#endif
