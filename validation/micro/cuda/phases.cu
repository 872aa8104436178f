// When the warps of a cold launch begin, have what they load, and end, on their SM:
// grids of all sizes, reads and writes as SArcs' micro-kernels make them, and lines
// that other blocks read, too.
#include "micro.cuh"

struct Phase {
	u64 sm, begin, loaded, end;
};

// Each thread reads `reads` words and then writes `writes`, all coalesced.
template <int READS, int WRITES>
__global__ void stream(const u32 *in, u32 *out, u32 n, Phase *phases)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
	u64 begin = now();
#pragma unroll
	for (int r = 0; r < READS; r++)
		sum += in[r * n + i];
	if (READS && sum == 0x12345678)
		out[0] = 1;
	u64 loaded = now();
#pragma unroll
	for (int w = 0; w < WRITES; w++)
		out[w * n + i] = sum + w;
	u64 end = now();
	if (threadIdx.x % 32 == 0)
		phases[i / 32] = Phase{ smid(), begin, loaded, end };
}

// One warp of each block reads `lines` lines, each when it has the one before, in a
// ring from a place of its own: twice. `groups` of blocks have lines of their own.
__global__ void share(const u32 *in, u32 lines, u32 groups, u32 turn,
		      Phase *phases)
{
	u32 at = blockIdx.x / groups * turn % lines;
	const u32 *mine = in + (size_t)(blockIdx.x % groups) * lines * 32;
	u32 sum = 0;
	u64 begin = now(), half = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (u32 k = 0; k < lines; k++) {
			u32 v;
			asm volatile("ld.global.cg.u32 %0, [%1];"
				     : "=r"(v)
				     : "l"(mine + at * 32 + threadIdx.x)
				     : "memory");
			sum += v;
			at += 1 + v; // all words are 0
			at = at >= lines ? 0 : at;
		}
		if (!pass)
			half = now();
	}
	u64 end = now();
	if (threadIdx.x == 0)
		phases[blockIdx.x] = Phase{ smid() + sum, begin, half, end };
}

static void metric(const char *name, const char *where)
{
	row_metric(name, "cycle", CYCLES, "launch,%s", where);
}

// Of the warps of an SM, from its first one: means over all warps, and of SMs'
// lasts.
static void rows(const char *name, const char *where, std::vector<Phase> v)
{
	u64 first[256], last[256] = { 0 };
	double began = 0, loaded = 0, wrote = 0, ends = 0, most = 0,
	       slowest = 0;
	int sms = 0;
	std::fill(first, first + 256, ~0ull);
	for (const Phase &p : v) {
		first[p.sm] = std::min(first[p.sm], p.begin);
		last[p.sm] = std::max(last[p.sm], p.end);
	}
	for (const Phase &p : v) {
		began += p.begin - first[p.sm];
		loaded += p.loaded - p.begin;
		wrote += p.end - p.loaded;
		slowest = std::max(slowest, (double)(p.loaded - p.begin));
	}
	for (int s = 0; s < 256; s++)
		if (last[s]) {
			sms++;
			ends += last[s] - first[s];
			most = std::max(most, (double)(last[s] - first[s]));
		}
	row(name, "cycle", began / v.size(), "begin,%s", where);
	row(name, "cycle", loaded / v.size(), "loads,%s", where);
	row(name, "cycle", slowest, "slowest_loads,%s", where);
	row(name, "cycle", wrote / v.size(), "stores,%s", where);
	row(name, "cycle", ends / sms, "sm,%s", where);
	row(name, "cycle", most, "slowest_sm,%s", where);
	metric(name, where);
}

enum { MOST = 4096 * 256 };

struct Room {
	Buffer<u32> in{ 4 * MOST }, out{ 4 * MOST };
	Buffer<Phase> phases{ MOST / 32 };
};

template <int READS, int WRITES> static void sizes(Room &m)
{
	for (u32 blocks : { 1u, 33u, 64u, 132u, 256u, 1024u, 4096u }) {
		char where[80];
		std::snprintf(where, sizeof where,
			      "reads=%d,writes=%d,blocks=%u", READS, WRITES,
			      blocks);
		LAUNCH((stream<READS, WRITES>), blocks, 256, 0, m.in.data,
		       m.out.data, blocks * 256, m.phases.data);
		rows("stream", where, m.phases.read(blocks * 8));
	}
}

static void shares(Room &m)
{
	for (u32 blocks : { 1u, 2u, 4u, 16u, 66u, 132u })
		for (u32 groups : { 1u, 4u })
			for (u32 lines : { 64u, 1024u })
				for (u32 turn : { 0u, 1u, 7u }) {
					char where[120];
					if (blocks < groups)
						continue;
					std::snprintf(
						where, sizeof where,
						"blocks=%u,groups=%u,lines=%u,turn=%u",
						blocks, groups, lines, turn);
					LAUNCH(share, blocks, 32, 0, m.in.data,
					       lines, groups, turn,
					       m.phases.data);
					double a = 0, b = 0;
					for (const Phase &p :
					     m.phases.read(blocks)) {
						a += p.loaded - p.begin;
						b += p.end - p.loaded;
					}
					row("share", "cycle",
					    a / blocks / lines, "first,%s",
					    where);
					row("share", "cycle",
					    b / blocks / lines, "again,%s",
					    where);
					metric("share", where);
				}
}

int main()
{
	part = "phases";
	Room m;
	m.in.zero();
	sizes<0, 1>(m);
	sizes<0, 4>(m);
	sizes<1, 0>(m);
	sizes<1, 3>(m);
	sizes<2, 0>(m);
	sizes<2, 2>(m);
	sizes<3, 1>(m);
	sizes<4, 0>(m);
	shares(m);
	return 0;
}
