/* memory.h, string.h and the pipeline primitives. */
#include <cuda_pipeline.h>

template <class T> __device__ void hints(T *out, const T *in)
{
	out[0] = __ldg(in);
	out[1] = __ldca(in + 1);
	out[2] = __ldcg(in + 2);
	out[3] = __ldcs(in + 3);
	out[4] = __ldlu(in + 4);
	out[5] = __ldcv(in + 5);
	__stwb(out + 6, in[6]);
	__stcg(out + 7, in[7]);
	__stcs(out + 8, in[8]);
	__stwt(out + 9, in[9]);
}

__global__ void loads(char *p, const char *q)
{
#define TRY(T) hints((T *)p, (const T *)q)
	TRY(char);
	TRY(unsigned char);
	TRY(short);
	TRY(unsigned short);
	TRY(int);
	TRY(unsigned);
	TRY(long long);
	TRY(unsigned long long);
	TRY(float);
	TRY(double);
	TRY(char2);
	TRY(uchar4);
	TRY(short2);
	TRY(ushort4);
	TRY(int2);
	TRY(int4);
	TRY(uint2);
	TRY(uint4);
	TRY(longlong2);
	TRY(float2);
	TRY(float4);
	TRY(double2);
}

__global__ void spaces(unsigned *out, float *g)
{
	__shared__ float tile[64];
	float mine[2] = {g[0], g[1]};
	float *p = threadIdx.x & 1 ? tile : g;
	out[0] = __isGlobal(p) + __isShared(p) + __isConstant(p) +
		 __isLocal(mine);
	out[1] = (unsigned)__cvta_generic_to_shared(tile);
	out[2] = *(unsigned *)__cvta_shared_to_generic(out[1]);
	out[3] = (unsigned)__cvta_generic_to_global(g);
	mine[out[0] & 1] = 1;
	out[4] = (unsigned)mine[0];
}

__global__ void pipeline(float4 *out, const float4 *in)
{
	__shared__ float4 tile[2][64];
	__shared__ char bytes[64];
	for (int s = 0; s < 2; s++) {
		__pipeline_memcpy_async(&tile[s][threadIdx.x],
					in + s * 64 + threadIdx.x, 16);
		__pipeline_commit();
	}
	__pipeline_memcpy_async(bytes, in, 4, 2);
	__pipeline_memcpy_async(bytes + 8, in, 8);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	__syncthreads();
	out[threadIdx.x] = tile[0][threadIdx.x ^ 1];
	__pipeline_wait_prior(0);
	memcpy(out + 64, bytes, 64);
	memmove(out + 70, out + 64, 64);
	memset(bytes, 1, threadIdx.x);
	out[80].x = memcmp(bytes, tile, 16);
}
