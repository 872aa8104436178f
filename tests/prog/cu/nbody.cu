/* A step of n bodies in double precision. */
struct body {
	double x, y, z, mass;
};

extern "C" __global__ void nbody(const body *at, const double *v_in,
				 double *v_out, int n, double dt)
{
	__shared__ body tile[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	body me = at[i];
	double ax = 0, ay = 0, az = 0;

	for (int base = 0; base < n; base += 32) {
		tile[threadIdx.x] = at[base + threadIdx.x];
		__syncthreads();
		for (int k = 0; k < 32; k++) {
			double dx = tile[k].x - me.x, dy = tile[k].y - me.y,
			       dz = tile[k].z - me.z;
			double r2 = dx * dx + dy * dy + dz * dz + 0.01;
			double s = tile[k].mass / (r2 * sqrt(r2));
			ax += dx * s;
			ay += dy * s;
			az += dz * s;
		}
		__syncthreads();
	}
	v_out[3 * i] = v_in[3 * i] + dt * ax;
	v_out[3 * i + 1] = v_in[3 * i + 1] + dt * ay;
	v_out[3 * i + 2] = v_in[3 * i + 2] + dt * az;
}
