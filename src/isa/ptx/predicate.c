#include "isa/ptx/predicate.h"

#include <string.h>

#include "isa/ptx/mark.h"
#include "isa/ptx/schedule_graph.h"

enum { NO_BLOCK = 0xffffffffu, GUARD_DEPTH = 6 };

/* The lanes that execute a block between a branch and its join. */
enum branch_path { PATH_NONE, PATH_TAKEN, PATH_FALLS };

/* A branch, and what it passes by: the blocks first to join - 1. */
struct passed {
	uint32_t branch; /* instruction */
	uint32_t block, join;
	uint8_t path[PREDICATE_BLOCKS]; /* by block, from block + 1 on */
	uint32_t inside[PREDICATE_BLOCKS];
	uint32_t issued;
};

struct predicator {
	struct ptx_module *m;
	struct ptx_func *f;
	const struct ptx_flow *flow;
	const struct ptx_live *live;
	const uint8_t *fold;
	uint32_t *block_of;        /* by instruction */
	uint32_t *entries;         /* by block: edges that lead to it */
	uint32_t *writes, *writer; /* by cell: how often, and the last one */
	const bool *derived;       /* by instruction: mark.h */
	/* By cell: the last branch before which, or at whose join, it is live;
	 * and that passes by a write of it. All plus 1. */
	uint32_t *before, *behind, *written;
	bool *held;    /* by cell: a guard follows from it */
	uint32_t sink; /* register of the predicates' copies */
	bool changed;
};

bool predicate_copy(struct ptx_module *m, struct ptx_inst *in, uint32_t to,
		    uint32_t from)
{
	static const struct ptx_opcode mov = { .text = "mov.pred",
					       .op = PTX_OP_MOV,
					       .types = 1,
					       .type = { PTX_PRED } };

	in->op = &mov;
	in->guard = PTX_NO_REG;
	in->guard_negated = false;
	in->opnd_count = 2;
	in->opnds = arena_new(&m->arena, struct ptx_opnd, 2);
	if (!in->opnds)
		return false;
	for (int k = 0; k < 2; k++)
		in->opnds[k] = (struct ptx_opnd){ .kind = PTX_OPND_REG,
						  .elem = -1,
						  .loc = in->loc,
						  .reg = k ? from : to };
	return true;
}

/* ---- the guard ---- */

static bool is_predicate_op(unsigned op, unsigned *sources)
{
	switch (op) {
	case PTX_OP_AND_PRED:
	case PTX_OP_OR_PRED:
	case PTX_OP_XOR_PRED:
		*sources = 2;
		return true;
	case PTX_OP_NOT_PRED:
	case PTX_OP_MOV:
		*sources = 1;
		return true;
	default:
		return false;
	}
}

/* Whether a replay can tell the predicate from facts: it is the result of one
 * comparison, or of others that are combined. */
static bool guard_follows(const struct predicator *p, uint32_t reg,
			  unsigned depth)
{
	uint32_t cell = p->live->first[reg], at = p->writer[cell];
	const struct ptx_inst *in = &p->f->insts[at];
	unsigned sources;

	if (p->writes[cell] != 1 || in->guard != PTX_NO_REG || !depth ||
	    p->f->regs[reg].vec > 1)
		return false;
	if (!is_predicate_op(in->op->op, &sources))
		return ptx_rows[in->op->op].replay == REPLAY_PRED &&
		       !p->derived[at];
	for (unsigned i = 1; i <= sources; i++)
		if (in->opnds[i].kind != PTX_OPND_REG ||
		    !guard_follows(p, in->opnds[i].reg, depth - 1))
			return false;
	return true;
}

/* Notes what the guard follows from: that must have no guard itself. */
static void hold_guard(struct predicator *p, uint32_t reg)
{
	uint32_t cell = p->live->first[reg];
	const struct ptx_inst *in = &p->f->insts[p->writer[cell]];
	unsigned sources = 0;

	p->held[cell] = true;
	if (is_predicate_op(in->op->op, &sources))
		for (unsigned i = 1; i <= sources; i++)
			hold_guard(p, in->opnds[i].reg);
}

/* ---- what a branch passes by ---- */

static bool is_division(unsigned lat)
{
	return lat == LAT_IDIV || lat == LAT_FDIV || lat == LAT_F64DIV;
}

static bool can_guard(const struct predicator *p, uint32_t i, uint32_t guard)
{
	uint32_t guard_cell = p->live->first[guard];
	const struct ptx_inst *in = &p->f->insts[i];
	const struct ptx_row *row = &ptx_rows[in->op->op];
	enum plan_class class = plan_class_of(p->f, in);

	if ((class != PLAN_PURE && class != PLAN_FACT) ||
	    in->guard != PTX_NO_REG || row->kind == KIND_TEX ||
	    is_division(row->lat) || ptx_is_carry(in->op->op))
		return false;
	for (uint32_t r = p->live->at[i]; r < p->live->at[i + 1]; r++) {
		uint32_t c = p->live->ref[r].cell;

		if (c == p->live->carry ||
		    (p->live->ref[r].write && (c == guard_cell || p->held[c])))
			return false;
	}
	return true;
}

