#include "isa/sass/latency.h"

#include <string.h>

const char *const sass_producer_names[SASS_PRODUCERS] = {
#define PRODUCER(id, doc) #id,
#include "isa/sass/latency.def"
};

const char *const sass_consumer_names[SASS_CONSUMERS] = {
#define CONSUMER(id, doc) #id,
#include "isa/sass/latency.def"
};

/* Where the columns of a file begin. */
enum {
	FIRST_R = SASS_TO_R_ALU,
	FIRST_P = SASS_TO_P_ALU,
	FIRST_UP = SASS_TO_UP_UNIFORM,
	FIRST_UR = SASS_TO_UR_UNIFORM
};

struct latency_row {
	uint8_t producer, first, from, count;
	uint8_t cycles[SASS_TO_R_MIO + 1];
};

#define COUNT(...) (sizeof((const uint8_t[]){ __VA_ARGS__ }))

static const struct latency_row rows[] = {
#define LATENCY(file, producer, from, ...) \
	{ SASS_FROM_##producer,            \
	  FIRST_##file,                    \
	  from,                            \
	  COUNT(__VA_ARGS__),              \
	  { __VA_ARGS__ } },
#include "isa/sass/latency.def"
};

/* A row with too few columns does not compile. */
#define COLUMNS_R (SASS_TO_R_MIO - FIRST_R + 1)
#define COLUMNS_P (SASS_TO_P_GUARD - FIRST_P + 1)
#define COLUMNS_UP (SASS_TO_UP_GUARD - FIRST_UP + 1)
#define COLUMNS_UR (SASS_TO_UR_CONST - FIRST_UR + 1)
#define LATENCY(file, producer, from, ...)                   \
	_Static_assert(COUNT(__VA_ARGS__) == COLUMNS_##file, \
		       #file " " #producer);
#include "isa/sass/latency.def"

void sass_latencies(struct sass_latencies *out, unsigned sm)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].from <= sm)
			memcpy(&out->cycles[rows[i].producer][rows[i].first],
			       rows[i].cycles, rows[i].count);
}

static enum sass_producer imma_producer(const struct sass_inst *in)
{
	bool nibbles = SASS_MOD(in, ITYPE) == SASS_ITYPE_U4 ||
		       SASS_MOD(in, ITYPE) == SASS_ITYPE_S4;

	switch (SASS_MOD(in, ISHAPE)) {
	case SASS_ISHAPE_M16816:
		return SASS_FROM_MMA_SHORT;
	case SASS_ISHAPE_M16832:
		return nibbles ? SASS_FROM_MMA_SHORT : SASS_FROM_MMA_LONG;
	case SASS_ISHAPE_M16864:
		return SASS_FROM_MMA_LONG;
	default:
		return SASS_FROM_MMA_TINY;
	}
}

static enum sass_producer mma_producer(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_HMMA:
		if (SASS_MOD(in, HSHAPE) == SASS_HSHAPE_M1688)
			return SASS_MOD(in, HTYPE) == SASS_HTYPE_TF32 ?
				       SASS_FROM_MMA_LONG :
				       SASS_FROM_MMA_SHORT;
		return SASS_MOD(in, HSHAPE) == SASS_HSHAPE_M16816 ?
			       SASS_FROM_MMA_LONG :
			       SASS_FROM_MMA_SHORT;
	case SASS_OP_IMMA:
		return imma_producer(in);
	case SASS_OP_HMMA_SP:
	case SASS_OP_IMMA_SP:
		return sass_is_half_sparse(in) ? SASS_FROM_MMA_SHORT :
						 SASS_FROM_MMA_LONG;
	case SASS_OP_DMMA:
		return SASS_FROM_DMMA;
	case SASS_OP_QMMA:
		return SASS_FROM_MMA_LONG;
	case SASS_OP_BMMA:
		switch (SASS_MOD(in, BSHAPE)) {
		case SASS_BSHAPE_M88128:
			return SASS_FROM_MMA_TINY;
		case SASS_BSHAPE_M168128:
			return SASS_FROM_MMA_SHORT;
		default:
			return SASS_FROM_MMA_LONG;
		}
	default: /* of warp groups: another instruction waits for them */
		return SASS_FROM_VARIABLE;
	}
}

