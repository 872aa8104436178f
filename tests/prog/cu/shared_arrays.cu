/* One piece of dynamic shared memory cut into arrays of different types, beside
 * static ones; a generic pointer chooses between them. */
extern "C" __global__ void shared_arrays(int n, double *out)
{
	extern __shared__ double raw[];
	__shared__ float fixed[32];
	double *d = raw;
	float *f = (float *)(d + n);
	short *s = (short *)(f + n);
	int t = threadIdx.x;

	if (t < n) {
		d[t] = t * 0.5;
		f[t] = t * 2.0f;
		s[t] = (short)(t * -3);
	}
	if (t < 32)
		fixed[t] = t + 100.0f;
	__syncthreads();
	const float *p = t % 2 ? f : fixed;
	if (t < n)
		out[t] = d[n - 1 - t] + p[t % 32] + s[(t + 1) % n];
}
