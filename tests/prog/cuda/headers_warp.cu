/* warp.h and sync.h: shuffles, votes, matches, reductions, barriers, clocks. */
template <class T> __device__ T shuffles(T v, int k)
{
	const unsigned all = 0xffffffffu;
	v += __shfl_sync(all, v, k) + __shfl_sync(all, v, 3, 8);
	v += __shfl_up_sync(all, v, 1) + __shfl_up_sync(all, v, 1, 16);
	v += __shfl_down_sync(all, v, 2) + __shfl_down_sync(all, v, 2, 4);
	v += __shfl_xor_sync(all, v, 4) + __shfl_xor_sync(all, v, 4, 16);
	return v;
}

template <class T> __device__ unsigned matches(T v)
{
	int pred;
	return __match_any_sync(0xffffffffu, v) +
	       __match_all_sync(0xffffffffu, v, &pred) + pred;
}

__global__ void warp(int *i, unsigned *u, float *f, double *d, long long *l,
		     unsigned long long *ul)
{
	int k = threadIdx.x;
	*i = shuffles(*i, k) + matches(*i);
	*u = shuffles(*u, k) + matches(*u);
	*f = shuffles(*f, k) + matches(*f);
	*d = shuffles(*d, k) + matches(*d);
	*l = shuffles(*l, k) + matches(*l);
	*ul = shuffles(*ul, k) + matches(*ul);
	unsigned m = __activemask();
	u[1] = __ballot_sync(m, k > 3) + __all_sync(m, k) + __any_sync(m, k) +
	       __uni_sync(m, k);
	u[2] = __reduce_add_sync(m, *u) + __reduce_min_sync(m, *u) +
	       __reduce_max_sync(m, *u) + __reduce_and_sync(m, *u) +
	       __reduce_or_sync(m, *u) + __reduce_xor_sync(m, *u);
	i[2] = __reduce_add_sync(m, k) + __reduce_min_sync(m, k) +
	       __reduce_max_sync(m, k);
	__syncwarp();
	__syncwarp(m);
}

__global__ void sync(int *i, long long *t)
{
	int p = threadIdx.x > 5;
	t[0] = clock64();
	__syncthreads();
	i[0] = __syncthreads_count(p);
	i[1] = __syncthreads_and(p);
	i[2] = __syncthreads_or(p);
	__threadfence();
	__threadfence_block();
	__threadfence_system();
	__nanosleep(100);
	t[1] = clock64() - t[0] + clock() + __globaltimer();
	if (i[3] == 77)
		__trap();
	if (i[3] == 78)
		__brkpt();
}
