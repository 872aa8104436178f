/* make_float4() and its kin, one set for each row of HEDDLE_VEC_TYPES. */
#ifndef HEDDLE_VECTOR_FUNCTIONS_H
#define HEDDLE_VECTOR_FUNCTIONS_H
#pragma GCC system_header

#include "vector_types.h"

#define X(base, elem, align2, align4)                                         \
	HEDDLE_HD base##1 make_##base##1(elem x) { return base##1{x}; }       \
	HEDDLE_HD base##2 make_##base##2(elem x, elem y)                      \
	{                                                                     \
		return base##2{x, y};                                         \
	}                                                                     \
	HEDDLE_HD base##3 make_##base##3(elem x, elem y, elem z)              \
	{                                                                     \
		return base##3{x, y, z};                                      \
	}                                                                     \
	HEDDLE_HD base##4 make_##base##4(elem x, elem y, elem z, elem w)      \
	{                                                                     \
		return base##4{x, y, z, w};                                   \
	}
HEDDLE_VEC_TYPES(X)
#undef X

#endif
