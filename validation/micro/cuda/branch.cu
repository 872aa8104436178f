// Branches: taken, not taken, diverging, loops, calls, and instructions whose
// guard is false. One warp of the SM, then one of each sub-core.
#include "micro.cuh"

static const int STEPS = 16;

struct Args {
	u32 never, always; // 0xffffffff, 0
	u32 half;          // lanes on one side
	u32 share;         // words of the lanes
	u32 *sink;
};

#define STEP(name, text)                                                   \
	struct name {                                                      \
		static __device__ __forceinline__ void step(u32 &x,        \
							    const Args &a) \
		{                                                          \
			text                                               \
		}                                                          \
	};
#define WORK(k) asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "n"(k));

STEP(plain, WORK(1))
// Not taken by any lane: a store that cannot be predicated away.
STEP(
	never_taken, if (x == a.never) {
		atomicAdd(a.sink, x);
		WORK(5)
	} WORK(1))
STEP(
	always_skipped, if (x >= a.never) {
		asm volatile(
			"st.global.u32 [%0], %1; bar.warp.sync 0xffffffff;" ::"l"(
				a.sink),
			"r"(x)
			: "memory");
		WORK(5)
	} WORK(1))
// Half of the lanes, by lane; a side is long enough that it is not predicated.
#define MIX                                                             \
	asm volatile("mad.lo.u32 %0, %0, %0, 77; xor.b32 %0, %0, 0x55;" \
		     : "+r"(x));
#define SIDE MIX MIX MIX MIX MIX MIX MIX MIX
STEP(straight, SIDE WORK(1))
STEP(one_sided, if (threadIdx.x % 32 < a.half){ SIDE } WORK(1))
STEP(
	two_sided,
	if (threadIdx.x % 32 < a.half) { SIDE } else { WORK(3) SIDE } WORK(1))

// Additions of floats in shared memory, which are a loop of a load and a
// compare-and-swap: by all lanes, each to its own word, or to words that lanes share.
STEP(spin_add, extern __shared__ float sums[];
     atomicAdd(&sums[threadIdx.x % 32 & (a.share - 1)], 1.0f);)
// The same with a condition that all lanes fulfil.
STEP(
	sided_add, if (threadIdx.x % 32 < a.half) {
		extern __shared__ float sums[];
		atomicAdd(&sums[threadIdx.x % 32 & (a.share - 1)], 1.0f);
	} WORK(1))

// A side in a side.
STEP(
	nested, if (threadIdx.x % 32 < a.half) {
		SIDE if (threadIdx.x % 2){ SIDE } WORK(2)
	} WORK(1))
// A loop that half of the lanes leave first.
STEP(rounds, for (u32 i = threadIdx.x % 32 < a.half ? 0 : 2; i < 4;
		  i++){ MIX MIX MIX MIX MIX MIX MIX MIX } WORK(1))

// An instruction whose guard is false in every lane, and one that needs its
// register.
#define OFF(text)                                                  \
	asm volatile("{.reg .pred p; setp.eq.u32 p, %0, %1; " text \
		     " add.u32 %0, %0, 1;}"                        \
		     : "+r"(x)                                     \
		     : "r"(a.never), "l"(a.sink), "r"(0)           \
		     : "memory");
STEP(off_nothing, OFF(""))
STEP(off_add, OFF("@p xor.b32 %0, %0, %1;"))
STEP(off_global_load, OFF("@p ld.global.u32 %0, [%2];"))
STEP(off_shared_load, OFF("@p ld.shared.u32 %0, [%3];"))
STEP(off_global_store, OFF("@p st.global.u32 [%2], %0;"))
STEP(off_shared_store, OFF("@p st.shared.u32 [%3], %0;"))
STEP(off_special, OFF("@p popc.b32 %0, %0;"))
STEP(off_atomic, OFF("@p atom.global.add.u32 %0, [%2], %1;"))

static __device__ __noinline__ u32 function(u32 x)
{
	WORK(3)
	return x;
}
STEP(call, x = function(x);)

static __device__ __noinline__ u32 cases(u32 x)
{
	switch (x & 7) {
	case 0:
		WORK(8) break;
	case 1:
		WORK(16) asm volatile("mov.b32 %0, %0;" : "+r"(x));
		break;
	case 2:
		WORK(24) x = __popc(x);
		break;
	case 3:
		WORK(32) x = __brev(x);
		break;
	case 4:
		WORK(40) x = __clz(x);
		break;
	case 5:
		WORK(48) x ^= 5;
		break;
	case 6:
		WORK(56) x *= 3;
		break;
	default:
		WORK(64) x /= 7;
	}
	return x;
}
STEP(switch_call, x = cases(x & 8);)

