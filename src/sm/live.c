#include "sm/live.h"

#include <string.h>

#include "isa/ptx/flow.h"
#include "isa/ptx/form.h"

/* From Turing on, SMs compute uniform values beside the lanes. */
enum { UNIFORM_CAPABILITY = 75 };

enum { NONE = 0xffffffffu };

/* What the passes over one function share; lives until live_of returns. */
struct pass {
	struct live *l;
	const struct ptx_func *f;
	const struct cfg *cfg;
	struct arena *keep, scratch;
	struct ptx_flow flow;
	uint32_t *block_of; /* by instruction */
	uint32_t *global;   /* by cell: its bit in the sets, or NONE */
	uint32_t *cell_of;  /* by bit */
	uint32_t globals;
	uint32_t set_words;             /* 64-bit words of a set */
	uint64_t *use, *def, *in, *out; /* by block */
	uint32_t *start, *end;   /* by cell: interval in half instructions */
	bool *now;               /* by cell: live where the walk stands */
	uint16_t *before;        /* by instruction: 32-bit registers live */
	uint32_t *use_at, *uses; /* by cell: instructions that read it */
};

/* ---- what an instruction reads and writes ---- */

struct collector {
	struct pass *p;
	uint32_t count;
	uint8_t position;
	bool fill, write;
};

static void put_cell(struct collector *c, uint32_t cell)
{
	if (c->fill)
		c->p->l->ref[c->count] = (struct live_ref){
			.cell = cell,
			.position = c->position,
			.write = c->write,
		};
	c->count++;
}

static void put_reg(struct collector *c, const struct ptx_opnd *o)
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

static void put_opnd(struct collector *c, const struct ptx_opnd *o)
{
	switch (o->kind) {
	case PTX_OPND_REG:
		put_reg(c, o);
		break;
	case PTX_OPND_MEM:
		put_opnd(c, &o->elems[0]);
		break;
	case PTX_OPND_VEC:
	case PTX_OPND_DUAL:
	case PTX_OPND_TEX:
	case PTX_OPND_ARGS:
		for (unsigned i = 0; i < o->count; i++)
			put_opnd(c, &o->elems[i]);
		return;
	default:
		break;
	}
	/* Immediates have a position, too. */
	if (c->position < UINT8_MAX)
		c->position++;
}

/* Of the rows that leave an operand open, those whose first is open write it;
 * a call only when it is a list. */
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

static bool is_carry(unsigned op)
{
	static const bool carry[PTX_OP_COUNT] = {
#define CARRY2(id, ...) [PTX_OP_##id] = true,
#define CARRY3(id, ...) [PTX_OP_##id] = true,
#include "isa/ptx/ptx.def"
	};

	return carry[op];
}

/* A row whose .cc may be left out has the carry to add: without either it
 * would be another row. */
static bool reads_carry(const struct ptx_opcode *op)
{
	return is_carry(op->op) && strstr(ptx_rows[op->op].pattern, "{.CC}");
}

static bool writes_carry(const struct ptx_opcode *op)
{
	return is_carry(op->op) && op->attr[PTX_CLASS_CC];
}

static void put_inst(struct collector *c, const struct ptx_inst *in)
{
	const struct ptx_form *form = ptx_form_of(in->op->op);

	c->write = true;
	c->position = 0;
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (is_written(in, form, i))
			put_opnd(c, &in->opnds[i]);
	if (writes_carry(in->op))
		put_cell(c, c->p->l->carry);
	c->write = false;
	c->position = 0;
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (!is_written(in, form, i))
			put_opnd(c, &in->opnds[i]);
	if (reads_carry(in->op))
		put_cell(c, c->p->l->carry);
	if (in->guard != PTX_NO_REG)
		put_cell(c, c->p->l->first[in->guard]);
}

static uint32_t put_all(struct pass *p, bool fill)
{
	struct collector c = { .p = p, .fill = fill };
	uint32_t n = p->f->inst_count;

	for (uint32_t i = 0; i < n; i++) {
		if (fill)
			p->l->at[i] = c.count;
		put_inst(&c, &p->f->insts[i]);
	}
	if (fill)
		p->l->at[n] = c.count;
	return c.count;
}

static uint8_t words_of(enum ptx_type t)
{
	if (t == PTX_PRED)
		return 0;
	return (uint8_t)((ptx_types[t].bytes + 3) / 4);
}

