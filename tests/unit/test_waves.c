/* How far apart the blocks of a wave end. */
#include <math.h>

#include "test.h"

#include "gpu/waves.h"

static void open_waves(struct waves *w, uint64_t blocks, uint64_t size)
{
	struct diag d;

	EQ(ERR_OK, waves_init(w, blocks, size, &d));
}

TEST(waves, ends_are_compared_within_their_wave_only)
{
	struct waves w;
	struct waves_sum sum;

	/* Four at a time: 10 20 30 40, then 1000 1000 1002 1002, in the order
	 * in which they end, then half a wave that ends in one cycle. */
	static const uint64_t block[] = { 3, 1, 0, 2, 4, 7, 6, 5, 8, 9 };
	static const uint64_t end[] = { 10,   20,   30,   40,   1000,
					1000, 1002, 1002, 2000, 2000 };

	open_waves(&w, 10, 4);
	EQ(3, w.count);
	for (int i = 0; i < 10; i++)
		waves_add(&w, block[i], end[i]);
	sum = waves_sum(&w);
	EQ(30, sum.gap);
	/* Squares: 15, 5, 5, 15; 1, 1, 1, 1; 0, 0. */
	OK(fabs(sum.deviation - sqrt((500 + 4 + 0) / 10.0)) < 1e-12);
	waves_free(&w);
}

TEST(waves, large_cycles_lose_nothing)
{
	const uint64_t far = UINT64_C(1) << 50;
	struct waves w;
	struct waves_sum sum;

	open_waves(&w, 2, 8);
	waves_add(&w, 0, far);
	waves_add(&w, 1, far + 6);
	sum = waves_sum(&w);
	EQ(6, sum.gap);
	EQ(3.0, sum.deviation);
	waves_free(&w);
}

TEST(waves, a_grid_that_was_cut_short_has_those_that_ended)
{
	struct waves w;
	struct waves_sum sum;

	open_waves(&w, 100, 10);
	sum = waves_sum(&w);
	EQ(0, sum.gap);
	EQ(0.0, sum.deviation);
	waves_add(&w, 95, 50);
	sum = waves_sum(&w);
	EQ(0, sum.gap);
	EQ(0.0, sum.deviation);
	waves_free(&w);
}
