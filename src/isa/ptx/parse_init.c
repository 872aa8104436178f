/* Initial values of variables. */
#include <string.h>

#include "isa/ptx/parse.h"

struct init_reader {
	struct ptx_var *var;
	uint64_t dim[9]; /* the vector's elements are the last dimension */
	int dims;
	uint64_t stride[9]; /* bytes of one item of dimension i */
	uint64_t end;       /* of the bytes that have a value */
	struct ptx_reloc **tail;
};

static uint32_t float_bits(const struct px_value *v)
{
	double d;
	float f;
	uint32_t u;

	switch (v->kind) {
	case PX_F32:
		return (uint32_t)v->bits;
	case PX_F64:
		memcpy(&d, &v->bits, sizeof(d));
		f = (float)d;
		break;
	default:
		f = v->is_unsigned ? (float)v->bits : (float)(int64_t)v->bits;
		break;
	}
	memcpy(&u, &f, sizeof(u));
	return u;
}

static uint64_t double_bits(const struct px_value *v)
{
	double d;
	float f;
	uint32_t u = (uint32_t)v->bits;
	uint64_t bits;

	switch (v->kind) {
	case PX_F64:
		return v->bits;
	case PX_F32:
		memcpy(&f, &u, sizeof(f));
		d = f;
		break;
	default:
		d = v->is_unsigned ? (double)v->bits : (double)(int64_t)v->bits;
		break;
	}
	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static bool fail_init_type(struct px_parser *p, const struct ptx_var *v,
			   const struct px_value *x)
{
	return px_syntax(p, x->loc, "the initial value of a .%s must be %s",
			 ptx_types[v->type].text,
			 ptx_types[v->type].kind == PTX_KIND_F ? "a number" :
								 "an integer");
}

/* Converts *x to an element of the variable. */
static bool convert_init(struct px_parser *p, const struct ptx_var *v,
			 const struct px_value *x, uint64_t *bits)
{
	const struct ptx_type_info *t = &ptx_types[v->type];

	if (v->type == PTX_F32) {
		*bits = float_bits(x);
	} else if (v->type == PTX_F64) {
		*bits = double_bits(x);
	} else if (t->kind == PTX_KIND_F || t->kind == PTX_KIND_O ||
		   t->bytes > 8) {
		return px_fail(p, x->loc, ERR_UNSUPP,
			       "initial values of type .%s are not supported",
			       t->text);
	} else if (x->kind != PX_INT &&
		   !(t->kind == PTX_KIND_B &&
		     t->bytes == (x->kind == PX_F32 ? 4 : 8))) {
		return fail_init_type(p, v, x);
	} else {
		*bits = x->bits;
		if (t->bytes < 8)
			*bits &= ((uint64_t)1 << t->bytes * 8) - 1;
	}
	return true;
}

static bool store_init(struct px_parser *p, uint64_t offset, uint64_t bits)
{
	struct px_body *b = &p->body;

	if (!bits)
		return true;
	if (!px_room(p, &b->inits, b->init_count, &b->init_cap,
		     sizeof(*b->inits)))
		return false;
	b->inits[b->init_count++] = (struct px_cell){ offset, bits };
	return true;
}

static bool add_reloc(struct px_parser *p, struct init_reader *in,
		      uint64_t offset, const struct px_value *x)
{
	const struct ptx_type_info *t = &ptx_types[in->var->type];
	struct ptx_reloc *r;

	if (t->kind == PTX_KIND_F || t->kind == PTX_KIND_O ||
	    (x->masked ? t->bytes != 1 : t->bytes != 4 && t->bytes != 8))
		return px_syntax(p, x->loc, "a .%s cannot hold %s", t->text,
				 x->masked ? "a byte of an address: it needs "
					     "8 bits" :
					     "an address: it needs 32 or 64 "
					     "bits");
	if (x->generic && x->func)
		return px_syntax(p, x->loc,
				 "generic() needs a variable, '%s' "
				 "is a function",
				 x->func->name);
	if (x->func && x->bits)
		return px_syntax(p, x->loc,
				 "the address of a function takes "
				 "no offset");
	if (x->var && x->var->space != SPACE_GLOBAL &&
	    x->var->space != SPACE_CONST)
		return px_syntax(p, x->loc,
				 "the address of '%s' cannot be an initial "
				 "value: it must be .global or .const",
				 x->var->name);
	r = px_new(p, struct ptx_reloc);
	if (!r)
		return px_nomem(p);
	r->offset = offset;
	r->var = x->var;
	r->func = x->func;
	r->addend = (int64_t)x->bits;
	r->size = t->bytes;
	r->shift = x->shift;
	r->generic = x->generic;
	*in->tail = r;
	in->tail = &r->next;
	return true;
}

static bool parse_element(struct px_parser *p, struct init_reader *in,
			  uint64_t offset)
{
	struct px_value x;
	uint64_t bits = 0;

	in->end = offset + ptx_types[in->var->type].bytes;
	if (!px_expr(p, &x, true))
		return false;
	if (x.kind == PX_ADDR)
		return add_reloc(p, in, offset, &x);
	return convert_init(p, in->var, &x, &bits) &&
	       store_init(p, offset, bits);
}

static bool parse_items(struct px_parser *p, struct init_reader *in, int level,
			uint64_t offset)
{
	uint64_t count = 0;
	struct ptx_loc at = p->t.loc;
	bool braces, more = true;

	if (level == in->dims)
		return parse_element(p, in, offset);
	if (!px_accept(p, '{', &braces))
		return false;
	if (!braces && level == 0)
		return px_expected(p, "'{'");
	if (braces && px_is(p, '}'))
		return px_next(p);
	for (; more; count++) {
		bool open = level == 0 && !in->dim[0];

		if (count == in->dim[level] && !open)
			return px_syntax(p, p->t.loc,
					 "too many initial values for '%s': "
					 "this dimension has %llu elements",
					 in->var->name,
					 (unsigned long long)count);
		if (offset > PX_MAX_VAR_BYTES)
			return px_syntax(p, at,
					 "the initial values of '%s' exceed "
					 "1 TiB",
					 in->var->name);
		if (!parse_items(p, in, level + 1, offset))
			return false;
		offset += in->stride[level];
		/* Without braces, the next item may belong to the outer
		 * dimension. */
		if (!braces && count + 1 == in->dim[level])
			return true;
		if (!px_accept(p, ',', &more))
			return false;
	}
	if (level == 0 && !in->dim[0])
		in->var->dim[0] = count;
	return !braces || px_take(p, '}', "',' or '}'");
}

/* Writes the elements as bytes, unless all of them are zero. */
static bool write_init(struct px_parser *p, struct ptx_var *v)
{
	struct px_body *b = &p->body;
	uint8_t bytes = ptx_types[v->type].bytes;

	if (!b->init_count && !v->relocs)
		return true;
	p->init_bytes += v->bytes;
	if (p->init_bytes > PX_MAX_INIT_BYTES)
		return px_syntax(p, v->loc,
				 "'%s' brings the initial values above the "
				 "limit of 1 GiB",
				 v->name);
	v->init = arena_alloc(&p->m->arena, v->bytes, 1);
	if (!v->init)
		return px_nomem(p);
	for (size_t i = 0; i < b->init_count; i++)
		memcpy(v->init + b->inits[i].offset, &b->inits[i].bits, bytes);
	return true;
}

bool px_init(struct px_parser *p, struct ptx_var *v)
{
	struct init_reader in = { .var = v, .tail = &v->relocs };
	uint64_t stride = ptx_types[v->type].bytes;

	for (; in.dims < v->dims; in.dims++)
		in.dim[in.dims] = v->dim[in.dims];
	if (v->vec > 1)
		in.dim[in.dims++] = v->vec;
	for (int i = in.dims - 1; i >= 0; i--) {
		in.stride[i] = stride;
		if (__builtin_mul_overflow(stride, in.dim[i] ? in.dim[i] : 1,
					   &stride) ||
		    stride > PX_MAX_VAR_BYTES)
			return px_size_var(p, v);
	}
	p->body.init_count = 0;
	if (px_is(p, '{') && !in.dims) {
		if (!px_next(p) || !parse_element(p, &in, 0) ||
		    !px_take(p, '}', "'}'"))
			return false;
	} else if (!parse_items(p, &in, 0, 0)) {
		return false;
	}
	if (v->dims && !v->dim[0])
		return px_syntax(p, v->loc, "'%s' has no elements", v->name);
	return px_size_var(p, v) && write_init(p, v);
}
