#include "mem/slice.h"

#include <string.h>

#include "base/minmax.h"

/*
 * To the DRAM
 */

/* Returns false if there is no room. */
static inline bool push_to_dram(struct mem_partition *m, struct channel *c,
				const struct dram_request *r, cycle_t now)
{
	if (!dram_push(c->dram, now, r))
		return false;
	c->stale = true;
	m->moved += r->bytes;
	if (r->write)
		m->bytes_written += r->bytes;
	else
		m->bytes_read += r->bytes;
	return true;
}

void slice_drain(struct mem_partition *m, struct slice *s, cycle_t now)
{
	while (slice_has_staged(s)) {
		struct staged *g = &s->staged[s->staged_head & s->staged_mask];
		struct channel *c = &m->channel[g->channel];

		if (c->reached > now) /* there is no room until then */
			return;
		partition_sync_dram(m, c, now);
		if (!push_to_dram(m, c, &g->request, now))
			return;
		s->staged_head++;
	}
	/* Starting over keeps the ring short, and so in the host's cache. */
	s->staged_head = s->staged_tail = 0;
	m->staging--;
	s->awaits_drain = false;
	slice_wake(s, now);
}

/* Not inlined: there is nearly always room. */
static __attribute__((noinline)) void
stage_request(struct slice *s, struct channel *c, const struct dram_request *r,
	      uint32_t channel)
{
	CHECK(s->staged_tail - s->staged_head <= s->staged_mask);
	s->staged[s->staged_tail++ & s->staged_mask] =
		(struct staged){ .request = *r, .channel = channel };
	c->stale = true;
}

/* Requests bytes of one row; the request is staged if there is no room. */
static inline __attribute__((always_inline)) void
slice_request_dram(struct mem_partition *m, struct slice *s, uint64_t offset,
		   uint32_t bytes, bool write, uint64_t tag)
{
	struct dram_place at = addrmap_dram(
		&m->env.shape->map, (struct slice_place){
					    .slice = m->first_slice + s->index,
					    .offset = offset,
				    });
	uint32_t channel = at.channel - m->first_channel;
	struct channel *c = &m->channel[channel];
	struct dram_request r = {
		.tag = tag,
		.row = at.row,
		.bank = at.bank,
		.column = at.column,
		.bytes = bytes,
		.write = write,
	};

	if (write)
		m->st.write_backs += bytes / CHUNK_SECTOR_BYTES;
	else
		m->st.sectors_missed += bytes / CHUNK_SECTOR_BYTES;
	if (!slice_has_staged(s)) {
		partition_sync_dram(m, c, m->now);
		if (push_to_dram(m, c, &r, m->now))
			return;
		m->staging++;
	}
	stage_request(s, c, &r, channel);
}

/* Makes one request for each run of units that lies in one row. Each request
 * has the given tag and the bits of the units that it reads. Returns the number
 * of requests. */
static __attribute__((noinline)) uint32_t
slice_transfer(struct mem_partition *m, struct slice *s, uint64_t base,
	       uint64_t units, uint32_t unit, bool write, uint64_t tag)
{
	const uint64_t sector = DRAM_SECTOR;
	uint32_t count = 0;

	for (; units; count++) {
		uint32_t first = (uint32_t)__builtin_ctzll(units);
		uint32_t n = (uint32_t)__builtin_ctzll(~(units >> first));
		uint64_t from = base + (uint64_t)first * unit, to;
		uint32_t left =
			m->bank_bytes - (uint32_t)(from & (m->bank_bytes - 1));
		uint64_t run;

		if (n * unit > left)
			n = left / unit;
		run = ((UINT64_C(1) << n) - 1) << first;
		to = (from + (uint64_t)n * unit + sector - 1) & ~(sector - 1);
		from &= ~(sector - 1);
		slice_request_dram(m, s, from, (uint32_t)(to - from), write,
				   write ? 0 : tag | run);
		units &= ~run;
	}
	return count;
}

static uint64_t line_base(const struct mem_partition *m, uint64_t line)
{
	return line << m->line_bits;
}

