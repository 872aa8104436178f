// Latency of the L2 by address and SM: is a line near to some SMs and far from
// others, and does a far line come nearer when it is read again?
//
// MICRO_DUMP names a file for the whole table: 132 x 1024 latencies of 16 bits.
#include "micro.cuh"

static __device__ __forceinline__ u32 load(const char *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

static __device__ __forceinline__ u32 timed(const char *p, u32 *sink)
{
	u64 t = now();
	u32 v = load(p);
	if (v == 1)
		*sink = v;
	return (u32)(now() - t);
}

// The least of `again` readings of each line, by every SM.
__global__ void map(const char *base, u32 lines, int again, unsigned short *out,
		    u32 *sink)
{
	for (u32 i = 0; i < lines; i++) {
		u32 best = ~0u;
		timed(base + i * 128, sink);
		for (int k = 0; k < again; k++)
			best = min(best, timed(base + i * 128, sink));
		out[smid() * lines + i] = (unsigned short)min(best, 65535);
	}
}

__global__ void touch(const char *base, u32 lines, u32 sm, u32 *sink)
{
	if (smid() != sm)
		return;
	for (u32 i = 0; i < lines; i++)
		timed(base + i * 128, sink);
}

// Four readings of each line by one SM, each kept.
__global__ void readings(const char *base, u32 lines, u32 sm,
			 unsigned short *out, u32 *sink)
{
	if (smid() != sm)
		return;
	for (u32 i = 0; i < lines; i++)
		for (int k = 0; k < 4; k++)
			out[i * 4 + k] =
				(unsigned short)timed(base + i * 128, sink);
}

static double mean(const std::vector<double> &v)
{
	return v.empty() ? 0 :
			   std::accumulate(v.begin(), v.end(), 0.0) / v.size();
}

int main()
{
	part = "l2";
	const u32 SMS = 132, LINES = scale() > 1 ? 256 : 1024;
	const size_t MiB = 1 << 20;
	Buffer<char> data(64 * MiB), other(scale() > 1 ? MiB : 512 * MiB);
	data.zero();
	Buffer<unsigned short> out(SMS * LINES);
	Buffer<u32> sink(16);
	out.zero();
	CHECK(cudaFuncSetAttribute(
		map, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
	LAUNCH(map, SMS, 1, 200 << 10, data.data, LINES, scale() > 1 ? 2 : 8,
	       out.data, sink.data);
	std::vector<unsigned short> v = out.read(SMS * LINES);
	if (const char *name = std::getenv("MICRO_DUMP")) {
		FILE *f = std::fopen(name, "wb");
		if (f) {
			std::fwrite(v.data(), 2, v.size(), f);
			std::fclose(f);
		}
	}
	std::vector<double> all(v.begin(), v.end());
	for (double q : { 0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0 })
		row("latency", "cycle", quantile(all, q), "all,quantile=%g", q);
	// A line is far from an SM if it takes longer than that SM's median.
	std::vector<std::vector<char>> far(SMS, std::vector<char>(LINES));
	std::vector<double> median(SMS);
	for (u32 s = 0; s < SMS; s++) {
		std::vector<double> of(v.begin() + s * LINES,
				       v.begin() + (s + 1) * LINES);
		median[s] = (quantile(of, 0.05) + quantile(of, 0.95)) / 2;
		std::vector<double> a, b;
		for (u32 i = 0; i < LINES; i++) {
			far[s][i] = of[i] > median[s];
			(far[s][i] ? b : a).push_back(of[i]);
		}
		if (s < 8 || s % 16 == 0) {
			row("near", "cycle", mean(a), "sm=%u", s);
			row("far", "cycle", mean(b), "sm=%u", s);
			row("far_lines", "fraction", (double)b.size() / LINES,
			    "sm=%u", s);
		}
	}
	std::vector<u32> side(SMS);
	u32 opposite = 0;
	for (u32 s = 0; s < SMS; s++) {
		u32 same = 0;
		for (u32 i = 0; i < LINES; i++)
			same += far[s][i] == far[0][i];
		side[s] = same * 2 < LINES;
		if (side[s])
			opposite = s;
		if (s < 8 || s % 16 == 0)
			row("like_sm0", "fraction", (double)same / LINES,
			    "sm=%u", s);
	}
	row("sms_like_sm0", "SM",
	    (double)std::count(side.begin(), side.end(), 0u), "all");
	for (u32 step : { 1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u }) {
		u32 same = 0, n = 0;
		for (u32 i = 0; i + step < LINES; i++, n++)
			same += far[0][i] == far[0][i + step];
		row("same_side", "fraction", (double)same / n, "distance=%uB",
		    step * 128);
	}
	// Warmed by an SM of either side, then read by SM 0.
	for (u32 warmer : { 0u, opposite }) {
		CHECK(cudaMemset(other.data, 1, other.count));
		LAUNCH(touch, SMS * 2, 32, 0, data.data, LINES, warmer,
		       sink.data);
		LAUNCH(readings, SMS * 2, 32, 0, data.data, LINES, 0, out.data,
		       sink.data);
		std::vector<unsigned short> r = out.read(LINES * 4);
		for (int k = 0; k < 4; k++) {
			std::vector<double> a, b;
			for (u32 i = 0; i < LINES; i++)
				(far[0][i] ? b : a).push_back(r[i * 4 + k]);
			const char *who = warmer ? "opposite" : "sm0";
			row("reading_near", "cycle", mean(a),
			    "warmed_by=%s,reading=%d", who, k);
			row("reading_far", "cycle", mean(b),
			    "warmed_by=%s,reading=%d", who, k);
		}
	}
	return 0;
}