static __device__ __noinline__ u32 outer(u32 x)
{
	return function(x) + 1;
}
STEP(call_twice, x = outer(x);)

static __device__ __noinline__ u32 other(u32 x)
{
	WORK(5)
	return x;
}
// By pointer: one function, two of them, the first by half of the lanes, and eight.
typedef u32 (*pointer)(u32);
template <int N> static __device__ __noinline__ u32 one_of(u32 x)
{
	WORK(N)
	return x;
}
static __device__ pointer table[8] = { function,  other,     one_of<2>,
				       one_of<3>, one_of<4>, one_of<6>,
				       one_of<7>, one_of<8> };
STEP(call_by_pointer, x = table[a.always](x);)
STEP(call_two, x = table[threadIdx.x % 32 < a.half](x);)
STEP(call_eight, x = table[threadIdx.x % 8](x);)

template <class S>
__global__ void __launch_bounds__(1024)
	chain(Args a, int n, Span *out, u32 *keep)
{
	u32 x = a.always;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1)
			t = now();
#pragma unroll
		for (int k = 0; k < STEPS; k++)
			S::step(x, a);
	}
	u64 e = now();
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, e };
	keep[threadIdx.x] = x;
}

// A loop with a body of one addition, the same count for all lanes or one that
// depends on the lane.
__global__ void __launch_bounds__(1024)
	loop(int n, int by_lane, Span *out, u32 *keep)
{
	u32 x = 0;
	u64 t = 0;
	int count = by_lane ? n - (int)(threadIdx.x % 32) : n;
	for (int pass = 0; pass < 2; pass++) {
		t = now();
#pragma unroll 1
		for (int i = 0; i < count; i++)
			WORK(1)
		__syncwarp();
	}
	u64 e = now();
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, e };
	keep[threadIdx.x] = x;
}

static Buffer<Span> *spans;
static Buffer<u32> *words;

template <class S> static void measure(const char *name)
{
	Args a = { 0xffffffffu, 0, 16, 32, words->data + 2000 };
	for (int threads : { 32, 128 }) {
		LAUNCH(chain<S>, 1, threads, 128, a, 4, spans->data,
		       words->data);
		row(name, "cycle",
		    longest(spans->read(threads / 32)) / (4 * STEPS),
		    "threads=%d", threads);
	}
}
#define MEASURE(name) measure<name>(#name)

// By lanes on a side, and lanes on a word.
template <class S> static void parts(const char *name, bool by_word)
{
	for (u32 half : { 0u, 1u, 8u, 16u, 24u, 31u, 32u })
		for (u32 share : { 32u, 16u, 4u, 1u }) {
			Args a = { 0xffffffffu, 0, half, share,
				   words->data + 2000 };
			if (share < 32 && !by_word)
				continue;
			LAUNCH(chain<S>, 1, 32, 128, a, 4, spans->data,
			       words->data);
			row(name, "cycle",
			    longest(spans->read(1)) / (4 * STEPS),
			    "threads=32,half=%u,share=%u", half, share);
		}
}
#define PARTS(name, by_word) parts<name>(#name, by_word)

int main()
{
	part = "branch";
	Buffer<Span> s(64);
	Buffer<u32> w(4096);
	spans = &s;
	words = &w;
	w.zero();
	MEASURE(plain);
	MEASURE(never_taken);
	MEASURE(always_skipped);
	MEASURE(straight);
	MEASURE(one_sided);
	MEASURE(two_sided);
	MEASURE(off_nothing);
	MEASURE(off_add);
	MEASURE(off_global_load);
	MEASURE(off_shared_load);
	MEASURE(off_global_store);
	MEASURE(off_shared_store);
	MEASURE(off_special);
	MEASURE(off_atomic);
	MEASURE(call);
	MEASURE(switch_call);
	PARTS(one_sided, false);
	PARTS(two_sided, false);
	PARTS(nested, false);
	PARTS(rounds, false);
	PARTS(sided_add, true);
	MEASURE(spin_add);
	MEASURE(call_twice);
	MEASURE(call_by_pointer);
	MEASURE(call_two);
	MEASURE(call_eight);
	for (int by_lane : { 0, 1 })
		for (int threads : { 32, 128 }) {
			LAUNCH(loop, 1, threads, 0, 64, by_lane, s.data,
			       w.data);
			row(by_lane ? "loop_by_lane" : "loop", "cycle",
			    longest(s.read(threads / 32)) / 64, "threads=%d",
			    threads);
		}
	return 0;
}
