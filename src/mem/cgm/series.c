#include "mem/cgm/series.h"

#include <string.h>

/* Columns of statistics, of all places. */
static unsigned cgm_series_statistics(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < CGM_INSTANCES; i++)
		for (unsigned k = 0; k < cgm_stat_count; k++)
			n += cgm_stat_rows[k].kind == cgm_stat_places[i].kind;
	return n;
}

static unsigned cgm_series_links(const struct cgm_system *s)
{
	struct cgm_link link;
	unsigned n = 0;

	for (unsigned i = 0; i < cgm_system_links(s); i++) {
		cgm_system_link(s, i, &link);
		n += link.ring;
	}
	return n;
}

enum err cgm_series_init(struct cgm_series *q, struct arena *a,
			 const struct cgm_system *s, unsigned own,
			 uint64_t interval, struct diag *d)
{
	CHECK(interval && own);
	*q = (struct cgm_series){ .interval = interval, .memory = own };
	q->message = q->memory + cgm_series_statistics();
	q->link = q->message + CGM_MESSAGES;
	q->links = cgm_series_links(s);
	q->width = q->link + q->links;
	q->row = arena_room(a, uint64_t, (size_t)q->width * (CGM_SAMPLES + 1));
	return q->row ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

static uint64_t *cgm_series_row(const struct cgm_series *q, unsigned n)
{
	return q->row + (size_t)n * q->width;
}

uint64_t cgm_series_due(const struct cgm_series *q)
{
	uint64_t last = q->count ? *cgm_series_row(q, q->count - 1) : 0;

	return (last / q->interval + 1) * q->interval;
}

/* Of two neighbours the later one says what both have counted. */
static void cgm_series_join(struct cgm_series *q)
{
	q->count /= 2;
	q->interval *= 2;
	for (unsigned i = 0; i < q->count; i++)
		memmove(cgm_series_row(q, i), cgm_series_row(q, 2 * i + 1),
			q->width * sizeof(*q->row));
}

static uint64_t *cgm_series_fill(struct cgm_series *q,
				 const struct cgm_system *s, uint64_t time)
{
	uint64_t *row = cgm_series_row(q, q->count++);
	uint64_t *to = row + q->memory;
	struct cgm_stats st;

	row[0] = time;
	cgm_system_stats(s, &st);
	for (unsigned i = 0; i < CGM_INSTANCES; i++)
		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == cgm_stat_places[i].kind)
				*to++ = cgm_stat_value(&st, &cgm_stat_places[i],
						       &cgm_stat_rows[k]);
	cgm_system_messages(s, row + q->message);
	for (unsigned i = 0; i < q->links; i++) {
		struct cgm_link link;

		cgm_system_link(s, i, &link);
		row[q->link + i] = link.busy;
	}
	return row;
}

uint64_t *cgm_series_add(struct cgm_series *q, const struct cgm_system *s,
			 uint64_t time)
{
	if (q->count == CGM_SAMPLES)
		cgm_series_join(q);
	return time < cgm_series_due(q) ? NULL : cgm_series_fill(q, s, time);
}

uint64_t *cgm_series_end(struct cgm_series *q, const struct cgm_system *s,
			 uint64_t time)
{
	if (q->count && *cgm_series_row(q, q->count - 1) == time)
		q->count--;
	return cgm_series_fill(q, s, time);
}
