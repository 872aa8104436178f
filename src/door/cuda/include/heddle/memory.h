/*
 * Loads and stores with cache operators (PTX ISA ld, st, "Cache Operators"),
 * address-space queries and conversions.
 */
#ifndef HEDDLE_CUDA_MEMORY_H
#define HEDDLE_CUDA_MEMORY_H
#pragma GCC system_header

#include "../vector_types.h"
#include <stddef.h>

/* One load and one store per cache operator and PTX type: scalar, v2, v4. R is
 * the register type of a scalar (8-bit values travel in 16-bit registers). */
#define HEDDLE_LD1(T, R, reg, ty, LDNAME, ldop, q, mem)                        \
	HEDDLE_D T LDNAME(const T *p)                                         \
	{                                                                     \
		R v;                                                          \
		asm q(ldop "." ty " %0, [%1];"                         \
			     : "=" reg(v) : "l"(p) mem);                      \
		return (T)v;                                                  \
	}
#define HEDDLE_LD2(T, R, reg, ty, LDNAME, ldop, q, mem)                          \
	HEDDLE_D T LDNAME(const T *p)                                         \
	{                                                                     \
		R x, y;                                                       \
		asm q(ldop ".v2." ty " {%0, %1}, [%2];"                \
			     : "=" reg(x), "=" reg(y) : "l"(p) mem);          \
		T v;                                                          \
		v.x = x, v.y = y;                                             \
		return v;                                                     \
	}
#define HEDDLE_LD4(T, R, reg, ty, LDNAME, ldop, q, mem)                          \
	HEDDLE_D T LDNAME(const T *p)                                         \
	{                                                                     \
		R x, y, z, w;                                                 \
		asm q(ldop ".v4." ty " {%0, %1, %2, %3}, [%4];"        \
			     : "=" reg(x), "=" reg(y), "=" reg(z), "=" reg(w) \
			     : "l"(p) mem);                                   \
		T v;                                                          \
		v.x = x, v.y = y, v.z = z, v.w = w;                           \
		return v;                                                     \
	}
#define HEDDLE_ST1(T, R, reg, ty, STNAME, stop)                               \
	HEDDLE_D void STNAME(T *p, T v)                                       \
	{                                                                     \
		asm volatile(stop "." ty " [%0], %1;"                         \
			     : : "l"(p), reg((R)v) : "memory");               \
	}
#define HEDDLE_ST2(T, R, reg, ty, STNAME, stop)                               \
	HEDDLE_D void STNAME(T *p, T v)                                       \
	{                                                                     \
		asm volatile(stop ".v2." ty " [%0], {%1, %2};"                \
			     : : "l"(p), reg((R)v.x), reg((R)v.y)             \
			     : "memory");                                     \
	}
#define HEDDLE_ST4(T, R, reg, ty, STNAME, stop)                               \
	HEDDLE_D void STNAME(T *p, T v)                                       \
	{                                                                     \
		asm volatile(stop ".v4." ty " [%0], {%1, %2, %3, %4};"        \
			     : : "l"(p), reg((R)v.x), reg((R)v.y),            \
			       reg((R)v.z), reg((R)v.w)                       \
			     : "memory");                                     \
	}

#define HEDDLE_LDST_TYPES(S, V2, V4, name, op)                                \
	S(char, short, "h", "s8", name, op)                                   \
	S(signed char, short, "h", "s8", name, op)                            \
	S(unsigned char, unsigned short, "h", "u8", name, op)                 \
	S(short, short, "h", "s16", name, op)                                 \
	S(unsigned short, unsigned short, "h", "u16", name, op)               \
	S(int, int, "r", "s32", name, op)                                     \
	S(unsigned, unsigned, "r", "u32", name, op)                           \
	S(long, long, "l", "s64", name, op)                                   \
	S(unsigned long, unsigned long, "l", "u64", name, op)                 \
	S(long long, long long, "l", "s64", name, op)                         \
	S(unsigned long long, unsigned long long, "l", "u64", name, op)       \
	S(float, float, "f", "f32", name, op)                                 \
	S(double, double, "d", "f64", name, op)                               \
	V2(char2, short, "h", "s8", name, op)                                 \
	V2(uchar2, unsigned short, "h", "u8", name, op)                       \
	V2(short2, short, "h", "s16", name, op)                               \
	V2(ushort2, unsigned short, "h", "u16", name, op)                     \
	V2(int2, int, "r", "s32", name, op)                                   \
	V2(uint2, unsigned, "r", "u32", name, op)                             \
	V2(longlong2, long long, "l", "s64", name, op)                        \
	V2(ulonglong2, unsigned long long, "l", "u64", name, op)              \
	V2(float2, float, "f", "f32", name, op)                               \
	V2(double2, double, "d", "f64", name, op)                             \
	V4(char4, short, "h", "s8", name, op)                                 \
	V4(uchar4, unsigned short, "h", "u8", name, op)                       \
	V4(short4, short, "h", "s16", name, op)                               \
	V4(ushort4, unsigned short, "h", "u16", name, op)                     \
	V4(int4, int, "r", "s32", name, op)                                   \
	V4(uint4, unsigned, "r", "u32", name, op)                             \
	V4(float4, float, "f", "f32", name, op)

