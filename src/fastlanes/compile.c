#include "fastlanes/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "fastlanes/ir.h"
#include "isa/ptx/program.h"

/* Bytes of the data section: variables start at multiples of this. */
enum { DATA_ALIGN = 16, WORDS_FIRST = 1024 };

struct compiler {
	const struct ptx_module *module;
	struct fl_code *code;
	struct diag *d;
	struct arena arena;  /* freed when the module is done */
	uint32_t *global_at; /* by index of a module's variable */
	uint32_t word_room, param_room;
};

static enum err fl_out_of_memory(struct compiler *c)
{
	return fail(c->d, ERR_NOMEM, "out of memory");
}

/* ---- variables --------------------------------------------------------- */

static bool in_memory(const struct ptx_var *v)
{
	return (v->space == SPACE_GLOBAL || v->space == SPACE_CONST) &&
	       ptx_types[v->type].kind != PTX_KIND_O;
}

static enum err place_globals(struct compiler *c)
{
	uint64_t at = FL_DATA_BASE;

	for (const struct ptx_var *v = c->module->vars; v; v = v->next) {
		uint64_t align = v->align > DATA_ALIGN ? v->align : DATA_ALIGN;
		struct fl_var *to = &c->code->vars[c->code->var_count];

		if (!in_memory(v))
			continue;
		at = (at + align - 1) / align * align;
		if (v->bytes > FL_MEMORY_BYTES ||
		    at + v->bytes > FL_MEMORY_BYTES)
			return fail(c->d, ERR_RANGE,
				    "%s:%u:%u: variable '%s' does not fit: "
				    "FastLanes has 512 MiB",
				    c->module->name, v->loc.line, v->loc.col,
				    v->name);
		c->global_at[v->index] = (uint32_t)at;
		*to = (struct fl_var){ arena_strndup(&c->code->arena, v->name,
						     strlen(v->name)),
				       (uint32_t)at, (uint32_t)v->bytes,
				       v->space == SPACE_CONST };
		if (!to->name)
			return fl_out_of_memory(c);
		c->code->var_count++;
		at += v->bytes;
	}
	c->code->data_bytes = (uint32_t)(at - FL_DATA_BASE);
	return ERR_OK;
}

/* Bytes up to the last one that is not zero by default. */
static uint32_t init_end(const struct compiler *c)
{
	uint32_t end = 0;

	for (const struct ptx_var *v = c->module->vars; v; v = v->next)
		if (in_memory(v) && (v->init || v->relocs))
			end = c->global_at[v->index] - FL_DATA_BASE +
			      (uint32_t)v->bytes;
	return end;
}

static enum err init_address(struct compiler *c, const struct ptx_var *v,
			     const struct ptx_reloc *r, uint8_t *to)
{
	uint64_t value;

	if (!r->var || !in_memory(r->var) || r->var->owner)
		return fail(c->d, ERR_UNSUPP,
			    "%s:%u:%u: '%s' holds the address of a function or "
			    "of something that is not in global memory, which "
			    "FastLanes does not have",
			    c->module->name, v->loc.line, v->loc.col, v->name);
	value = (c->global_at[r->var->index] + (uint64_t)r->addend) >> r->shift;
	for (uint32_t i = 0; i < r->size; i++)
		to[r->offset + i] = (uint8_t)(value >> 8 * i);
	return ERR_OK;
}

static enum err init_globals(struct compiler *c)
{
	c->code->init_bytes = init_end(c);
	c->code->init = arena_new(&c->code->arena, uint8_t,
				  (size_t)c->code->init_bytes + 1);
	if (!c->code->init)
		return fl_out_of_memory(c);
	for (const struct ptx_var *v = c->module->vars; v; v = v->next) {
		uint8_t *to;

		if (!in_memory(v))
			continue;
		to = c->code->init + (c->global_at[v->index] - FL_DATA_BASE);
		if (v->init)
			memcpy(to, v->init, v->bytes);
		for (const struct ptx_reloc *r = v->relocs; r; r = r->next)
			if (init_address(c, v, r, to))
				return c->d->code;
	}
	return ERR_OK;
}

/* ---- words ------------------------------------------------------------- */

static uint8_t reg_field(const struct fl_given *g, uint32_t v)
{
	return v == FL_NONE ? 0 : g->reg[v];
}

/* A predicate that is read; FL_NONE is pt. */
static uint8_t pred_field(const struct fl_given *g, const struct fl_build *b,
			  uint32_t v, bool negated)
{
	unsigned p = v == FL_NONE ? FL_PT : g->reg[b->regs + v];

	return (uint8_t)(p | (negated ? FL_PRED_NOT : 0));
}

static uint32_t branch_field(const struct fl_build *b, const struct fl_ir *in,
			     const uint32_t *word_of)
{
	uint32_t to = word_of[b->first[in->to]];
	uint32_t join = in->join == PTX_NO_JOIN ? FL_NO_JOIN :
						  word_of[b->first[in->join]];

	return to | join << 16;
}

