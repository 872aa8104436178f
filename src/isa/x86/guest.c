/* A process as a system sees it: the functions of arch/guest.h. */
#include <stdlib.h>

#include "isa/x86/code.h"
#include "isa/x86/decode.h"
#include "isa/x86/lower.h"
#include "isa/x86/process_impl.h"
#include "isa/x86/row.h"

enum { X86_LOWERED_SLOTS = 1 << 16 };

/*
 * Lowered instructions by address. Cores keep pointers to them while they are in
 * flight, so they are never freed before the end; those of code that was
 * changed are no longer found.
 */
struct x86_lowered {
	struct arena arena;
	uint64_t changes;
	struct x86_timed *slot[X86_LOWERED_SLOTS];
};

void x86_lowered_free(struct x86_process *p)
{
	if (!p->lowered)
		return;
	arena_free(&p->lowered->arena);
	free(p->lowered);
	p->lowered = NULL;
}

static const struct guest_inst *
x86_guest_add(struct x86_process *p, struct x86_timed **slot, uint64_t at)
{
	size_t room = x86_code_room(&p->mem, at);
	struct x86_timed *t;

	if (!room)
		return NULL;
	t = arena_new(&p->lowered->arena, struct x86_timed, 1);
	if (!t)
		BUG("out of memory for decoded instructions");
	t->at = at;
	x86_decode(&t->inst[0], p->mem.memory + at, room, at);
	t->inst[1] = (struct x86_inst){ .run = x86_do_end,
					.imm = at + t->inst[0].length };
	x86_lower(t, p->mem.memory + at, room);
	x86_mem_decoded(&p->mem, at);
	if (t->inst[0].length)
		x86_mem_decoded(&p->mem, at + t->inst[0].length - 1u);
	t->next = *slot;
	*slot = t;
	return &t->guest;
}

static const struct guest_inst *x86_guest_decode(void *program, uint64_t at)
{
	struct x86_process *p = program;
	struct x86_lowered *l = p->lowered;
	struct x86_timed **slot = &l->slot[(at ^ at >> 16) % X86_LOWERED_SLOTS];

	if (UNLIKELY(l->changes != p->mem.changes)) {
		memset(l->slot, 0, sizeof(l->slot));
		l->changes = p->mem.changes;
	}
	for (struct x86_timed *t = *slot; t; t = t->next)
		if (LIKELY(t->at == at))
			return &t->guest;
	return x86_guest_add(p, slot, at);
}

static uint64_t x86_guest_at(const void *thread)
{
	return ((const struct x86_cpu *)thread)->rip;
}

static uint64_t x86_guest_place(const struct guest_inst *i)
{
	return ((const struct x86_timed *)i)->at;
}

/* Where the accesses go, before anything is executed. */
static void x86_guest_addresses(const struct x86_cpu *c,
				const struct x86_timed *t,
				struct guest_effect *e)
{
	for (unsigned k = 0; k < t->accesses; k++) {
		const struct x86_access *a = &t->access[k];
		uint64_t at =
			c->r[a->base] + (c->r[a->index] << a->shift) + a->disp;

		if (a->size32)
			at = (uint32_t)at;
		e->address[k] =
			(at + c->segment[a->segment]) % (X86_SPACE - X86_PAGE);
	}
}

/* Bytes that a repeated move or fill handles at a time. */
enum { X86_STRING_CHUNK = 16 };

/* After a repeated instruction: `n` elements have been handled. */
static void x86_guest_string(const struct x86_timed *t, bool down, uint64_t n,
			     struct guest_effect *e)
{
	unsigned bytes = t->inst[0].bits / 8u;
	bool chunks = t->inst[0].run == x86_do_movs ||
		      t->inst[0].run == x86_do_stos;

	e->idle = !n;
	if (!n)
		return;
	if (!chunks) {
		e->repeats = n;
		e->step = down ? -(int32_t)bytes : (int32_t)bytes;
		return;
	}
	e->repeats = (n * bytes + X86_STRING_CHUNK - 1) / X86_STRING_CHUNK;
	e->step = down ? -X86_STRING_CHUNK : X86_STRING_CHUNK;
	e->bytes = n * bytes < X86_STRING_CHUNK ? (uint32_t)(n * bytes) :
						  X86_STRING_CHUNK;
	if (down)
		for (unsigned k = 0; k < t->accesses; k++)
			e->address[k] -= e->bytes - bytes;
}

/* The process of a thread that is no stray. */
static struct x86_process *x86_guest_process(const struct x86_cpu *c)
{
	return (struct x86_process *)(void *)((char *)c->mem -
					      offsetof(struct x86_process,
						       mem));
}

static void x86_guest_count(struct x86_cpu *c)
{
	c->count++;
	if (!c->stray)
		x86_guest_process(c)->instructions++;
}

static void x86_guest_stop(struct x86_cpu *c, const struct x86_timed *t,
			   struct guest_effect *e)
{
	c->rip = t->at;
	if (c->stop == X86_STOP_FAULT) {
		e->stop = GUEST_STOPS_FAULT;
		return;
	}
	c->rip += t->inst[0].length;
	x86_guest_count(c);
	if (c->stop == X86_STOP_SYSCALL)
		e->stop = GUEST_STOPS_CALL;
}

