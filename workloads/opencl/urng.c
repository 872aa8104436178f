/* Uniform noise: integer divisions and bytes in vectors. */
#include "common.h"

static uint8_t noisy(uint8_t v, uint32_t index, int rounds, int factor)
{
	uint64_t seed = index + 1;
	int n;

	for (int k = 0; k < rounds; k++)
		seed = seed * 16807 % 2147483647;
	n = v + ((int)(seed % 256) - 128) * factor / 256;
	return (uint8_t)(n < 0 ? 0 : n > 255 ? 255 : n);
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "urng", 4096, 64, 1 << 20, 64);
	uint8_t *in = allocate((size_t)n * 4), *got = allocate((size_t)n * 4);
	cl_mem mi, mo;
	cl_kernel k;

	for (int i = 0; i < 4 * n; i++)
		in[i] = (uint8_t)random_bits();
	open_device("");
	mi = buffer((size_t)n * 4, in);
	mo = buffer((size_t)n * 4, NULL);
	k = find_kernel("urng");
	set_args(k, "mmii", mi, mo, 8, 60);
	run_1d(k, n, 64);
	read_back(mo, (size_t)n * 4, got);
	for (int i = 0; i < 4 * n; i++) {
		int want = noisy(in[i], (uint32_t)i / 4, 8, 60);

		if (got[i] != want)
			return wrong((size_t)i, got[i], want);
	}
	return finish();
}
