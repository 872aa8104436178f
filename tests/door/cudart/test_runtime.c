#include <string.h>

#include "program.h"
#include "test.h"

enum { N = 1000 };

static int *device_zeros(size_t bytes)
{
	int *p;

	WORKS(cudaMalloc((void **)&p, bytes));
	WORKS(cudaMemset(p, 0, bytes));
	return p;
}

TEST(launch, a_kernel_computes)
{
	int *p = device_zeros(N * 4), host[N];

	WORKS(add(p, N, 5, 0));
	WORKS(add(p, N, 7, 0));
	WORKS(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		EQ(12, host[i]);
	WORKS(cudaFree(p));
}

TEST(launch, every_thread_of_a_grid_runs)
{
	int *p = device_zeros(12 * 32 * 4), host[12 * 32];

	WORKS(launch(kernel_index, DIM(12, 1, 1), DIM(32, 1, 1), 0, 0,
		     ARGS(&p)));
	WORKS(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDefault));
	for (int i = 0; i < 12 * 32; i++)
		EQ(i / 32 * 1000 + i % 32, host[i]);
	WORKS(cudaFree(p));
}

TEST(launch, shared_memory_is_as_large_as_asked_for)
{
	int host[256], *p = device_zeros(sizeof(host));

	for (int i = 0; i < 256; i++)
		host[i] = i;
	WORKS(cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice));
	WORKS(launch(kernel_reverse, DIM(1, 1, 1), DIM(256, 1, 1), 1024, 0,
		     ARGS(&p)));
	WORKS(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 256; i++)
		EQ(255 - i, host[i]);
	WORKS(cudaFree(p));
}

TEST(launch, what_cannot_run_is_refused)
{
	int *p = NULL, n = 0, v = 0;
	void **args = ARGS(&p, &n, &v);
	dim3 one = DIM(1, 1, 1);

	GIVES(cudaErrorInvalidValue,
	      launch(kernel_add, DIM(0, 1, 1), one, 0, 0, args));
	GIVES(cudaErrorInvalidValue,
	      launch(kernel_add, one, DIM(1025, 1, 1), 0, 0, args));
	GIVES(cudaErrorInvalidValue,
	      launch(kernel_add, one, one, 1 << 20, 0, args));
	GIVES(cudaErrorInvalidResourceHandle,
	      launch((void (*)(void)) & v, one, one, 0, 0, args));
	GIVES(cudaErrorInvalidDeviceFunction,
	      launch(kernel_missing, one, one, 0, 0, args));
	GIVES(cudaErrorNoKernelImageForDevice,
	      launch(kernel_sass, one, one, 0, 0, NULL));
	GIVES(cudaErrorInvalidResourceHandle,
	      launch(kernel_add, one, one, 0, (cudaStream_t)&v, args));
	GIVES(cudaErrorInvalidResourceHandle, cudaGetLastError());
	WORKS(cudaGetLastError());
}

TEST(launch, attributes_are_known_and_shared_memory_can_be_opted_in)
{
	struct cudaFuncAttributes a;
	int blocks, *p = device_zeros(4096);
	size_t offset, size;

	WORKS(cudaFuncGetAttributes(&a, (void *)kernel_reverse));
	EQ(1024, a.maxThreadsPerBlock);
	EQ(49152, a.maxDynamicSharedSizeBytes);
	EQ(90, a.binaryVersion);
	EQ(50, a.ptxVersion);
	WORKS(cudaFuncSetAttribute((void *)kernel_reverse,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   200 << 10));
	WORKS(launch(kernel_reverse, DIM(1, 1, 1), DIM(64, 1, 1), 200 << 10, 0,
		     ARGS(&p)));
	WORKS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, (void *)kernel_reverse, 64, 200 << 10));
	EQ(1, blocks);
	WORKS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, (void *)kernel_reverse, 1024, 0));
	EQ(2, blocks);
	WORKS(cudaOccupancyAvailableDynamicSMemPerBlock(
		&size, (void *)kernel_reverse, 2, 64));
	OK(size > 100 << 10 && size < 116 << 10);
	/* Without opting in the block's limit holds. */
	WORKS(cudaOccupancyAvailableDynamicSMemPerBlock(
		&size, (void *)kernel_index, 2, 256));
	EQ(49152, size);
	WORKS(cudaFuncGetParamInfo((void *)kernel_add, 1, &offset, &size));
	EQ(8, offset);
	EQ(4, size);
	GIVES(cudaErrorInvalidValue,
	      cudaFuncGetParamInfo((void *)kernel_add, 3, &offset, &size));
	WORKS(cudaFree(p));
}

