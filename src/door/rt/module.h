/* Modules and their kernels, for the files behind rt.h. */
#ifndef HEDDLE_RT_MODULE_H
#define HEDDLE_RT_MODULE_H

#include "door/rt/state.h"

/* A module on one device. */
struct device_module {
	bool tried;
	int error; /* result of the attempt */
	struct heddle_module *mod;
	char advice[160]; /* added to the message that refuses a kernel */
};

struct module_var {
	struct rt_module *module;
	const void *host;
	char *name;
	size_t size;
	void **slot;   /* managed: where the host keeps its address */
	void *address; /* managed: the last one it was given; or NULL */
};

struct rt_module {
	const void *image;
	void *copy;        /* the image, if we own it */
	size_t plain_size; /* of an image that is loaded as it is; else 0 */
	char plain_name[64];
	struct device_module on[MAX_DEVICES];
	struct rt_func **funcs;
	size_t func_count;
	struct module_var **vars;
	size_t var_count;
	char log[800];
};

/* A kernel on one device. */
struct device_func {
	const struct heddle_kernel *kernel; /* NULL: not looked up yet */
	int max_dynamic; /* shared memory, opted in; -1: the default */
	/* The last answer of heddle_occupancy. */
	uint32_t threads, blocks;
	uint64_t dynamic;
	bool known;
	bool reported; /* the program was told that it is refused */
};

struct rt_func {
	struct rt_module *module;
	char *name;
	const void *host; /* its address in the program; NULL: none */
	int carveout, cache;
	struct device_func on[MAX_DEVICES];
};

/* Loads the module on the device, on first use. */
int module_load(struct rt_module *m, struct rt_device *d);
/* Loads the best of the module's images on the device; a failure is written to
 * its log. */
int module_load_image(struct rt_module *m, struct rt_device *d);
/* Loads the kernel on the device, on first use. */
int func_load(struct rt_func *f, struct rt_device *d, struct device_func **out);
/* cudaErrorInvalidPtx and a message if the kernel holds something that is not
 * supported. */
int func_check_supported(const struct rt_func *f, struct rt_device *d,
			 struct device_func *x);
/* Blocks that an SM holds; remembers the last answer. */
int func_occupancy(struct rt_func *f, struct rt_device *d, uint32_t threads,
		   uint64_t dynamic, uint32_t *blocks);
/* The maximum dynamic shared memory of the kernel. */
int func_max_dynamic(const struct rt_device *d, const struct device_func *x);
struct rt_func *func_find(struct rt_func *f); /* NULL: not a kernel */

#endif
