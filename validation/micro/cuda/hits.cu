// What counts as a hit: of sectors in the L2, by operation, and of requests for
// code. Every value is a metric of a launch.
#include "micro.cuh"

static void rows(const std::vector<const char *> &metrics, const char *name,
		 const char *format, ...)
{
	char text[128];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (const char *metric : metrics)
		row_metric(name, "", metric, "%s,%s", metric, text);
}

// ---- the L2 ----

static const std::vector<const char *> l2_metrics = {
	"lts__t_sectors_srcunit_tex.sum",
	"lts__t_sectors_srcunit_tex_lookup_hit.sum",
	"lts__t_sectors_srcunit_tex_lookup_miss.sum",
	"lts__t_sectors_srcunit_tex_op_read.sum",
	"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
	"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
	"lts__t_sectors_srcunit_tex_op_write.sum",
	"lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum",
};

enum What { READ, WRITE, WRITE_PART, RED, ATOM };
static const char *const what_name[] = { "read", "write", "write_part", "red",
					 "atom" };

// Warps take lines in turn, `step` bytes of each lane apart, `times` times.
template <int WHAT>
__global__ void access(char *p, u32 *out, u32 lines, u32 lanes, u32 times)
{
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32, v = 0,
	    sum = 0;
	if (lane >= lanes)
		return;
	for (u32 t = 0; t < times; t++)
		for (u32 i = warp; i < lines; i += warps) {
			char *at = p + (size_t)i * 128 + lane * 4;
			if (WHAT == READ)
				asm volatile("ld.global.cg.u32 %0, [%1];"
					     : "=r"(v)
					     : "l"(at)
					     : "memory");
			if (WHAT == WRITE)
				asm volatile("st.global.u32 [%0], %1;" ::"l"(at),
					     "r"(i)
					     : "memory");
			if (WHAT == WRITE_PART)
				asm volatile("st.global.u8 [%0], %1;" ::"l"(at),
					     "r"(i)
					     : "memory");
			if (WHAT == RED)
				asm volatile("red.global.add.u32 [%0], %1;" ::"l"(
						     at),
					     "r"(i)
					     : "memory");
			if (WHAT == ATOM)
				asm volatile("atom.global.add.u32 %0, [%1], %2;"
					     : "=r"(v)
					     : "l"(at), "r"(i)
					     : "memory");
			sum += v;
		}
	if (sum == 1)
		out[0] = sum;
}

template <int WHAT> static void cached(Buffer<char> &p, Buffer<u32> &out)
{
	for (u32 blocks : { 1, 132 })
		for (u32 lanes : { 8, 32 })
			for (u32 lines : { 256, 16384 })
				for (u32 times : { 1, 2 }) {
					LAUNCH(access<WHAT>, blocks, 256, 0,
					       p.data, out.data, lines, lanes,
					       times);
					rows(l2_metrics, what_name[WHAT],
					     "blocks=%u,lanes=%u,lines=%u,times=%u",
					     blocks, lanes, lines, times);
				}
}

// ---- code ----

static const std::vector<const char *> code_metrics = {
	"sm__icc_requests.sum",
	"sm__icc_requests_lookup_hit.sum",
	"sm__icc_requests_lookup_miss.sum",
};

#define F4                                                                   \
	asm volatile("fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4;" \
		     "fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;" \
		     : "+f"(a), "+f"(b), "+f"(c), "+f"(d)                    \
		     : "f"(x));
#define F8 F4 F4                   // 128 bytes
#define K1 F8 F8 F8 F8 F8 F8 F8 F8 // 1 KiB
#define K4 K1 K1 K1 K1
#define K16 K4 K4 K4 K4
#define K64 K16 K16 K16 K16

// Executes its code `times` times.
#define CODE(name, body)                                              \
	__global__ void name(float *out, float x, int times)          \
	{                                                             \
		float a = x, b = x + 1, c = x + 2, d = x + 3;         \
		for (int t = 0; t < times; t++) {                     \
			body                                          \
		}                                                     \
		if (a + b + c + d == 1)                               \
			out[0] = a;                                   \
	}

CODE(code_0, F8)
CODE(code_1, K1)
CODE(code_4, K4)
CODE(code_16, K16)
CODE(code_24, K16 K4 K4)
CODE(code_32, K16 K16)
CODE(code_48, K16 K16 K16)
CODE(code_64, K64)
CODE(code_128, K64 K64)

static void code()
{
	Buffer<float> out(32);
	struct {
		void (*kernel)(float *, float, int);
		int kib;
	} list[] = { { code_0, 0 },   { code_1, 1 },   { code_4, 4 },
		     { code_16, 16 }, { code_24, 24 }, { code_32, 32 },
		     { code_48, 48 }, { code_64, 64 }, { code_128, 128 } };
	for (auto &l : list)
		for (int blocks : { 1, 132 })
			for (int threads : { 32, 128, 512 })
				for (int times : { 1, 2, 8 }) {
					LAUNCH(l.kernel, blocks, threads, 0,
					       out.data, 1.0f, times);
					rows(code_metrics, "code",
					     "kib=%d,blocks=%d,threads=%d,times=%d",
					     l.kib, blocks, threads, times);
				}
}

int main()
{
	part = "hits";
	Buffer<char> p(4 << 20);
	Buffer<u32> out(32);
	p.zero();
	cached<READ>(p, out);
	cached<WRITE>(p, out);
	cached<WRITE_PART>(p, out);
	cached<RED>(p, out);
	cached<ATOM>(p, out);
	code();
	return 0;
}
