/* What programs do with OpenCL, part by part. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

TEST(opencl, work_items_know_their_place_and_offset)
{
	struct world w = world_open();
	cl_program p =
		program_of(&w,
			   "kernel void k(global int *p) {\n"
			   "int x = get_global_id(0), y = get_global_id(1);\n"
			   "int n = get_global_size(0);\n"
			   "p[(y - get_global_offset(1)) * n + x -\n"
			   "  get_global_offset(0)] = x + 100 * y +\n"
			   "  10000 * get_work_dim() +\n"
			   "  100000 * (get_local_size(0) * get_group_id(0) +\n"
			   "  get_local_id(0) == x - get_global_offset(0)); }",
			   NULL);
	cl_kernel k = kernel_of(p, "k");
	cl_mem m = buffer_of(&w, 4 * 64, NULL);
	size_t offset[2] = { 3, 5 }, global[2] = { 8, 4 }, local[2] = { 4, 2 };

	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	EQ(CL_SUCCESS, clEnqueueNDRangeKernel(w.queue, k, 2, offset, global,
					      local, 0, NULL, NULL));
	EQ(120503, int_at(&w, m, 0));
	EQ(120503 + 7 + 300, int_at(&w, m, 31));
	/* The next launch has no offset again. */
	EQ(CL_SUCCESS, clEnqueueNDRangeKernel(w.queue, k, 2, NULL, global, NULL,
					      0, NULL, NULL));
	EQ(120000, int_at(&w, m, 0));
	clReleaseMemObject(m);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

TEST(opencl, arguments_of_every_kind_arrive)
{
	struct world w = world_open();
	cl_program p = program_of(
		&w,
		"struct s { char c; double d; };\n"
		"kernel void k(global double *o, char c, short3 v, struct s s,\n"
		"  local int *a, local double *b, constant float *t, ulong u) {\n"
		"  a[0] = 7; b[0] = 0.5;\n"
		"  o[0] = c; o[1] = v.z; o[2] = s.c + s.d; o[3] = a[0] + b[0];\n"
		"  o[4] = t[2]; o[5] = u; }",
		"");
	cl_kernel k = kernel_of(p, "k");
	const float t[4] = { 1, 2, 3.5f, 4 };
	struct {
		char c;
		double d;
	} s = { 1, 2.25 };
	cl_mem out = buffer_of(&w, 64, NULL), table = buffer_of(&w, 16, t);
	cl_short3 v = { { 1, 2, -3 } };
	cl_char c = -5;
	cl_ulong u = 1ull << 40;
	double got[6];

	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(out), &out));
	EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(c), &c));
	EQ(CL_SUCCESS, clSetKernelArg(k, 2, sizeof(v), &v));
	EQ(CL_SUCCESS, clSetKernelArg(k, 3, sizeof(s), &s));
	EQ(CL_SUCCESS, clSetKernelArg(k, 4, 4, NULL));
	EQ(CL_SUCCESS, clSetKernelArg(k, 5, 8, NULL));
	EQ(CL_SUCCESS, clSetKernelArg(k, 6, sizeof(table), &table));
	EQ(CL_SUCCESS, clSetKernelArg(k, 7, sizeof(u), &u));
	EQ(CL_SUCCESS, clEnqueueTask(w.queue, k, 0, NULL, NULL));
	EQ(CL_SUCCESS, clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0,
					   sizeof(got), got, 0, NULL, NULL));
	EQ(-5.0, got[0]);
	EQ(-3.0, got[1]);
	EQ(3.25, got[2]);
	EQ(7.5, got[3]);
	EQ(3.5, got[4]);
	EQ((double)u, got[5]);
	clReleaseMemObject(out);
	clReleaseMemObject(table);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

