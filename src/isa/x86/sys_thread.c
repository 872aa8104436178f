/* System calls: threads, futexes, ends. */
#include <errno.h>
#include <stdio.h>

#include "isa/x86/sys.h"

X86_SYSCALL(gettid)
{
	return t->tid;
}

X86_SYSCALL(set_tid_address)
{
	t->clear_tid = a[0];
	return t->tid;
}

X86_SYSCALL(exit_group)
{
	x86_end_with(p, X86_EXITED, (int)(a[0] & 0xff));
	return X86_SYS_LATER;
}

X86_SYSCALL(exit)
{
	x86_thread_end(p, t);
	for (unsigned i = 0; i < p->threads; i++)
		if (p->thread[i]->state != X86_DEAD)
			return X86_SYS_LATER;
	x86_end_with(p, X86_EXITED, (int)(a[0] & 0xff));
	return X86_SYS_LATER;
}

X86_SYSCALL(sched_yield)
{
	t->cpu.stop = X86_STOP_YIELD;
	return 0;
}

/* As for Linux' policies 1 and 2, FIFO and RR; all others have none. */
X86_SYSCALL(sched_get_priority_max)
{
	return a[0] == 1 || a[0] == 2 ? 99 : 0;
}

X86_SYSCALL(sched_get_priority_min)
{
	return a[0] == 1 || a[0] == 2;
}

enum { X86_SET_NAME = 15, X86_GET_NAME = 16 };

X86_SYSCALL(prctl)
{
	const char *from;
	void *to;

	if (a[0] == X86_SET_NAME) {
		from = x86_mem_string(&p->mem, a[1], X86_PATH);
		if (!from)
			return -EFAULT;
		snprintf(t->name, sizeof(t->name), "%s", from);
	} else if (a[0] == X86_GET_NAME) {
		to = x86_mem_put(&p->mem, a[1], sizeof(t->name));
		if (!to)
			return -EFAULT;
		memcpy(to, t->name, sizeof(t->name));
	}
	return 0;
}

enum {
	X86_CLONE_VM = 0x100,
	X86_CLONE_THREAD = 0x10000,
	X86_CLONE_SETTLS = 0x80000,
	X86_CLONE_PARENT_SETTID = 0x100000,
	X86_CLONE_CHILD_CLEARTID = 0x200000,
	X86_CLONE_CHILD_SETTID = 0x1000000
};

static void x86_put_tid(struct x86_process *p, uint64_t at, int tid)
{
	void *to = x86_mem_put(&p->mem, at, sizeof(tid));

	if (to)
		memcpy(to, &tid, sizeof(tid));
}

X86_SYSCALL(clone)
{
	const uint64_t needed = X86_CLONE_VM | X86_CLONE_THREAD;
	struct x86_thread *n;

	if ((a[0] & needed) != needed)
		return x86_refuse(p, t, ENOSYS, "ENOSYS");
	n = x86_thread_new(p);
	if (!n)
		return -EAGAIN;
	n->cpu = t->cpu;
	n->cpu.count = 0;
	n->sig.blocked = t->sig.blocked;
	memcpy(n->name, t->name, sizeof(n->name));
	n->cpu.r[X86_RAX] = 0;
	n->cpu.r[X86_RSP] = a[1];
	if (a[0] & X86_CLONE_SETTLS)
		n->cpu.segment[X86_SEG_FS] = a[4];
	if (a[0] & X86_CLONE_PARENT_SETTID)
		x86_put_tid(p, a[2], n->tid);
	if (a[0] & X86_CLONE_CHILD_SETTID)
		x86_put_tid(p, a[3], n->tid);
	if (a[0] & X86_CLONE_CHILD_CLEARTID)
		n->clear_tid = a[3];
	return n->tid;
}

enum {
	X86_FUTEX_WAIT = 0,
	X86_FUTEX_WAKE = 1,
	X86_FUTEX_REQUEUE = 3,
	X86_FUTEX_CMP_REQUEUE = 4,
	X86_FUTEX_WAKE_OP = 5,
	X86_FUTEX_LOCK_PI = 6,
	X86_FUTEX_UNLOCK_PI = 7,
	X86_FUTEX_TRYLOCK_PI = 8,
	X86_FUTEX_WAIT_BITSET = 9,
	X86_FUTEX_WAKE_BITSET = 10,
	X86_FUTEX_LOCK_PI2 = 13,
	X86_FUTEX_COMMAND = 0x7f,
	X86_SYS_FUTEX = 202, /* its own number */
	X86_FUTEX_REALTIME = 0x100
};

