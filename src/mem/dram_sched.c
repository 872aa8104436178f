#include "mem/dram_sched.h"

#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))

void dram_queue_init(struct dram_queue *q, uint32_t limit, uint32_t starve,
		     uint32_t pseudo)
{
	CHECK(limit >= 1 && limit <= DRAM_MAX_QUEUE);
	memset(q, 0, sizeof(*q));
	q->free = UINT64_MAX >> (DRAM_MAX_QUEUE - limit);
	q->starve = starve;
	q->pseudo_mask = pseudo - 1;
}

struct dram_entry *dram_queue_add(struct dram_queue *q, uint32_t bank)
{
	uint8_t slot = (uint8_t)__builtin_ctzll(q->free);
	struct dram_entry *e = &q->entry[slot];
	uint64_t bit = BIT(bank);

	q->free &= q->free - 1;
	q->bank_at[q->count] = (uint8_t)bank;
	q->of_pseudo[bank & q->pseudo_mask] |= BIT(q->count);
	q->position[slot] = (uint8_t)q->count;
	q->count++;
	e->bank = (uint8_t)bank;
	e->row_result = DRAM_HIT;
	e->next = DRAM_NONE;
	if (q->waiting & bit) {
		e->prev = q->last[bank];
		q->entry[e->prev].next = slot;
	} else {
		e->prev = DRAM_NONE;
		q->first[bank] = slot;
		q->waiting |= bit;
	}
	q->last[bank] = slot;
	return e;
}

/* The oldest request for the row, from `slot` on, becomes the bank's hit. */
static void find_hit(struct dram_queue *q, uint32_t bank, uint8_t slot,
		     uint64_t row)
{
	while (slot != DRAM_NONE && q->entry[slot].row != row)
		slot = q->entry[slot].next;
	q->hit[bank] = slot;
	if (slot == DRAM_NONE)
		q->hits &= ~BIT(bank);
	else
		q->hits |= BIT(bank);
}

void dram_queue_open(struct dram_queue *q, uint32_t bank, uint64_t row)
{
	find_hit(q, bank, q->waiting & BIT(bank) ? q->first[bank] : DRAM_NONE,
		 row);
}

static void unlink_bank(struct dram_queue *q, struct dram_entry *e)
{
	uint32_t bank = e->bank;

	if (e->prev == DRAM_NONE)
		q->first[bank] = e->next;
	else
		q->entry[e->prev].next = e->next;
	if (e->next == DRAM_NONE)
		q->last[bank] = e->prev;
	else
		q->entry[e->next].prev = e->prev;
	if (q->first[bank] == DRAM_NONE)
		q->waiting &= ~BIT(bank);
}

/* Forgets all positions but the older ones. */
static void forget_position(struct dram_queue *q, uint64_t older)
{
	for (int i = 0; i < WANT_COUNT; i++)
		q->ready[i] &= older;
	for (int i = 0; i < DRAM_MAX_PSEUDO; i++)
		q->of_pseudo[i] &= older;
}

/* Moves younger requests down by one position. Treats all entries alike, free
 * ones too, so that the loop has a fixed length and is vectorised. */
static void close_gap(struct dram_queue *q, uint8_t gap)
{
	uint64_t older = BIT(gap) - 1;

	if (gap + 1u == q->count) { /* there are none */
		forget_position(q, older);
		return;
	}
	for (int i = 0; i < WANT_COUNT; i++)
		q->ready[i] = (q->ready[i] & older) |
			      (q->ready[i] >> 1 & ~older);
	for (int i = 0; i < DRAM_MAX_PSEUDO; i++)
		q->of_pseudo[i] = (q->of_pseudo[i] & older) |
				  (q->of_pseudo[i] >> 1 & ~older);
	for (int i = 0; i < DRAM_MAX_QUEUE; i++)
		q->position[i] =
			(uint8_t)(q->position[i] - (q->position[i] > gap));
	for (uint8_t i = 0; i < DRAM_MAX_QUEUE; i++) {
		uint8_t same = q->bank_at[i], younger = q->bank_at[i + 1];

		q->bank_at[i] = i < gap ? same : younger;
	}
}

void dram_queue_remove_hit(struct dram_queue *q, uint32_t bank)
{
	uint8_t slot = q->hit[bank];
	uint8_t gap = q->position[slot];
	struct dram_entry *e = &q->entry[slot];

	find_hit(q, bank, e->next, e->row);
	unlink_bank(q, e);
	close_gap(q, gap);
	q->free |= BIT(slot);
	q->count--;
	q->passed = gap ? q->passed + 1 : 0;
}

void dram_queue_remove_last(struct dram_queue *q)
{
	uint32_t bank = q->bank_at[0];

	q->free |= BIT(q->first[bank]);
	q->first[bank] = q->last[bank] = DRAM_NONE;
	q->waiting = q->hits = 0;
	q->count = q->passed = 0;
	forget_position(q, 0);
}

const struct dram_policy dram_frfcfs = { .name = "frfcfs" };
const struct dram_policy dram_fcfs = { .name = "fcfs", .in_order = true };

const struct dram_policy *const dram_policies[] = {
	&dram_frfcfs,
	&dram_fcfs,
	NULL,
};

const struct dram_policy *dram_policy(const char *name)
{
	for (int i = 0; dram_policies[i]; i++)
		if (strcmp(dram_policies[i]->name, name) == 0)
			return dram_policies[i];
	return NULL;
}

const char *dram_policy_name(const struct dram_policy *p)
{
	return p->name;
}