static bool make_cells(struct pass *p)
{
	struct live *l = p->l;
	const struct ptx_func *f = p->f;

	l->first = arena_new(p->keep, uint32_t, f->reg_count + 1);
	if (!l->first)
		return false;
	for (uint32_t i = 0; i < f->reg_count; i++) {
		l->first[i] = l->cells;
		l->cells += f->regs[i].vec;
	}
	l->carry = l->cells++;
	l->words = arena_new(p->keep, uint8_t, l->cells);
	l->home = arena_new(p->keep, uint16_t, l->cells);
	if (!l->words || !l->home)
		return false;
	for (uint32_t i = 0; i < f->reg_count; i++)
		for (unsigned k = 0; k < f->regs[i].vec; k++)
			l->words[l->first[i] + k] = words_of(f->regs[i].type);
	return true;
}

static bool make_refs(struct pass *p)
{
	struct live *l = p->l;
	uint32_t n = p->f->inst_count;

	l->at = arena_new(p->keep, uint32_t, n + 1);
	l->ref = arena_new(p->keep, struct live_ref, put_all(p, false) + 1);
	l->leads = arena_new(p->keep, bool, n + 1);
	l->dead = arena_new(p->keep, bool, n + 1);
	l->held = arena_new(p->keep, uint16_t, n + 1);
	if (!l->at || !l->ref || !l->leads || !l->dead || !l->held)
		return false;
	put_all(p, true);
	return true;
}

/* ---- values that need no register ---- */

static bool is_uniform_sreg(uint32_t s)
{
	switch (s) {
	case PTX_SREG_NTID_X:
	case PTX_SREG_NTID_Y:
	case PTX_SREG_NTID_Z:
	case PTX_SREG_NCTAID_X:
	case PTX_SREG_NCTAID_Y:
	case PTX_SREG_NCTAID_Z:
	case PTX_SREG_CTAID_X:
	case PTX_SREG_CTAID_Y:
	case PTX_SREG_CTAID_Z:
		return true;
	default:
		return false;
	}
}

/* A source that is at hand without a register. */
static bool is_at_hand(const struct pass *p, const struct ptx_opnd *o,
		       const bool *at_hand)
{
	switch (o->kind) {
	case PTX_OPND_IMM:
	case PTX_OPND_VAR:
	case PTX_OPND_FUNC:
		return true;
	case PTX_OPND_REG:
		return o->elem < 0 && at_hand[p->l->first[o->reg]];
	case PTX_OPND_SREG:
		return is_uniform_sreg(o->sreg);
	default:
		return false;
	}
}

static bool is_param_load(const struct pass *p, const struct ptx_inst *in)
{
	unsigned ss = in->op->attr[PTX_CLASS_SS];

	return p->f->is_entry && in->op->op == PTX_OP_LD &&
	       (ss == PTX_SS_PARAM || ss == PTX_SS_PARAM_ENTRY) &&
	       in->opnds[1].elems[0].kind == PTX_OPND_VAR;
}

/* What a uniform datapath can compute. */
static bool is_uniform_op(const struct pass *p, unsigned op)
{
	const struct ptx_row *row = &ptx_rows[op];

	return p->cfg->gpu.capability >= UNIFORM_CAPABILITY &&
	       row->class == PTX_ROW_LANE && row->unit == PTX_UNIT_INT &&
	       (row->lat == PTX_LAT_ALU || row->lat == PTX_LAT_MAD) &&
	       !is_carry(op);
}

static bool makes_constant(const struct pass *p, const struct ptx_inst *in,
			   const bool *at_hand)
{
	unsigned op = in->op->op;

	if (in->guard != PTX_NO_REG || !in->opnd_count)
		return false;
	if (is_param_load(p, in))
		return true;
	if (op != PTX_OP_MOV && op != PTX_OP_CVTA && op != PTX_OP_CVTA_TO &&
	    !is_uniform_op(p, op))
		return false;
	for (unsigned i = 1; i < in->opnd_count; i++)
		if (!is_at_hand(p, &in->opnds[i], at_hand))
			return false;
	return true;
}

