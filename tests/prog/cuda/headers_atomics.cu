/* atomics.h: every function, type and scope. */
template <class T> __device__ T integer(T *p, T v)
{
	T r = atomicAdd(p, v);
	r += atomicMin(p, v);
	r += atomicMax(p, v);
	r += atomicAnd(p, v);
	r += atomicOr(p, v);
	r += atomicXor(p, v);
	r += atomicExch(p, v);
	r += atomicCAS(p, v, (T)(v + 1));
	return r;
}

template <class T> __device__ T scoped(T *p, T v)
{
	T r = atomicAdd_block(p, v) + atomicAdd_system(p, v);
	r += atomicMin_block(p, v) + atomicMin_system(p, v);
	r += atomicMax_block(p, v) + atomicMax_system(p, v);
	r += atomicAnd_block(p, v) + atomicAnd_system(p, v);
	r += atomicOr_block(p, v) + atomicOr_system(p, v);
	r += atomicXor_block(p, v) + atomicXor_system(p, v);
	r += atomicExch_block(p, v) + atomicExch_system(p, v);
	r += atomicCAS_block(p, v, v) + atomicCAS_system(p, v, v);
	return r;
}

__global__ void atomics(int *i, unsigned *u, long long *l,
			unsigned long long *ul, float *f, double *d,
			unsigned short *h)
{
	__shared__ unsigned tile[32];
	tile[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&tile[threadIdx.x & 3], 1u);
	atomicCAS(&tile[0], 1u, 2u);
	__syncthreads();
	*i = integer(i, 3) + scoped(i, 3) + atomicSub(i, 1) +
	     atomicSub_block(i, 1);
	*u = integer(u, 3u) + scoped(u, 3u) + atomicSub(u, 1u) +
	     atomicInc(u, 7u) + atomicDec(u, 7u) + atomicInc_block(u, 9u) +
	     atomicDec_system(u, 9u) + tile[1];
	*l = integer(l, 3ll) + scoped(l, 3ll);
	*ul = integer(ul, 3ull) + scoped(ul, 3ull);
	*f = atomicAdd(f, 1.0f) + atomicExch(f, 2.0f) +
	     atomicAdd_block(f, 1.0f) + atomicAdd_system(f, 1.0f);
	*d = atomicAdd(d, 1.0) + atomicAdd_block(d, 1.0) +
	     atomicAdd_system(d, 1.0);
	*h = atomicCAS(h, (unsigned short)1, (unsigned short)2);
	size_t *s = (size_t *)ul;
	atomicAdd(s, (size_t)1);
}
