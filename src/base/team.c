#include "base/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/bell.h"

struct team {
	struct bell round; /* counts what was to be done */
	struct bell done;  /* members that have done it */
	unsigned members, spins;
	team_fn *work; /* NULL: go home */
	void *ctx;
	pthread_t *thread;
};

struct place {
	struct team *team;
	unsigned member;
};

static void *follow(void *arg)
{
	struct place p = *(struct place *)arg;
	struct team *t = p.team;

	free(arg);
	for (unsigned round = 0;; round++) {
		bell_await(&t->round, round, t->spins);
		if (!t->work)
			return NULL;
		t->work(t->ctx, p.member);
		if (atomic_fetch_add(&t->done.value, 1) + 2 == t->members)
			bell_wake(&t->done);
	}
}

static void call(struct team *t, team_fn *work, void *ctx)
{
	t->work = work;
	t->ctx = ctx;
	atomic_store(&t->done.value, 0);
	bell_ring(&t->round);
}

void team_do(struct team *t, team_fn *work, void *ctx)
{
	unsigned n;

	if (t->members > 1)
		call(t, work, ctx);
	work(ctx, 0);
	for (n = 0; n + 1 < t->members;)
		n = bell_await(&t->done, n, t->spins);
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
	*t = (struct team){ .members = 1, .spins = bell_spins(most) };
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
