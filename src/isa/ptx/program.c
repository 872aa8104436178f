#include "isa/ptx/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/branch.h"
#include "isa/ptx/isa.h"
#include "isa/ptx/lower.h"
#include "simt/mem.h"
#include "simt/service.h"

/* Variables of at least this size have an allocation of their own, so that an
 * access past their end is detected. Smaller ones share allocations. */
enum { OWN_BYTES = 4096 };

struct placed_block {
	uint64_t at;
	struct placed_block *next;
};

uint32_t ptx_program_sreg(struct ptx_program *p, enum ptx_sreg s)
{
	if (p->sreg_at[s] == SREG_UNUSED) {
		p->sreg_at[s] = p->base.sreg_bytes;
		p->base.sreg_bytes += 8 * LANES;
	}
	return p->sreg_at[s];
}

static uint64_t program_align_up(uint64_t n, uint64_t to)
{
	return to ? (n + to - 1) / to * to : n;
}

static enum err program_nomem(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory");
}

static enum err fail_at_var(struct ptx_program *p, const struct ptx_var *v,
			    struct diag *d, enum err code, const char *what)
{
	return fail(d, code, "%s:%u:%u: %s: '%s'", p->module->name, v->loc.line,
		    v->loc.col, what, v->name);
}

/* An allocation in global memory that lives as long as the program. Managed
 * memory has the same address on the host. */
static enum err program_alloc(struct ptx_program *p, bool managed,
			      uint64_t size, uint64_t *at, struct diag *d)
{
	struct placed_block *b =
		arena_new(&p->base.arena, struct placed_block, 1);
	enum err e;

	if (!b)
		return program_nomem(d);
	e = managed ? gmem_alloc_shared(p->base.gmem, size, &b->at, d) :
		      gmem_alloc(p->base.gmem, size, &b->at, d);
	if (e)
		return e;
	gmem_keep(p->base.gmem, b->at);
	b->next = p->blocks;
	p->blocks = b;
	*at = b->at;
	return ERR_OK;
}

/* The allocation that small variables are placed in, and what is left of it. */
struct small_room {
	uint64_t at, left;
};

struct small_vars {
	struct small_room plain, managed;
};

static enum err place_global(struct ptx_program *p, struct small_vars *small,
			     const struct ptx_var *v, struct placed *out,
			     struct diag *d)
{
	struct small_room *s = v->managed ? &small->managed : &small->plain;
	uint64_t skip = program_align_up(s->at, v->align) - s->at;
	enum err e;

	out->size = v->bytes;
	if (v->bytes >= OWN_BYTES)
		return program_alloc(p, v->managed, v->bytes, &out->address, d);
	if (s->left < skip + v->bytes) {
		e = program_alloc(p, v->managed, 16 * OWN_BYTES, &s->at, d);
		if (e)
			return e;
		s->left = 16 * OWN_BYTES;
		skip = 0;
	}
	out->address = s->at + skip;
	s->at += skip + v->bytes;
	s->left -= skip + v->bytes;
	return ERR_OK;
}

/*
 * Shared memory. Variables that several kernels can reach come first. A variable
 * that only one kernel can reach overlaps with those of other kernels. Dynamic
 * shared memory starts behind the largest of them.
 */
struct shared_user {
	const struct ptx_func *kernel; /* the last one found, or NULL */
	bool many;
};

static void note_kernel(struct shared_user *u, const struct ptx_func *kernel)
{
	if (u->kernel && u->kernel != kernel)
		u->many = true;
	u->kernel = kernel;
}

/* A walk over the functions that a kernel reaches. It notes the kernel at each
 * shared variable that they refer to. */
struct reach {
	struct ptx_program *p;
	const struct ptx_func *kernel;
	bool *seen; /* by function */
	const struct ptx_func **queue;
	uint32_t queued;
	struct shared_user *users; /* by module variable */
	bool indirect;             /* something is called through a register */
};

static void reach_func(struct reach *r, const struct ptx_func *f)
{
	f = f->alias ? f->alias : f;
	if (f->has_body && !r->seen[f->index]) {
		r->seen[f->index] = true;
		r->queue[r->queued++] = f;
	}
}