/* Takes the registers from cells written once, with what is at hand. */
static bool fold_constants(struct pass *p)
{
	struct live *l = p->l;
	bool *at_hand = arena_new(&p->scratch, bool, l->cells);
	uint32_t *defs = arena_new(&p->scratch, uint32_t, l->cells);

	if (!at_hand || !defs)
		return false;
	for (uint32_t r = 0; r < l->at[p->f->inst_count]; r++)
		defs[l->ref[r].cell] += l->ref[r].write;
	for (uint32_t i = 0; i < p->f->inst_count; i++) {
		if (!makes_constant(p, &p->f->insts[i], at_hand))
			continue;
		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++) {
			uint32_t cell = l->ref[r].cell;

			if (!l->ref[r].write || defs[cell] != 1)
				continue;
			at_hand[cell] = true;
			l->words[cell] = 0;
		}
	}
	return true;
}

/* ---- liveness ---- */

static uint32_t block_end(const struct pass *p, uint32_t b)
{
	return b + 1 < p->flow.block_count ? p->flow.starts[b + 1] :
					     p->f->inst_count;
}

static bool find_blocks(struct pass *p)
{
	p->block_of = arena_new(&p->scratch, uint32_t, p->f->inst_count + 1);
	if (!p->block_of)
		return false;
	for (uint32_t b = 0; b < p->flow.block_count; b++) {
		p->l->leads[p->flow.starts[b]] = true;
		for (uint32_t i = p->flow.starts[b]; i < block_end(p, b); i++)
			p->block_of[i] = b;
	}
	return true;
}

static bool kills(const struct pass *p, uint32_t inst)
{
	return p->f->insts[inst].guard == PTX_NO_REG;
}

/*
 * Most cells live in one block only: those whose references are all in one
 * and that are written first. The sets hold the others.
 */
static bool find_globals(struct pass *p)
{
	struct live *l = p->l;
	uint32_t *home = arena_new(&p->scratch, uint32_t, l->cells);

	p->global = arena_new(&p->scratch, uint32_t, l->cells);
	p->cell_of = arena_new(&p->scratch, uint32_t, l->cells);
	if (!home || !p->global || !p->cell_of)
		return false;
	memset(p->global, 0xff, l->cells * sizeof(uint32_t));
	for (uint32_t i = 0; i < p->f->inst_count; i++)
		for (uint32_t n = l->at[i + 1] - l->at[i]; n-- > 0;) {
			/* Backwards: what it reads comes first. */
			const struct live_ref *r = &l->ref[l->at[i] + n];
			uint32_t b = p->block_of[i] + 1;

			if (p->global[r->cell] != NONE || home[r->cell] == b)
				continue;
			if (!home[r->cell] && r->write && kills(p, i)) {
				home[r->cell] = b;
				continue;
			}
			p->cell_of[p->globals] = r->cell;
			p->global[r->cell] = p->globals++;
		}
	p->set_words = (p->globals + 63) / 64;
	return true;
}

static uint64_t *set_of(const struct pass *p, uint64_t *sets, uint32_t b)
{
	return sets + (size_t)b * p->set_words;
}

static void scan_block(struct pass *p, uint32_t b)
{
	uint64_t *use = set_of(p, p->use, b), *def = set_of(p, p->def, b);
	const struct live *l = p->l;

	for (uint32_t i = p->flow.starts[b]; i < block_end(p, b); i++)
		for (uint32_t n = l->at[i + 1] - l->at[i]; n-- > 0;) {
			const struct live_ref *r = &l->ref[l->at[i] + n];
			uint32_t g = p->global[r->cell];

			if (g == NONE)
				continue;
			if (r->write && kills(p, i))
				def[g / 64] |= UINT64_C(1) << g % 64;
			else if (!r->write && !(def[g / 64] >> g % 64 & 1))
				use[g / 64] |= UINT64_C(1) << g % 64;
		}
}

static bool make_sets(struct pass *p)
{
	size_t n = (size_t)p->flow.block_count * p->set_words + 1;

	p->use = arena_new(&p->scratch, uint64_t, n);
	p->def = arena_new(&p->scratch, uint64_t, n);
	p->in = arena_new(&p->scratch, uint64_t, n);
	p->out = arena_new(&p->scratch, uint64_t, n);
	if (!p->use || !p->def || !p->in || !p->out)
		return false;
	for (uint32_t b = 0; b < p->flow.block_count; b++)
		scan_block(p, b);
	return true;
}

static bool never_returns(const struct ptx_inst *in)
{
	for (unsigned i = 0; i < in->opnd_count; i++)
		if (in->opnds[i].kind == PTX_OPND_FUNC)
			return in->opnds[i].func->limits.noreturn;
	return false;
}

