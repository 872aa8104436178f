/*
 * Modifiers of arithmetic, as executors want them.
 */
#include "isa/sass/exec_alu.h"

/* Signs of the operands A, B and C, which are in this order in in->m. */
static uint32_t signs_of(const struct sass_inst *s)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < 3; i++) {
		const struct sass_opnd *o = &s->opnd[SASS_A + i];

		m |= o->neg ? SASS_NEG_A << 2 * i : 0;
		m |= o->abs ? SASS_ABS_A << 2 * i : 0;
	}
	return m;
}

/* RND and IRND have the same values. */
static uint32_t rounding(unsigned value)
{
	static const uint8_t order[4] = { RND_RN, RND_RM, RND_RP, RND_RZ };

	return order[value & 3];
}

static uint32_t modifiers_of(const struct sass_inst *s)
{
	uint32_t m = signs_of(s);

	m |= rounding(SASS_MOD(s, RND) | SASS_MOD(s, IRND));
	m |= SASS_MOD(s, FTZ) || SASS_MOD(s, FMZ) == SASS_FMZ_FTZ ||
			     SASS_MOD(s, FMZ) == SASS_FMZ_FMZ ?
		     M_FTZ :
		     0;
	m |= SASS_MOD(s, SAT) ? M_SAT : 0;
	m |= SASS_MOD(s, NAN) || SASS_MOD(s, NTZ) ? M_NAN : 0;
	m |= SASS_MOD(s, XORSIGN) ? M_XORSIGN : 0;
	m |= SASS_MOD(s, SATF) ? M_SATFINITE : 0;
	return m;
}

/* Bits that the row itself fixes, for what its text says without a modifier. */
static unsigned fixed_bits(const struct sass_inst *s, unsigned at,
			   unsigned bits)
{
	return (unsigned)sass_bits(s->enc->value, at, bits);
}

/* Bits of the instruction, where rows differ in what they call them. */
static uint8_t encoded(const struct sass_inst *s, unsigned at, unsigned bits)
{
	uint64_t word[2];

	sass_encode(s, word);
	return (uint8_t)sass_bits(word, at, bits);
}

static bool has(const struct sass_inst *s, enum sass_role role)
{
	return s->opnd[role].type != SASS_NONE;
}

static bool writes(const struct sass_inst *s, enum sass_role role)
{
	return has(s, role) && s->opnd[role].reg != SASS_PT;
}

static uint8_t carries(const struct sass_inst *s)
{
	unsigned k = 0;

	k |= has(s, SASS_PP) ? SASS_K_X : 0;
	k |= writes(s, SASS_PU) || writes(s, SASS_PV) ? SASS_K_OUT : 0;
	k |= writes(s, SASS_PV) ? SASS_K_PV : 0;
	k |= SASS_MOD(s, U32) == SASS_U32_S32 ? SASS_K_SIGNED : 0;
	return (uint8_t)k;
}

static uint8_t shift_kind(const struct sass_inst *s)
{
	unsigned type = SASS_MOD(s, SHIFT), k = 0;

	k |= SASS_MOD(s, HI) ? SASS_SHF_HI : 0;
	k |= SASS_MOD(s, RIGHT) ? SASS_SHF_RIGHT : 0;
	k |= SASS_MOD(s, W) ? SASS_SHF_WRAP : 0;
	if (type == SASS_SHIFT_S64 || type == SASS_SHIFT_S32)
		k |= SASS_SHF_SIGNED;
	if (type == SASS_SHIFT_S64 || type == SASS_SHIFT_U64)
		k |= SASS_SHF_WIDE;
	return (uint8_t)k;
}

/* Which halves of A, B and C are used, two bits each. */
static uint8_t halves(const struct sass_inst *s)
{
	unsigned k = 0;

	for (unsigned i = 0; i < 3; i++)
		k |= (s->opnd[SASS_A + i].half & 3u) << 2 * i;
	return (uint8_t)k;
}

/* ---- conversions --------------------------------------------------------- */

