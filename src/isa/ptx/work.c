#include "isa/ptx/work.h"

#include "isa/ptx/mma_check.h"
#include "simt/mma_layout.h"

/* Operations of a lane, for rows that compute; 0: the others. */
static const uint8_t lane_work[PTX_OP_COUNT] = {
	[PTX_OP_ADD_F32] = 1,      [PTX_OP_SUB_F32] = 1,
	[PTX_OP_MUL_F32] = 1,      [PTX_OP_FMA_F32] = 2,
	[PTX_OP_MAD_F32] = 2,      [PTX_OP_DIV_F32] = 1,
	[PTX_OP_RCP_F32] = 1,      [PTX_OP_SQRT_F32] = 1,
	[PTX_OP_ADD_F32_F16] = 1,  [PTX_OP_ADD_F32_BF16] = 1,
	[PTX_OP_SUB_F32_F16] = 1,  [PTX_OP_SUB_F32_BF16] = 1,
	[PTX_OP_FMA_F32_F16] = 2,  [PTX_OP_FMA_F32_BF16] = 2,
	[PTX_OP_ADD_F32X2] = 2,    [PTX_OP_SUB_F32X2] = 2,
	[PTX_OP_MUL_F32X2] = 2,    [PTX_OP_FMA_F32X2] = 4,
	[PTX_OP_ADD_F64] = 1,      [PTX_OP_SUB_F64] = 1,
	[PTX_OP_MUL_F64] = 1,      [PTX_OP_FMA_F64] = 2,
	[PTX_OP_MAD_F64] = 2,      [PTX_OP_DIV_F64] = 1,
	[PTX_OP_RCP_F64] = 1,      [PTX_OP_SQRT_F64] = 1,
	[PTX_OP_ADD_F16] = 1,      [PTX_OP_SUB_F16] = 1,
	[PTX_OP_MUL_F16] = 1,      [PTX_OP_FMA_F16] = 2,
	[PTX_OP_FMA_RELU_F16] = 2, [PTX_OP_ADD_F16X2] = 2,
	[PTX_OP_SUB_F16X2] = 2,    [PTX_OP_MUL_F16X2] = 2,
	[PTX_OP_FMA_F16X2] = 4,    [PTX_OP_FMA_RELU_F16X2] = 4,
	[PTX_OP_ADD_BF16] = 1,     [PTX_OP_SUB_BF16] = 1,
	[PTX_OP_MUL_BF16] = 1,     [PTX_OP_FMA_BF16] = 2,
	[PTX_OP_ADD_BF16X2] = 2,   [PTX_OP_SUB_BF16X2] = 2,
	[PTX_OP_MUL_BF16X2] = 2,   [PTX_OP_FMA_BF16X2] = 4,
};

struct inst_work ptx_work_of(const struct ptx_inst *in)
{
	unsigned op = in->op->op;
	struct mma_shape s;

	switch (op) {
	case PTX_OP_WMMA_MMA_F16:
	case PTX_OP_WMMA_MMA:
	case PTX_OP_WMMA_MMA_B1:
	case PTX_OP_MMA:
	case PTX_OP_MMA_SP:
	case PTX_OP_MMA_B1:
		s = ptx_mma_shape(in->op->attr[PTX_CLASS_SHAPE]);
		/* Of halves, each quarter of the warp has an m8n8k4 of its own. */
		if (s.k == 4 && s.m == 8 && in->op->type[1] == PTX_F16)
			s.k *= 4;
		if (op == PTX_OP_MMA_SP) /* products that are computed */
			s.k /= 2;
		return (struct inst_work){ .warp = 2u * s.m * s.n * s.k };
	default:
		return (struct inst_work){ .lane = lane_work[op] };
	}
}
