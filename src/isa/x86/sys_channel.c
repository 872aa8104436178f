/* System calls: pipes, and counters of events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/x86/channel.h"

enum { X86_SIGPIPE = 13 };

const struct x86_move x86_move_plain = { 0 };

bool x86_is_channel(const struct x86_process *p, uint64_t number)
{
	const struct x86_file *f = &p->file[number % X86_FILES];

	return number < X86_FILES && (f->in || f->out || f->epoll);
}

void x86_channels_changed(struct x86_process *p)
{
	x86_futex_wake(p, X86_CHANNEL_FUTEX, UINT32_MAX, ~0u);
}

int64_t x86_again(struct x86_process *p, struct x86_thread *t, uint64_t until,
		  bool restart)
{
	unsigned number = (unsigned)t->cpu.r[X86_RAX];

	t->state = X86_WAITING;
	t->futex = X86_CHANNEL_FUTEX;
	t->mask = ~0u;
	t->queued = ++p->queued;
	t->wake = min_u64(until, x86_channels_next(p));
	t->again = number + 1;
	t->sig.restart = restart ? number + 1 : 0;
	return X86_SYS_LATER;
}

/*
 * Reading and writing
 */

static void x86_ring_get(const struct x86_channel *c, size_t at, void *to,
			 size_t bytes)
{
	uint8_t *out = to;

	for (size_t i = 0; i < bytes; i++)
		out[i] = c->bytes[(c->first + at + i) % X86_PIPE_BYTES];
}

static void x86_ring_drop(struct x86_channel *c, size_t bytes)
{
	c->first = (c->first + bytes) % X86_PIPE_BYTES;
	c->count -= bytes;
}

static void x86_ring_put(struct x86_channel *c, const void *from, size_t bytes)
{
	const uint8_t *in = from;

	for (size_t i = 0; i < bytes; i++)
		c->bytes[(c->first + c->count + i) % X86_PIPE_BYTES] = in[i];
	c->count += bytes;
}

/* A record's length stands before it; what does not fit is lost. */
static int64_t x86_ring_take(struct x86_channel *c, uint8_t *to, uint64_t bytes,
			     bool peek)
{
	uint32_t length = (uint32_t)c->count, head = 0;
	uint64_t n;

	if (c->records) {
		head = sizeof(length);
		x86_ring_get(c, 0, &length, head);
	}
	n = min_u64(bytes, length);
	x86_ring_get(c, head, to, n);
	if (!peek)
		x86_ring_drop(c, c->records ? head + length : n);
	return (int64_t)n;
}

static int64_t x86_event_take(struct x86_channel *c, uint8_t *to)
{
	uint64_t v = c->single ? 1 : c->counter;

	memcpy(to, &v, sizeof(v));
	c->counter -= v;
	return sizeof(v);
}

int64_t x86_channel_take(struct x86_process *p, struct x86_thread *t,
			 struct x86_file *f, uint8_t *to, uint64_t bytes,
			 struct x86_move how)
{
	struct x86_channel *c = f->in;
	int64_t n;

	if (c->event && bytes < sizeof(c->counter))
		return -EINVAL;
	x86_channel_look(p, c);
	if (!(c->event ? c->counter : c->count)) {
		if (!bytes || (!c->event && (!c->ends[1] || c->shut)))
			return 0;
		return f->nonblocking || how.dontwait ?
			       -EAGAIN :
			       x86_again(p, t, X86_NEVER, true);
	}
	n = c->event ? x86_event_take(c, to) :
		       x86_ring_take(c, to, bytes, how.peek);
	c->changes[0]++;
	x86_channels_changed(p);
	return n;
}

static int64_t x86_event_put(struct x86_process *p, struct x86_thread *t,
			     const struct x86_file *f, const uint8_t *from,
			     uint64_t bytes)
{
	struct x86_channel *c = f->out;
	uint64_t v;

	if (bytes < sizeof(v))
		return -EINVAL;
	memcpy(&v, from, sizeof(v));
	if (v == UINT64_MAX)
		return -EINVAL;
	if (v > UINT64_MAX - 1 - c->counter)
		return f->nonblocking ? -EAGAIN :
					x86_again(p, t, X86_NEVER, true);
	c->counter += v;
	c->changes[1]++;
	x86_channels_changed(p);
	return sizeof(v);
}

static int64_t x86_record_put(struct x86_process *p, struct x86_thread *t,
			      struct x86_channel *c, const uint8_t *from,
			      uint64_t bytes, bool waits)
{
	uint32_t length = (uint32_t)bytes;

	if (bytes > X86_PIPE_BYTES - sizeof(length))
		return -EMSGSIZE;
	if (c->count + sizeof(length) + bytes > X86_PIPE_BYTES)
		return waits ? x86_again(p, t, X86_NEVER, true) : -EAGAIN;
	x86_ring_put(c, &length, sizeof(length));
	x86_ring_put(c, from, length);
	c->changes[1]++;
	x86_channels_changed(p);
	return (int64_t)bytes;
}

