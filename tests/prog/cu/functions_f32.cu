/* Functions of the math library and the fast ones, in single precision. */
extern "C" __global__ void functions_f32(const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = in[i], a = fabsf(x) + 0.01f;
	float *o = out + 24 * i;

	o[0] = sinf(x);
	o[1] = cosf(x);
	o[2] = tanf(x * 0.1f);
	o[3] = expf(x * 0.2f);
	o[4] = logf(a);
	o[5] = powf(a, 1.7f);
	o[6] = sqrtf(a);
	o[7] = rsqrtf(a);
	o[8] = atan2f(x, 3.0f);
	o[9] = tanhf(x);
	o[10] = cbrtf(x);
	o[11] = erff(x * 0.3f);
	o[12] = exp2f(x * 0.5f);
	o[13] = log2f(a);
	o[14] = fmodf(x, 0.7f);
	o[15] = hypotf(x, 2.0f);
	o[16] = floorf(x) + 0.25f * rintf(x) + 0.125f * truncf(x);
	o[17] = asinf(x / 32);
	o[18] = sinhf(x * 0.2f);
	o[19] = lgammaf(a);
	o[20] = __sinf(x * 0.1f);
	o[21] = __expf(x * 0.1f);
	o[22] = __logf(a);
	o[23] = __fdividef(x, a + 1.0f);
}
