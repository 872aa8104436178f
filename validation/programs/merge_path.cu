/*
 * Two sorted arrays merged by diagonals: a first kernel finds by binary search
 * where the parts of all blocks begin, a second one loads its two pieces into
 * shared memory, where each thread finds its own diagonal and merges seven
 * elements in registers. And the union, intersection and difference counted.
 *
 * SIZE: elements of the larger of the two arrays.
 */
#include "common.h"

#include <algorithm>

#define THREADS 128
#define EACH 7
#define PART (THREADS * EACH)

static struct workload self = { "merge_path", "elements", 150000, 1000,
				1 << 22 };

/* How many of the first `diagonal` of the merged array come from a. */
__device__ static int split(const int *a, int na, const int *b, int nb,
			    int diagonal)
{
	int low = max(0, diagonal - nb), high = min(diagonal, na);

	while (low < high) {
		int middle = (low + high) / 2;

		if (a[middle] <= b[diagonal - 1 - middle])
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

__global__ void partition(const int *a, int na, const int *b, int nb,
			  int *places, int parts)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i <= parts)
		places[i] = split(a, na, b, nb, min(i * PART, na + nb));
}

__global__ void __launch_bounds__(THREADS)
	merge_parts(const int *a, int na, const int *b, int nb,
		    const int *places, int *out)
{
	__shared__ int s[PART];
	int first = blockIdx.x * PART, last = min(first + PART, na + nb);
	int a0 = places[blockIdx.x], a1 = places[blockIdx.x + 1];
	int b0 = first - a0, b1 = last - a1, n = last - first;
	int own[EACH];

	for (int i = threadIdx.x; i < n; i += THREADS)
		s[i] = i < a1 - a0 ? a[a0 + i] : b[b0 + i - (a1 - a0)];
	__syncthreads();
	int diagonal = min((int)threadIdx.x * EACH, n);
	int i = split(s, a1 - a0, s + (a1 - a0), b1 - b0, diagonal);
	int j = diagonal - i + (a1 - a0);
#pragma unroll
	for (int k = 0; k < EACH; k++) {
		bool from_a = j >= n || (i < a1 - a0 && s[i] <= s[j]);

		own[k] = diagonal + k < n ? s[from_a ? i : j] : 0;
		if (from_a)
			i++;
		else
			j++;
		i = min(i, n - 1);
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < EACH; k++)
		if (diagonal + k < n)
			s[diagonal + k] = own[k];
	__syncthreads();
	for (int k = threadIdx.x; k < n; k += THREADS)
		out[first + k] = s[k];
}

/* Elements of a that are in b, by binary searches. */
__global__ void count_common(const int *a, int na, const int *b, int nb,
			     unsigned *count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool found = false;

	if (i < na) {
		int low = 0, high = nb;

		while (low < high) {
			int middle = (low + high) / 2;

			if (__ldg(&b[middle]) < a[i])
				low = middle + 1;
			else
				high = middle;
		}
		found = low < nb && b[low] == a[i];
	}
	int all = __syncthreads_count(found);
	if (threadIdx.x == 0 && all)
		atomicAdd(count, all);
}

static void run(int na, int nb)
{
	int parts = blocks_of(na + nb, PART);
	array<int> a(na), b(nb), out(na + nb), want(na + nb), places(parts + 1);
	array<unsigned> count(1), common(1);

	random_ints(a, 1 << 20, na);
	random_ints(b, 1 << 20, nb + 1);
	std::sort(a.host, a.host + na);
	std::sort(b.host, b.host + nb);
	std::merge(a.host, a.host + na, b.host, b.host + nb, want.host);
	for (int i = 0; i < na; i++)
		common[0] += std::binary_search(b.host, b.host + nb, a[i]);
	a.upload();
	b.upload();
	count.fill(0);
	partition<<<blocks_of(parts + 1, 64), 64>>>(a.device, na, b.device, nb,
						    places.device, parts);
	merge_parts<<<parts, THREADS>>>(a.device, na, b.device, nb,
					places.device, out.device);
	count_common<<<blocks_of(na, 256), 256>>>(a.device, na, b.device, nb,
						  count.device);
	CHECK_LAUNCH();
	out.download();
	count.download();
	check_exact(&self, out.host, want.host, na + nb, "merged");
	check_exact(&self, count.host, common.host, 1, "common");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 100, n / 150);
	run(n / 4, n / 100);
	run(n, n / 2);
	return report(&self);
}
