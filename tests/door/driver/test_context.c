#include <pthread.h>
#include <string.h>

#include "support.h"

TEST(driver_fresh, nothing_works_before_cuInit)
{
	CUdevice device;
	CUcontext ctx;
	CUdeviceptr p;
	int v;

	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&v));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxCreate(&ctx, NULL, 0, 0));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&p, 4));
	WORKS(cuDriverGetVersion(&v));
	EQ(13000, v);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuInit(1));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&p, 4));
	WORKS(cuInit(0));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
}

TEST(driver_context, a_stack_of_them)
{
	CUcontext a, b, got;
	CUdeviceptr p;
	CUdevice device;
	unsigned flags, version;
	unsigned long long ida, idb;

	WORKS(cuInit(0));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&got));
	WORKS(cuCtxGetCurrent(&got));
	OK(!got);
	WORKS(cuCtxCreate(&a, NULL, CU_CTX_SCHED_SPIN, 0));
	WORKS(cuCtxCreate(&b, NULL, 0, 0));
	WORKS(cuCtxGetCurrent(&got));
	OK(got == b);
	WORKS(cuCtxPopCurrent(&got));
	OK(got == b);
	WORKS(cuCtxGetCurrent(&got));
	OK(got == a);
	WORKS(cuCtxGetFlags(&flags));
	EQ((unsigned)CU_CTX_SCHED_SPIN, flags);
	WORKS(cuCtxGetDevice(&device));
	EQ(0, device);
	WORKS(cuCtxGetApiVersion(a, &version));
	EQ(3020u, version);
	WORKS(cuCtxGetId(a, &ida));
	WORKS(cuCtxGetId(b, &idb));
	OK(ida != idb);
	WORKS(cuCtxPushCurrent(b));
	WORKS(cuCtxDestroy(b));
	WORKS(cuCtxGetCurrent(&got));
	OK(got == a);
	GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxDestroy(b));
	WORKS(cuCtxPushCurrent(b));
	GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&p, 4));
	WORKS(cuCtxPopCurrent(NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)&p));
	WORKS(cuCtxSetCurrent(NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
	WORKS(cuCtxSetCurrent(a));
	WORKS(cuMemAlloc(&p, 4));
	WORKS(cuCtxDestroy(a));
	/* A pointer needs no context. */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&a, NULL, 3, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&a, NULL, 1 << 20, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&a, NULL, 0, 99));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&a, NULL, 0, -1));
}

/* Contexts of a device see the same memory; the last one takes it along. */
TEST(driver_context, the_last_one_frees_what_is_left)
{
	CUcontext a = begin(), b = begin();
	CUdeviceptr p;
	CUstream s;
	size_t before, now, total;

	WORKS(cuMemGetInfo(&before, &total));
	WORKS(cuMemAlloc(&p, 1 << 20));
	WORKS(cuStreamCreate(&s, 0));
	WORKS(cuCtxDestroy(b));
	WORKS(cuMemsetD8(p, 1, 1 << 20));
	WORKS(cuStreamSynchronize(s));
	WORKS(cuCtxDestroy(a));
	a = begin();
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 1, 1 << 20));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(s));
	WORKS(cuMemGetInfo(&now, &total));
	EQ(before, now);
	end(a);
}

TEST(driver_context, a_primary_one_is_shared)
{
	CUcontext a, b;
	CUdeviceptr p;
	unsigned flags;
	int active;

	WORKS(cuInit(0));
	WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
	EQ(0, active);
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
	WORKS(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
	WORKS(cuDevicePrimaryCtxRetain(&a, 0));
	WORKS(cuDevicePrimaryCtxRetain(&b, 0));
	OK(a == b);
	WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
	EQ(1, active);
	EQ((unsigned)CU_CTX_SCHED_YIELD, flags);
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
	WORKS(cuCtxSetCurrent(a));
	WORKS(cuMemAlloc(&p, 4));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(a));
	WORKS(cuDevicePrimaryCtxRelease(0));
	WORKS(cuMemFree(p));
	WORKS(cuMemAlloc(&p, 4));
	WORKS(cuDevicePrimaryCtxReset(0));
	GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemFree(p));
	WORKS(cuDevicePrimaryCtxRetain(&b, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
	WORKS(cuMemAlloc(&p, 4));
	WORKS(cuDevicePrimaryCtxRelease(0));
	WORKS(cuDevicePrimaryCtxRelease(0));
	GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&p, 4));
	WORKS(cuCtxSetCurrent(NULL));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&a, 7));
}

