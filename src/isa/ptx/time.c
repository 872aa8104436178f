#include "isa/ptx/time.h"

#include <stdio.h>
#include <string.h>

#include "arch/follow.h"
#include "base/minmax.h"
#include "isa/ptx/combine.h"
#include "isa/ptx/fold.h"
#include "isa/ptx/time_banks.h"
#include "isa/ptx/time_live.h"
#include "isa/ptx/time_tune.h"
#include "simt/mem.h"

enum {
	NO_NUMBER = 0xffffffffu,
	MAX_NUMBERS = UINT16_MAX,
	MAX_REGS = UINT8_MAX, /* of one instruction */
	/* The minimum that ptxas allocates for a kernel with ABI calls. */
	CALL_REGISTERS = 26
};

/* The state while timed instructions are made, one function at a time. */
struct timing_pass {
	const struct ptx_program *p;
	const struct cfg *cfg;
	struct arena *a;      /* that the timed program lives in */
	struct arena scratch; /* of one function */
	struct arena work;    /* until ptx_time returns */
	struct diag *d;
	const struct ptx_func *f;
	struct time_live live;
	uint32_t *place;  /* by cell: where it is stored, in words */
	uint32_t *number; /* by place: its number for the scoreboard */
	uint32_t numbers;
	struct scoreboard_names
		*name;   /* by place; NULL: every place has one number */
	bool *rewritten; /* by instruction: its block writes the same anew */
};

/* The scoreboard numbers that a place has, in turn, within a block. */
enum { NAMES = 3 };

struct scoreboard_names {
	uint32_t spare[NAMES];
	uint32_t now; /* NO_NUMBER: timing_pass.number of the place */
	uint32_t turn;
};

static unsigned time_fold(const struct timing_pass *k,
			  const struct ptx_inst *in)
{
	return k->f->fold ? k->f->fold[in - k->f->insts] : FOLD_NONE;
}

/* ---- flags ---- */

static unsigned scope_flags(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_SCOPE]) {
	case PTX_SCOPE_CTA:
		return TIMED_BLOCK;
	case PTX_SCOPE_SYS:
		return TIMED_SYSTEM;
	default:
		return 0;
	}
}

static unsigned order_flags(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_SEM]) {
	case PTX_SEM_ACQUIRE:
		return TIMED_ACQUIRE | TIMED_UNCACHED;
	case PTX_SEM_RELEASE:
		return TIMED_RELEASE | TIMED_UNCACHED;
	case PTX_SEM_ACQ_REL:
		return TIMED_ACQUIRE | TIMED_RELEASE | TIMED_UNCACHED;
	case PTX_SEM_RELAXED:
		return TIMED_UNCACHED;
	case PTX_SEM_VOLATILE: /* as .relaxed.sys: PTX ISA 9.7.9.8 */
		return TIMED_UNCACHED | TIMED_SYSTEM;
	default:
		return op->attr[PTX_CLASS_MMIO] ?
			       TIMED_UNCACHED | TIMED_SYSTEM :
			       0;
	}
}

static unsigned cache_flags(const struct ptx_opcode *op)
{
	unsigned flags = 0;

	switch (op->attr[PTX_CLASS_COP]) {
	case PTX_COP_CG:
	case PTX_COP_CV:
	case PTX_COP_WT:
		flags |= TIMED_UNCACHED;
		break;
	case PTX_COP_CS:
	case PTX_COP_LU:
		flags |= TIMED_STREAMING;
		break;
	}
	switch (op->attr[PTX_CLASS_EVICT]) {
	case PTX_EVICT_L1_FIRST:
	case PTX_EVICT_L1_NO_ALLOCATE:
		flags |= TIMED_STREAMING;
		break;
	}
	if (op->attr[PTX_CLASS_EVICT2] == PTX_EVICT2_L2_FIRST)
		flags |= TIMED_STREAMING;
	if (op->attr[PTX_CLASS_NC] || op->op == PTX_OP_LDU)
		flags |= TIMED_READONLY;
	if (op->attr[PTX_CLASS_ACOP] == PTX_ACOP_CG)
		flags |= TIMED_UNCACHED;
	return flags;
}

