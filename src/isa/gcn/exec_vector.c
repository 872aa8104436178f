/* The driver of vector instructions, and those of integers. */
#include "isa/gcn/lanes.h"

enum { SOURCES = 3 };

union operand {
	uint32_t u[WAVE_LANES];
	uint64_t d[WAVE_LANES];
};

static unsigned valu_words_of(const struct wave_op *op, unsigned i)
{
	return op->lanes >> 2 * i & 3;
}

static void broadcast(uint32_t *out, uint32_t v)
{
	GCN_EACH_LANE
	out[l] = v;
}

/* ---- sources ----------------------------------------------------------- */

static const uint32_t *source32(struct wave *w, const struct wave_op *op,
				unsigned code, union operand *buf)
{
	if (code >= GCN_VGPR)
		return gcn_vector(w, code - GCN_VGPR);
	broadcast(buf->u, gcn_scalar(w, op, code));
	return buf->u;
}

/* A literal is the upper word of a double; of an integer, its lower one. */
static uint64_t wide_scalar(const struct wave *w, const struct wave_op *op,
			    unsigned code)
{
	if (code != GCN_LITERAL)
		return gcn_scalar64(w, op, code);
	return op->bytes & 1 ? (uint64_t)op->literal << 32 : op->literal;
}

static const uint64_t *source64(struct wave *w, const struct wave_op *op,
				unsigned code, union operand *buf)
{
	if (code >= GCN_VGPR) {
		const uint32_t *lo = gcn_vector(w, code - GCN_VGPR);
		const uint32_t *hi = lo + WAVE_LANES;

		GCN_EACH_LANE
		buf->d[l] = (uint64_t)hi[l] << 32 | lo[l];
	} else {
		uint64_t v = wide_scalar(w, op, code);

		GCN_EACH_LANE
		buf->d[l] = v;
	}
	return buf->d;
}

/* Takes the magnitude, then negates. */
static const uint32_t *modify32(const uint32_t *from, bool abs, bool neg,
				union operand *buf)
{
	uint32_t keep = abs ? 0x7fffffff : UINT32_MAX;
	uint32_t flip = neg ? 0x80000000 : 0;

	GCN_EACH_LANE
	buf->u[l] = (from[l] & keep) ^ flip;
	return buf->u;
}

static const uint64_t *modify64(const uint64_t *from, bool abs, bool neg,
				union operand *buf)
{
	uint64_t keep = abs ? INT64_MAX : UINT64_MAX;
	uint64_t flip = neg ? UINT64_C(1) << 63 : 0;

	GCN_EACH_LANE
	buf->d[l] = (from[l] & keep) ^ flip;
	return buf->d;
}

static const void *source(struct wave *w, const struct wave_op *op, unsigned i,
			  unsigned code, union operand *buf)
{
	bool abs = op->mods >> i & 1, neg = op->mods >> (i + 3) & 1;
	const uint32_t *u;
	const uint64_t *d;

	switch (valu_words_of(op, i)) {
	case 1:
		u = source32(w, op, code, buf);
		return abs || neg ? modify32(u, abs, neg, buf) : u;
	case 2:
		d = source64(w, op, code, buf);
		return abs || neg ? modify64(d, abs, neg, buf) : d;
	default:
		return NULL;
	}
}

/* ---- results ----------------------------------------------------------- */

/* The output modifiers: twice, four times, half. */
static const float scales[4] = { 1, 2, 4, 0.5f };

static void finish32(uint32_t *d, unsigned flags, uint32_t mode)
{
	float scale = scales[flags & GCN_FLAG_OMOD];

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		float v = f32_of(d[l]);

		if (scale != 1 && v == v)
			v = f32_of(
				gcn_flush(f32_bits(v * scale),
					  gcn_keeps(mode, GCN_DENORM_OUT_32)));
		if (flags & GCN_FLAG_CLAMP && (v == v || mode & GCN_DX10_CLAMP))
			v = v > 0 ? (v < 1 ? v : 1) : 0;
		d[l] = v == v ? f32_bits(v) : d[l];
	}
}