TEST(opencl, commands_wait_for_events_of_the_user)
{
	struct world w = world_open();
	cl_int e, one = 1, two = 2, got[2] = { 0 };
	cl_event u = clCreateUserEvent(w.context, &e), first, second;
	cl_mem m = buffer_of(&w, 8, NULL);

	EQ(CL_SUCCESS, clEnqueueWriteBuffer(w.queue, m, CL_FALSE, 0, 4, &one, 1,
					    &u, &first));
	/* In order: it waits for the one before it. */
	EQ(CL_SUCCESS, clEnqueueWriteBuffer(w.queue, m, CL_FALSE, 4, 4, &two, 0,
					    NULL, &second));
	EQ(CL_QUEUED, status_of(first));
	EQ(CL_QUEUED, status_of(second));
	EQ(CL_SUCCESS, clSetUserEventStatus(u, CL_COMPLETE));
	EQ(CL_COMPLETE, status_of(first));
	EQ(CL_COMPLETE, status_of(second));
	EQ(CL_SUCCESS,
	   clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 8, got, 0, NULL, NULL));
	EQ(1, got[0]);
	EQ(2, got[1]);
	clReleaseEvent(u);
	clReleaseEvent(first);
	clReleaseEvent(second);
	clReleaseMemObject(m);
	world_close(&w);
}

TEST(opencl, a_failed_event_ends_what_waits_for_it)
{
	struct world w = world_open();
	cl_int e, one = 1;
	cl_event u = clCreateUserEvent(w.context, &e), first;
	cl_mem m = buffer_of(&w, 8, NULL);

	EQ(CL_SUCCESS, clEnqueueWriteBuffer(w.queue, m, CL_FALSE, 0, 4, &one, 1,
					    &u, &first));
	EQ(CL_SUCCESS, clSetUserEventStatus(u, -1));
	EQ(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status_of(first));
	EQ(0, int_at(&w, m, 0));
	clReleaseEvent(u);
	clReleaseEvent(first);
	clReleaseMemObject(m);
	world_close(&w);
}

struct calls {
	int count;
	cl_int status;
};

static void CL_CALLBACK count_call(cl_event e, cl_int status, void *data)
{
	struct calls *c = data;

	c->count++;
	c->status = status;
	/* The API may be used here. */
	status_of(e);
}

static void CL_CALLBACK count_mem(cl_mem m, void *data)
{
	(void)m;
	++*(int *)data;
}

TEST(opencl, callbacks_are_called_once)
{
	struct world w = world_open();
	struct calls done = { 0, 5 }, late = { 0, 5 };
	int freed = 0;
	cl_int e;
	cl_event u = clCreateUserEvent(w.context, &e);
	cl_mem m = buffer_of(&w, 8, NULL);

	EQ(CL_SUCCESS, clSetEventCallback(u, CL_COMPLETE, count_call, &done));
	EQ(0, done.count);
	EQ(CL_SUCCESS, clSetUserEventStatus(u, CL_COMPLETE));
	EQ(1, done.count);
	EQ(CL_COMPLETE, done.status);
	EQ(CL_SUCCESS, clSetEventCallback(u, CL_COMPLETE, count_call, &late));
	EQ(1, late.count);
	EQ(CL_SUCCESS, clSetMemObjectDestructorCallback(m, count_mem, &freed));
	EQ(CL_SUCCESS, clRetainMemObject(m));
	EQ(CL_SUCCESS, clReleaseMemObject(m));
	EQ(0, freed);
	EQ(CL_SUCCESS, clReleaseMemObject(m));
	EQ(1, freed);
	clReleaseEvent(u);
	world_close(&w);
}