static uint8_t float_type(unsigned value)
{
	static const uint8_t types[8] = { LT_F32,  LT_F16, LT_F32, LT_F64,
					  LT_BF16, LT_F32, LT_F32, LT_F32 };

	return types[value & 7];
}

/* log2 of the bytes, and the sign. */
static uint8_t int_type(unsigned size, unsigned is_signed)
{
	static const uint8_t types[8] = { LT_U8,  LT_S8,  LT_U16, LT_S16,
					  LT_U32, LT_S32, LT_U64, LT_S64 };

	return types[(size << 1 | is_signed) & 7];
}

/* The shift to the part of B that is used: a byte or a half. An immediate is the
 * upper word of 64 bits. */
static uint8_t part_of_b(const struct sass_inst *s, uint8_t type)
{
	unsigned part = s->opnd[SASS_B].half;

	if ((type == LT_U64 || type == LT_S64) &&
	    (s->opnd[SASS_B].type == SASS_SINT ||
	     s->opnd[SASS_B].type == SASS_UINT))
		return 32;

	if (type == LT_U8 || type == LT_S8)
		return (uint8_t)(8 * (part & 3));
	if (type == LT_U16 || type == LT_S16 || type == LT_F16 ||
	    type == LT_BF16)
		return (uint8_t)(16 * (part & 1));
	return 0;
}

static void set_types(struct inst *in, const struct sass_inst *s, uint8_t to,
		      uint8_t from)
{
	in->count = to;
	in->k = from;
	in->width = part_of_b(s, from);
}

/* ---- by executor --------------------------------------------------------- */

static bool is_signed(const struct sass_inst *s)
{
	return SASS_MOD(s, U32) == SASS_U32_S32;
}

static uint8_t two_bits(bool low, bool high)
{
	return (uint8_t)(low | high << 1);
}

static void prepare_carry(struct inst *in, const struct sass_inst *s)
{
	in->k = carries(s);
}

/* in->width: B is two to the power of this; 0: something else. Addresses are
 * computed so. */
static void prepare_wide(struct inst *in, const struct sass_inst *s)
{
	const struct sass_opnd *b = &s->opnd[SASS_B];
	uint32_t factor = 0;

	if (b->type == SASS_UINT || b->type == SASS_SINT)
		factor = (uint32_t)b->imm;

	in->k = carries(s);
	in->width = 0;
	for (unsigned i = 1; i < 31; i++)
		if (factor == 1u << i)
			in->width = (uint8_t)i;
}

static void prepare_lea(struct inst *in, const struct sass_inst *s)
{
	in->k = carries(s);
	in->width = (uint8_t)s->opnd[SASS_I].imm;
}

/* UMOV has no mask. */
static void prepare_mov(struct inst *in, const struct sass_inst *s)
{
	in->k = has(s, SASS_I) ? (uint8_t)s->opnd[SASS_I].imm : 15;
}

static void prepare_viadd(struct inst *in, const struct sass_inst *s)
{
	in->width = SASS_MOD(s, V16);
}

static void prepare_lop3(struct inst *in, const struct sass_inst *s)
{
	in->k = (uint8_t)s->opnd[SASS_I].imm;
	in->width = two_bits(writes(s, SASS_PU), SASS_MOD(s, PAND));
}

static void prepare_shf(struct inst *in, const struct sass_inst *s)
{
	in->k = shift_kind(s);
}

static uint8_t combination(const struct sass_inst *s)
{
	return (uint8_t)(SASS_MOD(s, BOP) |
			 (writes(s, SASS_PV) ? SASS_COUNT_PV : 0));
}

static void prepare_isetp(struct inst *in, const struct sass_inst *s)
{
	in->k = SASS_MOD(s, ICMP);
	in->count = combination(s);
	in->width = two_bits(is_signed(s), has(s, SASS_PR));
}

static void prepare_signed(struct inst *in, const struct sass_inst *s)
{
	in->k = is_signed(s);
}

