/* Every atomic operation, on counters that all threads share. */
extern "C" __global__ void atomic_ops(const int *in, int *i32, unsigned *u32,
				      unsigned long long *u64, long long *s64,
				      float *f32, double *f64)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int v = in[i];

	atomicAdd(&i32[0], v);
	atomicSub(&i32[1], v);
	atomicMin(&i32[2], v);
	atomicMax(&i32[3], v);
	atomicMin(&u32[0], (unsigned)v);
	atomicMax(&u32[1], (unsigned)v);
	atomicAnd(&u32[2], (unsigned)v | 0xf0);
	atomicOr(&u32[3], 1u << (v & 31));
	atomicXor(&u32[4], (unsigned)v);
	atomicInc(&u32[5], 99);
	atomicDec(&u32[6], 77);
	atomicExch(&u32[8 + i], i);
	atomicCAS(&u32[7], 0u, 5u);
	atomicAdd(&u64[0], (unsigned long long)v << 20);
	atomicMax(&u64[1], (unsigned long long)(v & 0xffff) << 33);
	atomicOr(&u64[2], 1ull << (v & 63));
	atomicMin(&s64[0], (long long)v << 30);
	atomicMax(&s64[1], (long long)v << 30);
	atomicAdd(&f32[0], (float)(v % 64) * 0.25f);
	atomicAdd(&f64[0], (double)v * 0.5);
	/* What an atomic returns is the value before: tickets are unique. */
	u32[8 + atomicAdd(&i32[4], 1) + gridDim.x * blockDim.x] = 1;
}
