/*
 * A fork-join team of threads: the leader starts a round, every member does its
 * share, and the leader continues when the last one has finished.
 *
 *	t = team_new(4);
 *	team_do(t, work, ctx);        work(ctx, 0) ... work(ctx, 3), in parallel
 *	team_help(t, work, ctx);      work(ctx, 0), and the members that join
 *	team_each(t, n, visit, ctx);  visit(ctx, 0) ... visit(ctx, n - 1)
 *	team_free(t);
 *
 * A waiting thread spins for a moment and then sleeps, so that having more
 * threads than cores does no harm.
 */
#ifndef HEDDLE_BASE_TEAM_H
#define HEDDLE_BASE_TEAM_H

#include <stdint.h>

struct team;

typedef void team_fn(void *ctx, unsigned member);

/* Makes a team of up to `max` members: as many as the host starts threads for.
 * The calling thread is member 0, the leader. NULL: out of memory. */
struct team *team_new(unsigned max);
void team_free(struct team *t); /* t may be NULL */
unsigned team_members(const struct team *t);
/* Runs a round with all members. Called by the leader. */
void team_do(struct team *t, team_fn *work, void *ctx);
/* Runs a round with the members that join before the leader has finished its
 * own share. The others take no part and are not waited for: on a busy host a
 * member may start late. For work that the members take from a common pool,
 * so that nothing is left when the leader finishes. */
void team_help(struct team *t, team_fn *work, void *ctx);

/* Visits `count` independent items once each, by the members that join; if t is
 * NULL, by the caller. */
typedef void team_each_fn(void *ctx, uint32_t i);
void team_each(struct team *t, uint32_t count, team_each_fn *visit, void *ctx);

#endif
