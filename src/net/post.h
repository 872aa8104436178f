/*
 * Post: messages between partitions whose clocks differ.
 *
 *   outbox --post_send--> [ queue of the receiver, by time ] --post_take--> inbox
 *
 * On the wires alone all partitions have the same windows. Where each goes at
 * its own pace, what one has sent waits here until the receiver's time has
 * come. The queue is in the order of (time, source, sequence), whoever was
 * first. A message whose time is past when it is taken is late: it arrives in
 * the receiver's present.
 *
 * Any threads may send and take at the same time, one of them for a partition.
 */
#ifndef HEDDLE_NET_POST_H
#define HEDDLE_NET_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "net/wire.h"

struct post;

/* For the partitions of *w; NULL: out of memory. */
struct post *post_new(struct wires *w);
void post_free(struct post *p); /* NULL is fine */

/* Empties the partition's outbox. False: no memory; messages are lost. */
MUST_USE bool post_send(struct post *p, uint32_t partition);

struct post_late {
	uint64_t messages, cycles, max;
};

/* Brings the first `limit` messages for the partition that arrive before `to`
 * into its inbox, those of before `from` as if they arrived then. */
void post_take(struct post *p, uint32_t partition, cycle_t from, cycle_t to,
	       uint32_t limit, struct post_late *late);

/* When the first one that waits arrives, or CYCLE_NEVER; how many wait. What
 * others do meanwhile may not be seen. */
cycle_t post_first(const struct post *p, uint32_t partition);
uint32_t post_waiting(const struct post *p, uint32_t partition);

#endif
