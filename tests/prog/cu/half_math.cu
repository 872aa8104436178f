/* Arithmetic in half precision, single and in pairs. */
#include <cuda_fp16.h>

extern "C" __global__ void half_math(const float *in, float *out, __half2 *pairs)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	__half a = __float2half(in[3 * i]), b = __float2half(in[3 * i + 1]),
	       c = __float2half(in[3 * i + 2]);
	float *o = out + 12 * i;

	o[0] = __half2float(__hadd(a, b));
	o[1] = __half2float(__hsub(a, b));
	o[2] = __half2float(__hmul(a, b));
	o[3] = __half2float(__hfma(a, b, c));
	o[4] = __half2float(hsqrt(__habs(a)));
	o[5] = __hlt(a, b) + 2 * __hge(b, c) + 4 * __heq(a, a);
	o[6] = __half2float(__hneg(a));
	o[7] = __half2float(a) + __half2float(__int2half_rn(i));
	__half2 x = __halves2half2(a, b), y = __halves2half2(c, a);
	__half2 s = __hadd2(x, y), m = __hfma2(x, y, s);
	o[8] = __low2float(s);
	o[9] = __high2float(s);
	o[10] = __low2float(m);
	o[11] = __high2float(m);
	pairs[i] = __lowhigh2highlow(s);
}
