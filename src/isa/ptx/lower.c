#include "isa/ptx/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/branch.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/flow.h"
#include "isa/ptx/form.h"
#include "isa/ptx/spin.h"

void lower_fail(struct lower *lo, enum err code, const char *fmt, ...)
{
	const struct ptx_module *m = lo->program->module;
	struct ptx_loc at = lo->in ? lo->in->loc : lo->f->loc;
	char text[200], inst[200] = "";
	va_list ap;

	if (lo->failed)
		return;
	lo->failed = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (lo->in)
		ptx_print_inst(inst, sizeof(inst), lo->f, lo->in);
	fail(lo->d, code, "%s:%u:%u: %s%s%s", m->name, at.line, at.col, text,
	     inst[0] ? ": " : "", inst);
}

static uint32_t lower_align_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* Places v at *end. False: the frame would exceed 1 GiB. */
static bool place_in_frame(uint32_t *at, uint32_t *end, const struct ptx_var *v)
{
	uint64_t start = lower_align_up(*end, v->align ? v->align : 1);

	if (start + v->bytes > 1u << 30)
		return false;
	*at = (uint32_t)start;
	*end = (uint32_t)(start + v->bytes);
	return true;
}

/*
 * Return values first, then parameters, then the rest: functions of the same
 * prototype agree on the offsets of the first two, as indirect calls require.
 */
bool layout_make(struct layout *l, struct arena *a, const struct ptx_func *f,
		 uint32_t start)
{
	uint32_t end = start;
	bool ok = true;

	l->var = arena_new(a, uint32_t, f->var_count + 1);
	l->param = arena_new(a, uint32_t, f->param_count + 1);
	l->ret = arena_new(a, uint32_t, f->ret_count + 1);
	if (!l->var || !l->param || !l->ret)
		return false;
	for (uint32_t i = 0; ok && i < f->ret_count; i++)
		if (f->rets[i]->space == SPACE_PARAM)
			ok = place_in_frame(&l->ret[i], &end, f->rets[i]);
	for (uint32_t i = 0; ok && i < f->param_count && !f->is_entry; i++)
		if (f->params[i]->space == SPACE_PARAM)
			ok = place_in_frame(&l->param[i], &end, f->params[i]);
	for (uint32_t i = 0; ok && i < f->var_count; i++)
		if (f->vars[i]->space == SPACE_PARAM ||
		    f->vars[i]->space == SPACE_LOCAL)
			ok = place_in_frame(&l->var[i], &end, f->vars[i]);
	/* Never empty, so that endless recursion overflows the stack. */
	l->bytes = lower_align_up(end + 16, 16);
	return ok;
}

struct inst *lower_emit(struct lower *lo, exec_fn *exec)
{
	struct code *c = lo->code;
	struct inst *in;

	if (c->count + INST_TAIL >= lo->out_room) {
		uint32_t room = lo->out_room ? 2 * lo->out_room : 256;
		struct inst *more = realloc(c->insts, room * sizeof(*more));

		if (!more) {
			lower_fail(lo, ERR_NOMEM, "out of memory");
			return &lo->spare;
		}
		memset(more + lo->out_room, 0,
		       (room - lo->out_room) * sizeof(*more));
		c->insts = more;
		lo->out_room = room;
	}
	in = &c->insts[c->count++];
	in->exec = exec;
	in->d = in->d2 = in->a = in->b = in->c = in->e = SLOT_NONE;
	in->guard = SLOT_NONE;
	in->index = lo->in ? (uint32_t)(lo->in - lo->f->insts) : 0;
	in->flip = INST_PSEUDO; /* cleared by lower_inst */
	return in;
}

/* The next free source operand of an instruction. */
static slot_t *next_src(struct inst *in, bool mem)
{
	if (in->a == SLOT_NONE && !mem)
		return &in->a;
	if (in->b == SLOT_NONE)
		return &in->b;
	if (in->c == SLOT_NONE)
		return &in->c;
	return &in->e;
}

static enum ptx_type slot_type(const struct ptx_opcode *op,
			       const struct ptx_form_slot *s)
{
	return s->by_opcode ? (enum ptx_type)op->type[s->type] :
			      (enum ptx_type)s->type;
}

/*
 * Lowered operands are collected here first, because lowering an operand may
 * emit instructions, which moves the array of instructions.
 */
struct lowered_operands {
	struct inst in;
	int preds; /* predicate sources so far */
	bool mem;
};

