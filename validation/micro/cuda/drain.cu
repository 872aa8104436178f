// Stores alone, as many launches as blocks and stores of a thread: how long a launch
// lasts, and how long its SMs do. Every value is a metric of a launch.
#include "micro.cuh"

template <int STORES> __global__ void stores(u32 *p, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
	for (int k = 0; k < STORES; k++)
		p[i + k * n] = (u32)i;
}

static void rows(int count, size_t n)
{
	for (const char *m :
	     { "gpc__cycles_elapsed.max", "sm__cycles_active.sum",
	       "lts__t_sectors_op_write.sum" })
		row_metric("stores", "", m, "%s,stores=%d,threads=%zu", m,
			   count, n);
}

template <int STORES> static void measure(Buffer<u32> &m, size_t n)
{
	LAUNCH(stores<STORES>, n / 256, 256, 0, m.data, n);
	rows(STORES, n);
}

int main()
{
	Buffer<u32> m(8 << 20);

	part = "drain";
	for (size_t n : { 16384, 65536, 262144, 1048576 })
		for (int r = 0; r < 3; r++) {
			measure<0>(m, n);
			measure<1>(m, n);
			measure<2>(m, n);
			measure<4>(m, n);
			if (n < 1048576)
				measure<8>(m, n);
		}
	return 0;
}
