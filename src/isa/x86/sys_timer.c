/* System calls: timers that send signals (timer_create), and timers that are read as
 * files (timerfd). All run in the guest's time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/x86/channel.h"

enum { X86_TIMER_ABSTIME = 1, X86_CLOCK_REALTIME = 0 };
#define X86_TIMER_S 1000000000ull

/* Linux' struct itimerspec: the interval first. False: it is none. */
static bool x86_get_spec(const struct x86_process *p, uint64_t at,
			 uint64_t *interval, uint64_t *first)
{
	return x86_get_time(p, at, interval) && x86_get_time(p, at + 16, first);
}

/* A timer's interval, and what is left until it runs out. */
static int64_t x86_put_spec(struct x86_process *p, uint64_t at,
			    uint64_t interval, uint64_t end)
{
	uint64_t now = x86_now(p);
	uint64_t left = end == X86_NEVER ? 0 : end > now ? end - now : 1;
	uint64_t v[4] = { interval / X86_TIMER_S, interval % X86_TIMER_S,
			  left / X86_TIMER_S, left % X86_TIMER_S };
	void *to = x86_mem_put(&p->mem, at, sizeof(v));

	if (!to)
		return -EFAULT;
	memcpy(to, v, sizeof(v));
	return 0;
}

/* When a timer runs out that is set to `first`; 0: never. */
static uint64_t x86_timer_end(const struct x86_process *p, uint64_t first,
			      bool absolute, bool realtime)
{
	if (!first)
		return X86_NEVER;
	if (!absolute)
		return x86_now(p) + first;
	if (realtime)
		first = first > X86_EPOCH_NS ? first - X86_EPOCH_NS : 0;
	return first;
}

/*
 * Timers that send signals
 */

/* Linux' struct sigevent, its beginning. */
struct x86_sigevent {
	uint64_t value;
	int32_t number, notify, thread;
};
enum { X86_SIGEV_NONE = 1, X86_SIGEV_THREAD_ID = 4, X86_SI_TIMER = -2 };

static struct x86_timer *x86_timer_of(struct x86_process *p, uint64_t id)
{
	struct x86_timer *timer = &p->timer[X86_TIMERS + id % X86_OWN_TIMERS];

	return id < X86_OWN_TIMERS && timer->used ? timer : NULL;
}

static int64_t x86_timer_new(const struct x86_process *p,
			     struct x86_timer *timer, unsigned id,
			     const struct x86_sigevent *e)
{
	*timer = (struct x86_timer){
		.at = X86_NEVER,
		.used = true,
		.number = (unsigned)e->number,
		.info = { .code = X86_SI_TIMER, .value = id, .data = e->value }
	};
	if (e->notify == X86_SIGEV_NONE) {
		timer->number = 0;
		return 0;
	}
	timer->used = e->number > 0 && e->number < X86_SIGNALS;
	if (e->notify == X86_SIGEV_THREAD_ID) {
		timer->thread = x86_find_thread(p, (uint32_t)e->thread);
		timer->used &= timer->thread != NULL;
	}
	return timer->used ? 0 : -EINVAL;
}

X86_SYSCALL(timer_create)
{
	struct x86_sigevent e = { .number = X86_SIGALRM };
	const void *from = a[1] ? x86_mem_get(&p->mem, a[1], sizeof(e)) : NULL;
	int32_t id = 0, *to = x86_mem_put(&p->mem, a[2], sizeof(id));
	int64_t result;

	while (id < X86_OWN_TIMERS && p->timer[X86_TIMERS + id].used)
		id++;
	if ((a[1] && !from) || !to)
		return -EFAULT;
	if (id == X86_OWN_TIMERS)
		return -EAGAIN;
	e.value = (uint64_t)id;
	if (from)
		memcpy(&e, from, sizeof(e));
	result = x86_timer_new(p, &p->timer[X86_TIMERS + id], (unsigned)id, &e);
	p->timer[X86_TIMERS + id].realtime = a[0] == X86_CLOCK_REALTIME;
	if (!result)
		memcpy(to, &id, sizeof(id));
	return result;
}

