/*
 * What the expansion leaves behind: copies of temporaries, copies of copies,
 * operations that change nothing, and words that nothing reads, such as the upper
 * halves of addresses.
 */
#include <string.h>

#include "fastlanes/ir.h"

/* ---- results that are only moved --------------------------------------- */

static bool reads_reg(const struct fl_ir *in, uint32_t r)
{
	return in->a == r || in->c == r || (!in->imm && in->b == r);
}

/* The instruction before `at`, of the same PTX instruction, that writes t, if
 * nothing between them or after them uses t or d; else NULL. */
static struct fl_ir *only_writer(const struct fl_build *b, uint32_t at,
				 uint32_t t, uint32_t d)
{
	uint32_t ptx = b->ir[at].ptx;

	for (uint32_t i = at + 1; i < b->count && b->ir[i].ptx == ptx; i++)
		if (reads_reg(&b->ir[i], t) || b->ir[i].d == t)
			return NULL;
	for (uint32_t i = at; i-- > 0 && b->ir[i].ptx == ptx;) {
		struct fl_ir *in = &b->ir[i];

		if (in->d == t)
			return in->op == FL_TID ? NULL : in;
		if (reads_reg(in, t) || reads_reg(in, d) || in->d == d)
			return NULL;
	}
	return NULL;
}

static void fold_moves(struct fl_build *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		struct fl_ir *move = &b->ir[i], *from;

		if (move->op != FL_MOV || move->imm ||
		    b->reg_kind[move->b] != FL_TEMP)
			continue;
		from = only_writer(b, i, move->b, move->d);
		if (!from)
			continue;
		from->d = move->d;
		move->op = FL_NOP;
		move->d = move->b = FL_NONE;
	}
}

/* ---- copies ------------------------------------------------------------ */

enum { COPIES = 64 }; /* remembered at a time; older ones are forgotten */

struct copies {
	struct {
		uint32_t d;
		struct fl_word from;
	} at[COPIES];
	unsigned count, next;
};

static const struct fl_word *copy_find(const struct copies *c, uint32_t r)
{
	for (unsigned i = 0; i < c->count; i++)
		if (r != FL_NONE && c->at[i].d == r)
			return &c->at[i].from;
	return NULL;
}

/* Forgets copies of r and copies to r. */
static void copy_drop(struct copies *c, uint32_t r)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->at[i].d == r ||
		    (!c->at[i].from.imm && c->at[i].from.v == r))
			c->at[i].d = FL_NONE;
}

static void copy_add(struct copies *c, const struct fl_ir *in)
{
	unsigned i;

	if (!in->imm && in->b == in->d)
		return;
	i = c->next++ % COPIES;
	c->at[i].d = in->d;
	c->at[i].from = (struct fl_word){ in->imm, in->b };
	if (c->count < COPIES)
		c->count++;
}

static bool fl_is_memory(const struct fl_ir *in)
{
	return in->op < FL_OP_COUNT && fl_ops[in->op].unit == FL_UNIT_MEM;
}

/* Replaces the register a; a constant becomes an offset, or changes places. */
static void forward_a(struct fl_ir *in, const struct fl_word *w)
{
	if (!w->imm) {
		in->a = w->v;
	} else if (fl_is_memory(in)) {
		in->b += w->v;
		in->a = FL_NONE;
		in->mod |= FL_MOD_ABS;
	} else if (!in->imm && fl_commutes((enum fl_op)in->op)) {
		in->a = in->b;
		in->b = w->v;
		in->imm = true;
	}
}

static void forward(const struct copies *c, struct fl_ir *in)
{
	const struct fl_word *w;

	if (in->op == FL_SEL && !in->imm && (w = copy_find(c, in->a)) &&
	    w->imm && !copy_find(c, in->b)) {
		/* sel of a constant: the other way round. */
		in->a = in->b;
		in->b = w->v;
		in->imm = true;
		in->q_not = !in->q_not;
	}
	if (!in->imm && (w = copy_find(c, in->b))) {
		in->b = w->v;
		in->imm = w->imm;
	}
	if ((w = copy_find(c, in->a)))
		forward_a(in, w);
	if ((w = copy_find(c, in->c)) && !w->imm)
		in->c = w->v;
}

