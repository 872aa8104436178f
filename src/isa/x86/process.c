#include "isa/x86/process_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "isa/x86/decode.h"

uint64_t x86_now(const struct x86_process *p)
{
	return p->timed ? p->time : p->instructions + p->idle;
}

struct x86_thread *x86_thread_new(struct x86_process *p)
{
	struct x86_thread *t = NULL;

	for (unsigned i = 0; i < p->threads && !t; i++)
		if (p->thread[i]->state == X86_DEAD)
			t = p->thread[i];
	if (!t && p->threads == X86_THREADS)
		return NULL;
	if (!t) {
		t = arena_new(&p->arena, struct x86_thread, 1);
		if (!t)
			return NULL;
		p->thread[p->threads++] = t;
	}
	*t = (struct x86_thread){ .tid = X86_PID + (int)p->end.threads++,
				  .wake = X86_NEVER };
	x86_cpu_init(&t->cpu, &p->mem);
	return t;
}

void x86_thread_end(struct x86_process *p, struct x86_thread *t)
{
	void *to = t->clear_tid ? x86_mem_put(&p->mem, t->clear_tid, 4) : NULL;

	t->state = X86_DEAD;
	if (!to)
		return;
	memset(to, 0, 4);
	x86_futex_wake(p, t->clear_tid, 1, ~0u);
}

static struct x86_thread *x86_oldest_waiter(struct x86_process *p, uint64_t at,
					    uint32_t mask)
{
	struct x86_thread *oldest = NULL;

	for (unsigned i = 0; i < p->threads; i++) {
		struct x86_thread *t = p->thread[i];

		if (t->state == X86_WAITING && t->futex == at &&
		    t->mask & mask && (!oldest || t->queued < oldest->queued))
			oldest = t;
	}
	return oldest;
}

void x86_thread_wake(struct x86_thread *t, int64_t result)
{
	t->state = X86_RUNNING;
	t->wake = X86_NEVER;
	t->cpu.r[X86_RAX] = (uint64_t)result;
}

unsigned x86_futex_wake(struct x86_process *p, uint64_t at, unsigned most,
			uint32_t mask)
{
	struct x86_thread *t;
	unsigned n = 0;

	while (n < most && (t = x86_oldest_waiter(p, at, mask))) {
		x86_thread_wake(t, 0);
		n++;
	}
	return n;
}

void x86_end_with(struct x86_process *p, enum x86_how how, int status)
{
	p->ended = true;
	p->end.how = how;
	p->end.status = status;
}

void x86_end_at(struct x86_process *p, const struct x86_thread *t,
		enum x86_how how, const char *fmt, ...)
{
	char place[160];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(p->end.text, sizeof(p->end.text), fmt, ap);
	va_end(ap);
	x86_name_address(p, t->cpu.rip, place, sizeof(place));
	if (n >= 0 && (size_t)n < sizeof(p->end.text))
		snprintf(p->end.text + n, sizeof(p->end.text) - (size_t)n,
			 " (thread %d, at %s)", t->tid - X86_PID, place);
	x86_end_with(p, how, 0);
}

enum { X86_SIGILL = 4, X86_SIGTRAP, X86_SIGFPE = 8, X86_SIGSEGV = 11 };

/* What to say of a fault, and the signal that Linux would raise. Those of memory
 * say more. */
static const struct {
	int signal;
	const char *text;
} x86_faults[] = {
	[X86_FAULT_READ] = { X86_SIGSEGV, "read at" },
	[X86_FAULT_WRITE] = { X86_SIGSEGV, "write to" },
	[X86_FAULT_FETCH] = { X86_SIGSEGV, "nothing may be executed at" },
	[X86_FAULT_ALIGN] = { X86_SIGSEGV, "misaligned address: it must be a "
					   "multiple of 16" },
	[X86_FAULT_DIVIDE] = { X86_SIGFPE, "division by zero, or with a "
					   "quotient too large" },
	[X86_FAULT_INVALID] = { X86_SIGILL, "invalid instruction" },
	[X86_FAULT_TRAP] = { X86_SIGTRAP, "trap" },
	[X86_FAULT_FLOAT] = { X86_SIGFPE, "floating-point exception that is "
					  "not masked" },
	[X86_FAULT_UNSUPP] = { X86_SIGILL, "is not supported; the processor "
					   "has SSE2 and nothing newer" },
};

static void x86_end_access(struct x86_process *p, const struct x86_thread *t)
{
	const struct x86_fault *f = &t->cpu.fault;
	const char *why = !x86_mem_is_mapped(&p->mem, f->address, 1) ?
				  "where nothing is mapped" :
			  f->kind == X86_FAULT_READ ?
				  "which may not be read" :
				  "which may not be written";

	x86_end_at(p, t, X86_FAULTED, "illegal address: %u-byte %s 0x%llx, %s",
		   f->bytes, x86_faults[f->kind].text,
		   (unsigned long long)f->address, why);
}

void x86_end_fault(struct x86_process *p, const struct x86_thread *t)
{
	const struct x86_fault *f = &t->cpu.fault;
	const char *text = x86_faults[f->kind].text;

	CHECK(text);
	if (f->kind == X86_FAULT_READ || f->kind == X86_FAULT_WRITE)
		x86_end_access(p, t);
	else if (f->kind == X86_FAULT_FETCH)
		x86_end_at(p, t, X86_FAULTED, "illegal address: %s 0x%llx",
			   text, (unsigned long long)f->address);
	else if (f->kind == X86_FAULT_UNSUPP)
		x86_end_at(p, t, X86_REFUSED, "instruction %s %s", f->name,
			   text);
	else
		x86_end_at(p, t, X86_FAULTED, "%s", text);
	p->end.status = x86_faults[f->kind].signal;
}

