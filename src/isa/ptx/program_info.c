/*
 * Describes the functions and variables of a program for the host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "isa/ptx/lower.h"

static enum param_kind param_kind_of(const struct ptx_var *v)
{
	if (ptx_types[v->type].kind == PTX_KIND_O)
		return PARAM_TEXTURE;
	if (v->dims || v->vec > 1)
		return PARAM_BYTES;
	return ptx_types[v->type].kind == PTX_KIND_F ? PARAM_FLOAT : PARAM_INT;
}

/* The declared registers, in units of 32 bits. */
static uint32_t declared_registers(const struct ptx_func *f)
{
	uint32_t words = 0;

	for (uint32_t i = 0; i < ptx_text_regs(f); i++)
		if (f->regs[i].type != PTX_PRED)
			words += (uint32_t)(ptx_types[f->regs[i].type].bytes +
					    3) /
				 4 * f->regs[i].vec;
	return words;
}

/* Bytes of .local variables; call frames do not count, because a compiler
 * would keep them in registers. */
static uint32_t declared_local(const struct ptx_program *p,
			       const struct ptx_func *f)
{
	uint64_t n = p->module_local;

	for (uint32_t i = 0; i < f->var_count; i++)
		if (f->vars[i]->space == SPACE_LOCAL)
			n = round_up(n, max_u64(f->vars[i]->align, 1)) +
			    f->vars[i]->bytes;
	return (uint32_t)n;
}

static uint32_t declared_const(const struct ptx_module *m)
{
	uint64_t n = 0;

	for (const struct ptx_var *v = m->vars; v; v = v->next)
		n += v->space == SPACE_CONST ? v->bytes : 0;
	return (uint32_t)n;
}

/* 90 of "sm_90", "sm_90a, texmode_independent". */
static uint32_t target_number(const struct ptx_module *m)
{
	const char *digits = strpbrk(m->target, "0123456789");

	return digits ? (uint32_t)strtoul(digits, NULL, 10) : 0;
}

uint32_t param_offset(const struct ptx_func *f, uint32_t i)
{
	uint64_t at = 0;

	for (uint32_t k = 0; k < i; k++)
		at = round_up(at, max_u64(f->params[k]->align, 1)) +
		     f->params[k]->bytes;
	return (uint32_t)round_up(at, max_u64(f->params[i]->align, 1));
}

uint32_t param_bytes(const struct ptx_func *f)
{
	uint32_t n = f->param_count;

	return n ? param_offset(f, n - 1) + (uint32_t)f->params[n - 1]->bytes :
		   0;
}

/* In the words of OpenCL; NULL: not stated. */
static const char *space_of_pointer(const struct ptx_var *v)
{
	if (!v->is_ptr)
		return NULL;
	switch (v->ptr_space) {
	case SPACE_GLOBAL:
		return "global";
	case SPACE_CONST:
		return "constant";
	case SPACE_SHARED:
		return "local";
	default:
		return NULL;
	}
}

static bool describe_params(struct function *to, const struct ptx_func *f,
			    struct arena *a)
{
	to->param_count = f->param_count;
	to->params = arena_new(a, struct param, f->param_count + 1);
	for (uint32_t i = 0; to->params && i < f->param_count; i++) {
		const struct ptx_var *v = f->params[i];

		to->params[i] = (struct param){
			.name = v->name,
			.type = ptx_types[v->type].text,
			.kind = param_kind_of(v),
			.size = (uint32_t)v->bytes,
			.align = v->align,
			.offset = param_offset(f, i),
			.address_space = space_of_pointer(v),
		};
	}
	to->param_bytes = param_bytes(f);
	return to->params != NULL;
}

/* Whether any code of the module asks where the system's shared memory is. */
static bool uses_shared_system(const struct ptx_program *p)
{
	for (unsigned i = PTX_SREG_RESERVED_SMEM_BEGIN;
	     i <= PTX_SREG_RESERVED_SMEM_1; i++)
		if (p->sreg_at[i] != SREG_UNUSED)
			return true;
	return false;
}

static bool describe_function(struct ptx_program *p, const struct ptx_func *f)
{
	struct function *to = &p->base.funcs[f->index];

	to->program = &p->base;
	to->name = f->name;
	to->index = f->index;
	to->is_kernel = f->is_entry;
	to->has_body = f->has_body;
	to->inst_count = f->inst_count;
	to->shared_system = uses_shared_system(p) ? SHARED_SYSTEM : 0;
	to->registers = declared_registers(f);
	to->local_bytes = declared_local(p, f);
	to->limits = (struct launch_limits){
		.min_blocks = f->limits.minnctapersm,
		.max_registers = f->limits.maxnreg,
	};
	memcpy(to->limits.required, f->limits.reqntid,
	       sizeof(to->limits.required));
	memcpy(to->limits.max, f->limits.maxntid, sizeof(to->limits.max));
	return describe_params(to, f, &p->base.arena);
}

static void describe_variable(struct ptx_program *p, const struct ptx_var *v)
{
	p->base.vars[v->index] = (struct variable){
		.name = v->name,
		.space = v->space,
		.address = p->vars[v->index].address,
		.bytes = v->bytes,
		.binds = ptx_types[v->type].kind == PTX_KIND_O,
		.slot = p->tex_slots[v->index],
	};
}

enum err ptx_describe_program(struct ptx_program *p, struct diag *d)
{
	const struct ptx_module *m = p->module;

	p->base.func_count = m->func_count;
	p->base.var_count = m->var_count;
	p->base.const_bytes = declared_const(m);
	p->base.target = target_number(m);
	p->base.reads_place = p->sreg_at[PTX_SREG_SMID] != SREG_UNUSED ||
			      p->sreg_at[PTX_SREG_NSMID] != SREG_UNUSED;
	for (const struct ptx_var *v = m->vars; v; v = v->next)
		describe_variable(p, v);
	for (const struct ptx_func *f = m->funcs; f; f = f->next)
		if (!describe_function(p, f))
			return fail(d, ERR_NOMEM, "out of memory");
	return ERR_OK;
}
