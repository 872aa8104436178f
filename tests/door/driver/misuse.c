/*
 * What the driver API answers to mistakes, one line each. misuse.txt is what it
 * said on an H200 with driver 580; ours must say the same.
 *
 *	misuse PART
 *
 * A part is a process of its own: what one leaves behind does not change the
 * next. Mistakes that end the process on the real driver are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/cuda/include/cuda.h"
#include "door/libcuda/types.h"

#define SAY(expr)                             \
	do {                                  \
		CUresult r_ = (expr);         \
		const char *n = "?";          \
                                              \
		cuGetErrorName(r_, &n);       \
		printf("%s: %s\n", #expr, n); \
		fflush(stdout);               \
	} while (0)

CUresult cuModuleGetTexRef(CUtexref *out, CUmodule m, const char *name);
CUresult cuGraphCreate(CUgraph *g, unsigned flags);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g,
				     unsigned long long flags);
CUresult cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream s, CUgraph *g);

static const char text[] = ".version 7.0\n"
			   ".target sm_70\n"
			   ".address_size 64\n"
			   ".global .align 4 .u32 g[4];\n"
			   ".visible .entry k(.param .u64 p, .param .u32 v)\n"
			   "{\n"
			   "	.reg .b32 %r<2>;\n"
			   "	.reg .b64 %rd<2>;\n"
			   "	ld.param.u64 %rd1, [p];\n"
			   "	ld.param.u32 %r1, [v];\n"
			   "	st.global.u32 [%rd1], %r1;\n"
			   "	ret;\n"
			   "}\n";
static const char wrong[] = ".version 7.0\n"
			    ".target sm_70\n"
			    ".address_size 64\n"
			    ".visible .entry k()\n"
			    "{\n"
			    "	frobnicate.u32 %r1, %r2;\n"
			    "	ret;\n"
			    "}\n";

static CUcontext ctx;
static CUmodule m;
static CUfunction f;
static CUdeviceptr p;

static void fresh(void)
{
	CUdevice d;
	CUcontext c;
	int v;

	SAY(cuDeviceGet(&d, 0));
	SAY(cuDeviceGetCount(&v));
	SAY(cuMemAlloc(&p, 4));
	SAY(cuCtxGetCurrent(&c));
	SAY(cuCtxSynchronize());
	SAY(cuDriverGetVersion(&v));
	SAY(cuInit(1));
	SAY(cuInit(0));
	SAY(cuMemAlloc(&p, 4));
	SAY(cuCtxSynchronize());
	SAY(cuCtxPopCurrent(&c));
	SAY(cuCtxGetDevice(&d));
	SAY(cuCtxSetCurrent(NULL));
	SAY(cuCtxPushCurrent(NULL));
	SAY(cuCtxDestroy(NULL));
	SAY(cuDevicePrimaryCtxRelease(0));
	SAY(cuModuleLoadData(&m, text));
}

static void devices(void)
{
	CUdevice d;
	char name[64];
	int v;

	SAY(cuDeviceGet(&d, 99));
	SAY(cuDeviceGet(&d, -1));
	SAY(cuDeviceGet(NULL, 0));
	SAY(cuDeviceGetCount(NULL));
	SAY(cuDeviceGetName(name, 4, 0));
	SAY(cuDeviceGetName(name, 64, 99));
	SAY(cuDeviceGetAttribute(&v, 4000, 0));
	SAY(cuDeviceGetAttribute(&v, 10, 99));
	SAY(cuDeviceGetAttribute(NULL, 10, 0));
	SAY(cuDeviceTotalMem(NULL, 0));
	SAY(cuDeviceGetPCIBusId(name, 3, 0));
	SAY(cuDeviceGetByPCIBusId(&d, "?"));
	SAY(cuDeviceGetByPCIBusId(&d, "0000:fe:00.0"));
	SAY(cuDeviceCanAccessPeer(&v, 0, 0));
	SAY(cuDeviceGetP2PAttribute(&v, 1, 0, 0));
}

static void contexts(void)
{
	CUcontext a, b;
	unsigned u;
	size_t z;
	int v;

	SAY(cuCtxCreate(&a, NULL, 3, 0));
	SAY(cuCtxCreate(&a, NULL, 1 << 20, 0));
	SAY(cuCtxCreate(&a, NULL, 0, 99));
	SAY(cuCtxCreate(NULL, NULL, 0, 0));
	SAY(cuCtxGetApiVersion(ctx, &u));
	printf("%u\n", u);
	for (int i = 0; i < CU_LIMIT_MAX; i++)
		SAY(cuCtxGetLimit(&z, i));
	SAY(cuCtxGetLimit(&z, CU_LIMIT_MAX));
	SAY(cuCtxGetLimit(&z, 99));
	SAY(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
	SAY(cuCtxSetCacheConfig(9));
	SAY(cuCtxGetStreamPriorityRange(&v, NULL));
	SAY(cuDevicePrimaryCtxRetain(&a, 99));
	SAY(cuDevicePrimaryCtxRetain(NULL, 0));
	SAY(cuDevicePrimaryCtxGetState(0, &u, &v));
	printf("%d\n", v);
	SAY(cuDevicePrimaryCtxRetain(&a, 0));
	SAY(cuDevicePrimaryCtxGetState(0, &u, &v));
	printf("%d\n", v);
	SAY(cuCtxDestroy(a));
	SAY(cuDevicePrimaryCtxRelease(0));
	SAY(cuDevicePrimaryCtxRelease(0));
	SAY(cuCtxEnablePeerAccess(ctx, 0));
	SAY(cuCtxDisablePeerAccess(ctx));
	SAY(cuCtxCreate(&b, NULL, 0, 0));
	SAY(cuCtxPushCurrent(ctx));
	SAY(cuCtxDestroy(b));
	SAY(cuCtxPopCurrent(&a));
	printf("%d\n", a == ctx);
	SAY(cuCtxGetCurrent(&a));
	printf("%d\n", a == b);
	SAY(cuMemAlloc(&p, 4));
}

static void modules(void)
{
	CUmodule other;
	CUfunction g;
	CUtexref t;
	CUdeviceptr at;
	CUlibrary lib;
	CUkernel k;
	size_t z;
	int v;

	SAY(cuModuleLoadData(&other, NULL));
	SAY(cuModuleLoadData(NULL, text));
	SAY(cuModuleLoadData(&other, "what is this?"));
	SAY(cuModuleLoadData(&other, ""));
	SAY(cuModuleLoadData(&other, wrong));
	SAY(cuModuleLoad(&other, "/nowhere/at/all"));
	SAY(cuModuleGetFunction(&g, m, "none"));
	SAY(cuModuleGetFunction(&g, m, NULL));
	SAY(cuModuleGetFunction(&g, m, ""));
	SAY(cuModuleGetFunction(NULL, m, "k"));
	SAY(cuModuleGetFunction(&g, NULL, "k"));
	SAY(cuModuleGetGlobal(&at, &z, m, "none"));
	SAY(cuModuleGetGlobal(&at, &z, m, NULL));
	SAY(cuModuleGetGlobal(NULL, NULL, m, "g"));
	SAY(cuModuleGetTexRef(&t, m, "none"));
	SAY(cuModuleUnload(NULL));
	SAY(cuFuncGetAttribute(&v, 99, f));
	SAY(cuFuncGetAttribute(NULL, 0, f));
	SAY(cuFuncGetAttribute(&v, 0, NULL));
	SAY(cuFuncSetAttribute(f, 0, 1));
	SAY(cuFuncSetAttribute(f, 8, 1 << 30));
	SAY(cuFuncSetAttribute(f, 8, -1));
	SAY(cuFuncGetParamInfo(f, 2, &z, &z));
	SAY(cuLibraryLoadData(&lib, wrong, NULL, NULL, 0, NULL, NULL, 0));
	SAY(cuLibraryGetKernel(&k, lib, "k"));
	SAY(cuLibraryLoadData(&lib, "what is this?", NULL, NULL, 0, NULL, NULL,
			      0));
	SAY(cuLibraryLoadData(&lib, text, NULL, NULL, 0, NULL, NULL, 0));
	SAY(cuLibraryGetKernel(&k, lib, "none"));
	SAY(cuLibraryGetGlobal(&at, &z, lib, "none"));
	SAY(cuLibraryGetManaged(&at, &z, lib, "g"));
}

static void linker(void)
{
	CUlinkState l;
	void *image;
	size_t z;

	SAY(cuLinkCreate(0, NULL, NULL, NULL));
	SAY(cuLinkCreate(0, NULL, NULL, &l));
	SAY(cuLinkComplete(l, &image, &z));
	SAY(cuLinkDestroy(l));
	SAY(cuLinkCreate(0, NULL, NULL, &l));
	SAY(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)wrong, sizeof(wrong),
			  "wrong", 0, NULL, NULL));
	SAY(cuLinkAddData(l, CU_JIT_INPUT_PTX, NULL, 4, "none", 0, NULL, NULL));
	SAY(cuLinkAddData(l, 99, (void *)text, sizeof(text), "text", 0, NULL,
			  NULL));
	SAY(cuLinkAddFile(l, CU_JIT_INPUT_PTX, "/nowhere", 0, NULL, NULL));
	SAY(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)text, sizeof(text),
			  "text", 0, NULL, NULL));
	SAY(cuLinkComplete(l, &image, &z));
	SAY(cuModuleLoadData(&m, image));
	SAY(cuLinkDestroy(l));
}

static void launches(void)
{
	int v = 1;
	struct {
		CUdeviceptr p;
		int v, pad;
	} block = { p, 1, 0 };
	size_t size = 12;
	void *args[] = { &p, &v };
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &block,
			  CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			  CU_LAUNCH_PARAM_END };

	SAY(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, 0, args, 0));
	SAY(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, 0, args, 0));
	SAY(cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, 0, args, 0));
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 128, 0, 0, args, 0));
	SAY(cuLaunchKernel(f, 1, 70000, 1, 1, 1, 1, 0, 0, args, 0));
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 20, 0, args, 0));
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, 0));
	SAY(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, extra));
	size = 16;
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
	size = 8;
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
	SAY(cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 1, 1, 1, 0, 0, args));
	SAY(cuLaunchHostFunc(0, NULL, NULL));
	SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 0, 0));
	SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, f, 32, 0));
	SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 4096, 0));
	SAY(cuCtxSynchronize());
}

static void memory(void)
{
	CUdeviceptr q, base;
	char here[64];
	void *h;
	size_t z;
	unsigned u;
	int v;

	SAY(cuMemAlloc(&q, 0));
	SAY(cuMemAlloc(NULL, 4));
	SAY(cuMemAlloc(&q, (size_t)1 << 60));
	SAY(cuMemFree(0));
	SAY(cuMemFree(p + 4));
	SAY(cuMemFree((CUdeviceptr)(uintptr_t)here));
	SAY(cuMemAllocPitch(&q, &z, 12, 3, 5));
	SAY(cuMemAllocPitch(&q, &z, 0, 3, 4));
	SAY(cuMemAllocManaged(&q, 4, 0));
	SAY(cuMemAllocManaged(&q, 0, 1));
	SAY(cuMemHostAlloc(&h, 0, 0));
	SAY(cuMemHostAlloc(&h, 4, 99));
	SAY(cuMemFreeHost(NULL));
	SAY(cuMemFreeHost(here));
	SAY(cuMemHostUnregister(here));
	SAY(cuMemHostGetDevicePointer(&q, here, 0));
	SAY(cuMemHostGetFlags(&u, here));
	SAY(cuMemGetAddressRange(&base, &z, 64));
	SAY(cuMemcpyHtoD(p, here, 0));
	SAY(cuMemcpyHtoD(0, here, 4));
	SAY(cuMemcpyHtoD(p, NULL, 4));
	SAY(cuMemcpyDtoH(NULL, p, 4));
	SAY(cuMemcpyDtoH(here, 64, 4));
	SAY(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)here, here, 4));
	SAY(cuMemsetD32(p + 2, 0, 1));
	SAY(cuMemsetD16(p + 1, 0, 1));
	SAY(cuMemsetD32(0, 0, 1));
	SAY(cuMemsetD32(p, 0, 0));
	SAY(cuMemsetD32((CUdeviceptr)(uintptr_t)here, 0, 1));
	SAY(cuMemsetD2D32(p, 2, 0, 1, 2));
	SAY(cuMemcpy2D(NULL));
	SAY(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				  (CUdeviceptr)(uintptr_t)here));
	SAY(cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
	SAY(cuPointerGetAttribute(&v, 99, p));
	SAY(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	printf("%d\n", v);
	SAY(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
	SAY(cuMemAdvise(p, 4, 1, (CUmemLocation){ 1, 0 }));
	SAY(cuMemPrefetchAsync(p, 4, (CUmemLocation){ 1, 0 }, 0, 0));
}

static void objects(void)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { 4, 3, 2, CU_AD_FORMAT_FLOAT, 3, 0 };
	CUarray a;
	CUstream s;
	CUevent e, e2;
	CUgraph g;
	CUgraphExec x;
	CUtexObject t;
	CUDA_RESOURCE_DESC r = { .resType = 17 };
	CUDA_TEXTURE_DESC td = { .flags = 0 };
	char here[64];
	float ms;

	SAY(cuArray3DCreate(&a, &d));
	SAY(cuArray3DCreate(&a, NULL));
	SAY(cuArrayDestroy(NULL));
	d.NumChannels = 1;
	SAY(cuArray3DCreate(&a, &d));
	SAY(cuMemcpyAtoH(here, a, 0, 0));
	SAY(cuTexObjectCreate(&t, &r, &td, NULL));
	SAY(cuTexObjectCreate(&t, NULL, &td, NULL));
	SAY(cuTexObjectCreate(&t, &r, NULL, NULL));
	r.resType = 0;
	r.res.array.hArray = a;
	SAY(cuTexObjectCreate(&t, &r, NULL, NULL));
	SAY(cuTexObjectCreate(&t, &r, &td, NULL));
	SAY(cuTexObjectDestroy(t));
	SAY(cuTexObjectDestroy(t));
	SAY(cuTexObjectDestroy(0));
	SAY(cuStreamCreate(&s, 77));
	SAY(cuStreamCreate(NULL, 0));
	SAY(cuStreamDestroy(NULL));
	SAY(cuEventCreate(&e, 99));
	SAY(cuEventCreate(NULL, 0));
	SAY(cuEventDestroy(NULL));
	SAY(cuEventRecord(NULL, 0));
	SAY(cuStreamWaitEvent(0, NULL, 0));
	SAY(cuStreamAddCallback(0, NULL, NULL, 0));
	SAY(cuEventCreate(&e, 0));
	SAY(cuEventCreate(&e2, CU_EVENT_DISABLE_TIMING));
	SAY(cuEventElapsedTime(&ms, e, e));
	SAY(cuEventQuery(e));
	SAY(cuEventRecord(e, 0));
	SAY(cuEventRecord(e2, 0));
	SAY(cuEventElapsedTime(&ms, e, e2));
	SAY(cuEventElapsedTime(NULL, e, e));
	SAY(cuGraphCreate(&g, 1));
	SAY(cuGraphCreate(&g, 0));
	SAY(cuGraphInstantiateWithFlags(&x, g, 0));
	SAY(cuGraphInstantiateWithFlags(&x, NULL, 0));
	SAY(cuStreamEndCapture(0, &g));
	SAY(cuStreamBeginCapture_v2(0, 0));
	SAY(cuStreamCreate(&s, 0));
	SAY(cuStreamBeginCapture_v2(s, 9));
	SAY(cuStreamBeginCapture_v2(s, 0));
	SAY(cuStreamSynchronize(s));
	SAY(cuStreamEndCapture(s, &g));
}

static void procs(void)
{
	CUdriverProcAddressQueryResult status;
	void *fn;

	SAY(cuGetProcAddress("cuFrobnicate", &fn, 12000, 0, &status));
	printf("%d %d\n", !fn, (int)status);
	SAY(cuGetProcAddress("cuFrobnicate", &fn, 12000, 0, NULL));
	SAY(cuGetProcAddress("cuMemAlloc_v2", &fn, 12000, 0, &status));
	printf("%d %d\n", !fn, (int)status);
	SAY(cuGetProcAddress("cuLibraryLoadData", &fn, 11000, 0, &status));
	printf("%d %d\n", !fn, (int)status);
	SAY(cuGetProcAddress("cuInit", &fn, 99000, 0, &status));
	SAY(cuGetProcAddress("cuInit", &fn, 12000, 4, &status));
	SAY(cuGetProcAddress("cuInit", &fn, 12000, 3, &status));
	SAY(cuGetProcAddress("cuInit", &fn, 0, 0, &status));
}

static void unloaded(void)
{
	SAY(cuModuleUnload(m));
	SAY(cuModuleUnload(m));
}

static void freed_twice(void)
{
	SAY(cuMemFree(p));
	SAY(cuMemFree(p));
}

static void context_ended(void)
{
	CUcontext c;

	SAY(cuCtxDestroy(ctx));
	SAY(cuMemFree(p));
	SAY(cuCtxGetCurrent(&c));
	printf("%d\n", c == NULL);
	SAY(cuCtxDestroy(ctx));
}

static void reset(void)
{
	CUcontext c;

	SAY(cuDevicePrimaryCtxRetain(&c, 0));
	SAY(cuCtxSetCurrent(c));
	SAY(cuMemAlloc(&p, 4));
	SAY(cuDevicePrimaryCtxReset(0));
	SAY(cuMemFree(p));
	SAY(cuMemAlloc(&p, 4));
	SAY(cuCtxSetCurrent(c));
	SAY(cuMemAlloc(&p, 4));
	SAY(cuDevicePrimaryCtxRetain(&c, 0));
	SAY(cuMemAlloc(&p, 4));
	SAY(cuDevicePrimaryCtxRelease(0));
	SAY(cuDevicePrimaryCtxRelease(0));
	SAY(cuMemAlloc(&p, 4));
}

/* What needs no current context. */
static void without(void)
{
	CUcontext c;
	CUstream s;
	CUevent e;
	char here[4] = { 0 };
	int v;

	SAY(cuStreamCreate(&s, 0));
	SAY(cuEventCreate(&e, 0));
	SAY(cuCtxPopCurrent(&c));
	SAY(cuMemcpyHtoD(p, here, 4));
	SAY(cuMemcpy(p, p, 4));
	SAY(cuMemsetD8(p, 0, 4));
	SAY(cuMemsetD8Async(p, 0, 4, s));
	SAY(cuStreamSynchronize(s));
	SAY(cuStreamSynchronize(0));
	SAY(cuEventRecord(e, s));
	SAY(cuEventSynchronize(e));
	SAY(cuEventQuery(e));
	SAY(cuModuleGetFunction(&f, m, "k"));
	SAY(cuFuncGetAttribute(&v, 0, f));
	SAY(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p, &v }, 0));
	SAY(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
	SAY(cuEventDestroy(e));
	SAY(cuStreamDestroy(s));
	SAY(cuModuleUnload(m));
	SAY(cuMemFree(p));
}

