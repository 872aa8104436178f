#include "fastlanes/model.h"

#include <string.h>

#include "fastlanes/machine.h"

#define FL_NEVER UINT64_MAX

/* ---- configuration ----------------------------------------------------- */

static uint32_t fl_interval(const struct cfg *c, enum lat_class lat,
			    enum unit_class unit)
{
	int64_t narrow = (FL_LANES + c->sm.simd_width - 1) / c->sm.simd_width;
	int64_t own = cfg_interval(c, lat, unit);

	return (uint32_t)(own > narrow ? own : narrow);
}

static void fl_unit_times(struct fl_config *out, const struct cfg *c)
{
	static const struct {
		uint8_t unit, lat, class;
	} map[] = {
		{ FL_UNIT_ALU, LAT_ALU, UNIT_INT },
		{ FL_UNIT_MUL, LAT_MAD, UNIT_INT },
		{ FL_UNIT_FP, LAT_FMA, UNIT_FP32 },
		{ FL_UNIT_SFU, LAT_SFU, UNIT_SFU },
		{ FL_UNIT_DIV, LAT_FDIV, UNIT_FP32 },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		enum lat_class lat = (enum lat_class)map[i].lat;

		out->latency[map[i].unit] = (uint32_t)c->lat[lat].cycles;
		out->interval[map[i].unit] =
			fl_interval(c, lat, (enum unit_class)map[i].class);
	}
}

/* Sets of a cache; 0: its size is no power of two of lines. */
static uint32_t fl_sets(int64_t bytes, int64_t ways)
{
	int64_t sets = bytes / FL_SEGMENT / ways;

	return sets > 0 && sets <= 1 << 20 && !(sets & (sets - 1)) &&
			       sets * ways * FL_SEGMENT == bytes ?
		       (uint32_t)sets :
		       0;
}

enum err fl_config_from(struct fl_config *out, const struct cfg *c,
			uint32_t slice, struct diag *d)
{
	*out = (struct fl_config){
		.sms = (uint32_t)c->sm.count,
		.warps = (uint32_t)c->sm.max_warps,
		.blocks = (uint32_t)c->sm.max_blocks,
		.shared = (uint32_t)c->sm.shared,
		.l1_ways = (uint32_t)c->l1.ways,
		.l1_sets = fl_sets(c->l1.bytes, c->l1.ways),
		.l2_ways = (uint32_t)c->l2.ways,
		.l2_sets = fl_sets(c->l2.bytes, c->l2.ways),
		.lsu_lanes = (uint32_t)c->unit[UNIT_LSU].lanes,
		.way_latency = { (uint32_t)c->mem.l1_latency,
				 (uint32_t)c->mem.l2_latency,
				 (uint32_t)c->mem.shared_latency,
				 (uint32_t)c->mem.dram_latency },
	};
	fl_unit_times(out, c);
	out->slice = slice ? slice : 100 * out->warps;
	if (out->sms > FL_MAX_SMS || out->warps > FL_MAX_WARPS ||
	    out->blocks > FL_MAX_BLOCKS)
		return fail(d, ERR_RANGE,
			    "FastLanes has at most %u multiprocessors of %u "
			    "warps and %u blocks: sm.count = %u, sm.max_warps "
			    "= %u, sm.max_blocks = %u",
			    FL_MAX_SMS, FL_MAX_WARPS, FL_MAX_BLOCKS, out->sms,
			    out->warps, out->blocks);
	if (!out->l1_sets || !out->l2_sets)
		return fail(d, ERR_RANGE,
			    "l1.bytes and l2.bytes must be a power of two of "
			    "sets of l1.ways and l2.ways lines of %u bytes",
			    FL_SEGMENT);
	if (!out->lsu_lanes || !out->interval[FL_UNIT_ALU])
		return fail(d, ERR_RANGE,
			    "FastLanes has LD/ST units and SIMD "
			    "lanes: unit.lsu.lanes, "
			    "unit.int.lanes are 0");
	return ERR_OK;
}

uint64_t fl_local_bytes(const struct fl_config *c, const struct fl_kernel *k)
{
	return (uint64_t)c->sms * c->warps * FL_LANES * ((k->local + 3) / 4) *
	       4;
}

