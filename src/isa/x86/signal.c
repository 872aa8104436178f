#include "isa/x86/signal.h"

#include <errno.h>

#include "isa/x86/sys.h"

enum { X86_SIG_DFL, X86_SIG_IGN };
#define X86_SA_NODEFER 0x40000000u
#define X86_SA_RESETHAND 0x80000000u

/* Those whose default is to do nothing: CHLD, CONT, URG, WINCH. */
static bool x86_signal_is_harmless(unsigned number)
{
	return number == 17 || number == 18 || number == 23 || number == 28;
}

static bool x86_signal_is_ignored(const struct x86_process *p, unsigned number)
{
	uint64_t handler = p->action[number].handler;

	return handler == X86_SIG_IGN ||
	       (handler == X86_SIG_DFL && x86_signal_is_harmless(number));
}

static bool x86_signal_is_open(const struct x86_thread *t, unsigned number)
{
	return t->state != X86_DEAD &&
	       !(t->sig.blocked & x86_signal_bit(number));
}

static bool x86_signal_is_wanted(const struct x86_thread *t, unsigned number)
{
	return t->state == X86_PAUSED && t->sig.wanted & x86_signal_bit(number);
}

/* The thread that takes a signal of the process. NULL: all block it. */
static struct x86_thread *x86_signal_taker(const struct x86_process *p,
					   unsigned number)
{
	for (unsigned i = 0; i < p->threads; i++)
		if (x86_signal_is_wanted(p->thread[i], number) ||
		    x86_signal_is_open(p->thread[i], number))
			return p->thread[i];
	return NULL;
}

unsigned x86_signal_take(struct x86_process *p, struct x86_thread *t,
			 uint64_t set, struct x86_siginfo *info)
{
	uint64_t own = t->sig.pending & set, any = own | (p->pending & set);
	unsigned number;

	if (!any)
		return 0;
	number = (unsigned)__builtin_ctzll(any) + 1;
	if (own & x86_signal_bit(number)) {
		t->sig.pending &= ~x86_signal_bit(number);
		*info = t->sig.info[number];
	} else {
		p->pending &= ~x86_signal_bit(number);
		*info = p->info[number];
	}
	return number;
}

bool x86_signal_interrupt(struct x86_process *p, struct x86_thread *t)
{
	if (t->state == X86_SLEEPING && t->sig.rest_to)
		x86_put_time(p, t->sig.rest_to,
			     t->wake > x86_now(p) ? t->wake - x86_now(p) : 0,
			     1);
	if (t->state != X86_SLEEPING && t->state != X86_WAITING &&
	    t->state != X86_PAUSED)
		return false;
	x86_thread_wake(t, -EINTR);
	return true;
}

/* A thread in rt_sigtimedwait gets what it waits for. */
static void x86_signal_give(struct x86_process *p, struct x86_thread *t)
{
	struct x86_siginfo info;
	unsigned number = x86_signal_take(p, t, t->sig.wanted, &info);

	if (t->sig.wanted_to)
		x86_signal_put_info(p, t->sig.wanted_to, number, info);
	x86_thread_wake(t, number);
}

void x86_signal_send(struct x86_process *p, struct x86_thread *t,
		     unsigned number, struct x86_siginfo info)
{
	if (!t)
		t = x86_signal_taker(p, number);
	if (!t) {
		p->pending |= x86_signal_bit(number);
		p->info[number] = info;
		return;
	}
	t->sig.pending |= x86_signal_bit(number);
	t->sig.info[number] = info;
	if (x86_signal_is_wanted(t, number)) {
		x86_signal_give(p, t);
	} else if (x86_signal_is_open(t, number)) {
		if (x86_signal_is_ignored(p, number))
			t->sig.pending &= ~x86_signal_bit(number);
		else if (x86_signal_interrupt(p, t))
			x86_signal_deliver(p, t);
	}
}

/* Enters the handler. False: it has no stack. */
static bool x86_signal_handle(struct x86_process *p, struct x86_thread *t,
			      unsigned number, struct x86_siginfo info)
{
	const struct x86_action a = p->action[number];

	if (!x86_signal_enter(p, t, number, info))
		return false;
	if (a.flags & X86_SA_RESETHAND)
		p->action[number].handler = X86_SIG_DFL;
	t->sig.blocked |= a.mask;
	if (!(a.flags & X86_SA_NODEFER))
		t->sig.blocked |= x86_signal_bit(number);
	t->sig.blocked &= ~X86_NEVER_BLOCKED;
	return true;
}

