/* Shared virtual memory, for programs of the host and for guests. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static cl_device_svm_capabilities can(const struct world *w)
{
	cl_device_svm_capabilities v = 0;

	EQ(CL_SUCCESS,
	   clGetDeviceInfo(w->devices[0], CL_DEVICE_SVM_CAPABILITIES, sizeof(v),
			   &v, NULL));
	return v;
}

static void *svm_of(struct world *w, size_t size)
{
	void *p = clSVMAlloc(w->context, CL_MEM_READ_WRITE, size, 0);

	OK(p);
	return p;
}

static void map(struct world *w, void *p, size_t size)
{
	EQ(CL_SUCCESS,
	   clEnqueueSVMMap(w->queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p,
			   size, 0, NULL, NULL));
}

static void unmap(struct world *w, void *p)
{
	EQ(CL_SUCCESS, clEnqueueSVMUnmap(w->queue, p, 0, NULL, NULL));
}

/*
 * Pointers in data structures
 */

static const char structures[] =
	"struct node { long value; global struct node *next; };\n"
	"kernel void sum(global struct node *n, global long *out) {\n"
	"  long s = 0;\n"
	"  for (; n; n = n->next) { s += n->value; n->value = -n->value; }\n"
	"  *out = s; }\n"
	"struct tree { int key, value; global struct tree *side[2]; };\n"
	"kernel void find(global struct tree *t, global const int *keys,\n"
	"  global int *out) {\n"
	"  int i = get_global_id(0), k = keys[i];\n"
	"  while (t && t->key != k) t = t->side[k > t->key];\n"
	"  out[i] = t ? t->value : -1; }\n"
	"kernel void link(global struct node *n, int count) {\n"
	"  int i = get_global_id(0);\n"
	"  n[i].value = i; n[i].next = i + 1 < count ? &n[i + 1] : 0; }\n";

struct node {
	int64_t value;
	struct node *next;
};

TEST(opencl_svm, kernels_follow_a_list_that_the_program_has_linked)
{
	enum { NODES = 100 };
	struct world w = world_open();
	cl_program p = program_of(&w, structures, NULL);
	cl_kernel k = kernel_of(p, "sum");
	struct node *n[NODES];
	int64_t *out = svm_of(&w, sizeof(*out));

	for (int i = 0; i < NODES; i++) {
		n[i] = svm_of(&w, sizeof(*n[i]));
		map(&w, n[i], sizeof(*n[i]));
		n[i]->value = i;
		n[i]->next = i ? n[i - 1] : NULL;
		unmap(&w, n[i]);
	}
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, n[NODES - 1]));
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 1, out));
	EQ(CL_SUCCESS,
	   clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(n), n));
	run_on(w.queue, k, 1, 1, NULL);
	map(&w, out, sizeof(*out));
	EQ(NODES * (NODES - 1) / 2, *out);
	unmap(&w, out);
	map(&w, n[7], sizeof(*n[7]));
	EQ(-7, n[7]->value);
	unmap(&w, n[7]);
	EQ(CL_SUCCESS, clFinish(w.queue));
	for (int i = 0; i < NODES; i++)
		clSVMFree(w.context, n[i]);
	clSVMFree(w.context, out);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

TEST(opencl_svm, the_program_follows_a_list_that_a_kernel_has_linked)
{
	struct world w = world_open();
	cl_program p = program_of(&w, structures, NULL);
	cl_kernel k = kernel_of(p, "link");
	struct node *all = svm_of(&w, 300 * sizeof(*all));
	cl_int count = 300, seen = 0;

	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, all));
	EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(count), &count));
	run_on(w.queue, k, 300, 100, NULL);
	map(&w, all, 300 * sizeof(*all));
	for (struct node *n = all; n; n = n->next)
		EQ(seen++, n->value);
	EQ(300, seen);
	unmap(&w, all);
	clFinish(w.queue);
	clSVMFree(w.context, all);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

struct tree {
	int key, value;
	struct tree *side[2];
};

static void tree_add(struct tree *root, struct tree *t)
{
	while (root->side[t->key > root->key])
		root = root->side[t->key > root->key];
	root->side[t->key > root->key] = t;
}

