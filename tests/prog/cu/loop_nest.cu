/* For each lane the first (a, b, c) with a*b + c == target: a goto leaves three
 * loops at once, some lanes return from the middle. */
extern "C" __global__ void loop_nest(const int *target, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int want = target[i], visited = 0;
	int a, b, c;

	for (a = 1; a < 12; a++) {
		for (b = a; b < 12; b++) {
			if ((a + b) % 5 == 0)
				continue;
			for (c = 0; c < a + 2; c++) {
				visited++;
				if (a * b + c == want)
					goto found;
				if (a * b + c > want)
					break;
			}
			if (visited > 150) {
				out[2 * i] = -2;
				out[2 * i + 1] = visited;
				return;
			}
		}
	}
	out[2 * i] = -1;
	out[2 * i + 1] = visited;
	return;
found:
	out[2 * i] = a * 10000 + b * 100 + c;
	out[2 * i + 1] = visited;
}
