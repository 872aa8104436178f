#include "base/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/eventcount.h"

/*
 * team.state: the number of the round in the upper half, and in the lower one
 * how many members have come. As long as it is OPEN, more may.
 */
enum { OPEN = 1 << 30, COME = OPEN - 1 };

struct team {
	struct eventcount round; /* counts what was to be done */
	struct eventcount done;  /* members that have done it */
	_Alignas(64) atomic_uint_least64_t state;
	unsigned members;
	bool spins;
	team_fn *work; /* NULL: go home */
	void *ctx;
	pthread_t *thread;
};

struct team_place {
	struct team *team;
	unsigned member;
};

/* Does its share; returns how long it should then spin for the others. */
static double team_perform(struct team *t, unsigned member)
{
	double start = clock_seconds();

	t->work(t->ctx, member);
	return t->spins ? eventcount_patience(clock_seconds() - start) : 0;
}

/* False: that round has been closed. */
static bool team_join(struct team *t, unsigned round)
{
	uint_least64_t s = atomic_load(&t->state);

	while (s >> 32 == round && s & OPEN)
		if (atomic_compare_exchange_weak(&t->state, &s, s + 1))
			return true;
	return false;
}

/* Whoever is the last for now tells the leader. */
static void leave(struct team *t)
{
	unsigned done = atomic_fetch_add(&t->done.value, 1) + 1;

	if (done == (atomic_load(&t->state) & COME))
		eventcount_wake(&t->done);
}

static void *team_follow(void *arg)
{
	struct team_place p = *(struct team_place *)arg;
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
		leave(t);
	}
}

static void call(struct team *t, team_fn *work, void *ctx)
{
	uint_least64_t round = eventcount_key(&t->round) + 1u;

	t->work = work;
	t->ctx = ctx;
	atomic_store(&t->done.value, 0);
	atomic_store(&t->state, round << 32 | OPEN);
	eventcount_notify(&t->round);
}

static void await(struct team *t, unsigned members, double patience)
{
	for (unsigned n = 0; n < members;)
		n = eventcount_wait(&t->done, n, patience);
}

/* Nobody may come any more; returns how many have. */
static unsigned close_round(struct team *t)
{
	uint_least64_t s = atomic_fetch_and(&t->state, ~(uint_least64_t)OPEN);

	return (unsigned)(s & COME);
}

static void team_lead(struct team *t, team_fn *work, void *ctx, bool all)
{
	double patience;

	if (t->members == 1) {
		work(ctx, 0);
		return;
	}
	call(t, work, ctx);
	patience = team_perform(t, 0);
	await(t, all ? t->members - 1 : close_round(t), patience);
}

void team_do(struct team *t, team_fn *work, void *ctx)
{
	team_lead(t, work, ctx, true);
}

void team_help(struct team *t, team_fn *work, void *ctx)
{
	team_lead(t, work, ctx, false);
}

struct things {
	atomic_uint_fast32_t taken;
	uint32_t count;
	team_each_fn *see_to;
	void *ctx;
};

static void see_to_some(void *ctx, unsigned member)
{
	struct things *x = ctx;
	uint_fast32_t i;

	(void)member;
	while ((i = atomic_fetch_add_explicit(&x->taken, 1,
					      memory_order_relaxed)) < x->count)
		x->see_to(x->ctx, (uint32_t)i);
}

/* Fewer than this are not worth waking others for. */
enum { FEW = 5 };

void team_each(struct team *t, uint32_t count, team_each_fn *see_to, void *ctx)
{
	struct things x = { .count = count, .see_to = see_to, .ctx = ctx };

	if (t && count >= FEW)
		team_help(t, see_to_some, &x);
	else
		see_to_some(&x, 0);
}

static bool team_start(struct team *t, unsigned member)
{
	struct team_place *p = malloc(sizeof(*p));

	if (!p)
		return false;
	*p = (struct team_place){ t, member };
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
	while (t->members < max && team_start(t, t->members))
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
