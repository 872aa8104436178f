/*
 * Atomics of an NVIDIA GPU. The compiler calls those of OpenCL C 2.0 by their names, for
 * pointers to any memory, and leaves orders to fences (atomic.h); libclc lacks those of
 * OpenCL C 1.2 on 64 bits.
 */
#include "common.h"

#define LOCAL __attribute__((address_space(3)))

/* The compiler's own, by type: a letter for the sign where it matters. */
#define ADD_4(p, v) __nvvm_atom_add_gen_i((volatile int *)(p), (int)(v))
#define ADD_8(p, v) \
	__nvvm_atom_add_gen_ll((volatile long long *)(p), (long long)(v))
#define SUB_4(p, v) ADD_4(p, -(uint)(v))
#define SUB_8(p, v) ADD_8(p, -(ulong)(v))
#define AND_4(p, v) __nvvm_atom_and_gen_i((volatile int *)(p), (int)(v))
#define AND_8(p, v) \
	__nvvm_atom_and_gen_ll((volatile long long *)(p), (long long)(v))
#define OR_4(p, v) __nvvm_atom_or_gen_i((volatile int *)(p), (int)(v))
#define OR_8(p, v) \
	__nvvm_atom_or_gen_ll((volatile long long *)(p), (long long)(v))
#define XOR_4(p, v) __nvvm_atom_xor_gen_i((volatile int *)(p), (int)(v))
#define XOR_8(p, v) \
	__nvvm_atom_xor_gen_ll((volatile long long *)(p), (long long)(v))
#define XCHG_4(p, v) __nvvm_atom_xchg_gen_i((volatile int *)(p), (int)(v))
#define XCHG_8(p, v) \
	__nvvm_atom_xchg_gen_ll((volatile long long *)(p), (long long)(v))
#define MIN_4(p, v) __nvvm_atom_min_gen_i((volatile int *)(p), (int)(v))
#define MIN_8(p, v) \
	__nvvm_atom_min_gen_ll((volatile long long *)(p), (long long)(v))
#define MAX_4(p, v) __nvvm_atom_max_gen_i((volatile int *)(p), (int)(v))
#define MAX_8(p, v) \
	__nvvm_atom_max_gen_ll((volatile long long *)(p), (long long)(v))
#define UMIN_4(p, v) __nvvm_atom_min_gen_ui((volatile uint *)(p), (uint)(v))
#define UMIN_8(p, v) __nvvm_atom_min_gen_ull((volatile ulong *)(p), (ulong)(v))
#define UMAX_4(p, v) __nvvm_atom_max_gen_ui((volatile uint *)(p), (uint)(v))
#define UMAX_8(p, v) __nvvm_atom_max_gen_ull((volatile ulong *)(p), (ulong)(v))
#define CAS_4(p, e, v) \
	__nvvm_atom_cas_gen_i((volatile int *)(p), (int)(e), (int)(v))
#define CAS_8(p, e, v)                                                    \
	__nvvm_atom_cas_gen_ll((volatile long long *)(p), (long long)(e), \
			       (long long)(v))

/*
 * OpenCL C 2.0
 */

#define FETCH(name, op, type, bytes)                                        \
	API type __opencl_atomic_##name##_##bytes(volatile void *p, type v, \
						  int order, int scope);    \
	API type __opencl_atomic_##name##_##bytes(volatile void *p, type v, \
						  int order, int scope)     \
	{                                                                   \
		return (type)op##_##bytes(p, v);                            \
	}

