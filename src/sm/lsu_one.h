/*
 * Loads from one address by all lanes, in one unit of the L1: the most common ones
 * of programs that follow pointers. lsu_prepare finds them among all instructions;
 * lsu_issue_place gets nothing else. In a header, so that both compile it.
 */
#ifndef HEDDLE_SM_LSU_ONE_H
#define HEDDLE_SM_LSU_ONE_H

#include "sm/lsu_impl.h"

/* Takes a flight off the list. */
static inline uint32_t lsu_take_flight(struct lsu *u)
{
	uint32_t i = u->flight_free;

	u->flight_free = u->flight[i].next;
	u->flight_count++;
	return i;
}

static inline struct flight *lsu_fill_flight(struct lsu *u, uint32_t i,
					     uint32_t tag, uint32_t bytes)
{
	struct flight *f = &u->flight[i];

	*f = (struct flight){ .tag = tag,
			      .bytes = bytes,
			      .result_latency = u->fill_latency,
			      .open = true };
	return f;
}

static inline uint32_t lsu_new_flight(struct lsu *u, uint32_t tag,
				      uint32_t bytes)
{
	uint32_t i = lsu_take_flight(u);

	if (u->flight_free != LSU_NONE)
		__builtin_prefetch(&u->flight[u->flight_free], 1);
	lsu_fill_flight(u, i, tag, bytes);
	return i;
}

/* Of n sectors of global memory, counts those beyond what the lanes' bytes
 * need. group: sectors that are requested together. */
static inline void lsu_count_excess(struct stat_lsu *st, uint64_t n,
				    uint64_t bytes, uint64_t group)
{
	uint64_t piece = PIECE_BYTES * group, least;

	if (LIKELY(n * PIECE_BYTES < bytes + PIECE_BYTES))
		return;
	least = (bytes + piece - 1) / piece * group;
	st->global_excess += n > least ? n - least : 0;
}

/* Flags of loads for which lsu.plain_loads says nothing. */
enum { LSU_PLAIN_NOT = TIMED_READONLY | TIMED_UNCACHED | TIMED_NO_RESULT };

/* Whether a load from one address is from one unit of the L1. */
static inline bool lsu_is_one_unit(const struct lsu *u, uint64_t at,
				   uint32_t bytes, unsigned flags)
{
	return !((at ^ (at + bytes - 1)) >> u->unit_shift) &&
	       !(flags & LSU_PLAIN_NOT);
}

/* Counts what it loads. Returns the pieces of the unit. */
static inline uint32_t lsu_count_one_unit(const struct lsu *u, uint64_t at,
					  uint32_t bytes)
{
	struct stat_lsu *st = u->env.st;
	unsigned from = (unsigned)(at >> PIECE_SHIFT) & u->unit_last;
	unsigned to = (unsigned)((at + bytes - 1) >> PIECE_SHIFT) &
		      u->unit_last;
	uint32_t pieces =
		(uint32_t)((UINT64_C(2) << to) - (UINT64_C(1) << from));
	uint32_t n;

	pieces = pieces_round(pieces, u->unit_group);
	n = pieces_count(pieces);
	st->global_loads++;
	st->global_sectors += n;
	st->load_sectors += n;
	lsu_count_excess(st, n, (uint64_t)WARP_LANES * bytes, u->unit_group);
	return pieces;
}

/* Fills in what all such loads have in common, and those of this unit. */
static inline void lsu_set_one_unit(struct lsu *u, struct lsu_entry *e,
				    uint64_t number, uint32_t pieces)
{
	e->path = PATH_READ;
	e->keep = false;
	e->n = 1;
	e->passes = e->pace = 1;
	e->cache = &u->l1->data;
	e->hit = u->hit_latency;
	e->unit[0].number = number;
	e->unit[0].pieces = pieces;
	l1_find_set(e->cache, &e->unit[0]);
}

/* If loads return in order, that is among those of their warps. */
static inline void lsu_set_order(const struct lsu *u, struct flight *f,
				 uint8_t warp)
{
	if (u->order)
		f->order = (uint8_t)(warp + 1);
}

/* Does what the rest of lsu_prepare does for any instruction. */
static inline void lsu_prepare_one_unit(struct lsu *u, struct lsu_entry *e,
					uint64_t at, uint32_t bytes,
					uint8_t warp)
{
	uint32_t pieces = lsu_count_one_unit(u, at, bytes);

	lsu_set_one_unit(u, e, at >> u->unit_shift, pieces);
	e->flight = lsu_new_flight(u, e->tag, e->bytes);
	lsu_set_order(u, &u->flight[e->flight], warp);
}

#endif
