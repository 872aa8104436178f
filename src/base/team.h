/*
 * Threads that work in step: a leader says what is to be done, all of them do
 * their share of it, and the leader goes on when the last one is done.
 *
 *	t = team_new(4);
 *	team_do(t, work, ctx);       work(ctx, 0) ... work(ctx, 3), all at once
 *	team_help(t, work, ctx);     work(ctx, 0) and of the others who comes
 *	team_each(t, n, see_to, ctx);   see_to(ctx, 0) ... see_to(ctx, n - 1)
 *	team_free(t);
 *
 * Waiting spins for a moment, then sleeps, so that more threads than the host
 * has cores do no harm.
 */
#ifndef HEDDLE_BASE_TEAM_H
#define HEDDLE_BASE_TEAM_H

#include <stdint.h>

struct team;

typedef void team_fn(void *ctx, unsigned member);

/* As many members as the host starts threads for, at most `most`; the calling
 * thread is number 0. NULL: out of memory. */
struct team *team_new(unsigned max);
void team_free(struct team *t); /* NULL is fine */
unsigned team_members(const struct team *t);
/* By the thread that made it, which is number 0. */
void team_do(struct team *t, team_fn *work, void *ctx);
/* The same, but who has not begun when number 0 is done with its own is not
 * waited for and has no part in it: on a host that is busy with other things
 * a member may come late. For work of which whoever is there takes what is
 * left, so that nothing is when number 0 is done. */
void team_help(struct team *t, team_fn *work, void *ctx);

/* Things that have nothing to do with each other, each seen to once by whoever
 * of the team comes; NULL: by the caller. */
typedef void team_each_fn(void *ctx, uint32_t i);
void team_each(struct team *t, uint32_t count, team_each_fn *see_to, void *ctx);

#endif