TEST(opencl_svm, kernels_search_a_tree)
{
	enum { KEYS = 256 };
	struct world w = world_open();
	cl_program p = program_of(&w, structures, NULL);
	cl_kernel k = kernel_of(p, "find");
	struct tree *t = svm_of(&w, KEYS * sizeof(*t));
	int *keys = svm_of(&w, KEYS * sizeof(*keys));
	int *out = svm_of(&w, (KEYS + 1) * sizeof(*out));

	map(&w, t, KEYS * sizeof(*t));
	map(&w, keys, KEYS * sizeof(*keys));
	memset(t, 0, KEYS * sizeof(*t));
	for (int i = 0; i < KEYS; i++) {
		t[i].key = i * 77 % KEYS * 2;
		t[i].value = i;
		keys[i] = i;
		if (i)
			tree_add(t, &t[i]);
	}
	unmap(&w, keys);
	unmap(&w, t);
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, t));
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 1, keys));
	/* Into the middle of an allocation. */
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 2, out + 1));
	run_on(w.queue, k, KEYS, 64, NULL);
	map(&w, out, (KEYS + 1) * sizeof(*out));
	for (int i = 0; i < KEYS; i++)
		EQ(i % 2 ? -1 : t[out[1 + i]].key, i % 2 ? out[1 + i] : i);
	unmap(&w, out);
	clFinish(w.queue);
	clSVMFree(w.context, t);
	clSVMFree(w.context, keys);
	clSVMFree(w.context, out);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

/*
 * Commands
 */

