#include "isa/sass/listed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/follow.h"
#include "isa/sass/lower.h"
#include "isa/sass/program.h"
#include "isa/sass/regs.h"
#include "isa/sass/time.h"
#include "isa/sass/work.h"

/* ---- instructions -------------------------------------------------------- */

/* Whether a tracer names a register of this operand. */
static bool names_register(const struct sass_place *p)
{
	return p->type == SASS_REG || (p->type == SASS_MEM && p->reg);
}

static unsigned named_registers(const struct sass_enc *e)
{
	unsigned n = 0;

	for (unsigned i = 0; i < e->items; i++)
		n += e->item[i].kind == SASS_ITEM_OPND &&
		     names_register(&e->item[i].place);
	return n;
}

/* Whether the first operand may be a register that is written. */
static bool begins_with_result(const struct sass_enc *e)
{
	for (unsigned i = 0; i < e->items; i++) {
		const struct sass_item *it = &e->item[i];

		if (it->kind != SASS_ITEM_OPND || it->optional)
			continue;
		return it->place.type == SASS_REG && it->place.role == SASS_D;
	}
	return false;
}

static unsigned distance(unsigned a, unsigned b)
{
	return a > b ? a - b : b - a;
}

/* How badly the encoding fits; less is better. */
static unsigned misfit(const struct sass_enc *e, unsigned sm,
		       const struct listed_inst *in)
{
	unsigned far = sm < e->from ? e->from - sm :
		       sm > e->to   ? sm - e->to :
				      0;
	unsigned registers = distance(named_registers(e), in->regs);

	return far << 16 | registers << 1 |
	       (in->first_writes && !begins_with_result(e));
}

/* Fills in the register of an operand. */
static void set_register(struct sass_opnd *x, const struct sass_place *p,
			 uint8_t reg)
{
	x->reg = reg;
	if (p->type != SASS_MEM)
		return;
	x->has_reg = true;
	x->has_ureg = p->ureg != 0;
	x->ureg = SASS_RZ;
	x->desc = sass_is_desc(p);
	x->wide = p->wide != 0;
}

static void set_registers(struct sass_inst *out, const struct listed_inst *from)
{
	unsigned n = 0;

	for (unsigned i = 0; i < out->enc->items; i++) {
		const struct sass_item *it = &out->enc->item[i];

		if (it->kind != SASS_ITEM_OPND || !names_register(&it->place))
			continue;
		set_register(&out->opnd[it->place.role], &it->place,
			     n < from->regs ? from->reg[n] : SASS_RZ);
		n++;
	}
}

enum err sass_listed_inst(struct sass_inst *out, unsigned sm,
			  const struct listed_inst *from, struct diag *d)
{
	const struct sass_inst blank = {
		.sm = (uint16_t)sm,
		.guard = SASS_PT,
		.ctrl = { .stall = 1,
			  .stay = true,
			  .write = SASS_NO_COUNTER,
			  .read = SASS_NO_COUNTER },
	};
	unsigned count, best = UINT_MAX;
	const struct sass_enc *e = sass_encs(&count);
	struct sass_inst one;

	for (unsigned i = 1; i < count; i++) {
		one = blank;
		if (!sass_parse_name(&one, &e[i], from->opcode) ||
		    misfit(&e[i], sm, from) >= best)
			continue;
		best = misfit(&e[i], sm, from);
		*out = one;
	}
	if (best == UINT_MAX)
		return fail(d, ERR_UNKNOWN,
			    "'%s' is no instruction of sm_70 to sm_90 that is "
			    "known here",
			    from->opcode);
	if (sm < out->enc->from || sm > out->enc->to)
		out->sm = sm < out->enc->from ? out->enc->from : out->enc->to;
	set_registers(out, from);
	return ERR_OK;
}

/* ---- programs ------------------------------------------------------------ */

struct listed_place {
	const char *text;
	uint32_t line;
	uint8_t reg[LISTED_REGS]; /* all that are named */
	uint8_t regs;
	bool first_writes, jumps;
};

struct listed_program {
	struct program base;
	struct function func;
	struct code code;
	const char *file;
	struct sass_inst *inst; /* by number in the listing */
	struct listed_place *place;
	uint32_t *number; /* by index in the text */
};