static void reach_opnd(struct reach *r, const struct ptx_opnd *o, int depth)
{
	if (o->kind == PTX_OPND_FUNC)
		reach_func(r, o->func);
	if (o->kind == PTX_OPND_VAR && !o->var->owner &&
	    o->var->space == SPACE_SHARED)
		note_kernel(&r->users[o->var->index], r->kernel);
	if (depth < 4)
		for (uint32_t i = 0; i < o->count; i++)
			reach_opnd(r, &o->elems[i], depth + 1);
}

static void reach_inst(struct reach *r, const struct ptx_inst *in)
{
	for (uint32_t i = 0; i < in->opnd_count; i++) {
		const struct ptx_opnd *o = &in->opnds[i];

		if (o->kind == PTX_OPND_MEM)
			reach_opnd(r, &o->elems[0], 0);
		else
			reach_opnd(r, o, 0);
		if (in->op->op == PTX_OP_CALL && o->kind == PTX_OPND_REG)
			r->indirect = true;
	}
}

/* A call through a register may reach any device function. */
static void reach_all(struct reach *r)
{
	for (const struct ptx_func *f = r->p->module->funcs; f; f = f->next)
		if (!f->is_entry)
			reach_func(r, f);
}

static void reach_kernel(struct reach *r, const struct ptx_func *kernel)
{
	r->kernel = kernel;
	r->queued = 0;
	r->indirect = false;
	memset(r->seen, 0, r->p->module->func_count * sizeof(bool));
	reach_func(r, kernel);
	for (uint32_t i = 0; i < r->queued; i++) {
		const struct ptx_func *f = r->queue[i];

		for (uint32_t k = 0; k < f->inst_count; k++)
			reach_inst(r, &f->insts[k]);
		if (r->indirect)
			reach_all(r);
	}
}

static enum err place_shared_var(struct ptx_program *p, const struct ptx_var *v,
				 struct placed *out, uint64_t *end,
				 struct diag *d)
{
	out->address = program_align_up(*end, v->align);
	out->size = v->bytes;
	*end = out->address + v->bytes;
	if (*end > WINDOW_BYTES)
		return fail_at_var(p, v, d, ERR_RANGE,
				   "shared memory exceeds 16 MiB");
	return ERR_OK;
}

/* Places the variables inside a function; advances *shared, the end of shared
 * memory. */
static enum err place_in_func(struct ptx_program *p, const struct ptx_func *f,
			      struct small_vars *s, uint64_t *shared,
			      struct diag *d)
{
	struct placed *out =
		arena_new(&p->base.arena, struct placed, f->var_count + 1);
	enum err e = ERR_OK;

	if (!out)
		return program_nomem(d);
	p->func_vars[f->index] = out;
	for (uint32_t i = 0; !e && i < f->var_count; i++) {
		const struct ptx_var *v = f->vars[i];

		if (v->space == SPACE_SHARED && v->bytes)
			e = place_shared_var(p, v, &out[i], shared, d);
		else if (v->space == SPACE_GLOBAL || v->space == SPACE_CONST)
			e = place_global(p, s, v, &out[i], d);
	}
	return e;
}

/* Whether several kernels reach it. A variable that no kernel reaches is placed
 * there, too, unless functions are refused: it may be theirs, and must not
 * change how much shared memory the other kernels need. */
static bool is_common(const struct ptx_program *p, const struct shared_user *u)
{
	return u->many || (!u->kernel && !p->any_refused);
}

/* Places the shared variables of the module that only this kernel reaches, or
 * with NULL those that several kernels reach. */
static enum err place_shared(struct ptx_program *p, const struct reach *r,
			     const struct ptx_func *kernel, uint64_t *end,
			     struct diag *d)
{
	enum err e = ERR_OK;

	for (const struct ptx_var *v = p->module->vars; v && !e; v = v->next) {
		const struct shared_user *u = &r->users[v->index];

		if (v->space != SPACE_SHARED || !v->bytes)
			continue;
		if (kernel ? u->kernel == kernel && !u->many : is_common(p, u))
			e = place_shared_var(p, v, &p->vars[v->index], end, d);
	}
	return e;
}

/* Places extern arrays without a size, of the module and of functions, where
 * dynamic shared memory starts. */
static void place_dynamic(struct ptx_program *p)
{
	for (const struct ptx_var *v = p->module->vars; v; v = v->next)
		if (v->space == SPACE_SHARED && !v->bytes)
			p->vars[v->index].address = p->base.shared_static;
	for (const struct ptx_func *f = p->module->funcs; f; f = f->next)
		for (uint32_t i = 0; i < f->var_count; i++)
			if (f->vars[i]->space == SPACE_SHARED &&
			    !f->vars[i]->bytes)
				p->func_vars[f->index][i].address =
					p->base.shared_static;
}