static unsigned fence_flags(const struct ptx_opcode *op)
{
	switch (op->op) {
	case PTX_OP_FENCE_PROXY:
	case PTX_OP_FENCE_ASYNC:
	case PTX_OP_FENCE_ASYNC_OUT:
	case PTX_OP_FENCE_MBARRIER:
		/* Proxies and barriers in shared memory concern one block. */
		return TIMED_BLOCK;
	default:
		/* ptxas puts a CCTL.IVALL behind others. */
		return scope_flags(op) |
		       (scope_flags(op) == TIMED_BLOCK ? 0 : TIMED_EMPTY_L1);
	}
}

static unsigned access_flags(const struct ptx_opcode *op)
{
	unsigned flags = scope_flags(op) | order_flags(op) | cache_flags(op);

	/* At block scope the L1 may serve the access. */
	if (flags & TIMED_BLOCK && !op->attr[PTX_CLASS_COP])
		flags &= ~(unsigned)TIMED_UNCACHED;
	return flags;
}

/* A texture of more than one dimension; surfaces are not. */
static bool ptx_has_planes(const struct ptx_opcode *op)
{
	return (op->op == PTX_OP_TEX || op->op == PTX_OP_TLD4) &&
	       op->attr[PTX_CLASS_GEOM] != PTX_GEOM_G1D &&
	       op->attr[PTX_CLASS_GEOM] != PTX_GEOM_A1D;
}

static bool ptx_is_float(unsigned type)
{
	return ptx_types[type].kind == PTX_KIND_F;
}

static unsigned ptx_atomic_flags(const struct ptx_opcode *op)
{
	const unsigned of_loads = TIMED_UNCACHED | TIMED_READONLY |
				  TIMED_STREAMING;
	unsigned flags = access_flags(op) & ~of_loads;

	if (op->op == PTX_OP_ATOM_CAS)
		return flags | TIMED_CAS;
	return op->types && ptx_is_float(op->type[0]) ? flags | TIMED_FLOAT :
							flags;
}

/* Whether nothing waits for what the atomic returns: no instruction reads it,
 * nor writes something else to the same register that is read. The atomic
 * would overwrite that when it is performed. */
static bool result_is_unused(const struct timing_pass *k, uint32_t i)
{
	const struct time_live *l = &k->live;

	for (uint32_t r = l->at[i]; r < l->at[i + 1] && l->ref[r].write; r++)
		if (l->read[l->ref[r].cell])
			return false;
	return true;
}

static unsigned flags_of(const struct timing_pass *k, uint32_t i, unsigned kind)
{
	const struct ptx_opcode *op = k->f->insts[i].op;

	switch (kind) {
	case KIND_ATOMIC:
		return ptx_atomic_flags(op) |
		       (result_is_unused(k, i) ? TIMED_NO_RESULT : 0) |
		       (time_fold(k, &k->f->insts[i]) == FOLD_COUNTED ?
				TIMED_SHARES :
				0);
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ASYNC:
		return access_flags(op);
	case KIND_TEX:
		return access_flags(op) |
		       (ptx_has_planes(op) ? TIMED_PLANE : 0);
	case KIND_BULK:
		return TIMED_UNCACHED;
	case KIND_FENCE:
		return fence_flags(op);
	default:
		return 0;
	}
}

/* ---- unit and latency ---- */

static enum err no_unit(const struct timing_pass *k, const struct ptx_inst *in,
			unsigned unit)
{
	char text[200];

	ptx_print_inst(text, sizeof(text), k->f, in);
	return fail(k->d, ERR_UNSUPP,
		    "%s:%u:%u: unit.%s.lanes = 0: the SM has no unit for: %s",
		    k->p->module->name, in->loc.line, in->loc.col,
		    unit_names[unit], text);
}

/* The sine and cosine of the SFU take the angle in turns: an FMUL precedes. */
static bool needs_scaled_angle(unsigned op)
{
	return op == PTX_OP_SIN_APPROX_F32 || op == PTX_OP_COS_APPROX_F32;
}

/* Whether it converts from or to double precision, or between floating point and
 * integers of 64 bits. */
static bool converts_wide(const struct ptx_opcode *op)
{
	unsigned to = op->type[0], from = op->type[1];

	return op->types >= 2 && (ptx_is_float(to) || ptx_is_float(from)) &&
	       (ptx_types[to].bytes == 8 || ptx_types[from].bytes == 8);
}

