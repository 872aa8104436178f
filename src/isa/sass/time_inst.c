#include "isa/sass/time.h"

#include "isa/sass/program.h"
#include "isa/sass/regs.h"

/* ---- flags --------------------------------------------------------------- */

/* Memory orders from sm_80 on, as bits 80 to 77 have them. */
static unsigned strong_flags(unsigned order)
{
	switch (order) {
	case 4: /* CONSTANT */
		return TIMED_READONLY;
	case 5: /* STRONG.SM: the L1 may serve it */
		return TIMED_BLOCK;
	case 6: /* STRONG.GPU */
	case 7:
	case 8: /* MMIO.GPU */
		return TIMED_UNCACHED;
	case 10: /* STRONG.SYS */
	case 12: /* MMIO.SYS */
		return TIMED_UNCACHED | TIMED_SYSTEM;
	default:
		return 0;
	}
}

/* The same before sm_80: order at bits 80 and 79, scope at 78 and 77. */
static unsigned old_strong_flags(unsigned order, unsigned scope)
{
	enum { CONSTANT, WEAK, STRONG, MMIO };
	enum { CTA, SM, GPU, SYS };

	if (order == CONSTANT)
		return TIMED_READONLY;
	if (order == WEAK)
		return 0;
	if (scope == CTA || scope == SM)
		return TIMED_BLOCK;
	return scope == SYS ? TIMED_UNCACHED | TIMED_SYSTEM : TIMED_UNCACHED;
}

/* Eviction priorities that leave no line for others to hit. */
static unsigned eviction_flags(unsigned priority)
{
	enum { FIRST, NORMAL, LAST, LAST_USE, UNCHANGED, NO_ALLOCATE };

	return priority == FIRST || priority == LAST_USE ||
			       priority == NO_ALLOCATE ?
		       TIMED_STREAMING :
		       0;
}

static bool drops_result(const struct sass_inst *in)
{
	const struct sass_opnd *d = &in->opnd[SASS_D];

	return d->type != SASS_REG || d->reg == SASS_RZ;
}

/* A texture of more than one dimension. */
static bool sass_has_planes(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_TEX:
	case SASS_OP_TLD:
	case SASS_OP_TLD4:
	case SASS_OP_TXD:
		return SASS_MOD(in, TDIM) != SASS_TDIM_D1 &&
		       SASS_MOD(in, TDIM) != SASS_TDIM_A1D;
	default:
		return false;
	}
}

static bool is_global(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_LDS:
	case SASS_OP_STS:
	case SASS_OP_LDSM:
	case SASS_OP_STSM:
	case SASS_OP_LDL:
	case SASS_OP_STL:
	case SASS_OP_LDC:
	case SASS_OP_ATOMS:
	case SASS_OP_ATOMS_CAS:
	case SASS_OP_ATOMS_ARRIVE:
	case SASS_OP_ATOMS_POPC:
		return false;
	default:
		return true;
	}
}

static unsigned global_flags(const struct sass_inst *in)
{
	uint64_t w[2];
	unsigned flags;

	sass_encode(in, w);
	flags = in->sm >= 80 ? strong_flags((unsigned)sass_bits(w, 77, 4)) :
			       old_strong_flags((unsigned)sass_bits(w, 79, 2),
						(unsigned)sass_bits(w, 77, 2));
	return flags | eviction_flags((unsigned)sass_bits(w, 84, 3));
}

static unsigned sass_fence_flags(const struct sass_inst *in)
{
	/* Of a proxy fence: shared memory and barriers concern one block. */
	if (sass_op_of(in) != SASS_OP_MEMBAR)
		return TIMED_BLOCK;
	switch (SASS_MOD(in, LEVEL)) {
	case SASS_LEVEL_CTA:
	case SASS_LEVEL_SM:
		return TIMED_BLOCK;
	case SASS_LEVEL_SYS:
		return TIMED_SYSTEM;
	default:
		return 0;
	}
}

/* Never from the L1, whatever its modifiers. */
static unsigned sass_atomic_flags(const struct sass_inst *in)
{
	const unsigned of_loads = TIMED_UNCACHED | TIMED_READONLY |
				  TIMED_STREAMING;
	unsigned flags = is_global(in) ? global_flags(in) & ~of_loads : 0;

	flags |= drops_result(in) ? TIMED_NO_RESULT : 0;
	switch (sass_op_of(in)) {
	case SASS_OP_ATOMG_CAS:
	case SASS_OP_ATOM_CAS:
		return flags | TIMED_CAS;
	case SASS_OP_ATOMS_CAS:
		return flags |
		       (SASS_MOD(in, CAST) == SASS_CAST_CAST_SPIN ? TIMED_SPIN :
								    TIMED_CAS);
	case SASS_OP_ATOMS_POPC:
		return flags | TIMED_SHARES;
	case SASS_OP_ATOMG_F:
	case SASS_OP_ATOM_F:
	case SASS_OP_RED_F:
		return flags | TIMED_FLOAT;
	default:
		return flags;
	}
}

