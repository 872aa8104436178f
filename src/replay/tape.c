/*
 * Replaces the executors of a program by those that record or replay.
 */
#include <string.h>

#include "arch/isa.h"
#include "replay/tape_impl.h"
#include "replay/wave_tape.h"

static void set_executors(const struct program *p, exec_fn *const fns[])
{
	for (uint32_t f = 0; f < p->func_count; f++) {
		const struct code *c = p->funcs[f].code;

		for (uint32_t i = 0; c && c->sites && i < c->count; i++) {
			const struct tape_site *s = &c->sites[i];
			exec_fn *fn = fns ? fns[s->kind] : NULL;

			c->insts[i].exec = fn ? fn : s->plain;
		}
	}
}

/* ---- groups ---- */

/* The facts that an instruction of a group has. */
static uint32_t group_facts_of(const struct inst *in, const struct tape_site *s)
{
	if (!s->reordered || !has_site(s->kind))
		return 0;
	if (s->kind == REPLAY_PRED)
		return (uint32_t)__builtin_popcount(s->recorded);
	return s->kind == REPLAY_TEXELS || records_address(in);
}

/* The place of an instruction's facts in the order of the text. */
static uint64_t text_place(const struct tape_site *s)
{
	return (uint64_t)s->copy << 32 | s->order;
}

/* The instruction behind the last one of the group that begins at `from`. */
static uint32_t group_end(const struct code *c, uint32_t from, uint32_t *facts,
			  bool *in_order)
{
	uint32_t group = c->sites[from].reordered, i = from;
	uint64_t last = 0;

	*facts = 0;
	*in_order = true;
	for (; i < c->count; i++) {
		const struct tape_site *s = &c->sites[i];
		uint32_t n = group_facts_of(&c->insts[i], s);

		if (s->reordered && s->reordered != group)
			break;
		*in_order &= !n || (!s->ahead && !s->apart &&
				    (!*facts || text_place(s) > last));
		last = n ? text_place(s) : last;
		*facts += n;
	}
	return i;
}

/* How many facts of the group come before a place in the text. */
static uint32_t facts_before(const struct code *c, uint32_t from, uint32_t to,
			     uint64_t place)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++)
		if (text_place(&c->sites[i]) < place)
			n += group_facts_of(&c->insts[i], &c->sites[i]);
	return n;
}

static bool has_guards(const struct code *c, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (c->sites[i].apart)
			return true;
	return false;
}

static bool make_guards(struct program *p, struct tape_group *g)
{
	g->guard = arena_new(&p->arena, const struct tape_guard *, g->count);
	return g->guard;
}

static bool tape_make_group(struct program *p, const struct code *c,
			    uint32_t from, uint32_t to, uint32_t facts)
{
	struct tape_group *g = arena_new(&p->arena, struct tape_group, 1);

	if (!g)
		return false;
	g->count = facts;
	g->site = arena_new(&p->arena, uint32_t, facts);
	g->mask = arena_new(&p->arena, bool, facts);
	g->sites = c->sites;
	if (!g->site || !g->mask ||
	    (has_guards(c, from, to) && !make_guards(p, g)))
		return false;
	for (uint32_t i = from; i < to; i++) {
		struct tape_site *s = &c->sites[i];
		uint32_t n = group_facts_of(&c->insts[i], s);

		if (n || s->kind == REPLAY_END)
			s->group = g;
		if (!n)
			continue;
		s->turn = facts_before(c, from, to, text_place(s));
		for (uint32_t k = 0; k < n; k++) {
			g->site[s->turn + k] = s->site + k;
			g->mask[s->turn + k] = s->kind == REPLAY_PRED;
			if (s->apart)
				g->guard[s->turn + k] = s->apart;
		}
	}
	if (facts > p->group_facts)
		p->group_facts = facts;
	return true;
}

/* An instruction that looks at unrolled iterations has their group, which
 * follows. */
static void tape_look_ahead(const struct code *c, uint32_t i)
{
	struct tape_site *s = &c->sites[i];

	for (uint32_t k = i + 1; k < c->count && !s->group; k++)
		s->group = c->sites[k].group;
	CHECK(s->group);
	while (s->group->site[s->turn] != s->site)
		CHECK(++s->turn < s->group->count);
}

static bool make_groups(struct program *p, const struct code *c)
{
	for (uint32_t i = 0; c->sites && i < c->count;) {
		uint32_t facts, end;
		bool in_order;

		if (!c->sites[i].reordered) {
			i++;
			continue;
		}
		end = group_end(c, i, &facts, &in_order);
		if (!in_order && !tape_make_group(p, c, i, end, facts))
			return false;
		i = end;
	}
	for (uint32_t i = 0; c->sites && i < c->count; i++)
		if (c->sites[i].kind == REPLAY_UNROLLED)
			tape_look_ahead(c, i);
	return true;
}

/* Marks the sites of a program, once. */
static enum err mark_once(struct program *p, struct diag *d)
{
	enum err e = p->sited ? ERR_OK : p->isa->mark(p, d);

	for (uint32_t f = 0; !e && !p->sited && f < p->func_count; f++)
		if (p->funcs[f].code && !make_groups(p, p->funcs[f].code))
			e = fail(d, ERR_NOMEM, "out of memory");
	p->sited = !e;
	return e;
}

enum err program_record(struct program *p, struct diag *d)
{
	enum err e;

	if (p->isa->waves)
		return wave_tape_record(p, d);
	e = mark_once(p, d);

	if (!e)
		set_executors(p, record_fn);
	return e;
}

void program_restore(struct program *p)
{
	if (p->isa->waves)
		wave_tape_restore(p);
	else if (p->sited)
		set_executors(p, NULL);
}

/* Removes registers that a replay neither reads nor writes, so that they are
 * not prefetched. */
static void drop_operands(struct inst *in, const struct tape_site *s)
{
	bool all = s->kind == REPLAY_COMPUTE;

	in->a = in->b = SLOT_NONE;
	if (all)
		in->c = in->e = in->d2 = SLOT_NONE;
	if ((all || s->kind != REPLAY_PRED) && in->d != SLOT_NONE)
		in->d = SLOT(SLOT_CONST, 0);
}

static void set_sites(struct code *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct tape_site *s = &c->sites[i];
		struct inst *in = &c->insts[i];

		if (has_site(s->kind) || s->kind == REPLAY_COMPUTE)
			drop_operands(in, s);
		if (has_site(s->kind))
			in->c = SLOT(s->group ? SLOT_GROUPED : SLOT_SREG,
				     s->site);
		if (s->kind == REPLAY_PRED) {
			in->k = s->recorded | (s->whole ? REPLAY_WHOLE : 0);
			in->d = s->operand[0];
			in->d2 = s->operand[1];
		}
	}
}

enum err program_replay(struct program *p, const struct trace *t,
			struct diag *d)
{
	enum err e;

	p->old_trace = trace_is_old(t);
	p->no_sizes = !trace_has_sizes(t);
	if (p->isa->waves)
		return wave_tape_replay(p, d);
	e = mark_once(p, d);
	if (e)
		return e;
	set_executors(p, replay_fn);
	for (uint32_t f = 0; f < p->func_count; f++)
		if (p->funcs[f].code)
			set_sites(p->funcs[f].code);
	return ERR_OK;
}
