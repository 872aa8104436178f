/* System calls: signals and timers. */
#include <errno.h>

#include "isa/x86/sys.h"

X86_SYSCALL(rt_sigaction)
{
	uint64_t number = a[0];
	const void *from = NULL;
	void *to = NULL;

	if (!number || number >= X86_SIGNALS ||
	    (a[1] && X86_NEVER_BLOCKED & x86_signal_bit((unsigned)number)))
		return -EINVAL;
	if (a[1] && !(from = x86_mem_get(&p->mem, a[1], 32)))
		return -EFAULT;
	if (a[2] && !(to = x86_mem_put(&p->mem, a[2], 32)))
		return -EFAULT;
	if (to) {
		struct x86_action old = p->action[number];

		if (from)
			memcpy(&p->action[number], from, 32);
		memcpy(to, &old, 32);
	} else if (from) {
		memcpy(&p->action[number], from, 32);
	}
	return 0;
}

enum { X86_SIG_BLOCK, X86_SIG_UNBLOCK, X86_SIG_SETMASK };

static bool x86_new_mask(uint64_t *mask, uint64_t how, uint64_t set)
{
	switch (how) {
	case X86_SIG_BLOCK:
		*mask |= set;
		break;
	case X86_SIG_UNBLOCK:
		*mask &= ~set;
		break;
	case X86_SIG_SETMASK:
		*mask = set;
		break;
	default:
		return false;
	}
	*mask &= ~X86_NEVER_BLOCKED;
	return true;
}

X86_SYSCALL(rt_sigprocmask)
{
	uint64_t old = t->sig.blocked, set;
	const void *from = a[1] ? x86_mem_get(&p->mem, a[1], 8) : NULL;
	void *to = a[2] ? x86_mem_put(&p->mem, a[2], 8) : NULL;

	if ((a[1] && !from) || (a[2] && !to))
		return -EFAULT;
	if (from) {
		memcpy(&set, from, 8);
		if (!x86_new_mask(&t->sig.blocked, a[0], set))
			return -EINVAL;
	}
	if (to)
		memcpy(to, &old, 8);
	return 0;
}

X86_SYSCALL(rt_sigpending)
{
	uint64_t pending = t->sig.pending | p->pending;
	void *to = x86_mem_put(&p->mem, a[0], 8);

	if (!to)
		return -EFAULT;
	memcpy(to, &pending, 8);
	return 0;
}

static int64_t x86_pause(struct x86_thread *t)
{
	t->state = X86_PAUSED;
	t->sig.wanted = t->sig.wanted_to = 0;
	return X86_SYS_LATER;
}

X86_SYSCALL(pause)
{
	return x86_pause(t);
}

X86_SYSCALL(rt_sigsuspend)
{
	const void *from = x86_mem_get(&p->mem, a[0], 8);

	if (!from)
		return -EFAULT;
	t->sig.saved = t->sig.blocked;
	t->sig.has_saved = true;
	memcpy(&t->sig.blocked, from, 8);
	t->sig.blocked &= ~X86_NEVER_BLOCKED;
	if ((t->sig.pending | p->pending) & ~t->sig.blocked)
		return -EINTR;
	return x86_pause(t);
}

X86_SYSCALL(rt_sigtimedwait)
{
	const void *from = x86_mem_get(&p->mem, a[0], 8);
	struct x86_siginfo info;
	uint64_t set, ns = 0;
	unsigned number;

	if (!from || (a[1] && !x86_mem_put(&p->mem, a[1], 128)))
		return -EFAULT;
	if (a[2] && !x86_get_time(p, a[2], &ns))
		return -EINVAL;
	memcpy(&set, from, 8);
	number = x86_signal_take(p, t, set, &info);
	if (number) {
		if (a[1])
			x86_signal_put_info(p, a[1], number, info);
		return number;
	}
	if (a[2] && !ns)
		return -EAGAIN;
	x86_pause(t);
	t->sig.wanted = set;
	t->sig.wanted_to = a[1];
	if (a[2])
		t->wake = x86_now(p) + ns;
	return X86_SYS_LATER;
}

