// How many cold loads take how long: what is beyond the time of the DRAM itself and the way
// to the other half of the L2 are refreshes. Each SM loads line after line, a few SMs
// at a time, so that loads do not wait for each other.
#include "micro.cuh"

enum { LOADS = 2048, FROM = 500, BIN = 20, BINS = 60 };

__global__ void chain(const char *p, u32 loads, u32 stride, u32 *histogram,
		      u32 *sink)
{
	const char *at = p + (size_t)blockIdx.x * loads * stride;
	__shared__ u32 count[BINS];
	for (u32 i = 0; i < BINS; i++)
		count[i] = 0;
	for (u32 i = 0; i < loads; i++, at += stride) {
		u32 v;
		u64 t = now();
		asm volatile("ld.global.cg.u32 %0, [%1];"
			     : "=r"(v)
			     : "l"(at)
			     : "memory");
		if (v == 1)
			*sink = v;
		u32 d = (u32)(now() - t);
		d = d < FROM ? 0 : (d - FROM) / BIN;
		count[d < BINS ? d : BINS - 1]++;
	}
	for (u32 i = 0; i < BINS; i++)
		atomicAdd(&histogram[i], count[i]);
}

int main()
{
	part = "tail";
	const u32 stride = 4096 + 128, most = 16;
	u32 loads = LOADS / scale();
	Buffer<char> p((size_t)3 * most * LOADS * stride);
	Buffer<u32> histogram(BINS), sink(1);
	p.zero();
	size_t used = 0;
	for (u32 sms : { 1u, 4u, most }) {
		histogram.zero();
		LAUNCH(chain, sms, 1, 0, p.data + used, loads, stride,
		       histogram.data, sink.data);
		used += (size_t)sms * loads * stride;
		auto v = histogram.read(BINS);
		double slow = 0, n = 0;
		for (u32 i = 0; i < BINS; i++) {
			n += v[i];
			slow += FROM + i * BIN >= 900 ? v[i] : 0;
			row("loads", "fraction", v[i] / (double)sms / loads,
			    "sms=%u,from=%d", sms, FROM + i * BIN);
		}
		row("slow", "fraction", slow / n, "sms=%u,from=900", sms);
	}
	return 0;
}
