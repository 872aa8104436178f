#include "simt/hazard.h"

#include <stdlib.h>
#include <string.h>

#include "simt/block.h"

/* The entry of two instructions; NULL: out of memory. */
static struct hazard *hazard_entry(struct launch *l,
				   const struct function *func, uint32_t writer,
				   uint32_t reader)
{
	struct hazard *h = l->hazards;

	while (h &&
	       (h->func != func || h->writer != writer || h->reader != reader))
		h = h->next;
	if (h)
		return h;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	*h = (struct hazard){ .func = func,
			      .writer = writer,
			      .reader = reader,
			      .next = l->hazards };
	l->hazards = h;
	return h;
}

void hazard_note(struct warp *w, uint32_t writer, uint32_t reader,
		 uint32_t cycles)
{
	struct launch *l = w->block->launch;
	struct hazard *h;

	pthread_mutex_lock(&l->lock);
	h = hazard_entry(l, w->frame->code->func, writer, reader);
	if (h) {
		h->cycles = h->cycles > cycles ? h->cycles : cycles;
		h->count++;
	}
	pthread_mutex_unlock(&l->lock);
}

static int hazard_compare(const struct hazard *a, const struct hazard *b)
{
	int order = strcmp(a->func->name, b->func->name);

	if (order)
		return order;
	if (a->reader != b->reader)
		return a->reader < b->reader ? -1 : 1;
	return a->writer < b->writer ? -1 : a->writer > b->writer;
}

/* By insertion: there are as many as pairs of instructions with mistakes. */
void hazard_sort(struct launch *l)
{
	struct hazard *sorted = NULL, *next;

	for (struct hazard *h = l->hazards; h; h = next) {
		struct hazard **at = &sorted;

		next = h->next;
		while (*at && hazard_compare(*at, h) < 0)
			at = &(*at)->next;
		h->next = *at;
		*at = h;
	}
	l->hazards = sorted;
}

void hazard_clear(struct launch *l)
{
	struct hazard *next;

	for (struct hazard *h = l->hazards; h; h = next) {
		next = h->next;
		free(h);
	}
	l->hazards = NULL;
}