static void prepare_mnmx(struct inst *in, const struct sass_inst *s)
{
	bool out = writes(s, SASS_PU) || writes(s, SASS_PV);

	in->k = (uint8_t)(SASS_MOD(s, VTYPE) | SASS_MOD(s, RELU) << 2 |
			  out << 3);
}

static void prepare_absdiff4(struct inst *in, const struct sass_inst *s)
{
	in->k = two_bits(SASS_MOD(s, U8) == SASS_U8_S8, encoded(s, 75, 1));
}

static void prepare_dot(struct inst *in, const struct sass_inst *s)
{
	in->k = two_bits(SASS_MOD(s, DOTA) | SASS_MOD(s, DOTW),
			 SASS_MOD(s, DOTB));
	in->width = fixed_bits(s, 76, 2) == 3 ? 16 : 0;
}

static void prepare_prmt(struct inst *in, const struct sass_inst *s)
{
	/* The uniform one does not look at its mode. */
	in->k = s->enc->uniform_guard ? SASS_PRMT_IDX : SASS_MOD(s, PRMT);
}

static void prepare_mask(struct inst *in, const struct sass_inst *s)
{
	in->k = two_bits(is_signed(s), SASS_MOD(s, W));
}

static void prepare_flo(struct inst *in, const struct sass_inst *s)
{
	in->k = two_bits(is_signed(s), SASS_MOD(s, SH));
}

static void prepare_i2i(struct inst *in, const struct sass_inst *s)
{
	in->k = SASS_MOD(s, NARROW) & 2 ? 16 : 8;
	in->count = SASS_MOD(s, NARROW) & 1;
}

/* 2 and 4 bits have the larger values. A half of C is selected for 8 bits. */
/* Before sm_86 it always saturates; until sm_89 the numbers are others. */
static unsigned narrowing(const struct sass_inst *s)
{
	unsigned how = (unsigned)encoded(s, 74, 2);

	if (s->sm >= 90)
		return how;
	if (s->sm < 86)
		return SASS_SATR_SAT;
	return how == SASS_SATR86_SAT ? SASS_SATR_SAT :
	       how == SASS_SATR86_NO  ? SASS_SATR_NO :
					SASS_SATR_RELU;
}

static void prepare_i2ip(struct inst *in, const struct sass_inst *s)
{
	static const uint8_t bits[4] = { 8, 16, 2, 4 };
	unsigned type = encoded(s, 76, 3);

	in->k = bits[type >> 1];
	in->count = type & 1;
	in->width = (uint8_t)(narrowing(s) |
			      (in->k == 8 && encoded(s, 72, 1) ? 16 : 0));
}

static void prepare_plop3(struct inst *in, const struct sass_inst *s)
{
	in->k = (uint8_t)s->opnd[SASS_I].imm;
	in->count = (uint8_t)s->opnd[SASS_J].imm;
	in->width = (uint8_t)(has(s, SASS_A) | has(s, SASS_B) << 1 |
			      has(s, SASS_C) << 2);
}

static void prepare_pr(struct inst *in, const struct sass_inst *s)
{
	in->width = (uint8_t)(8 * SASS_MOD(s, BYTE));
}

static void prepare_product(struct inst *in, const struct sass_inst *s)
{
	in->k = SASS_MOD(s, FMZ) == SASS_FMZ_FMZ;
	in->count = SASS_MOD(s, SCALE);
}

static void prepare_ffma(struct inst *in, const struct sass_inst *s)
{
	prepare_product(in, s);
	if (!in->k && !in->m && SLOT_PLACE(in->d) == SLOT_REG &&
	    SLOT_PLACE(in->a) == SLOT_REG && SLOT_PLACE(in->b) == SLOT_REG &&
	    SLOT_PLACE(in->c) == SLOT_REG)
		in->exec = sass_ffma_plain;
}

static void prepare_fsetp(struct inst *in, const struct sass_inst *s)
{
	in->k = SASS_MOD(s, FCMP) | SASS_MOD(s, DCMP);
	in->count = combination(s);
}

static void prepare_swizzle(struct inst *in, const struct sass_inst *s)
{
	in->k = (uint8_t)s->opnd[SASS_I].imm;
}

