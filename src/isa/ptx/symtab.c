#include "isa/ptx/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "isa/ptx/lex.h"

static struct px_place *symtab_place(const struct px_atoms *s, const char *text,
				     size_t size, uint32_t hash)
{
	uint32_t i = (hash ^ hash >> 15) & s->mask;

	for (;; i = (i + 1) & s->mask) {
		struct px_place *at = &s->slot[i];

		if (!at->atom || (at->hash == hash && at->atom->size == size &&
				  !memcmp(at->atom->text, text, size)))
			return at;
	}
}

static bool symtab_grow(struct px_atoms *s)
{
	uint32_t size = s->slot ? (s->mask + 1) * 2 : 2048;
	struct px_atoms old = *s;

	s->slot = calloc(size, sizeof(*s->slot));
	if (!s->slot) {
		s->slot = old.slot;
		return false;
	}
	s->mask = size - 1;
	for (uint32_t i = 0; old.slot && i <= old.mask; i++) {
		struct px_atom *a = old.slot[i].atom;

		if (a)
			*symtab_place(s, a->text, a->size, old.slot[i].hash) =
				old.slot[i];
	}
	free(old.slot);
	return true;
}

struct px_atom *px_find(const struct px_atoms *s, const char *text, size_t size,
			uint32_t hash)
{
	return symtab_place(s, text, size, hash)->atom;
}

struct px_atom *px_intern(struct px_atoms *s, const char *text, size_t size,
			  uint32_t hash)
{
	struct px_place *at = symtab_place(s, text, size, hash);
	struct px_atom *a = at->atom;
	char *copy;

	if (a)
		return a;
	if (s->count >= s->mask / 2) {
		if (!symtab_grow(s))
			return NULL;
		at = symtab_place(s, text, size, hash);
	}
	a = arena_alloc(s->arena, 1, sizeof(*a) + size + 1);
	if (!a)
		return NULL;
	copy = (char *)(a + 1); /* adjacent: a lookup reads both */
	memcpy(copy, text, size);
	a->text = copy;
	a->size = (uint32_t)size;
	*at = (struct px_place){ a, hash };
	s->count++;
	return a;
}

static struct px_atom *intern_text(struct px_atoms *s, const char *text)
{
	size_t n = strlen(text);

	return px_intern(s, text, n, ptx_hash(text, n));
}

static bool add_sregs(struct px_atoms *s)
{
	for (int i = 0; i < PTX_SREG_COUNT; i++) {
		const char *text = ptx_sregs[i].text;
		size_t n = strcspn(text, ".");
		struct px_atom *a = px_intern(s, text, n, ptx_hash(text, n));

		if (!a)
			return false;
		if (!a->sreg)
			a->sreg = (uint16_t)(i + 1);
	}
	return true;
}

bool px_atoms_init(struct px_atoms *s, struct arena *arena)
{
	static const char *const words[PX_WORD_COUNT] = {
#define WORD(id, text) [PX_##id] = text,
#include "isa/ptx/word.def"
	};
	struct px_atom *a;

	*s = (struct px_atoms){ .arena = arena };
	if (!symtab_grow(s))
		return false;
	for (int i = 1; i < PX_WORD_COUNT; i++) {
		a = intern_text(s, words[i]);
		if (!a)
			return false;
		a->word = (uint16_t)i;
	}
	for (int i = 0; i < PTX_TYPE_COUNT; i++) {
		a = intern_text(s, ptx_types[i].text);
		if (!a)
			return false;
		a->type = (uint8_t)(i + 1);
	}
	return add_sregs(s);
}

void px_atoms_free(struct px_atoms *s)
{
	free(s->slot);
	s->slot = NULL;
}

struct px_sym *px_find_range(const struct px_atoms *s,
			     const struct px_atom *name, uint32_t depth,
			     bool *twice)
{
	struct px_sym *best = NULL;
	uint32_t digits = 0;
	uint64_t number = 0, scale = 1;

	*twice = false;
	while (digits < name->size - 1 && digits < 10) {
		char c = name->text[name->size - 1 - digits];
		uint32_t size = name->size - ++digits;
		struct px_atom *a;

		if (c < '0' || c > '9')
			break;
		number += (uint64_t)(c - '0') * scale;
		scale *= 10;
		if (c == '0' && digits > 1)
			continue; /* %r05 is not the fifth of %r<9> */
		a = px_find(s, name->text, size, ptx_hash(name->text, size));
		if (!a || !a->range || number >= a->range->count ||
		    a->range->depth < depth)
			continue;
		*twice = best && best->depth == a->range->depth;
		if (!best || a->range->depth > best->depth)
			best = a->range;
	}
	return best;
}
