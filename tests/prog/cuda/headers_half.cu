/* cuda_fp16.h and cuda_bf16.h. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class H, class H2>
__device__ void both(H *o, H2 *o2, H a, H b, H2 c, H2 d)
{
	H v = a + b * a - b / a;
	v += __hadd(a, b) + __hsub(a, b) + __hmul(a, b) + __hdiv(a, b);
	v -= __hfma(a, b, v) + __hfma_relu(a, b, v) + __hadd_sat(a, b) +
	     __hsub_sat(a, b) + __hmul_sat(a, b) + __hfma_sat(a, b, v);
	v *= __hneg(a) + __habs(a) + __hmin(a, b) + __hmax(a, b) +
	     __hmin_nan(a, b) + __hmax_nan(a, b);
	v = v + hsqrt(a) + hrsqrt(a) + hrcp(a) + hexp(a) + hexp2(a) +
	    hexp10(a) + hlog(a) + hlog2(a) + hlog10(a) + hsin(a) + hcos(a) +
	    htanh(a) + hfloor(a) + hceil(a) + htrunc(a) + hrint(a);
	if (a < b || a <= b || a > b || a >= b || a == b || a != b)
		v = -v;
	if (__hltu(a, b) || __heq(a, b) || __hne(a, b) || __hisnan(a) ||
	    __hisinf(b))
		v++;
	o[0] = v;
	o[1] = __ldg(o + 3);
	__stcs(o + 4, v);
	o[2] = __shfl_xor_sync(~0u, v, 3);
	atomicAdd(o + 9, v);

	H2 w = c + d * c - d / c;
	w += __hadd2(c, d) + __hsub2(c, d) + __hmul2(c, d) + __h2div(c, d);
	w = __hfma2(c, d, w) + __hfma2_relu(c, d, w) + __hadd2_sat(c, d) +
	    __hmul2_sat(c, d) + __hneg2(c) + __habs2(d);
	w = __hmin2(w, c) + __hmax2(w, d) + __hmin2_nan(w, c) +
	    __hmax2_nan(w, d) + h2exp(c) + h2sqrt(d) + h2log(c) + h2rcp(d);
	if (__hbgt2(w, c) || __hbeq2(c, d) || c == d || __hgt2_mask(c, d))
		w = w + __heq2(c, d) + __hlt2(c, d);
	o2[0] = w;
	o2[1] = __ldg(o2 + 4);
	o2[3] = __shfl_sync(~0u, w, 1);
	atomicAdd(o2 + 7, w);
	o[20] = __low2float(w) + __high2float(w);
}

__global__ void halves(__half *o, __half2 *o2, half a, half b, half2 c,
		       half2 d, int n, float x)
{
	both(o, o2, a, b, c, d);
	o[21] = __float2half(x) + __float2half_rn(x) + __float2half_rz(x) +
		__float2half_ru(x) + __float2half_rd(x);
	o[22] = __int2half_rn(n) + __uint2half_rz(n) + __ll2half_ru(n) +
		__short2half_rd(n) + __ushort2half_rn(n);
	o[23] = (half)(__half2int_rz(a) + __half2uint_rn(a));
	o[24] = __low2half(c) + __high2half(c);
	o[25] = n;
	o[26] = x * 2.0f;
	o[27] = 0.5;
	o[28] = __ushort_as_half(__half_as_ushort(a) + 1);
	o2[20] = __floats2half2_rn(x, x) + __float2half2_rn(x) +
		 __halves2half2(a, b) + __half2half2(a) +
		 __lowhigh2highlow(c) + __lows2half2(c, d) + make_half2(a, b);
	float2 f = __half22float2(c);
	o2[21] = __float22half2_rn(f);
	x = a;
	o[29] = (half)x + (half)f.x;
}

__global__ void bfloats(__nv_bfloat16 *o, __nv_bfloat162 *o2, __nv_bfloat16 a,
			__nv_bfloat16 b, __nv_bfloat162 c, __nv_bfloat162 d,
			int n, float x)
{
	both(o, o2, a, b, c, d);
	o[21] = __float2bfloat16(x) + __float2bfloat16_rz(x) +
		__float2bfloat16_ru(x) + __float2bfloat16_rd(x);
	o[22] = __int2bfloat16_rn(n) + __ushort2bfloat16_rn(n);
	o[23] = (__nv_bfloat16)(__bfloat162int_rz(a) + __bfloat162uint_rn(a));
	o[24] = __low2bfloat16(c) + __high2bfloat16(c);
	o[28] = __ushort_as_bfloat16(__bfloat16_as_ushort(a) + 1);
	o2[20] = __floats2bfloat162_rn(x, x) + __float2bfloat162_rn(x) +
		 __halves2bfloat162(a, b) + __bfloat162bfloat162(a);
	float2 f = __bfloat1622float2(c);
	o2[21] = __float22bfloat162_rn(f);
	o[29] = __float2bfloat16(__bfloat162float(a) * f.x);
}

int main()
{
	__half h = __float2half(1.5f);
	h = h + h;
	__nv_bfloat16 b = __float2bfloat16(1.5f);
	return __half2float(h) != 3.0f || (float)(b * b) != 2.25f;
}
