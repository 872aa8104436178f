/*
 * Tensors whose axes change places, with odd sizes: any order of four axes by
 * divisions with multiplied inverses, batches of small matrices transposed in
 * shared memory, channels last to channels first with bytes, and rows joined,
 * repeated and flipped.
 *
 * SIZE: the longest axis.
 */
#include "common.h"

static struct workload self = { "tensor_permute", "elements", 67, 9, 300 };

/* n / d for n below 2^31: (n * m >> 32) + n >> s. */
struct divider {
	unsigned d, m, s;
};

struct order {
	struct divider size[4]; /* of the result, the last one is the fastest */
	int stride[4];          /* in the source */
};

__host__ __device__ static unsigned quotient(unsigned n, struct divider v)
{
	unsigned high = (unsigned)((unsigned long long)n * v.m >> 32);

	return (unsigned)(((unsigned long long)high + n) >> v.s);
}

template <class T>
__global__ void permute(int n, struct order o, const T *in, T *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x) {
		unsigned rest = i, from = 0;

#pragma unroll
		for (int k = 3; k >= 0; k--) {
			unsigned q = quotient(rest, o.size[k]);

			from += (rest - q * o.size[k].d) * o.stride[k];
			rest = q;
		}
		out[i] = in[from];
	}
}

/* rows x columns to columns x rows; tiles of 32 x 32, eight rows at a time */
template <class T>
__global__ void transpose(int rows, int columns, const T *in, T *out)
{
	__shared__ T tile[32][32 + 4 / sizeof(T)];
	int x = blockIdx.x * 32 + threadIdx.x,
	    y = blockIdx.y * 32 + threadIdx.y;

	in += (size_t)blockIdx.z * rows * columns;
	out += (size_t)blockIdx.z * rows * columns;
	for (int k = 0; k < 32; k += 8)
		if (x < columns && y + k < rows)
			tile[threadIdx.y + k][threadIdx.x] =
				in[(y + k) * columns + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int k = 0; k < 32; k += 8)
		if (x < rows && y + k < columns)
			out[(y + k) * rows + x] =
				tile[threadIdx.x][threadIdx.y + k];
}

/* Each row twice and its mirror image: 3 n elements. */
__global__ void repeat_flip(int n, const float *in, float *out)
{
	const float *row = in + (size_t)blockIdx.y * n;
	float *to = out + (size_t)blockIdx.y * 3 * n;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < 3 * n)
		to[i] = __ldg(&row[i < 2 * n ? i % n : 3 * n - 1 - i]);
}

static struct divider divider_of(unsigned d)
{
	struct divider v = { d, 0, 0 };

	while (1ull << v.s < d)
		v.s++;
	v.m = (unsigned)((((1ull << v.s) - d) << 32) / d + 1);
	return v;
}

template <class T>
static void axes(const int *size, const int *to, const char *part)
{
	int n = size[0] * size[1] * size[2] * size[3], at = 0;
	int stride[4] = { size[1] * size[2] * size[3], size[2] * size[3],
			  size[3], 1 };
	array<T> in(n), out(n), want(n);
	struct order o;

	random_ints(in, 200, n);
	in.upload();
	for (int k = 0; k < 4; k++) {
		o.size[k] = divider_of(size[to[k]]);
		o.stride[k] = stride[to[k]];
	}
	for (int a = 0; a < size[to[0]]; a++)
		for (int b = 0; b < size[to[1]]; b++)
			for (int c = 0; c < size[to[2]]; c++)
				for (int d = 0; d < size[to[3]]; d++)
					want[at++] = in[a * stride[to[0]] +
							b * stride[to[1]] +
							c * stride[to[2]] +
							d * stride[to[3]]];
	permute<<<min(blocks_of(n, 256), 528), 256>>>(n, o, in.device,
						      out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, part);
}

template <class T> static void matrices(int count, int rows, int columns)
{
	size_t n = (size_t)count * rows * columns;
	array<T> in(n), out(n), want(n);

	random_ints(in, 200, n);
	in.upload();
	for (size_t i = 0; i < n; i++) {
		size_t m = i / (rows * columns), r = i / columns % rows;

		want[m * rows * columns + i % columns * rows + r] = in[i];
	}
	transpose<<<dim3(blocks_of(columns, 32), blocks_of(rows, 32), count),
		    dim3(32, 8)>>>(rows, columns, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "transposed");
}

static void rows(int count, int n)
{
	array<float> in(count * n), out(3 * in.n), want(out.n);

	random_exact(in, n);
	in.upload();
	for (int i = 0; i < 3 * count * n; i++) {
		int r = i / (3 * n), k = i % (3 * n);

		want[i] = in[r * n + (k < 2 * n ? k % n : 3 * n - 1 - k)];
	}
	repeat_flip<<<dim3(blocks_of(3 * n, 128), count), 128>>>(n, in.device,
								 out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, out.n, "repeated");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	int small[] = { 2, 3, 5, 7 }, large[] = { 5, n, 9, 2 * n - 1 };
	int backward[] = { 3, 2, 1, 0 }, last[] = { 0, 2, 3, 1 };

	axes<float>(small, backward, "small");
	axes<float>(large, backward, "backward");
	axes<float>(large, last, "channels last");
	axes<unsigned char>(large, last, "bytes");
	axes<double>(large, backward, "doubles");
	matrices<float>(1, 33, 5 * n);
	matrices<float>(300, 7, 13);
	matrices<unsigned char>(8, 2 * n + 1, n);
	matrices<unsigned short>(4, n, n * 2);
	rows(3, n * 10 + 1);
	rows(400, n);
	return report(&self);
}
