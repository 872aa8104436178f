#include "isa/ptx/unroll.h"

#include <string.h>

#include "isa/ptx/live.h"
#include "isa/ptx/predicate.h"
#include "isa/ptx/schedule_graph.h"

enum { NO_INST = 0xffffffffu };

/* A loop of one basic block. */
struct unroll_loop {
	uint32_t first, last; /* instructions; the last one branches back */
	struct ptx_unroll how;
	uint32_t step_at, test_at; /* instructions */
	uint32_t copies[2];        /* of its levels; 0: none */
};

struct unroller {
	struct ptx_module *m;
	struct ptx_func *f;
	const struct ptx_flow *flow;
	const struct time_live *live;
	const uint8_t *fold;
	uint32_t *local;    /* by cell: the loop that it is local to, plus 1 */
	uint32_t *last_ref; /* by cell */
	struct unroll_loop *loop;
	uint32_t loops;
	/* The new function. */
	struct ptx_inst *insts;
	uint32_t *place;
	uint16_t *copy;
	bool *counts; /* by instruction: a copy that only counts iterations */
	uint32_t count;
	struct ptx_reg *regs;
	uint32_t reg_count;
	struct ptx_label *labels;
	uint32_t label_count;
	uint32_t *name;  /* by register of the text: its name now */
	uint32_t *moved; /* by instruction of the text, and its end: where it,
			    or what was put before it, begins */
};

/* ---- loops that count ---- */

static uint32_t writes_in(const struct unroller *u, const struct unroll_loop *l,
			  uint32_t cell, uint32_t *at)
{
	uint32_t n = 0;

	for (uint32_t i = l->first; i < l->last; i++)
		for (uint32_t r = u->live->at[i]; r < u->live->at[i + 1]; r++)
			if (u->live->ref[r].write &&
			    u->live->ref[r].cell == cell) {
				*at = i;
				n++;
			}
	return n;
}

/* The only instruction of the loop that writes the register, without a guard;
 * else NO_INST. */
static uint32_t loop_writer(const struct unroller *u,
			    const struct unroll_loop *l, uint32_t reg)
{
	uint32_t at = NO_INST;

	if (writes_in(u, l, u->live->first[reg], &at) != 1 ||
	    u->f->insts[at].guard != PTX_NO_REG)
		return NO_INST;
	return at;
}

/* A register that is no vector. */
static bool is_scalar(const struct unroller *u, const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_REG && u->f->regs[o->reg].vec == 1;
}

static bool stays(const struct unroller *u, const struct unroll_loop *l,
		  const struct ptx_opnd *o)
{
	uint32_t at;

	return o->kind == PTX_OPND_IMM ||
	       (is_scalar(u, o) &&
		!writes_in(u, l, u->live->first[o->reg], &at));
}

static bool is_step(unsigned op, bool *subtracts)
{
	*subtracts = false;
	switch (op) {
	case PTX_OP_SUB_S32:
	case PTX_OP_SUB_U32:
	case PTX_OP_SUB_S64:
	case PTX_OP_SUB_U64:
		*subtracts = true;
		return true;
	case PTX_OP_ADD_S32:
	case PTX_OP_ADD_U32:
	case PTX_OP_ADD_S64:
	case PTX_OP_ADD_U64:
		return true;
	default:
		return false;
	}
}

/* The sum `reg = from + constant` at instruction i, into l->how. If the step were
 * in a register, the iterations could be counted only by a division. */
static bool take_step(const struct unroller *u, struct unroll_loop *l,
		      uint32_t i, uint32_t *from)
{
	const struct ptx_inst *in = &u->f->insts[i];

	if (!is_step(in->op->op, &l->how.subtracts) ||
	    !is_scalar(u, &in->opnds[1]) || in->opnds[2].kind != PTX_OPND_IMM)
		return false;
	*from = in->opnds[1].reg;
	l->how.step = &in->opnds[2];
	l->step_at = i;
	return true;
}

