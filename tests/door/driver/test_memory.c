#include <string.h>

#include "support.h"

enum { N = 256 };

TEST(driver_memory, copies_go_all_ways)
{
	CUcontext ctx = begin();
	CUdeviceptr a, b;
	CUstream s;
	unsigned char in[N], out[N];

	for (int i = 0; i < N; i++)
		in[i] = (unsigned char)i;
	WORKS(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	WORKS(cuMemAlloc(&a, N));
	WORKS(cuMemAlloc(&b, N));
	WORKS(cuMemcpyHtoDAsync(a, in, N, s));
	WORKS(cuMemcpyDtoDAsync(b, a, N, s));
	WORKS(cuMemcpyDtoHAsync(out, b, N, s));
	WORKS(cuStreamSynchronize(s));
	EQ(0, memcmp(in, out, N));
	WORKS(cuMemsetD8(b, 0, N));
	WORKS(cuMemcpy(b, a, N));
	WORKS(cuMemcpyPeer(b, ctx, a, ctx, N));
	memset(out, 0, N);
	WORKS(cuMemcpy((CUdeviceptr)(uintptr_t)out, b, N));
	EQ(0, memcmp(in, out, N));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a, in, N + 4096));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(out, 64, N));
	WORKS(cuMemcpyPeer(b, NULL, a, ctx, N));
	GIVES(CUDA_ERROR_INVALID_CONTEXT,
	      cuMemcpyPeer(b, (CUcontext)in, a, ctx, N));
	WORKS(cuMemFree(a));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(a));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(b + 4));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&a, 0));
	GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&a, (size_t)1 << 60));
	end(ctx);
}

TEST(driver_memory, sets_have_three_widths_and_rows)
{
	CUcontext ctx = begin();
	CUdeviceptr p, q;
	size_t pitch, unused;
	unsigned v[4];
	unsigned short h[4];

	WORKS(cuMemAllocPitch(&p, &pitch, 12, 3, 4));
	OK(pitch >= 12);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&q, &unused, 12, 3, 5));
	WORKS(cuMemsetD2D32(p, pitch, 0x01020304, 3, 3));
	WORKS(cuMemcpyDtoH(v, p + 2 * pitch, 12));
	EQ(0x01020304u, v[2]);
	WORKS(cuMemsetD16(p, 0xabcd, 3));
	WORKS(cuMemcpyDtoH(h, p, 8));
	EQ(0xabcd, h[2]);
	EQ(0x0102, h[3]);
	WORKS(cuMemsetD2D8Async(p, pitch, 9, 2, 2, NULL));
	WORKS(cuMemcpyDtoH(h, p + pitch, 2));
	EQ(0x0909, h[0]);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 0, 1));
	end(ctx);
}

TEST(driver_memory, boxes_leave_the_rest_alone)
{
	CUcontext ctx = begin();
	unsigned char in[8][16], out[8][16];
	CUdeviceptr p;
	CUDA_MEMCPY2D c = { .srcMemoryType = CU_MEMORYTYPE_HOST,
			    .srcHost = in,
			    .srcPitch = 16,
			    .srcXInBytes = 2,
			    .srcY = 1,
			    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			    .dstPitch = 16,
			    .dstXInBytes = 4,
			    .dstY = 3,
			    .WidthInBytes = 8,
			    .Height = 4 };

	for (int i = 0; i < 128; i++)
		in[i / 16][i % 16] = (unsigned char)i;
	WORKS(cuMemAlloc(&p, sizeof(in)));
	WORKS(cuMemsetD8(p, 0xff, sizeof(in)));
	c.dstDevice = p;
	WORKS(cuMemcpy2D(&c));
	WORKS(cuMemcpyDtoH(out, p, sizeof(out)));
	EQ(in[1][2], out[3][4]);
	EQ(in[4][9], out[6][11]);
	EQ(0xff, out[3][3]);
	EQ(0xff, out[3][12]);
	EQ(0xff, out[7][4]);
	c.dstPitch = 8;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&c));
	c.srcMemoryType = 9;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&c));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(NULL));
	end(ctx);
}

TEST(driver_memory, arrays_hold_what_was_copied)
{
	CUcontext ctx = begin();
	CUDA_ARRAY3D_DESCRIPTOR d = { .Width = 4,
				      .Height = 3,
				      .Depth = 2,
				      .Format = CU_AD_FORMAT_UNSIGNED_INT16,
				      .NumChannels = 2 };
	CUDA_ARRAY3D_DESCRIPTOR got;
	unsigned in[24], out[24] = { 0 };
	CUDA_MEMCPY3D c = { .srcMemoryType = CU_MEMORYTYPE_HOST,
			    .srcHost = in,
			    .srcPitch = 16,
			    .srcHeight = 3,
			    .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			    .WidthInBytes = 16,
			    .Height = 3,
			    .Depth = 2 };
	CUarray a;

	for (unsigned i = 0; i < 24; i++)
		in[i] = i * 7;
	WORKS(cuArray3DCreate(&a, &d));
	WORKS(cuArray3DGetDescriptor(&got, a));
	EQ(0, memcmp(&d, &got, sizeof(d)));
	c.dstArray = a;
	WORKS(cuMemcpy3D(&c));
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = out;
	c.dstPitch = 16;
	c.dstHeight = 3;
	c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	c.srcArray = a;
	WORKS(cuMemcpy3D(&c));
	EQ(0, memcmp(in, out, sizeof(in)));
	/* By offset: in the first row. */
	WORKS(cuMemcpyHtoA(a, 4, &in[7], 8));
	WORKS(cuMemcpyAtoH(out, a, 4, 12));
	EQ(in[7], out[0]);
	EQ(in[3], out[2]);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH(out, a, 4, 16));
	WORKS(cuArrayDestroy(a));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(a));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(NULL));
	d.NumChannels = 3;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&a, &d));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&a, NULL));
	end(ctx);
}

