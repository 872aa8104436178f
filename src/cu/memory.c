/*
 * Vector memory instructions: from the lanes' addresses to lines, through the L1 or
 * to the L2, and back. A unit looks up one line a cycle, for cu.address_lanes lanes
 * at a time: lanes of different groups do not share a lookup.
 */
#include "base/minmax.h"
#include "cu/core.h"

/* A message is not sent if it would wait for its port longer than this. */
enum { BACKLOG = 8 };

uint32_t cu_op_bound(const struct cfg *c)
{
	return (uint32_t)(c->lsu.pending + c->lsu.queue) + 2;
}

bool cu_memory_full(const struct cu_unit *u)
{
	return u->queue_count >= u->cluster->queue_max ||
	       u->pending >= u->cluster->pending_max;
}

/* ---- addresses to lines -------------------------------------------------- */

/* A line that the instruction has not accessed yet. */
static void new_part(const struct cu_unit *u, struct cu_op *o, uint64_t line,
		     uint64_t bytes)
{
	CHECK(o->parts < CU_PARTS);
	o->part[o->parts++] = (struct cu_part){
		.line = line,
		.bytes = bytes,
		.partition = mem_partition_of(u->cluster->env.shape,
					      line << u->l1.shift >> 7),
	};
}

/* Adds bytes of one line; the line may be one since `first`. */
static void add_part(const struct cu_unit *u, struct cu_op *o, unsigned first,
		     uint64_t line, uint64_t bytes)
{
	for (unsigned i = o->parts; i-- > first;)
		if (o->part[i].line == line) {
			o->part[i].bytes |= bytes;
			return;
		}
	new_part(u, o, line, bytes);
}

static void add_lane(const struct cu_unit *u, struct cu_op *o, unsigned first,
		     uint64_t addr, uint32_t bytes)
{
	unsigned shift = u->l1.shift;
	uint64_t all = bytes < 64 ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX;
	uint64_t line = addr >> shift;
	unsigned at = addr & ((1u << shift) - 1);
	unsigned room = (1u << shift) - at;

	add_part(u, o, first, line, all << at);
	if (bytes > room)
		add_part(u, o, first, line + 1, all >> room);
}

enum { ROW_LANES = 16 };

/* Whether groups of lanes may be rows of words that are each a whole line. */
static bool may_be_rows(const struct cu_cluster *x, const struct wave_effect *e,
			unsigned shift)
{
	return !~e->mask && e->bytes == 4 && x->group_lanes == ROW_LANES &&
	       1u << shift == 4 * ROW_LANES;
}

/* Such a row begins at addr[0]. */
static bool is_row(const uint64_t addr[ROW_LANES])
{
	uint64_t bad = addr[0] & (4 * ROW_LANES - 1);

	for (unsigned l = 0; l < ROW_LANES; l++)
		bad |= addr[l] - addr[0] - 4 * l;
	return !bad;
}

/* Group by group of lanes. */
static void find_parts(const struct cu_unit *u, struct cu_op *o,
		       const struct wave_effect *e)
{
	const struct cu_cluster *x = u->cluster;
	bool rows = may_be_rows(x, e, u->l1.shift);

	for (unsigned l = 0; l < WAVE_LANES; l += x->group_lanes) {
		uint64_t mask = e->mask >> l;
		unsigned first = o->parts;

		if (x->group_lanes < WAVE_LANES)
			mask &= (UINT64_C(1) << x->group_lanes) - 1;
		if (rows && is_row(e->addr + l)) {
			new_part(u, o, e->addr[l] >> u->l1.shift, UINT64_MAX);
			continue;
		}
		for (; mask; mask &= mask - 1)
			add_lane(u, o, first,
				 e->addr[l + (unsigned)__builtin_ctzll(mask)],
				 e->bytes);
	}
}

/* Sectors of 32 bytes, counted once for each group that touches them. */
static uint64_t count_sectors(const struct cu_op *o)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < o->parts; i++)
		n += ((o->part[i].bytes & UINT32_MAX) != 0) +
		     (o->part[i].bytes >> 32 != 0);
	return n;
}

