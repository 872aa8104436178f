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

#define DECL_1(side, name, namef)                                             \
	side double name(double x);                                           \
	side float name(float x);                                             \
	side float namef(float x);
#define DECL_2(side, name, namef)                                             \
	side double name(double x, double y);                                 \
	side float name(float x, float y);                                    \
	side float namef(float x, float y);
#define DECL_N64(side, R, name, params) side R name params;
#define DECL_N32(side, R, name, namef, params)                                \
	side R name params;                                                   \
	side R namef params;
#define DECL_D1(name, namef) DECL_1(HEDDLE_D, name, namef)
#define DECL_D2(name, namef) DECL_2(HEDDLE_D, name, namef)
#define DECL_DN64(R, name, namef, params, args)                               \
	DECL_N64(HEDDLE_D, R, name, params)
#define DECL_DN32(R, name, namef, params, args)                               \
	DECL_N32(HEDDLE_D, R, name, namef, params)
#define DECL_HD1(name, namef) DECL_1(HEDDLE_HD, name, namef)
#define DECL_HD2(name, namef) DECL_2(HEDDLE_HD, name, namef)
#define DECL_HDN64(R, name, namef, params, args)                              \
	DECL_N64(HEDDLE_HD, R, name, params)
#define DECL_HDN32(R, name, namef, params, args)                              \
	DECL_N32(HEDDLE_HD, R, name, namef, params)
HEDDLE_MATH_1_STD(DECL_D1)
HEDDLE_MATH_1_GNU(DECL_D1)
HEDDLE_MATH_1_CUDA(DECL_HD1)
HEDDLE_MATH_2_STD(DECL_D2)
HEDDLE_MATH_2_CUDA(DECL_HD2)
HEDDLE_MATH_N_STD(DECL_DN64, double)
HEDDLE_MATH_N_STD(DECL_DN32, float)
HEDDLE_MATH_N_GNU(DECL_DN64, double)
HEDDLE_MATH_N_GNU(DECL_DN32, float)
HEDDLE_MATH_N_CUDA(DECL_HDN64, double)
HEDDLE_MATH_N_CUDA(DECL_HDN32, float)
#undef DECL_1
#undef DECL_2
#undef DECL_N64
#undef DECL_N32
#undef DECL_D1
#undef DECL_D2
#undef DECL_DN64
#undef DECL_DN32
#undef DECL_HD1
#undef DECL_HD2
#undef DECL_HDN64
#undef DECL_HDN32

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
