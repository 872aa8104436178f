/*
 * Binaries of programs that are code and nothing else: PTX text, a cubin, a code
 * object, as other compilers make them. What clCreateKernel and clSetKernelArg need
 * is read from the code. A parameter of 8 bytes of which it does not say what it is
 * takes a memory object or a value, whichever it is given.
 *
 * Does not model: shared memory whose size only a launch of CUDA says; images and
 * samplers as arguments; textures and surfaces of the module.
 */
#ifndef HEDDLE_OPENCL_FOREIGN_H
#define HEDDLE_OPENCL_FOREIGN_H

#include "door/opencl/binary.h"
#include "door/opencl/state.h"

/* Fills in *b, an executable for the device. ERR_SYNTAX: that is no code for it;
 * binary_free in any case. */
MUST_USE enum err foreign_read(struct binary *b, cl_device_id d,
			       const void *bytes, size_t size,
			       struct diag *why);

#endif
