#include <stddef.h>

#include "support.h"

CUresult cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream s, CUgraph *g);
CUresult cuGraphCreate(CUgraph *g, unsigned flags);
CUresult cuGraphDestroy(CUgraph g);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g,
				     unsigned long long flags);
CUresult cuGraphLaunch(CUgraphExec x, CUstream s);
CUresult cuGraphExecDestroy(CUgraphExec x);
CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *list, size_t *count);
CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *type);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g,
				 const CUgraphNode *after, size_t count,
				 const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g,
			      const CUgraphNode *after, size_t count,
			      const CUDA_MEMSET_NODE_PARAMS *p, CUcontext ctx);
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g,
			   const CUgraphNode *after,
			   const CUgraphEdgeData *edges, size_t count,
			   CUgraphNodeParams *p);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n,
				       CUDA_KERNEL_NODE_PARAMS *out);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *out);

static void count_call(void *p)
{
	++*(int *)p;
}

static void callback(CUstream s, CUresult e, void *p)
{
	CUdeviceptr mine;

	(void)s;
	/* The API is not for callbacks. */
	*(int *)p = e == CUDA_SUCCESS &&
		    cuMemAlloc(&mine, 4) == CUDA_ERROR_NOT_PERMITTED;
}

TEST(driver_stream, streams_and_events_keep_their_order)
{
	CUcontext ctx = begin(), got;
	CUstream s, t;
	CUevent a, b;
	int calls = 0, priority, answered = 0;
	unsigned flags;
	float ms;

	WORKS(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -1));
	WORKS(cuStreamCreate(&t, 0));
	WORKS(cuEventCreate(&a, 0));
	WORKS(cuEventCreate(&b, CU_EVENT_BLOCKING_SYNC));
	WORKS(cuStreamGetPriority(s, &priority));
	EQ(-1, priority);
	WORKS(cuStreamGetFlags(s, &flags));
	EQ(1u, flags);
	WORKS(cuStreamGetCtx(s, &got));
	OK(got == ctx);
	WORKS(cuEventRecord(a, s));
	WORKS(cuLaunchHostFunc(s, count_call, &calls));
	WORKS(cuStreamAddCallback(s, callback, &answered, 0));
	WORKS(cuEventRecord(b, s));
	WORKS(cuStreamWaitEvent(t, b, 0));
	WORKS(cuStreamSynchronize(t));
	EQ(1, calls);
	EQ(1, answered);
	WORKS(cuEventSynchronize(b));
	WORKS(cuEventElapsedTime(&ms, a, b));
	OK(ms >= 0);
	WORKS(cuStreamQuery(s));
	WORKS(cuEventQuery(b));
	WORKS(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	WORKS(cuStreamSynchronize(CU_STREAM_LEGACY));
	WORKS(cuEventDestroy(a));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(a));
	WORKS(cuStreamDestroy(s));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(s));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&s, 77));
	end(ctx);
}

TEST(driver_stream, what_was_captured_runs_again)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUfunction f = function(m, "scale");
	CUdeviceptr p, factor;
	CUstream s;
	CUgraph g;
	CUgraphExec x;
	CUgraphNode nodes[4];
	CUgraphNodeType type;
	CUDA_MEMCPY3D copy;
	size_t n = 4;
	int out = 0;

	WORKS(cuMemAlloc(&p, 4));
	WORKS(cuModuleGetGlobal(&factor, NULL, m, "factor"));
	WORKS(cuMemsetD32(factor, 4, 1));
	WORKS(cuStreamCreate(&s, 0));
	WORKS(cuStreamBeginCapture_v2(s, 2));
	WORKS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, ARGS(&p), NULL));
	WORKS(cuMemcpyDtoHAsync(&out, p, 4, s));
	WORKS(cuStreamEndCapture(s, &g));
	EQ(0, out);
	WORKS(cuGraphGetNodes(g, nodes, &n));
	EQ(2u, n);
	WORKS(cuGraphNodeGetType(nodes[0], &type));
	EQ(0, type);
	WORKS(cuGraphMemcpyNodeGetParams(nodes[1], &copy));
	EQ(4u, copy.WidthInBytes);
	OK(copy.srcDevice == p);
	WORKS(cuGraphInstantiateWithFlags(&x, g, 0));
	WORKS(cuGraphLaunch(x, s));
	WORKS(cuStreamSynchronize(s));
	EQ(28, out);
	WORKS(cuMemsetD32(factor, 5, 1));
	WORKS(cuGraphLaunch(x, s));
	WORKS(cuStreamSynchronize(s));
	EQ(35, out);
	WORKS(cuGraphExecDestroy(x));
	WORKS(cuGraphDestroy(g));
	end(ctx);
}

TEST(driver_stream, graphs_are_built_by_hand)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUdeviceptr p, factor;
	CUgraph g;
	CUgraphExec x;
	CUgraphNode set, kernel, host;
	int out, calls = 0;
	CUDA_KERNEL_NODE_PARAMS got;
	CUDA_MEMSET_NODE_PARAMS fill = {
		.value = 3, .elementSize = 4, .width = 1, .height = 1
	};
	CUDA_KERNEL_NODE_PARAMS k = { .func = function(m, "scale"),
				      .grid = { 1, 1, 1 },
				      .block = { 1, 1, 1 },
				      .kernelParams = ARGS(&p) };
	CUgraphNodeParams any = { .type = 3, .host = { count_call, &calls } };

	WORKS(cuMemAlloc(&p, 4));
	WORKS(cuModuleGetGlobal(&factor, NULL, m, "factor"));
	fill.dst = factor;
	WORKS(cuGraphCreate(&g, 0));
	WORKS(cuGraphAddMemsetNode(&set, g, NULL, 0, &fill, ctx));
	WORKS(cuGraphAddKernelNode_v2(&kernel, g, &set, 1, &k));
	WORKS(cuGraphAddNode_v2(&host, g, &kernel, NULL, 1, &any));
	WORKS(cuGraphKernelNodeGetParams_v2(kernel, &got));
	OK(got.func == k.func && got.grid[0] == 1 &&
	   *(CUdeviceptr *)got.kernelParams[0] == p);
	WORKS(cuGraphInstantiateWithFlags(&x, g, 0));
	WORKS(cuGraphLaunch(x, NULL));
	WORKS(cuMemcpyDtoH(&out, p, 4));
	EQ(21, out);
	EQ(1, calls);
	any.type = 13;
	GIVES(CUDA_ERROR_NOT_SUPPORTED,
	      cuGraphAddNode_v2(&host, g, NULL, NULL, 0, &any));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuGraphAddKernelNode_v2(&kernel, g, NULL, 0, NULL));
	WORKS(cuGraphExecDestroy(x));
	WORKS(cuGraphDestroy(g));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(g));
	end(ctx);
}
