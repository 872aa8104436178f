/*
 * Calls the simulator with words that no library would pass: wrong addresses,
 * handles of other kinds, counts without end. Whatever they are, the call returns,
 * and what is valid still works afterwards.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/guest/wire.h"

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int64_t raw_call(uint64_t function, const void *words)
{
	int64_t result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((uint64_t)GCL_SYSCALL), "D"(function), "S"(words)
			 : "rcx", "r11", "memory");
	return result;
}

static struct {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_mem buffer;
	cl_program program;
	cl_event event;
} all;

static char room[4096];

static uint64_t random_word(void)
{
	const uint64_t handles[] = {
		(uint64_t)all.platform, (uint64_t)all.device,
		(uint64_t)all.context,  (uint64_t)all.queue,
		(uint64_t)all.buffer,   (uint64_t)all.program,
		(uint64_t)all.event,
	};

	switch (next_random() % 8) {
	case 0:
		return next_random();
	case 1:
		return next_random() % 16;
	case 2:
		return (uint64_t)(room + next_random() % sizeof(room));
	case 3:
		return UINT64_MAX - next_random() % 64;
	case 4:
		return 0x1000 +
		       next_random() % 100; /* the query of something */
	case 5:
		return (1ull << 37) - next_random() % 8192;
	default:
		return handles[next_random() % 7];
	}
}

/* Those that would end what is needed, or run a compiler. */
static int is_left_out(uint64_t function)
{
	switch (function) {
	case GCL_WAIT:
	case GCL_clBuildProgram:
	case GCL_clCompileProgram:
	case GCL_clLinkProgram:
	case GCL_clReleaseContext:
	case GCL_clReleaseCommandQueue:
	case GCL_clReleaseMemObject:
	case GCL_clReleaseProgram:
	case GCL_clReleaseEvent:
		return 1;
	default:
		return 0;
	}
}

static int open_all(void)
{
	const char *text = "kernel void k(global int *p) { *p = 1; }";
	cl_int e = clGetPlatformIDs(1, &all.platform, NULL);

	if (e || clGetDeviceIDs(all.platform, CL_DEVICE_TYPE_ALL, 1,
				&all.device, NULL))
		return 0;
	all.context = clCreateContext(NULL, 1, &all.device, NULL, NULL, &e);
	all.queue = clCreateCommandQueue(all.context, all.device, 0, &e);
	all.buffer = clCreateBuffer(all.context, 0, 64, NULL, &e);
	all.program =
		clCreateProgramWithSource(all.context, 1, &text, NULL, &e);
	all.event = clCreateUserEvent(all.context, &e);
	return !e;
}

int main(void)
{
	const int value = 42;
	uint64_t words[14];
	int got = 0;

	if (!open_all())
		return 1;
	for (int i = 0; i < 30000; i++) {
		uint64_t function = next_random() % (GCL_FUNCTIONS + 2);

		for (int k = 0; k < 14; k++)
			words[k] = random_word();
		if (is_left_out(function))
			continue;
		raw_call(function, i % 50 ? words : (void *)words[0]);
	}
	/* Nothing that waits for the user's event may hold what follows. */
	clSetUserEventStatus(all.event, CL_COMPLETE);
	all.queue = clCreateCommandQueue(all.context, all.device, 0, NULL);
	all.buffer = clCreateBuffer(all.context, 0, 64, NULL, NULL);
	if (clEnqueueWriteBuffer(all.queue, all.buffer, CL_TRUE, 0, 4, &value,
				 0, NULL, NULL) ||
	    clEnqueueReadBuffer(all.queue, all.buffer, CL_TRUE, 0, 4, &got, 0,
				NULL, NULL) ||
	    got != value) {
		puts("what is valid does not work any more");
		return 1;
	}
	return 0;
}
