/* Answers from memory, and the results that they complete. */
#include "sm/lsu_queue.h"

void lsu_deliver(struct lsu *u, cycle_t now, uint32_t tag, cycle_t ready,
		 uint32_t bytes, uint32_t span)
{
	if (!u->latency) {
		/* Not inlined: most of these results take several cells. */
		cycle_t back =
			back_pass_any(&u->back, now, ready - span, bytes);

		ready = back > ready ? back : ready;
	}
	u->env.done(u->env.ctx, tag, ready);
}

void lsu_complete(struct lsu *u, cycle_t now, uint32_t i)
{
	struct flight *f = &u->flight[i];
	cycle_t ready = f->ready;

	if (f->copy && !u->latency) {
		ready = ready > u->copy_free ? ready : u->copy_free;
		ready += f->copy;
		u->copy_free = ready;
	}
	lsu_free_flight(u, i);
	lsu_deliver(u, now, f->tag, ready, f->bytes, f->span);
}

void lsu_complete_in_order(struct lsu *u, cycle_t now, uint32_t i)
{
	struct lsu_order *o = &u->order[u->flight[i].order - 1];
	cycle_t ready = 0;

	if (o->first != i)
		return;
	do {
		struct flight *f = &u->flight[i];

		o->first = f->next;
		f->ready = ready = max_u64(f->ready, ready);
		lsu_complete(u, now, i);
		i = o->first;
	} while (i != LSU_NONE && !u->flight[i].tokens);
}

/* A token of a flight has come back. */
static inline void lsu_return_token(struct lsu *u, cycle_t now, uint32_t i)
{
	struct flight *f = &u->flight[i];
	cycle_t ready = now + f->result_latency;

	if (ready > f->ready)
		f->ready = ready;
	u->tokens--;
	if (!--f->tokens && !f->open)
		lsu_end_flight(u, now, i);
}

/* Data have passed the port. */
static inline void lsu_take_data(struct lsu *u, cycle_t now, uint32_t id,
				 uint64_t chunk, uint8_t sectors)
{
	uint32_t n = l1_fill(u->l1, id, chunk, sectors);

	if (LIKELY(n == 1)) { /* then nothing follows the call */
		lsu_return_token(u, now, *u->l1->tokens);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		lsu_return_token(u, now, u->l1->tokens[i]);
}

/* An answer has passed the port. */
static void lsu_handle_answer(struct lsu *u, cycle_t now, uint8_t kind,
			      uint32_t id, uint64_t chunk, uint8_t sectors)
{
	uint32_t n;

	if (u->why == L1_STALL_MSHR)
		u->work_at = now;
	if (kind == MSG_ATOMIC_DONE) {
		u->l1->outstanding--;
		lsu_return_token(u, now, u->by_atomic[id]);
		return;
	}
	if (LIKELY(!(id & L1_ID_SCALAR))) {
		lsu_take_data(u, now, id, chunk, sectors);
		return;
	}
	u->l1->outstanding--;
	n = lsu_asked_came(u, now, id, chunk, sectors);
	if (n != LSU_NONE)
		lsu_return_token(u, now, n);
}

void lsu_take_late(struct lsu *u, cycle_t now)
{
	while (u->late_count && u->late[u->late_at].when <= now) {
		const struct lsu_late *l = &u->late[u->late_at];

		lsu_handle_answer(u, now, l->kind, l->id, l->chunk, l->sectors);
		u->late_at = u->late_at + 1 < u->late_room ? u->late_at + 1 : 0;
		/* Restarts at 0, where the host's cache is warm. */
		if (!--u->late_count)
			u->late_at = 0;
	}
}

/* Bytes of an answer with data. */
static inline uint32_t answer_bytes(const struct lsu *u, const struct msg *m)
{
	return u->l1->header + pieces_count(m->sectors) * PIECE_BYTES;
}

/* Counts an answer; returns its bytes. */
static uint32_t count_answer(const struct lsu *u, const struct msg *m)
{
	struct stat_lsu *st = u->env.st;

	if (m->kind == MSG_DATA) {
		st->answers++;
		return answer_bytes(u, m);
	}
	if (m->kind != MSG_ATOMIC_DONE)
		return u->l1->header;
	st->atomic_answers++;
	if (!u->flight[u->by_atomic[m->id]].bytes)
		return u->l1->header;
	return u->l1->header + (m->lanes + 1u) * ATOMIC_LANE_BYTES;
}

static void receive_answer(struct lsu *u, cycle_t now, const struct msg *m)
{
	cycle_t when = l1_arrive(u->l1, now, count_answer(u, m));
	uint32_t at;

	if (when <= now && !u->late_count) {
		lsu_handle_answer(u, now, m->kind, m->id, m->chunk, m->sectors);
		return;
	}
	CHECK(u->late_count < u->late_room);
	at = u->late_at + u->late_count++;
	at = at < u->late_room ? at : at - u->late_room;
	u->late[at] = (struct lsu_late){
		.when = when,
		.chunk = m->chunk,
		.id = m->id,
		.kind = m->kind,
		.sectors = m->sectors,
	};
}

static void take_credit(struct lsu *u, cycle_t now, const struct msg *m)
{
	uint32_t partition = m->source - u->env.first_partition;

	if (u->latency)
		return;
	u->l1->credit[partition] += m->id;
	u->l1->writes_taken += m->bytes[0];
	if (m->bytes[1])
		u->l1->far_written = now + u->l1->far_write;
	if (u->l1->merge_count && u->l1->merge_next == CYCLE_NEVER)
		u->l1->merge_next = now;
	if (u->why == L1_STALL_CREDIT && u->l1->no_credit == partition)
		u->work_at = now;
}

/* Whether an answer that comes now is all that changes: no instruction has waited
 * for it, and no other answer waits for the port. */
static inline bool answer_changes_little(const struct lsu *u)
{
	return u->why == L1_GO && !u->late_count && u->usual &&
	       u->flight_free != LSU_NONE;
}

/* The general case of lsu_answer. */
static __attribute__((noinline)) void
answer_at_length(struct lsu *u, cycle_t now, const struct msg *m)
{
	bool full = lsu_exhausted(u);

	if (m->kind == MSG_CREDIT)
		take_credit(u, now, m);
	else
		receive_answer(u, now, m);
	if ((full && !lsu_exhausted(u)) || lsu_is_asking(u))
		u->freed = now;
	if (u->head.lone)
		lsu_end_lone(u);
	lsu_update_can_issue(u);
	lsu_update_only_queued(u);
	if (!u->latency)
		lsu_set_next(u);
	else
		lsu_wake_by(u, u->freed);
}

void lsu_answer(struct lsu *u, cycle_t now, const struct msg *m)
{
	if (LIKELY(m->kind == MSG_DATA) && answer_changes_little(u) &&
	    l1_arrive_at_once(u->l1, now, answer_bytes(u, m))) {
		u->env.st->answers++;
		lsu_take_data(u, now, m->id, m->chunk, m->sectors);
		return;
	}
	answer_at_length(u, now, m);
}
