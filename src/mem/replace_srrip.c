/*
 * Static re-reference interval prediction with hit priority: SRRIP-HP (Jaleel,
 * Theobald, Steely, Emer, "High Performance Cache Replacement Using
 * Re-Reference Interval Prediction (RRIP)", ISCA 2010).
 *
 * A way's state is its re-reference prediction value (RRPV): 0 predicts an
 * access at once, the maximum one in the distant future. A new line gets a long
 * interval, one below the maximum; an access sets it to 0. The victim is the
 * first way with the maximum; if there is none, all values grow until there is
 * one. So lines that are used only once leave before those in use.
 *
 * The paper does not treat lines in flight. Here they age like all others, up
 * to the maximum, but are never the victim. An access to a line in flight
 * counts like any other.
 */
#include "mem/replace.h"

enum {
	RRPV_BITS = 2, /* the paper's M */
	RRPV_IMMEDIATE = 0,
	RRPV_DISTANT = (1 << RRPV_BITS) - 1,
	RRPV_LONG = RRPV_DISTANT - 1
};

static void srrip_touch(const struct replace_set *s, uint32_t way)
{
	s->state[way] = RRPV_IMMEDIATE;
}

static void srrip_insert(const struct replace_set *s, uint32_t way)
{
	s->state[way] = RRPV_LONG;
}

/* The first of the largest values would be the first to reach the maximum. */
static uint32_t srrip_victim(const struct replace_set *s)
{
	uint32_t victim = 0;
	int max = -1, age;

	for (uint32_t i = 0; i < s->ways; i++)
		if (!replace_in_flight(s, i) && s->state[i] > max) {
			victim = i;
			max = s->state[i];
		}
	age = RRPV_DISTANT - max;
	for (uint32_t i = 0; i < s->ways; i++) {
		int value = s->state[i] + age;

		s->state[i] =
			(uint8_t)(value < RRPV_DISTANT ? value : RRPV_DISTANT);
	}
	return victim;
}

const struct replace_ops replace_srrip = {
	.name = "srrip",
	.way_state = true,
	.touch = srrip_touch,
	.insert = srrip_insert,
	.victim = srrip_victim,
};
