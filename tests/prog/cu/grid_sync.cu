/* All threads of the grid meet, again and again: everyone adds its neighbour's
 * number to its own. */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void grid_sync(unsigned *number, unsigned rounds)
{
	cg::grid_group grid = cg::this_grid();
	unsigned n = (unsigned)grid.size(), i = (unsigned)grid.thread_rank();

	for (unsigned r = 0; r < rounds; r++) {
		unsigned other = number[i + 1 < n ? i + 1 : 0];

		grid.sync();
		number[i] += other;
		grid.sync();
	}
}
