/*
 * The matches of a compressor of Lempel and Ziv's kind: blocks of 4096 bytes, a
 * hash of three bytes leads to the last place of the same, chains are followed for
 * a few steps, lengths are compared byte by byte and word by word; then the greedy
 * choice by one thread of each block, and decompression by warps.
 *
 * SIZE: blocks of the largest text.
 */
#include "common.h"

#define BLOCK 4096
#define LEAST 4
#define MOST 64
#define THREADS 128

static struct workload self = { "lz_match", "blocks", 12, 1, 2048 };

__host__ __device__ static unsigned hash3(const unsigned char *p)
{
	return ((p[0] | p[1] << 8 | p[2] << 16) * 2654435761u) >> 22;
}

/* length << 16 | distance for each byte; 0: no match. The tables are built by one
 * warp in the order of places, so that they do not depend on chance. */
__global__ void find_matches(const unsigned char *text, unsigned *match)
{
	__shared__ unsigned char s[BLOCK + MOST];
	__shared__ unsigned short last[1024], before[BLOCK];
	const unsigned char *in = text + (size_t)blockIdx.x * BLOCK;

	for (int i = threadIdx.x; i < BLOCK / 16; i += THREADS)
		((uint4 *)s)[i] = ((const uint4 *)in)[i];
	for (int i = threadIdx.x; i < 1024; i += THREADS)
		last[i] = 0xffff;
	__syncthreads();
	if (threadIdx.x < WARP)
		for (int first = 0; first < BLOCK - 2; first += WARP) {
			int i = first + threadIdx.x;
			unsigned h = i < BLOCK - 2 ? hash3(s + i) : 1024 + i;
			unsigned same = __match_any_sync(ALL, h);
			unsigned lower = same & ((1u << threadIdx.x) - 1);

			if (i < BLOCK - 2) {
				before[i] = lower ? first + 31 - __clz(lower) :
						    last[h];
				if (31 - __clz(same) == threadIdx.x)
					last[h] = i;
			}
			__syncwarp();
		}
	__syncthreads();
	for (int i = threadIdx.x; i < BLOCK; i += THREADS) {
		int best = 0, distance = 0, end = min(BLOCK - i, MOST);
		int j = i < BLOCK - 2 ? before[i] : 0xffff;

		for (int step = 0; step < 8 && j != 0xffff; step++) {
			int n = 0;

			while (n < end && s[j + n] == s[i + n])
				n++;
			if (n > best) {
				best = n;
				distance = i - j;
			}
			j = before[j];
		}
		match[(size_t)blockIdx.x * BLOCK + i] =
			best >= LEAST ? best << 16 | distance : 0;
	}
}

/* Tokens: a literal, or 1 << 31 | length << 16 | distance. */
__global__ void choose(const unsigned char *text, const unsigned *match,
		       int blocks, unsigned *tokens, int *count)
{
	int block = blockIdx.x * blockDim.x + threadIdx.x, n = 0;

	if (block >= blocks)
		return;
	const unsigned char *in = text + (size_t)block * BLOCK;
	const unsigned *m = match + (size_t)block * BLOCK;
	unsigned *out = tokens + (size_t)block * BLOCK;
	for (int i = 0; i < BLOCK;) {
		unsigned own = m[i];

		out[n++] = own ? 1u << 31 | own : in[i];
		i += own ? own >> 16 : 1;
	}
	count[block] = n;
}

/* A warp for each block: 32 tokens at a time find their places, then matches are
 * copied in order, each by all lanes. */
__global__ void expand(const unsigned *tokens, const int *count, int blocks,
		       unsigned char *text)
{
	int block = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
	int lane = threadIdx.x % WARP, at = 0;

	if (block >= blocks)
		return;
	volatile unsigned char *out = text + (size_t)block * BLOCK;
	for (int first = 0; first < count[block]; first += WARP) {
		int t = first + lane;
		unsigned token = t < count[block] ?
					 tokens[(size_t)block * BLOCK + t] :
					 0;
		int n = t >= count[block] ? 0 :
			token >> 31       ? token >> 16 & 0x7fff :
					    1;
		int end = n;

		for (int d = 1; d < WARP; d *= 2) {
			int low = __shfl_up_sync(ALL, end, d);

			if (lane >= d)
				end += low;
		}
		if (n && !(token >> 31))
			out[at + end - 1] = token;
		unsigned matches = __ballot_sync(ALL, token >> 31);
		while (matches) {
			int from = __ffs(matches) - 1;
			unsigned m = __shfl_sync(ALL, token, from);
			int to = at + __shfl_sync(ALL, end - n, from);
			int length = m >> 16 & 0x7fff, distance = m & 0xffff;

			__syncwarp();
			for (int i = lane; i < length; i += WARP)
				out[to + i] = out[to + i % distance - distance];
			__syncwarp();
			matches &= matches - 1;
		}
		at += __shfl_sync(ALL, end, WARP - 1);
	}
}

static void run(int blocks, int letters)
{
	size_t n = (size_t)blocks * BLOCK;
	array<unsigned char> text(n), back(n);
	array<unsigned> match(n), tokens(n), want(n);
	array<int> count(blocks), want_count(blocks);
	uint64_t seed = blocks;

	for (size_t i = 0; i < n;) /* words that return */
		if (i > 100 && random_below(&seed, 3)) {
			int far = 1 + random_below(&seed, 100);

			for (int k = random_below(&seed, 12); k >= 0 && i < n;
			     k--, i++)
				text[i] = text[i - far];
		} else {
			text[i++] = 'a' + random_below(&seed, letters);
		}
	text.upload();
	for (int b = 0; b < blocks; b++) {
		const unsigned char *s = text.host + (size_t)b * BLOCK;
		static int last[1024], before[BLOCK];

		for (int h = 0; h < 1024; h++)
			last[h] = -1;
		for (int i = 0; i < BLOCK; i++) {
			int best = 0, distance = 0;

			before[i] = -1;
			if (i < BLOCK - 2) {
				before[i] = last[hash3(s + i)];
				last[hash3(s + i)] = i;
			}
			for (int j = before[i], k = 0; k < 8 && j >= 0;
			     j = before[j], k++) {
				int m = 0;

				while (i + m < BLOCK && m < MOST &&
				       s[i + m] == s[j + m])
					m++;
				if (m > best) {
					best = m;
					distance = i - j;
				}
			}
			want[(size_t)b * BLOCK + i] =
				best >= LEAST ? best << 16 | distance : 0;
		}
		for (int i = 0; i < BLOCK; want_count[b]++) {
			unsigned m = want[(size_t)b * BLOCK + i];
			i += m ? m >> 16 : 1;
		}
	}
	find_matches<<<blocks, THREADS>>>(text.device, match.device);
	choose<<<blocks_of(blocks, 32), 32>>>(text.device, match.device, blocks,
					      tokens.device, count.device);
	expand<<<blocks_of(blocks, 2), 64>>>(tokens.device, count.device,
					     blocks, back.device);
	CHECK_LAUNCH();
	match.download();
	count.download();
	back.download();
	check_exact(&self, match.host, want.host, n, "matches");
	check_exact(&self, count.host, want_count.host, blocks, "tokens");
	check_exact(&self, back.host, text.host, n, "expanded");
}

int main(int argc, char **argv)
{
	int blocks = size_arg(&self, argc, argv);

	run(1, 4);
	run(blocks, 20);
	run(blocks / 3 + 1, 2);
	return report(&self);
}
