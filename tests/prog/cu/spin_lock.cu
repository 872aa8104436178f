/* A lock that every lane takes by itself: the lane that holds it must get on
 * while the others of its warp spin. */
extern "C" __global__ void spin_lock(int *lock, volatile int *count,
				     volatile int *order)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	int n = *count;
	order[n] = blockIdx.x * blockDim.x + threadIdx.x;
	*count = n + 1;
	__threadfence();
	atomicExch(lock, 0);
}
