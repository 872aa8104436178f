/* Fetch: instructions along the predicted path, and their function. */
#include <string.h>

#include "base/minmax.h"
#include "cpu/core.h"

bool cpu_fetch_init(struct cpu_core *c, struct arena *a)
{
	for (int64_t t = 0; t < c->cfg.threads; t++) {
		struct cpu_context *x = &c->context[t];

		x->queue = arena_new(a, struct cpu_fetched,
				     (size_t)c->cfg.fetch_queue);
		x->stray = arena_alloc(a, 1, c->guest->ops->stray_bytes);
		if (!x->queue || !x->stray)
			return false;
	}
	return true;
}

/*
 * Blocks of instructions
 */

void cpu_fetch_answers(struct cpu_core *c, cycle_t now)
{
	while (cpu_port_answers(&c->code, now)) {
		const struct cpu_flight *f = cpu_port_answer(c, &c->code, now);
		struct cpu_context *x = &c->context[f->thread];

		/* Not if fetch has gone elsewhere since. */
		if (f->tag <= x->blocks_there)
			continue;
		x->arrived |= UINT64_C(1) << (f->tag - x->blocks_there - 1);
		for (; x->arrived & 1; x->arrived >>= 1)
			x->blocks_there++;
	}
}

/* Asks for a block; false: later. */
static bool cpu_fetch_ask(struct cpu_core *c, unsigned thread, cycle_t now,
			  uint64_t block)
{
	struct cpu_context *x = &c->context[thread];
	struct cgm_request r = { .op = CGM_OP_FETCH,
				 .address = block * CGM_BLOCK,
				 .size = CGM_BLOCK };
	struct cpu_flight *f;

	if (x->blocks_asked - x->blocks_there >= (uint64_t)c->cfg.fetch_blocks)
		return false;
	f = cpu_port_ask(c, &c->code, now, &r);
	if (!f)
		return false;
	f->thread = (uint8_t)thread;
	f->tag = ++x->blocks_asked;
	x->block = block + 1;
	c->st.fetch_blocks++;
	return true;
}

/* The same, if it is not the last one. */
static bool cpu_fetch_block(struct cpu_core *c, unsigned thread, cycle_t now,
			    uint64_t block)
{
	return c->context[thread].block == block + 1 ||
	       cpu_fetch_ask(c, thread, now, block);
}

static bool cpu_fetch_bytes(struct cpu_core *c, unsigned thread, cycle_t now,
			    uint64_t at, unsigned length)
{
	return cpu_fetch_block(c, thread, now, at / CGM_BLOCK) &&
	       cpu_fetch_block(c, thread, now, (at + length - 1) / CGM_BLOCK);
}

/*
 * The queue
 */

/* The place after the last instruction, emptied. */
static struct cpu_fetched *cpu_fetch_place(struct cpu_core *c,
					   struct cpu_context *x, cycle_t cycle)
{
	struct cpu_fetched *f = cpu_fetched_at(c, x, x->count);

	memset(f, 0, sizeof(*f));
	f->cycle = cycle;
	return f;
}

/* What was written there is in the queue from now on. */
static void cpu_fetch_push(struct cpu_core *c, struct cpu_context *x,
			   struct cpu_fetched *f)
{
	x->count++;
	c->active = true;
	if (f->accesses)
		cpu_await_announce(c, x, f);
}

/* A round of a repeated instruction; the addresses move on. */
static void cpu_fetch_round(struct cpu_core *c, struct cpu_context *x,
			    cycle_t cycle)
{
	struct cpu_fetched *f = cpu_fetched_at(c, x, x->count);

	*f = x->round;
	f->cycle = cycle;
	f->last = !--x->rounds;
	cpu_fetch_push(c, x, f);
	for (unsigned i = 0; i < GUEST_ACCESSES; i++)
		x->round.address[i] += (uint64_t)(int64_t)x->step;
}

