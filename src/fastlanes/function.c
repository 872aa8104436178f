/*
 * What instructions compute. The results of lanes are in op.def; here is what
 * needs predicates, memory or other lanes.
 */
#include <string.h>

#include "base/fp.h"
#include "fastlanes/machine.h"
#include "simt/exchange.h"
#include "simt/lane.h"
#include "simt/lane_cvt.h"
#include "simt/lane_int.h"
#include "simt/lane_sfu.h"

#define U(x) f32_bits(x)
#define F(x) f32_of(x)

/* ---- modifiers --------------------------------------------------------- */

static unsigned fl_lane_mods(unsigned mod)
{
	return (mod & 3) | (mod & FL_MOD_FTZ ? M_FTZ : 0) |
	       (mod & FL_MOD_SAT ? M_SAT : 0);
}

static unsigned fl_minmax(unsigned mod)
{
	return (mod & FL_MOD_FTZ ? M_FTZ : 0) | (mod & FL_MOD_NAN ? M_NAN : 0);
}

static unsigned fl_cvt(unsigned mod)
{
	return (mod & 3) | (mod & FL_MOD_FTZ ? M_FTZ : 0);
}

static float fl_mufu(unsigned fn, float a)
{
	switch (fn) {
	case FL_FN_RCP:
		return sfu_rcp(a);
	case FL_FN_RSQ:
		return sfu_rsq(a);
	case FL_FN_SQRT:
		return sfu_sqrt(a);
	case FL_FN_LG2:
		return sfu_lg2(a);
	case FL_FN_EX2:
		return sfu_ex2(a);
	case FL_FN_TANH:
		return sfu_tanh(a);
	case FL_FN_SIN:
		return sfu_sin(a);
	default:
		return sfu_cos(a);
	}
}

/* ---- operands ---------------------------------------------------------- */

static uint32_t pred_read(const struct fl_warp *w, unsigned p)
{
	uint32_t v = w->pred[p & 7];

	return p & FL_PRED_NOT ? ~v : v;
}

static void pred_write(struct fl_warp *w, unsigned p, uint32_t lanes,
		       uint32_t v)
{
	if (p != FL_PT)
		w->pred[p] = (w->pred[p] & ~lanes) | (v & lanes);
}

static uint32_t operand_b(const struct fl_warp *w, const struct fl_inst *in,
			  unsigned lane)
{
	return in->imm ? in->b : w->reg[in->b][lane];
}

static void put_lanes(struct fl_warp *w, unsigned d, uint32_t lanes,
		      const uint32_t v[FL_LANES])
{
	for (unsigned l = 0; l < FL_LANES; l++)
		if (lanes >> l & 1)
			w->reg[d][l] = v[l];
}

/* ---- instructions ------------------------------------------------------ */

/* Instructions whose results op.def states, for all lanes; others have none. */
static void fl_results(const struct fl_inst *in, const uint32_t *ra,
		       const uint32_t *rb, const uint32_t *rc, uint32_t *out)
{
	const unsigned mod = in->mod, m = fl_lane_mods(mod);

	(void)m;
	switch (in->op) {
#define NONE 0
#define FL_OP(code, id, name, operands, modifiers, unit, result, about) \
	case FL_##id:                                                   \
		for (int l = 0; l < FL_LANES; l++) {                    \
			const uint32_t a = ra[l], b = rb[l], c = rc[l]; \
			(void)a, (void)b, (void)c;                      \
			out[l] = result;                                \
		}                                                       \
		return;
#include "isa/fastlanes/op.def"
#undef NONE
	default:
		return;
	}
}

static void do_lanes(struct fl_warp *w, const struct fl_inst *in,
		     uint32_t lanes)
{
	uint32_t b[FL_LANES], out[FL_LANES];

	for (unsigned l = 0; l < FL_LANES; l++)
		b[l] = operand_b(w, in, l);
	fl_results(in, w->reg[in->a], b, w->reg[in->c], out);
	put_lanes(w, in->d, lanes, out);
}

