// Stores to few sectors of many lines: when an SM has sent them and when a fence
// behind them is done, by sectors of a line, stores of a warp, warps and SMs.
#include "micro.cuh"

struct Times {
	u64 sm, start, sent, fenced, again;
};

// Lane l of a store writes a word `stride` words behind that of lane l - 1; a warp's
// stores go to places of their own, or all to the same one.
__global__ void scatter(u32 *p, u32 stores, u32 stride, int same, Times *out)
{
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32,
	    warps = blockDim.x / 32;
	__syncthreads();
	u64 t = now();
	for (u32 i = 0; i < stores; i++) {
		size_t at = ((size_t)blockIdx.x * stores + (same ? 0 : i)) * warps +
			    warp;
		p[(at * 32 + lane) * stride] = lane + i;
	}
	u64 sent = now();
	__threadfence();
	u64 fenced = now();
	__threadfence();
	u64 again = now();
	if (lane == 0)
		out[blockIdx.x * warps + warp] =
			Times{ smid(), t, sent, fenced, again };
}

// The same places again and again: what the L2 takes when it has all of the lines.
// A lane writes `bytes` of each sector; `each` lanes write one line.
template <class T>
__global__ void rate(char *p, u32 rounds, u32 places, u32 each, u32 gap,
		     Times *out)
{
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32,
	    warps = blockDim.x / 32, lines = 32 / each;
	char *at = p +
		   ((size_t)(blockIdx.x * warps + warp) * places * lines +
		    lane / each) *
			   128 +
		   lane % each * gap;
	__syncthreads();
	u64 t = now();
	for (u32 i = 0; i < rounds; i++)
		for (u32 k = 0; k < places; k++)
			*(T *)(at + (size_t)k * lines * 128) = T();
	u64 sent = now();
	__threadfence();
	u64 fenced = now();
	if (lane == 0)
		out[blockIdx.x * warps + warp] =
			Times{ smid(), t, sent, fenced, fenced };
}

template <class T>
static void rates(Buffer<u32> &p, Buffer<Times> &s, u32 each, u32 gap)
{
	const int warps = 8;
	for (int blocks : { 1, 16, 33, 66, 132 }) {
		double at[2] = { 0, 0 };
		for (int turn = 0; turn < 4; turn++) {
			u32 rounds = turn % 2 ? 64 : 16, lines = 32 / each,
			    places = std::max(1u, 16 / lines);
			LAUNCH(rate<T>, blocks, warps * 32, 0, (char *)p.data,
			       rounds, places, each, gap, s.data);
			double most = 0;
			std::vector<Times> all =
				s.read((size_t)blocks * warps);
			for (int b = 0; b < blocks; b++) {
				u64 from = ~0ull, done = 0;
				for (int w = 0; w < warps; w++) {
					Times &t = all[b * warps + w];
					from = std::min(from, t.start);
					done = std::max(done, t.fenced);
				}
				most = std::max(most, (double)(done - from));
			}
			at[turn % 2] = most;
			if (turn == 3)
				row("rate", "cycle/store/SM",
				    (at[1] - at[0]) / (48.0 * places * warps),
				    "blocks=%d,bytes=%zu,lines=%u,gap=%u", blocks,
				    sizeof(T), lines, gap);
		}
	}
}

int main()
{
	part = "scatter";
	Buffer<u32> p((size_t)256 << 20);
	Buffer<Times> s(132 * 32);
	p.zero();
	rates<u32>(p, s, 1, 0);
	rates<u32>(p, s, 2, 32);
	rates<u32>(p, s, 2, 64);
	rates<u32>(p, s, 4, 32);
	rates<u32>(p, s, 8, 4);
	rates<u32>(p, s, 8, 16);
	rates<u32>(p, s, 16, 4);
	rates<u32>(p, s, 16, 8);
	rates<u32>(p, s, 32, 4);
	rates<uint2>(p, s, 16, 8);
	rates<uint4>(p, s, 8, 16);
	rates<uint4>(p, s, 4, 32);
	rates<uint4>(p, s, 2, 16);
	for (int blocks : { 1, 8, 132 })
		for (int warps : { 1, 8, 32 })
			for (u32 stores : { 1u, 2u, 4u, 8u, 16u })
				for (u32 stride : { 1u, 8u, 16u, 32u })
					for (int same : { 0, 1 }) {
						if ((same && stores == 1) ||
						    (warps == 32 && stores > 4))
							continue;
						LAUNCH(scatter, blocks, warps * 32, 0,
						       p.data, stores, stride, same,
						       s.data);
						LAUNCH(scatter, blocks, warps * 32, 0,
						       p.data, stores, stride, same,
						       s.data);
						std::vector<double> sent, fenced,
							again, first, last;
						std::vector<Times> all = s.read(
							(size_t)blocks * warps);
						for (int b = 0; b < blocks; b++) {
							u64 from = ~0ull, gone = 0,
							    done = 0;
							for (int w = 0; w < warps; w++) {
								Times &t = all[b * warps + w];
								from = std::min(from, t.start);
								gone = std::max(gone, t.sent);
								done = std::max(done, t.fenced);
								again.push_back(
									(double)(t.again - t.fenced));
							}
							sent.push_back((double)(gone - from));
							fenced.push_back((double)(done - from));
						}
						const char *f =
							"blocks=%d,warps=%d,stores=%u,stride=%u,same=%d";
						row("sent", "cycle", quantile(sent, .5), f,
						    blocks, warps, stores, stride, same);
						row("fenced", "cycle", quantile(fenced, .5),
						    f, blocks, warps, stores, stride, same);
						row("fenced_last", "cycle",
						    quantile(fenced, 1), f, blocks, warps,
						    stores, stride, same);
						row("again", "cycle", quantile(again, .5), f,
						    blocks, warps, stores, stride, same);
					}
	return 0;
}