TEST(opencl, a_queue_out_of_order_keeps_the_order_of_events_and_barriers)
{
	struct world w = world_open();
	cl_int e;
	cl_command_queue q = clCreateCommandQueue(
		w.context, w.devices[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
		&e);
	cl_event u = clCreateUserEvent(w.context, &e), free_one, marker;
	int one = 1, two = 2, three = 3;
	cl_mem m = buffer_of(&w, 12, NULL);

	EQ(CL_SUCCESS,
	   clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &one, 1, &u, NULL));
	EQ(CL_SUCCESS, clEnqueueWriteBuffer(q, m, CL_FALSE, 4, 4, &two, 0, NULL,
					    &free_one));
	EQ(CL_COMPLETE, status_of(free_one));
	EQ(CL_SUCCESS, clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
	EQ(CL_SUCCESS,
	   clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &three, 0, NULL, NULL));
	EQ(CL_SUCCESS, clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
	EQ(CL_QUEUED, status_of(marker));
	EQ(CL_SUCCESS, clSetUserEventStatus(u, CL_COMPLETE));
	EQ(CL_COMPLETE, status_of(marker));
	EQ(3, int_at(&w, m, 0));
	EQ(2, int_at(&w, m, 1));
	clReleaseEvent(u);
	clReleaseEvent(free_one);
	clReleaseEvent(marker);
	clReleaseMemObject(m);
	clReleaseCommandQueue(q);
	world_close(&w);
}

TEST(opencl, mapped_memory_is_read_and_written_back)
{
	struct world w = world_open();
	static int own[64];
	cl_int e;
	cl_mem m = buffer_of(&w, 256, NULL), used;
	const int seven = 7;
	int *p;

	EQ(CL_SUCCESS,
	   clEnqueueFillBuffer(w.queue, m, &seven, 4, 0, 256, 0, NULL, NULL));
	p = clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
			       64, 64, 0, NULL, NULL, &e);
	EQ(CL_SUCCESS, e);
	EQ(7, p[15]);
	p[0] = 9;
	EQ(CL_SUCCESS, clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL));
	EQ(9, int_at(&w, m, 16));
	EQ(7, int_at(&w, m, 15));
	own[3] = 5;
	used = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof(own), own,
			      &e);
	EQ(5, int_at(&w, used, 3));
	EQ(CL_SUCCESS, clEnqueueFillBuffer(w.queue, used, &seven, 4, 0, 256, 0,
					   NULL, NULL));
	p = clEnqueueMapBuffer(w.queue, used, CL_TRUE, CL_MAP_READ, 0, 256, 0,
			       NULL, NULL, &e);
	EQ(own, p);
	EQ(7, own[63]);
	EQ(CL_SUCCESS,
	   clEnqueueUnmapMemObject(w.queue, used, p, 0, NULL, NULL));
	clReleaseMemObject(used);
	clReleaseMemObject(m);
	world_close(&w);
}

TEST(opencl, boxes_are_copied_between_pitches)
{
	struct world w = world_open();
	unsigned char from[4 * 8 * 2], to[64] = { 0 };
	const size_t at[3] = { 1, 2, 0 }, zero[3] = { 0, 0, 0 };
	const size_t region[3] = { 3, 2, 2 };
	cl_mem m, other;

	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (unsigned char)i;
	m = buffer_of(&w, sizeof(from), from);
	other = buffer_of(&w, 64, to);
	EQ(CL_SUCCESS,
	   clEnqueueCopyBufferRect(w.queue, m, other, at, zero, region, 8, 32,
				   4, 12, 0, NULL, NULL));
	EQ(CL_SUCCESS,
	   clEnqueueReadBufferRect(w.queue, other, CL_TRUE, zero, zero, region,
				   4, 12, 3, 6, to, 0, NULL, NULL));
	for (unsigned z = 0; z < 2; z++)
		for (unsigned y = 0; y < 2; y++)
			for (unsigned x = 0; x < 3; x++)
				EQ(from[z * 32 + (y + 2) * 8 + x + 1],
				   to[z * 6 + y * 3 + x]);
	clReleaseMemObject(m);
	clReleaseMemObject(other);
	world_close(&w);
}

TEST(opencl, long_patterns_fill_whole_ranges)
{
	struct world w = world_open();
	cl_mem m = buffer_of(&w, 4096, NULL);
	unsigned char pattern[64], got[4096];

	for (unsigned i = 0; i < 64; i++)
		pattern[i] = (unsigned char)(i * 3 + 1);
	EQ(CL_SUCCESS, clEnqueueFillBuffer(w.queue, m, pattern, 64, 64,
					   4096 - 128, 0, NULL, NULL));
	EQ(CL_SUCCESS, clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 4096, got, 0,
					   NULL, NULL));
	for (unsigned i = 0; i < 4096; i++)
		EQ(i < 64 || i >= 4032 ? 0 : pattern[i % 64], got[i]);
	clReleaseMemObject(m);
	world_close(&w);
}