static void finish64(uint64_t *d, unsigned flags, uint32_t mode)
{
	double scale = (double)scales[flags & GCN_FLAG_OMOD];

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		double v = f64_of(d[l]);

		if (scale != 1 && v == v)
			v *= scale;
		if (flags & GCN_FLAG_CLAMP && (v == v || mode & GCN_DX10_CLAMP))
			v = v > 0 ? (v < 1 ? v : 1) : 0;
		d[l] = v == v ? f64_bits(v) : d[l];
	}
}

static void write64(struct wave *w, unsigned reg, uint64_t exec,
		    const uint64_t *from)
{
	uint32_t half[2][WAVE_LANES];

	GCN_EACH_LANE
	{
		half[0][l] = (uint32_t)from[l];
		half[1][l] = (uint32_t)(from[l] >> 32);
	}
	gcn_write(w, reg, exec, half[0]);
	gcn_write(w, reg + 1, exec, half[1]);
}

static void write_result(struct wave *w, const struct wave_op *op,
			 uint64_t exec, union operand *d, unsigned shape)
{
	bool modified = op->flags & (GCN_FLAG_OMOD | GCN_FLAG_CLAMP) &&
			shape & GCN_SHAPE_FLOAT;

	switch (valu_words_of(op, SOURCES)) {
	case 1:
		if (modified)
			finish32(d->u, op->flags, w->mode);
		gcn_write(w, op->d, exec, d->u);
		break;
	case 2:
		if (modified)
			finish64(d->d, op->flags, w->mode);
		write64(w, op->d, exec, d->d);
		break;
	default:
		break;
	}
}

static void write_mask(struct wave *w, const struct wave_op *op, uint64_t exec,
		       uint64_t mask, unsigned shape)
{
	if (!(shape & GCN_SHAPE_MASK))
		return;
	gcn_set_pair(w, op->d2, mask & exec);
	if (shape & GCN_SHAPE_EXEC)
		gcn_set_pair(w, GCN_EXEC, mask & exec);
}

/* ---- the drivers ------------------------------------------------------- */

void gcn_valu(struct wave *w, const struct wave_op *op)
{
	const struct gcn_exec *row = gcn_exec[op->op];
	uint64_t exec = gcn_mask(w);
	_Alignas(64) union operand buf[SOURCES], d;
	struct gcn_lanes x = { .mode = w->mode, .d = &d, .w = w };

	w->lane_steps += lanes_count(exec);
	if (!exec && !(row->shape & GCN_SHAPE_MASK))
		return;
	x.a = source(w, op, 0, op->a, &buf[0]);
	x.b = source(w, op, 1, op->b, &buf[1]);
	x.c = source(w, op, 2, op->c, &buf[2]);
	if (row->shape & GCN_SHAPE_CARRY)
		x.carry = gcn_scalar64(w, op, op->c);
	if (row->shape & GCN_SHAPE_VCC)
		x.carry = gcn_pair(w, GCN_VCC);
	row->lanes(&x);
	write_result(w, op, exec, &d, row->shape);
	write_mask(w, op, exec, x.mask, row->shape);
}

/* The same of words without modifiers, masks and carries. */
static void valu_plain(struct wave *w, const struct wave_op *op)
{
	uint64_t exec = gcn_mask(w);
	_Alignas(64) union operand buf[SOURCES];
	_Alignas(64) uint32_t d[WAVE_LANES];
	struct gcn_lanes x = { .mode = w->mode, .d = d, .w = w };

	w->lane_steps += lanes_count(exec);
	if (!exec)
		return;
	x.a = source32(w, op, op->a, &buf[0]);
	if (valu_words_of(op, 1))
		x.b = source32(w, op, op->b, &buf[1]);
	if (valu_words_of(op, 2))
		x.c = source32(w, op, op->c, &buf[2]);
	gcn_exec[op->op]->lanes(&x);
	gcn_write(w, op->d, exec, d);
}

