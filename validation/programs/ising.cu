/*
 * Ising's model of a magnet: Metropolis steps on the black, then on the white
 * sites of a torus, random numbers from a hash of site and step, probabilities
 * from a table; the magnetization by a reduction after each sweep.
 *
 * SIZE: rows and columns of the larger lattice, even.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "ising", "rows and columns", 512, 32, 4096 };

/* The chance, of 2^24, to flip against an energy of 4 or 8. */
__constant__ unsigned chance[2] = { 2269407, 306986 };
static const unsigned host_chance[2] = { 2269407, 306986 };

__host__ __device__ static inline unsigned hash(unsigned x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

__host__ __device__ static inline int flipped(const signed char *s, int n,
					      int x, int y, unsigned step,
					      const unsigned *table)
{
	int up = y ? y - 1 : n - 1, down = y < n - 1 ? y + 1 : 0;
	int left = x ? x - 1 : n - 1, right = x < n - 1 ? x + 1 : 0;
	int own = s[y * n + x];
	int energy = 2 * own *
		     (s[up * n + x] + s[down * n + x] + s[y * n + left] +
		      s[y * n + right]);

	if (energy <= 0)
		return -own;
	unsigned random = hash((y * n + x) ^ step * 0x9e3779b9u) >> 8;
	return random < table[energy / 4 - 1] ? -own : own;
}

__global__ void sweep(int n, int colour, unsigned step, signed char *s)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int y = i / (n / 2), x = i % (n / 2) * 2 + (y + colour) % 2;

	if (y < n)
		s[y * n + x] = flipped(s, n, x, y, step, chance);
}

__global__ void magnetization(int n, const signed char *s, int *sum)
{
	int mine = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x)
		mine += s[i];
	mine = __reduce_add_sync(ALL, mine);
	if (threadIdx.x % WARP == 0)
		atomicAdd(sum, mine);
}

static void simulate(int n, int steps)
{
	array<signed char> s(n * n);
	array<int> sum(steps), want_sum(steps);
	signed char *want = host_alloc<signed char>(s.n);
	uint64_t random = n;

	for (size_t i = 0; i < s.n; i++)
		s[i] = want[i] = random_below(&random, 4) ? 1 : -1;
	s.upload();
	sum.fill(0);
	for (int step = 0; step < steps; step++) {
		for (int colour = 0; colour < 2; colour++) {
			sweep<<<blocks_of(n * n / 2, THREADS), THREADS>>>(
				n, colour, step, s.device);
			for (int i = 0; i < n * n; i++)
				if ((i / n + i % n) % 2 == colour)
					want[i] = flipped(want, n, i % n, i / n,
							  step, host_chance);
		}
		magnetization<<<32, THREADS>>>(n * n, s.device,
					       sum.device + step);
		CHECK_LAUNCH();
		for (int i = 0; i < n * n; i++)
			want_sum[step] += want[i];
	}
	s.download();
	sum.download();
	check_exact(&self, s.host, want, s.n);
	check_exact(&self, sum.host, want_sum.host, steps, "sums");
	free(want);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 2)
		bad_size(&self, "even");
	simulate(32, 3);
	simulate(n, 2);
	return report(&self);
}
