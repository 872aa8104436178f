#define _GNU_SOURCE /* syscall */
#include "base/bell.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A few microseconds: about what waking a thread takes. */
enum { SPINS = 4000 };

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void sleep_on(struct bell *b, unsigned value)
{
	atomic_fetch_add(&b->sleepers, 1);
	syscall(SYS_futex, &b->value, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
	atomic_fetch_sub(&b->sleepers, 1);
}

void bell_wake(struct bell *b)
{
	if (atomic_load(&b->sleepers))
		syscall(SYS_futex, &b->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL,
			NULL, 0);
}

unsigned bell_ring(struct bell *b)
{
	unsigned old = atomic_fetch_add(&b->value, 1);

	bell_wake(b);
	return old;
}

unsigned bell_await(struct bell *b, unsigned old, unsigned spins)
{
	unsigned now;

	for (unsigned i = 0; i < spins; i++) {
		now = bell_heard(b);
		if (now != old)
			return now;
		relax();
	}
	while ((now = atomic_load(&b->value)) == old)
		sleep_on(b, old);
	return now;
}

unsigned bell_spins(unsigned threads)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores >= (long)threads ? SPINS : 1;
}
