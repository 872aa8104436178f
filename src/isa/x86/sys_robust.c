/*
 * Locks whose owner ends: the C library keeps a list of those that a thread
 * holds, and says where it is. When the thread ends, each of them is marked so,
 * and one that waits goes on.
 */
#include <errno.h>

#include "isa/x86/sys.h"

/* What the list begins with: its first entry, the distance from an entry to the
 * lock's word, and an entry that is being added or removed. */
struct x86_robust {
	uint64_t next;
	int64_t word;
	uint64_t pending;
};

/* An entry's lowest bit: a lock that inherits priorities. */
#define X86_ROBUST_PI 1ull
/* A list may be a circle. */
enum { X86_ROBUST_MOST = 2048 };

X86_SYSCALL(set_robust_list)
{
	if (a[1] != sizeof(struct x86_robust))
		return -EINVAL;
	t->robust = a[0];
	return 0;
}

/* One without priorities: who waits looks at the word. */
static void x86_robust_free(struct x86_process *p, uint64_t at, uint32_t *word)
{
	*word = (*word & X86_FUTEX_WAITERS) | X86_FUTEX_OWNER_DIED;
	if (*word & X86_FUTEX_WAITERS)
		x86_futex_wake(p, at, 1, ~0u);
}

static void x86_robust_lock(struct x86_process *p, const struct x86_thread *t,
			    uint64_t at, bool pi, bool pending)
{
	uint32_t *word = at % 4 ? NULL : x86_mem_put(&p->mem, at, 4);

	if (!word)
		return;
	/* Unlocked already, but who waits has not been woken. */
	if (pending && !pi && !*word)
		x86_futex_wake(p, at, 1, ~0u);
	if ((*word & X86_FUTEX_OWNER) != (uint32_t)t->tid)
		return;
	if (pi)
		*word = x86_futex_next(p, at) | X86_FUTEX_OWNER_DIED;
	else
		x86_robust_free(p, at, word);
}

static bool x86_robust_read(const struct x86_process *p, uint64_t at, void *to,
			    size_t bytes)
{
	const void *from = x86_mem_get(&p->mem, at, bytes);

	if (from)
		memcpy(to, from, bytes);
	return from;
}

void x86_robust_end(struct x86_process *p, const struct x86_thread *t)
{
	struct x86_robust head;
	uint64_t entry, next, at;
	bool pi;

	if (!t->robust || !x86_robust_read(p, t->robust, &head, sizeof(head)))
		return;
	entry = head.next;
	for (unsigned i = 0; i < X86_ROBUST_MOST; i++) {
		pi = entry & X86_ROBUST_PI;
		at = entry & ~X86_ROBUST_PI;
		if (at == t->robust || !x86_robust_read(p, at, &next, 8))
			break;
		if (entry != head.pending)
			x86_robust_lock(p, t, at + (uint64_t)head.word, pi,
					false);
		entry = next;
	}
	if (head.pending)
		x86_robust_lock(p, t,
				(head.pending & ~X86_ROBUST_PI) +
					(uint64_t)head.word,
				head.pending & X86_ROBUST_PI, true);
}
