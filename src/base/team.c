#define _GNU_SOURCE /* syscall */
#include "base/team.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A few microseconds: about what waking a thread takes. */
enum { SPINS = 4000 };

/* A number that threads wait on until it changes. */
struct signal {
	_Alignas(64) atomic_uint value;
	atomic_uint sleepers;
};

struct team {
	struct signal round; /* counts what was to be done */
	struct signal done;  /* members that have done it */
	unsigned members, spins;
	team_fn *work; /* NULL: go home */
	void *ctx;
	pthread_t *thread;
};

struct place {
	struct team *team;
	unsigned member;
};

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void sleep_on(struct signal *s, unsigned value)
{
	atomic_fetch_add(&s->sleepers, 1);
	syscall(SYS_futex, &s->value, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
	atomic_fetch_sub(&s->sleepers, 1);
}

static void wake(struct signal *s)
{
	if (atomic_load(&s->sleepers))
		syscall(SYS_futex, &s->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL,
			NULL, 0);
}

/* Until it is no longer `old`; returns what it is. */
static unsigned await_change(struct signal *s, unsigned old, unsigned spins)
{
	unsigned now;

	for (unsigned i = 0; i < spins; i++) {
		now = atomic_load_explicit(&s->value, memory_order_acquire);
		if (now != old)
			return now;
		relax();
	}
	while ((now = atomic_load(&s->value)) == old)
		sleep_on(s, old);
	return now;
}

static void *follow(void *arg)
{
	struct place p = *(struct place *)arg;
	struct team *t = p.team;

	free(arg);
	for (unsigned round = 0;; round++) {
		await_change(&t->round, round, t->spins);
		if (!t->work)
			return NULL;
		t->work(t->ctx, p.member);
		if (atomic_fetch_add(&t->done.value, 1) + 2 == t->members)
			wake(&t->done);
	}
}

static void call(struct team *t, team_fn *work, void *ctx)
{
	t->work = work;
	t->ctx = ctx;
	atomic_store(&t->done.value, 0);
	atomic_fetch_add(&t->round.value, 1);
	wake(&t->round);
}

void team_do(struct team *t, team_fn *work, void *ctx)
{
	unsigned n;

	if (t->members > 1)
		call(t, work, ctx);
	work(ctx, 0);
	for (n = 0; n + 1 < t->members;)
		n = await_change(&t->done, n, t->spins);
}

/* Spinning takes a core away from who is waited for, if there are too few. */
static unsigned spins_of(unsigned members)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores >= (long)members ? SPINS : 1;
}

static bool start(struct team *t, unsigned member)
{
	struct place *p = malloc(sizeof(*p));

	if (!p)
		return false;
	*p = (struct place){ t, member };
	if (!pthread_create(&t->thread[member], NULL, follow, p))
		return true;
	free(p);
	return false;
}

struct team *team_new(unsigned most)
{
	struct team *t = aligned_alloc(64, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct team){ .members = 1, .spins = spins_of(most) };
	t->thread = calloc(most, sizeof(*t->thread));
	if (!t->thread) {
		free(t);
		return NULL;
	}
	while (t->members < most && start(t, t->members))
		t->members++;
	return t;
}

unsigned team_members(const struct team *t)
{
	return t->members;
}

void team_free(struct team *t)
{
	if (!t)
		return;
	if (t->members > 1)
		call(t, NULL, NULL);
	for (unsigned i = 1; i < t->members; i++)
		pthread_join(t->thread[i], NULL);
	free(t->thread);
	free(t);
}
