/*
 * The local data share of a work-group.
 *
 * Lanes act in the order of their numbers. An access outside of what the
 * work-group has allocated is a fault, where hardware would read 0; so is one that
 * is not a multiple of its size.
 */
#include "isa/gcn/exec.h"
#include "simt/wave_mem.h"

/* Of gcn_exec.k: 8 bytes rather than 4; the operation is in the rest. */
enum { WIDE = 0x80, ST64 = 0x40, BYTES = 0x3f };

#define ROW(id, fn, n) \
	const struct gcn_exec gcn_exec_##id = { .exec = fn, .k = n };

/* ---- addresses --------------------------------------------------------- */

struct ds_places {
	uint32_t at[WAVE_LANES]; /* of inactive lanes 0 */
	uint64_t mask;
};

static void fault(struct wave *w, const struct ds_places *p, uint32_t bytes)
{
	for (uint64_t m = p->mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		uint32_t at = p->at[l], size = w->group->lds_bytes;

		if (bytes > size || at > size - bytes) {
			wave_fault(w, FAULT_SHARED, l, at,
				   "local address 0x%x, %u bytes: the "
				   "work-group has %u",
				   at, bytes, size);
			return;
		}
		if (at & (bytes - 1)) {
			wave_fault(w, FAULT_MISALIGNED, l, at,
				   "local address 0x%x: not a multiple of %u",
				   at, bytes);
			return;
		}
	}
}

/* Whether all active lanes may access their bytes. */
static bool check(struct wave *w, const struct ds_places *p, uint32_t bytes)
{
	uint32_t size = w->group->lds_bytes, most = 0, bits = 0;

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		most = p->at[l] > most ? p->at[l] : most;
		bits |= p->at[l];
	}
	if (size >= bytes && most <= size - bytes && !(bits & (bytes - 1)))
		return true;
	if (p->mask)
		fault(w, p, bytes);
	return false;
}

static void place(struct ds_places *p, const struct wave *w,
		  const struct wave_op *op, uint32_t offset)
{
	const uint32_t *a = gcn_vector(w, op->a);
	uint32_t lanes[WAVE_LANES];

	p->mask = gcn_mask(w);
	if (!~p->mask) {
		GCN_EACH_LANE
		p->at[l] = a[l] + offset;
		return;
	}
	gcn_spread(p->mask, lanes);
	GCN_EACH_LANE
	p->at[l] = (a[l] + offset) & lanes[l];
}

/* Counts the active lanes. */
static void ds_count(struct wave *w)
{
	w->lane_steps += lanes_count(gcn_mask(w));
}

static void note(struct wave *w, const struct ds_places *p, uint32_t bytes,
		 bool write)
{
	struct wave_effect *e = w->effect;

	if (!w->tells || !p->mask)
		return;
	e->space = WAVE_SHARED;
	e->write = write;
	e->is_atomic = e->returns = e->pairs = e->coherent = false;
	e->invalidate = e->image = false;
	e->bytes = bytes;
	e->mask = p->mask;
	memcpy(e->shared[0], p->at, sizeof(p->at));
}

/* ---- loads ------------------------------------------------------------- */

static uint32_t ds_extend(uint32_t v, unsigned bytes, bool is_signed)
{
	unsigned up = 32 - 8 * bytes;

	return is_signed ? (uint32_t)((int32_t)(v << up) >> up) : v;
}

/* Word `word` of each active lane's place, to a register. */
static void ds_gather(struct wave *w, unsigned reg, const struct ds_places *p,
		      unsigned word)
{
	const char *lds = w->group->lds + 4 * word;
	bool all = !(p->mask + 1);
	uint32_t some[WAVE_LANES], *to = all ? gcn_vector(w, reg) : some;

	GCN_EACH_LANE
	memcpy(&to[l], lds + p->at[l], 4);
	if (!all)
		gcn_write(w, reg, p->mask, some);
}

static void exec_read_words(struct wave *w, const struct wave_op *op)
{
	unsigned bytes = gcn_exec[op->op]->k;
	struct ds_places p;

	ds_count(w);
	place(&p, w, op, op->imm);
	if (!check(w, &p, bytes))
		return;
	note(w, &p, bytes, false);
	for (unsigned i = 0; i < bytes / 4; i++)
		ds_gather(w, op->d + i, &p, i);
}
ROW(DS_READ_B32, exec_read_words, 4)
ROW(DS_READ_B64, exec_read_words, 8)

