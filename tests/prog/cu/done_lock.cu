/* A lock with a flag: whoever takes it is also who goes on, so that it works on
 * machines without forward progress of lanes. */
extern "C" __global__ void done_lock(int *lock, volatile int *count,
				     volatile int *sum)
{
	int done = 0;
	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			*count = *count + 1;
			*sum = *sum * 3 % 1009 + *count;
			__threadfence();
			atomicExch(lock, 0);
			done = 1;
		}
		/* Else clang moves the locked part behind the loop. */
		asm volatile("" : "+r"(done));
	}
}