/* Linux' stack_t. */
struct x86_signal_stack {
	uint64_t at;
	uint32_t flags, none;
	uint64_t bytes;
};
enum { X86_SS_ONSTACK = 1, X86_SS_DISABLED = 2, X86_SMALLEST_STACK = 2048 };

static int64_t x86_set_stack(struct x86_thread *t,
			     const struct x86_signal_stack *s)
{
	if (x86_signal_on_stack(t))
		return -EPERM;
	if (s->flags & ~(uint32_t)(X86_SS_ONSTACK | X86_SS_DISABLED))
		return -EINVAL;
	if (!(s->flags & X86_SS_DISABLED) && s->bytes < X86_SMALLEST_STACK)
		return -ENOMEM;
	t->sig.stack = s->at;
	t->sig.stack_bytes = s->flags & X86_SS_DISABLED ? 0 : s->bytes;
	return 0;
}

X86_SYSCALL(sigaltstack)
{
	struct x86_signal_stack old = {
		.at = t->sig.stack,
		.bytes = t->sig.stack_bytes,
		.flags = !t->sig.stack_bytes    ? X86_SS_DISABLED :
			 x86_signal_on_stack(t) ? X86_SS_ONSTACK :
						  0,
	};
	const void *from = a[0] ? x86_mem_get(&p->mem, a[0], sizeof(old)) :
				  NULL;
	void *to = a[1] ? x86_mem_put(&p->mem, a[1], sizeof(old)) : NULL;
	struct x86_signal_stack new;
	int64_t e = 0;

	if ((a[0] && !from) || (a[1] && !to))
		return -EFAULT;
	if (from) {
		memcpy(&new, from, sizeof(new));
		e = x86_set_stack(t, &new);
	}
	if (!e && to)
		memcpy(to, &old, sizeof(old));
	return e;
}

static struct x86_siginfo x86_signal_by(int code)
{
	return (struct x86_siginfo){ .code = code,
				     .value = X86_PID | 1000ull << 32 };
}

/* To this process, or to all. */
X86_SYSCALL(kill)
{
	int64_t who = (int32_t)a[0];

	if (who != X86_PID && who != -X86_PID && who != 0 && who != -1)
		return -ESRCH;
	if (a[1] >= X86_SIGNALS)
		return -EINVAL;
	if (a[1])
		x86_signal_send(p, NULL, (unsigned)a[1],
				x86_signal_by(X86_SI_USER));
	return 0;
}

struct x86_thread *x86_find_thread(const struct x86_process *p, uint32_t tid)
{
	for (unsigned i = 0; i < p->threads; i++)
		if (p->thread[i]->state != X86_DEAD &&
		    p->thread[i]->tid == (int32_t)tid)
			return p->thread[i];
	return NULL;
}

static int64_t x86_signal_to(struct x86_process *p, uint64_t tid,
			     uint64_t number, struct x86_siginfo info)
{
	struct x86_thread *t = x86_find_thread(p, (uint32_t)tid);

	if (number >= X86_SIGNALS)
		return -EINVAL;
	if (!t)
		return -ESRCH;
	if (number)
		x86_signal_send(p, t, (unsigned)number, info);
	return 0;
}

X86_SYSCALL(tkill)
{
	return x86_signal_to(p, a[0], a[1], x86_signal_by(X86_SI_TKILL));
}

X86_SYSCALL(tgkill)
{
	return a[0] == X86_PID ? x86_signal_to(p, a[1], a[2],
					       x86_signal_by(X86_SI_TKILL)) :
				 -ESRCH;
}

/* What the program says of the signal: Linux' siginfo. */
static bool x86_get_siginfo(const struct x86_process *p, uint64_t at,
			    struct x86_siginfo *info)
{
	const uint8_t *from = x86_mem_get(&p->mem, at, 32);

	if (!from)
		return false;
	memcpy(&info->code, from + 8, sizeof(info->code));
	memcpy(&info->value, from + 16, 8);
	memcpy(&info->data, from + 24, 8);
	return true;
}