void cpu_fetch_redirect(struct cpu_core *c, struct cpu_context *x,
			cycle_t cycle)
{
	x->count = 0;
	x->uop = 0;
	x->at = c->guest->ops->at(x->thread);
	x->wrong = x->stuck = false;
	x->resume = cycle + 1;
	x->block = 0;
	x->blocks_there = x->blocks_asked;
	x->arrived = 0;
	x->why = CPU_FRONT_BRANCH;
}

/*
 * Branches
 */

/* Where fetch goes after a branch that goes to `next`; *stop: how long it
 * stands still. */
static uint64_t cpu_fetch_predict(struct cpu_core *c, unsigned thread,
				  const struct guest_inst *i, uint64_t at,
				  uint64_t next, cycle_t *stop)
{
	struct cpu_guess g;
	bool direct = i->branch == GUEST_BRANCH_COND ||
		      i->branch == GUEST_BRANCH_JUMP ||
		      i->branch == GUEST_BRANCH_CALL;

	if (c->predict.perfect)
		return next;
	g = cpu_predict_look(&c->predict, thread, at, i);
	if (!g.known && direct) {
		c->st.btb_misses++;
		*stop = (cycle_t)c->cfg.btb_miss;
		return i->target;
	}
	return g.to;
}

/* After a branch of the right path. Returns whether fetch goes on at the next
 * address in this cycle. */
static bool cpu_fetch_branch(struct cpu_core *c, unsigned thread,
			     struct cpu_fetched *f, uint64_t at, uint64_t next)
{
	struct cpu_context *x = &c->context[thread];
	const struct guest_inst *i = f->inst;
	cycle_t stop = 0;
	uint64_t to = cpu_fetch_predict(c, thread, i, at, next, &stop);

	if (!c->predict.perfect)
		cpu_predict_learn(&c->predict, thread, at, i, next);
	if (stop)
		x->resume = f->cycle + 1 + stop;
	if (to != next) {
		f->missed = true;
		f->astray = i->branch != GUEST_BRANCH_COND;
		x->wrong = true;
		c->guest->ops->stray(x->stray, x->thread);
		c->guest->ops->go(x->stray, to);
	}
	x->at = to;
	return to == at + i->length;
}

/* After a branch of a wrong path, which goes where it is predicted to. */
static bool cpu_fetch_stray_branch(struct cpu_core *c, unsigned thread,
				   const struct cpu_fetched *f, uint64_t at,
				   uint64_t next)
{
	struct cpu_context *x = &c->context[thread];
	cycle_t stop = 0;
	uint64_t to = next;

	if (f->inst->branch != GUEST_BRANCH_RETURN)
		to = cpu_fetch_predict(c, thread, f->inst, at, next, &stop);
	if (stop)
		x->resume = f->cycle + 1 + stop;
	x->at = to;
	return to == at + f->inst->length;
}

/*
 * Instructions
 */

bool cpu_core_drained(const struct cpu_core *c, unsigned context)
{
	const struct cpu_context *x = &c->context[context];

	return !x->rob_count && !x->count && !x->stores && !x->rounds;
}

static void cpu_fetch_effect(struct cpu_fetched *f,
			     const struct guest_effect *e)
{
	for (unsigned i = 0; i < GUEST_ACCESSES; i++)
		f->address[i] = e->address[i];
	f->bytes = e->bytes;
	f->idle = e->idle;
	f->last = e->repeats <= 1;
}

/* One instruction of the wrong path. False: no more in this cycle. */
static bool cpu_fetch_stray(struct cpu_core *c, unsigned thread, cycle_t now)
{
	struct cpu_context *x = &c->context[thread];
	const struct guest_ops *ops = c->guest->ops;
	cycle_t cycle = cpu_core_cycle(c, now);
	uint64_t at = x->at;
	const struct guest_inst *i = ops->decode(c->guest->program, at);
	struct cpu_fetched *f;
	struct guest_effect e;
	bool go_on = true;

	if (!i || i->order != GUEST_PLAIN) {
		x->stuck = true;
		return false;
	}
	if (!cpu_fetch_bytes(c, thread, now, at, i->length))
		return false;
	f = cpu_fetch_place(c, x, cycle);
	f->inst = i;
	f->wrong = true;
	ops->go(x->stray, at);
	ops->execute(x->stray, i, cycle, &e);
	cpu_fetch_effect(f, &e);
	f->block = x->blocks_asked;
	x->at = at + i->length;
	if (i->branch && e.stop == GUEST_GOES_ON)
		go_on = cpu_fetch_stray_branch(c, thread, f, at, e.next);
	cpu_fetch_push(c, x, f);
	c->st.fetched++;
	c->st.wrong++;
	return go_on && x->resume <= cycle;
}

