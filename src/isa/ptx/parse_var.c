/* Variables, registers and parameters: space, qualifiers, type, declarators. */
#include <string.h>

#include "isa/ptx/parse.h"

/* The part of a declaration before the names. */
struct decl {
	enum space space;
	enum ptx_linkage linkage;
	uint32_t bank, align;
	enum ptx_type type;
	uint8_t vec;
	bool tex, managed, has_type, is_ptr;
	enum space ptr_space;
	uint32_t ptr_align;
};

static int space_of(const struct px_parser *p)
{
	if (!px_is(p, PTX_TOK_WORD))
		return -1;
	switch (p->atom->word) {
	case PX_REG:
		return SPACE_REG;
	case PX_CONST:
		return SPACE_CONST;
	case PX_GLOBAL:
	case PX_TEX:
		return SPACE_GLOBAL;
	case PX_LOCAL:
		return SPACE_LOCAL;
	case PX_PARAM:
		return SPACE_PARAM;
	case PX_SHARED:
		return SPACE_SHARED;
	}
	return -1;
}

bool px_is_space(const struct px_parser *p)
{
	return space_of(p) >= 0;
}

uint64_t px_elem_bytes(const struct ptx_var *v)
{
	return (uint64_t)ptx_types[v->type].bytes * v->vec;
}

static bool parse_alignment(struct px_parser *p, uint32_t *align)
{
	struct ptx_loc at;
	uint64_t n;

	if (!px_next(p))
		return false;
	at = p->t.loc;
	if (!px_const_int(p, "an alignment", 1, PX_MAX_ALIGN, &n))
		return false;
	if (n & (n - 1))
		return px_syntax(p, at,
				 "an alignment must be a power of two, "
				 "found %u",
				 (unsigned)n);
	*align = (uint32_t)n;
	return true;
}

static bool parse_unified(struct px_parser *p)
{
	uint64_t n;

	return px_next(p) && px_take(p, '(', "'('") &&
	       px_const_int(p, "an identifier", 0, UINT64_MAX, &n) &&
	       px_take(p, ',', "','") &&
	       px_const_int(p, "an identifier", 0, UINT64_MAX, &n) &&
	       px_take(p, ')', "')'");
}

/* .attribute(.managed), .attribute(.unified(a, b)), or a list of them. */
bool px_attribute(struct px_parser *p, bool *managed)
{
	bool more;

	if (!px_next(p) || !px_take(p, '(', "'(' after .attribute"))
		return false;
	do {
		if (px_is_word(p, PX_MANAGED)) {
			*managed = true;
			if (!px_next(p))
				return false;
		} else if (px_is_word(p, PX_UNIFIED)) {
			if (!parse_unified(p))
				return false;
		} else {
			return px_expected(p, ".managed or .unified");
		}
		if (!px_accept(p, ',', &more))
			return false;
	} while (more);
	return px_take(p, ')', "')'");
}

static bool parse_pointer(struct px_parser *p, struct decl *d)
{
	int space;

	d->is_ptr = true;
	d->ptr_space = SPACE_GENERIC;
	if (!px_next(p))
		return false;
	space = space_of(p);
	if (space >= 0) {
		d->ptr_space = (enum space)space;
		if (!px_next(p))
			return false;
	}
	return !px_is_word(p, PX_ALIGN) || parse_alignment(p, &d->ptr_align);
}

static bool is_value_type(enum ptx_type t)
{
	return t != PTX_U4 && t != PTX_S4 && t != PTX_B1;
}

static bool parse_qualifier(struct px_parser *p, struct decl *d)
{
	switch (p->atom->word) {
	case PX_ALIGN:
		return parse_alignment(p, &d->align);
	case PX_ATTRIBUTE:
		return px_attribute(p, &d->managed);
	case PX_V2:
	case PX_V4:
		d->vec = p->atom->word == PX_V2 ? 2 : 4;
		return px_next(p);
	case PX_PTR:
		if (d->space != SPACE_PARAM)
			break;
		return parse_pointer(p, d);
	}
	if (!p->atom->type || d->has_type ||
	    !is_value_type((enum ptx_type)(p->atom->type - 1)))
		return px_expected(p, d->has_type ? "a name" : "a type");
	d->type = (enum ptx_type)(p->atom->type - 1);
	d->has_type = true;
	return px_next(p);
}