TEST(launch, a_configuration_can_have_attributes)
{
	int *p = device_zeros(256), n = 64, v = 3, host[64];
	cudaLaunchAttribute a[2] = { { .id = cudaLaunchAttributeCooperative },
				     { .id = cudaLaunchAttributePriority } };
	cudaLaunchConfig_t c = { .gridDim = { 1, 1, 1 },
				 .blockDim = { 64, 1, 1 },
				 .attrs = a,
				 .numAttrs = 2 };

	a[0].val.cooperative = 1;
	WORKS(cudaLaunchKernelExC(&c, (void *)kernel_add, ARGS(&p, &n, &v)));
	WORKS(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	EQ(3, host[63]);
	c.gridDim.x = 1 << 20;
	GIVES(cudaErrorCooperativeLaunchTooLarge,
	      cudaLaunchKernelExC(&c, (void *)kernel_add, ARGS(&p, &n, &v)));
	a[0].id = cudaLaunchAttributeClusterDimension;
	a[0].val.clusterDim.x = 2;
	a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
	GIVES(cudaErrorNotSupported,
	      cudaLaunchKernelExC(&c, (void *)kernel_add, ARGS(&p, &n, &v)));
	WORKS(cudaFree(p));
}

TEST(symbols, variables_are_reached_by_name_and_address)
{
	int *p = device_zeros(4), v = 100, constants[4] = { 1, 2, 3, 4 };
	void *at;
	size_t size;

	WORKS(cudaMemcpyToSymbol(variable, &v, 4, 0, cudaMemcpyHostToDevice));
	WORKS(cudaMemcpyToSymbol(table, constants, 16, 0,
				 cudaMemcpyHostToDevice));
	WORKS(launch(kernel_variable, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0,
		     ARGS(&p)));
	WORKS(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
	EQ(102, v);
	WORKS(cudaMemcpyFromSymbol(&v, variable, 4, 0, cudaMemcpyDeviceToHost));
	EQ(101, v);
	WORKS(cudaGetSymbolSize(&size, table));
	EQ(16, size);
	WORKS(cudaGetSymbolAddress(&at, table));
	WORKS(cudaMemcpy(&v, (int *)at + 3, 4, cudaMemcpyDeviceToHost));
	EQ(4, v);
	GIVES(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&at, &v));
	WORKS(cudaFree(p));
}

TEST(symbols, managed_variables_are_the_hosts_as_well)
{
	struct cudaPointerAttributes a;

	WORKS(launch(kernel_grow, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0, NULL));
	WORKS(cudaDeviceSynchronize());
	OK(managed != NULL);
	EQ(8, *managed);
	*managed = 20;
	WORKS(launch(kernel_grow, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0, NULL));
	WORKS(cudaDeviceSynchronize());
	EQ(21, *managed);
	WORKS(cudaPointerGetAttributes(&a, managed));
	EQ(cudaMemoryTypeManaged, a.type);
	EQ(managed, a.hostPointer);
	GIVES(cudaErrorInvalidValue, cudaFree(managed));
	WORKS(cudaDeviceReset());
	WORKS(launch(kernel_grow, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0, NULL));
	WORKS(cudaDeviceSynchronize());
	EQ(8, *managed);
}

/* In host code the name of a managed variable means its memory: what nvcc
 * passes as the symbol is its address. */
TEST(symbols, a_managed_variable_is_a_symbol_by_its_address)
{
	void *at = NULL;
	size_t size = 0;
	int v = 40;

	WORKS(launch(kernel_grow, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0, NULL));
	WORKS(cudaGetSymbolAddress(&at, managed));
	EQ(managed, at);
	WORKS(cudaGetSymbolSize(&size, managed));
	EQ(4, size);
	WORKS(cudaMemcpyToSymbol(managed, &v, 4, 0, cudaMemcpyHostToDevice));
	WORKS(launch(kernel_grow, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0, NULL));
	WORKS(cudaMemcpyFromSymbol(&v, managed, 4, 0, cudaMemcpyDeviceToHost));
	EQ(41, v);
	WORKS(cudaGetSymbolAddress(&at, &managed));
	EQ(managed, at);
	GIVES(cudaErrorInvalidSymbol,
	      cudaGetSymbolAddress(&at, (char *)managed + 1));
	WORKS(cudaDeviceReset());
	WORKS(cudaGetSymbolAddress(&at, managed)); /* loads the module again */
	EQ(managed, at);
}

TEST(memory, boxes_are_copied_between_all_kinds_of_memory)
{
	enum { W = 24, H = 5, D = 3 };
	char from[D][H][W], to[D][H][W];
	struct cudaPitchedPtr p;
	struct cudaMemcpy3DParms c = { 0 };

	for (int i = 0; i < D * H * W; i++)
		((char *)from)[i] = (char)i;
	WORKS(cudaMalloc3D(&p, (struct cudaExtent){ W, H, D }));
	OK(p.pitch >= W && p.pitch % 256 == 0);
	c.srcPtr = (struct cudaPitchedPtr){ from, W, W, H };
	c.dstPtr = p;
	c.extent = (struct cudaExtent){ W, H, D };
	c.kind = cudaMemcpyHostToDevice;
	WORKS(cudaMemcpy3D(&c));
	memset(to, 0, sizeof(to));
	/* Two rows and columns of the second slice. */
	c = (struct cudaMemcpy3DParms){ .srcPtr = p,
					.srcPos = { 4, 2, 1 },
					.dstPtr = { to, W, W, H },
					.dstPos = { 1, 1, 2 },
					.extent = { 2, 2, 1 },
					.kind = cudaMemcpyDeviceToHost };
	WORKS(cudaMemcpy3D(&c));
	EQ(from[1][2][4], to[2][1][1]);
	EQ(from[1][3][5], to[2][2][2]);
	EQ(0, to[2][1][3]);
	EQ(0, to[2][3][1]);
	WORKS(cudaMemset3D(p, 9, (struct cudaExtent){ 3, 2, 1 }));
	WORKS(cudaMemcpy2D(to, W, p.ptr, p.pitch, W, H,
			   cudaMemcpyDeviceToHost));
	EQ(9, to[0][1][2]);
	EQ(from[0][1][3], to[0][1][3]);
	EQ(from[0][2][0], to[0][2][0]);
	WORKS(cudaFree(p.ptr));
}

TEST(memory, arrays_keep_their_rows)
{
	struct cudaChannelFormatDesc f = cudaCreateChannelDesc(
					     32, 0, 0, 0,
					     cudaChannelFormatKindSigned),
				     got;
	struct cudaExtent x;
	int from[6][10], to[6][10], flat[60];
	unsigned flags;
	cudaArray_t a, b;

	for (int i = 0; i < 60; i++)
		((int *)from)[i] = i;
	WORKS(cudaMallocArray(&a, &f, 10, 6, 0));
	WORKS(cudaMallocArray(&b, &f, 10, 6, 0));
	WORKS(cudaArrayGetInfo(&got, &x, &flags, a));
	EQ(10, x.width);
	EQ(6, x.height);
	EQ(0, x.depth);
	EQ(32, got.x);
	WORKS(cudaMemcpy2DToArray(a, 0, 0, from, 40, 40, 6,
				  cudaMemcpyHostToDevice));
	WORKS(cudaMemcpy2DArrayToArray(b, 4, 1, a, 0, 0, 36, 5,
				       cudaMemcpyDeviceToDevice));
	WORKS(cudaMemcpy2DFromArray(to, 40, b, 4, 1, 36, 5,
				    cudaMemcpyDeviceToHost));
	EQ(from[4][8], to[4][8]);
	/* A run that goes on in the next row. */
	WORKS(cudaMemcpyFromArray(flat, a, 20, 1, 100, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 25; i++)
		EQ(15 + i, flat[i]);
	WORKS(cudaMemcpyToArray(a, 36, 0, flat, 80, cudaMemcpyHostToDevice));
	WORKS(cudaMemcpy2DFromArray(to, 40, a, 0, 0, 40, 6,
				    cudaMemcpyDeviceToHost));
	EQ(8, to[0][8]);
	EQ(15, to[0][9]);
	EQ(16, to[1][0]);
	EQ(34, to[2][8]);
	EQ(29, to[2][9]);
	WORKS(cudaFreeArray(a));
	WORKS(cudaFreeArray(b));
	GIVES(cudaErrorInvalidResourceHandle, cudaFreeArray(b));
}

TEST(memory, the_host_and_the_device_share_mapped_and_managed_memory)
{
	static int own[1024] __attribute__((aligned(4096)));
	struct cudaPointerAttributes a;
	int *pinned, *shared, *seen;

	WORKS(cudaHostAlloc((void **)&pinned, 256, cudaHostAllocMapped));
	WORKS(cudaMallocManaged((void **)&shared, 256, cudaMemAttachGlobal));
	WORKS(cudaHostRegister(own, sizeof(own), 0));
	memset(pinned, 0, 256);
	memset(shared, 0, 256);
	WORKS(cudaHostGetDevicePointer((void **)&seen, pinned, 0));
	WORKS(add(seen, 64, 1, 0));
	WORKS(add(shared, 64, 2, 0));
	WORKS(add(own, 64, 3, 0));
	WORKS(cudaDeviceSynchronize());
	EQ(1, pinned[63]);
	EQ(2, shared[63]);
	EQ(3, own[63]);
	WORKS(cudaPointerGetAttributes(&a, pinned + 1));
	EQ(cudaMemoryTypeHost, a.type);
	WORKS(cudaPointerGetAttributes(&a, shared + 1));
	EQ(cudaMemoryTypeManaged, a.type);
	EQ(shared + 1, a.hostPointer);
	EQ(shared + 1, a.devicePointer);
	WORKS(cudaMemcpy(pinned, shared, 256, cudaMemcpyDefault));
	EQ(2, pinned[0]);
	WORKS(cudaFreeHost(pinned));
	WORKS(cudaFree(shared));
	WORKS(cudaHostUnregister(own));
}

TEST(memory, bad_pointers_are_refused)
{
	int *p = device_zeros(4096);
	char host[64];

	GIVES(cudaErrorInvalidValue,
	      cudaMemcpy(p, (void *)0x10000, 64, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue,
	      cudaMemcpy((char *)p + 4064, host, 64, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemset2D(p, 1024, 0, 64, 1000000000));
	GIVES(cudaErrorInvalidValue, cudaFree((char *)p + 8));
	WORKS(cudaFree(p));
	GIVES(cudaErrorInvalidValue, cudaFree(p));
	GIVES(cudaErrorInvalidValue, cudaMemset(p, 0, 4));
}

TEST(memory, pools_count_what_is_taken)
{
	cudaMemPool_t pool;
	uint64_t used, high, zero = 0;
	void *p, *q;

	WORKS(cudaDeviceGetDefaultMemPool(&pool, 0));
	WORKS(cudaMallocAsync(&p, 1000, 0));
	WORKS(cudaMallocFromPoolAsync(&q, 24, pool, 0));
	WORKS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent,
				      &used));
	EQ(1024, used);
	WORKS(cudaFreeAsync(p, 0));
	WORKS(cudaFree(q));
	WORKS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
	EQ(1024, high);
	WORKS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
	WORKS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
	EQ(0, high);
}

TEST(streams, handles_are_looked_up)
{
	cudaStream_t s;
	cudaEvent_t e;
	int priority;
	unsigned long long id, other;

	WORKS(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -2));
	WORKS(cudaStreamGetPriority(s, &priority));
	EQ(-2, priority);
	WORKS(cudaStreamGetId(s, &id));
	WORKS(cudaStreamGetId(0, &other));
	OK(id != other);
	WORKS(cudaStreamDestroy(s));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
	WORKS(cudaEventCreate(&e));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(e, s));
	WORKS(cudaEventDestroy(e));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
	GIVES(cudaErrorInvalidResourceHandle,
	      cudaStreamSynchronize((cudaStream_t)&id));
	WORKS(cudaStreamSynchronize(cudaStreamLegacy));
	WORKS(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST(streams, events_have_simulated_time)
{
	int *p = device_zeros(1 << 20);
	static char host[1 << 20];
	cudaEvent_t a, b;
	float ms, more;

	WORKS(cudaEventCreate(&a));
	WORKS(cudaEventCreate(&b));
	WORKS(cudaEventRecord(a, 0));
	WORKS(cudaMemcpyAsync(p, host, 1 << 20, cudaMemcpyHostToDevice, 0));
	WORKS(cudaEventRecord(b, 0));
	WORKS(cudaEventSynchronize(b));
	WORKS(cudaEventElapsedTime(&ms, a, b));
	/* host.latency and host.bandwidth of the H200. */
	OK(ms > 0.0213f && ms < 0.0215f);
	WORKS(add(p, 100, 1, 0));
	WORKS(cudaEventRecord(b, 0));
	WORKS(cudaEventElapsedTime(&more, a, b));
	OK(more > ms);
	WORKS(cudaEventDestroy(a));
	WORKS(cudaEventDestroy(b));
	WORKS(cudaFree(p));
}

static void count(void *p)
{
	++*(int *)p;
}

static void ask(void *p)
{
	*(cudaError_t *)p = cudaDeviceSynchronize();
}

static void callback(cudaStream_t s, cudaError_t e, void *p)
{
	(void)s;
	*(int *)p += e == cudaSuccess ? 10 : 1000;
}

TEST(streams, the_host_is_called_in_order_and_without_the_api)
{
	cudaError_t inside = cudaSuccess;
	int calls = 0;

	cudaGetLastError();
	WORKS(cudaLaunchHostFunc(0, count, &calls));
	WORKS(cudaStreamAddCallback(0, callback, &calls, 0));
	WORKS(cudaLaunchHostFunc(0, ask, &inside));
	WORKS(cudaDeviceSynchronize());
	EQ(11, calls);
	GIVES(cudaErrorNotPermitted, inside);
	WORKS(cudaGetLastError());
}

TEST(devices, properties_come_from_the_configuration)
{
	struct cudaDeviceProp p;
	char bus[32];
	int n, v;

	WORKS(cudaGetDeviceCount(&n));
	EQ(1, n);
	WORKS(cudaGetDeviceProperties(&p, 0));
	STREQ("NVIDIA H200", p.name);
	EQ(132, p.multiProcessorCount);
	EQ(9, p.major);
	EQ(0, p.minor);
	EQ(232448, p.sharedMemPerBlockOptin);
	EQ(65535, p.maxGridSize[2]);
	EQ(60 << 20, p.l2CacheSize);
	for (int i = 1; i <= 147; i++)
		WORKS(cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)i, 0));
	GIVES(cudaErrorInvalidValue,
	      cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)148, 0));
	WORKS(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
	WORKS(cudaDeviceGetByPCIBusId(&n, bus));
	EQ(0, n);
	GIVES(cudaErrorInvalidDevice, cudaSetDevice(1));
	WORKS(cudaRuntimeGetVersion(&v));
	EQ(13000, v);
}

