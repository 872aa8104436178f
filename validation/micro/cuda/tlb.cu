// Translation of addresses: a chain of loads that never leaves the L2, over
// more and more pages; and the first loads of a launch, one by one.
#include "micro.cuh"

// next[i] of the chain, as an offset in bytes.
__global__ void link(char *base, const u64 *at, const u64 *to, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		*(u64 *)(base + at[i]) = (u64)(base + to[i]);
}

static __device__ __forceinline__ u64 load(u64 p)
{
	u64 v;
	asm volatile("ld.global.cg.u64 %0, [%1];"
		     : "=l"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

__global__ void chase(u64 start, u32 n, u64 *out)
{
	u64 p = start;
	for (int pass = 0; pass < 2; pass++) {
		u64 t = now();
#pragma unroll 4
		for (u32 i = 0; i < n; i++)
			p = load(p);
		asm volatile("" ::"l"(p) : "memory");
		if (p == 1)
			out[2] = p;
		out[pass] = now() - t;
	}
}

// The latency of each of a few loads at given offsets, in this order.
struct Offsets {
	u64 at[24];
};

__global__ void first(char *base, Offsets o, u64 *out)
{
	u64 zero = 0;
	u64 t[25];
	t[0] = now();
#pragma unroll
	for (int i = 0; i < 24; i++) {
		u64 v = load((u64)base + o.at[i] + zero);
		zero = v & 1; // all values are even
		asm volatile("" ::"l"(zero) : "memory");
		if (zero)
			out[30] = v;
		t[i + 1] = now();
	}
	for (int i = 0; i < 24; i++)
		out[i] = t[i + 1] - t[i];
}

int main()
{
	part = "tlb";
	const u64 KiB = 1024, MiB = KiB << 10, GiB = MiB << 10;
	u64 bytes = scale() > 1 ? 4 * GiB : 96 * GiB;
	char *base;
	while (cudaMalloc((void **)&base, bytes) != cudaSuccess) {
		cudaGetLastError();
		bytes /= 2;
	}
	Buffer<u64> out(64), at(1 << 16), to(1 << 16);
	out.zero();
	srand(1);
	for (u64 stride : { 4 * KiB, 64 * KiB, 2 * MiB, 32 * MiB })
		for (u32 n = 8; n <= 32768 && n * stride <= bytes; n *= 2) {
			if (scale() > 1 && n > 512)
				break;
			std::vector<u64> place(n), order(n), from(n), next(n);
			for (u32 i = 0; i < n; i++) {
				place[i] =
					i * stride + (u64)(rand() % 32) * 128;
				order[i] = i;
			}
			for (u32 i = n - 1; i > 0; i--)
				std::swap(order[i], order[rand() % (i + 1)]);
			for (u32 i = 0; i < n; i++) {
				from[i] = place[order[i]];
				next[i] = place[order[(i + 1) % n]];
			}
			at.write(from);
			to.write(next);
			LAUNCH(link, (n + 255) / 256, 256, 0, base, at.data,
			       to.data, n);
			LAUNCH(chase, 1, 1, 0, (u64)base + from[0], n,
			       out.data);
			std::vector<u64> v = out.read(2);
			row("chase_first", "cycle", (double)v[0] / n,
			    "stride=%lluK,n=%u", stride / KiB, n);
			row("chase", "cycle", (double)v[1] / n,
			    "stride=%lluK,n=%u", stride / KiB, n);
		}
	CHECK(cudaMemset(base, 0, 2 * GiB));
	Offsets o = { { 0,
			32,
			128,
			4 * KiB,
			64 * KiB,
			128 * KiB,
			1 * MiB,
			2 * MiB,
			2 * MiB + 4 * KiB,
			4 * MiB,
			6 * MiB,
			8 * MiB,
			16 * MiB,
			32 * MiB,
			32 * MiB + 4 * KiB,
			64 * MiB,
			128 * MiB,
			256 * MiB,
			512 * MiB,
			1 * GiB,
			1 * GiB + 2 * MiB,
			1 * GiB + 4 * MiB,
			0,
			2 * MiB } };
	for (int again = 0; again < 2; again++) {
		LAUNCH(first, 1, 1, 0, base, o, out.data);
		std::vector<u64> v = out.read(24);
		for (int i = 0; i < 24; i++)
			row("first", "cycle", (double)v[i],
			    "launch=%d,load=%d,offset=%lluK", again, i,
			    o.at[i] / KiB);
	}
	return 0;
}
