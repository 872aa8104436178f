// The kernels that the benchmarks run. kernels.ptx and kernels.cubin are what nvcc
// 13.0 makes of this file, kept beside it so that figures do not depend on the
// compiler that happens to be installed:
//
//	nvcc -arch=sm_90 -ptx kernels.cu -o - |
//		sed -e 's/[ \t]*$//' -e '${/^$/d}' >kernels.ptx
//	nvcc -arch=sm_90 -cubin kernels.cu -o kernels.cubin
#include <cuda_fp16.h>
#include <mma.h>

#define TILE 16

extern "C" __global__ void matmul_tiled(const float *A, const float *B,
					float *C, int n)
{
	__shared__ float a[TILE][TILE];
	__shared__ float b[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y;
	int column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		a[threadIdx.y][threadIdx.x] = A[row * n + k + threadIdx.x];
		b[threadIdx.y][threadIdx.x] =
			B[(k + threadIdx.y) * n + column];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += a[threadIdx.y][i] * b[i][threadIdx.x];
		__syncthreads();
	}
	C[row * n + column] = sum;
}

extern "C" __global__ void vecadd(const float *a, const float *b, float *c,
				  int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

// One step of a five-point stencil; the border keeps its values.
extern "C" __global__ void stencil(const float *in, float *out, int width,
				   int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int i = y * width + x;

	if (x >= width || y >= height)
		return;
	if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
		out[i] = in[i];
	else
		out[i] = 0.5f * in[i] +
			 0.125f * (in[i - 1] + in[i + 1] + in[i - width] +
				   in[i + width]);
}

// A tree in shared memory, then shuffles, then one atomic for each block.
extern "C" __global__ void reduction(const unsigned *in, unsigned *out, int n)
{
	__shared__ unsigned part[256];
	unsigned sum = 0;

	for (int i = blockIdx.x * 256 + threadIdx.x; i < n;
	     i += gridDim.x * 256)
		sum += in[i];
	part[threadIdx.x] = sum;
	for (int half = 128; half >= 32; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	if (threadIdx.x < 32) {
		sum = part[threadIdx.x];
		for (int half = 16; half; half /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, half);
		if (threadIdx.x == 0)
			atomicAdd(out, sum);
	}
}

// Mandelbrot: the lanes of a warp leave the loop one by one.
extern "C" __global__ void divergent(int *out, int width, int height, int most)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;
	float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height;
	float x = 0, y = 0;
	int i = 0;

	while (i < most && x * x + y * y < 4.0f) {
		float t = x * x - y * y + cx;

		y = 2.0f * x * y + cy;
		x = t;
		i++;
	}
	out[py * width + px] = i;
}

// 32 different lines for the 32 lanes of a warp.
extern "C" __global__ void gather(const unsigned *in, const unsigned *index,
				  unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned at, sum = 0;

	if (i >= n)
		return;
	at = index[i];
	for (int k = 0; k < 8; k++) {
		at = in[at];
		sum += at;
	}
	out[i] = sum;
}

// A sparse matrix in compressed rows times a vector: lanes have rows of
// different lengths.
extern "C" __global__ void sparse(const unsigned *start, const unsigned *column,
				  const float *value, const float *vector,
				  float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= n)
		return;
#pragma unroll 1
	for (unsigned k = start[i]; k < start[i + 1]; k++)
		sum += value[k] * vector[column[k]];
	out[i] = sum;
}

// A histogram of bytes: atomics in shared memory, then in global memory.
extern "C" __global__ void atomics(const unsigned char *in, unsigned *bins,
				   int n)
{
	__shared__ unsigned mine[256];

	mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * 256 + threadIdx.x; i < n;
	     i += gridDim.x * 256)
		atomicAdd(&mine[in[i]], 1u);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__device__ __noinline__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void calls(int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = fibonacci(n - i % 2);
}

// Two halves at a time; every value stays a small integer, so it is exact.
extern "C" __global__ void half2_fma(__half2 *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	__half2 x = __floats2half2_rn((float)(i % 8), 1.0f);
	__half2 y = x, one = __float2half2_rn(1.0f);

	for (int k = 0; k < rounds; k++) {
		y = __hfma2(y, one, x);
		y = __hsub2(y, x);
		y = __hmul2(y, one);
		y = __hadd2(y, __hsub2(x, x));
	}
	out[i] = y;
}

// C = A * B on the tensor units; one warp for each 16x16 tile of C.
extern "C" __global__ void tensor(const half *A, const half *B, float *C, int n)
{
	using namespace nvcuda::wmma;
	fragment<matrix_a, 16, 16, 16, half, row_major> a;
	fragment<matrix_b, 16, 16, 16, half, row_major> b;
	fragment<accumulator, 16, 16, 16, float> c;
	int row = blockIdx.y * 16, column = blockIdx.x * 16;

	fill_fragment(c, 0.0f);
	for (int k = 0; k < n; k += 16) {
		load_matrix_sync(a, A + row * n + k, n);
		load_matrix_sync(b, B + k * n + column, n);
		mma_sync(c, a, b, c);
	}
	store_matrix_sync(C + row * n + column, c, n, mem_row_major);
}

// The same product by mma.sync alone, on registers: rounds of m16n8k16.
extern "C" __global__ void mma_sync16816(float *out, int rounds)
{
	unsigned a[4], b[2];
	float c[4] = { 0, 0, 0, 0 };

	for (int i = 0; i < 4; i++)
		a[i] = 0x3c003c00u; // ones
	for (int i = 0; i < 2; i++)
		b[i] = 0x3c003c00u;
	for (int k = 0; k < rounds; k++)
		asm volatile(
			"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
			"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
			"{%0, %1, %2, %3};"
			: "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
			  "r"(b[0]), "r"(b[1]));
	out[blockIdx.x * blockDim.x + threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// n places, a line of memory each, that hold the address of the place `jump`
// further on.
extern "C" __global__ void link_places(char *place, unsigned n, unsigned jump)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		*(char **)(place + 128 * i) = place + 128 * ((i + jump) % n);
}

// A pointer chase for each block, which goes on where the last launch ended:
// every load needs the one before it.
extern "C" __global__ void chase(void **at, int steps)
{
	void **p = (void **)at[blockIdx.x];

#pragma unroll 8
	for (int k = 0; k < steps; k++)
		p = (void **)*p;
	at[blockIdx.x] = p;
}