/* Whether the constant b makes the result a: x + 0, x * 1, x & ~0. */
static bool gives_a(const struct fl_ir *in)
{
	switch (in->op) {
	case FL_IADD:
	case FL_ISUB:
		return !in->b && !in->mod;
	case FL_OR:
	case FL_XOR:
	case FL_SHL:
	case FL_SHR:
		return !in->b;
	case FL_IMUL:
		return in->b == 1;
	case FL_AND:
		return in->b == ~0u;
	default:
		return false;
	}
}

static void simplify(struct fl_ir *in)
{
	if (!in->imm || !gives_a(in))
		return;
	in->op = FL_MOV;
	in->mod = 0;
	in->imm = false;
	in->b = in->a;
	in->a = FL_NONE;
}

/* In each block, in order. */
static void forward_copies(struct fl_build *b, const struct fl_live *l)
{
	for (uint32_t k = 0; k < l->blocks; k++) {
		struct copies c = { .count = 0 };

		for (uint32_t i = l->start[k]; i < l->start[k + 1]; i++) {
			struct fl_ir *in = &b->ir[i];

			if (in->op == FL_NOP)
				continue;
			forward(&c, in);
			simplify(in);
			if (in->d == FL_NONE)
				continue;
			copy_drop(&c, in->d);
			if (in->op == FL_MOV && in->guard == FL_NONE)
				copy_add(&c, in);
		}
	}
}

/* ---- dead code --------------------------------------------------------- */

/* Whether it does something beside writing registers. */
static bool has_effect(const struct fl_ir *in)
{
	switch (in->op) {
	case FL_STG:
	case FL_STS:
	case FL_STL:
	case FL_BRA:
	case FL_EXIT:
	case FL_BAR:
	case FL_TRAP:
	case FL_TID:
		return true;
	default:
		return false;
	}
}

/* Drops the results of an instruction that are not live after it. */
static bool drop_dead(struct fl_build *b, struct fl_ir *in, const uint64_t *set)
{
	bool d = in->d != FL_NONE && fl_is_live(set, in->d);
	bool p = in->p != FL_NONE && fl_is_live(set, b->regs + in->p);

	if (in->op == FL_NOP || has_effect(in))
		return false;
	if (!d && !(p && (!fl_is_carry(in) || in->mod & FL_MOD_CO))) {
		in->op = FL_NOP;
		in->d = in->a = in->b = in->c = FL_NONE;
		in->p = in->q = in->r = in->guard = FL_NONE;
		in->imm = false;
		return true;
	}
	if (fl_is_carry(in) && in->mod & FL_MOD_CO && !p) {
		in->mod &= (uint8_t)~FL_MOD_CO;
		if (!in->mod)
			in->p = FL_NONE;
		return true;
	}
	return false;
}

static bool sweep_block(struct fl_build *b, const struct fl_live *l, uint32_t k,
			uint64_t *set)
{
	bool changed = false;
	struct fl_refs r;

	memcpy(set, l->out + (size_t)k * l->words, l->words * sizeof(*set));
	for (uint32_t i = l->start[k + 1]; i-- > l->start[k];) {
		changed |= drop_dead(b, &b->ir[i], set);
		fl_refs(&r, b, &b->ir[i]);
		fl_step_back(set, &r);
	}
	return changed;
}

/* Removes what has become FL_NOP. */
static void compact(struct fl_build *b)
{
	uint32_t to = 0, next = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		while (next <= b->f->inst_count && b->first[next] <= i)
			b->first[next++] = to;
		if (b->ir[i].op != FL_NOP)
			b->ir[to++] = b->ir[i];
	}
	b->count = to;
}

static enum err fl_sweep(struct fl_build *b)
{
	bool changed = true;
	enum err e = ERR_OK;

	while (!e && changed) {
		struct arena a = { 0 };
		struct fl_live l;
		uint64_t *set;

		changed = false;
		e = fl_live(&l, b, &a);
		set = e ? NULL : arena_new(&a, uint64_t, l.words);
		if (!e && !set)
			e = fail(b->d, ERR_NOMEM, "out of memory");
		for (uint32_t k = 0; !e && k < l.blocks; k++)
			changed |= sweep_block(b, &l, k, set);
		arena_free(&a);
	}
	compact(b);
	return e;
}

enum err fl_clean(struct fl_build *b)
{
	struct arena a = { 0 };
	struct fl_live l;
	enum err e;

	fold_moves(b);
	e = fl_live(&l, b, &a);
	if (!e)
		forward_copies(b, &l);
	arena_free(&a);
	return e ? e : fl_sweep(b);
}
