/*
 * The binary of a program, as clGetProgramInfo gives it and
 * clCreateProgramWithBinary takes it. All numbers are little endian:
 *
 *	8 bytes  "HEDDLECL"
 *	u32      version, 1
 *	u32      kind: CL_PROGRAM_BINARY_TYPE_...
 *	u32      code: 0 PTX, 1 GCN
 *	u32      compute capability that PTX was made for; else 0
 *	u32      bytes of the text about kernels (door/opencl/meta.h)
 *	u32      number of parts: objects, or 1 for the code of an executable
 *	         the text
 *	         for each part: u64 bytes, then the bytes
 */
#ifndef HEDDLE_OPENCL_BINARY_H
#define HEDDLE_OPENCL_BINARY_H

#include "door/opencl/compile.h"

struct binary {
	cl_program_binary_type kind;
	struct compile_target target;
	struct meta meta;
	struct blob *parts;
	size_t part_count;
};

void binary_write(const struct binary *b, struct text *to);
/* Whether it begins like one. */
bool binary_is_one(const void *bytes, size_t size);
/* Copies all. ERR_SYNTAX: it is none, or damaged. Call binary_free in any case. */
MUST_USE enum err binary_read(struct binary *b, const void *bytes, size_t size,
			      struct diag *d);
void binary_free(struct binary *b);

#endif
