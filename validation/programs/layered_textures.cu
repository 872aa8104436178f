/*
 * Textures with layers, cube maps, and three dimensions: fetched at texels with
 * and without filters and at wrapped addresses, mipmaps of a picture written
 * through surfaces level by level, and a volume sampled along rays.
 *
 * SIZE: texels of an edge, a multiple of 16.
 */
#include "common.h"

static struct workload self = { "layered_textures", "texels", 64, 16, 512 };

#define LAYERS 5

__global__ void sum_layers(cudaTextureObject_t t, int n, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	for (int l = 0; l < LAYERS; l++)
		sum += (l + 1) * tex2DLayered<float>(t, x + 0.5f, y + 0.5f, l);
	out[y * n + x] = sum;
}

/* The face that a direction hits, at the middle of a texel. */
__global__ void look_around(cudaTextureObject_t t, int n, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int face = i / (n * n);

	if (face >= 6)
		return;
	float a = (i % n + 0.5f) / n * 2 - 1,
	      b = (i / n % n + 0.5f) / n * 2 - 1;
	float3 d = face == 0 ? make_float3(1, -b, -a) :
		   face == 1 ? make_float3(-1, -b, a) :
		   face == 2 ? make_float3(a, 1, b) :
		   face == 3 ? make_float3(a, -1, -b) :
		   face == 4 ? make_float3(a, -b, 1) :
			       make_float3(-a, -b, -1);
	out[i] = texCubemap<float>(t, d.x, d.y, d.z);
}

/* Wrapped coordinates between 0 and 1, steps along z. */
__global__ void project(cudaTextureObject_t t, int n, int steps, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float most = 0;

	for (int z = 0; z < steps; z++)
		most = fmaxf(most, tex3D<float>(t, (x + 0.5f) / n + 2,
						(y + 0.5f) / n - 1,
						(z + 0.5f) / steps));
	out[y * n + x] = most;
}

__global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= n || y >= n)
		return;
	uchar4 a = surf2Dread<uchar4>(from, 8 * x, 2 * y);
	uchar4 b = surf2Dread<uchar4>(from, 8 * x + 4, 2 * y);
	uchar4 c = surf2Dread<uchar4>(from, 8 * x, 2 * y + 1);
	uchar4 d = surf2Dread<uchar4>(from, 8 * x + 4, 2 * y + 1);
	surf2Dwrite(make_uchar4((a.x + b.x + c.x + d.x + 2) / 4,
				(a.y + b.y + c.y + d.y + 2) / 4,
				(a.z + b.z + c.z + d.z + 2) / 4,
				(a.w + b.w + c.w + d.w + 2) / 4),
		    to, 4 * x, y);
}

static cudaArray_t make_array(const float *data, int n, int depth,
			      unsigned flags)
{
	struct cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	struct cudaMemcpy3DParms copy = {};
	cudaArray_t a;

	CHECK(cudaMalloc3DArray(&a, &format, make_cudaExtent(n, n, depth),
				flags));
	copy.srcPtr =
		make_cudaPitchedPtr((void *)data, n * sizeof(float), n, n);
	copy.dstArray = a;
	copy.extent = make_cudaExtent(n, n, depth);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	return a;
}

static cudaTextureObject_t make_texture(cudaArray_t a, bool normalized,
					cudaTextureAddressMode address)
{
	struct cudaResourceDesc resource = {};
	struct cudaTextureDesc how = {};
	cudaTextureObject_t t;

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = a;
	for (int i = 0; i < 3; i++)
		how.addressMode[i] = address;
	how.filterMode = normalized ? cudaFilterModePoint :
				      cudaFilterModeLinear;
	how.readMode = cudaReadModeElementType;
	how.normalizedCoords = normalized;
	CHECK(cudaCreateTextureObject(&t, &resource, &how, NULL));
	return t;
}

