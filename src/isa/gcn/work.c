#include "isa/gcn/work.h"

/* Operations of a lane, for instructions that compute; 0: the others. */
static const uint8_t lane_work[GCN_OPS] = {
	[GCN_OP_V_ADD_F32] = 1,        [GCN_OP_V_SUB_F32] = 1,
	[GCN_OP_V_SUBREV_F32] = 1,     [GCN_OP_V_MUL_F32] = 1,
	[GCN_OP_V_MUL_LEGACY_F32] = 1, [GCN_OP_V_MAC_F32] = 2,
	[GCN_OP_V_MAC_LEGACY_F32] = 2, [GCN_OP_V_MADMK_F32] = 2,
	[GCN_OP_V_MADAK_F32] = 2,      [GCN_OP_V_MAD_F32] = 2,
	[GCN_OP_V_MAD_LEGACY_F32] = 2, [GCN_OP_V_FMA_F32] = 2,
	[GCN_OP_V_DIV_FMAS_F32] = 2,   [GCN_OP_V_EXP_F32] = 1,
	[GCN_OP_V_LOG_F32] = 1,        [GCN_OP_V_LOG_CLAMP_F32] = 1,
	[GCN_OP_V_RCP_F32] = 1,        [GCN_OP_V_RCP_CLAMP_F32] = 1,
	[GCN_OP_V_RCP_LEGACY_F32] = 1, [GCN_OP_V_RCP_IFLAG_F32] = 1,
	[GCN_OP_V_RSQ_F32] = 1,        [GCN_OP_V_RSQ_CLAMP_F32] = 1,
	[GCN_OP_V_RSQ_LEGACY_F32] = 1, [GCN_OP_V_SQRT_F32] = 1,
	[GCN_OP_V_SIN_F32] = 1,        [GCN_OP_V_COS_F32] = 1,
	[GCN_OP_V_ADD_F64] = 1,        [GCN_OP_V_MUL_F64] = 1,
	[GCN_OP_V_FMA_F64] = 2,        [GCN_OP_V_DIV_FMAS_F64] = 2,
	[GCN_OP_V_RCP_F64] = 1,        [GCN_OP_V_RCP_CLAMP_F64] = 1,
	[GCN_OP_V_RSQ_F64] = 1,        [GCN_OP_V_RSQ_CLAMP_F64] = 1,
	[GCN_OP_V_SQRT_F64] = 1,
};

struct inst_work gcn_work_of(enum gcn_op op)
{
	return (struct inst_work){ .lane = lane_work[op] };
}
