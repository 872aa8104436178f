#include "isa/x86/channel.h"
#include "isa/x86/process_impl.h"
#include "isa/x86/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "isa/x86/decode.h"
#include "isa/x86/soft.h"

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

/* What a marker says; of an end, before it was executed. */
static struct x86_mark x86_mark_of(const struct x86_process *p,
				   const struct x86_thread *t, bool end)
{
	return (struct x86_mark){ .thread = (unsigned)(t->tid - X86_PID),
				  .end = end,
				  .own = t->cpu.count - end,
				  .all = p->instructions - end,
				  .time = x86_now(p) - end };
}

void x86_region(struct x86_process *p, const struct x86_thread *t)
{
	struct x86_mark m = x86_mark_of(p, t, t->cpu.mark & X86_MARK_END);

	m.number = t->cpu.mark & (X86_REGION_NUMBERS - 1);
	m.at = t->cpu.rip - X86_MARK_BYTES;
	x86_regions_mark(&p->regions, &m);
	if (p->listener)
		p->listener->mark(p->listener->context, &m);
}

static void x86_leave_regions(struct x86_process *p, const struct x86_thread *t)
{
	struct x86_mark m = x86_mark_of(p, t, false);

	x86_regions_leave(&p->regions, &m);
}

void x86_thread_end(struct x86_process *p, struct x86_thread *t)
{
	void *to = t->clear_tid ? x86_mem_put(&p->mem, t->clear_tid, 4) : NULL;

	x86_leave_regions(p, t);
	t->state = X86_DEAD;
	x86_robust_end(p, t);
	if (!to)
		return;
	memset(to, 0, 4);
	x86_futex_wake(p, t->clear_tid, 1, ~0u);
}

