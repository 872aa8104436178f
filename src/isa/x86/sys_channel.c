/* System calls: pipes, counters of events, and waiting for files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/x86/channel.h"
#include "isa/x86/sys.h"

enum { X86_NUMBER_READ, X86_NUMBER_WRITE }; /* of the system calls */
enum { X86_SIGPIPE = 13 };

struct x86_channel *x86_channel_of(const struct x86_process *p, uint64_t number)
{
	return number < X86_FILES ? p->file[number].channel : NULL;
}

/* Whoever waits looks again. */
static void x86_channels_changed(struct x86_process *p)
{
	x86_futex_wake(p, X86_CHANNEL_FUTEX, UINT32_MAX, ~0u);
}

/* The thread sleeps, and makes its call again. */
static int64_t x86_again(struct x86_process *p, struct x86_thread *t,
			 unsigned number, uint64_t until)
{
	t->state = X86_WAITING;
	t->futex = X86_CHANNEL_FUTEX;
	t->mask = ~0u;
	t->queued = ++p->queued;
	t->wake = until;
	t->again = true;
	t->sig.restart = number + 1;
	return X86_SYS_LATER;
}

/*
 * Reading and writing
 */

static size_t x86_ring_take(struct x86_channel *c, uint8_t *to, size_t bytes)
{
	size_t n = bytes < c->count ? bytes : c->count;

	for (size_t i = 0; i < n; i++)
		to[i] = c->bytes[(c->first + i) % X86_PIPE_BYTES];
	c->first = (c->first + n) % X86_PIPE_BYTES;
	c->count -= n;
	return n;
}

static size_t x86_ring_put(struct x86_channel *c, const uint8_t *from,
			   size_t bytes)
{
	size_t room = X86_PIPE_BYTES - c->count,
	       n = bytes < room ? bytes : room;

	for (size_t i = 0; i < n; i++)
		c->bytes[(c->first + c->count + i) % X86_PIPE_BYTES] = from[i];
	c->count += n;
	return n;
}

static int64_t x86_event_read(struct x86_channel *c, uint8_t *to,
			      uint64_t bytes)
{
	uint64_t v = c->single ? 1 : c->counter;

	if (bytes < sizeof(v))
		return -EINVAL;
	memcpy(to, &v, sizeof(v));
	c->counter -= v;
	return sizeof(v);
}

int64_t x86_channel_read(struct x86_process *p, struct x86_thread *t,
			 const uint64_t *a)
{
	struct x86_file *f = &p->file[(uint32_t)a[0]];
	struct x86_channel *c = f->channel;
	void *to = x86_mem_put(&p->mem, a[1], a[2]);
	int64_t n;

	if (f->writes && !c->event)
		return -EBADF;
	if (!to)
		return -EFAULT;
	if (!(c->event ? c->counter : c->count)) {
		if (!a[2] || (!c->event && !c->ends[1]))
			return 0;
		return f->nonblocking ?
			       -EAGAIN :
			       x86_again(p, t, X86_NUMBER_READ, X86_NEVER);
	}
	n = c->event ? x86_event_read(c, to, a[2]) :
		       (int64_t)x86_ring_take(c, to, a[2]);
	x86_channels_changed(p);
	return n;
}

static int64_t x86_event_write(struct x86_process *p, struct x86_channel *c,
			       const void *from, uint64_t bytes)
{
	uint64_t v;

	if (bytes < sizeof(v))
		return -EINVAL;
	memcpy(&v, from, sizeof(v));
	if (v > UINT64_MAX - 1 - c->counter)
		return -EAGAIN;
	c->counter += v;
	x86_channels_changed(p);
	return sizeof(v);
}

/* t->moved: bytes that it has written before it had to wait. */
static int64_t x86_pipe_write(struct x86_process *p, struct x86_thread *t,
			      const struct x86_file *f, const uint8_t *from,
			      uint64_t bytes)
{
	struct x86_channel *c = f->channel;
	bool fits = bytes - t->moved <= X86_PIPE_BYTES - c->count;
	uint64_t n = 0;

	if (fits || bytes > X86_PIPE_ATOMIC)
		n = x86_ring_put(c, from + t->moved, bytes - t->moved);
	if (n)
		x86_channels_changed(p);
	t->moved += n;
	if (t->moved < bytes && !f->nonblocking)
		return x86_again(p, t, X86_NUMBER_WRITE, X86_NEVER);
	n = t->moved;
	t->moved = 0;
	return n || !bytes ? (int64_t)n : -EAGAIN;
}

int64_t x86_channel_write(struct x86_process *p, struct x86_thread *t,
			  const uint64_t *a)
{
	struct x86_file *f = &p->file[(uint32_t)a[0]];
	struct x86_channel *c = f->channel;
	const void *from = x86_mem_get(&p->mem, a[1], a[2]);

	if (!f->writes && !c->event)
		return -EBADF;
	if (!from)
		return -EFAULT;
	if (c->event)
		return x86_event_write(p, c, from, a[2]);
	if (!c->ends[0]) {
		t->moved = 0;
		x86_signal_send(p, t, X86_SIGPIPE, (struct x86_siginfo){ 0 });
		return -EPIPE;
	}
	return x86_pipe_write(p, t, f, from, a[2]);
}

/*
 * Making and closing
 */

void x86_channel_hold(struct x86_file *f)
{
	if (f->channel)
		f->channel->ends[f->writes]++;
}

void x86_channel_drop(struct x86_process *p, struct x86_file *f)
{
	struct x86_channel *c = f->channel;

	if (!c)
		return;
	f->channel = NULL;
	if (!--c->ends[f->writes] && !c->ends[!f->writes])
		free(c);
	x86_channels_changed(p);
}

