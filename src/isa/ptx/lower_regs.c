/*
 * Places the registers of a function in its frames.
 *
 * A register is an array over the lanes. PTX names a new register for nearly
 * every value. With an array for each, a warp would touch far more of the
 * host's cache than it has live values. So registers that are never live at the
 * same time share an array, and the array that was freed last is taken first.
 *
 * This is correct: a lane follows a path of the flow graph, and reads and
 * writes only its own elements. At each point of its path, every register that
 * it may still read is within its live interval, and so is every register that
 * it writes. Registers that share an array have disjoint intervals, so a lane
 * never overwrites a value that it still needs. Other lanes may be elsewhere,
 * but they have their own elements. An operation among lanes reads elements of
 * lanes at the same instruction, where the same intervals hold.
 *
 * A source and a destination of one instruction share an array only if the
 * executor reads a lane's elements before it writes them, as those of lane rows
 * do. Registers that are read or written at another time than their instruction
 * have an array of their own: see find_own.
 */
#include <string.h>

#include "base/minmax.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/live.h"
#include "isa/ptx/lower.h"

/* The maximum number of 64-bit words of a function's live sets. Beyond it, each
 * register has an array of its own. Some 90,000 instructions in 600 blocks stay
 * below. */
enum { MAX_SET_WORDS = 1 << 20 };

/* Classes of registers by bytes, wide ones first, so that arrays are aligned. */
static const unsigned widths[] = { 16, 8, 4, 2, 1 };
enum { CLASSES = 5 };

struct placer {
	const struct ptx_func *f;
	const struct ptx_flow *flow;
	struct ptx_live live;
	struct arena scratch;
	uint32_t *slots; /* by register: number of its array in its class */
	uint32_t *once;  /* by register: reg_place.once */
	bool *own;       /* by register: has an array of its own */
	uint32_t count[CLASSES]; /* arrays */
	/* Lists of registers + 1: those whose interval starts or ends at a
	 * point, and those whose array is free. A register is in at most one
	 * list. */
	uint32_t *starts, *ends, free[CLASSES];
	uint32_t *next;
};

static unsigned width_class(const struct placer *p, uint32_t reg)
{
	unsigned bytes = reg_bytes(p->f->regs[reg].type), k = 0;

	while (widths[k] != bytes)
		k++;
	return k;
}

static uint32_t array_bytes(unsigned k)
{
	return widths[k] == 1 ? 4 : widths[k] * LANES; /* 1: a mask */
}

/* Parameters and return values in registers, which callers read and write. */
static void own_formals(struct placer *p, struct ptx_var *const *vars,
			uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (vars[i]->space == SPACE_REG)
			p->own[vars[i]->index] = true;
}

/* Whether the destination is written later: when the atomic has been performed,
 * or when all warps have arrived. */
static bool writes_late(unsigned op)
{
	return exec_table[op] == atom_exec ||
	       exec_table[op] == atom_exec_vector || exec_table[op] == bar_red;
}

/*
 * Marks the cells that need an array of their own: those that calls copy, those
 * that are written late, and those that may be read before they are written,
 * which would show another register's value.
 */
static void own_cells(struct placer *p, bool *cells)
{
	const struct ptx_live *l = &p->live;

	for (uint32_t i = 0; i < p->f->inst_count; i++) {
		unsigned op = p->f->insts[i].op->op;
		bool late = writes_late(op);

		if (op != PTX_OP_CALL && !late)
			continue;
		for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++)
			if (!late || l->ref[k].write)
				cells[l->ref[k].cell] = true;
	}
	/* The first set is that of the first block, the function's entry. */
	for (uint32_t g = 0; g < l->globals; g++)
		if (l->in[g / 64] >> g % 64 & 1)
			cells[l->cell_of[g]] = true;
}

static bool find_own(struct placer *p)
{
	const struct ptx_func *f = p->f;
	bool *cells = arena_new(&p->scratch, bool, p->live.cells);

	if (!cells)
		return false;
	own_cells(p, cells);
	own_formals(p, f->params, f->param_count);
	own_formals(p, f->rets, f->ret_count);
	for (uint32_t r = 0; r < f->reg_count; r++)
		if (f->regs[r].vec > 1 || f->regs[r].type == PTX_PRED ||
		    cells[p->live.first[r]])
			p->own[r] = true;
	return true;
}

/* Starts the intervals of destinations where the instruction reads, except for
 * lane rows, which read first: so sources and destinations do not share. */
static void separate_operands(struct placer *p)
{
	struct ptx_live *l = &p->live;

	for (uint32_t i = 0; i < p->f->inst_count; i++) {
		if (ptx_rows[p->f->insts[i].op->op].class == PTX_ROW_LANE)
			continue;
		for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++)
			if (l->start[l->ref[k].cell] > 2 * i)
				l->start[l->ref[k].cell] = 2 * i;
	}
}

static void list_push(struct placer *p, uint32_t *list, uint32_t reg)
{
	p->next[reg] = *list;
	*list = reg + 1;
}

static uint32_t list_pop(struct placer *p, uint32_t *list)
{
	uint32_t reg = *list - 1;

	*list = p->next[reg];
	return reg;
}

