#include "isa/ptx/time_tune.h"

#include <string.h>

/* One function while its rows are tuned. */
struct tuner {
	const struct ptx_func *f;
	const struct time_live *live;
	const struct cfg *cfg;
};

enum { NO_UNIT = UNIT_COUNT };

/* A copy from register to register, or a pair made of two: none is left. */
static bool is_copy(const struct tuner *k, uint32_t inst)
{
	const struct ptx_inst *in = &k->f->insts[inst];

	if (!k->cfg->sm.compiled || in->op->op != PTX_OP_MOV ||
	    in->guard != PTX_NO_REG)
		return false;
	for (uint32_t i = k->live->at[inst]; i < k->live->at[inst + 1]; i++)
		if (!k->live->ref[i].write)
			return true;
	return false;
}

static bool writes_cell(const struct tuner *k, uint32_t inst, uint32_t cell)
{
	const struct time_live *l = k->live;

	for (uint32_t i = l->at[inst]; i < l->at[inst + 1]; i++)
		if (l->ref[i].write && l->ref[i].cell == cell)
			return true;
	return false;
}

/* Cells that a branch needs, while its block is searched for their makers. */
struct wanted_cells {
	uint32_t cell[16];
	unsigned count;
};

/* False: there are too many of them to be worth the trouble. */
static bool want_reads(const struct tuner *k, struct wanted_cells *w,
		       uint32_t inst)
{
	const struct time_live *l = k->live;

	for (uint32_t i = l->at[inst]; i < l->at[inst + 1]; i++) {
		if (l->ref[i].write)
			continue;
		if (w->count == sizeof(w->cell) / sizeof(*w->cell))
			return false;
		w->cell[w->count++] = l->ref[i].cell;
	}
	return true;
}

/* Whether the instruction makes what is wanted, which then is no longer. */
static bool makes_wanted(const struct tuner *k, struct wanted_cells *w,
			 uint32_t inst)
{
	unsigned left = 0, before = w->count;

	for (unsigned i = 0; i < before; i++)
		if (!writes_cell(k, inst, w->cell[i]))
			w->cell[left++] = w->cell[i];
	w->count = left;
	return left < before;
}

/*
 * A branch waits sm.branch_guard cycles for its predicate. A compiler moves
 * what makes the predicate up, so that the other instructions of the block run
 * meanwhile: each of them hides a cycle of the makers' latencies. Unless one
 * of the makers takes a time that no compiler knows.
 */
static void hide_guard_latency(const struct tuner *k,
			       struct timed_inst *const *row, uint32_t first,
			       uint32_t branch)
{
	struct wanted_cells w = { .count = 0 };
	struct timed_inst *maker[16];
	unsigned makers = 0, others = 0;

	for (uint32_t i = first; i < branch; i++)
		others += row[i] != NULL;
	if (!want_reads(k, &w, branch))
		return;
	for (uint32_t i = branch; i-- > first && w.count;) {
		if (!row[i] || !makes_wanted(k, &w, i))
			continue;
		if (!timed_has_fixed_latency(row[i]) || makers == 16 ||
		    !want_reads(k, &w, i)) {
			others = makers;
			break;
		}
		maker[makers++] = row[i];
	}
	others -= makers;
	for (unsigned i = 0; i < makers; i++) {
		unsigned hides;

		if (!i && maker[i]->cycles < k->cfg->sm.branch_guard)
			maker[i]->cycles =
				timed_cycles(k->cfg->sm.branch_guard);
		if (!k->cfg->sm.compiled || !maker[i]->cycles)
			continue;
		hides = maker[i]->cycles - 1u;
		hides = hides < others ? hides : others;
		maker[i]->cycles = (uint16_t)(maker[i]->cycles - hides);
		others -= hides;
	}
}

static bool is_branch(const struct timed_inst *r)
{
	return r->kind == KIND_BRANCH || r->kind == KIND_INDIRECT ||
	       r->kind == KIND_EXIT || r->kind == KIND_CALL;
}

/* The unit that is the first in the block to read what an instruction writes;
 * reader[]: by cell, of what follows. */
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

/* Results take regs.cross cycles longer to another unit. A copy is none: its
 * readers read what it copies. */
static void add_cross_latency(const struct tuner *k,
			      struct timed_inst *const *row, uint32_t first,
			      uint32_t end, uint8_t *reader)
{
	for (uint32_t i = end; i-- > first;) {
		struct timed_inst *r = row[i];
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

static void tune_block(const struct tuner *k, struct timed_inst *const *row,
		       uint32_t first, uint32_t last, uint8_t *reader)
{
	for (uint32_t i = first; i <= last; i++)
		if (row[i] && is_copy(k, i))
			row[i]->cycles = row[i]->interval = 1;
	if (k->cfg->regs.cross)
		add_cross_latency(k, row, first, last + 1, reader);
	if (row[last] && is_branch(row[last]))
		hide_guard_latency(k, row, first, last);
}

enum err tune_latencies(const struct timed_func *rows, const struct ptx_func *f,
			const struct time_live *live, const struct cfg *cfg,
			struct arena *scratch, struct diag *d)
{
	const struct tuner k = { .f = f, .live = live, .cfg = cfg };
	uint32_t n = f->inst_count, first = 0;
	struct timed_inst **row =
		arena_new(scratch, struct timed_inst *, n + 1);
	uint8_t *reader = arena_new(scratch, uint8_t, live->cells + 1);

	if (!row || !reader)
		return fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	memset(reader, NO_UNIT, live->cells);
	for (uint32_t i = 0; i < rows->count; i++)
		if (!(rows->code->insts[i].flip & INST_PSEUDO))
			row[rows->code->insts[i].index] = &rows->inst[i];
	for (uint32_t i = 0; i < n; i++) {
		if (live->leads[i])
			first = i;
		if (i + 1 == n || live->leads[i + 1])
			tune_block(&k, row, first, i, reader);
	}
	return ERR_OK;
}