/* k: bytes; WIDE: of a signed number. */
static void exec_ds_read(struct wave *w, const struct wave_op *op)
{
	unsigned k = gcn_exec[op->op]->k, bytes = k & BYTES;
	struct ds_places p;
	uint32_t out[WAVE_LANES] = { 0 };

	ds_count(w);
	place(&p, w, op, op->imm);
	if (!check(w, &p, bytes))
		return;
	for (uint64_t m = p.mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);

		memcpy(&out[l], w->group->lds + p.at[l], bytes);
		out[l] = ds_extend(out[l], bytes, k & WIDE);
	}
	note(w, &p, bytes, false);
	gcn_write(w, op->d, p.mask, out);
}
ROW(DS_READ_I8, exec_ds_read, 1 | WIDE)
ROW(DS_READ_U8, exec_ds_read, 1)
ROW(DS_READ_I16, exec_ds_read, 2 | WIDE)
ROW(DS_READ_U16, exec_ds_read, 2)

/* The two places of an instruction with two offsets, in units of its size. */
static bool place_two(struct ds_places p[2], struct wave *w,
		      const struct wave_op *op, unsigned bytes)
{
	uint32_t unit = gcn_exec[op->op]->k & ST64 ? 64 * bytes : bytes;

	ds_count(w);
	place(&p[0], w, op, op->imm * unit);
	place(&p[1], w, op, op->literal * unit);
	return check(w, &p[0], bytes) && check(w, &p[1], bytes);
}

static void note_two(struct wave *w, const struct ds_places p[2],
		     uint32_t bytes, bool write)
{
	note(w, &p[0], bytes, write);
	if (!w->tells)
		return;
	w->effect->pairs = true;
	memcpy(w->effect->shared[1], p[1].at, sizeof(p[1].at));
}

static void exec_read2(struct wave *w, const struct wave_op *op)
{
	unsigned bytes = gcn_exec[op->op]->k & BYTES, words = bytes / 4;
	struct ds_places p[2];

	if (!place_two(p, w, op, bytes))
		return;
	note_two(w, p, bytes, false);
	for (unsigned i = 0; i < 2 * words; i++)
		ds_gather(w, op->d + i, &p[i / words], i % words);
}
ROW(DS_READ2_B32, exec_read2, 4)
ROW(DS_READ2_B64, exec_read2, 8)
ROW(DS_READ2ST64_B32, exec_read2, 4 | ST64)
ROW(DS_READ2ST64_B64, exec_read2, 8 | ST64)

/* ---- stores ------------------------------------------------------------ */

static uint64_t ds_data_of(const struct wave *w, unsigned reg, unsigned lane,
			   bool wide)
{
	const uint32_t *v = gcn_vector(w, reg);

	return v[lane] | (wide ? (uint64_t)v[WAVE_LANES + lane] << 32 : 0);
}

static void store(struct wave *w, const struct ds_places *p, unsigned reg,
		  unsigned bytes)
{
	for (uint64_t m = p->mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		uint64_t v = ds_data_of(w, reg, l, bytes == 8);

		memcpy(w->group->lds + p->at[l], &v, bytes);
	}
}

static void exec_ds_write(struct wave *w, const struct wave_op *op)
{
	unsigned bytes = gcn_exec[op->op]->k;
	struct ds_places p;

	ds_count(w);
	place(&p, w, op, op->imm);
	if (!check(w, &p, bytes))
		return;
	store(w, &p, op->b, bytes);
	note(w, &p, bytes, true);
}
ROW(DS_WRITE_B8, exec_ds_write, 1)
ROW(DS_WRITE_B16, exec_ds_write, 2)
ROW(DS_WRITE_B32, exec_ds_write, 4)
ROW(DS_WRITE_B64, exec_ds_write, 8)