static __attribute__((noinline)) void
slice_fetch(struct mem_partition *m, struct slice *s, uint64_t line,
	    unsigned sectors, uint32_t mshr)
{
	uint64_t base = line_base(m, line), tag = fill_tag(s->index, mshr, 0);
	uint32_t first = (uint32_t)__builtin_ctz(sectors);
	unsigned run = sectors >> first;

	if (LIKELY(m->whole_lines && !(run & (run + 1)))) /* one request */
		slice_request_dram(m, s, base + first * m->sector_bytes,
				   popcount(run) * m->sector_bytes, false,
				   tag | sectors);
	else
		slice_transfer(m, s, base, sectors, m->sector_bytes, false,
			       tag);
}

/* Of a dirty sector, only the pieces with dirty bytes are written. */
static __attribute__((noinline)) void
slice_write_back(struct mem_partition *m, struct slice *s,
		 const struct tags_victim *v)
{
	uint32_t per = m->sector_bytes / m->piece_bytes;
	uint64_t pieces = v->dirty;

	if (per > 1) {
		pieces = 0;
		for (unsigned rest = v->dirty; rest; rest &= rest - 1) {
			uint32_t i = (uint32_t)__builtin_ctz(rest) * per;

			for (uint32_t end = i + per; i < end; i++)
				if (v->bytes[i])
					pieces |= UINT64_C(1) << i;
		}
	}
	slice_transfer(m, s, line_base(m, v->line), pieces, m->piece_bytes,
		       true, 0);
}

/* Does what the result of an accepted read of the tags requires. */
static inline void follow_read(struct mem_partition *m, struct slice *s,
			       uint64_t line, const struct tags_out *out)
{
	if (out->victim.evicted)
		m->st.evictions++;
	if (out->victim.dirty)
		slice_write_back(m, s, &out->victim);
	if (out->request)
		slice_fetch(m, s, line, out->request, out->mshr);
}

/* The same for any access. */
static inline void slice_follow_up(struct mem_partition *m, struct slice *s,
				   uint64_t line, uint32_t pieces,
				   const struct tags_out *out)
{
	follow_read(m, s, line, out);
	if (out->complete)
		slice_fetch(m, s, out->complete_line, out->complete,
			    out->complete_mshr);
	if (out->forward)
		slice_transfer(m, s, line_base(m, line), pieces, m->piece_bytes,
			       true, 0);
}

/*
 * Requests that wait
 */

/* In place: copying a struct that was just written field by field would stall
 * on all of its stores. */
static inline void set_waiter(struct slice_waiter *restrict w,
			      const struct slice *s,
			      const struct request *restrict r, bool missed)
{
	w->chunk = r->chunk;
	w->id = r->id;
	w->sm = r->sm;
	w->kind = r->kind;
	w->sectors = r->sectors;
	w->flags = r->flags;
	w->lanes = r->lanes;
	w->slice = s->index;
	w->missed = missed;
	w->combined = false;
	w->late = missed ? 0 : s->late;
	w->left = 1; /* for being the queue's head */
}

/* The token of the next free waiter, or SLICE_NONE. */
static uint32_t next_free_waiter(const struct slice *s)
{
	if (s->free_waiter != SLICE_NONE)
		return s->free_waiter;
	return s->unused_waiter < s->waiter_room ? s->unused_waiter :
						   SLICE_NONE;
}

/* Takes the next free waiter, which has this token, for a request that missed. */
static inline struct slice_waiter *take_waiter(struct slice *s, uint32_t token,
					       const struct request *r)
{
	struct slice_waiter *w = &s->waiter[token];

	if (token == s->free_waiter)
		s->free_waiter = w->id;
	else
		s->unused_waiter++;
	if (s->free_waiter != SLICE_NONE) /* the next one */
		__builtin_prefetch(&s->waiter[s->free_waiter], 1);
	s->waiting++;
	set_waiter(w, s, r, true);
	return w;
}

/* Makes the queue's head wait, if it does not already; returns its waiter. */
static inline struct slice_waiter *make_head_wait(struct slice *s,
						  const struct request *r)
{
	if (s->token != SLICE_NONE)
		return &s->waiter[s->token];
	s->token = next_free_waiter(s);
	return take_waiter(s, s->token, r);
}

static inline void waiter_arrival(struct mem_partition *m, struct slice *s,
				  uint32_t token, cycle_t now)
{
	struct slice_waiter *w = &s->waiter[token];

	if (--w->left)
		return;
	partition_answer(m, s, w, now);
	w->id = s->free_waiter;
	s->free_waiter = token;
	s->waiting--;
}

/*
 * Lookups
 */

static uint64_t slice_line_of(const struct mem_partition *m,
			      const struct request *r, uint32_t i)
{
	return (r->offset >> m->line_bits) + i;
}