TEST(opencl, sub_buffers_share_their_parents_memory)
{
	struct world w = world_open();
	cl_mem m = buffer_of(&w, 1024, NULL), sub, parent;
	cl_buffer_region region = { 512, 256 };
	const int v = 42;
	cl_int e;

	sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region,
				&e);
	EQ(CL_SUCCESS, e);
	EQ(CL_SUCCESS,
	   clEnqueueFillBuffer(w.queue, sub, &v, 4, 0, 256, 0, NULL, NULL));
	EQ(42, int_at(&w, m, 128));
	EQ(0, int_at(&w, m, 127));
	EQ(CL_SUCCESS, clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT,
					  sizeof(parent), &parent, NULL));
	EQ(m, parent);
	/* It keeps its parent. */
	EQ(CL_SUCCESS, clReleaseMemObject(m));
	EQ(42, int_at(&w, sub, 63));
	EQ(CL_SUCCESS, clReleaseMemObject(sub));
	world_close(&w);
}

TEST(opencl, buffers_follow_the_device_that_uses_them)
{
	struct world w = world_open();
	cl_program p = program_of(
		&w, "kernel void k(global int *p) { p[get_global_id(0)]++; }",
		"");
	cl_kernel k = kernel_of(p, "k");
	cl_mem m = buffer_of(&w, 64, NULL);
	cl_int e;
	cl_command_queue q =
		clCreateCommandQueue(w.context, w.devices[1], 0, &e);

	EQ(2, w.device_count);
	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	for (int i = 0; i < 3; i++) {
		run_on(w.queue, k, 16, 8, NULL);
		run_on(q, k, 16, 8, NULL);
	}
	EQ(6, int_at(&w, m, 15));
	clReleaseMemObject(m);
	clReleaseKernel(k);
	clReleaseProgram(p);
	clReleaseCommandQueue(q);
	world_close(&w);
}

TEST(opencl, binaries_give_the_same_program)
{
	struct world w = world_open();
	cl_program p = program_of(&w,
				  "kernel void k(global int *out, int v)\n"
				  "{ out[0] = v * N; }",
				  "-D N=3");
	size_t size[4];
	unsigned char *bytes[4];
	cl_uint args;
	cl_kernel k;
	cl_mem m = buffer_of(&w, 4, NULL);
	cl_int e;
	int v = 5;

	EQ(CL_SUCCESS, clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES,
					sizeof(size), size, NULL));
	for (cl_uint i = 0; i < w.device_count; i++)
		bytes[i] = malloc(size[i]);
	EQ(CL_SUCCESS, clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof(bytes),
					bytes, NULL));
	EQ(CL_SUCCESS, clReleaseProgram(p));
	p = clCreateProgramWithBinary(w.context, w.device_count, w.devices,
				      size, (const unsigned char **)bytes, NULL,
				      &e);
	EQ(CL_SUCCESS, e);
	EQ(CL_SUCCESS, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	k = kernel_of(p, "k");
	EQ(CL_SUCCESS,
	   clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof(args), &args, NULL));
	EQ(2, args);
	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(v), &v));
	EQ(CL_SUCCESS, clEnqueueTask(w.queue, k, 0, NULL, NULL));
	EQ(15, int_at(&w, m, 0));
	for (cl_uint i = 0; i < w.device_count; i++)
		free(bytes[i]);
	clReleaseMemObject(m);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