TEST(opencl_svm, bytes_are_copied_between_shared_memory_and_the_programs)
{
	struct world w = world_open();
	unsigned char from[1000], to[1000], *a = svm_of(&w, 1000);
	unsigned char *b = svm_of(&w, 1000);
	cl_event e;
	cl_command_type type;

	for (int i = 0; i < 1000; i++)
		from[i] = (unsigned char)(i * 7);
	memset(to, 0, sizeof(to));
	EQ(CL_SUCCESS,
	   clEnqueueSVMMemcpy(w.queue, CL_FALSE, a, from, 1000, 0, NULL, NULL));
	EQ(CL_SUCCESS, clEnqueueSVMMemcpy(w.queue, CL_FALSE, b + 3, a + 1, 900,
					  0, NULL, &e));
	EQ(CL_SUCCESS,
	   clEnqueueSVMMemcpy(w.queue, CL_TRUE, to, b + 3, 900, 1, &e, NULL));
	OK(!memcmp(to, from + 1, 900) && !to[900]);
	EQ(CL_SUCCESS,
	   clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	EQ(CL_COMMAND_SVM_MEMCPY, type);
	clReleaseEvent(e);
	EQ(CL_MEM_COPY_OVERLAP,
	   clEnqueueSVMMemcpy(w.queue, CL_TRUE, a, a + 9, 10, 0, NULL, NULL));
	EQ(CL_SUCCESS,
	   clEnqueueSVMMemcpy(w.queue, CL_TRUE, a, a + 10, 10, 0, NULL, NULL));
	EQ(CL_SUCCESS,
	   clEnqueueSVMMemcpy(w.queue, CL_TRUE, a, b, 0, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMemcpy(w.queue, CL_TRUE, NULL, b, 1, 0, NULL, NULL));
	clSVMFree(w.context, a);
	clSVMFree(w.context, b);
	world_close(&w);
}

TEST(opencl_svm, memory_is_filled_with_patterns_of_every_size)
{
	struct world w = world_open();
	unsigned char *p = svm_of(&w, 2048), pattern[128];

	for (int i = 0; i < 128; i++)
		pattern[i] = (unsigned char)(200 - i);
	for (size_t size = 1; size <= 128; size *= 2) {
		EQ(CL_SUCCESS,
		   clEnqueueSVMMemFill(w.queue, p, "", 1, 2048, 0, NULL, NULL));
		EQ(CL_SUCCESS,
		   clEnqueueSVMMemFill(w.queue, p + size, pattern, size,
				       5 * size, 0, NULL, NULL));
		map(&w, p, 2048);
		for (size_t i = 0; i < 7 * size; i++)
			EQ(i < size || i >= 6 * size ? 0 : pattern[i % size],
			   p[i]);
		unmap(&w, p);
	}
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMemFill(w.queue, p + 1, pattern, 2, 4, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMemFill(w.queue, p, pattern, 3, 6, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMemFill(w.queue, p, pattern, 4, 6, 0, NULL, NULL));
	clFinish(w.queue);
	clSVMFree(w.context, p);
	world_close(&w);
}

static struct {
	int calls;
	cl_uint count;
	void *list[2];
} freed;

static void CL_CALLBACK free_them(cl_command_queue q, cl_uint count,
				  void *list[], void *data)
{
	cl_context c;

	clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof(c), &c, NULL);
	freed.calls += *(int *)data;
	freed.count = count;
	for (cl_uint i = 0; i < count; i++) {
		freed.list[i] = list[i];
		clSVMFree(c, list[i]);
	}
}

TEST(opencl_svm, memory_is_freed_in_the_order_of_the_queue)
{
	struct world w = world_open();
	void *list[2] = { svm_of(&w, 100), svm_of(&w, 100) }, *a = list[0];
	int one = 1;
	cl_event user = clCreateUserEvent(w.context, NULL), e;

	freed.calls = 0;
	EQ(CL_SUCCESS,
	   clEnqueueSVMFree(w.queue, 2, list, free_them, &one, 1, &user, &e));
	EQ(0, freed.calls);
	list[0] = NULL;
	EQ(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
	EQ(CL_SUCCESS, clWaitForEvents(1, &e));
	EQ(CL_SUCCESS, clFinish(w.queue));
	EQ(1, freed.calls);
	EQ(2, freed.count);
	EQ(a, freed.list[0]);
	clReleaseEvent(e);
	clReleaseEvent(user);
	list[0] = svm_of(&w, 100);
	EQ(CL_SUCCESS,
	   clEnqueueSVMFree(w.queue, 1, list, NULL, NULL, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMFree(w.queue, 0, list, NULL, NULL, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMFree(w.queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
	world_close(&w);
}

TEST(opencl_svm, a_buffer_of_shared_memory_is_that_memory)
{
	struct world w = world_open();
	cl_program p = program_of(&w,
				  "kernel void k(global int *p) {\n"
				  "  p[get_global_id(0)] += 1; }",
				  NULL);
	cl_kernel k = kernel_of(p, "k");
	int *at = svm_of(&w, 64 * sizeof(int)), *mapped;
	cl_bool uses = CL_FALSE;
	cl_int e;
	cl_mem m;

	map(&w, at, 64 * sizeof(int));
	for (int i = 0; i < 64; i++)
		at[i] = i;
	unmap(&w, at);
	m = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, 64 * sizeof(int), at,
			   &e);
	EQ(CL_SUCCESS, e);
	EQ(CL_SUCCESS, clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER,
					  sizeof(uses), &uses, NULL));
	EQ(CL_TRUE, uses);
	EQ(CL_SUCCESS, clSetKernelArg(k, 0, sizeof(m), &m));
	run_on(w.queue, k, 64, 64, NULL);
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, at));
	run_on(w.queue, k, 64, 64, NULL);
	EQ(13, int_at(&w, m, 11));
	mapped = clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_READ, 0,
				    64 * sizeof(int), 0, NULL, NULL, &e);
	EQ(at, mapped);
	EQ(65, at[63]);
	clEnqueueUnmapMemObject(w.queue, m, mapped, 0, NULL, NULL);
	clReleaseMemObject(m);
	clFinish(w.queue);
	clSVMFree(w.context, at);
	m = buffer_of(&w, 64, NULL);
	EQ(CL_SUCCESS, clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER,
					  sizeof(uses), &uses, NULL));
	EQ(CL_FALSE, uses);
	clReleaseMemObject(m);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

/*
 * Fine grain: no maps
 */

static const char add_one[] = "kernel void k(global int *p) {\n"
			      "  atomic_add(&p[get_global_id(0) % 16], 1); }";

TEST(opencl_svm, fine_grained_memory_needs_no_maps)
{
	struct world w = world_open();
	cl_program p = program_of(&w, add_one, NULL);
	cl_kernel k = kernel_of(p, "k");
	int *at;

	if (can(&w) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) {
		at = clSVMAlloc(w.context,
				CL_MEM_READ_WRITE |
					CL_MEM_SVM_FINE_GRAIN_BUFFER,
				16 * sizeof(int), 64);
		OK(at);
		EQ(0, (uintptr_t)at % 64);
		for (int i = 0; i < 16; i++)
			at[i] = 100 * i;
		EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, at));
		for (int n = 0; n < 3; n++) {
			run_on(w.queue, k, 160, 16, NULL);
			EQ(CL_SUCCESS, clFinish(w.queue));
			for (int i = 0; i < 16; i++)
				EQ(100 * i + 10 * (n + 1) + n, at[i]++);
		}
		clSVMFree(w.context, at);
	}
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

static int counters[16];

TEST(opencl_svm, with_system_sharing_kernels_access_any_memory)
{
	struct world w = world_open();
	cl_program p = program_of(&w, add_one, NULL);
	cl_kernel k = kernel_of(p, "k");
	int on_stack[16] = { 0 }, *heap[3];
	const size_t sizes[3] = { 16, 5000, 300000 };
	cl_bool yes = CL_TRUE;
	bool has = can(&w) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;

	EQ(has ? CL_SUCCESS : CL_INVALID_OPERATION,
	   clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
			       sizeof(yes), &yes));
	EQ(has ? CL_SUCCESS : CL_INVALID_ARG_VALUE,
	   clSetKernelArgSVMPointer(k, 0, counters));
	for (int i = 0; has && i < 3; i++) {
		heap[i] = calloc(sizes[i], sizeof(int));
		EQ(CL_SUCCESS,
		   clSetKernelArgSVMPointer(k, 0, heap[i] + sizes[i] - 16));
		run_on(w.queue, k, 1600, 16, NULL);
		clFinish(w.queue);
		EQ(100, heap[i][sizes[i] - 1]);
		free(heap[i]);
	}
	if (has) {
		EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, counters));
		run_on(w.queue, k, 64, 64, NULL);
		EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, on_stack));
		run_on(w.queue, k, 128, 64, NULL);
		clFinish(w.queue);
		EQ(4, counters[15]);
		EQ(8, on_stack[3]);
	}
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}

