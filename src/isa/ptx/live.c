#include "isa/ptx/live.h"

#include <string.h>

#include "isa/ptx/form.h"

enum { NONE = PTX_LIVE_NEVER };

/* Shared by the passes over one function; lives until ptx_live returns. */
struct live_pass {
	struct ptx_live *l;
	const struct ptx_func *f;
	const struct ptx_flow *flow;
	struct arena *keep, scratch;
	uint32_t *block_of;  /* by instruction */
	uint32_t *global;    /* by cell: its bit in the sets, or NONE */
	uint64_t *use, *def; /* by block */
};

/* ---- reads and writes ---- */

struct collector {
	struct live_pass *p;
	uint32_t count;
	uint8_t position;
	bool fill, write;
};

static void put_cell(struct collector *c, uint32_t cell)
{
	if (c->fill)
		c->p->l->ref[c->count] = (struct ptx_live_ref){
			.cell = cell,
			.position = c->position,
			.write = c->write,
		};
	c->count++;
}

static void live_put_reg(struct collector *c, const struct ptx_opnd *o)
{
	uint32_t first = c->p->l->first[o->reg];
	unsigned n = c->p->f->regs[o->reg].vec;

	if (o->elem >= 0) {
		put_cell(c, first + (uint32_t)o->elem);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		put_cell(c, first + i);
}

static void live_put_opnd(struct collector *c, const struct ptx_opnd *o)
{
	switch (o->kind) {
	case PTX_OPND_REG:
		live_put_reg(c, o);
		break;
	case PTX_OPND_MEM:
		live_put_opnd(c, &o->elems[0]);
		break;
	case PTX_OPND_VEC:
	case PTX_OPND_DUAL:
	case PTX_OPND_TEX:
	case PTX_OPND_ARGS:
		for (unsigned i = 0; i < o->count; i++)
			live_put_opnd(c, &o->elems[i]);
		return;
	default:
		break;
	}
	/* Immediates count as positions, too. */
	if (c->position < UINT8_MAX)
		c->position++;
}

/* An operand of form '*' is written if it is the first one; in a call, only if
 * it is a list. */
static bool is_written(const struct ptx_inst *in, const struct ptx_form *form,
		       unsigned i)
{
	unsigned kind = in->opnds[i].kind;

	if (i >= form->slots || kind == PTX_OPND_MEM || kind == PTX_OPND_TEX)
		return false;
	switch (form->slot[i].kind[0]) {
	case 'd':
	case 'p':
	case 'y':
	case 'v':
		return true;
	case '*':
		return i == 0 &&
		       (in->op->op != PTX_OP_CALL || kind == PTX_OPND_ARGS);
	default:
		return false;
	}
}

bool ptx_writes_operand(const struct ptx_inst *in, unsigned i)
{
	return is_written(in, ptx_form_of(in->op->op), i);
}

bool ptx_is_carry(unsigned op)
{
	return ptx_rows[op].carry != PTX_CARRY_NONE;
}

static bool reads_carry(const struct ptx_opcode *op)
{
	return ptx_rows[op->op].carry == PTX_CARRY_ADDS;
}

static bool writes_carry(const struct ptx_opcode *op)
{
	return ptx_is_carry(op->op) && op->attr[PTX_CLASS_CC];
}

static void put_inst_refs(struct collector *c, const struct ptx_inst *in)
{
	const struct ptx_form *form = ptx_form_of(in->op->op);

	c->write = true;
	c->position = 0;
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (is_written(in, form, i))
			live_put_opnd(c, &in->opnds[i]);
	if (writes_carry(in->op))
		put_cell(c, c->p->l->carry);
	c->write = false;
	c->position = 0;
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (!is_written(in, form, i))
			live_put_opnd(c, &in->opnds[i]);
	if (reads_carry(in->op))
		put_cell(c, c->p->l->carry);
	if (in->guard != PTX_NO_REG)
		put_cell(c, c->p->l->first[in->guard]);
}

static uint32_t put_all_refs(struct live_pass *p, bool fill)
{
	struct collector c = { .p = p, .fill = fill };
	uint32_t n = p->f->inst_count;

	for (uint32_t i = 0; i < n; i++) {
		if (fill)
			p->l->at[i] = c.count;
		put_inst_refs(&c, &p->f->insts[i]);
	}
	if (fill)
		p->l->at[n] = c.count;
	return c.count;
}

static bool live_make_cells(struct live_pass *p)
{
	struct ptx_live *l = p->l;
	const struct ptx_func *f = p->f;

	l->first = arena_new(p->keep, uint32_t, f->reg_count + 1);
	if (!l->first)
		return false;
	for (uint32_t i = 0; i < f->reg_count; i++) {
		l->first[i] = l->cells;
		l->cells += f->regs[i].vec;
	}
	l->carry = l->cells++;
	return true;
}

static bool make_refs(struct live_pass *p)
{
	struct ptx_live *l = p->l;

	l->at = arena_new(p->keep, uint32_t, p->f->inst_count + 1);
	l->ref = arena_new(p->keep, struct ptx_live_ref,
			   put_all_refs(p, false) + 1);
	if (!l->at || !l->ref)
		return false;
	put_all_refs(p, true);
	return true;
}

/* ---- liveness ---- */

static uint32_t live_block_end(const struct live_pass *p, uint32_t b)
{
	return ptx_block_end(p->flow, p->f, b);
}

static bool find_blocks(struct live_pass *p)
{
	p->block_of = arena_new(&p->scratch, uint32_t, p->f->inst_count + 1);
	if (!p->block_of)
		return false;
	for (uint32_t b = 0; b < p->flow->block_count; b++)
		for (uint32_t i = p->flow->starts[b]; i < live_block_end(p, b);
		     i++)
			p->block_of[i] = b;
	return true;
}

static bool live_kills(const struct live_pass *p, uint32_t inst)
{
	return ptx_overwrites(&p->f->insts[inst]);
}

/*
 * Most cells are live in one block only: all their references are in it, and
 * the first one is a write. The sets hold the others.
 */
static bool find_globals(struct live_pass *p)
{
	struct ptx_live *l = p->l;
	uint32_t *home = arena_new(&p->scratch, uint32_t, l->cells);

	p->global = arena_new(&p->scratch, uint32_t, l->cells);
	p->l->cell_of = arena_new(p->keep, uint32_t, l->cells);
	if (!home || !p->global || !p->l->cell_of)
		return false;
	memset(p->global, 0xff, l->cells * sizeof(uint32_t));
	for (uint32_t i = 0; i < p->f->inst_count; i++)
		for (uint32_t n = l->at[i + 1] - l->at[i]; n-- > 0;) {
			/* Backwards: its reads come before its writes. */
			const struct ptx_live_ref *r = &l->ref[l->at[i] + n];
			uint32_t b = p->block_of[i] + 1;

			if (p->global[r->cell] != NONE || home[r->cell] == b)
				continue;
			if (!home[r->cell] && r->write && live_kills(p, i)) {
				home[r->cell] = b;
				continue;
			}
			p->l->cell_of[p->l->globals] = r->cell;
			p->global[r->cell] = p->l->globals++;
		}
	p->l->set_words = (p->l->globals + 63) / 64;
	return true;
}

static uint64_t *live_set_of(const struct live_pass *p, uint64_t *sets,
			     uint32_t b)
{
	return sets + (size_t)b * p->l->set_words;
}

static void scan_block(struct live_pass *p, uint32_t b)
{
	uint64_t *use = live_set_of(p, p->use, b),
		 *def = live_set_of(p, p->def, b);
	const struct ptx_live *l = p->l;

	for (uint32_t i = p->flow->starts[b]; i < live_block_end(p, b); i++)
		for (uint32_t n = l->at[i + 1] - l->at[i]; n-- > 0;) {
			const struct ptx_live_ref *r = &l->ref[l->at[i] + n];
			uint32_t g = p->global[r->cell];

			if (g == NONE)
				continue;
			if (r->write && live_kills(p, i))
				def[g / 64] |= UINT64_C(1) << g % 64;
			else if (!r->write && !(def[g / 64] >> g % 64 & 1))
				use[g / 64] |= UINT64_C(1) << g % 64;
		}
}

static bool make_sets(struct live_pass *p)
{
	size_t n = (size_t)p->flow->block_count * p->l->set_words + 1;

	p->use = arena_new(&p->scratch, uint64_t, n);
	p->def = arena_new(&p->scratch, uint64_t, n);
	p->l->in = arena_new(p->keep, uint64_t, n);
	p->l->out = arena_new(p->keep, uint64_t, n);
	if (!p->use || !p->def || !p->l->in || !p->l->out)
		return false;
	for (uint32_t b = 0; b < p->flow->block_count; b++)
		scan_block(p, b);
	return true;
}

static bool live_never_returns(const struct ptx_inst *in)
{
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (in->opnds[i].kind == PTX_OPND_FUNC)
			return in->opnds[i].func->limits.noreturn;
	return false;
}

/* Calls `each` for the blocks that may follow b. */
static void each_successor(const struct live_pass *p, uint32_t b,
			   void (*each)(void *ctx, uint32_t from, uint32_t to),
			   void *ctx)
{
	const struct ptx_func *f = p->f;
	const struct ptx_inst *in = &f->insts[live_block_end(p, b) - 1];
	const uint32_t *labels = NULL;
	uint32_t count = 0;
	bool falls = true;

	switch (in->op->op) {
	case PTX_OP_BRA:
		labels = &in->opnds[0].label;
		count = 1;
		falls = false;
		break;
	case PTX_OP_BRX:
		labels = f->targets[in->opnds[1].targets].labels;
		count = f->targets[in->opnds[1].targets].count;
		falls = false;
		break;
	case PTX_OP_RET:
	case PTX_OP_EXIT:
	case PTX_OP_TRAP:
		falls = false;
		break;
	case PTX_OP_CALL:
		falls = !live_never_returns(in);
		break;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = f->labels[labels[i]].inst;

		if (to < f->inst_count)
			each(ctx, b, p->block_of[to]);
	}
	if ((falls || in->guard != PTX_NO_REG) && b + 1 < p->flow->block_count)
		each(ctx, b, b + 1);
}

/* Predecessors of each block: pred[at[b]...]. */
struct edges {
	uint32_t *at, *pred;
};

static void count_edge(void *ctx, uint32_t from, uint32_t to)
{
	struct edges *e = ctx;

	(void)from;
	e->at[to + 1]++;
}

static void put_edge(void *ctx, uint32_t from, uint32_t to)
{
	struct edges *e = ctx;

	e->pred[e->at[to]++] = from;
}

static bool make_edges(struct live_pass *p, struct edges *e)
{
	uint32_t n = p->flow->block_count;

	e->at = arena_new(&p->scratch, uint32_t, n + 2);
	if (!e->at)
		return false;
	for (uint32_t b = 0; b < n; b++)
		each_successor(p, b, count_edge, e);
	for (uint32_t b = 0; b < n; b++)
		e->at[b + 1] += e->at[b];
	e->pred = arena_new(&p->scratch, uint32_t, e->at[n] + 1);
	if (!e->pred)
		return false;
	for (uint32_t b = 0; b < n; b++)
		each_successor(p, b, put_edge, e);
	/* put_edge has advanced each start to the next one. */
	memmove(e->at + 1, e->at, n * sizeof(uint32_t));
	e->at[0] = 0;
	return true;
}

/* in = use | (out & ~def); returns whether it has grown. */
static bool live_transfer(struct live_pass *p, uint32_t b)
{
	const uint64_t *use = live_set_of(p, p->use, b),
		       *def = live_set_of(p, p->def, b);
	const uint64_t *out = live_set_of(p, p->l->out, b);
	uint64_t *in = live_set_of(p, p->l->in, b), grown = 0;

	for (uint32_t w = 0; w < p->l->set_words; w++) {
		uint64_t v = use[w] | (out[w] & ~def[w]);

		grown |= v ^ in[w];
		in[w] = v;
	}
	return grown != 0;
}

static bool live_merge(struct live_pass *p, uint32_t to, uint32_t from)
{
	uint64_t *out = live_set_of(p, p->l->out, to), grown = 0;
	const uint64_t *in = live_set_of(p, p->l->in, from);

	for (uint32_t w = 0; w < p->l->set_words; w++) {
		grown |= in[w] & ~out[w];
		out[w] |= in[w];
	}
	return grown != 0;
}

/* Iterates backwards over the blocks until nothing changes. A ring holds the
 * blocks whose live-out set has grown. */
static bool live_solve(struct live_pass *p)
{
	uint32_t n = p->flow->block_count, head = 0, waiting = n;
	uint32_t *ring = arena_new(&p->scratch, uint32_t, n + 1);
	bool *queued = arena_new(&p->scratch, bool, n + 1);
	struct edges e;

	if (!ring || !queued || !make_edges(p, &e))
		return false;
	for (uint32_t b = 0; b < n; b++) {
		ring[b] = n - 1 - b;
		queued[b] = true;
	}
	while (waiting) {
		uint32_t b = ring[head];

		head = head + 1 < n ? head + 1 : 0;
		waiting--;
		queued[b] = false;
		if (!live_transfer(p, b))
			continue;
		for (uint32_t i = e.at[b]; i < e.at[b + 1]; i++) {
			uint32_t from = e.pred[i];

			if (!live_merge(p, from, b) || queued[from])
				continue;
			queued[from] = true;
			ring[(head + waiting++) % n] = from;
		}
	}
	return true;
}

/* ---- intervals ---- */

static void live_touch(struct ptx_live *l, uint32_t cell, uint32_t when)
{
	if (when < l->start[cell])
		l->start[cell] = when;
	if (when > l->end[cell])
		l->end[cell] = when;
}

static void touch_set(struct live_pass *p, uint64_t *sets, uint32_t b,
		      uint32_t when)
{
	const uint64_t *set = live_set_of(p, sets, b);
	struct ptx_live *l = p->l;

	for (uint32_t w = 0; w < l->set_words; w++)
		for (uint64_t v = set[w]; v; v &= v - 1)
			live_touch(l, l->cell_of[w * 64 + __builtin_ctzll(v)],
				   when);
}

static bool make_intervals(struct live_pass *p)
{
	struct ptx_live *l = p->l;

	l->start = arena_new(p->keep, uint32_t, l->cells);
	l->end = arena_new(p->keep, uint32_t, l->cells);
	if (!l->start || !l->end)
		return false;
	memset(l->start, 0xff, l->cells * sizeof(uint32_t));
	for (uint32_t i = 0; i < p->f->inst_count; i++)
		for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++)
			live_touch(l, l->ref[k].cell, 2 * i + l->ref[k].write);
	for (uint32_t b = 0; b < p->flow->block_count; b++) {
		touch_set(p, l->in, b, 2 * p->flow->starts[b]);
		touch_set(p, l->out, b, 2 * live_block_end(p, b) - 1);
	}
	return true;
}

enum err ptx_live(struct ptx_live *out, const struct ptx_func *f,
		  const struct ptx_flow *flow, struct arena *a, struct diag *d)
{
	struct live_pass p = { .l = out, .f = f, .flow = flow, .keep = a };
	bool ok;

	memset(out, 0, sizeof(*out));
	ok = live_make_cells(&p) && make_refs(&p) && find_blocks(&p) &&
	     find_globals(&p) && make_sets(&p) && live_solve(&p) &&
	     make_intervals(&p);
	arena_free(&p.scratch);
	if (!ok)
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	return ERR_OK;
}
