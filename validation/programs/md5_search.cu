/*
 * Which of many keys has a given MD5 hash? Each thread makes a key of letters from
 * its number and hashes it (SHOC's md5hash). Then a hash of long messages, a thread
 * for each, that come as bytes.
 *
 * SIZE: keys.
 */
#include "common.h"

#define LETTERS 8 /* of a key */
#define THREADS 384

static struct workload self = { "md5_search", "keys", 50000, 64, 1 << 24 };

struct digest {
	unsigned a, b, c, d;
};

#ifdef __CUDA_ARCH__
#define SINES device_sines
#else
#define SINES host_sines
#endif
__constant__ unsigned device_sines[64];
static unsigned host_sines[64];

__host__ __device__ static inline void block_of(digest *h, const unsigned *w)
{
	const int turns[16] = { 7, 12, 17, 22, 5, 9,  14, 20,
				4, 11, 16, 23, 6, 10, 15, 21 };
	unsigned a = h->a, b = h->b, c = h->c, d = h->d;

#pragma unroll
	for (int i = 0; i < 64; i++) {
		unsigned f, turn = turns[i / 16 * 4 + i % 4];
		int g;

		if (i < 16) {
			f = (b & c) | (~b & d);
			g = i;
		} else if (i < 32) {
			f = (d & b) | (~d & c);
			g = (5 * i + 1) % 16;
		} else if (i < 48) {
			f = b ^ c ^ d;
			g = (3 * i + 5) % 16;
		} else {
			f = c ^ (b | ~d);
			g = 7 * i % 16;
		}
		f += a + SINES[i] + w[g];
		a = d;
		d = c;
		c = b;
		b += f << turn | f >> (32 - turn);
	}
	h->a += a;
	h->b += b;
	h->c += c;
	h->d += d;
}

__host__ __device__ static inline digest hash_key(unsigned number)
{
	digest h = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	unsigned w[16] = { 0 };

	for (int k = 0; k < LETTERS; k++) {
		w[k / 4] |= ('a' + number % 26) << (k % 4 * 8);
		number /= 26;
	}
	w[LETTERS / 4] = 0x80;
	w[14] = LETTERS * 8;
	block_of(&h, w);
	return h;
}

__global__ void search(unsigned n, digest wanted, int *found, digest *hash)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	digest h = hash_key(i);
	if (h.a == wanted.a && h.b == wanted.b && h.c == wanted.c &&
	    h.d == wanted.d) {
		*found = (int)i;
		*hash = h;
	}
}

/* Messages of `length` bytes, a multiple of 64, one after the other. */
__host__ __device__ static inline digest hash_bytes(const unsigned char *bytes,
						    int length)
{
	digest h = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	unsigned w[16];

	for (int from = 0; from < length; from += 64) {
		for (int k = 0; k < 16; k++) {
			const unsigned char *b = bytes + from + 4 * k;

			w[k] = b[0] | b[1] << 8 | b[2] << 16 |
			       (unsigned)b[3] << 24;
		}
		block_of(&h, w);
	}
	return h;
}

__global__ void messages(int n, const unsigned char *bytes, int length,
			 digest *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = hash_bytes(bytes + (size_t)i * length, length);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), count = 200, length = 256;
	array<int> found(1);
	array<digest> hash(1), all(count), want(count);
	array<unsigned char> bytes((size_t)count * length);
	int secret = n / 7 * 5;

	for (int i = 0; i < 64; i++)
		host_sines[i] =
			(unsigned)floor(fabs(sin(i + 1.0)) * 4294967296.0);
	CHECK(cudaMemcpyToSymbol(device_sines, host_sines, sizeof host_sines));
	random_ints(bytes, 256, n);
	bytes.upload();
	found.fill(0xff);
	digest known = hash_key(secret);
	search<<<blocks_of(n, THREADS), THREADS>>>(n, known, found.device,
						   hash.device);
	messages<<<blocks_of(count, 64), 64>>>(count, bytes.device, length,
					       all.device);
	CHECK_LAUNCH();
	found.download();
	hash.download();
	all.download();
	for (int i = 0; i < count; i++)
		want[i] = hash_bytes(bytes.host + i * length, length);
	check_exact(&self, found.host, &secret, 1, "key");
	check_exact(&self, &hash[0].a, &known.a, 4, "hash");
	check_exact(&self, &all[0].a, &want[0].a, 4 * count, "messages");
	return report(&self);
}
