/*
 * Cooperative groups (CUDA C++ programming guide): thread_block, tiles of a
 * power of two up to a warp, coalesced groups, the grid; reduce and scans over
 * tiles and coalesced groups; memcpy_async over a block.
 *
 * grid_group::sync() counts arrivals in global memory, so all blocks of the
 * grid must be resident at once (a cooperative launch). Not provided: multi
 * grids, clusters, tiles larger than a warp, labeled_partition.
 */
#ifndef HEDDLE_COOPERATIVE_GROUPS_H
#define HEDDLE_COOPERATIVE_GROUPS_H
#pragma GCC system_header

#include "heddle/language.h"

#include "cuda_pipeline_primitives.h"
#include "heddle_cuda.h"

namespace cooperative_groups
{
#define CG HEDDLE_DT

CG unsigned heddle_block_rank()
{
	return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
	       threadIdx.x;
}

CG unsigned heddle_block_size()
{
	return blockDim.x * blockDim.y * blockDim.z;
}

/* ---- the block ---- */

class thread_block
{
      public:
	CG static void sync() { __syncthreads(); }
	CG static unsigned thread_rank() { return heddle_block_rank(); }
	CG static unsigned size() { return heddle_block_size(); }
	CG static unsigned num_threads() { return heddle_block_size(); }
	CG static dim3 group_index() { return blockIdx; }
	CG static dim3 thread_index() { return threadIdx; }
	CG static dim3 group_dim() { return blockDim; }
	CG static dim3 dim_threads() { return blockDim; }
};

CG thread_block this_thread_block() { return thread_block(); }

/* ---- the grid ---- */

static __device__ unsigned heddle_grid_arrived;

class grid_group
{
      public:
	CG static unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	CG static unsigned long long block_rank()
	{
		return ((unsigned long long)blockIdx.z * gridDim.y +
			blockIdx.y) * gridDim.x + blockIdx.x;
	}
	CG static unsigned long long size()
	{
		return num_blocks() * heddle_block_size();
	}
	CG static unsigned long long num_threads() { return size(); }
	CG static unsigned long long thread_rank()
	{
		return block_rank() * heddle_block_size() +
		       heddle_block_rank();
	}
	CG static dim3 group_dim() { return gridDim; }
	CG static dim3 dim_blocks() { return gridDim; }
	CG static dim3 block_index() { return blockIdx; }
	CG static bool is_valid() { return true; }

	/* Block 0 adds as much as makes the sum of all blocks flip the top bit:
	 * it flips once per barrier, and the counter needs no reset. */
	CG static void sync()
	{
		__syncthreads();
		if (heddle_block_rank() == 0) {
			unsigned n = (unsigned)num_blocks();
			unsigned add =
				block_rank() ? 1 : 0x80000000u - (n - 1);
			__threadfence();
			unsigned old = atomicAdd(&heddle_grid_arrived, add);
			while (!((old ^ *(volatile unsigned *)&
						heddle_grid_arrived) &
				 0x80000000u))
				;
			__threadfence();
		}
		__syncthreads();
	}
};

CG grid_group this_grid() { return grid_group(); }

/* ---- groups within a warp: a mask, and the thread's rank in it ---- */

class coalesced_group
{
      protected:
	unsigned mask_, rank_, size_, meta_rank_, meta_size_;

	/* Lane of the member with this rank. */
	CG int lane(unsigned rank) const
	{
		return size_ == 32 ? (int)rank
				   : (int)__fns(mask_, 0, (int)rank + 1);
	}

      public:
	CG explicit coalesced_group(unsigned mask)
		: mask_(mask), rank_(__popc(mask & heddle_lanemask_lt())),
		  size_(__popc(mask)), meta_rank_(0), meta_size_(1)
	{
	}
	CG void sync() const { __syncwarp(mask_); }
	CG unsigned thread_rank() const { return rank_; }
	CG unsigned size() const { return size_; }
	CG unsigned num_threads() const { return size_; }
	CG unsigned meta_group_rank() const { return meta_rank_; }
	CG unsigned meta_group_size() const { return meta_size_; }
	CG unsigned heddle_mask() const { return mask_; }

