/*
 * Barriers, fences, clocks, sleeping and trapping.
 */
#ifndef HEDDLE_CUDA_SYNC_H
#define HEDDLE_CUDA_SYNC_H
#pragma GCC system_header

#include "config.h"

/* Clang's builtin of that name lets loads of shared variables move across the
 * barrier (seen with clang 14). */
HEDDLE_D void heddle_syncthreads(void)
{
	asm volatile("bar.sync 0;" : : : "memory");
}
#define __syncthreads() heddle_syncthreads()

HEDDLE_D int __syncthreads_count(int pred)
{
	int n;
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t"
		     "bar.red.popc.u32 %0, 0, p;\n\t}"
		     : "=r"(n) : "r"(pred) : "memory");
	return n;
}

#define HEDDLE_BAR_RED(name, op)                                              \
	HEDDLE_D int name(int pred)                                           \
	{                                                                     \
		int r;                                                        \
		asm volatile("{\n\t.reg .pred p, q;\n\t"                      \
			     "setp.ne.s32 p, %1, 0;\n\t"                      \
			     "bar.red." op ".pred q, 0, p;\n\t"               \
			     "selp.s32 %0, 1, 0, q;\n\t}"                     \
			     : "=r"(r) : "r"(pred) : "memory");               \
		return r;                                                     \
	}
HEDDLE_BAR_RED(__syncthreads_and, "and")
HEDDLE_BAR_RED(__syncthreads_or, "or")
#undef HEDDLE_BAR_RED

HEDDLE_D void __syncwarp(unsigned mask = 0xffffffffu)
{
	asm volatile("bar.warp.sync %0;" : : "r"(mask) : "memory");
}

HEDDLE_D void __threadfence_block(void)
{
	asm volatile("membar.cta;" : : : "memory");
}

HEDDLE_D void __threadfence(void)
{
	asm volatile("membar.gl;" : : : "memory");
}

HEDDLE_D void __threadfence_system(void)
{
	asm volatile("membar.sys;" : : : "memory");
}

/* Reads of registers of fixed width; CUDA's functions with `long` use them. */
HEDDLE_D long long clock64(void)
{
	long long t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
	return t;
}

HEDDLE_D int heddle_clock(void)
{
	int t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t));
	return t;
}

HEDDLE_D unsigned long long __globaltimer(void)
{
	unsigned long long t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

HEDDLE_D void __nanosleep(unsigned ns)
{
	asm volatile("nanosleep.u32 %0;" : : "r"(ns));
}

HEDDLE_D void __trap(void)
{
	asm volatile("trap;");
}

HEDDLE_D void __brkpt(void)
{
	asm volatile("brkpt;");
}

HEDDLE_D void __prof_trigger(int) {}

#define HEDDLE_SREG(name, reg)                                                \
	HEDDLE_D unsigned name(void)                                          \
	{                                                                     \
		unsigned v;                                                   \
		asm("mov.u32 %0, %%" reg ";" : "=r"(v));                      \
		return v;                                                     \
	}
HEDDLE_SREG(heddle_laneid, "laneid")
HEDDLE_SREG(heddle_lanemask_lt, "lanemask_lt")
HEDDLE_SREG(heddle_lanemask_le, "lanemask_le")
HEDDLE_SREG(heddle_lanemask_gt, "lanemask_gt")
HEDDLE_SREG(heddle_lanemask_ge, "lanemask_ge")
HEDDLE_SREG(heddle_lanemask_eq, "lanemask_eq")
HEDDLE_SREG(heddle_dynamic_smem_size, "dynamic_smem_size")
#undef HEDDLE_SREG

#endif
