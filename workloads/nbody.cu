/*
 * Gravitation between all pairs of bodies, softened, for a few steps of the
 * semi-implicit Euler method: the textbook compute-bound kernel. A block loads
 * a tile of bodies into shared memory, and every thread sums up its pull on one
 * body.
 *
 * SIZE: bodies. Velocities and positions are compared with a sum in double
 * precision. A step's velocity change is a sum of SIZE terms of either sign;
 * the error of float is far below the tolerance of 1e-4, or 1e-6 absolute for
 * velocities around 0.05.
 */
#include "common.h"

#define THREADS 128
#define STEPS 2
#define TIME_STEP 0.02f
#define SOFTENING 0.01f /* squared length */

static struct workload self = { "nbody", "bodies", 512, 1, 1 << 16 };

/* Pull of a body (its mass in w) on a place. */
__device__ float3 add_pull(float3 sum, float4 at, float4 body)
{
	float dx = body.x - at.x, dy = body.y - at.y, dz = body.z - at.z;
	float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
	float pull = body.w * inverse * inverse * inverse;

	sum.x += pull * dx;
	sum.y += pull * dy;
	sum.z += pull * dz;
	return sum;
}

__global__ void step(int n, const float4 *from, float4 *to, float4 *velocity)
{
	__shared__ float4 tile[THREADS];
	int i = blockIdx.x * THREADS + threadIdx.x;
	float4 at = i < n ? from[i] : make_float4(0, 0, 0, 0);
	float3 sum = make_float3(0, 0, 0);

	for (int base = 0; base < n; base += THREADS) {
		int j = base + threadIdx.x;

		/* Beyond the last body: a mass of 0. */
		tile[threadIdx.x] = j < n ? from[j] : make_float4(0, 0, 0, 0);
		__syncthreads();
		for (int k = 0; k < THREADS; k++)
			sum = add_pull(sum, at, tile[k]);
		__syncthreads();
	}
	if (i >= n)
		return;

	float4 v = velocity[i];
	v.x += sum.x * TIME_STEP;
	v.y += sum.y * TIME_STEP;
	v.z += sum.z * TIME_STEP;
	velocity[i] = v;
	at.x += v.x * TIME_STEP;
	at.y += v.y * TIME_STEP;
	at.z += v.z * TIME_STEP;
	to[i] = at;
}

/* Positions and velocities: four numbers for each body, as in a float4. */
static void expected(int n, double *p, double *v)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			double d[3], r2 = SOFTENING;

			for (int c = 0; c < 3; c++) {
				d[c] = p[4 * j + c] - p[4 * i + c];
				r2 += d[c] * d[c];
			}
			double pull = p[4 * j + 3] / (r2 * sqrt(r2));
			for (int c = 0; c < 3; c++)
				v[4 * i + c] += TIME_STEP * pull * d[c];
		}
	}
	for (int i = 0; i < n; i++)
		for (int c = 0; c < 3; c++)
			p[4 * i + c] += TIME_STEP * v[4 * i + c];
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), blocks = blocks_of(n, THREADS);
	float4 *body = host_alloc<float4>(n);
	double *p = host_alloc<double>(4 * n), *v = host_alloc<double>(4 * n);
	float *wantp = host_alloc<float>(4 * n);
	float *wantv = host_alloc<float>(4 * n);

	random_floats((float *)body, 4 * (size_t)n, -1, 1, 1);
	for (int i = 0; i < n; i++)
		body[i].w = (1.5f + 0.5f * body[i].w) / n; /* the mass */
	for (int i = 0; i < 4 * n; i++)
		p[i] = ((float *)body)[i];
	for (int s = 0; s < STEPS; s++)
		expected(n, p, v);
	for (int i = 0; i < 4 * n; i++) {
		wantp[i] = (float)p[i];
		wantv[i] = (float)v[i];
	}

	float4 *from = device_copy(body, n), *to = device_copy(body, n);
	float4 *velocity = device_alloc<float4>(n);

	CHECK(cudaMemset(velocity, 0, n * sizeof *velocity));
	for (int s = 0; s < STEPS; s++) {
		float4 *last = from;

		step<<<blocks, THREADS>>>(n, from, to, velocity);
		CHECK_LAUNCH();
		from = to;
		to = last;
	}
	from_device(body, velocity, n);
	check_close(&self, (float *)body, wantv, 4 * n, 1e-4, 1e-6, "velocity");
	from_device(body, from, n);
	check_close(&self, (float *)body, wantp, 4 * n, 1e-6, 1e-6, "position");

	cudaFree(from);
	cudaFree(to);
	cudaFree(velocity);
	free(body);
	free(p);
	free(v);
	free(wantp);
	free(wantv);
	return report(&self);
}
