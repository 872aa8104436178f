/* Programs, and what was built of them for each device. */
#ifndef HEDDLE_OPENCL_PROGRAM_H
#define HEDDLE_OPENCL_PROGRAM_H

#include "door/opencl/binary.h"

/* A program on one device. */
struct build {
	cl_build_status status;
	char *options; /* NULL: never built */
	struct text log;
	struct binary binary;     /* kind 0: nothing was built */
	struct rt_module *module; /* of an executable */
	void *print;              /* printf's buffer on the device; or NULL */
	uint64_t offset[3];       /* what the module's variables hold */
	uint32_t dim;
};

struct _cl_program {
	struct object o;
	cl_context context;
	cl_device_id devices[CL_DEVICES];
	cl_uint device_count;
	char *source;                    /* NULL: from binaries, or linked */
	char name[24];                   /* of the source, in messages */
	bool busy;                       /* a thread builds it */
	unsigned kernels;                /* that are attached to it */
	struct build builds[CL_DEVICES]; /* by the device's number */
};

bool program_has(const struct _cl_program *p, cl_device_id d);
/* A device for which there is an executable; NULL: none. */
cl_device_id program_device(const struct _cl_program *p);

typedef void(CL_CALLBACK *program_function)(cl_program, void *);

#endif
