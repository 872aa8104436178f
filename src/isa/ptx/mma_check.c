#include "isa/ptx/mma_check.h"

#include <stddef.h>

#include "simt/mma_layout.h"

/* Kinds of multiplicands: A and B have the same. */
enum mma_kind {
	K_F16,
	K_BF16,
	K_TF32,
	K_F64,
	K_FP8,
	K_INT8,
	K_INT4,
	K_B1,
	K_NONE
};

static const struct type_info {
	uint8_t kind; /* as a multiplicand */
	uint8_t bits;
} types[PTX_TYPE_COUNT] = {
	/* clang-format off */
	[PTX_F16]  = { K_F16,  16 },
	[PTX_BF16] = { K_BF16, 16 },
	[PTX_TF32] = { K_TF32, 32 },
	[PTX_F64]  = { K_F64,  64 },
	[PTX_E4M3] = { K_FP8,  8 },
	[PTX_E5M2] = { K_FP8,  8 },
	[PTX_S8]   = { K_INT8, 8 },
	[PTX_U8]   = { K_INT8, 8 },
	[PTX_S4]   = { K_INT4, 4 },
	[PTX_U4]   = { K_INT4, 4 },
	[PTX_B1]   = { K_B1,   1 },
	[PTX_F32]  = { K_NONE, 32 },
	[PTX_S32]  = { K_NONE, 32 },
	/* clang-format on */
};

/* Shapes by kind of multiplicand: PTX ISA 9.7.14.1 and 9.7.14.5. */
struct shapes {
	uint8_t attr[4];
};

static const struct shapes mma_shapes[K_NONE] = {
	[K_F16] = { { PTX_SHAPE_M8N8K4, PTX_SHAPE_M16N8K8,
		      PTX_SHAPE_M16N8K16 } },
	[K_BF16] = { { PTX_SHAPE_M16N8K8, PTX_SHAPE_M16N8K16 } },
	[K_TF32] = { { PTX_SHAPE_M16N8K4, PTX_SHAPE_M16N8K8 } },
	[K_F64] = { { PTX_SHAPE_M8N8K4, PTX_SHAPE_M16N8K4, PTX_SHAPE_M16N8K8,
		      PTX_SHAPE_M16N8K16 } },
	[K_FP8] = { { PTX_SHAPE_M16N8K16, PTX_SHAPE_M16N8K32 } },
	[K_INT8] = { { PTX_SHAPE_M8N8K16, PTX_SHAPE_M16N8K16,
		       PTX_SHAPE_M16N8K32 } },
	[K_INT4] = { { PTX_SHAPE_M8N8K32, PTX_SHAPE_M16N8K32,
		       PTX_SHAPE_M16N8K64 } },
	[K_B1] = { { PTX_SHAPE_M8N8K128, PTX_SHAPE_M16N8K128,
		     PTX_SHAPE_M16N8K256 } },
};

/* PTX ISA 9.7.14.6. */
static const struct shapes sparse_shapes[K_NONE] = {
	[K_F16] = { { PTX_SHAPE_M16N8K16, PTX_SHAPE_M16N8K32 } },
	[K_BF16] = { { PTX_SHAPE_M16N8K16, PTX_SHAPE_M16N8K32 } },
	[K_TF32] = { { PTX_SHAPE_M16N8K8, PTX_SHAPE_M16N8K16 } },
	[K_FP8] = { { PTX_SHAPE_M16N8K64 } },
	[K_INT8] = { { PTX_SHAPE_M16N8K32, PTX_SHAPE_M16N8K64 } },
	[K_INT4] = { { PTX_SHAPE_M16N8K64, PTX_SHAPE_M16N8K128 } },
};

#define K16_SHAPES                                               \
	{                                                        \
		{                                                \
			PTX_SHAPE_M16N16K16, PTX_SHAPE_M8N32K16, \
				PTX_SHAPE_M32N8K16               \
		}                                                \
	}