/* t->moved: bytes that it has written before it had to wait. */
static int64_t x86_pipe_put(struct x86_process *p, struct x86_thread *t,
			    struct x86_channel *c, const uint8_t *from,
			    uint64_t bytes, bool waits)
{
	uint64_t room = X86_PIPE_BYTES - c->count, left = bytes - t->moved;
	uint64_t n = 0;

	if (left <= room || bytes > X86_PIPE_ATOMIC)
		n = min_u64(left, room);
	x86_ring_put(c, from + t->moved, n);
	if (n) {
		c->changes[1]++;
		x86_channels_changed(p);
	}
	t->moved += n;
	if (t->moved < bytes && waits)
		return x86_again(p, t, X86_NEVER, true);
	n = t->moved;
	t->moved = 0;
	return n || !bytes ? (int64_t)n : -EAGAIN;
}

int64_t x86_channel_put(struct x86_process *p, struct x86_thread *t,
			struct x86_file *f, const uint8_t *from, uint64_t bytes,
			struct x86_move how)
{
	struct x86_channel *c = f->out;
	bool waits = !f->nonblocking && !how.dontwait;

	if (c->event)
		return x86_event_put(p, t, f, from, bytes);
	if (!c->ends[0] || c->shut) {
		t->moved = 0;
		if (!how.silent)
			x86_signal_send(p, t, X86_SIGPIPE,
					(struct x86_siginfo){ 0 });
		return -EPIPE;
	}
	return c->records ? x86_record_put(p, t, c, from, bytes, waits) :
			    x86_pipe_put(p, t, c, from, bytes, waits);
}

int64_t x86_channel_read(struct x86_process *p, struct x86_thread *t,
			 const uint64_t *a)
{
	struct x86_file *f = &p->file[(uint32_t)a[0]];
	void *to = x86_mem_put(&p->mem, a[1], a[2]);

	if (!f->in)
		return f->epoll ? -EINVAL : -EBADF;
	if (!to)
		return -EFAULT;
	return x86_channel_take(p, t, f, to, a[2], x86_move_plain);
}

int64_t x86_channel_write(struct x86_process *p, struct x86_thread *t,
			  const uint64_t *a)
{
	struct x86_file *f = &p->file[(uint32_t)a[0]];
	const void *from = x86_mem_get(&p->mem, a[1], a[2]);

	if (!f->out)
		return f->epoll ? -EINVAL : -EBADF;
	if (!from)
		return -EFAULT;
	return x86_channel_put(p, t, f, from, a[2], x86_move_plain);
}

/*
 * Vectors of pieces
 */

enum { X86_PIECES = 1024, X86_PIECES_BYTES = 1 << 26 };

/* A struct iovec; false: it cannot be read. */
static bool x86_piece(const struct x86_process *p, uint64_t at, uint64_t n,
		      uint64_t v[2])
{
	const void *from = x86_mem_get(&p->mem, at + 16 * n, 16);

	if (from)
		memcpy(v, from, 16);
	return from;
}

/* The bytes of all of them, or an error. */
static int64_t x86_pieces_bytes(const struct x86_process *p, uint64_t at,
				uint64_t count)
{
	uint64_t sum = 0, v[2];

	if (count > X86_PIECES)
		return -EINVAL;
	for (uint64_t i = 0; i < count; i++) {
		if (!x86_piece(p, at, i, v))
			return -EFAULT;
		if (v[1] > X86_PIECES_BYTES - sum)
			return -EINVAL;
		sum += v[1];
	}
	return (int64_t)sum;
}

/* Copies up to `bytes` from the pieces, or to them. */
static int64_t x86_pieces_copy(struct x86_process *p, uint64_t at,
			       uint8_t *bytes, uint64_t left, bool writes)
{
	for (uint64_t i = 0, v[2]; left; i++) {
		uint64_t n;
		void *to;

		if (!x86_piece(p, at, i, v))
			return -EFAULT;
		n = min_u64(left, v[1]);
		to = x86_mem_put(&p->mem, v[0], n);
		if (writes) {
			const void *from = x86_mem_get(&p->mem, v[0], n);

			if (!from)
				return -EFAULT;
			memcpy(bytes, from, n);
		} else if (to) {
			memcpy(to, bytes, n);
		} else {
			return -EFAULT;
		}
		bytes += n;
		left -= n;
	}
	return 0;
}

int64_t x86_channel_pieces(struct x86_process *p, struct x86_thread *t,
			   struct x86_file *f, uint64_t at, uint64_t count,
			   struct x86_move how, bool writes)
{
	int64_t all = x86_pieces_bytes(p, at, count), n, e = 0;
	uint8_t *bytes;

	if (all < 0)
		return all;
	if (!(writes ? f->out : f->in))
		return f->epoll ? -EINVAL : -EBADF;
	bytes = malloc((size_t)all + 1);
	if (!bytes)
		return -ENOMEM;
	if (writes)
		e = x86_pieces_copy(p, at, bytes, (uint64_t)all, true);
	n = e      ? e :
	    writes ? x86_channel_put(p, t, f, bytes, (uint64_t)all, how) :
		     x86_channel_take(p, t, f, bytes, (uint64_t)all, how);
	if (!writes && n > 0)
		e = x86_pieces_copy(p, at, bytes, (uint64_t)n, false);
	free(bytes);
	return e ? e : n;
}