/* ---- blocks ------------------------------------------------------------ */

/* The lowest place for a block that is free; m->places: none. */
static uint32_t fl_free_place(const struct fl_machine *m,
			      const struct fl_sm *sm)
{
	uint32_t at = 0;

	while (at < m->places && sm->block[at].live)
		at++;
	return at;
}

static bool fl_has_room(const struct fl_machine *m, const struct fl_sm *sm)
{
	return fl_free_place(m, sm) < m->places;
}

/* Puts the threads of the block from 32 * index on into its warp. */
static void fl_start_warp(struct fl_machine *m, struct fl_sm *sm,
			  struct fl_warp *w, uint32_t block, uint32_t index)
{
	const uint32_t *size = m->l->block;
	uint32_t threads = size[0] * size[1] * size[2], lanes = 0;

	memset(w, 0, sizeof(*w));
	w->live = true;
	w->block = (uint8_t)block;
	w->index = (uint8_t)index;
	w->no_fetch = FL_NEVER;
	w->pred[FL_PT] = ~0u;
	for (uint32_t l = 0; l < FL_LANES; l++) {
		uint32_t t = index * FL_LANES + l;

		if (t >= threads)
			continue;
		lanes |= 1u << l;
		w->reg[0][l] = t % size[0] | t / size[0] % size[1] << FL_TID_Y |
			       t / size[0] / size[1] << FL_TID_Z;
	}
	fl_stack_start(w, lanes);
	sm->live_warps++;
}

/* Starts the next block of the grid. Its place determines those of its warps and
 * of its shared memory. */
static void fl_start_block(struct fl_machine *m, struct fl_sm *sm)
{
	uint64_t id = m->next_block++;
	uint32_t at = fl_free_place(m, sm), n = m->warps_of_block;
	struct fl_block *b = &sm->block[at];

	*b = (struct fl_block){
		.id = { (uint32_t)(id % m->l->grid[0]),
			(uint32_t)(id / m->l->grid[0] % m->l->grid[1]),
			(uint32_t)(id / m->l->grid[0] / m->l->grid[1]) },
		.warps = n,
		.shared_at = at * m->shared_of_block,
		.live = true,
	};
	memset(sm->shared + b->shared_at, 0, m->shared_of_block);
	m->stats.blocks++;
	for (uint32_t w = 0; w < n; w++) {
		fl_start_warp(m, sm, &sm->warp[at * n + w], at, w);
		m->visit.began |= 1u << (at * n + w);
	}
}

static void fl_refill(struct fl_machine *m, struct fl_sm *sm)
{
	while (m->next_block < m->block_count && fl_has_room(m, sm))
		fl_start_block(m, sm);
}

/* Before the first cycle: one block for each multiprocessor in turn, as long as
 * there are blocks and room. */
static void fl_first_blocks(struct fl_machine *m)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t s = 0; s < m->c->sms; s++)
			if (m->next_block < m->block_count &&
			    fl_has_room(m, &m->sm[s])) {
				fl_start_block(m, &m->sm[s]);
				any = true;
			}
	}
}

/* ---- barriers and ends ------------------------------------------------- */

static void fl_release_barrier(struct fl_machine *m, struct fl_sm *sm,
			       uint32_t block)
{
	struct fl_block *b = &sm->block[block];

	if (!b->waiting || b->waiting < b->warps)
		return;
	b->waiting = 0;
	for (uint32_t w = 0; w < m->c->warps; w++)
		if (sm->warp[w].live && sm->warp[w].block == block)
			sm->warp[w].waits = false;
}

static void fl_end_warp(struct fl_machine *m, struct fl_sm *sm,
			struct fl_warp *w)
{
	struct fl_block *b = &sm->block[w->block];

	w->live = false;
	sm->live_warps--;
	if (--b->warps) {
		fl_release_barrier(m, sm, w->block);
		return;
	}
	b->live = false;
	sm->end = sm->now + 1;
}

/* ---- issue ------------------------------------------------------------- */

static uint64_t fl_max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The first cycle with room for another load. */
static uint64_t fl_pool_free(const struct fl_sm *sm, uint32_t *slot)
{
	*slot = 0;
	for (uint32_t i = 1; i < FL_POOL; i++)
		if (sm->pool[i] < sm->pool[*slot])
			*slot = i;
	return sm->pool[*slot];
}

