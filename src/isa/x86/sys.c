#include "isa/x86/sys.h"

#include <errno.h>
#include <string.h>

#include "isa/x86/flags.h"

struct x86_sys_row {
	x86_sys *run; /* NULL: the result is fixed */
	int64_t result;
	bool known;
	uint8_t kind; /* enum guest_call_kind */
};

enum { X86_SYS_MOST = 512 };

static const struct x86_sys_row x86_sys_rows[X86_SYS_MOST] = {
#define X86_SYS(number, name, kind, text) \
	[number] = { x86_sys_##name, 0, true, GUEST_CALL_##kind },
#define X86_SYS_IS(number, name, kind, result, text) \
	[number] = { NULL, result, true, GUEST_CALL_##kind },
#define X86_SYS_NONE(number, name, kind, text) \
	[number] = { NULL, -ENOSYS, true, GUEST_CALL_##kind },
#include "isa/x86/syscall.def"
};

/* A thread that sleeps is woken with the result 0, as at a futex. */
static int64_t x86_serve(struct x86_process *p, struct x86_thread *t,
			 const uint64_t *a)
{
	int64_t result = p->service.call(p->service.ctx, p, t, a[0], a[1]);

	if (result != X86_SERVICE_SLEEP) {
		x86_process_changed(p);
		return result;
	}
	t->state = X86_WAITING;
	t->futex = X86_SERVICE_FUTEX;
	t->mask = ~0u;
	t->queued = ++p->queued;
	t->wake = X86_NEVER;
	return X86_SYS_LATER;
}

void x86_syscall(struct x86_process *p, struct x86_thread *t)
{
	struct x86_cpu *c = &t->cpu;
	uint64_t number = c->r[X86_RAX];
	const uint64_t a[6] = { c->r[X86_RDI], c->r[X86_RSI], c->r[X86_RDX],
				c->r[X86_R10], c->r[X86_R8],  c->r[8 + 1] };
	bool serves = p->service.call && number == p->service.number;
	bool known = number < X86_SYS_MOST && x86_sys_rows[number].known;
	int64_t result;

	if (!serves && !known) {
		x86_end_at(p, t, X86_REFUSED,
			   "system call %llu is not supported",
			   (unsigned long long)number);
		return;
	}
	/* As the instruction does; IF is set. */
	c->r[X86_RCX] = c->rip;
	c->r[X86_R11] = x86_get_flags(c) | 1u << 9;
	result = serves                   ? x86_serve(p, t, a) :
		 x86_sys_rows[number].run ? x86_sys_rows[number].run(p, t, a) :
					    x86_sys_rows[number].result;
	if (result != X86_SYS_LATER)
		c->r[X86_RAX] = (uint64_t)result;
}

void x86_syscall_timed(struct x86_process *p, struct x86_thread *t,
		       struct guest_call *call)
{
	uint64_t number = t->cpu.r[X86_RAX];

	*call = (struct guest_call){ .number = number,
				     .kind = GUEST_CALL_PRIVATE };
	t->call_ns = 0;
	x86_syscall(p, t);
	call->ns = t->call_ns;
	if (number >= X86_SYS_MOST)
		return;
	call->kind = (enum guest_call_kind)x86_sys_rows[number].kind;
	if (call->kind == GUEST_CALL_FILE && (int64_t)t->cpu.r[X86_RAX] > 0)
		call->bytes = t->cpu.r[X86_RAX];
	call->yields = t->cpu.stop == X86_STOP_YIELD;
}
