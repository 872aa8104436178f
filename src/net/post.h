/*
 * Post: messages between partitions whose clocks differ.
 *
 *   outbox --post_send--> [ queue of the receiver, by time ] --post_take--> inbox
 *
 * On the wires alone, all partitions have the same windows. With an engine that
 * lets partitions drift, messages wait here until the receiver's clock reaches
 * their time. The queue is ordered by (time, source, sequence), regardless of
 * which sender came first. A message whose time has passed when it is taken is
 * late: it arrives in the receiver's present.
 *
 * Threads may send and take at the same time, but only one thread at a time for
 * each partition.
 */
#ifndef HEDDLE_NET_POST_H
#define HEDDLE_NET_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "net/wire.h"

struct post;

/* Makes queues for the partitions of *w. NULL: out of memory. */
struct post *post_new(struct wires *w);
void post_free(struct post *p); /* p may be NULL */

/* Moves the messages of the partition's outbox into the receivers' queues.
 * False: out of memory; messages are lost. */
MUST_USE bool post_send(struct post *p, uint32_t partition);

/* Late messages: how many, the sum of the cycles by which they were late, and
 * the maximum. */
struct post_late {
	uint64_t messages, cycles, max;
};

/* Moves messages for the partition that arrive before `to` into its inbox, at
 * most `limit` of them. Those that should have arrived before `from` arrive at
 * `from` and are counted in *late. */
void post_take(struct post *p, uint32_t partition, cycle_t from, cycle_t to,
	       uint32_t limit, struct post_late *late);

/* When the first waiting message arrives, or CYCLE_NEVER; how many wait.
 * Messages that other threads send at the same time may not be seen. */
cycle_t post_first(const struct post *p, uint32_t partition);
uint32_t post_waiting(const struct post *p, uint32_t partition);

#endif
