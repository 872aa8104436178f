/* An assertion that one thread fails. */
#include <cassert>

extern "C" __global__ void assert_fails(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	assert(in[i] >= 0);
	out[i] = in[i] + 1;
}
