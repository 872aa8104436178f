#include "isa/ptx/spin.h"

#include <string.h>

#include "isa/ptx/live.h"

/* The instructions of a loop, in the text from its first to the branch back. */
struct spin_loop {
	const struct ptx_func *f;
	const struct ptx_live *x;
	const struct ptx_flow *flow;
	uint32_t first, last;
	bool *varies; /* by cell: depends on what others do to memory */
	bool *moves;  /* by cell: depends on the iteration, not on others */
	bool *steps;  /* by cell, for is_stepped */
};

/* ---- what others decide ---- */

static bool returns_shared_state(const struct ptx_inst *in)
{
	const struct ptx_row *row = &ptx_rows[in->op->op];
	unsigned sem = in->op->attr[PTX_CLASS_SEM];

	switch ((enum timing_kind)row->kind) {
	case KIND_ATOMIC:
		return true;
	case KIND_LOAD:
		return (sem && sem != PTX_SEM_WEAK) ||
		       in->op->attr[PTX_CLASS_MMIO] != 0;
	default:
		return false;
	}
}

static bool reads_of(const struct spin_loop *s, uint32_t i, const bool *cells)
{
	const struct ptx_live *x = s->x;

	for (uint32_t r = x->at[i]; r < x->at[i + 1]; r++)
		if (!x->ref[r].write && cells[x->ref[r].cell])
			return true;
	return false;
}

/* Marks what the instruction writes; whether that was news. */
static bool mark_writes(const struct spin_loop *s, uint32_t i, bool *cells)
{
	const struct ptx_live *x = s->x;
	bool news = false;

	for (uint32_t r = x->at[i]; r < x->at[i + 1]; r++)
		if (x->ref[r].write && !cells[x->ref[r].cell])
			news = cells[x->ref[r].cell] = true;
	return news;
}

/* Whether the address of the access is another one in each iteration, whatever
 * others do: then it does not wait where it is, but looks for something. */
static bool address_moves(const struct spin_loop *s, uint32_t i)
{
	const struct ptx_live *x = s->x;

	for (uint32_t r = x->at[i]; r < x->at[i + 1]; r++)
		if (!x->ref[r].write && x->ref[r].position == 0 &&
		    s->moves[x->ref[r].cell])
			return true;
	return false;
}

static bool loop_writes(const struct spin_loop *s, uint32_t cell)
{
	for (uint32_t r = s->x->at[s->first]; r < s->x->at[s->last + 1]; r++)
		if (s->x->ref[r].write && s->x->ref[r].cell == cell)
			return true;
	return false;
}

/* Whether it computes from its operands alone. */
static bool computes(const struct ptx_inst *in)
{
	return ptx_rows[in->op->op].kind == KIND_PLAIN;
}

/* Marks the cells that follow from those that are marked, without memory. */
static void follow(const struct spin_loop *s, bool *cells)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = s->first; i <= s->last; i++)
			if (computes(&s->f->insts[i]) && reads_of(s, i, cells))
				more |= mark_writes(s, i, cells);
	}
}

/* Whether the loop computes the cell's next value from its value. */
static bool is_stepped(const struct spin_loop *s, uint32_t cell)
{
	memset(s->steps, 0, s->x->cells * sizeof(bool));
	s->steps[cell] = true;
	follow(s, s->steps);
	for (uint32_t i = s->first; i <= s->last; i++) {
		if (!computes(&s->f->insts[i]) || !reads_of(s, i, s->steps))
			continue;
		for (uint32_t r = s->x->at[i]; r < s->x->at[i + 1]; r++)
			if (s->x->ref[r].write && s->x->ref[r].cell == cell)
				return true;
	}
	return false;
}

/* The cells that begin an iteration with what the one before has computed from
 * them, but not from memory, and those that follow from them. */
static void find_moving(const struct spin_loop *s)
{
	const struct ptx_live *x = s->x;
	uint32_t head = 0;
	const uint64_t *in;

	while (head + 1 < s->flow->block_count &&
	       s->flow->starts[head + 1] <= s->first)
		head++;
	in = x->in + (size_t)head * x->set_words;
	memset(s->moves, 0, x->cells * sizeof(bool));
	for (uint32_t w = 0; w < x->set_words; w++)
		for (uint64_t v = in[w]; v; v &= v - 1) {
			uint32_t cell = x->cell_of[w * 64 + __builtin_ctzll(v)];

			s->moves[cell] = loop_writes(s, cell) &&
					 is_stepped(s, cell);
		}
	follow(s, s->moves);
}

static void find_varying(const struct spin_loop *s)
{
	bool more = true;

	memset(s->varies, 0, s->x->cells * sizeof(bool));
	while (more) {
		more = false;
		for (uint32_t i = s->first; i <= s->last; i++)
			if ((returns_shared_state(&s->f->insts[i]) &&
			     !address_moves(s, i)) ||
			    reads_of(s, i, s->varies))
				more |= mark_writes(s, i, s->varies);
	}
}

/* ---- how the loop is left ---- */

static bool leaves_loop(const struct spin_loop *s, uint32_t i)
{
	const struct ptx_inst *in = &s->f->insts[i];
	uint32_t to;

	if (in->guard == PTX_NO_REG)
		return false;
	if (in->op->op == PTX_OP_RET || in->op->op == PTX_OP_EXIT ||
	    i == s->last)
		return true;
	if (in->op->op != PTX_OP_BRA)
		return false;
	to = s->f->labels[in->opnds[0].label].inst;
	return to < s->first || to > s->last;
}

