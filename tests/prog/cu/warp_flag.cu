/* Warps of a block in a ring: each waits for a volatile flag of the one
 * before, in the order opposite to their numbers. */
extern "C" __global__ void warp_flag(int *out)
{
	__shared__ volatile int flag[8];
	__shared__ volatile int box[8][32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int warps = blockDim.x / 32;

	if (lane == 0)
		flag[warp] = 0;
	__syncthreads();
	int v = lane;
	if (warp + 1 < warps) {
		while (flag[warp + 1] == 0)
			;
		__threadfence_block();
		v = box[warp + 1][(lane + 1) % 32] * 2 + warp;
	}
	box[warp][lane] = v;
	__threadfence_block();
	__syncwarp();
	if (lane == 0)
		flag[warp] = 1;
	out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
