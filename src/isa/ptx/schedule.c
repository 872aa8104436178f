#include "isa/ptx/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/ptx/combine.h"
#include "isa/ptx/layout.h"
#include "isa/ptx/predicate.h"
#include "isa/ptx/schedule_graph.h"
#include "isa/ptx/unroll.h"

/* ---- registers in use ---- */

/* By how much the registers in use change when the node is placed. */
static int pressure_change(const struct plan *p, uint32_t node)
{
	int change = 0;

	for (uint32_t u = p->use_at[node]; u < p->use_at[node + 1]; u++) {
		const struct plan_value *v = &p->value[p->use[u].value];
		uint32_t here = 0;

		if (p->use[u].write) {
			change += v->reads || v->stays ? v->words : 0;
			continue;
		}
		/* A value that it reads twice is freed once. */
		for (uint32_t k = p->use_at[node]; k <= u; k++)
			here += !p->use[k].write &&
				p->use[k].value == p->use[u].value;
		if (v->reads == here && !v->stays)
			change -= v->words;
	}
	return change;
}

/* The same of a load and those that are merged into it. */
static int pressure_of_all(const struct plan *p, uint32_t node)
{
	int change = 0;

	for (; node != PLAN_NONE; node = p->node[node].follower)
		change += pressure_change(p, node);
	return change;
}

static void place_reads(struct plan *p, uint32_t node)
{
	for (uint32_t u = p->use_at[node]; u < p->use_at[node + 1]; u++)
		if (!p->use[u].write)
			p->value[p->use[u].value].reads--;
}

/* ---- list scheduling ---- */

struct plan_state {
	uint32_t *ready, ready_count; /* nodes all of whose predecessors are
					 placed */
	uint32_t *order;              /* nodes as placed */
	uint32_t placed;
	uint32_t now; /* cycle */
	int used;     /* registers */
};

/* Whether node a goes before node b, which both can be placed. */
static bool goes_first(const struct plan *p, const struct plan_state *s,
		       uint32_t a, uint32_t b)
{
	const struct plan_node *x = &p->node[a], *y = &p->node[b];
	uint32_t at = x->earliest > s->now ? x->earliest : s->now;
	uint32_t bt = y->earliest > s->now ? y->earliest : s->now;

	if (at != bt)
		return at < bt;
	if (x->height != y->height)
		return x->height > y->height;
	return a < b;
}

/* The index in s->ready of the next node. If the registers do not suffice for
 * any of them, the first of those that need the fewest. */
static uint32_t plan_choose(const struct plan *p, const struct plan_state *s)
{
	uint32_t best = PLAN_NONE, least = 0;
	int min = INT32_MAX;

	for (uint32_t i = 0; i < s->ready_count; i++) {
		uint32_t node = s->ready[i];
		int change = pressure_of_all(p, node);

		if (change < min || (change == min && node < s->ready[least])) {
			min = change;
			least = i;
		}
		if (change > 0 && s->used + change > (int)p->limit)
			continue;
		if (best == PLAN_NONE || goes_first(p, s, node, s->ready[best]))
			best = i;
	}
	return best != PLAN_NONE ? best : least;
}

static uint32_t index_in_ready(const struct plan_state *s, uint32_t node)
{
	uint32_t i = 0;

	while (s->ready[i] != node)
		i++;
	return i;
}

static void place_node(struct plan *p, struct plan_state *s, uint32_t at)
{
	uint32_t node = s->ready[at];
	struct plan_node *n = &p->node[node];

	s->ready[at] = s->ready[--s->ready_count];
	s->now = n->earliest > s->now ? n->earliest : s->now;
	s->used += pressure_change(p, node);
	place_reads(p, node);
	for (uint32_t e = n->edges; e; e = p->edge[e - 1].next) {
		struct plan_node *to = &p->node[p->edge[e - 1].to];
		uint32_t when = s->now + p->edge[e - 1].latency;

		to->earliest = when > to->earliest ? when : to->earliest;
		if (!--to->waits)
			s->ready[s->ready_count++] = p->edge[e - 1].to;
	}
	s->order[s->placed++] = node;
	s->now += !n->folded;
}

static void plan_list(struct plan *p, struct plan_state *s)
{
	s->ready_count = s->placed = s->now = 0;
	s->used = p->live->before[p->first];
	for (uint32_t i = 0; i < p->count; i++)
		if (!p->node[i].waits)
			s->ready[s->ready_count++] = i;
	while (s->ready_count) {
		uint32_t at = plan_choose(p, s), node = s->ready[at];

		place_node(p, s, at);
		while ((node = p->node[node].follower) != PLAN_NONE)
			place_node(p, s, index_in_ready(s, node));
	}
}

