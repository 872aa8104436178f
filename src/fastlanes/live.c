#include <string.h>

#include "base/search.h"
#include "fastlanes/ir.h"

static void add_read(struct fl_refs *r, uint32_t v)
{
	if (v != FL_NONE)
		r->read[r->reads++] = v;
}

static void add_write(struct fl_refs *r, uint32_t v, bool kills)
{
	if (v == FL_NONE)
		return;
	r->kills[r->writes] = kills;
	r->write[r->writes++] = v;
}

void fl_refs(struct fl_refs *out, const struct fl_build *b,
	     const struct fl_ir *in)
{
	bool always = in->guard == FL_NONE, carry = fl_is_carry(in);
	uint32_t p = in->p == FL_NONE ? FL_NONE : b->regs + in->p;

	memset(out, 0, sizeof(*out));
	if (in->d != FL_NONE)
		add_write(out, in->d, always || b->reg_kind[in->d] != FL_VALUE);
	if (!carry || in->mod & FL_MOD_CO)
		add_write(out, p,
			  always || (p != FL_NONE &&
				     b->pred_kind[in->p] != FL_VALUE));
	if (carry && in->mod & FL_MOD_CI)
		add_read(out, p);
	add_read(out, in->a);
	if (!in->imm)
		add_read(out, in->b);
	add_read(out, in->c);
	add_read(out, in->guard == FL_NONE ? FL_NONE : b->regs + in->guard);
	add_read(out, in->q == FL_NONE ? FL_NONE : b->regs + in->q);
	add_read(out, in->r == FL_NONE ? FL_NONE : b->regs + in->r);
}

void fl_step_back(uint64_t *set, const struct fl_refs *r)
{
	for (int i = 0; i < r->writes; i++)
		if (r->kills[i])
			set[r->write[i] / 64] &=
				~(UINT64_C(1) << r->write[i] % 64);
	for (int i = 0; i < r->reads; i++)
		set[r->read[i] / 64] |= UINT64_C(1) << r->read[i] % 64;
}

static bool fl_ends_block(const struct fl_ir *in)
{
	return in->op == FL_BRA || in->op == FL_EXIT || in->op == FL_TRAP;
}

/* Marks the first instruction of each block; returns their number. */
static uint32_t fl_find_blocks(const struct fl_build *b, uint8_t *leads)
{
	uint32_t n = 0;

	leads[0] = 1;
	for (uint32_t i = 0; i < b->count; i++) {
		if (b->ir[i].op == FL_BRA)
			leads[b->first[b->ir[i].to]] = 1;
		if (fl_ends_block(&b->ir[i]))
			leads[i + 1] = 1;
	}
	for (uint32_t i = 0; i < b->count; i++)
		n += leads[i];
	return n;
}

static uint32_t block_at(const struct fl_live *l, uint32_t ir)
{
	size_t i;

	SEARCH_FIRST(i, l->blocks, l->start[i] <= ir);
	return i ? (uint32_t)i - 1 : 0;
}

static uint64_t *live_set(const struct fl_live *l, uint64_t *sets, uint32_t b)
{
	return sets + (size_t)b * l->words;
}

/* Adds what is live at the start of block `from` to the set. */
static void add_live(const struct fl_live *l, uint64_t *set, uint32_t from)
{
	const uint64_t *in = live_set(l, l->in, from);

	for (uint32_t w = 0; w < l->words; w++)
		set[w] |= in[w];
}

/* Recomputes a block; returns whether what is live at its start has changed. */
static bool update_block(struct fl_live *l, const struct fl_build *b,
			 uint32_t k, uint64_t *set)
{
	uint64_t *out = live_set(l, l->out, k), *in = live_set(l, l->in, k);
	const struct fl_ir *last = &b->ir[l->start[k + 1] - 1];
	struct fl_refs r;

	if (last->op == FL_BRA)
		add_live(l, out, block_at(l, b->first[last->to]));
	if ((!fl_ends_block(last) || last->guard != FL_NONE) &&
	    k + 1 < l->blocks)
		add_live(l, out, k + 1);
	memcpy(set, out, l->words * sizeof(*set));
	for (uint32_t i = l->start[k + 1]; i-- > l->start[k];) {
		fl_refs(&r, b, &b->ir[i]);
		fl_step_back(set, &r);
	}
	if (!memcmp(set, in, l->words * sizeof(*set)))
		return false;
	memcpy(in, set, l->words * sizeof(*set));
	return true;
}

enum err fl_live(struct fl_live *l, const struct fl_build *b, struct arena *a)
{
	uint8_t *leads = arena_new(a, uint8_t, b->count + 1);
	uint32_t n = leads ? fl_find_blocks(b, leads) : 0, k = 0;
	uint64_t *set;
	bool again = true;

	l->blocks = n;
	l->words = (b->regs + b->preds + 63) / 64;
	l->start = arena_new(a, uint32_t, n + 1);
	l->in = arena_new(a, uint64_t, (size_t)n * l->words);
	l->out = arena_new(a, uint64_t, (size_t)n * l->words);
	set = arena_new(a, uint64_t, l->words);
	if (!leads || !l->start || !l->in || !l->out || !set)
		return fail(b->d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < b->count; i++)
		if (leads[i])
			l->start[k++] = i;
	l->start[n] = b->count;
	while (again) {
		again = false;
		for (uint32_t i = n; i-- > 0;)
			again |= update_block(l, b, i, set);
	}
	return ERR_OK;
}
