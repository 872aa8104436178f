/*
 * What a small system of CGM can do next: the states of a few second-level
 * caches, the home and memory, with all messages in flight, and every step from
 * one to another: an access, an eviction, a message that arrives. Steps are
 * executed by the functions of mem/cgm/proto.h.
 *
 * Models:  one access in flight for a block in each cache, which others may join;
 *          messages that overtake each other, but for those to memory; places,
 *          write-back buffers and MSHRs as a number for each cache, places at
 *          the home.
 * Does not model: time; values other than fresh and stale: a write makes every
 *          other value of the block in the system stale. Of caches that are not
 *          coherent, values are not checked.
 */
#ifndef HEDDLE_TESTS_CGM_MOVES_H
#define HEDDLE_TESTS_CGM_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/cgm/proto.h"

enum { SYS_CACHES = 3, SYS_BLOCKS = 2, SYS_MAIL = 24, SYS_ORDERS = 6 };
enum { SYS_HOME = 8, SYS_MEMORY = 9, SYS_NOBODY = 15 };

/* What a processor waits for in a block. */
enum sys_want { WANT_NOTHING, WANT_LOAD, WANT_STORE, WANT_FLUSH, WANT_ADD };

struct sys_mail {
	uint8_t kind, block, from, to, requester;
	int8_t acks;
	bool dirty, fresh;
};

struct sys_copy {
	uint8_t state;
	int8_t acks;
	bool dirty, fresh;
	bool kids; /* first-level caches may have the block */
	uint8_t want;
};

struct sys_home {
	uint8_t state, readers, owner, requester;
	int8_t acks;
	bool dirty, fresh, memory; /* memory: its value is fresh */
};

struct sys {
	struct sys_copy copy[SYS_CACHES][SYS_BLOCKS];
	struct sys_home home[SYS_BLOCKS];
	unsigned mails;
	struct sys_mail mail[SYS_MAIL];
};

/* A system, and what has been seen of it. */
struct moves {
	const struct cgm_table *table;
	unsigned caches, blocks;
	unsigned plain; /* of the caches, the last ones are not coherent */
	/* For how many blocks there is room in a cache and at the home; how many
	 * evictions, and how many accessed blocks, a cache has in flight. */
	unsigned ways, home_ways, buffers, mshrs;
	bool flushes;
	bool kids; /* first-level caches are listed */

	char failure[256]; /* "" if all is well */
	bool cache_used[CGM_CSTATES][CGM_CEVENTS];
	bool home_used[CGM_HSTATES][CGM_HEVENTS];
};

/* What kind of step it is. */
enum sys_step { STEP_ACCESS, STEP_EVICT, STEP_HOME_EVICT, STEP_MESSAGE };

/* What one block takes of what blocks share: bits of a place, a buffer and an
 * MSHR for each cache, and of a place at the home. */
enum { USE_WAY, USE_BUFFER, USE_MSHR, USE_EACH, USE_HOME = 3 * SYS_CACHES };

void sys_first(struct sys *s, const struct moves *m);
unsigned sys_uses(const struct sys *s, unsigned block);
/* Nothing is in flight. */
bool sys_is_at_rest(const struct sys *s, const struct moves *m);

/* What must hold in every state, and at rest. False: m->failure says what. */
bool sys_check(const struct sys *s, struct moves *m);
bool sys_check_rest(const struct sys *s, struct moves *m);

/* Visits every state a step away; `to` may equal s. Ends early, with false, if
 * a visit does or a step fails. */
typedef bool sys_visit(void *ctx, const struct sys *to, enum sys_step step);
bool sys_steps(const struct sys *s, struct moves *m, sys_visit *visit,
	       void *ctx);
/* One step towards rest: the first message that can arrive, else an eviction
 * from the home. False: none, or it failed. */
bool sys_settle(struct sys *s, struct moves *m);

/* The system's names: caches of a kind are alike, and so are blocks. */
extern const uint8_t sys_orders[SYS_ORDERS][SYS_CACHES];
/* Whether a naming keeps each cache among its kind. */
bool sys_may_rename(const struct moves *m, unsigned order);
void sys_rename(struct sys *to, const struct sys *s, const struct moves *m,
		unsigned order, bool swap_blocks);

/* A state in full, in a form that two equal ones share. */
enum { SYS_BYTES = SYS_BLOCKS * (2 * SYS_CACHES + 4) + 4 * SYS_MAIL };
unsigned sys_encode(const struct sys *s, const struct moves *m, uint8_t *to);
void sys_decode(struct sys *s, const struct moves *m, const uint8_t *from,
		unsigned size);

#endif
