/* cooperative_groups.h. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__device__ int sum_of(cg::thread_group g, int *scratch, int v)
{
	int lane = g.thread_rank();
	for (int i = g.size() / 2; i > 0; i /= 2) {
		scratch[lane] = v;
		g.sync();
		if (lane < i)
			v += scratch[lane + i];
		g.sync();
	}
	return v;
}

__global__ void groups(int *o, int n)
{
	__shared__ int tile[1024];
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	auto eight = cg::tiled_partition<8>(warp);
	int v = cg::reduce(eight, n + (int)block.thread_rank(),
			   cg::plus<int>());
	v += warp.shfl(v, 0) + warp.shfl_up(v, 1) + warp.shfl_down(v, 4) +
	     warp.shfl_xor(v, 2) + eight.ballot(n > 3) + eight.any(v) +
	     eight.all(v) + eight.match_any(v) + warp.meta_group_rank() +
	     warp.meta_group_size();
	if (threadIdx.x & 1) {
		auto c = cg::coalesced_threads();
		v += c.size() + c.shfl(v, 0) + c.shfl_down(v, 1) +
		     cg::reduce(c, v, cg::less<int>()) + c.ballot(v > 2);
		if (c.thread_rank() == 0)
			atomicAdd(o, v);
	}
	v += cg::inclusive_scan(warp, v) + cg::exclusive_scan(eight, v);
	v += cg::binary_partition(warp, v > 3).size();
	cg::memcpy_async(block, tile, o, sizeof(tile));
	cg::wait(block);
	v += sum_of(block, tile, v) + sum_of(cg::tiled_partition(block, 16),
					     tile, v);
	block.sync();
	cg::sync(warp);
	o[block.thread_rank() + block.group_index().x] = v;
}

__global__ void whole_grid(int *o)
{
	cg::grid_group grid = cg::this_grid();
	o[grid.thread_rank()] = grid.size();
	grid.sync();
	o[grid.size() + grid.thread_rank()] =
		o[grid.size() - 1 - grid.thread_rank()];
}