static void exec_write2(struct wave *w, const struct wave_op *op)
{
	unsigned bytes = gcn_exec[op->op]->k & BYTES;
	struct ds_places p[2];

	if (!place_two(p, w, op, bytes))
		return;
	store(w, &p[0], op->b, bytes);
	store(w, &p[1], op->c, bytes);
	note_two(w, p, bytes, true);
}
ROW(DS_WRITE2_B32, exec_write2, 4)
ROW(DS_WRITE2_B64, exec_write2, 8)
ROW(DS_WRITE2ST64_B32, exec_write2, 4 | ST64)
ROW(DS_WRITE2ST64_B64, exec_write2, 8 | ST64)

/* ---- atomics ----------------------------------------------------------- */

/* Replaces what is at the host's address; returns what was there. */
static uint64_t replace(char *at, enum wave_atomic_op op, bool wide, uint64_t b,
			uint64_t c)
{
	unsigned bytes = wide ? 8 : 4;
	uint64_t old = 0, v;

	memcpy(&old, at, bytes);
	v = wave_atomic_value(op, wide, old, b, c);
	memcpy(at, &v, bytes);
	return old;
}

/* The second data operand is what a comparison writes, and what a masked
 * replacement sets. */
static uint64_t ds_apply(struct wave *w, const struct wave_op *op,
			 enum wave_atomic_op what, bool wide, char *at,
			 unsigned lane)
{
	uint64_t b = ds_data_of(w, op->b, lane, wide), c = 0;

	if (what == WAVE_CMPSWAP || what == WAVE_FCMPSWAP ||
	    what == WAVE_MSKOR) {
		c = b;
		b = ds_data_of(w, op->c, lane, wide);
	}
	return replace(at, what, wide, b, c);
}

static bool returns(const struct wave_op *op)
{
	return gcn_rows[op->op].operands[0] == 'D';
}

static void write_old(struct wave *w, const struct wave_op *op, unsigned reg,
		      uint64_t mask, const uint64_t *old, bool wide)
{
	uint32_t half[2][WAVE_LANES];

	if (!returns(op))
		return;
	GCN_EACH_LANE
	{
		half[0][l] = (uint32_t)old[l];
		half[1][l] = (uint32_t)(old[l] >> 32);
	}
	gcn_write(w, reg, mask, half[0]);
	if (wide)
		gcn_write(w, reg + 1, mask, half[1]);
}

static void note_atomic(struct wave *w, const struct wave_op *op)
{
	if (!w->tells)
		return;
	w->effect->is_atomic = true;
	w->effect->returns = returns(op);
}

static void exec_ds_atomic(struct wave *w, const struct wave_op *op)
{
	unsigned k = gcn_exec[op->op]->k;
	bool wide = k & WIDE;
	enum wave_atomic_op what = (enum wave_atomic_op)(k & BYTES);
	struct ds_places p;
	uint64_t old[WAVE_LANES] = { 0 };

	ds_count(w);
	place(&p, w, op, op->imm);
	if (!check(w, &p, wide ? 8 : 4))
		return;
	for (uint64_t m = p.mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);

		old[l] =
			ds_apply(w, op, what, wide, w->group->lds + p.at[l], l);
	}
	note(w, &p, wide ? 8 : 4, true);
	note_atomic(w, op);
	write_old(w, op, op->d, p.mask, old, wide);
}

static void exec_exchange2(struct wave *w, const struct wave_op *op)
{
	unsigned bytes = gcn_exec[op->op]->k & BYTES;
	bool wide = bytes == 8;
	struct ds_places p[2];
	uint64_t old[2][WAVE_LANES] = { { 0 } };

	if (!place_two(p, w, op, bytes))
		return;
	for (uint64_t m = p[0].mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);

		for (unsigned i = 0; i < 2; i++)
			old[i][l] = replace(
				w->group->lds + p[i].at[l], WAVE_SWAP, wide,
				ds_data_of(w, i ? op->c : op->b, l, wide), 0);
	}
	note_two(w, p, bytes, true);
	note_atomic(w, op);
	write_old(w, op, op->d, p[0].mask, old[0], wide);
	write_old(w, op, op->d + bytes / 4, p[0].mask, old[1], wide);
}
ROW(DS_WRXCHG2_RTN_B32, exec_exchange2, 4)
ROW(DS_WRXCHG2_RTN_B64, exec_exchange2, 8)
ROW(DS_WRXCHG2ST64_RTN_B32, exec_exchange2, 4 | ST64)
ROW(DS_WRXCHG2ST64_RTN_B64, exec_exchange2, 8 | ST64)