/* Whether the register that the comparison at l->test_at reads counts: a sum
 * with itself, or with what is a copy of the sum. */
static bool is_loop_counter(const struct unroller *u, struct unroll_loop *l,
			    uint32_t reg)
{
	uint32_t i = loop_writer(u, l, reg), from, back;

	if (i == NO_INST)
		return false;
	if (take_step(u, l, i, &from)) {
		l->how.counter = from;
		if (from == reg) {
			l->how.tests_old = i > l->test_at;
			return true;
		}
		/* reg = from + step; from = reg */
		l->how.tests_old = false;
		back = loop_writer(u, l, from);
		return i < l->test_at && back != NO_INST && back > i &&
		       u->f->insts[back].op->op == PTX_OP_MOV &&
		       u->f->insts[back].opnds[1].kind == PTX_OPND_REG &&
		       u->f->insts[back].opnds[1].reg == reg;
	}
	/* sum = reg + step; reg = sum */
	if (u->f->insts[i].op->op != PTX_OP_MOV ||
	    u->f->insts[i].opnds[1].kind != PTX_OPND_REG || i < l->test_at)
		return false;
	back = loop_writer(u, l, u->f->insts[i].opnds[1].reg);
	l->how.counter = reg;
	l->how.tests_old = true;
	return back != NO_INST && back < i && take_step(u, l, back, &from) &&
	       from == reg;
}

static bool is_integer_test(unsigned op)
{
	switch (op) {
	case PTX_OP_SETP_B32:
	case PTX_OP_SETP_U32:
	case PTX_OP_SETP_S32:
	case PTX_OP_SETP_B64:
	case PTX_OP_SETP_U64:
	case PTX_OP_SETP_S64:
		return true;
	default:
		return false;
	}
}

/* Whether the branch back depends on a counter alone; fills in l->how. */
static bool loop_counts(const struct unroller *u, struct unroll_loop *l)
{
	const struct ptx_inst *branch = &u->f->insts[l->last], *in;

	l->test_at = loop_writer(u, l, branch->guard);
	if (l->test_at == NO_INST)
		return false;
	in = &u->f->insts[l->test_at];
	if (!is_integer_test(in->op->op) || in->op->attr[PTX_CLASS_BOOL] ||
	    in->opnds[0].kind != PTX_OPND_REG)
		return false;
	l->how.test = in->op;
	l->how.test_at = l->test_at;
	l->how.goes_on = !branch->guard_negated;
	for (int k = 0; k < 2; k++) {
		l->how.swapped = k;
		l->how.limit = &in->opnds[2 - k];
		if (is_scalar(u, &in->opnds[1 + k]) &&
		    stays(u, l, l->how.limit) &&
		    is_loop_counter(u, l, in->opnds[1 + k].reg))
			return true;
	}
	return false;
}

/* ---- which loops, and how often ---- */

static bool can_copy(const struct unroller *u, uint32_t i)
{
	const struct ptx_inst *in = &u->f->insts[i];
	enum plan_class class = plan_class_of(u->f, in);

	if ((class != PLAN_PURE && class != PLAN_FACT) ||
	    ptx_is_carry(in->op->op) || ptx_rows[in->op->op].kind == KIND_TEX)
		return false;
	for (uint32_t r = u->live->at[i]; r < u->live->at[i + 1]; r++)
		if (u->live->ref[r].cell == u->live->carry)
			return false;
	return true;
}

