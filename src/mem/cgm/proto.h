/*
 * The protocol of CGM as code: the table of mem/cgm/proto.def and the two
 * functions that execute its rows, for a second-level cache and for the home of
 * a block, its L3 slice with the directory.
 *
 * The functions see one block, one event and the packet that caused it; they
 * change the block's state and send packets. The simulator and the exhaustive
 * check call the same functions.
 *
 * Models:  states, messages, data.
 * Does not model: time, places in caches, queues: those are the elements'.
 */
#ifndef HEDDLE_MEM_CGM_PROTO_H
#define HEDDLE_MEM_CGM_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cycle.h"

enum {
	CGM_BLOCK = 64,   /* bytes */
	CGM_HEADER = 8,   /* bytes of a message besides its data */
	CGM_AGENTS = 128, /* caches that a directory can list */
	CGM_WORDS = CGM_AGENTS / 64,
	CGM_ADDRESS_BITS = 46 /* of what programs address; tables lie above */
};

/* clang-format off */
enum cgm_lane { CGM_LANE_REQUEST, CGM_LANE_COHERENCE, CGM_LANE_REPLY,
		CGM_LANES };
enum cgm_sort { CGM_SORT_READ, CGM_SORT_WRITE, CGM_SORT_RMW, CGM_SORT_FLUSH,
		CGM_SORT_FENCE };
enum cgm_op {
#define OPERATION(id, name, sort, doc) CGM_OP_##id,
#include "mem/cgm/proto.def"
	CGM_OPS
};
enum cgm_msg {
#define MESSAGE(id, name, lane, payload, doc) CGM_##id,
#include "mem/cgm/proto.def"
	CGM_MESSAGES
};
enum cgm_cstate {
#define CACHE_STATE(id, name, stable, doc) CGM_C_##id,
#include "mem/cgm/proto.def"
	CGM_CSTATES
};
enum cgm_hstate {
#define HOME_STATE(id, name, stable, doc) CGM_H_##id,
#include "mem/cgm/proto.def"
	CGM_HSTATES
};
enum cgm_cevent {
#define CACHE_EVENT(id, name, doc) CGM_CE_##id,
#include "mem/cgm/proto.def"
	CGM_CEVENTS
};
enum cgm_hevent {
#define HOME_EVENT(id, name, doc) CGM_HE_##id,
#include "mem/cgm/proto.def"
	CGM_HEVENTS
};
enum cgm_action {
#define ACTION(id, doc) CGM_A_##id,
#include "mem/cgm/proto.def"
	CGM_ACTIONS
};
/* clang-format on */

#define CGM_DO(id) (UINT64_C(1) << CGM_A_##id)

/* A row of the table: what to do, and the next state. */
struct cgm_row {
	uint64_t actions;
	uint8_t next;
	bool there; /* false: this cannot happen */
};

struct cgm_table {
	struct cgm_row cache[CGM_CSTATES][CGM_CEVENTS];
	struct cgm_row home[CGM_HSTATES][CGM_HEVENTS];
};
extern const struct cgm_table cgm_table;
/* The same for caches with migratory sharing. */
void cgm_table_migratory(struct cgm_table *t);

/* The words of the table, for messages and documents. */
struct cgm_op_info {
	const char *name, *doc;
	enum cgm_sort sort;
};
struct cgm_msg_info {
	const char *name, *doc;
	enum cgm_lane lane;
	bool payload;
};
struct cgm_state_info {
	const char *name, *doc;
	bool stable;
};
struct cgm_event_info {
	const char *name, *doc;
};
extern const struct cgm_op_info cgm_ops[CGM_OPS];
extern const struct cgm_msg_info cgm_messages[CGM_MESSAGES];
extern const struct cgm_state_info cgm_cstates[CGM_CSTATES];
extern const struct cgm_state_info cgm_hstates[CGM_HSTATES];
extern const struct cgm_event_info cgm_cevents[CGM_CEVENTS];
extern const struct cgm_event_info cgm_hevents[CGM_HEVENTS];
extern const struct cgm_event_info cgm_actions[CGM_ACTIONS];

/*
 * What travels, and what caches hold, ends in the data of a block. In a system
 * that has only times (struct cgm_options) it is bare: nobody reads or writes
 * the data, and arrays have no room for it.
 */
#define CGM_SIZE(type, bare) ((bare) ? offsetof(type, data) : sizeof(type))

