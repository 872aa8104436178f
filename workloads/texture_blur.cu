/*
 * The binomial blur 1-2-1 in both directions of a picture, with a texture: a
 * fetch at the corner of four texels returns their mean (linear filter), and
 * four such fetches around a texel give the sum of the nine texels around it
 * with the weights 1 2 4. Each pass reads one cudaArray through a texture
 * object, clamped at the borders, and writes the other one through a surface
 * object; then the two are swapped.
 *
 * SIZE: width of the picture; it is three quarters as high. Compared with the
 * nine weights applied in double precision. The pixels are small integers, the
 * filter's fraction of 1/2 is exact in its fixed-point format, and after three
 * passes every value still fits into the 24 bits of a float; the tolerance is
 * for the arithmetic of the filter, which is not documented further.
 */
#include "common.h"

#define PASSES 3

static struct workload self = { "texture_blur", "width of the picture", 192, 2,
				16384 };

/* A picture on the device, to read and to write. */
struct picture {
	cudaArray_t array;
	cudaTextureObject_t texture;
	cudaSurfaceObject_t surface;
};

__global__ void blur(cudaTextureObject_t from, cudaSurfaceObject_t to,
		     int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= width || y >= height)
		return;
	/* Texel (x, y) has its centre at (x + 0.5, y + 0.5). */
	float sum = tex2D<float>(from, x, y) + tex2D<float>(from, x + 1, y) +
		    tex2D<float>(from, x, y + 1) +
		    tex2D<float>(from, x + 1, y + 1);
	surf2Dwrite(0.25f * sum, to, x * (int)sizeof(float), y);
}

static struct picture picture_new(int width, int height)
{
	struct cudaChannelFormatDesc pixel = cudaCreateChannelDesc<float>();
	struct cudaResourceDesc resource;
	struct cudaTextureDesc sampling;
	struct picture p;

	CHECK(cudaMallocArray(&p.array, &pixel, width, height,
			      cudaArraySurfaceLoadStore));
	memset(&resource, 0, sizeof resource);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = p.array;
	memset(&sampling, 0, sizeof sampling);
	sampling.addressMode[0] = cudaAddressModeClamp;
	sampling.addressMode[1] = cudaAddressModeClamp;
	sampling.filterMode = cudaFilterModeLinear;
	sampling.readMode = cudaReadModeElementType;
	CHECK(cudaCreateTextureObject(&p.texture, &resource, &sampling, NULL));
	CHECK(cudaCreateSurfaceObject(&p.surface, &resource));
	return p;
}

static void picture_free(struct picture *p)
{
	CHECK(cudaDestroyTextureObject(p->texture));
	CHECK(cudaDestroySurfaceObject(p->surface));
	CHECK(cudaFreeArray(p->array));
}

static int clamp(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void expected(const double *in, double *out, int width, int height)
{
	static const double weight[3] = { 0.25, 0.5, 0.25 };

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double sum = 0;

			for (int i = 0; i < 9; i++)
				sum += weight[i / 3] * weight[i % 3] *
				       in[(size_t)clamp(y + i / 3 - 1, height) *
						  width +
					  clamp(x + i % 3 - 1, width)];
			out[(size_t)y * width + x] = sum;
		}
}

int main(int argc, char **argv)
{
	int width = size_arg(&self, argc, argv), height = width * 3 / 4;
	size_t n = (size_t)width * height, row = width * sizeof(float);
	float *image = host_alloc<float>(n), *want = host_alloc<float>(n);
	double *a = host_alloc<double>(n), *b = host_alloc<double>(n);
	dim3 block(16, 8), grid(blocks_of(width, 16), blocks_of(height, 8));
	uint64_t random = 1;

	for (size_t i = 0; i < n; i++)
		a[i] = image[i] = (float)random_below(&random, 256);
	for (int pass = 0; pass < PASSES; pass++) {
		double *last = a;

		expected(a, b, width, height);
		a = b;
		b = last;
	}
	for (size_t i = 0; i < n; i++)
		want[i] = (float)a[i];

	struct picture from = picture_new(width, height);
	struct picture to = picture_new(width, height);

	CHECK(cudaMemcpy2DToArray(from.array, 0, 0, image, row, row, height,
				  cudaMemcpyHostToDevice));
	for (int pass = 0; pass < PASSES; pass++) {
		struct picture last = from;

		blur<<<grid, block>>>(from.texture, to.surface, width, height);
		CHECK_LAUNCH();
		from = to;
		to = last;
	}
	CHECK(cudaMemcpy2DFromArray(image, row, from.array, 0, 0, row, height,
				    cudaMemcpyDeviceToHost));
	check_close(&self, image, want, n, 1e-6, 1e-5);

	picture_free(&from);
	picture_free(&to);
	free(image);
	free(want);
	free(a);
	free(b);
	return report(&self);
}
