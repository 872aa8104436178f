/* What the specification says of wrong arguments. */
#include <string.h>

#include "support.h"

static const char add_source[] =
	"kernel void add(global int *p, int v, local int *t) { p[0] += v; }\n"
	"__attribute__((reqd_work_group_size(4, 2, 1)))\n"
	"kernel void fixed(global int *p) { p[0]++; }\n";

TEST(opencl_misuse, objects_of_another_kind_are_refused)
{
	struct world w = world_open();
	cl_mem m = buffer_of(&w, 64, NULL);
	size_t size;

	EQ(CL_INVALID_CONTEXT,
	   clGetContextInfo((cl_context)m, CL_CONTEXT_DEVICES, 0, NULL, &size));
	EQ(CL_INVALID_MEM_OBJECT, clReleaseMemObject((cl_mem)w.context));
	EQ(CL_INVALID_COMMAND_QUEUE, clFinish((cl_command_queue)m));
	EQ(CL_INVALID_KERNEL, clSetKernelArg((cl_kernel)m, 0, 4, &size));
	EQ(CL_INVALID_PROGRAM,
	   clBuildProgram((cl_program)m, 0, NULL, "", NULL, NULL));
	EQ(CL_INVALID_EVENT, clSetUserEventStatus((cl_event)m, CL_COMPLETE));
	EQ(CL_INVALID_SAMPLER, clRetainSampler((cl_sampler)m));
	EQ(CL_SUCCESS, clReleaseMemObject(m));
	world_close(&w);
}

TEST(opencl_misuse, devices_and_contexts_check_their_lists)
{
	cl_context_properties twice[] = { CL_CONTEXT_PLATFORM, 0,
					  CL_CONTEXT_PLATFORM, 0, 0 };
	cl_context_properties unknown[] = { 0x7777, 0, 0 };
	struct world w = world_open();
	cl_uint n;
	cl_int e;

	EQ(CL_DEVICE_NOT_FOUND,
	   clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_CPU, 0, NULL, &n));
	EQ(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(w.platform, 0, 0, NULL, &n));
	EQ(CL_INVALID_VALUE,
	   clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 0, w.devices, NULL));
	EQ(CL_INVALID_VALUE,
	   clGetDeviceInfo(w.devices[0], CL_DEVICE_NAME, 1, &n, NULL));
	EQ(CL_INVALID_VALUE,
	   clGetDeviceInfo(w.devices[0], 0x7777, 0, NULL, NULL));
	clCreateContext(NULL, 0, w.devices, NULL, NULL, &e);
	EQ(CL_INVALID_VALUE, e);
	twice[1] = twice[3] = (cl_context_properties)w.platform;
	clCreateContext(twice, 1, w.devices, NULL, NULL, &e);
	EQ(CL_INVALID_PROPERTY, e);
	unknown[1] = 1;
	clCreateContext(unknown, 1, w.devices, NULL, NULL, &e);
	EQ(CL_INVALID_PROPERTY, e);
	clCreateCommandQueue(w.context, w.devices[0], 1 << 20, &e);
	EQ(CL_INVALID_VALUE, e);
	EQ(CL_INVALID_VALUE,
	   clCreateSubDevices(w.devices[0], NULL, 0, NULL, NULL));
	world_close(&w);
}

TEST(opencl_misuse, buffers_check_sizes_flags_and_pointers)
{
	struct world w = world_open();
	cl_buffer_region region = { 4, 8 };
	cl_mem m = buffer_of(&w, 1024, NULL);
	char byte = 0;
	cl_int e;

	clCreateBuffer(w.context, 0, 0, NULL, &e);
	EQ(CL_INVALID_BUFFER_SIZE, e);
	clCreateBuffer(w.context, 0, (size_t)1 << 60, NULL, &e);
	EQ(CL_INVALID_BUFFER_SIZE, e);
	clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL,
		       &e);
	EQ(CL_INVALID_VALUE, e);
	clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, 4, NULL, &e);
	EQ(CL_INVALID_HOST_PTR, e);
	clCreateBuffer(w.context, 0, 4, &byte, &e);
	EQ(CL_INVALID_HOST_PTR, e);
	clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
	EQ(CL_MISALIGNED_SUB_BUFFER_OFFSET, e);
	region = (cl_buffer_region){ 512, 513 };
	clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
	EQ(CL_INVALID_VALUE, e);
	region = (cl_buffer_region){ 512, 0 };
	clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
	EQ(CL_INVALID_BUFFER_SIZE, e);
	EQ(CL_SUCCESS, clReleaseMemObject(m));
	world_close(&w);
}

