#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "base/minmax.h"

static enum heddle_param_kind kind_of(const struct ptx_var *v)
{
	if (ptx_types[v->type].kind == PTX_KIND_O)
		return HEDDLE_PARAM_TEXTURE;
	if (v->dims || v->vec > 1)
		return HEDDLE_PARAM_BYTES;
	return ptx_types[v->type].kind == PTX_KIND_F ? HEDDLE_PARAM_FLOAT :
						       HEDDLE_PARAM_INT;
}

static uint32_t product(const uint32_t n[3])
{
	return n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

/* Declared registers in units of 32 bits. */
static uint32_t registers(const struct ptx_func *f)
{
	uint32_t words = 0;

	for (uint32_t i = 0; i < f->reg_count; i++)
		if (f->regs[i].type != PTX_PRED)
			words += (uint32_t)(ptx_types[f->regs[i].type].bytes +
					    3) /
				 4 * f->regs[i].vec;
	return words;
}

/* Without call frames, which a compiler would keep in registers. */
static uint32_t local_bytes(const struct program *p, const struct ptx_func *f)
{
	uint64_t n = p->module_local;

	for (uint32_t i = 0; i < f->var_count; i++)
		if (f->vars[i]->space == SPACE_LOCAL)
			n = round_up(n, most(f->vars[i]->align, 1)) +
			    f->vars[i]->bytes;
	return (uint32_t)n;
}

static uint32_t const_bytes(const struct ptx_module *m)
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

static int describe(struct heddle_module *m, struct heddle_kernel *k,
		    const struct ptx_func *f)
{
	struct heddle_param *params =
		arena_new(&m->arena, struct heddle_param, f->param_count + 1);

	if (!params)
		return 0;
	for (uint32_t i = 0; i < f->param_count; i++) {
		const struct ptx_var *v = f->params[i];

		params[i] = (struct heddle_param){
			.name = v->name,
			.kind = kind_of(v),
			.type = ptx_types[v->type].text,
			.size = (uint32_t)v->bytes,
			.align = v->align,
			.offset = param_offset(f, i),
		};
	}
	*k = (struct heddle_kernel){
		.name = f->name,
		.param_count = f->param_count,
		.param_bytes = param_bytes(f),
		.params = params,
		.shared_bytes = m->program->shared_used[f->index],
		.registers = registers(f),
		.max_threads = product(f->limits.maxntid),
		.instructions = f->inst_count,
		.local_bytes = local_bytes(m->program, f),
		.const_bytes = const_bytes(m->program->module),
		.ptx_version = target_number(m->program->module),
		.refused = m->program->refused[f->index],
	};
	memcpy(k->required, f->limits.reqntid, sizeof(k->required));
	return 1;
}

/* What timing knows of the module. */
static enum err make_book(struct heddle_module *m, const struct cfg *cfg,
			  struct diag *d)
{
	const struct program *p = m->program;
	enum err e = time_program(&m->book, &m->arena, p, cfg, d);

	for (size_t i = 0; !e && i < m->kernel_count; i++) {
		struct heddle_kernel *k = &m->kernels[i];
		const struct ptx_func *f = ptx_find_func(p->module, k->name);
		const struct launch thread = { .program = p,
					       .kernel = p->codes[f->index],
					       .block = { 1, 1, 1 } };
		struct occupancy o;
		struct diag too_much;
		uint32_t used;

		if (k->refused)
			continue;
		if (!gpu_occupancy(&o, &used, cfg, m->book, &thread, 0,
				   &too_much))
			k->registers_estimate = used;
	}
	return e;
}

static enum err describe_all(struct heddle_module *m, struct diag *d)
{
	const struct ptx_module *p = m->program->module;

	m->kernels =
		arena_new(&m->arena, struct heddle_kernel, p->func_count + 1);
	if (!m->kernels)
		return fail(d, ERR_NOMEM, "out of memory");
	for (const struct ptx_func *f = p->funcs; f; f = f->next)
		if (f->is_entry && f->has_body &&
		    !describe(m, &m->kernels[m->kernel_count++], f))
			return fail(d, ERR_NOMEM, "out of memory");
	return ERR_OK;
}

int heddle_module_load(struct heddle_device *dev, struct heddle_module **out,
		       const char *name, const char *text, size_t size,
		       struct heddle_error *err)
{
	struct heddle_module *m = calloc(1, sizeof(*m));
	struct ptx_module *ptx;
	struct diag d;
	enum err e;

	if (!m)
		return api_result(fail(&d, ERR_NOMEM, "out of memory"), &d,
				  err);
	e = ptx_parse(&ptx, name, text, size, &d);
	if (!e)
		e = program_new(&m->program, ptx, &dev->gmem, &d);
	if (!e)
		e = describe_all(m, &d);
	if (!e && dev->gpu)
		e = make_book(m, gpu_cfg(dev->gpu), &d);
	if (!e)
		e = record_text(dev, m, text, size, &d);
	if (e) {
		heddle_module_free(dev, m);
		return api_result(e, &d, err);
	}
	*out = m;
	return api_result(ERR_OK, &d, err);
}

void heddle_module_free(struct heddle_device *dev, struct heddle_module *mod)
{
	if (!mod)
		return;
	record_forget(dev, mod);
	free(mod->text);
	if (mod->program)
		program_free(mod->program);
	arena_free(&mod->arena);
	free(mod);
}

size_t heddle_module_kernel_count(const struct heddle_module *mod)
{
	return mod->kernel_count;
}

const struct heddle_kernel *
heddle_module_kernel(const struct heddle_module *mod, size_t i)
{
	return i < mod->kernel_count ? &mod->kernels[i] : NULL;
}

char *heddle_module_print(const struct heddle_module *mod)
{
	return ptx_print(mod->program->module);
}

static enum err find_global(const struct program *p, const char *name,
			    heddle_ptr *at, uint64_t *size, struct diag *d)
{
	const struct ptx_var *v = ptx_find_var(p->module, name);

	if (!v || (v->space != SPACE_GLOBAL && v->space != SPACE_CONST))
		return fail(d, ERR_UNKNOWN,
			    "%s has no global variable named '%s'",
			    p->module->name, name);
	*at = p->vars[v->index].address;
	if (size)
		*size = v->bytes;
	return ERR_OK;
}

int heddle_module_global(struct heddle_device *dev, struct heddle_module *mod,
			 const char *name, heddle_ptr *at, uint64_t *size,
			 struct heddle_error *err)
{
	struct diag d;

	(void)dev;
	return api_result(find_global(mod->program, name, at, size, &d), &d,
			  err);
}
