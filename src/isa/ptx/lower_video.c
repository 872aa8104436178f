/*
 * Lowers video instructions: selectors and modes.
 */
#include "isa/ptx/lower.h"
#include "isa/ptx/video.h"

static enum video_op video_op_of(unsigned op)
{
	switch (op) {
	case PTX_OP_VADD:
	case PTX_OP_VADD2:
	case PTX_OP_VADD4:
		return VIDEO_ADD;
	case PTX_OP_VSUB:
	case PTX_OP_VSUB2:
	case PTX_OP_VSUB4:
		return VIDEO_SUB;
	case PTX_OP_VABSDIFF:
	case PTX_OP_VABSDIFF2:
	case PTX_OP_VABSDIFF4:
		return VIDEO_ABSDIFF;
	case PTX_OP_VMIN:
	case PTX_OP_VMIN2:
	case PTX_OP_VMIN4:
		return VIDEO_MIN;
	case PTX_OP_VMAX:
	case PTX_OP_VMAX2:
	case PTX_OP_VMAX4:
		return VIDEO_MAX;
	case PTX_OP_VAVRG2:
	case PTX_OP_VAVRG4:
		return VIDEO_AVRG;
	case PTX_OP_VSHL:
		return VIDEO_SHL;
	case PTX_OP_VSHR:
		return VIDEO_SHR;
	case PTX_OP_VMAD:
		return VIDEO_MAD;
	default:
		return VIDEO_SET;
	}
}

static unsigned video_elements(unsigned op)
{
	switch (op) {
	case PTX_OP_VADD2:
	case PTX_OP_VSUB2:
	case PTX_OP_VABSDIFF2:
	case PTX_OP_VMIN2:
	case PTX_OP_VMAX2:
	case PTX_OP_VAVRG2:
	case PTX_OP_VSET2:
		return 2;
	case PTX_OP_VADD4:
	case PTX_OP_VSUB4:
	case PTX_OP_VABSDIFF4:
	case PTX_OP_VMIN4:
	case PTX_OP_VMAX4:
	case PTX_OP_VAVRG4:
	case PTX_OP_VSET4:
		return 4;
	default:
		return 0;
	}
}

/* The selector of an operand. A packed operand has a digit for each element; by
 * default, the first source has the low elements, the second the high ones. */
static void lower_video_part(struct lower *lo, struct video_part *out,
			     const struct ptx_opnd *o, unsigned elements,
			     unsigned first, bool is_signed)
{
	char letter = elements == 4 ? 'b' : 'h';

	out->is_signed = is_signed;
	out->negated = o->negated;
	out->letter = o->part;
	for (unsigned i = 0; i < 4; i++)
		out->digit[i] = o->part ? o->part_digit[i] :
					  (uint8_t)(first + i);
	if (!o->part)
		return;
	if (elements ? o->part != letter || o->parts != elements :
		       o->parts != 1 ||
			       o->part_digit[0] > (o->part == 'b' ? 3 : 1))
		lower_fail(lo, ERR_SYNTAX, "invalid selector for this operand");
	for (unsigned i = 0; i < elements; i++)
		if (o->part_digit[i] >= 2 * elements)
			lower_fail(lo, ERR_SYNTAX,
				   "invalid selector for this operand");
}

/* The elements that a packed instruction writes: d.h1, d.b210; default: all. */
static uint8_t video_mask(struct lower *lo, const struct ptx_opnd *o,
			  unsigned elements)
{
	uint8_t mask = 0;

	if (!o->part)
		return (uint8_t)((1u << elements) - 1);
	for (unsigned i = 0; i < o->parts; i++) {
		if (o->part != (elements == 4 ? 'b' : 'h') ||
		    o->part_digit[i] >= elements || mask >> o->part_digit[i])
			lower_fail(lo, ERR_SYNTAX,
				   "invalid selector for this operand");
		mask |= (uint8_t)(1u << o->part_digit[i]);
	}
	return mask;
}

void lower_video(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;
	const struct ptx_opnd *o = lo->in->opnds;
	struct video_info *v =
		arena_new(&lo->program->base.arena, struct video_info, 1);
	/* vset names no type for its result, which is unsigned. */
	bool set = video_op_of(op->op) == VIDEO_SET;
	const uint8_t *src = set ? op->type : op->type + 1;

	if (!v) {
		lower_fail(lo, ERR_NOMEM, "out of memory");
		return;
	}
	v->op = video_op_of(op->op);
	v->elements = (uint8_t)video_elements(op->op);
	v->sat = op->attr[PTX_CLASS_SAT];
	v->op2 = op->attr[PTX_CLASS_OP2] == PTX_OP2_ADD ? VIDEO2_ADD :
		 op->attr[PTX_CLASS_OP2] == PTX_OP2_MIN ? VIDEO2_MIN :
		 op->attr[PTX_CLASS_OP2] == PTX_OP2_MAX ? VIDEO2_MAX :
							  VIDEO2_NONE;
	v->wrap = op->attr[PTX_CLASS_VMODE] == PTX_VMODE_WRAP;
	v->plus_one = op->attr[PTX_CLASS_PO];
	v->scale = op->attr[PTX_CLASS_VSCALE] == PTX_VSCALE_SHR7  ? 7 :
		   op->attr[PTX_CLASS_VSCALE] == PTX_VSCALE_SHR15 ? 15 :
								    0;
	if (set)
		v->truth = lower_truth(op);
	lower_video_part(lo, &v->a, &o[1], v->elements, 0, src[0] == PTX_S32);
	lower_video_part(lo, &v->b, &o[2], v->elements, v->elements,
			 src[1] == PTX_S32);
	if (v->elements)
		v->mask = video_mask(lo, &o[0], v->elements);
	else
		lower_video_part(lo, &v->d, &o[0], 0, 0, false);
	/* Without one, .min and .max of vset use the type of a. */
	v->d.is_signed = op->type[0] == PTX_S32;
	v->c_negated = lo->in->opnd_count == 4 && o[3].negated;
	if ((v->d.letter || v->op2) && lo->in->opnd_count != 4)
		lower_fail(lo, ERR_SYNTAX, "expected a third source");
	out->x = v;
}
