/* Parameters of more than 32 KB, the last one at an offset of 16 bits. */
struct wide {
	int value[8100];
};

extern "C" __global__ void wide_param(wide w, int *out)
{
	int i = threadIdx.x;
	out[i] = w.value[8099] + w.value[i] + w.value[i * 60];
}