/* The class of an instruction by its row and types. */
static enum lat_class row_class(const struct ptx_opcode *op)
{
	enum lat_class lat = (enum lat_class)ptx_rows[op->op].lat;

	if ((lat == LAT_CVT || lat == LAT_F2I) && converts_wide(op))
		return LAT_CVT64;
	return lat;
}

/* The class of an instruction as a compiler would select it. */
static enum lat_class time_class(const struct timing_pass *k,
				 const struct ptx_inst *in)
{
	switch (time_fold(k, in)) {
	case FOLD_MAD:
		return LAT_MAD;
	case FOLD_ALU:
		return LAT_ALU;
	default:
		return row_class(in->op);
	}
}

/* The warp is busy with a sequence that has a branch in it until its end, and with
 * what one lane needs to do the others' work. */
static void set_stall(const struct timing_pass *k, struct timed_inst *r,
		      const struct ptx_inst *in)
{
	unsigned op = in->op->op;

	r->stall = (uint8_t)(1 + combine_issues(
					 in, (enum ptx_fold)time_fold(k, in)));
	if (k->cfg->sm.compiled && ptx_has_slow_path(op))
		r->stall = r->cycles < UINT8_MAX ? (uint8_t)r->cycles :
						   UINT8_MAX;
}

/* A folded instruction costs a slot at most. */
static void fold_unit(const struct timing_pass *k, struct timed_inst *r,
		      const struct ptx_inst *in)
{
	unsigned fold = time_fold(k, in);

	if (fold != FOLD_AWAY && fold != FOLD_MERGED)
		return;
	r->folded = true;
	r->cycles = r->interval = 1;
}

static enum err set_unit(const struct timing_pass *k, struct timed_inst *r,
			 const struct ptx_inst *in)
{
	const struct ptx_row *op = &ptx_rows[in->op->op];
	enum lat_class lat = time_class(k, in);
	unsigned unit = cfg_unit_for(k->cfg, lat, (enum unit_class)op->unit);

	if (unit == UNIT_COUNT)
		return no_unit(k, in, op->unit);
	r->unit = (uint8_t)unit;
	r->lat = (uint8_t)lat;
	r->cycles = timed_cycles(k->cfg->lat[lat].cycles);
	r->interval =
		timed_cycles(cfg_interval(k->cfg, lat, (enum unit_class)unit));
	fold_unit(k, r, in);
	if (k->cfg->sm.compiled && needs_scaled_angle(in->op->op))
		r->cycles = timed_cycles(r->cycles + 2 * k->cfg->regs.cross +
					 k->cfg->lat[LAT_FMA].cycles);
	return ERR_OK;
}

/* ---- registers ---- */

/* The registers of one instruction, each once; those that it writes first. */
struct reg_list {
	uint16_t reg[MAX_REGS];
	uint8_t count;
};

/* 255 registers are enough, except for calls with hundreds of arguments, which
 * do not wait for the last ones. */
static void time_list_add(struct reg_list *s, uint16_t reg)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->reg[i] == reg)
			return;
	if (s->count < MAX_REGS)
		s->reg[s->count++] = reg;
}

static uint16_t number_of(struct timing_pass *k, uint32_t cell)
{
	uint32_t *n = &k->number[k->place[cell]];

	if (k->name && k->name[k->place[cell]].now != NO_NUMBER)
		n = &k->name[k->place[cell]].now;
	if (*n == NO_NUMBER)
		*n = k->numbers++;
	return (uint16_t)(*n % MAX_NUMBERS);
}

/* Finds the place of each cell. Registers that share storage share a number:
 * they are never live at the same time, and a small scoreboard stays in the
 * host's cache. */
static bool time_place_cells(struct timing_pass *k, const struct code *code)
{
	const uint32_t *slot = k->p->regs[k->f->index].slot;
	uint32_t words = code->reg_bytes / 4 + 1;

	k->place = arena_new(&k->scratch, uint32_t, k->live.cells);
	k->number = arena_new(&k->scratch, uint32_t, words);
	if (!k->place || !k->number)
		return false;
	memset(k->number, 0xff, words * sizeof(uint32_t));
	for (uint32_t i = 0; i < k->f->reg_count; i++)
		for (uint32_t e = 0; e < k->f->regs[i].vec; e++)
			k->place[k->live.first[i] + e] = slot[i] / 4 + e;
	k->place[k->live.carry] = code->carry == SLOT_NONE ?
					  words - 1 :
					  SLOT_OFFSET(code->carry) / 4;
	return true;
}

