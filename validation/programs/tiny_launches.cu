/*
 * Very small launches: one thread, one warp, one block, a few blocks; each does
 * little, some depend on the one before.
 *
 * SIZE: rounds of ten launches.
 */
#include "common.h"

static struct workload self = { "tiny_launches", "rounds", 2, 1, 1000 };

__global__ void nothing(void)
{
}

__global__ void set(int *p, int v)
{
	*p = v;
}

__global__ void add_lanes(int *p)
{
	int sum = __reduce_add_sync(ALL, (int)threadIdx.x + *p);

	if (threadIdx.x == 0)
		*p = sum;
}

__global__ void chase(const int *next, int *p, int steps)
{
	int at = *p % 1024;

	for (int i = 0; i < steps; i++)
		at = next[at];
	*p = at;
}

__global__ void fibonacci(unsigned *out, int n)
{
	unsigned a = 0, b = 1;

	for (int i = 0; i < n; i++) {
		unsigned c = a + b;

		a = b;
		b = c;
	}
	*out = a;
}

__global__ void block_sum(const int *in, int *p)
{
	__shared__ int s[256];

	s[threadIdx.x] = in[threadIdx.x];
	for (int half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			s[threadIdx.x] += s[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		*p += s[0];
}

__global__ void spread(int *out, int v)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = v + blockIdx.x;
}

int main(int argc, char **argv)
{
	int rounds = size_arg(&self, argc, argv);
	array<int> next(1024), p(1), out(4096);
	array<unsigned> f(1);

	for (int i = 0; i < 1024; i++)
		next[i] = (i * 389 + 77) % 1024;
	next.upload();
	for (int r = 0; r < rounds; r++) {
		int want = 0;
		unsigned a = 0, b = 1;

		nothing<<<1, 1>>>();
		set<<<1, 1>>>(p.device, r + 1);
		add_lanes<<<1, 32>>>(p.device);
		chase<<<1, 1>>>(next.device, p.device, 50 * (r + 1));
		fibonacci<<<1, 1>>>(f.device, 300 * (r + 1));
		block_sum<<<1, 64>>>(next.device, p.device);
		block_sum<<<1, 256>>>(next.device, p.device);
		nothing<<<4, 1024>>>();
		spread<<<2, 32>>>(out.device, r);
		spread<<<16, 256>>>(out.device, r);
		CHECK_LAUNCH();

		want = (32 * (r + 1) + 31 * 16) % 1024;
		for (int i = 0; i < 50 * (r + 1); i++)
			want = next[want];
		for (int i = 0; i < 256; i++)
			want += next[i] + (i < 64 ? next[i] : 0);
		for (int i = 0; i < 300 * (r + 1); i++) {
			unsigned c = a + b;

			a = b;
			b = c;
		}
		p.download();
		f.download();
		out.download();
		check_exact(&self, p.host, &want, 1, "chain");
		check_exact(&self, f.host, &a, 1, "numbers");
		for (int i = 0; i < 4096; i++)
			if (out[i] != r + i / 256)
				note_wrong(&self, i, out[i], r + i / 256,
					   "blocks");
	}
	return report(&self);
}
