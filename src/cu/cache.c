/*
 * The caches that the units of a cluster share, for instructions and scalar loads,
 * and the cluster's end of the network.
 */
#include "base/minmax.h"
#include "cu/core.h"

/* Lines are requested as sectors of a chunk. */
enum { SECTOR_SHIFT = 5, CHUNK_SHIFT = 7 };

void cu_describe(const struct cu_cluster *x, struct cu_out *o,
		 enum msg_kind kind, uint64_t line, unsigned shift, uint32_t id)
{
	unsigned sectors = 1u << (shift - SECTOR_SHIFT);
	uint64_t first = line << (shift - SECTOR_SHIFT);

	*o = (struct cu_out){
		.m = { .chunk = first / CHUNK_SECTORS,
		       .id = id,
		       .kind = (uint8_t)kind,
		       .sectors = (uint8_t)(((1u << sectors) - 1)
					    << first % CHUNK_SECTORS),
		       .flags = msg_grid_flags(x->counting) },
		.bytes = x->header,
	};
}

bool cu_is_shared_read(const struct msg *m)
{
	uint32_t what = m->id >> CU_ID_SHIFT;

	return (m->kind == MSG_READ || m->kind == MSG_FENCE) &&
	       (what == CU_ID_SCALAR || what == CU_ID_CODE);
}

static void cu_count_sent(struct cu_cluster *x, const struct cu_out *o)
{
	struct stat_lsu *st = &x->counts.lsu;
	unsigned n = (unsigned)__builtin_popcount(o->m.sectors);

	st->bytes_out += o->bytes;
	switch (o->m.kind) {
	case MSG_READ:
		st->reads_sent++;
		st->read_sectors_sent += n;
		x->outstanding++;
		break;
	case MSG_WRITE:
		st->writes_sent++;
		st->write_sectors_sent += n;
		break;
	case MSG_FENCE:
		x->outstanding++;
		break;
	default:
		st->atomics_sent++;
		x->outstanding++;
		break;
	}
}

cycle_t cu_send(struct cu_cluster *x, struct port *port, struct cu_out *o,
		cycle_t t)
{
	cycle_t passed = port_pass(port, t, o->bytes);

	CHECK(x->credit[o->partition]);
	x->credit[o->partition]--;
	/* The first cycle in the port is part of the latency. */
	o->m.time = max_u64(passed, t + 1) - 1 + x->lead + x->request_latency;
	cu_count_sent(x, o);
	wire_send(x->env.wires, x->env.self,
		  x->env.first_partition + o->partition, &o->m);
	return o->m.time;
}

static void queue_shared(struct cu_cluster *x, enum msg_kind kind, uint32_t id,
			 uint64_t line, unsigned shift, cycle_t t)
{
	struct cu_out *o;

	CHECK(x->out_count < x->out_room);
	o = &x->out[(x->out_first + x->out_count++) % x->out_room];
	cu_describe(x, o, kind, line, shift, id);
	o->partition = mem_partition_of(x->env.shape, o->m.chunk);
	o->m.time = t;
	cu_drain(x, t);
}

void cu_request_shared(struct cu_cluster *x, uint32_t id, uint64_t line,
		       unsigned shift, cycle_t t)
{
	queue_shared(x, MSG_READ, id, line, shift, t);
}

/* Sends what waits for a credit, in order. */
void cu_drain(struct cu_cluster *x, cycle_t t)
{
	while (x->out_count) {
		struct cu_out *o = &x->out[x->out_first];

		if (!x->credit[o->partition])
			return;
		cu_send(x, &x->port_out, o, max_u64(t, o->m.time));
		x->out_first = (x->out_first + 1) % x->out_room;
		x->out_count--;
	}
}

/* ---- scalar loads -------------------------------------------------------- */

/* The token of a scalar load: the unit's slot and the id in its counter. */
static uint32_t scalar_token(uint32_t slot, uint8_t id)
{
	return slot << 8 | id;
}

/* One of the lines of a scalar load is there. */
static void scalar_done(struct cu_cluster *x, uint32_t token, cycle_t t,
			cycle_t ready)
{
	uint32_t slot = token >> 8;
	struct cu_unit *u = &x->unit[slot / CU_SLOTS];
	struct cu_slot *p = &u->slot[slot % CU_SLOTS];
	struct cu_scalar_load *l = &p->load[(token & 0xff) % CU_COUNTED];

	l->ready = max_u64(l->ready, ready);
	if (--l->left)
		return;
	cu_count_set(&p->count[WAVE_LGKM], (uint8_t)token, l->ready);
	cu_reconsider(u, p, t);
}

