/* The runtime API from C. */
#include "shared.h"

int devices(void)
{
	struct cudaDeviceProp prop;
	int count = 0;

	if (cudaGetDeviceCount(&count) != cudaSuccess)
		return -1;
	if (count && cudaGetDeviceProperties(&prop, 0) != cudaSuccess)
		return -1;
	return count;
}
