/*
 * Asynchronous copies from global to shared memory (CUDA C++ programming
 * guide, "Pipeline Primitives Interface"; PTX ISA cp.async).
 */
#ifndef HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#define HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#pragma GCC system_header

#include "heddle/language.h"

#include "heddle_cuda.h"

/* size is 4, 8 or 16; the last zfill bytes are written as zeros. */
HEDDLE_D void __pipeline_memcpy_async(void *dst, const void *src, size_t size,
				      size_t zfill = 0)
{
	unsigned d = (unsigned)__cvta_generic_to_shared(dst);
	size_t s = __cvta_generic_to_global(src);
	unsigned n = (unsigned)(size - zfill);
	if (size == 16)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
			     : : "r"(d), "l"(s), "r"(n) : "memory");
	else if (size == 8)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
			     : : "r"(d), "l"(s), "r"(n) : "memory");
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
			     : : "r"(d), "l"(s), "r"(n) : "memory");
}

HEDDLE_D void __pipeline_commit(void)
{
	asm volatile("cp.async.commit_group;" : : : "memory");
}

/* The operand of wait_group is an immediate. */
HEDDLE_D void __pipeline_wait_prior(size_t n)
{
#define WAIT(k)                                                               \
	case k:                                                               \
		asm volatile("cp.async.wait_group " #k ";" : : : "memory");   \
		break;
	switch (n) {
	WAIT(1)
	WAIT(2)
	WAIT(3)
	WAIT(4)
	WAIT(5)
	WAIT(6)
	WAIT(7)
	default:
		asm volatile("cp.async.wait_group 0;" : : : "memory");
	}
#undef WAIT
}

#endif
