/* Collatz steps: breaks and continues that lanes take at different times. */
extern "C" __global__ void loop_break(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned x = in[i], steps = 0, odd = 0;
	for (;;) {
		if (x == 1)
			break;
		if (steps == 60)
			break;
		steps++;
		if (x % 2 == 0) {
			x /= 2;
			continue;
		}
		odd++;
		x = 3 * x + 1;
	}
	out[i] = steps * 1000 + odd;
}