/* A compiler gives a value that is written again another register, so that the
 * write need not wait for the one before. The last write in a block has the
 * place's own number. */
static void rename_writes(struct timing_pass *k, uint32_t inst)
{
	const struct time_live *l = &k->live;

	if (!k->name || !ptx_overwrites(&k->f->insts[inst]))
		return;
	for (uint32_t i = l->at[inst]; i < l->at[inst + 1]; i++) {
		struct scoreboard_names *n = &k->name[k->place[l->ref[i].cell]];
		uint32_t *spare;

		if (!l->ref[i].write)
			continue;
		n->now = NO_NUMBER;
		if (!k->rewritten[inst])
			continue;
		spare = &n->spare[++n->turn % NAMES];
		if (*spare == NO_NUMBER)
			*spare = k->numbers++;
		n->now = *spare;
	}
}

/* Finds the places that atomics write, when they are performed: whoever writes
 * them must wait for that. */
static bool *find_late(struct timing_pass *k, uint32_t words)
{
	const struct time_live *l = &k->live;
	bool *late = arena_new(&k->scratch, bool, words);

	for (uint32_t i = 0; late && i < k->f->inst_count; i++) {
		if (ptx_rows[k->f->insts[i].op->op].kind != KIND_ATOMIC)
			continue;
		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++)
			late[k->place[l->ref[r].cell]] |= l->ref[r].write;
	}
	return late;
}

/* Finds the instructions all of whose results their block writes again. */
static bool find_rewritten(struct timing_pass *k, const struct code *code)
{
	const struct time_live *l = &k->live;
	uint32_t n = k->f->inst_count, block = 0;
	uint32_t words = code->reg_bytes / 4 + 1;
	uint32_t *last = arena_new(&k->scratch, uint32_t, words);
	const bool *late = find_late(k, words);

	k->name = arena_new(&k->scratch, struct scoreboard_names, words);
	k->rewritten = arena_new(&k->scratch, bool, n + 1);
	if (!last || !late || !k->name || !k->rewritten)
		return false;
	memset(k->name, 0xff, words * sizeof(*k->name));
	for (uint32_t i = n; i-- > 0;) {
		bool all = ptx_overwrites(&k->f->insts[i]), whole = all;

		/* Blocks are numbered from the end, from 1 on. */
		block += i + 1 == n || l->leads[i + 1];
		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++)
			if (l->ref[r].write)
				all &= last[k->place[l->ref[r].cell]] ==
					       block &&
				       !late[k->place[l->ref[r].cell]];
		k->rewritten[i] = all;
		for (uint32_t r = l->at[i]; whole && r < l->at[i + 1]; r++)
			if (l->ref[r].write)
				last[k->place[l->ref[r].cell]] = block;
	}
	return true;
}

/* Whether any result is read. */
static bool is_read(const struct time_live *l, uint32_t inst)
{
	for (uint32_t r = l->at[inst]; r < l->at[inst + 1]; r++)
		if (l->ref[r].write && l->read[l->ref[r].cell])
			return true;
	return false;
}

/* Adds what the instruction writes, and what the loads behind it write that are
 * merged into it (merge.h). A compiler has no register for the components of a
 * vector that nothing reads, whose storage others may have. */
static void list_writes(struct timing_pass *k, struct reg_list *s,
			uint32_t inst)
{
	const struct time_live *l = &k->live;
	uint32_t end = l->at[inst + 1], r;
	bool all = !k->cfg->sm.compiled || !is_read(l, inst) ||
		   ptx_rows[k->f->insts[inst].op->op].kind == KIND_ATOMIC;

	rename_writes(k, inst);
	for (r = l->at[inst]; r < end && l->ref[r].write; r++)
		if (all || l->read[l->ref[r].cell])
			time_list_add(s, number_of(k, l->ref[r].cell));
	if (inst + 1 < k->f->inst_count && k->f->fold &&
	    k->f->fold[inst + 1] == FOLD_MERGED)
		list_writes(k, s, inst + 1);
}

