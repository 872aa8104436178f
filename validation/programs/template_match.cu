/*
 * Points of a moving wall are followed from picture to picture, after Rodinia's
 * heartwall: a block for each point correlates its template with a window, normalizes
 * by sums over the window, and finds the best place by a reduction in shared memory.
 *
 * SIZE: points of the larger launch.
 */
#include "common.h"

#define SIDE 192 /* of a picture */
#define SMALL 13 /* side of a template */
#define WINDOW 29
#define PLACES (WINDOW - SMALL + 1)
#define THREADS 512

static struct workload self = { "template_match", "points", 160, 1, 4096 };

struct place {
	short x, y;
};

__host__ __device__ static inline float
similarity(const float *picture, int pitch, const float *wanted)
{
	float sum = 0, square = 0, product = 0;

	for (int y = 0; y < SMALL; y++)
		for (int x = 0; x < SMALL; x++) {
			float p = picture[y * pitch + x];

			sum += p;
			square += p * p;
			product += p * wanted[y * SMALL + x];
		}
	float variance = square - sum * sum / (SMALL * SMALL);
	return product / sqrtf(variance + 1);
}

__global__ void __launch_bounds__(THREADS)
	follow(const float *picture, const float *templates, place *points)
{
	__shared__ float window[WINDOW * WINDOW], wanted[SMALL * SMALL];
	__shared__ float value[THREADS];
	__shared__ int where[THREADS];
	int t = threadIdx.x, b = blockIdx.x;
	place at = points[b];

	for (int i = t; i < WINDOW * WINDOW; i += THREADS)
		window[i] =
			picture[(at.y + i / WINDOW) * SIDE + at.x + i % WINDOW];
	for (int i = t; i < SMALL * SMALL; i += THREADS)
		wanted[i] = templates[b * SMALL * SMALL + i];
	__syncthreads();
	value[t] = -1e30f;
	where[t] = t;
	if (t < PLACES * PLACES)
		value[t] = similarity(window + t / PLACES * WINDOW + t % PLACES,
				      WINDOW, wanted);
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half && (value[t + half] > value[t] ||
				 (value[t + half] == value[t] &&
				  where[t + half] < where[t]))) {
			value[t] = value[t + half];
			where[t] = where[t + half];
		}
	}
	if (t == 0) {
		points[b].x = (short)(at.x + where[0] % PLACES);
		points[b].y = (short)(at.y + where[0] / PLACES);
	}
}

static void track(int n)
{
	array<float> picture(SIDE * SIDE);
	array<float> templates((size_t)n * SMALL * SMALL);
	array<place> points(n), want(n);
	uint64_t seed = n;

	random_floats(picture, 0, 1, n);
	for (int i = 0; i < n; i++) {
		int dx = random_below(&seed, PLACES);
		int dy = random_below(&seed, PLACES);

		points[i].x = (short)random_below(&seed, SIDE - WINDOW);
		points[i].y = (short)random_below(&seed, SIDE - WINDOW);
		want[i].x = (short)(points[i].x + dx);
		want[i].y = (short)(points[i].y + dy);
		/* Without its mean, so that the right place is the best. */
		for (int k = 0; k < SMALL * SMALL; k++)
			templates[i * SMALL * SMALL + k] =
				picture[(want[i].y + k / SMALL) * SIDE +
					want[i].x + k % SMALL] -
				0.5f;
	}
	picture.upload();
	templates.upload();
	points.upload();
	follow<<<n, THREADS>>>(picture.device, templates.device, points.device);
	CHECK_LAUNCH();
	points.download();
	note_bits(&self, points.host, n * sizeof(place));
	for (int i = 0; i < n; i++) {
		if (points[i].x != want[i].x)
			note_wrong(&self, i, (int)points[i].x, (int)want[i].x,
				   "x");
		if (points[i].y != want[i].y)
			note_wrong(&self, i, (int)points[i].y, (int)want[i].y,
				   "y");
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	track((n + 31) / 32);
	track(n);
	return report(&self);
}