static bool x86_futex_value(const struct x86_process *p, uint64_t at,
			    uint32_t *v)
{
	const void *from = at % 4 ? NULL : x86_mem_get(&p->mem, at, 4);

	if (from)
		memcpy(v, from, 4);
	return from;
}

/* When a wait ends by itself. False: the time is none. */
static bool x86_futex_until(const struct x86_process *p, const uint64_t *a,
			    uint64_t *until)
{
	uint64_t ns;

	*until = X86_NEVER;
	if (!a[3])
		return true;
	if (!x86_get_time(p, a[3], &ns))
		return false;
	if ((a[1] & X86_FUTEX_COMMAND) == X86_FUTEX_WAIT)
		ns += x86_now(p);
	else if (a[1] & X86_FUTEX_REALTIME ||
		 (a[1] & X86_FUTEX_COMMAND) == X86_FUTEX_LOCK_PI)
		ns = ns > X86_EPOCH_NS ? ns - X86_EPOCH_NS : 0;
	*until = ns;
	return true;
}

static int64_t x86_futex_sleep(struct x86_process *p, struct x86_thread *t,
			       const uint64_t *a, uint32_t mask)
{
	t->state = X86_WAITING;
	t->sig.restart = a[3] ? 0 : X86_SYS_FUTEX + 1;
	t->futex = a[0];
	t->mask = mask;
	t->queued = p->queued++;
	return X86_SYS_LATER;
}

static int64_t x86_futex_wait(struct x86_process *p, struct x86_thread *t,
			      const uint64_t *a, uint32_t mask)
{
	uint32_t v;

	if (!mask || !x86_futex_until(p, a, &t->wake))
		return -EINVAL;
	if (!x86_futex_value(p, a[0], &v))
		return -EFAULT;
	return v == (uint32_t)a[2] ? x86_futex_sleep(p, t, a, mask) : -EAGAIN;
}

/*
 * Locks with priorities, which all threads have the same of: the word holds the
 * owner, and whether anybody waits.
 */
static int64_t x86_futex_put(struct x86_process *p, uint64_t at, uint32_t v)
{
	void *to = x86_mem_put(&p->mem, at, 4);

	if (to)
		memcpy(to, &v, 4);
	return to ? 0 : -EFAULT;
}

static int64_t x86_futex_lock(struct x86_process *p, struct x86_thread *t,
			      const uint64_t *a, bool tries)
{
	bool waited = x86_oldest_waiter(p, a[0], ~0u);
	uint32_t v;
	int64_t e;

	if (!x86_futex_value(p, a[0], &v))
		return -EFAULT;
	if (!(v & X86_FUTEX_OWNER))
		return x86_futex_put(p, a[0],
				     (uint32_t)t->tid |
					     (v & X86_FUTEX_OWNER_DIED) |
					     (waited ? X86_FUTEX_WAITERS : 0));
	if ((v & X86_FUTEX_OWNER) == (uint32_t)t->tid)
		return -EDEADLK;
	if (tries)
		return -EAGAIN;
	if (!x86_futex_until(p, a, &t->wake))
		return -EINVAL;
	e = x86_futex_put(p, a[0], v | X86_FUTEX_WAITERS);
	return e ? e : x86_futex_sleep(p, t, a, ~0u);
}

/* The oldest one that waits owns it. */
uint32_t x86_futex_next(struct x86_process *p, uint64_t at)
{
	struct x86_thread *next = x86_oldest_waiter(p, at, ~0u);

	if (!next)
		return 0;
	x86_thread_wake(next, 0);
	return (uint32_t)next->tid |
	       (x86_oldest_waiter(p, at, ~0u) ? X86_FUTEX_WAITERS : 0);
}

static int64_t x86_futex_unlock(struct x86_process *p,
				const struct x86_thread *t, const uint64_t *a)
{
	uint32_t v;

	if (!x86_futex_value(p, a[0], &v))
		return -EFAULT;
	if ((v & X86_FUTEX_OWNER) != (uint32_t)t->tid)
		return -EPERM;
	return x86_futex_put(p, a[0], x86_futex_next(p, a[0]));
}