TEST(opencl, programs_are_compiled_with_headers_and_linked)
{
	struct world w = world_open();
	const char *head = "int twice(int v);\n";
	const char *user = "#include <lib/head.h>\n"
			   "kernel void k(global int *p) { p[0] = twice(21); }";
	const char *library = "int twice(int v) { return 2 * v; }";
	const char *name = "lib/head.h";
	cl_program h, parts[2], all;
	cl_mem m = buffer_of(&w, 4, NULL);
	cl_kernel k;
	cl_int e;

	h = clCreateProgramWithSource(w.context, 1, &head, NULL, &e);
	parts[0] = clCreateProgramWithSource(w.context, 1, &user, NULL, &e);
	parts[1] = clCreateProgramWithSource(w.context, 1, &library, NULL, &e);
	EQ(CL_SUCCESS,
	   clCompileProgram(parts[0], 0, NULL, "", 1, &h, &name, NULL, NULL));
	EQ(CL_SUCCESS,
	   clCompileProgram(parts[1], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	all = clLinkProgram(w.context, 0, NULL, "", 2, parts, NULL, NULL, &e);
	EQ(CL_SUCCESS, e);
	k = kernel_of(all, "k");
	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	EQ(CL_SUCCESS, clEnqueueTask(w.queue, k, 0, NULL, NULL));
	EQ(42, int_at(&w, m, 0));
	clReleaseKernel(k);
	clReleaseProgram(all);
	clReleaseProgram(h);
	clReleaseProgram(parts[0]);
	clReleaseProgram(parts[1]);
	clReleaseMemObject(m);
	world_close(&w);
}

TEST(opencl, kernels_describe_their_arguments)
{
	struct world w = world_open();
	cl_program p = program_of(
		&w,
		"__attribute__((reqd_work_group_size(8, 2, 1)))\n"
		"kernel void k(global const float4 *restrict in,\n"
		"  write_only image2d_t out, local int *t, uint n) { }",
		"");
	cl_kernel k = kernel_of(p, "k");
	cl_kernel_arg_address_qualifier space;
	cl_kernel_arg_access_qualifier access;
	cl_kernel_arg_type_qualifier type;
	size_t sizes[3];
	char text[64];

	EQ(CL_SUCCESS,
	   clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, 64, text, NULL));
	STREQ("float4*", text);
	EQ(CL_SUCCESS,
	   clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_NAME, 64, text, NULL));
	STREQ("n", text);
	EQ(CL_SUCCESS, clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER,
					  sizeof(type), &type, NULL));
	EQ(CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, (int)type);
	EQ(CL_SUCCESS, clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER,
					  sizeof(access), &access, NULL));
	EQ(CL_KERNEL_ARG_ACCESS_WRITE_ONLY, access);
	EQ(CL_SUCCESS, clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
					  sizeof(space), &space, NULL));
	EQ(CL_KERNEL_ARG_ADDRESS_LOCAL, space);
	EQ(CL_SUCCESS,
	   clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, 64, text, NULL));
	STREQ("reqd_work_group_size(8,2,1)", text);
	EQ(CL_SUCCESS,
	   clGetKernelWorkGroupInfo(k, w.devices[0],
				    CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
				    sizeof(sizes), sizes, NULL));
	EQ(8, sizes[0]);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

/*
 * Images
 */

static cl_mem image_of(struct world *w, cl_channel_order order,
		       cl_channel_type type, const cl_image_desc *desc,
		       const void *host)
{
	cl_image_format f = { order, type };
	cl_int e;
	cl_mem m = clCreateImage(w->context, host ? CL_MEM_COPY_HOST_PTR : 0,
				 &f, desc, (void *)(uintptr_t)host, &e);

	EQ(CL_SUCCESS, e);
	return m;
}

TEST(opencl, samplers_filter_and_repeat)
{
	struct world w = world_open();
	cl_program p = program_of(
		&w,
		"kernel void k(read_only image2d_t im, sampler_t s, float x,\n"
		"  float y, global float *o) {\n"
		"  float4 v = read_imagef(im, s, (float2)(x, y));\n"
		"  o[0] = v.x; o[1] = v.y; o[2] = v.w;\n"
		"  o[3] = get_image_width(im) * 10 + get_image_height(im); }",
		"");
	const unsigned char pixels[2 * 2 * 2] = { 0, 255, 255, 0, 51, 0, 0, 51 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
				     .image_width = 2,
				     .image_height = 2 };
	cl_mem im = image_of(&w, CL_RG, CL_UNORM_INT8, &desc, pixels);
	cl_mem out = buffer_of(&w, 16, NULL);
	cl_kernel k = kernel_of(p, "k");
	static const struct {
		cl_bool normalized;
		cl_addressing_mode address;
		cl_filter_mode filter;
		float x, y, want[3];
	} rows[] = {
		{ 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 1.5f, 0, { 1, 0, 1 } },
		{ 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 2, 0, { 0, 0, 1 } },
		{ 0,
		  CL_ADDRESS_CLAMP_TO_EDGE,
		  CL_FILTER_NEAREST,
		  9,
		  -4,
		  { 1, 0, 1 } },
		{ 0,
		  CL_ADDRESS_CLAMP_TO_EDGE,
		  CL_FILTER_LINEAR,
		  1,
		  0.5f,
		  { 0.5f, 0.5f, 1 } },
		{ 1,
		  CL_ADDRESS_REPEAT,
		  CL_FILTER_NEAREST,
		  1.25f,
		  -0.25f,
		  { 0.2f, 0, 1 } },
		{ 1,
		  CL_ADDRESS_MIRRORED_REPEAT,
		  CL_FILTER_NEAREST,
		  1.25f,
		  0.1f,
		  { 1, 0, 1 } },
		{ 1,
		  CL_ADDRESS_REPEAT,
		  CL_FILTER_LINEAR,
		  0,
		  0.25f,
		  { 0.5f, 0.5f, 1 } },
	};
	float got[4];
	cl_int e;

	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(im), &im));
	EQ(CL_SUCCESS, clSetKernelArg(k, 4, sizeof(out), &out));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cl_sampler s = clCreateSampler(w.context, rows[i].normalized,
					       rows[i].address, rows[i].filter,
					       &e);

		EQ(CL_SUCCESS, e);
		EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(s), &s));
		EQ(CL_SUCCESS, clSetKernelArg(k, 2, 4, &rows[i].x));
		EQ(CL_SUCCESS, clSetKernelArg(k, 3, 4, &rows[i].y));
		EQ(CL_SUCCESS, clEnqueueTask(w.queue, k, 0, NULL, NULL));
		EQ(CL_SUCCESS, clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, 16,
						   got, 0, NULL, NULL));
		for (int c = 0; c < 3; c++)
			EQ(rows[i].want[c], got[c]);
		EQ(22.0f, got[3]);
		clReleaseSampler(s);
	}
	clReleaseMemObject(im);
	clReleaseMemObject(out);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

