/*
 * The temperature of a chip of several layers: a block of 64 x 4 threads walks
 * through the layers and keeps three of them in registers (Rodinia's hotspot3D).
 *
 * SIZE: rows and columns of a layer.
 */
#include "common.h"

#define LAYERS 8
#define AMBIENT 80.0f

static struct workload self = { "hotspot_3d", "rows and columns", 256, 64,
				2048 };

struct weights {
	float side, front, up, middle, power;
};

__global__ void __launch_bounds__(256)
	layers(int n, weights w, const float *power, const float *in,
	       float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int j = blockIdx.y * blockDim.y + threadIdx.y;
	int at = j * n + i, layer = n * n;
	int west = i == 0 ? at : at - 1, east = i == n - 1 ? at : at + 1;
	int north = j == 0 ? at : at - n, south = j == n - 1 ? at : at + n;
	float below, here = in[at], above = here;

	for (int k = 0; k < LAYERS; k++) {
		below = here;
		here = above;
		above = k < LAYERS - 1 ? in[at + layer] : here;
		if (k == 0)
			below = here;
		out[at] = w.middle * here + w.side * (in[west] + in[east]) +
			  w.front * (in[north] + in[south]) +
			  w.up * (below + above) + w.power * power[at] +
			  w.up * AMBIENT;
		at += layer;
		west += layer;
		east += layer;
		north += layer;
		south += layer;
	}
}

static void expect(int n, weights w, const float *power, const float *in,
		   float *out)
{
	for (int k = 0; k < LAYERS; k++)
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				int at = (k * n + j) * n + i, plane = n * n;
				float here = in[at];

				out[at] = w.middle * here +
					  w.side * ((i ? in[at - 1] : here) +
						    (i < n - 1 ? in[at + 1] :
								 here)) +
					  w.front * ((j ? in[at - n] : here) +
						     (j < n - 1 ? in[at + n] :
								  here)) +
					  w.up * ((k ? in[at - plane] : here) +
						  (k < LAYERS - 1 ?
							   in[at + plane] :
							   here) +
						  AMBIENT) +
					  w.power * power[at];
			}
}

static void heat(int n, int steps)
{
	weights w = { 0.1f, 0.1f, 0.05f, 0.45f, 0.02f };
	array<float> a((size_t)LAYERS * n * n), b(a.n), power(a.n), got(a.n);

	random_floats(a, 70, 90, n);
	random_floats(power, 0, 10, n + 1);
	a.upload();
	power.upload();
	float *in = a.device, *out = b.device, *hin = a.host, *hout = b.host;
	for (int s = 0; s < steps; s++) {
		layers<<<dim3(n / 64, n / 4), dim3(64, 4)>>>(n, w, power.device,
							     in, out);
		CHECK_LAUNCH();
		expect(n, w, power.host, hin, hout);
		float *d = in, *h = hin;
		in = out;
		out = d;
		hin = hout;
		hout = h;
	}
	from_device(got.host, in, a.n);
	check_close(&self, got.host, hin, a.n, 1e-5);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 64)
		bad_size(&self, "a multiple of 64");
	heat(64, 3);
	heat(n, 2);
	return report(&self);
}
