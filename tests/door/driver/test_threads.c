#include <pthread.h>
#include <stdatomic.h>

#include "support.h"

LABEL(driver_threads, threads);

enum { THREADS = 8, ROUNDS = 40, N = 256 };

static atomic_int wrong;

#define CHECKED(expr) \
	((expr) == CUDA_SUCCESS ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

static void sums(CUfunction f, CUstream s, int round)
{
	CUdeviceptr a, c;
	float out[N], host[N];
	int n = N;

	for (int i = 0; i < N; i++)
		host[i] = (float)(i + round);
	CHECKED(cuMemAlloc(&a, sizeof(host)));
	CHECKED(cuMemAllocAsync(&c, sizeof(host), s));
	CHECKED(cuMemcpyHtoDAsync(a, host, sizeof(host), s));
	CHECKED(cuLaunchKernel(f, N / 64, 1, 1, 64, 1, 1, 0, s,
			       ARGS(&a, &a, &c, &n), NULL));
	CHECKED(cuMemcpyDtoHAsync(out, c, sizeof(out), s));
	CHECKED(cuStreamSynchronize(s));
	for (int i = 0; i < N; i++)
		if (out[i] != host[i] * 2)
			atomic_fetch_add(&wrong, 1);
	CHECKED(cuMemFree(a));
	CHECKED(cuMemFreeAsync(c, s));
}

/* Contexts, modules and handles come and go beside the others'. */
static void lives(CUcontext ctx)
{
	CUcontext mine, got;
	CUmodule m;
	CUfunction f;
	CUevent e;

	CHECKED(cuCtxCreate(&mine, NULL, 0, 0));
	CHECKED(cuModuleLoadData(&m, ptx_kernels));
	CHECKED(cuModuleGetFunction(&f, m, "add"));
	CHECKED(cuEventCreate(&e, 0));
	CHECKED(cuEventRecord(e, NULL));
	CHECKED(cuEventDestroy(e));
	CHECKED(cuModuleUnload(m));
	CHECKED(cuCtxDestroy(mine));
	CHECKED(cuCtxGetCurrent(&got));
	if (got != ctx ||
	    cuModuleGetFunction(&f, m, "add") != CUDA_ERROR_INVALID_HANDLE)
		atomic_fetch_add(&wrong, 1);
}

struct job {
	CUcontext ctx;
	CUfunction f;
};

static void *work(void *p)
{
	const struct job *j = p;
	CUstream s;

	CHECKED(cuCtxSetCurrent(j->ctx));
	CHECKED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < ROUNDS; i++) {
		sums(j->f, s, i);
		if (i % 8 == 0)
			lives(j->ctx);
	}
	CHECKED(cuStreamDestroy(s));
	return NULL;
}

TEST(driver_threads, eight_of_them_share_a_context)
{
	CUcontext ctx = begin();
	struct job j = { ctx, function(load(ptx_kernels), "add") };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		EQ(0, pthread_create(&threads[i], NULL, work, &j));
	for (int i = 0; i < THREADS; i++)
		EQ(0, pthread_join(threads[i], NULL));
	EQ(0, atomic_load(&wrong));
	end(ctx);
}