TEST(devices, every_error_has_a_name_and_a_text)
{
	STREQ("cudaErrorInvalidValue", cudaGetErrorName(cudaErrorInvalidValue));
	STREQ("no error", cudaGetErrorString(cudaSuccess));
	for (int e = 0; e < 1000; e++)
		EQ(!strcmp("unrecognized error code",
			   cudaGetErrorName((cudaError_t)e)),
		   !strcmp("unrecognized error code",
			   cudaGetErrorString((cudaError_t)e)));
	STREQ("invalid resource configuration",
	      cudaGetErrorString(cudaErrorInvalidResourceConfiguration));
	STREQ("unrecognized error code",
	      cudaGetErrorString((cudaError_t)123456));
}

TEST(devices, a_reset_frees_everything)
{
	size_t before, after, all;
	cudaStream_t s;
	int *p, v = 0;

	WORKS(cudaFree(0));
	WORKS(cudaMemGetInfo(&before, &all));
	WORKS(cudaMalloc((void **)&p, 1 << 20));
	WORKS(cudaStreamCreate(&s));
	WORKS(cudaDeviceReset());
	WORKS(cudaMemGetInfo(&after, &all));
	OK(after >= before);
	GIVES(cudaErrorInvalidValue, cudaFree(p));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
	p = device_zeros(256);
	WORKS(add(p, 64, 4, 0));
	WORKS(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
	EQ(4, v);
}

TEST(devices, what_is_not_there_says_so)
{
	cudaIpcMemHandle_t h;

	GIVES(cudaErrorNotSupported, cudaIpcGetMemHandle(&h, &h));
	GIVES(cudaErrorNotSupported, cudaGetLastError());
}

TEST(textures, linear_memory_and_arrays_are_sampled)
{
	struct cudaChannelFormatDesc f =
		cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	struct cudaResourceDesc r = { .resType = cudaResourceTypeLinear }, back;
	struct cudaTextureDesc d = { .addressMode = { cudaAddressModeClamp } };
	float host[64], *p, *out;
	cudaTextureObject_t t;
	cudaArray_t a;
	int n = 64;

	for (int i = 0; i < 64; i++)
		host[i] = (float)i / 4;
	WORKS(cudaMalloc((void **)&p, 256));
	WORKS(cudaMalloc((void **)&out, 256));
	WORKS(cudaMemcpy(p, host, 256, cudaMemcpyHostToDevice));
	r.res.linear.devPtr = p;
	r.res.linear.desc = f;
	r.res.linear.sizeInBytes = 256;
	WORKS(cudaCreateTextureObject(&t, &r, &d, NULL));
	WORKS(cudaGetTextureObjectResourceDesc(&back, t));
	EQ(cudaResourceTypeLinear, back.resType);
	EQ(p, back.res.linear.devPtr);
	WORKS(launch(kernel_texture, DIM(1, 1, 1), DIM(64, 1, 1), 0, 0,
		     ARGS(&t, &out, &n)));
	WORKS(cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost));
	EQ(63.0f / 4, host[63]);
	WORKS(cudaDestroyTextureObject(t));
	GIVES(cudaErrorInvalidValue, cudaDestroyTextureObject(t));
	WORKS(cudaMallocArray(&a, &f, 64, 0, 0));
	host[5] = 99;
	WORKS(cudaMemcpy2DToArray(a, 0, 0, host, 256, 256, 1,
				  cudaMemcpyHostToDevice));
	r = (struct cudaResourceDesc){ .resType = cudaResourceTypeArray };
	r.res.array.array = a;
	WORKS(cudaCreateTextureObject(&t, &r, &d, NULL));
	WORKS(launch(kernel_texture, DIM(1, 1, 1), DIM(64, 1, 1), 0, 0,
		     ARGS(&t, &out, &n)));
	WORKS(cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost));
	EQ(99.0f, host[5]);
	WORKS(cudaDestroyTextureObject(t));
	WORKS(cudaFreeArray(a));
	WORKS(cudaFree(p));
	WORKS(cudaFree(out));
}

