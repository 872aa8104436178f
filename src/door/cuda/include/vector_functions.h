/* make_float4() and the like, one set for each row of HEDDLE_VEC_TYPES. */
#ifndef HEDDLE_VECTOR_FUNCTIONS_H
#define HEDDLE_VECTOR_FUNCTIONS_H
#pragma GCC system_header

#include "vector_types.h"

#define HEDDLE_MAKE4(type, elem)                                              \
	HEDDLE_HD type make_##type(elem x, elem y, elem z, elem w)            \
	{                                                                     \
		type v = {x, y, z, w};                                        \
		return v;                                                     \
	}

#define X(base, elem, align2, align4)                                         \
	HEDDLE_HD base##1 make_##base##1(elem x)                              \
	{                                                                     \
		base##1 v = {x};                                              \
		return v;                                                     \
	}                                                                     \
	HEDDLE_HD base##2 make_##base##2(elem x, elem y)                      \
	{                                                                     \
		base##2 v = {x, y};                                           \
		return v;                                                     \
	}                                                                     \
	HEDDLE_HD base##3 make_##base##3(elem x, elem y, elem z)              \
	{                                                                     \
		base##3 v = {x, y, z};                                        \
		return v;                                                     \
	}                                                                     \
	HEDDLE_MAKE4(base##4, elem)
HEDDLE_VEC_TYPES(X)
#undef X

#define X(type, elem, align) HEDDLE_MAKE4(type, elem)
HEDDLE_VEC_TYPES_A(X)
#undef X
#undef HEDDLE_MAKE4

#endif