/* Lanes of `path` go from inside the passed blocks to block `to`. */
static bool goes_to(struct passed *h, uint32_t to, enum branch_path path)
{
	uint8_t *at;

	if (to == h->join)
		return true;
	if (to <= h->block || to > h->join)
		return false;
	at = &h->path[to - h->block - 1];
	h->inside[to - h->block - 1]++;
	if (*at != PATH_NONE && *at != path)
		return false;
	*at = (uint8_t)path;
	return true;
}

static uint32_t target_of(const struct predicator *p, const struct ptx_inst *in)
{
	return p->block_of[p->f->labels[in->opnds[0].label].inst];
}

/* Whether the block has only instructions that can have a guard, and goes on to
 * a later one, or to the join. */
static bool can_pass(const struct predicator *p, struct passed *h, uint32_t b)
{
	uint32_t end = ptx_block_end(p->flow, p->f, b);
	const struct ptx_inst *last = &p->f->insts[end - 1];
	bool jumps = last->op->op == PTX_OP_BRA && last->guard == PTX_NO_REG;
	uint32_t to = jumps ? target_of(p, last) : b + 1;
	enum branch_path path = (enum branch_path)h->path[b - h->block - 1];

	if (path == PATH_NONE || p->entries[b] != h->inside[b - h->block - 1])
		return false;
	for (uint32_t i = p->flow->starts[b]; i < end - jumps; i++) {
		if (!can_guard(p, i, p->f->insts[h->branch].guard))
			return false;
		h->issued += p->fold[i] != FOLD_AWAY;
	}
	return to > b && goes_to(h, to, path) && h->issued <= PREDICATE_ISSUED;
}

static bool find_passed(const struct predicator *p, uint32_t b,
			struct passed *h)
{
	uint32_t last = ptx_block_end(p->flow, p->f, b) - 1, join;
	const struct ptx_inst *in = &p->f->insts[last];

	if (in->op->op != PTX_OP_BRA || in->guard == PTX_NO_REG)
		return false;
	join = p->flow->join[last];
	if (join == PTX_NO_JOIN || join <= last + 1 || join >= p->f->inst_count)
		return false;
	*h = (struct passed){ .branch = last,
			      .block = b,
			      .join = p->block_of[join] };
	if (h->join - b - 1 > PREDICATE_BLOCKS ||
	    !guard_follows(p, in->guard, GUARD_DEPTH) ||
	    !goes_to(h, target_of(p, in), PATH_TAKEN) ||
	    !goes_to(h, b + 1, PATH_FALLS))
		return false;
	for (uint32_t k = b + 1; k < h->join; k++)
		if (!can_pass(p, h, k))
			return false;
	return true;
}

/* ---- guards in their place ---- */

static void mark_live(const struct predicator *p, const uint64_t *set,
		      uint32_t *at, uint32_t stamp)
{
	for (uint32_t w = 0; w < p->live->set_words; w++)
		for (uint64_t v = set[w]; v; v &= v - 1)
			at[p->live->cell_of[w * 64 + __builtin_ctzll(v)]] =
				stamp;
}

/* Whether no lane needs what was there before the write: the value is read on
 * this path only, or all lanes write it on one of the paths. */
static bool needs_nothing_old(const struct predicator *p, uint32_t i,
			      uint32_t stamp)
{
	bool kills = true;

	for (uint32_t r = p->live->at[i]; r < p->live->at[i + 1]; r++) {
		uint32_t c = p->live->ref[r].cell;

		if (!p->live->ref[r].write)
			continue;
		kills &= p->before[c] != stamp &&
			 (p->behind[c] != stamp || p->written[c] != stamp);
		p->written[c] = stamp;
	}
	return kills;
}

static bool set_passed_guard(struct predicator *p, const struct passed *h,
			     uint32_t i, enum branch_path path)
{
	struct ptx_inst *in = &p->f->insts[i];
	const struct ptx_inst *branch = &p->f->insts[h->branch];
	bool jumps = in->op->op == PTX_OP_BRA;

	if (jumps && !predicate_copy(p->m, in, p->sink, branch->guard))
		return false;
	in->guard = branch->guard;
	in->guard_negated = branch->guard_negated != (path == PATH_FALLS);
	in->apart = true;
	in->kills = jumps || needs_nothing_old(p, i, h->branch + 1);
	return true;
}

/* Gives the function instructions of its own, and a register for copies of
 * predicates that nothing reads. */