static void prepare_mufu(struct inst *in, const struct sass_inst *s)
{
	in->k = SASS_MOD(s, MUFU);
	in->count = s->opnd[SASS_B].type == SASS_F64;
	in->width = part_of_b(s, LT_F16);
}

static void prepare_half(struct inst *in, const struct sass_inst *s)
{
	in->k = halves(s);
	in->count = SASS_MOD(s, HFMT);
}

/* The modifier that flushes depends on the architecture, its bits do not. */
static bool is_zero_reg(const struct sass_opnd *o)
{
	return o->type == SASS_REG && o->reg == SASS_RZ;
}

static void prepare_half_product(struct inst *in, const struct sass_inst *s)
{
	prepare_half(in, s);
	in->k |= encoded(s, 86, 1) ? SASS_K_CROSSED : 0;
	in->width = (uint8_t)(encoded(s, 80, 1) << 1 | encoded(s, 76, 1));
	if (in->width == SASS_FMZ_FMZ || in->width == SASS_FMZ_FTZ)
		in->m |= M_FTZ;
	in->m |= fixed_bits(s, 79, 1) ? M_RELU : 0;
	/* -RZ * RZ + C is how constants are moved. */
	if (is_zero_reg(&s->opnd[SASS_A]) && is_zero_reg(&s->opnd[SASS_B]) &&
	    in->m == SASS_NEG_A && !(in->k & 48) && !in->count)
		in->width = SASS_HFMA2_MOVES;
}

static void prepare_half_compare(struct inst *in, const struct sass_inst *s)
{
	in->k = halves(s);
	in->count = SASS_MOD(s, HFMT);
	in->width = SASS_MOD(s, FCMP);
}

static void prepare_f2f(struct inst *in, const struct sass_inst *s)
{
	set_types(in, s, float_type(encoded(s, 75, 3)),
		  float_type(encoded(s, 84, 3)));
}

static void prepare_f2i(struct inst *in, const struct sass_inst *s)
{
	set_types(in, s, int_type(encoded(s, 75, 2), encoded(s, 72, 1)),
		  float_type(encoded(s, 84, 3)));
}

static void prepare_i2f(struct inst *in, const struct sass_inst *s)
{
	set_types(in, s, float_type(encoded(s, 75, 3)),
		  int_type(encoded(s, 84, 2), encoded(s, 74, 1)));
}

static void prepare_frnd(struct inst *in, const struct sass_inst *s)
{
	prepare_f2f(in, s);
	in->m |= M_RINT;
}

static void prepare_f2ip(struct inst *in, const struct sass_inst *s)
{
	in->k = encoded(s, 76, 1);
	in->count = encoded(s, 75, 1);
	in->width = encoded(s, 72, 1) ? 16 : 0;
}

static uint8_t f2fp_arrangement(const struct sass_inst *s)
{
	static const uint8_t merges[4] = { SASS_F2FP_MERGE_C, SASS_F2FP_PACK_B,
					   SASS_F2FP_PACK_AB_MERGE_C,
					   SASS_F2FP_PACK_AB_MERGE_C };
	unsigned which = encoded(s, 89, 2);

	if (encoded(s, 78, 1))
		return merges[which];
	if (which == 2)
		return SASS_F2FP_UNPACK_B_MERGE_C;
	if (which == 1)
		return encoded(s, 73, 1) ? SASS_F2FP_UNPACK_E4M3 :
					   SASS_F2FP_UNPACK_E5M2;
	return SASS_F2FP_PACK_AB;
}

