/* Ifs four deep inside a loop; every leaf writes memory, so that none of them
 * becomes a selection. */
extern "C" __global__ void nested_if(int *out, int rounds)
{
	int i = threadIdx.x;
	int *mine = out + 8 * i;

	for (int r = 0; r < rounds; r++) {
		int v = i * 7 + r * 13;
		if (v & 1) {
			if (v & 2) {
				if (v & 4)
					mine[0] += v;
				else if (v & 8)
					mine[1] ^= v;
				else
					mine[2]++;
			} else {
				if (v & 16) {
					if (v & 32)
						mine[3] = mine[0] + 1;
				} else {
					mine[4] -= 3;
				}
			}
		} else if (v & 64) {
			mine[5] += mine[4];
		} else {
			if ((v & 6) == 6)
				mine[6] = max(mine[6], v);
		}
		mine[7] += r;
	}
}
