/* Threads pinned to cores. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "test.h"

#include <sched.h>

#include "base/pin.h"
#include "base/team.h"

enum { MEMBERS = 5 };

static void keep_cores(void *ctx, unsigned member)
{
	cpu_set_t *set = ctx;

	sched_getaffinity(0, sizeof(set[member]), &set[member]);
}

TEST(pin, each_thread_is_pinned_to_one_of_the_available_cores)
{
	cpu_set_t before, after, pinned[MEMBERS];
	struct team *t = team_new(MEMBERS);
	struct pins p;
	struct diag d;

	OK(t && team_members(t) == MEMBERS);
	EQ(0, sched_getaffinity(0, sizeof(before), &before));
	EQ(ERR_OK, pins_set(&p, t, &d));
	EQ(CPU_COUNT(&before), p.count);
	team_do(t, keep_cores, pinned);
	pins_undo(&p);
	EQ(0, sched_getaffinity(0, sizeof(after), &after));
	OK(CPU_EQUAL(&before, &after));
	for (unsigned i = 0; i < MEMBERS; i++) {
		cpu_set_t both;

		EQ(1, CPU_COUNT(&pinned[i]));
		CPU_AND(&both, &before, &pinned[i]);
		EQ(1, CPU_COUNT(&both));
		EQ(i % p.count == 0, CPU_EQUAL(&pinned[0], &pinned[i]) != 0);
	}
	team_free(t);
}
