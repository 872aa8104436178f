// nvcc -arch=sm_90 -cubin -o targets.cubin targets.cu (CUDA 13.0)
//
// Lanes of a warp that call k functions through a table, or that a switch of eight
// cases, of which ptxas makes tables of two, sends to k places.

typedef unsigned (*operation)(unsigned, unsigned);

__device__ __noinline__ unsigned f0(unsigned x, unsigned y)
{
	return x + y;
}

__device__ __noinline__ unsigned f1(unsigned x, unsigned y)
{
	return x ^ y;
}

__device__ __noinline__ unsigned f2(unsigned x, unsigned y)
{
	return x * y;
}

__device__ __noinline__ unsigned f3(unsigned x, unsigned y)
{
	return x - y;
}

__device__ operation table[4] = { f0, f1, f2, f3 };

extern "C" __global__ void call(unsigned *p, int k)
{
	unsigned t = threadIdx.x, v = p[t];

	v = table[t % k](v, t);
	p[t] = v;
}

extern "C" __global__ void choose(unsigned *p, int k)
{
	unsigned t = threadIdx.x, v = p[t], a = p[t + 32];

	switch (t % k) {
	case 0: v = v * a + 3; v ^= v >> 3; p[64] = 1; break;
	case 1: v = v - a; v = v * v + 1; p[65] = 2; break;
	case 2: v = __popc(v) * a; v += v << 4; p[66] = 3; break;
	case 3: v = __brev(v) + a; v *= 7; p[67] = 4; break;
	case 4: v = v / (a | 1); v += 5; p[68] = 5; break;
	case 5: v = v % (a | 1); v -= 9; p[69] = 6; break;
	case 6: v = __clz(v) + a * 5; p[70] = 7; break;
	case 7: v = v & a; v = v * 11 + a; p[71] = 8; break;
	}
	p[t] = v;
}