static struct fl_inst make_inst(const struct fl_build *b,
				const struct fl_given *g,
				const struct fl_ir *in, const uint32_t *word_of)
{
	struct fl_inst w = {
		.op = in->op,
		.guard = pred_field(g, b, in->guard, in->guard_not),
		.d = reg_field(g, in->d),
		.a = reg_field(g, in->a),
		.c = reg_field(g, in->c),
		.mod = in->mod,
		.imm = in->imm,
		.b = in->imm ? in->b : reg_field(g, in->b),
	};

	if (fl_has(&w, 'p'))
		w.d = pred_field(g, b, in->p, false);
	if (fl_has(&w, 'r'))
		w.a = pred_field(g, b, in->r, in->r_not);
	if (fl_has(&w, 'q'))
		w.c = pred_field(g, b, in->q, in->q_not);
	if (fl_has(&w, 'y') && w.mod & 3)
		w.c = pred_field(g, b, in->p, false);
	if (fl_has(&w, 'k'))
		w.mod |= (uint8_t)(pred_field(g, b, in->p, false) << 2);
	if (fl_has(&w, 't')) {
		w.imm = true;
		w.b = branch_field(b, in, word_of);
	}
	return w;
}

static bool room_for(struct compiler *c, uint32_t more)
{
	struct fl_code *code = c->code;
	uint32_t room = c->word_room ? c->word_room : WORDS_FIRST;
	uint64_t *to;

	while (room - code->word_count < more)
		room *= 2;
	if (room == c->word_room)
		return true;
	to = arena_new(&code->arena, uint64_t, room);
	if (!to)
		return false;
	if (code->word_count)
		memcpy(to, code->words, code->word_count * sizeof(*to));
	code->words = to;
	c->word_room = room;
	return true;
}

/* Whether it becomes no word: a note for the compiler, or a copy to itself. */
static bool is_no_word(const struct fl_given *g, const struct fl_ir *in)
{
	return in->op == FL_TID ||
	       (in->op == FL_MOV && !in->imm && g->reg[in->d] == g->reg[in->b]);
}

static enum err write_words(struct compiler *c, struct fl_build *b,
			    const struct fl_given *g, struct fl_kernel *k)
{
	uint32_t *word_of = arena_new(b->arena, uint32_t, b->count + 1);
	uint32_t n = 0;

	if (!word_of || !room_for(c, b->count))
		return fl_out_of_memory(c);
	for (uint32_t i = 0; i < b->count; i++) {
		word_of[i] = n;
		n += !is_no_word(g, &b->ir[i]);
	}
	if (n > FL_MAX_CODE)
		return fail(c->d, ERR_RANGE,
			    "%s:%u:%u: kernel '%s' has %u instructions; "
			    "FastLanes has room for %u",
			    c->module->name, b->f->loc.line, b->f->loc.col,
			    b->f->name, n, (unsigned)FL_MAX_CODE);
	k->first = c->code->word_count;
	k->count = n;
	for (uint32_t i = 0; i < b->count; i++) {
		struct fl_inst in;

		if (is_no_word(g, &b->ir[i]))
			continue;
		in = make_inst(b, g, &b->ir[i], word_of);
		c->code->words[c->code->word_count++] = fl_encode(&in);
	}
	return ERR_OK;
}

/* ---- kernels ----------------------------------------------------------- */

static enum err describe_param(struct compiler *c, const struct ptx_func *f,
			       uint32_t i)
{
	struct arena *a = &c->code->arena;
	const struct ptx_var *v = f->params[i];
	const char *type = ptx_types[v->type].text;
	struct fl_param *p = &c->code->params[c->code->param_count++];

	*p = (struct fl_param){
		.name = arena_strndup(a, v->name, strlen(v->name)),
		.type = arena_strndup(a, type, strlen(type)),
		.offset = param_offset(f, i),
		.size = (uint32_t)v->bytes,
		.align = v->align,
	};
	return p->name && p->type ? ERR_OK : fl_out_of_memory(c);
}

static enum err fl_describe_kernel(struct compiler *c, const struct ptx_func *f,
				   struct fl_kernel *k)
{
	const uint32_t *max = f->limits.maxntid;

	k->name = arena_strndup(&c->code->arena, f->name, strlen(f->name));
	k->param_bytes = param_bytes(f);
	k->first_param = c->code->param_count;
	k->param_count = f->param_count;
	memcpy(k->required, f->limits.reqntid, sizeof(k->required));
	if (max[0])
		k->max_threads =
			max[0] * (max[1] ? max[1] : 1) * (max[2] ? max[2] : 1);
	if (!k->name)
		return fl_out_of_memory(c);
	if (k->param_bytes > FL_PARAM_MAX)
		return fail(c->d, ERR_RANGE,
			    "%s:%u:%u: kernel '%s' has %u bytes of parameters; "
			    "FastLanes has %u",
			    c->module->name, f->loc.line, f->loc.col, f->name,
			    k->param_bytes, (unsigned)FL_PARAM_MAX);
	for (uint32_t i = 0; i < f->param_count; i++)
		if (describe_param(c, f, i))
			return c->d->code;
	return ERR_OK;
}