TEST(opencl_misuse, transfers_check_ranges_lists_and_access)
{
	struct world w = world_open();
	cl_mem m = buffer_of(&w, 64, NULL), hidden;
	const size_t origin[3] = { 60, 0, 0 }, region[3] = { 8, 1, 1 };
	char bytes[64];
	cl_event event;
	cl_int e;

	EQ(CL_INVALID_VALUE, clEnqueueReadBuffer(w.queue, m, CL_TRUE, 60, 8,
						 bytes, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 8, NULL, 0, NULL, NULL));
	EQ(CL_INVALID_EVENT_WAIT_LIST,
	   clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 8, bytes, 1, NULL,
			       NULL));
	EQ(CL_INVALID_EVENT_WAIT_LIST,
	   clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 8, bytes, 0, &event,
			       NULL));
	EQ(CL_MEM_COPY_OVERLAP,
	   clEnqueueCopyBuffer(w.queue, m, m, 0, 8, 16, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueCopyBuffer(w.queue, m, m, 0, 60, 16, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueReadBufferRect(w.queue, m, CL_TRUE, origin, origin, region,
				   0, 0, 0, 0, bytes, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueFillBuffer(w.queue, m, bytes, 3, 0, 63, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueFillBuffer(w.queue, m, bytes, 4, 2, 8, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueUnmapMemObject(w.queue, m, bytes, 0, NULL, NULL));
	hidden = clCreateBuffer(w.context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &e);
	EQ(CL_INVALID_OPERATION,
	   clEnqueueReadBuffer(w.queue, hidden, CL_TRUE, 0, 8, bytes, 0, NULL,
			       NULL));
	EQ(CL_SUCCESS, clReleaseMemObject(hidden));
	EQ(CL_SUCCESS, clReleaseMemObject(m));
	world_close(&w);
}

TEST(opencl_misuse, images_check_formats_and_sizes)
{
	struct world w = world_open();
	cl_image_format format = { CL_RGBA, CL_FLOAT };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = 4,
			       .image_height = 4 };
	const size_t origin[3] = { 2, 2, 0 }, region[3] = { 3, 1, 1 };
	float pixels[64];
	cl_mem m;
	cl_int e;

	m = clCreateImage(w.context, 0, &format, &desc, NULL, &e);
	EQ(CL_SUCCESS, e);
	EQ(CL_INVALID_VALUE,
	   clEnqueueReadImage(w.queue, m, CL_TRUE, origin, region, 0, 0, pixels,
			      0, NULL, NULL));
	EQ(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 8,
						      pixels, 0, NULL, NULL));
	clCreateImage(w.context, 0, NULL, &desc, NULL, &e);
	EQ(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, e);
	format.image_channel_data_type = CL_UNORM_SHORT_565;
	clCreateImage(w.context, 0, &format, &desc, NULL, &e);
	EQ(CL_IMAGE_FORMAT_NOT_SUPPORTED, e);
	format.image_channel_data_type = CL_FLOAT;
	desc.image_width = 0;
	clCreateImage(w.context, 0, &format, &desc, NULL, &e);
	EQ(CL_INVALID_IMAGE_SIZE, e);
	desc.image_width = 4;
	desc.image_row_pitch = 64;
	clCreateImage(w.context, 0, &format, &desc, NULL, &e);
	EQ(CL_INVALID_IMAGE_DESCRIPTOR, e);
	clCreateSampler(w.context, CL_FALSE, CL_ADDRESS_REPEAT,
			CL_FILTER_NEAREST, &e);
	EQ(CL_INVALID_VALUE, e);
	EQ(CL_SUCCESS, clReleaseMemObject(m));
	world_close(&w);
}

TEST(opencl_misuse, programs_say_why_they_do_not_build)
{
	struct world w = world_open();
	const char *bad = "kernel void k(global int *p) { p[0] = nothing; }";
	const char *open_end =
		"int other(int); kernel void k(global int *p) { p[0] = other(1); }";
	unsigned char bytes[] = "not a program";
	const unsigned char *list[] = { bytes };
	size_t size = sizeof(bytes);
	char log[4096];
	cl_program p;
	cl_int e, status;

	p = clCreateProgramWithSource(w.context, 1, &bad, NULL, &e);
	EQ(CL_INVALID_PROGRAM_EXECUTABLE,
	   clCreateKernelsInProgram(p, 0, NULL, NULL));
	EQ(CL_INVALID_BUILD_OPTIONS,
	   clBuildProgram(p, 0, NULL, "-cl-does-not-exist", NULL, NULL));
	EQ(CL_BUILD_PROGRAM_FAILURE,
	   clBuildProgram(p, 0, NULL, "", NULL, NULL));
	EQ(CL_SUCCESS,
	   clGetProgramBuildInfo(p, w.devices[0], CL_PROGRAM_BUILD_LOG,
				 sizeof(log), log, NULL));
	OK(strstr(log, "program.cl:1:") && strstr(log, "nothing"));
	EQ(CL_SUCCESS, clReleaseProgram(p));
	p = clCreateProgramWithSource(w.context, 1, &open_end, NULL, &e);
	EQ(CL_BUILD_PROGRAM_FAILURE,
	   clBuildProgram(p, 0, NULL, "", NULL, NULL));
	EQ(CL_SUCCESS,
	   clGetProgramBuildInfo(p, w.devices[0], CL_PROGRAM_BUILD_LOG,
				 sizeof(log), log, NULL));
	OK(strstr(log, "undefined function") && strstr(log, "other"));
	EQ(CL_SUCCESS, clReleaseProgram(p));
	clCreateProgramWithBinary(w.context, 1, w.devices, &size, list, &status,
				  &e);
	EQ(CL_INVALID_BINARY, e);
	EQ(CL_INVALID_BINARY, status);
	clCreateProgramWithBuiltInKernels(w.context, 1, w.devices, "k", &e);
	EQ(CL_INVALID_VALUE, e);
	world_close(&w);
}

TEST(opencl_misuse, kernels_check_arguments_and_shapes)
{
	struct world w = world_open();
	cl_program p = program_of(&w, add_source, "");
	cl_kernel k = kernel_of(p, "add"), fixed = kernel_of(p, "fixed");
	cl_mem m = buffer_of(&w, 64, NULL);
	size_t eight = 8, three = 3, zero = 0, far = SIZE_MAX;
	size_t flat[2] = { 8, 8 }, right[2] = { 4, 2 };
	int v = 1;
	cl_int e;

	clCreateKernel(p, "sub", &e);
	EQ(CL_INVALID_KERNEL_NAME, e);
	EQ(CL_INVALID_OPERATION, clBuildProgram(p, 0, NULL, "", NULL, NULL));
	EQ(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 3, sizeof(v), &v));
	EQ(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1, 8, &v));
	EQ(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 1, 4, NULL));
	EQ(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, 4, &m));
	EQ(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof(m), &k));
	EQ(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 2, 0, NULL));
	EQ(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 2, 4, &v));
	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(v), &v));
	EQ(CL_INVALID_KERNEL_ARGS,
	   clEnqueueNDRangeKernel(w.queue, k, 1, NULL, &eight, NULL, 0, NULL,
				  NULL));
	EQ(CL_SUCCESS, clSetKernelArg(k, 2, 16, NULL));
	EQ(CL_INVALID_WORK_DIMENSION,
	   clEnqueueNDRangeKernel(w.queue, k, 4, NULL, &eight, NULL, 0, NULL,
				  NULL));
	EQ(CL_INVALID_GLOBAL_WORK_SIZE,
	   clEnqueueNDRangeKernel(w.queue, k, 1, NULL, &zero, NULL, 0, NULL,
				  NULL));
	EQ(CL_INVALID_GLOBAL_OFFSET,
	   clEnqueueNDRangeKernel(w.queue, k, 1, &far, &eight, NULL, 0, NULL,
				  NULL));
	EQ(CL_INVALID_WORK_GROUP_SIZE,
	   clEnqueueNDRangeKernel(w.queue, k, 1, NULL, &eight, &three, 0, NULL,
				  NULL));
	EQ(CL_SUCCESS, clSetKernelArg(k, 2, 1 << 20, NULL));
	EQ(CL_OUT_OF_RESOURCES,
	   clEnqueueNDRangeKernel(w.queue, k, 1, NULL, &eight, NULL, 0, NULL,
				  NULL));
	EQ(CL_SUCCESS, clSetKernelArg(fixed, 0, sizeof(m), &m));
	EQ(CL_INVALID_WORK_GROUP_SIZE,
	   clEnqueueNDRangeKernel(w.queue, fixed, 2, NULL, flat, NULL, 0, NULL,
				  NULL));
	EQ(CL_SUCCESS, clEnqueueNDRangeKernel(w.queue, fixed, 2, NULL, flat,
					      right, 0, NULL, NULL));
	EQ(CL_INVALID_OPERATION,
	   clEnqueueNativeKernel(w.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL,
				 NULL));
	clReleaseKernel(k);
	clReleaseKernel(fixed);
	clReleaseProgram(p);
	clReleaseMemObject(m);
	world_close(&w);
}

TEST(opencl_misuse, events_check_their_states)
{
	struct world w = world_open();
	cl_int e;
	cl_event u = clCreateUserEvent(w.context, &e);
	cl_ulong t;

	EQ(CL_SUCCESS, e);
	EQ(CL_INVALID_VALUE, clSetUserEventStatus(u, CL_RUNNING));
	EQ(CL_PROFILING_INFO_NOT_AVAILABLE,
	   clGetEventProfilingInfo(u, CL_PROFILING_COMMAND_START, sizeof(t), &t,
				   NULL));
	EQ(CL_INVALID_VALUE, clSetEventCallback(u, CL_COMPLETE, NULL, NULL));
	EQ(CL_SUCCESS, clSetUserEventStatus(u, -7));
	EQ(CL_INVALID_OPERATION, clSetUserEventStatus(u, CL_COMPLETE));
	EQ(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
	   clWaitForEvents(1, &u));
	EQ(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
	EQ(CL_SUCCESS, clReleaseEvent(u));
	world_close(&w);
}
