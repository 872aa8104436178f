/*
 * Complex numbers as float2 and double2, for C and C++, host and device. Sums
 * of products are fused if the compiler fuses them; division and the absolute
 * value scale first, so that they overflow only if the result does.
 */
#ifndef HEDDLE_CUCOMPLEX_H
#define HEDDLE_CUCOMPLEX_H
#pragma GCC system_header

#include "vector_types.h"
#include <math.h>

#ifdef HEDDLE_CUDA_LANGUAGE
#include "heddle_cuda.h"
#endif

/*  type             part    suffix  hypot   fabs  */
#define HEDDLE_COMPLEX(Z, T, s, hypot_, fabs_)                                \
	HEDDLE_HD Z make_##Z(T x, T y)                                        \
	{                                                                     \
		Z z;                                                          \
		z.x = x;                                                      \
		z.y = y;                                                      \
		return z;                                                     \
	}                                                                     \
	HEDDLE_HD T cuCreal##s(Z z) { return z.x; }                           \
	HEDDLE_HD T cuCimag##s(Z z) { return z.y; }                           \
	HEDDLE_HD Z cuConj##s(Z z) { return make_##Z(z.x, -z.y); }            \
	HEDDLE_HD Z cuCadd##s(Z a, Z b)                                       \
	{                                                                     \
		return make_##Z(a.x + b.x, a.y + b.y);                        \
	}                                                                     \
	HEDDLE_HD Z cuCsub##s(Z a, Z b)                                       \
	{                                                                     \
		return make_##Z(a.x - b.x, a.y - b.y);                        \
	}                                                                     \
	HEDDLE_HD Z cuCmul##s(Z a, Z b)                                       \
	{                                                                     \
		return make_##Z(a.x * b.x - a.y * b.y,                        \
				a.x * b.y + a.y * b.x);                       \
	}                                                                     \
	HEDDLE_HD Z cuCdiv##s(Z a, Z b)                                       \
	{                                                                     \
		const T size = fabs_(b.x) + fabs_(b.y), inv = (T)1 / size;    \
		const T ax = a.x * inv, ay = a.y * inv;                       \
		const T bx = b.x * inv, by = b.y * inv;                       \
		const T norm = (T)1 / (bx * bx + by * by);                    \
		return make_##Z((ax * bx + ay * by) * norm,                   \
				(ay * bx - ax * by) * norm);                  \
	}                                                                     \
	HEDDLE_HD T cuCabs##s(Z z) { return hypot_(z.x, z.y); }               \
	HEDDLE_HD Z cuCfma##s(Z a, Z b, Z c)                                  \
	{                                                                     \
		return cuCadd##s(cuCmul##s(a, b), c);                         \
	}

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

HEDDLE_COMPLEX(cuFloatComplex, float, f, hypotf, fabsf)
HEDDLE_COMPLEX(cuDoubleComplex, double, , hypot, fabs)
#undef HEDDLE_COMPLEX

HEDDLE_HD cuComplex make_cuComplex(float x, float y)
{
	return make_cuFloatComplex(x, y);
}

HEDDLE_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
	return make_cuDoubleComplex((double)z.x, (double)z.y);
}

HEDDLE_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
	return make_cuFloatComplex((float)z.x, (float)z.y);
}

#endif
