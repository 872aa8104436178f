/* Kernels and their arguments. */
#ifndef HEDDLE_OPENCL_KERNEL_H
#define HEDDLE_OPENCL_KERNEL_H

#include "door/opencl/mem.h"
#include "door/opencl/program.h"

enum arg_kind {
	ARG_VALUE,
	ARG_BUFFER,
	ARG_LOCAL,
	ARG_IMAGE,
	ARG_SAMPLER,
	ARG_EITHER /* a value of 8 bytes or a memory object: META_UNKNOWN */
};

struct arg {
	enum arg_kind kind;
	bool set;
	size_t size;   /* of a value; bytes of local memory */
	void *value;   /* malloc'ed */
	cl_mem mem;    /* NULL: bits are the pointer */
	uint64_t bits; /* of a sampler; a pointer */
};

struct _cl_kernel {
	struct object o;
	cl_program program;
	const struct meta_kernel *meta; /* the program's */
	struct arg *args;
};

/* The kernel on a device. */
cl_int kernel_func(cl_kernel k, cl_device_id d, struct rt_func **out);

#endif
