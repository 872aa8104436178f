#include <stddef.h>
#include <string.h>

#include "support.h"

enum { N = 1000, BLOCK = 128, GRID = (N + BLOCK - 1) / BLOCK };

CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z);
CUresult cuParamSetSize(CUfunction f, unsigned size);
CUresult cuParamSetv(CUfunction f, int offset, void *p, unsigned size);
CUresult cuParamSeti(CUfunction f, int offset, unsigned v);
CUresult cuLaunchGrid(CUfunction f, int width, int height);

/* Two vectors, their sum to be. */
struct vectors {
	CUdeviceptr a, b, c;
	int n;
};

static struct vectors make(void)
{
	struct vectors v = { .n = N };
	float a[N], b[N];

	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = 0.5f;
	}
	WORKS(cuMemAlloc(&v.a, sizeof(a)));
	WORKS(cuMemAlloc(&v.b, sizeof(b)));
	WORKS(cuMemAlloc(&v.c, sizeof(b)));
	WORKS(cuMemcpyHtoD(v.a, a, sizeof(a)));
	WORKS(cuMemcpyHtoD(v.b, b, sizeof(b)));
	WORKS(cuMemsetD32(v.c, 0, N));
	return v;
}

static void check(const struct vectors *v)
{
	float c[N];

	WORKS(cuCtxSynchronize());
	WORKS(cuMemcpyDtoH(c, v->c, sizeof(c)));
	for (int i = 0; i < N; i++)
		EQ((float)i + 0.5f, c[i]);
	WORKS(cuMemsetD32(v->c, 0, N));
}

static void unmake(const struct vectors *v)
{
	WORKS(cuMemFree(v->a));
	WORKS(cuMemFree(v->b));
	WORKS(cuMemFree(v->c));
}

TEST(driver_launch, parameters_come_by_pointers)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	struct vectors v = make();

	WORKS(cuLaunchKernel(function(m, "add"), GRID, 1, 1, BLOCK, 1, 1, 0,
			     NULL, ARGS(&v.a, &v.b, &v.c, &v.n), NULL));
	check(&v);
	unmake(&v);
	WORKS(cuModuleUnload(m));
	end(ctx);
}

TEST(driver_launch, parameters_come_in_one_block)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	struct vectors v = make();
	CUfunction f = function(m, "add");
	size_t size = offsetof(struct vectors, n) + sizeof(int);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &v,
			  CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			  CU_LAUNCH_PARAM_END };

	WORKS(cuLaunchKernel(f, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
	check(&v);
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuLaunchKernel(f, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, ARGS(&v.a),
			     extra));
	/* With the struct's padding it is too long. */
	size = sizeof(v);
	GIVES(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
	      cuLaunchKernel(f, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
	/* Without n it is 0 and nothing is done. */
	size = offsetof(struct vectors, n);
	WORKS(cuLaunchKernel(f, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
	unmake(&v);
	end(ctx);
}

TEST(driver_launch, a_configuration_says_it_all)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	struct vectors v = make();
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
					.value.cooperative = 1 };
	CUlaunchConfig c = { .gridDimX = GRID,
			     .gridDimY = 1,
			     .gridDimZ = 1,
			     .blockDimX = BLOCK,
			     .blockDimY = 1,
			     .blockDimZ = 1,
			     .attrs = &attribute,
			     .numAttrs = 1 };

	WORKS(cuLaunchKernelEx(&c, function(m, "add"),
			       ARGS(&v.a, &v.b, &v.c, &v.n), NULL));
	check(&v);
	WORKS(cuLaunchCooperativeKernel(function(m, "add"), GRID, 1, 1, BLOCK,
					1, 1, 0, NULL,
					ARGS(&v.a, &v.b, &v.c, &v.n)));
	check(&v);
	unmake(&v);
	end(ctx);
}

TEST(driver_launch, the_first_way_still_works)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUfunction f = function(m, "add");
	struct vectors v = make();

	WORKS(cuFuncSetBlockShape(f, BLOCK, 1, 1));
	WORKS(cuParamSetv(f, 0, &v, 24));
	WORKS(cuParamSeti(f, 24, N));
	WORKS(cuParamSetSize(f, 28));
	WORKS(cuLaunchGrid(f, GRID, 1));
	check(&v);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuParamSeti(f, 1 << 20, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuParamSeti(f, -4, 1));
	unmake(&v);
	end(ctx);
}

TEST(driver_launch, shapes_that_do_not_fit_are_refused)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUfunction f = function(m, "add");
	struct vectors v = make();
	void **args = ARGS(&v.a, &v.b, &v.c, &v.n);

	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, args, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE,
	      cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE,
	      cuLaunchKernel((CUfunction)&v, 1, 1, 1, 1, 1, 1, 0, NULL, args,
			     NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE,
	      cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)&v, args, NULL));
	unmake(&v);
	end(ctx);
}

static size_t sixteen_bytes(int threads)
{
	return (size_t)threads * 16;
}

TEST(driver_launch, functions_say_what_they_are)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels), of;
	CUfunction f = function(m, "add");
	const char *name;
	size_t offset, size, shared;
	int v, grid, block;

	WORKS(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
				 f));
	EQ(1024, v);
	WORKS(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
	EQ(70, v);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&v, 99, f));
	WORKS(cuFuncSetAttribute(
		f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
	WORKS(cuFuncGetAttribute(
		&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
	EQ(65536, v);
	WORKS(cuFuncGetName(&name, f));
	STREQ("add", name);
	WORKS(cuFuncGetModule(&of, f));
	OK(of == m);
	WORKS(cuFuncGetParamInfo(f, 3, &offset, &size));
	EQ(24u, offset);
	EQ(4u, size);
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuFuncGetParamInfo(f, 4, &offset, &size));
	WORKS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 1024, 0));
	EQ(2, v);
	WORKS(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
	EQ(1024, block);
	WORKS(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, sixteen_bytes,
					       0, 500));
	OK(block > 0 && block <= 500 && grid > 0);
	WORKS(cuOccupancyAvailableDynamicSMemPerBlock(&shared, f, 2, 1024));
	OK(shared > 0);
	end(ctx);
}
