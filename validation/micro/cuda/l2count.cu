// What the counters of the L2 count: sectors of reads, writes and atomics, by
// one SM or all, once or twice. Every value is a metric of a launch.
#include "micro.cuh"

static __device__ __forceinline__ u32 load(const u32 *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

// Block b of n reads, writes or adds to its share of `lines` lines, or, with
// `share` 0, all of them; `mode` has one letter per pass.
struct Mode {
	char pass[4];
};

__global__ void work(u32 *p, u32 lines, int share, Mode mode)
{
	u32 from = share ? blockIdx.x * (lines / gridDim.x) : 0;
	u32 count = share ? lines / gridDim.x : lines;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
	for (int pass = 0; pass < 4 && mode.pass[pass]; pass++) {
		for (u32 i = warp; i < count; i += blockDim.x / 32) {
			u32 *at = p + (size_t)(from + i) * 32 + lane;
			if (mode.pass[pass] == 'r')
				sum ^= load(at);
			else if (mode.pass[pass] == 'w')
				*at = lane;
			else
				atomicAdd(at, lane);
		}
		__threadfence();
		__syncthreads();
	}
	if (sum == 1)
		p[0] = sum;
}

int main()
{
	part = "l2count";
	const u32 LINES = 16896; // 128 for each of 132 blocks, 2.1 MB
	const size_t MiB = 1 << 20;
	const bool less = scale() > 1;
	Buffer<u32> p(128 * MiB / 4);
	p.zero();
	struct {
		const char *what, *pass;
		int blocks, share;
		u32 lines;
	} rows[] = {
		{ "read", "r", 1, 1, LINES },
		{ "read", "r", 132, 1, LINES },
		{ "read", "r", 132, 0, LINES / 8 },
		{ "read_twice", "rr", 1, 1, LINES },
		{ "read_twice", "rr", 132, 1, LINES },
		{ "read_4", "rrrr", 132, 1, LINES },
		{ "write", "w", 1, 1, LINES },
		{ "write", "w", 132, 1, LINES },
		{ "write_twice", "ww", 132, 1, LINES },
		{ "write_read", "wr", 132, 1, LINES },
		{ "read_write", "rw", 132, 1, LINES },
		{ "red", "a", 132, 1, LINES },
		{ "read_red", "ra", 132, 1, LINES },
		{ "read_twice", "rr", 132, 1, 132 * 1024 },
		{ "read_twice", "rr", 132, 1, 132 * 1536 },
		{ "read_twice", "rr", 132, 1, 132 * 2048 },
		{ "read_twice", "rr", 132, 1, 132 * 2560 },
		{ "read_twice", "rr", 132, 1, 132 * 3072 },
		{ "read_twice", "rr", 132, 1, 132 * 3584 },
		{ "read_twice", "rr", 132, 1, 132 * 4096 },
		{ "read_4", "rrrr", 132, 1, 132 * 2048 },
		{ "read_4", "rrrr", 132, 1, 132 * 2560 },
		{ "read_4", "rrrr", 132, 1, 132 * 3072 },
		{ "read_4", "rrrr", 132, 1, 132 * 3584 },
		{ "write_twice", "ww", 132, 1, 132 * 1024 },
		{ "write_twice", "ww", 132, 1, 132 * 1536 },
		{ "write_twice", "ww", 132, 1, 132 * 2048 },
		{ "write", "w", 132, 1, 132 * 1024 },
		{ "write", "w", 132, 1, 132 * 1536 },
		{ "write", "w", 132, 1, 132 * 2048 },
		{ "write", "w", 132, 1, 132 * 4096 },
	};
	for (auto &r : rows) {
		if (less && r.lines > 132 * 1024)
			continue;
		Mode m = {};
		std::memcpy(m.pass, r.pass, std::strlen(r.pass));
		LAUNCH(work, r.blocks, 1024, 0, p.data, r.lines, r.share, m);
		for (const char *metric :
		     { "gpc__cycles_elapsed.max", "lts__t_sectors_op_read.sum",
		       "lts__t_sectors_op_write.sum",
		       "lts__t_sectors_srcunit_tex.sum",
		       "lts__t_sectors_srcunit_ltcfabric.sum",
		       "dram__bytes_read.sum", "dram__bytes_write.sum" })
			row_metric(r.what, "", metric,
				   "%s,blocks=%d,lines=%u,share=%d", metric,
				   r.blocks, r.lines, r.share);
	}
	return 0;
}
