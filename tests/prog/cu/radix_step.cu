/* Stable splits of (key, value) pairs by one digit of four bits: counts per
 * warp by ballots, offsets by a scan over digits and warps. */
extern "C" __global__ void radix_step(const uint2 *in, uint2 *out, int shift)
{
	__shared__ unsigned count[16][9];
	unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
	uint2 item = in[t];
	unsigned digit = item.x >> shift & 15, peers = 0xffffffffu;

	for (int b = 0; b < 4; b++) {
		unsigned votes = __ballot_sync(0xffffffffu, digit >> b & 1);
		peers &= digit >> b & 1 ? votes : ~votes;
	}
	unsigned rank = __popc(peers & ((1u << lane) - 1));
	if (t < 128)
		count[t / 8][t % 8] = 0;
	__syncthreads();
	if (rank == 0)
		count[digit][warp] = __popc(peers);
	__syncthreads();
	if (t == 0) {
		unsigned sum = 0;
		for (int d = 0; d < 16; d++)
			for (int w = 0; w < 8; w++) {
				unsigned c = count[d][w];
				count[d][w] = sum;
				sum += c;
			}
	}
	__syncthreads();
	out[count[digit][warp] + rank] = item;
}