/* Calls `each` for the blocks that may follow b. */
static void successors(const struct pass *p, uint32_t b,
		       void (*each)(void *ctx, uint32_t from, uint32_t to),
		       void *ctx)
{
	const struct ptx_func *f = p->f;
	const struct ptx_inst *in = &f->insts[block_end(p, b) - 1];
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
		falls = !never_returns(in);
		break;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = f->labels[labels[i]].inst;

		if (to < f->inst_count)
			each(ctx, b, p->block_of[to]);
	}
	if ((falls || in->guard != PTX_NO_REG) && b + 1 < p->flow.block_count)
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

static bool make_edges(struct pass *p, struct edges *e)
{
	uint32_t n = p->flow.block_count;

	e->at = arena_new(&p->scratch, uint32_t, n + 2);
	if (!e->at)
		return false;
	for (uint32_t b = 0; b < n; b++)
		successors(p, b, count_edge, e);
	for (uint32_t b = 0; b < n; b++)
		e->at[b + 1] += e->at[b];
	e->pred = arena_new(&p->scratch, uint32_t, e->at[n] + 1);
	if (!e->pred)
		return false;
	for (uint32_t b = 0; b < n; b++)
		successors(p, b, put_edge, e);
	/* put_edge has moved each start to the next one's. */
	memmove(e->at + 1, e->at, n * sizeof(uint32_t));
	e->at[0] = 0;
	return true;
}

/* in = use | (out & ~def); true: it has grown. */
static bool transfer(struct pass *p, uint32_t b)
{
	const uint64_t *use = set_of(p, p->use, b), *def = set_of(p, p->def, b);
	const uint64_t *out = set_of(p, p->out, b);
	uint64_t *in = set_of(p, p->in, b), grown = 0;

	for (uint32_t w = 0; w < p->set_words; w++) {
		uint64_t v = use[w] | (out[w] & ~def[w]);

		grown |= v ^ in[w];
		in[w] = v;
	}
	return grown != 0;
}

static bool merge(struct pass *p, uint32_t to, uint32_t from)
{
	uint64_t *out = set_of(p, p->out, to), grown = 0;
	const uint64_t *in = set_of(p, p->in, from);

	for (uint32_t w = 0; w < p->set_words; w++) {
		grown |= in[w] & ~out[w];
		out[w] |= in[w];
	}
	return grown != 0;
}

/* Backwards over the blocks until nothing changes; a ring holds those whose
 * live-out set has grown. */
static bool solve(struct pass *p)
{
	uint32_t n = p->flow.block_count, head = 0, waiting = n;
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
		if (!transfer(p, b))
			continue;
		for (uint32_t i = e.at[b]; i < e.at[b + 1]; i++) {
			uint32_t from = e.pred[i];

			if (!merge(p, from, b) || queued[from])
				continue;
			queued[from] = true;
			ring[(head + waiting++) % n] = from;
		}
	}
	return true;
}

/* ---- pressure and intervals ---- */

static void touch(struct pass *p, uint32_t cell, uint32_t when)
{
	if (when < p->start[cell])
		p->start[cell] = when;
	if (when > p->end[cell])
		p->end[cell] = when;
}

/* Calls touch for every cell of a set. */
static void touch_set(struct pass *p, const uint64_t *set, uint32_t when)
{
	for (uint32_t w = 0; w < p->set_words; w++)
		for (uint64_t v = set[w]; v; v &= v - 1)
			touch(p, p->cell_of[w * 64 + __builtin_ctzll(v)], when);
}

static uint32_t enter_block(struct pass *p, uint32_t b, bool live)
{
	const uint64_t *out = set_of(p, p->out, b);
	uint32_t words = 0;

	for (uint32_t w = 0; w < p->set_words; w++)
		for (uint64_t v = out[w]; v; v &= v - 1) {
			uint32_t c = p->cell_of[w * 64 + __builtin_ctzll(v)];

			p->now[c] = live;
			words += p->l->words[c];
		}
	return words;
}

