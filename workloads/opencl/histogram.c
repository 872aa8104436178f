/* A histogram of bytes: atomics in local memory, then in global memory. */
#include "common.h"

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "histogram", 30000, 1, 1 << 24, 1);
	uint8_t *data = allocate(n);
	int want[256] = { 0 }, got[256];
	static const cl_uint zero;
	cl_mem md, mb;
	cl_kernel k;

	for (int i = 0; i < n; i++) {
		data[i] = (uint8_t)(random_bits() & random_bits());
		want[data[i]]++;
	}
	open_device("");
	md = buffer(n, data);
	mb = buffer(sizeof(got), NULL);
	CHECK(clEnqueueFillBuffer(cl.queue, mb, &zero, sizeof(zero), 0,
				  sizeof(got), 0, NULL, NULL));
	k = find_kernel("histogram");
	set_args(k, "mim", md, n, mb);
	run_1d(k, 1024, 128);
	read_back(mb, sizeof(got), got);
	return compare_ints(got, want, 256);
}
