#include "isa/gcn/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/calls.h"
#include "isa/gcn/exec.h"
#include "isa/gcn/image.h"
#include "isa/gcn/isa.h"
#include "isa/gcn/lines.h"
#include "isa/gcn/lower.h"

/* What loading needs and the program does not. */
struct loader {
	struct gcn_program *p;
	struct gcn_object o;
	struct gcn_image image;
	const char *name;
	struct gmem *gmem;
	struct gcn_function *functions;
	struct diag *d;
};

static struct arena *arena_of(struct loader *l)
{
	return &l->p->base.arena;
}

static enum err load_no_memory(struct loader *l)
{
	return fail(l->d, ERR_NOMEM, "out of memory");
}

/* ---- functions --------------------------------------------------------- */

static enum err load_list_functions(struct loader *l)
{
	struct gcn_function f;
	size_t at = 0;
	uint32_t count = 0;
	bool found = true;

	while (found) {
		if (gcn_object_next(&l->o, &at, &f, &found, l->d))
			return l->d->code;
		count += found;
	}
	if (count > UINT16_MAX)
		return fail(l->d, ERR_UNSUPP, "%u functions: at most %u", count,
			    (unsigned)UINT16_MAX);
	l->functions = arena_new(arena_of(l), struct gcn_function, count + 1);
	l->p->base.funcs = arena_new(arena_of(l), struct function, count + 1);
	l->p->kernels = arena_new(arena_of(l), struct gcn_kernel, count + 1);
	l->p->first_op = arena_new(arena_of(l), uint32_t, count + 1);
	if (!l->functions || !l->p->base.funcs || !l->p->kernels ||
	    !l->p->first_op)
		return load_no_memory(l);
	for (at = 0; l->p->base.func_count < count;) {
		struct gcn_function *to =
			&l->functions[l->p->base.func_count++];

		if (gcn_object_next(&l->o, &at, to, &found, l->d))
			return l->d->code;
	}
	return ERR_OK;
}

/* Where a function's code begins in the image. */
static uint64_t code_at(const struct loader *l, const struct gcn_function *f)
{
	return l->image.section[f->section] + f->offset;
}

static const struct gcn_object *load_object_of(const struct loader *l)
{
	return &l->o;
}

/* ---- instructions ------------------------------------------------------ */

/* Says why a function cannot run; the first reason stays. */
static void refuse(struct loader *l, struct function *f, uint32_t at,
		   const char *text, const char *why)
{
	char line[400];

	if (f->refused)
		return;
	snprintf(line, sizeof(line), "%s: %s+0x%x: '%s' is not supported: %s",
		 l->name, f->name, at, text, why);
	f->refused = arena_strndup(arena_of(l), line, strlen(line));
	if (!f->refused)
		f->refused = "out of memory";
}

static void lower_one(struct loader *l, struct function *f, uint32_t at,
		      const struct gcn_inst *in, struct wave_op *op)
{
	const char *why = gcn_lower(op, in, &l->p->code.vectors);
	char text[160];

	if (!why)
		return;
	gcn_print(text, sizeof(text), in);
	refuse(l, f, at, text, why);
	gcn_lower_end(op);
}

/* Decodes a function into the ops from *next on, and one that ends it. */
static void lower_function(struct loader *l, uint32_t number, uint32_t *next)
{
	const struct gcn_function *g = &l->functions[number];
	struct function *f = &l->p->base.funcs[number];
	uint64_t start = code_at(l, g);
	const uint8_t *code = l->image.host + start;
	size_t words = g->code.size / 4, at = 0;

	l->p->first_op[number] = *next;
	while (at < words) {
		uint32_t w[3] = { 0 };
		size_t left = words - at;
		struct wave_op *op = &l->p->ops[*next];
		struct gcn_inst in;
		const char *why;

		memcpy(w, code + 4 * at, 4 * (left < 3 ? left : 3));
		why = gcn_decode(&in, w, left);
		if (why) {
			char word[16];

			snprintf(word, sizeof(word), "0x%08x", w[0]);
			refuse(l, f, (uint32_t)(4 * at), word, why);
			break;
		}
		lower_one(l, f, (uint32_t)(4 * at), &in, op);
		op->at = (uint32_t)(start + 4 * at);
		op->words = in.words;
		op->index = f->inst_count++;
		op->func = (uint16_t)number;
		l->p->op_at[op->at / 4] = (*next)++;
		at += in.words;
	}
	gcn_lower_end(&l->p->ops[*next]);
	l->p->ops[*next].func = (uint16_t)number;
	l->p->ops[*next].at = (uint32_t)(start + 4 * at);
	l->p->ops[(*next)++].index = f->inst_count ? f->inst_count - 1 : 0;
}

