/*
 * Launches of very many blocks that do little: 10^5 blocks of one warp, 20,000
 * blocks of 64 threads that read and write, blocks of 1024 threads, and one block
 * for each row of a matrix with short rows.
 *
 * SIZE: blocks of the widest launch.
 */
#include "common.h"

static struct workload self = { "wide_launches", "blocks", 100000, 1000,
				1 << 22 };

__global__ void mark(unsigned char *out)
{
	if (threadIdx.x == 0)
		out[blockIdx.x] = blockIdx.x % 251;
}

__global__ void invert(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = ~in[i];
}

__global__ void row_sum(const int *in, int width, int *out)
{
	int v = (int)threadIdx.x < width ?
			in[blockIdx.x * width + threadIdx.x] :
			0;

	v = __reduce_add_sync(ALL, v);
	if (threadIdx.x == 0)
		out[blockIdx.x] = v;
}

__global__ void leave(int *out)
{
	/* Only a few blocks have anything to do. */
	if (blockIdx.x % 1024 == 7)
		out[blockIdx.x / 1024] = blockIdx.x;
}

static void run_invert(int blocks, int threads)
{
	array<int> in(blocks * threads), out(in.n), want(in.n);

	random_ints(in, 1 << 30, blocks);
	in.upload();
	for (size_t i = 0; i < in.n; i++)
		want[i] = ~in[i];
	invert<<<blocks, threads>>>(in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, out.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), width = 24;
	array<unsigned char> marks(n), want_marks(n);
	array<int> in(n / 4 * width), sums(n / 4), want(n / 4),
		few(n / 1024 + 1);

	mark<<<n, 32>>>(marks.device);
	CHECK_LAUNCH();
	marks.download();
	for (int i = 0; i < n; i++)
		want_marks[i] = i % 251;
	check_exact(&self, marks.host, want_marks.host, n, "marks");

	run_invert(n / 5, 64);
	run_invert(n / 100, 1024);
	run_invert(n / 20, 256);

	random_ints(in, 1000, n);
	in.upload();
	row_sum<<<n / 4, 32>>>(in.device, width, sums.device);
	leave<<<n / 2, 128>>>(few.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n / 4 * width; i++)
		want[i / width] += in[i];
	sums.download();
	check_exact(&self, sums.host, want.host, n / 4, "rows");
	few.download();
	for (int i = 7; i < n / 2; i += 1024)
		if (few[i / 1024] != i)
			note_wrong(&self, i, few[i / 1024], i, "few");
	return report(&self);
}
