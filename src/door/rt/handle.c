#include "door/rt/handle.h"

#include <stdlib.h>
#include <string.h>

static size_t home(const struct handles *t, const void *p)
{
	uint64_t h = (uint64_t)(uintptr_t)p * 0x9e3779b97f4a7c15ull;

	return (size_t)(h >> 20) & (t->room - 1);
}

/* Its slot, or the empty one where it would go. */
static size_t seek(const struct handles *t, const void *p)
{
	size_t i = home(t, p);

	while (t->slots[i].p && t->slots[i].p != p)
		i = (i + 1) & (t->room - 1);
	return i;
}

static bool grow(struct handles *t)
{
	struct handles wide = { .room = t->room ? t->room * 2 : 256,
				.count = t->count };

	wide.slots = calloc(wide.room, sizeof(*wide.slots));
	if (!wide.slots)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i].p)
			wide.slots[seek(&wide, t->slots[i].p)] = t->slots[i];
	free(t->slots);
	*t = wide;
	return true;
}

bool symbol_add(struct handles *t, const void *p, enum handle_kind kind,
		void *value)
{
	size_t i;

	if (t->count * 2 >= t->room && !grow(t))
		return false;
	i = seek(t, p);
	t->count += !t->slots[i].p;
	t->slots[i] = (struct handle_slot){ (void *)(uintptr_t)p, kind, value };
	return true;
}

bool handle_add(struct handles *t, void *p, enum handle_kind kind)
{
	return symbol_add(t, p, kind, p);
}

void *symbol_value(const struct handles *t, const void *p,
		   enum handle_kind kind)
{
	return handle_is(t, p, kind) ? t->slots[seek(t, p)].value : NULL;
}

bool handle_is(const struct handles *t, const void *p, enum handle_kind kind)
{
	return p && t->room && t->slots[seek(t, p)].kind == kind;
}

/* What follows in the same run moves up, so that it is still found. */
void handle_remove(struct handles *t, const void *p)
{
	size_t hole, i;

	if (!p || !t->room)
		return;
	hole = seek(t, p);
	if (!t->slots[hole].p)
		return;
	for (i = (hole + 1) & (t->room - 1); t->slots[i].p;
	     i = (i + 1) & (t->room - 1)) {
		size_t want = home(t, t->slots[i].p);

		if (((i - want) & (t->room - 1)) < ((i - hole) & (t->room - 1)))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole] = (struct handle_slot){ 0 };
	t->count--;
}

void *handle_any(const struct handles *t, enum handle_kind kind,
		 bool (*match)(const void *p, int what), int what)
{
	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i].kind == kind && t->slots[i].p &&
		    (!match || match(t->slots[i].p, what)))
			return t->slots[i].p;
	return NULL;
}
