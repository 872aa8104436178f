#include "isa/ptx/row.h"

const struct ptx_type_info ptx_types[PTX_TYPE_COUNT] = {
#define TYPE(id, text, bytes, kind) \
	[PTX_##id] = { text, bytes, PTX_KIND_##kind },
#include "isa/ptx/type.def"
};

enum num_type ptx_num_type(enum ptx_type type)
{
	/* The others are bits, and count as unsigned. */
	static const uint8_t types[PTX_TYPE_COUNT] = {
		[PTX_S32] = NUM_S32,     [PTX_U64] = NUM_U64,
		[PTX_B64] = NUM_U64,     [PTX_S64] = NUM_S64,
		[PTX_F16] = NUM_F16,     [PTX_BF16] = NUM_BF16,
		[PTX_F16X2] = NUM_F16X2, [PTX_BF16X2] = NUM_BF16X2,
		[PTX_F32] = NUM_F32,     [PTX_F64] = NUM_F64,
		[PTX_TF32] = NUM_TF32,   [PTX_E4M3] = NUM_E4M3,
		[PTX_E5M2] = NUM_E5M2,   [PTX_S8] = NUM_S8,
		[PTX_U8] = NUM_U8,       [PTX_S4] = NUM_S4,
		[PTX_U4] = NUM_U4,       [PTX_B1] = NUM_B1,
	};

	_Static_assert(NUM_U32 == 0, "the other types");
	return (enum num_type)types[type];
}

enum { WHEN_LAUNCH = 1, WHEN_READ = 0 };

const struct ptx_sreg_info ptx_sregs[PTX_SREG_COUNT] = {
#define SREG(id, text, type, when) \
	[PTX_SREG_##id] = { text, PTX_##type, WHEN_##when },
#include "isa/ptx/sreg.def"
};

const struct ptx_attr_info ptx_attrs[PTX_ATTR_COUNT] = {
#define ATTR(class, id, text) \
	[PTX_##class##_##id] = { PTX_CLASS_##class, text },
#include "isa/ptx/attr.def"
};

const char *const ptx_class_names[PTX_CLASS_COUNT] = {
#define CLASS(class) [PTX_CLASS_##class] = #class,
#include "isa/ptx/attr.def"
};

#define FULL_ROW(id, pattern, form, class, unit, lat, kind, replay, carry) \
	[PTX_OP_##id] = { #id,                                             \
			  pattern,                                         \
			  form,                                            \
			  PTX_ROW_##class,                                 \
			  UNIT_##unit,                                     \
			  LAT_##lat,                                       \
			  KIND_##kind,                                     \
			  REPLAY_##replay,                                 \
			  PTX_CARRY_##carry },
#define ROW(id, pattern, form, class, unit, lat, kind, replay) \
	FULL_ROW(id, pattern, form, class, unit, lat, kind, replay, NONE)
#define CARRY_ROW(id, pattern, form, unit, lat, carry) \
	FULL_ROW(id, pattern, form, LANE, unit, lat, PLAIN, COMPUTE, carry)

const struct ptx_row ptx_rows[PTX_OP_COUNT] = {
#define LANE1(id, pattern, d, a, unit, lat, ...) \
	ROW(id, pattern, "d:" #d ",a:" #a, LANE, unit, lat, PLAIN, COMPUTE)
#define LANE2(id, pattern, d, a, b, unit, lat, ...)                         \
	ROW(id, pattern, "d:" #d ",a:" #a ",a:" #b, LANE, unit, lat, PLAIN, \
	    COMPUTE)
#define LANE3(id, pattern, d, a, b, c, unit, lat, ...)                        \
	ROW(id, pattern, "d:" #d ",a:" #a ",a:" #b ",a:" #c, LANE, unit, lat, \
	    PLAIN, COMPUTE)
#define LANE4(id, pattern, d, a, b, c, e, unit, lat, ...)                   \
	ROW(id, pattern, "d:" #d ",a:" #a ",a:" #b ",a:" #c ",a:" #e, LANE, \
	    unit, lat, PLAIN, COMPUTE)
#define CARRY2(id, pattern, d, a, b, unit, lat, carry, ...) \
	CARRY_ROW(id, pattern, "d:" #d ",a:" #a ",a:" #b, unit, lat, carry)
#define CARRY3(id, pattern, d, a, b, c, unit, lat, carry, ...)                \
	CARRY_ROW(id, pattern, "d:" #d ",a:" #a ",a:" #b ",a:" #c, unit, lat, \
		  carry)
#define SETP(id, pattern, type, unit, lat)                                  \
	ROW(id, pattern, "pp,a:" #type ",a:" #type "{,q}", LANE, unit, lat, \
	    PLAIN, PRED)
#define SET(id, pattern, d, a, unit, lat, one)                              \
	ROW(id, pattern, "d:" #d ",a:" #a ",a:" #a "{,q}", LANE, unit, lat, \
	    PLAIN, COMPUTE)
#define SELP(id, pattern, type, unit, lat)                                    \
	ROW(id, pattern, "d:" #type ",a:" #type ",a:" #type ",q", LANE, unit, \
	    lat, PLAIN, COMPUTE)
#define TEST1(id, pattern, a, unit, lat, ...) \
	ROW(id, pattern, "p,a:" #a, LANE, unit, lat, PLAIN, PRED)
#define WARP(id, pattern, form, unit, lat, kind, replay, exec) \
	ROW(id, pattern, form, WARP, unit, lat, kind, replay)
#define REFUSED(id, pattern, what) \
	ROW(id, pattern, what, REFUSED, BRANCH, BRANCH, PLAIN, FREE)
#include "isa/ptx/ptx.def"
};

bool ptx_has_slow_path(unsigned op)
{
	switch (op) {
	case PTX_OP_DIV_U64:
	case PTX_OP_DIV_S64:
	case PTX_OP_REM_U64:
	case PTX_OP_REM_S64:
	case PTX_OP_DIV_F32:
	case PTX_OP_RCP_F32:
	case PTX_OP_SQRT_F32:
		return true;
	default:
		return ptx_rows[op].lat == LAT_F64DIV;
	}
}

unsigned ptx_vector_length(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_VEC]) {
	case PTX_VEC_V2:
		return 2;
	case PTX_VEC_V4:
		return 4;
	case PTX_VEC_V8:
		return 8;
	default:
		return 1;
	}
}
