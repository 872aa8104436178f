/* Atomics of 16 bits on the last bytes of shared memory, which are not a word. */
extern "C" __global__ void atomic_narrow(unsigned short *out)
{
	__shared__ unsigned short count[3];
	if (threadIdx.x < 3)
		count[threadIdx.x] = 0;
	__syncthreads();
	unsigned at = (unsigned)__cvta_generic_to_shared(&count[2]);
	unsigned short old = 0, seen;
	for (;;) {
		unsigned short next = old + 3;
		asm volatile("atom.shared.cas.b16 %0, [%1], %2, %3;"
			     : "=h"(seen)
			     : "r"(at), "h"(old), "h"(next)
			     : "memory");
		if (seen == old)
			break;
		old = seen;
	}
	__syncthreads();
	if (threadIdx.x < 3)
		out[threadIdx.x] = count[threadIdx.x];
}