static bool fl_is_load(const struct fl_inst *in)
{
	return in->op == FL_LDG || in->op == FL_LDS || in->op == FL_LDL;
}

/* The first cycle in which the warp can issue, if nothing else changes. */
static uint64_t fl_ready_at(const struct fl_machine *m, const struct fl_sm *sm,
			    const struct fl_warp *w)
{
	const struct fl_decoded *d = &m->code[fl_stack_pc(w)];
	unsigned unit = fl_ops[d->in.op].unit;
	uint64_t at = 0;
	uint32_t slot;

	if (!w->live || w->waits || !w->buffered)
		return FL_NEVER;
	for (uint64_t left = d->uses; left; left &= left - 1)
		at = fl_max_of(at, w->ready[__builtin_ctzll(left)]);
	if (unit == FL_UNIT_MEM)
		at = fl_max_of(at, sm->lsu_free);
	else if (unit != FL_UNIT_CTRL)
		at = fl_max_of(at, sm->simd_free);
	if (fl_is_load(&d->in))
		at = fl_max_of(at, fl_pool_free(sm, &slot));
	return at;
}

static void fl_set_ready(struct fl_warp *w, uint64_t writes, uint64_t at)
{
	for (; writes; writes &= writes - 1)
		w->ready[__builtin_ctzll(writes)] = at;
}

/* The time of what was executed. */
static void fl_account(struct fl_machine *m, struct fl_sm *sm,
		       struct fl_warp *w, const struct fl_decoded *d,
		       const struct fl_access *a)
{
	unsigned unit = fl_ops[d->in.op].unit;
	uint64_t done;
	uint32_t slot;

	if (unit == FL_UNIT_CTRL)
		return;
	if (unit != FL_UNIT_MEM) {
		sm->simd_free = sm->now + m->c->interval[unit];
		done = sm->now + m->c->latency[unit];
		m->visit.due = done;
		fl_set_ready(w, d->writes, done);
		return;
	}
	done = fl_access_time(m, sm, a);
	m->visit.processed = sm->lsu_free;
	if (!a->load)
		return;
	m->visit.due = done;
	fl_pool_free(sm, &slot);
	sm->pool[slot] = done;
	fl_set_ready(w, d->writes, done);
}

/* Moves the warp on. `lanes` have executed the instruction. */
static void fl_advance(struct fl_machine *m, struct fl_sm *sm,
		       struct fl_warp *w, const struct fl_inst *in,
		       uint32_t lanes)
{
	uint32_t next = fl_stack_pc(w) + 1, depth = w->depth;
	bool diverges = false;

	w->buffered--;
	if (in->op == FL_BRA) {
		m->stats.branches++;
		diverges = fl_stack_branch(w, in, lanes);
		m->stats.divergent += diverges;
		depth = diverges ? w->depth : depth;
	} else {
		w->stack[w->depth - 1].pc = (uint16_t)next;
	}
	if (in->op == FL_EXIT)
		w->ended |= lanes;
	if (in->op == FL_BAR) {
		m->stats.barriers++;
		w->waits = true;
		sm->block[w->block].waiting++;
	}
	m->visit.ended = !fl_stack_settle(w);
	m->visit.pops = depth - w->depth;
	m->visit.stack = diverges || m->visit.pops ||
			 (in->op == FL_EXIT && lanes);
	if (m->visit.ended) {
		if (w->waits)
			sm->block[w->block].waiting--;
		fl_end_warp(m, sm, w);
		return;
	}
	if (in->op == FL_BAR)
		fl_release_barrier(m, sm, w->block);
	if (in->op == FL_BRA || fl_stack_pc(w) != next) {
		w->buffered = 0;
		w->no_fetch = sm->now;
	}
}