static uint32_t slice_set_of(const struct slice *s, const struct request *r,
			     uint32_t i, uint64_t line)
{
	return i ? tags_set(s->tags, line) : r->set;
}

/* The row of the maps for the i-th line of the request's chunk. */
static uint32_t map_row(const struct mem_partition *m, const struct request *r,
			uint32_t i)
{
	if (m->lines > 1)
		return i;
	return r->offset / CHUNK_BYTES & m->chunk_mask;
}

/* The head must wait until nothing is staged. Fills do not help it: the sectors
 * that it lacks are not in flight. */
static bool await_drain(struct slice *s)
{
	s->awaits_drain = true;
	return false;
}

/* Whether the access certainly makes no request to the DRAM. */
static bool needs_no_dram(const struct mem_partition *m, const struct slice *s,
			  uint32_t set, uint64_t line, unsigned sectors,
			  uint8_t kind)
{
	struct tags_probe p = tags_probe_in(s->tags, set, line);

	if (kind == MSG_READ)
		return !(sectors & ~(p.valid | p.pending));
	/* A line that becomes dirty may clean another. */
	if (!m->write_back || (m->dirty_limited && !p.written))
		return false;
	if (kind == MSG_ATOMIC)
		return !(sectors & ~(p.valid | p.pending));
	return !(sectors & ~(p.valid | p.pending | p.written));
}

/* Makes valid sectors dirty, for an atomic. */
static void make_dirty(struct mem_partition *m, struct slice *s, uint64_t line,
		       uint32_t pieces)
{
	struct tags_out out;
	enum tags_result r = tags_write(s->tags, line, pieces, NULL, &out);

	CHECK(r == TAGS_HIT && !out.victim.evicted && !out.request);
	slice_follow_up(m, s, line, pieces, &out);
}

/*
 * Copies in other regions
 */

static bool is_far(const struct mem_partition *m, const struct slice *s,
		   uint32_t sm)
{
	return m->sm_region[sm] != s->region;
}

static struct copying *slice_copying(const struct slice *s, uint64_t chunk)
{
	return &s->copying[chunk % COPYING];
}

/* Sectors come together with those of their group. */
static unsigned whole_groups(const struct mem_partition *m, unsigned sectors)
{
	const unsigned group = (1u << m->copy_group) - 1;
	unsigned whole = 0;

	for (unsigned at = 0; sectors >> at; at += m->copy_group)
		if (sectors >> at & group)
			whole |= group << at;
	return whole;
}

/* Sectors go to another region from this cycle on, or once those before them have, but
 * no later than mem_partition_horizon allows. Returns how long they wait. */
static cycle_t cross(struct mem_partition *m, struct slice *s, unsigned sectors,
		     cycle_t now)
{
	uint64_t start = min_u64(max_u64(s->crossed, now * 256),
				 (now + m->cross_most) * 256);

	s->crossed = start + popcount(sectors) * m->far_sector;
	return start / 256 - now;
}

/* A write to another region waits until fewer than l2.far_queue sectors wait to go
 * there. */
static bool must_wait_to_cross(const struct mem_partition *m, struct slice *s,
			       const struct request *r, cycle_t now)
{
	if (r->kind != MSG_WRITE || !m->far_sector || !is_far(m, s, r->sm) ||
	    s->crossed <= now * 256 + m->far_room)
		return false;
	s->free = (s->crossed - m->far_room + 255) / 256;
	return true;
}

/* A read of an SM in another region, which makes a copy there. If it hits, it
 * waits for the copy, as do others that come before that has arrived. */
static void copy_line(struct mem_partition *m, struct slice *s,
		      const struct request *r, struct tags_line *line,
		      unsigned sectors, bool hit)
{
	unsigned lack = tags_copy(line, whole_groups(m, sectors)) & sectors;
	struct copying *c = slice_copying(s, r->chunk);

	if (!hit)
		return;
	if (lack)
		*c = (struct copying){ r->chunk,
				       m->now + m->far_first +
					       cross(m, s, lack, m->now) };
	if (c->chunk == r->chunk && c->here > m->now)
		s->late = (uint16_t)(c->here - m->now);
}

/* The data of a miss go to a waiter, and a copy with them, or with those of another
 * one. */
static void copy_fill(struct mem_partition *m, struct slice *s,
		      struct slice_waiter *w, cycle_t now)
{
	struct copying *c = slice_copying(s, w->chunk);
	cycle_t least = now + m->far_miss;

