// The order in which the lanes of a warp perform an atomic: by operation, memory,
// and which lanes have the same address. For each address the first and the last one, and
// how many come right after a lower one.
#include "micro.cuh"

enum Op { EXCHANGE, ADD, MAXIMUM, CAS, OPS };
static const char *const op_names[] = { "exchange", "add", "maximum", "cas" };

struct Lanes {
	int stride;   // bytes between addresses
	int modulus;  // lane l uses address l % modulus, or l / modulus if negative
	u32 mask;     // lanes that take part
};

static __host__ __device__ int group_of(const Lanes &s, int lane)
{
	return s.modulus > 0 ? lane % s.modulus : lane / -s.modulus;
}

static __device__ u32 perform(int op, u32 *p, u32 lane)
{
	switch (op) {
	case EXCHANGE:
		return atomicExch(p, lane);
	case ADD:
		return atomicAdd(p, lane + 100);
	case MAXIMUM:
		return atomicMax(p, lane + 100);
	default:
		return atomicCAS(p, 999, lane);
	}
}

// Each lane notes what it found.
__global__ void order(int op, int shared, Lanes s, u32 *memory, u32 *found)
{
	extern __shared__ u32 near_memory[];
	u32 lane = threadIdx.x;
	u32 *base = shared ? near_memory : memory;
	u32 *p = (u32 *)((char *)base + group_of(s, lane) * s.stride);

	*p = op == ADD || op == MAXIMUM ? 0 : 999;
	__syncwarp();
	if (s.mask >> lane & 1)
		found[lane] = perform(op, p, lane);
}

// The lanes of one address, in their order; as far as what they found says.
static std::vector<int> sequence(int op, const Lanes &s, int group,
				 const std::vector<u32> &found)
{
	std::vector<int> lanes, out;
	for (int l = 0; l < 32; l++)
		if (s.mask >> l & 1 && group_of(s, l) == group)
			lanes.push_back(l);
	if (op == ADD) {
		std::sort(lanes.begin(), lanes.end(),
			  [&](int a, int b) { return found[a] < found[b]; });
		return lanes;
	}
	u32 before = op == MAXIMUM ? 0 : 999;
	for (size_t i = 0; i < lanes.size(); i++)
		for (int l : lanes)
			if (found[l] == before &&
			    std::find(out.begin(), out.end(), l) == out.end()) {
				out.push_back(l);
				before = op == MAXIMUM ? (u32)l + 100 : (u32)l;
				break;
			}
	return out;
}

static void measure(Buffer<u32> &memory, Buffer<u32> &found, int op, int shared,
		    const Lanes &s)
{
	LAUNCH(order, 1, 32, 16384, op, shared, s, memory.data, found.data);
	std::vector<u32> values = found.read(32);
	for (int g = 0; g < 32; g++) {
		std::vector<int> lanes = sequence(op, s, g, values);
		if (lanes.size() < 2)
			continue;
		char where[120];
		std::snprintf(where, sizeof where,
			      "op=%s,memory=%s,stride=%d,modulus=%d,mask=%08x,"
			      "address=%d",
			      op_names[op], shared ? "shared" : "global",
			      s.stride, s.modulus, s.mask, g);
		int up = 0;
		for (size_t i = 1; i < lanes.size(); i++)
			up += lanes[i] > lanes[i - 1];
		row("first", "lane", lanes.front(), "%s", where);
		row("last", "lane", lanes.back(), "%s", where);
		row("up", "lane", up, "%s,lanes=%zu", where, lanes.size());
	}
}

int main()
{
	Buffer<u32> memory(1 << 14), found(32);

	part = "lanes";
	for (int shared : { 0, 1 })
		for (int op = 0; op < OPS; op++)
			for (const Lanes &s : std::vector<Lanes>{
				     { 4, 1, ~0u },
				     { 4, 1, 0xaaaaaaaa },
				     { 4, 1, 0x00ff00f0 },
				     { 4, 2, ~0u },
				     { 4, 4, ~0u },
				     { 4, 16, ~0u },
				     { 128, 2, ~0u },
				     { 128, 4, ~0u },
				     { 128, -2, ~0u },
				     { 4, -2, ~0u },
				     { 128, -8, ~0u } })
				measure(memory, found, op, shared, s);
	return 0;
}
