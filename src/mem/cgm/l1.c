#include "mem/cgm/l1.h"

#include <string.h>

#include "base/minmax.h"

#define L1_NONE UINT32_MAX

/* The first line where a block may be. */
static uint32_t cgm_l1_set(const struct cgm_l1 *l, uint64_t block)
{
	return (uint32_t)(block & (l->cfg.sets - 1)) * l->cfg.ways;
}

/* The line of a block, or L1_NONE. */
static uint32_t cgm_l1_find(const struct cgm_l1 *l, uint64_t block)
{
	uint32_t first = cgm_l1_set(l, block), at = L1_NONE;

	/* All ways: which one it is, no branch of the host can predict. */
	for (uint32_t i = first; i < first + l->cfg.ways; i++)
		at = l->tag[i] == block + 1 ? i : at;
	return at;
}

static uint32_t cgm_l1_victim(const struct cgm_l1 *l, uint64_t block)
{
	uint32_t first = cgm_l1_set(l, block), to = first;

	for (uint32_t i = first; i < first + l->cfg.ways; i++) {
		if (!l->tag[i])
			return i;
		if (l->used_at[i] < l->used_at[to])
			to = i;
	}
	return to;
}

/* What a line holds; NULL: no values. */
static uint8_t *cgm_l1_data(const struct cgm_l1 *l, uint32_t line)
{
	return l->data ? l->data[line] : NULL;
}

static void cgm_l1_answer(struct cgm_l1 *l, cycle_t now,
			  const struct cgm_packet *access, const uint8_t *data)
{
	struct cgm_packet *p = cgm_out_pass(
		&l->to_processor, now + l->cfg.latency * l->cfg.period,
		CGM_ANSWER, access);

	if (l->data)
		memcpy(p->data, data, CGM_BLOCK);
}

/*
 * From below
 */

static void cgm_l1_invalidate_all(struct cgm_l1 *l)
{
	for (uint32_t i = 0; i < l->cfg.sets * l->cfg.ways; i++)
		l->tag[i] = 0;
	l->kept = 0;
}

/* The loads that waited for a block. */
static void cgm_l1_fill(struct cgm_l1 *l, cycle_t now, uint32_t at,
			const struct cgm_packet *p)
{
	const struct cgm_l1_miss *m = &l->miss[at];
	uint32_t x;

	for (uint32_t i = m->first; i != L1_NONE;) {
		struct cgm_l1_waiter *w = &l->waiter[i];
		uint32_t next = w->next;

		cgm_l1_answer(l, now, &w->access, p->data);
		w->next = l->free_waiter;
		l->free_waiter = i;
		l->waiting--;
		i = next;
	}
	if (!(l->kept >> at & 1))
		return;
	x = cgm_l1_victim(l, p->block);
	l->st.evictions += l->tag[x] != 0;
	l->tag[x] = p->block + 1;
	l->used_at[x] = ++l->clock;
	if (!p->bare)
		memcpy(l->data[x], p->data, CGM_BLOCK);
}

/* The second level has performed a store, an atomic, a flush or a fence. */
static void cgm_l1_performed(struct cgm_l1 *l, cycle_t now,
			     const struct cgm_l1_miss *m,
			     const struct cgm_packet *p)
{
	uint32_t x = cgm_l1_find(l, m->access.block);
	enum cgm_sort sort = cgm_ops[m->access.op].sort;

	if (x != L1_NONE && sort == CGM_SORT_WRITE) {
		if (!p->bare)
			cgm_merge(l->data[x], m->access.data, m->access.mask);
	} else if (x != L1_NONE && sort != CGM_SORT_FENCE) {
		l->tag[x] = 0;
	}
	if (sort == CGM_SORT_FENCE && !l->cfg.coherent)
		cgm_l1_invalidate_all(l);
	cgm_l1_answer(l, now, &m->access, p->data);
}

static void cgm_l1_walked(struct cgm_l1 *l)
{
	const struct cgm_packet *p;

	if (++l->level < l->cfg.walk_levels)
		return;
	l->level = 0;
	/* The access that needs it is still the first. */
	p = cgm_wire_peek(l->from_processor, CGM_LANE_REQUEST, CYCLE_NEVER);
	CHECK(p);
	cgm_tlb_fill(&l->tlb, cgm_tlb_page(&l->tlb, p->block));
}

/* The tag of a walk's read. */
static const uint64_t walk_tag = UINT64_MAX;