enum sass_producer sass_producer_of(const struct sass_inst *in,
				    const struct sass_use *u)
{
	if (u->file == SASS_FILE_P && sass_row_of(in)->kind == KIND_ATOMIC)
		return SASS_FROM_ATOM;
	if (in->ctrl.write != SASS_NO_COUNTER)
		return SASS_FROM_VARIABLE;
	switch ((enum sass_pipe)sass_row_of(in)->pipe) {
	case SASS_PIPE_ALU:
		return sass_op_of(in) == SASS_OP_CS2R && SASS_MOD(in, CS32) ?
			       SASS_FROM_CS2R :
			       SASS_FROM_ALU;
	case SASS_PIPE_FMA:
		return SASS_FROM_FMA;
	case SASS_PIPE_WIDE:
		return u->part ? SASS_FROM_WIDE_HIGH : SASS_FROM_WIDE_LOW;
	case SASS_PIPE_HI:
		return SASS_FROM_WIDE_HIGH;
	case SASS_PIPE_FP16:
		return SASS_FROM_FP16;
	case SASS_PIPE_FP16_CMP:
		return SASS_FROM_FP16_CMP;
	case SASS_PIPE_F64:
		return SASS_FROM_F64;
	case SASS_PIPE_HFMA2_MMA:
		return SASS_FROM_HFMA2_MMA;
	case SASS_PIPE_TENSOR:
		return mma_producer(in);
	case SASS_PIPE_UNIFORM:
		return SASS_FROM_UNIFORM;
	case SASS_PIPE_ULDC:
		return SASS_FROM_ULDC;
	default:
		break;
	}
	switch (sass_op_of(in)) {
	case SASS_OP_R2UR:
		return SASS_FROM_R2UR;
	case SASS_OP_ELECT: /* the predicate comes later */
		return u->file == SASS_FILE_UR ? SASS_FROM_ULDC :
						 SASS_FROM_R2UR;
	default:
		return SASS_FROM_VARIABLE;
	}
}

/* Textures, surfaces, constants and barriers in memory read their registers like
 * other instructions of variable latency, not like loads. */
static bool has_own_path(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_LDC:
	case SASS_OP_SYNCS_ARRIVE:
	case SASS_OP_SYNCS_PHASECHK:
	case SASS_OP_SYNCS_EXCH:
	case SASS_OP_SYNCS_CCTL:
		return true;
	default:
		return sass_row_of(in)->unit == UNIT_TEX;
	}
}

static enum sass_consumer register_consumer(const struct sass_inst *in,
					    const struct sass_use *u)
{
	switch ((enum sass_pipe)sass_row_of(in)->pipe) {
	case SASS_PIPE_ALU:
		return SASS_TO_R_ALU;
	case SASS_PIPE_FMA:
		return SASS_TO_R_FMA;
	case SASS_PIPE_WIDE:
	case SASS_PIPE_HI:
		if (u->role != SASS_C)
			return SASS_TO_R_WIDE;
		return u->part ? SASS_TO_R_WIDE_HIGH : SASS_TO_R_WIDE_LOW;
	case SASS_PIPE_FP16:
		return SASS_TO_R_FP16;
	case SASS_PIPE_FP16_CMP:
		return SASS_TO_R_FP16_CMP;
	case SASS_PIPE_F64:
	case SASS_PIPE_HFMA2_MMA:
		return SASS_TO_R_F64;
	case SASS_PIPE_TENSOR:
		return SASS_TO_R_MMA;
	case SASS_PIPE_MEM:
		return has_own_path(in) ? SASS_TO_R_MIO : SASS_TO_R_MEM;
	default:
		return SASS_TO_R_MIO;
	}
}