static uint16_t clamp16(uint32_t n)
{
	return (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
}

/* One step backwards; `live` counts the registers after it, returns before. */
static uint32_t step(struct pass *p, uint32_t i, uint32_t live)
{
	struct live *l = p->l;
	uint32_t lost = 0, dead = 0, kept = 0;
	bool writes = false;

	for (uint32_t k = l->at[i]; k < l->at[i + 1] && l->ref[k].write; k++) {
		uint32_t c = l->ref[k].cell;

		writes = true;
		touch(p, c, 2 * i + 1);
		kept += p->now[c];
		if (!p->now[c])
			dead += l->words[c];
		else if (kills(p, i))
			lost += l->words[c];
		if (kills(p, i))
			p->now[c] = false;
	}
	l->dead[i] = writes && !kept;
	if (live + dead > l->most)
		l->most = live + dead;
	live -= lost;
	l->held[i] = clamp16(live);
	for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++) {
		uint32_t c = l->ref[k].cell;

		if (l->ref[k].write)
			continue;
		touch(p, c, 2 * i);
		live += p->now[c] ? 0 : l->words[c];
		p->now[c] = true;
	}
	if (live > l->most)
		l->most = live;
	p->before[i] = clamp16(live);
	return live;
}

static void walk_block(struct pass *p, uint32_t b)
{
	uint32_t first = p->flow.starts[b], live = enter_block(p, b, true);

	touch_set(p, set_of(p, p->out, b), 2 * block_end(p, b) - 1);
	for (uint32_t i = block_end(p, b); i-- > first;)
		live = step(p, i, live);
	touch_set(p, set_of(p, p->in, b), 2 * first);
	/* A cell that nothing in the block kills is still marked. */
	enter_block(p, b, false);
	for (uint32_t r = p->l->at[first]; r < p->l->at[block_end(p, b)]; r++)
		p->now[p->l->ref[r].cell] = false;
}

static bool walk(struct pass *p)
{
	p->start = arena_new(&p->scratch, uint32_t, p->l->cells);
	p->end = arena_new(&p->scratch, uint32_t, p->l->cells);
	p->now = arena_new(&p->scratch, bool, p->l->cells);
	p->before = arena_new(&p->scratch, uint16_t, p->f->inst_count + 1);
	if (!p->start || !p->end || !p->now || !p->before)
		return false;
	memset(p->start, 0xff, p->l->cells * sizeof(uint32_t));
	for (uint32_t b = 0; b < p->flow.block_count; b++)
		walk_block(p, b);
	return true;
}

/* ---- what a compiler would take ---- */

/*
 * ptxas spends registers on parallelism as long as they cost no occupancy: in
 * a run of instructions it may reorder, loads are issued together and stores
 * wait for each other. The numbers are fitted to what ptxas 13 takes on sm_90
 * for the 75 kernels of bench/ and tests/prog (median error 6 %, nine tenths
 * within 20 %); for 25 others it is 9 % and 27 %.
 */
enum {
	DEPTHS = 4,          /* of loads that wait for loads */
	OVERHEAD = 3,        /* stack pointer, temporaries of sequences */
	RUN_OVERHEAD = 6,    /* addresses and temporaries of parallel work */
	RUN_LENGTH = 10,     /* instructions of a block that cost one more */
	LEAST_REGISTERS = 16 /* no GPU allocates fewer */
};

/* Words that what has a latency writes, by how many such feed it. */
struct run {
	uint32_t words[DEPTHS];
	uint32_t live; /* at its start */
};

static bool is_slow(const struct pass *p, const struct ptx_inst *in)
{
	unsigned lat = ptx_rows[in->op->op].lat;

	return (lat == PTX_LAT_MEM || lat == PTX_LAT_TEX ||
		lat == PTX_LAT_SHFL || lat == PTX_LAT_MMA) &&
	       !is_param_load(p, in);
}

/* Nothing is moved across it. */
static bool is_wall(const struct ptx_inst *in)
{
	return in->op->op == PTX_OP_CALL ||
	       ptx_rows[in->op->op].lat == PTX_LAT_BAR;
}

static uint32_t run_peak(const struct run *r)
{
	uint32_t most = 0;

	for (int i = 0; i < DEPTHS; i++)
		if (r->words[i] > most)
			most = r->words[i];
	return r->live + most;
}

