/* math.h: every function, in float and in double, by its CUDA and C++ names. */
#include <cmath>

template <class T> __device__ T one(T x)
{
	return acos(x) + acosh(x) + asin(x) + asinh(x) + atan(x) + atanh(x) +
	       cbrt(x) + ceil(x) + cos(x) + cosh(x) + erf(x) + erfc(x) +
	       exp(x) + exp2(x) + expm1(x) + fabs(x) + floor(x) + lgamma(x) +
	       log(x) + log10(x) + log1p(x) + log2(x) + logb(x) +
	       nearbyint(x) + rint(x) + round(x) + sin(x) + sinh(x) + sqrt(x) +
	       tan(x) + tanh(x) + tgamma(x) + trunc(x) + cospi(x) +
	       cyl_bessel_i0(x) + cyl_bessel_i1(x) + erfcinv(x) + erfcx(x) +
	       erfinv(x) + exp10(x) + j0(x) + j1(x) + normcdf(x) +
	       normcdfinv(x) + rcbrt(x) + rsqrt(x) + sinpi(x) + y0(x) + y1(x);
}

template <class T> __device__ T more(T x, T y)
{
	int e;
	T s, c, m, v[3] = {x, y, x};
	T r = atan2(x, y) + copysign(x, y) + fdim(x, y) + fmax(x, y) +
	      fmin(x, y) + fmod(x, y) + hypot(x, y) + nextafter(x, y) +
	      pow(x, y) + remainder(x, y) + rhypot(x, y) + fma(x, y, x) +
	      ldexp(x, 3) + scalbn(x, 2) + scalbln(x, 2l) + frexp(x, &e) +
	      modf(x, &m) + remquo(x, y, &e) + ilogb(x) + lrint(x) +
	      llrint(x) + lround(x) + llround(x) + norm3d(x, y, x) +
	      rnorm3d(x, y, x) + norm4d(x, y, x, y) + rnorm4d(x, y, x, y);
	sincos(x, &s, &c);
	r += s + c + e + m + v[0];
	sincospi(x, &s, &c);
	return r + s + c;
}

__global__ void in_float(float *o, float x, float y)
{
	float s, c;
	o[0] = one(x);
	o[1] = more(x, y) + jnf(3, x) + ynf(2, x) + normf(2, o) + rnormf(2, o) +
	       nanf("");
	sincosf(x, &s, &c);
	o[2] = sinf(x) + cosf(x) + tanf(x) + expf(x) + exp2f(x) + exp10f(x) +
	       logf(x) + log2f(x) + log10f(x) + powf(x, y) + sqrtf(x) +
	       rsqrtf(x) + cbrtf(x) + fmodf(x, y) + atan2f(x, y) + fabsf(x) +
	       fminf(x, y) + fmaxf(x, y) + floorf(x) + ceilf(x) + truncf(x) +
	       roundf(x) + rintf(x) + fmaf(x, y, x) + hypotf(x, y) + erff(x) +
	       tgammaf(x) + lgammaf(x) + normcdff(x) + s + c;
	o[3] = std::sin(x) + std::cos(x) + std::exp(x) + std::log(x) +
	       std::pow(x, y) + std::pow(x, 2) + std::sqrt(x) + std::fabs(x) +
	       std::abs(x) + std::floor(x) + std::fmax(x, y) + std::tanh(x) +
	       std::fma(x, y, x) + std::round(x);
	o[4] = isnan(x) + isinf(x) + isfinite(x) + signbit(x) +
	       std::isnan(x) + (x == INFINITY) + (x > M_PI);
}

__global__ void in_double(double *o, double x, double y, int i)
{
	o[0] = one(x);
	o[1] = more(x, y) + jn(3, x) + yn(2, x) + norm(2, o) + rnorm(2, o) +
	       nan("");
	o[2] = std::sin(x) + std::pow(x, y) + std::sqrt(x) + std::abs(x) +
	       std::hypot(x, y);
	o[3] = sqrt(i) + sin(i) + std::exp(i) + pow(x, i) + pow(i, i) +
	       std::cos(i) + max(x, 1.0f) + min(i, 3u) + fmax(x, 1.0f);
	o[4] = isnan(x) + isinf(x) + isfinite(x) + signbit(x);
}
