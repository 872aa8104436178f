#include "mem/link.h"

#include "base/minmax.h"

uint32_t link_room(const struct cfg *cfg, uint32_t sms)
{
	uint64_t way = (uint64_t)cfg->host.access_latency *
		       (uint64_t)cfg->host.access_width / CHUNK_SECTOR_BYTES;

	/* Those that keep their credits, and one each cycle that is on its way. */
	return (uint32_t)((uint64_t)sms * (uint64_t)cfg->net.queue + way +
			  (uint64_t)cfg->host.access_latency);
}

enum err link_new(struct link **out, struct arena *a, const struct cfg *cfg,
		  uint32_t sms, struct diag *d)
{
	struct link *l = arena_new(a, struct link, 1);

	if (!l)
		return fail(d, ERR_NOMEM, "no memory for a link");
	l->next = CYCLE_NEVER;
	l->latency = (cycle_t)cfg->host.access_latency;
	l->interval = (cycle_t)cfg->host.line_interval;
	l->reply = (cycle_t)cfg->net.reply_latency;
	l->in = l->out = port_of((uint64_t)cfg->host.access_width);
	l->room = link_room(cfg, sms);
	l->entry = arena_room(a, struct link_entry, l->room);
	l->first = l->last = SLICE_NONE;
	l->unused = SLICE_NONE;
	*out = l;
	return l->entry ? ERR_OK : fail(d, ERR_NOMEM, "no memory for a link");
}

/* Puts an entry behind those that are due no later. */
static void link_insert(struct link *l, uint32_t i)
{
	struct link_entry *e = &l->entry[i];
	uint32_t at = l->last;

	while (at != SLICE_NONE && l->entry[at].due > e->due)
		at = l->entry[at].before;
	e->before = at;
	e->after = at == SLICE_NONE ? l->first : l->entry[at].after;
	*(at == SLICE_NONE ? &l->first : &l->entry[at].after) = i;
	*(e->after == SLICE_NONE ? &l->last : &l->entry[e->after].before) = i;
}

static uint32_t link_take_first(struct link *l)
{
	uint32_t i = l->first;

	l->first = l->entry[i].after;
	*(l->first == SLICE_NONE ? &l->last : &l->entry[l->first].before) =
		SLICE_NONE;
	return i;
}

/* How often it goes there and back. */
static uint32_t link_trips(const struct request *r)
{
	uint32_t lane = r->bytes[1] == MSG_SORT_CAS ? 2 * ATOMIC_LANE_BYTES :
						      ATOMIC_LANE_BYTES;
	uint32_t operands = (r->lanes + 1u) * lane;

	if (r->kind != MSG_ATOMIC)
		return 1;
	return max_u32(r->bytes[0] + 1,
		       (operands + CHUNK_BYTES - 1) / CHUNK_BYTES);
}

/* Sets when a request that has passed the port goes there for the last time and when
 * it is done, and from when on its line is free. */
static void link_schedule(struct link *l, struct link_entry *e, cycle_t passed)
{
	const struct request *r = &e->request;
	struct link_line *line = &l->line[r->chunk % LINK_LINES];
	bool mine = line->chunk == r->chunk;

	e->due = mine ? max_u64(passed, line->free) : passed;
	e->due += (link_trips(r) - 1) * l->latency;
	e->done = e->due + l->latency;
	if (r->kind == MSG_WRITE)
		return;
	line->chunk = r->chunk;
	line->free = r->kind == MSG_ATOMIC || r->flags & MSG_STRONG ?
			     e->done :
			     e->due + l->interval;
}

void link_accept(struct link *l, const struct request *r)
{
	uint32_t bytes = popcount(r->sectors) * CHUNK_SECTOR_BYTES;
	uint32_t i = l->unused == SLICE_NONE ? l->count : l->unused;
	struct link_entry *e = &l->entry[i];
	cycle_t passed = r->ready;

	CHECK(i < l->room);
	if (i == l->unused)
		l->unused = e->after;
	l->count++;
	*e = (struct link_entry){ .request = *r };
	if (r->kind != MSG_READ)
		passed = port_pass(&l->in, passed, bytes);
	if (r->kind != MSG_WRITE) {
		l->answers++;
		passed = max_u64(passed, port_pass(&l->out, r->ready, bytes));
	}
	link_schedule(l, e, passed);
	link_insert(l, i);
	l->next = min_u64(l->next, e->due);
}

/* It goes for the last time, and gives its credit back. A write is done. */
static bool link_begin(struct mem_partition *m, struct link_entry *e,
		       cycle_t now)
{
	const struct request *r = &e->request;

	partition_credit(m, m->slice, r->sm, r->kind == MSG_WRITE, now);
	e->gone = true;
	e->due = max_u64(e->done, now + 1);
	return r->kind != MSG_WRITE;
}

static void link_answer(struct mem_partition *m, struct link *l,
			const struct request *r, cycle_t now)
{
	const struct slice_waiter w = { .chunk = r->chunk,
					.id = r->id,
					.sm = r->sm,
					.kind = r->kind,
					.sectors = r->sectors,
					.flags = r->flags,
					.lanes = r->lanes };

	l->answers--;
	partition_send(m, &w, now + l->reply);
}

void link_step(struct mem_partition *m, struct link *l, cycle_t now)
{
	uint32_t i = link_take_first(l);
	struct link_entry *e = &l->entry[i];

	partition_switch_grid(m, e->request.flags);
	if (!e->gone && link_begin(m, e, now)) {
		link_insert(l, i);
	} else {
		if (e->gone && e->request.kind != MSG_WRITE)
			link_answer(m, l, &e->request, now);
		e->after = l->unused;
		l->unused = i;
		l->count--;
	}
	l->next = l->first == SLICE_NONE ?
			  CYCLE_NEVER :
			  max_u64(l->entry[l->first].due, now + 1);
}