	template <class T> CG T shfl(T v, unsigned src) const
	{
		return __shfl_sync(mask_, v, lane(src % size_));
	}
	template <class T> CG T shfl_up(T v, unsigned delta) const
	{
		int from = rank_ >= delta ? lane(rank_ - delta)
					  : (int)heddle_laneid();
		return __shfl_sync(mask_, v, from);
	}
	template <class T> CG T shfl_down(T v, unsigned delta) const
	{
		int from = rank_ + delta < size_ ? lane(rank_ + delta)
						 : (int)heddle_laneid();
		return __shfl_sync(mask_, v, from);
	}
	CG int any(int p) const { return __any_sync(mask_, p); }
	CG int all(int p) const { return __all_sync(mask_, p); }
	/* Bits of the result are ranks, not lanes. */
	CG unsigned ballot(int p) const
	{
		return pack(__ballot_sync(mask_, p));
	}
	template <class T> CG unsigned match_any(T v) const
	{
		return pack(__match_any_sync(mask_, v));
	}
	template <class T> CG unsigned match_all(T v, int &pred) const
	{
		return pack(__match_all_sync(mask_, v, &pred));
	}

      private:
	CG unsigned pack(unsigned lanes) const
	{
		unsigned r = 0, n = 0;
		if (size_ == 32)
			return lanes;
		for (unsigned m = mask_; m; m &= m - 1, n++)
			r |= (unsigned)((lanes & (m & -m)) != 0) << n;
		return r;
	}
};

CG coalesced_group coalesced_threads()
{
	return coalesced_group(__activemask());
}

template <unsigned Size, class Parent = void> class thread_block_tile
{
	static_assert(Size && Size <= 32 && (Size & (Size - 1)) == 0,
		      "a tile is a power of two of at most 32 threads");

      public:
	thread_block_tile() = default;
	/* A tile holds no state: the type of its parent is not used. */
	template <class Other>
	CG thread_block_tile(const thread_block_tile<Size, Other> &)
	{
	}
	CG static unsigned heddle_mask()
	{
		unsigned base = heddle_laneid() & ~(Size - 1);
		return (Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1)
		       << base;
	}
	CG static void sync() { __syncwarp(heddle_mask()); }
	CG static unsigned thread_rank() { return heddle_laneid() % Size; }
	CG static constexpr unsigned size() { return Size; }
	CG static constexpr unsigned num_threads() { return Size; }
	CG static unsigned meta_group_rank()
	{
		return heddle_block_rank() / Size;
	}
	CG static unsigned meta_group_size()
	{
		return (heddle_block_size() + Size - 1) / Size;
	}
	template <class T> CG T shfl(T v, int src) const
	{
		return __shfl_sync(heddle_mask(), v, src, Size);
	}
	template <class T> CG T shfl_up(T v, unsigned delta) const
	{
		return __shfl_up_sync(heddle_mask(), v, delta, Size);
	}
	template <class T> CG T shfl_down(T v, unsigned delta) const
	{
		return __shfl_down_sync(heddle_mask(), v, delta, Size);
	}
	template <class T> CG T shfl_xor(T v, unsigned lanes) const
	{
		return __shfl_xor_sync(heddle_mask(), v, (int)lanes, Size);
	}
	CG int any(int p) const { return __any_sync(heddle_mask(), p); }
	CG int all(int p) const { return __all_sync(heddle_mask(), p); }
	CG unsigned ballot(int p) const
	{
		return pack(__ballot_sync(heddle_mask(), p));
	}
	template <class T> CG unsigned match_any(T v) const
	{
		return pack(__match_any_sync(heddle_mask(), v));
	}
	template <class T> CG unsigned match_all(T v, int &pred) const
	{
		return pack(__match_all_sync(heddle_mask(), v, &pred));
	}

      private:
	CG static unsigned pack(unsigned lanes)
	{
		return lanes >> (heddle_laneid() & ~(Size - 1));
	}
};

template <unsigned Size, class Parent>
CG thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
	return thread_block_tile<Size, Parent>();
}

/* Any of the above, by value. */
class thread_group
{
	enum { BLOCK, GRID, MASK } kind_;
	unsigned mask_;

      public:
	CG thread_group(thread_block) : kind_(BLOCK), mask_(0) {}
	CG thread_group(grid_group) : kind_(GRID), mask_(0) {}
	CG thread_group(const coalesced_group &g)
		: kind_(MASK), mask_(g.heddle_mask())
	{
	}
	template <unsigned Size, class P>
	CG thread_group(thread_block_tile<Size, P> t)
		: kind_(MASK), mask_(t.heddle_mask())
	{
	}
	CG void sync() const
	{
		if (kind_ == BLOCK)
			thread_block::sync();
		else if (kind_ == GRID)
			grid_group::sync();
		else
			__syncwarp(mask_);
	}
	CG unsigned long long size() const
	{
		return kind_ == BLOCK  ? heddle_block_size()
		       : kind_ == GRID ? grid_group::size()
				       : (unsigned)__popc(mask_);
	}
	CG unsigned long long thread_rank() const
	{
		return kind_ == BLOCK  ? heddle_block_rank()
		       : kind_ == GRID ? grid_group::thread_rank()
				       : (unsigned)__popc(mask_ &
							  heddle_lanemask_lt());
	}
};

