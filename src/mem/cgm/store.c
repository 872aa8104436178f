/* What memory holds: a hash table of pages, made when they are written. */
#include <stdlib.h>
#include <string.h>

#include "mem/cgm/memory.h"

enum { STORE_BLOCKS = 64 }; /* of a page */

struct cgm_store_page {
	uint64_t number;
	struct cgm_store_page *next;
	uint8_t data[STORE_BLOCKS][CGM_BLOCK];
};

struct cgm_store {
	struct cgm_store_page **slot;
	uint64_t mask, pages;
};

struct cgm_store *cgm_store_new(void)
{
	struct cgm_store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->mask = 1023;
	s->slot = calloc(s->mask + 1, sizeof(*s->slot));
	if (!s->slot) {
		free(s);
		return NULL;
	}
	return s;
}

void cgm_store_free(struct cgm_store *s)
{
	if (!s)
		return;
	for (uint64_t i = 0; i <= s->mask; i++)
		while (s->slot[i]) {
			struct cgm_store_page *p = s->slot[i];

			s->slot[i] = p->next;
			free(p);
		}
	free(s->slot);
	free(s);
}

static struct cgm_store_page **cgm_store_slot(const struct cgm_store *s,
					      uint64_t number)
{
	return &s->slot[(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & s->mask];
}

static struct cgm_store_page *cgm_store_find(const struct cgm_store *s,
					     uint64_t number)
{
	struct cgm_store_page *p = *cgm_store_slot(s, number);

	while (p && p->number != number)
		p = p->next;
	return p;
}

/* Keeps chains short; if there is no memory for that, they get longer. */
static void cgm_store_grow(struct cgm_store *s)
{
	struct cgm_store old = *s;

	s->slot = calloc(2 * (old.mask + 1), sizeof(*s->slot));
	if (!s->slot) {
		*s = old;
		return;
	}
	s->mask = 2 * old.mask + 1;
	for (uint64_t i = 0; i <= old.mask; i++)
		while (old.slot[i]) {
			struct cgm_store_page *p = old.slot[i], **to;

			old.slot[i] = p->next;
			to = cgm_store_slot(s, p->number);
			p->next = *to;
			*to = p;
		}
	free(old.slot);
}

void cgm_store_read(const struct cgm_store *s, uint64_t block, uint8_t *data)
{
	struct cgm_store_page *p = cgm_store_find(s, block / STORE_BLOCKS);

	if (p)
		memcpy(data, p->data[block % STORE_BLOCKS], CGM_BLOCK);
	else
		memset(data, 0, CGM_BLOCK);
}

bool cgm_store_write(struct cgm_store *s, uint64_t block, const uint8_t *data,
		     uint64_t mask)
{
	uint64_t number = block / STORE_BLOCKS;
	struct cgm_store_page *p = cgm_store_find(s, number), **to;

	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return false;
		if (++s->pages > s->mask)
			cgm_store_grow(s);
		to = cgm_store_slot(s, number);
		p->number = number;
		p->next = *to;
		*to = p;
	}
	cgm_merge(p->data[block % STORE_BLOCKS], data, mask);
	return true;
}

uint64_t cgm_store_bytes(const struct cgm_store *s)
{
	return s->pages * STORE_BLOCKS * CGM_BLOCK;
}