void x86_wake_sleepers(struct x86_process *p)
{
	for (unsigned i = 0; i < p->threads; i++) {
		struct x86_thread *t = p->thread[i];

		if (t->wake > x86_now(p))
			continue;
		if (t->state == X86_SLEEPING)
			x86_thread_wake(t, 0);
		else if (t->state == X86_WAITING)
			x86_thread_wake(t, -ETIMEDOUT);
	}
}

/* The next one that runs, after the last one; NULL: none does. */
static struct x86_thread *x86_next_thread(struct x86_process *p)
{
	for (unsigned i = 1; i <= p->threads; i++) {
		unsigned n = (p->turn + i) % p->threads;

		if (p->thread[n]->state == X86_RUNNING) {
			p->turn = n;
			return p->thread[n];
		}
	}
	return NULL;
}

/* Nobody runs: lets the time pass until somebody wakes. False: never. */
static bool x86_skip_time(struct x86_process *p)
{
	uint64_t first = X86_NEVER;

	for (unsigned i = 0; i < p->threads; i++)
		if (p->thread[i]->state != X86_DEAD &&
		    p->thread[i]->wake < first)
			first = p->thread[i]->wake;
	if (first == X86_NEVER)
		return false;
	if (first > x86_now(p))
		p->idle += first - x86_now(p);
	return true;
}

void x86_end_deadlock(struct x86_process *p)
{
	char *to = p->end.text;
	size_t left = sizeof(p->end.text);
	int n = snprintf(to, left, "deadlock: every thread waits for ever");

	for (unsigned i = 0; i < p->threads && n >= 0 && (size_t)n < left;
	     i++) {
		const struct x86_thread *t = p->thread[i];
		char place[160];
		uint32_t v = 0;

		to += n;
		left -= (size_t)n;
		n = 0;
		if (t->state == X86_DEAD)
			continue;
		memcpy(&v, p->mem.memory + t->futex, sizeof(v));
		x86_name_address(p, t->cpu.rip, place, sizeof(place));
		n = snprintf(to, left,
			     "\n  thread %d waits at the futex 0x%llx, which "
			     "is %u (at %s)",
			     t->tid - X86_PID, (unsigned long long)t->futex, v,
			     place);
	}
	x86_end_with(p, X86_DEADLOCK, 0);
}

static uint64_t x86_turn_budget(const struct x86_process *p, uint64_t done)
{
	uint64_t left = p->quantum - done;

	if (p->limit && p->limit - p->instructions < left)
		left = p->limit - p->instructions;
	return left;
}

static bool x86_limit_reached(struct x86_process *p)
{
	if (p->limit && p->instructions >= p->limit)
		x86_end_with(p, X86_LIMITED, 0);
	return p->ended;
}

/* One thread's turn: a quantum, or until it waits or yields. */
static void x86_run_turn(struct x86_process *p, struct x86_thread *t)
{
	uint64_t done = 0;

	while (!p->ended && t->state == X86_RUNNING && done < p->quantum) {
		uint64_t before = t->cpu.count, n;

		x86_run(&t->cpu, &p->code, x86_turn_budget(p, done));
		n = t->cpu.count - before;
		done += n;
		p->instructions += n;
		if (t->cpu.stop == X86_STOP_FAULT) {
			x86_end_fault(p, t);
			return;
		}
		if (t->cpu.stop == X86_STOP_SYSCALL)
			x86_syscall(p, t);
		if (t->cpu.stop == X86_STOP_YIELD || x86_limit_reached(p))
			return;
	}
}

void x86_process_run(struct x86_process *p, struct x86_end *end)
{
	while (!p->ended) {
		struct x86_thread *t;

		x86_wake_sleepers(p);
		t = x86_next_thread(p);
		if (t)
			x86_run_turn(p, t);
		else if (!x86_skip_time(p))
			x86_end_deadlock(p);
	}
	p->end.instructions = p->instructions;
	p->end.nanoseconds = x86_now(p);
	*end = p->end;
}

static enum err x86_process_init(struct x86_process *p,
				 const struct x86_options *o, struct diag *d)
{
	if (x86_decode_ready(d) || x86_mem_new(&p->mem, d) ||
	    x86_code_new(&p->code, &p->mem, d))
		return d->code;
	p->root = open(o->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->root < 0)
		return fail(d, ERR_IO, "%s: %s", o->root, strerror(errno));
	for (int i = 0; i < 3; i++)
		p->file[i] = (struct x86_file){ .open = true,
						.borrowed = true,
						.host = o->standard[i] };
	strcpy(p->cwd, "/");
	if (!x86_thread_new(p))
		return fail(d, ERR_NOMEM, "out of memory");
	return x86_load_program(p, o, d);
}

enum err x86_process_new(struct x86_process **out, const struct x86_options *o,
			 struct diag *d)
{
	struct x86_process *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p)
		return fail(d, ERR_NOMEM, "out of memory");
	p->root = -1;
	p->quantum = o->quantum;
	p->limit = o->limit;
	p->cores = o->cores;
	if (x86_process_init(p, o, d)) {
		x86_process_free(p);
		return d->code;
	}
	*out = p;
	return ERR_OK;
}

void x86_process_free(struct x86_process *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < X86_FILES; i++) {
		if (p->file[i].open && !p->file[i].borrowed)
			close(p->file[i].host);
		free(p->file[i].path);
	}
	if (p->root >= 0)
		close(p->root);
	x86_lowered_free(p);
	x86_code_free(&p->code);
	x86_mem_free(&p->mem);
	arena_free(&p->arena);
	free(p);
}
