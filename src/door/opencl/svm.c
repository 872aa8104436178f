/* Shared virtual memory: allocations, and arguments of kernels. */
#include "door/opencl/svm.h"

#include <stdlib.h>
#include <string.h>

#include "door/opencl/kernel.h"

enum { SVM_ALIGN = 128 }; /* bytes of a long16 */

static struct svm **svm_place(const void *at, size_t size)
{
	struct svm **p = &cl.allocations;

	for (; *p; p = &(*p)->next) {
		uintptr_t offset = (uintptr_t)at - (uintptr_t)(*p)->base;

		if (offset <= (*p)->size && size <= (*p)->size - offset)
			break;
	}
	return p;
}

const struct svm *svm_find(const void *at, size_t size)
{
	return *svm_place(at, size);
}

bool svm_is_valid(cl_context c, const void *at)
{
	const struct svm *s = svm_find(at, 0);

	return !at || (s && s->context == c) ||
	       (cl.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
}

/*
 * Allocations
 */

static bool svm_flags_are_valid(cl_svm_mem_flags flags)
{
	const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY |
					CL_MEM_READ_ONLY;
	const cl_svm_mem_flags known = access | CL_MEM_SVM_FINE_GRAIN_BUFFER |
				       CL_MEM_SVM_ATOMICS;
	cl_svm_mem_flags a = flags & access;
	bool fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER;
	bool atomics = flags & CL_MEM_SVM_ATOMICS;

	return !(flags & ~known) && !(a & (a - 1)) && (fine || !atomics) &&
	       (!fine || cl.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) &&
	       (!atomics || cl.svm & CL_DEVICE_SVM_ATOMICS);
}

static bool svm_size_is_valid(const struct _cl_context *c, size_t size)
{
	for (cl_uint i = 0; i < c->device_count; i++)
		if (size > device_max_alloc(c->devices[i]))
			return false;
	return size > 0;
}

static void *svm_new(cl_context c, cl_svm_mem_flags flags, size_t size,
		     cl_uint align)
{
	struct svm *s;
	void *at;

	if (!object_is(c, OBJECT_CONTEXT) || !cl.svm ||
	    !svm_flags_are_valid(flags) || !svm_size_is_valid(c, size) ||
	    (align & (align - 1)) || align > SVM_ALIGN)
		return NULL;
	s = malloc(sizeof(*s));
	rt_device_set(c->devices[0]->number);
	if (!s || rt_malloc_managed(&at, size, cudaMemAttachGlobal)) {
		free(s);
		return NULL;
	}
	*s = (struct svm){ cl.allocations, c, at, size, flags };
	cl.allocations = s;
	return at;
}

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context c, cl_svm_mem_flags flags,
					  size_t size, cl_uint align)
{
	cl_int e = cl_enter("clSVMAlloc");
	void *at = e ? NULL : svm_new(c, flags, size, align);

	cl_leave(e);
	return at;
}

static void svm_drop(struct svm **p)
{
	struct svm *s = *p;

	*p = s->next;
	rt_device_set(s->context->devices[0]->number);
	rt_free(s->base);
	free(s);
}

void svm_free(cl_context c, void *at)
{
	struct svm **p = svm_place(at, 0);

	if (*p && (*p)->context == c && (*p)->base == at)
		svm_drop(p);
}

void svm_forget(cl_context c)
{
	for (struct svm **p = &cl.allocations; *p;)
		if ((*p)->context == c)
			svm_drop(p);
		else
			p = &(*p)->next;
}

/* Kernels that are held back may need it. */
CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context c, void *at)
{
	cl_int e = cl_enter("clSVMFree");

	if (!e && at) {
		cl_settle();
		svm_free(c, at);
	}
	cl_leave(e);
}

/*
 * Kernels
 */

static cl_int arg_set_pointer(cl_kernel k, cl_uint i, const void *at)
{
	struct arg *a;

	if (!object_is(k, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (!cl.svm)
		return CL_INVALID_OPERATION;
	if (i >= k->meta->arg_count)
		return CL_INVALID_ARG_INDEX;
	a = &k->args[i];
	if (a->kind != ARG_BUFFER || !svm_is_valid(k->program->context, at))
		return CL_INVALID_ARG_VALUE;
	a->mem = NULL;
	a->bits = (uintptr_t)at;
	a->set = true;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel k, cl_uint i,
							 const void *at)
{
	cl_int e = cl_enter("clSetKernelArgSVMPointer");

	return cl_leave(e ? e : arg_set_pointer(k, i, at));
}

static cl_int exec_pointers(cl_kernel k, size_t size, const void *value)
{
	cl_int e = size && size % sizeof(void *) == 0 ? CL_SUCCESS :
							CL_INVALID_VALUE;

	for (size_t i = 0; !e && i < size / sizeof(void *); i++) {
		void *at;

		memcpy(&at, (const char *)value + i * sizeof(at), sizeof(at));
		if (!svm_is_valid(k->program->context, at))
			e = CL_INVALID_VALUE;
	}
	return e;
}

static cl_int exec_info(cl_kernel k, cl_kernel_exec_info name, size_t size,
			const void *value)
{
	cl_bool system;

	if (!object_is(k, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (!cl.svm)
		return CL_INVALID_OPERATION;
	if (!value)
		return CL_INVALID_VALUE;
	if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS)
		return exec_pointers(k, size, value);
	if (name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM ||
	    size != sizeof(system))
		return CL_INVALID_VALUE;
	memcpy(&system, value, sizeof(system));
	return system && !(cl.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) ?
		       CL_INVALID_OPERATION :
		       CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel k,
						    cl_kernel_exec_info name,
						    size_t size,
						    const void *value)
{
	cl_int e = cl_enter("clSetKernelExecInfo");

	return cl_leave(e ? e : exec_info(k, name, size, value));
}
