/*
 * Shared by the C++ headers in cuda/: scopes of threads, memory orders and
 * fences; and cuda::std, which has the names of std that device code can use
 * (types and constexpr functions).
 */
#ifndef HEDDLE_CUDA_SCOPE_H
#define HEDDLE_CUDA_SCOPE_H
#pragma GCC system_header

#include "language.h"

#include "../heddle_cuda.h"
#include <atomic>

namespace cuda
{
namespace std
{
using namespace ::std;
}

enum thread_scope {
	thread_scope_system,
	thread_scope_device,
	thread_scope_block,
	thread_scope_thread
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

/* Chooses one of three PTX instructions by scope. The scope of a thread needs
 * none; that of a block is correct for it. */
#define HEDDLE_BY_SCOPE(scope, before, after, ...)                            \
	do {                                                                  \
		if ((scope) == thread_scope_system)                           \
			asm volatile(before "sys" after __VA_ARGS__);         \
		else if ((scope) == thread_scope_device)                      \
			asm volatile(before "gpu" after __VA_ARGS__);         \
		else                                                          \
			asm volatile(before "cta" after __VA_ARGS__);         \
	} while (0)

HEDDLE_HDT void atomic_thread_fence(memory_order order,
				    thread_scope scope = thread_scope_system)
{
#ifdef __CUDA_ARCH__
	if (order == memory_order_seq_cst)
		HEDDLE_BY_SCOPE(scope, "fence.sc.", ";", ::: "memory");
	else if (order != memory_order_relaxed)
		HEDDLE_BY_SCOPE(scope, "fence.acq_rel.", ";", ::: "memory");
#else
	(void)scope;
	__atomic_thread_fence((int)order);
#endif
}
}

#endif