static void do_add(struct fl_warp *w, const struct fl_inst *in, uint32_t lanes)
{
	uint32_t carry = 0, flip = in->op == FL_ISUB ? ~0u : 0;

	for (unsigned l = 0; l < FL_LANES; l++) {
		uint64_t plus = in->mod & FL_MOD_CI ? w->pred[in->c] >> l & 1 :
						      flip & 1;
		uint64_t sum = (uint64_t)w->reg[in->a][l] +
			       (operand_b(w, in, l) ^ flip) + plus;

		carry |= (uint32_t)(sum >> 32) << l;
		if (lanes >> l & 1)
			w->reg[in->d][l] = (uint32_t)sum;
	}
	if (in->mod & FL_MOD_CO)
		pred_write(w, in->c, lanes, carry);
}

static bool int_compare(unsigned mod, uint32_t a, uint32_t b)
{
	bool less = mod & FL_MOD_CMP_S ? (int32_t)a < (int32_t)b : a < b;

	switch (mod & 7) {
	case FL_EQ:
		return a == b;
	case FL_NE:
		return a != b;
	case FL_LT:
		return less;
	case FL_LE:
		return less || a == b;
	case FL_GT:
		return !less && a != b;
	default:
		return !less;
	}
}

/* An unordered comparison holds for NaNs, too. */
static bool float_compare(unsigned mod, uint32_t x, uint32_t y)
{
	unsigned m = mod & FL_MOD_CMP_FTZ ? M_FTZ : 0, cmp = mod & 15;
	float a = f32_ftz(F(x), m), b = f32_ftz(F(y), m);
	bool un = a != a || b != b;

	if (cmp >= FL_NUM)
		return cmp == FL_NUM ? !un : un;
	if (un)
		return cmp >= FL_UNORDERED;
	switch (cmp % FL_UNORDERED) {
	case FL_EQ:
		return a == b;
	case FL_NE:
		return a != b;
	case FL_LT:
		return a < b;
	case FL_LE:
		return a <= b;
	case FL_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static void do_compare(struct fl_warp *w, const struct fl_inst *in,
		       uint32_t lanes)
{
	uint32_t out = 0;

	for (unsigned l = 0; l < FL_LANES; l++) {
		uint32_t a = w->reg[in->a][l], b = operand_b(w, in, l);
		bool holds = in->op == FL_ISETP ? int_compare(in->mod, a, b) :
						  float_compare(in->mod, a, b);

		out |= (uint32_t)holds << l;
	}
	pred_write(w, in->d, lanes, out);
}

static void do_combine(struct fl_warp *w, const struct fl_inst *in,
		       uint32_t lanes)
{
	uint32_t a = pred_read(w, in->a), c = pred_read(w, in->c);

	pred_write(w, in->d, lanes,
		   in->mod == FL_BOOL_AND ? a & c :
		   in->mod == FL_BOOL_OR  ? a | c :
					    a ^ c);
}

static void do_select(struct fl_warp *w, const struct fl_inst *in,
		      uint32_t lanes)
{
	uint32_t p = pred_read(w, in->c);

	for (unsigned l = 0; l < FL_LANES; l++)
		if (lanes >> l & 1)
			w->reg[in->d][l] = p >> l & 1 ? w->reg[in->a][l] :
							operand_b(w, in, l);
}

static uint32_t sreg_read(const struct fl_machine *m, const struct fl_sm *sm,
			  const struct fl_warp *w, unsigned sreg, unsigned lane)
{
	const struct fl_block *b = &sm->block[w->block];
	uint32_t bit = 1u << lane;

	switch (sreg) {
	case FL_SREG_CTAID_X:
	case FL_SREG_CTAID_Y:
	case FL_SREG_CTAID_Z:
		return b->id[sreg - FL_SREG_CTAID_X];
	case FL_SREG_NTID_X:
	case FL_SREG_NTID_Y:
	case FL_SREG_NTID_Z:
		return m->l->block[sreg - FL_SREG_NTID_X];
	case FL_SREG_NCTAID_X:
	case FL_SREG_NCTAID_Y:
	case FL_SREG_NCTAID_Z:
		return m->l->grid[sreg - FL_SREG_NCTAID_X];
	case FL_SREG_LANEID:
		return lane;
	case FL_SREG_WARPID:
		return w->index;
	case FL_SREG_LANEMASK_EQ:
		return bit;
	case FL_SREG_LANEMASK_LT:
		return bit - 1;
	case FL_SREG_LANEMASK_LE:
		return bit | (bit - 1);
	case FL_SREG_LANEMASK_GT:
		return ~(bit | (bit - 1));
	default:
		return ~(bit - 1);
	}
}

static void do_read(const struct fl_machine *m, const struct fl_sm *sm,
		    struct fl_warp *w, const struct fl_inst *in, uint32_t lanes)
{
	uint32_t v[FL_LANES], word = 0;

	/* The last word may be cut: parameters end where they end. */
	for (unsigned i = 0; in->op == FL_LDP && i < 4; i++)
		if (in->b + i < m->l->kernel->param_bytes)
			word |= (uint32_t)m->l->params[in->b + i] << 8 * i;
	for (unsigned l = 0; l < FL_LANES; l++)
		v[l] = in->op == FL_LDP ? word : sreg_read(m, sm, w, in->b, l);
	put_lanes(w, in->d, lanes, v);
}

static void do_ballot(struct fl_warp *w, const struct fl_inst *in,
		      uint32_t lanes)
{
	uint32_t v[FL_LANES], mask = pred_read(w, in->c) & lanes;

	for (unsigned l = 0; l < FL_LANES; l++)
		v[l] = mask;
	put_lanes(w, in->d, lanes, v);
}

static void do_shuffle(struct fl_warp *w, const struct fl_inst *in,
		       uint32_t lanes)
{
	static const enum shfl_mode modes[] = { SHFL_UP, SHFL_DOWN, SHFL_BFLY,
						SHFL_IDX };
	uint32_t a[FL_LANES], b[FL_LANES], out[FL_LANES], inside;

	for (unsigned l = 0; l < FL_LANES; l++) {
		a[l] = lanes >> l & 1 ? w->reg[in->a][l] : 0;
		b[l] = operand_b(w, in, l);
	}
	inside = (uint32_t)lanes_shuffle(modes[in->mod & 3], a, b,
					 w->reg[in->c], out);
	put_lanes(w, in->d, lanes, out);
	pred_write(w, in->mod >> 2, lanes, inside);
}

/* ---- memory ------------------------------------------------------------ */

static const uint8_t width_bytes[] = { 4, 1, 1, 2, 2 };

/* The place of an access in its memory; NULL: a fault, which is recorded. */
static uint8_t *find_byte(struct fl_machine *m, struct fl_sm *sm,
			  const struct fl_warp *w, const struct fl_inst *in,
			  unsigned lane, uint32_t *physical)
{
	uint32_t at = in->b + (in->mod & FL_MOD_ABS ? 0 : w->reg[in->a][lane]);
	uint32_t bytes = width_bytes[in->mod & 7];
	const struct fl_block *b = &sm->block[w->block];
	bool shared = in->op == FL_LDS || in->op == FL_STS;
	bool local = in->op == FL_LDL || in->op == FL_STL;
	uint32_t size = shared ? m->shared_of_block :
			local  ? 4 * m->local_words :
				 FL_MEMORY_BYTES;
	bool inside = at < size && bytes <= size - at &&
		      (shared || local || at >= FL_DATA_BASE);

	if (!inside || at % bytes) {
		m->fault = (struct fl_fault){
			.kind = inside ? FL_FAULT_MISALIGNED : FL_FAULT_ADDRESS,
			.block = { b->id[0], b->id[1], b->id[2] },
			.warp = w->index,
			.lane = lane,
			.pc = fl_stack_pc(w),
			.address = at,
		};
		return NULL;
	}
	*physical = at;
	if (shared)
		return sm->shared + b->shared_at + at;
	if (local) {
		uint32_t slot =
			sm->number * m->c->warps + (uint32_t)(w - sm->warp);

		*physical = m->l->local_base +
			    ((slot * m->local_words + at / 4) * FL_LANES +
			     lane) * 4 +
			    at % 4;
	}
	return m->l->memory + *physical;
}

static uint32_t load_bytes(const uint8_t *from, unsigned width)
{
	uint32_t v = from[0];

	if (width_bytes[width] > 1)
		v |= (uint32_t)from[1] << 8;
	if (width_bytes[width] > 2)
		v |= (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
	if (width == FL_S8)
		return (uint32_t)(int32_t)(int8_t)v;
	return width == FL_S16 ? (uint32_t)(int32_t)(int16_t)v : v;
}

static void store_bytes(uint8_t *to, unsigned width, uint32_t v)
{
	for (unsigned i = 0; i < width_bytes[width]; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

/* The lines that the lanes touch, in the order of the lanes. */
static void fl_coalesce(struct fl_access *a, const uint32_t at[],
			uint32_t lanes)
{
	for (unsigned l = 0; l < FL_LANES; l++) {
		uint32_t line = at[l] / FL_SEGMENT, i = 0;

		if (!(lanes >> l & 1))
			continue;
		while (i < a->count && a->segment[i] != line)
			i++;
		if (i == a->count)
			a->segment[a->count++] = line;
	}
}

/* The greatest number of different words in a bank. */
static void find_conflicts(struct fl_access *a, const uint32_t at[],
			   uint32_t lanes)
{
	uint8_t words[FL_BANKS] = { 0 };

	for (unsigned l = 0; l < FL_LANES; l++) {
		uint32_t word = at[l] / 4, seen = 0;

		if (!(lanes >> l & 1))
			continue;
		for (unsigned k = 0; k < l; k++)
			seen |= (lanes >> k & 1) && at[k] / 4 == word;
		if (!seen && ++words[word % FL_BANKS] > a->count)
			a->count = words[word % FL_BANKS];
	}
}

static bool do_memory(struct fl_machine *m, struct fl_sm *sm, struct fl_warp *w,
		      const struct fl_inst *in, uint32_t lanes,
		      struct fl_access *a)
{
	bool load = in->op == FL_LDG || in->op == FL_LDS || in->op == FL_LDL;
	unsigned width = in->mod & 7;
	uint32_t at[FL_LANES] = { 0 };

	*a = (struct fl_access){ .shared = in->op == FL_LDS || in->op == FL_STS,
				 .load = load };
	for (unsigned l = 0; l < FL_LANES; l++) {
		uint8_t *byte;

		if (!(lanes >> l & 1))
			continue;
		byte = find_byte(m, sm, w, in, l, &at[l]);
		if (!byte)
			return false;
		if (load)
			w->reg[in->d][l] = load_bytes(byte, width);
		else
			store_bytes(byte, width, w->reg[in->c][l]);
	}
	if (a->shared)
		find_conflicts(a, at, lanes);
	else
		fl_coalesce(a, at, lanes);
	return true;
}

static bool do_trap(struct fl_machine *m, const struct fl_sm *sm,
		    const struct fl_warp *w, uint32_t lanes)
{
	const struct fl_block *b = &sm->block[w->block];

	if (!lanes)
		return true;
	m->fault = (struct fl_fault){ .kind = FL_FAULT_TRAP,
				      .block = { b->id[0], b->id[1], b->id[2] },
				      .warp = w->index,
				      .lane = (uint32_t)__builtin_ctz(lanes),
				      .pc = fl_stack_pc(w) };
	return false;
}

bool fl_execute(struct fl_machine *m, struct fl_sm *sm, struct fl_warp *w,
		const struct fl_decoded *d, uint32_t lanes,
		struct fl_access *access)
{
	const struct fl_inst *in = &d->in;

	switch (in->op) {
	case FL_IADD:
	case FL_ISUB:
		do_add(w, in, lanes);
		return true;
	case FL_ISETP:
	case FL_FSETP:
		do_compare(w, in, lanes);
		return true;
	case FL_PLOP:
		do_combine(w, in, lanes);
		return true;
	case FL_SEL:
		do_select(w, in, lanes);
		return true;
	case FL_S2R:
	case FL_LDP:
		do_read(m, sm, w, in, lanes);
		return true;
	case FL_SHFL:
		do_shuffle(w, in, lanes);
		return true;
	case FL_BALLOT:
		do_ballot(w, in, lanes);
		return true;
	case FL_TRAP:
		return do_trap(m, sm, w, lanes);
	case FL_NOP:
	case FL_BRA:
	case FL_EXIT:
	case FL_BAR:
		return true;
	default:
		if (fl_ops[in->op].unit == FL_UNIT_MEM)
			return do_memory(m, sm, w, in, lanes, access);
		do_lanes(w, in, lanes);
		return true;
	}
}
