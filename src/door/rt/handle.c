#include "door/rt/handle.h"

#include <stdlib.h>
#include <string.h>

static size_t handle_home(const struct handles *t, const void *p)
{
	uint64_t h = (uint64_t)(uintptr_t)p * 0x9e3779b97f4a7c15ull;

	return (size_t)(h >> 20) & (t->room - 1);
}

/* The slot of p, or the empty one where it would go. */
static size_t handle_seek(const struct handles *t, const void *p)
{
	size_t i = handle_home(t, p);

	while (t->slots[i].p && t->slots[i].p != p)
		i = (i + 1) & (t->room - 1);
	return i;
}

static bool handle_grow(struct handles *t)
{
	struct handles wide = { .room = t->room ? t->room * 2 : 256,
				.count = t->count };

	wide.slots = calloc(wide.room, sizeof(*wide.slots));
	if (!wide.slots)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i].p)
			wide.slots[handle_seek(&wide, t->slots[i].p)] =
				t->slots[i];
	free(t->slots);
	*t = wide;
	return true;
}

bool symbol_add(struct handles *t, const void *p, enum handle_kind kind,
		void *value)
{
	size_t i;

	if (t->count * 2 >= t->room && !handle_grow(t))
		return false;
	i = handle_seek(t, p);
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
	return handle_is(t, p, kind) ? t->slots[handle_seek(t, p)].value : NULL;
}

bool handle_is(const struct handles *t, const void *p, enum handle_kind kind)
{
	return p && t->room && t->slots[handle_seek(t, p)].kind == kind;
}

/* Moves up the entries that follow in the same run, so that they are found. */
void handle_remove(struct handles *t, const void *p)
{
	size_t hole, i;

	if (!p || !t->room)
		return;
	hole = handle_seek(t, p);
	if (!t->slots[hole].p)
		return;
	for (i = (hole + 1) & (t->room - 1); t->slots[i].p;
	     i = (i + 1) & (t->room - 1)) {
		size_t want = handle_home(t, t->slots[i].p);

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
