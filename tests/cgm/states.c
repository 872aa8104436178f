#include "cgm/states.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

void states_init(struct states *s)
{
	*s = (struct states){ .mask = (1 << 12) - 1,
			      .room = 1 << 11,
			      .bytes_room = 1 << 16 };
	s->slot = calloc(s->mask + 1, sizeof(*s->slot));
	s->start = calloc(s->room + 1, sizeof(*s->start));
	s->byte = malloc(s->bytes_room);
	CHECK(s->slot && s->start && s->byte);
}

void states_free(struct states *s)
{
	free(s->slot);
	free(s->start);
	free(s->byte);
}

static uint32_t hash_of(const uint8_t *p, unsigned size)
{
	uint64_t h = size;

	for (unsigned i = 0; i < size; i++)
		h = (h ^ p[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)((h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

const uint8_t *states_get(const struct states *s, uint32_t number,
			  unsigned *size)
{
	*size = (unsigned)(s->start[number + 1] - s->start[number]);
	return s->byte + s->start[number];
}

/* The slot where a state is, or the empty one where it would be. */
static uint32_t *slot_of(const struct states *s, const uint8_t *byte,
			 unsigned size)
{
	uint32_t at = hash_of(byte, size) & s->mask;

	for (; s->slot[at]; at = (at + 1) & s->mask) {
		unsigned n;
		const uint8_t *p = states_get(s, s->slot[at] - 1, &n);

		if (n == size && !memcmp(p, byte, n))
			break;
	}
	return &s->slot[at];
}

static void grow(struct states *s)
{
	s->room *= 2;
	s->mask = 2 * s->mask + 1;
	free(s->slot);
	s->slot = calloc((size_t)s->mask + 1, sizeof(*s->slot));
	s->start = realloc(s->start, ((size_t)s->room + 1) * sizeof(*s->start));
	CHECK(s->slot && s->start);
	for (uint32_t i = 0; i < s->count; i++) {
		unsigned size;
		const uint8_t *p = states_get(s, i, &size);
		uint32_t at = hash_of(p, size) & s->mask;

		while (s->slot[at])
			at = (at + 1) & s->mask;
		s->slot[at] = i + 1;
	}
}

uint32_t states_add(struct states *s, const uint8_t *byte, unsigned size,
		    bool *added)
{
	uint32_t *slot = slot_of(s, byte, size);
	uint64_t at = s->start[s->count];

	*added = !*slot;
	if (*slot)
		return *slot - 1;
	if (at + size > s->bytes_room) {
		s->bytes_room *= 2;
		s->byte = realloc(s->byte, s->bytes_room);
		CHECK(s->byte);
	}
	memcpy(s->byte + at, byte, size);
	*slot = ++s->count;
	s->start[s->count] = at + size;
	if (s->count == s->room)
		grow(s);
	return s->count - 1;
}

uint32_t states_find(const struct states *s, const uint8_t *byte, unsigned size)
{
	return *slot_of(s, byte, size) - 1;
}

uint64_t states_bytes(const struct states *s)
{
	return ((uint64_t)s->mask + 1) * sizeof(*s->slot) +
	       ((uint64_t)s->room + 1) * sizeof(*s->start) + s->bytes_room;
}
