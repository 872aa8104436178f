/* Prints instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/print.h"

static bool out_reserve(struct px_out *o, size_t more)
{
	size_t cap = o->cap ? o->cap : 4096;
	char *text;

	if (more < o->cap - o->size)
		return true;
	if (o->fixed || o->nomem)
		return false;
	while (cap - o->size <= more)
		cap *= 2;
	text = realloc(o->text, cap);
	if (!text) {
		o->nomem = true;
		return false;
	}
	o->text = text;
	o->cap = cap;
	return true;
}

void px_put(struct px_out *o, const char *fmt, ...)
{
	va_list ap, again;
	size_t left = o->cap - o->size;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(left ? o->text + o->size : NULL, left, fmt, ap);
	if (n > 0 && (size_t)n >= left && out_reserve(o, (size_t)n))
		vsnprintf(o->text + o->size, o->cap - o->size, fmt, again);
	va_end(again);
	va_end(ap);
	if (n <= 0)
		return;
	if ((size_t)n < o->cap - o->size)
		o->size += (size_t)n;
	else if (o->cap)
		o->size = o->cap - 1;
}

static void put_imm(struct px_out *o, const struct ptx_opnd *p)
{
	switch (p->imm_kind) {
	case PTX_IMM_F32:
		px_put(o, "0f%08" PRIX32, (uint32_t)p->bits);
		break;
	case PTX_IMM_F64:
		px_put(o, "0d%016" PRIX64, p->bits);
		break;
	default:
		px_put(o, "%" PRId64, (int64_t)p->bits);
		break;
	}
}

static void put_offset(struct px_out *o, int64_t offset)
{
	if (offset)
		px_put(o, "+%" PRId64, offset);
}

static void put_opnd(struct px_out *o, const struct ptx_func *f,
		     const struct ptx_opnd *p);

static void put_list(struct px_out *o, const struct ptx_func *f,
		     const struct ptx_opnd *p, const char *open,
		     const char *between, const char *close)
{
	px_put(o, "%s", open);
	for (int i = 0; i < p->count; i++) {
		if (i)
			px_put(o, "%s", between);
		put_opnd(o, f, &p->elems[i]);
	}
	if (p->kind == PTX_OPND_MEM)
		put_offset(o, p->offset);
	px_put(o, "%s", close);
}

static void put_reg(struct px_out *o, const struct ptx_func *f,
		    const struct ptx_opnd *p)
{
	const struct ptx_reg *r = &f->regs[p->reg];

	if (p->negated)
		px_put(o, "%c", r->type == PTX_PRED ? '!' : '-');
	px_put(o, "%s", r->name);
	if (p->elem >= 0)
		px_put(o, ".%c", "xyzw"[p->elem]);
	if (p->part)
		px_put(o, ".%c", p->part);
	for (int i = p->parts - 1; i >= 0; i--)
		px_put(o, "%u", p->part_digit[i]);
}

static void put_opnd(struct px_out *o, const struct ptx_func *f,
		     const struct ptx_opnd *p)
{
	switch ((enum ptx_opnd_kind)p->kind) {
	case PTX_OPND_NONE:
		break;
	case PTX_OPND_REG:
		put_reg(o, f, p);
		break;
	case PTX_OPND_SREG:
		px_put(o, "%s", ptx_sregs[p->sreg].text);
		break;
	case PTX_OPND_IMM:
		put_imm(o, p);
		break;
	case PTX_OPND_VAR:
		px_put(o, "%s", p->var->name);
		put_offset(o, p->offset);
		break;
	case PTX_OPND_FUNC:
		px_put(o, "%s", p->func->name);
		break;
	case PTX_OPND_LABEL:
		px_put(o, "%s", f->labels[p->label].name);
		break;
	case PTX_OPND_MEM:
	case PTX_OPND_TEX:
		put_list(o, f, p, "[", ", ", "]");
		break;
	case PTX_OPND_VEC:
		put_list(o, f, p, "{", ", ", "}");
		break;
	case PTX_OPND_DUAL:
		put_list(o, f, p, "", "|", "");
		break;
	case PTX_OPND_ARGS:
		put_list(o, f, p, "(", ", ", ")");
		break;
	case PTX_OPND_TARGETS:
		px_put(o, "%s", f->targets[p->targets].name);
		break;
	case PTX_OPND_SINK:
		px_put(o, "_");
		break;
	}
}

void px_put_inst(struct px_out *o, const struct ptx_func *f,
		 const struct ptx_inst *in)
{
	if (in->guard != PTX_NO_REG)
		px_put(o, "@%s%s ", in->guard_negated ? "!" : "",
		       f->regs[in->guard].name);
	px_put(o, "%s", in->op->text);
	for (int i = 0; i < in->opnd_count; i++) {
		px_put(o, i ? ", " : " ");
		put_opnd(o, f, &in->opnds[i]);
	}
}

void ptx_print_inst(char *buf, size_t size, const struct ptx_func *f,
		    const struct ptx_inst *in)
{
	struct px_out o = { .text = buf, .cap = size, .fixed = true };

	if (!size)
		return;
	buf[0] = 0;
	px_put_inst(&o, f, in);
}