static void cu_count_access(struct cu_unit *u, const struct cu_slot *p,
			    const struct wave_op *op,
			    const struct wave_effect *e, const struct cu_op *o)
{
	struct stat_lsu *st = &u->cluster->counts.lsu;
	uint64_t lanes = (uint64_t)__builtin_popcountll(e->mask);
	uint64_t least = (lanes * e->bytes + 31) / 32, n;

	if (e->is_atomic) {
		st->global_atomics++;
		return;
	}
	n = count_sectors(o);
	st->global_loads += !e->write;
	st->global_stores += e->write;
	st->global_sectors += n;
	if (e->write)
		st->store_sectors += n;
	else
		st->load_sectors += n;
	if (n <= least)
		return;
	st->global_excess += n - least;
	cu_count_excess(u, p, op, n - least);
}

/* ---- issue --------------------------------------------------------------- */

static uint32_t op_new(struct cu_unit *u)
{
	uint32_t i = u->free_op;

	CHECK(i != UINT32_MAX);
	u->free_op = u->ops[i].next;
	return i;
}

/* Keeps the records of an atomic, one for each half of the lanes. */
static void keep_atomic(struct cu_unit *u, struct cu_op *o,
			const struct wave_effect *e)
{
	struct cu_cluster *x = u->cluster;

	for (unsigned h = 0; h < 2; h++) {
		uint32_t i;

		o->half[h] = e->atomic[h];
		if (!o->half[h])
			continue;
		i = (uint32_t)(o->half[h] - x->view->atomics);
		x->atomic_op[i] = (uint32_t)(o - u->ops);
		x->atomic_unit[i] = (uint8_t)u->index;
	}
}

static struct cu_op *op_begin(struct cu_unit *u, struct cu_slot *p,
			      const struct wave_op *op, cycle_t t)
{
	struct cu_op *o = &u->ops[op_new(u)];

	o->parts = o->at = 0;
	o->slot = (uint8_t)(p - u->slot);
	o->counted = o->read = CU_NONE;
	o->fence = false;
	o->flags = msg_grid_flags(u->cluster->counting);
	o->ready = t;
	o->left = 1;
	o->half[0] = o->half[1] = NULL;
	if (op->raises >> WAVE_VM & 1)
		o->counted =
			cu_count_add(&p->count[WAVE_VM], t, CYCLE_NEVER, 1);
	if (op->raises >> WAVE_EXP & 1)
		o->read = cu_count_add(&p->count[WAVE_EXP], t, CYCLE_NEVER, 1);
	return o;
}

static void op_queue(struct cu_unit *u, struct cu_op *o, cycle_t t)
{
	if (!u->queue_count)
		u->memory_next =
			max_u64(t + u->cluster->address_cycles, u->memory_free);
	u->queue[(u->queue_first + u->queue_count++) % u->queue_room] =
		(uint32_t)(o - u->ops);
	u->pending++;
}

/* The memory writes back and drops what its caches have for the unit; what follows in
 * the queue is sent after that. */
static void vector_fence(struct cu_unit *u, struct cu_slot *p,
			 const struct wave_op *op, cycle_t t)
{
	struct cu_op *o = op_begin(u, p, op, t);

	o->fence = true;
	o->write = false;
	new_part(u, o, 0, 0);
	op_queue(u, o, t);
}

void cu_issue_memory(struct cu_unit *u, struct cu_slot *p,
		     const struct wave_op *op, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	const struct wave_effect *e = p->wave->effect;
	struct cu_op *o;

	if (e->invalidate) {
		tags_invalidate_all(u->l1.tags);
		if (x->env.fences) {
			vector_fence(u, p, op, t);
			return;
		}
	}
	if (e->space != WAVE_GLOBAL) {
		/* Nothing to wait for: it passes through the unit. */
		for (unsigned c = 0; c < WAVE_COUNTERS; c++)
			if (op->raises >> c & 1)
				cu_count_add(&p->count[c], t,
					     t + x->address_cycles, 1);
		return;
	}
	o = op_begin(u, p, op, t);
	o->write = e->write;
	o->around = e->coherent || u->cluster->env.outside;
	o->returns = e->returns || !e->write;
	find_parts(u, o, e);
	if (e->is_atomic)
		keep_atomic(u, o, e);
	cu_count_access(u, p, op, e, o);
	if (e->write)
		u->group[p->group].stored = true;
	op_queue(u, o, t);
}

