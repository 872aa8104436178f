// Which side of a branch runs first where a warp goes both ways, by the lanes that
// take it, the shape of the code and the lengths of the sides. The clock of each lane
// tells; one warp.
#include "micro.cuh"

struct Args {
	u32 mask, other; // lanes for which a condition holds
	u32 never;       // 0xffffffff
	u32 *sink;
};

#define MIX                                                             \
	asm volatile("mad.lo.u32 %0, %0, %0, 77; xor.b32 %0, %0, 0x55;" \
		     : "+r"(x));
#define SIDE MIX MIX MIX MIX MIX MIX
#define LONG SIDE SIDE SIDE SIDE
#define SHAPE(name, text)                                                      \
	struct name {                                                          \
		static __device__ __forceinline__ void run(                    \
			u32 &x, const Args &a, bool c, bool d, u64 *t, int l)  \
		{                                                              \
			text                                                   \
		}                                                              \
	};
#define AT(n) t[n] = now();

SHAPE(both, if (c) { AT(0) SIDE } else { AT(1) SIDE x ^= 3; })
SHAPE(both_not, if (!c) { AT(1) SIDE } else { AT(0) SIDE x ^= 3; })
SHAPE(long_first, if (c) { AT(0) LONG } else { AT(1) SIDE x ^= 3; })
SHAPE(long_second, if (c) { AT(0) SIDE } else { AT(1) LONG x ^= 3; })
SHAPE(
	skips_on, for (int i = 0; i < 4; i++) {
		if (c) {
			SIDE if (x == a.never) continue;
			AT(0)
		}
		SIDE AT(1)
	})
SHAPE(
	leaves_loop, for (int i = 0; i < 4; i++) {
		SIDE if (c && i == 2)
		{
			AT(0) break;
		}
		if (i == 2)
			AT(1)
	})
SHAPE(
	leaves_early, for (int i = 0; i < 8; i++) {
		if ((c ? 3 : 5) == i)
			break;
		SIDE
	} if (c) { AT(0) SIDE } else { AT(1) SIDE x ^= 3; })
SHAPE(
	skips_rest, for (int i = 0; i < 4; i++) {
		SIDE if (c)
		{
			AT(0) SIDE continue;
		}
		AT(1) SIDE x ^= 5;
		if (d)
			x += 3;
	})
SHAPE(
	nested, if (c) {
		if (d) { AT(0) SIDE } else { AT(1) SIDE x ^= 1; }
	} else {
		if (d) { AT(2) SIDE x ^= 7; } else { AT(3) SIDE x ^= 9; }
	})
SHAPE(
	cases, switch ((c ? 2 : 0) + (d ? 1 : 0)) {
	case 0: AT(3) SIDE break;
	case 1: AT(2) SIDE x ^= 7; break;
	case 2: AT(1) SIDE x ^= 1; break;
	default: AT(0) SIDE x ^= 9; break;
	})
SHAPE(
	either, if (c || (x & 1024) != 0 || d) { AT(0) SIDE } else {
		AT(1) SIDE x ^= 3;
	})
SHAPE(
	search, for (int i = 0; i < 8; i++) {
		u32 y = (a.mask >> ((l + i * 7) & 31)) & 1;
		if (y) {
			SIDE if (d)
			{
				AT(0) break;
			}
		}
		AT(1)
		x += i;
	})
SHAPE(
	stores, if (c) { AT(0) a.sink[l] = x; } else { AT(1) a.sink[64 + l] = x; })
SHAPE(
	loads, if (c) { AT(0) x += *(volatile u32 *)&a.sink[l]; } else {
		AT(1) x += *(volatile u32 *)&a.sink[64 + l];
	})

template <class Shape> __global__ void run(Args a, u64 *out)
{
	int l = threadIdx.x % 32;
	u32 x = l * 3;
	u64 t[4] = { 0, 0, 0, 0 };
	Shape::run(x, a, a.mask >> l & 1, a.other >> l & 1, t, l);
	__syncwarp();
	for (int k = 0; k < 4; k++)
		out[l * 4 + k] = t[k];
	a.sink[l] = x;
}

// The places that lanes passed, in the order of the clock: 10 is place 1, then 0.
template <class Shape> static void order(const char *name, Buffer<u64> &out,
					 Buffer<u32> &sink)
{
	const u32 masks[] = { 1, 2, 0x80000000, 0x40000000, 0xffff, 0xffff0000,
			      0x55555555, 0xaaaaaaaa, 0xfffffffe, 0x7fffffff,
			      0xff, 0xff000000, 0x00010000, 0xfffeffff,
			      0x12345678, 0xedcba987, 0x0f0f0f0f, 0xf0f0f0f0,
			      0x3, 0xfffffffc };
	const u32 others[] = { 0x33333333, 0xcccccccc, 0x0000ffff };
	for (u32 mask : masks)
		for (u32 other : others) {
			Args a = { mask, other, ~0u, sink.data };
			LAUNCH(run<Shape>, 1, 32, 0, a, out.data);
			std::vector<u64> t = out.read(128);
			u64 first[4] = { 0, 0, 0, 0 };
			for (int i = 0; i < 128; i++)
				if (t[i] && (!first[i % 4] ||
					     t[i] < first[i % 4]))
					first[i % 4] = t[i];
			double shown = 0;
			for (int n = 0; n < 4; n++) {
				int next = -1;
				for (int k = 0; k < 4; k++)
					if (first[k] && (next < 0 ||
							 first[k] < first[next]))
						next = k;
				if (next < 0)
					break;
				shown = shown * 10 + next + 1;
				first[next] = 0;
			}
			row(name, "-", shown, "mask=%08x,other=%08x", mask,
			    other);
		}
}

int main()
{
	part = "sides";
	Buffer<u64> out(128);
	Buffer<u32> sink(128);
	sink.zero();
#define ORDER(shape) order<shape>(#shape, out, sink);
	ORDER(both) ORDER(both_not) ORDER(long_first) ORDER(long_second)
	ORDER(skips_on) ORDER(leaves_loop) ORDER(leaves_early)
	ORDER(skips_rest) ORDER(nested) ORDER(cases) ORDER(either)
	ORDER(search) ORDER(stores) ORDER(loads)
	return 0;
}
