/*
 * The vector types of CUDA C++ and dim3. Sizes and alignments follow the table
 * "Alignment Requirements" of the CUDA C++ programming guide.
 */
#ifndef HEDDLE_VECTOR_TYPES_H
#define HEDDLE_VECTOR_TYPES_H
/* Programs test this macro to find out whether the header is included. */
#define __VECTOR_TYPES_H__
#pragma GCC system_header

#include "heddle/config.h"

/*          base     element type        align of 2, of 4 */
#define HEDDLE_VEC_TYPES(X)                             \
	X(char,      signed char,            2,  4)     \
	X(uchar,     unsigned char,          2,  4)     \
	X(short,     short,                  4,  8)     \
	X(ushort,    unsigned short,         4,  8)     \
	X(int,       int,                    8,  16)    \
	X(uint,      unsigned int,           8,  16)    \
	X(long,      long,                   16, 16)    \
	X(ulong,     unsigned long,          16, 16)    \
	X(longlong,  long long,              16, 16)    \
	X(ulonglong, unsigned long long,     16, 16)    \
	X(float,     float,                  8,  16)    \
	X(double,    double,                 16, 16)

/* Four elements of eight bytes, whose alignment is part of the name. */
#define HEDDLE_VEC_TYPES_A(X)                           \
	X(long4_16a,      long,               16)       \
	X(long4_32a,      long,               32)       \
	X(ulong4_16a,     unsigned long,      16)       \
	X(ulong4_32a,     unsigned long,      32)       \
	X(longlong4_16a,  long long,          16)       \
	X(longlong4_32a,  long long,          32)       \
	X(ulonglong4_16a, unsigned long long, 16)       \
	X(ulonglong4_32a, unsigned long long, 32)       \
	X(double4_16a,    double,             16)       \
	X(double4_32a,    double,             32)

#define X(base, elem, align2, align4)                                         \
	struct base##1 { elem x; };                                           \
	struct __attribute__((aligned(align2))) base##2 { elem x, y; };       \
	struct base##3 { elem x, y, z; };                                     \
	struct __attribute__((aligned(align4))) base##4 { elem x, y, z, w; }; \
	typedef struct base##1 base##1;                                       \
	typedef struct base##2 base##2;                                       \
	typedef struct base##3 base##3;                                       \
	typedef struct base##4 base##4;
HEDDLE_VEC_TYPES(X)
#undef X

#define X(name, elem, align)                                                  \
	struct __attribute__((aligned(align))) name { elem x, y, z, w; };     \
	typedef struct name name;
HEDDLE_VEC_TYPES_A(X)
#undef X

struct dim3 {
	unsigned int x, y, z;
#ifdef __cplusplus
	HEDDLE_HDT constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
				  unsigned int vz = 1)
		: x(vx), y(vy), z(vz)
	{
	}
	HEDDLE_HDT constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	HEDDLE_HDT constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
