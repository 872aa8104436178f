/*
 * Bytes in, bytes out: CRC-32 of many records by a table in shared memory, four
 * bytes at a time by four tables, and of one long record in parts that are
 * combined; base64 encoded (three bytes to four letters by a table in constant
 * memory) and decoded by arithmetic with a check for letters that are none.
 *
 * SIZE: bytes of the largest input, a multiple of 192.
 */
#include "common.h"

static struct workload self = { "crc_base64", "bytes", 192000, 1920, 1 << 24 };

#define POLYNOMIAL 0xedb88320u

__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"abcdefghijklmnopqrstuvwxyz0123456789+/";

__device__ static unsigned table_entry(unsigned v)
{
	for (int k = 0; k < 8; k++)
		v = v & 1 ? v >> 1 ^ POLYNOMIAL : v >> 1;
	return v;
}

__global__ void crc_bytes(int records, int size, const unsigned char *in,
			  unsigned *out)
{
	__shared__ unsigned table[256];
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned crc = ~0u;

	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		table[i] = table_entry(i);
	__syncthreads();
	if (r >= records)
		return;
	for (int i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ in[(size_t)r * size + i]) & 255];
	out[r] = ~crc;
}

__global__ void crc_words(int records, int size, const unsigned *in,
			  unsigned *out)
{
	__shared__ unsigned table[4][256];
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned crc = ~0u;

	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		table[0][i] = table_entry(i);
	__syncthreads();
	for (int t = 1; t < 4; t++) {
		for (int i = threadIdx.x; i < 256; i += blockDim.x)
			table[t][i] = table[t - 1][i] >> 8 ^
				      table[0][table[t - 1][i] & 255];
		__syncthreads();
	}
	if (r >= records)
		return;
	for (int i = 0; i < size / 4; i++) {
		crc ^= in[(size_t)r * (size / 4) + i];
		crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^
		      table[1][crc >> 16 & 255] ^ table[0][crc >> 24];
	}
	out[r] = ~crc;
}

/* a times b modulo the polynomial, bits reversed. */
__device__ static unsigned times(unsigned a, unsigned b)
{
	unsigned v = 0;

	for (int k = 31; k >= 0; k--) {
		if (a >> k & 1)
			v ^= b;
		b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
	}
	return v;
}

/* Parts of `size` bytes were computed; one warp joins them. */
__global__ void combine(int parts, int size, const unsigned *in, unsigned *out)
{
	unsigned shift = 1u << 31, square = 1u << 30, crc = 0, step;
	int each = (parts + WARP - 1) / WARP, n = 0;

	for (long long bits = 8ll * size; bits; bits >>= 1) {
		if (bits & 1)
			shift = times(shift, square);
		square = times(square, square);
	}
	for (int i = threadIdx.x * each;
	     i < min(parts, (threadIdx.x + 1) * each); i++, n++)
		crc = times(crc, shift) ^ in[i];
	step = 1u << 31;
	for (int i = 0; i < n; i++)
		step = times(step, shift);
	for (int lane = 0; lane < WARP - 1; lane++) {
		unsigned next = __shfl_sync(ALL, crc, lane + 1);
		unsigned far = __shfl_sync(ALL, step, lane + 1);
		unsigned joined =
			__shfl_sync(ALL, times(crc, far) ^ next, lane);

		if (threadIdx.x == lane + 1)
			crc = joined;
	}
	if (threadIdx.x == WARP - 1)
		*out = crc;
}

__global__ void encode(int groups, const unsigned char *in, uchar4 *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < groups;
	     i += gridDim.x * blockDim.x) {
		unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 |
			     in[3 * i + 2];

		out[i] = make_uchar4(letters[v >> 18], letters[v >> 12 & 63],
				     letters[v >> 6 & 63], letters[v & 63]);
	}
}

__device__ static int value_of(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' :
	       c >= 'a' && c <= 'z' ? c - 'a' + 26 :
	       c >= '0' && c <= '9' ? c - '0' + 52 :
	       c == '+'             ? 62 :
	       c == '/'             ? 63 :
				      -1;
}

__global__ void decode(int groups, const uchar4 *in, unsigned char *out,
		       int *bad)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= groups)
		return;
	uchar4 c = in[i];
	int v[4] = { value_of(c.x), value_of(c.y), value_of(c.z),
		     value_of(c.w) };
	if (__any_sync(__activemask(), (v[0] | v[1] | v[2] | v[3]) < 0)) {
		atomicMax(bad, i);
		return;
	}
	int all = v[0] << 18 | v[1] << 12 | v[2] << 6 | v[3];
	out[3 * i] = all >> 16;
	out[3 * i + 1] = all >> 8;
	out[3 * i + 2] = all;
}

static unsigned crc_of(const unsigned char *p, size_t n)
{
	unsigned crc = ~0u;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int k = 0; k < 8; k++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
	}
	return ~crc;
}

static void run(int n, int size)
{
	int records = n / size;
	array<unsigned char> in(n), text(n / 3 * 4), back(n), want_text(text.n);
	array<unsigned> crc(records), want(records), one(1);
	array<int> bad(1);
	int none = 0;

	random_ints(in, 256, n);
	in.upload();
	bad.fill(0);
	for (int r = 0; r < records; r++)
		want[r] = crc_of(in.host + (size_t)r * size, size);
	crc_bytes<<<blocks_of(records, 64), 64>>>(records, size, in.device,
						  crc.device);
	CHECK_LAUNCH();
	crc.download();
	check_exact(&self, crc.host, want.host, records, "bytes");
	crc_words<<<blocks_of(records, 128), 128>>>(
		records, size, (const unsigned *)in.device, crc.device);
	combine<<<1, WARP>>>(records, size, crc.device, one.device);
	encode<<<min(blocks_of(n / 3, 256), 264), 256>>>(n / 3, in.device,
							 (uchar4 *)text.device);
	decode<<<blocks_of(n / 3, 256), 256>>>(n / 3, (uchar4 *)text.device,
					       back.device, bad.device);
	CHECK_LAUNCH();
	crc.download();
	one.download();
	text.download();
	back.download();
	bad.download();
	unsigned whole = crc_of(in.host, (size_t)records * size);
	for (int i = 0; i < n / 3; i++) {
		const char *abc = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789+/";
		unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 |
			     in[3 * i + 2];

		for (int k = 0; k < 4; k++)
			want_text[4 * i + k] = abc[v >> (18 - 6 * k) & 63];
	}
	check_exact(&self, crc.host, want.host, records, "words");
	check_exact(&self, one.host, &whole, 1, "combined");
	check_exact(&self, text.host, want_text.host, text.n, "encoded");
	check_exact(&self, back.host, in.host, n, "decoded");
	check_exact(&self, bad.host, &none, 1, "bad");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 192)
		bad_size(&self, "a multiple of 192");
	run(n / 10 / 192 * 192, 192);
	run(n, 64);
	run(n, 960 < n / 200 / 4 * 4 ? 960 : 192);
	return report(&self);
}
