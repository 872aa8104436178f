/*
 * Tree pseudo-LRU: a binary tree over the ways, one bit for each inner node.
 *
 * A node's bit names the child to evict from. An access or insertion makes
 * every node on the path to its way point to the other child; the victim is
 * where the bits lead from the root.
 *
 * Any number of ways is possible. The nodes are those of a heap: node 1 is the
 * root, node n has the children 2n and 2n + 1, the inner nodes are 1 to
 * ways - 1, and node ways + w is the leaf of way w. With a power of two that is
 * the usual tree. Otherwise the depths of two leaves differ by one at most, and
 * the first ways, which lie one level higher, are evicted more often.
 *
 * Where all leaves below a child are in flight, the victim is sought below the
 * other one; the bits stay as they are.
 */
#include "mem/replace.h"
#include "mem/tags.h"

/* state[n] is the bit of inner node n; state[0] is not used. */
static void plru_touch(const struct replace_set *s, uint32_t way)
{
	for (uint32_t n = s->ways + way; n > 1; n /= 2)
		s->state[n / 2] = n % 2 == 0;
}

static uint32_t plru_victim(const struct replace_set *s)
{
	bool open[2 * TAGS_WAYS_MAX]; /* a way below is not in flight */
	uint32_t n = 1;

	for (uint32_t i = 0; i < s->ways; i++)
		open[s->ways + i] = !replace_in_flight(s, i);
	for (uint32_t i = s->ways - 1; i > 0; i--)
		open[i] = open[2 * i] || open[2 * i + 1];
	while (n < s->ways) {
		uint32_t child = 2 * n + s->state[n];

		n = open[child] ? child : child ^ 1;
	}
	return n - s->ways;
}

const struct replace_ops replace_plru = {
	.name = "plru",
	.way_state = true,
	.touch = plru_touch,
	.insert = plru_touch,
	.victim = plru_victim,
};
