// The cost of a launch as the profiler sees it: blocks, threads, registers,
// shared memory, parameters. Every value is a metric of a launch.
#include "micro.cuh"

__global__ void empty()
{
}

// One store per block: the smallest kernel with a result.
__global__ void store(u32 *out)
{
	if (threadIdx.x == 0)
		out[blockIdx.x] = 1;
}

// One load of one line, then a store of it by every block.
__global__ void load_store(const u32 *in, u32 *out)
{
	if (threadIdx.x == 0)
		out[blockIdx.x] = in[0] + 1;
}

// Takes N registers, since they are live together where `use` is set, and
// leaves at once where it is not.
template <int N>
__global__ void __launch_bounds__(256) registers(volatile u32 *p, int use)
{
	if (!use)
		return;
	u32 r[N];
#pragma unroll
	for (int i = 0; i < N; i++)
		r[i] = p[i * 32 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < N; i++)
		p[i * 32 + threadIdx.x] = r[i] + 1;
}

__global__ void shared(u32 *out)
{
	extern __shared__ u32 s[];
	if (out)
		out[threadIdx.x] = s[threadIdx.x];
}

template <int N> struct Params {
	u64 p[N];
};

// Reads its parameters, all of them.
template <int N> __global__ void params(u64 *out, Params<N> a)
{
	u64 sum = 0;
#pragma unroll
	for (int i = 0; i < N; i++)
		sum ^= a.p[i];
	if (sum == 1)
		*out = sum;
}

static bool fits(int blocks, int threads)
{
	return scale() == 1 || (long)blocks * threads <= 4000000 / scale();
}

template <int N> static void with_registers(Buffer<u32> &b)
{
	cudaFuncAttributes a;
	CHECK(cudaFuncGetAttributes(&a, registers<N>));
	for (int blocks : { 1, 132, 1000, 10000 })
		for (int threads : { 32, 256 }) {
			if (!fits(blocks, threads))
				continue;
			LAUNCH(registers<N>, blocks, threads, 0, b.data, 0);
			row_metric("registers", "cycle", CYCLES,
				   "registers=%d,blocks=%d,threads=%d",
				   a.numRegs, blocks, threads);
		}
}

static void all(Buffer<u32> &b)
{
	for (int blocks : { 1, 2, 16, 66, 132, 264, 1000, 10000, 100000 })
		for (int threads : { 32, 128, 256, 1024 }) {
			if (!fits(blocks, threads))
				continue;
			LAUNCH(empty, blocks, threads, 0);
			row_metric("empty", "cycle", CYCLES,
				   "blocks=%d,threads=%d", blocks, threads);
			row_metric("empty_active", "cycle",
				   "sm__cycles_active.sum",
				   "blocks=%d,threads=%d", blocks, threads);
		}
	for (int blocks : { 1, 2, 16, 66, 132, 264, 1000, 10000, 100000 })
		for (int threads : { 32, 256 }) {
			if (!fits(blocks, threads))
				continue;
			LAUNCH(store, blocks, threads, 0, b.data);
			row_metric("store", "cycle", CYCLES,
				   "blocks=%d,threads=%d", blocks, threads);
			row_metric("store_active", "cycle",
				   "sm__cycles_active.sum",
				   "blocks=%d,threads=%d", blocks, threads);
		}
	for (int blocks : { 1, 132, 1000 }) {
		LAUNCH(load_store, blocks, 32, 0, b.data + 500000, b.data);
		row_metric("load_store", "cycle", CYCLES,
			   "blocks=%d,threads=32", blocks);
		row_metric("load_store_active", "cycle",
			   "sm__cycles_active.sum", "blocks=%d,threads=32",
			   blocks);
	}
	with_registers<4>(b);
	with_registers<48>(b);
	with_registers<180>(b);
	for (int kib : { 0, 1, 16, 48, 100, 200 })
		for (int blocks : { 1, 132, 1000, 10000 }) {
			LAUNCH(shared, blocks, 128, kib << 10, (u32 *)nullptr);
			row_metric("shared", "cycle", CYCLES,
				   "kib=%d,blocks=%d", kib, blocks);
		}
	for (int blocks : { 1, 132, 10000 }) {
		LAUNCH(params<1>, blocks, 128, 0, (u64 *)b.data, Params<1>{});
		row_metric("params", "cycle", CYCLES, "words=2,blocks=%d",
			   blocks);
		LAUNCH(params<40>, blocks, 128, 0, (u64 *)b.data, Params<40>{});
		row_metric("params", "cycle", CYCLES, "words=41,blocks=%d",
			   blocks);
		LAUNCH(params<400>, blocks, 128, 0, (u64 *)b.data,
		       Params<400>{});
		row_metric("params", "cycle", CYCLES, "words=401,blocks=%d",
			   blocks);
	}
}

// Five times over; `micro` takes the median of equal rows.
int main()
{
	part = "launch";
	Buffer<u32> b(1 << 20);
	b.zero();
	CHECK(cudaFuncSetAttribute(shared,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   200 << 10));
	for (int i = 0; i < (scale() > 1 ? 1 : 5); i++)
		all(b);
	return 0;
}