static bool predicate_begin(struct predicator *p)
{
	struct ptx_func *f = p->f;
	struct arena *a = &p->m->arena;
	struct ptx_inst *insts = arena_new(a, struct ptx_inst, f->inst_count);
	struct ptx_reg *regs = arena_new(a, struct ptx_reg, f->reg_count + 1);

	if (!insts || !regs)
		return false;
	memcpy(insts, f->insts, f->inst_count * sizeof(*insts));
	memcpy(regs, f->regs, f->reg_count * sizeof(*regs));
	p->sink = f->reg_count;
	regs[p->sink] = (struct ptx_reg){ .name = "%branch",
					  .type = PTX_PRED,
					  .vec = 1 };
	if (!f->text)
		f->text = f->insts;
	f->insts = insts;
	f->regs = regs;
	f->reg_count++;
	if (f->copy)
		f->text_regs = f->reg_count;
	p->changed = true;
	return true;
}

static bool pass_by(struct predicator *p, const struct passed *h)
{
	const struct ptx_live *x = p->live;
	uint32_t guard = p->f->insts[h->branch].guard;

	if (!p->changed && !predicate_begin(p))
		return false;
	hold_guard(p, guard);
	mark_live(p, x->out + (size_t)h->block * x->set_words, p->before,
		  h->branch + 1);
	mark_live(p, x->in + (size_t)h->join * x->set_words, p->behind,
		  h->branch + 1);
	for (uint32_t b = h->block + 1; b < h->join; b++)
		for (uint32_t i = p->flow->starts[b];
		     i < ptx_block_end(p->flow, p->f, b); i++)
			if (!set_passed_guard(
				    p, h, i,
				    (enum branch_path)h->path[b - h->block - 1]))
				return false;
	return predicate_copy(p->m, &p->f->insts[h->branch], p->sink, guard);
}

/* ---- functions ---- */

static void count_block_entries(struct predicator *p)
{
	const struct ptx_func *f = p->f;

	for (uint32_t i = 0; i < f->inst_count; i++) {
		const struct ptx_inst *in = &f->insts[i];

		if (in->op->op == PTX_OP_BRA)
			p->entries[target_of(p, in)]++;
		if (in->op->op != PTX_OP_BRX)
			continue;
		for (uint32_t k = 0; k < f->targets[in->opnds[1].targets].count;
		     k++) {
			uint32_t label =
				f->targets[in->opnds[1].targets].labels[k];

			p->entries[p->block_of[f->labels[label].inst]]++;
		}
	}
	for (uint32_t b = 1; b < p->flow->block_count; b++) {
		const struct ptx_inst *in = &f->insts[p->flow->starts[b] - 1];

		p->entries[b] +=
			in->guard != PTX_NO_REG ||
			(in->op->op != PTX_OP_BRA && in->op->op != PTX_OP_BRX &&
			 in->op->op != PTX_OP_RET &&
			 in->op->op != PTX_OP_EXIT &&
			 in->op->op != PTX_OP_TRAP);
	}
}

static bool predicate_prepare(struct predicator *p, struct arena *a)
{
	uint32_t n = p->f->inst_count, cells = p->live->cells + 1;

	p->block_of = arena_new(a, uint32_t, n + 1);
	p->entries = arena_new(a, uint32_t, p->flow->block_count + 1);
	p->writes = arena_new(a, uint32_t, cells);
	p->writer = arena_new(a, uint32_t, cells);
	p->before = arena_new(a, uint32_t, cells);
	p->behind = arena_new(a, uint32_t, cells);
	p->written = arena_new(a, uint32_t, cells);
	p->held = arena_new(a, bool, cells);
	p->derived = ptx_derived(p->f, a);
	if (!p->block_of || !p->entries || !p->writes || !p->writer ||
	    !p->before || !p->behind || !p->written || !p->held || !p->derived)
		return false;
	for (uint32_t b = 0; b < p->flow->block_count; b++)
		for (uint32_t i = p->flow->starts[b];
		     i < ptx_block_end(p->flow, p->f, b); i++)
			p->block_of[i] = b;
	p->block_of[n] = p->flow->block_count;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t r = p->live->at[i]; r < p->live->at[i + 1]; r++)
			if (p->live->ref[r].write) {
				p->writes[p->live->ref[r].cell]++;
				p->writer[p->live->ref[r].cell] = i;
			}
	count_block_entries(p);
	return true;
}

enum err predicate_branches(struct ptx_module *m, struct ptx_func *f,
			    const struct ptx_flow *flow,
			    const struct ptx_live *live, const uint8_t *fold,
			    bool *changed, struct arena *scratch,
			    struct diag *d)
{
	struct predicator p = {
		.m = m, .f = f, .flow = flow, .live = live, .fold = fold
	};
	bool ok = predicate_prepare(&p, scratch);

	/* The last ones first, so that those inside of others are found. */
	for (uint32_t b = flow->block_count; ok && b-- > 0;) {
		struct passed h;

		if (find_passed(&p, b, &h))
			ok = pass_by(&p, &h);
	}
	*changed = p.changed;
	return ok ? ERR_OK : fail(d, ERR_NOMEM, "%s: out of memory", f->name);
}