/* Issues the instruction of a warp that is ready. */
static void fl_issue(struct fl_machine *m, struct fl_sm *sm, uint32_t number)
{
	struct fl_warp *w = &sm->warp[number];
	const struct fl_decoded *d = &m->code[fl_stack_pc(w)];
	uint32_t guard = w->pred[d->in.guard & 7];
	uint32_t lanes = fl_stack_lanes(w) &
			 (d->in.guard & FL_PRED_NOT ? ~guard : guard);
	struct fl_access access = { 0 };

	if (m->l->event)
		m->l->event(m->l->ctx,
			    &(struct fl_event){ sm->now, sm->number, number,
						fl_stack_pc(w), lanes });
	sm->last_issued = number;
	m->stats.instructions++;
	m->stats.lane_instructions += (uint64_t)__builtin_popcount(lanes);
	if (!fl_execute(m, sm, w, d, lanes, &access))
		return;
	m->visit.in = &d->in;
	m->visit.warp = number;
	m->visit.lanes = lanes;
	m->visit.shared = access.shared;
	m->visit.load = access.load;
	m->visit.segments = access.count;
	fl_account(m, sm, w, d, &access);
	fl_advance(m, sm, w, &d->in, lanes);
}

/* The first warp that is ready, from the one after the last on. *soonest: when
 * one will be, if none is. */
static uint32_t fl_pick(const struct fl_machine *m, const struct fl_sm *sm,
			uint64_t *soonest)
{
	*soonest = FL_NEVER;
	for (uint32_t i = 1; i <= m->c->warps; i++) {
		uint32_t w = (sm->last_issued + i) % m->c->warps;
		uint64_t at;

		if (!sm->warp[w].live)
			continue;
		at = fl_ready_at(m, sm, &sm->warp[w]);
		if (at <= sm->now)
			return w;
		if (at < *soonest)
			*soonest = at;
	}
	return m->c->warps;
}

/* ---- fetch ------------------------------------------------------------- */

static bool fl_fetch(struct fl_machine *m, struct fl_sm *sm)
{
	for (uint32_t i = 1; i <= m->c->warps; i++) {
		uint32_t n = (sm->last_fetched + i) % m->c->warps;
		struct fl_warp *w = &sm->warp[n];

		if (!w->live || w->buffered == FL_BUFFER ||
		    w->no_fetch == sm->now ||
		    fl_stack_pc(w) + w->buffered >= m->l->kernel->count)
			continue;
		w->buffered++;
		sm->last_fetched = n;
		return true;
	}
	return false;
}

/* ---- cycles ------------------------------------------------------------ */

/* One cycle of a multiprocessor, and those after it in which nothing can
 * happen, up to `until`. */
static void fl_cycle(struct fl_machine *m, struct fl_sm *sm, uint64_t until)
{
	uint64_t soonest, next = sm->now + 1;
	uint32_t w;
	bool issued, fetched;

	m->visit = (struct fl_visit){ .cycle = sm->now, .sm = sm->number };
	fl_refill(m, sm);
	if (!sm->live_warps) {
		sm->now = until;
		return;
	}
	w = fl_pick(m, sm, &soonest);
	issued = w < m->c->warps;
	if (issued)
		fl_issue(m, sm, w);
	if (m->fault.kind)
		return;
	fetched = fl_fetch(m, sm);
	m->visit.fetched = fetched;
	if (m->l->watch)
		m->l->watch->visit(m->l->watch->ctx, &m->visit);
	if (!issued && !fetched) {
		/* Nobody waits forever: a barrier counts those who end. */
		CHECK(soonest != FL_NEVER);
		next = soonest < until ? soonest : until;
	}
	m->stats.stalled += next - sm->now - issued;
	sm->now = next;
}

static bool fl_is_done(const struct fl_machine *m)
{
	if (m->next_block < m->block_count)
		return false;
	for (uint32_t s = 0; s < m->c->sms; s++)
		if (m->sm[s].live_warps)
			return false;
	return true;
}

/* Everyone's turn, up to a cycle. */
static void fl_turn(struct fl_machine *m, uint64_t until)
{
	for (uint32_t s = 0; s < m->c->sms; s++) {
		bool has = m->sm[s].live_warps ||
			   m->next_block < m->block_count;

		while (m->sm[s].now < until) {
			fl_cycle(m, &m->sm[s], until);
			if (m->fault.kind)
				return;
		}
		if (has && m->l->watch)
			m->l->watch->turn(m->l->watch->ctx, s,
					  m->sm[s].live_warps);
	}
}