#define WIDTH(type, bytes)                                                 \
	FETCH(fetch_add, ADD, type, bytes)                                 \
	FETCH(fetch_sub, SUB, type, bytes)                                 \
	FETCH(fetch_and, AND, type, bytes)                                 \
	FETCH(fetch_or, OR, type, bytes)                                   \
	FETCH(fetch_xor, XOR, type, bytes)                                 \
	FETCH(fetch_min, MIN, type, bytes)                                 \
	FETCH(fetch_max, MAX, type, bytes)                                 \
	FETCH(fetch_umin, UMIN, type, bytes)                               \
	FETCH(fetch_umax, UMAX, type, bytes)                               \
	FETCH(exchange, XCHG, type, bytes)                                 \
	API type __opencl_atomic_load_##bytes(volatile void *p, int order, \
					      int scope);                  \
	API type __opencl_atomic_load_##bytes(volatile void *p, int order, \
					      int scope)                   \
	{                                                                  \
		return *(volatile type *)p;                                \
	}                                                                  \
	API void __opencl_atomic_store_##bytes(volatile void *p, type v,   \
					       int order, int scope);      \
	API void __opencl_atomic_store_##bytes(volatile void *p, type v,   \
					       int order, int scope)       \
	{                                                                  \
		*(volatile type *)p = v;                                   \
	}                                                                  \
	API _Bool __opencl_atomic_compare_exchange_##bytes(                \
		volatile void *p, void *expected, type v, int success,     \
		int failure, int scope);                                   \
	API _Bool __opencl_atomic_compare_exchange_##bytes(                \
		volatile void *p, void *expected, type v, int success,     \
		int failure, int scope)                                    \
	{                                                                  \
		type was = *(type *)expected;                              \
		type is = (type)CAS_##bytes(p, was, v);                    \
                                                                           \
		*(type *)expected = is;                                    \
		return is == was;                                          \
	}

WIDTH(uint, 4)
WIDTH(ulong, 8)

/*
 * OpenCL C 1.2 on 64 bits. Names are mangled: the space of the pointer, then l of long
 * or m of ulong.
 */

#define ATOM(id, space, as, letter, type, op)                                  \
	API type atom##id##as##letter(volatile space type *p, type v) __asm__( \
		"_Z" #id "PU3AS" #as "V" #letter #letter);                     \
	API type atom##id##as##letter(volatile space type *p, type v)          \
	{                                                                      \
		return (type)op((volatile type *)p, v);                        \
	}
#define ATOM_ONE(id, space, as, letter, type, step)                    \
	API type atom##id##as##letter(volatile space type *p) __asm__( \
		"_Z" #id "PU3AS" #as "V" #letter);                     \
	API type atom##id##as##letter(volatile space type *p)          \
	{                                                              \
		return (type)ADD_8((volatile type *)p, step);          \
	}
#define ATOM_CAS(id, space, as, letter, type)                                 \
	API type atom##id##as##letter(                                        \
		volatile space type *p, type e,                               \
		type v) __asm__("_Z" #id "PU3AS" #as                          \
				"V" #letter #letter #letter);                 \
	API type atom##id##as##letter(volatile space type *p, type e, type v) \
	{                                                                     \
		return (type)CAS_8((volatile type *)p, e, v);                 \
	}

#define SPACE(space, as, letter, type, min, max)          \
	ATOM(8atom_add, space, as, letter, type, ADD_8)   \
	ATOM(8atom_sub, space, as, letter, type, SUB_8)   \
	ATOM(9atom_xchg, space, as, letter, type, XCHG_8) \
	ATOM(8atom_min, space, as, letter, type, min)     \
	ATOM(8atom_max, space, as, letter, type, max)     \
	ATOM(8atom_and, space, as, letter, type, AND_8)   \
	ATOM(7atom_or, space, as, letter, type, OR_8)     \
	ATOM(8atom_xor, space, as, letter, type, XOR_8)   \
	ATOM_ONE(8atom_inc, space, as, letter, type, 1)   \
	ATOM_ONE(8atom_dec, space, as, letter, type, -1)  \
	ATOM_CAS(12atom_cmpxchg, space, as, letter, type)

SPACE(GLOBAL, 1, l, long long, MIN_8, MAX_8)
SPACE(GLOBAL, 1, m, ulong, UMIN_8, UMAX_8)
SPACE(LOCAL, 3, l, long long, MIN_8, MAX_8)
SPACE(LOCAL, 3, m, ulong, UMIN_8, UMAX_8)
