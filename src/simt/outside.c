#include "simt/outside.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "simt/block.h"
#include "simt/gmem.h"

/* The entry of an instruction; NULL: out of memory. */
static struct outside *outside_entry(struct launch *l,
				     const struct function *func, uint32_t inst)
{
	struct outside *o = l->outside;

	while (o && (o->func != func || o->inst != inst))
		o = o->next;
	if (o)
		return o;
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	*o = (struct outside){ .func = func, .inst = inst, .next = l->outside };
	l->outside = o;
	return o;
}

static void outside_keep_example(struct outside *o, const struct warp *w,
				 const char *verb, uint64_t address,
				 uint32_t bytes)
{
	const struct block *b = w->block;
	const struct range *r = gmem_nearest(b->launch->machine->gmem, address);

	CHECK(r);
	o->verb = verb;
	o->bytes = bytes;
	o->block = b->index;
	o->address = address;
	o->base = r->base;
	o->size = r->size;
}

void outside_note(struct warp *w, const struct inst *in, const char *verb,
		  const uint64_t addr[LANES], lanes_t lanes, uint32_t bytes)
{
	const struct block *b = w->block;
	struct launch *l = b->launch;
	struct outside *o;

	pthread_mutex_lock(&l->lock);
	o = outside_entry(l, w->frame->code->func, in->index);
	if (o) {
		/* A block runs on one thread: its first access comes first. */
		if (!o->count || b->index < o->block)
			outside_keep_example(o, w, verb,
					     addr[lanes_first(lanes)], bytes);
		o->count += lanes_count(lanes);
	}
	pthread_mutex_unlock(&l->lock);
}

static int outside_compare(const struct outside *a, const struct outside *b)
{
	int order = strcmp(a->func->name, b->func->name);

	if (order)
		return order;
	return a->inst < b->inst ? -1 : a->inst > b->inst;
}

/* By insertion: there are as many as instructions with mistakes. */
void outside_sort(struct launch *l)
{
	struct outside *sorted = NULL, *next;

	for (struct outside *o = l->outside; o; o = next) {
		struct outside **at = &sorted;

		next = o->next;
		while (*at && outside_compare(*at, o) < 0)
			at = &(*at)->next;
		o->next = *at;
		*at = o;
	}
	l->outside = sorted;
}

void outside_clear(struct launch *l)
{
	while (l->outside) {
		struct outside *o = l->outside;

		l->outside = o->next;
		free(o);
	}
}