static void choose_copies(const struct unroller *u, struct unroll_loop *l)
{
	uint32_t issued = 0, facts = 0, loads = 0, n = l->last - l->first;
	uint32_t k;

	if (u->m->rolled || u->f->limits.rolled || u->f->insts[l->last].rolled)
		return;
	for (uint32_t i = l->first; i < l->last; i++) {
		const struct ptx_inst *in = &u->f->insts[i];

		if (in->rolled || !can_copy(u, i))
			return;
		issued += u->fold[i] != FOLD_AWAY;
		facts += plan_class_of(u->f, in) == PLAN_FACT;
		loads += ptx_rows[in->op->op].kind == KIND_LOAD &&
			 !time_is_param_load(u->f, in);
	}
	k = loads ? UNROLL_MOST : UNROLL_MOST_PLAIN;
	while (k > 1 && (issued * k > UNROLL_ISSUED ||
			 facts * k > SCHEDULE_FACTS || n * k > UNROLL_LENGTH))
		k /= 2;
	l->copies[0] = k > 1 ? k : 0;
	l->copies[1] = k >= 8 ? k / 4 : 0;
}

static bool find_loop(const struct unroller *u, uint32_t b,
		      struct unroll_loop *l)
{
	const struct ptx_func *f = u->f;
	const struct ptx_inst *branch;

	*l = (struct unroll_loop){ .first = u->flow->starts[b],
				   .last = ptx_block_end(u->flow, f, b) - 1 };
	branch = &f->insts[l->last];
	if (branch->op->op != PTX_OP_BRA || branch->guard == PTX_NO_REG ||
	    f->labels[branch->opnds[0].label].inst != l->first ||
	    l->last + 1 >= f->inst_count)
		return false;
	if (loop_counts(u, l))
		choose_copies(u, l);
	return l->copies[0] != 0;
}

/* ---- names ---- */

/* Finds the cells that only one loop refers to, which writes them first: a copy
 * needs none of their values from before, and leaves none. */
static void find_loop_cells(struct unroller *u, uint32_t loop)
{
	const struct unroll_loop *l = &u->loop[loop];
	const struct time_live *x = u->live;

	for (uint32_t i = l->first; i <= l->last; i++) {
		/* Reads come behind the writes of their instruction. */
		for (uint32_t pass = 0; pass < 2; pass++)
			for (uint32_t r = x->at[i]; r < x->at[i + 1]; r++) {
				uint32_t cell = x->ref[r].cell;
				bool whole = x->ref[r].write &&
					     ptx_overwrites(&u->f->insts[i]);

				if (x->ref[r].write != (pass == 1) ||
				    u->last_ref[cell] == loop + 1)
					continue;
				u->local[cell] = whole && !u->last_ref[cell] ?
							 loop + 1 :
							 0;
				u->last_ref[cell] = loop + 1;
			}
	}
}

/* The cells that anything outside of the loops refers to. */
static void find_outside(struct unroller *u)
{
	uint32_t loop = 0;

	for (uint32_t i = 0; i < u->f->inst_count; i++) {
		while (loop < u->loops && i > u->loop[loop].last)
			loop++;
		if (loop < u->loops && i >= u->loop[loop].first)
			continue;
		for (uint32_t r = u->live->at[i]; r < u->live->at[i + 1]; r++)
			u->last_ref[u->live->ref[r].cell] = NO_INST;
	}
}

static bool is_loop_cell(const struct unroller *u, uint32_t loop, uint32_t reg)
{
	return u->local[u->live->first[reg]] == loop + 1;
}

/* Whether a guard may keep an old value of the register in the loop. */
static bool is_guarded(const struct unroller *u, const struct unroll_loop *l,
		       uint32_t reg)
{
	for (uint32_t i = l->first; i < l->last; i++)
		for (uint32_t r = u->live->at[i]; r < u->live->at[i + 1]; r++)
			if (!ptx_overwrites(&u->f->insts[i]) &&
			    u->live->ref[r].write &&
			    u->live->ref[r].cell == u->live->first[reg])
				return true;
	return false;
}

/* A write that keeps the register's name: of a vector; of what others read, if a
 * guard may keep an old value, or the last one. */
static bool keeps_name(const struct unroller *u, uint32_t loop, uint32_t reg,
		       bool last)
{
	const struct unroll_loop *l = &u->loop[loop];
	uint32_t at;

	if (u->f->regs[reg].vec > 1)
		return true;
	return !is_loop_cell(u, loop, reg) &&
	       (last || is_guarded(u, l, reg) ||
		writes_in(u, l, u->live->first[reg], &at) != 1);
}