/* A branch goes to an instruction of its function. */
static void link_branches(struct loader *l, uint32_t number)
{
	const struct gcn_function *g = &l->functions[number];
	struct function *f = &l->p->base.funcs[number];
	uint64_t start = code_at(l, g);

	for (uint32_t i = 0; i < f->inst_count; i++) {
		uint32_t n = l->p->first_op[number] + i, to;
		struct wave_op *op = &l->p->ops[n];
		int64_t word;

		if (op->kind != WAVE_JUMP || op->unit != WAVE_BRANCH)
			continue;
		word = (int64_t)op->at / 4 + 1 + (int16_t)op->imm;
		to = word * 4 >= (int64_t)start &&
				     word * 4 <
					     (int64_t)(start + g->code.size) ?
			     l->p->op_at[word] :
			     WAVE_NO_OP;
		if (to == WAVE_NO_OP)
			refuse(l, f, (uint32_t)(op->at - start),
			       gcn_rows[op->op].name,
			       "it leaves its function, or leads into an "
			       "instruction");
		else
			op->jump = (int32_t)(to - n);
	}
}

/* Upper limit: an op for each word, and one at each function's end. */
static uint64_t count_words(const struct loader *l)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < l->p->base.func_count; i++)
		words += l->functions[i].code.size / 4 + 1;
	return words;
}

static enum err check_functions(struct loader *l)
{
	for (uint32_t i = 0; i < l->p->base.func_count; i++) {
		const struct gcn_function *g = &l->functions[i];

		if (l->image.section[g->section] == UINT64_MAX ||
		    code_at(l, g) % 4 || g->code.size % 4)
			return fail(l->d, ERR_SYNTAX,
				    "the code of %s is not in words of memory",
				    g->name);
	}
	return ERR_OK;
}

static enum err load_lower_all(struct loader *l)
{
	struct gcn_program *p = l->p;
	uint64_t words = count_words(l), places = l->image.bytes / 4 + 1;
	uint32_t next = 0;

	if (words > UINT32_MAX / 2)
		return fail(l->d, ERR_UNSUPP, "too many functions overlap");
	p->ops = arena_alloc(arena_of(l), words + 1, sizeof(*p->ops));
	p->op_at = arena_new(arena_of(l), uint32_t, places);
	if (!p->ops || !p->op_at)
		return load_no_memory(l);
	memset(p->op_at, 0xff, places * sizeof(*p->op_at));
	p->code = (struct wave_code){ .ops = p->ops,
				      .op_at = p->op_at,
				      .base = l->image.base,
				      .bytes = l->image.bytes,
				      .vectors = 3 };
	for (uint32_t i = 0; i < p->base.func_count; i++)
		lower_function(l, i, &next);
	for (uint32_t i = 0; i < p->base.func_count; i++)
		link_branches(l, i);
	p->code.count = next;
	return ERR_OK;
}

/* ---- kernels ----------------------------------------------------------- */

/* The symbol NAME.kd; false: there is none of 64 bytes in the image. */
static bool find_descriptor(const struct loader *l, const char *name,
			    uint64_t *at)
{
	const struct gcn_object *o = load_object_of(l);
	size_t length = strlen(name);

	for (size_t i = 0; i + sizeof(Elf64_Sym) <= o->symbols.bytes.size;
	     i += sizeof(Elf64_Sym)) {
		Elf64_Sym s;
		const char *n;

		memcpy(&s, o->symbols.bytes.data + i, sizeof(s));
		n = elf_part_string(&o->names, s.st_name);
		if (n && !strncmp(n, name, length) &&
		    !strcmp(n + length, ".kd") &&
		    gcn_image_symbol(&l->image, o, &s, at))
			return *at + 64 <= l->image.bytes;
	}
	return false;
}

/* Fills in *k; false: the function is no kernel. */
static bool load_describe(struct loader *l, uint32_t number,
			  struct gcn_kernel *k)
{
	const struct gcn_function *g = &l->functions[number];
	uint64_t at;

	if (g->is_headed) {
		at = code_at(l, g) - GCN_CODE_HEADER;
		gcn_kernel_header(k, l->image.host + at);
	} else if (find_descriptor(l, g->name, &at)) {
		gcn_kernel_descriptor(k, l->image.host + at);
	} else {
		return false;
	}
	k->entry += at;
	return true;
}

/* Without metadata, the arguments are so many bytes. */
static enum err load_describe_params(struct loader *l, struct gcn_kernel *k,
				     struct function *f)
{
	struct param *p;

