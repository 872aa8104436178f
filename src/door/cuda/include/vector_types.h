/*
 * The vector types of CUDA C++ and dim3. Sizes and alignments follow the table
 * "Alignment Requirements" of the CUDA C++ programming guide.
 */
#ifndef HEDDLE_VECTOR_TYPES_H
#define HEDDLE_VECTOR_TYPES_H
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

#define X(base, elem, align2, align4)                                         \
	struct base##1 { elem x; };                                           \
	struct __attribute__((aligned(align2))) base##2 { elem x, y; };       \
	struct base##3 { elem x, y, z; };                                     \
	struct __attribute__((aligned(align4))) base##4 { elem x, y, z, w; };
HEDDLE_VEC_TYPES(X)
#undef X

struct dim3 {
	unsigned int x, y, z;
	HEDDLE_HDT constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
				  unsigned int vz = 1)
		: x(vx), y(vy), z(vz)
	{
	}
	HEDDLE_HDT constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	HEDDLE_HDT constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
