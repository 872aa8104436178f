#include "sm/tlb.h"

#include <string.h>

#include "base/minmax.h"

void tlb_init(struct tlb *t, const struct cfg *cfg, const bitmap_word *known)
{
	uint64_t region = (uint64_t)cfg->tlb.region;

	memset(t, 0, sizeof(*t));
	t->last = UINT64_MAX;
	if (!region || cfg->mem.kind == CFG_MEM_LATENCY)
		return;
	t->known = known;
	t->shift = (unsigned)__builtin_ctzll(region / CHUNK_BYTES);
	t->latency = (cycle_t)cfg->tlb.walk_latency;
	t->interval = (cycle_t)cfg->tlb.walk_interval;
}

static void forget_walks(struct tlb *t, cycle_t now)
{
	uint32_t n = 0;

	while (n < t->walks && t->walk[n].ready <= now)
		n++;
	t->walks -= n;
	memmove(t->walk, t->walk + n, t->walks * sizeof(*t->walk));
}

/* Begins a walk, or returns when there is room for one. */
static cycle_t begin_walk(struct tlb *t, uint32_t region, cycle_t now)
{
	cycle_t start = max_u64(now, t->next);

	forget_walks(t, now);
	if (t->walks == TLB_WALKS)
		return t->walk[0].ready;
	t->next = start + t->interval;
	t->busy = start + t->latency;
	t->mine[region / 64] |= UINT64_C(1) << region % 64;
	t->used = true;
	t->walk[t->walks++] = (struct tlb_walk){ t->busy, region };
	return t->busy;
}

static cycle_t walk_ready(const struct tlb *t, uint32_t region)
{
	for (uint32_t i = 0; i < t->walks; i++)
		if (t->walk[i].region == region)
			return t->walk[i].ready;
	return 0;
}

cycle_t tlb_look_up(struct tlb *t, uint64_t region, cycle_t now)
{
	uint32_t bit = (uint32_t)(region % TLB_REGIONS);
	cycle_t at = now;

	if (t->mine[bit / 64] >> bit % 64 & 1)
		at = t->busy <= now ? now : max_u64(now, walk_ready(t, bit));
	else if (!bitmap_has(t->known, bit))
		at = begin_walk(t, bit, now);
	if (at <= now)
		t->last = region;
	return at;
}

void tlb_share(struct tlb *t, bitmap_word *known)
{
	if (!t->used)
		return;
	for (uint32_t i = 0; i < TLB_REGIONS / 64; i++)
		bitmap_add(known, i, t->mine[i]);
	memset(t->mine, 0, sizeof(t->mine));
	t->used = false;
	t->walks = 0;
}

void tlb_learn(bitmap_word *known, const struct cfg *cfg, uint64_t address,
	       uint64_t bytes)
{
	uint64_t size = (uint64_t)cfg->tlb.region, last;

	if (!size || !cfg->tlb.copies || !bytes)
		return;
	last = (address + bytes - 1) / size;
	for (uint64_t r = address / size, n = 0; r <= last && n < TLB_REGIONS;
	     r++, n++)
		bitmap_add(known, (uint32_t)(r % TLB_REGIONS / 64),
			   UINT64_C(1) << r % 64);
}
