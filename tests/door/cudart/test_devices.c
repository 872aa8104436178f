#include "program.h"
#include "test.h"

/* There are two devices: see CMakeLists.txt. */
TEST(two, each_device_has_its_own_memory_and_streams)
{
	int *p[2], host[64], n;
	cudaStream_t s;
	struct cudaPointerAttributes a;

	WORKS(cudaGetDeviceCount(&n));
	EQ(2, n);
	for (int i = 0; i < 2; i++) {
		WORKS(cudaSetDevice(i));
		WORKS(cudaMalloc((void **)&p[i], 256));
		WORKS(cudaMemset(p[i], 0, 256));
		WORKS(add(p[i], 64, 10 + i, 0));
	}
	OK(p[0] != p[1]);
	WORKS(cudaMemcpy(host, p[0], 256, cudaMemcpyDeviceToHost));
	EQ(10, host[63]);
	WORKS(cudaPointerGetAttributes(&a, p[1]));
	EQ(1, a.device);
	WORKS(cudaMemcpyPeer(p[0], 0, p[1], 1, 256));
	WORKS(cudaMemcpy(host, p[0], 256, cudaMemcpyDefault));
	EQ(11, host[63]);
	WORKS(cudaStreamCreate(&s));
	WORKS(cudaSetDevice(0));
	WORKS(cudaStreamGetDevice(s, &n));
	EQ(1, n);
	/* Copies go to any stream, kernels to those of the thread's device. */
	WORKS(cudaMemsetAsync(p[1], 0, 256, s));
	GIVES(cudaErrorInvalidResourceHandle, add(p[1], 64, 5, s));
	WORKS(cudaSetDevice(1));
	WORKS(add(p[1], 64, 5, s));
	WORKS(cudaSetDevice(0));
	WORKS(cudaMemcpy(host, p[1], 256, cudaMemcpyDefault));
	EQ(5, host[0]);
	WORKS(cudaDeviceCanAccessPeer(&n, 0, 1));
	EQ(0, n);
	GIVES(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(1, 0));
}

TEST(two, pinned_memory_is_seen_by_both)
{
	int *h;

	WORKS(cudaSetDevice(0));
	WORKS(cudaHostAlloc((void **)&h, 256, cudaHostAllocPortable));
	for (int i = 0; i < 64; i++)
		h[i] = 0;
	for (int i = 0; i < 2; i++) {
		WORKS(cudaSetDevice(i));
		WORKS(add(h, 64, 1, 0));
		WORKS(cudaDeviceSynchronize());
	}
	EQ(2, h[5]);
	WORKS(cudaSetDevice(1));
	WORKS(cudaDeviceReset());
	WORKS(add(h, 64, 1, 0));
	WORKS(cudaDeviceSynchronize());
	EQ(3, h[5]);
	WORKS(cudaFreeHost(h));
}

/* A fault stops the device that had it and not the other. */
TEST(lost, a_fault_is_one_devices)
{
	int *nowhere = (int *)64, *p, v = 1;

	WORKS(cudaSetDevice(1));
	WORKS(launch(kernel_store, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0,
		     ARGS(&nowhere, &v)));
	GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	WORKS(cudaSetDevice(0));
	WORKS(cudaMalloc((void **)&p, 256));
	WORKS(cudaMemset(p, 0, 256));
	WORKS(add(p, 64, 1, 0));
	WORKS(cudaDeviceSynchronize());
}