static void add_to_run(const struct pass *p, struct run *r, uint32_t i,
		       uint8_t *depth)
{
	const struct live *l = p->l;
	const struct ptx_inst *in = &p->f->insts[i];
	bool slow = is_slow(p, in);
	unsigned d = 0;

	for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++) {
		const struct live_ref *ref = &l->ref[k];

		if (!ref->write && depth[ref->cell] > d)
			d = depth[ref->cell];
		/* What is stored; the address has position 0. */
		if (in->op->op == PTX_OP_ST && ref->position)
			r->words[0] += l->words[ref->cell];
	}
	for (uint32_t k = l->at[i]; k < l->at[i + 1] && l->ref[k].write; k++) {
		r->words[d] += slow ? l->words[l->ref[k].cell] : 0;
		depth[l->ref[k].cell] =
			(uint8_t)(d + slow < DEPTHS ? d + slow : DEPTHS - 1);
	}
}

/* Forgets the depths of what the run has written. */
static void forget(const struct pass *p, uint32_t from, uint32_t to,
		   uint8_t *depth)
{
	for (uint32_t k = p->l->at[from]; k < p->l->at[to]; k++)
		depth[p->l->ref[k].cell] = 0;
}

/* The most that a run of block b keeps live when its work is parallel. */
static uint32_t block_peak(const struct pass *p, uint32_t b, uint8_t *depth)
{
	uint32_t first = p->flow.starts[b], end = block_end(p, b), peak = 0;
	struct run r = { .live = p->before[first] };

	for (uint32_t i = first, from = first; i < end; i++) {
		add_to_run(p, &r, i, depth);
		if (i + 1 < end && !is_wall(&p->f->insts[i + 1]))
			continue;
		if (run_peak(&r) > peak)
			peak = run_peak(&r);
		forget(p, from, i + 1, depth);
		from = i + 1;
		if (from < end)
			r = (struct run){ .live = p->before[from] };
	}
	return peak;
}

static bool estimate(struct pass *p)
{
	const struct cfg_sm *sm = &p->cfg->sm;
	uint8_t *depth = arena_new(&p->scratch, uint8_t, p->l->cells);
	uint32_t cheap = (uint32_t)(sm->registers / sm->max_threads);
	uint32_t peak = 0, length = 0, n;

	if (!depth)
		return false;
	for (uint32_t b = 0; b < p->flow.block_count; b++) {
		uint32_t here = block_end(p, b) - p->flow.starts[b];

		n = block_peak(p, b, depth);
		peak = n > peak ? n : peak;
		length = here > length ? here : length;
	}
	n = peak + RUN_OVERHEAD + length / RUN_LENGTH;
	n = n < cheap ? n : cheap;
	n = n > p->l->most + OVERHEAD ? n : p->l->most + OVERHEAD;
	p->l->demand = n > LEAST_REGISTERS ? n : LEAST_REGISTERS;
	return true;
}

/* ---- places in the register file ---- */

enum { MOST_HOMES = 1024 };

struct file {
	struct pass *p;
	uint32_t limit;  /* registers of a thread */
	uint32_t budget; /* that are taken before a bank is a reason for more */
	uint32_t banks;
	uint32_t taken[MOST_HOMES]; /* by how many cells */
	uint32_t *expire; /* by half instruction: cells whose interval ends */
	uint32_t *next;
	uint32_t *clash; /* by bank */
};

/* How often the other sources of a cell's readers lie in each bank. */
static void count_clashes(struct file *t, uint32_t cell)
{
	const struct pass *p = t->p;
	const struct live *l = p->l;

	memset(t->clash, 0, t->banks * sizeof(uint32_t));
	for (uint32_t u = p->use_at[cell]; u < p->use_at[cell + 1]; u++)
		for (uint32_t k = l->at[p->uses[u]]; k < l->at[p->uses[u] + 1];
		     k++) {
			uint32_t c = l->ref[k].cell;

			if (l->ref[k].write || c == cell ||
			    l->home[c] == LIVE_NO_HOME)
				continue;
			for (unsigned w = 0; w < l->words[c]; w++)
				t->clash[(l->home[c] + w) % t->banks]++;
		}
}

static bool is_free(const struct file *t, uint32_t at, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		if (t->taken[at + w])
			return false;
	return true;
}

/* The best free place; the first one beyond the budget; or a shared one. */
static uint32_t choose(const struct file *t, uint32_t cell, unsigned words)
{
	uint32_t best = NONE, least = NONE;

	for (uint32_t at = 0; at + words <= t->limit; at += words) {
		uint32_t cost = 0;

		if (at >= t->budget && best != NONE)
			break;
		if (!is_free(t, at, words))
			continue;
		for (unsigned w = 0; w < words; w++)
			cost += t->clash[(at + w) % t->banks];
		if (cost < least) {
			best = at;
			least = cost;
		}
		if (!cost)
			break;
	}
	return best != NONE ? best : cell * words % (t->limit / words * words);
}

