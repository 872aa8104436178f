// Throughput of loads that hit the L1, by the lines that a warp touches and by the
// words that share one of its banks.
#include "micro.cuh"

template <class T> static __device__ __forceinline__ u32 load(const char *p)
{
	u32 a, b, c, d;
	if (sizeof(T) == 4) {
		asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p));
		return a;
	}
	if (sizeof(T) == 8) {
		asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];"
			     : "=r"(a), "=r"(b)
			     : "l"(p));
		return a ^ b;
	}
	asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
		     : "l"(p));
	return a ^ b ^ c ^ d;
}

// Each warp loads 8 times in each of n rounds, lane l at place[l].
template <class T>
__global__ void __launch_bounds__(1024)
	gather(const char *p, const u32 *place, int n, Span *out, u32 *sink)
{
	u32 lane = threadIdx.x % 32, sum = 0;
	const char *at = p + place[lane];
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1)
			t = now();
#pragma unroll
		for (int k = 0; k < 8; k++)
			sum ^= load<T>(at + k * 128 + (i & 1) * 1024);
	}
	if (lane == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, now() };
	if (sum == 1)
		*sink = sum;
}

struct Bench {
	Buffer<char> data{ 1 << 17 };
	Buffer<u32> place{ 32 }, sink{ 4 };
	Buffer<Span> spans{ 32 };
};

// The most words of a pass of 128 bytes that are in one bank, of 32, over all
// passes; and the lines.
static int conflicts(const std::vector<u32> &place, u32 bytes, int *lines)
{
	std::vector<u32> words[32], found;
	int most = 0;
	for (u32 at : place)
		for (u32 w = at / 4; w < (at + bytes) / 4; w++) {
			std::vector<u32> &v = words[w % 32];
			if (std::find(v.begin(), v.end(), w) == v.end())
				v.push_back(w);
			if (std::find(found.begin(), found.end(), w / 32) ==
			    found.end())
				found.push_back(w / 32);
		}
	for (const std::vector<u32> &v : words)
		most = std::max(most, (int)v.size());
	*lines = (int)found.size();
	return most;
}

template <class T>
static void measure(Bench &b, const char *name, const std::vector<u32> &place)
{
	int lines, most = conflicts(place, sizeof(T), &lines);
	b.place.write(place);
	for (int r = 0; r < 3; r++) {
		LAUNCH(gather<T>, 1, 1024, 0, b.data.data, b.place.data, 16,
		       b.spans.data, b.sink.data);
		row("hit", "cycle", longest(b.spans.read(32)) / (16 * 8 * 32),
		    "%s,bytes=%d,lines=%d,bank=%d", name, (int)sizeof(T), lines,
		    most);
	}
}

// `rows` rows of neighbouring words, `apart` bytes from each other.
template <class T> static void rows_of(Bench &b, u32 rows, u32 apart, u32 shift)
{
	std::vector<u32> place(32);
	char name[64];
	for (u32 l = 0; l < 32; l++)
		place[l] = l / (32 / rows) * apart +
			   l % (32 / rows) * sizeof(T) + shift;
	std::snprintf(name, sizeof(name), "rows=%u,apart=%u,shift=%u", rows,
		      apart, shift);
	measure<T>(b, name, place);
}

// Words at random in a part of `bytes`.
static void random_of(Bench &b, u32 bytes, u32 seed)
{
	std::vector<u32> place(32);
	char name[64];
	for (u32 &at : place) {
		seed = seed * 1664525 + 1013904223;
		at = (seed >> 8) % (bytes / 4) * 4;
	}
	std::snprintf(name, sizeof(name), "random=%u", bytes);
	measure<u32>(b, name, place);
}

int main()
{
	Bench b;

	part = "gather";
	b.data.zero();
	for (u32 rows : { 1u, 2u, 4u, 8u, 16u, 32u })
		for (u32 shift : { 0u, 20u }) {
			rows_of<u32>(b, rows, 384, shift);
			rows_of<u32>(b, rows, 384 + 128 / rows, shift);
		}
	for (u32 rows : { 1u, 2u, 4u, 8u })
		for (u32 shift : { 0u, 16u }) {
			rows_of<uint2>(b, rows, 384, shift);
			rows_of<uint2>(b, rows, 384 + 128 / rows, shift);
			rows_of<uint4>(b, rows, 1024, shift);
			rows_of<uint4>(b, rows, 1024 + 128 / rows, shift);
		}
	for (u32 bytes : { 256u, 1024u, 4096u, 16384u })
		for (u32 seed : { 1u, 2u, 3u })
			random_of(b, bytes, seed * 12345);
	return 0;
}
