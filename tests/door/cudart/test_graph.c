#include <string.h>

#include "program.h"
#include "test.h"

static int *zeros(size_t n)
{
	int *p;

	WORKS(cudaMalloc((void **)&p, n * 4));
	WORKS(cudaMemset(p, 0, n * 4));
	return p;
}

static int first(const int *p)
{
	int v;

	WORKS(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
	return v;
}

static struct cudaKernelNodeParams adding(void **args)
{
	return (struct cudaKernelNodeParams){ .func = (void *)kernel_add,
					      .gridDim = { 1, 1, 1 },
					      .blockDim = { 64, 1, 1 },
					      .kernelParams = args };
}

static void count(void *p)
{
	++*(int *)p;
}

TEST(graph, what_a_stream_does_is_captured_and_replayed)
{
	int *p = zeros(64), host[64] = { 0 }, back = 0, calls = 0;
	cudaStream_t s;
	cudaGraph_t g;
	cudaGraphExec_t x;
	size_t n;

	for (int i = 0; i < 64; i++)
		host[i] = 100;
	WORKS(cudaStreamCreate(&s));
	WORKS(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
	WORKS(cudaMemcpyAsync(p, host, 256, cudaMemcpyHostToDevice, s));
	WORKS(add(p, 64, 1, s));
	WORKS(add(p, 64, 2, s));
	WORKS(cudaLaunchHostFunc(s, count, &calls));
	WORKS(cudaMemcpyAsync(&back, p, 4, cudaMemcpyDeviceToHost, s));
	WORKS(cudaStreamEndCapture(s, &g));
	EQ(0, calls);
	EQ(0, first(p));
	WORKS(cudaGraphGetNodes(g, NULL, &n));
	EQ(5, n);
	WORKS(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
	EQ(4, n);
	WORKS(cudaGraphInstantiate(&x, g, 0));
	WORKS(cudaGraphDestroy(g));
	for (int i = 1; i <= 3; i++) {
		host[0] = i * 10;
		WORKS(cudaGraphLaunch(x, s));
		WORKS(cudaStreamSynchronize(s));
		EQ(i, calls);
		EQ(i * 10 + 3, back);
	}
	WORKS(cudaGraphExecDestroy(x));
	GIVES(cudaErrorInvalidValue, cudaGraphExecDestroy(x));
	WORKS(cudaStreamDestroy(s));
	WORKS(cudaFree(p));
}

TEST(graph, a_capture_spreads_through_events_and_must_be_joined)
{
	int *p = zeros(64), *q = zeros(64);
	cudaStream_t s, u;
	cudaEvent_t fork, join;
	cudaGraph_t g;
	cudaGraphExec_t x;
	enum cudaStreamCaptureStatus status;
	size_t n;

	WORKS(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	WORKS(cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking));
	WORKS(cudaEventCreate(&fork));
	WORKS(cudaEventCreate(&join));
	WORKS(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	WORKS(add(p, 64, 1, s));
	WORKS(cudaEventRecord(fork, s));
	WORKS(cudaStreamWaitEvent(u, fork, 0));
	WORKS(cudaStreamIsCapturing(u, &status));
	EQ(cudaStreamCaptureStatusActive, status);
	WORKS(add(q, 64, 5, u));
	WORKS(add(p, 64, 2, s));
	WORKS(cudaEventRecord(join, u));
	WORKS(cudaStreamWaitEvent(s, join, 0));
	WORKS(add(q, 64, 6, s));
	WORKS(cudaStreamEndCapture(s, &g));
	WORKS(cudaStreamIsCapturing(u, &status));
	EQ(cudaStreamCaptureStatusNone, status);
	WORKS(cudaGraphGetRootNodes(g, NULL, &n));
	EQ(1, n);
	WORKS(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
	EQ(4, n);
	WORKS(cudaGraphInstantiate(&x, g, 0));
	WORKS(cudaGraphLaunch(x, s));
	WORKS(cudaGraphLaunch(x, u));
	EQ(6, first(p));
	EQ(22, first(q));
	WORKS(cudaGraphExecDestroy(x));
	WORKS(cudaGraphDestroy(g));
	WORKS(cudaEventDestroy(fork));
	WORKS(cudaEventDestroy(join));
	WORKS(cudaStreamDestroy(s));
	WORKS(cudaStreamDestroy(u));
	WORKS(cudaFree(p));
	WORKS(cudaFree(q));
}

TEST(graph, nodes_of_all_kinds_are_added_read_and_changed)
{
	int *p = zeros(64), n = 64, v = 3, calls = 0, out = 0;
	struct cudaKernelNodeParams k = adding(ARGS(&p, &n, &v)), back;
	struct cudaMemsetParams m = { .dst = p,
				      .value = 0x01010101,
				      .elementSize = 4,
				      .width = 64,
				      .height = 1 };
	struct cudaHostNodeParams h = { count, &calls };
	cudaGraphNode_t set, kernel, host, copy, empty, child_node, found;
	cudaGraph_t g, child, clone;
	cudaGraphExec_t x;
	enum cudaGraphNodeType type;
	unsigned on;

	WORKS(cudaGraphCreate(&child, 0));
	WORKS(cudaGraphAddHostNode(&host, child, NULL, 0, &h));
	WORKS(cudaGraphCreate(&g, 0));
	WORKS(cudaGraphAddMemsetNode(&set, g, NULL, 0, &m));
	WORKS(cudaGraphAddKernelNode(&kernel, g, &set, 1, &k));
	WORKS(cudaGraphAddEmptyNode(&empty, g, &kernel, 1));
	WORKS(cudaGraphAddChildGraphNode(&child_node, g, &empty, 1, child));
	WORKS(cudaGraphAddMemcpyNode1D(&copy, g, &child_node, 1, &out, p, 4,
				       cudaMemcpyDeviceToHost));
	WORKS(cudaGraphNodeGetType(child_node, &type));
	EQ(cudaGraphNodeTypeGraph, type);
	/* The arguments were copied: v may change. */
	v = 1000;
	WORKS(cudaGraphKernelNodeGetParams(kernel, &back));
	EQ(3, *(int *)back.kernelParams[2]);
	WORKS(cudaGraphInstantiate(&x, g, 0));
	WORKS(cudaGraphLaunch(x, 0));
	EQ(0x01010101 + 3, out);
	EQ(1, calls);
	WORKS(cudaGraphExecKernelNodeSetParams(x, kernel, &k));
	WORKS(cudaGraphLaunch(x, 0));
	EQ(0x01010101 + 1000, out);
	WORKS(cudaGraphNodeSetEnabled(x, kernel, 0));
	WORKS(cudaGraphNodeGetEnabled(x, kernel, &on));
	EQ(0, on);
	WORKS(cudaGraphLaunch(x, 0));
	EQ(0x01010101, out);
	WORKS(cudaGraphClone(&clone, g));
	WORKS(cudaGraphNodeFindInClone(&found, kernel, clone));
	OK(found != kernel);
	WORKS(cudaGraphNodeGetType(found, &type));
	EQ(cudaGraphNodeTypeKernel, type);
	WORKS(cudaGraphDestroyNode(copy));
	GIVES(cudaErrorInvalidValue, cudaGraphDestroyNode(copy));
	WORKS(cudaGraphExecDestroy(x));
	WORKS(cudaGraphDestroy(clone));
	WORKS(cudaGraphDestroy(child));
	WORKS(cudaGraphDestroy(g));
	GIVES(cudaErrorInvalidValue, cudaGraphDestroy(g));
	WORKS(cudaFree(p));
}

TEST(graph, an_instance_takes_the_parameters_of_a_graph_of_its_shape)
{
	int *p = zeros(64), n = 64, v = 3;
	struct cudaKernelNodeParams k = adding(ARGS(&p, &n, &v));
	cudaGraphExecUpdateResultInfo info;
	cudaGraph_t g, other;
	cudaGraphNode_t a, b;
	cudaGraphExec_t x;

	WORKS(cudaGraphCreate(&g, 0));
	WORKS(cudaGraphAddKernelNode(&a, g, NULL, 0, &k));
	WORKS(cudaGraphInstantiate(&x, g, 0));
	v = 50;
	WORKS(cudaGraphCreate(&other, 0));
	WORKS(cudaGraphAddKernelNode(&b, other, NULL, 0, &k));
	WORKS(cudaGraphExecUpdate(x, other, &info));
	WORKS(cudaGraphLaunch(x, 0));
	EQ(50, first(p));
	WORKS(cudaGraphAddEmptyNode(&a, other, &b, 1));
	GIVES(cudaErrorGraphExecUpdateFailure,
	      cudaGraphExecUpdate(x, other, &info));
	EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
	WORKS(cudaGraphExecDestroy(x));
	WORKS(cudaGraphDestroy(g));
	WORKS(cudaGraphDestroy(other));
	WORKS(cudaFree(p));
}

static void destroyed(void *p)
{
	*(int *)p += 1;
}

TEST(graph, objects_live_as_long_as_graphs_hold_them)
{
	cudaUserObject_t o;
	cudaGraph_t g;
	int ended = 0;

	WORKS(cudaUserObjectCreate(&o, &ended, destroyed, 1,
				   cudaUserObjectNoDestructorSync));
	WORKS(cudaGraphCreate(&g, 0));
	WORKS(cudaGraphRetainUserObject(g, o, 1, 0));
	WORKS(cudaUserObjectRelease(o, 1));
	EQ(0, ended);
	WORKS(cudaGraphDestroy(g));
	EQ(1, ended);
	GIVES(cudaErrorInvalidValue, cudaUserObjectRelease(o, 1));
}
