/*
 * The surface where a field has a value, as tetrahedra are cut: each cell of a
 * grid is six tetrahedra; triangles are counted with tables, counts are scanned
 * over all blocks, and vertices are written at their places with interpolation.
 *
 * SIZE: points of an edge of the larger grid.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "marching_cubes", "points", 40, 8, 512 };

/* Corners of the six tetrahedra of a cell, bits z y x. */
__constant__ unsigned char corners[6][4] = { { 0, 5, 1, 7 }, { 0, 1, 3, 7 },
					     { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
					     { 0, 6, 4, 7 }, { 0, 4, 5, 7 } };
/* By which corners are inside: edges of up to two triangles, 6 for none. */
__constant__ signed char cuts[16][6] = {
	{ 6, 6, 6, 6, 6, 6 }, { 0, 1, 2, 6, 6, 6 }, { 0, 3, 4, 6, 6, 6 },
	{ 1, 2, 4, 1, 4, 3 }, { 1, 3, 5, 6, 6, 6 }, { 0, 2, 5, 0, 5, 3 },
	{ 0, 1, 5, 0, 5, 4 }, { 2, 4, 5, 6, 6, 6 }, { 2, 4, 5, 6, 6, 6 },
	{ 0, 1, 5, 0, 5, 4 }, { 0, 2, 5, 0, 5, 3 }, { 1, 3, 5, 6, 6, 6 },
	{ 1, 2, 4, 1, 4, 3 }, { 0, 3, 4, 6, 6, 6 }, { 0, 1, 2, 6, 6, 6 },
	{ 6, 6, 6, 6, 6, 6 }
};
__constant__ unsigned char ends[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 },
					  { 1, 2 }, { 1, 3 }, { 2, 3 } };

__device__ static int inside_of(const float *v, int tetrahedron, float level)
{
	int bits = 0;

	for (int k = 0; k < 4; k++)
		bits |= (v[corners[tetrahedron][k]] < level) << k;
	return bits;
}

__device__ static void load_cell(const float *field, int n, int x, int y, int z,
				 float *v)
{
#pragma unroll
	for (int k = 0; k < 8; k++)
		v[k] = field[((z + (k >> 2)) * n + y + (k >> 1 & 1)) * n + x +
			     (k & 1)];
}

__global__ void count_triangles(const float *field, int n, float level,
				int *counts)
{
	int cell = blockIdx.x * THREADS + threadIdx.x, m = n - 1, count = 0;
	float v[8];

	if (cell >= m * m * m)
		return;
	load_cell(field, n, cell % m, cell / m % m, cell / m / m, v);
#pragma unroll 1
	for (int t = 0; t < 6; t++) {
		int bits = inside_of(v, t, level);
		int ones = __popc(bits);

		count += ones == 2 ? 2 : ones & 1;
	}
	counts[cell] = count;
}

__device__ static int block_scan(int v, int *all)
{
	__shared__ int s[2][THREADS];
	int at = 0;

	s[0][threadIdx.x] = v;
	__syncthreads();
	for (int d = 1; d < THREADS; d *= 2) {
		int sum = s[at][threadIdx.x];

		if (threadIdx.x >= d)
			sum += s[at][threadIdx.x - d];
		s[!at][threadIdx.x] = sum;
		at = !at;
		__syncthreads();
	}
	v = s[at][threadIdx.x] - v;
	*all = s[at][THREADS - 1];
	__syncthreads();
	return v;
}

__global__ void scan_counts(int n, int *counts, int *sums)
{
	int i = blockIdx.x * THREADS + threadIdx.x, all;
	int before = block_scan(i < n ? counts[i] : 0, &all);

	if (i < n)
		counts[i] = before;
	if (threadIdx.x == 0)
		sums[blockIdx.x] = all;
}

__global__ void scan_sums(int n, int *sums)
{
	int base = 0, all;

	for (int first = 0; first < n; first += THREADS) {
		int i = first + threadIdx.x;
		int before = block_scan(i < n ? sums[i] : 0, &all);

		if (i < n)
			sums[i] = base + before;
		base += all;
	}
	if (threadIdx.x == 0)
		sums[n] = base;
}

__global__ void emit(const float *field, int n, float level, const int *places,
		     const int *sums, float4 *out)
{
	int cell = blockIdx.x * THREADS + threadIdx.x, m = n - 1;
	float v[8];

	if (cell >= m * m * m)
		return;
	int x = cell % m, y = cell / m % m, z = cell / m / m;
	int at = 3 * (sums[blockIdx.x] + places[cell]);
	load_cell(field, n, x, y, z, v);
#pragma unroll 1
	for (int t = 0; t < 6; t++) {
		int bits = inside_of(v, t, level);

		for (int e = 0; e < 6 && cuts[bits][e] < 6; e++) {
			int edge = cuts[bits][e];
			int a = corners[t][ends[edge][0]];
			int b = corners[t][ends[edge][1]];
			float f = (level - v[a]) / (v[b] - v[a]);

			out[at++] = make_float4(
				x + (a & 1) + f * ((b & 1) - (a & 1)),
				y + (a >> 1 & 1) +
					f * ((b >> 1 & 1) - (a >> 1 & 1)),
				z + (a >> 2) + f * ((b >> 2) - (a >> 2)), 1);
		}
	}
}

/* A sphere: its area and the distance of all vertices are known. */
static void run(int n, float radius)
{
	int cells = (n - 1) * (n - 1) * (n - 1),
	    blocks = blocks_of(cells, THREADS);
	array<float> field((size_t)n * n * n), far(1);
	array<int> counts(cells), sums(blocks + 1);
	float middle = (n - 1) / 2.0f + 0.013f;
	double area = 0, want = 4 * M_PI * radius * radius;

	for (int i = 0; i < n * n * n; i++) {
		float x = i % n - middle, y = i / n % n - middle;
		float z = i / n / n - middle;

		field[i] = sqrtf(x * x + y * y + z * z);
	}
	field.upload();
	count_triangles<<<blocks, THREADS>>>(field.device, n, radius,
					     counts.device);
	scan_counts<<<blocks, THREADS>>>(cells, counts.device, sums.device);
	scan_sums<<<1, THREADS>>>(blocks, sums.device);
	CHECK_LAUNCH();
	sums.download();
	int vertices = 3 * sums[blocks];
	array<float4> out(vertices);
	emit<<<blocks, THREADS>>>(field.device, n, radius, counts.device,
				  sums.device, out.device);
	CHECK_LAUNCH();
	out.download();
	array<float> got(vertices), distance(vertices);
	for (int i = 0; i < vertices; i++) {
		float x = out[i].x - middle, y = out[i].y - middle;
		float z = out[i].z - middle;

		got[i] = sqrtf(x * x + y * y + z * z);
		distance[i] = radius;
	}
	for (int i = 0; i < vertices; i += 3) {
		double u[3], v[3];

		for (int d = 0; d < 3; d++) {
			u[d] = (&out[i + 1].x)[d] - (&out[i].x)[d];
			v[d] = (&out[i + 2].x)[d] - (&out[i].x)[d];
		}
		double a = u[1] * v[2] - u[2] * v[1],
		       b = u[2] * v[0] - u[0] * v[2];
		double c = u[0] * v[1] - u[1] * v[0];
		area += sqrt(a * a + b * b + c * c) / 2;
	}
	check_close(&self, got.host, distance.host, vertices, 0, 0.15,
		    "distance");
	check_close(&self, &area, &want, 1, 0.06, 0, "area");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 4 + 2, 3.5f);
	run(n, n / 3.0f);
	return report(&self);
}
