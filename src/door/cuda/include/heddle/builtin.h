/*
 * threadIdx, blockIdx, blockDim, gridDim and warpSize. clang ships the types;
 * the conversions it leaves open are given here.
 */
#ifndef HEDDLE_CUDA_BUILTIN_H
#define HEDDLE_CUDA_BUILTIN_H
#pragma GCC system_header

#include "../vector_types.h"
#include <__clang_cuda_builtin_vars.h>

#define HEDDLE_BUILTIN_VAR(type)                                              \
	__device__ __inline__ type::operator uint3() const                    \
	{                                                                     \
		return uint3{x, y, z};                                        \
	}                                                                     \
	__device__ __inline__ type::operator dim3() const                     \
	{                                                                     \
		return dim3(x, y, z);                                         \
	}
HEDDLE_BUILTIN_VAR(__cuda_builtin_threadIdx_t)
HEDDLE_BUILTIN_VAR(__cuda_builtin_blockIdx_t)
HEDDLE_BUILTIN_VAR(__cuda_builtin_blockDim_t)
HEDDLE_BUILTIN_VAR(__cuda_builtin_gridDim_t)
#undef HEDDLE_BUILTIN_VAR

#endif