/* ---- the lookup ---------------------------------------------------------- */

static void op_complete(struct cu_unit *u, struct cu_op *o, cycle_t t)
{
	struct cu_slot *p = &u->slot[o->slot];

	if (o->counted != CU_NONE)
		cu_count_set(&p->count[WAVE_VM], o->counted, o->ready);
	for (unsigned h = 0; h < 2; h++)
		if (o->half[h])
			atomic_finish(u->cluster->view, o->half[h]);
	o->next = u->free_op;
	u->free_op = (uint32_t)(o - u->ops);
	u->pending--;
	cu_memory_room(u, t);
	cu_reconsider(u, p, t);
}

static void part_done(struct cu_unit *u, struct cu_op *o, cycle_t t,
		      cycle_t ready)
{
	o->ready = max_u64(o->ready, ready);
	if (!--o->left)
		op_complete(u, o, t);
}

static bool block_for(struct cu_unit *u, uint64_t *st, cycle_t t)
{
	u->blocked = true;
	u->blocked_at = t;
	u->blocked_for = st;
	return false;
}

void cu_memory_unblock(struct cu_unit *u, cycle_t t)
{
	if (!u->blocked)
		return;
	*u->blocked_for += t - u->blocked_at;
	u->blocked = false;
	u->memory_next = max_u64(t, u->memory_free);
	u->next = min_u64(u->next, u->memory_next);
}

static bool can_send(const struct cu_unit *u, const struct cu_part *p,
		     cycle_t t)
{
	return u->cluster->credit[p->partition] &&
	       port_free(&u->port_out) <= t + BACKLOG;
}

/* Whether a message can be sent at cycle t; if not, the unit waits for it. */
static bool may_send(struct cu_unit *u, const struct cu_part *p, cycle_t t)
{
	struct cu_cluster *x = u->cluster;

	if (!x->credit[p->partition])
		return block_for(u, &x->counts.lsu.stall_credit, t);
	if (port_free(&u->port_out) > t + BACKLOG) {
		u->memory_free = port_free(&u->port_out) - BACKLOG;
		x->counts.lsu.stall_port += u->memory_free - t;
		return false;
	}
	return true;
}

static void send_read(struct cu_unit *u, const struct cu_op *o, uint32_t id,
		      cycle_t t)
{
	const struct cu_part *p = &o->part[o->at];
	struct cu_out out;

	cu_describe(u->cluster, &out, o->fence ? MSG_FENCE : MSG_READ, p->line,
		    u->l1.shift, id);
	out.partition = p->partition;
	out.m.flags = o->flags;
	cu_send(u->cluster, &u->port_out, &out, t);
}

static bool load_around(struct cu_unit *u, struct cu_op *o, cycle_t t)
{
	uint32_t id = (CU_ID_AROUND + u->index) << CU_ID_SHIFT |
		      (uint32_t)(o - u->ops);

	if (!may_send(u, &o->part[o->at], t))
		return false;
	u->cluster->counts.l1.bypassed += !o->fence;
	o->left++;
	send_read(u, o, id, t);
	return true;
}

/* Whether there is an MSHR for a line that is requested. */
static bool has_mshr(const struct cu_unit *u)
{
	return tags_outstanding(u->l1.tags) < u->cluster->mshrs;
}

/* Whether a line need not be requested. */
static bool is_there(const struct cu_unit *u, uint64_t line)
{
	struct tags_probe there = tags_probe(u->l1.tags, line);

	return there.valid || there.pending;
}