wave_fn *gcn_valu_for(const struct wave_op *op)
{
	const struct gcn_exec *row = gcn_exec[op->op];
	const unsigned plain = GCN_SHAPE_FLOAT | GCN_SHAPE_OLD |
			       GCN_SHAPE_LITERAL;

	if (row->shape & ~plain || op->mods || op->flags)
		return gcn_valu;
	for (unsigned i = 0; i <= SOURCES; i++)
		if (valu_words_of(op, i) > 1)
			return gcn_valu;
	return valu_words_of(op, 0) && valu_words_of(op, SOURCES) ? valu_plain :
								    gcn_valu;
}

/* ---- the host's cache -------------------------------------------------- */

enum { LINE_WORDS = 16 };

static void prefetch_registers(const struct wave *w, unsigned reg, unsigned n)
{
	const uint32_t *v = gcn_vector(w, reg);

	for (unsigned i = 0; i < n * WAVE_LANES; i += LINE_WORDS)
		__builtin_prefetch(v + i, 1);
}

static void prefetch_operands(const struct wave *w, const struct wave_op *op)
{
	const uint16_t code[SOURCES] = { op->a, op->b, op->c };

	for (unsigned i = 0; i < SOURCES; i++)
		if (code[i] >= GCN_VGPR && valu_words_of(op, i))
			prefetch_registers(w, code[i] - GCN_VGPR,
					   valu_words_of(op, i));
	prefetch_registers(w, op->d, valu_words_of(op, SOURCES));
}

void gcn_prefetch(const struct wave *w, const struct wave_op *op)
{
	__builtin_prefetch(&w->s[GCN_EXEC]);
	switch (op->unit) {
	case WAVE_VALU:
		prefetch_operands(w, op);
		break;
	case WAVE_LDS:
		prefetch_registers(w, op->a, 1);
		prefetch_registers(w, op->d, 1);
		break;
	case WAVE_VMEM:
		prefetch_registers(w, op->a, 2);
		prefetch_registers(w, op->d, 1);
		break;
	default:
		break;
	}
}

/* ---- moves and selection ----------------------------------------------- */

LANES1(V_MOV_B32, U, U, a)

static void lanes_cndmask(struct gcn_lanes *x)
{
	const uint32_t *a = x->a, *b = x->b;
	uint32_t *d = x->d, take[WAVE_LANES];

	gcn_spread(x->carry, take);
	GCN_EACH_LANE
	d[l] = (b[l] & take[l]) | (a[l] & ~take[l]);
}
const struct gcn_exec gcn_exec_V_CNDMASK_B32 = { .exec = gcn_valu,
						 .lanes = lanes_cndmask,
						 .shape = GCN_SHAPE_CARRY };

static void exec_none(struct wave *w, const struct wave_op *op)
{
	(void)w, (void)op;
}
const struct gcn_exec gcn_exec_V_NOP = { .exec = exec_none };
const struct gcn_exec gcn_exec_V_CLREXCP = { .exec = exec_none };

/* A lane of a source that is a vector register; a scalar as it is. */
static uint32_t lane_of(struct wave *w, const struct wave_op *op, unsigned lane)
{
	return op->a >= GCN_VGPR ? gcn_vector(w, op->a - GCN_VGPR)[lane] :
				   gcn_scalar(w, op, op->a);
}

static void exec_readlane(struct wave *w, const struct wave_op *op)
{
	w->s[op->d] = lane_of(w, op, gcn_scalar(w, op, op->b) % WAVE_LANES);
}
const struct gcn_exec gcn_exec_V_READLANE_B32 = { .exec = exec_readlane };

static void exec_readfirstlane(struct wave *w, const struct wave_op *op)
{
	uint64_t exec = gcn_mask(w);

	w->s[op->d] = lane_of(w, op, exec ? lanes_first(exec) : 0);
}
const struct gcn_exec gcn_exec_V_READFIRSTLANE_B32 = {
	.exec = exec_readfirstlane
};

/* Active or not. */
static void exec_writelane(struct wave *w, const struct wave_op *op)
{
	unsigned lane = gcn_scalar(w, op, op->b) % WAVE_LANES;

	gcn_vector(w, op->d)[lane] = gcn_scalar(w, op, op->a);
}
const struct gcn_exec gcn_exec_V_WRITELANE_B32 = { .exec = exec_writelane };