/* The operand is itself in the data share, as many words from the address as the
 * offset says: a signed number of 7 and 8 bits, or, where its top bit is 1, of
 * the address's own upper bits. */
static uint32_t operand_distance(const struct wave_op *op, uint32_t base)
{
	uint32_t low = op->imm & 0xff, high = op->imm >> 8;

	if (high & 0x80)
		return 4 * (uint32_t)((int32_t)base >> 17);
	return 4 * (uint32_t)((int32_t)((high << 8 | low) << 17) >> 17);
}

static void exec_src2(struct wave *w, const struct wave_op *op)
{
	const uint32_t *a = gcn_vector(w, op->a);
	unsigned k = gcn_exec[op->op]->k;
	bool wide = k & WIDE;
	struct ds_places to, from;

	ds_count(w);
	place(&to, w, op, 0);
	from.mask = to.mask;
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		bool active = to.mask >> l & 1;

		to.at[l] = active ? a[l] & 0x1ffff : 0;
		from.at[l] = active ? to.at[l] + operand_distance(op, a[l]) : 0;
	}
	if (!check(w, &to, wide ? 8 : 4) || !check(w, &from, wide ? 8 : 4))
		return;
	for (uint64_t m = to.mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		uint64_t b = 0;

		memcpy(&b, w->group->lds + from.at[l], wide ? 8 : 4);
		replace(w->group->lds + to.at[l],
			(enum wave_atomic_op)(k & BYTES), wide, b, 0);
	}
	note(w, &to, wide ? 8 : 4, true);
	note_atomic(w, op);
}

/* ---- lanes that exchange values ---------------------------------------- */

/* The lane that lane l reads from: of groups of four by two bits each, or of 32
 * by and, or, exclusive or. */
