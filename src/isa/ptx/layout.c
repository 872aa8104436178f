#include "isa/ptx/layout.h"

#include <string.h>

#include "isa/ptx/predicate.h"

enum { NO_BLOCK = 0xffffffffu };

struct block_layout {
	struct ptx_module *m;
	struct ptx_func *f;
	const struct ptx_flow *flow;
	uint32_t *block_of; /* by instruction */
	uint32_t *order;    /* blocks, as they will be */
	uint32_t *at;       /* by block: its place in `order` */
	uint32_t *moved;    /* scratch of a rotation */
	bool *entered;      /* by block: something jumps to it */
	bool *turned;       /* by block: the sense of its branch changes, and it
			       goes to where the block would fall or jump to */
	/* The new function. */
	struct ptx_inst *insts;
	uint32_t *place, *start; /* by instruction; by block of the text */
	uint16_t *copy;
	uint32_t count, sink;
	bool changed;
};

/* ---- blocks ---- */

static uint32_t layout_last(const struct block_layout *l, uint32_t b)
{
	return ptx_block_end(l->flow, l->f, b) - 1;
}

static const struct ptx_inst *layout_branch(const struct block_layout *l,
					    uint32_t b)
{
	const struct ptx_inst *in = &l->f->insts[layout_last(l, b)];

	return in->op->op == PTX_OP_BRA ? in : NULL;
}

/* Where the branch at the end of a block goes; NO_BLOCK: there is none. */
static uint32_t layout_target(const struct block_layout *l, uint32_t b)
{
	const struct ptx_inst *in = layout_branch(l, b);

	return in ? l->block_of[l->f->labels[in->opnds[0].label].inst] :
		    NO_BLOCK;
}

/* Whether the block ends with a jump that all lanes take. */
static bool layout_jumps(const struct block_layout *l, uint32_t b)
{
	const struct ptx_inst *in = layout_branch(l, b);

	return in && in->guard == PTX_NO_REG;
}

/* Whether the block ends with a branch, and the paths of its lanes meet again
 * where it goes. Then it does not matter which of them go first. */
static bool layout_leaves(const struct block_layout *l, uint32_t b)
{
	const struct ptx_inst *in = layout_branch(l, b);

	return in && in->guard != PTX_NO_REG &&
	       l->flow->join[layout_last(l, b)] ==
		       l->f->labels[in->opnds[0].label].inst;
}

/* Whether what is put behind the block is of no importance to it. */
static bool ends_elsewhere(const struct block_layout *l, uint32_t b)
{
	const struct ptx_inst *in = &l->f->insts[layout_last(l, b)];

	return layout_jumps(l, b) || l->turned[b] ||
	       (in->guard == PTX_NO_REG &&
		(in->op->op == PTX_OP_RET || in->op->op == PTX_OP_EXIT));
}

/* ---- loops that were rotated ---- */

/* The last place from `from` on of a block that jumps to the places in [low,
 * high); NO_BLOCK: none. */
static uint32_t last_entry(const struct block_layout *l, uint32_t from,
			   uint32_t low, uint32_t high)
{
	for (uint32_t i = l->flow->block_count; i-- > from;) {
		uint32_t to = layout_target(l, l->order[i]);

		if (to < l->flow->block_count && l->at[to] >= low &&
		    l->at[to] < high)
			return i;
	}
	return NO_BLOCK;
}

/* Puts the blocks at [low, high) behind those at [high, end). */
static void move_blocks(struct block_layout *l, uint32_t low, uint32_t high,
			uint32_t end)
{
	uint32_t n = high - low, left = end - high;

	memcpy(l->moved, l->order + low, n * sizeof(*l->order));
	memmove(l->order + low, l->order + high, left * sizeof(*l->order));
	memcpy(l->order + low + left, l->moved, n * sizeof(*l->order));
	for (uint32_t i = low; i < end; i++)
		l->at[l->order[i]] = i;
	l->changed = true;
}

/* Whether the block at a place begins a loop whose end stands before its
 * beginning; puts the end behind it. */
static bool rotate_at(struct block_layout *l, uint32_t place)
{
	uint32_t n = l->flow->block_count, first = l->order[place];
	uint32_t head = layout_target(l, first), high, end, tail;

	if (!layout_jumps(l, first) || head >= n || l->at[head] <= place + 1)
		return false;
	high = l->at[head];
	end = last_entry(l, high, place + 1, high);
	if (end == NO_BLOCK || !ends_elsewhere(l, l->order[end]))
		return false;
	tail = l->order[high - 1];
	if (!ends_elsewhere(l, tail)) {
		if (!layout_leaves(l, tail) || layout_target(l, tail) >= n)
			return false;
		l->turned[tail] = true;
	}
	move_blocks(l, place + 1, high, end + 1);
	return true;
}

