/*
 * Loads from one address by all lanes, in one unit of the L1: the most common ones
 * of programs that follow pointers. lsu_prepare finds them among all instructions;
 * lsu_issue_place gets nothing else. In a header, so that both compile it.
 */
#ifndef HEDDLE_SM_LSU_ONE_H
#define HEDDLE_SM_LSU_ONE_H

#include "sm/lsu_impl.h"

static inline uint32_t lsu_new_flight(struct lsu *u, uint32_t tag,
				      uint32_t bytes)
{
	uint32_t i = u->flight_free;
	struct flight *f = &u->flight[i];

	u->flight_free = f->next;
	if (f->next != LSU_NONE)
		__builtin_prefetch(&u->flight[f->next], 1);
	u->flight_count++;
	*f = (struct flight){ .tag = tag,
			      .bytes = bytes,
			      .result_latency = u->fill_latency,
			      .open = true };
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

/* Does what the rest of lsu_prepare does for any instruction. */
static inline void lsu_prepare_one_unit(struct lsu *u, struct lsu_entry *e,
					uint64_t at, uint32_t bytes,
					uint8_t warp)
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
	e->path = PATH_READ;
	e->keep = false;
	e->n = 1;
	e->passes = e->pace = 1;
	e->cache = &u->l1->data;
	e->hit = u->hit_latency;
	e->unit[0].number = at >> u->unit_shift;
	e->unit[0].pieces = pieces;
	l1_find_set(e->cache, &e->unit[0]);
	e->flight = lsu_new_flight(u, e->tag, e->bytes);
	if (u->order)
		u->flight[e->flight].order = warp + 1;
}

#endif
