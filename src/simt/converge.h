/*
 * Convergence barriers: where machine code says that diverged lanes wait for
 * each other.
 *
 *	enter b     the lanes of a split will meet at b
 *	...         they diverge, some may leave b, or exit
 *	wait b      a lane continues when all that it shall meet wait here, too
 *
 * A barrier is a register: of each lane, the lanes that it takes part with, as
 * a mask. So it can be saved and restored like other registers, and lanes that
 * have diverged can use the same register for different meetings.
 *
 * Models:  barriers that hold until all their lanes have arrived, left,
 *          exited or yielded. Lanes that arrive at different instructions are released
 *          together and stay apart.
 * Does not model: barriers of the warp whose lanes wait at one of these, unless they
 *          spun before. It is a deadlock.
 * Owner:   none; functions on a warp.
 */
#ifndef HEDDLE_SIMT_CONVERGE_H
#define HEDDLE_SIMT_CONVERGE_H

#include "simt/warp.h"

/* The lanes in w->mask will meet at barrier register b. */
void converge_enter(struct warp *w, slot_t b);
/* The lanes in w->mask wait at b. If others have to arrive, their split ends;
 * they continue at w->pc. */
void converge_wait(struct warp *w, slot_t b);
/* No lane waits for those in w->mask at b any more. */
void converge_leave(struct warp *w, slot_t b);
/* The active lanes spin until another lane has done something, and say so. Lanes
 * that wait only for lanes that spin, and for lanes that went ahead of such and now wait
 * for the whole warp or block, continue alone: what is waited for may be up to them. */
void converge_yield(struct warp *w);
/* No lane is ready, and all of them wait at barriers: those at the innermost one, of the
 * highest number, need not wait for lanes that are at others. ptxas leaves a switch in
 * such a way, and an H200 goes on. Nor need they wait for lanes that have gone ahead of
 * those that spun: a mask that was in a register meanwhile still has them. False: it is
 * something else that they wait for. */
bool converge_unlock(struct warp *w);
/* Lanes have exited: releases those that waited for them only. */
void converge_exited(struct warp *w);
/* The lanes that a waiting split waits for, with its own. */
lanes_t converge_needs(const struct warp *w, const struct split *s);

#endif
