/*
 * SHA-256 of many short messages, a thread for each: rotations and logic, the
 * round constants in constant memory, the message schedule in registers; and a
 * search for the smallest hash over a range of counters.
 *
 * SIZE: messages of the largest launch.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "sha256", "messages", 16384, 128, 1 << 20 };

static const unsigned host_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

__constant__ unsigned device_k[64];

__host__ __device__ static inline unsigned rotate(unsigned x, int n)
{
	return x >> n | x << (32 - n);
}

/* One message of one block of 16 words; w is used up. */
__host__ __device__ static inline void digest(unsigned w[16], unsigned h[8],
					      const unsigned *k)
{
	unsigned s[8];

	for (int i = 0; i < 8; i++)
		s[i] = h[i];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (int i = 0; i < 64; i++) {
		if (i >= 16) {
			unsigned a = w[(i + 1) % 16], b = w[(i + 14) % 16];

			w[i % 16] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
				     w[(i + 9) % 16] +
				     (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
		}
		unsigned e = s[4], a = s[0];
		unsigned t1 = s[7] +
			      (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			      ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i % 16];
		unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		for (int j = 7; j > 0; j--)
			s[j] = s[j - 1];
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		h[i] += s[i];
}

/* The message is four words: its number, twice over, and a salt. */
__host__ __device__ static inline void start(unsigned number, unsigned salt,
					     unsigned w[16], unsigned h[8])
{
	const unsigned first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
				    0xa54ff53a, 0x510e527f, 0x9b05688c,
				    0x1f83d9ab, 0x5be0cd19 };

	for (int i = 0; i < 8; i++)
		h[i] = first[i];
	for (int i = 0; i < 16; i++)
		w[i] = 0;
	w[0] = number;
	w[1] = ~number;
	w[2] = salt;
	w[3] = number * 3;
	w[4] = 0x80000000;
	w[15] = 128;
}

__global__ void digests(int n, unsigned salt, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned w[16], h[8];

	if (i >= n)
		return;
	start(i, salt, w, h);
	digest(w, h, device_k);
	for (int k = 0; k < 8; k++)
		out[k * n + i] = h[k];
}

__global__ void smallest(int each, unsigned salt, unsigned *best)
{
	unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
	unsigned least = 0xffffffffu;

	for (int i = 0; i < each; i++) {
		unsigned w[16], h[8];

		start(first + i, salt, w, h);
		digest(w, h, device_k);
		least = min(least, h[0]);
	}
	least = __reduce_min_sync(ALL, least);
	if (threadIdx.x % WARP == 0)
		atomicMin(best, least);
}

static void run(int n, int each, unsigned salt)
{
	array<unsigned> out(8 * n), want(8 * n), best(1);
	unsigned least = 0xffffffffu;

	n = n / THREADS * THREADS;
	best.fill(0xff);
	digests<<<n / THREADS, THREADS>>>(n, salt, out.device);
	smallest<<<n / each / THREADS, THREADS>>>(each, salt, best.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++) {
		unsigned w[16], h[8];

		start(i, salt, w, h);
		digest(w, h, host_k);
		for (int k = 0; k < 8; k++)
			want[k * n + i] = h[k];
		least = h[0] < least ? h[0] : least;
	}
	out.download();
	best.download();
	check_exact(&self, out.host, want.host, 8 * n);
	check_exact(&self, best.host, &least, 1, "smallest");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	CHECK(cudaMemcpyToSymbol(device_k, host_k, sizeof host_k));
	run(THREADS, 1, 1);
	run(n / 8 / THREADS * THREADS + THREADS, 1, 2);
	run(n / 512 * 512, 4, 3);
	run(n * 4 / 512 * 512, 1, 4);
	return report(&self);
}
