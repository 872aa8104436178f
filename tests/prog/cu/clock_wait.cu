/* Clocks run, and run forward. */
extern "C" __global__ void clock_wait(int *out)
{
	int t = threadIdx.x;
	long long first = clock64();
	unsigned low = (unsigned)clock();
	int polls = 0;

	while (clock64() - first < 10 * (t + 1) && polls < 100000)
		polls++;
	out[3 * t] = clock64() - first >= 10 * (t + 1);
	out[3 * t + 1] = (unsigned)clock() - low < 0x7fffffffu;
	out[3 * t + 2] = polls < 100000;
}