enum { X86_NONBLOCK = 04000, X86_CLOEXEC = 02000000, X86_SEMAPHORE = 1 };

/* A file for an end; -EMFILE. */
static int x86_add_end(struct x86_process *p, struct x86_channel *c,
		       bool writes, uint64_t flags)
{
	int i = x86_free_file(p, 0);

	if (i < 0)
		return i;
	p->file[i] = (struct x86_file){ .open = true,
					.host = -ESPIPE,
					.channel = c,
					.writes = writes,
					.nonblocking = flags & X86_NONBLOCK };
	c->ends[writes]++;
	return i;
}

X86_SYSCALL(pipe2)
{
	struct x86_channel *c = calloc(1, sizeof(*c));
	int32_t *to = x86_mem_put(&p->mem, a[0], 8);
	int32_t ends[2];

	if (!c || !to || a[1] & ~(uint64_t)(X86_NONBLOCK | X86_CLOEXEC)) {
		free(c);
		return !c ? -ENOMEM : !to ? -EFAULT : -EINVAL;
	}
	ends[0] = x86_add_end(p, c, false, a[1]);
	ends[1] = ends[0] < 0 ? -1 : x86_add_end(p, c, true, a[1]);
	if (ends[1] < 0) {
		if (ends[0] >= 0)
			p->file[ends[0]] = (struct x86_file){ 0 };
		free(c);
		return -EMFILE;
	}
	memcpy(to, ends, sizeof(ends));
	return 0;
}

X86_SYSCALL(pipe)
{
	return x86_sys_pipe2(p, t, (const uint64_t[2]){ a[0], 0 });
}

X86_SYSCALL(eventfd2)
{
	struct x86_channel *c = calloc(1, sizeof(*c));
	int i = c ? x86_add_end(p, c, false, a[1]) : -ENOMEM;

	if (i < 0) {
		free(c);
		return i;
	}
	c->event = true;
	c->single = a[1] & X86_SEMAPHORE;
	c->counter = (uint32_t)a[0];
	return i;
}

/*
 * Waiting
 */

enum {
	X86_POLLIN = 1,
	X86_POLLOUT = 4,
	X86_POLLERR = 8,
	X86_POLLHUP = 16,
	X86_POLLNVAL = 32,
	X86_POLL_READS = X86_POLLIN | 0x40,   /* and POLLRDNORM */
	X86_POLL_WRITES = X86_POLLOUT | 0x100 /* and POLLWRNORM */
};

static unsigned x86_pipe_events(const struct x86_file *f)
{
	const struct x86_channel *c = f->channel;

	if (c->event)
		return (c->counter ? X86_POLL_READS : 0) | X86_POLL_WRITES;
	if (f->writes)
		return (X86_PIPE_BYTES - c->count >= X86_PIPE_ATOMIC ?
				X86_POLL_WRITES :
				0) |
		       (c->ends[0] ? 0 : X86_POLLERR);
	return (c->count ? X86_POLL_READS : 0) | (c->ends[1] ? 0 : X86_POLLHUP);
}

/* What of `wanted` is so, and what is told in every case. */
static unsigned x86_events(const struct x86_process *p, uint32_t number,
			   unsigned wanted)
{
	const struct x86_file *f = &p->file[number % X86_FILES];
	unsigned always = X86_POLLERR | X86_POLLHUP;

	if (number >= X86_FILES || !f->open)
		return X86_POLLNVAL;
	return f->channel ? x86_pipe_events(f) & (wanted | always) :
			    wanted & (X86_POLL_READS | X86_POLL_WRITES);
}

/* Nothing is ready: waits until `until`, which is fixed by the first call. */
static int64_t x86_wait_ready(struct x86_process *p, struct x86_thread *t,
			      unsigned number, uint64_t timeout)
{
	if (!t->until)
		t->until = timeout == X86_NEVER ?
				   X86_NEVER :
				   x86_now(p) + timeout + !timeout;
	if (timeout && t->until > x86_now(p))
		return x86_again(p, t, number, t->until);
	t->until = 0;
	return 0;
}

struct x86_pollfd {
	int32_t fd;
	int16_t events, revents;
};

static int64_t x86_poll(struct x86_process *p, struct x86_thread *t,
			const uint64_t *a, unsigned number, uint64_t timeout)
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
		return x86_wait_ready(p, t, number, timeout);
	t->until = 0;
	return ready;
}

enum { X86_MS = 1000000, X86_US = 1000 };

X86_SYSCALL(poll)
{
	int32_t ms = (int32_t)a[2];

	return x86_poll(p, t, a, 7, ms < 0 ? X86_NEVER : (uint64_t)ms * X86_MS);
}

/* A timespec's nanoseconds, or that there is none. */
static int64_t x86_timeout(const struct x86_process *p, uint64_t at,
			   uint64_t *ns)
{
	*ns = X86_NEVER;
	return !at || x86_get_time(p, at, ns) ? 0 : -EINVAL;
}

X86_SYSCALL(ppoll)
{
	uint64_t ns;
	int64_t e = x86_timeout(p, a[2], &ns);

	return e ? e : x86_poll(p, t, a, 271, ns);
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
			  const uint64_t *a, unsigned number, uint64_t timeout)
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
		e = x86_wait_ready(p, t, number, timeout);
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
		return x86_select(p, t, a, 23, X86_NEVER);
	if (!from)
		return -EFAULT;
	memcpy(v, from, sizeof(v));
	return x86_select(p, t, a, 23, v[0] * 1000 * X86_MS + v[1] * X86_US);
}

X86_SYSCALL(pselect6)
{
	uint64_t ns;
	int64_t e = x86_timeout(p, a[4], &ns);

	return e ? e : x86_select(p, t, a, 270, ns);
}
