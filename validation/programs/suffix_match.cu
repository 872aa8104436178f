/*
 * Where does each of many short strings occur in a long one? A binary search in
 * the sorted suffixes of the long one, a thread for each query; then the longest
 * prefix of the query that occurs, as aligners of genomes seed their matches.
 *
 * SIZE: length of the text.
 */
#include <algorithm>

#include "common.h"

#define LENGTH 24 /* of a query */
#define THREADS 256

static struct workload self = { "suffix_match", "length", 32768, 256, 1 << 20 };

struct match {
	int first, count; /* in the order of suffixes */
	short longest;
	short compared;
};

/* Below, equal or above 0: query against the suffix; *same letters agree. */
__host__ __device__ static inline int
compare(const char *query, const char *suffix, int left, int *same)
{
	int k = 0;

	while (k < LENGTH && k < left && query[k] == suffix[k])
		k++;
	*same = k;
	if (k == LENGTH)
		return 0;
	return k == left ? 1 : query[k] - suffix[k];
}

__global__ void search(int n, const char *text, const int *suffixes,
		       int queries, const char *query, match *out)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x;

	if (q >= queries)
		return;
	const char *mine = query + q * LENGTH;
	int low = 0, high = n, longest = 0, compared = 0, same;
	while (low < high) {
		int middle = (low + high) / 2, at = suffixes[middle];

		if (compare(mine, text + at, n - at, &same) > 0)
			low = middle + 1;
		else
			high = middle;
		longest = max(longest, same);
		compared++;
	}
	int end = low;
	while (end < n && compare(mine, text + suffixes[end], n - suffixes[end],
				  &same) == 0)
		end++;
	out[q].first = low;
	out[q].count = end - low;
	out[q].longest = (short)(end > low ? LENGTH : longest);
	out[q].compared = (short)compared;
}

static void align(int n, int queries)
{
	array<char> text(n), query((size_t)queries * LENGTH);
	array<int> suffixes(n);
	array<match> found(queries);
	uint64_t seed = n;
	const char *t = text.host;

	for (int i = 0; i < n; i++)
		text[i] = "ACGT"[random_below(&seed, 4)];
	/* Half of the queries are copied from the text, some with an error. */
	for (int q = 0; q < queries; q++) {
		int from = random_below(&seed, n - LENGTH);
		int wrong = random_below(&seed, 2 * LENGTH);

		for (int k = 0; k < LENGTH; k++)
			query[q * LENGTH + k] = k == wrong ? 'A' : t[from + k];
	}
	for (int i = 0; i < n; i++)
		suffixes[i] = i;
	std::sort(suffixes.host, suffixes.host + n, [t, n](int a, int b) {
		int left = n - (a > b ? a : b);
		int order = memcmp(t + a, t + b, left);

		return order ? order < 0 : a > b;
	});
	text.upload();
	query.upload();
	suffixes.upload();
	found.fill(0);
	search<<<blocks_of(queries, THREADS), THREADS>>>(n, text.device,
							 suffixes.device,
							 queries, query.device,
							 found.device);
	CHECK_LAUNCH();
	found.download();
	note_bits(&self, found.host, found.n * sizeof(match));
	for (int q = 0; q < queries; q++) {
		int count = 0, longest = 0;

		for (int i = 0; i < n; i++) {
			int same;

			compare(query.host + q * LENGTH, t + i, n - i, &same);
			count += same == LENGTH;
			longest = same > longest ? same : longest;
		}
		if (found[q].count != count)
			note_wrong(&self, q, found[q].count, count, "counts");
		if (found[q].longest != longest)
			note_wrong(&self, q, (int)found[q].longest, longest,
				   "lengths");
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	align(n / 4, 200);
	align(n, 3000);
	return report(&self);
}