	if (w->kind != MSG_READ || !is_far(m, s, w->sm))
		return;
	if (c->chunk != w->chunk || c->here < least)
		*c = (struct copying){ w->chunk,
				       least + cross(m, s, w->sectors, now) };
	w->late = (uint16_t)(c->here - least);
}

/* What an access that is accepted does to copies: an atomic discards them, and
 * so does a write of an SM nearby. One of an SM far away leaves a copy there, unless
 * it writes a sector in part: then things stay as they are. */
static inline void follow_copies(struct mem_partition *m, struct slice *s,
				 const struct request *r,
				 struct tags_line *line, unsigned sectors,
				 bool hit)
{
	bool far = is_far(m, s, r->sm);

	if (!line)
		return;
	if (r->kind == MSG_READ && far)
		copy_line(m, s, r, line, sectors, hit);
	else if (r->kind == MSG_ATOMIC || (r->kind == MSG_WRITE && !far))
		tags_drop_copies(line, sectors);
	else if (r->kind == MSG_WRITE && !msg_has_masks(r->bytes, r->sectors))
		tags_copy(line, sectors);
}

static inline __attribute__((always_inline)) bool
read_line(struct mem_partition *m, struct slice *s, const struct request *r,
	  uint32_t i)
{
	uint64_t line = slice_line_of(m, r, i);
	uint32_t row = map_row(m, r, i), set = slice_set_of(s, r, i, line);
	unsigned sectors = m->sector_map[row][r->sectors];
	uint32_t token = s->token == SLICE_NONE ? next_free_waiter(s) :
						  s->token;
	struct tags_out out;
	enum tags_result found;

	if (!sectors)
		return true;
	if (slice_has_staged(s) &&
	    !needs_no_dram(m, s, set, line, sectors, r->kind))
		return await_drain(s);
	/* If there is none, the tags have no room for a waiter either. */
	if (token == SLICE_NONE)
		token = 0;
	found = tags_read_in(s->tags, set, line, sectors, token, &out);
	if (tags_stalled(found))
		return false;
	if (found != TAGS_HIT)
		make_head_wait(s, r)->left++;
	if (found > s->worst)
		s->worst = found;
	if (s->copying)
		follow_copies(m, s, r, out.line, sectors, found == TAGS_HIT);
	slice_follow_up(m, s, line, 0, &out);
	if (found == TAGS_HIT && r->kind == MSG_ATOMIC)
		make_dirty(m, s, line, m->piece_map[row][r->sectors]);
	return true;
}

/* Converts the message's byte masks to those of the line's pieces. */
static uint32_t line_byte_masks(const struct mem_partition *m,
				const struct request *r, uint32_t i,
				uint32_t row, uint32_t bytes[TAGS_PIECES_MAX])
{
	uint32_t unit = m->piece_bytes, pieces = 0;
	uint32_t full = (uint32_t)((UINT64_C(1) << unit) - 1);
	/* Where the chunk starts in the line, or the negative of where the line
	 * starts in the chunk. */
	int32_t shift = m->lines > 1 ? -(int32_t)(i << m->line_bits) :
				       (int32_t)(row * CHUNK_BYTES);

	for (uint32_t at = 0; at < CHUNK_BYTES; at += unit) {
		uint32_t k = at / CHUNK_SECTOR_BYTES;
		uint32_t b = r->bytes[k] >> at % CHUNK_SECTOR_BYTES & full;
		int32_t to = (int32_t)at + shift;

		if (!(r->sectors >> k & 1) || !b || to < 0 ||
		    to >= 1 << m->line_bits)
			continue;
		bytes[(uint32_t)to / unit] = b;
		pieces |= 1u << (uint32_t)to / unit;
	}
	return pieces;
}

static __attribute__((noinline)) bool write_line(struct mem_partition *m,
						 struct slice *s,
						 const struct request *r,
						 uint32_t i)
{
	uint64_t line = slice_line_of(m, r, i);
	uint32_t row = map_row(m, r, i), pieces = r->sectors;
	unsigned sectors = m->sector_map[row][r->sectors];
	uint32_t other[TAGS_PIECES_MAX];
	const uint32_t *bytes = r->bytes;
	struct tags_out out;

	if (!sectors)
		return true;
	if (slice_has_staged(s) &&
	    !needs_no_dram(m, s, slice_set_of(s, r, i, line), line, sectors,
			   r->kind))
		return await_drain(s);
	if (!m->same_bytes) {
		pieces = line_byte_masks(m, r, i, row, other);
		bytes = other;
		if (!pieces)
			return true;
	}
	if (tags_stalled(tags_write(s->tags, line, pieces, bytes, &out)))
		return false;
	if (s->copying)
		follow_copies(m, s, r, out.line, sectors, true);
	slice_follow_up(m, s, line, pieces, &out);
	return true;
}