/* The uniform one has one format and no other modifiers. */
static void prepare_f2fp(struct inst *in, const struct sass_inst *s)
{
	static const uint8_t formats[8] = { FP_F16,  FP_BF16, FP_F16, FP_TF32,
					    FP_E5M2, FP_E4M3, FP_F16, FP_F16 };
	unsigned type = encoded(s, 87, 1) << 2 | encoded(s, 86, 1) << 1 |
			encoded(s, 76, 1);

	in->m |= rounding(encoded(s, 79, 2));
	if (s->enc->uniform_guard) {
		in->k = encoded(s, 78, 1) ? SASS_F2FP_MERGE_C :
					    SASS_F2FP_PACK_AB;
		in->count = FP_F16;
		return;
	}
	in->k = f2fp_arrangement(s);
	in->count = formats[type];
	in->width = encoded(s, 72, 1) ? 16 : 0;
	in->m |= encoded(s, 77, 1) ? M_SATFINITE : 0;
	in->m |= encoded(s, 75, 1) ? M_RELU : 0;
}

/* clang-format off */
static const struct {
	exec_fn *exec;
	void (*prepare)(struct inst *in, const struct sass_inst *s);
} preparations[] = {
	{ sass_iadd3, prepare_carry },
	{ sass_iadd3_64, prepare_carry },
	{ sass_imad, prepare_carry },
	{ sass_imad_wide, prepare_wide },
	{ sass_imad_hi, prepare_carry },
	{ sass_lea, prepare_lea },
	{ sass_lea_hi, prepare_lea },
	{ sass_lea_sx, prepare_lea },
	{ sass_mov, prepare_mov },
	{ sass_viadd, prepare_viadd },
	{ sass_lop3, prepare_lop3 },
	{ sass_shf, prepare_shf },
	{ sass_isetp, prepare_isetp },
	{ sass_imnmx, prepare_signed },
	{ sass_vabsdiff, prepare_signed },
	{ sass_vimnmx, prepare_mnmx },
	{ sass_viaddmnmx, prepare_mnmx },
	{ sass_vimnmx3, prepare_mnmx },
	{ sass_vabsdiff4, prepare_absdiff4 },
	{ sass_idp_4a, prepare_dot },
	{ sass_idp_2a, prepare_dot },
	{ sass_prmt, prepare_prmt },
	{ sass_sgxt, prepare_mask },
	{ sass_bmsk, prepare_mask },
	{ sass_flo, prepare_flo },
	{ sass_i2i, prepare_i2i },
	{ sass_i2ip, prepare_i2ip },
	{ sass_plop3, prepare_plop3 },
	{ sass_plop3_sign, prepare_plop3 },
	{ sass_p2r, prepare_pr },
	{ sass_r2p, prepare_pr },
	{ sass_fmul, prepare_product },
	{ sass_ffma, prepare_ffma },
	{ sass_fsetp, prepare_fsetp },
	{ sass_fset, prepare_fsetp },
	{ sass_dsetp, prepare_fsetp },
	{ sass_fswzadd, prepare_swizzle },
	{ sass_mufu, prepare_mufu },
	{ sass_mufu_f16, prepare_mufu },
	{ sass_mufu_bf16, prepare_mufu },
	{ sass_hadd2, prepare_half },
	{ sass_hadd2_f32, prepare_half },
	{ sass_hmul2, prepare_half_product },
	{ sass_hfma2, prepare_half_product },
	{ sass_hmnmx2, prepare_half },
	{ sass_hsetp2, prepare_half_compare },
	{ sass_hset2, prepare_half_compare },
	{ sass_f2f, prepare_f2f },
	{ sass_f2f64, prepare_f2f },
	{ sass_f2i, prepare_f2i },
	{ sass_f2i64, prepare_f2i },
	{ sass_f2ip, prepare_f2ip },
	{ sass_f2fp, prepare_f2fp },
	{ sass_i2f, prepare_i2f },
	{ sass_i2f64, prepare_i2f },
	{ sass_i2fp, prepare_i2f },
	{ sass_frnd, prepare_frnd },
	{ sass_frnd64, prepare_frnd },
};
/* clang-format on */

void sass_prepare(struct inst *in, const struct sass_inst *s)
{
	size_t n = sizeof(preparations) / sizeof(preparations[0]);

	in->m = modifiers_of(s);
	for (size_t i = 0; i < n; i++)
		if (preparations[i].exec == in->exec)
			preparations[i].prepare(in, s);
}
