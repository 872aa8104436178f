/*
 * Phases of magnetic resonance imaging, after Parboil's mri-q: for each voxel the
 * sum over all samples of a cosine and a sine of their product; samples come in
 * pieces that fit into constant memory, a launch for each.
 *
 * SIZE: voxels.
 */
#include "common.h"

#define PIECE 64 /* samples of a launch */
#define PIECES 3
#define THREADS 256

static struct workload self = { "mri_q", "voxels", 16384, 64, 1 << 20 };

struct sample {
	float x, y, z, magnitude;
};

__constant__ sample samples[PIECE];

__global__ void magnitudes(int n, const float *real, const float *imaginary,
			   sample *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i].magnitude =
			real[i] * real[i] + imaginary[i] * imaginary[i];
}

__global__ void phases(int n, const float *x, const float *y, const float *z,
		       float *real, float *imaginary)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float mx = x[i], my = y[i], mz = z[i];
	float re = real[i], im = imaginary[i];
	for (int k = 0; k < PIECE; k++) {
		float angle = 6.2831853071795864769f *
			      (samples[k].x * mx + samples[k].y * my +
			       samples[k].z * mz);

		re += samples[k].magnitude * __cosf(angle);
		im += samples[k].magnitude * __sinf(angle);
	}
	real[i] = re;
	imaginary[i] = im;
}

static void image(int n)
{
	array<float> x(n), y(n), z(n), real(n), imaginary(n);
	array<float> want_real(n), want_imaginary(n);
	array<float> a(PIECE * PIECES), b(PIECE * PIECES);
	array<sample> all(PIECE * PIECES);
	uint64_t seed = n;

	random_floats(x, 0, 0.5f, n + 1);
	random_floats(y, 0, 0.5f, n + 2);
	random_floats(z, 0, 0.5f, n + 3);
	random_floats(a, -1, 1, n + 4);
	random_floats(b, -1, 1, n + 5);
	for (size_t k = 0; k < all.n; k++)
		all[k] = { random_float(&seed), random_float(&seed),
			   random_float(&seed), 0 };
	x.upload();
	y.upload();
	z.upload();
	a.upload();
	b.upload();
	all.upload();
	real.fill(0);
	imaginary.fill(0);
	magnitudes<<<1, PIECE * PIECES>>>(PIECE * PIECES, a.device, b.device,
					  all.device);
	for (int p = 0; p < PIECES; p++) {
		CHECK(cudaMemcpyToSymbol(samples, all.device + p * PIECE,
					 sizeof samples, 0,
					 cudaMemcpyDeviceToDevice));
		phases<<<blocks_of(n, THREADS), THREADS>>>(n, x.device,
							   y.device, z.device,
							   real.device,
							   imaginary.device);
		CHECK_LAUNCH();
	}
	for (int i = 0; i < n; i++) {
		double re = 0, im = 0;

		for (size_t k = 0; k < all.n; k++) {
			double angle =
				6.283185307179586 * ((double)all[k].x * x[i] +
						     (double)all[k].y * y[i] +
						     (double)all[k].z * z[i]);
			double size = a[k] * a[k] + b[k] * b[k];

			re += size * cos(angle);
			im += size * sin(angle);
		}
		want_real[i] = (float)re;
		want_imaginary[i] = (float)im;
	}
	real.download();
	imaginary.download();
	check_close(&self, real.host, want_real.host, n, 1e-4, 1e-3, "real");
	check_close(&self, imaginary.host, want_imaginary.host, n, 1e-4, 1e-3,
		    "imaginary");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	image(n / 64);
	image(n / 4 + 77);
	image(n);
	return report(&self);
}