/* Without an L2, requests go straight to the DRAM. */
static bool slice_bypass(struct mem_partition *m, struct slice *s,
			 const struct request *r)
{
	bool write = r->kind == MSG_WRITE;
	uint32_t n;

	if (slice_has_staged(s) ||
	    (!write && next_free_waiter(s) == SLICE_NONE))
		return false;
	if (!write)
		make_head_wait(s, r);
	n = slice_transfer(m, s, r->offset, r->sectors, CHUNK_SECTOR_BYTES,
			   write, write ? 0 : fill_tag(s->index, s->token, 0));
	if (!write)
		s->waiter[s->token].left += (uint8_t)n;
	s->worst = TAGS_MISS;
	return true;
}

static inline __attribute__((always_inline)) bool
look_up_line(struct mem_partition *m, struct slice *s, const struct request *r,
	     uint32_t i)
{
	return r->kind == MSG_WRITE ? write_line(m, s, r, i) :
				      read_line(m, s, r, i);
}

static __attribute__((noinline)) bool
look_up_lines(struct mem_partition *m, struct slice *s, const struct request *r)
{
	for (; s->lines_done < m->lines; s->lines_done++)
		if (!look_up_line(m, s, r, s->lines_done))
			return false;
	return true;
}

static inline bool slice_look_up(struct mem_partition *m, struct slice *s,
				 const struct request *r)
{
	if (r->kind != MSG_WRITE && !partition_can_answer(m, s))
		return false;
	if (!s->tags)
		return slice_bypass(m, s, r);
	if (LIKELY(m->lines == 1))
		return look_up_line(m, s, r, 0);
	return look_up_lines(m, s, r);
}

static void count_read(struct mem_partition *m, const struct request *r,
		       enum tags_result found)
{
	struct stat_l2 *st = &m->st;

	st->reads++;
	st->sectors_read += popcount(r->sectors);
	if (found == TAGS_HIT)
		st->read_hits++;
	else if (found == TAGS_PENDING)
		st->read_pending++;
	else
		st->read_misses++;
}

/* Whether the read, of which the lookup has found this, is combined with an
 * earlier one of the same group; if not, later ones can be combined with it. */
static inline bool slice_combines(const struct mem_partition *m,
				  struct slice *s, const struct request *r,
				  enum tags_result found, cycle_t now)
{
	uint8_t group = m->sm_group[r->sm];
	struct combining *c = &s->combining[r->combining];

	if (c->left && c->chunk == r->chunk && c->group == group &&
	    c->sectors == r->sectors &&
	    (now < c->until || (c->missed && found == TAGS_PENDING))) {
		c->left--;
		return true;
	}
	*c = (struct combining){
		.chunk = r->chunk,
		.until = now + m->combine_cycles,
		.group = group,
		.sectors = r->sectors,
		.left = m->combine,
		.missed = found != TAGS_HIT,
	};
	return false;
}

/* Whole cycles of so many 256ths, at least one. Fractions of a cycle carry over
 * to the next request that occupies the slice. */
static cycle_t slice_busy(struct slice *s, uint32_t amount)
{
	cycle_t whole = (s->busy_left + amount) / 256;

	s->busy_left = (s->busy_left + amount) % 256;
	return whole ? whole : 1;
}

/* Cycles for which an atomic occupies the slice. */
static cycle_t atomic_cycles(const struct mem_partition *m, struct slice *s,
			     const struct request *r)
{
	unsigned sort = r->bytes[1];
	bool again = (r->chunk ^ s->atomic_chunk) <= 1; /* 256 bytes */
	uint32_t sector = again ? m->atomic_again[sort] : m->atomic_sector;

	s->atomic_chunk = r->chunk;
	return slice_busy(s, sector * popcount(r->sectors) +
				     m->atomic_lane[sort] * r->bytes[0]);
}

