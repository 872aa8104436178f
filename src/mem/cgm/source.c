#include "mem/cgm/source.h"

#include "base/minmax.h"

static void cgm_source_answers(struct cgm_source *s, cycle_t now)
{
	struct cgm_answer a;

	while (cgm_port_take(&s->port, now, &a)) {
		struct cgm_flight *f = &s->flight[a.tag];

		CHECK(f->used);
		cgm_port_count(&s->st, a.op, now - f->since);
		f->used = false;
		s->in_flight--;
		a.tag = f->tag;
		s->driver.answer(s->driver.ctx, now, &a);
	}
}

/* Sends a request if there is one; returns when to wake. */
static cycle_t cgm_source_request(struct cgm_source *s, cycle_t now)
{
	struct cgm_request r;
	uint32_t i = 0;
	cycle_t at;

	if (!s->driver.next || s->in_flight == CGM_SOURCE_DEPTH)
		return CYCLE_NEVER;
	if (!cgm_port_can_send(&s->port, now))
		return now + 1;
	at = s->driver.next(s->driver.ctx, now, &r);
	if (at != now)
		return at;
	while (s->flight[i].used)
		i++;
	s->flight[i] = (struct cgm_flight){ r.tag, now, true };
	s->in_flight++;
	r.tag = i;
	cgm_port_send(&s->port, now, &r);
	return now + 1;
}

static cycle_t cgm_source_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_source *s = (struct cgm_source *)part;
	cycle_t next;

	cgm_source_answers(s, now);
	next = cgm_source_request(s, now);
	return min_u64(next,
		       max_u64(cgm_wire_next_of(s->port.from, CGM_LANE_REPLY),
			       now + 1));
}

void cgm_source_init(struct cgm_source *s, cycle_t period,
		     const struct cgm_port *port)
{
	cgm_part_init(&s->part, cgm_source_step, period);
	s->port = *port;
	s->port.from->to = &s->part;
}
