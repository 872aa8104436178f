#include "base/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/eventcount.h"

/*
 * team.state: the number of the round in the upper half; in the lower half how
 * many members have joined it. While OPEN is set, more may join.
 */
enum { OPEN = 1 << 30, JOINED = OPEN - 1 };

struct team {
	struct eventcount round; /* counts the rounds started */
	struct eventcount done;  /* members that have finished this one */
	_Alignas(64) atomic_uint_least64_t state;
	unsigned members;
	bool spins;
	team_fn *work; /* NULL: exit */
	void *ctx;
	pthread_t *thread;
};

struct team_seat {
	struct team *team;
	unsigned member;
};

/* Does a member's share; returns how long it should then spin for the
 * others. */
static double team_perform(struct team *t, unsigned member)
{
	double start = clock_seconds();

	t->work(t->ctx, member);
	return t->spins ? eventcount_patience(clock_seconds() - start) : 0;
}

/* False if that round has been closed. */
static bool team_join(struct team *t, unsigned round)
{
	uint_least64_t s = atomic_load(&t->state);

	while (s >> 32 == round && s & OPEN)
		if (atomic_compare_exchange_weak(&t->state, &s, s + 1))
			return true;
	return false;
}

/* The last of the members that have joined wakes the leader. */
static void team_leave(struct team *t)
{
	unsigned done = atomic_fetch_add(&t->done.value, 1) + 1;

	if (done == (atomic_load(&t->state) & JOINED))
		eventcount_wake(&t->done);
}

static void *team_follow(void *arg)
{
	struct team_seat p = *(struct team_seat *)arg;
	struct team *t = p.team;
	unsigned round = 0;
	double patience = 0;

	free(arg);
	for (;;) {
		round = eventcount_wait(&t->round, round, patience);
		if (!team_join(t, round))
			continue;
		if (!t->work)
			return NULL;
		patience = team_perform(t, p.member);
		team_leave(t);
	}
}

static void team_start_round(struct team *t, team_fn *work, void *ctx)
{
	uint_least64_t round = eventcount_key(&t->round) + 1u;

	t->work = work;
	t->ctx = ctx;
	atomic_store(&t->done.value, 0);
	atomic_store(&t->state, round << 32 | OPEN);
	eventcount_notify(&t->round);
}

static void team_await(struct team *t, unsigned members, double patience)
{
	for (unsigned n = 0; n < members;)
		n = eventcount_wait(&t->done, n, patience);
}

/* Lets no more members join; returns how many have. */
static unsigned team_close_round(struct team *t)
{
	uint_least64_t s = atomic_fetch_and(&t->state, ~(uint_least64_t)OPEN);

	return (unsigned)(s & JOINED);
}

static void team_lead(struct team *t, team_fn *work, void *ctx, bool all)
{
	double patience;

	if (t->members == 1) {
		work(ctx, 0);
		return;
	}
	team_start_round(t, work, ctx);
	patience = team_perform(t, 0);
	team_await(t, all ? t->members - 1 : team_close_round(t), patience);
}

void team_do(struct team *t, team_fn *work, void *ctx)
{
	team_lead(t, work, ctx, true);
}

void team_help(struct team *t, team_fn *work, void *ctx)
{
	team_lead(t, work, ctx, false);
}

struct team_items {
	atomic_uint_fast32_t taken;
	uint32_t count;
	team_each_fn *visit;
	void *ctx;
};

static void team_visit_some(void *ctx, unsigned member)
{
	struct team_items *x = ctx;
	uint_fast32_t i;

	(void)member;
	while ((i = atomic_fetch_add_explicit(&x->taken, 1,
					      memory_order_relaxed)) < x->count)
		x->visit(x->ctx, (uint32_t)i);
}

/* Fewer items than this are not worth waking others for. */
enum { MIN_ITEMS = 5 };

void team_each(struct team *t, uint32_t count, team_each_fn *visit, void *ctx)
{
	struct team_items x = { .count = count, .visit = visit, .ctx = ctx };

	if (t && count >= MIN_ITEMS)
		team_help(t, team_visit_some, &x);
	else
		team_visit_some(&x, 0);
}

static bool team_start_member(struct team *t, unsigned member)
{
	struct team_seat *p = malloc(sizeof(*p));

	if (!p)
		return false;
	*p = (struct team_seat){ t, member };
	if (!pthread_create(&t->thread[member], NULL, team_follow, p))
		return true;
	free(p);
	return false;
}

struct team *team_new(unsigned max)
{
	struct team *t = aligned_alloc(64, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct team){ .members = 1, .spins = eventcount_spins(max) };
	t->thread = calloc(max, sizeof(*t->thread));
	if (!t->thread) {
		free(t);
		return NULL;
	}
	while (t->members < max && team_start_member(t, t->members))
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
		team_start_round(t, NULL, NULL);
	for (unsigned i = 1; i < t->members; i++)
		pthread_join(t->thread[i], NULL);
	free(t->thread);
	free(t);
}