X86_SYSCALL(rt_sigqueueinfo)
{
	struct x86_siginfo info;

	if (!x86_get_siginfo(p, a[2], &info))
		return -EFAULT;
	if ((int32_t)a[0] != X86_PID)
		return -ESRCH;
	if (a[1] >= X86_SIGNALS)
		return -EINVAL;
	if (a[1])
		x86_signal_send(p, NULL, (unsigned)a[1], info);
	return 0;
}

X86_SYSCALL(rt_tgsigqueueinfo)
{
	struct x86_siginfo info;

	if (!x86_get_siginfo(p, a[3], &info))
		return -EFAULT;
	return (int32_t)a[0] == X86_PID ? x86_signal_to(p, a[1], a[2], info) :
					  -ESRCH;
}

/* A timer's rest and interval, in nanoseconds. */
static void x86_timer_get(const struct x86_process *p, unsigned n,
			  uint64_t v[2])
{
	uint64_t now = x86_timer_now(p, n), at = p->timer[n].at;

	v[0] = at == X86_NEVER ? 0 : at > now ? at - now : 1;
	v[1] = p->timer[n].interval;
}

static void x86_timer_set(struct x86_process *p, unsigned n, uint64_t first,
			  uint64_t interval)
{
	uint64_t now = x86_timer_now(p, n);

	p->timer[n].at = first ? now + first : X86_NEVER;
	p->timer[n].interval = first ? interval : 0;
}

enum { X86_NS_OF_US = 1000, X86_US = 1000000 };
#define X86_NS_OF_S 1000000000ull

/* Linux' struct itimerval: the interval first, each in seconds and microseconds. */
static bool x86_put_timer(struct x86_process *p, uint64_t at,
			  const uint64_t v[2])
{
	void *to = x86_mem_put(&p->mem, at, 32);
	/* A rest is never shown as none. */
	uint64_t us[2] = { (v[0] + X86_NS_OF_US - 1) / X86_NS_OF_US,
			   v[1] / X86_NS_OF_US };
	uint64_t t[4] = { us[1] / X86_US, us[1] % X86_US, us[0] / X86_US,
			  us[0] % X86_US };

	if (to)
		memcpy(to, t, sizeof(t));
	return to;
}

static bool x86_timer_ns(const uint64_t *t, uint64_t *ns)
{
	if (t[1] >= X86_US || t[0] > UINT32_MAX)
		return false;
	*ns = t[0] * X86_NS_OF_S + t[1] * X86_NS_OF_US;
	return true;
}

X86_SYSCALL(getitimer)
{
	uint64_t v[2];

	if (a[0] >= X86_TIMERS)
		return -EINVAL;
	x86_timer_get(p, (unsigned)a[0], v);
	return x86_put_timer(p, a[1], v) ? 0 : -EFAULT;
}

X86_SYSCALL(setitimer)
{
	const void *from = a[1] ? x86_mem_get(&p->mem, a[1], 32) : NULL;
	uint64_t v[2], t4[4] = { 0 }, interval, first;

	if (a[0] >= X86_TIMERS)
		return -EINVAL;
	if (a[1] && !from)
		return -EFAULT;
	if (from)
		memcpy(t4, from, sizeof(t4));
	if (!x86_timer_ns(t4, &interval) || !x86_timer_ns(t4 + 2, &first))
		return -EINVAL;
	x86_timer_get(p, (unsigned)a[0], v);
	if (a[2] && !x86_put_timer(p, a[2], v))
		return -EFAULT;
	x86_timer_set(p, (unsigned)a[0], first, interval);
	return 0;
}

X86_SYSCALL(alarm)
{
	uint64_t v[2];

	x86_timer_get(p, 0, v);
	x86_timer_set(p, 0, (uint32_t)a[0] * X86_NS_OF_S, 0);
	return (int64_t)((v[0] + X86_NS_OF_S - 1) / X86_NS_OF_S);
}
