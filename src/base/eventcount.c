#define _GNU_SOURCE /* syscall */
#include "base/eventcount.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* Seconds: about as long as it takes to wake one thread, and longer than it
 * takes to wake many. */
static const double MIN_PATIENCE = 5e-6, MAX_PATIENCE = 1e-3;

/* Polls of the eventcount between two readings of the clock. */
enum { POLLS = 256 };

static inline void spin_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void eventcount_sleep(struct eventcount *b, unsigned value)
{
	atomic_fetch_add(&b->sleepers, 1);
	syscall(SYS_futex, &b->value, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
	atomic_fetch_sub(&b->sleepers, 1);
}

void eventcount_wake(struct eventcount *b)
{
	if (atomic_load(&b->sleepers))
		syscall(SYS_futex, &b->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL,
			NULL, 0);
}

unsigned eventcount_notify(struct eventcount *b)
{
	unsigned old = atomic_fetch_add(&b->value, 1);

	eventcount_wake(b);
	return old;
}

/* True as soon as the value has changed; false after POLLS polls. */
static bool eventcount_poll(struct eventcount *b, unsigned old)
{
	for (unsigned i = 0; i < POLLS; i++) {
		if (eventcount_key(b) != old)
			return true;
		spin_pause();
	}
	return false;
}

unsigned eventcount_wait(struct eventcount *b, unsigned old, double patience)
{
	double until = patience > 0 ? clock_seconds() + patience : 0;
	unsigned now;

	while (!eventcount_poll(b, old) && patience > 0 &&
	       clock_seconds() < until)
		;
	while ((now = atomic_load(&b->value)) == old)
		eventcount_sleep(b, old);
	return now;
}

double eventcount_patience(double worked)
{
	if (worked < MIN_PATIENCE)
		return MIN_PATIENCE;
	return worked < MAX_PATIENCE ? worked : MAX_PATIENCE;
}

bool eventcount_spins(unsigned threads)
{
	return sysconf(_SC_NPROCESSORS_ONLN) >= (long)threads;
}
