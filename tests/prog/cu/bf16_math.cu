/* Arithmetic in bfloat16. */
#include <cuda_bf16.h>

extern "C" __global__ void bf16_math(const float *in, float *out,
				     __nv_bfloat16 *bits)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	__nv_bfloat16 a = __float2bfloat16(in[3 * i]),
		      b = __float2bfloat16(in[3 * i + 1]),
		      c = __float2bfloat16(in[3 * i + 2]);
	float *o = out + 6 * i;

	o[0] = __bfloat162float(__hadd(a, b));
	o[1] = __bfloat162float(__hsub(a, b));
	o[2] = __bfloat162float(__hmul(a, b));
	o[3] = __bfloat162float(__hfma(a, b, c));
	__nv_bfloat162 x = __halves2bfloat162(a, b), y = __halves2bfloat162(c, a);
	__nv_bfloat162 m = __hfma2(x, y, x);
	o[4] = __low2float(m);
	o[5] = __high2float(m);
	bits[i] = a;
}