/* The only instruction of the loop that writes the cell; else s->last + 1. */
static uint32_t only_write(const struct spin_loop *s, uint32_t cell)
{
	uint32_t found = s->last + 1, n = 0;

	for (uint32_t i = s->first; i <= s->last; i++)
		for (uint32_t r = s->x->at[i]; r < s->x->at[i + 1]; r++)
			if (s->x->ref[r].write && s->x->ref[r].cell == cell) {
				found = i;
				n++;
			}
	return n == 1 ? found : s->last + 1;
}

static bool is_sum(unsigned op)
{
	switch (op) {
	case PTX_OP_ADD_S32:
	case PTX_OP_ADD_U32:
	case PTX_OP_ADD_S64:
	case PTX_OP_ADD_U64:
	case PTX_OP_SUB_S32:
	case PTX_OP_SUB_U32:
	case PTX_OP_SUB_S64:
	case PTX_OP_SUB_U64:
		return true;
	default:
		return false;
	}
}

/* Whether every iteration executes it: the first or the last block has it. */
static bool in_every_iteration(const struct spin_loop *s, uint32_t i)
{
	bool before = true, behind = true;

	if (s->f->insts[i].guard != PTX_NO_REG)
		return false;
	for (uint32_t b = 0; b < s->flow->block_count; b++) {
		uint32_t at = s->flow->starts[b];

		before &= !(at > s->first && at <= i);
		behind &= !(at > i && at <= s->last);
	}
	return before || behind;
}

/* Whether every iteration adds the same to the cell, by way of copies or not. */
static bool is_counter(const struct spin_loop *s, uint32_t cell)
{
	uint32_t at = cell;

	for (int steps = 0; steps < 4; steps++) {
		uint32_t i = only_write(s, at), from = UINT32_MAX;
		const struct ptx_inst *in = &s->f->insts[i];

		if (i > s->last || !in_every_iteration(s, i) ||
		    (!is_sum(in->op->op) && in->op->op != PTX_OP_MOV))
			return false;
		for (uint32_t r = s->x->at[i]; r < s->x->at[i + 1]; r++) {
			if (s->x->ref[r].write ||
			    !loop_writes(s, s->x->ref[r].cell))
				continue;
			if (from != UINT32_MAX)
				return false;
			from = s->x->ref[r].cell;
		}
		if (from == UINT32_MAX)
			return false;
		if (from == cell)
			return true;
		at = from;
	}
	return false;
}

/* Whether the comparison for branch i is of a counter with what stays. */
static bool counts(const struct spin_loop *s, uint32_t i)
{
	uint32_t at = only_write(s, s->x->first[s->f->insts[i].guard]);
	bool counter = false;

	if (at > s->last ||
	    ptx_rows[s->f->insts[at].op->op].replay != REPLAY_PRED)
		return false;
	for (uint32_t r = s->x->at[at]; r < s->x->at[at + 1]; r++) {
		if (s->x->ref[r].write || !loop_writes(s, s->x->ref[r].cell))
			continue;
		if (!is_counter(s, s->x->ref[r].cell))
			return false;
		counter = true;
	}
	return counter;
}

static bool spins(const struct spin_loop *s)
{
	bool varies = false;

	find_moving(s);
	find_varying(s);
	for (uint32_t i = s->first; i <= s->last; i++) {
		if (!leaves_loop(s, i))
			continue;
		if (counts(s, i))
			return false;
		varies |= s->varies[s->x->first[s->f->insts[i].guard]];
	}
	return varies;
}

/* ---- functions ---- */

/* Where the branch goes back to, or inst_count: it is none. */
static uint32_t goes_back_to(const struct ptx_func *f, uint32_t i)
{
	const struct ptx_inst *in = &f->insts[i];
	uint32_t to;

	if (in->op->op != PTX_OP_BRA)
		return f->inst_count;
	to = f->labels[in->opnds[0].label].inst;
	return to <= i ? to : f->inst_count;
}

/* Whether there are loops, and what they could spin on. */
static bool may_spin(const struct ptx_func *f)
{
	bool loops = false, waits = false;

	for (uint32_t i = 0; i < f->inst_count; i++) {
		loops |= goes_back_to(f, i) < f->inst_count;
		waits |= returns_shared_state(&f->insts[i]);
	}
	return loops && waits;
}

bool *ptx_spins(const struct ptx_func *f, const struct ptx_flow *flow,
		struct arena *a, struct diag *d)
{
	bool *found = arena_new(a, bool, f->inst_count + 1);
	struct spin_loop s = { .f = f, .flow = flow };
	struct ptx_live x;

	if (!found || !may_spin(f))
		return found;
	if (ptx_live(&x, f, flow, a, d) != ERR_OK)
		return NULL;
	s.x = &x;
	s.varies = arena_new(a, bool, x.cells);
	s.moves = arena_new(a, bool, x.cells);
	s.steps = arena_new(a, bool, x.cells);
	if (!s.varies || !s.moves || !s.steps)
		return NULL;
	for (s.last = 0; s.last < f->inst_count; s.last++) {
		s.first = goes_back_to(f, s.last);
		if (s.first < f->inst_count && !found[s.first])
			found[s.first] = spins(&s);
	}
	return found;
}
