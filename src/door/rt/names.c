#include "door/rt/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static uint64_t names_hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h;
}

/* The slot of the name, or the one where it would go. The number of slots is a
 * power of two, and half of them are free. */
static size_t *names_slot(const struct names *n, const char *name)
{
	size_t i = (size_t)names_hash(name) & (n->slot_count - 1);

	while (n->slots[i] && strcmp(n->at[n->slots[i] - 1], name))
		i = (i + 1) & (n->slot_count - 1);
	return &n->slots[i];
}

static bool names_grow(struct names *n)
{
	size_t room = n->room ? 2 * n->room : 32;
	char **at = realloc(n->at, room * sizeof(*at));
	size_t *slots = calloc(2 * room, sizeof(*slots));

	n->at = at ? at : n->at;
	if (!at || !slots) {
		free(slots);
		return false;
	}
	free(n->slots);
	n->slots = slots;
	n->slot_count = 2 * room;
	n->room = room;
	for (size_t i = 0; i < n->count; i++)
		*names_slot(n, n->at[i]) = i + 1;
	return true;
}

size_t names_index(struct names *n, const char *name)
{
	size_t *slot = n->slots ? names_slot(n, name) : NULL;
	char *copy;

	if (slot && *slot)
		return *slot - 1;
	if (n->count == n->room && !names_grow(n))
		return NAMES_FULL;
	copy = strdup(name);
	if (!copy)
		return NAMES_FULL;
	n->at[n->count++] = copy;
	*names_slot(n, name) = n->count;
	return n->count - 1;
}

void names_free(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->at[i]);
	free(n->at);
	free(n->slots);
	*n = (struct names){ 0 };
}