/* k: bit 0, the source moves by m0; bit 1, the destination does. */
static void exec_valu_movrel(struct wave *w, const struct wave_op *op)
{
	unsigned k = gcn_exec[op->op]->k;
	uint64_t m0 = w->s[GCN_M0], exec = gcn_mask(w);
	uint64_t a = op->a - (uint64_t)GCN_VGPR + (k & 1 ? m0 : 0);
	uint64_t d = op->d + (k & 2 ? m0 : 0);
	uint32_t from[WAVE_LANES];

	w->lane_steps += lanes_count(exec);
	if (d >= w->v_count || (op->a >= GCN_VGPR && a >= w->v_count)) {
		wave_fault(w, FAULT_ILLEGAL, 0, 0,
			   "a vector register moved by m0 = %u does not exist",
			   w->s[GCN_M0]);
		return;
	}
	if (op->a >= GCN_VGPR)
		memcpy(from, gcn_vector(w, (unsigned)a), sizeof(from));
	else
		broadcast(from, gcn_scalar(w, op, op->a));
	gcn_write(w, (unsigned)d, exec, from);
}
const struct gcn_exec gcn_exec_V_MOVRELS_B32 = { .exec = exec_valu_movrel,
						 .k = 1 };
const struct gcn_exec gcn_exec_V_MOVRELD_B32 = { .exec = exec_valu_movrel,
						 .k = 2 };
const struct gcn_exec gcn_exec_V_MOVRELSD_B32 = { .exec = exec_valu_movrel,
						  .k = 3 };

/* ---- sums with a carry ------------------------------------------------- */