static const struct shapes wmma_shapes[K_NONE] = {
	[K_F16] = K16_SHAPES,
	[K_BF16] = K16_SHAPES,
	[K_TF32] = { { PTX_SHAPE_M16N16K8 } },
	[K_F64] = { { PTX_SHAPE_M8N8K4 } },
	[K_INT8] = K16_SHAPES,
	[K_INT4] = { { PTX_SHAPE_M8N8K32 } },
	[K_B1] = { { PTX_SHAPE_M8N8K128 } },
};

static bool has_shape(const struct shapes *all, enum mma_kind kind,
		      unsigned attr)
{
	if (kind >= K_NONE || !attr)
		return false;
	for (int i = 0; i < 4; i++)
		if (all[kind].attr[i] == attr)
			return true;
	return false;
}

/* Whether products of a kind can be accumulated in type t. */
static bool adds_to(enum mma_kind kind, enum ptx_type t)
{
	switch (kind) {
	case K_F16:
	case K_FP8:
		return t == PTX_F16 || t == PTX_F32;
	case K_BF16:
	case K_TF32:
		return t == PTX_F32;
	case K_F64:
		return t == PTX_F64;
	default:
		return t == PTX_S32;
	}
}

static void mma_set_regs(struct mma_operands *o, int list, unsigned elems,
			 enum ptx_type t)
{
	unsigned bits = elems * types[t].bits / LANES;

	o->bytes[list] = t == PTX_F64 ? 8 : 4;
	o->count[list] = (uint8_t)(bits / (8u * o->bytes[list]));
}

/* The same of a sparse product, whose A has half of its elements. */
static const char *check_sparse(struct mma_operands *o,
				const struct ptx_opcode *op)
{
	unsigned shape = op->attr[PTX_CLASS_SHAPE];
	struct mma_shape s = ptx_mma_shape(shape);
	enum ptx_type d = op->type[0], a = op->type[1], b = op->type[2];
	enum mma_kind kind = types[a].kind;

	if (types[b].kind != kind)
		return "the types of A and B do not match";
	if (!has_shape(sparse_shapes, kind, shape))
		return "the shape does not exist for these types";
	if (!adds_to(kind, d) || op->type[3] != d)
		return "the types of D and C do not match those of A and B";
	if (op->attr[PTX_CLASS_LAYOUT] != PTX_LAYOUT_ROW ||
	    op->attr[PTX_CLASS_LAYOUT2] != PTX_LAYOUT2_COL)
		return "A must be .row and B .col";
	mma_set_regs(o, 0, s.m * s.n, d);
	mma_set_regs(o, 1, s.m * s.k / 2u, a);
	mma_set_regs(o, 2, s.k * s.n, b);
	mma_set_regs(o, 3, s.m * s.n, d);
	return NULL;
}

static const char *check_product(struct mma_operands *o,
				 const struct ptx_opcode *op, bool wmma)
{
	unsigned shape = op->attr[PTX_CLASS_SHAPE];
	struct mma_shape s = ptx_mma_shape(shape);
	bool row = op->attr[PTX_CLASS_LAYOUT] == PTX_LAYOUT_ROW;
	bool col = op->attr[PTX_CLASS_LAYOUT2] == PTX_LAYOUT2_COL;
	bool brief = op->types == 2; /* wmma of f16 names only D and C */
	enum ptx_type d = op->type[0], c = op->type[brief ? 1 : 3];
	enum ptx_type a = brief ? PTX_F16 : op->type[1];
	enum ptx_type b = brief ? PTX_F16 : op->type[2];
	enum mma_kind kind = types[a].kind;
	bool quads = !wmma && kind == K_F16 && s.k == 4;
	unsigned times = quads ? 4 : 1;

	if (types[b].kind != kind)
		return "the types of A and B do not match";
	if (!has_shape(wmma ? wmma_shapes : mma_shapes, kind, shape))
		return "the shape does not exist for these types";
	if (!adds_to(kind, d) || !adds_to(kind, c) ||
	    (!wmma && c != d && !(quads && d == PTX_F32)))
		return "the types of D and C do not match those of A and B";
	if ((wmma ? types[a].bits < 8 : !quads) && !(row && col))
		return "A must be .row and B .col";
	mma_set_regs(o, 0, times * s.m * s.n, d);
	mma_set_regs(o, 1, times * s.m * s.k, a);
	mma_set_regs(o, 2, times * s.k * s.n, b);
	mma_set_regs(o, 3, times * s.m * s.n, c);
	if (wmma && kind == K_F16)
		o->count[1] = o->count[2] = 8; /* some elements are repeated */
	return NULL;
}

