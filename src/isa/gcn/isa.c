#include "isa/gcn/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/exec.h"
#include "isa/gcn/program.h"
#include "isa/gcn/work.h"

static bool matches(const char *bytes, size_t size)
{
	return gcn_object_matches(bytes, size);
}

static bool runs(const char *bytes, size_t size)
{
	struct gcn_object o;
	struct diag d;

	return !gcn_object_open(&o, bytes, size, &d);
}

/* The instruction that an op was made of. */
static void decode_op(const struct gcn_program *p, const struct wave_op *op,
		      struct gcn_inst *in)
{
	uint32_t words[3];

	memcpy(words, (const char *)p->text + op->at, sizeof(words));
	gcn_decode(in, words, op->words);
}

static void print_op(char *text, size_t size, const struct gcn_program *p,
		     const struct wave_op *op)
{
	struct gcn_inst in;

	decode_op(p, op, &in);
	gcn_print(text, size, &in);
}

static enum timing_kind gcn_kind_of(const struct wave_op *op)
{
	switch (op->kind) {
	case WAVE_JUMP:
		return KIND_BRANCH;
	case WAVE_BARRIER:
		return KIND_BARRIER;
	case WAVE_END:
		return KIND_EXIT;
	default:
		break;
	}
	if (op->raises & 1 << WAVE_EXP)
		return KIND_STORE;
	return op->raises ? KIND_LOAD : KIND_PLAIN;
}

static void gcn_describe(const struct function *f, uint32_t inst,
			 struct inst_text *out)
{
	const struct gcn_program *p = gcn_program_of(f->program);
	const struct wave_op *op = &p->ops[p->first_op[f->index] + inst];
	const struct gcn_section *in = &p->sections[f->index];
	const struct dwarf_line_row *row = dwarf_lines_find(
		&p->lines, in->number, (uint32_t)(op->at - in->at));

	print_op(out->text, sizeof(out->text), p, op);
	out->file = p->base.name;
	out->line = 0;
	if (row && row->line && row->file) {
		out->file = row->file;
		out->line = row->line;
	}
	out->asm_line = 0;
	out->col = 0;
	out->unit = wave_unit_class(op);
	out->kind = gcn_kind_of(op);
}

static bool no_caller(const struct function *f, uint32_t inst, unsigned depth,
		      struct inst_place *out)
{
	(void)f, (void)inst, (void)depth, (void)out;
	return false;
}

static struct inst_work gcn_work(const struct function *f, uint32_t inst)
{
	const struct gcn_program *p = gcn_program_of(f->program);
	const struct wave_op *op = &p->ops[p->first_op[f->index] + inst];

	return gcn_work_of((enum gcn_op)op->op);
}

/* ---- the module as text ------------------------------------------------ */

static void print_function(FILE *out, const struct function *f)
{
	const struct gcn_program *p = gcn_program_of(f->program);
	const struct wave_op *op = &p->ops[p->first_op[f->index]];

	fprintf(out, "%s:\n", f->name);
	for (uint32_t i = 0; i < f->inst_count; i++) {
		char text[256];

		print_op(text, sizeof(text), p, &op[i]);
		fprintf(out, "\t%s\n", text);
	}
}

static char *print(const struct program *p, bool executed)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool bad;

	(void)executed;
	if (!out)
		return NULL;
	for (uint32_t i = 0; i < p->func_count; i++)
		print_function(out, &p->funcs[i]);
	bad = ferror(out);
	if (fclose(out) || bad) {
		free(text);
		return NULL;
	}
	return text;
}

static const struct wave_code *gcn_code_of(const struct program *p)
{
	return &gcn_program_of(p)->code;
}

static void gcn_set_active(struct wave *w, uint64_t mask)
{
	gcn_set_pair(w, GCN_EXEC, mask);
}

/* Whether `words` scalar registers from `reg` on may be exec. */
static bool is_exec(unsigned reg, unsigned words)
{
	return reg <= GCN_EXEC + 1 && reg + words > GCN_EXEC;
}

/* A destination of two words at most, or of a scalar load's; m0 may move it. */
static bool sets_exec(const struct wave_op *op)
{
	switch (op->unit) {
	case WAVE_VALU:
		return gcn_exec[op->op]->shape & GCN_SHAPE_EXEC ||
		       is_exec(op->d2, 2) ||
		       (gcn_rows[op->op].operands[0] == 't' &&
			is_exec(op->d, 2));
	case WAVE_SALU:
		return is_exec(op->d, 2) ||
		       (op->op >= GCN_OP_S_AND_SAVEEXEC_B64 &&
			op->op <= GCN_OP_S_XNOR_SAVEEXEC_B64) ||
		       op->op == GCN_OP_S_MOVRELD_B32 ||
		       op->op == GCN_OP_S_MOVRELD_B64;
	case WAVE_SMEM:
		return is_exec(op->d, op->lanes > 2 ? op->lanes : 2);
	default:
		return false;
	}
}

static unsigned gcn_traits(const struct wave_op *op)
{
	return (sets_exec(op) ? WAVE_SETS_ACTIVE : 0) |
	       (op->op == GCN_OP_S_MEMTIME ? WAVE_READS_CLOCK : 0);
}

static const struct wave_isa waves = {
	.code = gcn_code_of,
	.start = gcn_start_wave,
	.demand = gcn_demand,
	.constants = gcn_constants,
	.prefetch = gcn_prefetch,
	.active = gcn_mask,
	.set_active = gcn_set_active,
	.traits = gcn_traits,
};

const struct isa isa_gcn = {
	.name = "gcn",
	.lanes = WAVE_LANES,
	.native = true,
	.waves = &waves,
	.matches = matches,
	.runs = runs,
	.load = gcn_load,
	.unload = gcn_unload,
	.print = print,
	.describe = gcn_describe,
	.caller = no_caller,
	.work = gcn_work,
	.time = gcn_time,
	.begin_launch = gcn_begin_launch,
	.end_launch = gcn_end_launch,
};