/* A write occupies the slice. With l2.far_sector, half of them take no time, and the
 * others twice as much of what goes to another region. */
static void occupy_by_write(const struct mem_partition *m, struct slice *s,
			    const struct request *r, cycle_t now)
{
	uint32_t time = popcount(r->sectors) * m->write_sector;

	if (msg_has_masks(r->bytes, r->sectors))
		time += m->write_masks;
	time = max_u32(time, m->write_least);
	if (!m->far_sector)
		s->free = now + slice_busy(s, time);
	else if (is_far(m, s, r->sm))
		s->crossed = max_u64(s->crossed, now * 256) + 2 * time;
}

/* Removes the head from the queue: it has all that it needs, or a waiter stands
 * for it. */
static inline void slice_pop(struct mem_partition *m, struct slice *s,
			     const struct request *r, bool write, cycle_t now)
{
	partition_credit(m, s, r->sm, write, now);
	if (s->blocked) {
		s->blocked = false;
		m->st.stall_cycles += now - s->blocked_since;
	}
	s->head++;
	slice_prefetch(s, SLICE_AHEAD - 1);
}

/* The head has been looked up. */
static void slice_accept(struct mem_partition *m, struct slice *s,
			 const struct request *r, bool combined, cycle_t now)
{
	if (r->kind == MSG_WRITE) {
		m->st.writes++;
		m->st.sectors_written += popcount(r->sectors);
		if (m->timed_writes)
			occupy_by_write(m, s, r, now);
	} else {
		m->asked++;
		if (combined) {
			m->st.combined++;
			m->st.sectors_combined += popcount(r->sectors);
		} else if (r->kind == MSG_READ) {
			count_read(m, r, s->worst);
		} else {
			m->st.atomics++;
			m->st.atomic_lanes += r->lanes + 1u;
			m->st.atomic_sectors += r->bytes[2];
			partition_record_atomic(m, r);
			s->free = now + atomic_cycles(m, s, r);
		}
		if (s->token == SLICE_NONE) {
			struct slice_waiter w;

			set_waiter(&w, s, r, false);
			w.combined = combined;
			partition_answer(m, s, &w, now);
		} else {
			if (combined)
				s->waiter[s->token].combined = true;
			waiter_arrival(m, s, s->token, now);
		}
	}
	slice_pop(m, s, r, r->kind == MSG_WRITE, now);
	s->lines_done = 0;
	s->token = SLICE_NONE;
	s->late = 0;
	s->worst = TAGS_HIT;
}

void slice_prefetch(const struct slice *s, uint32_t i)
{
	const struct request *r = &s->queue[(s->head + i) & s->mask];

	if (i < s->tail - s->head && s->tags)
		tags_prefetch(s->tags, r->set);
}

/* The answer to a read of one line, or the waiter that stands for it. */
static inline void answer_read(struct mem_partition *m, struct slice *s,
			       const struct request *r, enum tags_result found,
			       uint32_t token, bool combined, cycle_t now)
{
	struct slice_waiter hit;

	if (found != TAGS_HIT) {
		take_waiter(s, token, r)->combined = combined;
		return;
	}
	set_waiter(&hit, s, r, false);
	hit.combined = combined;
	s->late = 0;
	partition_answer(m, s, &hit, now);
}

/*
 * Looks up and accepts a read if m->one_line: it needs none of what the slice
 * keeps for a head that is looked up line by line. Returns false if it must
 * wait.
 */
static inline bool slice_read(struct mem_partition *m, struct slice *s,
			      const struct request *r, cycle_t now,
			      bool *combined)
{
	uint64_t line = slice_line_of(m, r, 0);
	uint32_t row = r->offset / CHUNK_BYTES & m->chunk_mask;
	unsigned sectors = m->sector_map[row][r->sectors];
	uint32_t token = next_free_waiter(s);
	struct tags_out out;
	enum tags_result found;

	if (!partition_can_answer(m, s))
		return false;
	if (slice_has_staged(s) &&
	    !needs_no_dram(m, s, r->set, line, sectors, MSG_READ))
		return await_drain(s);
	/* Without a waiter, the tags have no room for one either. */
	found = tags_read_in(s->tags, r->set, line, sectors,
			     token == SLICE_NONE ? 0 : token, &out);
	if (tags_stalled(found))
		return false;
	if (s->copying)
		follow_copies(m, s, r, out.line, sectors, found == TAGS_HIT);
	follow_read(m, s, line, &out);
	*combined = s->combining && slice_combines(m, s, r, found, now);
	m->asked++;
	if (*combined) {
		m->st.combined++;
		m->st.sectors_combined += popcount(r->sectors);
	} else {
		count_read(m, r, found);
	}
	answer_read(m, s, r, found, token, *combined, now);
	slice_pop(m, s, r, false, now);
	return true;
}

