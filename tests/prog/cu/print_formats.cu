/* printf with what its format can say, a line per block. */
extern "C" __global__ void print_formats(const char *word)
{
	if (blockIdx.x == 0) {
		printf("none\n");
		printf("%d %i %u %5d|%-5d|%05d|%+d\n", -1, 42, 4000000000u, 7,
		       7, 7, 7);
		printf("%x %X %#x %o %c%c %%\n", 0xbeef, 0xbeef, 255, 8, 'o',
		       'k');
		printf("%lld %llu %llx %ld\n", -1234567890123ll,
		       18446744073709551615ull, 0x123456789abcdefull, 77l);
		printf("%f %.2f %8.3f|%e %.3e %g %g\n", 3.5, 2.0f / 3, -1.25,
		       12345.678, 0.00012, 1e-10, 100.0f);
		printf("%s and %10s|%-6s|%.2s\n", word, "right", "left",
		       "cut off");
		printf("%d %s %f %lld %c %g %d\n", 1, "mixed", 0.5,
		       1ll << 40, 'x', 2.5, -3);
	} else {
		for (int t = 0; t < blockDim.x; t++) {
			if (threadIdx.x == t && t % 20 == 0)
				printf("block %d thread %d\n", blockIdx.x, t);
			__syncthreads();
		}
	}
}
