// The supply of instructions: straight code that has never been executed, by
// distance, and loops larger than the caches. Launches are to start with cold
// caches; each loop goes through its code three times.
#include "micro.cuh"

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
#define K256 K64 K64 K64 K64

#define LOOP(name, body)                                                   \
	__global__ void name(u32 *out, float x, int passes)                \
	{                                                                  \
		float a = x, b = x + 1, c = x + 2, d = x + 3;              \
		u64 t = now();                                             \
		u32 first = 0, third = 0;                                  \
		_Pragma("unroll 1") for (int i = 0; i < passes; i++)       \
		{                                                          \
			body u64 at = now();                               \
			third = (u32)(at - t);                             \
			if (i == 0)                                        \
				first = third;                             \
			t = at;                                            \
		}                                                          \
		if (threadIdx.x % 32 == 0) {                               \
			u32 *o = out +                                     \
				 (blockIdx.x * blockDim.x + threadIdx.x) / \
					 32 * 4;                           \
			o[0] = first;                                      \
			o[1] = third;                                      \
			o[2] = a + b + c + d == 1;                         \
		}                                                          \
	}

LOOP(loop_1, K1)
LOOP(loop_4, K4)
LOOP(loop_8, K4 K4)
LOOP(loop_16, K16)
LOOP(loop_24, K16 K4 K4)
LOOP(loop_28, K16 K4 K4 K4)
LOOP(loop_32, K16 K16)
LOOP(loop_40, K16 K16 K4 K4)
LOOP(loop_64, K64)
LOOP(loop_96, K64 K16 K16)
LOOP(loop_112, K64 K16 K16 K16)
LOOP(loop_128, K64 K64)
LOOP(loop_160, K64 K64 K16 K16)
LOOP(loop_256, K256)

// The clock after every 128 bytes of the first pass, 48 of them. A reading is
// itself an instruction; the seven others are arithmetic.
#define STEP(i)                                                         \
	F4 asm volatile(                                                \
		"fma.rn.f32 %0, %0, %3, %3; fma.rn.f32 %1, %1, %3, %3;" \
		"fma.rn.f32 %2, %2, %3, %3;"                            \
		: "+f"(a), "+f"(b), "+f"(c)                             \
		: "f"(x));                                              \
	t[i] = now();

__global__ void steps(u32 *out, float x)
{
	float a = x, b = x + 1, c = x + 2, d = x + 3;
	u64 t[48];
	u64 begin = now();
	STEP(0)
	STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(
		9) STEP(10) STEP(11) STEP(12) STEP(13) STEP(14) STEP(15)
		STEP(16) STEP(17) STEP(18) STEP(19) STEP(20) STEP(21) STEP(
			22) STEP(23) STEP(24) STEP(25) STEP(26) STEP(27)
			STEP(28) STEP(29) STEP(30) STEP(31) STEP(32) STEP(
				33) STEP(34) STEP(35) STEP(36) STEP(37) STEP(38)
				STEP(39) STEP(40) STEP(41) STEP(42) STEP(43)
					STEP(44) STEP(45) STEP(46)
						STEP(47) if (threadIdx.x == 0)
	{
		for (int i = 0; i < 48; i++)
			out[i] = t[i] - begin;
		out[48] = a + b + c + d == 1;
	}
}

// Jumps over 1 KiB of code that is never executed: no prefetch helps. The
// jumps are uniform, and `no` is always false.
#define JUMP(i)    \
	if (no) {  \
		K1 \
	}          \
	t[i] = now();

__global__ void jumps(u32 *out, float x, int no)
{
	float a = x, b = x + 1, c = x + 2, d = x + 3;
	u64 t[16];
	u64 begin = now();
	JUMP(0)
	JUMP(1) JUMP(2) JUMP(3) JUMP(4) JUMP(5) JUMP(6) JUMP(7) JUMP(8) JUMP(9)
		JUMP(10) JUMP(11) JUMP(12) JUMP(13) JUMP(14)
			JUMP(15) if (threadIdx.x == 0)
	{
		for (int i = 0; i < 16; i++)
			out[i] = t[i] - begin;
		out[16] = a + b + c + d == 1;
	}
}

// The first use of a parameter, of another one 1 KiB further, and of a
// constant of the program.
struct Large {
	int first[256], second[256], third[256];
};
__constant__ int table[4096];