struct x86_thread *x86_oldest_waiter(const struct x86_process *p, uint64_t at,
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
	if (t->again && result != -EINTR) {
		t->cpu.rip -= X86_SYSCALL_BYTES;
		result = (int64_t)t->again - 1;
	} else if (t->again && t->moved) {
		result = (int64_t)t->moved;
	}
	t->again = 0;
	if (result == -EINTR) {
		t->moved = t->until = 0;
	} else {
		t->sig.restart = 0;
	}
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

struct x86_mem *x86_process_mem(struct x86_process *p)
{
	return &p->mem;
}

uint64_t x86_process_map(struct x86_process *p, uint64_t bytes)
{
	uint64_t size = x86_round_up(bytes), at;

	if (!bytes || size < bytes || size > X86_MMAP_TOP)
		return 0;
	at = x86_mem_find(&p->mem, size, X86_MMAP_TOP);
	if (at)
		x86_mem_map(&p->mem, at, size, X86_READ | X86_WRITE);
	return at;
}

void x86_process_unmap(struct x86_process *p, uint64_t at, uint64_t bytes)
{
	x86_mem_unmap(&p->mem, at, x86_round_up(bytes));
}

uint64_t x86_process_nanoseconds(const struct x86_process *p)
{
	return x86_now(p);
}

void x86_process_refuse(struct x86_process *p, const struct x86_thread *t,
			const char *text)
{
	x86_end_at(p, t, X86_REFUSED, "%s", text);
}

void x86_process_takes(struct x86_thread *t, uint64_t ns)
{
	t->call_ns += ns;
}

void x86_process_changed(struct x86_process *p)
{
	x86_futex_wake(p, X86_SERVICE_FUTEX, UINT32_MAX, ~0u);
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

enum { X86_INT3_BYTES = 1 };

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
	[X86_FAULT_PROTECT] = { X86_SIGSEGV, "privileged instruction, or a "
					     "reserved bit is set" },
	[X86_FAULT_FLOAT] = { X86_SIGFPE, "floating-point exception that is "
					  "not masked" },
	[X86_FAULT_UNSUPP] = { X86_SIGILL, "is not supported; the processor "
					   "has SSE4.2 and nothing newer" },
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

/* Which exception it was that is not masked: Linux' codes of SIGFPE. */
static int x86_fault_float(const struct x86_cpu *c)
{
	/* Invalid, denormal, by zero, overflow, underflow, inexact. */
	static const uint8_t code[6] = { 7, 5, 3, 4, 5, 6 };
	unsigned open = (c->mxcsr & ~(c->mxcsr >> 7) & X86_MXCSR_FLAGS) |
			(c->fpu.status & ~c->fpu.control & X86_MXCSR_FLAGS);

	return open ? code[__builtin_ctz(open)] : X86_FPE_FLTINV;
}

/* Linux is not told where an access was whose address is none. */
static bool x86_is_canonical(uint64_t at)
{
	return at + (1ull << 47) < 1ull << 48;
}

/* What a handler is told of a fault. */
static struct x86_siginfo x86_fault_info(const struct x86_process *p,
					 const struct x86_thread *t)
{
	const struct x86_fault *f = &t->cpu.fault;
	struct x86_siginfo info = { .value = t->cpu.rip };

	switch (f->kind) {
	case X86_FAULT_READ:
	case X86_FAULT_WRITE:
	case X86_FAULT_FETCH:
		if (!x86_is_canonical(f->address))
			return (struct x86_siginfo){ .code = X86_SI_KERNEL };
		info.value = f->address;
		info.code = x86_mem_is_mapped(&p->mem, f->address, 1) ?
				    X86_SEGV_ACCERR :
				    X86_SEGV_MAPERR;
		return info;
	case X86_FAULT_DIVIDE:
		info.code = X86_FPE_INTDIV;
		return info;
	case X86_FAULT_FLOAT:
		info.code = x86_fault_float(&t->cpu);
		return info;
	case X86_FAULT_INVALID:
		info.code = X86_ILL_ILLOPN;
		return info;
	default:
		return (struct x86_siginfo){ .code = X86_SI_KERNEL };
	}
}

static void x86_end_fault(struct x86_process *p, const struct x86_thread *t)
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

/* A handler takes it, or it ends the program. */
void x86_fault(struct x86_process *p, struct x86_thread *t)
{
	enum x86_fault_kind kind = t->cpu.fault.kind;
	unsigned skip = kind == X86_FAULT_TRAP ? X86_INT3_BYTES : 0;

	t->cpu.rip += skip;
	if (kind != X86_FAULT_UNSUPP &&
	    x86_signal_fault(p, t, (unsigned)x86_faults[kind].signal,
			     x86_fault_info(p, t)))
		return;
	t->cpu.rip -= skip;
	x86_end_fault(p, t);
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
		else if (t->state == X86_PAUSED)
			x86_thread_wake(t, -EAGAIN);
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
	uint64_t first = x86_timers_wake(p);

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

static int x86_say_wait(const struct x86_process *p, const struct x86_thread *t,
			char *to, size_t size)
{
	char place[160];
	uint32_t v = 0;

	if (t->state == X86_PAUSED)
		return snprintf(to, size, "\n  thread %d waits for a signal",
				t->tid - X86_PID);
	memcpy(&v, p->mem.memory + t->futex, sizeof(v));
	x86_name_address(p, t->cpu.rip, place, sizeof(place));
	if (t->futex == X86_CHANNEL_FUTEX)
		return snprintf(to, size,
				"\n  thread %d waits for a pipe or an event "
				"(at %s)",
				t->tid - X86_PID, place);
	if (t->futex == X86_SERVICE_FUTEX)
		return snprintf(to, size,
				"\n  thread %d waits for an event of OpenCL "
				"(at %s)",
				t->tid - X86_PID, place);
	return snprintf(to, size,
			"\n  thread %d waits at the futex 0x%llx, which is %u "
			"(at %s)",
			t->tid - X86_PID, (unsigned long long)t->futex, v,
			place);
}

void x86_end_deadlock(struct x86_process *p)
{
	char *to = p->end.text;
	size_t left = sizeof(p->end.text);
	int n = snprintf(to, left, "deadlock: every thread waits for ever");

	for (unsigned i = 0; i < p->threads && n >= 0 && (size_t)n < left;
	     i++) {
		to += n;
		left -= (size_t)n;
		n = p->thread[i]->state == X86_DEAD ?
			    0 :
			    x86_say_wait(p, p->thread[i], to, left);
	}
	x86_end_with(p, X86_DEADLOCK, 0);
}

static uint64_t x86_turn_budget(const struct x86_process *p, uint64_t done)
{
	uint64_t left = p->quantum - done, timer = x86_timers_left(p);

	if (timer < left)
		left = timer;
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

		x86_timers_fire(p);
		if (t->sig.pending | p->pending) {
			x86_signal_deliver(p, t);
			if (p->ended)
				return;
		}
		x86_run(&t->cpu, &p->code, x86_turn_budget(p, done));
		n = t->cpu.count - before;
		done += n;
		p->instructions += n;
		if (t->cpu.stop == X86_STOP_FAULT)
			x86_fault(p, t);
		if (t->cpu.stop == X86_STOP_SYSCALL)
			x86_syscall(p, t);
		if (t->cpu.stop == X86_STOP_REGION)
			x86_region(p, t);
		if (t->cpu.stop == X86_STOP_YIELD || x86_limit_reached(p))
			return;
	}
}

void x86_process_run(struct x86_process *p, struct x86_end *end)
{
	while (!p->ended) {
		struct x86_thread *t;

		x86_wake_sleepers(p);
		x86_timers_fire(p);
		t = x86_next_thread(p);
		if (t)
			x86_run_turn(p, t);
		else if (!x86_skip_time(p))
			x86_end_deadlock(p);
	}
	x86_process_end(p, end);
}

bool x86_process_end(struct x86_process *p, struct x86_end *end)
{
	for (unsigned i = 0; i < p->threads; i++)
		if (p->thread[i]->state != X86_DEAD)
			x86_leave_regions(p, p->thread[i]);
	p->end.instructions = p->instructions;
	p->end.nanoseconds = x86_now(p);
	*end = p->end;
	return p->ended;
}

const struct x86_regions *x86_process_regions(const struct x86_process *p)
{
	return &p->regions;
}

void x86_process_place(const struct x86_process *p, uint64_t at, char *text,
		       size_t size)
{
	x86_name_address(p, at, text, size);
}

void x86_process_data(const struct x86_process *p, uint64_t at, char *text,
		      size_t size)
{
	x86_name_data(p, at, text, size);
}

const char *x86_process_function(const struct x86_process *p, uint64_t at,
				 uint64_t *start)
{
	const struct x86_symbol *s = x86_symbol_at(p, at);

	if (!s)
		return NULL;
	*start = s->at;
	return s->name;
}

uint32_t x86_process_line(const struct x86_process *p, uint64_t at,
			  const char **file)
{
	return x86_lines_find(&p->lines, at, file);
}

void x86_process_text(const struct x86_process *p, uint64_t at, char *text,
		      size_t size)
{
	uint64_t bytes = X86_LONGEST;

	while (bytes && !x86_mem_can(&p->mem, at, bytes, X86_EXEC))
		bytes--;
	text[0] = '\0';
	if (bytes)
		x86_decode_text(p->mem.memory + at, bytes, at, text, size);
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
	if (x86_image_open(p, o, d))
		return d->code;
	x86_timers_init(p);
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
	p->service = o->service;
	p->listener = o->listener;
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
	x86_shared_free(p);
	for (unsigned i = 0; i < X86_FILES; i++) {
		if (p->file[i].open && !p->file[i].borrowed)
			close(p->file[i].host);
		x86_entries_free(p->file[i].list);
		x86_channel_drop(p, &p->file[i]);
		free(p->file[i].path);
	}
	if (p->root >= 0)
		close(p->root);
	free(p->image.file);
	x86_lowered_free(p);
	x86_regions_free(&p->regions);
	x86_code_free(&p->code);
	x86_mem_free(&p->mem);
	arena_free(&p->arena);
	free(p);
}
