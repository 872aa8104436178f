// The end of blocks: a wave of blocks that all end together, or one after the
// other. Every value is a metric of a launch.
#include "micro.cuh"

// Block b lasts `cycles` plus b * step.
__global__ void wait(u32 cycles, u32 step)
{
	u64 t = now(), limit = cycles + (u64)blockIdx.x * step;
	while (now() - t < limit)
		;
}

int main()
{
	part = "wave";
	int times = scale() > 1 ? 1 : 5;
	for (int i = 0; i < times; i++)
		for (int threads : { 32, 128, 256, 1024 })
			for (int blocks :
			     { 1, 66, 132, 264, 528, 1056, 2112, 4224 })
				for (int step : { 0, 4, 16 }) {
					if (blocks * std::max(threads, 64) >
					    132 * 2048)
						continue; // one wave
					if (scale() > 1 && step == 16)
						continue;
					LAUNCH(wait, blocks, threads, 0, 10000,
					       step);
					row_metric(
						"wait", "cycle", CYCLES,
						"blocks=%d,threads=%d,step=%d",
						blocks, threads, step);
				}
	return 0;
}