static bool list_starts(struct placer *p)
{
	const struct ptx_live *l = &p->live;
	uint32_t points = 2 * p->f->inst_count;

	p->starts = arena_new(&p->scratch, uint32_t, points);
	p->ends = arena_new(&p->scratch, uint32_t, points);
	p->next = arena_new(&p->scratch, uint32_t, p->f->reg_count);
	if (!p->starts || !p->ends || !p->next)
		return false;
	for (uint32_t r = p->f->reg_count; r-- > 0;) {
		uint32_t start = l->start[l->first[r]];

		/* A register that is never named may be anywhere. */
		if (!p->own[r] && start != PTX_LIVE_NEVER)
			list_push(p, &p->starts[start], r);
	}
	return true;
}

/* Walks over the points of the text: takes arrays where intervals start, frees
 * them behind their ends. */
static void assign_arrays(struct placer *p)
{
	const struct ptx_live *l = &p->live;

	for (uint32_t at = 0; at < 2 * p->f->inst_count; at++) {
		while (p->starts[at]) {
			uint32_t r = list_pop(p, &p->starts[at]);
			unsigned k = width_class(p, r);

			p->slots[r] =
				p->free[k] ?
					p->slots[list_pop(p, &p->free[k])] :
					p->count[k]++;
			list_push(p, &p->ends[l->end[l->first[r]]], r);
		}
		while (p->ends[at]) {
			uint32_t r = list_pop(p, &p->ends[at]);

			list_push(p, &p->free[width_class(p, r)], r);
		}
	}
}

/* The instructions before the returned one are executed at most once: no branch
 * goes back to them. Only in kernels; other functions may be called again. */
static uint32_t first_loop(const struct ptx_func *f)
{
	uint32_t first = f->is_entry ? f->inst_count : 0;

	for (uint32_t i = 0; i < f->inst_count; i++) {
		const struct ptx_inst *in = &f->insts[i];

		if (in->op->op == PTX_OP_BRX)
			return 0; /* it may go anywhere */
		for (uint32_t k = 0; k < in->opnd_count; k++) {
			const struct ptx_opnd *o = &in->opnds[k];

			if (o->kind == PTX_OPND_LABEL &&
			    f->labels[o->label].inst <= i)
				first = min_u64(first,
						f->labels[o->label].inst);
		}
	}
	return first;
}

static bool find_once(struct placer *p)
{
	const struct ptx_live *l = &p->live;
	uint32_t *writes = arena_new(&p->scratch, uint32_t, l->cells);
	uint32_t *last = arena_new(&p->scratch, uint32_t, l->cells);
	uint32_t loop = first_loop(p->f);

	if (!writes || !last)
		return false;
	for (uint32_t i = 0; i < p->f->inst_count; i++)
		for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++)
			if (l->ref[k].write) {
				writes[l->ref[k].cell]++;
				last[l->ref[k].cell] = i;
			}
	for (uint32_t r = 0; r < p->f->reg_count; r++) {
		uint32_t cell = l->first[r];

		if (p->f->regs[r].vec == 1 && writes[cell] == 1 &&
		    last[cell] < loop &&
		    !writes_late(p->f->insts[last[cell]].op->op))
			p->once[r] = last[cell] + 1;
	}
	return true;
}

/* An upper bound: most registers live in one block and are in no set. */
static bool can_share(const struct placer *p)
{
	return p->flow && p->f->inst_count &&
	       (uint64_t)p->flow->block_count * (p->f->reg_count / 64 + 1) <=
		       MAX_SET_WORDS;
}

static enum err share_arrays(struct placer *p, struct diag *d)
{
	enum err e = ptx_live(&p->live, p->f, p->flow, &p->scratch, d);

	if (e)
		return e;
	if (!find_own(p) || !find_once(p))
		return fail(d, ERR_NOMEM, "out of memory");
	separate_operands(p);
	if (!list_starts(p))
		return fail(d, ERR_NOMEM, "out of memory");
	assign_arrays(p);
	return ERR_OK;
}

/* Turns numbers of arrays into offsets; returns the end of all arrays. */
static uint32_t assign_offsets(struct placer *p)
{
	uint32_t start[CLASSES], end = 0;

	for (uint32_t r = 0; r < p->f->reg_count; r++)
		if (p->own[r]) {
			unsigned k = width_class(p, r);

			p->slots[r] = p->count[k];
			p->count[k] += p->f->regs[r].vec;
		}
	for (unsigned k = 0; k < CLASSES; k++) {
		start[k] = end;
		end += p->count[k] * array_bytes(k);
	}
	for (uint32_t r = 0; r < p->f->reg_count; r++) {
		unsigned k = width_class(p, r);

		p->slots[r] = start[k] + p->slots[r] * array_bytes(k);
	}
	return end;
}

enum err place_regs(struct reg_place *to, const struct ptx_func *f,
		    const struct ptx_flow *flow, struct diag *d)
{
	struct placer p = {
		.f = f, .flow = flow, .slots = to->slot, .once = to->once
	};
	enum err e = ERR_OK;

	p.own = arena_new(&p.scratch, bool, f->reg_count + 1);
	if (!p.own)
		return fail(d, ERR_NOMEM, "out of memory");
	if (can_share(&p))
		e = share_arrays(&p, d);
	else
		memset(p.own, true, f->reg_count);
	if (!e)
		to->end = assign_offsets(&p);
	arena_free(&p.scratch);
	return e;
}