static unsigned sass_flags(const struct sass_inst *in, unsigned kind)
{
	switch (kind) {
	case KIND_ATOMIC:
		return sass_atomic_flags(in);
	case KIND_TEX:
		return sass_has_planes(in) ? TIMED_PLANE : 0;
	case KIND_LOAD:
	case KIND_STORE:
		if (sass_op_of(in) == SASS_OP_LDC)
			return in->opnd[SASS_M].bank ? 0 : TIMED_PARAMETER;
		return is_global(in) ? global_flags(in) : 0;
	case KIND_ASYNC:
		return SASS_MOD(in, BYPASS) == SASS_BYPASS_YES ?
			       TIMED_UNCACHED :
			       0;
	case KIND_BULK:
		return TIMED_UNCACHED;
	case KIND_FENCE:
		return sass_fence_flags(in);
	case KIND_INDIRECT:
		return TIMED_REGISTER;
	default:
		return 0;
	}
}

/* ---- kind and order ------------------------------------------------------ */

/* CCTL.IVALL of the L1, not CCTLL.IVALL, of local memory alone. */
static bool empties_l1(const struct sass_inst *in)
{
	uint64_t w[2];

	sass_encode(in, w);
	return SASS_MOD(in, CCTLALL) == SASS_CCTLALL_IVALL &&
	       SASS_MOD(in, CACHE) == SASS_CACHE_D &&
	       sass_bits(w, 0, 12) == 0x98f;
}

static unsigned sass_kind(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_DEPBAR:
		return KIND_COUNT_WAIT;
	case SASS_OP_BSYNC:
		return KIND_MEET;
	case SASS_OP_WARPSYNC_COLLECTIVE:
		return KIND_PLAIN; /* lanes meet, but it is no branch */
	case SASS_OP_CALL:
		/* Registers stay: it is a jump. */
		return sass_is_service((uint64_t)in->opnd[SASS_T].imm) ?
			       KIND_CALL :
			       KIND_BRANCH;
	case SASS_OP_CCTL:
		return empties_l1(in) ? KIND_EMPTY_L1 : KIND_PLAIN;
	default:
		return sass_row_of(in)->kind;
	}
}

/* The constant that an instruction has as an operand, or loads like one. */
static const struct sass_opnd *constant_operand(const struct sass_inst *in)
{
	if (sass_op_of(in) == SASS_OP_ULDC)
		return &in->opnd[SASS_M];
	for (unsigned i = 0; i < SASS_ROLES; i++)
		if (in->opnd[i].type == SASS_CONST)
			return &in->opnd[i];
	return NULL;
}

static void set_order(struct timed_inst *r, const struct sass_inst *in)
{
	const struct sass_opnd *o = constant_operand(in);

	switch ((enum timing_kind)r->kind) {
	case KIND_FENCE:
	case KIND_BULK:
		r->order = ORDER_ALWAYS;
		return;
	case KIND_PLAIN:
	case KIND_COUNTED:
	case KIND_COMMIT:
	case KIND_COUNT_WAIT:
	case KIND_EMPTY_L1:
		break;
	default:
		r->order = ORDER_ATOMIC;
		return;
	}
	if (!o || r->kind == KIND_COUNT_WAIT)
		return;
	r->order = ORDER_CONSTANT;
	if (!o->bank)
		r->flags |= TIMED_PARAMETER;
	r->constant = (uint32_t)o->bank << 20 | sass_const_offset(o);
}

/* ---- control word -------------------------------------------------------- */

/* Cycles until the next issue. Measured on an H200 for all values: with bit 109
 * clear, 1 lasts 2, since the warp yields a cycle, and 0 waits for more than the
 * pipes need; with bit 109 set, only 1 to 11 are what they say. */
static uint8_t stall_cycles(const struct sass_ctrl *c, const struct cfg *cfg)
{
	static const uint8_t stays[16] = { 2, 1, 2,  3,  4, 5, 6, 7,
					   8, 9, 10, 11, 1, 1, 2, 2 };

	if (c->stay)
		return stays[c->stall & 15];
	if (!c->stall)
		return (uint8_t)cfg->sm.drain_stall;
	return c->stall == 1 ? 2 : c->stall;
}

static unsigned counter_plus_1(unsigned n)
{
	return n < TIMED_COUNTERS ? n + 1 : 0;
}

