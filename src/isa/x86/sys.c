#include "isa/x86/sys.h"

#include <errno.h>
#include <string.h>

#include "isa/x86/flags.h"

struct x86_sys_row {
	const char *name; /* NULL: not known */
	const char *text;
	uint8_t kind; /* enum guest_call_kind */
	x86_sys *run; /* NULL: the result is fixed */
	int64_t result;
	const char *error; /* that it is refused with; NULL: it is not */
};

static const struct x86_sys_row x86_sys_rows[X86_SYS_MOST] = {
#define X86_SYS(number, name, kind, text) \
	[number] = { #name, text, GUEST_CALL_##kind, x86_sys_##name, 0, NULL },
#define X86_SYS_IS(number, name, kind, result, text) \
	[number] = { #name, text, GUEST_CALL_##kind, NULL, result, NULL },
#define X86_SYS_NONE(number, name, kind, text) \
	[number] = { #name, text, GUEST_CALL_##kind, NULL, -ENOSYS, NULL },
#define X86_SYS_REFUSED(number, name, kind, error, text) \
	[number] = { #name, text, GUEST_CALL_##kind, NULL, -error, #error },
#include "isa/x86/syscall.def"
};

/* All numbers beyond the table's count as one. */
static struct x86_refusal *x86_refusal_of(struct x86_process *p,
					  uint64_t number)
{
	return &p->refused[number < X86_SYS_MOST ? number : X86_SYS_MOST];
}

int64_t x86_refuse(struct x86_process *p, const struct x86_thread *t, int code,
		   const char *error)
{
	struct x86_refusal *r = x86_refusal_of(p, t->cpu.r[X86_RAX]);

	r->number = t->cpu.r[X86_RAX];
	r->error = error;
	r->times++;
	return -code;
}

bool x86_process_refused(const struct x86_process *p, unsigned n,
			 struct x86_refused *r)
{
	for (unsigned i = 0; i <= X86_SYS_MOST; i++) {
		const struct x86_refusal *one = &p->refused[i];

		if (!one->times || n--)
			continue;
		*r = (struct x86_refused){ .number = one->number,
					   .error = one->error,
					   .times = one->times };
		if (i < X86_SYS_MOST && x86_sys_rows[i].name) {
			r->name = x86_sys_rows[i].name;
			r->text = x86_sys_rows[i].text;
		}
		return true;
	}
	return false;
}

static int64_t x86_perform(struct x86_process *p, struct x86_thread *t,
			   uint64_t number, const uint64_t *a)
{
	const struct x86_sys_row *row =
		&x86_sys_rows[number < X86_SYS_MOST ? number : 0];

	if (number >= X86_SYS_MOST || !row->name)
		return x86_refuse(p, t, ENOSYS, "ENOSYS");
	if (row->error)
		return x86_refuse(p, t, (int)-row->result, row->error);
	return row->run ? row->run(p, t, a) : row->result;
}

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
	int64_t result;

	/* As the instruction does; IF is set. */
	c->r[X86_RCX] = c->rip;
	c->r[X86_R11] = x86_get_flags(c) | 1u << 9;
	result = serves ? x86_serve(p, t, a) : x86_perform(p, t, number, a);
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