static void cgm_l1_take(struct cgm_l1 *l, cycle_t now,
			const struct cgm_packet *p)
{
	uint64_t bit;

	if (p->kind == CGM_L1_INVAL) {
		uint32_t x = cgm_l1_find(l, p->block);

		l->st.invalidations++;
		if (x != L1_NONE)
			l->tag[x] = 0;
		return;
	}
	if (p->tag == walk_tag) {
		l->walking = false;
		cgm_l1_walked(l);
		return;
	}
	bit = UINT64_C(1) << p->tag;
	CHECK(l->used & bit);
	if (l->loads & bit)
		cgm_l1_fill(l, now, (uint32_t)p->tag, p);
	else
		cgm_l1_performed(l, now, &l->miss[p->tag], p);
	l->used &= ~bit;
	l->loads &= ~bit;
	l->kept &= ~bit;
	l->misses--;
}

/*
 * From the processor
 */

static void cgm_l1_send(struct cgm_l1 *l, cycle_t now,
			const struct cgm_packet *access, uint64_t tag)
{
	struct cgm_packet *p = cgm_out_pass(&l->to_below, now + l->cfg.period,
					    CGM_ACCESS, access);

	p->tag = tag;
	p->from = l->cfg.kid;
}

/* Begins the next step of a walk. */
static void cgm_l1_walk(struct cgm_l1 *l, cycle_t now, uint64_t page)
{
	struct cgm_packet walk = { .op = CGM_OP_LOAD,
				   .size = 8,
				   .block = cgm_walk_block(page, l->level,
							   l->cfg.walk_levels),
				   .bare = l->from_below->cfg.bare };

	l->walking = true;
	cgm_l1_send(l, now, &walk, walk_tag);
	l->st.walk_reads++;
}

/* Whether the page is at hand; walks if not. */
static bool cgm_l1_translate(struct cgm_l1 *l, cycle_t now,
			     const struct cgm_packet *p)
{
	uint64_t page = cgm_tlb_page(&l->tlb, p->block);

	if (!l->cfg.translates || p->op == CGM_OP_FENCE)
		return true;
	if (l->walking)
		return false;
	/* Counted once, whatever the steps. */
	if (!l->level && cgm_tlb_lookup(&l->tlb, page))
		return true;
	cgm_l1_walk(l, now, page);
	return false;
}

/* The miss of a load that another may join; NULL: none. */
static struct cgm_l1_miss *cgm_l1_find_miss(const struct cgm_l1 *l,
					    uint64_t block)
{
	for (uint64_t m = l->kept; m; m &= m - 1) {
		int i = __builtin_ctzll(m);

		if (l->miss_block[i] == block)
			return &l->miss[i];
	}
	return NULL;
}

static struct cgm_l1_miss *cgm_l1_new_miss(struct cgm_l1 *l, uint64_t block,
					   bool load)
{
	int i = __builtin_ctzll(~l->used);
	uint64_t bit = UINT64_C(1) << i;

	l->misses++;
	l->used |= bit;
	if (load) {
		l->loads |= bit;
		l->kept |= bit;
	}
	l->miss_block[i] = block;
	l->miss[i].first = l->miss[i].last = L1_NONE;
	return &l->miss[i];
}

static void cgm_l1_wait(struct cgm_l1 *l, struct cgm_l1_miss *m,
			const struct cgm_packet *p)
{
	uint32_t i = l->free_waiter;
	struct cgm_l1_waiter *w = &l->waiter[i];

	l->free_waiter = w->next;
	l->waiting++;
	cgm_packet_copy(&w->access, p);
	w->next = L1_NONE;
	if (m->first == L1_NONE)
		m->first = i;
	else
		l->waiter[m->last].next = i;
	m->last = i;
}

static bool cgm_l1_load(struct cgm_l1 *l, cycle_t now,
			const struct cgm_packet *p)
{
	uint32_t x = cgm_l1_find(l, p->block);
	struct cgm_l1_miss *m;

	if (x != L1_NONE) {
		l->used_at[x] = ++l->clock;
		l->st.hits++;
		cgm_l1_answer(l, now, p, cgm_l1_data(l, x));
		return true;
	}
	m = cgm_l1_find_miss(l, p->block);
	if (l->free_waiter == L1_NONE || (!m && l->misses == l->cfg.mshrs))
		return false;
	if (m) {
		l->st.joins++;
	} else {
		l->st.misses++;
		m = cgm_l1_new_miss(l, p->block, true);
		cgm_l1_send(l, now, p, (uint64_t)(m - l->miss));
	}
	cgm_l1_wait(l, m, p);
	return true;
}

static bool cgm_l1_pass(struct cgm_l1 *l, cycle_t now,
			const struct cgm_packet *p)
{
	struct cgm_l1_miss *m;

	if (l->misses == l->cfg.mshrs)
		return false;
	m = cgm_l1_new_miss(l, p->block, false);
	cgm_packet_copy(&m->access, p);
	l->st.passed++;
	cgm_l1_send(l, now, p, (uint64_t)(m - l->miss));
	return true;
}

