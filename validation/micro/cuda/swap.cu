// Accesses to global memory that change it, one behind the other: latency by kind,
// lanes and place, and what SMs that want the same word do to each other; loops of a
// load and a compare-and-swap; locks.
#include "micro.cuh"

enum {
	LOAD,
	LOAD_CG,
	STORE,
	RED,
	ADD,
	MAX,
	EXCH,
	FAIL,
	HIT,
	FAIL64,
	TRY,
	KINDS
};
static const char *const kind_names[] = {
	"load_volatile", "load_cg",    "store",       "red_add",
	"add",           "max",        "exch",        "cas_fail",
	"cas_hit",       "cas64_fail", "load_and_cas"
};

template <int KIND> static __device__ __forceinline__ u32 act(char *at, u32 v)
{
	u32 r = 0;
	if (KIND == LOAD || KIND == TRY)
		asm volatile("ld.volatile.global.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
	if (KIND == LOAD_CG)
		asm volatile("ld.global.cg.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
	if (KIND == STORE)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(0)
			     : "memory");
	if (KIND == RED)
		asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v)
			     : "memory");
	if (KIND == ADD)
		asm volatile("atom.global.add.u32 %0, [%1], %2;"
			     : "=r"(r)
			     : "l"(at), "r"(v)
			     : "memory");
	if (KIND == MAX)
		asm volatile("atom.global.max.u32 %0, [%1], %2;"
			     : "=r"(r)
			     : "l"(at), "r"(v)
			     : "memory");
	if (KIND == EXCH)
		asm volatile("atom.global.exch.b32 %0, [%1], %2;"
			     : "=r"(r)
			     : "l"(at), "r"(v)
			     : "memory");
	if (KIND == FAIL)
		asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
			     : "=r"(r)
			     : "l"(at), "r"(~v), "r"(v)
			     : "memory");
	if (KIND == HIT)
		asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
			     : "=r"(r)
			     : "l"(at), "r"(0), "r"(0)
			     : "memory");
	if (KIND == FAIL64) {
		u64 w;
		asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;"
			     : "=l"(w)
			     : "l"(at), "l"(~0ull), "l"(1ull)
			     : "memory");
		r = (u32)w;
	}
	if (KIND == TRY) {
		u32 old = r;
		asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
			     : "=r"(r)
			     : "l"(at), "r"(old), "r"(old + v)
			     : "memory");
	}
	return r;
}

// where: 0 one word, 1 the words of a line, 2 a line of each lane; with 3, a line
// of each warp. Accesses depend on each other by an address that they do not change.
template <int KIND>
__global__ void __launch_bounds__(1024)
	chain(char *p, int where, u32 lanes, int n, u32 zero, Span *out)
{
	u32 lane = threadIdx.x % 32;
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	char *at = p + (where == 0 ? 0 :
			where == 1 ? lane * 8 % 128 :
			where == 2 ? (warp * 32 + lane) * 128 :
				     warp * 128 + lane * 8 % 128);
	u64 t = 0;
	if (lane >= lanes)
		return;
#pragma unroll 1
	for (int i = -4; i < n; i++) {
		if (i == 0)
			t = now();
		at += act<KIND>(at, lane + 1) & zero;
	}
	if (lane == 0)
		out[warp] = Span{ smid(), t, now() + ((size_t)at & zero) };
}

template <int KIND> static void latency(Buffer<char> &b, Buffer<Span> &s)
{
	static const char *const places[] = { "word", "line", "line_per_lane" };
	const int n = 16;
	for (int where = 0; where < 3; where++)
		for (u32 lanes : { 1u, 2u, 4u, 8u, 16u, 32u }) {
			b.zero();
			LAUNCH(chain<KIND>, 1, 32, 0, b.data, where, lanes, n,
			       0, s.data);
			row(kind_names[KIND], "cycle", longest(s.read(1)) / n,
			    "alone,%s,lanes=%u", places[where], lanes);
		}
	for (u32 lanes : { 1u, 32u })
		for (int where : { 0, 1, 3 })
			for (int blocks : { 1, 2, 8, 132 })
				for (int warps : { 1, 2, 8 }) {
					int all = blocks * warps;
					b.zero();
					LAUNCH(chain<KIND>, blocks, warps * 32,
					       0, b.data, where, lanes, n, 0,
					       s.data);
					row(kind_names[KIND], "cycle",
					    longest(s.read(all)) / n,
					    "many,%s,lanes=%u,blocks=%d,warps=%d",
					    where == 3 ? "line_per_warp" :
							 places[where],
					    lanes, blocks, warps);
				}
}

// One lane of each warp adds 1 by a loop of a load and a compare-and-swap; or takes
// a lock, adds to a word, and gives it back, with fences or without.
enum { ADD_LOOP, ADD_LOOP_KEEP, LOCK, LOCK_FENCED, USES };
static const char *const use_names[] = { "loop", "loop_keep", "lock",
					 "lock_fenced" };

__global__ void __launch_bounds__(1024)
	use(u32 *word, int how, int n, Span *out, u32 *tries)
{
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, failed = 0;
	volatile u32 *data = word + 64;
	if (threadIdx.x % 32)
		return;
	u64 t = now();
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		if (how <= ADD_LOOP_KEEP) {
			u32 old = *(volatile u32 *)word, seen;
			while ((seen = atomicCAS(word, old, old + 1)) != old) {
				old = how == ADD_LOOP ? *(volatile u32 *)word :
							seen;
				failed++;
			}
		} else {
			while (atomicCAS(word, 0, 1) != 0)
				failed++;
			if (how == LOCK_FENCED)
				__threadfence();
			*data = *data + 1;
			__threadfence();
			atomicExch(word, 0);
		}
	}
	out[warp] = Span{ smid(), t, now() };
	tries[warp] = failed;
}

static void uses(Buffer<char> &b, Buffer<Span> &s, Buffer<u32> &tries)
{
	const int n = 16;
	for (int how = 0; how < USES; how++)
		for (int blocks : { 1, 2, 4, 8, 32 })
			for (int warps : { 1, 2, 4 }) {
				int all = blocks * warps;
				b.zero();
				LAUNCH(use, blocks, warps * 32, 0,
				       (u32 *)b.data, how, n, s.data,
				       tries.data);
				std::vector<u32> f = tries.read(all);
				u64 sum = 0;
				for (u32 v : f)
					sum += v;
				row(use_names[how], "cycle",
				    longest(s.read(all)) / n,
				    "round,blocks=%d,warps=%d", blocks, warps);
				row(use_names[how], "", (double)sum / n / all,
				    "failed,blocks=%d,warps=%d", blocks, warps);
			}
}

int main()
{
	part = "swap";
	Buffer<char> b(1 << 20);
	Buffer<Span> s(2048);
	Buffer<u32> tries(2048);
	latency<LOAD>(b, s);
	latency<LOAD_CG>(b, s);
	latency<STORE>(b, s);
	latency<RED>(b, s);
	latency<ADD>(b, s);
	latency<MAX>(b, s);
	latency<EXCH>(b, s);
	latency<FAIL>(b, s);
	latency<HIT>(b, s);
	latency<FAIL64>(b, s);
	latency<TRY>(b, s);
	uses(b, s, tries);
	return 0;
}
