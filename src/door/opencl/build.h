/* Building programs. */
#ifndef HEDDLE_OPENCL_BUILD_H
#define HEDDLE_OPENCL_BUILD_H

#include "door/opencl/program.h"

cl_program program_new(cl_context c, cl_uint n, const cl_device_id *devices);
/* Forgets what was built, but its options and log. */
void build_reset(struct build *b, int device);

#endif
