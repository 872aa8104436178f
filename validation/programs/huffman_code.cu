/*
 * Text is packed with a code of variable length: each thread looks its symbols up
 * in shared memory, a scan of the block gives their positions, and bits are set
 * with atomics in shared memory; each block writes its own part (after the VLC
 * encoders of several suites). Then it is unpacked again, a thread for each block.
 *
 * SIZE: symbols of the longer text, a multiple of 1024.
 */
#include "common.h"

#define THREADS 256
#define EACH 4 /* symbols of a thread */
#define PART (THREADS * EACH)
#define WORDS (PART * 12 / 32) /* room of a block; codes have up to 12 bits */

static struct workload self = { "huffman_code", "symbols", 98304, PART,
				1 << 24 };

struct code {
	unsigned short bits;
	unsigned char length, symbol;
};

__global__ void pack(const unsigned char *text, const code *book,
		     unsigned *packed, int *lengths)
{
	__shared__ code codes[256];
	__shared__ int start[THREADS];
	__shared__ unsigned out[WORDS];
	int t = threadIdx.x, length = 0;
	const uchar4 *mine = (const uchar4 *)text + blockIdx.x * THREADS + t;

	codes[t] = book[t];
	for (int i = t; i < WORDS; i += THREADS)
		out[i] = 0;
	__syncthreads();
	uchar4 four = *mine;
	unsigned char symbols[EACH] = { four.x, four.y, four.z, four.w };
	for (int k = 0; k < EACH; k++)
		length += codes[symbols[k]].length;
	start[t] = length;
	__syncthreads();
	for (int step = 1; step < THREADS; step *= 2) {
		int before = t >= step ? start[t - step] : 0;

		__syncthreads();
		start[t] += before;
		__syncthreads();
	}
	int at = start[t] - length;
	for (int k = 0; k < EACH; k++) {
		code c = codes[symbols[k]];
		unsigned long long wide = (unsigned long long)c.bits
					  << (64 - c.length - at % 32);

		atomicOr(&out[at / 32], (unsigned)(wide >> 32));
		if (at % 32 + c.length > 32)
			atomicOr(&out[at / 32 + 1], (unsigned)wide);
		at += c.length;
	}
	__syncthreads();
	int used = (start[THREADS - 1] + 31) / 32;
	for (int i = t; i < used; i += THREADS)
		packed[blockIdx.x * WORDS + i] = out[i];
	if (t == 0)
		lengths[blockIdx.x] = start[THREADS - 1];
}

/* Canonical codes: next[] has the first code of each length, sorted symbols. */
__global__ void unpack(int blocks, const unsigned *packed, const int *first,
		       const int *offset, const unsigned char *sorted,
		       unsigned char *text, int symbols)
{
	int b = blockIdx.x * blockDim.x + threadIdx.x, at = 0;

	if (b >= blocks)
		return;
	for (int i = 0; i < symbols; i++) {
		int value = 0, length = 0;

		do {
			unsigned word = packed[b * WORDS + at / 32];

			value = value * 2 + (word >> (31 - at % 32) & 1);
			at++;
			length++;
		} while (value >= first[length + 1] / 2);
		text[b * PART + i] =
			sorted[offset[length] + value - first[length]];
	}
}

/* A symbol of 3 bits, 2 of 4, 4 of 5 ..., the last 2 of 11: all codes are used. */
static void make_book(code *book, int *first, int *offset,
		      unsigned char *sorted)
{
	int symbol = 0, next = 0;

	for (int length = 3; length <= 12; length++) {
		int count = length == 10 ? 127 : 1 << (length - 3);

		next *= 2;
		first[length] = next;
		offset[length] = symbol;
		for (; count > 0 && symbol < 256 && next < 1 << length;
		     count--) {
			book[symbol] = { (unsigned short)next,
					 (unsigned char)length,
					 (unsigned char)symbol };
			sorted[symbol] = (unsigned char)symbol;
			symbol++;
			next++;
		}
	}
	first[13] = 1 << 20;
}

static void code_text(int n, int unpacked)
{
	int blocks = n / PART;
	array<unsigned char> text(n), sorted(256), again(n);
	array<code> book(256);
	array<int> first(14), offset(13), lengths(blocks), want(blocks);
	array<unsigned> packed((size_t)blocks * WORDS);
	uint64_t seed = n;

	make_book(book.host, first.host, offset.host, sorted.host);
	for (int i = 0; i < n; i++) {
		int range = 8 << random_below(&seed, 6);

		text[i] = (unsigned char)random_below(&seed, range);
		want[i / PART] += book[text[i]].length;
	}
	text.upload();
	sorted.upload();
	book.upload();
	first.upload();
	offset.upload();
	again.fill(0);
	pack<<<blocks, THREADS>>>(text.device, book.device, packed.device,
				  lengths.device);
	unpack<<<blocks_of(blocks, 32), 32>>>(blocks, packed.device,
					      first.device, offset.device,
					      sorted.device, again.device,
					      unpacked);
	CHECK_LAUNCH();
	lengths.download();
	again.download();
	check_exact(&self, lengths.host, want.host, blocks, "lengths");
	for (int b = 0; b < blocks; b++)
		for (int i = 0; i < unpacked; i++)
			if (again[b * PART + i] != text[b * PART + i])
				note_wrong(&self, b * PART + i,
					   (int)again[b * PART + i],
					   (int)text[b * PART + i], "text");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % PART)
		bad_size(&self, "a multiple of 1024");
	code_text(PART, PART / 8);
	code_text(n, PART / 8);
	return report(&self);
}
