#include "door/cudart/api.h"

/*
 * The functions that nvcc and clang make a program call: it registers its fat
 * binaries, kernels and variables before main, and a launch,
 * `kernel<<<grid, block>>>(...)`, pushes a configuration that the kernel's stub
 * pops. No header declares them.
 *
 * The program holds an opaque void ** for a fat binary.
 */
struct uint3;
#define DECLARE(type, name, params) \
	EXPORT type name params;    \
	EXPORT type name params

#define ENTER(name) (void)rt_enter(name, RT_REGISTER)
#define LEAVE() (void)rt_leave_quietly(0)

DECLARE(void **, __cudaRegisterFatBinary, (void *wrapper))
{
	void *m;

	ENTER("__cudaRegisterFatBinary");
	m = rt_register_image(wrapper);
	LEAVE();
	return m;
}

/* Images are read on first use, so there is nothing to finish. */
DECLARE(void, __cudaRegisterFatBinaryEnd, (void **image))
{
	(void)image;
}

DECLARE(void, __cudaUnregisterFatBinary, (void **image))
{
	ENTER("__cudaUnregisterFatBinary");
	rt_unregister_image((void *)image);
	LEAVE();
}

DECLARE(void, __cudaRegisterFunction,
	(void **image, const char *host, char *device, const char *name,
	 int limit, struct uint3 *tid, struct uint3 *bid, struct uint3 *block,
	 struct uint3 *grid, int *warp))
{
	(void)device, (void)limit, (void)tid, (void)bid, (void)block;
	(void)grid, (void)warp;
	ENTER("__cudaRegisterFunction");
	rt_register_func((void *)image, host, name);
	LEAVE();
}

DECLARE(void, __cudaRegisterVar,
	(void **image, char *host, char *device, const char *name, int external,
	 size_t size, int constant, int global))
{
	(void)device, (void)external, (void)constant, (void)global;
	ENTER("__cudaRegisterVar");
	rt_register_var((void *)image, host, name, size);
	LEAVE();
}

DECLARE(void, __cudaRegisterManagedVar,
	(void **image, void **host, char *device, const char *name,
	 int external, size_t size, int constant, int global))
{
	(void)device, (void)external, (void)constant, (void)global;
	ENTER("__cudaRegisterManagedVar");
	rt_register_managed((void *)image, host, name, size);
	LEAVE();
}

/* Called before the host accesses a managed variable. */
DECLARE(char, __cudaInitModule, (void **image))
{
	int e = rt_enter("__cudaInitModule", RT_WORK);

	return (char)!rt_leave(e ? e : rt_module_load((void *)image));
}

DECLARE(void, __cudaRegisterTexture,
	(void **image, const void *host, const void **device, const char *name,
	 int dim, int norm, int external))
{
	(void)device, (void)dim, (void)norm, (void)external;
	ENTER("__cudaRegisterTexture");
	rt_register_texture((void *)image, host, name);
	LEAVE();
}

DECLARE(void, __cudaRegisterSurface,
	(void **image, const void *host, const void **device, const char *name,
	 int dim, int external))
{
	(void)device, (void)dim, (void)external;
	ENTER("__cudaRegisterSurface");
	rt_register_texture((void *)image, host, name);
	LEAVE();
}

/* Shared variables and host variables are not needed here. */
DECLARE(void, __cudaRegisterHostVar,
	(void **image, const char *name, char *host, size_t size))
{
	(void)image, (void)name, (void)host, (void)size;
}

DECLARE(void, __cudaRegisterShared, (void **image, void **device))
{
	(void)image, (void)device;
}

DECLARE(void, __cudaRegisterSharedVar,
	(void **image, void **device, size_t size, size_t align, int storage))
{
	(void)image, (void)device, (void)size, (void)align, (void)storage;
}

DECLARE(void, __cudaRegisterUnifiedTable, (void **image, void *table))
{
	(void)image, (void)table;
}

/*
 * <<< >>>. The arguments of a launch may launch kernels themselves, but rarely
 * to any depth.
 */
enum { MAX_DEPTH = 16 };

static _Thread_local struct {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
} pushed[MAX_DEPTH];
static _Thread_local unsigned depth;

DECLARE(unsigned, __cudaPushCallConfiguration,
	(dim3 grid, dim3 block, size_t shared, cudaStream_t stream))
{
	if (depth == MAX_DEPTH)
		return 1;
	pushed[depth].grid = grid;
	pushed[depth].block = block;
	pushed[depth].shared = shared;
	pushed[depth++].stream = stream;
	return 0;
}

DECLARE(cudaError_t, __cudaPopCallConfiguration,
	(dim3 * grid, dim3 *block, size_t *shared, void *stream))
{
	if (!depth)
		return cudaErrorMissingConfiguration;
	*grid = pushed[--depth].grid;
	*block = pushed[depth].block;
	*shared = pushed[depth].shared;
	*(cudaStream_t *)stream = pushed[depth].stream;
	return cudaSuccess;
}