static void x86_guest_execute(void *thread, const struct guest_inst *i,
			      uint64_t cycle, struct guest_effect *e)
{
	const struct x86_timed *t = (const struct x86_timed *)i;
	struct x86_cpu *c = thread;
	uint64_t before = c->r[X86_RCX];

	*e = (struct guest_effect){ .repeats = 1 };
	c->stop = X86_STOP_NONE;
	c->timed = true;
	c->cycle = cycle;
	if (!i) {
		c->stop = X86_STOP_FAULT;
		c->fault = (struct x86_fault){ .kind = X86_FAULT_FETCH,
					       .address = c->rip };
		e->stop = GUEST_STOPS_FAULT;
		return;
	}
	x86_guest_addresses(c, t, e);
	if (t->inst[0].run(c, t->inst))
		c->rip = t->at + t->inst[0].length;
	if (c->stop)
		x86_guest_stop(c, t, e);
	else
		x86_guest_count(c);
	e->next = c->rip;
	if (i->order == GUEST_STRING && t->inst[0].number && !c->stop)
		x86_guest_string(t, c->down, before - c->r[X86_RCX], e);
}

static void x86_guest_stray(void *stray, const void *thread)
{
	struct x86_cpu *c = stray;

	*c = *(const struct x86_cpu *)thread;
	c->allowed = c->mem->nothing;
	/* Behind the registers; see x86_guest_ops. */
	c->stray = (uint8_t *)(c + 1);
}

static void x86_guest_go(void *stray, uint64_t at)
{
	((struct x86_cpu *)stray)->rip = at;
}

static unsigned x86_guest_threads(const void *program)
{
	return ((const struct x86_process *)program)->threads;
}

static void *x86_guest_thread(void *program, unsigned n)
{
	return ((struct x86_process *)program)->thread[n];
}

static enum guest_state x86_guest_state(const void *thread)
{
	const struct x86_thread *t = thread;

	return t->state == X86_RUNNING ? GUEST_RUNS :
	       t->state == X86_DEAD    ? GUEST_DEAD :
					 GUEST_WAITS;
}

static void x86_guest_set_time(void *program, uint64_t ns)
{
	((struct x86_process *)program)->time = ns;
}

static uint64_t x86_guest_next_wake(const void *program)
{
	const struct x86_process *p = program;
	uint64_t first = x86_timers_wake(p);

	for (unsigned i = 0; i < p->threads; i++)
		if (p->thread[i]->state != X86_DEAD &&
		    p->thread[i]->wake < first)
			first = p->thread[i]->wake;
	return first;
}

static void x86_guest_wake(void *program)
{
	x86_wake_sleepers(program);
	x86_timers_fire(program);
}

static void x86_guest_call(void *program, void *thread, struct guest_call *c)
{
	x86_syscall_timed(program, thread, c);
}

static void x86_guest_fault(void *program, void *thread)
{
	x86_fault(program, thread);
}

static bool x86_guest_wanted(const void *program, const void *thread)
{
	const struct x86_process *p = program;
	const struct x86_thread *t = thread;

	return (t->sig.pending | p->pending) & ~t->sig.blocked;
}

static void x86_guest_interrupt(void *program, void *thread)
{
	x86_signal_deliver(program, thread);
}

static void x86_guest_mark(void *program, void *thread)
{
	x86_region(program, thread);
}

static bool x86_guest_ended(const void *program)
{
	return ((const struct x86_process *)program)->ended;
}

static void x86_guest_deadlock(void *program)
{
	x86_end_deadlock(program);
}

static void *x86_guest_memory(void *program, uint64_t at, uint64_t bytes,
			      bool write)
{
	struct x86_process *p = program;

	return write ? x86_mem_put(&p->mem, at, bytes) :
		       (void *)(uintptr_t)x86_mem_get(&p->mem, at, bytes);
}

static const struct guest_ops x86_guest_ops = {
	.decode = x86_guest_decode,
	.at = x86_guest_at,
	.place = x86_guest_place,
	.execute = x86_guest_execute,
	.stray_bytes = sizeof(struct x86_cpu) + X86_STRAY_BYTES,
	.stray = x86_guest_stray,
	.go = x86_guest_go,
	.threads = x86_guest_threads,
	.thread = x86_guest_thread,
	.state = x86_guest_state,
	.set_time = x86_guest_set_time,
	.next_wake = x86_guest_next_wake,
	.wake = x86_guest_wake,
	.call = x86_guest_call,
	.fault = x86_guest_fault,
	.wanted = x86_guest_wanted,
	.interrupt = x86_guest_interrupt,
	.mark = x86_guest_mark,
	.ended = x86_guest_ended,
	.deadlock = x86_guest_deadlock,
	.memory = x86_guest_memory,
};

enum err x86_process_guest(struct x86_process *p, struct guest *g,
			   struct diag *d)
{
	p->lowered = calloc(1, sizeof(*p->lowered));
	if (!p->lowered)
		return fail(d, ERR_NOMEM, "out of memory");
	p->lowered->arena.piece = 1 << 20;
	p->lowered->changes = p->mem.changes;
	p->timed = true;
	*g = (struct guest){ &x86_guest_ops, p };
	return ERR_OK;
}
