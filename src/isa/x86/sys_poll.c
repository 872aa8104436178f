/* System calls: waiting for files, by poll and select. */
#include <errno.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/x86/channel.h"

/* A socket whose other end is closed can be read, and says so. */
static unsigned x86_in_events(const struct x86_file *f)
{
	const struct x86_channel *c = f->in;
	bool ended = !c->ends[1] || c->shut;

	if (c->event)
		return c->counter ? X86_POLL_READS : 0;
	if (!f->out)
		return (c->count ? X86_POLL_READS : 0) |
		       (ended ? X86_POLLHUP : 0);
	return (c->count || ended ? X86_POLL_READS : 0) |
	       (ended ? X86_POLLRDHUP : 0) |
	       (!c->ends[1] || (ended && f->out->shut) ? X86_POLLHUP : 0);
}

static unsigned x86_out_events(const struct x86_file *f)
{
	const struct x86_channel *c = f->out;
	bool room = X86_PIPE_BYTES - c->count >= X86_PIPE_ATOMIC;

	if (c->event)
		return c->counter < UINT64_MAX - 1 ? X86_POLL_WRITES : 0;
	if (f->in) /* a socket */
		return room || !c->ends[0] || c->shut ? X86_POLL_WRITES : 0;
	return (room ? X86_POLL_WRITES : 0) | (c->ends[0] ? 0 : X86_POLLERR);
}

unsigned x86_events(const struct x86_process *p, uint32_t number,
		    unsigned wanted)
{
	const struct x86_file *f = &p->file[number % X86_FILES];
	unsigned always = X86_POLLERR | X86_POLLHUP, is = 0;

	if (number >= X86_FILES || !f->open)
		return X86_POLLNVAL;
	if (!x86_is_channel(p, number))
		return wanted & (X86_POLL_READS | X86_POLL_WRITES);
	if (f->in)
		x86_channel_look(p, f->in);
	if (f->epoll)
		is = x86_epoll_ready(p, f->epoll) ? X86_POLL_READS : 0;
	if (f->in)
		is |= x86_in_events(f);
	if (f->out)
		is |= x86_out_events(f);
	return is & (wanted | always);
}

/* t->until is fixed by the first call. */
int64_t x86_wait_ready(struct x86_process *p, struct x86_thread *t,
		       uint64_t timeout)
{
	uint64_t now = x86_now(p);

	if (!t->until)
		t->until = timeout >= X86_NEVER - now ?
				   X86_NEVER :
				   now + timeout + !timeout;
	if (timeout && t->until > now)
		return x86_again(p, t, t->until, false);
	t->until = 0;
	return 0;
}

struct x86_pollfd {
	int32_t fd;
	int16_t events, revents;
};

static int64_t x86_poll(struct x86_process *p, struct x86_thread *t,
			const uint64_t *a, uint64_t timeout)
{
	struct x86_pollfd *f;
	int64_t ready = 0;

	if (a[1] > X86_FILES)
		return -EINVAL;
	f = x86_mem_put(&p->mem, a[0], a[1] * sizeof(*f));
	if (!f)
		return -EFAULT;
	for (uint64_t i = 0; i < a[1]; i++) {
		struct x86_pollfd one;

		memcpy(&one, f + i, sizeof(one));
		one.revents = one.fd < 0 ?
				      0 :
				      (int16_t)x86_events(p, (uint32_t)one.fd,
							  (uint16_t)one.events);
		ready += one.revents != 0;
		memcpy(f + i, &one, sizeof(one));
	}
	if (!ready)
		return x86_wait_ready(p, t, timeout);
	t->until = 0;
	return ready;
}

/* In nanoseconds; and seconds after which a wait has no end. */
enum { X86_MS = 1000000, X86_US = 1000, X86_LONG_TIME = 1 << 30 };

X86_SYSCALL(poll)
{
	int32_t ms = (int32_t)a[2];

	return x86_poll(p, t, a, ms < 0 ? X86_NEVER : (uint64_t)ms * X86_MS);
}

int64_t x86_timeout(const struct x86_process *p, uint64_t at, uint64_t *ns)
{
	*ns = X86_NEVER;
	return !at || x86_get_time(p, at, ns) ? 0 : -EINVAL;
}

X86_SYSCALL(ppoll)
{
	uint64_t ns;
	int64_t e = x86_timeout(p, a[2], &ns);

	return e ? e : x86_poll(p, t, a, ns);
}

/* Each set: a bit for each file, in words of 64. */
enum { X86_SETS = 3, X86_SET_WORDS = X86_FILES / 64 };

static const unsigned x86_set_events[X86_SETS] = {
	X86_POLLIN | X86_POLLHUP | X86_POLLERR, X86_POLLOUT | X86_POLLERR, 0
};

static int64_t x86_set_ready(const struct x86_process *p, uint64_t files,
			     unsigned kind, uint64_t set[X86_SET_WORDS])
{
	int64_t ready = 0;

	for (uint32_t i = 0; i < files; i++) {
		uint64_t bit = 1ull << i % 64;
		unsigned e;

		if (!(set[i / 64] & bit))
			continue;
		e = x86_events(p, i, x86_set_events[kind]);
		if (e & X86_POLLNVAL)
			return -EBADF;
		if (e & x86_set_events[kind])
			ready++;
		else
			set[i / 64] &= ~bit;
	}
	return ready;
}

static int64_t x86_select(struct x86_process *p, struct x86_thread *t,
			  const uint64_t *a, uint64_t timeout)
{
	uint64_t files = min_u64((uint32_t)a[0], X86_FILES);
	uint64_t bytes = (files + 63) / 64 * 8;
	uint64_t set[X86_SETS][X86_SET_WORDS] = { 0 };
	uint8_t *at[X86_SETS] = { NULL };
	int64_t ready = 0, n, e;

	for (unsigned k = 0; k < X86_SETS; k++) {
		if (!a[1 + k])
			continue;
		at[k] = x86_mem_put(&p->mem, a[1 + k], bytes);
		if (!at[k])
			return -EFAULT;
		memcpy(set[k], at[k], bytes);
		n = x86_set_ready(p, files, k, set[k]);
		if (n < 0)
			return n;
		ready += n;
	}
	if (!ready) {
		e = x86_wait_ready(p, t, timeout);
		if (e)
			return e;
	}
	t->until = 0;
	for (unsigned k = 0; k < X86_SETS; k++)
		if (at[k])
			memcpy(at[k], set[k], bytes);
	return ready;
}

X86_SYSCALL(select)
{
	const void *from = a[4] ? x86_mem_get(&p->mem, a[4], 16) : NULL;
	uint64_t v[2];

	if (!a[4])
		return x86_select(p, t, a, X86_NEVER);
	if (!from)
		return -EFAULT;
	memcpy(v, from, sizeof(v));
	if ((int64_t)v[0] < 0 || (int64_t)v[1] < 0)
		return -EINVAL;
	if (v[0] > X86_LONG_TIME || v[1] > X86_LONG_TIME)
		return x86_select(p, t, a, X86_NEVER);
	return x86_select(p, t, a, v[0] * 1000 * X86_MS + v[1] * X86_US);
}

X86_SYSCALL(pselect6)
{
	uint64_t ns;
	int64_t e = x86_timeout(p, a[4], &ns);

	return e ? e : x86_select(p, t, a, ns);
}
