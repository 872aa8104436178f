/*
 * Kernels that are called by kernels. OpenCL C lets a program do that; no GPU can: a
 * kernel's arguments are where a launch puts them. Each such kernel gets a copy that is
 * a function, and it is the copy that is called.
 *
 * Works on LLVM's text, after inlining, in which such calls are rare.
 */
#ifndef HEDDLE_OPENCL_CALLED_H
#define HEDDLE_OPENCL_CALLED_H

#include "door/opencl/meta.h"

/* Adds the changed text to *to, and returns whether it differs. to->bad: out of
 * memory. */
bool called_kernels_copy(struct text *to, const char *ir,
			 const struct meta *kernels);

#endif
