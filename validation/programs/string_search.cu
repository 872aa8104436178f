/*
 * Where words occur in a text: every position compared letter by letter with one
 * word in constant memory, an automaton (Shift-And) over parts of the text with a
 * mask for each letter in shared memory, and Horspool's skips in each part.
 *
 * SIZE: letters of the longest text.
 */
#include "common.h"

#define THREADS 256
#define PART 64 /* letters of a thread in the last two */
#define LENGTH 7

static struct workload self = { "string_search", "letters", 1 << 19, 4096,
				1 << 24 };

__constant__ char word[LENGTH];

__global__ void compare(int n, const char *text, int *found)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool same = i <= n - LENGTH;

	for (int k = 0; k < LENGTH && same; k++)
		same = text[i + k] == word[k];
	unsigned hits = __ballot_sync(ALL, same);
	if (threadIdx.x % WARP == 0 && hits)
		atomicAdd(found, __popc(hits));
}

/* An occurrence belongs to the thread of its last letter. */
__global__ void shift_and(int n, const char *text, int *found)
{
	__shared__ unsigned mask[256];
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * PART, count = 0;
	unsigned state = 0;

	mask[threadIdx.x] = 0;
	for (int k = 0; k < LENGTH; k++)
		if (word[k] == (int)threadIdx.x)
			mask[threadIdx.x] |= 1u << k;
	__syncthreads();
	for (int i = max(first - LENGTH + 1, 0); i < min(first + PART, n);
	     i++) {
		state = (state << 1 | 1) & mask[(unsigned char)text[i]];
		count += i >= first && state >> (LENGTH - 1) & 1;
	}
	if (count)
		atomicAdd(found, count);
}

/* An occurrence belongs to the thread of its first letter. */
__global__ void horspool(int n, const char *text, int *found)
{
	__shared__ unsigned char skip[256];
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * PART, count = 0;
	int last = min(first + PART, n - LENGTH + 1);

	skip[threadIdx.x] = LENGTH;
	for (int k = 0; k < LENGTH - 1; k++)
		if (word[k] == (int)threadIdx.x)
			skip[threadIdx.x] = LENGTH - 1 - k;
	__syncthreads();
	for (int i = first; i < last;) {
		int k = LENGTH - 1;

		while (k >= 0 && text[i + k] == word[k])
			k--;
		count += k < 0;
		i += skip[(unsigned char)text[i + LENGTH - 1]];
	}
	if (count)
		atomicAdd(found, count);
}

static void run(int n, const char *needle)
{
	array<char> text(n);
	array<int> found(1);
	int want = 0;

	random_ints(text, 3, n);
	for (int i = 0; i < n; i++)
		text[i] += 'a';
	for (int i = 0; i <= n - LENGTH; i++)
		want += memcmp(&text[i], needle, LENGTH) == 0;
	text.upload();
	for (int way = 0; way < 3; way++) {
		int parts = blocks_of(n, THREADS * PART);

		found.fill(0);
		if (way == 0)
			compare<<<blocks_of(n, THREADS), THREADS>>>(
				n, text.device, found.device);
		else if (way == 1)
			shift_and<<<parts, THREADS>>>(n, text.device,
						      found.device);
		else
			horspool<<<parts, THREADS>>>(n, text.device,
						     found.device);
		CHECK_LAUNCH();
		found.download();
		check_exact(&self, found.host, &want, 1);
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	const char *needle = "abcabca";

	CHECK(cudaMemcpyToSymbol(word, needle, LENGTH));
	run(n / 128, needle);
	run(n / 8, needle);
	run(n, needle);
	return report(&self);
}
