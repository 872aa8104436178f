/*
 * Random replacement: evicts any line, each with the same probability.
 *
 * The generator is an xorshift with a multiplied output. Its state belongs to
 * the whole cache, so equal seeds give equal victims.
 */
#include "mem/replace.h"

static void random_init(uint64_t *shared, uint64_t seed)
{
	/* Never 0, which xorshift would not leave. */
	*shared = (seed + UINT64_C(0x9e3779b97f4a7c15)) *
			  UINT64_C(0xbf58476d1ce4e5b9) |
		  1;
}

static uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t random_victim(const struct replace_set *s)
{
	uint32_t n = 0, k;

	for (uint32_t i = 0; i < s->ways; i++)
		n += !replace_in_flight(s, i);
	k = (uint32_t)((random_next(s->shared) >> 32) * n >> 32);
	for (uint32_t i = 0;; i++)
		if (!replace_in_flight(s, i) && k-- == 0)
			return i;
}

const struct replace_ops replace_random = {
	.name = "random",
	.init = random_init,
	.victim = random_victim,
};