/* Copies an image to another of its kind, pixel by pixel. */
static const char image_source[] =
	"#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
	"kernel void one(read_only image1d_t a, write_only image1d_t b) {\n"
	"  int i = get_global_id(0);\n"
	"  write_imageui(b, i, read_imageui(a, i)); }\n"
	"kernel void lines(read_only image1d_array_t a,\n"
	"  write_only image1d_array_t b) {\n"
	"  int2 i = (int2)(get_global_id(0), get_global_id(1));\n"
	"  write_imageui(b, i, read_imageui(a, i)); }\n"
	"kernel void layers(read_only image2d_array_t a,\n"
	"  write_only image2d_array_t b) {\n"
	"  int4 i = (int4)(get_global_id(0), get_global_id(1),\n"
	"    get_global_id(2), 0);\n"
	"  write_imageui(b, i, read_imageui(a, i)); }\n"
	"kernel void deep(read_only image3d_t a, write_only image3d_t b) {\n"
	"  int4 i = (int4)(get_global_id(0), get_global_id(1),\n"
	"    get_global_id(2), 0);\n"
	"  write_imageui(b, i, read_imageui(a, i)); }\n";

TEST(opencl, images_of_every_shape_are_read_and_written)
{
	struct world w = world_open();
	cl_program p = program_of(&w, image_source, "");
	static const struct {
		const char *kernel;
		cl_image_desc desc;
		size_t region[3];
	} rows[] = {
		{ "one",
		  { .image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 8 },
		  { 8, 1, 1 } },
		{ "lines",
		  { .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
		    .image_width = 4,
		    .image_array_size = 2 },
		  { 4, 2, 1 } },
		{ "layers",
		  { .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
		    .image_width = 4,
		    .image_height = 2,
		    .image_array_size = 3 },
		  { 4, 2, 3 } },
		{ "deep",
		  { .image_type = CL_MEM_OBJECT_IMAGE3D,
		    .image_width = 2,
		    .image_height = 4,
		    .image_depth = 3 },
		  { 2, 4, 3 } },
	};
	const size_t zero[3] = { 0, 0, 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t *r = rows[i].region;
		unsigned short from[24 * 4], to[24 * 4] = { 0 };
		cl_kernel k = kernel_of(p, rows[i].kernel);
		cl_mem a, b;

		for (unsigned n = 0; n < 24 * 4; n++)
			from[n] = (unsigned short)(n * 677);
		a = image_of(&w, CL_RGBA, CL_UNSIGNED_INT16, &rows[i].desc,
			     from);
		b = image_of(&w, CL_RGBA, CL_UNSIGNED_INT16, &rows[i].desc,
			     NULL);
		EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(a), &a));
		EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(b), &b));
		EQ(CL_SUCCESS, clEnqueueNDRangeKernel(w.queue, k, 3, NULL, r,
						      NULL, 0, NULL, NULL));
		EQ(CL_SUCCESS, clEnqueueReadImage(w.queue, b, CL_TRUE, zero, r,
						  0, 0, to, 0, NULL, NULL));
		EQ(0, memcmp(from, to, r[0] * r[1] * r[2] * 8));
		clReleaseMemObject(a);
		clReleaseMemObject(b);
		clReleaseKernel(k);
	}
	clReleaseProgram(p);
	world_close(&w);
}

