/*
 * Objects on the device: shapes made by a kernel in a pool, with virtual functions
 * for distance and area; the same by a switch, and by a table of pointers to
 * functions that templates make. Warps whose lanes have one kind or several.
 *
 * SIZE: shapes.
 */
#include "common.h"

#include <new>

static struct workload self = { "virtual_shapes", "shapes", 20000, 256,
				1 << 20 };

struct point {
	float x, y, z;
};

class shape
{
      public:
	__device__ virtual float distance(struct point p) const = 0;
	__device__ virtual float area() const = 0;
	__device__ virtual ~shape()
	{
	}
};

__host__ __device__ static float length3(float x, float y, float z)
{
	return sqrtf(x * x + y * y + z * z);
}

class sphere : public shape
{
	float r;

      public:
	__device__ explicit sphere(float r) : r(r)
	{
	}
	__device__ float distance(struct point p) const override
	{
		return length3(p.x, p.y, p.z) - r;
	}
	__device__ float area() const override
	{
		return 12.566371f * r * r;
	}
};

class box : public shape
{
      protected:
	float a, b, c;

      public:
	__device__ box(float a, float b, float c) : a(a), b(b), c(c)
	{
	}
	__device__ float distance(struct point p) const override
	{
		float x = fabsf(p.x) - a, y = fabsf(p.y) - b,
		      z = fabsf(p.z) - c;

		return length3(fmaxf(x, 0), fmaxf(y, 0), fmaxf(z, 0)) +
		       fminf(fmaxf(x, fmaxf(y, z)), 0);
	}
	__device__ float area() const override
	{
		return 8 * (a * b + b * c + c * a);
	}
};

class rounded : public box
{
	float r;

      public:
	__device__ rounded(float a, float r) : box(a, a, a), r(r)
	{
	}
	__device__ float distance(struct point p) const override
	{
		return box::distance(p) - r;
	}
	__device__ float area() const override
	{
		return box::area() + 12 * 3.1415927f * r * a +
		       12.566371f * r * r;
	}
};

class torus : public shape
{
	float big, small;

      public:
	__device__ torus(float big, float small) : big(big), small(small)
	{
	}
	__device__ float distance(struct point p) const override
	{
		float q = sqrtf(p.x * p.x + p.z * p.z) - big;

		return sqrtf(q * q + p.y * p.y) - small;
	}
	__device__ float area() const override
	{
		return 39.478418f * big * small;
	}
};

union storage {
	char of_sphere[sizeof(sphere)], of_rounded[sizeof(rounded)],
		of_torus[sizeof(torus)];
	double align;
};

struct plain {
	int kind;
	float a, b, c;
};

__global__ void construct(int n, const struct plain *from, union storage *pool,
			  shape **shapes)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	struct plain s = from[i];
	switch (s.kind) {
	case 0:
		shapes[i] = new (&pool[i]) sphere(s.a);
		break;
	case 1:
		shapes[i] = new (&pool[i]) box(s.a, s.b, s.c);
		break;
	case 2:
		shapes[i] = new (&pool[i]) rounded(s.a, s.b);
		break;
	default:
		shapes[i] = new (&pool[i]) torus(s.a, s.b);
	}
}

__device__ static struct point place(int i)
{
	struct point p = { (i % 7) * 0.5f - 1, (i % 5) * 0.4f - 1,
			   (i % 3) - 1.0f };

	return p;
}

__global__ void by_virtual(int n, shape *const *shapes, float2 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = make_float2(shapes[i]->distance(place(i)),
				     shapes[i]->area());
}

__host__ __device__ static float distance_of(struct plain s, struct point p)
{
	float x, y, z;

	switch (s.kind) {
	case 0:
		return length3(p.x, p.y, p.z) - s.a;
	case 3:
		x = sqrtf(p.x * p.x + p.z * p.z) - s.a;
		return sqrtf(x * x + p.y * p.y) - s.b;
	default:
		x = fabsf(p.x) - s.a;
		y = fabsf(p.y) - (s.kind == 1 ? s.b : s.a);
		z = fabsf(p.z) - (s.kind == 1 ? s.c : s.a);
		return length3(fmaxf(x, 0), fmaxf(y, 0), fmaxf(z, 0)) +
		       fminf(fmaxf(x, fmaxf(y, z)), 0) -
		       (s.kind == 2 ? s.b : 0);
	}
}

__global__ void by_switch(int n, const struct plain *shapes, float2 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i].x = distance_of(shapes[i], place(i));
}

typedef float (*area_function)(float, float, float);

template <int KIND> __device__ float area_of(float a, float b, float c)
{
	if (KIND == 0)
		return 12.566371f * a * a;
	if (KIND == 1)
		return 8 * (a * b + b * c + c * a);
	if (KIND == 2)
		return 24 * a * a + 12 * 3.1415927f * b * a +
		       12.566371f * b * b;
	return 39.478418f * a * b;
}

__device__ area_function areas[4] = { area_of<0>, area_of<1>, area_of<2>,
				      area_of<3> };

__global__ void by_pointer(int n, const struct plain *shapes, float2 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		struct plain s = shapes[i];

		out[i].y = areas[s.kind](s.a, s.b, s.c);
	}
}

static float area_host(struct plain s)
{
	switch (s.kind) {
	case 0:
		return 12.566371f * s.a * s.a;
	case 1:
		return 8 * (s.a * s.b + s.b * s.c + s.c * s.a);
	case 2:
		return 24 * s.a * s.a + 12 * 3.1415927f * s.b * s.a +
		       12.566371f * s.b * s.b;
	default:
		return 39.478418f * s.a * s.b;
	}
}

/* `run_length` neighbours are of the same kind. */
static void run(int n, int run_length, int threads)
{
	array<struct plain> from(n);
	array<union storage> pool(n);
	array<shape *> shapes(n);
	array<float2> out(n);
	array<float> got(2 * n), want(2 * n);
	uint64_t seed = n;

	for (int i = 0; i < n; i++) {
		from[i].kind = i / run_length * 7 % 4;
		from[i].a = 0.5f + random_float(&seed);
		from[i].b = 0.1f + random_float(&seed) / 4;
		from[i].c = 0.5f + random_float(&seed);
		struct point p = { (i % 7) * 0.5f - 1, (i % 5) * 0.4f - 1,
				   (i % 3) - 1.0f };
		want[2 * i] = distance_of(from[i], p);
		want[2 * i + 1] = area_host(from[i]);
	}
	from.upload();
	construct<<<blocks_of(n, threads), threads>>>(
		n, from.device, pool.device, shapes.device);
	by_virtual<<<blocks_of(n, threads), threads>>>(n, shapes.device,
						       out.device);
	CHECK_LAUNCH();
	from_device((float2 *)got.host, out.device, n);
	check_close(&self, got.host, want.host, 2 * n, 1e-5, 1e-5, "virtual");
	by_switch<<<blocks_of(n, threads), threads>>>(n, from.device,
						      out.device);
	by_pointer<<<blocks_of(n, threads), threads>>>(n, from.device,
						       out.device);
	CHECK_LAUNCH();
	from_device((float2 *)got.host, out.device, n);
	check_close(&self, got.host, want.host, 2 * n, 1e-5, 1e-5, "switch");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 50, 32, 64);
	run(n, 64, 256);
	run(n, 3, 256);
	return report(&self);
}
