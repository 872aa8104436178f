#include "mem/cgm/hot.h"

/* Its counter: a new one begins with what the one had that it replaces. */
static struct cgm_hot_block *cgm_hot_find(struct cgm_hot *h, uint64_t block)
{
	struct cgm_hot_block *least = h->at;

	for (unsigned i = 0; i < CGM_HOT_BLOCKS; i++) {
		struct cgm_hot_block *b = &h->at[i];

		if (b->count && b->block == block)
			return b;
		if (b->count < least->count)
			least = b;
	}
	*least = (struct cgm_hot_block){ .block = block,
					 .count = least->count,
					 .over = least->count };
	return least;
}

void cgm_hot_add(struct cgm_hot *h, uint64_t block, uint64_t forwards,
		 uint64_t invalidations, uint64_t recalls)
{
	struct cgm_hot_block *b = cgm_hot_find(h, block);

	b->count += forwards + invalidations + recalls;
	b->forwards += forwards;
	b->invalidations += invalidations;
	b->recalls += recalls;
}
