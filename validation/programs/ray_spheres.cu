/*
 * Rays against spheres: the nearest hit of each pixel's ray among spheres in
 * constant memory, and in tiles of shared memory, then a shadow ray to the light.
 *
 * SIZE: rows and columns of the largest picture. The numbers of the spheres that
 * are hit are compared, and the distances.
 */
#include "common.h"

#define SPHERES 64

static struct workload self = { "ray_spheres", "rows and columns", 192, 16,
				2048 };

__constant__ float4 scene[SPHERES]; /* centre and radius */

/* Distance along the ray, or a large number. */
__host__ __device__ static inline float hit(float3 from, float3 way, float4 s)
{
	float x = s.x - from.x, y = s.y - from.y, z = s.z - from.z;
	float along = x * way.x + y * way.y + z * way.z;
	float d = s.w * s.w - (x * x + y * y + z * z - along * along);

	if (d < 0)
		return 1e30f;
	float t = along - sqrtf(d);
	return t > 1e-3f ? t : 1e30f;
}

__host__ __device__ static inline float3 ray(int n, int x, int y)
{
	float dx = (x + 0.5f) / n - 0.5f, dy = (y + 0.5f) / n - 0.5f;
	float scale = 1 / sqrtf(dx * dx + dy * dy + 1);

	return make_float3(dx * scale, dy * scale, scale);
}

__host__ __device__ static inline int
nearest(float3 from, float3 way, const float4 *s, int count, float *distance)
{
	int best = -1;

	for (int i = 0; i < count; i++) {
		float t = hit(from, way, s[i]);

		if (t < *distance) {
			*distance = t;
			best = i;
		}
	}
	return best;
}

__host__ __device__ static inline float trace(int n, int x, int y,
					      const float4 *s, int *seen)
{
	float3 from = make_float3(0, 0, 0), way = ray(n, x, y);
	float distance = 1e30f, shadow = 1e30f;

	*seen = nearest(from, way, s, SPHERES, &distance);
	if (*seen < 0)
		return 0;
	from = make_float3(way.x * distance, way.y * distance,
			   way.z * distance);
	way = make_float3(0.6f, -0.8f, 0);
	return nearest(from, way, s, SPHERES, &shadow) < 0 ? distance :
							     -distance;
}

__global__ void from_constants(int n, float *out, int *seen)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < n && y < n)
		out[y * n + x] = trace(n, x, y, scene, &seen[y * n + x]);
}

__global__ void from_shared(int n, const float4 *spheres, float *out, int *seen)
{
	__shared__ float4 s[SPHERES];
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < SPHERES;
	     i += blockDim.x * blockDim.y)
		s[i] = spheres[i];
	__syncthreads();
	if (x < n && y < n)
		out[y * n + x] = trace(n, x, y, s, &seen[y * n + x]);
}

/* Rays that graze a sphere may differ by rounding: up to one in a thousand. */
static void check(array<float> &out, array<int> &seen, array<float> &want,
		  array<int> &want_seen, const char *part)
{
	int different = 0, allowed = (int)(out.n / 1000 + 1);

	out.download();
	seen.download();
	note_bits(&self, out.host, out.n * sizeof(float));
	for (size_t i = 0; i < out.n; i++)
		different += seen[i] != want_seen[i] ||
			     fabsf(out[i] - want[i]) > 2e-3f * fabsf(want[i]);
	if (different > allowed)
		note_wrong(&self, 0, different, allowed, part);
}

static void run(int n, array<float4> &spheres)
{
	array<float> out(n * n), want(n * n);
	array<int> seen(n * n), want_seen(n * n);
	dim3 blocks(blocks_of(n, 8), blocks_of(n, 8)), threads(8, 8);

	for (int i = 0; i < n * n; i++)
		want[i] = trace(n, i % n, i / n, spheres.host, &want_seen[i]);
	from_constants<<<blocks, threads>>>(n, out.device, seen.device);
	CHECK_LAUNCH();
	check(out, seen, want, want_seen, "constants");
	from_shared<<<blocks, threads>>>(n, spheres.device, out.device,
					 seen.device);
	CHECK_LAUNCH();
	check(out, seen, want, want_seen, "shared");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	array<float4> spheres(SPHERES);
	uint64_t random = 1;

	for (int i = 0; i < SPHERES; i++) {
		spheres[i].w = 0.2f + random_float(&random);
		spheres[i].z = 5 + random_float(&random) * 6;
		spheres[i].y = random_float(&random) * 8 - 4;
		spheres[i].x = random_float(&random) * 8 - 4;
	}
	spheres.upload();
	CHECK(cudaMemcpyToSymbol(scene, spheres.host,
				 SPHERES * sizeof(float4)));
	run(n / 12, spheres);
	run(n / 2, spheres);
	run(n, spheres);
	return report(&self);
}