/* Moves threads that wait from one futex to another; the oldest first. */
static unsigned x86_futex_move(struct x86_process *p, uint64_t from,
			       uint64_t to, uint64_t most)
{
	unsigned moved = 0;

	for (unsigned i = 0; i < p->threads && moved < most; i++) {
		struct x86_thread *t = p->thread[i];

		if (t->state == X86_WAITING && t->futex == from) {
			t->futex = to;
			moved++;
		}
	}
	return moved;
}

static int64_t x86_futex_requeue(struct x86_process *p, const uint64_t *a,
				 bool compare)
{
	unsigned woken;
	uint32_t v, to;

	if (!x86_futex_value(p, a[0], &v) || !x86_futex_value(p, a[4], &to))
		return -EFAULT;
	if (compare && v != (uint32_t)a[5])
		return -EAGAIN;
	woken = x86_futex_wake(p, a[0], (unsigned)a[2], ~0u);
	return woken + x86_futex_move(p, a[0], a[4], a[3]);
}

/* The operation of FUTEX_WAKE_OP: 4 bits each for what to do and to compare, 12
 * for either operand. */
static uint32_t x86_wake_op_value(uint32_t old, uint32_t op)
{
	uint32_t v = (uint32_t)((int32_t)(op << 8) >> 20);

	if (op >> 31)
		v = 1u << (v & 31);
	switch (op >> 28 & 7) {
	case 0:
		return v;
	case 1:
		return old + v;
	case 2:
		return old | v;
	case 3:
		return old & ~v;
	default:
		return old ^ v;
	}
}

static bool x86_wake_op_compare(uint32_t old, uint32_t op)
{
	int32_t v = (int32_t)(op << 20) >> 20, a = (int32_t)old;

	switch (op >> 24 & 15) {
	case 0:
		return a == v;
	case 1:
		return a != v;
	case 2:
		return a < v;
	case 3:
		return a <= v;
	case 4:
		return a > v;
	default:
		return a >= v;
	}
}

static int64_t x86_futex_wake_op(struct x86_process *p, const uint64_t *a)
{
	uint32_t old, new, op = (uint32_t)a[5];
	unsigned woken;
	void *to;

	if (!x86_futex_value(p, a[4], &old))
		return -EFAULT;
	to = x86_mem_put(&p->mem, a[4], 4);
	if (!to)
		return -EFAULT;
	new = x86_wake_op_value(old, op);
	memcpy(to, &new, 4);
	woken = x86_futex_wake(p, a[0], (unsigned)a[2], ~0u);
	if (x86_wake_op_compare(old, op))
		woken += x86_futex_wake(p, a[4], (unsigned)a[3], ~0u);
	return woken;
}

X86_SYSCALL(futex)
{
	unsigned command = a[1] & X86_FUTEX_COMMAND;

	switch (command) {
	case X86_FUTEX_WAIT:
		return x86_futex_wait(p, t, a, ~0u);
	case X86_FUTEX_WAIT_BITSET:
		return x86_futex_wait(p, t, a, (uint32_t)a[5]);
	case X86_FUTEX_WAKE:
		return x86_futex_wake(p, a[0], (unsigned)a[2], ~0u);
	case X86_FUTEX_WAKE_BITSET:
		return x86_futex_wake(p, a[0], (unsigned)a[2], (uint32_t)a[5]);
	case X86_FUTEX_REQUEUE:
	case X86_FUTEX_CMP_REQUEUE:
		return x86_futex_requeue(p, a,
					 command == X86_FUTEX_CMP_REQUEUE);
	case X86_FUTEX_WAKE_OP:
		return x86_futex_wake_op(p, a);
	case X86_FUTEX_LOCK_PI:
	case X86_FUTEX_LOCK_PI2:
		return x86_futex_lock(p, t, a, false);
	case X86_FUTEX_TRYLOCK_PI:
		return x86_futex_lock(p, t, a, true);
	case X86_FUTEX_UNLOCK_PI:
		return x86_futex_unlock(p, t, a);
	default:
		return -ENOSYS;
	}
}
