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

TEST(team, may_go_home_without_having_worked)
{
	team_free(team_new(5));
	team_free(NULL);
}