/* Looks a line up at cycle t, or later than the present one. False: the cache is
 * out of MSHRs. */
static bool scalar_look_up(struct cu_cluster *x, uint64_t line, uint32_t token,
			   cycle_t t)
{
	struct stat_lsu *st = &x->counts.lsu;
	struct tags_out out;
	enum tags_result r = tags_read(x->scalar.tags, line, 1, token, &out);

	if (tags_stalled(r))
		return false;
	if (r == TAGS_HIT) {
		st->const_l0_hits++;
		scalar_done(x, token, x->now, t + x->scalar_latency);
		return true;
	}
	if (r == TAGS_PENDING) {
		st->const_l1_hits++;
		return true;
	}
	st->const_misses++;
	cu_request_shared(x, (uint32_t)CU_ID_SCALAR << CU_ID_SHIFT | out.mshr,
			  line, x->scalar.shift, t);
	return true;
}

static void scalar_retry(struct cu_cluster *x, cycle_t t)
{
	while (x->scalars_count) {
		const struct cu_scalar *s = &x->scalars[x->scalars_first];

		if (!scalar_look_up(x, s->line, s->token,
				    max_u64(t, x->scalar_free)))
			return;
		x->scalars_first = (x->scalars_first + 1) % x->scalars_room;
		x->scalars_count--;
	}
}

static void scalar_queue(struct cu_cluster *x, uint64_t line, uint32_t token)
{
	uint32_t at = (x->scalars_first + x->scalars_count) % x->scalars_room;

	CHECK(x->scalars_count < x->scalars_room);
	x->scalars[at] = (struct cu_scalar){ line, token };
	x->scalars_count++;
}

/* The memory's caches drop what they have, too. */
static void scalar_fence(struct cu_cluster *x, struct cu_slot *p,
			 uint32_t token, cycle_t t)
{
	p->load[(token & 0xff) % CU_COUNTED] =
		(struct cu_scalar_load){ .left = 1 };
	queue_shared(x, MSG_FENCE,
		     (uint32_t)CU_ID_SCALAR << CU_ID_SHIFT | token, 0,
		     x->scalar.shift, t);
}

void cu_issue_scalar(struct cu_unit *u, struct cu_slot *p,
		     const struct wave_op *op, cycle_t t)
{
	struct cu_cluster *x = u->cluster;
	const struct wave_effect *e = p->wave->effect;
	uint32_t slot = u->index * CU_SLOTS + (uint32_t)(p - u->slot), token;
	cycle_t start = max_u64(t, x->scalar_free);
	uint64_t first, last;
	uint8_t id;

	if (!(op->raises >> WAVE_LGKM & 1))
		return;
	/* A word raises the counter by one, more of them by two. */
	id = cu_count_add(&p->count[WAVE_LGKM], t, CYCLE_NEVER,
			  e->space == WAVE_SCALAR && e->bytes > 4 ? 2 : 1);
	token = scalar_token(slot, id);
	if (e->invalidate) {
		tags_invalidate_all(x->scalar.tags);
		if (x->env.fences) {
			scalar_fence(x, p, token, start);
			return;
		}
	}
	if (e->space != WAVE_SCALAR) {
		cu_count_set(&p->count[WAVE_LGKM], id, t + x->scalar_latency);
		return;
	}
	first = e->addr[0] >> x->scalar.shift;
	last = (e->addr[0] + e->bytes - 1) >> x->scalar.shift;
	x->scalar_free =
		start + (e->bytes + x->scalar_width - 1) / x->scalar_width;
	x->counts.lsu.const_loads++;
	p->load[id % CU_COUNTED] =
		(struct cu_scalar_load){ .left = (uint8_t)(last - first + 1) };
	for (uint64_t line = first; line <= last; line++)
		if (x->scalars_count || !scalar_look_up(x, line, token, start))
			scalar_queue(x, line, token);
}

/* ---- what arrives -------------------------------------------------------- */