X86_SYSCALL(timer_settime)
{
	struct x86_timer *timer = x86_timer_of(p, (uint32_t)a[0]);
	uint64_t interval, first;
	int64_t e = 0;

	if (!timer || !x86_get_spec(p, a[2], &interval, &first))
		return -EINVAL;
	if (a[3])
		e = x86_put_spec(p, a[3], timer->interval, timer->at);
	timer->at = x86_timer_end(p, first, a[1] & X86_TIMER_ABSTIME,
				  timer->realtime);
	timer->interval = first ? interval : 0;
	return e;
}

X86_SYSCALL(timer_gettime)
{
	const struct x86_timer *timer = x86_timer_of(p, (uint32_t)a[0]);

	return timer ? x86_put_spec(p, a[1], timer->interval, timer->at) :
		       -EINVAL;
}

X86_SYSCALL(timer_getoverrun)
{
	return x86_timer_of(p, (uint32_t)a[0]) ? 0 : -EINVAL;
}

X86_SYSCALL(timer_delete)
{
	struct x86_timer *timer = x86_timer_of(p, (uint32_t)a[0]);

	if (!timer)
		return -EINVAL;
	*timer = (struct x86_timer){ .at = X86_NEVER };
	return 0;
}

/*
 * Timers that are files
 */

void x86_channel_look(const struct x86_process *p, struct x86_channel *c)
{
	uint64_t now = x86_now(p), times;

	if (!c->timed || c->at > now)
		return;
	times = c->interval ? (now - c->at) / c->interval + 1 : 1;
	c->counter += times;
	c->changes[1]++;
	c->at = c->interval ? c->at + times * c->interval : X86_NEVER;
}

uint64_t x86_channels_next(const struct x86_process *p)
{
	uint64_t first = X86_NEVER;

	for (unsigned i = 0; i < X86_FILES; i++)
		if (p->file[i].in && p->file[i].in->timed)
			first = min_u64(first, p->file[i].in->at);
	return first;
}

X86_SYSCALL(timerfd_create)
{
	struct x86_channel *c;
	int i;

	if (a[1] & ~(uint64_t)(X86_NONBLOCK | X86_CLOEXEC))
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	i = c ? x86_channel_add(p, c, NULL, a[1]) : -ENOMEM;
	if (i < 0) {
		free(c);
		return i;
	}
	c->event = c->timed = true;
	c->realtime = a[0] == X86_CLOCK_REALTIME;
	c->at = X86_NEVER;
	return i;
}

static struct x86_channel *x86_timerfd_of(const struct x86_process *p,
					  uint32_t number)
{
	const struct x86_file *f = &p->file[number % X86_FILES];

	return number < X86_FILES && f->in && f->in->timed ? f->in : NULL;
}

X86_SYSCALL(timerfd_settime)
{
	struct x86_channel *c = x86_timerfd_of(p, (uint32_t)a[0]);
	uint64_t interval, first;
	int64_t e = 0;

	if (!c || !x86_get_spec(p, a[2], &interval, &first))
		return -EINVAL;
	if (a[3])
		e = x86_put_spec(p, a[3], c->interval, c->at);
	c->at = x86_timer_end(p, first, a[1] & X86_TIMER_ABSTIME, c->realtime);
	c->interval = first ? interval : 0;
	c->counter = 0;
	/* Whoever waits learns when it runs out. */
	x86_channels_changed(p);
	return e;
}

X86_SYSCALL(timerfd_gettime)
{
	struct x86_channel *c = x86_timerfd_of(p, (uint32_t)a[0]);

	if (!c)
		return -EINVAL;
	x86_channel_look(p, c);
	return x86_put_spec(p, a[1], c->interval, c->at);
}