/* Read-only data does not change during the kernel: the compiler may move and
 * merge these loads. The others stay where they are written. */
#define NC1(T, R, reg, ty, name, op) HEDDLE_LD1(T, R, reg, ty, name, op, , )
#define NC2(T, R, reg, ty, name, op) HEDDLE_LD2(T, R, reg, ty, name, op, , )
#define NC4(T, R, reg, ty, name, op) HEDDLE_LD4(T, R, reg, ty, name, op, , )
HEDDLE_LDST_TYPES(NC1, NC2, NC4, __ldg, "ld.global.nc")
#undef NC1
#undef NC2
#undef NC4

#define LV1(T, R, reg, ty, name, op)                                          \
	HEDDLE_LD1(T, R, reg, ty, name, op, volatile, : "memory")
#define LV2(T, R, reg, ty, name, op)                                          \
	HEDDLE_LD2(T, R, reg, ty, name, op, volatile, : "memory")
#define LV4(T, R, reg, ty, name, op)                                          \
	HEDDLE_LD4(T, R, reg, ty, name, op, volatile, : "memory")
HEDDLE_LDST_TYPES(LV1, LV2, LV4, __ldca, "ld.global.ca")
HEDDLE_LDST_TYPES(LV1, LV2, LV4, __ldcg, "ld.global.cg")
HEDDLE_LDST_TYPES(LV1, LV2, LV4, __ldcs, "ld.global.cs")
HEDDLE_LDST_TYPES(LV1, LV2, LV4, __ldlu, "ld.global.lu")
HEDDLE_LDST_TYPES(LV1, LV2, LV4, __ldcv, "ld.global.cv")
#undef LV1
#undef LV2
#undef LV4

HEDDLE_LDST_TYPES(HEDDLE_ST1, HEDDLE_ST2, HEDDLE_ST4, __stwb, "st.global.wb")
HEDDLE_LDST_TYPES(HEDDLE_ST1, HEDDLE_ST2, HEDDLE_ST4, __stcg, "st.global.cg")
HEDDLE_LDST_TYPES(HEDDLE_ST1, HEDDLE_ST2, HEDDLE_ST4, __stcs, "st.global.cs")
HEDDLE_LDST_TYPES(HEDDLE_ST1, HEDDLE_ST2, HEDDLE_ST4, __stwt, "st.global.wt")
#undef HEDDLE_LDST_TYPES
#undef HEDDLE_LD1
#undef HEDDLE_LD2
#undef HEDDLE_LD4
#undef HEDDLE_ST1
#undef HEDDLE_ST2
#undef HEDDLE_ST4

#define HEDDLE_ISSPACE(name, space)                                           \
	HEDDLE_D unsigned name(const void *p)                                 \
	{                                                                     \
		unsigned r;                                                   \
		asm("{\n\t.reg .pred q;\n\tisspacep." space " q, %1;\n\t"     \
		    "selp.u32 %0, 1, 0, q;\n\t}" : "=r"(r) : "l"(p));         \
		return r;                                                     \
	}
HEDDLE_ISSPACE(__isGlobal, "global")
HEDDLE_ISSPACE(__isShared, "shared")
HEDDLE_ISSPACE(__isConstant, "const")
HEDDLE_ISSPACE(__isLocal, "local")
#undef HEDDLE_ISSPACE

#define HEDDLE_CVTA(space, ptx)                                               \
	HEDDLE_D size_t __cvta_generic_to_##space(const void *p)              \
	{                                                                     \
		size_t a;                                                     \
		asm("cvta.to." ptx ".u64 %0, %1;" : "=l"(a) : "l"(p));        \
		return a;                                                     \
	}                                                                     \
	HEDDLE_D void *__cvta_##space##_to_generic(size_t a)                  \
	{                                                                     \
		void *p;                                                      \
		asm("cvta." ptx ".u64 %0, %1;" : "=l"(p) : "l"(a));           \
		return p;                                                     \
	}
HEDDLE_CVTA(global, "global")
HEDDLE_CVTA(shared, "shared")
HEDDLE_CVTA(constant, "const")
HEDDLE_CVTA(local, "local")
#undef HEDDLE_CVTA

#endif