__global__ void parameter(u32 *out, Large p)
{
	u64 t[6];
	int v;
	t[0] = now();
	asm volatile("add.s32 %0, %1, 1;"
		     : "=r"(v)
		     : "r"(p.second[3])
		     : "memory");
	if (v == 1234567)
		out[20] = v;
	t[1] = now();
	asm volatile("add.s32 %0, %1, 1;"
		     : "=r"(v)
		     : "r"(p.second[4])
		     : "memory");
	if (v == 1234567)
		out[20] = v;
	t[2] = now();
	asm volatile("add.s32 %0, %1, 1;"
		     : "=r"(v)
		     : "r"(p.third[200])
		     : "memory");
	if (v == 1234567)
		out[20] = v;
	t[3] = now();
	asm volatile("add.s32 %0, %1, 1;" : "=r"(v) : "r"(table[7]) : "memory");
	if (v == 1234567)
		out[20] = v;
	t[4] = now();
	asm volatile("add.s32 %0, %1, 1;" : "=r"(v) : "r"(table[8]) : "memory");
	if (v == 1234567)
		out[20] = v;
	t[5] = now();
	if (threadIdx.x == 0)
		for (int i = 0; i < 5; i++)
			out[i] = t[i + 1] - t[i];
}

typedef void Loop(u32 *, float, int);

static void loop(Loop *kernel, int kib, int blocks, int threads, Buffer<u32> &b)
{
	LAUNCH(kernel, blocks, threads, 0, b.data, 1.0f, 3);
	std::vector<u32> v = b.read((size_t)blocks * threads / 8);
	u32 most[2] = {};
	for (size_t i = 0; i < v.size(); i += 4)
		for (int k = 0; k < 2; k++)
			most[k] = std::max(most[k], v[i + k]);
	double n = kib * 8.0;
	row("loop_first", "cycle/128B", most[0] / n,
	    "kib=%d,blocks=%d,threads=%d", kib, blocks, threads);
	row("loop_again", "cycle/128B", most[1] / n,
	    "kib=%d,blocks=%d,threads=%d", kib, blocks, threads);
	row_metric("loop_launch", "cycle", CYCLES,
		   "kib=%d,blocks=%d,threads=%d", kib, blocks, threads);
}

int main()
{
	part = "code";
	Buffer<u32> b(1 << 16);
	b.zero();
	struct {
		Loop *kernel;
		int kib;
	} loops[] = { { loop_1, 1 },     { loop_4, 4 },     { loop_8, 8 },
		      { loop_16, 16 },   { loop_24, 24 },   { loop_28, 28 },
		      { loop_32, 32 },   { loop_40, 40 },   { loop_64, 64 },
		      { loop_96, 96 },   { loop_112, 112 }, { loop_128, 128 },
		      { loop_160, 160 }, { loop_256, 256 } };
	for (auto &l : loops) {
		loop(l.kernel, l.kib, 1, 32, b);
		loop(l.kernel, l.kib, 1, 128, b);
	}
	for (auto &l : loops)
		if (l.kib == 1 || l.kib == 16 || l.kib == 128) {
			loop(l.kernel, l.kib, 1, 512, b);
			loop(l.kernel, l.kib, 132, 32, b);
			loop(l.kernel, l.kib, 132, 128, b);
		}
	for (int blocks : { 1, 132 }) {
		LAUNCH(steps, blocks, 32, 0, b.data, 1.0f);
		std::vector<u32> v = b.read(48);
		for (int i = 0; i < 48; i++)
			row("step", "cycle", v[i] - (i ? v[i - 1] : 0.0),
			    "blocks=%d,line=%d", blocks, i + 1);
	}
	LAUNCH(jumps, 1, 32, 0, b.data, 1.0f, 0);
	std::vector<u32> v = b.read(16);
	for (int i = 0; i < 16; i++)
		row("jump_1k", "cycle", v[i] - (i ? v[i - 1] : 0.0), "jump=%d",
		    i + 1);
	LAUNCH(parameter, 1, 32, 0, b.data, Large{});
	v = b.read(5);
	const char *names[] = { "param_first", "param_next_word", "param_far",
				"const_first", "const_next_word" };
	for (int i = 0; i < 5; i++)
		row(names[i], "cycle", v[i], "cold");
	return 0;
}