/* ---- branches back ---- */

/* Whether the block ends with a branch out of a loop, and the next one is only
 * the jump back. */
static bool has_jump_back(const struct block_layout *l, uint32_t b)
{
	uint32_t n = l->flow->block_count, jump = b + 1;
	uint32_t exit = layout_target(l, b);

	return jump < n && !l->turned[b] && layout_leaves(l, b) &&
	       l->at[jump] == l->at[b] + 1 && !l->entered[jump] &&
	       layout_jumps(l, jump) &&
	       layout_last(l, jump) == l->flow->starts[jump] &&
	       layout_target(l, jump) < n &&
	       l->at[layout_target(l, jump)] <= l->at[b] && exit < n &&
	       l->at[exit] > l->at[jump];
}

/* ---- the new function ---- */

static struct ptx_inst *layout_put(struct block_layout *l, uint32_t from)
{
	l->place[l->count] = from;
	l->insts[l->count] = l->f->insts[from];
	return &l->insts[l->count++];
}

/* What counts as a jump that is not needed, in the lanes that took it. */
static bool put_no_jump(struct block_layout *l, uint32_t from, uint32_t guard,
			bool negated)
{
	struct ptx_inst *in = layout_put(l, from);

	if (!predicate_copy(l->m, in, l->sink,
			    guard == PTX_NO_REG ? l->sink : guard))
		return false;
	if (guard == PTX_NO_REG) {
		in->opnds[1].kind = PTX_OPND_IMM;
		in->opnds[1].bits = 1;
		return true;
	}
	in->guard = guard;
	in->guard_negated = negated;
	in->apart = in->kills = true;
	return true;
}

/* A branch, whose sense is the opposite of that in the text, to a label. Where
 * that went comes behind it: by a jump that is not in the text, if it is not the
 * block at place `next`. */
static bool put_turned(struct block_layout *l, uint32_t from, uint32_t label,
		       uint32_t next)
{
	const struct ptx_inst *old = &l->f->insts[from];
	uint32_t exit = l->block_of[l->f->labels[old->opnds[0].label].inst];
	struct ptx_inst *in = layout_put(l, from);

	in->guard_negated = !in->guard_negated;
	in->opnds = arena_new(&l->m->arena, struct ptx_opnd, 1);
	if (!in->opnds)
		return false;
	in->opnds[0] = old->opnds[0];
	in->opnds[0].label = label;
	if (next < l->flow->block_count && l->order[next] == exit)
		return true;
	l->copy[l->count] = PTX_COPY_EXIT;
	in = layout_put(l, from);
	in->guard = PTX_NO_REG;
	in->guard_negated = false;
	return true;
}

/* A branch out of a loop, and the jump back behind it: a branch back. */
static bool put_branch_back(struct block_layout *l, uint32_t b)
{
	uint32_t last = layout_last(l, b), jump = l->flow->starts[b + 1];
	const struct ptx_inst *out = &l->f->insts[last];

	return put_no_jump(l, jump, out->guard, !out->guard_negated) &&
	       put_turned(l, last, l->f->insts[jump].opnds[0].label,
			  l->at[b] + 2);
}

/* The label of the jump that enters a rotated loop. */
static uint32_t label_of(const struct block_layout *l, uint32_t block)
{
	for (uint32_t i = 0; i < l->f->label_count; i++)
		if (l->f->labels[i].inst == l->flow->starts[block])
			return i;
	return NO_BLOCK; /* a loop's beginning is jumped to */
}

/* The block at a place, and what stands behind its other instructions. Returns
 * the number of blocks, 0: out of memory. */
static uint32_t put_block(struct block_layout *l, uint32_t place)
{
	uint32_t b = l->order[place], last = layout_last(l, b);
	bool back = has_jump_back(l, b);

	l->start[b] = l->count;
	for (uint32_t i = l->flow->starts[b]; i < last; i++)
		layout_put(l, i);
	if (back) {
		l->start[b + 1] = l->count;
		l->changed = true;
		return put_branch_back(l, b) ? 2 : 0;
	}
	if (l->turned[b])
		return put_turned(l, last, label_of(l, b + 1), place + 1);
	if (layout_jumps(l, b) && place + 1 < l->flow->block_count &&
	    layout_target(l, b) == l->order[place + 1]) {
		l->changed = true;
		return put_no_jump(l, last, PTX_NO_REG, false);
	}
	layout_put(l, last);
	return 1;
}