static void set_control(struct timed_inst *r, const struct sass_inst *in,
			const struct cfg *cfg)
{
	const struct sass_ctrl *c = &in->ctrl;

	r->stall = stall_cycles(c, cfg);
	r->counters = timed_counters(counter_plus_1(c->write),
				     counter_plus_1(c->read), !c->stay);
	for (unsigned i = 0; i < TIMED_COUNTERS; i++)
		if (c->wait >> i & 1)
			r->reg[r->regs++] = (uint16_t)i;
	for (unsigned i = r->regs; r->regs && i < TIMED_QUICK; i++)
		r->reg[i] = r->reg[0];
	if (r->kind == KIND_PLAIN && r->counters & ~TIMED_YIELDS)
		r->kind = KIND_COUNTED;
	if (r->kind == KIND_COUNT_WAIT) {
		unsigned n = in->opnd[SASS_J].reg;

		r->bound = timed_bound(n < TIMED_COUNTERS ? n : 0,
				       (unsigned)in->opnd[SASS_I].imm);
	}
}

/* ---- matrices ------------------------------------------------------------ */

/* lat.mma.interval is that of the largest shape that the tensor cores take at
 * once, m16n8k16 of halves or m16n8k32 of bytes, twice as deep if it is sparse; a
 * smaller one takes a part of it. */
static int64_t part_of_interval(const struct cfg *cfg, int64_t part)
{
	int64_t whole = cfg_interval(cfg, LAT_MMA, UNIT_TENSOR);

	return (whole + part - 1) / part;
}

/* Doubles: twice the rate of the unit for double precision. */
static int64_t dmma_interval(const struct sass_inst *in, const struct cfg *cfg)
{
	int64_t rate = 2 * cfg->unit[UNIT_FP64].lanes / cfg->sm.subcores;
	int64_t products;

	switch (SASS_MOD(in, DSHAPE)) {
	case SASS_DSHAPE_M1684:
		products = 16 * 8 * 4;
		break;
	case SASS_DSHAPE_M1688:
		products = 16 * 8 * 8;
		break;
	case SASS_DSHAPE_M16816:
		products = 16 * 8 * 16;
		break;
	default:
		products = 8 * 8 * 4;
	}
	return rate ? (products + rate - 1) / rate : products;
}

static int64_t mma_interval(const struct sass_inst *in, const struct cfg *cfg)
{
	bool tf32 = SASS_MOD(in, HTYPE) == SASS_HTYPE_TF32;

	switch (sass_op_of(in)) {
	case SASS_OP_HMMA:
		if (SASS_MOD(in, HSHAPE) == SASS_HSHAPE_M16816)
			return part_of_interval(cfg, 1);
		return part_of_interval(
			cfg, SASS_MOD(in, HSHAPE) == SASS_HSHAPE_M1688 && tf32 ?
				     1 :
				     2);
	case SASS_OP_IMMA:
		switch (SASS_MOD(in, ISHAPE)) {
		case SASS_ISHAPE_M16832:
		case SASS_ISHAPE_M16864:
			return part_of_interval(cfg, 1);
		case SASS_ISHAPE_M16816:
			return part_of_interval(cfg, 2);
		default:
			return part_of_interval(cfg, 4);
		}
	case SASS_OP_HMMA_SP:
	case SASS_OP_IMMA_SP:
		return part_of_interval(cfg, sass_is_half_sparse(in) ? 2 : 1);
	case SASS_OP_DMMA:
		return dmma_interval(in, cfg);
	default:
		return part_of_interval(cfg, 1);
	}
}

/* ---- instructions -------------------------------------------------------- */

bool sass_time_inst(struct timed_inst *r, const struct sass_inst *in,
		    uint32_t before, const struct cfg *cfg)
{
	const struct sass_row *row = sass_row_of(in);
	enum lat_class lat = (enum lat_class)row->lat;
	enum unit_class unit =
		cfg_unit_for(cfg, lat, (enum unit_class)row->unit);

	if (unit == UNIT_COUNT)
		return false;
	r->unit = (uint8_t)unit;
	r->lat = row->lat;
	r->cycles = timed_cycles(cfg->lat[lat].cycles);
	r->interval = timed_cycles(unit == UNIT_TENSOR ?
					   mma_interval(in, cfg) :
					   cfg_interval(cfg, lat, unit));
	r->kind = (uint8_t)sass_kind(in);
	r->flags = (uint8_t)sass_flags(in, r->kind);
	timed_count_planes(r, cfg);
	set_control(r, in, cfg);
	set_order(r, in);
	sass_set_banks(r, in, before, cfg);
	return true;
}