static bool time_set_regs(struct timing_pass *k, struct timed_inst *r,
			  uint32_t inst)
{
	const struct time_live *l = &k->live;
	struct reg_list s = { .count = 0 }, reads = { .count = 0 };
	uint32_t first = l->at[inst], end = l->at[inst + 1], read = first;
	uint16_t *more;

	if (time_fold(k, &k->f->insts[inst]) == FOLD_MERGED)
		return true; /* the registers are those of the wide load */
	while (read < end && l->ref[read].write)
		read++;
	for (uint32_t i = read; i < end; i++)
		time_list_add(&reads, number_of(k, l->ref[i].cell));
	if (r->flags & TIMED_NO_RESULT)
		rename_writes(k, inst);
	else
		list_writes(k, &s, inst);
	/* With sm.dependence = none, nothing waits for results, except for
	 * those of atomics, which are written only when they arrive. */
	if (k->cfg->sm.dependence != CFG_DEPENDENCE_NONE ||
	    r->kind == KIND_ATOMIC)
		r->writes = s.count;
	for (unsigned i = 0; i < reads.count; i++)
		time_list_add(&s, reads.reg[i]);
	r->regs = s.count;
	for (unsigned i = 0; s.count && i < TIMED_QUICK; i++)
		r->reg[i] = s.reg[0];
	memcpy(r->reg, s.reg,
	       (s.count < TIMED_REGS ? s.count : TIMED_REGS) *
		       sizeof(uint16_t));
	if (s.count <= TIMED_REGS)
		return true;
	more = arena_new(k->a, uint16_t, s.count);
	if (!more)
		return false;
	memcpy(more, s.reg, s.count * sizeof(uint16_t));
	r->more = more;
	return true;
}

/* ---- functions ---- */

static enum timed_order order_of(const struct timed_inst *r, unsigned op)
{
	if (r->kind == KIND_FENCE || r->kind == KIND_BULK ||
	    r->flags & TIMED_RELEASE)
		return ORDER_ALWAYS;
	if (op == PTX_OP_SUST_B || op == PTX_OP_SUST_P)
		return ORDER_BLIND;
	return r->kind == KIND_PLAIN || r->kind == KIND_COMMIT ? ORDER_NONE :
								 ORDER_ATOMIC;
}

static bool is_bulk_group(unsigned op)
{
	return op == PTX_OP_BULK_COMMIT || op == PTX_OP_BULK_WAIT;
}

/* timed_inst.group */
static uint8_t timed_group(const struct timing_pass *k,
			   const struct ptx_inst *in)
{
	switch (time_fold(k, in)) {
	case FOLD_WIDE_8:
		return 8;
	case FOLD_WIDE_16:
		return 16;
	case FOLD_COMBINED:
	case FOLD_COMBINED_RESULT:
	case FOLD_REDUCED:
		return COMBINE_LANES;
	case FOLD_SCANNED:
		return COMBINE_WARP;
	default:
		return is_bulk_group(in->op->op) ? GROUP_BULK : GROUP_COPY;
	}
}

static enum err time_inst(struct timing_pass *k, struct timed_inst *r,
			  const struct inst *in,
			  const struct timed_inst *before)
{
	const struct ptx_inst *ptx = &k->f->insts[in->index];
	unsigned op = ptx->op->op;
	enum err e = set_unit(k, r, ptx);

	if (e != ERR_OK)
		return e;
	r->kind = op == PTX_OP_RET && k->f->is_entry ? KIND_EXIT :
						       ptx_rows[op].kind;
	r->flags = (uint8_t)flags_of(k, in->index, r->kind);
	timed_count_planes(r, k->cfg);
	r->order = (uint8_t)order_of(r, op);
	r->group = timed_group(k, ptx);
	set_stall(k, r, ptx);
	r->fetches = r->kind == KIND_LOAD && mem_can_fetch(in);
	if (!time_set_regs(k, r, in->index))
		return fail(k->d, ERR_NOMEM, "%s: out of memory", k->f->name);
	banks_set(r, &k->live, k->cfg, in->index, before);
	return ERR_OK;
}

