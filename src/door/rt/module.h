/* Modules and their kernels, for the files behind rt.h. */
#ifndef HEDDLE_RT_MODULE_H
#define HEDDLE_RT_MODULE_H

#include "door/rt/state.h"

/* A module on one device. */
struct loaded {
	bool tried;
	int error; /* of the try */
	struct heddle_module *mod;
	char advice[160]; /* for those whose kernel is refused */
};

struct variable {
	struct rt_module *module;
	const void *host;
	char *name;
	size_t size;
	void **slot; /* of a managed variable: where the host has its address */
};

struct rt_module {
	const void *image;
	void *copy; /* the image, if it is ours */
	struct loaded on[MAX_DEVICES];
	struct rt_func **funcs;
	size_t func_count;
	struct variable **vars;
	size_t var_count;
	char log[800];
};

/* A kernel on one device. */
struct entry {
	const struct heddle_kernel *kernel; /* NULL: not looked up so far */
	int max_dynamic;                    /* shared memory, opted in */
	/* The last answer of heddle_occupancy. */
	uint32_t threads, blocks;
	uint64_t dynamic;
	bool known;
	bool told; /* that it is refused */
};

struct rt_func {
	struct rt_module *module;
	char *name;
	const void *host; /* its address in the program; NULL: none */
	int carveout, cache;
	struct entry on[MAX_DEVICES];
};

int module_on(struct rt_module *m, struct rt_device *d);
/* The kernel on the device, loaded. */
int func_on(struct rt_func *f, struct rt_device *d, struct entry **out);
/* cudaErrorInvalidPtx, and a line: it holds what is not supported. */
int func_refused(const struct rt_func *f, struct rt_device *d, struct entry *x);
/* Blocks of an SM, from the memory of the last answer if it can. */
int func_occupancy(struct rt_func *f, struct rt_device *d, uint32_t threads,
		   uint64_t dynamic, uint32_t *blocks);
/* Dynamic shared memory that it may have. */
int func_max_dynamic(const struct rt_device *d, const struct entry *x);
struct rt_func *func_find(struct rt_func *f); /* NULL: not one */

#endif
