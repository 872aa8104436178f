/*
 * Edit distances of many pairs of words: a thread for each pair with its row in
 * local memory, and a block for each pair of longer strings with three
 * antidiagonals in shared memory.
 *
 * SIZE: pairs of words.
 */
#include "common.h"

#define WORD 16
#define LONG 256

static struct workload self = { "edit_distance", "pairs", 16384, 64, 1 << 18 };

__host__ __device__ static inline int least(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

__global__ void words(int pairs, const char *a, const char *b, int *distance)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned char row[WORD + 1];

	if (i >= pairs)
		return;
	for (int x = 0; x <= WORD; x++)
		row[x] = x;
	for (int y = 0; y < WORD; y++) {
		int corner = row[0];
		char letter = a[i * WORD + y];

		row[0] = y + 1;
		for (int x = 0; x < WORD; x++) {
			int up = row[x + 1];
			int change = corner + (letter != b[i * WORD + x]);

			row[x + 1] = least(change, up + 1, row[x] + 1);
			corner = up;
		}
	}
	distance[i] = row[WORD];
}

__global__ void strings(const char *a, const char *b, int *distance)
{
	__shared__ int s[3][LONG + 1];
	__shared__ char text[LONG];
	int t = threadIdx.x;
	char letter = a[blockIdx.x * LONG + t];

	text[t] = b[blockIdx.x * LONG + t];
	/* Diagonal d holds the cells (y, d - y); s[..][y] the cell of row y. */
	for (int d = 0; d <= 2 * LONG; d++) {
		int *now = s[d % 3];
		const int *last = s[(d + 2) % 3], *before = s[(d + 1) % 3];
		int y = t + 1, x = d - y;

		if (t == 0 && d <= LONG)
			now[0] = d;
		if (x == 0)
			now[y] = y;
		else if (x > 0 && x <= LONG)
			now[y] = least(before[y - 1] + (letter != text[x - 1]),
				       last[y - 1] + 1, last[y] + 1);
		__syncthreads();
	}
	if (t == 0)
		distance[blockIdx.x] = s[2 * LONG % 3][LONG];
}

static int expected(const char *a, const char *b, int n)
{
	int row[LONG + 1];

	for (int x = 0; x <= n; x++)
		row[x] = x;
	for (int y = 0; y < n; y++) {
		int corner = row[0];

		row[0] = y + 1;
		for (int x = 0; x < n; x++) {
			int up = row[x + 1];

			row[x + 1] = least(corner + (a[y] != b[x]), up + 1,
					   row[x] + 1);
			corner = up;
		}
	}
	return row[n];
}

static void run(int pairs, int length)
{
	array<char> a(pairs * length), b(pairs * length);
	array<int> distance(pairs), want(pairs);

	random_ints(a, 4, pairs);
	random_ints(b, 4, pairs + 1);
	a.upload();
	b.upload();
	if (length == WORD)
		words<<<blocks_of(pairs, 128), 128>>>(pairs, a.device, b.device,
						      distance.device);
	else
		strings<<<pairs, LONG>>>(a.device, b.device, distance.device);
	CHECK_LAUNCH();
	for (int i = 0; i < pairs; i++)
		want[i] = expected(&a[i * length], &b[i * length], length);
	distance.download();
	check_exact(&self, distance.host, want.host, pairs);
}

int main(int argc, char **argv)
{
	int pairs = size_arg(&self, argc, argv);

	run(pairs / 64, WORD);
	run(pairs / 8, WORD);
	run(pairs, WORD);
	run(1, LONG);
	run(pairs / 1024, LONG);
	run(pairs / 512 + 5, LONG);
	return report(&self);
}
