#include "base/team.h"

#include <stdatomic.h>
#include <stddef.h>

#include "test.h"

LABEL(team, threads);

struct sum {
	atomic_uint all;
	unsigned by[8];
};

static void add(void *ctx, unsigned member)
{
	struct sum *s = ctx;

	atomic_fetch_add(&s->all, 1);
	s->by[member]++; /* a member's own: the rounds are in order */
}

TEST(team, every_member_works_once_in_every_round)
{
	for (unsigned members = 1; members <= 8; members++) {
		struct team *t = team_new(members);
		struct sum s = { 0 };

		EQ(members, team_members(t));
		for (unsigned round = 1; round <= 500; round++) {
			team_do(t, add, &s);
			EQ(round * members, s.all);
		}
		for (unsigned i = 0; i < members; i++)
			EQ(500, s.by[i]);
		team_free(t);
	}
}

struct pool {
	atomic_uint taken, by_leader, by_others;
};

enum { ITEMS = 40 };

static void take_some(void *ctx, unsigned member)
{
	struct pool *h = ctx;

	while (atomic_fetch_add(&h->taken, 1) < ITEMS)
		atomic_fetch_add(member ? &h->by_others : &h->by_leader, 1);
}

/* A member that is late finds the round closed. It must neither work in it nor
 * be counted in the next. */
TEST(team, helpers_leave_nothing_and_do_nothing_twice)
{
	for (unsigned members = 1; members <= 8; members++) {
		struct team *t = team_new(members);

		for (unsigned round = 0; round < 500; round++) {
			struct pool h = { 0 };
			struct sum s = { 0 };

			team_help(t, take_some, &h);
			EQ(ITEMS, h.by_leader + h.by_others);
			if (round % 16 == 0) { /* sometimes all of them */
				team_do(t, add, &s);
				EQ(members, s.all);
			}
		}
		team_free(t);
	}
}

static void visit(void *ctx, uint32_t i)
{
	atomic_uint *seen = ctx;

	atomic_fetch_add(&seen[i], 1);
}

TEST(team, each_item_is_visited_once_with_or_without_a_team)
{
	for (unsigned members = 0; members <= 8; members++) {
		struct team *t = members ? team_new(members) : NULL;

		for (uint32_t count = 0; count <= ITEMS; count++) {
			atomic_uint seen[ITEMS + 1] = { 0 };

			team_each(t, count, visit, seen);
			for (uint32_t i = 0; i <= ITEMS; i++)
				EQ(i < count, seen[i]);
		}
		team_free(t);
	}
}

TEST(team, may_be_freed_without_having_worked)
{
	team_free(team_new(5));
	team_free(NULL);
}