static const struct listed_program *listed_of(const struct function *f)
{
	return (const struct listed_program *)(const void *)f->program;
}

/* What remains of the kinds without predicates, values and control words. */
static enum timing_kind listed_kind(const struct sass_inst *in)
{
	const struct sass_row *row = sass_row_of(in);

	switch ((enum timing_kind)row->kind) {
	case KIND_LOAD: /* of a constant: its address is not listed */
		return in->opnd[SASS_M].type == SASS_CMEM ? KIND_PLAIN :
							    KIND_LOAD;
	case KIND_STORE:
	case KIND_ATOMIC: /* of a surface: the same */
		return row->unit == UNIT_TEX ? KIND_TEX :
					       (enum timing_kind)row->kind;
	case KIND_CALL:
	case KIND_INDIRECT:
		return KIND_BRANCH;
	default:
		return (enum timing_kind)row->kind;
	}
}

static uint8_t access_bytes(const struct sass_inst *in)
{
	static const uint8_t bytes[] = { 1, 1, 2, 2, 4, 8, 16, 16 };
	unsigned size = sass_access_size(in);

	switch (sass_op_of(in)) {
	case SASS_OP_LDSM:
	case SASS_OP_STSM:
		return 16;
	default:
		break;
	}
	if (sass_row_of(in)->kind == KIND_ATOMIC)
		return (uint8_t)(4 * sass_atomic_registers(in));
	return size < sizeof(bytes) ? bytes[size] : 4;
}

/* Of matrices, the lanes that have an address, in groups of 8. */
static uint8_t access_rows(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_LDSM:
	case SASS_OP_STSM:
		return (uint8_t)(1 << SASS_MOD(in, MATRICES));
	default:
		return 0;
	}
}

static void lower_listed(struct inst *to, const struct sass_inst *in,
			 const struct listed_inst *from)
{
	static const struct opnd_lists none;

	*to = (struct inst){ .d = SLOT_NONE,
			     .a = SLOT_NONE,
			     .b = SLOT_NONE,
			     .c = SLOT_NONE,
			     .e = SLOT_NONE,
			     .d2 = SLOT_NONE,
			     .guard = SLOT_NONE,
			     .offset = from->imm,
			     .x = &none,
			     .op = (uint16_t)sass_op_of(in),
			     .space =
				     (uint8_t)sass_access_space(sass_op_of(in)),
			     .width = access_bytes(in),
			     .count = 1,
			     .k = access_rows(in),
			     .index = from->index };
}

static enum err listed_nomem(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory");
}

static enum err keep_place(struct listed_program *p, uint32_t i,
			   const struct listed_inst *from, struct diag *d)
{
	struct listed_place *to = &p->place[i];
	char text[LISTED_OPCODE + 6 * LISTED_REGS];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", from->opcode);

	for (unsigned k = 0; k < from->regs; k++)
		n += (size_t)(from->reg[k] == LISTED_RZ ?
				      snprintf(text + n, sizeof(text) - n,
					       "%sRZ", k ? ", " : " ") :
				      snprintf(text + n, sizeof(text) - n,
					       "%sR%u", k ? ", " : " ",
					       from->reg[k]));
	to->text = arena_strndup(&p->base.arena, text, n);
	to->line = from->line;
	to->regs = from->regs;
	to->first_writes = from->first_writes;
	to->jumps = from->jumps;
	memcpy(to->reg, from->reg, sizeof(to->reg));
	return to->text ? ERR_OK : listed_nomem(d);
}

static enum err add_listed(struct listed_program *p, const struct listing *l,
			   uint32_t i, struct diag *d)
{
	const struct listed_inst *from = &l->inst[i];
	enum err e = sass_listed_inst(&p->inst[i], l->target, from, d);

	if (e)
		return e;
	if (listed_kind(&p->inst[i]) == KIND_BULK)
		return fail(d, ERR_UNSUPP,
			    "'%s' copies in bulk, of which the trace does not "
			    "tell what is copied",
			    from->opcode);
	CHECK(from->index < l->text);
	p->number[from->index] = i;
	lower_listed(&p->code.insts[i], &p->inst[i], from);
	return keep_place(p, i, from, d);
}