static bool layout_alloc(struct block_layout *l, struct arena *scratch)
{
	struct arena *a = &l->m->arena;
	uint32_t n = l->flow->block_count + 1;
	/* One more for each branch back. */
	uint32_t insts = l->f->inst_count + n;

	l->block_of = arena_new(scratch, uint32_t, l->f->inst_count + 1);
	l->order = arena_new(scratch, uint32_t, n);
	l->at = arena_new(scratch, uint32_t, n);
	l->moved = arena_new(scratch, uint32_t, n);
	l->start = arena_new(scratch, uint32_t, n);
	l->entered = arena_new(scratch, bool, n);
	l->turned = arena_new(scratch, bool, n);
	l->insts = arena_new(a, struct ptx_inst, insts);
	l->place = arena_new(a, uint32_t, insts);
	l->copy = arena_new(a, uint16_t, insts);
	return l->block_of && l->order && l->at && l->moved && l->start &&
	       l->entered && l->turned && l->insts && l->place && l->copy;
}

static void note_blocks(struct block_layout *l)
{
	uint32_t n = l->flow->block_count;

	for (uint32_t b = 0; b < n; b++) {
		l->order[b] = l->at[b] = b;
		for (uint32_t i = l->flow->starts[b]; i <= layout_last(l, b);
		     i++)
			l->block_of[i] = b;
	}
	l->block_of[l->f->inst_count] = n;
	for (uint32_t b = 0; b < n; b++)
		if (layout_branch(l, b))
			l->entered[layout_target(l, b)] = true;
	for (uint32_t t = 0; t < l->f->target_count; t++)
		for (uint32_t k = 0;
		     l->f->targets[t].labels && k < l->f->targets[t].count; k++)
			l->entered[l->block_of[l->f->labels[l->f->targets[t]
								    .labels[k]]
						       .inst]] = true;
}

/* Labels stand where their instruction does; those within a block, which nothing
 * jumps to, too. */
static bool layout_labels(struct block_layout *l)
{
	struct ptx_func *f = l->f;
	struct ptx_label *labels =
		arena_new(&l->m->arena, struct ptx_label, f->label_count + 1);

	if (!labels)
		return false;
	for (uint32_t i = 0; i < f->label_count; i++) {
		uint32_t at = f->labels[i].inst, b = l->block_of[at];

		labels[i] = f->labels[i];
		labels[i].inst = b == l->flow->block_count ?
					 l->count :
					 l->start[b] + at - l->flow->starts[b];
	}
	f->text_labels = f->labels;
	f->text_label_count = f->label_count;
	f->labels = labels;
	return true;
}

/* Where the instructions of the text are now, for the order of facts. */
static bool layout_places(struct block_layout *l)
{
	struct ptx_func *f = l->f;

	f->laid = arena_new(&l->m->arena, uint32_t, f->inst_count + 1);
	for (uint32_t i = 0; f->laid && i < l->count; i++)
		if (!l->copy[i])
			f->laid[l->place[i]] = i;
	return f->laid;
}

/* A register for the copies of predicates, which nothing reads. */
static bool layout_register(struct block_layout *l)
{
	struct ptx_func *f = l->f;
	struct ptx_reg *regs =
		arena_new(&l->m->arena, struct ptx_reg, f->reg_count + 1);

	if (!regs)
		return false;
	memcpy(regs, f->regs, f->reg_count * sizeof(*regs));
	regs[f->reg_count++] =
		(struct ptx_reg){ .name = "%jump", .type = PTX_PRED, .vec = 1 };
	f->regs = regs;
	return true;
}

static bool layout_take(struct block_layout *l)
{
	struct ptx_func *f = l->f;

	if (!layout_labels(l) || !layout_places(l) || !layout_register(l))
		return false;
	f->text = f->insts;
	f->text_count = f->inst_count;
	f->text_regs = f->reg_count;
	f->insts = l->insts;
	f->inst_count = l->count;
	f->place = l->place;
	f->copy = l->copy;
	return true;
}

static bool layout_put_all(struct block_layout *l)
{
	for (uint32_t i = 0; i < l->flow->block_count;) {
		uint32_t n = put_block(l, i);

		if (!n)
			return false;
		i += n;
	}
	return true;
}

enum err layout_blocks(struct ptx_module *m, struct ptx_func *f,
		       const struct ptx_flow *flow, bool *changed,
		       struct arena *scratch, struct diag *d)
{
	struct block_layout l = { .m = m, .f = f, .flow = flow };
	bool more = true;

	if (flow->block_count > LAYOUT_BLOCKS)
		return ERR_OK;
	l.sink = f->reg_count;
	if (!layout_alloc(&l, scratch))
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	note_blocks(&l);
	for (uint32_t turn = 0; more && turn < LAYOUT_TURNS; turn++) {
		more = false;
		for (uint32_t i = 0; i < flow->block_count; i++)
			more |= rotate_at(&l, i);
	}
	if (!layout_put_all(&l) || (l.changed && !layout_take(&l)))
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	*changed = l.changed;
	return ERR_OK;
}
