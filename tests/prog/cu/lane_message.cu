/* Lane 31 waits for a word that lane 0 of the same warp writes later, through
 * every lane in between. */
extern "C" __global__ void lane_message(volatile int *box)
{
	int lane = threadIdx.x;
	if (lane == 0) {
		box[0] = 7;
	} else {
		int got;
		while ((got = box[lane - 1]) == 0)
			;
		box[lane] = got + lane;
	}
}