static bool alloc_listed(struct listed_program *p, const struct listing *l)
{
	struct arena *a = &p->base.arena;

	p->base.name = arena_strndup(a, l->name, strlen(l->name));
	p->func.name = arena_strndup(a, l->kernel, strlen(l->kernel));
	p->file = arena_strndup(a, l->file, strlen(l->file));
	p->inst = arena_room(a, struct sass_inst, l->count + 1);
	p->place = arena_new(a, struct listed_place, l->count + 1);
	p->number = arena_new(a, uint32_t, l->text + 1);
	/* And an end, for warps that have executed everything. */
	p->code.insts = arena_new(a, struct inst, l->count + 1 + INST_TAIL);
	return p->base.name && p->func.name && p->file && p->inst && p->place &&
	       p->number && p->code.insts;
}

static void fill_listed(struct listed_program *p, const struct listing *l)
{
	p->base.funcs = &p->func;
	p->base.func_count = 1;
	p->base.target = l->target;
	p->func.program = &p->base;
	p->func.is_kernel = p->func.has_body = true;
	p->func.code = &p->code;
	p->func.inst_count = l->text;
	p->func.registers = l->registers;
	p->code.func = &p->func;
	p->code.count = l->count + 1;
	p->code.insts[l->count].flip = INST_PSEUDO;
	p->code.insts[l->count].guard = SLOT_NONE;
	p->code.insts[l->count].index = l->text;
}

static void listed_free(struct program *program)
{
	arena_free(&program->arena);
	free(program);
}

/* ---- text ---------------------------------------------------------------- */

static void listed_describe(const struct function *f, uint32_t inst,
			    struct inst_text *out)
{
	const struct listed_program *p = listed_of(f);
	uint32_t i = p->number[inst];
	const struct listed_place *at = &p->place[i];

	snprintf(out->text, sizeof(out->text), "%s", at->text);
	out->file = p->file;
	out->line = at->line;
	out->asm_line = out->col = 0;
	out->unit = (enum unit_class)sass_row_of(&p->inst[i])->unit;
	out->kind = listed_kind(&p->inst[i]);
}

static bool listed_caller(const struct function *f, uint32_t inst,
			  unsigned depth, struct inst_place *out)
{
	(void)f, (void)inst, (void)depth, (void)out;
	return false;
}

static struct inst_work listed_work(const struct function *f, uint32_t inst)
{
	const struct listed_program *p = listed_of(f);

	return sass_work_of(&p->inst[p->number[inst]]);
}

static void listed_start_launch(char *sregs, const struct launch *l,
				uint32_t warp)
{
	(void)sregs, (void)l, (void)warp;
}

static void listed_start_block(char *sregs, const struct block *b)
{
	(void)sregs, (void)b;
}

/* ---- time ---------------------------------------------------------------- */

/* The registers of one instruction, each once. */
struct listed_regs {
	uint16_t reg[SASS_USES + LISTED_REGS];
	unsigned count;
};

static void list_register(struct listed_regs *l, unsigned reg)
{
	for (unsigned i = 0; i < l->count; i++)
		if (l->reg[i] == reg)
			return;
	if (reg != SASS_RZ)
		l->reg[l->count++] = (uint16_t)reg;
}

static void list_uses(struct listed_regs *l, const struct sass_use *use,
		      unsigned count, bool writes)
{
	for (unsigned i = 0; i < count; i++)
		if (use[i].file == SASS_FILE_R && use[i].writes == writes)
			list_register(l, use[i].reg);
}

/* It waits for what the operands read and write, and for every register that
 * the tracer has named. */
static bool set_listed_registers(struct timed_inst *r, struct arena *a,
				 const struct sass_inst *in,
				 const struct listed_place *at)
{
	struct sass_use use[SASS_USES];
	unsigned n = sass_uses(in, use);
	struct listed_regs l = { .count = 0 };

	if (at->first_writes)
		list_register(&l, at->reg[0]);
	list_uses(&l, use, n, true);
	r->writes = (uint8_t)l.count;
	list_uses(&l, use, n, false);
	for (unsigned i = 0; i < at->regs; i++)
		list_register(&l, at->reg[i]);
	r->regs = (uint8_t)l.count;
	for (unsigned i = 0; i < TIMED_REGS; i++)
		r->reg[i] = l.count ? l.reg[i < l.count ? i : 0] : 0;
	if (l.count <= TIMED_REGS)
		return true;
	r->more = arena_new(a, uint16_t, l.count);
	if (r->more)
		memcpy((uint16_t *)(uintptr_t)r->more, l.reg,
		       l.count * sizeof(l.reg[0]));
	return r->more != NULL;
}