int64_t x86_channel_readv(struct x86_process *p, struct x86_thread *t,
			  const uint64_t *a)
{
	return x86_channel_pieces(p, t, &p->file[(uint32_t)a[0]], a[1], a[2],
				  x86_move_plain, false);
}

int64_t x86_channel_writev(struct x86_process *p, struct x86_thread *t,
			   const uint64_t *a)
{
	return x86_channel_pieces(p, t, &p->file[(uint32_t)a[0]], a[1], a[2],
				  x86_move_plain, true);
}

/*
 * Making and closing
 */

void x86_channel_hold(struct x86_file *f)
{
	if (f->in)
		f->in->ends[0]++;
	if (f->out)
		f->out->ends[1]++;
	if (f->epoll)
		x86_epoll_hold(f->epoll);
}

static void x86_end_drop(struct x86_channel *c, unsigned end)
{
	if (c && !--c->ends[end] && !c->ends[!end])
		free(c);
}

void x86_channel_drop(struct x86_process *p, struct x86_file *f)
{
	x86_end_drop(f->in, 0);
	x86_end_drop(f->out, 1);
	if (f->epoll)
		x86_epoll_drop(f->epoll);
	f->in = f->out = NULL;
	f->epoll = NULL;
	x86_channels_changed(p);
}

int x86_channel_add(struct x86_process *p, struct x86_channel *in,
		    struct x86_channel *out, uint64_t flags)
{
	int i = x86_free_file(p, 0);

	if (i < 0)
		return i;
	p->file[i] = (struct x86_file){ .open = true,
					.host = -ESPIPE,
					.in = in,
					.out = out,
					.nonblocking = flags & X86_NONBLOCK };
	x86_channel_hold(&p->file[i]);
	return i;
}

int64_t x86_channel_pair(struct x86_process *p, struct x86_thread *t,
			 uint64_t at, const int ends[2])
{
	int32_t *to = x86_mem_put(&p->mem, at, 8);

	if (to && ends[0] >= 0 && ends[1] >= 0) {
		memcpy(to, ends, 8);
		return 0;
	}
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			x86_sys_close(p, t,
				      (const uint64_t[1]){ (uint64_t)ends[i] });
	return to ? -EMFILE : -EFAULT;
}

X86_SYSCALL(pipe2)
{
	struct x86_channel *c;
	int ends[2] = { -1, -1 };

	if (a[1] & ~(uint64_t)(X86_NONBLOCK | X86_CLOEXEC))
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	ends[0] = x86_channel_add(p, c, NULL, a[1]);
	if (ends[0] < 0) {
		free(c);
		return ends[0];
	}
	ends[1] = x86_channel_add(p, NULL, c, a[1]);
	return x86_channel_pair(p, t, a[0], ends);
}

X86_SYSCALL(pipe)
{
	return x86_sys_pipe2(p, t, (const uint64_t[2]){ a[0], 0 });
}

enum { X86_SEMAPHORE = 1 };

X86_SYSCALL(eventfd2)
{
	const uint64_t known = X86_NONBLOCK | X86_CLOEXEC | X86_SEMAPHORE;
	struct x86_channel *c;
	int i;

	if (a[1] & ~known)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	i = c ? x86_channel_add(p, c, c, a[1]) : -ENOMEM;
	if (i < 0) {
		free(c);
		return i;
	}
	c->event = true;
	c->single = a[1] & X86_SEMAPHORE;
	c->counter = (uint32_t)a[0];
	return i;
}

X86_SYSCALL(eventfd)
{
	return x86_sys_eventfd2(p, t, (const uint64_t[2]){ a[0], 0 });
}

enum { X86_FIONREAD = 0x541b, X86_FIONBIO = 0x5421 };

static int32_t x86_channel_waiting(const struct x86_channel *c)
{
	uint32_t length = (uint32_t)c->count;

	if (c->records && length)
		x86_ring_get(c, 0, &length, sizeof(length));
	return (int32_t)length;
}

X86_SYSCALL(ioctl)
{
	struct x86_file *f = &p->file[(uint32_t)a[0] % X86_FILES];
	bool channel = x86_is_channel(p, (uint32_t)a[0]);
	int32_t v, *at = x86_mem_put(&p->mem, a[2], sizeof(v));

	if ((uint32_t)a[0] >= X86_FILES || !f->open)
		return -EBADF;
	if ((uint32_t)a[1] != X86_FIONBIO &&
	    ((uint32_t)a[1] != X86_FIONREAD || !channel || !f->in))
		return -ENOTTY;
	if (!at)
		return -EFAULT;
	if ((uint32_t)a[1] == X86_FIONBIO) {
		memcpy(&v, at, sizeof(v));
		f->nonblocking = v;
	} else {
		v = x86_channel_waiting(f->in);
		memcpy(at, &v, sizeof(v));
	}
	return 0;
}