/* Whether some kind of multiplicand has this shape and accumulates in t. */
static bool accumulates(enum ptx_type t, unsigned shape)
{
	for (enum mma_kind k = K_F16; k < K_NONE; k++)
		if (has_shape(wmma_shapes, k, shape) && adds_to(k, t))
			return true;
	return false;
}

static const char *mma_check_memory(struct mma_operands *o,
				    const struct ptx_opcode *op)
{
	unsigned shape = op->attr[PTX_CLASS_SHAPE];
	struct mma_shape s = ptx_mma_shape(shape);
	bool row = op->attr[PTX_CLASS_LAYOUT] == PTX_LAYOUT_ROW;
	bool is_a = op->op == PTX_OP_WMMA_LOAD_A;
	enum ptx_type t = op->type[0];

	if (!is_a && op->op != PTX_OP_WMMA_LOAD_B) {
		mma_set_regs(o, 0, s.m * s.n, t);
		return accumulates(t, shape) ?
			       NULL :
			       "the shape does not exist for this type";
	}
	if (!has_shape(wmma_shapes, types[t].kind, shape))
		return "the shape does not exist for this type";
	if (types[t].bits < 8 && row != is_a)
		return "A must be .row and B .col";
	mma_set_regs(o, 0, s.k * (is_a ? s.m : s.n), t);
	if (t == PTX_F16)
		o->count[0] = 8;
	return NULL;
}

const char *mma_operands(struct mma_operands *out, const struct ptx_opcode *op)
{
	unsigned num = op->attr[PTX_CLASS_MATNUM];

	*out = (struct mma_operands){ { 0 }, { 0 } };
	switch (op->op) {
	case PTX_OP_MMA:
	case PTX_OP_MMA_B1:
		return check_product(out, op, false);
	case PTX_OP_MMA_SP:
		return check_sparse(out, op);
	case PTX_OP_WMMA_MMA:
	case PTX_OP_WMMA_MMA_F16:
	case PTX_OP_WMMA_MMA_B1:
		return check_product(out, op, true);
	case PTX_OP_LDMATRIX:
	case PTX_OP_STMATRIX:
		out->bytes[0] = 4;
		out->count[0] = num == PTX_MATNUM_X4 ? 4 :
				num == PTX_MATNUM_X2 ? 2 :
						       1;
		return NULL;
	default:
		return mma_check_memory(out, op);
	}
}

struct mma_shape ptx_mma_shape(unsigned attr)
{
	/* clang-format off */
	static const struct mma_shape shapes[PTX_ATTR_COUNT] = {
		[PTX_SHAPE_M16N16K16] = { 16, 16, 16 },
		[PTX_SHAPE_M8N32K16]  = { 8, 32, 16 },
		[PTX_SHAPE_M32N8K16]  = { 32, 8, 16 },
		[PTX_SHAPE_M16N16K8]  = { 16, 16, 8 },
		[PTX_SHAPE_M8N8K4]    = { 8, 8, 4 },
		[PTX_SHAPE_M8N8K16]   = { 8, 8, 16 },
		[PTX_SHAPE_M8N8K32]   = { 8, 8, 32 },
		[PTX_SHAPE_M8N8K128]  = { 8, 8, 128 },
		[PTX_SHAPE_M16N8K4]   = { 16, 8, 4 },
		[PTX_SHAPE_M16N8K8]   = { 16, 8, 8 },
		[PTX_SHAPE_M16N8K16]  = { 16, 8, 16 },
		[PTX_SHAPE_M16N8K32]  = { 16, 8, 32 },
		[PTX_SHAPE_M16N8K64]  = { 16, 8, 64 },
		[PTX_SHAPE_M16N8K128] = { 16, 8, 128 },
		[PTX_SHAPE_M16N8K256] = { 16, 8, 256 },
	};
	/* clang-format on */

	return shapes[attr];
}
