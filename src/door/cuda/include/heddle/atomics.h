/*
 * Atomic functions (CUDA C++ programming guide, "Atomic Functions"). The plain
 * forms (scope of the device) are clang's own atomics, so that the compiler
 * can see the state space of the address; the _block and _system forms are
 * PTX with their scope.
 */
#ifndef HEDDLE_CUDA_ATOMICS_H
#define HEDDLE_CUDA_ATOMICS_H
#pragma GCC system_header

#include "config.h"

#define HEDDLE_ATOM_RMW(name, builtin, T)                                     \
	HEDDLE_D T name(T *p, T v)                                            \
	{                                                                     \
		return builtin(p, v, __ATOMIC_RELAXED);                       \
	}
#define HEDDLE_ATOM_CAS(T)                                                    \
	HEDDLE_D T atomicCAS(T *p, T want, T v)                               \
	{                                                                     \
		__atomic_compare_exchange_n(p, &want, v, 0, __ATOMIC_RELAXED, \
					    __ATOMIC_RELAXED);                \
		return want;                                                  \
	}
#define HEDDLE_ATOM_INT(T)                                                    \
	HEDDLE_ATOM_RMW(atomicAdd, __atomic_fetch_add, T)                     \
	HEDDLE_ATOM_RMW(atomicMin, __atomic_fetch_min, T)                     \
	HEDDLE_ATOM_RMW(atomicMax, __atomic_fetch_max, T)                     \
	HEDDLE_ATOM_RMW(atomicAnd, __atomic_fetch_and, T)                     \
	HEDDLE_ATOM_RMW(atomicOr, __atomic_fetch_or, T)                       \
	HEDDLE_ATOM_RMW(atomicXor, __atomic_fetch_xor, T)                     \
	HEDDLE_ATOM_RMW(atomicExch, __atomic_exchange_n, T)                   \
	HEDDLE_ATOM_CAS(T)
HEDDLE_ATOM_INT(int)
HEDDLE_ATOM_INT(unsigned)
HEDDLE_ATOM_INT(long)
HEDDLE_ATOM_INT(unsigned long)
HEDDLE_ATOM_INT(long long)
HEDDLE_ATOM_INT(unsigned long long)
#undef HEDDLE_ATOM_INT
#undef HEDDLE_ATOM_CAS
#undef HEDDLE_ATOM_RMW

HEDDLE_D int atomicSub(int *p, int v)
{
	return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}

HEDDLE_D unsigned atomicSub(unsigned *p, unsigned v)
{
	return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}

HEDDLE_D unsigned atomicInc(unsigned *p, unsigned limit)
{
	return __nvvm_atom_inc_gen_ui(p, limit);
}

HEDDLE_D unsigned atomicDec(unsigned *p, unsigned limit)
{
	return __nvvm_atom_dec_gen_ui(p, limit);
}

HEDDLE_D float atomicAdd(float *p, float v)
{
	return __nvvm_atom_add_gen_f(p, v);
}

/* Written as PTX because clang hides its builtin behind a target feature that
 * older versions do not derive from the architecture. */
HEDDLE_D double atomicAdd(double *p, double v)
{
	double r;
	asm volatile("atom.add.f64 %0, [%1], %2;"
		     : "=d"(r) : "l"(p), "d"(v) : "memory");
	return r;
}

HEDDLE_D float atomicExch(float *p, float v)
{
	unsigned u, r;
	float f;
	__builtin_memcpy(&u, &v, 4);
	r = __atomic_exchange_n((unsigned *)p, u, __ATOMIC_RELAXED);
	__builtin_memcpy(&f, &r, 4);
	return f;
}

HEDDLE_D unsigned short atomicCAS(unsigned short *p, unsigned short want,
				  unsigned short v)
{
	unsigned short r;
	asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
		     : "=h"(r) : "l"(p), "h"(want), "h"(v) : "memory");
	return r;
}

#define HEDDLE_ATOM_PTX(name, op, T, reg)                                     \
	HEDDLE_D T name(T *p, T v)                                            \
	{                                                                     \
		T r;                                                          \
		asm volatile("atom." op " %0, [%1], %2;"                      \
			     : "=" reg(r) : "l"(p), reg(v) : "memory");       \
		return r;                                                     \
	}
#define HEDDLE_ATOM_PTX_CAS(name, op, T, reg)                                 \
	HEDDLE_D T name(T *p, T want, T v)                                    \
	{                                                                     \
		T r;                                                          \
		asm volatile("atom." op " %0, [%1], %2, %3;"                  \
			     : "=" reg(r)                                     \
			     : "l"(p), reg(want), reg(v) : "memory");         \
		return r;                                                     \
	}
#define HEDDLE_ATOM_SCOPED_INT(sfx, sc, T, reg, add, minmax, bits)            \
	HEDDLE_ATOM_PTX(atomicAdd##sfx, sc ".add." add, T, reg)               \
	HEDDLE_ATOM_PTX(atomicMin##sfx, sc ".min." minmax, T, reg)            \
	HEDDLE_ATOM_PTX(atomicMax##sfx, sc ".max." minmax, T, reg)            \
	HEDDLE_ATOM_PTX(atomicAnd##sfx, sc ".and." bits, T, reg)              \
	HEDDLE_ATOM_PTX(atomicOr##sfx, sc ".or." bits, T, reg)                \
	HEDDLE_ATOM_PTX(atomicXor##sfx, sc ".xor." bits, T, reg)              \
	HEDDLE_ATOM_PTX(atomicExch##sfx, sc ".exch." bits, T, reg)            \
	HEDDLE_ATOM_PTX_CAS(atomicCAS##sfx, sc ".cas." bits, T, reg)
#define HEDDLE_ATOM_SCOPED(sfx, sc)                                           \
	HEDDLE_ATOM_SCOPED_INT(sfx, sc, int, "r", "s32", "s32", "b32")        \
	HEDDLE_ATOM_SCOPED_INT(sfx, sc, unsigned, "r", "u32", "u32", "b32")   \
	HEDDLE_ATOM_SCOPED_INT(sfx, sc, long long, "l", "u64", "s64", "b64")  \
	HEDDLE_ATOM_SCOPED_INT(sfx, sc, unsigned long long, "l", "u64",       \
			       "u64", "b64")                                  \
	HEDDLE_ATOM_PTX(atomicAdd##sfx, sc ".add.f32", float, "f")            \
	HEDDLE_ATOM_PTX(atomicAdd##sfx, sc ".add.f64", double, "d")           \
	HEDDLE_ATOM_PTX(atomicExch##sfx, sc ".exch.b32", float, "f")          \
	HEDDLE_ATOM_PTX(atomicInc##sfx, sc ".inc.u32", unsigned, "r")         \
	HEDDLE_ATOM_PTX(atomicDec##sfx, sc ".dec.u32", unsigned, "r")         \
	HEDDLE_D int atomicSub##sfx(int *p, int v)                            \
	{                                                                     \
		return atomicAdd##sfx(p, -v);                                 \
	}                                                                     \
	HEDDLE_D unsigned atomicSub##sfx(unsigned *p, unsigned v)             \
	{                                                                     \
		return atomicAdd##sfx(p, 0u - v);                             \
	}
HEDDLE_ATOM_SCOPED(_block, "cta")
HEDDLE_ATOM_SCOPED(_system, "sys")
#undef HEDDLE_ATOM_SCOPED
#undef HEDDLE_ATOM_SCOPED_INT

#endif
