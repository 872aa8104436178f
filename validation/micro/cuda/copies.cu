// Lines that one half of the L2 has read and the other has not: which half an SM is
// in, what the first reading of a line takes that another SM has read, written or
// changed, by sectors, and the rate at which lines come from the other half.
#include "micro.cuh"

enum { LINES = 64, SMS = 132, REGION = 2 << 20 };
enum { READ, READ_SECTOR, WRITE, WRITE_WORD, ADD, KINDS };
static const char *const kind_names[] = { "read", "read_sector", "write",
					  "write_word", "add" };

// The line of the i-th measurement: far from the others, so that slices differ.
static __device__ __forceinline__ char *line_of(char *p, int i)
{
	return p + (size_t)(i * 2654435761u >> 12) % (REGION / 128) * 128;
}

static __device__ __forceinline__ u32 load(const char *at)
{
	u32 v;
	asm volatile("ld.volatile.global.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(at)
		     : "memory");
	return v;
}

static __device__ u32 act(int kind, u32 sector, char *at)
{
	u32 lane = threadIdx.x, v = 0;

	if (kind == READ)
		return load(at + lane * 4);
	if (kind == READ_SECTOR)
		return load(at + sector * 32 + lane % 8 * 4);
	if (kind == WRITE || (kind == WRITE_WORD && !lane))
		asm volatile("st.global.u32 [%0], %1;" ::"l"(at + lane * 4),
			     "r"(lane)
			     : "memory");
	if (kind == ADD && !lane)
		asm volatile("atom.global.add.u32 %0, [%1], 1;"
			     : "=r"(v)
			     : "l"(at)
			     : "memory");
	return v;
}

// Only the block on SM `sm` works, line after line.
__global__ void probe(char *p, u32 sm, int kind, u32 sector, u32 *out,
		      u32 *sink)
{
	if (smid() != sm)
		return;
	for (int i = 0; i < LINES; i++) {
		char *at = line_of(p, i);
		u64 t = now();
		u32 v = act(kind, sector, at);
		if (v == 0x12345678)
			*sink = v;
		if (threadIdx.x == 0)
			out[i] = (u32)(now() - t);
		__syncwarp();
	}
}

// Each SM with a rank reads its part of `words`: 0 if it has none.
__global__ void sweep(const u32 *p, u32 words, const u32 *rank, u32 ranks,
		      Span *spans, u32 *sink)
{
	u32 mine = rank[smid()], sum = 0, n = words / ranks / 4096 * 4096;
	if (!mine)
		return;
	const u32 *from = p + (size_t)(mine - 1) * n;
	u64 start = now();
	for (u32 i = threadIdx.x; i < n; i += 4 * blockDim.x)
#pragma unroll
		for (u32 k = 0; k < 4; k++)
			sum += __ldcg(from + i + k * blockDim.x);
	if (sum == 0x12345678)
		*sink = sum;
	__syncthreads();
	if (threadIdx.x == 0)
		spans[smid()] = Span{ smid(), start, now() };
}

struct Memory {
	enum { REGIONS = 200 };
	Buffer<char> p{ (size_t)REGIONS * REGION };
	Buffer<u32> out{ LINES }, sink{ 1 };
	size_t used = 0;

	// Memory that nobody has touched.
	char *fresh(size_t regions = 1)
	{
		used += regions;
		if (used > REGIONS)
			std::exit(2);
		return p.data + (used - regions) * REGION;
	}
};

static std::vector<double> run(Memory &m, char *p, u32 sm, int kind,
			       u32 sector = 0)
{
	LAUNCH(probe, SMS, 32, 0, p, sm, kind, sector, m.out.data, m.sink.data);
	auto v = m.out.read(LINES);
	return std::vector<double>(v.begin(), v.end());
}

static void rows(const char *name, const std::vector<double> &v,
		 const char *format, ...)
{
	char text[120];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (double q : { 0.1, 0.25, 0.4, 0.6, 0.75, 0.9 })
		row(name, "cycle", quantile(v, q), "%s,quantile=%g", text, q);
}