/* A tile whose size is only known at run time. */
CG coalesced_group tiled_partition(const thread_block &, unsigned size)
{
	unsigned base = heddle_laneid() & ~(size - 1);
	unsigned m = size >= 32 ? 0xffffffffu : (1u << size) - 1;
	return coalesced_group((m << base) & __activemask());
}

CG coalesced_group tiled_partition(const coalesced_group &g, unsigned size)
{
	unsigned first = g.thread_rank() / size * size, n = 0, m = 0;
	for (unsigned w = g.heddle_mask(); w; w &= w - 1, n++)
		if (n >= first && n < first + size)
			m |= w & -w;
	return coalesced_group(m);
}

template <class G> CG coalesced_group binary_partition(const G &g, bool pred)
{
	unsigned m = g.heddle_mask(), b = __ballot_sync(m, pred);
	return coalesced_group(pred ? b : m & ~b);
}

template <class G> CG void sync(const G &g) { g.sync(); }
template <class G> CG auto thread_rank(const G &g) -> decltype(g.thread_rank())
{
	return g.thread_rank();
}
template <class G> CG auto group_size(const G &g) -> decltype(g.size())
{
	return g.size();
}

/* ---- reduce and scan ---- */

#define OP(name, expr)                                                        \
	template <class T = void> struct name {                               \
		CG T operator()(T a, T b) const { return expr; }              \
	};                                                                    \
	template <> struct name<void> {                                       \
		template <class T> CG T operator()(T a, T b) const            \
		{                                                             \
			return expr;                                          \
		}                                                             \
	};
OP(plus, a + b)
OP(less, b < a ? b : a)
OP(greater, a < b ? b : a)
OP(bit_and, a & b)
OP(bit_or, a | b)
OP(bit_xor, a ^ b)
#undef OP

template <class G, class T, class Op> CG T inclusive_scan(const G &g, T v, Op op)
{
	for (unsigned d = 1; d < g.size(); d *= 2) {
		T u = g.shfl_up(v, d);
		if (g.thread_rank() >= d)
			v = op(u, v);
	}
	return v;
}

template <class G, class T> CG T inclusive_scan(const G &g, T v)
{
	return inclusive_scan(g, v, plus<T>());
}

template <class G, class T, class Op> CG T exclusive_scan(const G &g, T v, Op op)
{
	T u = g.shfl_up(inclusive_scan(g, v, op), 1);
	return g.thread_rank() ? u : T();
}

template <class G, class T> CG T exclusive_scan(const G &g, T v)
{
	return exclusive_scan(g, v, plus<T>());
}

template <class T, class Op> CG T reduce(const coalesced_group &g, T v, Op op)
{
	return g.shfl(inclusive_scan(g, v, op), g.size() - 1);
}

template <unsigned Size, class P, class T, class Op>
CG T reduce(const thread_block_tile<Size, P> &g, T v, Op op)
{
	for (unsigned d = Size / 2; d; d /= 2)
		v = op(v, g.shfl_xor(v, d));
	return v;
}

/* ---- copies to shared memory ---- */

template <class G>
CG void memcpy_async(const G &g, void *dst, const void *src, size_t bytes)
{
	bool wide = (((size_t)dst | (size_t)src | bytes) & 15) == 0;
	bool word = (((size_t)dst | (size_t)src | bytes) & 3) == 0;
	size_t step = wide ? 16 : word ? 4 : 1;
	for (size_t i = g.thread_rank() * step; i < bytes;
	     i += g.size() * step) {
		char *d = (char *)dst + i;
		const char *s = (const char *)src + i;
		if (wide)
			__pipeline_memcpy_async(d, s, 16);
		else if (word)
			__pipeline_memcpy_async(d, s, 4);
		else
			*d = *s;
	}
	__pipeline_commit();
}

template <class G> CG void wait(const G &g)
{
	__pipeline_wait_prior(0);
	g.sync();
}

template <unsigned N, class G> CG void wait_prior(const G &g)
{
	__pipeline_wait_prior(N);
	g.sync();
}

#undef CG
}

#endif