/* Whether only the next instruction can follow this one, unless something
 * happens during its execution. */
static bool falls_through(const struct timed_inst *r, const struct inst *in)
{
	return kind_falls_through(r->kind) &&
	       !((in[0].flip | in[1].flip) & INST_PSEUDO) && !r[1].folded &&
	       in[1].index == in[0].index + 1 && r[1].kind != KIND_CALL;
}

/* Makes the timed instructions of k->f. */
static enum err time_insts(struct timing_pass *k, struct timed_func *out)
{
	const struct code *code = out->code;
	const struct timed_inst *before = NULL;
	uint32_t last = 0;
	enum err e = ERR_OK;

	out->count = code->count;
	out->inst = arena_new(k->a, struct timed_inst, code->count + 1);
	k->name = NULL;
	if (!out->inst || !time_place_cells(k, code) ||
	    (k->cfg->sm.compiled && !find_rewritten(k, code)))
		return fail(k->d, ERR_NOMEM, "%s: out of memory", k->f->name);
	for (uint32_t i = 0; i < code->count && e == ERR_OK; i++) {
		const struct inst *in = &code->insts[i];

		if (in->flip & INST_PSEUDO)
			continue;
		if (k->live.leads[in->index] || in->index != last + 1)
			before = NULL;
		e = time_inst(k, &out->inst[i], in, before);
		before = &out->inst[i];
		last = in->index;
	}
	for (uint32_t i = 0; i + 1 < code->count; i++)
		out->inst[i].falls_through =
			falls_through(&out->inst[i], &code->insts[i]);
	out->scoreboard = k->numbers < MAX_NUMBERS ? k->numbers : MAX_NUMBERS;
	if (e != ERR_OK)
		return e;
	return tune_latencies(out, k->f, &k->live, k->cfg, &k->scratch, k->d);
}

/* ---- registers per thread ---- */

/* A call, and the registers that the caller holds across it. */
struct timed_call {
	const struct ptx_func *to; /* NULL: any function, or a service */
	uint16_t held;
	struct timed_call *next;
};

/* The registers that a function needs, and its calls. */
struct func_need {
	uint32_t own;    /* maximum live at one point */
	uint32_t demand; /* estimate for it as a kernel, without callees */
	struct timed_call *calls;
	enum { NEED_OPEN, NEED_BUSY, NEED_DONE } state;
	uint32_t all;
};

static bool find_calls(struct timing_pass *k, struct func_need *n)
{
	for (uint32_t i = 0; i < k->f->inst_count; i++) {
		const struct ptx_inst *in = &k->f->insts[i];
		struct timed_call *c;

		if (in->op->op != PTX_OP_CALL)
			continue;
		c = arena_new(&k->work, struct timed_call, 1);
		if (!c)
			return false;
		for (unsigned o = 0; o < in->opnd_count; o++)
			if (in->opnds[o].kind == PTX_OPND_FUNC)
				c->to = ptx_aliased(in->opnds[o].func);
		c->held = k->live.held[i];
		c->next = n->calls;
		n->calls = c;
	}
	return true;
}

/*
 * The registers of a function and its callees. A recursive call adds nothing:
 * recursion keeps its registers on the stack. The depth is bounded by the
 * number of functions.
 */
static uint32_t with_callees(const struct timing_pass *k,
			     struct func_need *needs, const struct ptx_func *f)
{
	struct func_need *n = &needs[f->index];

	if (n->state != NEED_OPEN)
		return n->state == NEED_DONE ? n->all : 0;
	n->state = NEED_BUSY;
	n->all = n->own;
	for (const struct timed_call *c = n->calls; c; c = c->next) {
		uint32_t theirs = 0;

		if (c->to)
			theirs = with_callees(k, needs, c->to);
		for (const struct ptx_func *g = k->p->module->funcs;
		     g && !c->to; g = g->next)
			if (!g->is_entry)
				theirs = max_u32(theirs,
						 with_callees(k, needs, g));
		n->all = max_u32(n->all, c->held + theirs);
	}
	n->state = NEED_DONE;
	return n->all;
}