static enum err place_all_shared(struct ptx_program *p, struct reach *r,
				 struct small_vars *s, struct diag *d)
{
	uint64_t common = 0, max;
	enum err e = place_shared(p, r, NULL, &common, d);

	/* Device functions may be called by any kernel. */
	for (const struct ptx_func *f = p->module->funcs; f && !e; f = f->next)
		if (!f->is_entry)
			e = place_in_func(p, f, s, &common, d);
	max = common;
	for (const struct ptx_func *f = p->module->funcs; f && !e;
	     f = f->next) {
		uint64_t end = common;

		if (!f->is_entry)
			continue;
		e = place_shared(p, r, f, &end, d);
		if (!e)
			e = place_in_func(p, f, s, &end, d);
		p->base.funcs[f->index].shared_used = (uint32_t)end;
		max = end > max ? end : max;
	}
	p->base.shared_static = (uint32_t)program_align_up(max, 16);
	if (!e)
		place_dynamic(p);
	return e;
}

static enum err place_by_reach(struct ptx_program *p, struct small_vars *s,
			       struct diag *d)
{
	const struct ptx_module *m = p->module;
	struct arena scratch = { 0 };
	struct reach r = { .p = p };
	enum err e;

	r.seen = arena_new(&scratch, bool, m->func_count + 1);
	r.queue =
		arena_new(&scratch, const struct ptx_func *, m->func_count + 1);
	r.users = arena_new(&scratch, struct shared_user, m->var_count + 1);
	if (!r.seen || !r.queue || !r.users) {
		arena_free(&scratch);
		return program_nomem(d);
	}
	for (const struct ptx_func *f = m->funcs; f; f = f->next)
		if (f->is_entry && f->has_body)
			reach_kernel(&r, f);
	e = place_all_shared(p, &r, s, d);
	arena_free(&scratch);
	return e;
}

static enum err place_module(struct ptx_program *p, struct small_vars *s,
			     struct const_pool *pool, struct diag *d)
{
	enum err e = ERR_OK;

	for (const struct ptx_var *v = p->module->vars; v && !e; v = v->next) {
		struct placed *out = &p->vars[v->index];

		if (ptx_types[v->type].kind == PTX_KIND_O) {
			p->tex_slots[v->index] = pool_unique(pool, 8, 0);
			continue;
		}
		switch (v->space) {
		case SPACE_GLOBAL:
		case SPACE_CONST:
			if (!v->bytes)
				return fail_at_var(
					p, v, d, ERR_UNKNOWN,
					"the .extern variable is not defined "
					"in the module");
			e = place_global(p, s, v, out, d);
			break;
		case SPACE_LOCAL:
			out->address =
				program_align_up(p->module_local, v->align);
			if (out->address + v->bytes > 1u << 30)
				return fail_at_var(
					p, v, d, ERR_RANGE,
					"local memory exceeds 1 GiB");
			p->module_local = (uint32_t)(out->address + v->bytes);
			break;
		default:
			break;
		}
	}
	return e;
}

static uint64_t reloc_value(const struct ptx_program *p,
			    const struct ptx_reloc *r)
{
	uint64_t v;

	if (r->func) {
		v = func_address(r->func);
	} else {
		v = p->vars[r->var->index].address;
		if (r->generic)
			v += window_base(r->var->space);
	}
	return (v + (uint64_t)r->addend) >> r->shift;
}

static enum err init_var(struct ptx_program *p, const struct ptx_var *v,
			 uint64_t address, struct diag *d)
{
	void *host;
	enum err e;

	if (!v->init && !v->relocs)
		return ERR_OK;
	e = gmem_host(p->base.gmem, address, v->bytes, &host, d);
	if (e)
		return e;
	if (v->init)
		memcpy(host, v->init, v->bytes);
	for (const struct ptx_reloc *r = v->relocs; r; r = r->next) {
		uint64_t value = reloc_value(p, r);

		CHECK(r->offset + r->size <= v->bytes && r->size <= 8);
		memcpy((char *)host + r->offset, &value, r->size);
	}
	return ERR_OK;
}

static enum err init_all(struct ptx_program *p, struct diag *d)
{
	enum err e = ERR_OK;

