#include "mem/cgm/tlb.h"

/* Page tables lie above what programs address; 512 entries of 8 bytes a page, a
 * region for each level. */
enum { WALK_LEVEL_BIT = CGM_ADDRESS_BITS - 4, WALK_INDEX_BITS = 9 };

bool cgm_tlb_init(struct cgm_tlb *t, struct arena *a, uint32_t sets,
		  uint32_t ways, uint64_t page)
{
	bool power = page > CGM_BLOCK && !(page & (page - 1));

	*t = (struct cgm_tlb){
		.sets = sets,
		.ways = ways,
		.page = page,
		.shift = power ? (unsigned)__builtin_ctzll(page / CGM_BLOCK) : 0
	};
	t->entry = arena_new(a, struct cgm_tlb_entry, (size_t)sets * ways);
	return t->entry;
}

static struct cgm_tlb_entry *cgm_tlb_set(const struct cgm_tlb *t, uint64_t page)
{
	return &t->entry[(page & (t->sets - 1)) * t->ways];
}

bool cgm_tlb_lookup(struct cgm_tlb *t, uint64_t page)
{
	struct cgm_tlb_entry *e = cgm_tlb_set(t, page);

	for (uint32_t i = 0; i < t->ways; i++)
		if (e[i].page == page + 1) {
			e[i].used = ++t->clock;
			t->hits++;
			return true;
		}
	return false;
}

void cgm_tlb_fill(struct cgm_tlb *t, uint64_t page)
{
	struct cgm_tlb_entry *e = cgm_tlb_set(t, page), *to = e;

	for (uint32_t i = 1; i < t->ways; i++)
		if (e[i].used < to->used)
			to = &e[i];
	*to = (struct cgm_tlb_entry){ page + 1, ++t->clock };
	t->misses++;
}

uint64_t cgm_walk_block(uint64_t page, unsigned level, unsigned levels)
{
	uint64_t index = page >> WALK_INDEX_BITS * (levels - 1 - level);
	uint64_t address = (UINT64_C(1) << CGM_ADDRESS_BITS) +
			   ((uint64_t)level << WALK_LEVEL_BIT) + index * 8;

	return address / CGM_BLOCK;
}
