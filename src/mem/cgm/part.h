/*
 * What the elements of CGM share: a clock, a time to wake, and queues of what
 * leaves them.
 *
 * An element with work wakes in a cycle of its clock, tries to process it, and
 * says when it wants to be woken again: in its next cycle while something waits
 * for room elsewhere, else when a message arrives or an answer is due. One that
 * has nothing to do costs nothing.
 *
 * Time is counted in ticks of the fastest clock; a clock is a number of ticks.
 */
#ifndef HEDDLE_MEM_CGM_PART_H
#define HEDDLE_MEM_CGM_PART_H

#include "base/minmax.h"
#include "mem/cgm/wire.h"

struct cgm_part {
	/* Executes the cycle at tick `now`; returns the tick of the next one,
	 * later than now, or CYCLE_NEVER. */
	cycle_t (*step)(struct cgm_part *p, cycle_t now);
	cycle_t period; /* ticks of its clock */
	cycle_t wake;
	/* A cycle in which nothing could move, as nothing can until it wakes;
	 * CYCLE_NEVER: something did. What such a cycle counts is counted for
	 * each of them. */
	cycle_t rest;
	_Atomic cycle_t mail; /* earliest arrival sent since the last window */
	bool alone;           /* one thread simulates all parts */
	/* Whoever looks for parts with mail is told by this bit; NULL: looks at
	 * all of them. */
	_Atomic uint64_t *mailed;
	uint64_t bit;
};

/* Notes mail where no other thread does: without what that costs. */
static inline void cgm_part_mail_alone(struct cgm_part *p, cycle_t time)
{
	if (time >= atomic_load_explicit(&p->mail, memory_order_relaxed))
		return;
	atomic_store_explicit(&p->mail, time, memory_order_relaxed);
	if (p->mailed)
		atomic_store_explicit(
			p->mailed,
			atomic_load_explicit(p->mailed, memory_order_relaxed) |
				p->bit,
			memory_order_relaxed);
}

/* Tells a part that a message arrives; called by any thread. */
static inline void cgm_part_mail(struct cgm_part *p, cycle_t time)
{
	cycle_t old;

	if (!p)
		return;
	if (p->alone) {
		cgm_part_mail_alone(p, time);
		return;
	}
	old = atomic_load_explicit(&p->mail, memory_order_relaxed);
	while (time < old && !atomic_compare_exchange_weak_explicit(
				     &p->mail, &old, time, memory_order_relaxed,
				     memory_order_relaxed))
		;
	if (old == CYCLE_NEVER && p->mailed)
		atomic_fetch_or_explicit(p->mailed, p->bit,
					 memory_order_relaxed);
}

void cgm_part_init(struct cgm_part *p,
		   cycle_t (*step)(struct cgm_part *p, cycle_t now),
		   cycle_t period);
/* How many cycles before `now` were like the one in which its rest began. */
static inline uint64_t cgm_part_rested(const struct cgm_part *p, cycle_t now)
{
	if (p->rest == CYCLE_NEVER || now <= p->rest)
		return 0;
	return (now - 1 - p->rest) / p->period;
}
/* The first cycle of a part at or after a tick. */
static inline cycle_t cgm_part_cycle(const struct cgm_part *p, cycle_t at)
{
	if (at == CYCLE_NEVER)
		return at;
	at += p->period - 1;
	/* Most clocks: a division less in every cycle. */
	if (!(p->period & (p->period - 1)))
		return at & ~(p->period - 1);
	return at / p->period * p->period;
}
/* Between windows: takes note of what was sent. Returns when it wakes. */
static inline cycle_t cgm_part_take_mail(struct cgm_part *p)
{
	cycle_t mail = atomic_load_explicit(&p->mail, memory_order_relaxed);

	if (mail != CYCLE_NEVER) {
		p->wake = min_u64(p->wake, cgm_part_cycle(p, mail));
		atomic_store_explicit(&p->mail, CYCLE_NEVER,
				      memory_order_relaxed);
	}
	return p->wake;
}
/* Executes the part's cycles before `to`. */
static inline void cgm_part_run(struct cgm_part *p, cycle_t to)
{
	while (p->wake < to) {
		cycle_t now = p->wake;

		p->wake = cgm_part_cycle(p, p->step(p, now));
		CHECK(p->wake > now);
	}
}

/*
 * What leaves an element on a wire: messages wait here for the element's
 * latency, then for the link. The element takes no work for which these queues
 * might have no room.
 */
struct cgm_out_lane {
	struct cgm_packets slot; /* time: when it may leave */
	uint32_t head, count;
};

struct cgm_out {
	struct cgm_wire *wire;
	uint32_t room;
	unsigned turn;  /* the lane that is served first */
	unsigned lanes; /* bits: those that have messages */
	uint32_t count; /* of all lanes */
	cycle_t next;   /* nothing may leave before */
	struct cgm_out_lane lane[CGM_LANES];
};

/* `from`: the part that sends. False: out of memory. */
MUST_USE bool cgm_out_init(struct cgm_out *o, struct arena *a,
			   struct cgm_part *from, struct cgm_wire *w,
			   uint32_t room);
static inline uint32_t cgm_out_room(const struct cgm_out *o, unsigned lane)
{
	return o->room - o->lane[lane].count;
}
/* Queues a message as another kind, on that kind's lane, to leave at `ready`.
 * Returns it: until it leaves, the rest of it may be changed. */
struct cgm_packet *cgm_out_pass(struct cgm_out *o, cycle_t ready,
				enum cgm_msg kind, const struct cgm_packet *p);
static inline void cgm_out_push(struct cgm_out *o, cycle_t ready,
				const struct cgm_packet *p)
{
	cgm_out_pass(o, ready, (enum cgm_msg)p->kind, p);
}
/* Sends what may leave now. Returns when to try again, or CYCLE_NEVER. */
cycle_t cgm_out_send(struct cgm_out *o, cycle_t now);
static inline cycle_t cgm_out_drain(struct cgm_out *o, cycle_t now)
{
	if (!o->count)
		return CYCLE_NEVER;
	return o->next > now ? o->next : cgm_out_send(o, now);
}
static inline bool cgm_out_is_empty(const struct cgm_out *o)
{
	return !o->count;
}

#endif
