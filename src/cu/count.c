/* The counters of a wavefront: instructions in flight. */
#include "base/minmax.h"
#include "cu/core.h"

/* When each is complete, as the counter shows it. */
static cycle_t shown(const struct cu_count *c, unsigned i, cycle_t before)
{
	return c->in_order ? max_u64(before, c->ready[i]) : c->ready[i];
}

/* Forgets those that are complete. */
static void count_prune(struct cu_count *c, cycle_t now)
{
	cycle_t at = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++) {
		at = shown(c, i, at);
		if (at <= now) {
			c->sum = (uint8_t)(c->sum - c->weight[i]);
			continue;
		}
		c->ready[n] = c->ready[i];
		c->weight[n] = c->weight[i];
		c->id[n++] = c->id[i];
	}
	c->n = (uint8_t)n;
}

uint8_t cu_count_add(struct cu_count *c, cycle_t now, cycle_t ready,
		     unsigned weight)
{
	count_prune(c, now);
	CHECK(c->n < CU_COUNTED);
	c->ready[c->n] = ready;
	c->weight[c->n] = (uint8_t)weight;
	c->sum = (uint8_t)(c->sum + weight);
	c->next_id = (uint8_t)((c->next_id + 1) % CU_NONE);
	return c->id[c->n++] = c->next_id;
}

void cu_count_set(struct cu_count *c, uint8_t id, cycle_t ready)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->id[i] == id)
			c->ready[i] = ready;
}

/* The next one to complete, of those not in `gone`. */
static unsigned next_complete(const struct cu_count *c, uint32_t gone,
			      cycle_t *when)
{
	cycle_t at = 0;
	unsigned best = c->n;

	for (unsigned i = 0; i < c->n; i++) {
		at = shown(c, i, at);
		if (gone >> i & 1)
			continue;
		if (best == c->n || at < *when) {
			best = i;
			*when = at;
		}
	}
	return best;
}

cycle_t cu_count_below(struct cu_count *c, cycle_t now, unsigned most)
{
	cycle_t when = now;
	unsigned sum;
	uint32_t gone = 0;

	if (c->sum <= most)
		return now;
	count_prune(c, now);
	for (sum = c->sum; sum > most;) {
		unsigned i = next_complete(c, gone, &when);

		sum -= c->weight[i];
		gone |= 1u << i;
	}
	return when;
}