static bool load_part(struct cu_unit *u, struct cu_op *o, cycle_t t)
{
	struct stat_l1 *st = &u->cluster->counts.l1;
	uint64_t *no_mshr = &u->cluster->counts.lsu.stall_mshr;
	const struct cu_part *p = &o->part[o->at];
	bool send = can_send(u, p, t);
	struct tags_out out;
	enum tags_result r;

	if (!(send && has_mshr(u)) && !is_there(u, p->line))
		return send ? block_for(u, no_mshr, t) : may_send(u, p, t);
	r = tags_read(u->l1.tags, p->line, 1, (uint32_t)(o - u->ops), &out);
	if (tags_stalled(r))
		return block_for(u, no_mshr, t);
	st->reads++;
	st->sectors_read += 2;
	st->evictions += out.victim.evicted;
	if (r == TAGS_HIT) {
		st->read_hits++;
		o->ready = max_u64(o->ready, t + u->cluster->hit_after);
		return true;
	}
	o->left++;
	if (r == TAGS_PENDING) {
		st->read_pending++;
		return true;
	}
	st->read_misses++;
	st->sectors_missed += 2;
	send_read(u, o, u->index << CU_ID_SHIFT | out.mshr, t);
	return true;
}

static bool store_part(struct cu_unit *u, struct cu_op *o, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	const struct cu_part *p = &o->part[o->at];
	unsigned first =
		(unsigned)(p->line << (u->l1.shift - 5)) % CHUNK_SECTORS;
	struct cu_out out;

	if (!may_send(u, p, t))
		return false;
	x->counts.l1.writes++;
	x->counts.l1.write_hits += tags_probe(u->l1.tags, p->line).valid != 0;
	cu_describe(x, &out, MSG_WRITE, p->line, u->l1.shift, 0);
	out.partition = p->partition;
	out.m.flags = o->flags;
	out.m.sectors = 0;
	for (unsigned h = 0; h < 2; h++) {
		uint32_t bytes = (uint32_t)(p->bytes >> 32 * h);

		out.m.bytes[first + h] = bytes;
		if (!bytes)
			continue;
		out.m.sectors |= (uint8_t)(1u << (first + h));
		out.bytes += CHUNK_SECTOR_BYTES;
	}
	if (msg_has_masks(out.m.bytes, out.m.sectors))
		out.bytes += x->write_extra;
	o->ready = max_u64(o->ready,
			   cu_send(x, &u->port_out, &out, t) + x->store_after);
	return true;
}

/* The lanes of an atomic that access one chunk, and those on one address. */
static unsigned atomic_lanes(const struct atomic *a, uint64_t chunk,
			     unsigned *sectors, unsigned *same)
{
	unsigned n = 0;

	*sectors = *same = 0;
	for (lanes_t left = a->mask; left; left &= left - 1) {
		unsigned l = lanes_first(left), equal = 0;

		if (a->addr[l] / CHUNK_BYTES != chunk)
			continue;
		n++;
		*sectors |= 1u << a->addr[l] % CHUNK_BYTES / 32;
		for (lanes_t m = left; m; m &= m - 1)
			equal += a->addr[lanes_first(m)] == a->addr[l];
		*same = (unsigned)max_u64(*same, equal);
	}
	return n;
}

/* A chunk is sent by the first part of it: with all lanes of a half. */
static bool atomic_sent(const struct cu_op *o, uint64_t chunk, unsigned shift)
{
	for (unsigned i = 0; i < o->at; i++)
		if (o->part[i].line << shift >> 7 == chunk)
			return true;
	return false;
}

static void send_atomic(struct cu_unit *u, struct cu_op *o, struct atomic *a,
			cycle_t t)
{
	const struct cu_part *p = &o->part[o->at];
	struct cu_cluster *x = u->cluster;
	uint32_t id = (uint32_t)(a - x->view->atomics);
	unsigned sectors, same, n;
	struct cu_out out;

	cu_describe(x, &out, MSG_ATOMIC, p->line, u->l1.shift, id);
	out.partition = p->partition;
	out.m.flags = o->flags;
	n = atomic_lanes(a, out.m.chunk, &sectors, &same);
	if (!n)
		return;
	out.m.sectors = (uint8_t)sectors;
	out.m.flags |= o->returns ? 0 : MSG_NO_RESULT;
	out.m.lanes = (uint8_t)(n - 1);
	out.m.bytes[0] = same - 1;
	out.m.bytes[2] = (uint32_t)__builtin_popcount(sectors) + same - 1;
	out.bytes += n * ATOMIC_LANE_BYTES;
	cu_send(x, &u->port_out, &out, t);
	o->left++;
}