static unsigned swizzled(uint32_t pattern, unsigned l)
{
	if (pattern & 0x8000)
		return (l & ~3u) | (pattern >> 2 * (l & 3) & 3);
	return (l & 32) | ((((l & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^
			   (pattern >> 10 & 31));
}

/* An inactive lane gives 0. */
static void exec_swizzle(struct wave *w, const struct wave_op *op)
{
	const uint32_t *a = gcn_vector(w, op->a);
	uint64_t mask = gcn_mask(w);
	uint32_t out[WAVE_LANES];

	w->lane_steps += lanes_count(mask);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		unsigned from = swizzled(op->imm, l);

		out[l] = mask >> from & 1 ? a[from] : 0;
	}
	gcn_write(w, op->d, mask, out);
}
ROW(DS_SWIZZLE_B32, exec_swizzle, 0)

ROW(DS_ADD_U32, exec_ds_atomic, WAVE_ADD)
ROW(DS_SUB_U32, exec_ds_atomic, WAVE_SUB)
ROW(DS_RSUB_U32, exec_ds_atomic, WAVE_RSUB)
ROW(DS_INC_U32, exec_ds_atomic, WAVE_INC)
ROW(DS_DEC_U32, exec_ds_atomic, WAVE_DEC)
ROW(DS_MIN_I32, exec_ds_atomic, WAVE_SMIN)
ROW(DS_MAX_I32, exec_ds_atomic, WAVE_SMAX)
ROW(DS_MIN_U32, exec_ds_atomic, WAVE_UMIN)
ROW(DS_MAX_U32, exec_ds_atomic, WAVE_UMAX)
ROW(DS_AND_B32, exec_ds_atomic, WAVE_AND)
ROW(DS_OR_B32, exec_ds_atomic, WAVE_OR)
ROW(DS_XOR_B32, exec_ds_atomic, WAVE_XOR)
ROW(DS_MSKOR_B32, exec_ds_atomic, WAVE_MSKOR)
ROW(DS_CMPST_B32, exec_ds_atomic, WAVE_CMPSWAP)
ROW(DS_CMPST_F32, exec_ds_atomic, WAVE_FCMPSWAP)
ROW(DS_MIN_F32, exec_ds_atomic, WAVE_FMIN)
ROW(DS_MAX_F32, exec_ds_atomic, WAVE_FMAX)
ROW(DS_ADD_RTN_U32, exec_ds_atomic, WAVE_ADD)
ROW(DS_SUB_RTN_U32, exec_ds_atomic, WAVE_SUB)
ROW(DS_RSUB_RTN_U32, exec_ds_atomic, WAVE_RSUB)
ROW(DS_INC_RTN_U32, exec_ds_atomic, WAVE_INC)
ROW(DS_DEC_RTN_U32, exec_ds_atomic, WAVE_DEC)
ROW(DS_MIN_RTN_I32, exec_ds_atomic, WAVE_SMIN)
ROW(DS_MAX_RTN_I32, exec_ds_atomic, WAVE_SMAX)
ROW(DS_MIN_RTN_U32, exec_ds_atomic, WAVE_UMIN)
ROW(DS_MAX_RTN_U32, exec_ds_atomic, WAVE_UMAX)
ROW(DS_AND_RTN_B32, exec_ds_atomic, WAVE_AND)
ROW(DS_OR_RTN_B32, exec_ds_atomic, WAVE_OR)
ROW(DS_XOR_RTN_B32, exec_ds_atomic, WAVE_XOR)
ROW(DS_MSKOR_RTN_B32, exec_ds_atomic, WAVE_MSKOR)
ROW(DS_WRXCHG_RTN_B32, exec_ds_atomic, WAVE_SWAP)
ROW(DS_CMPST_RTN_B32, exec_ds_atomic, WAVE_CMPSWAP)
ROW(DS_CMPST_RTN_F32, exec_ds_atomic, WAVE_FCMPSWAP)
ROW(DS_MIN_RTN_F32, exec_ds_atomic, WAVE_FMIN)
ROW(DS_MAX_RTN_F32, exec_ds_atomic, WAVE_FMAX)
ROW(DS_ADD_U64, exec_ds_atomic, WAVE_ADD | WIDE)
ROW(DS_SUB_U64, exec_ds_atomic, WAVE_SUB | WIDE)
ROW(DS_RSUB_U64, exec_ds_atomic, WAVE_RSUB | WIDE)
ROW(DS_INC_U64, exec_ds_atomic, WAVE_INC | WIDE)
ROW(DS_DEC_U64, exec_ds_atomic, WAVE_DEC | WIDE)
ROW(DS_MIN_I64, exec_ds_atomic, WAVE_SMIN | WIDE)
ROW(DS_MAX_I64, exec_ds_atomic, WAVE_SMAX | WIDE)
ROW(DS_MIN_U64, exec_ds_atomic, WAVE_UMIN | WIDE)
ROW(DS_MAX_U64, exec_ds_atomic, WAVE_UMAX | WIDE)
ROW(DS_AND_B64, exec_ds_atomic, WAVE_AND | WIDE)
ROW(DS_OR_B64, exec_ds_atomic, WAVE_OR | WIDE)
ROW(DS_XOR_B64, exec_ds_atomic, WAVE_XOR | WIDE)
ROW(DS_MSKOR_B64, exec_ds_atomic, WAVE_MSKOR | WIDE)
ROW(DS_CMPST_B64, exec_ds_atomic, WAVE_CMPSWAP | WIDE)
ROW(DS_CMPST_F64, exec_ds_atomic, WAVE_FCMPSWAP | WIDE)
ROW(DS_MIN_F64, exec_ds_atomic, WAVE_FMIN | WIDE)
ROW(DS_MAX_F64, exec_ds_atomic, WAVE_FMAX | WIDE)
ROW(DS_ADD_RTN_U64, exec_ds_atomic, WAVE_ADD | WIDE)
ROW(DS_SUB_RTN_U64, exec_ds_atomic, WAVE_SUB | WIDE)
ROW(DS_RSUB_RTN_U64, exec_ds_atomic, WAVE_RSUB | WIDE)
ROW(DS_INC_RTN_U64, exec_ds_atomic, WAVE_INC | WIDE)
ROW(DS_DEC_RTN_U64, exec_ds_atomic, WAVE_DEC | WIDE)
ROW(DS_MIN_RTN_I64, exec_ds_atomic, WAVE_SMIN | WIDE)
ROW(DS_MAX_RTN_I64, exec_ds_atomic, WAVE_SMAX | WIDE)
ROW(DS_MIN_RTN_U64, exec_ds_atomic, WAVE_UMIN | WIDE)
ROW(DS_MAX_RTN_U64, exec_ds_atomic, WAVE_UMAX | WIDE)
ROW(DS_AND_RTN_B64, exec_ds_atomic, WAVE_AND | WIDE)
ROW(DS_OR_RTN_B64, exec_ds_atomic, WAVE_OR | WIDE)
ROW(DS_XOR_RTN_B64, exec_ds_atomic, WAVE_XOR | WIDE)
ROW(DS_MSKOR_RTN_B64, exec_ds_atomic, WAVE_MSKOR | WIDE)
ROW(DS_WRXCHG_RTN_B64, exec_ds_atomic, WAVE_SWAP | WIDE)
ROW(DS_CMPST_RTN_B64, exec_ds_atomic, WAVE_CMPSWAP | WIDE)
ROW(DS_CMPST_RTN_F64, exec_ds_atomic, WAVE_FCMPSWAP | WIDE)
ROW(DS_MIN_RTN_F64, exec_ds_atomic, WAVE_FMIN | WIDE)
ROW(DS_MAX_RTN_F64, exec_ds_atomic, WAVE_FMAX | WIDE)
ROW(DS_ADD_SRC2_U32, exec_src2, WAVE_ADD)
ROW(DS_SUB_SRC2_U32, exec_src2, WAVE_SUB)
ROW(DS_RSUB_SRC2_U32, exec_src2, WAVE_RSUB)
ROW(DS_INC_SRC2_U32, exec_src2, WAVE_INC)
ROW(DS_DEC_SRC2_U32, exec_src2, WAVE_DEC)
ROW(DS_MIN_SRC2_I32, exec_src2, WAVE_SMIN)
ROW(DS_MAX_SRC2_I32, exec_src2, WAVE_SMAX)
ROW(DS_MIN_SRC2_U32, exec_src2, WAVE_UMIN)
ROW(DS_MAX_SRC2_U32, exec_src2, WAVE_UMAX)
ROW(DS_AND_SRC2_B32, exec_src2, WAVE_AND)
ROW(DS_OR_SRC2_B32, exec_src2, WAVE_OR)
ROW(DS_XOR_SRC2_B32, exec_src2, WAVE_XOR)
ROW(DS_WRITE_SRC2_B32, exec_src2, WAVE_SWAP)
ROW(DS_MIN_SRC2_F32, exec_src2, WAVE_FMIN)
ROW(DS_MAX_SRC2_F32, exec_src2, WAVE_FMAX)
ROW(DS_ADD_SRC2_U64, exec_src2, WAVE_ADD | WIDE)
ROW(DS_SUB_SRC2_U64, exec_src2, WAVE_SUB | WIDE)
ROW(DS_RSUB_SRC2_U64, exec_src2, WAVE_RSUB | WIDE)
ROW(DS_INC_SRC2_U64, exec_src2, WAVE_INC | WIDE)
ROW(DS_DEC_SRC2_U64, exec_src2, WAVE_DEC | WIDE)
ROW(DS_MIN_SRC2_I64, exec_src2, WAVE_SMIN | WIDE)
ROW(DS_MAX_SRC2_I64, exec_src2, WAVE_SMAX | WIDE)
ROW(DS_MIN_SRC2_U64, exec_src2, WAVE_UMIN | WIDE)
ROW(DS_MAX_SRC2_U64, exec_src2, WAVE_UMAX | WIDE)
ROW(DS_AND_SRC2_B64, exec_src2, WAVE_AND | WIDE)
ROW(DS_OR_SRC2_B64, exec_src2, WAVE_OR | WIDE)
ROW(DS_XOR_SRC2_B64, exec_src2, WAVE_XOR | WIDE)
ROW(DS_WRITE_SRC2_B64, exec_src2, WAVE_SWAP | WIDE)
ROW(DS_MIN_SRC2_F64, exec_src2, WAVE_FMIN | WIDE)
ROW(DS_MAX_SRC2_F64, exec_src2, WAVE_FMAX | WIDE)
