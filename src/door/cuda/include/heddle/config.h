/*
 * Attribute macros of CUDA C++ and the storage classes that the rest of these
 * headers is written with. Includes nothing.
 *
 * HEDDLE_D   function of the device, always inlined
 * HEDDLE_HD  function of both sides, always inlined
 * HEDDLE_DF  large function of the device: the compiler decides on inlining
 */
#ifndef HEDDLE_CUDA_CONFIG_H
#define HEDDLE_CUDA_CONFIG_H
#pragma GCC system_header

#if !defined(__CUDA__) || !defined(__clang__)
#error "these headers are for clang -x cuda"
#endif

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/* clang knows managed variables for HIP only. On the device they are ordinary
 * device variables; sharing them is the host side's work. */
#define __managed__ __attribute__((device))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
/* A keyword from clang 15 on. As a macro it breaks the spelling
 * __attribute__((__noinline__)): see bits/shared_ptr_base.h. */
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __cluster_dims__(...)
#define __maxnreg__(n)
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

#define HEDDLE_D                                                              \
	static __attribute__((device, always_inline, unused)) __inline__
#define HEDDLE_HD                                                             \
	static __attribute__((host, device, always_inline, unused)) __inline__
#define HEDDLE_DF static __attribute__((device, unused)) __inline__

/* Templates and members: no `static`. */
#define HEDDLE_DT __attribute__((device, always_inline)) __inline__
#define HEDDLE_HDT __attribute__((host, device, always_inline)) __inline__

/* What programs test to see which compiler they are under. */
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef CUDART_VERSION
#define CUDART_VERSION 12000
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0

#endif