static void rename_write(struct unroller *u, uint32_t loop, uint32_t reg,
			 bool last)
{
	if (keeps_name(u, loop, reg, last)) {
		u->name[reg] = reg;
		return;
	}
	u->regs[u->reg_count] = u->f->regs[reg];
	u->name[reg] = u->reg_count++;
}

/* Copies an operand, with the names that its registers have now. */
static bool copy_opnd(struct unroller *u, struct ptx_opnd *to,
		      const struct ptx_opnd *from)
{
	/* The base of a memory operand is not counted. */
	uint32_t n = from->kind == PTX_OPND_MEM ? 1 : from->count;

	*to = *from;
	if (from->kind == PTX_OPND_REG)
		to->reg = u->name[from->reg];
	if (!from->elems)
		return true;
	to->elems = arena_new(&u->m->arena, struct ptx_opnd, n + 1);
	for (uint32_t i = 0; to->elems && i < n; i++)
		if (!copy_opnd(u, &to->elems[i], &from->elems[i]))
			return false;
	return to->elems;
}

static void rename_opnd(struct unroller *u, uint32_t loop,
			const struct ptx_opnd *o, bool last)
{
	if (o->kind == PTX_OPND_REG)
		rename_write(u, loop, o->reg, last);
	if (o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_DUAL)
		for (uint32_t i = 0; i < o->count; i++)
			rename_opnd(u, loop, &o->elems[i], last);
}

/* ---- what only counts ---- */

/* Whether instruction i reads the cell only as an address, as the comparison of
 * the loop, or in a sum or copy that counts as well. */
static bool reads_count(const struct unroller *u, const struct unroll_loop *l,
			uint32_t i, uint32_t ref, bool addresses)
{
	const struct ptx_inst *in = &u->f->insts[i];
	bool subtracts;

	switch ((enum timing_kind)ptx_rows[in->op->op].kind) {
	case KIND_LOAD:
	case KIND_STORE:
		return addresses && u->live->ref[ref].position == 0;
	default:
		return i == l->test_at || i == l->last ||
		       in->op->op == PTX_OP_MOV ||
		       is_step(in->op->op, &subtracts);
	}
}

/* Whether an instruction adds a constant to a register that only counts, or is
 * part of an address: in all copies but the last it is part of what reads it. */
static bool only_counts(const struct unroller *u, const struct unroll_loop *l,
			uint32_t i)
{
	const struct ptx_inst *in = &u->f->insts[i];
	bool subtracts, constant;
	uint32_t cell;

	if (i == l->test_at)
		return true;
	if (!is_step(in->op->op, &subtracts) || in->guard != PTX_NO_REG ||
	    in->opnds[0].kind != PTX_OPND_REG ||
	    in->opnds[1].kind != PTX_OPND_REG || !stays(u, l, &in->opnds[2]) ||
	    (i != l->step_at && in->opnds[0].reg != in->opnds[1].reg))
		return false;
	constant = in->opnds[2].kind == PTX_OPND_IMM;
	cell = u->live->first[in->opnds[0].reg];
	for (uint32_t k = l->first; k <= l->last; k++)
		for (uint32_t r = u->live->at[k]; r < u->live->at[k + 1]; r++)
			if (!u->live->ref[r].write &&
			    u->live->ref[r].cell == cell &&
			    !reads_count(u, l, k, r, constant))
				return false;
	return true;
}

/* ---- the new function ---- */

static struct ptx_inst *put_inst(struct unroller *u, uint32_t from,
				 uint32_t copy)
{
	const struct ptx_func *f = u->f;

	u->place[u->count] = f->place ? f->place[from] : from;
	u->copy[u->count] = (uint16_t)(copy || !f->copy ? copy : f->copy[from]);
	u->insts[u->count] = u->f->insts[from];
	return &u->insts[u->count++];
}