static void fl_turns(struct fl_machine *m)
{
	uint64_t limit = m->l->max_cycles ? m->l->max_cycles : FL_NEVER;
	uint64_t until = 0;

	while (!fl_is_done(m) && !m->fault.kind) {
		if (until == limit) {
			m->fault.kind = FL_FAULT_LIMIT;
			return;
		}
		until = limit - until < m->c->slice ? limit :
						      until + m->c->slice;
		fl_turn(m, until);
		if (!m->fault.kind && m->l->stop && m->l->stop())
			m->fault.kind = FL_FAULT_STOPPED;
	}
}

/* Cycles that the turns add after the last block are not counted. */
static void fl_finish_stats(struct fl_machine *m)
{
	uint64_t cycles = 0;

	for (uint32_t s = 0; s < m->c->sms; s++)
		cycles = fl_max_of(cycles,
				   m->fault.kind ? m->sm[s].now : m->sm[s].end);
	m->stats.cycles = cycles;
	/* Each cycle of a multiprocessor is one of the three. */
	m->stats.empty =
		cycles * m->c->sms - m->stats.instructions - m->stats.stalled;
}

/* ---- launch ------------------------------------------------------------ */

static uint64_t fl_bit(unsigned reg)
{
	return UINT64_C(1) << reg;
}

static uint64_t fl_pred_bit(unsigned p)
{
	return (p & 7) == FL_PT ? 0 : UINT64_C(1) << (FL_REGS + (p & 7));
}

static void fl_decode_uses(struct fl_decoded *d)
{
	const struct fl_inst *in = &d->in;
	uint64_t reads = fl_pred_bit(in->guard);

	if (fl_has(in, 'd'))
		d->writes |= fl_bit(in->d);
	if (fl_has(in, 'p'))
		d->writes |= fl_pred_bit(in->d);
	if (fl_has(in, 'k'))
		d->writes |= fl_pred_bit(in->mod >> 2);
	if (fl_has(in, 'y') && in->mod & FL_MOD_CO)
		d->writes |= fl_pred_bit(in->c);
	if (fl_has(in, 'y') && in->mod & FL_MOD_CI)
		reads |= fl_pred_bit(in->c);
	if (fl_has(in, 'a') || (fl_has(in, 'm') && !(in->mod & FL_MOD_ABS)))
		reads |= fl_bit(in->a);
	if (fl_has(in, 'b') && !in->imm)
		reads |= fl_bit(in->b);
	if (fl_has(in, 'c'))
		reads |= fl_bit(in->c);
	if (fl_has(in, 'r'))
		reads |= fl_pred_bit(in->a);
	if (fl_has(in, 'q'))
		reads |= fl_pred_bit(in->c);
	d->uses = reads | d->writes;
}

static bool fl_tags_room(struct fl_tags *t, uint32_t sets, uint32_t ways,
			 struct arena *a)
{
	*t = (struct fl_tags){ sets, ways,
			       arena_new(a, uint32_t, (size_t)sets * ways) };
	return t->line;
}

static bool fl_machine_room(struct fl_machine *m)
{
	struct arena *a = &m->arena;
	const struct fl_config *c = m->c;
	bool ok;

	m->code = arena_new(a, struct fl_decoded, m->l->kernel->count);
	m->sm = arena_new(a, struct fl_sm, c->sms);
	ok = m->code && m->sm &&
	     fl_tags_room(&m->l2, c->l2_sets, c->l2_ways, a);
	for (uint32_t s = 0; ok && s < c->sms; s++) {
		struct fl_sm *sm = &m->sm[s];

		sm->number = s;
		sm->last_issued = sm->last_fetched = c->warps - 1;
		sm->warp = arena_new(a, struct fl_warp, c->warps);
		sm->shared = arena_new(a, uint8_t, c->shared + 1);
		ok = sm->warp && sm->shared &&
		     fl_tags_room(&sm->l1, c->l1_sets, c->l1_ways, a);
	}
	return ok;
}

static enum err fl_check_shape(const struct fl_launch *l, struct diag *d)
{
	const struct fl_kernel *k = l->kernel;
	const uint32_t *b = l->block, *r = k->required;
	uint64_t threads = (uint64_t)b[0] * b[1] * b[2];