static void lower_operand(struct lower *lo, struct lowered_operands *os,
			  const struct ptx_form_slot *s,
			  const struct ptx_opnd *o)
{
	struct inst *in = &os->in;
	enum ptx_type type = slot_type(lo->in->op, s);
	struct ptx_opnd whole = *o; /* without its selector */

	whole.part = 0;
	switch (s->kind[0]) {
	case 'd':
	case 'p':
		if (o->kind == PTX_OPND_DUAL) {
			in->d = lower_dst(lo, &o->elems[0]);
			in->d2 = lower_dst(lo, &o->elems[1]);
		} else {
			in->d = lower_dst(lo, o);
		}
		break;
	case 'q':
		if (o->negated)
			in->flip |= (uint8_t)(1u << os->preds);
		os->preds++;
		*next_src(in, os->mem) = lower_src(lo, o, PTX_PRED);
		break;
	case 'a':
		*next_src(in, os->mem) = lower_src(lo, o, type);
		break;
	case 'i':
		if (o->kind != PTX_OPND_IMM)
			lower_fail(lo, ERR_SYNTAX, "expected a constant");
		in->offset = (int64_t)o->bits;
		break;
	case 'y':
		in->d = lower_dst(lo, &whole);
		break;
	case 'z':
		*next_src(in, os->mem) = lower_src(lo, &whole, PTX_B32);
		break;
	case 'm':
		lower_mem(lo, in, o);
		os->mem = true;
		break;
	default:
		break; /* left to lower_details */
	}
}

static void lower_operands(struct lower *lo, struct lowered_operands *os)
{
	const struct ptx_form *form = ptx_form_of(lo->in->op->op);

	memset(os, 0, sizeof(*os));
	os->in.d = os->in.d2 = SLOT_NONE;
	os->in.a = os->in.b = os->in.c = os->in.e = SLOT_NONE;
	for (uint32_t i = 0; i < lo->in->opnd_count && i < form->slots; i++)
		lower_operand(lo, os, &form->slot[i], &lo->in->opnds[i]);
}

static void lower_guard(struct lower *lo, struct inst *out)
{
	if (lo->in->guard == PTX_NO_REG)
		return;
	out->guard = SLOT(SLOT_REG, lo->reg_slot[lo->in->guard]);
	out->guard_flip = lo->in->guard_negated ? ~0u : 0;
}

static void lower_inst(struct lower *lo)
{
	const struct ptx_opcode *op = lo->in->op;
	struct lowered_operands os;
	struct inst *out, common;

	lower_operands(lo, &os);
	os.in.op = op->op;
	os.in.m = lower_mods(op);
	os.in.width = op->types ? ptx_types[op->type[0]].bytes : 0;
	lower_details(lo, &os.in);
	out = lower_emit(lo, os.in.exec ? os.in.exec : exec_table[op->op]);
	common = *out;
	*out = os.in;
	out->exec = common.exec;
	out->guard = common.guard;
	out->index = common.index;
	lower_guard(lo, out);
	if (lo->in->apart)
		out->flip |= INST_APART;
}

/* Whether it is a call that not all lanes make, or that may call different
 * functions: its lanes reconverge behind it. */
static bool separates_lanes(const struct ptx_inst *in)
{
	if (in->op->op != PTX_OP_CALL)
		return false;
	if (in->guard != PTX_NO_REG)
		return true;
	for (uint32_t i = 0; i < in->opnd_count; i++)
		if (in->opnds[i].kind == PTX_OPND_REG)
			return true;
	return false;
}

static void mark_joins(struct lower *lo, const struct ptx_flow *flow)
{
	for (uint32_t i = 0; i < lo->f->inst_count; i++) {
		lo->join[i] = flow->join[i];
		if (flow->join[i] != PTX_NO_JOIN)
			lo->is_join[flow->join[i]] = true;
		if (separates_lanes(&lo->f->insts[i]))
			lo->is_join[i + 1] = true;
	}
}

static void fix_table(struct branch_table *t, const uint32_t *pc)
{
	for (uint32_t i = 0; i < t->count; i++)
		t->pc[i] = pc[t->pc[i]];
}

/* What exec_unrolled needs of the copies of a loop. */
static void lower_unrolled(struct lower *lo, const struct ptx_unroll *u)
{
	enum ptx_type type = (enum ptx_type)u->test->type[0];
	struct loop_count *c =
		arena_new(&lo->program->base.arena, struct loop_count, 1);
	struct inst *in;

	if (!c) {
		lower_fail(lo, ERR_NOMEM, "out of memory");
		return;
	}
	c->counter = SLOT(SLOT_REG, lo->reg_slot[u->counter]);
	c->step = lower_src(lo, u->step, type);
	c->limit = lower_src(lo, u->limit, type);
	c->bytes = ptx_types[type].bytes;
	c->is_signed = ptx_types[type].kind == PTX_KIND_S;
	c->truth = lower_truth(u->test);
	c->subtracts = u->subtracts;
	c->tests_old = u->tests_old;
	c->swapped = u->swapped;
	in = lower_emit(lo, exec_unrolled);
	in->x = c;
	in->k = (uint8_t)u->copies;
	in->count = u->goes_on;
	in->offset = u->next;
	in->m = u->test_at;
}

