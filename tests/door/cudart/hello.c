/* For settings.sh: how many devices there are, what the first is, whether a
 * kernel runs there. An argument: a kernel that counts to it. */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

int main(int argc, char **argv)
{
	struct cudaDeviceProp p;
	int count = 0, n = argc > 1 ? atoi(argv[1]) : 1;
	cudaError_t e = cudaGetDeviceCount(&count);

	if (e) {
		printf("%s\n", cudaGetErrorName(e));
		return 1;
	}
	cudaGetDeviceProperties(&p, 0);
	launch(kernel_spin, DIM(1, 1, 1), DIM(32, 1, 1), 0, 0, ARGS(&n));
	e = cudaDeviceSynchronize();
	printf("%d %s %d SMs: %s\n", count, p.name, p.multiProcessorCount,
	       cudaGetErrorName(e));
	return e != cudaSuccess;
}
