// Atomics of shared memory by kind: cycles and what the counters of bank conflicts
// make of them, by the lanes that share a word and the words that share a bank.
#include "micro.cuh"

enum { INC, ADD, ADD_BACK, MAX, OR, EXCH, CAS, STORE, LOAD, KINDS };
static const char *const kind_names[] = { "inc", "add",   "add_back",
					  "max", "or",    "exch",
					  "cas", "store", "load" };

template <int KIND>
__global__ void __launch_bounds__(1024)
	tally(const u32 *place, int n, Span *out, u32 *sink)
{
	__shared__ u32 words[4096];
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
	u32 at = place[threadIdx.x];
	for (int i = threadIdx.x; i < 4096; i += blockDim.x)
		words[i] = 0;
	__syncthreads();
	u64 t = 0;
#pragma unroll 1
	for (int i = -1; i < n; i++) {
		if (i == 0)
			t = now();
		u32 *p = &words[at];
		if (KIND == INC)
			atomicAdd(p, 1);
		else if (KIND == ADD)
			atomicAdd(p, lane);
		else if (KIND == ADD_BACK)
			sum += atomicAdd(p, lane + (sum & 1));
		else if (KIND == MAX)
			atomicMax(p, lane);
		else if (KIND == OR)
			atomicOr(p, lane);
		else if (KIND == EXCH)
			sum += atomicExch(p, lane + (sum & 1));
		else if (KIND == CAS)
			sum += atomicCAS(p, lane, lane + (sum & 1));
		else if (KIND == STORE)
			*(volatile u32 *)p = i;
		else
			sum += *(volatile u32 *)p;
	}
	if (lane == 0)
		out[warp] = Span{ smid(), t, now() };
	__syncthreads();
	if (threadIdx.x < 32)
		sink[threadIdx.x] = words[threadIdx.x] + sum;
}

struct Memory {
	Buffer<u32> place{ 1024 }, sink{ 32 };
	Buffer<Span> spans{ 32 };
};

template <int KIND>
static void measure(Memory &m, const std::vector<u32> &place, int warps,
		    const char *format, ...)
{
	static const char *const metrics[] = {
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
		"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
		"smsp__inst_executed.sum",
	};
	const int n = 32;
	char text[100];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	m.place.write(place);
	LAUNCH(tally<KIND>, 1, warps * 32, 0, m.place.data, n, m.spans.data,
	       m.sink.data);
	row(kind_names[KIND], "cycle", longest(m.spans.read(warps)) / n,
	    "cycles,%s", text);
	for (const char *metric : metrics)
		row_metric(kind_names[KIND], "", metric, "%s,%s", metric, text);
}

template <int KIND> static void all(Memory &m)
{
	std::vector<u32> place(1024);
	for (int warps : { 1, 8 }) {
		for (u32 same : { 1u, 2u, 4u, 8u, 16u, 32u })
			for (u32 stride : { 1u, 16u, 32u }) {
				if (same > 1 && stride == 16)
					continue;
				for (u32 i = 0; i < 1024; i++)
					place[i] = i % 32 / same * stride;
				measure<KIND>(m, place, warps,
					      "same=%u,stride=%u,warps=%d",
					      same, stride, warps);
			}
		for (u32 room : { 4u, 16u, 256u, 2048u })
			for (u32 seed : { 1u, 2u }) {
				u32 h = seed * 12345;
				for (u32 &p : place) {
					h = h * 1664525 + 1013904223;
					p = (h >> 8) % room;
				}
				measure<KIND>(m, place, warps,
					      "room=%u,seed=%u,warps=%d", room,
					      seed, warps);
			}
	}
}

int main()
{
	part = "tally";
	Memory m;
	all<INC>(m);
	all<ADD>(m);
	all<ADD_BACK>(m);
	all<MAX>(m);
	all<OR>(m);
	all<EXCH>(m);
	all<CAS>(m);
	all<STORE>(m);
	all<LOAD>(m);
	return 0;
}
