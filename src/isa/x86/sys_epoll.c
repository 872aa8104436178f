/*
 * System calls: epoll. A list of files to wait for, by their numbers; one that is
 * closed leaves all lists, whether its number had been duplicated or not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/x86/channel.h"

enum {
	X86_EPOLL_ONESHOT = 1 << 30,
	X86_EPOLL_EDGE = (int)(1u << 31),
	X86_EPOLL_KINDS = 0xffff,
	X86_EPOLL_ADD = 1,
	X86_EPOLL_DELETE,
	X86_EPOLL_CHANGE
};

struct x86_epoll_item {
	bool used, off;   /* off: told once, as it was asked for */
	uint32_t events;  /* wanted */
	uint64_t data;    /* the guest's */
	uint64_t told[2]; /* of an edge: changes of the channels then */
	bool has_told;
};

struct x86_epoll {
	unsigned files; /* that lead to it */
	unsigned next; /* where the next look begins, so that all have a turn */
	struct x86_epoll_item item[X86_FILES]; /* by number of the file */
};

/* As Linux has it: packed. */
struct x86_epoll_event {
	uint32_t events;
	uint64_t data;
} __attribute__((packed));

/* The list of a file's number; *e: the error if there is none. */
static struct x86_epoll *x86_epoll_of(const struct x86_process *p,
				      uint32_t number, int64_t *e)
{
	const struct x86_file *f = &p->file[number % X86_FILES];

	*e = number >= X86_FILES || !f->open ? -EBADF : -EINVAL;
	return number < X86_FILES ? f->epoll : NULL;
}

static void x86_epoll_changes(const struct x86_file *f, uint64_t changes[2])
{
	changes[0] = f->in ? f->in->changes[1] : 0;
	changes[1] = f->out ? f->out->changes[0] : 0;
}

/* What there is to tell of a file; 0: nothing. */
static unsigned x86_epoll_events(const struct x86_process *p,
				 const struct x86_epoll *e, uint32_t number)
{
	const struct x86_epoll_item *i = &e->item[number];
	uint64_t changes[2];

	if (!i->used || i->off)
		return 0;
	x86_epoll_changes(&p->file[number], changes);
	if (i->has_told && !memcmp(changes, i->told, sizeof(changes)))
		return 0;
	return x86_events(p, number, i->events & X86_EPOLL_KINDS);
}

bool x86_epoll_ready(const struct x86_process *p, const struct x86_epoll *e)
{
	for (uint32_t i = 0; i < X86_FILES; i++)
		if (x86_epoll_events(p, e, i))
			return true;
	return false;
}

void x86_epoll_hold(struct x86_epoll *e)
{
	e->files++;
}

void x86_epoll_drop(struct x86_epoll *e)
{
	if (!--e->files)
		free(e);
}

void x86_epoll_closed(struct x86_process *p, uint32_t number)
{
	for (unsigned i = 0; i < X86_FILES; i++)
		if (p->file[i].epoll)
			p->file[i].epoll->item[number].used = false;
}

X86_SYSCALL(epoll_create1)
{
	struct x86_epoll *e;
	int i;

	if (a[0] & ~(uint64_t)X86_CLOEXEC)
		return -EINVAL;
	e = calloc(1, sizeof(*e));
	i = e ? x86_channel_add(p, NULL, NULL, 0) : -ENOMEM;
	if (i < 0) {
		free(e);
		return i;
	}
	p->file[i].epoll = e;
	x86_epoll_hold(e);
	return i;
}

X86_SYSCALL(epoll_create)
{
	return (int32_t)a[0] <= 0 ?
		       -EINVAL :
		       x86_sys_epoll_create1(p, t, (const uint64_t[1]){ 0 });
}

