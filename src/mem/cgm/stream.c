#include "mem/cgm/stream.h"

static uint64_t cgm_stream_page(uint64_t block)
{
	return block / CGM_STREAM_PAGE;
}

/* The stream of a block's page, or the one to replace. */
static struct cgm_stream *cgm_streams_find(struct cgm_streams *s,
					   uint64_t block)
{
	struct cgm_stream *to = &s->stream[0];

	for (unsigned i = 0; i < CGM_STREAMS; i++) {
		struct cgm_stream *x = &s->stream[i];

		if (x->live &&
		    cgm_stream_page(x->last) == cgm_stream_page(block))
			return x;
		if (x->used < to->used)
			to = x;
	}
	to->live = false;
	return to;
}

void cgm_streams_note(struct cgm_streams *s, uint64_t block)
{
	struct cgm_stream *x;

	if (!s->distance)
		return;
	x = cgm_streams_find(s, block);
	x->used = ++s->clock;
	if (!x->live) {
		*x = (struct cgm_stream){ .last = block,
					  .next = block,
					  .used = s->clock,
					  .live = true };
		return;
	}
	if (block == x->last)
		return;
	if (block == x->last + 1 || block + 1 == x->last) {
		int direction = block > x->last ? 1 : -1;

		if (direction != x->direction)
			x->next = block + (uint64_t)direction;
		x->direction = direction;
	}
	x->last = block;
	/* Accesses have overtaken it. */
	if (x->direction > 0 && x->next <= block)
		x->next = block + 1;
	if (x->direction < 0 && x->next >= block)
		x->next = block - 1;
}

static bool cgm_stream_wants(const struct cgm_streams *s,
			     const struct cgm_stream *x)
{
	uint64_t ahead = x->direction > 0 ? x->next - x->last :
					    x->last - x->next;

	return x->live && x->direction && ahead <= s->distance &&
	       cgm_stream_page(x->next) == cgm_stream_page(x->last);
}

bool cgm_streams_next(const struct cgm_streams *s, uint64_t *block)
{
	const struct cgm_stream *best = NULL;

	for (unsigned i = 0; i < CGM_STREAMS; i++) {
		const struct cgm_stream *x = &s->stream[i];

		if (cgm_stream_wants(s, x) && (!best || x->used > best->used))
			best = x;
	}
	if (best)
		*block = best->next;
	return best;
}

void cgm_streams_took(struct cgm_streams *s, uint64_t block)
{
	for (unsigned i = 0; i < CGM_STREAMS; i++) {
		struct cgm_stream *x = &s->stream[i];

		if (x->live && x->next == block && x->direction)
			x->next += (uint64_t)(int64_t)x->direction;
	}
}