/* What surrounds an instruction that was fetched; false: no more now. */
static bool cpu_fetch_order(struct cpu_core *c, unsigned thread,
			    const struct guest_inst *i, cycle_t cycle)
{
	struct cpu_context *x = &c->context[thread];

	switch ((enum guest_order)i->order) {
	case GUEST_PAUSE:
		x->resume = cycle + (cycle_t)c->cfg.pause;
		return false;
	case GUEST_ALONE:
	case GUEST_ATOMIC:
		x->why = CPU_FRONT_ORDER;
		if (i->mark)
			c->host->marked(c->host->ctx, c->number, thread,
					i->mark, cycle);
		return true;
	case GUEST_CALL:
		x->why = CPU_FRONT_CALL;
		return false;
	default:
		return true;
	}
}

static bool cpu_fetch_is_alone(const struct guest_inst *i)
{
	return i->order == GUEST_ALONE || i->order == GUEST_ATOMIC ||
	       i->order == GUEST_CALL;
}

/* Queues what an instruction of the right path does; false: held. */
static bool cpu_fetch_queue(struct cpu_core *c, struct cpu_context *x,
			    struct cpu_fetched *f, const struct guest_effect *e)
{
	if (e->repeats > 1) {
		x->round = *f;
		x->rounds = e->repeats;
		x->step = e->step;
		cpu_fetch_round(c, x, f->cycle);
		return true;
	}
	cpu_fetch_push(c, x, f);
	return !f->accesses || !cpu_await_hold(c, x);
}

static bool cpu_fetch_accesses(const struct guest_inst *i)
{
	bool accesses = false;

	for (unsigned k = 0; k < i->uops; k++)
		accesses |= i->uop[k].kind >= UOP_LOAD;
	return accesses;
}

/* One instruction of the right path. False: no more in this cycle. */
static bool cpu_fetch_right(struct cpu_core *c, unsigned thread, cycle_t now)
{
	struct cpu_context *x = &c->context[thread];
	const struct guest_ops *ops = c->guest->ops;
	cycle_t cycle = cpu_core_cycle(c, now);
	uint64_t at = x->at;
	const struct guest_inst *i = ops->decode(c->guest->program, at);
	struct cpu_fetched *f;
	struct guest_effect e;
	bool go_on = true;

	if ((!i || cpu_fetch_is_alone(i)) && !cpu_core_drained(c, thread)) {
		x->why = CPU_FRONT_ORDER;
		return false;
	}
	if (i && !cpu_fetch_bytes(c, thread, now, at, i->length))
		return false;
	ops->execute(x->thread, i, cycle, &e);
	x->stop = e.stop;
	c->active = true;
	if (e.stop == GUEST_STOPS_FAULT)
		return false;
	f = cpu_fetch_place(c, x, cycle);
	f->inst = i;
	cpu_fetch_effect(f, &e);
	f->accesses = cpu_fetch_accesses(i) && !e.idle;
	f->block = x->blocks_asked;
	x->at = e.next;
	c->st.fetched++;
	if (i->branch)
		go_on = cpu_fetch_branch(c, thread, f, at, e.next);
	go_on &= cpu_fetch_queue(c, x, f, &e);
	return cpu_fetch_order(c, thread, i, cycle) && go_on &&
	       x->resume <= cycle;
}

