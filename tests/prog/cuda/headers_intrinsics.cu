/* intrinsics.h and simd.h. */
#include <math_constants.h>

__global__ void integers(int *o, unsigned *u, long long *l, int a, int b,
			 unsigned c, unsigned d)
{
	o[0] = __clz(a) + __clzll(l[0]) + __popc(c) + __popcll(l[1]) +
	       __ffs(b) + __ffsll(l[2]) + __mulhi(a, b) + __mul24(a, b) +
	       __hadd(a, b) + __rhadd(a, b) + __dp4a(a, b, a) +
	       __dp2a_lo(a, b, a) + __dp2a_hi(a, b, a);
	u[0] = __brev(c) + __umulhi(c, d) + __umul24(c, d) + __uhadd(c, d) +
	       __urhadd(c, d) + __byte_perm(c, d, 0x3210) + __sad(a, b, c) +
	       __usad(c, d, c) + __funnelshift_l(c, d, 3) +
	       __funnelshift_lc(c, d, c) + __funnelshift_r(c, d, 5) +
	       __funnelshift_rc(c, d, d) + __fns(c, 0, 3) + __dp4a(c, d, c) +
	       __dp2a_lo(c, d, c) + __dp2a_hi(c, d, c);
	l[0] = __brevll(l[1]) + __mul64hi(l[0], l[1]) +
	       __umul64hi(l[2], l[3]) + min(a, b) + max(c, d) +
	       max(l[0], l[1]) + abs(a) + llabs(l[3]);
	o[1] = __dp4a(make_char4(1, 2, 3, 4), make_char4(5, 6, 7, 8), a);
}

__global__ void simd(unsigned *o, unsigned a, unsigned b)
{
	o[0] = __vadd2(a, b) + __vadd4(a, b) + __vaddss2(a, b) +
	       __vaddss4(a, b) + __vaddus2(a, b) + __vaddus4(a, b);
	o[1] = __vsub2(a, b) + __vsub4(a, b) + __vsubss2(a, b) +
	       __vsubss4(a, b) + __vsubus2(a, b) + __vsubus4(a, b);
	o[2] = __vabsdiffs2(a, b) + __vabsdiffs4(a, b) + __vabsdiffu2(a, b) +
	       __vabsdiffu4(a, b) + __vavgs2(a, b) + __vavgs4(a, b) +
	       __vavgu2(a, b) + __vavgu4(a, b) + __vhaddu2(a, b) +
	       __vhaddu4(a, b);
	o[3] = __vmins2(a, b) + __vmins4(a, b) + __vminu2(a, b) +
	       __vminu4(a, b) + __vmaxs2(a, b) + __vmaxs4(a, b) +
	       __vmaxu2(a, b) + __vmaxu4(a, b);
	o[4] = __vabs2(a) + __vabs4(a) + __vabsss2(a) + __vabsss4(a) +
	       __vneg2(a) + __vneg4(a) + __vnegss2(a) + __vnegss4(a);
	o[5] = __vcmpeq2(a, b) + __vcmpeq4(a, b) + __vcmpgts2(a, b) +
	       __vcmpgeu4(a, b) + __vcmples2(a, b) + __vcmpltu4(a, b) +
	       __vseteq4(a, b) + __vsetgts2(a, b) + __vsetne2(a, b);
	o[6] = __vsads2(a, b) + __vsads4(a, b) + __vsadu2(a, b) +
	       __vsadu4(a, b);
}

#define MODES(op, ...) op##_rn(__VA_ARGS__) + op##_rz(__VA_ARGS__) + \
		       op##_ru(__VA_ARGS__) + op##_rd(__VA_ARGS__)
__global__ void rounding(float *f, double *d, int *i, long long *l, float x,
			 float y, double p, double q)
{
	f[0] = MODES(__fadd, x, y) + MODES(__fsub, x, y) + MODES(__fmul, x, y) +
	       MODES(__fdiv, x, y) + MODES(__fmaf, x, y, x) +
	       MODES(__fsqrt, x) + MODES(__frcp, x) + __frsqrt_rn(x);
	d[0] = MODES(__dadd, p, q) + MODES(__dsub, p, q) + MODES(__dmul, p, q) +
	       MODES(__ddiv, p, q) + MODES(__fma, p, q, p) +
	       MODES(__dsqrt, p) + MODES(__drcp, p);
	i[0] = MODES(__float2int, x) + MODES(__float2uint, x) +
	       MODES(__double2int, p) + MODES(__double2uint, p);
	l[0] = MODES(__float2ll, x) + MODES(__float2ull, x) +
	       MODES(__double2ll, p) + MODES(__double2ull, p);
	f[1] = MODES(__int2float, i[1]) + MODES(__uint2float, (unsigned)i[1]) +
	       MODES(__ll2float, l[1]) + MODES(__ull2float, l[1]) +
	       MODES(__double2float, p);
	d[1] = MODES(__ll2double, l[1]) + MODES(__ull2double, l[1]) +
	       __int2double_rn(i[1]) + __uint2double_rn(i[1]);
}

__global__ void fast(float *f, double *d, float x, float y, double p)
{
	float s, c;
	__sincosf(x, &s, &c);
	f[0] = __sinf(x) + __cosf(x) + __tanf(x) + __expf(x) + __exp10f(x) +
	       __logf(x) + __log2f(x) + __log10f(x) + __powf(x, y) +
	       __fdividef(x, y) + __saturatef(x) + s + c;
	f[1] = __int_as_float(__float_as_int(x) + 1) +
	       __uint_as_float(__float_as_uint(y) + 1) + CUDART_PI_F;
	d[0] = __longlong_as_double(__double_as_longlong(p) + 1) +
	       __hiloint2double(__double2hiint(p), __double2loint(p)) +
	       CUDART_INF;
}
