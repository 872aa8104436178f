/*
 * The C++ headers below cuda/: atomics, barriers and pipelines. Loaded like the
 * other files here, and run: prog.libcu.* have what comes out.
 */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <utility>

namespace cg = cooperative_groups;
static_assert(cuda::std::is_same<cuda::std::uint32_t, unsigned>::value, "std");

extern "C" __global__ void counters(unsigned *n, int *most, float *sum,
				    unsigned long long *big)
{
	cuda::atomic_ref<unsigned, cuda::thread_scope_device> a(*n);
	cuda::atomic_ref<int, cuda::thread_scope_device> m(*most);
	cuda::atomic_ref<float, cuda::thread_scope_device> s(*sum);
	cuda::atomic_ref<unsigned long long> b(*big);
	__shared__ cuda::atomic<int, cuda::thread_scope_block> local;

	if (threadIdx.x == 0)
		local.store(0, cuda::memory_order_relaxed);
	__syncthreads();
	local.fetch_add(2, cuda::memory_order_relaxed);
	__syncthreads();
	if (threadIdx.x == 0)
		a.fetch_add(local.load());
	m.fetch_max((int)(blockIdx.x * blockDim.x + threadIdx.x) - 5);
	s.fetch_add(0.5f, cuda::std::memory_order_relaxed);
	b++;

	unsigned long long want = b.load(cuda::memory_order_relaxed);

	while (!b.compare_exchange_weak(want, want + (1ull << 32),
					cuda::memory_order_acq_rel))
		;
}

extern "C" __global__ void copies(const int *from, int *to, int *sums)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	alignas(16) __shared__ int tile[256];
	auto block = cg::this_thread_block();
	int sum = 0;

	if (block.thread_rank() == 0)
		init(&bar, block.size());
	block.sync();
	for (int i = 0; i < 4; i++) {
		cuda::memcpy_async(block, tile, from + 256 * i,
				   cuda::aligned_size_t<16>(sizeof(tile)), bar);
		bar.arrive_and_wait();
		to[256 * i + threadIdx.x] = tile[255 - threadIdx.x];
		sum += tile[threadIdx.x];

		auto token = bar.arrive();

		bar.wait(std::move(token));
	}
	sums[threadIdx.x] = sum;
}

/* The weighted sum of a column of eight tiles, two of them on their way. */
template <class P>
__device__ void stream(P &pipe, const int *from, int *out, int (*tile)[128])
{
	auto block = cg::this_thread_block();
	int sum = 0;

	for (int next = 0, i = 0; i < 8; i++) {
		for (; next < 8 && next < i + 2; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, tile[next % 2],
					   from + 128 * next, sizeof(*tile),
					   pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		block.sync();
		sum += tile[i % 2][127 - threadIdx.x] * (i + 1);
		block.sync();
		pipe.consumer_release();
	}
	out[threadIdx.x] = sum;
}

extern "C" __global__ void stages_block(const int *from, int *out)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> s;
	alignas(16) __shared__ int tile[2][128];
	auto pipe = cuda::make_pipeline(cg::this_thread_block(), &s);

	stream(pipe, from, out, tile);
}

extern "C" __global__ void stages_thread(const int *from, int *out)
{
	alignas(16) __shared__ int tile[2][128];
	auto pipe = cuda::make_pipeline();

	stream(pipe, from, out, tile);
}

/* One warp copies, the others compute. */
extern "C" __global__ void roles(const int *from, int *out)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> s;
	alignas(16) __shared__ int tile[2][128];
	const bool copier = threadIdx.x < 32;
	auto pipe = cuda::make_pipeline(
		cg::this_thread_block(), &s,
		copier ? cuda::pipeline_role::producer :
			 cuda::pipeline_role::consumer);
	int sum = 0;

	for (int i = 0; i < 8; i++) {
		if (copier) {
			pipe.producer_acquire();
			for (int k = threadIdx.x; k < 128; k += 32)
				cuda::memcpy_async(&tile[i % 2][k],
						   from + 128 * i + k,
						   sizeof(int), pipe);
			pipe.producer_commit();
		} else {
			pipe.consumer_wait();
			sum += tile[i % 2][threadIdx.x - 32] * (i + 1);
			pipe.consumer_release();
		}
	}
	if (!copier)
		out[threadIdx.x - 32] = sum;
}
