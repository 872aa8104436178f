/* Functions of the math library in double precision. */
extern "C" __global__ void functions_f64(const double *in, double *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double x = in[i], a = fabs(x) + 0.01;
	double *o = out + 12 * i;

	o[0] = sin(x);
	o[1] = cos(x * 1000);
	o[2] = exp(x * 0.2);
	o[3] = log(a);
	o[4] = pow(a, 1.7);
	o[5] = sqrt(a) / a;
	o[6] = atan(x);
	o[7] = tanh(x);
	o[8] = cbrt(x);
	o[9] = erf(x * 0.3);
	o[10] = fmod(x, 0.7);
	o[11] = rint(x * 4) + floor(x) / 8;
}
