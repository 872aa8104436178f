/* Votes over all lanes, over the lanes of a branch and over halves. */
extern "C" __global__ void warp_vote(const int *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32, v = in[i];
	unsigned *mine = out + 5 * i;

	mine[0] = __ballot_sync(0xffffffffu, v & 1);
	mine[1] = __any_sync(0xffffffffu, v == 50) * 2 +
		  __all_sync(0xffffffffu, v < 98);
	unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
	if (lane < 16)
		mine[2] = __ballot_sync(half, v > 30);
	else
		mine[2] = __ballot_sync(half, v > 60);
	mine[3] = 0;
	mine[4] = 0;
	unsigned odd = __ballot_sync(0xffffffffu, v & 1);
	if (v & 1) {
		mine[3] = __all_sync(odd, v > 10) ? 1 : 2;
		mine[4] = __popc(__ballot_sync(odd, v % 3 == 0));
	}
}
