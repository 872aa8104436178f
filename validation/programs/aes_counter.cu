/*
 * AES-128 in counter mode: four tables of 256 words in shared memory (looked up at
 * random addresses), one table with rotations, and the tables in constant memory;
 * the key is expanded on the host. A thread has one or four blocks of 16 bytes.
 *
 * SIZE: blocks of 16 bytes of the largest launch.
 */
#include "common.h"

#define ROUNDS 10

static struct workload self = { "aes_counter", "blocks", 40000, 1000, 1 << 22 };

__constant__ unsigned round_keys[4 * (ROUNDS + 1)];
__constant__ unsigned constant_table[256];
__constant__ unsigned char constant_box[256];

static unsigned host_table[256], host_keys[4 * (ROUNDS + 1)];
static unsigned char host_box[256];

__host__ __device__ static unsigned turn(unsigned v, int n)
{
	return n ? v << n | v >> (32 - n) : v;
}

struct four_tables {
	const unsigned (*t)[256];
	__device__ unsigned operator()(int k, unsigned b) const
	{
		return t[k][b];
	}
};

struct one_table {
	const unsigned *t;
	__device__ unsigned operator()(int k, unsigned b) const
	{
		return turn(t[b], 8 * k);
	}
};

struct in_constant {
	__device__ unsigned operator()(int k, unsigned b) const
	{
		return turn(constant_table[b], 8 * k);
	}
};

template <class TABLE>
__device__ static uint4 encrypt(uint4 in, TABLE table, const unsigned char *box)
{
	unsigned s[4] = { in.x ^ round_keys[0], in.y ^ round_keys[1],
			  in.z ^ round_keys[2], in.w ^ round_keys[3] },
		 t[4];

	for (int r = 1; r < ROUNDS; r++) {
#pragma unroll
		for (int i = 0; i < 4; i++)
			t[i] = table(0, s[i] & 255) ^
			       table(1, s[(i + 1) % 4] >> 8 & 255) ^
			       table(2, s[(i + 2) % 4] >> 16 & 255) ^
			       table(3, s[(i + 3) % 4] >> 24) ^
			       round_keys[4 * r + i];
#pragma unroll
		for (int i = 0; i < 4; i++)
			s[i] = t[i];
	}
#pragma unroll
	for (int i = 0; i < 4; i++)
		t[i] = (box[s[i] & 255] | box[s[(i + 1) % 4] >> 8 & 255] << 8 |
			box[s[(i + 2) % 4] >> 16 & 255] << 16 |
			(unsigned)box[s[(i + 3) % 4] >> 24] << 24) ^
		       round_keys[4 * ROUNDS + i];
	return make_uint4(t[0], t[1], t[2], t[3]);
}

template <int KIND>
__global__ void counter_mode(int n, const uint4 *in, uint4 *out, unsigned nonce)
{
	__shared__ unsigned tables[KIND == 0 ? 4 : 1][256];
	__shared__ unsigned char box[256];

	for (int i = threadIdx.x; i < 256; i += blockDim.x) {
		box[i] = constant_box[i];
		if (KIND < 2)
			for (int k = 0; k < (KIND == 0 ? 4 : 1); k++)
				tables[k][i] = turn(constant_table[i], 8 * k);
	}
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x) {
		uint4 pad = make_uint4(nonce, nonce ^ 0x5bd1e995, 0, i);

		if (KIND == 0)
			pad = encrypt(pad, four_tables{ tables }, box);
		else if (KIND == 1)
			pad = encrypt(pad, one_table{ tables[0] }, box);
		else
			pad = encrypt(pad, in_constant(), box);
		uint4 v = in[i];
		out[i] = make_uint4(v.x ^ pad.x, v.y ^ pad.y, v.z ^ pad.z,
				    v.w ^ pad.w);
	}
}

static unsigned char twice(unsigned char v)
{
	return v << 1 ^ (v & 0x80 ? 0x1b : 0);
}

static void make_tables(void)
{
	unsigned char p = 1, q = 1, power = 1;

	do { /* p runs through all elements, q is its inverse */
		p ^= twice(p);
		q ^= q << 1;
		q ^= q << 2;
		q ^= q << 4;
		q ^= q & 0x80 ? 9 : 0;
		unsigned v = q | q << 8;
		host_box[p] = q ^ v >> 7 ^ v >> 6 ^ v >> 5 ^ v >> 4 ^ 0x63;
	} while (p != 1);
	host_box[0] = 0x63;
	for (int i = 0; i < 256; i++) {
		unsigned s = host_box[i], d = twice(s);

		host_table[i] = d | s << 8 | s << 16 | (s ^ d) << 24;
	}
	for (int i = 0; i < 4; i++)
		host_keys[i] = 0x03020100 + i * 0x04040404;
	for (int i = 4; i < 4 * (ROUNDS + 1); i++) {
		unsigned v = host_keys[i - 1];

		if (i % 4 == 0) {
			v = v >> 8 | v << 24;
			v = host_box[v & 255] | host_box[v >> 8 & 255] << 8 |
			    host_box[v >> 16 & 255] << 16 |
			    (unsigned)host_box[v >> 24] << 24;
			v ^= power;
			power = twice(power);
		}
		host_keys[i] = host_keys[i - 4] ^ v;
	}
	CHECK(cudaMemcpyToSymbol(constant_table, host_table,
				 sizeof host_table));
	CHECK(cudaMemcpyToSymbol(constant_box, host_box, sizeof host_box));
	CHECK(cudaMemcpyToSymbol(round_keys, host_keys, sizeof host_keys));
}

/* As the standard describes it, byte by byte. */
static void encrypt_host(unsigned char *s)
{
	unsigned char t[16];
	const unsigned char *key = (const unsigned char *)host_keys;

	for (int i = 0; i < 16; i++)
		s[i] ^= key[i];
	for (int r = 1; r <= ROUNDS; r++) {
		for (int i = 0; i < 16; i++)
			t[i] = host_box[s[(i + 4 * (i % 4)) % 16]];
		for (int c = 0; c < 16; c += 4)
			for (int i = 0; i < 4; i++) {
				unsigned char a = t[c + i],
					      b = t[c + (i + 1) % 4];

				s[c + i] = r == ROUNDS ?
						   a :
						   twice(a) ^ twice(b) ^ b ^
							   t[c + (i + 2) % 4] ^
							   t[c + (i + 3) % 4];
			}
		for (int i = 0; i < 16; i++)
			s[i] ^= key[16 * r + i];
	}
}

template <int KIND> static void run(int n, int blocks, int threads)
{
	array<unsigned> in(4 * n), out(4 * n), want(4 * n);

	random_ints(in, ~0u, n);
	in.upload();
	for (int i = 0; i < n; i++) {
		unsigned pad[4] = { 99, 99 ^ 0x5bd1e995, 0, (unsigned)i };

		encrypt_host((unsigned char *)pad);
		for (int k = 0; k < 4; k++)
			want[4 * i + k] = in[4 * i + k] ^ pad[k];
	}
	counter_mode<KIND><<<blocks, threads>>>(n, (const uint4 *)in.device,
						(uint4 *)out.device, 99);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, 4 * n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	make_tables();
	run<0>(n / 100, 2, 256);
	run<0>(n, 132, 256);
	run<1>(n, blocks_of(n, 128), 128);
	run<2>(n / 4, blocks_of(n / 4, 512), 512);
	return report(&self);
}
