/*
 * Asynchronous copies to shared memory: the part that <cuda/barrier> and
 * <cuda/pipeline> share.
 */
#ifndef HEDDLE_CUDA_COPY_ASYNC_H
#define HEDDLE_CUDA_COPY_ASYNC_H
#pragma GCC system_header

#include "scope.h"

#include "../cuda_pipeline_primitives.h"
#include <type_traits>

namespace cuda
{
/* A size, and the known alignment of both ends of the copy. */
template <size_t Alignment> struct aligned_size_t {
	static constexpr size_t align = Alignment;
	size_t value;

	HEDDLE_HDT explicit constexpr aligned_size_t(size_t n) : value(n) {}
	HEDDLE_HDT constexpr operator size_t() const { return value; }
};

enum class async_contract_fulfillment { none, async };

/* Copies the pieces of one thread: 16, 8 or 4 bytes at a time from global to
 * shared memory; by loads and stores if PTX has no such copy. */
HEDDLE_DT void heddle_copy(void *to, const void *from, size_t size,
			   size_t rank, size_t threads)
{
	const size_t odd = (size_t)to | (size_t)from | size;
	const size_t step = odd & 3 ? 1 : odd & 7 ? 4 : odd & 15 ? 8 : 16;
	const bool async = step > 1 && __isShared(to) && __isGlobal(from);

	for (size_t i = rank * step; i < size; i += threads * step) {
		char *t = (char *)to + i;
		const char *f = (const char *)from + i;

		if (async)
			__pipeline_memcpy_async(t, f, step);
		else
			for (size_t k = 0; k < step; k++)
				t[k] = f[k];
	}
}
}

#endif