static void x86_signal_act(struct x86_process *p, struct x86_thread *t,
			   unsigned number, struct x86_siginfo info)
{
	if (x86_signal_is_ignored(p, number))
		return;
	if (p->action[number].handler == X86_SIG_DFL)
		x86_end_with(p, X86_SIGNALED, (int)number);
	else if (!x86_signal_handle(p, t, number, info))
		x86_end_at(p, t, X86_FAULTED,
			   "the stack for the handler of signal %u cannot be "
			   "written",
			   number);
}

void x86_signal_deliver(struct x86_process *p, struct x86_thread *t)
{
	struct x86_siginfo info;
	unsigned number;

	while (!p->ended &&
	       (number = x86_signal_take(p, t, ~t->sig.blocked, &info)))
		x86_signal_act(p, t, number, info);
	t->sig.restart = 0;
	if (t->sig.has_saved)
		t->sig.blocked = t->sig.saved;
	t->sig.has_saved = false;
}

bool x86_signal_fault(struct x86_process *p, struct x86_thread *t,
		      unsigned number, struct x86_siginfo info)
{
	return p->action[number].handler > X86_SIG_IGN &&
	       x86_signal_is_open(t, number) &&
	       x86_signal_handle(p, t, number, info);
}

void x86_timers_init(struct x86_process *p)
{
	static const unsigned number[X86_TIMERS] = { X86_SIGALRM, X86_SIGVTALRM,
						     X86_SIGPROF };

	for (unsigned n = 0; n < X86_TIMERS_ALL; n++)
		p->timer[n].at = X86_NEVER;
	for (unsigned n = 0; n < X86_TIMERS; n++) {
		p->timer[n].number = number[n];
		p->timer[n].info.code = X86_SI_KERNEL;
	}
}

/* Its time is that of the program's instructions. */
static bool x86_timer_counts(const struct x86_process *p, unsigned n)
{
	return n && n < X86_TIMERS && !p->timed;
}

uint64_t x86_timer_now(const struct x86_process *p, unsigned n)
{
	return x86_timer_counts(p, n) ? p->instructions : x86_now(p);
}

void x86_timers_fire(struct x86_process *p)
{
	for (unsigned n = 0; n < X86_TIMERS_ALL; n++) {
		struct x86_timer *timer = &p->timer[n];
		uint64_t now = x86_timer_now(p, n);

		if (timer->at > now)
			continue;
		/* Those that were missed are one. */
		timer->at = timer->interval ? now + timer->interval -
						      (now - timer->at) %
							      timer->interval :
					      X86_NEVER;
		if (timer->number)
			x86_signal_send(p, timer->thread, timer->number,
					timer->info);
	}
}

uint64_t x86_timers_left(const struct x86_process *p)
{
	uint64_t left = X86_NEVER;

	for (unsigned n = 0; n < X86_TIMERS_ALL; n++) {
		uint64_t now, at = p->timer[n].at;

		if (at == X86_NEVER)
			continue;
		now = x86_timer_now(p, n);
		if ((at > now ? at - now : 0) < left)
			left = at > now ? at - now : 0;
	}
	return left;
}

/* A signal that nobody takes, or that is ignored, wakes nobody. */
static bool x86_timer_wakes(const struct x86_process *p,
			    const struct x86_timer *timer)
{
	unsigned number = timer->number;
	const struct x86_thread *t = timer->thread;

	if (!number)
		return false;
	if (!t)
		t = x86_signal_taker(p, number);
	return t && (x86_signal_is_wanted(t, number) ||
		     (x86_signal_is_open(t, number) &&
		      !x86_signal_is_ignored(p, number)));
}

uint64_t x86_timers_wake(const struct x86_process *p)
{
	uint64_t first = X86_NEVER;

	for (unsigned n = 0; n < X86_TIMERS_ALL; n++) {
		const struct x86_timer *timer = &p->timer[n];

		if (timer->at < first && !x86_timer_counts(p, n) &&
		    x86_timer_wakes(p, timer))
			first = timer->at;
	}
	return first;
}
