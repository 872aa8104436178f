/*
 * What the CUDA runtime answers to misuse: one line for each question, the
 * error's name. misuse.txt holds what an H200 answered (driver 580, CUDA 13.0);
 * the simulated one must answer the same.
 *
 *	misuse          everything that leaves the device usable
 *	misuse FAULT    one fault that does not: address, align, trap, assert,
 *	                shared, stack
 */
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void say(const char *what, cudaError_t e)
{
	printf("%-32s %s\n", what, cudaGetErrorName(e));
}

/* Expression, then the last error, which is cleared. */
#define ASK(what, expr)                                              \
	do {                                                         \
		cudaError_t e_ = (expr);                             \
		say(what, e_);                                       \
		cudaError_t l_ = cudaGetLastError();                 \
		if (l_ != e_)                                        \
			say("  last", l_);                           \
	} while (0)

__global__ void nothing()
{
}

__global__ void one(int *p)
{
	*p = 1;
}

__global__ void __launch_bounds__(64) small(int *p)
{
	*p = threadIdx.x;
}

/* Many registers. */
__global__ void __launch_bounds__(1024) wide(float *p)
{
	*p = threadIdx.x;
}

__global__ void fixed_shared(int *p)
{
	__shared__ int x[12000];

	x[threadIdx.x] = 1;
	__syncthreads();
	*p = x[0];
}

__device__ int variable;
__constant__ int constant[16];

#define LAUNCH(what, ...)                                        \
	do {                                                     \
		__VA_ARGS__;                                     \
		say(what, cudaGetLastError());                   \
		cudaError_t s_ = cudaDeviceSynchronize();        \
		if (s_ != cudaSuccess)                           \
			say("  sync", s_);                       \
	} while (0)

static void *const garbage = (void *)0x12345678;