	f->params = k->params;
	f->param_count = k->param_count;
	for (uint32_t i = 0; i < k->param_count; i++) {
		uint32_t end = k->params[i].offset + k->params[i].size;

		f->param_bytes = end > f->param_bytes ? end : f->param_bytes;
	}
	if (k->has_metadata || !k->kernarg_bytes)
		return ERR_OK;
	p = arena_new(arena_of(l), struct param, 1);
	if (!p)
		return load_no_memory(l);
	*p = (struct param){ .name = "arguments",
			     .type = "bytes",
			     .kind = PARAM_BYTES,
			     .size = k->kernarg_bytes,
			     .align = 8 };
	f->params = p;
	f->param_count = 1;
	f->param_bytes = k->kernarg_bytes;
	return ERR_OK;
}

enum { GROUP_MAX = 64 << 10, PRIVATE_MAX = 1 << 20, KERNARG_MAX = 1 << 20 };

static enum err load_check_kernel(struct loader *l, const struct gcn_kernel *k,
				  const struct function *f)
{
	if (k->group_bytes > GROUP_MAX || k->private_bytes > PRIVATE_MAX ||
	    k->kernarg_bytes > KERNARG_MAX)
		return fail(l->d, ERR_RANGE,
			    "%s: kernel %s: %u bytes of local memory, %u of "
			    "private memory, %u of arguments: more than the "
			    "GPU has",
			    l->name, f->name, k->group_bytes, k->private_bytes,
			    k->kernarg_bytes);
	if (k->entry % 4 || k->entry >= l->image.bytes ||
	    l->p->op_at[k->entry / 4] == WAVE_NO_OP)
		return fail(l->d, ERR_SYNTAX,
			    "%s: kernel %s: no instruction where it begins",
			    l->name, f->name);
	return ERR_OK;
}

static enum err make_code(struct loader *l, struct function *f,
			  const struct gcn_kernel *k)
{
	struct code *c = arena_new(arena_of(l), struct code, 1);

	if (!c)
		return load_no_memory(l);
	c->func = f;
	c->local_bytes = (k->private_bytes + 15) & ~15u;
	f->code = c;
	return ERR_OK;
}

static enum err load_describe_kernel(struct loader *l, uint32_t number)
{
	struct gcn_kernel *k = &l->p->kernels[number];
	struct function *f = &l->p->base.funcs[number];
	enum err e;

	k->hidden = UINT32_MAX;
	if (!load_describe(l, number, k))
		return ERR_OK;
	e = gcn_meta_kernel(k, arena_of(l), &l->o, f->name, l->d);
	if (!e)
		e = load_check_kernel(l, k, f);
	if (!e)
		e = load_describe_params(l, k, f);
	if (e)
		return e;
	f->is_kernel = true;
	f->registers = k->vectors;
	f->local_bytes = k->private_bytes;
	f->shared_used = f->shared_start = k->group_bytes;
	f->limits.max[0] = k->max_threads;
	memcpy(f->limits.required, k->required, sizeof(k->required));
	return make_code(l, f, k);
}

/* `caller` cannot run, because `f` cannot. */
static void refuse_caller(struct loader *l, struct function *caller,
			  const struct function *f)
{
	size_t prefix = strlen(l->name) + strlen(": ");
	const char *why = f->refused;
	char line[600];

	if (!strncmp(why, l->name, strlen(l->name)))
		why += prefix;
	snprintf(line, sizeof(line), "%s: %s may call %s, which cannot run: %s",
		 l->name, caller->name, f->name, why);
	caller->refused = arena_strndup(arena_of(l), line, strlen(line));
	if (!caller->refused)
		caller->refused = "out of memory";
}

static bool any_refused(const struct gcn_program *p)
{
	for (uint32_t i = 0; i < p->base.func_count; i++)
		if (!p->base.funcs[i].is_kernel && p->base.funcs[i].refused)
			return true;
	return false;
}

/* What a function cannot do, no kernel can that may call it. */
static enum err spread_refusal(struct loader *l)
{
	struct gcn_calls_in in = { l->p, &l->image, &l->o, arena_of(l) };
	struct program *base = &l->p->base;
	struct gcn_calls *calls;
	uint32_t *by;

	if (!any_refused(l->p))
		return ERR_OK;
	calls = gcn_calls_find(&in);
	by = arena_new(arena_of(l), uint32_t, (size_t)base->func_count + 2);
	if (!calls || !by)
		return load_no_memory(l);
	memset(by, 0, ((size_t)base->func_count + 2) * sizeof(*by));
	for (uint32_t i = 0; i < base->func_count; i++)
		if (!base->funcs[i].is_kernel && base->funcs[i].refused)
			gcn_calls_mark(calls, i, i + 1, by);
	for (uint32_t i = 0; i < base->func_count; i++)
		if (base->funcs[i].is_kernel && !base->funcs[i].refused &&
		    by[i])
			refuse_caller(l, &base->funcs[i],
				      &base->funcs[by[i] - 1]);
	return ERR_OK;
}