static void layers(int n)
{
	array<float> in(n * n * LAYERS), out(n * n), want(n * n);

	random_exact(in, n);
	cudaArray_t a = make_array(in.host, n, LAYERS, cudaArrayLayered);
	cudaTextureObject_t t = make_texture(a, false, cudaAddressModeClamp);
	sum_layers<<<dim3(n / 16, n / 8), dim3(16, 8)>>>(t, n, out.device);
	CHECK_LAUNCH();
	out.download();
	for (int i = 0; i < n * n * LAYERS; i++)
		want[i % (n * n)] += (i / (n * n) + 1) * in[i];
	check_exact(&self, out.host, want.host, n * n, "layers");
	CHECK(cudaDestroyTextureObject(t));
	CHECK(cudaFreeArray(a));
}

static void cube(int n)
{
	array<float> in(n * n * 6), out(in.n);

	random_exact(in, n + 1);
	cudaArray_t a = make_array(in.host, n, 6, cudaArrayCubemap);
	cudaTextureObject_t t = make_texture(a, true, cudaAddressModeClamp);
	look_around<<<blocks_of(6 * n * n, 128), 128>>>(t, n, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, in.host, in.n, "cube");
	CHECK(cudaDestroyTextureObject(t));
	CHECK(cudaFreeArray(a));
}

static void volume(int n, int depth)
{
	array<float> in(n * n * depth), out(n * n), want(n * n);

	random_exact(in, n + 2);
	cudaArray_t a = make_array(in.host, n, depth, 0);
	cudaTextureObject_t t = make_texture(a, true, cudaAddressModeWrap);
	project<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(t, n, depth,
							out.device);
	CHECK_LAUNCH();
	out.download();
	for (int i = 0; i < n * n * depth; i++)
		want[i % (n * n)] = fmaxf(want[i % (n * n)], in[i]);
	check_exact(&self, out.host, want.host, n * n, "volume");
	CHECK(cudaDestroyTextureObject(t));
	CHECK(cudaFreeArray(a));
}

static void levels(int n)
{
	struct cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
	array<unsigned char> in(4 * n * n), want(in.n), got(in.n);
	cudaArray_t at[2];
	cudaSurfaceObject_t s[2];

	random_ints(in, 256, n);
	for (int k = 0; k < 2; k++) {
		struct cudaResourceDesc resource = {};

		CHECK(cudaMallocArray(&at[k], &format, n >> k, n >> k,
				      cudaArraySurfaceLoadStore));
		resource.resType = cudaResourceTypeArray;
		resource.res.array.array = at[k];
		CHECK(cudaCreateSurfaceObject(&s[k], &resource));
	}
	CHECK(cudaMemcpy2DToArray(at[0], 0, 0, in.host, 4 * n, 4 * n, n,
				  cudaMemcpyHostToDevice));
	memcpy(want.host, in.host, in.n);
	for (int m = n / 2, k = 0; m >= n / 8; m /= 2, k = !k) {
		halve<<<dim3(blocks_of(m, 32), blocks_of(m, 4)), dim3(32, 4)>>>(
			s[k], s[!k], m);
		CHECK_LAUNCH();
		for (int i = 0; i < 4 * m * m; i++) {
			const unsigned char *p =
				want.host +
				(i / (4 * m) * 2 * m + i / 4 % m) * 8 + i % 4;

			got[i] =
				(p[0] + p[4] + p[8 * m] + p[8 * m + 4] + 2) / 4;
		}
		memcpy(want.host, got.host, 4 * m * m);
		CHECK(cudaMemcpy2DFromArray(got.host, 4 * m, at[!k], 0, 0,
					    4 * m, m, cudaMemcpyDeviceToHost));
		check_exact(&self, got.host, want.host, 4 * m * m, "levels");
	}
	for (int k = 0; k < 2; k++) {
		CHECK(cudaDestroySurfaceObject(s[k]));
		CHECK(cudaFreeArray(at[k]));
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 16)
		bad_size(&self, "a multiple of 16");
	layers(16);
	layers(n * 4);
	cube(n);
	volume(n, 33);
	levels(n * 4);
	return report(&self);
}
