/*
 * Lowers instructions with lists of registers: textures, surfaces, matrices.
 */
#include "isa/ptx/lower.h"
#include "isa/ptx/mma_check.h"
#include "simt/atomic.h"
#include "simt/mem_matrix.h"
#include "simt/mma.h"

/* [object, {sampler,} coordinates] into lists 1, 3 and 2. */
static void tex_operand(struct lower *lo, struct opnd_lists *x,
			const struct ptx_opnd *o)
{
	const struct ptx_opnd *e = o->elems;
	uint32_t n = o->count;

	if (o->kind != PTX_OPND_TEX || n < 2) {
		lower_fail(lo, ERR_SYNTAX, "expected [object, {coordinates}]");
		return;
	}
	list_add(lo, x, 1, &e[0], PTX_U64, false);
	if (n == 3)
		list_add(lo, x, 3, &e[1], PTX_U64, false);
	list_add(lo, x, 2, &e[n - 1], PTX_B32, false);
}

/* in->k of a reduction. */
static uint8_t sured_code(const struct ptx_opcode *op)
{
	static const uint8_t ops[PTX_ATTR_COUNT] = {
		[PTX_REDOP_ADD] = ATOM_ADD, [PTX_REDOP_MIN] = ATOM_MIN,
		[PTX_REDOP_MAX] = ATOM_MAX, [PTX_REDOP_AND] = ATOM_AND,
		[PTX_REDOP_OR] = ATOM_OR,   [PTX_REDOP_XOR] = ATOM_XOR,
	};
	enum atom_op red = (enum atom_op)ops[op->attr[PTX_CLASS_REDOP]];

	return atom_code(red, ptx_num_type(op->type[0]));
}

void lower_tex(struct lower *lo, struct inst *out)
{
	const struct ptx_inst *in = lo->in;
	struct opnd_lists *x = lower_lists(lo, 64);
	bool offsets = !in->op->attr[PTX_CLASS_LOD];

	out->x = x;
	if (in->op->op == PTX_OP_TXQ || in->op->op == PTX_OP_SUQ) {
		const struct ptx_opnd *o = &in->opnds[1];

		if (o->kind == PTX_OPND_MEM)
			o = o->elems; /* [t], an object in brackets */
		list_add(lo, x, 1, o, PTX_U64, false);
		return;
	}
	if (in->op->op == PTX_OP_SURED_B)
		out->k = sured_code(in->op);
	if (in->opnds[0].kind == PTX_OPND_TEX) {
		list_add(lo, x, 0, &in->opnds[1],
			 (enum ptx_type)in->op->type[0], false);
		tex_operand(lo, x, &in->opnds[0]);
		return;
	}
	list_add(lo, x, 0, &in->opnds[0], (enum ptx_type)in->op->type[0], true);
	tex_operand(lo, x, &in->opnds[1]);
	for (uint32_t i = 2; i < in->opnd_count; i++)
		list_add(lo, x, offsets ? 5 : 4, &in->opnds[i], PTX_B32, false);
}

/* Checks that shape, types and registers of a matrix instruction match. */
static void check_matrix(struct lower *lo, const struct opnd_lists *x)
{
	struct mma_operands o;
	const char *why = mma_operands(&o, lo->in->op);

	if (why) {
		lower_fail(lo, ERR_UNSUPP, "%s", why);
		return;
	}
	for (int i = 0; x && i < 4; i++) {
		if (!o.count[i])
			continue;
		if (x->count[i] != o.count[i])
			lower_fail(lo, ERR_SYNTAX,
				   "matrix operand %d has %u registers, "
				   "expected %u",
				   i + 1, x->count[i], o.count[i]);
		else if (x->bytes[i] && x->bytes[i] != o.bytes[i])
			lower_fail(lo, ERR_SYNTAX,
				   "matrix operand %d has registers of %u "
				   "bytes, expected %u",
				   i + 1, x->bytes[i], o.bytes[i]);
	}
}

/* The metadata of A, and the constant that says which lanes have them. */
static void lower_sparse(struct lower *lo, struct opnd_lists *x,
			 struct inst *out)
{
	const struct ptx_opnd *selector = &lo->in->opnds[5];
	struct mma_op m = { .shape = ptx_mma_shape(
				    lo->in->op->attr[PTX_CLASS_SHAPE]) };

	m.type[MMA_A] = ptx_num_type(lo->in->op->type[1]);
	list_add(lo, x, MMA_E, &lo->in->opnds[4], PTX_B32, false);
	if (selector->kind != PTX_OPND_IMM) {
		lower_fail(lo, ERR_SYNTAX,
			   "the sparsity selector must be a constant");
		return;
	}
	if (selector->bits > 3 ||
	    !mma_has_selector(&m, (unsigned)selector->bits))
		lower_fail(lo, ERR_SYNTAX,
			   "sparsity selector %llu: this shape does not have "
			   "it",
			   (unsigned long long)selector->bits);
	out->k = (uint8_t)selector->bits;
}

void lower_mma(struct lower *lo, struct inst *out)
{
	struct opnd_lists *x = lower_lists(lo, 64);

	for (int i = 0; i < 4; i++)
		list_add(lo, x, i, &lo->in->opnds[i], PTX_B32, i == 0);
	check_matrix(lo, x);
	if (lo->in->op->op == PTX_OP_MMA_SP)
		lower_sparse(lo, x, out);
	out->x = x;
}

void lower_matrix(struct lower *lo, struct inst *out, bool load)
{
	struct opnd_lists *x = lower_lists(lo, 64);
	const struct ptx_opnd *o = lo->in->opnds;

	list_add(lo, x, 0, &o[load ? 0 : 1], PTX_B32, load);
	check_matrix(lo, x);
	if (lo->in->opnd_count == 3)
		list_add(lo, x, 1, &o[2], PTX_U32, false);
	if (lo->in->op->attr[PTX_CLASS_TRANS])
		out->k = MATRIX_TRANS;
	out->x = x;
}
