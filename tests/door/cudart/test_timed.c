#include "program.h"
#include "test.h"

/* Launches are timed: see CMakeLists.txt for the GPU. */
static float elapsed(cudaEvent_t a, cudaEvent_t b)
{
	float ms;

	WORKS(cudaEventElapsedTime(&ms, a, b));
	return ms;
}

struct rig {
	cudaStream_t s[2];
	cudaEvent_t start, end[2];
};

static void setup(struct rig *r)
{
	WORKS(cudaFree(0));
	WORKS(cudaEventCreate(&r->start));
	for (int i = 0; i < 2; i++) {
		WORKS(cudaStreamCreateWithFlags(&r->s[i],
						cudaStreamNonBlocking));
		WORKS(cudaEventCreate(&r->end[i]));
	}
}

/* One block in each of two streams; the same stream twice if `together`. */
static float two(struct rig *r, bool together)
{
	int n = 3000;
	float a, b;

	WORKS(cudaDeviceSynchronize());
	WORKS(cudaEventRecord(r->start, r->s[0]));
	for (int i = 0; i < 2; i++) {
		cudaStream_t s = r->s[together ? 0 : i];

		WORKS(launch(kernel_spin, DIM(1, 1, 1), DIM(32, 1, 1), 0, s,
			     ARGS(&n)));
		WORKS(cudaEventRecord(r->end[i], s));
	}
	a = elapsed(r->start, r->end[0]);
	b = elapsed(r->start, r->end[1]);
	return a > b ? a : b;
}

TEST(timed, kernels_of_different_streams_overlap)
{
	struct rig r;
	float apart, together;

	setup(&r);
	two(&r, true);
	together = two(&r, true);
	apart = two(&r, false);
	OK(apart > 0);
	OK(together > 1.8f * apart);
}

TEST(timed, a_wait_puts_them_one_after_the_other)
{
	struct rig r;
	int n = 3000;
	float a, b;

	setup(&r);
	WORKS(cudaEventRecord(r.start, r.s[0]));
	WORKS(launch(kernel_spin, DIM(1, 1, 1), DIM(32, 1, 1), 0, r.s[0],
		     ARGS(&n)));
	WORKS(cudaEventRecord(r.end[0], r.s[0]));
	WORKS(cudaStreamWaitEvent(r.s[1], r.end[0], 0));
	WORKS(launch(kernel_spin, DIM(1, 1, 1), DIM(32, 1, 1), 0, r.s[1],
		     ARGS(&n)));
	WORKS(cudaEventRecord(r.end[1], r.s[1]));
	a = elapsed(r.start, r.end[0]);
	b = elapsed(r.start, r.end[1]);
	OK(b > 1.8f * a);
}

TEST(timed, results_are_there_when_they_are_looked_at)
{
	int *p, host[64];
	struct rig r;

	setup(&r);
	WORKS(cudaMalloc((void **)&p, 256));
	WORKS(cudaMemset(p, 0, 256));
	for (int i = 0; i < 100; i++)
		WORKS(add(p, 64, 1, r.s[0]));
	WORKS(cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, r.s[0]));
	WORKS(cudaStreamSynchronize(r.s[0]));
	EQ(100, host[0]);
	EQ(100, host[63]);
	/* A stream and an event may end before their launches have run. */
	WORKS(add(p, 64, 1, r.s[1]));
	WORKS(cudaEventRecord(r.end[1], r.s[1]));
	WORKS(cudaEventDestroy(r.end[1]));
	WORKS(add(p, 64, 1, r.s[1]));
	WORKS(cudaStreamDestroy(r.s[1]));
	WORKS(cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost));
	EQ(102, host[0]);
}