#define CARRY_ROW(id, shape_of, sum, carry_of)                           \
	static void lanes_##id(struct gcn_lanes *x)                      \
	{                                                                \
		const uint32_t *pa = x->a, *pb = x->b;                   \
		uint32_t *d = x->d, in[WAVE_LANES];                      \
		uint8_t out[WAVE_LANES];                                 \
                                                                         \
		gcn_spread(x->carry, in);                                \
		GCN_EACH_LANE                                            \
		{                                                        \
			uint32_t a = pa[l], b = pb[l], i = in[l] & 1, r; \
                                                                         \
			(void)i;                                         \
			r = sum;                                         \
			d[l] = r;                                        \
			out[l] = carry_of;                               \
		}                                                        \
		x->mask = gcn_pack(out);                                 \
	}                                                                \
	GCN_VALU_ROW(id, GCN_SHAPE_MASK | (shape_of), #sum)

CARRY_ROW(V_ADD_I32, 0, a + b, r < a)
CARRY_ROW(V_SUB_I32, 0, a - b, b > a)
CARRY_ROW(V_SUBREV_I32, 0, b - a, a > b)
CARRY_ROW(V_ADDC_U32, GCN_SHAPE_CARRY, a + b + i, r < a || (i && r == a))
CARRY_ROW(V_SUBB_U32, GCN_SHAPE_CARRY, a - b - i, b > a || (i && b == a))
CARRY_ROW(V_SUBBREV_U32, GCN_SHAPE_CARRY, b - a - i, a > b || (i && a == b))

/* ---- integers ---------------------------------------------------------- */

static inline int32_t i24(uint32_t a)
{
	return (int32_t)(a << 8) >> 8;
}
static inline uint32_t u24(uint32_t a)
{
	return a & 0xffffff;
}
static inline int64_t i24_product(uint32_t a, uint32_t b)
{
	return (int64_t)i24(a) * i24(b);
}
static inline uint64_t u24_product(uint32_t a, uint32_t b)
{
	return (uint64_t)u24(a) * u24(b);
}

LANES2(V_MUL_I32_I24, U, U, U, i24_product(a, b))
LANES2(V_MUL_HI_I32_I24, U, U, U, i24_product(a, b) >> 32)
LANES2(V_MUL_U32_U24, U, U, U, u24_product(a, b))
LANES2(V_MUL_HI_U32_U24, U, U, U, u24_product(a, b) >> 32)
LANES3(V_MAD_I32_I24, U, U, U, U, (uint32_t)i24_product(a, b) + c)
LANES3(V_MAD_U32_U24, U, U, U, U, (uint32_t)u24_product(a, b) + c)
LANES2(V_MUL_LO_U32, U, U, U, (a * b))
LANES2(V_MUL_LO_I32, U, U, U, (a * b))
LANES2(V_MUL_HI_U32, U, U, U, ((uint64_t)a * b) >> 32)
LANES2(V_MUL_HI_I32, U, U, U, ((int64_t)(int32_t)a * (int32_t)b) >> 32)

static inline uint32_t min_i(uint32_t a, uint32_t b)
{
	return (int32_t)a < (int32_t)b ? a : b;
}
static inline uint32_t max_i(uint32_t a, uint32_t b)
{
	return (int32_t)a > (int32_t)b ? a : b;
}
static inline uint32_t min_u(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}
static inline uint32_t max_u(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

LANES2(V_MIN_I32, U, U, U, min_i(a, b))
LANES2(V_MAX_I32, U, U, U, max_i(a, b))
LANES2(V_MIN_U32, U, U, U, min_u(a, b))
LANES2(V_MAX_U32, U, U, U, max_u(a, b))
LANES3(V_MIN3_I32, U, U, U, U, min_i(min_i(a, b), c))
LANES3(V_MAX3_I32, U, U, U, U, max_i(max_i(a, b), c))
LANES3(V_MED3_I32, U, U, U, U, max_i(min_i(a, b), min_i(max_i(a, b), c)))
LANES3(V_MIN3_U32, U, U, U, U, min_u(min_u(a, b), c))
LANES3(V_MAX3_U32, U, U, U, U, max_u(max_u(a, b), c))
LANES3(V_MED3_U32, U, U, U, U, max_u(min_u(a, b), min_u(max_u(a, b), c)))

LANES2(V_LSHR_B32, U, U, U, a >> (b & 31))
LANES2(V_LSHRREV_B32, U, U, U, b >> (a & 31))
LANES2(V_ASHR_I32, U, U, U, (int32_t)a >> (b & 31))
LANES2(V_ASHRREV_I32, U, U, U, (int32_t)b >> (a & 31))
LANES2(V_LSHL_B32, U, U, U, a << (b & 31))
LANES2(V_LSHLREV_B32, U, U, U, b << (a & 31))
LANES2(V_LSHL_B64, D, D, U, a << (b & 63))
LANES2(V_LSHR_B64, D, D, U, a >> (b & 63))
LANES2(V_ASHR_I64, D, D, U, (int64_t)a >> (b & 63))
LANES2(V_AND_B32, U, U, U, (a & b))
LANES2(V_OR_B32, U, U, U, a | b)
LANES2(V_XOR_B32, U, U, U, a ^ b)
LANES1(V_NOT_B32, U, U, ~a)

/* So many ones. */
static inline uint32_t valu_ones(uint32_t n)
{
	return (UINT32_C(1) << (n & 31)) - 1;
}

LANES2(V_BFM_B32, U, U, U, valu_ones(a) << (b & 31))
LANES3(V_BFE_U32, U, U, U, U, a >> (b & 31) & valu_ones(c))

static inline uint32_t signed_field(uint32_t a, uint32_t place, uint32_t width)
{
	uint32_t left = 32 - (place & 31), n = width & 31;

	n = n < left ? n : left;
	return n ? (uint32_t)((int32_t)(a >> (place & 31) << (32 - n)) >>
			      (32 - n)) :
		   0;
}
LANES3(V_BFE_I32, U, U, U, U, signed_field(a, b, c))
LANES3(V_BFI_B32, U, U, U, U, (a & b) | (~a & c))
LANES3(V_ALIGNBIT_B32, U, U, U, U, ((uint64_t)a << 32 | b) >> (c & 31))
LANES3(V_ALIGNBYTE_B32, U, U, U, U, ((uint64_t)a << 32 | b) >> 8 * (c & 3))

static inline uint32_t count_ones(uint32_t a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f;
	return a * 0x01010101 >> 24;
}
static inline uint32_t reversed(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24;
}
static inline uint32_t leading_zeros(uint32_t a)
{
	return a ? (uint32_t)__builtin_clz(a) : UINT32_MAX;
}

LANES2(V_BCNT_U32_B32, U, U, U, count_ones(a) + b)
LANES2(V_MBCNT_LO_U32_B32, U, U, U,
       count_ones(a &(l < 32 ? valu_ones(l) : UINT32_MAX)) + b)
LANES2(V_MBCNT_HI_U32_B32, U, U, U,
       count_ones(a &(l < 32 ? 0 : valu_ones(l - 32))) + b)
LANES1(V_BFREV_B32, U, U, reversed(a))
LANES1(V_FFBH_U32, U, U, leading_zeros(a))
LANES1(V_FFBL_B32, U, U, a ? (uint32_t)__builtin_ctz(a) : UINT32_MAX)
LANES1(V_FFBH_I32, U, U, leading_zeros((int32_t)a < 0 ? ~a : a))

/* ---- bytes ------------------------------------------------------------- */

static inline uint32_t byte_of(uint32_t a, unsigned i)
{
	return a >> 8 * i & 0xff;
}
static inline uint32_t valu_distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}
static inline uint32_t lerp_byte(uint32_t a, uint32_t b, uint32_t c, unsigned i)
{
	return (byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1)) >>
	       1 << 8 * i;
}
static inline uint32_t sad_byte(uint32_t a, uint32_t b, unsigned i)
{
	return valu_distance(byte_of(a, i), byte_of(b, i));
}
static inline uint32_t sad(uint32_t a, uint32_t b)
{
	return sad_byte(a, b, 0) + sad_byte(a, b, 1) + sad_byte(a, b, 2) +
	       sad_byte(a, b, 3);
}
/* Bytes of b that are 0 are left out. */
static inline uint32_t masked_byte(uint32_t a, uint32_t b, unsigned i)
{
	return byte_of(b, i) ? sad_byte(a, b, i) : 0;
}
static inline uint32_t masked_sad(uint32_t a, uint32_t b)
{
	return masked_byte(a, b, 0) + masked_byte(a, b, 1) +
	       masked_byte(a, b, 2) + masked_byte(a, b, 3);
}
static inline uint64_t masked_sad4(uint64_t a, uint32_t b, uint64_t c)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t sum = masked_sad((uint32_t)(a >> 8 * i), b) +
			       (c >> 16 * i & 0xffff);

		r |= (sum & 0xffff) << 16 * i;
	}
	return r;
}

