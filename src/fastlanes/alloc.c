/*
 * Registers by linear scan: the interval of a value reaches from its first to its
 * last use, without holes. If there are too few registers, the values with the
 * fewest uses for their length go to local memory, and predicates to registers:
 * each use then has a register of its own, for one instruction, and the scan begins
 * anew. A use in a loop counts as eight outside of it.
 */
#include <stdlib.h>
#include <string.h>

#include "fastlanes/ir.h"

/* Instruction i reads at 2 * i and writes at 2 * i + 1. */
struct interval {
	uint32_t value, start, end;
};

struct scan {
	struct fl_build *b;
	struct arena arena;
	struct interval *at; /* by start */
	uint32_t count;
	uint32_t *begin, *end; /* by value; begin FL_NONE: it is not used */
	uint32_t *uses;        /* by value, weighted */
	uint8_t *depth;        /* by instruction: loops around it */
	uint32_t tid;          /* the value that begins in r0 */
	uint8_t *given;        /* by value */
	uint8_t *spilled;      /* by value */
	bool any_spilled;
};

/* ---- intervals --------------------------------------------------------- */

static void widen(struct scan *s, uint32_t v, uint32_t point)
{
	if (s->begin[v] == FL_NONE || s->begin[v] > point)
		s->begin[v] = point;
	if (s->end[v] < point)
		s->end[v] = point;
}

static void widen_set(struct scan *s, const uint64_t *set, uint32_t words,
		      uint32_t point)
{
	for (uint32_t w = 0; w < words; w++)
		for (uint64_t left = set[w]; left; left &= left - 1)
			widen(s, 64 * w + (uint32_t)__builtin_ctzll(left),
			      point);
}

enum { DEPTH_MAX = 4, DEPTH_WEIGHT = 3 /* as a power of two */ };

/* What a branch goes back over is a loop. */
static void find_loops(struct scan *s)
{
	const struct fl_build *b = s->b;

	for (uint32_t i = 0; i < b->count; i++)
		for (uint32_t k = b->ir[i].op == FL_BRA ?
					  b->first[b->ir[i].to] :
					  i + 1;
		     k <= i; k++)
			s->depth[k] += s->depth[k] < DEPTH_MAX;
}

static void count_use(struct scan *s, uint32_t v, uint32_t i)
{
	uint32_t weight = 1u << DEPTH_WEIGHT * s->depth[i];

	s->uses[v] += s->uses[v] < UINT32_MAX - weight ? weight : 0;
}

static void find_intervals(struct scan *s, const struct fl_live *l)
{
	struct fl_refs r;

	for (uint32_t k = 0; k < l->blocks; k++) {
		widen_set(s, l->in + (size_t)k * l->words, l->words,
			  2 * l->start[k]);
		widen_set(s, l->out + (size_t)k * l->words, l->words,
			  2 * l->start[k + 1] - 1);
		for (uint32_t i = l->start[k]; i < l->start[k + 1]; i++) {
			fl_refs(&r, s->b, &s->b->ir[i]);
			for (int j = 0; j < r.reads; j++) {
				widen(s, r.read[j], 2 * i);
				count_use(s, r.read[j], i);
			}
			for (int j = 0; j < r.writes; j++) {
				widen(s, r.write[j], 2 * i + 1);
				count_use(s, r.write[j], i);
			}
		}
	}
}