static void cpu_fetch_thread(struct cpu_core *c, unsigned thread, cycle_t now)
{
	struct cpu_context *x = &c->context[thread];

	if (x->why == CPU_FRONT_CALL)
		x->why = CPU_FRONT_FLOWS;
	for (int64_t n = 0; n < c->cfg.fetch_width; n++) {
		if (x->count == (uint32_t)c->cfg.fetch_queue)
			return;
		if (x->stop && !x->rounds)
			return;
		if (x->rounds)
			cpu_fetch_round(c, x, cpu_core_cycle(c, now));
		else if (!(x->wrong ? cpu_fetch_stray(c, thread, now) :
				      cpu_fetch_right(c, thread, now)))
			return;
	}
}

/*
 * Without detail
 */

enum { HURRY_STEP = 1000 };

/* False: no more of the thread in this cycle. */
static bool cpu_hurry_one(struct cpu_core *c, unsigned thread, cycle_t cycle)
{
	struct cpu_context *x = &c->context[thread];
	const struct guest_inst *i =
		c->guest->ops->decode(c->guest->program, x->at);
	struct guest_effect e;

	c->guest->ops->execute(x->thread, i, cycle, &e);
	x->stop = e.stop;
	if (e.stop == GUEST_STOPS_FAULT)
		return false;
	x->at = e.next;
	c->st.hurried++;
	return cpu_fetch_order(c, thread, i, cycle) && !x->stop;
}

static void cpu_hurry(struct cpu_core *c, unsigned thread, cycle_t cycle)
{
	c->active = true;
	for (unsigned n = 0; n < HURRY_STEP; n++)
		if (!cpu_hurry_one(c, thread, cycle))
			return;
}

void cpu_core_hurry(struct cpu_core *c)
{
	c->hurries = true;
}

/* The thread has stopped, and what was before is performed. */
static void cpu_fetch_stopped(struct cpu_core *c, unsigned thread,
			      cycle_t cycle)
{
	struct cpu_context *x = &c->context[thread];
	enum guest_stop why = x->stop;
	cycle_t resume;

	x->stop = GUEST_GOES_ON;
	c->st.calls += why == GUEST_STOPS_CALL;
	c->active = true;
	resume = c->host->stopped(c->host->ctx, c->number, thread, why, cycle);
	if (resume == CYCLE_NEVER)
		return;
	/* A turn that ends within a call's time does not shorten it. */
	x->resume = max_u64(x->resume, resume);
	x->why = CPU_FRONT_CALL;
	x->at = c->guest->ops->at(x->thread);
}

/* Whether a thread would fetch in this cycle. */
static bool cpu_fetch_may(const struct cpu_core *c, unsigned thread,
			  cycle_t cycle)
{
	const struct cpu_context *x = &c->context[thread];

	return x->thread && !x->stuck && !x->awaits &&
	       (!x->stop || x->rounds) && x->resume <= cycle &&
	       x->count < (uint32_t)c->cfg.fetch_queue;
}

void cpu_core_preempt(struct cpu_core *c, unsigned context)
{
	struct cpu_context *x = &c->context[context];

	if (x->stop == GUEST_GOES_ON)
		x->stop = GUEST_STOPS_TURN;
}

void cpu_core_front(struct cpu_core *c, cycle_t now)
{
	unsigned threads = (unsigned)c->cfg.threads;
	cycle_t cycle = cpu_core_cycle(c, now);

	if (c->ended)
		return;
	for (unsigned t = 0; t < threads; t++)
		if (c->context[t].awaits)
			cpu_await_poll(c, &c->context[t], cycle);
	for (unsigned i = 0; i < threads && !c->ended; i++) {
		unsigned t = cpu_thread_at(c, i);

		if (c->context[t].stop && cpu_core_drained(c, t))
			cpu_fetch_stopped(c, t, cycle);
	}
	for (unsigned i = 0; i < threads && !c->ended; i++) {
		unsigned t = cpu_thread_at(c, i);

		if (!cpu_fetch_may(c, t, cycle))
			continue;
		if (!c->hurries || c->context[t].rounds || c->context[t].wrong)
			cpu_fetch_thread(c, t, now);
		else if (cpu_core_drained(c, t))
			cpu_hurry(c, t, cycle);
		return;
	}
}
