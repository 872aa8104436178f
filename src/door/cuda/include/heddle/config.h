/*
 * Attribute macros of CUDA C++, and the storage classes that the other headers
 * use. Includes nothing.
 *
 * Two kinds of compilers read it: clang -x cuda, for both sides of a .cu file,
 * and any C or C++ compiler for the host files of a program, for which the
 * attributes are empty.
 *
 * HEDDLE_D   function of the device, always inlined
 * HEDDLE_HD  function of both sides, always inlined
 * HEDDLE_DF  large function of the device: the compiler decides on inlining
 * HEDDLE_HOST function of the host
 */
#ifndef HEDDLE_CUDA_CONFIG_H
#define HEDDLE_CUDA_CONFIG_H
#pragma GCC system_header

#if defined(__CUDA__) && defined(__clang__)
#define HEDDLE_CUDA_LANGUAGE 1
#define HEDDLE_SIDES(...) __attribute__((__VA_ARGS__))
#else
#define HEDDLE_SIDES(...)
#endif

#define __host__ HEDDLE_SIDES(host)
#define __device__ HEDDLE_SIDES(device)
#define __global__ HEDDLE_SIDES(global)
#define __shared__ HEDDLE_SIDES(shared)
#define __constant__ HEDDLE_SIDES(constant)
/* clang supports managed variables for HIP only. With `heddle run`, for the
 * device alone, they are device variables; with `heddle cc` the host would have
 * a second, separate variable. */
#ifdef HEDDLE_CC
#define __managed__                                                           \
	_Pragma("GCC error \"no __managed__ here: use cudaMallocManaged\"")   \
		HEDDLE_SIDES(device)
#else
#define __managed__ HEDDLE_SIDES(device)
#endif
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
/* A keyword from clang 15 on. As a macro it breaks the spelling
 * __attribute__((__noinline__)): see bits/shared_ptr_base.h. */
#if defined(HEDDLE_CUDA_LANGUAGE) && __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(n)

#ifdef HEDDLE_CUDA_LANGUAGE
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif

/* The third argument (blocks per cluster) is accepted and dropped. */
#define HEDDLE_LB3(t, b, c) __attribute__((launch_bounds(t, b)))
#define HEDDLE_LB2(t, b) __attribute__((launch_bounds(t, b)))
#define HEDDLE_LB1(t) __attribute__((launch_bounds(t)))
#define HEDDLE_LB_PICK(a, b, c, name, ...) name
#define __launch_bounds__(...)                                                \
	HEDDLE_LB_PICK(__VA_ARGS__, HEDDLE_LB3, HEDDLE_LB2, HEDDLE_LB1, 0)    \
	(__VA_ARGS__)
#else
#define __grid_constant__
#define __launch_bounds__(...)
#endif

#define HEDDLE_D                                                              \
	static HEDDLE_SIDES(device)                                           \
		__attribute__((always_inline, unused)) __inline__
#define HEDDLE_HD                                                             \
	static HEDDLE_SIDES(host, device)                                     \
		__attribute__((always_inline, unused)) __inline__
#define HEDDLE_DF                                                             \
	static HEDDLE_SIDES(device) __attribute__((unused)) __inline__

#define HEDDLE_HOST                                                           \
	static HEDDLE_SIDES(host) __attribute__((unused)) __inline__

/* Templates and members: no `static`. */
#define HEDDLE_DT                                                             \
	HEDDLE_SIDES(device) __attribute__((always_inline)) __inline__
#define HEDDLE_HDT                                                            \
	HEDDLE_SIDES(host, device) __attribute__((always_inline)) __inline__

/* Default arguments and C linkage in C++, nothing in C. */
#ifdef __cplusplus
#define HEDDLE_DEFAULT(value) = value
#define HEDDLE_C_BEGIN extern "C" {
#define HEDDLE_C_END }
#else
#define HEDDLE_DEFAULT(value)
#define HEDDLE_C_BEGIN
#define HEDDLE_C_END
#endif

/* The interface is that of CUDA 13.0. */
#define CUDART_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION

/* Programs test these to find out which compiler they are compiled with. */
#ifdef HEDDLE_CUDA_LANGUAGE
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

#endif