static void time_set_demand(const struct timing_pass *k,
			    struct timed_program *timed,
			    struct func_need *needs)
{
	for (const struct ptx_func *f = k->p->module->funcs; f; f = f->next) {
		const struct ptx_func *g =
			ptx_aliased((struct ptx_func *)(uintptr_t)f);
		const struct func_need *own = &needs[g->index];
		uint32_t n = max_u32(with_callees(k, needs, g), own->demand);
		uint32_t max = time_register_limit(g, k->cfg);

		if (own->calls)
			n = max_u32(n, CALL_REGISTERS);
		if (g->has_body)
			timed->registers[f->index] = n < max ? n : max;
	}
}

static enum err time_func(struct timing_pass *k, struct timed_program *timed,
			  struct func_need *n)
{
	struct timed_func *out = &timed->func[k->f->index];
	enum err e =
		time_live_analyse(&k->live, &k->scratch, k->f, k->cfg, k->d);

	if (e != ERR_OK)
		return e;
	if (!find_calls(k, n))
		return fail(k->d, ERR_NOMEM, "%s: out of memory", k->f->name);
	/* Of the text: the schedule keeps to it. */
	n->own = k->f->text ? k->f->text_max : k->live.max;
	n->demand = k->f->text ? k->f->text_demand : k->live.demand;
	k->numbers = 0;
	out->code = k->p->base.funcs[k->f->index].code;
	e = time_insts(k, out);
	if (e == ERR_UNSUPP) {
		out->inst = NULL;
		out->refused =
			arena_strndup(k->a, k->d->text, strlen(k->d->text));
		return out->refused ? ERR_OK : ERR_NOMEM;
	}
	timed->scoreboard = max_u32(timed->scoreboard, out->scoreboard);
	return e;
}

/* Why a function cannot be called, or NULL. If `to` is NULL, it may be any. */
static const char *time_refused_call(const struct timing_pass *k,
				     const struct timed_program *timed,
				     const struct ptx_func *to)
{
	if (to)
		return timed->func[to->index].refused;
	for (to = k->p->module->funcs; to; to = to->next)
		if (!to->is_entry && timed->func[to->index].refused)
			return timed->func[to->index].refused;
	return NULL;
}

/* A function that calls a function that cannot be timed cannot be timed. */
static void time_spread_refusals(const struct timing_pass *k,
				 struct timed_program *timed,
				 const struct func_need *needs)
{
	bool more = true;

	while (more) {
		more = false;
		for (const struct ptx_func *f = k->p->module->funcs; f;
		     f = f->next) {
			struct timed_func *r = &timed->func[f->index];

			for (const struct timed_call *c = needs[f->index].calls;
			     c && !r->refused; c = c->next) {
				r->refused = time_refused_call(k, timed, c->to);
				more |= r->refused != NULL;
			}
		}
	}
}

static enum err time_all_funcs(struct timing_pass *k,
			       struct timed_program *timed)
{
	uint32_t n = k->p->module->func_count;
	struct func_need *needs = arena_new(&k->work, struct func_need, n + 1);

	timed->func_count = n;
	timed->func = arena_new(k->a, struct timed_func, n + 1);
	timed->registers = arena_new(k->a, uint32_t, n + 1);
	if (!needs || !timed->func || !timed->registers)
		return fail(k->d, ERR_NOMEM, "out of memory");
	for (k->f = k->p->module->funcs; k->f; k->f = k->f->next) {
		enum err e;

		if (!k->p->base.funcs[k->f->index].code)
			continue;
		e = time_func(k, timed, &needs[k->f->index]);
		arena_free(&k->scratch);
		if (e != ERR_OK)
			return e;
	}
	time_set_demand(k, timed, needs);
	time_spread_refusals(k, timed, needs);
	return ERR_OK;
}

enum err ptx_time(struct timed_program **out, struct arena *a,
		  const struct program *p, const struct cfg *cfg,
		  struct diag *d)
{
	struct timing_pass k = {
		.p = ptx_program_of(p), .cfg = cfg, .a = a, .d = d
	};
	struct timed_program *timed = arena_new(a, struct timed_program, 1);
	enum err e;

	if (!timed)
		return fail(d, ERR_NOMEM, "out of memory");
	e = time_all_funcs(&k, timed);
	arena_free(&k.work);
	if (e == ERR_OK)
		*out = timed;
	return e;
}
