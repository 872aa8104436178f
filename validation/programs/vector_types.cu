/*
 * The same update of particles in four layouts: structures of 12 and of 32 bytes,
 * separate arrays, and tiles of 32 structures; and copies in 1, 2, 4, 8 and 16
 * bytes for each thread.
 *
 * SIZE: particles of the largest launches, a multiple of 32.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "vector_types", "particles", 1 << 18, 1024,
				1 << 22 };

struct packed {
	float x, y, z;
};

struct wide {
	float4 place, speed;
};

struct tile {
	float x[32], y[32], z[32];
};

__global__ void update_packed(int n, struct packed *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		p[i].x += 1;
		p[i].y += 2;
		p[i].z += 3;
	}
}

__global__ void update_wide(int n, struct wide *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		float4 a = p[i].place, v = p[i].speed;

		p[i].place = make_float4(a.x + v.x, a.y + v.y, a.z + v.z, a.w);
	}
}

__global__ void update_arrays(int n, float *x, float *y, float *z)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		x[i] += 1;
		y[i] += 2;
		z[i] += 3;
	}
}

__global__ void update_tiles(int n, struct tile *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		p[i / 32].x[i % 32] += 1;
		p[i / 32].y[i % 32] += 2;
		p[i / 32].z[i % 32] += 3;
	}
}

template <class T> __global__ void copy(int n, const T *in, T *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[i];
}

/* a: three floats for each particle, in any layout where particle i, coordinate
 * k is at place(i, k). */
static void check(array<float> &a, const float *before, int n,
		  size_t (*place)(int n, int i, int k), const char *part)
{
	float *want = host_alloc<float>(a.n);

	memcpy(want, before, a.n * sizeof(float));
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			want[place(n, i, k)] += k + 1;
	a.download();
	check_exact(&self, a.host, want, a.n, part);
	free(want);
}

static size_t in_structures(int, int i, int k)
{
	return 3 * (size_t)i + k;
}

static size_t in_arrays(int n, int i, int k)
{
	return (size_t)k * n + i;
}

static size_t in_tiles(int, int i, int k)
{
	return i / 32 * 96 + k * 32 + i % 32;
}

static size_t in_wide(int, int i, int k)
{
	return 8 * (size_t)i + k;
}

template <class T> static void run_copy(int bytes)
{
	array<unsigned char> in(bytes), out(bytes);
	int n = bytes / sizeof(T);

	random_ints(in, 256, bytes);
	in.upload();
	copy<<<blocks_of(n, THREADS), THREADS>>>(n, (const T *)in.device,
						 (T *)out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, in.host, (size_t)n * sizeof(T), "copy");
}

static void run(int n)
{
	array<float> a(3 * n), w(8 * n);
	float *before = host_alloc<float>(8 * n);
	int blocks = blocks_of(n, THREADS);

	random_exact(a, n);
	memcpy(before, a.host, a.n * sizeof(float));
	a.upload();
	update_packed<<<blocks, THREADS>>>(n, (struct packed *)a.device);
	CHECK_LAUNCH();
	check(a, before, n, in_structures, "structures");
	memcpy(before, a.host, a.n * sizeof(float));
	update_arrays<<<blocks, THREADS>>>(n, a.device, a.device + n,
					   a.device + 2 * n);
	CHECK_LAUNCH();
	check(a, before, n, in_arrays, "arrays");
	memcpy(before, a.host, a.n * sizeof(float));
	update_tiles<<<blocks, THREADS>>>(n, (struct tile *)a.device);
	CHECK_LAUNCH();
	check(a, before, n, in_tiles, "tiles");

	for (int i = 0; i < 8 * n; i++)
		w[i] = before[i] = i % 8 < 4 ? i % 1000 : i % 4 + 1;
	w.upload();
	update_wide<<<blocks, THREADS>>>(n, (struct wide *)w.device);
	CHECK_LAUNCH();
	check(w, before, n, in_wide, "wide");
	free(before);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 32 * 32;

	run(1024);
	run(n / 8 / 32 * 32);
	run(n);
	run_copy<unsigned char>(n);
	run_copy<unsigned short>(n);
	run_copy<unsigned>(4 * n);
	run_copy<uint2>(4 * n);
	run_copy<uint4>(16 * n);
	return report(&self);
}