/* .const[2] */
static bool parse_bank(struct px_parser *p, struct decl *d)
{
	uint64_t n;

	if (!px_is(p, '['))
		return true;
	if (!px_next(p) || !px_const_int(p, "a constant bank", 0, 10, &n))
		return false;
	d->bank = (uint32_t)n;
	return px_take(p, ']', "']'");
}

static bool check_var_type(struct px_parser *p, const struct decl *d,
			   struct ptx_loc at)
{
	const struct ptx_type_info *t = &ptx_types[d->type];

	if (t->kind == PTX_KIND_P && (d->space != SPACE_REG || d->vec > 1))
		return px_syntax(p, at,
				 "a .pred must be a register and not a vector");
	if (t->kind == PTX_KIND_O && d->space != SPACE_GLOBAL &&
	    d->space != SPACE_PARAM)
		return px_syntax(p, at, "a .%s must be .global or .param",
				 t->text);
	return true;
}

/* Reads a declaration from the space up to the names. */
static bool parse_prefix(struct px_parser *p, struct decl *d)
{
	struct ptx_loc at = p->t.loc;

	d->space = (enum space)space_of(p);
	d->vec = 1;
	d->tex = p->atom->word == PX_TEX;
	if (!px_next(p))
		return false;
	if (d->space == SPACE_CONST && !parse_bank(p, d))
		return false;
	while (px_is(p, PTX_TOK_WORD))
		if (!parse_qualifier(p, d))
			return false;
	if (!d->has_type)
		return px_expected(p, "a type");
	if (d->tex) /* `.tex .u32 t` is how `.global .texref t` was written */
		d->type = PTX_TEXREF;
	return check_var_type(p, d, at);
}

static bool parse_dimension(struct px_parser *p, struct ptx_var *v)
{
	struct ptx_loc at = p->t.loc;
	uint64_t n = 0;

	if (v->dims == 8)
		return px_syntax(p, at, "'%s' has more than 8 dimensions",
				 v->name);
	if (!px_take(p, '[', "'['"))
		return false;
	if (!px_is(p, ']')) {
		if (!px_const_int(p, "the size of an array", 1,
				  PX_MAX_VAR_BYTES, &n))
			return false;
	} else if (v->dims) {
		return px_syntax(p, at,
				 "only the first dimension of an array may be "
				 "left without a size");
	}
	v->dim[v->dims++] = n;
	return px_take(p, ']', "']'");
}

/* Sets the variable's bytes; fails if the module's exceed the limit. */
bool px_size_var(struct px_parser *p, struct ptx_var *v)
{
	uint64_t n = px_elem_bytes(v);

	for (int i = 0; i < v->dims; i++)
		if (__builtin_mul_overflow(n, v->dim[i], &n) ||
		    n > PX_MAX_VAR_BYTES)
			goto large;
	v->bytes = n;
	p->var_bytes += n;
	if (p->var_bytes <= PX_MAX_VAR_BYTES)
		return true;
large:
	return px_syntax(p, v->loc,
			 "'%s' brings the module's variables above the limit "
			 "of 1 TiB",
			 v->name);
}

static struct ptx_var *new_var(struct px_parser *p, const struct decl *d)
{
	struct ptx_var *v = px_new(p, struct ptx_var);

	if (!v)
		return NULL;
	v->name = p->atom->text;
	v->loc = p->t.loc;
	v->space = d->space;
	v->type = d->type;
	v->linkage = d->linkage;
	v->vec = d->vec;
	v->bank = d->bank;
	v->managed = d->managed;
	v->is_ptr = d->is_ptr;
	v->ptr_space = d->is_ptr ? d->ptr_space : SPACE_GENERIC;
	v->ptr_align = d->ptr_align;
	v->align = d->align ? d->align : (uint32_t)px_elem_bytes(v);
	v->owner = p->body.func;
	return v;
}

