/*
 * Pointers without an address space (OpenCL C 2.0's generic ones) on compute units.
 * Southern Islands has no instruction that takes one. Where the compiler finds out what such a
 * pointer leads to, it needs none; elsewhere its back end ends with a dump of itself.
 */
#ifndef HEDDLE_OPENCL_GENERIC_H
#define HEDDLE_OPENCL_GENERIC_H

#include "door/opencl/text.h"

/* If the compiler's log ends so, says in its place what it means, and where, and returns
 * true. */
bool generic_explain(struct text *log);

#endif