TEST(opencl, fills_of_images_convert_the_color)
{
	struct world w = world_open();
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
				     .image_width = 3,
				     .image_height = 3 };
	const size_t at[3] = { 1, 1, 0 }, two[3] = { 2, 2, 1 };
	const size_t zero[3] = { 0, 0, 0 }, all[3] = { 3, 3, 1 };
	const float color[4] = { 1, 0.5f, 0, 2 };
	cl_mem m = image_of(&w, CL_BGRA, CL_UNORM_INT8, &desc, NULL);
	unsigned char got[36];

	EQ(CL_SUCCESS,
	   clEnqueueFillImage(w.queue, m, color, at, two, 0, NULL, NULL));
	EQ(CL_SUCCESS, clEnqueueReadImage(w.queue, m, CL_TRUE, zero, all, 0, 0,
					  got, 0, NULL, NULL));
	EQ(0, got[0]);
	EQ(0, got[32]);
	EQ(128, got[33]);
	EQ(255, got[34]);
	EQ(255, got[35]);
	EQ(0, got[15]);
	clReleaseMemObject(m);
	world_close(&w);
}

/*
 * Threads
 */

enum { THREADS = 8, ROUNDS = 6 };

static void *use_everything(void *data)
{
	struct world *w = data;
	const char *source = "kernel void k(global int *p, int v)\n"
			     "{ p[get_global_id(0)] += v; }";
	cl_int e;
	cl_program p =
		clCreateProgramWithSource(w->context, 1, &source, NULL, &e);
	cl_command_queue q =
		clCreateCommandQueue(w->context, w->devices[0], 0, &e);
	long bad = clBuildProgram(p, 0, NULL, "", NULL, NULL) != 0;
	cl_kernel k = clCreateKernel(p, "k", &e);

	for (int i = 0; i < ROUNDS; i++) {
		cl_mem m = clCreateBuffer(w->context, 0, 256, NULL, &e);
		cl_event u = clCreateUserEvent(w->context, &e), done;
		size_t n = 64;
		int v = i, got[64];

		clSetKernelArg(k, 0, sizeof(m), &m);
		clSetKernelArg(k, 1, sizeof(v), &v);
		clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &u, &done);
		clSetUserEventStatus(u, CL_COMPLETE);
		clEnqueueReadBuffer(q, m, CL_TRUE, 0, 256, got, 1, &done, NULL);
		bad += got[63] != i;
		clReleaseEvent(u);
		clReleaseEvent(done);
		clReleaseMemObject(m);
	}
	clReleaseKernel(k);
	clReleaseProgram(p);
	clReleaseCommandQueue(q);
	return (void *)bad;
}

LABEL(opencl_threads, threads);

TEST(opencl_threads, eight_threads_share_a_context)
{
	struct world w = world_open();
	pthread_t threads[THREADS];
	void *bad;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, use_everything, &w);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		EQ(NULL, bad);
	}
	world_close(&w);
}

static void *set_later(void *data)
{
	clSetUserEventStatus(data, CL_COMPLETE);
	return NULL;
}

TEST(opencl_threads, a_blocking_call_waits_for_another_thread)
{
	struct world w = world_open();
	cl_int e, v = 3, got = 0;
	cl_event u = clCreateUserEvent(w.context, &e);
	cl_mem m = buffer_of(&w, 4, NULL);
	pthread_t thread;

	EQ(CL_SUCCESS,
	   clEnqueueWriteBuffer(w.queue, m, CL_FALSE, 0, 4, &v, 1, &u, NULL));
	pthread_create(&thread, NULL, set_later, u);
	EQ(CL_SUCCESS,
	   clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
	EQ(3, got);
	pthread_join(thread, NULL);
	clReleaseEvent(u);
	clReleaseMemObject(m);
	world_close(&w);
}