static void shared_fill(struct cu_cluster *x, const struct msg *m, cycle_t t)
{
	bool code = m->id >> CU_ID_SHIFT == CU_ID_CODE;
	struct cu_cache *c = code ? &x->code : &x->scalar;
	uint32_t bytes = x->header + (1u << c->shift);
	cycle_t ready = port_pass(&x->port_in, t, bytes) - 1 + x->fill_latency;
	uint32_t n =
		tags_fill_mshr(c->tags, m->id & CU_ID_NUMBER, 1, x->tokens);

	x->counts.lsu.bytes_in += bytes;
	for (uint32_t i = 0; i < n; i++)
		if (code)
			cu_code_arrives(x, x->tokens[i], t, ready);
		else
			scalar_done(x, x->tokens[i], t, ready);
	if (!code)
		scalar_retry(x, t);
}

static void cu_take_credit(struct cu_cluster *x, const struct msg *m, cycle_t t)
{
	x->credit[m->source - x->env.first_partition] += m->id;
	cu_drain(x, t);
	for (uint32_t i = 0; i < x->units; i++)
		cu_memory_unblock(&x->unit[i], t);
}

void cu_take_mail(struct cu_cluster *x, cycle_t t)
{
	const struct msg *m;

	while ((m = wire_take_next(x->env.wires, x->env.self, t))) {
		switch (m->kind) {
		case MSG_BLOCK:
			cu_group_arrives(x, m);
			break;
		case MSG_CREDIT:
			cu_take_credit(x, m, t);
			break;
		case MSG_ATOMIC_DONE:
			x->outstanding--;
			x->counts.lsu.atomic_answers++;
			cu_memory_atomic(x, m, t);
			break;
		case MSG_FENCED:
			x->outstanding--;
			if (m->id >> CU_ID_SHIFT == CU_ID_SCALAR)
				scalar_done(x, m->id & CU_ID_NUMBER, t, t);
			else
				cu_memory_answer(x, m, t);
			break;
		default:
			x->outstanding--;
			x->counts.lsu.answers++;
			if (m->id >> CU_ID_SHIFT == CU_ID_CODE ||
			    m->id >> CU_ID_SHIFT == CU_ID_SCALAR)
				shared_fill(x, m, t);
			else
				cu_memory_answer(x, m, t);
			break;
		}
	}
}

enum err cu_cache_new(struct cu_cache *c, struct arena *a,
		      const struct tags_cfg *k, struct diag *d)
{
	c->shift = (unsigned)__builtin_ctz(k->line_bytes);
	return tags_new(&c->tags, a, k, d);
}

enum err cu_caches_new(struct cu_cluster *x, struct arena *a, struct diag *d)
{
	const struct cfg *c = x->env.cfg;
	uint32_t slots = x->units * CU_SLOTS;
	struct tags_cfg code = {
		.bytes = (uint64_t)c->cu.code_bytes,
		.line_bytes = (uint32_t)c->cu.code_line,
		.sector_bytes = (uint32_t)c->cu.code_line,
		.ways = (uint32_t)c->cu.code_ways,
		.mshrs = slots,
		.merges = slots,
		.waiters = slots,
		.replace = CFG_REPLACE_LRU,
		.unnamed_victims = true,
	};
	struct tags_cfg scalar = code;
	uint32_t loads = slots * CU_COUNTED * 2;

	scalar.bytes = (uint64_t)c->cu.scalar_bytes;
	scalar.line_bytes = scalar.sector_bytes = (uint32_t)c->cu.scalar_line;
	scalar.ways = (uint32_t)c->cu.scalar_ways;
	scalar.mshrs = (uint32_t)c->cu.scalar_mshrs;
	scalar.merges = slots;
	x->scalars_room = loads;
	x->out_room = slots + scalar.mshrs + slots * CU_COUNTED; /* fences */
	x->scalars = arena_room(a, struct cu_scalar, loads);
	x->out = arena_room(a, struct cu_out, x->out_room);
	x->credit = arena_new(a, uint32_t, x->env.shape->partitions);
	x->tokens = arena_new(a, uint32_t, max_u64(slots, CU_PARTS) + 1);
	if (!x->scalars || !x->out || !x->credit || !x->tokens)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < x->env.shape->partitions; i++)
		x->credit[i] = (uint32_t)c->net.queue;
	x->port_out = port_of((uint64_t)c->net.sm_out);
	x->port_in = port_of((uint64_t)c->net.sm_in);
	if (cu_cache_new(&x->code, a, &code, d) ||
	    cu_cache_new(&x->scalar, a, &scalar, d))
		return d->code;
	return ERR_OK;
}