static void expire(struct file *t, uint32_t when)
{
	const struct live *l = t->p->l;

	for (uint32_t c = t->expire[when]; c; c = t->next[c - 1])
		for (unsigned w = 0; w < l->words[c - 1]; w++)
			t->taken[l->home[c - 1] + w]--;
	t->expire[when] = 0;
}

static void settle(struct file *t, uint32_t cell)
{
	struct live *l = t->p->l;
	unsigned words = l->words[cell];
	uint32_t at;

	count_clashes(t, cell);
	at = choose(t, cell, words);
	l->home[cell] = (uint16_t)at;
	if (at + words > l->used)
		l->used = at + words;
	for (unsigned w = 0; w < words; w++)
		t->taken[at + w]++;
	t->next[cell] = t->expire[t->p->end[cell]];
	t->expire[t->p->end[cell]] = cell + 1;
}

static bool index_uses(struct pass *p)
{
	const struct live *l = p->l;
	uint32_t *at = arena_new(&p->scratch, uint32_t, l->cells + 2);
	uint32_t refs = l->at[p->f->inst_count];

	p->uses = arena_new(&p->scratch, uint32_t, refs + 1);
	if (!at || !p->uses)
		return false;
	for (uint32_t r = 0; r < refs; r++)
		at[l->ref[r].cell + 2] += !l->ref[r].write;
	for (uint32_t c = 0; c < l->cells; c++)
		at[c + 2] += at[c + 1];
	for (uint32_t i = 0; i < p->f->inst_count; i++)
		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++)
			if (!l->ref[r].write)
				p->uses[at[l->ref[r].cell + 1]++] = i;
	p->use_at = at;
	return true;
}

/* Cells by the start of their interval, as lists. */
static bool by_start(struct pass *p, uint32_t **head, uint32_t **next)
{
	uint32_t n = 2 * p->f->inst_count + 2;

	*head = arena_new(&p->scratch, uint32_t, n);
	*next = arena_new(&p->scratch, uint32_t, p->l->cells);
	if (!*head || !*next)
		return false;
	for (uint32_t c = p->l->cells; c-- > 0;) {
		if (!p->l->words[c] || p->start[c] == NONE)
			continue;
		(*next)[c] = (*head)[p->start[c]];
		(*head)[p->start[c]] = c + 1;
	}
	return true;
}

static bool place_cells(struct pass *p)
{
	uint32_t n = 2 * p->f->inst_count + 2, *head, *next;
	const struct cfg *cfg = p->cfg;
	struct file t = { .p = p,
			  .limit = (uint32_t)cfg->sm.thread_registers,
			  .budget = p->l->demand,
			  .banks = (uint32_t)cfg->regs.banks };

	CHECK(t.limit <= MOST_HOMES);
	t.expire = arena_new(&p->scratch, uint32_t, n);
	t.next = arena_new(&p->scratch, uint32_t, p->l->cells);
	t.clash = arena_new(&p->scratch, uint32_t, t.banks);
	if (!t.expire || !t.next || !t.clash || !index_uses(p) ||
	    !by_start(p, &head, &next))
		return false;
	memset(p->l->home, 0xff, p->l->cells * sizeof(uint16_t));
	for (uint32_t when = 0; when < n; when++) {
		for (uint32_t c = head[when]; c; c = next[c - 1])
			settle(&t, c - 1);
		expire(&t, when);
	}
	return true;
}

static bool run(struct pass *p)
{
	return make_cells(p) && make_refs(p) && fold_constants(p) &&
	       find_blocks(p) && find_globals(p) && make_sets(p) && solve(p) &&
	       walk(p) && estimate(p) && place_cells(p);
}

enum err live_of(struct live *out, struct arena *a, const struct ptx_func *f,
		 const struct cfg *cfg, struct diag *d)
{
	struct pass p = { .l = out, .f = f, .cfg = cfg, .keep = a };
	enum err e;

	memset(out, 0, sizeof(*out));
	e = ptx_flow(&p.flow, f, &p.scratch, d);
	if (e == ERR_OK && !run(&p))
		e = fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	arena_free(&p.scratch);
	return e;
}
