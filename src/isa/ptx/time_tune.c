#include "isa/ptx/time_tune.h"

#include <string.h>

#include "isa/ptx/fold.h"

/* One function while its latencies are adjusted. */
struct tuner {
	const struct ptx_func *f;
	const struct time_live *live;
	const struct cfg *cfg;
};

enum { NO_UNIT = UNIT_COUNT };

/* Whether a compiler would remove it: part of another instruction, a copy from
 * register to register, or a pair made of two registers. */
static bool is_copy(const struct tuner *k, uint32_t inst)
{
	const struct ptx_inst *in = &k->f->insts[inst];

	if (k->f->fold && k->f->fold[inst] == FOLD_AWAY)
		return true;
	if (!k->cfg->sm.compiled || in->op->op != PTX_OP_MOV ||
	    in->guard != PTX_NO_REG)
		return false;
	for (uint32_t i = k->live->at[inst]; i < k->live->at[inst + 1]; i++)
		if (!k->live->ref[i].write)
			return true;
	return false;
}

/* Whether an instruction writes something that a branch reads. */
static bool feeds_branch(const struct tuner *k, uint32_t inst, uint32_t branch)
{
	const struct time_live *l = k->live;

	for (uint32_t w = l->at[inst]; w < l->at[inst + 1]; w++)
		for (uint32_t r = l->at[branch];
		     l->ref[w].write && r < l->at[branch + 1]; r++)
			if (!l->ref[r].write &&
			    l->ref[r].cell == l->ref[w].cell)
				return true;
	return false;
}

/* A branch waits sm.branch_guard cycles for the last instruction of its block
 * that it reads a result of. */
static void add_guard_latency(const struct tuner *k,
			      struct timed_inst *const *inst, uint32_t first,
			      uint32_t branch)
{
	for (uint32_t i = branch; i-- > first;) {
		struct timed_inst *r = inst[i];

		if (!r || !feeds_branch(k, i, branch))
			continue;
		if (timed_has_fixed_latency(r) &&
		    r->cycles < k->cfg->sm.branch_guard)
			r->cycles = timed_cycles(k->cfg->sm.branch_guard);
		return;
	}
}

static bool is_branch(const struct timed_inst *r)
{
	return r->kind == KIND_BRANCH || r->kind == KIND_INDIRECT ||
	       r->kind == KIND_EXIT || r->kind == KIND_CALL;
}

/* The first unit in the rest of the block that reads what an instruction
 * writes. reader[], by cell, has the first readers in what follows. */
static unsigned first_reader(const struct tuner *k, uint32_t inst,
			     const uint8_t *reader)
{
	const struct time_live *l = k->live;

	for (uint32_t i = l->at[inst]; i < l->at[inst + 1]; i++)
		if (l->ref[i].write && reader[l->ref[i].cell] != NO_UNIT)
			return reader[l->ref[i].cell];
	return NO_UNIT;
}

static void set_reader(const struct tuner *k, uint32_t inst, uint8_t *reader,
		       bool write, unsigned unit)
{
	const struct time_live *l = k->live;

	for (uint32_t i = l->at[inst]; i < l->at[inst + 1]; i++)
		if (l->ref[i].write == write)
			reader[l->ref[i].cell] = (uint8_t)unit;
}

/* Adds regs.cross cycles to results that another unit reads. A copy has no unit
 * of its own: its readers read what it copies. */
static void add_cross_latency(const struct tuner *k,
			      struct timed_inst *const *inst, uint32_t first,
			      uint32_t end, uint8_t *reader)
{
	for (uint32_t i = end; i-- > first;) {
		struct timed_inst *r = inst[i];
		unsigned unit, to;

		if (!r)
			continue;
		to = first_reader(k, i, reader);
		unit = is_copy(k, i) ? to : r->unit;
		if (r->kind == KIND_PLAIN && to != NO_UNIT && to != unit)
			r->cycles =
				timed_cycles(r->cycles + k->cfg->regs.cross);
		set_reader(k, i, reader, true, NO_UNIT);
		if (unit != UNIT_BRANCH)
			set_reader(k, i, reader, false, unit);
	}
	for (uint32_t i = first; i < end; i++) {
		set_reader(k, i, reader, true, NO_UNIT);
		set_reader(k, i, reader, false, NO_UNIT);
	}
}

static void tune_block(const struct tuner *k, struct timed_inst *const *inst,
		       uint32_t first, uint32_t last, uint8_t *reader)
{
	for (uint32_t i = first; i <= last; i++)
		if (inst[i] && is_copy(k, i))
			inst[i]->cycles = inst[i]->interval = 1;
	if (k->cfg->regs.cross)
		add_cross_latency(k, inst, first, last + 1, reader);
	if (inst[last] && is_branch(inst[last]))
		add_guard_latency(k, inst, first, last);
}

enum err tune_latencies(const struct timed_func *func, const struct ptx_func *f,
			const struct time_live *live, const struct cfg *cfg,
			struct arena *scratch, struct diag *d)
{
	const struct tuner k = { .f = f, .live = live, .cfg = cfg };
	uint32_t n = f->inst_count, first = 0;
	struct timed_inst **inst =
		arena_new(scratch, struct timed_inst *, n + 1);
	uint8_t *reader = arena_new(scratch, uint8_t, live->cells + 1);

	if (!inst || !reader)
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	memset(reader, NO_UNIT, live->cells);
	for (uint32_t i = 0; i < func->count; i++)
		if (!(func->code->insts[i].flip & INST_PSEUDO))
			inst[func->code->insts[i].index] = &func->inst[i];
	for (uint32_t i = 0; i < n; i++) {
		if (live->leads[i])
			first = i;
		if (i + 1 == n || live->leads[i + 1])
			tune_block(&k, inst, first, i, reader);
	}
	return ERR_OK;
}