struct cgm_packet {
	cycle_t time;     /* of arrival; set by the wire */
	uint64_t block;   /* address / CGM_BLOCK */
	uint64_t tag;     /* of an access, comes back with its answer */
	uint64_t mask;    /* bytes of the data that are meant */
	uint64_t compare; /* CGM_OP_CAS */
	uint16_t from, to;
	uint16_t requester;   /* who gets the data and the readers' answers */
	int16_t acks;         /* readers that answer */
	uint8_t kind;         /* enum cgm_msg */
	uint8_t op;           /* enum cgm_op, of an access or atomic */
	uint8_t offset, size; /* of an access, in the block */
	uint8_t lane;         /* of this hop; set by the wire */
	bool dirty;           /* the data differs from the home's */
	bool bare;
	_Alignas(8) uint8_t data[CGM_BLOCK];
};

static inline void cgm_packet_copy(struct cgm_packet *to,
				   const struct cgm_packet *p)
{
	if (p->bare)
		memcpy(to, p, offsetof(struct cgm_packet, data));
	else
		*to = *p;
}

/* Of a processor's request or its answer. */
static inline unsigned cgm_access_bytes(const struct cgm_packet *p)
{
	enum cgm_sort sort = cgm_ops[p->op].sort;

	if (sort == CGM_SORT_READ)
		return p->kind == CGM_ANSWER ? CGM_BLOCK : 0;
	if (sort == CGM_SORT_RMW || p->kind == CGM_ACCESS)
		return p->size;
	return 0;
}

/* Bytes on a link. */
static inline unsigned cgm_bytes(const struct cgm_packet *p)
{
	bool data;

	if (p->kind == CGM_ACCESS || p->kind == CGM_ANSWER)
		return CGM_HEADER + cgm_access_bytes(p);
	data = cgm_messages[p->kind].payload;
	/* These travel without data if there is nothing new. */
	if (p->kind == CGM_PUTX || p->kind == CGM_DOWNGRADE ||
	    p->kind == CGM_RECALLED)
		data = p->dirty;
	return CGM_HEADER + (data ? CGM_BLOCK : 0);
}
/* The bytes [offset, offset + size) of a block as a mask. */
uint64_t cgm_mask(unsigned offset, unsigned size);
/* Copies the bytes of a mask. */
void cgm_merge(uint8_t *to, const uint8_t *from, uint64_t mask);
/* Performs an access on a block; the old bytes replace those of the packet
 * unless it is a store. */
void cgm_perform(uint8_t *block, struct cgm_packet *access);

/* A block in a second-level cache. */
struct cgm_copy {
	uint64_t block;
	uint64_t mask; /* bytes written, of a cache that is not coherent */
	uint64_t used; /* for the replacement; the cache's */
	uint16_t kids; /* first-level caches that may have it; the cache's */
	int16_t acks;  /* readers that must answer, less those that have */
	uint8_t state; /* enum cgm_cstate */
	bool dirty;
	_Alignas(8) uint8_t data[CGM_BLOCK];
};

/* A block in the L3. */
struct cgm_dir {
	uint64_t block;
	uint64_t used;
	uint64_t readers[CGM_WORDS]; /* caches, by their number */
	uint16_t owner, requester;
	int16_t acks;
	uint8_t state; /* enum cgm_hstate */
	bool dirty;    /* memory is not up to date */
	_Alignas(8) uint8_t data[CGM_BLOCK];
};

/* Who executes a transition, and where its packets go. */
struct cgm_env {
	const struct cgm_table *table;
	uint16_t self;
	uint16_t home; /* of the block; for a home: its memory */
	void (*send)(void *ctx, const struct cgm_packet *p);
	void *ctx;
	bool bare;
};

/* The event that an access or a packet is to a copy. */
enum cgm_cevent cgm_access_event(enum cgm_op op, bool coherent);
enum cgm_cevent cgm_cache_event(const struct cgm_copy *c,
				const struct cgm_packet *p);
enum cgm_hevent cgm_home_event(const struct cgm_dir *h,
			       const struct cgm_packet *p);

/*
 * Execute a transition. p: the packet or access, or NULL for an eviction. The
 * result is the row's actions; HIT, JOIN, STALL, WAKE and BACK are left to the
 * caller. 0 with *hole set: the table has no such row.
 */
uint64_t cgm_cache_step(struct cgm_copy *c, enum cgm_cevent e,
			const struct cgm_packet *p, const struct cgm_env *env,
			bool *hole);
uint64_t cgm_home_step(struct cgm_dir *h, enum cgm_hevent e,
		       const struct cgm_packet *p, const struct cgm_env *env,
		       bool *hole);

#endif
