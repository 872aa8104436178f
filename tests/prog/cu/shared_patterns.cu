/*
 * Stores and loads of shared memory in a loop, at addresses that do not change:
 * consecutive words, words apart, the same word, rows of half a warp, backwards;
 * with all lanes, and first with some of them.
 */
enum { SIZE = 256 };

__device__ static int place(int kind, int lane)
{
	switch (kind) {
	case 0: return lane;
	case 1: return lane * 3;
	case 2: return 7;
	case 3: return lane % 16 + lane / 16 * 64;
	case 4: return 31 - lane;
	case 5: return lane / 16 * 5;
	default: return lane * 4;
	}
}

extern "C" __global__ void shared_patterns(const int *in, int *out, int rounds)
{
	__shared__ int first[SIZE], second[SIZE];
	const int lane = threadIdx.x, to = place(blockIdx.x % 7, lane);
	const int from = place(blockIdx.x / 7, lane);
	int sum = 0;

	for (int i = lane; i < SIZE; i += 32)
		first[i] = second[i] = i;
	__syncwarp();
	for (int r = 0; r < rounds; r++) {
		const int value = in[r * 32 + lane];

		/* In odd blocks the first access is one of odd lanes only. */
		if (r || blockIdx.x % 2 == 0 || lane % 2)
			first[to] = blockIdx.x % 7 == 2 ? in[r * 32] :
				    blockIdx.x % 7 == 5 ?
					    in[r * 32 + lane / 16] :
					    value;
		__syncwarp();
		sum = sum * 5 + first[from] + second[from + 16];
		__syncwarp();
		second[to + 16] = blockIdx.x % 7 == 2 ? r :
				  blockIdx.x % 7 == 5 ? lane / 16 :
							sum;
		__syncwarp();
	}
	out[blockIdx.x * 32 + lane] = sum;
}
