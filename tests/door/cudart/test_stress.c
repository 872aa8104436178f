#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "program.h"
#include "test.h"

LABEL(stress, threads);

enum { THREADS = 8, ROUNDS = 60, N = 256 };

static atomic_int wrong;

#define CHECKED(expr) \
	((expr) == cudaSuccess ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

static void count(void *p)
{
	++*(int *)p;
}

static void copies(int *p, int v, cudaStream_t s)
{
	int host[N], *pinned;

	CHECKED(cudaMemsetAsync(p, 0, sizeof(host), s));
	CHECKED(add(p, N, v, s));
	CHECKED(cudaMallocHost((void **)&pinned, sizeof(host)));
	CHECKED(cudaMemcpyAsync(pinned, p, sizeof(host), cudaMemcpyDeviceToHost,
				s));
	CHECKED(cudaStreamSynchronize(s));
	for (int i = 0; i < N; i++)
		if (pinned[i] != v)
			atomic_fetch_add(&wrong, 1);
	CHECKED(cudaFreeHost(pinned));
	CHECKED(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
}

static void graphs(int *p, cudaStream_t s)
{
	int calls = 0;
	cudaGraph_t g;
	cudaGraphExec_t x;

	CHECKED(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	CHECKED(add(p, N, 1, s));
	CHECKED(cudaLaunchHostFunc(s, count, &calls));
	CHECKED(cudaStreamEndCapture(s, &g));
	CHECKED(cudaGraphInstantiate(&x, g, 0));
	CHECKED(cudaGraphLaunch(x, s));
	CHECKED(cudaGraphLaunch(x, s));
	CHECKED(cudaStreamSynchronize(s));
	if (calls != 2)
		atomic_fetch_add(&wrong, 1);
	CHECKED(cudaGraphExecDestroy(x));
	CHECKED(cudaGraphDestroy(g));
}

/* Things that fail must fail in every thread for itself. */
static void mistakes(void)
{
	void *p = NULL;

	if (cudaMalloc(&p, (size_t)1 << 60) != cudaErrorMemoryAllocation ||
	    cudaGetLastError() != cudaErrorMemoryAllocation ||
	    cudaGetLastError() != cudaSuccess ||
	    cudaFree((void *)16) != cudaErrorInvalidValue ||
	    cudaStreamDestroy((cudaStream_t)&p) !=
		    cudaErrorInvalidResourceHandle ||
	    cudaPeekAtLastError() != cudaErrorInvalidResourceHandle)
		atomic_fetch_add(&wrong, 1);
	cudaGetLastError();
}

static void *work(void *ctx)
{
	int me = *(int *)ctx, *p;
	struct cudaDeviceProp prop;
	cudaStream_t s;
	cudaEvent_t e;

	CHECKED(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECKED(cudaEventCreate(&e));
	for (int i = 0; i < ROUNDS; i++) {
		CHECKED(cudaMalloc((void **)&p, N * 4));
		copies(p, me * 1000 + i, i % 3 ? s : cudaStreamPerThread);
		CHECKED(cudaEventRecord(e, s));
		CHECKED(cudaStreamWaitEvent(cudaStreamPerThread, e, 0));
		CHECKED(cudaEventSynchronize(e));
		graphs(p, s);
		mistakes();
		CHECKED(cudaGetDeviceProperties(&prop, 0));
		CHECKED(cudaFree(p));
	}
	CHECKED(cudaEventDestroy(e));
	CHECKED(cudaStreamDestroy(s));
	return NULL;
}

TEST(stress, eight_threads_do_not_disturb_each_other)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	size_t before, after, all;

	WORKS(cudaFree(0));
	WORKS(cudaMemGetInfo(&before, &all));
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		OK(!pthread_create(&threads[i], NULL, work, &numbers[i]));
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EQ(0, atomic_load(&wrong));
	WORKS(cudaMemGetInfo(&after, &all));
	OK(after <= before);
}
