/* Prints declarations: variables, initial values, registers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/print.h"

static const char *const spaces[] = {
	[SPACE_REG] = "reg",       [SPACE_CONST] = "const",
	[SPACE_GLOBAL] = "global", [SPACE_LOCAL] = "local",
	[SPACE_PARAM] = "param",   [SPACE_SHARED] = "shared",
};

const char *const px_linkages[] = {
	[PTX_LINK_NONE] = "",           [PTX_LINK_VISIBLE] = ".visible ",
	[PTX_LINK_EXTERN] = ".extern ", [PTX_LINK_WEAK] = ".weak ",
	[PTX_LINK_COMMON] = ".common ",
};

void px_put_var(struct px_out *o, const struct ptx_var *v,
		enum ptx_linkage linkage)
{
	px_put(o, "%s.%s", px_linkages[linkage], spaces[v->space]);
	if (v->bank)
		px_put(o, "[%" PRIu32 "]", v->bank);
	if (v->align != (uint32_t)ptx_types[v->type].bytes * v->vec)
		px_put(o, " .align %" PRIu32, v->align);
	if (v->managed)
		px_put(o, " .attribute(.managed)");
	if (v->vec > 1)
		px_put(o, " .v%u", v->vec);
	px_put(o, " .%s", ptx_types[v->type].text);
	if (v->is_ptr) {
		px_put(o, " .ptr");
		if (v->ptr_space != SPACE_GENERIC)
			px_put(o, " .%s", spaces[v->ptr_space]);
		if (v->ptr_align)
			px_put(o, " .align %" PRIu32, v->ptr_align);
	}
	px_put(o, " %s", v->name);
	for (int i = 0; i < v->dims; i++) {
		if (v->dim[i])
			px_put(o, "[%" PRIu64 "]", v->dim[i]);
		else
			px_put(o, "[]");
	}
}

/* Walks a variable's bytes and relocations in step. */
struct init_printer {
	struct px_out *o;
	const struct ptx_var *v;
	const struct ptx_reloc *reloc; /* the next */
	uint64_t dim[9], stride[9];
	int dims;
};

static void put_reloc(struct px_out *o, const struct ptx_reloc *r, bool masked)
{
	if (masked)
		px_put(o, "0x%" PRIX64 "(", (uint64_t)0xff << r->shift);
	px_put(o, r->generic ? "generic(%s)" : "%s",
	       r->var ? r->var->name : r->func->name);
	if (r->addend)
		px_put(o, "+%" PRId64, r->addend);
	if (masked)
		px_put(o, ")");
}

static void put_init_element(struct init_printer *in, uint64_t offset)
{
	const struct ptx_type_info *t = &ptx_types[in->v->type];
	uint64_t bits = 0;

	if (in->reloc && in->reloc->offset == offset) {
		put_reloc(in->o, in->reloc, t->bytes == 1);
		in->reloc = in->reloc->next;
		return;
	}
	memcpy(&bits, in->v->init + offset, t->bytes);
	if (in->v->type == PTX_F32)
		px_put(in->o, "0f%08" PRIX32, (uint32_t)bits);
	else if (in->v->type == PTX_F64)
		px_put(in->o, "0d%016" PRIX64, bits);
	else if (t->kind == PTX_KIND_S)
		px_put(in->o, "%" PRId64,
		       (int64_t)(bits << (64 - t->bytes * 8)) >>
			       (64 - t->bytes * 8));
	else
		px_put(in->o, "%" PRIu64, bits);
}

/* The end of what is not zero in [from, to). */
static uint64_t used_end(const struct init_printer *in, uint64_t from,
			 uint64_t to)
{
	uint64_t end = to;

	while (end > from && !in->v->init[end - 1])
		end--;
	for (const struct ptx_reloc *r = in->reloc; r && r->offset < to;
	     r = r->next)
		if (r->offset >= from && r->offset + r->size > end)
			end = r->offset + r->size;
	return end;
}

static void put_items(struct init_printer *in, int level, uint64_t offset)
{
	uint64_t end;

	if (level == in->dims) {
		put_init_element(in, offset);
		return;
	}
	end = used_end(in, offset, offset + in->stride[level] * in->dim[level]);
	px_put(in->o, "{");
	for (uint64_t i = 0; offset < end; i++) {
		if (i)
			px_put(in->o, ", ");
		put_items(in, level + 1, offset);
		offset += in->stride[level];
	}
	px_put(in->o, "}");
}

void px_put_init(struct px_out *o, const struct ptx_var *v)
{
	struct init_printer in = { .o = o, .v = v, .reloc = v->relocs };
	uint64_t stride = ptx_types[v->type].bytes;

	if (!v->init)
		return;
	for (; in.dims < v->dims; in.dims++)
		in.dim[in.dims] = v->dim[in.dims];
	if (v->vec > 1)
		in.dim[in.dims++] = v->vec;
	for (int i = in.dims - 1; i >= 0; i--) {
		in.stride[i] = stride;
		stride *= in.dim[i];
	}
	px_put(o, " = ");
	put_items(&in, 0, 0);
}

/* A register's name, split into prefix and number: %r and 12; -1: no number. */
struct reg_key {
	const struct ptx_reg *reg;
	size_t prefix;
	int64_t number;
};

static struct reg_key key_of(const struct ptx_reg *r)
{
	size_t n = strlen(r->name), at = n;
	struct reg_key k = { r, n, -1 };

	while (at > 1 && r->name[at - 1] >= '0' && r->name[at - 1] <= '9')
		at--;
	if (at == n || n - at > 7 || (r->name[at] == '0' && n - at > 1))
		return k;
	k.prefix = at;
	k.number = atoi(r->name + at);
	return k;
}