TEST(textures, surfaces_are_read_and_written)
{
	struct cudaChannelFormatDesc f =
		cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
	struct cudaResourceDesc r = { .resType = cudaResourceTypeArray };
	int host[32], *out;
	cudaSurfaceObject_t s;
	cudaArray_t a;

	for (int i = 0; i < 32; i++)
		host[i] = 100 + i;
	WORKS(cudaMalloc((void **)&out, 128));
	WORKS(cudaMallocArray(&a, &f, 32, 0, cudaArraySurfaceLoadStore));
	WORKS(cudaMemcpy2DToArray(a, 0, 0, host, 128, 128, 1,
				  cudaMemcpyHostToDevice));
	r.res.array.array = a;
	WORKS(cudaCreateSurfaceObject(&s, &r));
	WORKS(launch(kernel_surface, DIM(1, 1, 1), DIM(32, 1, 1), 0, 0,
		     ARGS(&s, &out)));
	WORKS(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost));
	EQ(131, host[31]);
	WORKS(cudaMemcpy2DFromArray(host, 128, a, 0, 0, 128, 1,
				    cudaMemcpyDeviceToHost));
	EQ(31, host[31]);
	WORKS(cudaDestroySurfaceObject(s));
	WORKS(cudaFreeArray(a));
	WORKS(cudaFree(out));
}

/* The device is lost after this: a group of its own. */
TEST(fault, a_bad_store_stops_the_device_for_ever)
{
	int *p = device_zeros(64), *nowhere = (int *)64, v = 1;

	WORKS(launch(kernel_store, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0,
		     ARGS(&nowhere, &v)));
	GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	GIVES(cudaErrorIllegalAddress, cudaPeekAtLastError());
	GIVES(cudaErrorIllegalAddress, cudaGetLastError());
	WORKS(cudaGetLastError());
	GIVES(cudaErrorIllegalAddress,
	      cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorIllegalAddress, add(p, 1, 1, 0));
	WORKS(cudaDeviceReset());
	GIVES(cudaErrorDevicesUnavailable, cudaMalloc((void **)&p, 4));
}