TEST(driver_memory, the_hosts_memory_is_known)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	static int own[1024];
	CUdeviceptr d, managed;
	int *pinned, v;
	unsigned flags;

	WORKS(cuMemHostAlloc((void **)&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP));
	WORKS(cuMemHostGetDevicePointer(&d, pinned, 0));
	WORKS(cuMemHostGetFlags(&flags, pinned));
	OK(flags & CU_MEMHOSTALLOC_DEVICEMAP);
	WORKS(cuModuleGetGlobal(&managed, NULL, m, "factor"));
	WORKS(cuMemsetD32(managed, 2, 1));
	WORKS(cuLaunchKernel(function(m, "scale"), 1, 1, 1, 1, 1, 1, 0, NULL,
			     ARGS(&d), NULL));
	WORKS(cuCtxSynchronize());
	EQ(14, pinned[0]);
	WORKS(cuMemFreeHost(pinned));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(pinned));
	WORKS(cuMemHostRegister(own, sizeof(own), 0));
	GIVES(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
	      cuMemHostRegister(own, sizeof(own), 0));
	WORKS(cuMemHostUnregister(own));
	GIVES(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own));
	WORKS(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
	*(int *)(uintptr_t)managed = 5;
	WORKS(cuMemcpyDtoH(&v, managed, 4));
	EQ(5, v);
	WORKS(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY,
			  (CUmemLocation){ CU_MEM_LOCATION_TYPE_DEVICE, 0 }));
	WORKS(cuMemRangeGetAttribute(&v, sizeof(v),
				     CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
				     managed, 4096));
	EQ(1, v);
	WORKS(cuMemPrefetchAsync(
		managed, 4096, (CUmemLocation){ CU_MEM_LOCATION_TYPE_HOST, 0 },
		0, NULL));
	GIVES(CUDA_ERROR_INVALID_DEVICE,
	      cuMemPrefetchAsync(managed, 4096,
				 (CUmemLocation){ CU_MEM_LOCATION_TYPE_DEVICE,
						  9 },
				 0, NULL));
	end(ctx);
}

TEST(driver_memory, pointers_say_where_they_lead)
{
	CUcontext ctx = begin(), of;
	CUdeviceptr p, base;
	CUmemorytype type;
	size_t size;
	int ordinal, managed, here = 0;
	unsigned long long id;
	CUpointer_attribute list[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				       CU_POINTER_ATTRIBUTE_CONTEXT,
				       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				       CU_POINTER_ATTRIBUTE_BUFFER_ID };
	void *data[] = { &type, &of, &ordinal, &id };

	WORKS(cuMemAlloc(&p, 1000));
	WORKS(cuMemGetAddressRange(&base, &size, p + 500));
	OK(base == p);
	EQ(1000u, size);
	GIVES(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &size, 64));
	WORKS(cuPointerGetAttributes(4, list, data, p + 4));
	EQ((int)CU_MEMORYTYPE_DEVICE, (int)type);
	OK(of == ctx);
	EQ(0, ordinal);
	OK(id > 0);
	WORKS(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
				    p));
	EQ(0, managed);
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				    (CUdeviceptr)(uintptr_t)&here));
	WORKS(cuPointerGetAttributes(4, list, data,
				     (CUdeviceptr)(uintptr_t)&here));
	EQ(0, (int)type);
	EQ(CU_DEVICE_INVALID, ordinal);
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_HOST_POINTER,
				    p));
	end(ctx);
}

TEST(driver_memory, pools_serve_streams)
{
	CUcontext ctx = begin();
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	CUmemoryPool pool, current;
	CUstream s;
	CUdeviceptr p;
	cuuint64_t used;

	WORKS(cuStreamCreate(&s, 0));
	WORKS(cuMemAllocAsync(&p, 4096, s));
	WORKS(cuMemsetD8Async(p, 1, 4096, s));
	WORKS(cuMemFreeAsync(p, s));
	WORKS(cuMemPoolCreate(&pool, &props));
	WORKS(cuMemAllocFromPoolAsync(&p, 4096, pool, s));
	WORKS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
				    &used));
	OK(used >= 4096);
	WORKS(cuMemFreeAsync(p, s));
	WORKS(cuDeviceSetMemPool(0, pool));
	WORKS(cuDeviceGetMemPool(&current, 0));
	OK(current == pool);
	WORKS(cuMemPoolDestroy(pool));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
	end(ctx);
}

TEST(driver_memory, memory_of_graphs_is_counted)
{
	extern CUresult cuDeviceGetGraphMemAttribute(CUdevice, int, void *);
	extern CUresult cuDeviceSetGraphMemAttribute(CUdevice, int, void *);
	extern CUresult cuDeviceGraphMemTrim(CUdevice);
	CUcontext ctx = begin();
	cuuint64_t used = 77;

	WORKS(cuDeviceGetGraphMemAttribute(0, 0, &used));
	EQ(0, used);
	WORKS(cuDeviceSetGraphMemAttribute(0, 1, &used));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuDeviceSetGraphMemAttribute(0, 0, &used));
	GIVES(CUDA_ERROR_INVALID_DEVICE,
	      cuDeviceGetGraphMemAttribute(7, 0, &used));
	WORKS(cuDeviceGraphMemTrim(0));
	end(ctx);
}