/* Looks up and accepts the head, unless it must wait. */
static inline bool slice_serve(struct mem_partition *m, struct slice *s,
			       const struct request *r, cycle_t now,
			       bool *combined)
{
	partition_switch_grid(m, r->flags);
	if (LIKELY(r->kind == MSG_READ && m->one_line))
		return slice_read(m, s, r, now, combined);
	if (!slice_look_up(m, s, r))
		return false;
	*combined = r->kind == MSG_READ && s->combining &&
		    slice_combines(m, s, r, s->worst, now);
	slice_accept(m, s, r, *combined, now);
	return true;
}

static void record_queue_length(struct mem_partition *m, struct slice *s,
				cycle_t now)
{
	const struct request *queue = s->queue;
	uint32_t seen = s->seen, tail = s->tail, mask = s->mask;

	/* Then all that is in it makes no difference. */
	if (tail - s->head <= m->st.queue_most)
		return;
	if (tail - seen > tail - s->head) /* it has not been looked at lately */
		seen = s->head;
	while (seen != tail && queue[seen & mask].ready <= now)
		seen++;
	s->seen = seen;
	if (seen - s->head > m->st.queue_most)
		m->st.queue_most = seen - s->head;
}

void slice_step(struct mem_partition *m, struct slice *s, cycle_t now)
{
	const struct request *r;

	record_queue_length(m, s, now);
	for (uint32_t i = 0; i < m->lookups && s->head != s->tail;) {
		bool combined;

		r = &s->queue[s->head & s->mask];
		if (r->ready > now || s->free > now ||
		    must_wait_to_cross(m, s, r, now))
			break;
		if (!slice_serve(m, s, r, now, &combined)) {
			if (!s->blocked)
				s->blocked_since = now;
			s->blocked = true;
			s->next = CYCLE_NEVER;
			return;
		}
		i += !combined;
	}
	s->next = CYCLE_NEVER;
	if (s->head == s->tail) {
		/* Starting over keeps the ring short, and so in the host's
		 * cache. */
		s->served += s->tail;
		s->head = s->tail = s->seen = 0;
		return;
	}
	r = &s->queue[s->head & s->mask];
	s->next = now + 1;
	if (s->next < r->ready)
		s->next = r->ready;
	if (s->next < s->free)
		s->next = s->free;
}

/*
 * Fills
 */

static void fill_without_l2(struct mem_partition *m, struct slice *s,
			    uint64_t tag, cycle_t now)
{
	uint32_t token = tag_mshr(tag);
	const struct slice_waiter *w = &s->waiter[token];

	partition_switch_grid(m, w->flags);
	if (w->left == 1 && w->kind == MSG_ATOMIC) {
		struct slice_place p = addrmap_slice(&m->env.shape->map,
						     w->chunk * CHUNK_BYTES);

		slice_transfer(m, s, p.offset, w->sectors, CHUNK_SECTOR_BYTES,
			       true, 0);
	}
	waiter_arrival(m, s, token, now);
	slice_wake(s, now);
}

/* The pieces of a line that a waiting atomic modifies. */
static __attribute__((noinline)) uint32_t
pieces_changed(const struct mem_partition *m, const struct slice_waiter *w,
	       uint64_t line)
{
	struct slice_place p;
	uint64_t first;

	p = addrmap_slice(&m->env.shape->map, w->chunk * CHUNK_BYTES);
	first = p.offset >> m->line_bits;
	if (m->lines > 1)
		return m->piece_map[line - first][w->sectors];
	return m->piece_map[(p.offset - line_base(m, line)) / CHUNK_BYTES]
			   [w->sectors];
}