/* The size that the declaration of an array may leave to its definition is 1. */
static uint64_t declared_bytes(const struct ptx_var *v)
{
	uint64_t n = px_elem_bytes(v);

	for (int i = 0; i < v->dims; i++)
		n *= v->dim[i] ? v->dim[i] : 1;
	return n;
}

static bool is_open(const struct ptx_var *v)
{
	return v->dims && !v->dim[0];
}

/* A compiler declares as bytes what its definition has as words with addresses, and
 * a pointer as .b64 that is defined as .u64: linking compares sizes only. */
static bool same_variable(const struct ptx_var *a, const struct ptx_var *b)
{
	bool opaque = ptx_types[a->type].kind == PTX_KIND_O ||
		      ptx_types[b->type].kind == PTX_KIND_O;

	if (a->space != b->space || (opaque && a->type != b->type))
		return false;
	return is_open(a) || is_open(b) ||
	       declared_bytes(a) == declared_bytes(b);
}

/*
 * A variable of the module may be declared .extern before and after its
 * definition. *v becomes the variable that operands refer to; *old is set if it
 * was declared before.
 */
static bool redeclare(struct px_parser *p, struct px_atom *atom,
		      struct ptx_var **v, bool *old)
{
	struct px_sym *s = atom->sym;
	struct ptx_var *was = s && s->kind == PX_SYM_VAR ? s->var : NULL;

	*old = false;
	if (!was || p->depth ||
	    (was->linkage != PTX_LINK_EXTERN &&
	     (*v)->linkage != PTX_LINK_EXTERN))
		return true;
	if (!same_variable(was, *v))
		return px_syntax(p, (*v)->loc,
				 "'%s' was declared with a different type at "
				 "line %u",
				 atom->text, s->loc.line);
	*old = true;
	if (was->linkage == PTX_LINK_EXTERN) {
		s->loc = (*v)->loc;
		(*v)->next = was->next;
		(*v)->index = was->index;
		*was = **v;
	}
	*v = was;
	return true;
}

static bool add_var(struct px_parser *p, struct ptx_var *v)
{
	struct px_body *b = &p->body;

	if (!p->depth) {
		v->index = p->m->var_count++;
		*p->var_tail = v;
		p->var_tail = &v->next;
		return true;
	}
	if (!px_room(p, &b->vars, b->var_count, &b->var_cap,
		     sizeof(struct ptx_var *)))
		return false;
	v->index = (uint32_t)b->var_count;
	b->vars[b->var_count++] = v;
	return true;
}

static bool parse_initialiser(struct px_parser *p, struct ptx_var *v)
{
	struct ptx_loc at = p->t.loc;

	if (!px_is(p, '=')) {
		if (v->dims && !v->dim[0] && v->linkage != PTX_LINK_EXTERN)
			return px_syntax(p, v->loc,
					 "'%s' needs a size, an initial value "
					 "or .extern",
					 v->name);
		return px_size_var(p, v);
	}
	if (v->space != SPACE_GLOBAL && v->space != SPACE_CONST)
		return px_syntax(p, at,
				 "only .global and .const variables "
				 "can have an initial value");
	if (v->linkage == PTX_LINK_EXTERN)
		return px_syntax(p, at,
				 "an .extern variable cannot have an "
				 "initial value");
	return px_next(p) && px_init(p, v);
}