	for (const struct ptx_var *v = p->module->vars; v && !e; v = v->next)
		if (v->space == SPACE_GLOBAL || v->space == SPACE_CONST)
			e = init_var(p, v, p->vars[v->index].address, d);
	for (const struct ptx_func *f = p->module->funcs; f; f = f->next)
		for (uint32_t i = 0; !e && i < f->var_count; i++)
			if (f->vars[i]->space == SPACE_GLOBAL ||
			    f->vars[i]->space == SPACE_CONST)
				e = init_var(p, f->vars[i],
					     p->func_vars[f->index][i].address,
					     d);
	return e;
}

/* Places a function's registers; fills in what callers need of its code. */
static enum err prepare_code(struct ptx_program *p, const struct ptx_func *f,
			     struct ptx_flow *flow, struct arena *scratch,
			     struct diag *d)
{
	struct reg_place *regs = &p->regs[f->index];
	struct code *c = arena_new(&p->base.arena, struct code, 1);
	enum err e = ERR_OK;

	regs->slot = arena_new(&p->base.arena, uint32_t, f->reg_count + 1);
	regs->once = arena_new(&p->base.arena, uint32_t, f->reg_count + 1);
	if (!regs->slot || !regs->once || !c)
		return program_nomem(d);
	if (f->has_body)
		e = ptx_flow(flow, f, scratch, d);
	if (!e)
		e = place_regs(regs, f, f->has_body ? flow : NULL, d);
	c->func = &p->base.funcs[f->index];
	c->carry = SLOT(SLOT_REG, regs->end);
	c->reg_bytes = regs->end + 4;
	c->local_bytes = p->layouts[f->index].bytes;
	p->base.funcs[f->index].code = f->has_body ? c : NULL;
	return e;
}

/* Lays out the frames and registers of every function before any of them is
 * lowered: a call needs the callee's. */
static enum err prepare_funcs(struct ptx_program *p, struct ptx_flow *flows,
			      struct arena *scratch, struct diag *d)
{
	enum err e = ERR_OK;

	for (const struct ptx_func *f = p->module->funcs; f && !e;
	     f = f->next) {
		uint32_t start = f->is_entry ? p->module_local : 0;

		if (!layout_make(&p->layouts[f->index], &p->base.arena, f,
				 start))
			return fail(d, ERR_RANGE,
				    "%s:%u:%u: local memory exceeds 1 GiB: "
				    "'%s'",
				    p->module->name, f->loc.line, f->loc.col,
				    f->name);
		e = prepare_code(p, f, &flows[f->index], scratch, d);
	}
	return e;
}

/* Why a function that f calls by name is refused, or NULL. */
static const char *program_refused_call(const struct ptx_program *p,
					const struct ptx_func *f)
{
	for (uint32_t i = 0; i < f->inst_count; i++) {
		const struct ptx_inst *in = &f->insts[i];

		for (uint32_t o = 0;
		     in->op->op == PTX_OP_CALL && o < in->opnd_count; o++)
			if (in->opnds[o].kind == PTX_OPND_FUNC) {
				uint32_t to =
					ptx_aliased(in->opnds[o].func)->index;

				if (p->base.funcs[to].refused)
					return p->base.funcs[to].refused;
			}
	}
	return NULL;
}

/* A function that calls a refused function is refused for the same reason.
 * Callees usually come first in PTX, so few rounds are needed. */
static void program_spread_refusals(struct ptx_program *p)
{
	bool more = p->any_refused;

	while (more) {
		more = false;
		for (const struct ptx_func *f = p->module->funcs; f;
		     f = f->next) {
			const char **why = &p->base.funcs[f->index].refused;

			if (*why)
				continue;
			*why = program_refused_call(p, f);
			more |= *why != NULL;
		}
	}
}

static enum err refuse_func(struct ptx_program *p, const struct ptx_func *f,
			    struct diag *d)
{
	const char *why =
		arena_strndup(&p->base.arena, d->text, strlen(d->text));

	p->base.funcs[f->index].refused = why;
	p->any_refused = true;
	return why ? ERR_OK : program_nomem(d);
}

static enum err lower_supported(struct ptx_program *p, struct const_pool *pool,
				const struct ptx_flow *flows, struct diag *d)
{
	enum err e = ERR_OK;

	program_spread_refusals(p);
	for (const struct ptx_func *f = p->module->funcs; f && !e;
	     f = f->next) {
		if (!f->has_body || p->base.funcs[f->index].refused)
			continue;
		e = lower_func(p, pool, f, &flows[f->index], d);
		if (e == ERR_UNSUPP)
			e = refuse_func(p, f, d);
	}
	program_spread_refusals(p);
	return e;
}

