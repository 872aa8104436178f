/* Threads of the program on hardware threads. */
#include "base/minmax.h"
#include "system/impl.h"

static void *system_thread_of(struct system *s, uint32_t n)
{
	return s->guest.ops->thread(s->guest.program, n);
}

/* Contexts of a core that are used. */
static unsigned system_core_used(const struct system *s, unsigned core)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->each; i++)
		n += s->context[core * s->each + i].used;
	return n;
}

/* The context it was on if that is free, else one of the core with the fewest
 * threads. False: all are used. */
static bool system_sched_choose(const struct system *s, uint32_t thread,
				uint32_t *to)
{
	const struct system_thread *t = &s->thread[thread];
	unsigned best = s->each;

	if (t->was && !s->context[t->last].used) {
		*to = t->last;
		return true;
	}
	for (unsigned c = 0; c < s->cores; c++) {
		unsigned used = system_core_used(s, c);

		if (used >= best)
			continue;
		best = used;
		*to = c * s->each;
		while (s->context[*to].used)
			++*to;
	}
	return best < s->each;
}

static void system_sched_place(struct system *s, uint32_t thread, uint32_t to,
			       cycle_t at)
{
	struct system_context *x = &s->context[to];
	struct system_thread *t = &s->thread[thread];
	struct cpu_core *core = s->core[to / s->each];
	void *guest = system_thread_of(s, thread);

	*x = (struct system_context){ true, thread, at };
	s->used++;
	t->placed = t->was = true;
	t->last = to;
	cpu_core_place(core, to % s->each, guest,
		       (at + s->period - 1) / s->period);
	/* A signal may have come while it had no place. */
	if (s->guest.ops->wanted(s->guest.program, guest))
		cpu_core_preempt(core, to % s->each);
}

static void system_sched_queue(struct system *s, uint32_t thread)
{
	s->thread[thread].queued = true;
	s->queue[(s->first + s->queued++) % SYSTEM_THREADS] = thread;
}

/* The first one that waits for a hardware thread. */
static uint32_t system_sched_dequeue(struct system *s)
{
	uint32_t n = s->queue[s->first];

	s->first = (s->first + 1) % SYSTEM_THREADS;
	s->queued--;
	s->thread[n].queued = false;
	return n;
}

void system_sched_find(struct system *s, cycle_t at)
{
	const struct guest_ops *ops = s->guest.ops;
	unsigned threads = ops->threads(s->guest.program);

	CHECK(threads <= SYSTEM_THREADS);
	for (uint32_t i = 0; i < threads; i++) {
		struct system_thread *t = &s->thread[i];
		uint32_t to = 0;

		if (t->placed || t->queued ||
		    ops->state(system_thread_of(s, i)) != GUEST_RUNS)
			continue;
		if (system_sched_choose(s, i, &to))
			system_sched_place(s, i, to, at);
		else
			system_sched_queue(s, i);
	}
	system_timer_at(s, s->now + 1);
}

/* Takes the thread from a context; the next one may have it. */
static void system_sched_leave(struct system *s, uint32_t from, bool runs)
{
	struct system_context *x = &s->context[from];
	uint32_t thread = x->thread;

	cpu_core_remove(s->core[from / s->each], from % s->each);
	x->used = false;
	s->used--;
	s->thread[thread].placed = false;
	if (runs)
		system_sched_queue(s, thread);
	if (s->queued)
		system_sched_place(
			s, system_sched_dequeue(s), from,
			s->now + system_ticks(s, (uint64_t)s->os.change));
}

void system_sched_deadlock(struct system *s)
{
	if (s->used || s->queued || s->busy > 0 || s->events ||
	    s->sleepers != CYCLE_NEVER)
		return;
	s->guest.ops->deadlock(s->guest.program);
	system_end(s);
}

/* Threads on cores that are wanted stop at their next instruction. */
void system_sched_interrupt(struct system *s)
{
	const struct guest_ops *ops = s->guest.ops;

	for (uint32_t i = 0; i < s->contexts; i++) {
		const struct system_context *x = &s->context[i];

		if (!x->used || !ops->wanted(s->guest.program,
					     system_thread_of(s, x->thread)))
			continue;
		cpu_core_preempt(s->core[i / s->each], i % s->each);
		cpu_core_wake(s->core[i / s->each], s->now + 1);
	}
}

/* Performs the call, or ends the program; returns its time. */
static cycle_t system_sched_call(struct system *s, void *thread,
				 enum guest_stop why, bool *yields)
{
	const struct guest_ops *ops = s->guest.ops;
	struct guest_call call;
	cycle_t ticks;
	uint64_t wake;

	if (why == GUEST_STOPS_FAULT) {
		ops->fault(s->guest.program, thread);
		return 0;
	}
	if (why == GUEST_STOPS_TURN)
		return 0;
	ops->call(s->guest.program, thread, &call);
	*yields = call.yields;
	ticks = system_call_ticks(s, &call);
	wake = ops->next_wake(s->guest.program);
	s->sleepers = wake == UINT64_MAX ? CYCLE_NEVER : system_ticks(s, wake);
	system_sched_find(s, s->now + ticks +
				     system_ticks(s, (uint64_t)s->os.resume));
	return ticks;
}

static cycle_t system_sched_quantum_end(const struct system *s, uint32_t from)
{
	return s->context[from].since +
	       system_ticks(s, (uint64_t)s->os.quantum);
}

cycle_t system_sched_stopped(void *ctx, unsigned core, unsigned context,
			     enum guest_stop why, cycle_t cycle)
{
	struct system *s = ctx;
	const struct guest_ops *ops = s->guest.ops;
	uint32_t from = core * s->each + context;
	void *thread = system_thread_of(s, s->context[from].thread);
	bool yields = why == GUEST_STOPS_TURN &&
		      s->now >= system_sched_quantum_end(s, from);
	cycle_t ticks;

	system_set_time(s);
	ticks = system_sched_call(s, thread, why, &yields);
	if (!ops->ended(s->guest.program) && ops->state(thread) == GUEST_RUNS &&
	    ops->wanted(s->guest.program, thread))
		ops->interrupt(s->guest.program, thread);
	if (ops->ended(s->guest.program)) {
		system_end(s);
		return CYCLE_NEVER;
	}
	if (why != GUEST_STOPS_TURN)
		system_sched_interrupt(s);
	if (ops->state(thread) != GUEST_RUNS) {
		system_sched_leave(s, from, false);
		system_sched_deadlock(s);
		return CYCLE_NEVER;
	}
	if (yields && s->queued) {
		system_sched_leave(s, from, true);
		return CYCLE_NEVER;
	}
	return cycle + (ticks + s->period - 1) / s->period;
}

cycle_t system_sched_quanta(struct system *s)
{
	cycle_t next = CYCLE_NEVER;

	if (!s->queued)
		return next;
	for (uint32_t i = 0; i < s->contexts; i++) {
		cycle_t end = system_sched_quantum_end(s, i);

		if (!s->context[i].used)
			continue;
		if (end > s->now) {
			next = min_u64(next, end);
			continue;
		}
		cpu_core_preempt(s->core[i / s->each], i % s->each);
		cpu_core_wake(s->core[i / s->each], s->now);
	}
	return next;
}