static bool copy_inst(struct unroller *u, uint32_t loop, uint32_t i,
		      uint32_t copy, bool last)
{
	const struct ptx_inst *from = &u->f->insts[i];
	struct ptx_inst *to = put_inst(u, i, copy);

	to->opnds =
		arena_new(&u->m->arena, struct ptx_opnd, from->opnd_count + 1u);
	if (!to->opnds)
		return false;
	u->counts[u->count - 1] = !last && only_counts(u, &u->loop[loop], i);
	if (from->guard != PTX_NO_REG)
		to->guard = u->name[from->guard];
	for (unsigned k = 0; k < from->opnd_count; k++)
		if (!ptx_writes_operand(from, k) &&
		    !copy_opnd(u, &to->opnds[k], &from->opnds[k]))
			return false;
	for (unsigned k = 0; k < from->opnd_count; k++) {
		if (!ptx_writes_operand(from, k))
			continue;
		/* A guard that keeps an old value keeps its name. */
		if (ptx_overwrites(from))
			rename_opnd(u, loop, &from->opnds[k], last);
		if (!copy_opnd(u, &to->opnds[k], &from->opnds[k]))
			return false;
	}
	return true;
}

/* In the place of a branch back that all lanes take: a copy of its predicate. It
 * counts as the branch, and takes no time. */
static bool put_passed(struct unroller *u, const struct unroll_loop *l,
		       uint32_t copy)
{
	uint32_t guard = u->f->insts[l->last].guard;

	u->regs[u->reg_count] = u->f->regs[guard];
	return predicate_copy(u->m, put_inst(u, l->last, copy), u->reg_count++,
			      u->name[guard]);
}

/* The branches behind the copies: back, or to where the loop ends. */
static bool put_branches(struct unroller *u, const struct unroll_loop *l,
			 uint32_t copy, uint32_t exit)
{
	struct ptx_inst *back = put_inst(u, l->last, copy);
	struct ptx_inst *out = put_inst(u, l->last, PTX_COPY_EXIT);

	back->guard = out->guard = u->name[back->guard];
	out->guard_negated = !out->guard_negated;
	out->opnds = arena_new(&u->m->arena, struct ptx_opnd, 1);
	if (!out->opnds)
		return false;
	out->opnds[0] = back->opnds[0];
	out->opnds[0].label = exit;
	return true;
}

static bool put_copies(struct unroller *u, uint32_t loop, uint32_t copies,
		       uint32_t exit)
{
	const struct unroll_loop *l = &u->loop[loop];
	struct ptx_unroll *how = &u->f->unrolls[u->f->unroll_count++];

	for (uint32_t r = 0; r < u->f->reg_count; r++)
		u->name[r] = r;
	*how = l->how;
	if (u->f->place)
		how->test_at = u->f->place[how->test_at];
	how->first = u->count;
	how->copies = copies;
	for (uint32_t c = 1; c <= copies; c++) {
		for (uint32_t i = l->first; i < l->last; i++)
			if (!copy_inst(u, loop, i, c, c == copies))
				return false;
		if (c < copies && !put_passed(u, l, c))
			return false;
	}
	if (!put_branches(u, l, copies, exit))
		return false;
	how->next = u->count;
	return true;
}

static bool put_loop(struct unroller *u, uint32_t loop)
{
	uint32_t exit = u->label_count++;

	u->labels[exit] = (struct ptx_label){ .name = "",
					      .inst = u->loop[loop].last + 1 };
	for (int k = 0; k < 2; k++)
		if (u->loop[loop].copies[k] &&
		    !put_copies(u, loop, u->loop[loop].copies[k], exit))
			return false;
	return true;
}