static enum err describe_all(struct loader *l)
{
	for (uint32_t i = 0; i < l->p->base.func_count; i++) {
		enum err e = load_describe_kernel(l, i);

		if (e)
			return e;
	}
	return spread_refusal(l);
}

static enum err name_functions(struct loader *l)
{
	for (uint32_t i = 0; i < l->p->base.func_count; i++) {
		struct function *f = &l->p->base.funcs[i];
		const char *n = l->functions[i].name;

		f->program = &l->p->base;
		f->index = i;
		f->has_body = true;
		f->name = arena_strndup(arena_of(l), n, strlen(n));
		if (!f->name)
			return load_no_memory(l);
	}
	return ERR_OK;
}

/* Variables that the host can find by name. */
static enum err list_variables(struct loader *l)
{
	const struct gcn_object *o = load_object_of(l);
	size_t count = o->symbols.bytes.size / sizeof(Elf64_Sym);

	l->p->base.vars = arena_new(arena_of(l), struct variable, count + 1);
	if (!l->p->base.vars)
		return load_no_memory(l);
	for (size_t i = 0; i < count; i++) {
		struct variable *v = &l->p->base.vars[l->p->base.var_count];
		const char *n;
		uint64_t at;
		Elf64_Sym s;

		memcpy(&s, o->symbols.bytes.data + i * sizeof(s), sizeof(s));
		n = elf_part_string(&o->names, s.st_name);
		if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || !n ||
		    !gcn_image_symbol(&l->image, o, &s, &at))
			continue;
		*v = (struct variable){ .name = arena_strndup(arena_of(l), n,
							      strlen(n)),
					.space = SPACE_GLOBAL,
					.address = l->image.base + at,
					.bytes = s.st_size };
		if (!v->name)
			return load_no_memory(l);
		l->p->base.var_count++;
	}
	return ERR_OK;
}

static enum err load_lines(struct loader *l)
{
	struct gcn_program *p = l->p;

	p->sections = arena_new(arena_of(l), struct gcn_section,
				p->base.func_count + 1);
	if (!p->sections)
		return load_no_memory(l);
	for (uint32_t i = 0; i < p->base.func_count; i++) {
		size_t number = l->functions[i].section;

		p->sections[i] = (struct gcn_section){
			.number = (uint32_t)number,
			.at = l->image.section[number],
		};
	}
	return gcn_lines_read(&p->lines, arena_of(l), &l->o, l->d);
}

static enum err load_keep_text(struct loader *l)
{
	void *copy = arena_alloc(arena_of(l), l->image.bytes + 16, 1);

	if (!copy)
		return load_no_memory(l);
	memcpy(copy, l->image.host, l->image.bytes);
	l->p->text = copy;
	return ERR_OK;
}

static enum err load(struct loader *l, const char *bytes, size_t size)
{
	struct diag *d = l->d;
	enum err e = gcn_object_open(&l->o, bytes, size, d);

	if (!e)
		e = load_list_functions(l);
	if (!e)
		e = gcn_image_new(&l->image, arena_of(l), &l->o, l->gmem, d);
	l->p->image = l->image.base;
	l->p->gfx = l->p->base.target = l->o.gfx;
	if (!e)
		e = name_functions(l);
	if (!e)
		e = check_functions(l);
	if (!e)
		e = load_lower_all(l);
	if (!e)
		e = describe_all(l);
	if (!e)
		e = list_variables(l);
	if (!e)
		e = load_lines(l);
	return e ? e : load_keep_text(l);
}

enum err gcn_load(struct program **out, const char *name, const char *bytes,
		  size_t size, const struct cfg *cfg, struct gmem *g,
		  struct diag *d)
{
	struct gcn_program *p = calloc(1, sizeof(*p));
	struct loader l = { .p = p, .name = name, .gmem = g, .d = d };
	enum err e;

	(void)cfg;
	if (!p)
		return fail(d, ERR_NOMEM, "out of memory");
	p->base.isa = &isa_gcn;
	p->base.gmem = g;
	p->base.name = arena_strndup(&p->base.arena, name, strlen(name));
	e = p->base.name ? load(&l, bytes, size) : load_no_memory(&l);
	if (!e) {
		*out = &p->base;
		return ERR_OK;
	}
	if (strncmp(d->text, name, strlen(name))) {
		struct diag inner = *d;

		(void)fail(d, e, "%s: %s", name, inner.text);
	}
	gcn_unload(&p->base);
	return e;
}

void gcn_unload(struct program *base)
{
	struct gcn_program *p = (struct gcn_program *)base;

	if (p->image)
		gmem_drop(base->gmem, p->image);
	arena_free(&base->arena);
	free(p);
}