static int fl_by_start(const void *x, const void *y)
{
	const struct interval *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static void sort_intervals(struct scan *s)
{
	uint32_t values = s->b->regs + s->b->preds;

	for (uint32_t v = 0; v < values; v++) {
		uint32_t start = s->begin[v];

		if (start == FL_NONE)
			continue;
		/* r0 is taken from the beginning, before all others. */
		if (v == s->tid)
			start = 0;
		s->at[s->count++] = (struct interval){ v, start + (v != s->tid),
						       s->end[v] };
	}
	qsort(s->at, s->count, sizeof(*s->at), fl_by_start);
}

/* ---- the scan ---------------------------------------------------------- */

/* The registers or predicates of a thread, and who has them. */
struct file {
	uint32_t size;
	uint32_t value[FL_REGS], end[FL_REGS]; /* value FL_NONE: free */
	uint32_t used;                         /* the highest number, plus 1 */
};

static bool may_spill(const struct scan *s, uint32_t v)
{
	const struct fl_build *b = s->b;

	return (v < b->regs ? b->reg_kind[v] : b->pred_kind[v - b->regs]) !=
	       FL_SHORT;
}

static void mark_spilled(struct scan *s, uint32_t v)
{
	s->spilled[v] = 1;
	s->any_spilled = true;
}

static void give(struct scan *s, struct file *f, uint32_t r,
		 const struct interval *i)
{
	f->value[r] = i->value;
	f->end[r] = i->end;
	s->given[i->value] = (uint8_t)r;
	if (r + 1 > f->used)
		f->used = r + 1;
}

/* Whether it is better to spill x than y: fewer uses for its length. */
static bool better_spill(const struct scan *s, uint32_t x, uint32_t y)
{
	uint64_t dx = s->uses[x] * (uint64_t)(s->end[y] - s->begin[y] + 1);
	uint64_t dy = s->uses[y] * (uint64_t)(s->end[x] - s->begin[x] + 1);

	return dx != dy ? dx < dy : s->end[x] > s->end[y];
}

/* No register is free: a value gives way. */
static void make_room(struct scan *s, struct file *f, const struct interval *i)
{
	uint32_t worst = FL_NONE;

	for (uint32_t r = 0; r < f->size; r++)
		if (may_spill(s, f->value[r]) &&
		    (worst == FL_NONE ||
		     better_spill(s, f->value[r], f->value[worst])))
			worst = r;
	if (may_spill(s, i->value) &&
	    (worst == FL_NONE || better_spill(s, i->value, f->value[worst]))) {
		mark_spilled(s, i->value);
		return;
	}
	CHECK(worst != FL_NONE);
	mark_spilled(s, f->value[worst]);
	give(s, f, worst, i);
}

static void scan_one(struct scan *s, struct file *f, const struct interval *i)
{
	for (uint32_t r = 0; r < f->size; r++)
		/* Starts are one later than the points, for r0's sake. */
		if (f->value[r] == FL_NONE || f->end[r] + 1 < i->start) {
			give(s, f, r, i);
			return;
		}
	make_room(s, f, i);
}

static void fl_scan_all(struct scan *s, struct file *regs, struct file *preds)
{
	memset(regs->value, 0xff, sizeof(regs->value));
	memset(preds->value, 0xff, sizeof(preds->value));
	for (uint32_t i = 0; i < s->count; i++)
		scan_one(s, s->at[i].value < s->b->regs ? regs : preds,
			 &s->at[i]);
}

/* ---- spills ------------------------------------------------------------ */

struct spiller {
	struct scan *s;
	struct fl_build *b;
	const struct fl_ir *old;
	/* By value: offset in local memory, plus 1; of a predicate, the
	 * register that holds it. */
	uint32_t *slot;
	uint32_t old_regs;
	const struct fl_ir *in; /* the one being rewritten */
};

static uint32_t spill_slot(struct spiller *p, uint32_t v)
{
	if (!p->slot[v]) {
		struct fl_place *local = &p->b->local;

		local->bytes = (local->bytes + 3) & ~3u;
		p->slot[v] = local->bytes + 1;
		local->bytes += 4;
	}
	return p->slot[v] - 1;
}

static struct fl_ir *spill_memory(struct spiller *p, enum fl_op op, uint32_t v)
{
	struct fl_ir *in = fl_emit(p->b, op, FL_B32 | FL_MOD_ABS);

	in->ptx = p->in->ptx;
	in->imm = true;
	in->b = spill_slot(p, v);
	return in;
}

static bool is_spilled(const struct spiller *p, uint32_t v)
{
	return v != FL_NONE && p->s->spilled[v];
}

/* A register that has been reloaded before the instruction. */
static uint32_t reload(struct spiller *p, uint32_t r)
{
	uint32_t t;

	if (!is_spilled(p, r))
		return r;
	t = fl_new_reg(p->b, FL_SHORT);
	spill_memory(p, FL_LDL, r)->d = t;
	return t;
}

/* The register that holds a spilled predicate, as 0 or 1. */
static uint32_t pred_home(struct spiller *p, uint32_t v)
{
	if (!p->slot[v])
		p->slot[v] = fl_new_reg(p->b, FL_VALUE) + 1;
	return p->slot[v] - 1;
}

static uint32_t reload_pred(struct spiller *p, uint32_t q)
{
	struct fl_ir *in;
	uint32_t t, home;

	if (q == FL_NONE || !is_spilled(p, p->old_regs + q))
		return q;
	home = pred_home(p, p->old_regs + q);
	t = fl_new_pred(p->b, FL_SHORT);
	in = fl_emit(p->b, FL_ISETP, FL_NE);
	in->ptx = p->in->ptx;
	in->p = t;
	in->a = home;
	in->imm = true;
	in->b = 0;
	return t;
}

static void guard_as(struct fl_ir *in, const struct fl_ir *other)
{
	in->guard = other->guard;
	in->guard_not = other->guard_not;
	in->ptx = other->ptx;
}

/* Stores the register that the instruction `as` has written. */
static void store_reg(struct spiller *p, uint32_t v, uint32_t t,
		      const struct fl_ir *as)
{
	struct fl_ir *in = spill_memory(p, FL_STL, v);

	in->c = t;
	guard_as(in, as);
}

static void store_pred(struct spiller *p, uint32_t v, uint32_t t,
		       const struct fl_ir *as)
{
	uint32_t one = fl_new_reg(p->b, FL_SHORT), home = pred_home(p, v);
	struct fl_ir *in = fl_emit(p->b, FL_MOV, 0);

	in->d = one;
	in->imm = true;
	in->b = 1;
	in->ptx = as->ptx;
	in = fl_emit(p->b, FL_SEL, 0);
	in->d = home;
	in->a = one;
	in->imm = true;
	in->b = 0;
	in->q = t;
	guard_as(in, as);
}

/* Reloads what the instruction reads and stores what it writes. */
static void spill_inst(struct spiller *p, const struct fl_ir *old)
{
	struct fl_ir now = *old, *to;
	uint32_t d = old->d, pred = FL_NONE;

	p->in = old;
	now.a = reload(p, old->a);
	now.c = reload(p, old->c);
	if (!old->imm)
		now.b = old->b == old->a ? now.a : reload(p, old->b);
	now.guard = reload_pred(p, old->guard);
	now.q = reload_pred(p, old->q);
	now.r = reload_pred(p, old->r);
	if (is_spilled(p, d))
		now.d = fl_new_reg(p->b, FL_SHORT);
	if (old->p != FL_NONE && is_spilled(p, p->old_regs + old->p)) {
		pred = p->old_regs + old->p;
		now.p = fl_is_carry(old) && old->mod & FL_MOD_CI ?
				reload_pred(p, old->p) :
				fl_new_pred(p->b, FL_SHORT);
	}
	to = fl_emit(p->b, FL_NOP, 0);
	*to = now;
	if (now.d != d)
		store_reg(p, d, now.d, &now);
	if (pred != FL_NONE && (!fl_is_carry(old) || old->mod & FL_MOD_CO))
		store_pred(p, pred, now.p, &now);
}

static enum err spill(struct scan *s)
{
	struct fl_build *b = s->b;
	uint32_t *first = b->first, count = b->count, next = 0;
	struct spiller p = { .s = s, .b = b, .old = b->ir, .old_regs = b->regs };

	p.slot = arena_new(&s->arena, uint32_t, b->regs + b->preds + 1);
	b->first = arena_new(b->arena, uint32_t, b->f->inst_count + 1);
	if (!p.slot || !b->first)
		return fail(b->d, ERR_NOMEM, "out of memory");
	b->ir = NULL;
	b->count = b->room = 0;
	b->in = NULL;
	b->guard = FL_NONE;
	for (uint32_t i = 0; i < count && !b->failed; i++) {
		while (next <= b->f->inst_count && first[next] <= i)
			b->first[next++] = b->count;
		spill_inst(&p, &p.old[i]);
	}
	return b->failed ? b->d->code : ERR_OK;
}

/* ---- all of it --------------------------------------------------------- */

static enum err scan_room(struct scan *s)
{
	uint32_t values = s->b->regs + s->b->preds + 1;

	s->at = arena_new(&s->arena, struct interval, values);
	s->begin = arena_new(&s->arena, uint32_t, values);
	s->end = arena_new(&s->arena, uint32_t, values);
	s->uses = arena_new(&s->arena, uint32_t, values);
	s->depth = arena_new(&s->arena, uint8_t, s->b->count + 1);
	s->spilled = arena_new(&s->arena, uint8_t, values);
	s->given = arena_new(s->b->arena, uint8_t, values);
	if (!s->at || !s->begin || !s->end || !s->uses || !s->depth ||
	    !s->spilled || !s->given)
		return fail(s->b->d, ERR_NOMEM, "out of memory");
	memset(s->begin, 0xff, values * sizeof(*s->begin));
	return ERR_OK;
}

/* One scan. *again: values were spilled. */
static enum err fl_scan(struct fl_build *b, struct fl_given *out, bool *again)
{
	struct file regs = { .size = FL_REGS }, preds = { .size = FL_PREDS };
	struct scan s = { .b = b, .tid = FL_NONE };
	struct fl_live l;
	enum err e = fl_live(&l, b, &s.arena);

	if (!e)
		e = scan_room(&s);
	if (!e) {
		if (b->count && b->ir[0].op == FL_TID)
			s.tid = b->ir[0].d;
		find_loops(&s);
		find_intervals(&s, &l);
		sort_intervals(&s);
		fl_scan_all(&s, &regs, &preds);
		*again = s.any_spilled;
		*out = (struct fl_given){ s.given, regs.used, preds.used };
		if (s.any_spilled)
			e = spill(&s);
	}
	arena_free(&s.arena);
	return e;
}

enum err fl_alloc(struct fl_build *b, struct fl_given *out)
{
	bool again = true;
	enum err e = ERR_OK;

	while (!e && again)
		e = fl_scan(b, out, &again);
	return e;
}