static bool listed_falls_through(const struct timed_inst *r,
				 const struct listed_place *at)
{
	return kind_falls_through(r->kind) && !at->jumps &&
	       r->unit != UNIT_BRANCH;
}

static bool time_listed(struct timed_inst *r, const struct sass_inst *in,
			const struct listed_place *at, const struct cfg *cfg,
			struct arena *a)
{
	if (!sass_time_inst(r, in, 0, cfg))
		return false;
	r->kind = (uint8_t)listed_kind(in);
	r->group = GROUP_COPY;
	r->counters = 0;
	r->constant = 0;
	if (r->order == ORDER_CONSTANT)
		r->order = ORDER_NONE;
	if (sass_row_of(in)->kind == KIND_LOAD && r->kind == KIND_PLAIN)
		r->cycles = timed_cycles(cfg->ccache.l0_cycles);
	r->falls_through = listed_falls_through(r, at);
	return set_listed_registers(r, a, in, at);
}

static const char *listed_no_unit(struct arena *a,
				  const struct listed_program *p, uint32_t i)
{
	char text[400];
	int n = snprintf(text, sizeof(text),
			 "%s:%u: unit.%s.lanes = 0: the SM has no unit for: %s",
			 p->file, p->place[i].line,
			 unit_names[sass_row_of(&p->inst[i])->unit],
			 p->place[i].text);

	return arena_strndup(a, text,
			     (size_t)n < sizeof(text) ? (size_t)n :
							sizeof(text) - 1);
}

static enum err time_all(struct timed_func *out, struct arena *a,
			 const struct listed_program *p, const struct cfg *cfg,
			 struct diag *d)
{
	out->code = &p->code;
	out->count = p->code.count;
	out->scoreboard = SASS_RZ;
	out->inst = arena_new(a, struct timed_inst, p->code.count + 1);
	if (!out->inst)
		return listed_nomem(d);
	for (uint32_t i = 0; i + 1 < p->code.count; i++)
		if (!time_listed(&out->inst[i], &p->inst[i], &p->place[i], cfg,
				 a)) {
			out->refused = listed_no_unit(a, p, i);
			return out->refused ? ERR_OK : listed_nomem(d);
		}
	return ERR_OK;
}

static enum err listed_time(struct timed_program **out, struct arena *a,
			    const struct program *program,
			    const struct cfg *cfg, struct diag *d)
{
	const struct listed_program *p = listed_of(&program->funcs[0]);
	struct timed_program *timed = arena_new(a, struct timed_program, 1);

	if (timed) {
		timed->func = arena_new(a, struct timed_func, 1);
		timed->registers = arena_new(a, uint32_t, 1);
	}
	if (!timed || !timed->func || !timed->registers)
		return listed_nomem(d);
	timed->func_count = 1;
	timed->scoreboard = SASS_RZ;
	timed->registers[0] = p->func.registers;
	*out = timed;
	return time_all(timed->func, a, p, cfg, d);
}

static const struct isa isa_listed = {
	.name = "sass",
	.lanes = LANES,
	.unload = listed_free,
	.describe = listed_describe,
	.caller = listed_caller,
	.work = listed_work,
	.time = listed_time,
	.start_launch = listed_start_launch,
	.start_block = listed_start_block,
};

enum err sass_listed(struct program **out, const struct listing *l,
		     struct gmem *g, uint32_t *which, struct diag *d)
{
	struct listed_program *p = calloc(1, sizeof(*p));
	enum err e = ERR_OK;

	if (!p)
		return listed_nomem(d);
	p->base.isa = &isa_listed;
	p->base.gmem = g;
	if (!alloc_listed(p, l))
		e = listed_nomem(d);
	for (uint32_t i = 0; !e && i < l->count; i++) {
		*which = i;
		e = add_listed(p, l, i, d);
	}
	if (e) {
		listed_free(&p->base);
		return e;
	}
	fill_listed(p, l);
	*out = &p->base;
	return ERR_OK;
}
