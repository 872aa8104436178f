#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "base/minmax.h"
#include "isa/isa.h"

static enum heddle_param_kind api_param_kind(enum param_kind kind)
{
	switch (kind) {
	case PARAM_FLOAT:
		return HEDDLE_PARAM_FLOAT;
	case PARAM_TEXTURE:
		return HEDDLE_PARAM_TEXTURE;
	case PARAM_BYTES:
		return HEDDLE_PARAM_BYTES;
	case PARAM_SHARED:
		return HEDDLE_PARAM_SHARED;
	default:
		return HEDDLE_PARAM_INT;
	}
}

static uint32_t max_block_threads(const uint32_t n[3])
{
	return n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

static int describe_kernel(struct heddle_module *m, struct heddle_kernel *k,
			   const struct function *f)
{
	struct heddle_param *params =
		arena_new(&m->arena, struct heddle_param, f->param_count + 1);

	if (!params)
		return 0;
	for (uint32_t i = 0; i < f->param_count; i++) {
		const struct param *p = &f->params[i];

		params[i] =
			(struct heddle_param){ .name = p->name,
					       .kind = api_param_kind(p->kind),
					       .type = p->type,
					       .size = p->size,
					       .align = p->align,
					       .offset = p->offset,
					       .type_name = p->type_name,
					       .access = p->access,
					       .space = p->address_space,
					       .is_const = p->is_const,
					       .is_restrict = p->is_restrict,
					       .is_volatile = p->is_volatile };
	}
	*k = (struct heddle_kernel){
		.name = f->name,
		.param_count = f->param_count,
		.param_bytes = f->param_bytes,
		.params = params,
		.shared_bytes = f->shared_used,
		.registers = f->registers,
		.max_threads = max_block_threads(f->limits.max),
		.instructions = f->inst_count,
		.local_bytes = f->local_bytes,
		.const_bytes = m->program->const_bytes,
		.ptx_version = m->program->target,
		.refused = f->refused,
		.isa = m->program->isa->name,
		.barriers = f->barriers,
	};
	memcpy(k->required, f->limits.required, sizeof(k->required));
	return 1;
}

/* Makes the timed program of the module, and estimates its kernels'
 * registers. */
static enum err module_make_timed(struct heddle_module *m,
				  const struct cfg *cfg, struct diag *d)
{
	const struct program *p = m->program;
	enum err e = p->isa->time(&m->timed, &m->arena, p, cfg, d);

	for (size_t i = 0; !e && i < m->kernel_count; i++) {
		struct heddle_kernel *k = &m->kernels[i];
		const struct function *f = program_find(p, k->name);
		const struct launch thread = { .program = p,
					       .kernel = f->code,
					       .block = { 1, 1, 1 } };
		struct occupancy o;
		struct diag too_much;
		uint32_t used;

		if (k->refused)
			continue;
		if (!gpu_occupancy(&o, &used, cfg, m->timed, &thread, 0,
				   &too_much))
			k->registers_estimate = used;
	}
	return e;
}

static enum err describe_kernels(struct heddle_module *m, struct diag *d)
{
	const struct program *p = m->program;

	m->kernels =
		arena_new(&m->arena, struct heddle_kernel, p->func_count + 1);
	if (!m->kernels)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < p->func_count; i++)
		if (p->funcs[i].is_kernel && p->funcs[i].has_body &&
		    !describe_kernel(m, &m->kernels[m->kernel_count++],
				     &p->funcs[i]))
			return fail(d, ERR_NOMEM, "out of memory");
	return ERR_OK;
}

/* Machine code runs on some GPUs only. */
static enum err check_target(const struct heddle_device *dev,
			     const struct program *p, struct diag *d)
{
	unsigned sm = dev->machine.sm;
	bool units = dev->gpu && gpu_cfg(dev->gpu)->gpu.core == CFG_CORE_CU;

	if (!p->isa->waves && units)
		return fail(d, ERR_UNSUPP,
			    "%s: %s, which the GPU %s does not execute; it "
			    "runs AMD's machine code for gfx600",
			    p->name, p->isa->name, gpu_cfg(dev->gpu)->gpu.name);
	if (p->isa->waves && dev->gpu && !units)
		return fail(d, ERR_UNSUPP,
			    "%s: machine code of AMD's gfx%u, which the GPU %s "
			    "does not execute",
			    p->name, p->target, gpu_cfg(dev->gpu)->gpu.name);
	if (!p->isa->native || p->isa->waves ||
	    (p->target / 10 == sm / 10 && p->target % 10 <= sm % 10))
		return ERR_OK;
	return fail(d, ERR_UNSUPP,
		    "%s: machine code for sm_%u, which a GPU of sm_%u does not "
		    "execute; PTX would run there",
		    p->name, p->target, sm);
}

const char *heddle_isa_of(const void *text, size_t size)
{
	const struct isa *isa = isa_of(text, size);

	return isa && (!isa->runs || isa->runs(text, size)) ? isa->name : NULL;
}

enum err module_describe(struct heddle_device *dev, struct heddle_module *m,
			 struct diag *d)
{
	enum err e = describe_kernels(m, d);

	if (!e && dev->gpu)
		e = module_make_timed(m, gpu_cfg(dev->gpu), d);
	return e;
}

int heddle_module_load(struct heddle_device *dev, struct heddle_module **out,
		       const char *name, const char *text, size_t size,
		       struct heddle_error *err)
{
	struct heddle_module *m = calloc(1, sizeof(*m));
	const struct isa *isa = isa_of(text, size);
	struct diag d;
	enum err e;

	if (!m)
		return api_result(fail(&d, ERR_NOMEM, "out of memory"), &d,
				  err);
	e = isa ? isa->load(&m->program, name, text, size,
			    dev->gpu ? gpu_cfg(dev->gpu) : NULL, &dev->gmem,
			    &d) :
		  fail(&d, ERR_UNSUPP, "%s: unknown instruction set", name);
	if (!e)
		e = check_target(dev, m->program, &d);
	if (!e)
		e = module_describe(dev, m, &d);
	if (!e)
		e = record_keep_text(dev, m, text, size, &d);
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
	record_drop_module(dev, mod);
	free(mod->text);
	if (mod->program)
		mod->program->isa->unload(mod->program);
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
	return mod->program->isa->print(mod->program, false);
}

char *heddle_module_print_executed(const struct heddle_module *mod)
{
	return mod->program->isa->print(mod->program, true);
}

static enum err find_global(const struct program *p, const char *name,
			    heddle_ptr *at, uint64_t *size, struct diag *d)
{
	const struct variable *v = program_variable(p, name);

	if (!v || (v->space != SPACE_GLOBAL && v->space != SPACE_CONST))
		return fail(d, ERR_UNKNOWN,
			    "%s has no global variable named '%s'", p->name,
			    name);
	*at = v->address;
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
