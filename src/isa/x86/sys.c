#include "isa/x86/sys.h"

#include <errno.h>

#include "isa/x86/flags.h"

struct x86_sys_row {
	x86_sys *run; /* NULL: the result is fixed */
	int64_t result;
	bool known;
};

enum { X86_SYS_MOST = 512 };

static const struct x86_sys_row x86_sys_rows[X86_SYS_MOST] = {
#define X86_SYS(number, name, text) [number] = { x86_sys_##name, 0, true },
#define X86_SYS_IS(number, name, result, text) \
	[number] = { NULL, result, true },
#define X86_SYS_NONE(number, name, text) [number] = { NULL, -ENOSYS, true },
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
	const struct x86_sys_row *row =
		&x86_sys_rows[number < X86_SYS_MOST ? number : 0];
	int64_t result;

	bool serves = p->service.call && number == p->service.number;

	if (!serves && (number >= X86_SYS_MOST || !row->known)) {
		x86_end_at(p, t, X86_REFUSED,
			   "system call %llu is not supported",
			   (unsigned long long)number);
		return;
	}
	/* As the instruction does; IF is set. */
	c->r[X86_RCX] = c->rip;
	c->r[X86_R11] = x86_get_flags(c) | 1u << 9;
	result = serves   ? x86_serve(p, t, a) :
		 row->run ? row->run(p, t, a) :
			    row->result;
	if (result != X86_SYS_LATER)
		c->r[X86_RAX] = (uint64_t)result;
}
