#include "support.h"

/* Two devices: HEDDLE_DEVICES=2. */

TEST(driver_pair, contexts_choose_the_device)
{
	CUcontext a, b;
	CUdevice device;
	CUdeviceptr p, q;
	CUmodule m;
	int n, v = 9, can;

	WORKS(cuInit(0));
	WORKS(cuDeviceGetCount(&n));
	EQ(2, n);
	WORKS(cuCtxCreate(&a, NULL, 0, 0));
	WORKS(cuMemAlloc(&p, 4));
	WORKS(cuMemcpyHtoD(p, &v, 4));
	WORKS(cuCtxCreate(&b, NULL, 0, 1));
	WORKS(cuCtxGetDevice(&device));
	EQ(1, device);
	WORKS(cuMemAlloc(&q, 4));
	WORKS(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				    q));
	EQ(1, n);
	WORKS(cuMemcpyPeer(q, b, p, a, 4));
	v = 0;
	WORKS(cuMemcpyDtoH(&v, q, 4));
	EQ(9, v);
	/* A module in each: its variables are the device's own. */
	m = load(ptx_kernels);
	WORKS(cuModuleGetGlobal(&p, NULL, m, "factor"));
	WORKS(cuMemsetD32(p, 2, 1));
	WORKS(cuLaunchKernel(function(m, "scale"), 1, 1, 1, 1, 1, 1, 0, NULL,
			     ARGS(&q), NULL));
	WORKS(cuMemcpyDtoH(&v, q, 4));
	EQ(14, v);
	WORKS(cuDeviceCanAccessPeer(&can, 0, 1));
	EQ(0, can);
	GIVES(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(a, 0));
	WORKS(cuCtxDestroy(b));
	WORKS(cuCtxGetDevice(&device));
	EQ(0, device);
	WORKS(cuCtxDestroy(a));
}