void slice_fill(struct mem_partition *m, struct slice *s, uint64_t tag,
		cycle_t now)
{
	uint32_t mshr = tag_mshr(tag), n, pieces = 0;
	uint32_t *token = m->token;
	uint64_t line = 0;

	if (!s->tags) {
		fill_without_l2(m, s, tag, now);
		return;
	}
	n = tags_fill_mshr(s->tags, mshr, tag_sectors(tag), token);
	if (LIKELY(n == 1 && s->waiter[token[0]].kind != MSG_ATOMIC)) {
		if (s->copying)
			copy_fill(m, s, &s->waiter[token[0]], now);
		waiter_arrival(m, s, token[0], now);
		slice_wake(s, now);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct slice_waiter *w = &s->waiter[token[i]];

		if (LIKELY(w->kind != MSG_ATOMIC))
			continue;
		line = tags_mshr_line(s->tags, mshr);
		pieces |= pieces_changed(m, w, line);
	}
	/* All at once, so that a fill writes a sector through only once. */
	if (UNLIKELY(pieces)) {
		partition_switch_grid(m, s->waiter[token[0]].flags);
		make_dirty(m, s, line, pieces);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (s->copying)
			copy_fill(m, s, &s->waiter[token[i]], now);
		waiter_arrival(m, s, token[i], now);
	}
	slice_wake(s, now);
}

/*
 * Without time
 */

static bool make_valid(struct slice *s, uint64_t line, unsigned sectors)
{
	struct tags_out out;
	enum tags_result r =
		tags_read(s->tags, line, sectors, TAGS_NO_TOKEN, &out);

	if (out.request)
		tags_fill_mshr(s->tags, out.mshr, out.request, NULL);
	return r == TAGS_HIT;
}

static void touch_line(struct mem_partition *m, struct slice *s,
		       const struct request *r, uint32_t i, bool *hit)
{
	uint64_t line = slice_line_of(m, r, i);
	uint32_t row = map_row(m, r, i), pieces;
	unsigned sectors = m->sector_map[row][r->sectors];
	uint32_t bytes[TAGS_PIECES_MAX];
	struct tags_out out;

	if (!sectors)
		return;
	if (r->kind != MSG_WRITE && !make_valid(s, line, sectors)) {
		*hit = false;
		m->st.sectors_missed += popcount(sectors) * m->sector_bytes /
					CHUNK_SECTOR_BYTES;
	}
	if (r->kind == MSG_READ)
		return;
	if (r->kind == MSG_WRITE)
		pieces = line_byte_masks(m, r, i, row, bytes);
	else
		pieces = m->piece_map[row][r->sectors];
	if (!pieces)
		return;
	tags_write(s->tags, line, pieces, r->kind == MSG_WRITE ? bytes : NULL,
		   &out);
	if (out.request)
		tags_fill_mshr(s->tags, out.mshr, out.request, NULL);
	if (out.complete)
		tags_fill_mshr(s->tags, out.complete_mshr, out.complete, NULL);
}

bool slice_touch(struct mem_partition *m, struct slice *s,
		 const struct request *r)
{
	bool hit = s->tags != NULL;

	for (uint32_t i = 0; s->tags && i < m->lines; i++)
		touch_line(m, s, r, i, &hit);
	if (r->kind == MSG_READ)
		count_read(m, r, hit ? TAGS_HIT : TAGS_MISS);
	return hit;
}

uint32_t slice_preload(struct mem_partition *m, struct slice *s,
		       uint64_t offset)
{
	const unsigned all = (1 << CHUNK_SECTORS) - 1;
	struct request r = { .offset = offset, .sectors = all };
	uint32_t fetched = 0;

	if (!s->tags)
		return CHUNK_SECTORS;
	for (uint32_t i = 0; i < m->lines; i++) {
		uint64_t line = slice_line_of(m, &r, i);
		unsigned sectors = m->sector_map[map_row(m, &r, i)][all];

		if (!make_valid(s, line, sectors))
			fetched += popcount(sectors);
	}
	return fetched * m->sector_bytes / CHUNK_SECTOR_BYTES;
}

void slice_host_chunk(struct mem_partition *m, struct slice *s, uint64_t offset)
{
	const unsigned all = (1 << CHUNK_SECTORS) - 1;
	struct request r = { .offset = offset, .sectors = all };

	/* Probably one of the next chunks. */
	tags_prefetch_lookup(s->tags,
			     tags_set(s->tags,
				      (offset + SLICE_AHEAD * CHUNK_BYTES) >>
					      m->line_bits));
	for (uint32_t i = 0; i < m->lines; i++) {
		uint64_t line = slice_line_of(m, &r, i);
		uint32_t row = map_row(m, &r, i);

		tags_place(s->tags, line, m->piece_map[row][all]);
	}
}
