// Lanes that leave straight code, loops and a switch one group after the other, for a
// place where all of them meet: how many instructions that takes depends on which groups
// wait apart from each other. The sizes of the groups are those that leave at each of
// eight steps, then those that stay. One warp; the value is a metric of a launch.
#include <string>

#include "micro.cuh"

enum { STEPS = 8, EVENTS = 256 };

struct Args {
	const u32 *leave; // the step at which a lane leaves
	u64 *log;
	u32 *count, *sink;
};

#define MIX                                                             \
	asm volatile("mad.lo.u32 %0, %0, %0, 77; xor.b32 %0, %0, 0x55;" \
		     : "+r"(x));
#define WORK MIX MIX MIX MIX
// Where a lane is, and when.
#define AT(p)                                            \
	{                                                \
		u64 t_ = now();                          \
		if (n < EVENTS)                          \
			a.log[n * 32 + l] = t_ << 8 | p; \
		n++;                                     \
	}
#define START                       \
	int l = threadIdx.x, n = 0; \
	u32 x = l, e = a.leave[l];  \
	AT(20)
#define END             \
	a.count[l] = n; \
	a.sink[l] = x;
#define STEP(k, where)      \
	if (e == k)         \
		goto where; \
	AT(k + 1) WORK

__global__ void line(Args a){
	START STEP(0, out) STEP(1, out) STEP(2, out) STEP(3, out) STEP(4, out)
		STEP(5, out) STEP(6, out) STEP(7, out) out: AT(30) END
}

__global__ void loop(Args a)
{
	START
#pragma unroll 1
	for (int i = 0; i < STEPS; i++) {
		if (e == i)
			break;
		AT(i + 1) WORK
	}
	AT(30) END
}

__global__ void tail(Args a)
{
	START
#pragma unroll 1
	for (int i = 0; i < STEPS; i++) {
		AT(i + 1) WORK if (e == i) break;
	}
	AT(30) END
}

// Those that leave at the last two steps go further than the others.
__global__ void place(Args a){
	START STEP(0, there) STEP(1, there) STEP(2, there) STEP(3, there)
		STEP(4, there) STEP(5, there) STEP(6, over) STEP(7, over)
	there: AT(9) WORK AT(10) WORK over: AT(30) END
}

__global__ void cases(Args a)
{
	START switch (e)
	{
	case 0:
		AT(1)
		WORK case 1 : AT(2) WORK case 2 : AT(3) WORK case 3
		    : AT(4) WORK case 4 : AT(5) WORK case 5 : AT(6) WORK case 6
		    : AT(7) WORK break;
	default:
		AT(8) WORK
	}
	AT(30) END
}

static u32 next_random()
{
	static u32 state = 12345;
	state = state * 1664525u + 1013904223u;
	return state >> 16;
}

// The sizes of the groups, and the step of each lane; in two of three rounds the lanes
// of a group are anywhere.
static void groups(int round, int size[STEPS + 1], u32 leave[32])
{
	int left = 32, at = 0;
	for (int k = 0; k < STEPS; k++) {
		size[k] = 0;
		if (!left)
			continue;
		int m = next_random() % 3 == 0 ? 0 : 1 + next_random() % left;
		if (round % 2 && m > 1 && next_random() % 2)
			m = 1 + m / 3;
		if (round < 20 && k > 2 + round % 4)
			m = 0;
		size[k] = m;
		left -= m;
	}
	size[STEPS] = left;
	for (u32 k = 0; k <= STEPS; k++)
		for (int i = 0; i < size[k]; i++)
			leave[at++] = k;
	for (int i = 31; round % 3 && i > 0; i--)
		std::swap(leave[i], leave[next_random() % (i + 1)]);
}

int main()
{
	part = "chain";
	Buffer<u64> log(EVENTS * 32);
	Buffer<u32> count(32), sink(32), leave(32);
	struct {
		const char *name;
		void (*kernel)(Args);
	} shapes[] = { { "line", line },
		       { "loop", loop },
		       { "tail", tail },
		       { "place", place },
		       { "cases", cases } };
	for (int round = 0; round < 70; round++) {
		int size[STEPS + 1];
		u32 at[32];
		groups(round, size, at);
		CHECK(cudaMemcpy(leave.data, at, sizeof at,
				 cudaMemcpyHostToDevice));
		std::string sizes = std::to_string(size[0]);
		for (int k = 1; k <= STEPS; k++)
			sizes += "." + std::to_string(size[k]);
		for (auto &s : shapes) {
			Args a = { leave.data, log.data, count.data,
				   sink.data };
			LAUNCH(s.kernel, 1, 32, 0, a);
			row_metric(s.name, "", "smsp__inst_executed.sum",
				   "groups=%s,round=%d", sizes.c_str(), round);
		}
	}
	return 0;
}