/* Processes the processor's first access; false: it has to wait. */
static bool cgm_l1_access(struct cgm_l1 *l, cycle_t now,
			  const struct cgm_packet *p)
{
	/* Each access in flight has a place for its answer. */
	if (cgm_out_room(&l->to_processor, CGM_LANE_REPLY) <=
		    l->misses + l->waiting ||
	    !cgm_out_room(&l->to_below, CGM_LANE_REQUEST))
		return false;
	if (!cgm_l1_translate(l, now, p))
		return false;
	return cgm_ops[p->op].sort == CGM_SORT_READ ? cgm_l1_load(l, now, p) :
						      cgm_l1_pass(l, now, p);
}

/* Those of this cycle; false: one has to wait. */
static bool cgm_l1_accesses(struct cgm_l1 *l, cycle_t now)
{
	for (uint32_t i = 0; i < l->cfg.ports; i++) {
		const struct cgm_packet *p =
			cgm_wire_peek(l->from_processor, CGM_LANE_REQUEST, now);

		if (!p)
			return true;
		if (!cgm_l1_access(l, now, p))
			return false;
		l->st.accesses++;
		cgm_wire_pop(l->from_processor, CGM_LANE_REQUEST, now);
	}
	return true;
}

static cycle_t cgm_l1_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_l1 *l = (struct cgm_l1 *)part;
	uint32_t queued;
	const struct cgm_packet *p;
	bool waits;
	cycle_t next;

	l->st.stalls += cgm_part_rested(part, now);
	part->rest = CYCLE_NEVER;
	p = cgm_wire_peek(l->from_below, CGM_LANE_REPLY, now);
	if (p) {
		cgm_l1_take(l, now, p);
		cgm_wire_pop(l->from_below, CGM_LANE_REPLY, now);
	}
	waits = !cgm_l1_accesses(l, now);
	l->st.stalls += waits;
	queued = l->to_processor.count + l->to_below.count;
	next = min_u64(cgm_out_drain(&l->to_processor, now),
		       cgm_out_drain(&l->to_below, now));
	next = min_u64(next, cgm_wire_next_of(l->from_below, CGM_LANE_REPLY));
	/* Only an answer or room lets an access go on that had to wait. */
	if (waits && l->to_processor.count + l->to_below.count == queued)
		part->rest = now;
	else
		next = min_u64(next, cgm_wire_next_of(l->from_processor,
						      CGM_LANE_REQUEST));
	return max_u64(next, now + 1);
}

static bool cgm_l1_lines(struct cgm_l1 *l, struct arena *a, bool bare)
{
	size_t n = (size_t)l->cfg.sets * l->cfg.ways;

	l->tag = arena_new(a, uint64_t, n);
	l->used_at = arena_new(a, uint64_t, n);
	if (!bare)
		l->data = arena_alloc(a, n, sizeof(*l->data));
	return l->tag && l->used_at && (bare || l->data);
}

enum err cgm_l1_new(struct cgm_l1 **out, struct arena *a,
		    const struct cgm_l1_config *cfg,
		    struct cgm_wire *const processor[2],
		    struct cgm_wire *const below[2], struct diag *d)
{
	struct cgm_l1 *l = arena_new(a, struct cgm_l1, 1);
	uint32_t ports = cfg->ports ? cfg->ports : 1;
	uint32_t room =
		cfg->mshrs + cfg->waiters + ports * (cfg->latency + 1) + 1;

	if (!l)
		return fail(d, ERR_NOMEM, "out of memory");
	CHECK(cfg->mshrs <= CGM_L1_MSHRS);
	l->cfg = *cfg;
	l->cfg.ports = ports;
	l->miss = arena_new(a, struct cgm_l1_miss, cfg->mshrs);
	l->waiter = arena_new(a, struct cgm_l1_waiter, cfg->waiters);
	if (!cgm_l1_lines(l, a, processor[0]->cfg.bare) || !l->miss ||
	    !l->waiter ||
	    !cgm_out_init(&l->to_processor, a, &l->part, processor[1], room) ||
	    !cgm_out_init(&l->to_below, a, &l->part, below[1],
			  cfg->mshrs + ports + 1) ||
	    !cgm_tlb_init(&l->tlb, a, cfg->tlb_sets, cfg->tlb_ways, cfg->page))
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < cfg->waiters; i++)
		l->waiter[i].next = i + 1 < cfg->waiters ? i + 1 : L1_NONE;
	cgm_part_init(&l->part, cgm_l1_step, cfg->period);
	l->from_processor = processor[0];
	l->from_below = below[0];
	l->from_processor->to = l->from_below->to = &l->part;
	*out = l;
	return ERR_OK;
}

bool cgm_l1_is_idle(const struct cgm_l1 *l)
{
	return !l->misses && !l->walking &&
	       cgm_out_is_empty(&l->to_processor) &&
	       cgm_out_is_empty(&l->to_below) &&
	       cgm_wire_is_empty(l->from_processor) &&
	       cgm_wire_is_empty(l->from_below);
}