// The share of lines of which a read takes longer, since SM `writer` has written them.
static double changed(Memory &m, char *p, u32 sm, u32 writer)
{
	run(m, p, sm, READ);
	double known = quantile(run(m, p, sm, READ), 0.5);
	run(m, p, writer, WRITE);
	double slow = 0;
	for (double t : run(m, p, sm, READ))
		slow += t > known + 90;
	return slow / LINES;
}

static std::vector<char> sides(Memory &m, u32 *other)
{
	std::vector<char> side(SMS);
	char *p = m.fresh();
	u32 step = scale() > 1 ? 11 : 1;
	for (u32 s = 0; s < SMS; s += step) {
		double slow = changed(m, p, s, 0);
		side[s] = slow > 0.2;
		if (side[s])
			*other = s;
		row("side", "fraction", slow, "sm=%u,writer=0", s);
	}
	row("side", "fraction", changed(m, p, 0, *other),
	    "sm=0,writer=of_the_other_half");
	return side;
}

static const char *half(u32 sm)
{
	return sm ? "other" : "sm0";
}

// Lines that no cache has: SM `from` does something to them, then others read them.
static void first(Memory &m, u32 from, u32 by, int kind)
{
	char *p = m.fresh();
	char text[60];
	std::snprintf(text, sizeof(text), "from=%s,by=%s,behind=%s", half(from),
		      half(by), kind_names[kind]);
	rows("cold", run(m, p, from, kind), "%s", text);
	for (u32 k = 0; k < 4; k++)
		rows("first",
		     run(m, p, by, kind == READ_SECTOR ? READ_SECTOR : READ, k),
		     "%s,reading=%u", text, k);
	rows("back", run(m, p, from, READ), "%s", text);
}

// The same of lines that were copied from the host, or set.
static void copied(Memory &m, u32 by)
{
	std::vector<char> zeros(REGION);
	char *p = m.fresh();
	CHECK(cudaMemcpy(p, zeros.data(), REGION, cudaMemcpyHostToDevice));
	rows("first", run(m, p, by, READ), "by=%s,behind=copy", half(by));
	p = m.fresh();
	CHECK(cudaMemset(p, 0, REGION));
	CHECK(cudaDeviceSynchronize());
	rows("first", run(m, p, by, READ), "by=%s,behind=memset", half(by));
}

static double rate(Memory &m, const u32 *p, u32 bytes, int threads,
		   const std::vector<char> &side, char which)
{
	Buffer<Span> spans(SMS);
	Buffer<u32> rank(SMS);
	std::vector<u32> ranks(SMS);
	u32 n = 0;
	for (u32 s = 0; s < SMS; s++)
		if (side[s] == which)
			ranks[s] = ++n;
	spans.zero();
	rank.write(ranks);
	LAUNCH(sweep, SMS, threads, 0, p, bytes / 4, rank.data, n, spans.data,
	       m.sink.data);
	return bytes / 4 / n / 4096 * 16384.0 / longest(spans.read(SMS));
}

static void rates(Memory &m, const std::vector<char> &side)
{
	for (int threads : { 64, 256, 1024 }) {
		u32 bytes = 8 * REGION;
		u32 *p = (u32 *)m.fresh(8);
		for (u32 k = 0; k < 2; k++)
			row("rate", "byte/cycle/SM",
			    rate(m, p, bytes, threads, side, 0),
			    "threads=%d,half=sm0,reading=%u", threads, k);
		for (u32 k = 0; k < 2; k++)
			row("rate", "byte/cycle/SM",
			    rate(m, p, bytes, threads, side, 1),
			    "threads=%d,half=other,reading=%u", threads, k);
	}
}

int main()
{
	part = "copies";
	Memory m;
	u32 other = 0;
	if (scale() == 1) {
		Buffer<char> flush((size_t)256 << 20);
		flush.zero();
	}
	std::vector<char> side = sides(m, &other);
	for (int kind = 0; kind < KINDS; kind++)
		for (u32 from : { 0u, other })
			for (u32 by : { 0u, other })
				first(m, from, by, kind);
	for (u32 by : { 0u, other })
		copied(m, by);
	if (scale() == 1)
		rates(m, side);
	return 0;
}
