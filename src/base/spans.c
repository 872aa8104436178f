#include "base/spans.h"

#include <stdbool.h>

#include "base/diag.h"
#include "base/minmax.h"

/* Joins it to the last one of its kind, if that is near enough. */
static bool spans_join(struct spans *s, const struct span *add)
{
	for (unsigned i = s->count; i-- > 0;) {
		struct span *last = &s->at[i];

		if (last->kind != add->kind)
			continue;
		if (!s->gap || add->begin > last->end + s->gap)
			return false;
		last->begin = min_u64(last->begin, add->begin);
		last->end = max_u64(last->end, add->end);
		last->count += add->count;
		return true;
	}
	return false;
}

/* The spans that are left when those nearer than the gap are one. */
static void spans_compact(struct spans *s)
{
	unsigned n = s->count;

	s->count = 0;
	for (unsigned i = 0; i < n; i++) {
		struct span one = s->at[i];

		if (!spans_join(s, &one))
			s->at[s->count++] = one;
	}
}

void spans_add(struct spans *s, uint32_t kind, uint64_t begin, uint64_t end)
{
	struct span add = { begin, end, kind, 1 };

	CHECK(kind < SPANS_KINDS && begin <= end);
	if (spans_join(s, &add))
		return;
	if (s->count == SPANS_MOST)
		do {
			s->gap = s->gap ? 2 * s->gap : 1;
			spans_compact(s);
		} while (s->count > SPANS_MOST / 2);
	s->at[s->count++] = add;
}
