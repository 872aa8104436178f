/*
 * Merge sort: blocks sort 512 keys by odd-even merges in shared memory, then
 * pairs of sorted runs are merged. Each thread finds by binary search where its
 * part of the output begins in both runs, and merges eight keys one by one.
 *
 * SIZE: keys of the largest of three arrays, powers of two.
 */
#include "common.h"

#include <algorithm>

#define RUN 512
#define EACH 8 /* keys that a thread merges */

static struct workload self = { "merge_sort", "keys", 65536, 8192, 1 << 20 };

/* Batcher's odd-even merge sort of RUN keys; a thread has two of them. */
__global__ void sort_runs(int *keys)
{
	__shared__ int s[RUN];
	int t = threadIdx.x;
	int *own = keys + blockIdx.x * RUN;

	s[t] = own[t];
	s[t + RUN / 2] = own[t + RUN / 2];
	for (int size = 2; size <= RUN; size *= 2) {
		for (int stride = size / 2; stride > 0; stride /= 2) {
			int i = 2 * t - (t & (stride - 1));
			int offset = t & (size / 2 - 1);

			__syncthreads();
			bool pairs = stride == size / 2 || offset >= stride;
			if (stride != size / 2)
				i -= stride;
			if (pairs && i >= 0 && s[i] > s[i + stride]) {
				int key = s[i];

				s[i] = s[i + stride];
				s[i + stride] = key;
			}
		}
	}
	__syncthreads();
	own[t] = s[t];
	own[t + RUN / 2] = s[t + RUN / 2];
}

/* How many of the first k keys of the merged output come from a. */
__device__ int split(const int *a, const int *b, int length, int k)
{
	int low = max(0, k - length), high = min(k, length);

	while (low < high) {
		int middle = (low + high) / 2;

		if (a[middle] <= b[k - 1 - middle])
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

__global__ void merge_runs(const int *from, int *to, int length)
{
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
	int pair = first / (2 * length) * (2 * length);
	const int *a = from + pair, *b = a + length;
	int k = first - pair;
	int i = split(a, b, length, k), j = k - i;

	for (int e = 0; e < EACH; e++) {
		bool take_a = j >= length || (i < length && a[i] <= b[j]);

		to[first + e] = take_a ? a[i++] : b[j++];
	}
}

static void sort(int n, uint64_t seed)
{
	array<int> keys(n), other(n);

	random_ints(keys, 1000000, seed);
	keys.upload();
	sort_runs<<<n / RUN, RUN / 2>>>(keys.device);
	int *from = keys.device, *to = other.device;
	for (int length = RUN; length < n; length *= 2) {
		int threads = std::min(n / EACH, 128);

		merge_runs<<<n / EACH / threads, threads>>>(from, to, length);
		std::swap(from, to);
	}
	CHECK_LAUNCH();
	from_device(other.host, from, n);
	std::sort(keys.host, keys.host + n);
	check_exact(&self, other.host, keys.host, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n & (n - 1))
		bad_size(&self, "a power of two");
	sort(n / 16, 1);
	sort(n / 4, 2);
	sort(n, 3);
	return report(&self);
}