static enum err build_room(struct compiler *c, struct fl_build *b,
			   const struct ptx_func *f)
{
	struct arena *a = b->arena;

	b->first = arena_new(a, uint32_t, f->inst_count + 1);
	b->lo = arena_new(a, uint32_t, f->reg_count + 1);
	b->hi = arena_new(a, uint32_t, f->reg_count + 1);
	b->param_at = arena_new(a, uint32_t, f->reg_count + 1);
	b->shared.at = arena_new(a, uint32_t, f->var_count + 1);
	b->local.at = arena_new(a, uint32_t, f->var_count + 1);
	b->module_shared.at = arena_new(a, uint32_t, c->module->var_count + 1);
	if (!b->first || !b->lo || !b->hi || !b->param_at || !b->shared.at ||
	    !b->local.at || !b->module_shared.at)
		return fl_out_of_memory(c);
	return ptx_flow(&b->flow, f, a, c->d);
}

static enum err compile_body(struct compiler *c, struct fl_build *b,
			     struct fl_kernel *k)
{
	struct fl_given g;

	fl_expand(b);
	if (b->failed)
		return c->d->code;
	if (fl_clean(b) || fl_alloc(b, &g))
		return c->d->code;
	k->regs = g.regs;
	k->preds = g.preds;
	k->shared = b->shared.bytes;
	k->local = (b->local.bytes + 3) & ~3u;
	return write_words(c, b, &g, k);
}

static enum err compile_kernel(struct compiler *c, const struct ptx_func *f)
{
	struct fl_kernel *k = &c->code->kernels[c->code->kernel_count];
	struct arena a = { 0 };
	struct fl_build b = { .arena = &a,
			      .d = c->d,
			      .module = c->module,
			      .f = f,
			      .global_at = c->global_at };
	enum err e;

	if (f->refused)
		return fail(c->d, ERR_UNSUPP, "%s", f->refused);
	e = fl_describe_kernel(c, f, k);
	if (!e)
		e = build_room(c, &b, f);
	if (!e)
		e = compile_body(c, &b, k);
	if (!e)
		c->code->kernel_count++;
	arena_free(&a);
	return e;
}

static bool is_chosen(const struct ptx_func *f, const char *kernel)
{
	return f->is_entry && (f->has_body || f->refused) &&
	       (!kernel || demangle_matches(f->name, kernel));
}

static enum err compile_kernels(struct compiler *c, const char *kernel)
{
	for (const struct ptx_func *f = c->module->funcs; f; f = f->next)
		if (is_chosen(f, kernel) && compile_kernel(c, f))
			return c->d->code;
	if (c->code->kernel_count)
		return ERR_OK;
	return kernel ? fail(c->d, ERR_UNKNOWN, "%s: no kernel named '%s'",
			     c->module->name, kernel) :
			fail(c->d, ERR_UNKNOWN, "%s: it has no kernel",
			     c->module->name);
}

static enum err compile_room(struct compiler *c)
{
	struct arena a = { 0 };
	struct fl_code *code = arena_new(&a, struct fl_code, 1);
	uint32_t params = 0;

	for (const struct ptx_func *f = c->module->funcs; f; f = f->next)
		params += f->param_count;
	if (!code)
		return fl_out_of_memory(c);
	code->vars = arena_new(&a, struct fl_var, c->module->var_count + 1);
	code->kernels =
		arena_new(&a, struct fl_kernel, c->module->func_count + 1);
	code->params = arena_new(&a, struct fl_param, params + 1);
	code->arena = a;
	c->code = code;
	c->global_at = arena_new(&c->arena, uint32_t, c->module->var_count + 1);
	return code->vars && code->kernels && code->params && c->global_at ?
		       ERR_OK :
		       fl_out_of_memory(c);
}

enum err fl_compile(struct fl_code **out, const char *name, const char *text,
		    size_t size, const char *kernel, struct diag *d)
{
	struct ptx_module *m = NULL;
	struct compiler c = { .d = d };
	enum err e = ptx_parse(&m, name, text, size, d);

	if (e)
		return e;
	c.module = m;
	e = compile_room(&c);
	if (!e)
		e = place_globals(&c);
	if (!e)
		e = init_globals(&c);
	if (!e)
		e = compile_kernels(&c, kernel);
	arena_free(&c.arena);
	ptx_module_free(m);
	if (e) {
		fl_code_free(c.code);
		return e;
	}
	*out = c.code;
	return ERR_OK;
}