/* Runs of bytes in arrays that have more than one row. */
static void arrays(void)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { 4, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0 };
	CUarray a;
	float here[32] = { 0 };

	SAY(cuArray3DCreate(&a, &d));
	SAY(cuMemcpyHtoA(a, 0, here, 16));
	SAY(cuMemcpyHtoA(a, 4, here, 12));
	SAY(cuMemcpyHtoA(a, 4, here, 16));
	d.Height = 3;
	SAY(cuArray3DCreate(&a, &d));
	SAY(cuMemcpyHtoA(a, 0, here, 16));
	SAY(cuMemcpyHtoA(a, 16, here, 16));
	SAY(cuMemcpyHtoA(a, 0, here, 48));
	SAY(cuMemcpyAtoH(here, a, 0, 48));
	d.Depth = 2;
	SAY(cuArray3DCreate(&a, &d));
	SAY(cuMemcpyHtoA(a, 0, here, 16));
	SAY(cuMemcpyHtoA(a, 16, here, 16));
	SAY(cuMemcpyHtoA(a, 0, here, 96));
}

static const struct part {
	const char *name;
	void (*run)(void);
	int bare; /* without a context */
} parts[] = {
	{ "fresh", fresh, 1 },
	{ "devices", devices, 0 },
	{ "contexts", contexts, 0 },
	{ "modules", modules, 0 },
	{ "linker", linker, 0 },
	{ "launches", launches, 0 },
	{ "memory", memory, 0 },
	{ "objects", objects, 0 },
	{ "procs", procs, 0 },
	{ "unloaded", unloaded, 0 },
	{ "freed_twice", freed_twice, 0 },
	{ "context_ended", context_ended, 0 },
	{ "reset", reset, 0 },
	{ "without", without, 0 },
	{ "arrays", arrays, 0 },
};

static void prepare(void)
{
	if (cuInit(0) || cuCtxCreate(&ctx, NULL, 0, 0) ||
	    cuModuleLoadData(&m, text) || cuModuleGetFunction(&f, m, "k") ||
	    cuMemAlloc(&p, 4096)) {
		fprintf(stderr, "misuse: no context\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (argc < 2) {
			puts(parts[i].name);
		} else if (!strcmp(argv[1], parts[i].name)) {
			if (!parts[i].bare)
				prepare();
			parts[i].run();
		}
	}
	return 0;
}
