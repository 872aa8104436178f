/*
 * Kernels with much code: a mixing function of 240 different rounds in a row, and
 * an interpreter with a case for each of 48 operations, of which warps, or parts
 * of a warp, take others: instructions come from far apart.
 *
 * SIZE: threads of the largest launch.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "big_kernel", "threads", 16384, 128, 1 << 20 };

/* Round R; the constants make each one different. */
template <int R> __host__ __device__ static inline void round_of(unsigned s[8])
{
	const int a = R % 8, b = (R * 3 + 1) % 8, c = (R * 5 + 2) % 8;
	const int turn = R * 7 % 31 + 1;

	s[a] += (s[b] << turn | s[b] >> (32 - turn)) ^ (0x9e3779b9u * (R + 1));
	s[c] ^= s[a] * (2 * R + 0x01000193u);
	s[b] = s[b] > s[c] ? s[b] - s[c] : s[c] + R;
	s[(R + 4) % 8] += s[a] >> R % 32 & s[c];
}

/* COUNT rounds from FIRST on; halved, as compilers limit the depth. */
template <int FIRST, int COUNT> struct rounds {
	__host__ __device__ static inline void run(unsigned s[8])
	{
		rounds<FIRST, COUNT / 2>::run(s);
		rounds<FIRST + COUNT / 2, COUNT - COUNT / 2>::run(s);
	}
};

template <int FIRST> struct rounds<FIRST, 1> {
	__host__ __device__ static inline void run(unsigned s[8])
	{
		round_of<FIRST>(s);
	}
};

__host__ __device__ static inline unsigned mix(unsigned seed, int times)
{
	unsigned s[8], sum = 0;

	for (int k = 0; k < 8; k++)
		s[k] = seed * (2 * k + 1) + k;
	for (int t = 0; t < times; t++)
		rounds<0, 240>::run(s);
	for (int k = 0; k < 8; k++)
		sum = sum * 31 + s[k];
	return sum;
}

__global__ void mixed(int n, int times, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = mix(i, times);
}

/* Operation `op` on a state: the first rounds of the mixing function, each
 * behind a branch of its own. */
__host__ __device__ static inline void operate(int op, unsigned s[8])
{
	switch (op) {
	case 0:
		round_of<0>(s);
		round_of<60>(s);
		break;
	case 1:
		round_of<1>(s);
		round_of<61>(s);
		break;
	case 2:
		round_of<2>(s);
		round_of<62>(s);
		break;
	case 3:
		round_of<3>(s);
		round_of<63>(s);
		break;
	case 4:
		round_of<4>(s);
		round_of<64>(s);
		break;
	case 5:
		round_of<5>(s);
		round_of<65>(s);
		break;
	case 6:
		round_of<6>(s);
		round_of<66>(s);
		break;
	case 7:
		round_of<7>(s);
		round_of<67>(s);
		break;
	case 8:
		round_of<8>(s);
		round_of<68>(s);
		break;
	case 9:
		round_of<9>(s);
		round_of<69>(s);
		break;
	case 10:
		round_of<10>(s);
		round_of<70>(s);
		break;
	case 11:
		round_of<11>(s);
		round_of<71>(s);
		break;
	case 12:
		round_of<12>(s);
		round_of<72>(s);
		break;
	case 13:
		round_of<13>(s);
		round_of<73>(s);
		break;
	case 14:
		round_of<14>(s);
		round_of<74>(s);
		break;
	case 15:
		round_of<15>(s);
		round_of<75>(s);
		break;
	case 16:
		round_of<16>(s);
		round_of<76>(s);
		break;
	case 17:
		round_of<17>(s);
		round_of<77>(s);
		break;
	case 18:
		round_of<18>(s);
		round_of<78>(s);
		break;
	case 19:
		round_of<19>(s);
		round_of<79>(s);
		break;
	case 20:
		round_of<20>(s);
		round_of<80>(s);
		break;
	case 21:
		round_of<21>(s);
		round_of<81>(s);
		break;
	case 22:
		round_of<22>(s);
		round_of<82>(s);
		break;
	case 23:
		round_of<23>(s);
		round_of<83>(s);
		break;
	case 24:
		round_of<24>(s);
		round_of<84>(s);
		break;
	case 25:
		round_of<25>(s);
		round_of<85>(s);
		break;
	case 26:
		round_of<26>(s);
		round_of<86>(s);
		break;
	case 27:
		round_of<27>(s);
		round_of<87>(s);
		break;
	case 28:
		round_of<28>(s);
		round_of<88>(s);
		break;
	case 29:
		round_of<29>(s);
		round_of<89>(s);
		break;
	case 30:
		round_of<30>(s);
		round_of<90>(s);
		break;
	case 31:
		round_of<31>(s);
		round_of<91>(s);
		break;
	case 32:
		round_of<32>(s);
		round_of<92>(s);
		break;
	case 33:
		round_of<33>(s);
		round_of<93>(s);
		break;
	case 34:
		round_of<34>(s);
		round_of<94>(s);
		break;
	case 35:
		round_of<35>(s);
		round_of<95>(s);
		break;
	case 36:
		round_of<36>(s);
		round_of<96>(s);
		break;
	case 37:
		round_of<37>(s);
		round_of<97>(s);
		break;
	case 38:
		round_of<38>(s);
		round_of<98>(s);
		break;
	case 39:
		round_of<39>(s);
		round_of<99>(s);
		break;
	case 40:
		round_of<40>(s);
		round_of<100>(s);
		break;
	case 41:
		round_of<41>(s);
		round_of<101>(s);
		break;
	case 42:
		round_of<42>(s);
		round_of<102>(s);
		break;
	case 43:
		round_of<43>(s);
		round_of<103>(s);
		break;
	case 44:
		round_of<44>(s);
		round_of<104>(s);
		break;
	case 45:
		round_of<45>(s);
		round_of<105>(s);
		break;
	case 46:
		round_of<46>(s);
		round_of<106>(s);
		break;
	case 47:
		round_of<47>(s);
		round_of<107>(s);
		break;
	}
}

/* Threads of a group of `group` run the same program. */
__host__ __device__ static inline unsigned interpret(unsigned i, int group,
						     int steps)
{
	unsigned s[8], sum = 0, program = i / group * 2654435761u;

	for (int k = 0; k < 8; k++)
		s[k] = i * (2 * k + 1) + k;
	for (int t = 0; t < steps; t++) {
		program = program * 1664525u + 1013904223u;
		operate((program >> 16) % 48, s);
	}
	for (int k = 0; k < 8; k++)
		sum = sum * 31 + s[k];
	return sum;
}

__global__ void interpreted(int n, int group, int steps, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = interpret(i, group, steps);
}

static void run(int n, int times, int group, int steps)
{
	array<unsigned> out(n), want(n);

	mixed<<<blocks_of(n, THREADS), THREADS>>>(n, times, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		want[i] = mix(i, times);
	out.download();
	check_exact(&self, out.host, want.host, n, "mixed");
	interpreted<<<blocks_of(n, THREADS), THREADS>>>(n, group, steps,
							out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		want[i] = interpret(i, group, steps);
	out.download();
	check_exact(&self, out.host, want.host, n, "interpreted");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(32, 2, 32, 60);
	run(n / 8, 1, 32, 40);
	run(n / 16, 1, 8, 10);
	run(n, 1, 128, 40);
	return report(&self);
}
