// What the first access to memory costs that no launch has touched: by region, by
// SM, of loads and stores, for one SM and for all of them, and what brings it back.
#include "micro.cuh"

static const size_t MiB = 1 << 20;
static const size_t REGION = 32 * MiB;

static __device__ __forceinline__ u32 load(const char *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

// One thread of one block reads a word of each of n places, one after the other.
__global__ void walk(const char *p, size_t step, int n, int block, u32 *out)
{
	if (blockIdx.x != block || threadIdx.x)
		return;
	u32 zero = 0;
	for (int i = 0; i < n; i++) {
		u64 t = now();
		u32 v = load(p + i * step + zero);
		zero = v & 1; // every word is 0
		if (zero)
			out[1000] = v;
		out[i] = (u32)(now() - t);
	}
	out[999] = smid();
}

// A warp of every SM reads a line, of one of `regions` regions, all at once.
__global__ void burst(const char *p, int regions, size_t offset, u32 *out)
{
	const char *at = p + blockIdx.x % regions * REGION + offset +
			 blockIdx.x * 4224 + threadIdx.x * 4;
	u64 t = now();
	u32 v = load(at);
	if (v & 1)
		out[1000] = v;
	u64 e = now();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (u32)(e - t);
}

// Each thread reads READS words, then writes WRITES, of arrays of n words.
template <int READS, int WRITES>
__global__ void mixed(const u32 *in, u32 *out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	u32 sum = (u32)i;
#pragma unroll
	for (int k = 0; k < READS; k++)
		sum += in[i + k * n];
#pragma unroll
	for (int k = 0; k < WRITES; k++)
		out[i + k * n] = sum + k;
	if (!WRITES && sum == 0x12345678)
		out[i] = sum;
}

template <int WHICH> __global__ void other(u32 *out)
{
	out[threadIdx.x] = threadIdx.x * WHICH;
}

static char *memory;    // every region of it is used once
static size_t used;
static Buffer<u32> *out;

static char *fresh(int regions)
{
	char *p = memory + used * REGION;
	used += regions;
	return p;
}

static void walk_rows(const char *p, size_t step, int n, int block,
		      const char *what)
{
	LAUNCH(walk, 132, 32, 0, p, step, n, block, out->data);
	std::vector<u32> v = out->read(1000);
	for (int i = 0; i < n; i++)
		row("walk", "cycle", v[i], "%s,load=%d", what, i);
	row_metric("walk_launch", "cycle", CYCLES, "%s", what);
}

static void regions()
{
	char *p = fresh(3), name[64];
	walk_rows(p, 2 * MiB, 40, 0, "step=2M,new");
	walk_rows(p + 4096, 2 * MiB, 40, 0, "step=2M,same");
	p = fresh(16);
	walk_rows(p, REGION, 16, 0, "step=32M,new");
	walk_rows(p + 4096, REGION, 16, 0, "step=32M,same");
	p = fresh(1);
	int at = 0;
	for (int block : { 0, 1, 2, 8, 20, 40, 60, 80, 100, 120, 131, 0 }) {
		std::snprintf(name, sizeof(name), "sm_of_block=%d,turn=%d",
			      block, at);
		walk_rows(p + 65536 * at++, 4096, 3, block, name);
	}
	for (int turn = 0; turn < 3; turn++) {
		char *q = fresh(1);
		std::snprintf(name, sizeof(name), "one,turn=%d", turn);
		walk_rows(q, 4096, 4, 0, name);
	}
	// What is touched stays so: after 200 other regions, after memory was
	// mapped and unmapped, after the host has written.
	walk_rows(p + MiB, 4096, 3, 0, "again,before");
	char *many = fresh(64);
	LAUNCH(walk, 132, 32, 0, many, REGION, 64, 3, out->data);
	walk_rows(p + 2 * MiB, 4096, 3, 0, "again,after_64_regions");
	void *extra;
	CHECK(cudaMalloc(&extra, 256 * MiB));
	walk_rows(p + 3 * MiB, 4096, 3, 0, "again,after_malloc");
	CHECK(cudaFree(extra));
	walk_rows(p + 4 * MiB, 4096, 3, 0, "again,after_free");
	std::vector<char> host(4 * MiB);
	CHECK(cudaMemcpy(p + 8 * MiB, host.data(), host.size(),
			 cudaMemcpyHostToDevice));
	walk_rows(p + 5 * MiB, 4096, 3, 0, "again,after_copy");
	char *q = fresh(1);
	CHECK(cudaMemcpy(q, host.data(), host.size(), cudaMemcpyHostToDevice));
	walk_rows(q, 4096, 3, 0, "new,after_copy");
	q = fresh(1);
	CHECK(cudaMemset(q, 0, REGION));
	walk_rows(q, 4096, 3, 0, "new,after_memset");
}

static void bursts()
{
	for (int n : { 1, 2, 4, 8, 16 })
		for (int r = 0; r < 2; r++) {
			char *p = fresh(n);
			for (int again = 0; again < 3; again++) {
				LAUNCH(burst, 132, 32, 0, p, n, again * 2 * MiB,
				       out->data);
				std::vector<u32> v = out->read(132);
				std::vector<double> d(v.begin(), v.end());
				for (double q : { 0.0, 0.25, 0.5, 0.75, 1.0 })
					row("burst", "cycle", quantile(d, q),
					    "regions=%d,again=%d,quantile=%g",
					    n, again, q);
				row_metric("burst_launch", "cycle", CYCLES,
					   "regions=%d,again=%d", n, again);
			}
		}
}

template <int READS, int WRITES> static void mixes()
{
	for (size_t n : { 16384, 65536, 262144, 1048576 })
		for (int r = 0; r < 3; r++) {
			u32 *in = (u32 *)fresh(1), *to = (u32 *)fresh(1);
			for (int again = 0; again < 3; again++) {
				LAUNCH((mixed<READS, WRITES>), n / 256, 256, 0,
				       in, to, n);
				row_metric("mixed", "cycle", CYCLES,
					   "reads=%d,writes=%d,threads=%zu,again=%d",
					   READS, WRITES, n, again);
			}
		}
}

template <int WHICH> static void others(const char *what)
{
	for (int again = 0; again < 3; again++) {
		LAUNCH(other<WHICH>, 1, 32, 0, out->data);
		row_metric("code", "cycle", CYCLES, "kernel=%d,%s,again=%d",
			   WHICH, what, again);
	}
}

int main()
{
	part = "translate";
	const size_t count = 330;
	char *raw;
	CHECK(cudaMalloc((void **)&raw, (count + 1) * REGION));
	memory = (char *)(((u64)raw + REGION - 1) & ~(u64)(REGION - 1));
	CHECK(cudaMemset(memory, 0, count * REGION));
	Buffer<u32> results(2048);
	out = &results;
	row("base", "MiB", (double)((u64)raw % REGION) / MiB, "offset");
	others<1>("first");
	regions();
	bursts();
	mixes<0, 4>();
	mixes<1, 3>();
	mixes<3, 1>();
	mixes<4, 0>();
	others<2>("later");
	others<3>("later");
	if (used > count) {
		std::fprintf(stderr, "%zu regions\n", used);
		return 1;
	}
	return 0;
}
