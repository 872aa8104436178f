/*
 * Conway's game of life on a torus: a byte for each cell (a thread each), and 32
 * cells in a word, counted by logic on whole words.
 *
 * SIZE: rows and columns, a multiple of 32.
 */
#include "common.h"

#include <utility>

static struct workload self = { "life", "rows and columns", 1024, 64, 8192 };

typedef unsigned char cell;

__global__ void step_bytes(int n, const cell *in, cell *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int left = (x + n - 1) % n, right = (x + 1) % n;
	const cell *up = in + (y + n - 1) % n * n, *down = in + (y + 1) % n * n;
	const cell *row = in + y * n;
	int around = up[left] + up[x] + up[right] + row[left] + row[right] +
		     down[left] + down[x] + down[right];

	out[y * n + x] = around == 3 || (around == 2 && row[x]);
}

/* Adds one bit for each of 32 cells to counters of two bits that stop at 4. */
__device__ static void count(unsigned bit, unsigned *one, unsigned *two,
			     unsigned *many)
{
	unsigned carry = *one & bit;

	*one ^= bit;
	*many |= *two & carry;
	*two ^= carry;
}

__global__ void step_words(int n, const unsigned *in, unsigned *out)
{
	int words = n / 32;
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	unsigned one = 0, two = 0, many = 0, self_bits = 0;

	if (x >= words || y >= n)
		return;
	int left = (x + words - 1) % words, right = (x + 1) % words;
	for (int d = -1; d <= 1; d++) {
		const unsigned *row = in + (y + d + n) % n * words;
		unsigned here = row[x];

		count(here << 1 | row[left] >> 31, &one, &two, &many);
		count(here >> 1 | row[right] << 31, &one, &two, &many);
		if (d)
			count(here, &one, &two, &many);
		else
			self_bits = here;
	}
	out[y * words + x] = two & ~many & (one | self_bits);
}

static void expected(int n, const cell *in, cell *out)
{
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			int around = 0;

			for (int d = 0; d < 9; d++)
				if (d != 4)
					around +=
						in[(y + d / 3 - 1 + n) % n * n +
						   (x + d % 3 - 1 + n) % n];
			out[y * n + x] = around == 3 ||
					 (around == 2 && in[y * n + x]);
		}
}

static void play(int n, int steps)
{
	array<cell> a(n * n), b(n * n);
	array<unsigned> wa(n * n / 32), wb(n * n / 32);
	cell *got = host_alloc<cell>(n * n);

	random_ints(a, 2, n);
	for (int i = 0; i < n * n; i++)
		wa[i / 32] |= (unsigned)a[i] << i % 32;
	a.upload();
	wa.upload();
	cell *from = a.device, *to = b.device, *now = a.host, *next = b.host;
	unsigned *wfrom = wa.device, *wto = wb.device;
	for (int s = 0; s < steps; s++) {
		step_bytes<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, from, to);
		step_words<<<dim3(blocks_of(n / 32, 8), blocks_of(n, 16)),
			     dim3(8, 16)>>>(n, wfrom, wto);
		CHECK_LAUNCH();
		expected(n, now, next);
		std::swap(from, to);
		std::swap(wfrom, wto);
		std::swap(now, next);
	}
	from_device(got, from, n * n);
	from_device(wa.host, wfrom, wa.n);
	check_exact(&self, got, now, n * n, "bytes");
	for (int i = 0; i < n * n; i++)
		got[i] = wa[i / 32] >> i % 32 & 1;
	check_exact(&self, got, now, n * n, "words");
	free(got);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 32)
		bad_size(&self, "a multiple of 32");
	play(64, 2);
	play(n / 4 / 32 * 32, 2);
	play(n, 1);
	return report(&self);
}