/* ---- functions ---- */

/* The function's instructions in their new order. */
struct plan_result {
	struct ptx_inst *insts;
	uint32_t *place, *group;
	uint16_t *copy; /* NULL: no loop is unrolled */
	uint8_t *fold;
};

/* Steps backwards over the instructions of the region. */
static void leave_region(struct plan *p)
{
	const struct time_live *l = p->live;

	for (uint32_t i = p->first + p->count; i-- > p->first;) {
		bool kills = ptx_overwrites(&p->f->insts[i]);

		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++)
			if (l->ref[r].write && kills)
				p->now[l->ref[r].cell] = false;
		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++)
			if (!l->ref[r].write)
				p->now[l->ref[r].cell] = true;
	}
}

static void place_inst(const struct plan *p, uint32_t node, uint32_t at,
		       struct plan_result *to)
{
	uint32_t from = p->first + node;

	to->insts[at] = p->f->insts[from];
	to->place[at] = p->f->place ? p->f->place[from] : from;
	to->group[at] = p->node[node].group;
	to->fold[at] = p->fold[from];
	if (to->copy)
		to->copy[at] = p->f->copy[from];
}

static bool plan_region(struct plan *p, struct plan_state *s,
			struct plan_result *to)
{
	if (p->count > 1 || p->f->insts[p->first].apart) {
		if (!plan_graph(p))
			return false;
		plan_list(p, s);
		for (uint32_t i = 0; i < p->count; i++) {
			uint32_t node = s->order[i], at = p->first + i;

			place_inst(p, node, at, to);
		}
	}
	leave_region(p);
	return true;
}

/* The regions of a block, from the last to the first, because liveness is known
 * at the end. */
static bool plan_block(struct plan *p, struct plan_state *s, uint32_t from,
		       uint32_t to, struct plan_result *result)
{
	uint32_t end = to;

	for (uint32_t i = to; i-- > from;) {
		bool wall = plan_class_of(p->f, &p->f->insts[i]) == PLAN_WALL;

		if (!wall && i > from && end - i < PLAN_REGION)
			continue;
		p->first = wall ? i + 1 : i;
		p->count = end - p->first;
		if (p->count && !plan_region(p, s, result))
			return false;
		p->first = i;
		p->count = wall;
		leave_region(p);
		end = i;
	}
	return true;
}

/* The maximum number of references of PLAN_REGION instructions. */
static uint32_t region_refs(const struct plan *p)
{
	const uint32_t *at = p->live->at;
	uint32_t n = p->f->inst_count, max = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t end = n - i < PLAN_REGION ? n : i + PLAN_REGION;

		max = at[end] - at[i] > max ? at[end] - at[i] : max;
	}
	return max;
}

static bool plan_alloc(struct plan *p, struct plan_state *s, struct arena *a)
{
	/* A write with a guard is a read, too; either may be a new value. */
	uint32_t refs = 2 * region_refs(p) + 1, cells = p->live->cells;

	p->now = arena_new(a, bool, cells);
	p->value_of = arena_new(a, uint32_t, cells);
	p->seen = arena_new(a, uint32_t, cells);
	p->node = arena_new(a, struct plan_node, PLAN_REGION);
	p->value = arena_new(a, struct plan_value, refs);
	p->reader = arena_new(a, struct plan_reader, refs);
	p->use = arena_new(a, struct plan_use, refs);
	p->use_at = arena_new(a, uint32_t, PLAN_REGION + 1);
	p->shared = arena_new(a, struct plan_shared, PLAN_REGION);
	s->ready = arena_new(a, uint32_t, PLAN_REGION);
	s->order = arena_new(a, uint32_t, PLAN_REGION);
	return p->now && p->value_of && p->seen && p->node && p->value &&
	       p->reader && p->use && p->use_at && p->shared && s->ready &&
	       s->order;
}

/* The function's text, for what is not reordered, in memory of the module. */
static bool plan_copy_text(struct plan_result *to, const struct ptx_func *f,
			   const uint8_t *fold, struct arena *a)
{
	uint32_t n = f->inst_count;

	to->insts = arena_new(a, struct ptx_inst, n);
	to->place = arena_new(a, uint32_t, n);
	to->group = arena_new(a, uint32_t, n);
	to->fold = arena_new(a, uint8_t, n);
	to->copy = f->copy ? arena_new(a, uint16_t, n) : NULL;
	if (!to->insts || !to->place || !to->group || !to->fold ||
	    (f->copy && !to->copy))
		return false;
	memcpy(to->fold, fold, n);
	memcpy(to->insts, f->insts, n * sizeof(*to->insts));
	for (uint32_t i = 0; i < n; i++)
		to->place[i] = f->place ? f->place[i] : i;
	if (f->copy)
		memcpy(to->copy, f->copy, n * sizeof(*to->copy));
	return true;
}