LANES3(V_LERP_U8, U, U, U, U,
       lerp_byte(a, b, c, 0) | lerp_byte(a, b, c, 1) | lerp_byte(a, b, c, 2) |
	       lerp_byte(a, b, c, 3))
LANES3(V_SAD_U8, U, U, U, U, sad(a, b) + c)
LANES3(V_SAD_HI_U8, U, U, U, U, (sad(a, b) << 16) + c)
LANES3(V_SAD_U16, U, U, U, U,
       valu_distance(a & 0xffff, b & 0xffff) + valu_distance(a >> 16, b >> 16) +
	       c)
LANES3(V_SAD_U32, U, U, U, U, valu_distance(a, b) + c)
LANES3(V_MSAD_U8, U, U, U, U, masked_sad(a, b) + c)
LANES3(V_MQSAD_PK_U16_U8, D, D, U, D, masked_sad4(a, b, c))

static inline uint32_t clamp_i16(uint32_t a)
{
	int32_t v = (int32_t)a;

	return (uint32_t)(v < INT16_MIN ? INT16_MIN :
			  v > INT16_MAX ? INT16_MAX :
					  v) &
	       0xffff;
}
LANES2(V_CVT_PK_U16_U32, U, U, U, min_u(a, 0xffff) | min_u(b, 0xffff) << 16)
LANES2(V_CVT_PK_I16_I32, U, U, U, clamp_i16(a) | clamp_i16(b) << 16)