/* Frees the code of refused functions. Only refused functions call them. */
static void drop_refused(struct ptx_program *p)
{
	for (uint32_t i = 0; i < p->module->func_count; i++)
		if (p->base.funcs[i].refused && p->base.funcs[i].code) {
			free(p->base.funcs[i].code->insts);
			p->base.funcs[i].code = NULL;
		}
}

static enum err lower_all(struct ptx_program *p, struct const_pool *pool,
			  struct diag *d)
{
	struct arena scratch = { 0 };
	struct ptx_flow *flows =
		arena_new(&scratch, struct ptx_flow, p->module->func_count + 1);
	enum err e = flows ? prepare_funcs(p, flows, &scratch, d) :
			     program_nomem(d);

	if (!e)
		e = lower_supported(p, pool, flows, d);
	if (!e)
		drop_refused(p);
	arena_free(&scratch);
	return e;
}

static bool alloc_tables(struct ptx_program *p)
{
	uint32_t funcs = p->module->func_count + 1;
	uint32_t vars = p->module->var_count + 1;
	struct arena *a = &p->base.arena;

	p->base.funcs = arena_new(a, struct function, funcs);
	p->base.vars = arena_new(a, struct variable, vars);
	p->funcs = arena_new(a, const struct ptx_func *, funcs);
	p->layouts = arena_new(a, struct layout, funcs);
	p->regs = arena_new(a, struct reg_place, funcs);
	p->func_vars = arena_new(a, struct placed *, funcs);
	p->vars = arena_new(a, struct placed, vars);
	p->tex_slots = arena_new(a, slot_t, vars);
	return p->base.funcs && p->base.vars && p->funcs && p->layouts &&
	       p->regs && p->func_vars && p->vars && p->tex_slots;
}

/* Copies the refusals of the reader. */
static void copy_refusals(struct ptx_program *p)
{
	for (const struct ptx_func *f = p->module->funcs; f; f = f->next) {
		p->funcs[f->index] = f;
		p->base.funcs[f->index].refused = f->has_body ? f->refused :
								NULL;
		p->any_refused |= p->base.funcs[f->index].refused != NULL;
	}
}

static enum err program_build(struct ptx_program *p, struct const_pool *pool,
			      struct diag *d)
{
	struct small_vars small = { 0 };
	enum err e = place_module(p, &small, pool, d);

	copy_refusals(p);
	if (!e)
		e = place_by_reach(p, &small, d);
	if (!e)
		e = init_all(p, d);
	if (!e)
		e = lower_all(p, pool, d);
	if (!e && pool->failed)
		e = program_nomem(d);
	return e;
}

enum err ptx_program_new(struct program **out, struct ptx_module *m,
			 struct gmem *g, struct diag *d)
{
	struct ptx_program *p = calloc(1, sizeof(*p));
	struct const_pool pool = { 0 };
	enum err e;

	if (!p) {
		ptx_module_free(m);
		return program_nomem(d);
	}
	p->module = m;
	p->base.isa = &isa_ptx;
	p->base.name = m->name;
	p->base.gmem = g;
	for (uint32_t i = 0; i < PTX_SREG_COUNT; i++)
		p->sreg_at[i] = SREG_UNUSED;
	e = alloc_tables(p) ? program_build(p, &pool, d) : program_nomem(d);
	p->base.pool = pool.data;
	p->base.pool_bytes = pool.bytes;
	free(pool.table);
	if (!e)
		e = ptx_describe_program(p, d);
	if (e) {
		ptx_program_free(&p->base);
		return e;
	}
	*out = &p->base;
	return ERR_OK;
}

void ptx_program_free(struct program *program)
{
	struct ptx_program *p = (struct ptx_program *)(void *)program;

	for (struct placed_block *b = p->blocks; b; b = b->next)
		gmem_drop(p->base.gmem, b->at);
	for (uint32_t i = 0; p->base.funcs && i < p->module->func_count; i++)
		if (p->base.funcs[i].code)
			free(p->base.funcs[i].code->insts);
	free(p->base.pool);
	arena_free(&p->base.arena);
	ptx_module_free(p->module);
	free(p);
}
