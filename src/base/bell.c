#define _GNU_SOURCE /* syscall */
#include "base/bell.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* Seconds: about what waking a thread takes, and more than waking many does. */
static const double LEAST_PATIENCE = 5e-6, MOST_PATIENCE = 1e-3;

/* Looks at the bell from one look at the clock to the next. */
enum { LOOKS = 256 };

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

static bool look(struct bell *b, unsigned old)
{
	for (unsigned i = 0; i < LOOKS; i++) {
		if (bell_heard(b) != old)
			return true;
		relax();
	}
	return false;
}

unsigned bell_await(struct bell *b, unsigned old, double patience)
{
	double until = patience > 0 ? clock_seconds() + patience : 0;
	unsigned now;

	while (!look(b, old) && patience > 0 && clock_seconds() < until)
		;
	while ((now = atomic_load(&b->value)) == old)
		sleep_on(b, old);
	return now;
}

double bell_patience(double worked)
{
	if (worked < LEAST_PATIENCE)
		return LEAST_PATIENCE;
	return worked < MOST_PATIENCE ? worked : MOST_PATIENCE;
}

bool bell_spins(unsigned threads)
{
	return sysconf(_SC_NPROCESSORS_ONLN) >= (long)threads;
}
