#include "isa/sass/work.h"

/* Operations of a lane, for instructions that compute; 0: the others. */
static const uint8_t lane_work[SASS_OP_COUNT] = {
	[SASS_OP_FADD] = 1,  [SASS_OP_FMUL] = 1,      [SASS_OP_FFMA] = 2,
	[SASS_OP_DADD] = 1,  [SASS_OP_DMUL] = 1,      [SASS_OP_DFMA] = 2,
	[SASS_OP_HADD2] = 2, [SASS_OP_HMUL2] = 2,     [SASS_OP_HFMA2] = 4,
	[SASS_OP_MUFU] = 1,  [SASS_OP_HFMA2_MMA] = 4,
};

/* Rows, columns and depth of a matrix operation. */
struct work_shape {
	uint16_t m, n, k;
};

static uint32_t shape_work(const struct work_shape *shapes, unsigned count,
			   unsigned value)
{
	const struct work_shape *s = &shapes[value];

	return value < count ? 2u * s->m * s->n * s->k : 0;
}

#define SHAPE_WORK(shapes, value) \
	shape_work(shapes, sizeof(shapes) / sizeof((shapes)[0]), value)

static uint32_t half_work(const struct sass_inst *in)
{
	static const struct work_shape shapes[] = {
		[SASS_HSHAPE_M1688] = { 16, 8, 8 },
		[SASS_HSHAPE_M16816] = { 16, 8, 16 },
		[SASS_HSHAPE_M1684] = { 16, 8, 4 },
	};

	return SHAPE_WORK(shapes, SASS_MOD(in, HSHAPE));
}

static uint32_t integer_work(const struct sass_inst *in)
{
	static const struct work_shape shapes[] = {
		[SASS_ISHAPE_M8816] = { 8, 8, 16 },
		[SASS_ISHAPE_M8832] = { 8, 8, 32 },
		[SASS_ISHAPE_M16816] = { 16, 8, 16 },
		[SASS_ISHAPE_M16832] = { 16, 8, 32 },
		[SASS_ISHAPE_M16864] = { 16, 8, 64 },
		[SASS_ISHAPE_M168128] = { 16, 8, 128 },
	};

	return SHAPE_WORK(shapes, SASS_MOD(in, ISHAPE));
}

/* Only the products that are computed count: half of those of the shape. */
static uint32_t sparse_work(const struct sass_inst *in)
{
	static const struct work_shape halves[] = {
		[SASS_SPSHAPE_M1688] = { 16, 8, 4 },
		[SASS_SPSHAPE_M16816] = { 16, 8, 8 },
		[SASS_SPSHAPE_M16832] = { 16, 8, 16 },
	};

	if (sass_op_of(in) == SASS_OP_IMMA_SP)
		return integer_work(in) / 2;
	return SHAPE_WORK(halves, SASS_MOD(in, SPSHAPE));
}

static uint32_t double_work(const struct sass_inst *in)
{
	static const struct work_shape shapes[] = {
		[SASS_DSHAPE_M884] = { 8, 8, 4 },
		[SASS_DSHAPE_M1684] = { 16, 8, 4 },
		[SASS_DSHAPE_M1688] = { 16, 8, 8 },
		[SASS_DSHAPE_M16816] = { 16, 8, 16 },
	};

	return SHAPE_WORK(shapes, SASS_MOD(in, DSHAPE));
}

static uint32_t bit_work(const struct sass_inst *in)
{
	static const struct work_shape shapes[] = {
		[SASS_BSHAPE_M88128] = { 8, 8, 128 },
		[SASS_BSHAPE_M168128] = { 16, 8, 128 },
		[SASS_BSHAPE_M168256] = { 16, 8, 256 },
	};

	return SHAPE_WORK(shapes, SASS_MOD(in, BSHAPE));
}

/* A move that the multiplier performs computes nothing. */
static bool is_move(const struct sass_inst *in)
{
	const struct sass_opnd *o = in->opnd;

	return sass_op_of(in) == SASS_OP_HFMA2_MMA &&
	       o[SASS_A].type == SASS_REG && o[SASS_A].reg == SASS_RZ;
}

struct inst_work sass_work_of(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_HMMA:
		return (struct inst_work){ .warp = half_work(in) };
	case SASS_OP_IMMA:
		return (struct inst_work){ .warp = integer_work(in) };
	case SASS_OP_HMMA_SP:
	case SASS_OP_IMMA_SP:
		return (struct inst_work){ .warp = sparse_work(in) };
	case SASS_OP_DMMA:
		return (struct inst_work){ .warp = double_work(in) };
	case SASS_OP_BMMA:
		return (struct inst_work){ .warp = bit_work(in) };
	default:
		return (struct inst_work){
			.lane = is_move(in) ? 0 : lane_work[in->enc->op]
		};
	}
}
