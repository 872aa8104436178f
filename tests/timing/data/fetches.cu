// nvcc -arch=sm_90 -cubin -o fetches.cubin fetches.cu (CUDA 13.0)
//
// Two texture fetches, the second where the first one says. Before each of them a ULDC
// loads the handle of its texture.

extern "C" __global__ void fetches(cudaTextureObject_t a, cudaTextureObject_t b,
				   int *out)
{
	int i = threadIdx.x;
	out[i] = tex1Dfetch<int>(b, tex1Dfetch<int>(a, i));
}
