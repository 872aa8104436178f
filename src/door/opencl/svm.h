/*
 * Shared virtual memory: what OpenCL 2.0 adds to memory objects. Memory of
 * clSVMAlloc has one address, for the program and for kernels; pointers in it are
 * valid for both. Kernels may access all of it, whatever they were told of.
 *
 * What the devices can is cl.svm: 0 if an address of theirs is not the program's.
 * With system sharing kernels may access all memory of the program.
 *
 * Pointers here are the program's; cl.mapper.host says where the host has the byte.
 * Does not model: migration, which does nothing; that a kernel may access only what
 * clSetKernelExecInfo names.
 */
#ifndef HEDDLE_OPENCL_SVM_H
#define HEDDLE_OPENCL_SVM_H

#include "door/opencl/state.h"

/* One allocation. */
struct svm {
	struct svm *next;
	cl_context context;
	char *base;
	size_t size;
	cl_svm_mem_flags flags;
};

/* The allocation that holds all of the bytes; NULL: none does. */
const struct svm *svm_find(const void *at, size_t size);
/* Whether kernels may use the pointer: NULL, one to an allocation of the context or
 * its end, or with system sharing any. */
bool svm_is_valid(cl_context c, const void *at);
/* Frees an allocation of the context; other pointers are ignored. */
void svm_free(cl_context c, void *at);
/* Frees what the context has left. */
void svm_forget(cl_context c);

#endif