static bool same_group(const struct reg_key *a, const struct reg_key *b)
{
	if (a->reg->type != b->reg->type || a->reg->vec != b->reg->vec)
		return false;
	if (a->number < 0 || b->number < 0)
		return a->number < 0 && b->number < 0;
	return a->prefix == b->prefix &&
	       !memcmp(a->reg->name, b->reg->name, a->prefix);
}

static int compare_keys(const void *x, const void *y)
{
	const struct reg_key *a = x, *b = y;
	size_t n = a->prefix < b->prefix ? a->prefix : b->prefix;
	int c;

	if (a->reg->type != b->reg->type)
		return a->reg->type < b->reg->type ? -1 : 1;
	if (a->reg->vec != b->reg->vec)
		return a->reg->vec < b->reg->vec ? -1 : 1;
	if ((a->number < 0) != (b->number < 0))
		return a->number < 0 ? 1 : -1;
	c = memcmp(a->reg->name, b->reg->name, n);
	if (c)
		return c;
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(struct px_names *s)
{
	qsort(s->name, s->count, sizeof(*s->name), compare_names);
}

static bool has_name(const struct px_names *s, const char *name)
{
	return bsearch(&name, s->name, s->count, sizeof(*s->name),
		       compare_names) != NULL;
}

bool px_module_names(struct px_names *s, const struct ptx_module *m)
{
	s->count = 0;
	s->name = calloc((size_t)m->var_count + m->func_count + 1,
			 sizeof(const char *));
	if (!s->name)
		return false;
	for (const struct ptx_var *v = m->vars; v; v = v->next)
		s->name[s->count++] = v->name;
	for (const struct ptx_func *g = m->funcs; g; g = g->next)
		s->name[s->count++] = g->name;
	sort_names(s);
	return true;
}

static bool function_names(struct px_names *s, const struct ptx_func *f)
{
	size_t n = 0;

	s->name = calloc((size_t)f->reg_count + f->var_count + f->label_count +
				 f->target_count + f->param_count +
				 f->ret_count + 1,
			 sizeof(const char *));
	if (!s->name)
		return false;
	for (uint32_t i = 0; i < ptx_text_regs(f); i++)
		s->name[n++] = f->regs[i].name;
	for (uint32_t i = 0; i < f->var_count; i++)
		s->name[n++] = f->vars[i]->name;
	for (uint32_t i = 0; i < ptx_text_labels(f); i++)
		s->name[n++] = f->labels[i].name;
	for (uint32_t i = 0; i < f->target_count; i++)
		s->name[n++] = f->targets[i].name;
	for (uint32_t i = 0; i < f->param_count; i++)
		s->name[n++] = f->params[i]->name;
	for (uint32_t i = 0; i < f->ret_count; i++)
		s->name[n++] = f->rets[i]->name;
	s->count = n;
	sort_names(s);
	return true;
}

/* Names that a range of registers must not cover. */
struct taken_names {
	const struct px_names *module;
	struct px_names function;
};

/* Whether prefix<n> declares the group and no other name. */
static bool is_range(const struct taken_names *s, const struct reg_key *k,
		     size_t n)
{
	int64_t last = k[n - 1].number, next = 0;
	char text[300];

	if (n < 3 || k->number < 0 || (uint64_t)last > 2 * n + 4 ||
	    k->prefix > 256)
		return false;
	for (size_t i = 0; i < n; next = k[i++].number + 1)
		for (; next < k[i].number; next++) {
			snprintf(text, sizeof(text), "%.*s%" PRId64,
				 (int)k->prefix, k->reg->name, next);
			if (has_name(s->module, text) ||
			    has_name(&s->function, text))
				return false;
		}
	return true;
}

static void put_group(struct px_out *o, const struct taken_names *s,
		      const struct reg_key *k, size_t n)
{
	enum { PER_LINE = 8 };
	const struct ptx_reg *r = k->reg;
	char type[32];

	snprintf(type, sizeof(type), r->vec > 1 ? ".v%d .%s" : "%.0d.%s",
		 r->vec > 1 ? r->vec : 0, ptx_types[r->type].text);
	if (is_range(s, k, n)) {
		px_put(o, "\t.reg %s %.*s<%" PRId64 ">;\n", type,
		       (int)k->prefix, r->name, k[n - 1].number + 1);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (i % PER_LINE == 0)
			px_put(o, "\t.reg %s ", type);
		px_put(o, "%s%s", k[i].reg->name,
		       i + 1 == n || (i + 1) % PER_LINE == 0 ? ";\n" : ", ");
	}
}

void px_put_regs(struct px_out *o, const struct px_names *module,
		 const struct ptx_func *f)
{
	struct reg_key *keys = calloc((size_t)f->reg_count + 1, sizeof(*keys));
	struct taken_names names = { .module = module };
	size_t n = 0, skip = 0;

	if (!keys || !function_names(&names.function, f)) {
		o->nomem = true;
		free(keys);
		return;
	}
	for (uint32_t i = 0; i < f->param_count; i++)
		skip += f->params[i]->space == SPACE_REG;
	for (uint32_t i = 0; i < f->ret_count; i++)
		skip += f->rets[i]->space == SPACE_REG;
	for (size_t i = skip; i < ptx_text_regs(f); i++)
		keys[n++] = key_of(&f->regs[i]);
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && same_group(&keys[i], &keys[j]); j++)
			;
		put_group(o, &names, &keys[i], j - i);
	}
	free(names.function.name);
	free(keys);
}
