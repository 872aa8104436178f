// nvcc -arch=sm_90 -cubin -o vectors.cubin vectors.cu (CUDA 13.0)
//
// Every lane loads a vector of shared memory from the place that at[] names.

template <typename T>
__device__ void load(const unsigned *at, T *out, T (&room)[512])
{
	unsigned i = threadIdx.x;

	for (unsigned k = i; k < 512; k += 32)
		((unsigned *)room)[k] = k;
	__syncthreads();
	out[i] = *(const T *)((const char *)room + at[i]);
}

extern "C" __global__ void load8(const unsigned *at, uint2 *out)
{
	__shared__ uint2 room[512];

	load(at, out, room);
}

extern "C" __global__ void load16(const unsigned *at, uint4 *out)
{
	__shared__ uint4 room[512];

	load(at, out, room);
}
