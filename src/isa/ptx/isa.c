#include "isa/ptx/isa.h"

#include <string.h>

#include "isa/ptx/exec.h"
#include "isa/ptx/mark.h"
#include "isa/ptx/program.h"
#include "isa/ptx/schedule.h"
#include "isa/ptx/sreg.h"
#include "isa/ptx/time.h"
#include "isa/ptx/work.h"

static const char elf_magic[] = { 0x7f, 'E', 'L', 'F' };

/* Anything but an ELF file: the reader reports text that is not PTX. */
static bool ptx_matches(const char *bytes, size_t size)
{
	return size < sizeof(elf_magic) ||
	       memcmp(bytes, elf_magic, sizeof(elf_magic)) != 0;
}

static enum err ptx_load(struct program **out, const char *name,
			 const char *bytes, size_t size, const struct cfg *cfg,
			 struct gmem *g, struct diag *d)
{
	struct ptx_module *m;
	enum err e = ptx_parse(&m, name, bytes, size, d);

	if (e)
		return e;
	if (cfg)
		e = ptx_schedule(m, cfg, d);
	if (e) {
		ptx_module_free(m);
		return e;
	}
	return ptx_program_new(out, m, g, d);
}

static char *ptx_print_program(const struct program *p, bool executed)
{
	const struct ptx_module *m = ptx_program_of(p)->module;

	return executed ? ptx_print_executed(m) : ptx_print(m);
}

static void ptx_describe(const struct function *f, uint32_t inst,
			 struct inst_text *out)
{
	const struct ptx_module *m = ptx_program_of(f->program)->module;
	const struct ptx_func *func = ptx_func_of(f);
	const struct ptx_inst *in = &func->insts[inst];

	ptx_print_inst(out->text, sizeof(out->text), func, in);
	out->file = m->name;
	out->line = out->asm_line = in->loc.line;
	out->col = in->loc.col;
	if (in->src_file && in->src_file < m->file_count &&
	    m->files[in->src_file]) {
		out->file = m->files[in->src_file];
		out->line = in->src_line;
	}
	out->unit = (enum unit_class)ptx_rows[in->op->op].unit;
	out->kind = (enum timing_kind)ptx_rows[in->op->op].kind;
}

static bool ptx_caller(const struct function *f, uint32_t inst, unsigned depth,
		       struct inst_place *out)
{
	const struct ptx_module *m = ptx_program_of(f->program)->module;
	const struct ptx_call *c = ptx_func_of(f)->insts[inst].call;

	for (; c && depth; depth--)
		c = c->outer;
	if (!c || c->file >= m->file_count || !m->files[c->file])
		return false;
	*out = (struct inst_place){ m->files[c->file], c->line };
	return true;
}

static struct inst_work ptx_work(const struct function *f, uint32_t inst)
{
	return ptx_work_of(&ptx_func_of(f)->insts[inst]);
}

const struct isa isa_ptx = {
	.name = "ptx",
	.lanes = LANES,
	.matches = ptx_matches,
	.load = ptx_load,
	.unload = ptx_program_free,
	.print = ptx_print_program,
	.describe = ptx_describe,
	.caller = ptx_caller,
	.work = ptx_work,
	.time = ptx_time,
	.start_launch = ptx_start_launch,
	.start_block = ptx_start_block,
	.mark = ptx_mark,
	.matrix_stride = wmma_stride,
	.matrix_lines = wmma_lines,
	.surface_addresses = surface_addresses,
};