static void *in_a_thread(void *p)
{
	CUdeviceptr mine;
	bool fine = cuMemAlloc(&mine, 4) == CUDA_ERROR_INVALID_CONTEXT &&
		    cuCtxSetCurrent(p) == CUDA_SUCCESS &&
		    cuMemAlloc(&mine, 4) == CUDA_SUCCESS &&
		    cuCtxDestroy(p) == CUDA_SUCCESS;

	return fine ? p : NULL;
}

TEST(driver_context, each_thread_has_its_own_stack)
{
	CUcontext ctx = begin();
	pthread_t t;
	void *fine;
	CUdeviceptr p;

	EQ(0, pthread_create(&t, NULL, in_a_thread, ctx));
	EQ(0, pthread_join(t, &fine));
	OK(fine);
	GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&p, 4));
	WORKS(cuCtxSetCurrent(NULL));
}

TEST(driver_context, limits_and_preferences_are_kept)
{
	CUcontext ctx = begin();
	CUfunc_cache cache;
	size_t v;
	int least, greatest;

	WORKS(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20));
	WORKS(cuCtxGetLimit(&v, CU_LIMIT_PRINTF_FIFO_SIZE));
	EQ(1u << 20, v);
	WORKS(cuCtxGetLimit(&v, CU_LIMIT_CIG_ENABLED));
	EQ(0u, v);
	GIVES(CUDA_ERROR_UNSUPPORTED_LIMIT,
	      cuCtxGetLimit(&v, CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(&v, CU_LIMIT_MAX));
	WORKS(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	WORKS(cuCtxGetCacheConfig(&cache));
	EQ((int)CU_FUNC_CACHE_PREFER_L1, (int)cache);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig(9));
	WORKS(cuCtxGetStreamPriorityRange(&least, &greatest));
	EQ(0, least);
	EQ(-5, greatest);
	end(ctx);
}

TEST(driver_device, devices_describe_themselves)
{
	CUdevice device;
	CUuuid uuid;
	CUdevprop prop;
	char name[256], bus[16];
	size_t bytes;
	int n, major, minor, threads;

	WORKS(cuInit(0));
	WORKS(cuDeviceGetCount(&n));
	EQ(1, n);
	WORKS(cuDeviceGet(&device, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
	WORKS(cuDeviceGetName(name, sizeof(name), 0));
	OK(strlen(name) > 0);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(name, 0, 0));
	WORKS(cuDeviceGetUuid(&uuid, 0));
	WORKS(cuDeviceTotalMem(&bytes, 0));
	OK(bytes > 1 << 30);
	WORKS(cuDeviceComputeCapability(&major, &minor, 0));
	WORKS(cuDeviceGetAttribute(
		&n, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	EQ(major, n);
	WORKS(cuDeviceGetProperties(&prop, 0));
	WORKS(cuDeviceGetAttribute(
		&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
	EQ(threads, prop.maxThreadsPerBlock);
	EQ(32, prop.SIMDWidth);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&n, 4000, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE,
	      cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 4));
	WORKS(cuDeviceGetPCIBusId(bus, sizeof(bus), 0));
	device = 9;
	WORKS(cuDeviceGetByPCIBusId(&device, bus));
	EQ(0, device);
	GIVES(CUDA_ERROR_INVALID_DEVICE,
	      cuDeviceGetByPCIBusId(&device, "0000:99:00.0"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, "?"));
}

TEST(driver_device, results_have_names_and_texts)
{
	const char *text;

	WORKS(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
	STREQ("invalid argument", text);
	for (int i = 0; i < 1000; i++)
		if (!cuGetErrorName(i, &text))
			WORKS(cuGetErrorString(i, &text));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(12345, &text));
	OK(!text);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorString(12345, &text));
}

/* After a fault every call says so, until the end. */
TEST(driver_fault, a_fault_stays)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUdeviceptr p;

	WORKS(cuLaunchKernel(function(m, "wild"), 1, 1, 1, 1, 1, 1, 0, NULL,
			     NULL, NULL));
	GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
	GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&p, 4));
	GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
	WORKS(cuCtxDestroy(ctx));
}
