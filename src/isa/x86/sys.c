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

/* Threads that wait in a private call wait at no futex. */
static const uint64_t x86_futex_none = UINT64_MAX;

/* False: nobody performs it. */
static bool x86_private(struct x86_process *p, struct x86_thread *t,
			uint64_t number, const uint64_t *a, int64_t *result)
{
	struct guest_private c = { .number = number, .thread = t };

	if (!p->private_calls || number < GUEST_PRIVATE ||
	    number > GUEST_PRIVATE_LAST)
		return false;
	memcpy(c.arg, a, sizeof(c.arg));
	if (!p->private_calls->call(p->private_calls->ctx, &c))
		return false;
	t->call_ns = c.ns;
	*result = c.result;
	if (c.waits) {
		t->state = X86_WAITING;
		t->futex = x86_futex_none;
		t->wake = X86_NEVER;
		*result = X86_SYS_LATER;
	}
	return true;
}

static bool x86_is_known(uint64_t number)
{
	return number < X86_SYS_MOST && x86_sys_rows[number].known;
}

void x86_syscall(struct x86_process *p, struct x86_thread *t)
{
	struct x86_cpu *c = &t->cpu;
	uint64_t number = c->r[X86_RAX];
	const uint64_t a[6] = { c->r[X86_RDI], c->r[X86_RSI], c->r[X86_RDX],
				c->r[X86_R10], c->r[X86_R8],  c->r[8 + 1] };
	int64_t result;

	/* As the instruction does; IF is set. */
	c->r[X86_RCX] = c->rip;
	c->r[X86_R11] = x86_get_flags(c) | 1u << 9;
	if (x86_is_known(number)) {
		const struct x86_sys_row *row = &x86_sys_rows[number];

		result = row->run ? row->run(p, t, a) : row->result;
	} else if (!x86_private(p, t, number, a, &result)) {
		x86_end_at(p, t, X86_REFUSED,
			   "system call %llu is not supported",
			   (unsigned long long)number);
		return;
	}
	if (result != X86_SYS_LATER)
		c->r[X86_RAX] = (uint64_t)result;
}

void x86_syscall_timed(struct x86_process *p, struct x86_thread *t,
		       struct guest_call *call)
{
	uint64_t number = t->cpu.r[X86_RAX];

	*call = (struct guest_call){ .number = number };
	t->call_ns = 0;
	x86_syscall(p, t);
	if (!x86_is_known(number)) {
		call->kind = GUEST_CALL_PRIVATE;
		call->ns = t->call_ns;
		return;
	}
	call->kind = (enum guest_call_kind)x86_sys_rows[number].kind;
	if (call->kind == GUEST_CALL_FILE && (int64_t)t->cpu.r[X86_RAX] > 0)
		call->bytes = t->cpu.r[X86_RAX];
	call->yields = t->cpu.stop == X86_STOP_YIELD;
}
