/*
 * What the library's device code shares. It is C, not OpenCL C, because an image
 * cannot be taken apart there: its functions have the mangled names of OpenCL's
 * (ocl_image2d_ro and so on), and take what the compiler passes for an image, the
 * address of a descriptor.
 */
#ifndef HEDDLE_OPENCL_DEVICE_COMMON_H
#define HEDDLE_OPENCL_DEVICE_COMMON_H

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef uint uint4 __attribute__((ext_vector_type(4)));

#define GLOBAL __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
#define INLINE static inline __attribute__((always_inline))
/* A function of OpenCL. */
#define API __attribute__((always_inline))

#ifdef __AMDGCN__
#define IMAGE_SPACE CONSTANT /* where the compiler thinks that images are */
#define CORE static __attribute__((always_inline)) /* not worth a call */
#else
#define IMAGE_SPACE GLOBAL
#define CORE static __attribute__((noinline))
#endif

#endif