static bool atomic_part(struct cu_unit *u, struct cu_op *o, cycle_t t)
{
	const struct cu_part *p = &o->part[o->at];
	uint64_t chunk = p->line << u->l1.shift >> 7;

	if (atomic_sent(o, chunk, u->l1.shift))
		return true;
	/* Each half takes a credit. */
	if (u->cluster->credit[p->partition] < 2)
		return block_for(u, &u->cluster->counts.lsu.stall_credit, t);
	if (!may_send(u, p, t))
		return false;
	for (unsigned h = 0; h < 2; h++)
		if (o->half[h])
			send_atomic(u, o, o->half[h], t);
	tags_invalidate(u->l1.tags, p->line);
	return true;
}

static bool part_look_up(struct cu_unit *u, struct cu_op *o, cycle_t t)
{
	if (o->half[0] || o->half[1])
		return atomic_part(u, o, t);
	if (o->write)
		return store_part(u, o, t);
	return o->around || o->fence ? load_around(u, o, t) :
				       load_part(u, o, t);
}

/* The first of the queue has been looked up completely, in cycles before t. */
static void op_leaves(struct cu_unit *u, struct cu_op *o, cycle_t now,
		      cycle_t t)
{
	struct cu_slot *p = &u->slot[o->slot];

	u->queue_first = (u->queue_first + 1) % u->queue_room;
	u->queue_count--;
	cu_memory_room(u, now);
	if (o->read != CU_NONE) {
		cu_count_set(&p->count[WAVE_EXP], o->read, t);
		cu_reconsider(u, p, now);
	}
	part_done(u, o, now, o->ready);
}

/* Into the host's cache: what is looked up after the first of the queue. */
static void fetch_next(const struct cu_unit *u)
{
	uint32_t i = u->queue_first + 1;

	__builtin_prefetch(&u->ops[u->queue[i == u->queue_room ? 0 : i]], 1);
}

void cu_memory_advance(struct cu_unit *u, cycle_t now)
{
	cycle_t t = now, end = now + CU_BATCH;

	while (u->queue_count && t < end) {
		struct cu_op *o = &u->ops[u->queue[u->queue_first]];

		fetch_next(u);
		if (o->at == o->parts || part_look_up(u, o, t)) {
			t += o->at < o->parts;
			o->at += o->at < o->parts;
			if (o->at == o->parts)
				op_leaves(u, o, now, t);
			continue;
		}
		/* It stays for a while, or until it is unblocked. */
		u->memory_free = max_u64(u->memory_free, t + 1);
		u->memory_next = u->blocked ? CYCLE_NEVER : u->memory_free;
		return;
	}
	u->memory_free = t;
	u->memory_next = u->queue_count ? t : CYCLE_NEVER;
}

/* ---- answers ------------------------------------------------------------- */

void cu_memory_answer(struct cu_cluster *x, const struct msg *m, cycle_t t)
{
	uint32_t what = m->id >> CU_ID_SHIFT, number = m->id & CU_ID_NUMBER;
	bool around = what >= CU_ID_AROUND;
	struct cu_unit *u = &x->unit[around ? what - CU_ID_AROUND : what];
	uint32_t bytes = x->header + (1u << u->l1.shift), n;
	cycle_t ready = port_pass(&u->port_in, t, bytes) - 1 + x->fill_latency;

	x->counts.lsu.bytes_in += bytes;
	if (around) {
		part_done(u, &u->ops[number], t, ready);
		return;
	}
	n = tags_fill_mshr(u->l1.tags, number, 1, x->tokens);
	for (uint32_t i = 0; i < n; i++)
		part_done(u, &u->ops[x->tokens[i]], t, ready);
	cu_memory_unblock(u, t);
}

void cu_memory_atomic(struct cu_cluster *x, const struct msg *m, cycle_t t)
{
	struct cu_unit *u = &x->unit[x->atomic_unit[m->id]];
	struct cu_op *o = &u->ops[x->atomic_op[m->id]];

	x->counts.lsu.bytes_in +=
		x->header +
		(o->returns ? ATOMIC_LANE_BYTES * (m->lanes + 1u) : 0);
	part_done(u, o, t, t + x->atomic_return);
}
