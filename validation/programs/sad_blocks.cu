/*
 * Motion estimation, after Parboil's sad: for each macroblock of 16 x 16 pixels a
 * block computes the sums of absolute differences of its 4 x 4 parts at every
 * place of a search window; further launches add them to 8 x 8 and 16 x 16.
 *
 * SIZE: width of the pictures, a multiple of 16.
 */
#include "common.h"

#define REACH 4
#define PLACES ((2 * REACH + 1) * (2 * REACH + 1))

static struct workload self = { "sad_blocks", "width", 176, 32, 1920 };

/* A block for each macroblock; threads share out parts and places. */
__global__ void parts(int width, int height, const unsigned short *now,
		      const unsigned char *before, unsigned short *out)
{
	__shared__ unsigned short mine[256];
	int bx = blockIdx.x, by = blockIdx.y, t = threadIdx.x;
	unsigned short *sums = out + (by * gridDim.x + bx) * 16 * PLACES;

	for (int i = t; i < 256; i += blockDim.x)
		mine[i] = now[(by * 16 + i / 16) * width + bx * 16 + i % 16];
	__syncthreads();
	for (int work = t; work < 16 * PLACES; work += blockDim.x) {
		int part = work / PLACES, place = work % PLACES;
		int dx = place % (2 * REACH + 1) - REACH;
		int dy = place / (2 * REACH + 1) - REACH;
		int px = part % 4 * 4, py = part / 4 * 4;
		unsigned short sum = 0;

		for (int y = py; y < py + 4; y++)
			for (int x = px; x < px + 4; x++) {
				int rx = min(max(bx * 16 + x + dx, 0),
					     width - 1);
				int ry = min(max(by * 16 + y + dy, 0),
					     height - 1);

				sum += abs(mine[y * 16 + x] -
					   before[ry * width + rx]);
			}
		sums[work] = sum;
	}
}

/* Sums of 2 x 2 parts; there are side x side parts of a macroblock. */
__global__ void join(int side, const unsigned short *in, unsigned short *out)
{
	int place = threadIdx.x, part = blockIdx.x, half = side / 2;
	int x = part % half * 2, y = part / half * 2;
	const unsigned short *from =
		in + (size_t)blockIdx.y * side * side * PLACES + place;
	int at = (blockIdx.y * gridDim.x + part) * PLACES + place;

	out[at] = from[(y * side + x) * PLACES] +
		  from[(y * side + x + 1) * PLACES] +
		  from[((y + 1) * side + x) * PLACES] +
		  from[((y + 1) * side + x + 1) * PLACES];
}

static void estimate(int width, int height)
{
	int across = width / 16, down = height / 16, blocks = across * down;
	array<unsigned short> now((size_t)width * height);
	array<unsigned char> before(now.n);
	array<unsigned short> p4((size_t)blocks * 16 * PLACES),
		p8((size_t)blocks * 4 * PLACES), p16((size_t)blocks * PLACES),
		want(p16.n);
	uint64_t seed = width;

	for (size_t i = 0; i < now.n; i++) {
		before[i] = (unsigned char)random_below(&seed, 256);
		now[i] =
			(unsigned short)((before[i] + random_below(&seed, 64)) %
					 256);
	}
	now.upload();
	before.upload();
	parts<<<dim3(across, down), 61>>>(width, height, now.device,
					  before.device, p4.device);
	join<<<dim3(4, blocks), PLACES>>>(4, p4.device, p8.device);
	join<<<dim3(1, blocks), PLACES>>>(2, p8.device, p16.device);
	CHECK_LAUNCH();
	for (size_t i = 0; i < want.n; i++) {
		int place = i % PLACES, block = (int)(i / PLACES);
		int dx = place % (2 * REACH + 1) - REACH;
		int dy = place / (2 * REACH + 1) - REACH;
		int sum = 0;

		for (int k = 0; k < 256; k++) {
			int x = block % across * 16 + k % 16;
			int y = block / across * 16 + k / 16;
			int rx = x + dx < 0      ? 0 :
				 x + dx >= width ? width - 1 :
						   x + dx;
			int ry = y + dy < 0       ? 0 :
				 y + dy >= height ? height - 1 :
						    y + dy;

			sum += abs(now[y * width + x] -
				   before[ry * width + rx]);
		}
		want[i] = (unsigned short)sum;
	}
	p16.download();
	check_exact(&self, p16.host, want.host, p16.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 16)
		bad_size(&self, "a multiple of 16");
	estimate(n, 64);
	estimate(n, n / 16 * 13 / 16 * 16);
	return report(&self);
}
