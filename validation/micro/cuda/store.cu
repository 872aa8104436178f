// Stores: to DRAM, beside loads, to the L2, of parts of sectors, by few SMs,
// and what a fence waits for.
#include "micro.cuh"

// Four arrays; of those the first `reads` are read, the others written.
__global__ void mix(uint4 *p, u32 each, int reads, u32 *sink)
{
	u32 sum = 0, step = gridDim.x * blockDim.x;
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < each; i += step)
#pragma unroll
		for (int k = 0; k < 4; k++) {
			uint4 *at = p + (size_t)k * each + i;
			if (k < reads) {
				uint4 v = __ldcg(at);
				sum ^= v.x ^ v.y ^ v.z ^ v.w;
			} else {
				*at = make_uint4(i, i, i, i);
			}
		}
	if (sum == 1)
		*sink = sum;
}

// Each warp writes its own words, `stride` words apart, `passes` times, then
// waits for them.
template <class T>
__global__ void scatter(T *p, u32 rounds, u32 stride, int passes, Span *out)
{
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32,
	    warps = blockDim.x / 32;
	u64 t = now();
	for (int pass = 0; pass < passes; pass++)
		for (u32 i = 0; i < rounds; i++) {
			size_t at = ((size_t)blockIdx.x * rounds + i) * warps +
				    warp;
			p[(at * 32 + lane) * stride] = (T)(lane + pass);
		}
	__threadfence();
	if (lane == 0)
		out[blockIdx.x * warps + warp] = Span{ smid(), t, now() };
}

// Stores of one warp, then a fence; the second time.
__global__ void fence(u32 *p, int stores, int kind, u64 *out)
{
	u64 t = 0;
	u32 warp = threadIdx.x / 32;
#pragma unroll 1
	for (int pass = 0; pass < 3; pass++) {
		__syncthreads();
		t = now();
		for (int i = 0; i < stores; i++)
			p[(size_t)(warp * 64 + i) * 1024 + threadIdx.x % 32] =
				pass;
		if (kind == 0)
			__threadfence_block();
		else if (kind == 1)
			__threadfence();
		else
			__threadfence_system();
		t = now() - t;
	}
	if (threadIdx.x % 32 == 0)
		out[warp] = t;
}

static void scattered(Buffer<char> &m, Buffer<Span> &s, const char *name,
		      int bytes, int blocks, int threads, u32 rounds,
		      u32 stride, int passes)
{
	s.zero();
	if (bytes == 1)
		LAUNCH(scatter<unsigned char>, blocks, threads, 0,
		       (unsigned char *)m.data, rounds, stride, passes, s.data);
	else if (bytes == 2)
		LAUNCH(scatter<unsigned short>, blocks, threads, 0,
		       (unsigned short *)m.data, rounds, stride, passes,
		       s.data);
	else if (bytes == 4)
		LAUNCH(scatter<u32>, blocks, threads, 0, (u32 *)m.data, rounds,
		       stride, passes, s.data);
	else
		LAUNCH(scatter<u64>, blocks, threads, 0, (u64 *)m.data, rounds,
		       stride, passes, s.data);
	double t = longest(s.read((size_t)blocks * threads / 32));
	double stores = (double)rounds * passes * threads / 32;
	row(name, "cycle/store/SM", t / stores,
	    "bytes=%d,stride=%u,blocks=%d,threads=%d", bytes, stride, blocks,
	    threads);
	row_metric(name, "cycle", CYCLES,
		   "launch,bytes=%d,stride=%u,blocks=%d,threads=%d", bytes,
		   stride, blocks, threads);
}

int main()
{
	part = "store";
	const size_t MiB = 1 << 20;
	Buffer<char> m(512 * MiB);
	Buffer<Span> s(132 * 64);
	Buffer<u64> out(64);
	Buffer<u32> sink(16);
	m.zero();
	for (u32 mib : { 20, 96 })
		for (int reads = 0; reads <= 4; reads++) {
			u32 each = (u32)(mib * MiB / 16);
			if (scale() > 1 && mib > 20)
				continue;
			LAUNCH(mix, 132 * 8, 256, 0, (uint4 *)m.data, each,
			       reads, sink.data);
			for (const char *metric :
			     { CYCLES, "dram__bytes_read.sum",
			       "dram__bytes_write.sum" })
				row_metric("mix", "", metric,
					   "reads=%d,writes=%d,each=%uM,%s",
					   reads, 4 - reads, mib, metric);
		}
	for (int blocks : { 1, 8, 33, 66, 132 })
		for (int threads : { 32, 256, 1024 }) {
			scattered(m, s, "l2_write", 4, blocks, threads, 16, 1,
				  4);
			scattered(m, s, "l2_write", 8, blocks, threads, 16, 1,
				  4);
		}
	for (int bytes : { 1, 2, 4, 8 })
		for (u32 stride : { 1u, 2u, 4u, 8u, 16u, 32u }) {
			scattered(m, s, "partial", bytes, 1, 256, 8, stride, 4);
			scattered(m, s, "partial", bytes, 132, 256, 8, stride,
				  4);
		}
	// Cold sectors, written in part: is the rest fetched from DRAM?
	for (int bytes : { 1, 4 })
		for (u32 stride : { 2u, 8u, 32u }) {
			scattered(m, s, "partial_once", bytes, 132, 1024, 16,
				  stride, 1);
			row_metric("partial_once_dram_read", "byte",
				   "dram__bytes_read.sum", "bytes=%d,stride=%u",
				   bytes, stride);
		}
	const char *scope[] = { "cta", "gpu", "sys" };
	for (int kind = 0; kind < 3; kind++)
		for (int warps : { 1, 8 })
			for (int stores : { 0, 1, 4, 16 }) {
				LAUNCH(fence, 1, warps * 32, 0, (u32 *)m.data,
				       stores, kind, out.data);
				std::vector<u64> v = out.read(warps);
				row("fence", "cycle",
				    (double)*std::max_element(v.begin(),
							      v.end()),
				    "scope=%s,stores=%d,warps=%d", scope[kind],
				    stores, warps);
			}
	return 0;
}
