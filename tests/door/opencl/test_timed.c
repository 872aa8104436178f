/* Simulated time, on the small GPU; and faults, after which a device is lost. */
#include "support.h"

static cl_ulong time_of(cl_event e, cl_profiling_info name)
{
	cl_ulong t;

	EQ(CL_SUCCESS, clGetEventProfilingInfo(e, name, sizeof(t), &t, NULL));
	return t;
}

static const char loop_source[] =
	"kernel void k(global float *p, int n) { float v = p[0];\n"
	"  for (int i = 0; i < n; i++) v = v * 0.5f + 1.0f;\n"
	"  p[get_global_id(0)] = v; }";

TEST(opencl_timed, events_tell_simulated_time)
{
	struct world w = world_open();
	cl_program p = program_of(&w, loop_source, "");
	cl_kernel k = kernel_of(p, "k");
	cl_mem m = buffer_of(&w, 256, NULL);
	cl_event e[2];
	cl_ulong last = 0, length[2];

	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	for (int i = 0; i < 2; i++) {
		int n = 100 << 4 * i;

		EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(n), &n));
		run_on(w.queue, k, 64, 64, &e[i]);
	}
	for (int i = 0; i < 2; i++) {
		cl_ulong start = time_of(e[i], CL_PROFILING_COMMAND_START);
		cl_ulong end = time_of(e[i], CL_PROFILING_COMMAND_END);

		OK(time_of(e[i], CL_PROFILING_COMMAND_QUEUED) <=
		   time_of(e[i], CL_PROFILING_COMMAND_SUBMIT));
		OK(time_of(e[i], CL_PROFILING_COMMAND_SUBMIT) <= start);
		OK(start < end && last <= start);
		last = end;
		length[i] = end - start;
		clReleaseEvent(e[i]);
	}
	OK(length[1] > 4 * length[0]);
	clReleaseMemObject(m);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

TEST(opencl_timed, launches_of_two_queues_overlap)
{
	struct world w = world_open();
	cl_program p = program_of(&w, loop_source, "");
	cl_kernel k = kernel_of(p, "k");
	cl_mem m = buffer_of(&w, 256, NULL), other = buffer_of(&w, 256, NULL);
	cl_int error, n = 2000;
	cl_command_queue q = clCreateCommandQueue(
		w.context, w.devices[0], CL_QUEUE_PROFILING_ENABLE, &error);
	cl_event a, b;

	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(n), &n));
	run_on(w.queue, k, 64, 64, &a);
	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(other), &other));
	run_on(q, k, 64, 64, &b);
	OK(time_of(b, CL_PROFILING_COMMAND_START) <
	   time_of(a, CL_PROFILING_COMMAND_END));
	clReleaseEvent(a);
	clReleaseEvent(b);
	clReleaseMemObject(m);
	clReleaseMemObject(other);
	clReleaseKernel(k);
	clReleaseProgram(p);
	clReleaseCommandQueue(q);
	world_close(&w);
}

TEST(opencl_timed, a_fault_of_a_kernel_is_an_error_of_its_queue)
{
	struct world w = world_open();
	cl_program p = program_of(
		&w, "kernel void k(global int *p) { p[1 << 28] = 1; }", "");
	cl_kernel k = kernel_of(p, "k");
	cl_mem m = buffer_of(&w, 4, NULL);
	size_t one = 1;
	cl_event event;

	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	EQ(CL_SUCCESS, clEnqueueNDRangeKernel(w.queue, k, 1, NULL, &one, NULL,
					      0, NULL, &event));
	EQ(CL_OUT_OF_RESOURCES, status_of(event));
	EQ(CL_OUT_OF_RESOURCES, clFinish(w.queue));
}