static bool put_all(struct unroller *u)
{
	uint32_t loop = 0;

	for (uint32_t i = 0; i < u->f->inst_count; i++) {
		u->moved[i] = u->count;
		if (loop < u->loops && i == u->loop[loop].first &&
		    !put_loop(u, loop++))
			return false;
		put_inst(u, i, 0);
	}
	u->moved[u->f->inst_count] = u->count;
	for (uint32_t i = 0; i < u->label_count; i++)
		u->labels[i].inst = u->moved[u->labels[i].inst];
	return true;
}

static bool unroll_alloc(struct unroller *u)
{
	struct arena *a = &u->m->arena;
	struct ptx_func *f = u->f;
	uint32_t insts = f->inst_count, refs = 0;

	for (uint32_t i = 0; i < u->loops; i++) {
		const struct unroll_loop *l = &u->loop[i];
		uint32_t copies = l->copies[0] + l->copies[1];

		insts += copies * (l->last - l->first + 1) + 4;
		refs += copies *
			(u->live->at[l->last] - u->live->at[l->first] + 1);
	}
	u->insts = arena_new(a, struct ptx_inst, insts);
	u->place = arena_new(a, uint32_t, insts);
	u->copy = arena_new(a, uint16_t, insts);
	u->counts = arena_new(a, bool, insts);
	u->regs = arena_new(a, struct ptx_reg, f->reg_count + refs + 1);
	u->labels = arena_new(a, struct ptx_label, f->label_count + u->loops);
	f->unrolls = arena_new(a, struct ptx_unroll, 2 * u->loops);
	if (!u->insts || !u->place || !u->copy || !u->counts || !u->regs ||
	    !u->labels || !f->unrolls)
		return false;
	u->reg_count = f->reg_count;
	u->label_count = f->label_count;
	memcpy(u->regs, f->regs, f->reg_count * sizeof(*u->regs));
	if (f->label_count)
		memcpy(u->labels, f->labels,
		       f->label_count * sizeof(*u->labels));
	return true;
}

static void take_function(struct unroller *u)
{
	struct ptx_func *f = u->f;

	if (!f->text)
		f->text = f->insts;
	if (!f->copy) {
		f->text_count = f->inst_count;
		f->text_labels = f->labels;
		f->text_label_count = f->label_count;
		f->text_regs = f->reg_count;
	}
	f->insts = u->insts;
	f->inst_count = u->count;
	f->labels = u->labels;
	f->label_count = u->label_count;
	f->regs = u->regs;
	f->reg_count = u->reg_count;
	f->place = u->place;
	f->copy = u->copy;
	f->counts = u->counts;
}

static bool unroll_prepare(struct unroller *u, struct arena *scratch)
{
	uint32_t cells = u->live->cells + 1, n = u->f->inst_count + 1;

	u->local = arena_new(scratch, uint32_t, cells);
	u->last_ref = arena_new(scratch, uint32_t, cells);
	u->name = arena_new(scratch, uint32_t, u->f->reg_count + 1);
	u->moved = arena_new(scratch, uint32_t, n);
	u->loop = arena_new(scratch, struct unroll_loop,
			    u->flow->block_count + 1);
	return u->local && u->last_ref && u->name && u->moved && u->loop;
}

enum err unroll_loops(struct ptx_module *m, struct ptx_func *f,
		      const struct ptx_flow *flow, const struct time_live *live,
		      const uint8_t *fold, struct arena *scratch,
		      struct diag *d)
{
	struct unroller u = {
		.m = m, .f = f, .flow = flow, .live = live, .fold = fold
	};

	if (!unroll_prepare(&u, scratch))
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	for (uint32_t b = 0; b < flow->block_count; b++)
		u.loops += find_loop(&u, b, &u.loop[u.loops]);
	if (!u.loops)
		return ERR_OK;
	find_outside(&u);
	for (uint32_t i = 0; i < u.loops; i++)
		find_loop_cells(&u, i);
	if (!unroll_alloc(&u) || !put_all(&u))
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	take_function(&u);
	return ERR_OK;
}
