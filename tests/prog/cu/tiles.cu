/* Cooperative groups: tiles of eight, the active lanes of a branch. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int *in, int *out, int *packed, int *used)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
	int i = blockIdx.x * blockDim.x + block.thread_rank();
	int v = in[i];

	out[3 * i] = cg::reduce(tile, v, cg::plus<int>());
	out[3 * i + 1] = tile.shfl(v, 7 - tile.thread_rank());
	out[3 * i + 2] = 0;
	block.sync();
	if (v % 3 == 0) {
		cg::coalesced_group active = cg::coalesced_threads();
		int at = 0;
		if (active.thread_rank() == 0)
			at = atomicAdd(used, active.size());
		at = active.shfl(at, 0);
		packed[at + active.thread_rank()] = v;
		out[3 * i + 2] = 1;
	}
}