/* Turns branch targets and joins from PTX instructions into pcs. */
static void fix_targets(struct lower *lo)
{
	for (uint32_t i = 0; i < lo->code->count; i++) {
		struct inst *in = &lo->code->insts[i];

		if (in->exec == exec_unrolled)
			in->offset = lo->pc[in->offset];
		if (in->exec != exec_bra && in->exec != exec_brx)
			continue;
		if (in->exec == exec_bra)
			in->offset = lo->pc[in->offset];
		else
			fix_table(in->table, lo->pc);
		in->c = in->c == PTX_NO_JOIN ? NO_PC : lo->pc[in->c];
	}
}

/* What stands before instruction i. */
static void lower_begin(struct lower *lo, uint32_t i)
{
	const struct ptx_func *f = lo->f;

	lo->pc[i] = lo->code->count;
	if (lo->is_join[i])
		lower_emit(lo, warp_meet);
	if (lo->spins[i])
		lower_emit(lo, warp_spin);
	for (uint32_t k = 0; k < f->unroll_count; k++)
		if (f->unrolls[k].first == i)
			lower_unrolled(lo, &f->unrolls[k]);
}

static void lower_body(struct lower *lo)
{
	uint32_t n = lo->f->inst_count;

	for (uint32_t i = 0; i <= n && !lo->failed; i++) {
		lo->in = i < n ? &lo->f->insts[i] : NULL;
		lower_begin(lo, i);
		if (i < n)
			lower_inst(lo);
		if (i < n && lo->f->copy && lo->f->copy[i] == PTX_COPY_EXIT)
			lo->code->insts[lo->code->count - 1].flip |=
				INST_PSEUDO;
		if (i < n && lo->ends && lo->ends[i])
			lower_emit(lo, exec_facts_end);
	}
	/* The end of a function returns, even without a ret. */
	lo->in = n ? &lo->f->insts[n - 1] : NULL;
	lower_emit(lo, exec_ret);
	if (!lo->failed)
		fix_targets(lo);
}

/* Finds where groups of facts end that have what stood behind a branch. */
static bool find_ends(struct lower *lo, struct arena *scratch)
{
	const struct ptx_func *f = lo->f;
	uint32_t groups = 0, *last;
	bool *ends, any = false;

	for (uint32_t i = 0; f->group && i < f->inst_count; i++) {
		groups = f->group[i] > groups ? f->group[i] : groups;
		any |= f->group[i] && f->insts[i].apart;
	}
	if (!any)
		return true;
	last = arena_new(scratch, uint32_t, groups + 1);
	ends = arena_new(scratch, bool, f->inst_count);
	if (!last || !ends)
		return false;
	for (uint32_t i = 0; i < f->inst_count; i++)
		last[f->group[i]] = i;
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (f->group[i] && f->insts[i].apart)
			ends[last[f->group[i]]] = true;
	lo->ends = ends;
	return true;
}

static bool lower_alloc(struct lower *lo, const struct ptx_flow *flow,
			struct arena *scratch)
{
	const struct ptx_func *f = lo->f;
	uint32_t n = f->inst_count + 1;

	lo->pc = arena_new(scratch, uint32_t, n);
	lo->join = arena_new(scratch, uint32_t, n);
	lo->is_join = arena_new(scratch, bool, n + 1);
	lo->spins = ptx_spins(f, flow, scratch, lo->d);
	return lo->pc && lo->join && lo->is_join && lo->spins &&
	       find_ends(lo, scratch);
}

enum err lower_func(struct ptx_program *p, struct const_pool *pool,
		    const struct ptx_func *f, const struct ptx_flow *flow,
		    struct diag *d)
{
	struct code *code = p->base.funcs[f->index].code;
	struct lower lo = { .program = p,
			    .pool = pool,
			    .d = d,
			    .f = f,
			    .code = code,
			    .layout = p->layouts[f->index],
			    .reg_slot = p->regs[f->index].slot,
			    .reg_once = p->regs[f->index].once };
	struct arena scratch = { 0 };

	if (!lower_alloc(&lo, flow, &scratch)) {
		arena_free(&scratch);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	mark_joins(&lo, flow);
	lower_body(&lo);
	arena_free(&scratch);
	return lo.failed ? d->code : ERR_OK;
}