/*
 * Misuse
 */

TEST(opencl_svm, wrong_allocations_are_refused)
{
	struct world w = world_open();
	cl_device_svm_capabilities has = can(&w);
	void *p;

	EQ(NULL, clSVMAlloc(NULL, CL_MEM_READ_WRITE, 64, 0));
	EQ(NULL, clSVMAlloc(w.context, CL_MEM_READ_WRITE, 0, 0));
	EQ(NULL, clSVMAlloc(w.context, CL_MEM_READ_WRITE, SIZE_MAX / 2, 0));
	EQ(NULL, clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 3));
	EQ(NULL, clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 4096));
	EQ(NULL,
	   clSVMAlloc(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0));
	EQ(NULL, clSVMAlloc(w.context, CL_MEM_USE_HOST_PTR, 64, 0));
	EQ(NULL, clSVMAlloc(w.context, CL_MEM_SVM_ATOMICS, 64, 0));
	p = clSVMAlloc(w.context,
		       CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64,
		       0);
	EQ(has & CL_DEVICE_SVM_ATOMICS ? 1 : 0, p != NULL);
	clSVMFree(w.context, p);
	clSVMFree(w.context, NULL);
	clSVMFree(w.context, &has);
	world_close(&w);
}

TEST(opencl_svm, wrong_commands_are_refused)
{
	struct world w = world_open();
	char *p = svm_of(&w, 256);
	const void *list[1] = { p };
	size_t size = 257;

	EQ(CL_INVALID_COMMAND_QUEUE,
	   clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, p, 1, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE, clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ,
					     NULL, 1, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMap(w.queue, CL_TRUE, 1 << 7, p, 1, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE, clEnqueueSVMUnmap(w.queue, NULL, 0, NULL, NULL));
	EQ(CL_INVALID_EVENT_WAIT_LIST,
	   clEnqueueSVMUnmap(w.queue, p, 1, NULL, NULL));
	EQ(CL_SUCCESS,
	   clEnqueueSVMMigrateMem(w.queue, 1, list, NULL, 0, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMigrateMem(w.queue, 1, list, &size, 0, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMigrateMem(w.queue, 0, list, NULL, 0, 0, NULL, NULL));
	EQ(CL_INVALID_VALUE,
	   clEnqueueSVMMigrateMem(w.queue, 1, list, NULL, 8, 0, NULL, NULL));
	clFinish(w.queue);
	clSVMFree(w.context, p);
	world_close(&w);
}

TEST(opencl_svm, wrong_arguments_are_refused)
{
	struct world w = world_open();
	cl_program p = program_of(&w,
				  "kernel void k(global int *p, int n,\n"
				  "  local int *l, constant int *c) {\n"
				  "  l[0] = n; *p = l[0] + *c; }",
				  NULL);
	cl_kernel k = kernel_of(p, "k");
	int *at = svm_of(&w, 8), n = 5;

	EQ(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(NULL, 0, at));
	EQ(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(k, 4, at));
	EQ(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 1, at));
	EQ(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 2, at));
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 0, at));
	EQ(CL_SUCCESS, clSetKernelArgSVMPointer(k, 3, at + 1));
	EQ(CL_SUCCESS, clSetKernelArg(k, 1, sizeof(n), &n));
	EQ(CL_SUCCESS, clSetKernelArg(k, 2, 16, NULL));
	EQ(CL_INVALID_VALUE,
	   clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, &at));
	EQ(CL_INVALID_VALUE,
	   clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(at),
			       NULL));
	EQ(CL_INVALID_VALUE, clSetKernelExecInfo(k, 0x1111, sizeof(at), &at));
	map(&w, at, 8);
	at[1] = 30;
	unmap(&w, at);
	run_on(w.queue, k, 1, 1, NULL);
	map(&w, at, 8);
	EQ(35, at[0]);
	unmap(&w, at);
	clFinish(w.queue);
	clSVMFree(w.context, at);
	clReleaseKernel(k);
	clReleaseProgram(p);
	world_close(&w);
}