	if (!threads || b[0] > FL_MAX_THREADS || b[1] > FL_MAX_THREADS ||
	    b[2] > 64 || threads > FL_MAX_THREADS)
		return fail(d, ERR_RANGE,
			    "a block of %u x %u x %u threads: FastLanes has 1 "
			    "to %u, of which 64 along z",
			    b[0], b[1], b[2], FL_MAX_THREADS);
	if (k->max_threads && threads > k->max_threads)
		return fail(d, ERR_RANGE,
			    "the kernel allows %u threads a block, not %u",
			    k->max_threads, (unsigned)threads);
	if (r[0] && (b[0] != r[0] || b[1] != (r[1] ? r[1] : 1) ||
		     b[2] != (r[2] ? r[2] : 1)))
		return fail(
			d, ERR_RANGE,
			"the kernel requires blocks of %u x %u x %u threads",
			r[0], r[1] ? r[1] : 1, r[2] ? r[2] : 1);
	if (!l->grid[0] || !l->grid[1] || !l->grid[2])
		return fail(d, ERR_RANGE, "the grid has no blocks");
	return ERR_OK;
}

static enum err fl_check_needs(const struct fl_needs *n,
			       const struct fl_config *c,
			       const struct fl_launch *l, struct diag *d)
{
	uint64_t shared = (uint64_t)l->kernel->shared + l->dynamic_shared;
	uint64_t local = fl_local_bytes(c, l->kernel);

	if (shared > c->shared)
		return fail(d, ERR_RANGE,
			    "a block needs %llu bytes of shared memory; a "
			    "multiprocessor has %u (sm.shared)",
			    (unsigned long long)shared, c->shared);
	if (n->warps > c->warps)
		return fail(d, ERR_RANGE,
			    "a block has %u warps; a multiprocessor holds %u "
			    "(sm.max_warps)",
			    n->warps, c->warps);
	if (l->local_base % FL_SEGMENT ||
	    l->local_base + local > FL_MEMORY_BYTES)
		return fail(d, ERR_RANGE,
			    "local memory of %llu bytes does not fit behind "
			    "the arrays in 512 MiB",
			    (unsigned long long)local);
	return ERR_OK;
}

enum err fl_launch_needs(struct fl_needs *out, const struct fl_config *c,
			 const struct fl_launch *l, struct diag *d)
{
	const uint32_t *b = l->block;

	if (fl_check_shape(l, d))
		return d->code;
	*out = (struct fl_needs){
		.blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
		.warps = (b[0] * b[1] * b[2] + FL_LANES - 1) / FL_LANES,
		.shared = l->kernel->shared + l->dynamic_shared,
		.local_words = (l->kernel->local + 3) / 4,
	};
	if (fl_check_needs(out, c, l, d))
		return d->code;
	out->places = c->warps / out->warps;
	if (out->places > c->blocks)
		out->places = c->blocks;
	if (out->shared && out->places > c->shared / out->shared)
		out->places = c->shared / out->shared;
	return ERR_OK;
}

static enum err fl_prepare(struct fl_machine *m, struct diag *d)
{
	const struct fl_launch *l = m->l;
	struct fl_needs needs;

	if (fl_launch_needs(&needs, m->c, l, d))
		return d->code;
	m->block_count = needs.blocks;
	m->places = needs.places;
	m->warps_of_block = needs.warps;
	m->shared_of_block = needs.shared;
	m->local_words = needs.local_words;
	if (!fl_machine_room(m))
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < l->kernel->count; i++) {
		CHECK(!fl_decode(&m->code[i].in,
				 l->code->words[l->kernel->first + i]));
		fl_decode_uses(&m->code[i]);
	}
	return ERR_OK;
}

enum err fl_model_run(const struct fl_config *c, const struct fl_launch *l,
		      struct fl_stats *stats, struct fl_fault *fault,
		      struct diag *d)
{
	struct fl_machine m = { .c = c, .l = l };
	enum err e = fl_prepare(&m, d);

	if (!e) {
		fl_first_blocks(&m);
		fl_turns(&m);
		fl_finish_stats(&m);
		*stats = m.stats;
		*fault = m.fault;
	}
	arena_free(&m.arena);
	return e;
}