static enum sass_consumer predicate_consumer(const struct sass_inst *in,
					     const struct sass_use *u)
{
	if (u->role == SASS_GUARD || sass_op_of(in) == SASS_OP_VOTE)
		return SASS_TO_P_GUARD;
	switch ((enum sass_pipe)sass_row_of(in)->pipe) {
	case SASS_PIPE_ALU:
		return SASS_TO_P_ALU;
	case SASS_PIPE_FMA:
	case SASS_PIPE_WIDE:
	case SASS_PIPE_HI:
		return SASS_TO_P_FMA;
	case SASS_PIPE_F64:
		return SASS_TO_P_F64;
	default:
		return SASS_TO_P_GUARD;
	}
}

static enum sass_consumer uniform_consumer(const struct sass_inst *in,
					   const struct sass_use *u)
{
	if (in->opnd[u->role].type == SASS_XCONST)
		return SASS_TO_UR_CONST;
	switch ((enum sass_pipe)sass_row_of(in)->pipe) {
	case SASS_PIPE_ULDC:
		return u->role == SASS_M ? SASS_TO_UR_CONST : SASS_TO_UR_VECTOR;
	case SASS_PIPE_UNIFORM:
		return SASS_TO_UR_UNIFORM;
	case SASS_PIPE_MEM:
	case SASS_PIPE_MIO:
		return SASS_TO_UR_MIO;
	case SASS_PIPE_BRANCH:
		return SASS_TO_UR_BRANCH;
	default:
		return SASS_TO_UR_VECTOR;
	}
}

enum sass_consumer sass_consumer_of(const struct sass_inst *in,
				    const struct sass_use *u)
{
	unsigned pipe = sass_row_of(in)->pipe;

	switch ((enum sass_file)u->file) {
	case SASS_FILE_R:
		return register_consumer(in, u);
	case SASS_FILE_P:
		return predicate_consumer(in, u);
	case SASS_FILE_UR:
		return uniform_consumer(in, u);
	default:
		if (u->role == SASS_GUARD)
			return SASS_TO_UP_GUARD;
		if (pipe == SASS_PIPE_BRANCH)
			return SASS_TO_UP_BRANCH;
		return pipe == SASS_PIPE_UNIFORM || pipe == SASS_PIPE_ULDC ?
			       SASS_TO_UP_UNIFORM :
			       SASS_TO_UP_VECTOR;
	}
}

/* ptxas gives only the last of several loads from one memory a counter, and only
 * the last of several instructions of one unit that is not a memory. Shuffles are
 * shared memory's. */
uint8_t sass_order_group(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_LDS:
	case SASS_OP_SHFL:
		return 1;
	case SASS_OP_LDG:
		return 2;
	case SASS_OP_LD:
		return 3;
	case SASS_OP_LDL:
		return 4;
	case SASS_OP_LDC:
		return 5;
	case SASS_OP_LDSM:
	case SASS_OP_MOVM:
		return 6;
	case SASS_OP_MUFU:
	case SASS_OP_MUFU_F16:
	case SASS_OP_MUFU_BF16:
	case SASS_OP_F2F:
	case SASS_OP_F2I:
	case SASS_OP_I2F:
	case SASS_OP_FRND:
	case SASS_OP_FCHK:
	case SASS_OP_POPC:
	case SASS_OP_FLO:
	case SASS_OP_BREV:
		return 7;
	case SASS_OP_S2UR:
		return 8;
	case SASS_OP_F2F64:
	case SASS_OP_F2I64:
	case SASS_OP_I2F64:
	case SASS_OP_FRND64:
		return 10;
	case SASS_OP_REDUX:
		return 11;
	case SASS_OP_B2R:
		return 12;
	default:
		return sass_row_of(in)->unit == UNIT_TEX ? 9 : 0;
	}
}
