/*
 * Fast loads and stores of a word of global memory for every lane, if the words
 * of each half of the warp are consecutive (64 bytes), and time is modelled.
 *
 * Most programs access their arrays like this. The words are copied as two
 * pieces, and the effect has the addresses of these instead of 32. In
 * functional mode this is not possible: blocks on other host threads may touch
 * the same words.
 */
#include <string.h>

#include "simt/block.h"
#include "simt/mem.h"
#include "simt/mem_quick.h"
#include "simt/view.h"

enum { WORD = 4, PART = 4, PARTS = VIEW_HALF / PART };

typedef uint64_t part_t __attribute__((vector_size(PART * sizeof(uint64_t))));

/* 0 if the address of each lane of a half is that of its first lane plus as
 * many words. */
static inline uint64_t strays(const uint64_t *from)
{
	const part_t lane = { 0, WORD, 2 * WORD, 3 * WORD };
	part_t first = lane + from[0], stray = { 0 }, part;

	for (int i = 0; i < PARTS; i++) {
		memcpy(&part, from + i * PART, sizeof(part));
		stray |= part ^ (first + (uint64_t)(i * PART * WORD));
	}
	return (stray[0] | stray[1]) | (stray[2] | stray[3]);
}

/* Whether the words of each half are consecutive, and their addresses. */
static inline bool find_halves(struct warp *w, const struct inst *in,
			       const uint64_t *from, uint64_t half[2],
			       char *host[2])
{
	const struct range *r;

	if (!from || !lanes_are_all(w->mask) || in->d == SLOT_NONE ||
	    (in->space != SPACE_GLOBAL && in->space != SPACE_GENERIC))
		return false;
	if (strays(from) | strays(from + VIEW_HALF))
		return false;
	for (int i = 0; i < 2; i++) {
		half[i] = from[i * VIEW_HALF] + (uint64_t)in->offset;
		if (half[i] % WORD || half[i] < GMEM_BASE_32)
			return false;
		r = mem_range(w, in, half[i], VIEW_HALF * WORD);
		if (!r)
			return false;
		host[i] = r->host + (half[i] - r->base);
	}
	return true;
}

bool load_halves(struct warp *w, const struct inst *in, const uint64_t *from)
{
	struct view *v = warp_view(w);
	struct effect *e = w->effect;
	char *to, *host[2];

	if (!find_halves(w, in, from, e->half, host) ||
	    !view_misses_halves(v, e->half))
		return false;
	to = slot_at(w, in->d);
	memcpy(to, host[0], VIEW_HALF * WORD);
	memcpy(to + VIEW_HALF * WORD, host[1], VIEW_HALF * WORD);
	effect_set_pattern(e, KIND_LOAD, EFFECT_HALVES, EFFECT_WORD);
	return true;
}

bool store_halves(struct warp *w, const struct inst *in)
{
	struct view *v = warp_view(w);
	struct effect *e = w->effect;
	uint64_t room[LANES];
	const char *from;
	char *host[2];

	if (!find_halves(w, in, mem_wide_register(w, in, room), e->half, host))
		return false;
	from = slot_at(w, in->d);
	view_begin(v);
	view_write(v, e->half[0], host[0], from, VIEW_HALF * WORD);
	view_write(v, e->half[1], host[1], from + VIEW_HALF * WORD,
		   VIEW_HALF * WORD);
	effect_set_pattern(e, KIND_STORE, EFFECT_HALVES, EFFECT_WORD);
	return true;
}