/* A list may wait for another one that waits for none: so there is no circle. */
static int64_t x86_epoll_may(const struct x86_process *p,
			     const struct x86_epoll *e, uint32_t number)
{
	const struct x86_epoll *other;

	if (number >= X86_FILES || !p->file[number].open)
		return -EBADF;
	if (!x86_is_channel(p, number) && !p->file[number].borrowed)
		return -EPERM;
	other = p->file[number].epoll;
	if (other == e)
		return -EINVAL;
	for (unsigned i = 0; other && i < X86_FILES; i++)
		if (other->item[i].used && p->file[i].epoll)
			return -ELOOP;
	return 0;
}

X86_SYSCALL(epoll_ctl)
{
	uint32_t number = (uint32_t)a[2];
	int64_t e;
	struct x86_epoll *l = x86_epoll_of(p, (uint32_t)a[0], &e);
	struct x86_epoll_event v = { 0 };
	const void *from = x86_mem_get(&p->mem, a[3], sizeof(v));
	struct x86_epoll_item *i;

	if (!l)
		return e;
	e = x86_epoll_may(p, l, number);
	if (e)
		return e;
	i = &l->item[number];
	if (a[1] < X86_EPOLL_ADD || a[1] > X86_EPOLL_CHANGE)
		return -EINVAL;
	if (a[1] == X86_EPOLL_ADD && i->used)
		return -EEXIST;
	if (a[1] != X86_EPOLL_ADD && !i->used)
		return -ENOENT;
	if (a[1] != X86_EPOLL_DELETE && !from)
		return -EFAULT;
	if (from)
		memcpy(&v, from, sizeof(v));
	*i = (struct x86_epoll_item){ .used = a[1] != X86_EPOLL_DELETE,
				      .events = v.events,
				      .data = v.data };
	x86_channels_changed(p);
	return 0;
}

/* Writes up to `most` events; returns how many. */
static int64_t x86_epoll_tell(struct x86_process *p, struct x86_epoll *e,
			      struct x86_epoll_event *to, uint64_t most)
{
	unsigned start = e->next;
	int64_t told = 0;

	for (unsigned n = 0; n < X86_FILES && (uint64_t)told < most; n++) {
		uint32_t number = (start + n) % X86_FILES;
		struct x86_epoll_item *i = &e->item[number];
		unsigned events = x86_epoll_events(p, e, number);

		if (!events)
			continue;
		to[told++] = (struct x86_epoll_event){ events, i->data };
		e->next = number + 1;
		i->off = i->events & X86_EPOLL_ONESHOT;
		i->has_told = i->events & (uint32_t)X86_EPOLL_EDGE;
		x86_epoll_changes(&p->file[number], i->told);
	}
	return told;
}

static int64_t x86_epoll_wait(struct x86_process *p, struct x86_thread *t,
			      const uint64_t *a, uint64_t timeout)
{
	int64_t n;
	struct x86_epoll *e = x86_epoll_of(p, (uint32_t)a[0], &n);
	uint64_t most = min_u64((uint32_t)a[2], X86_FILES);
	struct x86_epoll_event *to;

	if (!e)
		return n;
	if ((int32_t)a[2] <= 0)
		return -EINVAL;
	to = x86_mem_put(&p->mem, a[1], most * sizeof(*to));
	if (!to)
		return -EFAULT;
	n = x86_epoll_tell(p, e, to, most);
	if (!n)
		return x86_wait_ready(p, t, timeout);
	t->until = 0;
	return n;
}

X86_SYSCALL(epoll_wait)
{
	int32_t ms = (int32_t)a[3];

	return x86_epoll_wait(p, t, a,
			      ms < 0 ? X86_NEVER : (uint64_t)ms * 1000000);
}

X86_SYSCALL(epoll_pwait)
{
	return x86_sys_epoll_wait(p, t, a);
}

X86_SYSCALL(epoll_pwait2)
{
	uint64_t ns;
	int64_t e = x86_timeout(p, a[3], &ns);

	return e ? e : x86_epoll_wait(p, t, a, ns);
}