static bool parse_variable(struct px_parser *p, const struct decl *d)
{
	struct px_atom *atom = p->atom;
	struct ptx_var *v;
	enum ptx_linkage linkage = d->linkage;
	struct px_sym *s;
	bool old;

	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "a name");
	v = new_var(p, d);
	if (!v)
		return px_nomem(p);
	if (!px_next(p))
		return false;
	while (px_is(p, '['))
		if (!parse_dimension(p, v))
			return false;
	if (px_is(p, '<'))
		return px_fail(p, p->t.loc, ERR_UNSUPP,
			       "a range of variables is not supported: only "
			       "registers can be declared as a range");
	if (!redeclare(p, atom, &v, &old))
		return false;
	if (!old) {
		if (!px_declare(p, &s, PX_SYM_VAR, atom, v->loc) ||
		    !add_var(p, v))
			return false;
		s->var = v;
	}
	return v->linkage == linkage ? parse_initialiser(p, v) : true;
}

/* %r or %r<100> */
static bool parse_reg_decl(struct px_parser *p, const struct decl *d)
{
	struct px_atom *atom = p->atom;
	struct ptx_loc at = p->t.loc;
	struct px_sym *s;
	bool range;

	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "a name");
	if (!px_next(p) || !px_accept(p, '<', &range))
		return false;
	if (!px_declare(p, &s, range ? PX_SYM_RANGE : PX_SYM_REG, atom, at))
		return false;
	s->type = d->type;
	s->vec = d->vec;
	if (!range) {
		s->reg = PTX_NO_REG;
		return true;
	}
	if (!px_is(p, PTX_TOK_INT))
		return px_expected(p, "a number of registers");
	if (p->t.bits > PX_MAX_RANGE)
		return px_syntax(p, p->t.loc,
				 "a range has at most %d registers, found %llu",
				 PX_MAX_RANGE, (unsigned long long)p->t.bits);
	s->count = (uint32_t)p->t.bits;
	return px_next(p) && px_take(p, '>', "'>'");
}

bool px_var_statement(struct px_parser *p, enum ptx_linkage linkage)
{
	struct decl d = { .linkage = linkage };
	struct ptx_loc at = p->t.loc;
	bool more;

	if (!parse_prefix(p, &d))
		return false;
	if (!p->depth && d.space == SPACE_REG)
		return px_fail(p, at, ERR_UNSUPP,
			       "registers of the module are not supported: "
			       "declare them in a function");
	if (!p->depth && d.space == SPACE_PARAM)
		return px_syntax(p, at,
				 "a .param must be declared in a function");
	do {
		if (d.space == SPACE_REG ? !parse_reg_decl(p, &d) :
					   !parse_variable(p, &d))
			return false;
		if (!px_accept(p, ',', &more))
			return false;
	} while (more);
	return px_take(p, ';', "';'");
}

/* A register parameter of a device function is a register of its body. */
static bool declare_reg_param(struct px_parser *p, struct ptx_var *v,
			      struct px_atom *atom)
{
	struct px_sym *s;

	if (!px_declare(p, &s, PX_SYM_REG, atom, v->loc))
		return false;
	s->type = v->type;
	s->vec = v->vec;
	s->reg = PTX_NO_REG;
	return px_use_reg(p, s, &v->index);
}

bool px_param(struct px_parser *p, struct ptx_var **out, bool declare)
{
	struct decl d = { 0 };
	struct ptx_loc at = p->t.loc;
	struct px_atom *atom;
	struct ptx_var *v;
	struct px_sym *s;

	if (!px_is_word(p, PX_PARAM) && !px_is_word(p, PX_REG))
		return px_expected(p, ".param or .reg");
	if (!parse_prefix(p, &d))
		return false;
	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "the name of a parameter");
	atom = p->atom;
	*out = v = new_var(p, &d);
	if (!v)
		return px_nomem(p);
	if (!px_next(p))
		return false;
	while (px_is(p, '['))
		if (!parse_dimension(p, v))
			return false;
	if (v->dims && v->space == SPACE_REG)
		return px_syntax(p, at, "a register cannot be an array");
	if (!px_size_var(p, v))
		return false;
	if (!declare || !strcmp(atom->text, "_"))
		return true;
	if (v->space == SPACE_REG)
		return declare_reg_param(p, v, atom);
	if (!px_declare(p, &s, PX_SYM_VAR, atom, v->loc))
		return false;
	s->var = v;
	return true;
}
