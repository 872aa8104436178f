/*
 * Finding round cells in a microscope's picture, after Rodinia's leukocyte: for
 * each pixel the gradients on circles of several radii around it, read through
 * textures, give a score, mean by deviation; a dilation keeps the best scores.
 *
 * SIZE: width of the picture.
 */
#include "common.h"

#define POINTS 60
#define CIRCLES 4
#define ROUND 5 /* diameter of the dilation */
#define REACH 16

static struct workload self = { "cell_tracking", "width", 128, 64, 1024 };

__constant__ float sines[POINTS], cosines[POINTS];
__constant__ int offset_x[CIRCLES * POINTS], offset_y[CIRCLES * POINTS];

__global__ void score(int width, int height, cudaTextureObject_t gx,
		      cudaTextureObject_t gy, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x + REACH,
	    y = blockIdx.y + REACH;
	float best = 0;

	if (x >= width - REACH)
		return;
	for (int k = 0; k < CIRCLES; k++) {
		float sum = 0, mean = 0, deviation = 0;

		for (int n = 0; n < POINTS; n++) {
			int px = x + offset_x[k * POINTS + n];
			int py = y + offset_y[k * POINTS + n];
			int at = py * width + px;
			float p = tex1Dfetch<float>(gx, at) * cosines[n] +
				  tex1Dfetch<float>(gy, at) * sines[n];
			float delta = p - mean;

			sum += p;
			mean += delta / (n + 1);
			deviation += delta * (p - mean);
		}
		mean = sum / POINTS;
		best = fmaxf(best, mean * mean / (deviation / (POINTS - 1)));
	}
	out[y * width + x] = best;
}

__global__ void dilate(int width, int height, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float best = 0;

	if (x >= width || y >= height)
		return;
	for (int dy = -ROUND / 2; dy <= ROUND / 2; dy++)
		for (int dx = -ROUND / 2; dx <= ROUND / 2; dx++) {
			if (dx * dx + dy * dy > ROUND * ROUND / 4)
				continue;
			if (x + dx >= 0 && x + dx < width && y + dy >= 0 &&
			    y + dy < height)
				best = fmaxf(best,
					     in[(y + dy) * width + x + dx]);
		}
	out[y * width + x] = best;
}

static cudaTextureObject_t texture_of(const array<float> &of)
{
	cudaTextureObject_t texture;
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};

	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = of.device;
	resource.res.linear.desc = cudaCreateChannelDesc<float>();
	resource.res.linear.sizeInBytes = of.n * sizeof(float);
	how.readMode = cudaReadModeElementType;
	CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	return texture;
}

struct circle {
	float sine[POINTS], cosine[POINTS];
	int x[CIRCLES * POINTS], y[CIRCLES * POINTS];
};

static void expect(int width, int height, const circle &c, const float *gx,
		   const float *gy, float *out)
{
	for (int y = REACH; y < height - REACH; y++)
		for (int x = REACH; x < width - REACH; x++)
			for (int k = 0; k < CIRCLES; k++) {
				double sum = 0, square = 0;

				for (int n = 0; n < POINTS; n++) {
					int at = (y + c.y[k * POINTS + n]) *
							 width +
						 x + c.x[k * POINTS + n];
					double p = gx[at] * c.cosine[n] +
						   gy[at] * c.sine[n];

					sum += p;
					square += p * p;
				}
				double mean = sum / POINTS;
				double spread =
					(square - sum * mean) / (POINTS - 1);
				float value = (float)(mean * mean / spread);
				if (value > out[y * width + x])
					out[y * width + x] = value;
			}
}

int main(int argc, char **argv)
{
	int width = size_arg(&self, argc, argv), height = width * 3 / 4;
	array<float> gx((size_t)width * height), gy(gx.n), scores(gx.n);
	array<float> wide(gx.n), want(gx.n), best(gx.n);
	circle c;

	random_floats(gx, -1, 1, width);
	random_floats(gy, -1, 1, width + 1);
	for (int n = 0; n < POINTS; n++) {
		double angle = 2 * 3.14159265358979 * n / POINTS;

		c.sine[n] = (float)sin(angle);
		c.cosine[n] = (float)cos(angle);
		for (int k = 0; k < CIRCLES; k++) {
			double radius = 4 + 3 * k;

			c.x[k * POINTS + n] = (int)lrint(radius * cos(angle));
			c.y[k * POINTS + n] = (int)lrint(radius * sin(angle));
		}
	}
	gx.upload();
	gy.upload();
	scores.fill(0);
	CHECK(cudaMemcpyToSymbol(sines, c.sine, sizeof c.sine));
	CHECK(cudaMemcpyToSymbol(cosines, c.cosine, sizeof c.cosine));
	CHECK(cudaMemcpyToSymbol(offset_x, c.x, sizeof c.x));
	CHECK(cudaMemcpyToSymbol(offset_y, c.y, sizeof c.y));
	cudaTextureObject_t tx = texture_of(gx), ty = texture_of(gy);
	score<<<dim3(blocks_of(width - 2 * REACH, 96), height - 2 * REACH), 96>>>(
		width, height, tx, ty, scores.device);
	dilate<<<dim3(blocks_of(width, 16), blocks_of(height, 16)),
		 dim3(16, 16)>>>(width, height, scores.device, wide.device);
	CHECK_LAUNCH();
	scores.download();
	wide.download();
	expect(width, height, c, gx.host, gy.host, want.host);
	check_close(&self, scores.host, want.host, want.n, 1e-3, 1e-5,
		    "scores");
	for (int i = 0; i < width * height; i++)
		for (int dy = -2; dy <= 2; dy++)
			for (int dx = -2; dx <= 2; dx++) {
				int x = i % width + dx, y = i / width + dy;

				if (dx * dx + dy * dy <= 6 && x >= 0 &&
				    x < width && y >= 0 && y < height &&
				    scores[y * width + x] > best[i])
					best[i] = scores[y * width + x];
			}
	check_exact(&self, wide.host, best.host, best.n, "dilation");
	CHECK(cudaDestroyTextureObject(tx));
	CHECK(cudaDestroyTextureObject(ty));
	return report(&self);
}
