/* The frame of a signal's handler, as Linux makes it: the address to return to,
 * struct ucontext, struct siginfo; above them the image of the x87 and SSE
 * registers. */
#include <errno.h>
#include <stddef.h>

#include "isa/x86/exec_fx.h"
#include "isa/x86/flags.h"
#include "isa/x86/soft.h"
#include "isa/x86/sys.h"

#define X86_SA_RESTORER 0x04000000u
#define X86_SA_ONSTACK 0x08000000u
#define X86_SA_RESTART 0x10000000u

enum {
	X86_RED_ZONE = 128,
	X86_CS = 0x33,
	X86_SS = 0x2b,
	/* uc_flags: SS is there, and is to be restored. */
	X86_UC_FLAGS = 6,
	X86_SS_DISABLE = 2
};

/* Registers in the order of sigcontext. */
static const uint8_t x86_frame_order[16] = {
	8,       9,       10,      11,      12,      13,      14,      15,
	X86_RDI, X86_RSI, X86_RBP, X86_RBX, X86_RDX, X86_RAX, X86_RCX, X86_RSP
};

struct x86_frame {
	uint64_t back; /* where the handler returns to */
	uint64_t uc_flags, uc_link;
	uint64_t stack, stack_flags, stack_bytes;
	uint64_t r[16], rip, flags;
	uint16_t cs, gs, fs, ss;
	uint64_t error, trap, old_mask, cr2, fx, reserved[8];
	uint64_t mask;
	uint8_t info[128];
};

bool x86_signal_put_info(struct x86_process *p, uint64_t at, unsigned number,
			 struct x86_siginfo info)
{
	uint8_t *to = x86_mem_put(&p->mem, at, 128);
	uint32_t head[3] = { number, 0, (uint32_t)info.code };

	if (!to)
		return false;
	memset(to, 0, 128);
	memcpy(to, head, sizeof(head));
	memcpy(to + 16, &info.value, 8);
	memcpy(to + 24, &info.data, 8);
	return true;
}

bool x86_signal_on_stack(const struct x86_thread *t)
{
	uint64_t rsp = t->cpu.r[X86_RSP];

	return rsp > t->sig.stack && rsp - t->sig.stack <= t->sig.stack_bytes;
}

static struct x86_frame x86_frame_of(const struct x86_thread *t,
				     const struct x86_action *a)
{
	const struct x86_signals *s = &t->sig;
	struct x86_frame f = {
		.back = a->restorer,
		.uc_flags = X86_UC_FLAGS,
		.stack = s->stack,
		.stack_bytes = s->stack_bytes,
		.stack_flags = !s->stack_bytes        ? X86_SS_DISABLE :
			       x86_signal_on_stack(t) ? 1 :
							0,
		.rip = t->cpu.rip,
		.flags = x86_get_flags(&t->cpu) | 1u << 9,
		.cs = X86_CS,
		.ss = X86_SS,
		.mask = s->has_saved ? s->saved : s->blocked,
	};

	for (unsigned n = 0; n < 16; n++)
		f.r[n] = t->cpu.r[x86_frame_order[n]];
	f.old_mask = f.mask;
	return f;
}

/* A system call that the signal has ended is made again. */
static void x86_signal_restart(struct x86_thread *t, const struct x86_action *a)
{
	if (t->sig.restart && a->flags & X86_SA_RESTART) {
		t->cpu.r[X86_RAX] = t->sig.restart - 1;
		t->cpu.rip -= X86_SYSCALL_BYTES;
	}
	t->sig.restart = 0;
}

/* As after the start of a program, but for what the frame holds. */
static void x86_signal_start(struct x86_thread *t, const struct x86_action *a,
			     unsigned number, uint64_t frame)
{
	struct x86_cpu *c = &t->cpu;

	c->fpu = (struct x86_fpu){ .control = X86_FPU_CONTROL };
	x86_set_mxcsr(c, X86_MXCSR_DEFAULT);
	x86_set_flags(c, x86_get_flags(c) & ~(uint64_t)X86_DF);
	c->r[X86_RAX] = 0;
	c->r[X86_RDI] = number;
	c->r[X86_RSI] = frame + offsetof(struct x86_frame, info);
	c->r[X86_RDX] = frame + offsetof(struct x86_frame, uc_flags);
	c->r[X86_RSP] = frame;
	c->rip = a->handler;
}

bool x86_signal_enter(struct x86_process *p, struct x86_thread *t,
		      unsigned number, struct x86_siginfo info)
{
	const struct x86_action a = p->action[number];
	bool other = a.flags & X86_SA_ONSTACK && t->sig.stack_bytes &&
		     !x86_signal_on_stack(t);
	uint64_t top = other ? t->sig.stack + t->sig.stack_bytes :
			       t->cpu.r[X86_RSP] - X86_RED_ZONE;
	uint64_t fx = (top - X86_FX_BYTES) & ~63ull;
	uint64_t at = ((fx - sizeof(struct x86_frame)) & ~15ull) - 8;
	uint8_t *to = x86_mem_put(&p->mem, at, fx + X86_FX_BYTES - at);
	struct x86_frame f;

	if (!to || !(a.flags & X86_SA_RESTORER))
		return false;
	x86_signal_restart(t, &a);
	f = x86_frame_of(t, &a);
	f.fx = fx;
	memcpy(to, &f, sizeof(f));
	x86_signal_put_info(p, at + offsetof(struct x86_frame, info), number,
			    info);
	memset(to + (fx - at), 0, X86_FX_BYTES);
	x86_fx_pack(&t->cpu, to + (fx - at));
	t->sig.has_saved = false;
	x86_signal_start(t, &a, number, at);
	return true;
}

static bool x86_frame_floats(struct x86_process *p, struct x86_thread *t,
			     uint64_t fx)
{
	const uint8_t *from = x86_mem_get(&p->mem, fx, X86_FX_BYTES);

	return from && x86_fx_unpack(&t->cpu, from);
}

X86_SYSCALL(rt_sigreturn)
{
	struct x86_cpu *c = &t->cpu;
	const void *from = x86_mem_get(&p->mem, c->r[X86_RSP] - 8,
				       sizeof(struct x86_frame));
	struct x86_frame f;

	if (from)
		memcpy(&f, from, sizeof(f));
	if (!from || (f.fx && !x86_frame_floats(p, t, f.fx))) {
		x86_end_at(p, t, X86_FAULTED,
			   "the frame of a signal's handler is gone");
		return X86_SYS_LATER;
	}
	for (unsigned n = 0; n < 16; n++)
		c->r[x86_frame_order[n]] = f.r[n];
	c->rip = f.rip;
	x86_set_flags(c, f.flags);
	t->sig.blocked = f.mask & ~X86_NEVER_BLOCKED;
	t->sig.stack = f.stack;
	t->sig.stack_bytes = f.stack_flags & X86_SS_DISABLE ? 0 : f.stack_bytes;
	return X86_SYS_LATER;
}