static void set_live_out(struct plan *p, const struct ptx_live *x, uint32_t b)
{
	const uint64_t *out = x->out + (size_t)b * x->set_words;

	memset(p->now, 0, p->live->cells * sizeof(bool));
	for (uint32_t w = 0; w < x->set_words; w++)
		for (uint64_t v = out[w]; v; v &= v - 1)
			p->now[x->cell_of[w * 64 + __builtin_ctzll(v)]] = true;
}

static bool plan_blocks(struct plan *p, const struct ptx_flow *flow,
			const struct ptx_live *x, struct arena *scratch,
			struct plan_result *to)
{
	struct plan_state s;

	if (!plan_alloc(p, &s, scratch))
		return false;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		set_live_out(p, x, b);
		if (!plan_block(p, &s, flow->starts[b],
				ptx_block_end(flow, p->f, b), to))
			return false;
	}
	return true;
}

/* What is known of a function: registers, blocks, what is folded. */
struct plan_facts {
	struct time_live live;
	struct ptx_flow flow;
	struct ptx_live x;
	uint8_t *fold;
};

static enum err find_facts(struct plan_facts *out, const struct ptx_func *f,
			   const struct cfg *cfg, struct arena *scratch,
			   struct diag *d)
{
	enum err e = time_live_analyse(&out->live, scratch, f, cfg, d);

	if (!e)
		e = ptx_flow(&out->flow, f, scratch, d);
	if (!e)
		e = ptx_live(&out->x, f, &out->flow, scratch, d);
	if (e)
		return e;
	out->fold = fold_find(f, &out->live, scratch);
	if (!out->fold)
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	for (uint32_t i = 0; f->counts && i < f->inst_count; i++)
		if (f->counts[i])
			out->fold[i] = FOLD_AWAY;
	return ERR_OK;
}

/* Finds what is known of the text, moves blocks, replaces branches, unrolls
 * loops, and finds out the same of the result. */
static enum err transform_func(struct plan_facts *k, struct ptx_module *m,
			       struct ptx_func *f, const struct cfg *cfg,
			       struct arena *scratch, struct diag *d)
{
	enum err e = find_facts(k, f, cfg, scratch, d);
	bool changed = false;

	if (!e)
		e = layout_blocks(m, f, &k->flow, &changed, scratch, d);
	if (!e && changed)
		e = find_facts(k, f, cfg, scratch, d);
	changed = false;
	if (!e)
		e = predicate_branches(m, f, &k->flow, &k->x, k->fold, &changed,
				       scratch, d);
	if (!e && changed)
		e = find_facts(k, f, cfg, scratch, d);
	if (!e)
		e = unroll_loops(m, f, &k->flow, &k->live, k->fold, scratch, d);
	if (!e && f->unrolls)
		e = find_facts(k, f, cfg, scratch, d);
	f->text_max = k->live.max;
	f->text_demand = k->live.demand;
	return e;
}

static enum err schedule_func(struct ptx_module *m, struct ptx_func *f,
			      const struct cfg *cfg, struct arena *scratch,
			      struct diag *d)
{
	struct plan_result to;
	struct plan_facts k;
	struct plan p = { .f = f, .cfg = cfg, .live = &k.live };
	enum err e = transform_func(&k, m, f, cfg, scratch, d);
	bool ok;

	if (e)
		return e;
	p.limit = (uint32_t)min_u64(k.live.room, time_register_limit(f, cfg));
	p.fold = k.fold;
	p.low = lowbits_find(f, &k.live, scratch);
	ok = p.low &&
	     combine_atomics(k.fold, f, &k.flow, &k.x, &k.live, cfg, scratch) &&
	     plan_copy_text(&to, f, p.fold, &m->arena) &&
	     plan_blocks(&p, &k.flow, &k.x, scratch, &to);
	free(p.edge);
	if (!ok)
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	if (!f->text)
		f->text = f->insts;
	f->insts = to.insts;
	f->place = to.place;
	f->group = to.group;
	f->copy = to.copy;
	f->counts = NULL;
	f->fold = to.fold;
	return ERR_OK;
}

enum err ptx_schedule(struct ptx_module *m, const struct cfg *cfg,
		      struct diag *d)
{
	enum err e = ERR_OK;

	if (!cfg->sm.compiled)
		return ERR_OK;
	for (struct ptx_func *f = m->funcs; f && !e; f = f->next) {
		struct arena scratch = { 0 };

		if (f->has_body && !f->refused && f->inst_count)
			e = schedule_func(m, f, cfg, &scratch, d);
		arena_free(&scratch);
	}
	return e;
}