static void launches()
{
	int *p = NULL;
	void *args[1] = { &p };
	int host;

	cudaMalloc(&p, 4096);
	LAUNCH("launch", one<<<1, 1>>>(p));
	LAUNCH("grid 0", one<<<0, 1>>>(p));
	LAUNCH("block 0", one<<<1, 0>>>(p));
	LAUNCH("block 1025", one<<<1, 1025>>>(p));
	LAUNCH("block z 65", one<<<1, dim3(1, 1, 65)>>>(p));
	LAUNCH("grid y 65536", one<<<dim3(1, 65536, 1), 1>>>(p));
	LAUNCH("bounds exceeded", small<<<1, 128>>>(p));
	LAUNCH("48K shared", one<<<1, 1, 48 << 10>>>(p));
	LAUNCH("more than 48K shared", one<<<1, 1, (48 << 10) + 1>>>(p));
	LAUNCH("static and dynamic over", fixed_shared<<<1, 1, 8192>>>(p));
	LAUNCH("1M shared", one<<<1, 1, 1 << 20>>>(p));
	ASK("opt in 100K", cudaFuncSetAttribute(
		one, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
	LAUNCH("100K shared", one<<<1, 1, 100 << 10>>>(p));
	LAUNCH("101K shared", one<<<1, 1, 101 << 10>>>(p));
	ASK("opt in 1M", cudaFuncSetAttribute(
		one, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
	ASK("opt in -1", cudaFuncSetAttribute(
		one, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
	ASK("attribute 99", cudaFuncSetAttribute(
		one, (cudaFuncAttribute)99, 1));
	ASK("carveout 50", cudaFuncSetAttribute(
		one, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
	ASK("carveout 101", cudaFuncSetAttribute(
		one, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
	ASK("not a kernel", cudaLaunchKernel((void *)&host, 1, 1, args, 0, 0));
	ASK("null kernel", cudaLaunchKernel((void *)NULL, 1, 1, args, 0, 0));
	ASK("attributes of no kernel", cudaFuncSetAttribute(
		(void *)&host, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
	cudaFuncAttributes fa;
	ASK("get attributes of no kernel",
	    cudaFuncGetAttributes(&fa, (void *)&host));
	ASK("get attributes of null",
	    cudaFuncGetAttributes(&fa, (void *)NULL));
	ASK("cooperative", cudaLaunchCooperativeKernel(
		(void *)one, 1, 1, args, 0, 0));
	ASK("cooperative too large", cudaLaunchCooperativeKernel(
		(void *)one, 1 << 20, 1024, args, 0, 0));
	cudaDeviceSynchronize();
	ASK("by function, block 1025",
	    cudaLaunchKernel((void *)one, 1, 1025, args, 0, 0));
	ASK("by function, grid 0",
	    cudaLaunchKernel((void *)one, 0, 1, args, 0, 0));
	ASK("by function, bounds",
	    cudaLaunchKernel((void *)small, 1, 128, args, 0, 0));
	ASK("by function, 1M shared",
	    cudaLaunchKernel((void *)one, 1, 1, args, 1 << 20, 0));
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(1);
	config.blockDim = dim3(1025);
	ASK("by configuration, block 1025",
	    cudaLaunchKernelExC(&config, (void *)one, args));
	config.blockDim = dim3(32);
	ASK("by configuration", cudaLaunchKernelExC(&config, (void *)one, args));
	ASK("cooperative, block 1025", cudaLaunchCooperativeKernel(
		(void *)one, 1, 1025, args, 0, 0));
	cudaDeviceSynchronize();
	int n;
	ASK("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&n, one, 128, 0));
	printf("blocks %d\n", n);
	ASK("occupancy block 0", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&n, one, 0, 0));
	ASK("occupancy block 1025",
	    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, one, 1025, 0));
	printf("blocks %d\n", n);
	ASK("occupancy shared 1M",
	    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, one, 32,
							  1 << 20));
	printf("blocks %d\n", n);
	ASK("occupancy of no kernel",
	    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (void *)&host,
							  32, 0));
	cudaFree(p);
}

static void memory()
{
	char *p = NULL, *h = NULL, *m = NULL;
	static char buffer[8192], other[8192];
	size_t pitch, size;
	void *q;
	unsigned flags;

	ASK("malloc null", cudaMalloc((void **)NULL, 4));
	q = garbage;
	ASK("malloc 0", cudaMalloc(&q, 0));
	printf("pointer %s\n", q ? "set" : "null");
	ASK("malloc huge", cudaMalloc(&q, (size_t)1 << 50));
	ASK("malloc", cudaMalloc(&p, 4096));
	ASK("free null", cudaFree(NULL));
	ASK("free garbage", cudaFree(garbage));
	ASK("free host", cudaFree(buffer));
	ASK("free inside", cudaFree(p + 256));
	ASK("copy in", cudaMemcpy(p, buffer, 4096, cudaMemcpyHostToDevice));
	ASK("copy too much",
	    cudaMemcpy(p, buffer, 1ull << 40, cudaMemcpyHostToDevice));
	ASK("copy 0", cudaMemcpy(p, buffer, 0, cudaMemcpyHostToDevice));
	ASK("copy 0 to null", cudaMemcpy(NULL, buffer, 0,
					 cudaMemcpyHostToDevice));
	ASK("copy to null", cudaMemcpy(NULL, buffer, 4,
				       cudaMemcpyHostToDevice));
	ASK("copy from null", cudaMemcpy(p, NULL, 4, cudaMemcpyHostToDevice));
	ASK("copy to garbage",
	    cudaMemcpy(garbage, buffer, 4, cudaMemcpyHostToDevice));
	ASK("copy kind 9", cudaMemcpy(p, buffer, 4, (cudaMemcpyKind)9));
	ASK("copy host as device",
	    cudaMemcpy(buffer, other, 4, cudaMemcpyHostToDevice));
	ASK("copy device as host",
	    cudaMemcpy(p, p + 64, 4, cudaMemcpyHostToDevice));
	ASK("copy d2h of host",
	    cudaMemcpy(buffer, other, 4, cudaMemcpyDeviceToHost));
	ASK("copy d2d of host",
	    cudaMemcpy(p, buffer, 4, cudaMemcpyDeviceToDevice));
	ASK("copy h2h", cudaMemcpy(buffer, other, 4, cudaMemcpyHostToHost));
	ASK("copy default", cudaMemcpy(p, buffer, 4, cudaMemcpyDefault));
	ASK("copy 2d", cudaMemcpy2D(p, 64, buffer, 64, 32, 4,
				    cudaMemcpyHostToDevice));
	ASK("copy 2d pitch", cudaMemcpy2D(p, 16, buffer, 64, 32, 4,
					  cudaMemcpyHostToDevice));
	ASK("copy 2d height 0", cudaMemcpy2D(p, 64, buffer, 64, 32, 0,
					     cudaMemcpyHostToDevice));
	ASK("memset null", cudaMemset(NULL, 0, 4));
	ASK("memset host", cudaMemset(buffer, 0, 4));
	ASK("memset garbage", cudaMemset(garbage, 0, 4));
	ASK("memset 0", cudaMemset(p, 0, 0));
	ASK("memset", cudaMemset(p, 0, 4096));
	ASK("memset 2d pitch", cudaMemset2D(p, 16, 0, 32, 4));
	ASK("free", cudaFree(p));
	ASK("free again", cudaFree(p));
	ASK("copy to freed", cudaMemcpy(p, buffer, 4, cudaMemcpyHostToDevice));
	ASK("host alloc", cudaHostAlloc(&h, 4096, cudaHostAllocMapped));
	ASK("host alloc flags 99", cudaHostAlloc(&q, 4096, 99));
	q = garbage;
	ASK("host alloc 0", cudaHostAlloc(&q, 0, 0));
	printf("pointer %s\n", q ? "set" : "null");
	ASK("host flags", cudaHostGetFlags(&flags, h));
	ASK("host flags of heap", cudaHostGetFlags(&flags, buffer));
	ASK("device pointer", cudaHostGetDevicePointer(&q, h, 0));
	ASK("device pointer of heap",
	    cudaHostGetDevicePointer(&q, buffer, 0));
	ASK("device pointer flags", cudaHostGetDevicePointer(&q, h, 1));
	ASK("free host as device", cudaFree(h));
	ASK("free host null", cudaFreeHost(NULL));
	ASK("free host of heap", cudaFreeHost(buffer));
	ASK("free host", cudaFreeHost(h));
	ASK("free host again", cudaFreeHost(h));
	ASK("register", cudaHostRegister(buffer, 4096, 0));
	ASK("register again", cudaHostRegister(buffer, 4096, 0));
	ASK("register null", cudaHostRegister(NULL, 4096, 0));
	ASK("register 0", cudaHostRegister(other, 0, 0));
	ASK("unregister", cudaHostUnregister(buffer));
	ASK("unregister again", cudaHostUnregister(buffer));
	ASK("unregister null", cudaHostUnregister(NULL));
	ASK("managed", cudaMallocManaged(&m, 4096));
	ASK("managed 0", cudaMallocManaged(&q, 0));
	ASK("managed flags 9", cudaMallocManaged(&q, 4096, 9));
	ASK("free managed", cudaFree(m));
	ASK("pitch", cudaMallocPitch(&q, &pitch, 100, 10));
	printf("pitch %zu\n", pitch);
	ASK("free pitch", cudaFree(q));
	ASK("pitch 0", cudaMallocPitch(&q, &pitch, 0, 10));
	ASK("symbol", cudaGetSymbolAddress(&q, variable));
	ASK("symbol size", cudaGetSymbolSize(&size, constant));
	ASK("no symbol", cudaGetSymbolAddress(&q, (const void *)buffer));
	ASK("to symbol", cudaMemcpyToSymbol(constant, buffer, 64));
	ASK("to symbol too much", cudaMemcpyToSymbol(constant, buffer, 68));
	ASK("to symbol offset", cudaMemcpyToSymbol(constant, buffer, 4, 64));
	ASK("to symbol direction",
	    cudaMemcpyToSymbol(constant, buffer, 4, 0,
			       cudaMemcpyDeviceToHost));
	ASK("free symbol", cudaFree(q));
	cudaPointerAttributes a;
	memset(&a, 0x55, sizeof(a));
	ASK("attributes of heap", cudaPointerGetAttributes(&a, buffer));
	printf("type %d device %d %d %d\n", a.type, a.device,
	       a.devicePointer != NULL, a.hostPointer != NULL);
	ASK("attributes of null", cudaPointerGetAttributes(&a, NULL));
	printf("type %d device %d\n", a.type, a.device);
	cudaMalloc(&p, 64);
	ASK("attributes", cudaPointerGetAttributes(&a, p + 5));
	printf("type %d device %d %d %d\n", a.type, a.device,
	       a.devicePointer == p + 5, a.hostPointer != NULL);
	cudaFree(p);
	ASK("attributes of freed", cudaPointerGetAttributes(&a, p));
	printf("type %d\n", a.type);
	size_t have, all;
	ASK("mem info", cudaMemGetInfo(&have, &all));
	ASK("malloc async", cudaMallocAsync(&q, 4096, 0));
	ASK("free async", cudaFreeAsync(q, 0));
	ASK("free async again", cudaFreeAsync(q, 0));
	ASK("free async null", cudaFreeAsync(NULL, 0));
	ASK("prefetch device",
	    (cudaMalloc(&p, 64),
	     cudaMemPrefetchAsync(p, 64,
				  { cudaMemLocationTypeDevice, 0 }, 0, 0)));
	ASK("advise device",
	    cudaMemAdvise(p, 64, cudaMemAdviseSetReadMostly,
			  { cudaMemLocationTypeDevice, 0 }));
	cudaFree(p);
}

static void arrays()
{
	cudaArray_t a = NULL, b = NULL;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), bad = f;
	cudaResourceDesc r = {};
	cudaTextureDesc t = {};
	cudaTextureObject_t o;
	cudaSurfaceObject_t s;
	char *p;
	static char host[4096];

	bad.x = 5;
	ASK("array", cudaMallocArray(&a, &f, 16, 16));
	ASK("array bad channel", cudaMallocArray(&b, &bad, 16, 16));
	ASK("array width 0", cudaMallocArray(&b, &f, 0, 16));
	ASK("array huge", cudaMallocArray(&b, &f, 1 << 20, 1 << 20));
	ASK("to array", cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 16,
					    cudaMemcpyHostToDevice));
	ASK("to array too wide",
	    cudaMemcpy2DToArray(a, 4, 0, host, 64, 64, 16,
				cudaMemcpyHostToDevice));
	ASK("to array too high",
	    cudaMemcpy2DToArray(a, 0, 1, host, 64, 64, 16,
				cudaMemcpyHostToDevice));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	ASK("texture", cudaCreateTextureObject(&o, &r, &t, NULL));
	ASK("destroy texture", cudaDestroyTextureObject(o));
	ASK("texture no descriptor",
	    cudaCreateTextureObject(&o, &r, NULL, NULL));
	ASK("surface of plain array", cudaCreateSurfaceObject(&s, &r));
	r.res.array.array = NULL;
	ASK("texture of null", cudaCreateTextureObject(&o, &r, &t, NULL));
	cudaMalloc(&p, 4096);
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = p;
	r.res.linear.desc = f;
	r.res.linear.sizeInBytes = 4096;
	ASK("texture linear", cudaCreateTextureObject(&o, &r, &t, NULL));
	ASK("destroy texture", cudaDestroyTextureObject(o));
	r.res.linear.devPtr = p + 4;
	ASK("texture misaligned", cudaCreateTextureObject(&o, &r, &t, NULL));
	r.res.linear.devPtr = host;
	ASK("texture of host", cudaCreateTextureObject(&o, &r, &t, NULL));
	r.res.linear.devPtr = p;
	ASK("surface of linear", cudaCreateSurfaceObject(&s, &r));
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.desc = f;
	r.res.pitch2D.width = 16;
	r.res.pitch2D.height = 16;
	r.res.pitch2D.pitchInBytes = 64;
	ASK("texture pitch", cudaCreateTextureObject(&o, &r, &t, NULL));
	r.res.pitch2D.pitchInBytes = 68;
	ASK("texture bad pitch", cudaCreateTextureObject(&o, &r, &t, NULL));
	ASK("free array", cudaFreeArray(a));
	ASK("free array null", cudaFreeArray(NULL));
	cudaFree(p);
}

static void streams()
{
	cudaStream_t s;
	cudaEvent_t e, f, n;
	float ms;
	int least, greatest, priority;
	unsigned flags;

	ASK("stream", cudaStreamCreate(&s));
	ASK("stream null", cudaStreamCreate(NULL));
	ASK("stream flags 9", cudaStreamCreateWithFlags(&s, 9));
	ASK("priority range",
	    cudaDeviceGetStreamPriorityRange(&least, &greatest));
	printf("range %d %d\n", least, greatest);
	cudaStream_t pri;
	ASK("priority -99", cudaStreamCreateWithPriority(&pri, 0, -99));
	cudaStreamGetPriority(pri, &priority);
	printf("priority %d\n", priority);
	ASK("priority 99", cudaStreamCreateWithPriority(&pri, 0, 99));
	cudaStreamGetPriority(pri, &priority);
	printf("priority %d\n", priority);
	ASK("flags of default", cudaStreamGetFlags(0, &flags));
	printf("flags %u\n", flags);
	ASK("query", cudaStreamQuery(0));
	ASK("event", cudaEventCreate(&e));
	ASK("event null", cudaEventCreate(NULL));
	ASK("event flags 99", cudaEventCreateWithFlags(&f, 99));
	cudaEventCreate(&f);
	cudaEventCreateWithFlags(&n, cudaEventDisableTiming);
	ASK("query unrecorded", cudaEventQuery(e));
	ASK("synchronize unrecorded", cudaEventSynchronize(e));
	ASK("wait unrecorded", cudaStreamWaitEvent(s, e, 0));
	ASK("elapsed unrecorded", cudaEventElapsedTime(&ms, e, f));
	ASK("record", cudaEventRecord(e, s));
	ASK("record null", cudaEventRecord(NULL, s));
	ASK("elapsed half", cudaEventElapsedTime(&ms, e, f));
	ASK("record", cudaEventRecord(f, s));
	ASK("synchronize", cudaEventSynchronize(f));
	ASK("elapsed", cudaEventElapsedTime(&ms, e, f));
	ASK("record untimed", cudaEventRecord(n, s));
	cudaDeviceSynchronize();
	ASK("elapsed untimed", cudaEventElapsedTime(&ms, e, n));
	ASK("elapsed null", cudaEventElapsedTime(&ms, e, NULL));
	ASK("wait null", cudaStreamWaitEvent(s, NULL, 0));
	ASK("wait flags 9", cudaStreamWaitEvent(s, f, 9));
	ASK("destroy null event", cudaEventDestroy(NULL));
	ASK("destroy default stream", cudaStreamDestroy(0));
	ASK("destroy legacy stream", cudaStreamDestroy(cudaStreamLegacy));
	ASK("callback null", cudaStreamAddCallback(s, NULL, NULL, 0));
	ASK("host function null", cudaLaunchHostFunc(s, NULL, NULL));
	ASK("destroy event", cudaEventDestroy(e));
	ASK("destroy stream", cudaStreamDestroy(s));
}

static void CUDART_CB calls_api(void *p)
{
	*(cudaError_t *)p = cudaDeviceSynchronize();
}

static void host_functions()
{
	cudaError_t inside = cudaErrorUnknown;
	cudaStream_t s;
	float *p;

	cudaStreamCreate(&s);
	ASK("host function", cudaLaunchHostFunc(s, calls_api, &inside));
	cudaStreamSynchronize(s);
	say("api in host function", inside);
	ASK("synchronize after", cudaStreamSynchronize(s));
	cudaStreamDestroy(s);
	cudaMalloc(&p, 4096);
	ASK("copy from symbol address", cudaMemcpy(p, &variable, 4,
						   cudaMemcpyDefault));
	ASK("memset 2d", cudaMemset2D(p, 64, 1, 32, 8));
	ASK("memset 2d beyond", cudaMemset2D(p, 64, 1, 32, 1000));
	ASK("copy 2d beyond", cudaMemcpy2D(p, 64, p, 64, 32, 1000,
					   cudaMemcpyDeviceToDevice));
	ASK("copy across the end",
	    cudaMemcpy(p + 1000, p, 256, cudaMemcpyDeviceToDevice));
	ASK("pool", cudaDeviceGetDefaultMemPool(NULL, 0));
	ASK("pool of 99", cudaDeviceGetDefaultMemPool((cudaMemPool_t *)&s, 99));
	ASK("from null pool", cudaMallocFromPoolAsync((void **)&p, 4, NULL, 0));
	cudaFuncAttributes fa;
	ASK("function attributes", cudaFuncGetAttributes(&fa, small));
	printf("threads %d dynamic %d binary %d\n", fa.maxThreadsPerBlock,
	       fa.maxDynamicSharedSizeBytes, fa.binaryVersion);
	ASK("function attributes", cudaFuncGetAttributes(&fa, fixed_shared));
	printf("shared %zu dynamic %d\n", fa.sharedSizeBytes,
	       fa.maxDynamicSharedSizeBytes);
}

static void devices()
{
	cudaDeviceProp prop;
	int n, v;
	size_t limit;

	ASK("count", cudaGetDeviceCount(&n));
	ASK("count null", cudaGetDeviceCount(NULL));
	ASK("set device 99", cudaSetDevice(99));
	ASK("set device -1", cudaSetDevice(-1));
	ASK("properties 99", cudaGetDeviceProperties(&prop, 99));
	ASK("properties null", cudaGetDeviceProperties(NULL, 0));
	ASK("attribute", cudaDeviceGetAttribute(
		&v, cudaDevAttrMultiProcessorCount, 0));
	ASK("attribute 9999",
	    cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
	ASK("attribute device 99", cudaDeviceGetAttribute(
		&v, cudaDevAttrMultiProcessorCount, 99));
	ASK("limit stack", cudaDeviceGetLimit(&limit, cudaLimitStackSize));
	printf("stack %zu\n", limit);
	ASK("limit heap", cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
	printf("heap %zu\n", limit);
	ASK("limit fifo", cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
	printf("fifo %zu\n", limit);
	ASK("limit 99", cudaDeviceGetLimit(&limit, (cudaLimit)99));
	ASK("set limit 99", cudaDeviceSetLimit((cudaLimit)99, 1));
	ASK("set limit stack", cudaDeviceSetLimit(cudaLimitStackSize, 4096));
	ASK("peer self", cudaDeviceCanAccessPeer(&v, 0, 0));
	printf("peer %d\n", v);
	ASK("peer 99", cudaDeviceCanAccessPeer(&v, 0, 99));
	ASK("enable peer self", cudaDeviceEnablePeerAccess(0, 0));
	ASK("disable peer self", cudaDeviceDisablePeerAccess(0));
	ASK("flags", cudaSetDeviceFlags(cudaDeviceScheduleSpin));
	ASK("flags 0xffff", cudaSetDeviceFlags(0xffff));
	unsigned flags;
	ASK("get flags", cudaGetDeviceFlags(&flags));
	printf("flags %u\n", flags);
	ASK("reset", cudaDeviceReset());
}

static void graphs()
{
	cudaGraph_t g, h;
	cudaGraphExec_t x;
	cudaGraphNode_t a, b, c;
	cudaStream_t s, u;
	cudaEvent_t e;
	int *p;
	static int host;
	cudaStreamCaptureStatus st;

	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking);
	cudaEventCreate(&e);
	cudaMalloc(&p, 64);
	ASK("end without begin", cudaStreamEndCapture(s, &g));
	ASK("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	ASK("begin again",
	    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	ASK("begin legacy",
	    cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
	ASK("capturing", cudaStreamIsCapturing(s, &st));
	printf("status %d\n", st);
	one<<<1, 1, 0, s>>>(p);
	ASK("launch", cudaGetLastError());
	ASK("event in capture", cudaEventRecord(e, s));
	ASK("wait in capture", cudaStreamWaitEvent(u, e, 0));
	nothing<<<1, 1, 0, u>>>();
	ASK("launch fork", cudaGetLastError());
	ASK("end unjoined", cudaStreamEndCapture(s, &g));
	ASK("capturing after", cudaStreamIsCapturing(s, &st));
	printf("status %d\n", st);
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	ASK("sync in capture", cudaStreamSynchronize(s));
	ASK("launch after", (one<<<1, 1, 0, s>>>(p), cudaGetLastError()));
	ASK("end invalidated", cudaStreamEndCapture(s, &g));
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	void *q;
	ASK("malloc in capture", cudaMalloc(&q, 64));
	ASK("end invalidated", cudaStreamEndCapture(s, &g));
	cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
	ASK("malloc in relaxed capture", cudaMalloc(&q, 64));
	ASK("query in capture", cudaStreamQuery(s));
	ASK("end", cudaStreamEndCapture(s, &g));
	cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
	ASK("copy in capture",
	    cudaMemcpyAsync(p, &host, 4, cudaMemcpyHostToDevice, s));
	ASK("end", cudaStreamEndCapture(s, &g));
	ASK("instantiate", cudaGraphInstantiate(&x, g, 0));
	ASK("launch graph", cudaGraphLaunch(x, s));
	ASK("synchronize", cudaStreamSynchronize(s));
	ASK("destroy exec", cudaGraphExecDestroy(x));
	ASK("destroy graph", cudaGraphDestroy(g));
	ASK("create", cudaGraphCreate(&h, 0));
	ASK("info", (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal),
		     one<<<1, 1, 0, s>>>(p),
		     cudaStreamGetCaptureInfo(s, &st, NULL, NULL, NULL, NULL,
					      NULL)));
	printf("status %d\n", st);
	ASK("legacy launch in capture",
	    (one<<<1, 1>>>(p), cudaGetLastError()));
	ASK("legacy copy in capture",
	    cudaMemcpyAsync(p, &host, 4, cudaMemcpyHostToDevice, 0));
	ASK("bad copy in capture",
	    cudaMemcpyAsync(p, NULL, 4, cudaMemcpyHostToDevice, s));
	ASK("event query in capture", cudaEventQuery(e));
	ASK("end", cudaStreamEndCapture(s, &g));
	cudaStream_t w;
	cudaStreamCreate(&w);
	cudaStreamBeginCapture(w, cudaStreamCaptureModeRelaxed);
	ASK("legacy launch beside blocking",
	    (one<<<1, 1>>>(p), cudaGetLastError()));
	ASK("end", cudaStreamEndCapture(w, &g));
	cudaEventRecord(e, u);
	cudaStreamBeginCapture(w, cudaStreamCaptureModeRelaxed);
	ASK("wait for work outside", cudaStreamWaitEvent(w, e, 0));
	ASK("end", cudaStreamEndCapture(w, &g));
	cudaStreamBeginCapture(w, cudaStreamCaptureModeRelaxed);
	cudaStreamBeginCapture(u, cudaStreamCaptureModeRelaxed);
	cudaEventRecord(e, w);
	ASK("merge", cudaStreamWaitEvent(u, e, 0));
	ASK("synchronize captured event", cudaEventSynchronize(e));
	ASK("end", cudaStreamEndCapture(u, &g));
	ASK("end", cudaStreamEndCapture(w, &g));
	cudaStreamBeginCapture(w, cudaStreamCaptureModeRelaxed);
	ASK("device synchronize in relaxed", cudaDeviceSynchronize());
	cudaEventRecord(e, w);
	cudaStreamWaitEvent(u, e, 0);
	ASK("end in another stream", cudaStreamEndCapture(u, &g));
	ASK("end", cudaStreamEndCapture(w, &g));
	cudaStreamBeginCapture(w, cudaStreamCaptureModeRelaxed);
	cudaEventRecord(e, w);
	cudaStreamWaitEvent(u, e, 0);
	nothing<<<1, 1, 0, u>>>();
	cudaEventRecord(e, u);
	cudaStreamWaitEvent(w, e, 0);
	ASK("end joined", cudaStreamEndCapture(w, &g));
	cudaGraphExecUpdateResultInfo info;
	ASK("instantiate", cudaGraphInstantiate(&x, g, 0));
	ASK("update same", cudaGraphExecUpdate(x, g, &info));
	printf("result %d\n", info.result);
	ASK("update empty", cudaGraphExecUpdate(x, h, &info));
	printf("result %d\n", info.result);
	cudaGraphExecDestroy(x);
	cudaGraphDestroy(g);
	ASK("create flags", cudaGraphCreate(&g, 1));
	ASK("empty", cudaGraphAddEmptyNode(&a, h, NULL, 0));
	ASK("empty", cudaGraphAddEmptyNode(&b, h, &a, 1));
	cudaGraphNode_t twice[2] = { a, a };
	ASK("twice after", cudaGraphAddEmptyNode(&c, h, twice, 2));
	ASK("edge", cudaGraphAddDependencies(h, &a, &b, NULL, 1));
	ASK("circle", cudaGraphAddDependencies(h, &b, &a, NULL, 1));
	ASK("instantiate circle", cudaGraphInstantiate(&x, h, 0));
	ASK("self", cudaGraphAddDependencies(h, &a, &a, NULL, 1));
	cudaGraphNodeType type;
	ASK("type", cudaGraphNodeGetType(a, &type));
	size_t n = 0;
	ASK("nodes", cudaGraphGetNodes(h, NULL, &n));
	printf("nodes %zu\n", n);
	n = 0;
	ASK("roots", cudaGraphGetRootNodes(h, NULL, &n));
	printf("roots %zu\n", n);
	n = 0;
	ASK("edges", cudaGraphGetEdges(h, NULL, NULL, NULL, &n));
	printf("edges %zu\n", n);
	cudaKernelNodeParams kp = {};
	ASK("kernel node null", cudaGraphAddKernelNode(&c, h, NULL, 0, &kp));
	kp.func = (void *)one;
	kp.gridDim = kp.blockDim = dim3(1);
	void *args[1] = { &p };
	kp.kernelParams = args;
	ASK("kernel node", cudaGraphAddKernelNode(&c, h, NULL, 0, &kp));
	kp.gridDim = dim3(0);
	ASK("kernel node grid 0", cudaGraphAddKernelNode(&c, h, NULL, 0, &kp));
	ASK("destroy node", cudaGraphDestroyNode(a));
	ASK("destroy graph", cudaGraphDestroy(h));
	cudaFree(p);
}

__global__ void bad_address(int *p)
{
	*p = 1;
}

__global__ void bad_align(char *p)
{
	*(volatile int *)(p + 1) = 1;
}

__global__ void bad_trap()
{
	asm("trap;");
}

__global__ void bad_assert(int x)
{
	assert(x == 1);
}

__global__ void bad_shared(int i)
{
	extern __shared__ volatile int x[];

	x[i] = 1;
}

static int fault(const char *what)
{
	char *p;
	int *q;

	cudaMalloc(&p, 64);
	if (!strcmp(what, "address"))
		bad_address<<<1, 1>>>((int *)16);
	else if (!strcmp(what, "align"))
		bad_align<<<1, 1>>>(p);
	else if (!strcmp(what, "trap"))
		bad_trap<<<1, 1>>>();
	else if (!strcmp(what, "assert"))
		bad_assert<<<1, 1>>>(2);
	else if (!strcmp(what, "shared"))
		bad_shared<<<1, 1, 64>>>(1 << 20);
	else
		return 2;
	say("launch", cudaGetLastError());
	say("synchronize", cudaDeviceSynchronize());
	say("last", cudaGetLastError());
	say("last again", cudaGetLastError());
	say("malloc", cudaMalloc(&q, 64));
	say("free", cudaFree(p));
	say("count", cudaGetDeviceCount((int *)&q));
	cudaDeviceProp prop;
	say("properties", cudaGetDeviceProperties(&prop, 0));
	nothing<<<1, 1>>>();
	say("launch", cudaGetLastError());
	say("set device", cudaSetDevice(0));
	say("reset", cudaDeviceReset());
	say("malloc after", cudaMalloc(&q, 64));
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		return fault(argv[1]);
	launches();
	memory();
	arrays();
	streams();
	graphs();
	host_functions();
	devices();
	return 0;
}
