/*
 * Declares the device math functions before <cmath> is read. Its constexpr
 * functions (std::sin(float) and so on) would otherwise count as device
 * functions and end in builtins that the PTX back end cannot select.
 */
#ifndef HEDDLE_CUDA_MATH_DECL_H
#define HEDDLE_CUDA_MATH_DECL_H
#pragma GCC system_header

#include "config.h"
#include "math_list.h"

#define DECL_1(name, namef)                                                   \
	HEDDLE_D double name(double x);                                       \
	HEDDLE_D float name(float x);                                         \
	HEDDLE_D float namef(float x);
#define DECL_2(name, namef)                                                   \
	HEDDLE_D double name(double x, double y);                             \
	HEDDLE_D float name(float x, float y);                                \
	HEDDLE_D float namef(float x, float y);
#define DECL_N64(R, name, namef, params, args) HEDDLE_D R name params;
#define DECL_N32(R, name, namef, params, args)                                \
	HEDDLE_D R name params;                                               \
	HEDDLE_D R namef params;
HEDDLE_MATH_1_STD(DECL_1)
HEDDLE_MATH_1_CUDA(DECL_1)
HEDDLE_MATH_2_STD(DECL_2)
HEDDLE_MATH_2_CUDA(DECL_2)
HEDDLE_MATH_N_STD(DECL_N64, double)
HEDDLE_MATH_N_STD(DECL_N32, float)
HEDDLE_MATH_N_CUDA(DECL_N64, double)
HEDDLE_MATH_N_CUDA(DECL_N32, float)
#undef DECL_1
#undef DECL_2
#undef DECL_N64
#undef DECL_N32

HEDDLE_D int abs(int x);
HEDDLE_D long abs(long x);
HEDDLE_D long long abs(long long x);
HEDDLE_D double abs(double x);
HEDDLE_D float abs(float x);
HEDDLE_D long labs(long x);
HEDDLE_D long long llabs(long long x);

namespace std
{
#define USE(name, namef)                                                      \
	using ::name;                                                         \
	using ::namef;
#define USE_N(R, name, namef, params, args) USE(name, namef)
HEDDLE_MATH_1_STD(USE)
HEDDLE_MATH_2_STD(USE)
HEDDLE_MATH_N_STD(USE_N, float)
#undef USE
#undef USE_N
using ::abs;
using ::labs;
using ::llabs;
}

#endif
