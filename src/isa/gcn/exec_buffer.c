/*
 * Scalar loads and buffers.
 *
 * A resource of four words says where a buffer is, how many records it has, and
 * how their bytes are interleaved between lanes (scratch memory). What lies behind
 * the last record reads as 0 and is not written, as on hardware; with a 64-bit
 * address of each lane there is no such limit.
 */
#include "isa/gcn/exec.h"
#include "isa/gcn/format.h"
#include "simt/wave_mem.h"

#define ROW(id, fn, n) \
	const struct gcn_exec gcn_exec_##id = { .exec = fn, .k = n };

struct resource {
	uint64_t base;
	uint32_t stride, records, selectors;
	unsigned number, data;   /* formats */
	unsigned element, lanes; /* of interleaved bytes */
	bool swizzles, adds_lane;
};

static struct resource resource_of(const struct wave *w, unsigned reg)
{
	const uint32_t *s = &w->s[reg];

	return (struct resource){
		.base = s[0] | (uint64_t)(s[1] & 0xffff) << 32,
		.stride = s[1] >> 16 & 0x3fff,
		.swizzles = s[1] >> 31,
		.records = s[2],
		.selectors = s[3] & 0xfff,
		.number = s[3] >> 12 & 7,
		.data = s[3] >> 15 & 15,
		.element = 2u << (s[3] >> 19 & 3),
		.lanes = 8u << (s[3] >> 21 & 3),
		.adds_lane = s[3] >> 23 & 1,
	};
}

/* ---- scalar loads ------------------------------------------------------ */

static void write_scalars(struct wave *w, const struct wave_op *op,
			  const uint32_t *v)
{
	memcpy(&w->s[op->d], v, 4 * (size_t)op->lanes);
}

static uint32_t scalar_offset(const struct wave *w, const struct wave_op *op)
{
	return op->flags & GCN_BY_REGISTER ? w->s[op->b] : op->imm;
}

static void exec_scalar_load(struct wave *w, const struct wave_op *op)
{
	uint64_t base = gcn_pair(w, op->a) & ~(uint64_t)3;
	uint32_t v[16];

	if (wave_load_scalar(w, base + (scalar_offset(w, op) & ~3u), op->lanes,
			     v))
		write_scalars(w, op, v);
}
ROW(S_LOAD_DWORD, exec_scalar_load, 0)
ROW(S_LOAD_DWORDX2, exec_scalar_load, 0)
ROW(S_LOAD_DWORDX4, exec_scalar_load, 0)
ROW(S_LOAD_DWORDX8, exec_scalar_load, 0)
ROW(S_LOAD_DWORDX16, exec_scalar_load, 0)

/* Words behind the buffer's end are 0. */
static void exec_buffer_load(struct wave *w, const struct wave_op *op)
{
	struct resource r = resource_of(w, op->a);
	uint64_t size = (uint64_t)r.records * (r.stride ? r.stride : 1);
	uint64_t at = scalar_offset(w, op) & ~3u;
	uint64_t left = at < size ? (size - at) / 4 : 0;
	uint32_t v[16] = { 0 };
	uint32_t n = left < op->lanes ? (uint32_t)left : op->lanes;

	if (!n || wave_load_scalar(w, (r.base & ~(uint64_t)3) + at, n, v))
		write_scalars(w, op, v);
}
ROW(S_BUFFER_LOAD_DWORD, exec_buffer_load, 0)
ROW(S_BUFFER_LOAD_DWORDX2, exec_buffer_load, 0)
ROW(S_BUFFER_LOAD_DWORDX4, exec_buffer_load, 0)
ROW(S_BUFFER_LOAD_DWORDX8, exec_buffer_load, 0)
ROW(S_BUFFER_LOAD_DWORDX16, exec_buffer_load, 0)

/* ---- addresses --------------------------------------------------------- */

struct reached {
	uint64_t at[WAVE_LANES];
	uint64_t exec; /* active lanes */
	uint64_t mask; /* of these, the ones within the buffer */
};

/* Of a buffer whose bytes are interleaved. */
static uint64_t interleaved(const struct resource *r, uint64_t index,
			    uint64_t offset)
{
	uint64_t row =
		index / r->lanes * r->stride + offset / r->element * r->element;

	return row * r->lanes + index % r->lanes * r->element +
	       offset % r->element;
}

static bool is_inside(const struct resource *r, uint64_t index, uint64_t offset,
		      uint32_t bytes)
{
	if (r->swizzles && r->stride)
		return index < r->records && offset + bytes <= r->stride;
	return index * r->stride + offset + bytes <= r->records;
}

/* A base of 48 bits may be negative: compilers put an offset of -1 there. */
static uint64_t signed_base(uint64_t base)
{
	return (uint64_t)((int64_t)(base << 16) >> 16);
}

static void locate64(struct reached *a, struct wave *w,
		     const struct wave_op *op)
{
	const uint32_t *lo = gcn_vector(w, op->a), *hi = lo + WAVE_LANES;
	uint64_t base = signed_base(resource_of(w, op->b).base) + op->imm +
			gcn_scalar(w, op, op->c);

	a->mask = a->exec;
	GCN_EACH_LANE
	a->at[l] = base + ((uint64_t)hi[l] << 32 | lo[l]);
}

static void buffer_locate(struct reached *a, struct wave *w,
			  const struct wave_op *op, uint32_t bytes)
{
	struct resource r = resource_of(w, op->b);
	const uint32_t *v = gcn_vector(w, op->a);
	bool by_index = op->flags & GCN_FLAG_IDXEN;
	bool by_offset = op->flags & GCN_FLAG_OFFEN;
	uint64_t start = r.base + gcn_scalar(w, op, op->c);

	a->exec = gcn_mask(w);
	a->mask = 0;
	w->lane_steps += lanes_count(a->exec);
	if (op->flags & GCN_FLAG_ADDR64) {
		locate64(a, w, op);
		return;
	}
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint64_t index = by_index ? v[l] : 0, offset = op->imm;

		if (by_offset)
			offset += v[l + (by_index ? WAVE_LANES : 0)];
		index += r.adds_lane ? l : 0;
		a->at[l] = start + (r.swizzles ?
					    interleaved(&r, index, offset) :
					    index * r.stride + offset);
		a->mask |= (uint64_t)is_inside(&r, index, offset, bytes) << l;
	}
	a->mask &= a->exec;
}

static void set_coherent(struct wave *w, const struct wave_op *op)
{
	w->effect->coherent = op->flags & GCN_FLAG_GLC;
}

/* ---- loads and stores -------------------------------------------------- */

enum { SIGNED = 0x80 };

static void clear_rest(wave_data v, const struct reached *a, unsigned words)
{
	for (uint64_t m = a->exec & ~a->mask; m; m &= m - 1)
		for (unsigned i = 0; i < words; i++)
			v[i][lanes_first(m)] = 0;
}

static void buffer_sign_extend(uint32_t v[WAVE_LANES], unsigned bytes)
{
	unsigned up = 32 - 8 * bytes;

	GCN_EACH_LANE
	v[l] = (uint32_t)((int32_t)(v[l] << up) >> up);
}

/* k: bytes of a lane; SIGNED: extended with the sign. */
static void exec_buffer_read(struct wave *w, const struct wave_op *op)
{
	unsigned k = gcn_exec[op->op]->k, bytes = k & ~(unsigned)SIGNED;
	unsigned words = (bytes + 3) / 4;
	struct reached a;
	wave_data v;

	buffer_locate(&a, w, op, bytes);
	if (!wave_load(w, a.at, a.mask, bytes, v))
		return;
	set_coherent(w, op);
	clear_rest(v, &a, words);
	if (k & SIGNED)
		buffer_sign_extend(v[0], bytes);
	for (unsigned i = 0; i < words; i++)
		gcn_write(w, op->d + i, a.exec, v[i]);
}
ROW(BUFFER_LOAD_UBYTE, exec_buffer_read, 1)
ROW(BUFFER_LOAD_SBYTE, exec_buffer_read, 1 | SIGNED)
ROW(BUFFER_LOAD_USHORT, exec_buffer_read, 2)
ROW(BUFFER_LOAD_SSHORT, exec_buffer_read, 2 | SIGNED)
ROW(BUFFER_LOAD_DWORD, exec_buffer_read, 4)
ROW(BUFFER_LOAD_DWORDX2, exec_buffer_read, 8)
ROW(BUFFER_LOAD_DWORDX3, exec_buffer_read, 12)
ROW(BUFFER_LOAD_DWORDX4, exec_buffer_read, 16)

static void buffer_take_data(wave_data v, const struct wave *w, unsigned reg,
			     unsigned words)
{
	memcpy(v, gcn_vector(w, reg), (size_t)words * sizeof(v[0]));
}

static void exec_buffer_write(struct wave *w, const struct wave_op *op)
{
	unsigned bytes = gcn_exec[op->op]->k;
	struct reached a;
	wave_data v;

	buffer_locate(&a, w, op, bytes);
	buffer_take_data(v, w, op->d, (bytes + 3) / 4);
	if (wave_store(w, a.at, a.mask, bytes, v))
		set_coherent(w, op);
}
ROW(BUFFER_STORE_BYTE, exec_buffer_write, 1)
ROW(BUFFER_STORE_SHORT, exec_buffer_write, 2)
ROW(BUFFER_STORE_DWORD, exec_buffer_write, 4)
ROW(BUFFER_STORE_DWORDX2, exec_buffer_write, 8)
ROW(BUFFER_STORE_DWORDX3, exec_buffer_write, 12)
ROW(BUFFER_STORE_DWORDX4, exec_buffer_write, 16)

/* ---- formats ----------------------------------------------------------- */

/* Of the instruction (a code that is not 0), or of the resource. */
static struct gcn_data_format buffer_format_of(const struct wave *w,
					       const struct wave_op *op,
					       enum gcn_number *n)
{
	struct resource r = resource_of(w, op->b);
	bool typed = gcn_rows[op->op].format == GCN_MTBUF;

	*n = (enum gcn_number)(typed ? op->literal >> 4 : r.number);
	return gcn_data_format(typed ? op->literal & 15 : r.data);
}

static void unpack_lane(wave_data v, unsigned l, struct gcn_data_format f,
			enum gcn_number n, uint32_t selectors)
{
	uint32_t raw[4], out[4];

	for (unsigned i = 0; i < 4; i++)
		raw[i] = v[i][l];
	gcn_format_unpack(f, n, raw, out);
	gcn_format_select(selectors, n, out, out);
	for (unsigned i = 0; i < 4; i++)
		v[i][l] = out[i];
}

/* k: components. */
static void exec_read_format(struct wave *w, const struct wave_op *op)
{
	struct resource r = resource_of(w, op->b);
	enum gcn_number n;
	struct gcn_data_format f = buffer_format_of(w, op, &n);
	struct reached a;
	wave_data v = { { 0 } };

	buffer_locate(&a, w, op, f.bytes);
	if (!f.bytes)
		a.mask = 0;
	if (!wave_load(w, a.at, a.mask, f.bytes, v))
		return;
	set_coherent(w, op);
	clear_rest(v, &a, 4);
	for (uint64_t m = a.mask; m; m &= m - 1)
		unpack_lane(v, lanes_first(m), f, n, r.selectors);
	for (unsigned i = 0; i < gcn_exec[op->op]->k; i++)
		gcn_write(w, op->d + i, a.exec, v[i]);
}
ROW(BUFFER_LOAD_FORMAT_X, exec_read_format, 1)
ROW(BUFFER_LOAD_FORMAT_XY, exec_read_format, 2)
ROW(BUFFER_LOAD_FORMAT_XYZ, exec_read_format, 3)
ROW(BUFFER_LOAD_FORMAT_XYZW, exec_read_format, 4)
ROW(TBUFFER_LOAD_FORMAT_X, exec_read_format, 1)
ROW(TBUFFER_LOAD_FORMAT_XY, exec_read_format, 2)
ROW(TBUFFER_LOAD_FORMAT_XYZ, exec_read_format, 3)
ROW(TBUFFER_LOAD_FORMAT_XYZW, exec_read_format, 4)

static void exec_write_format(struct wave *w, const struct wave_op *op)
{
	unsigned k = gcn_exec[op->op]->k;
	enum gcn_number n;
	struct gcn_data_format f = buffer_format_of(w, op, &n);
	struct reached a;
	wave_data v = { { 0 } };

	buffer_locate(&a, w, op, f.bytes);
	if (!f.bytes)
		a.mask = 0;
	for (uint64_t m = a.mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		uint32_t in[4] = { 0 }, raw[4];

		for (unsigned i = 0; i < k; i++)
			in[i] = gcn_vector(w, op->d + i)[l];
		gcn_format_pack(f, n, in, raw);
		for (unsigned i = 0; i < 4; i++)
			v[i][l] = raw[i];
	}
	if (wave_store(w, a.at, a.mask, f.bytes, v))
		set_coherent(w, op);
}
ROW(BUFFER_STORE_FORMAT_X, exec_write_format, 1)
ROW(BUFFER_STORE_FORMAT_XY, exec_write_format, 2)
ROW(BUFFER_STORE_FORMAT_XYZ, exec_write_format, 3)
ROW(BUFFER_STORE_FORMAT_XYZW, exec_write_format, 4)
ROW(TBUFFER_STORE_FORMAT_X, exec_write_format, 1)
ROW(TBUFFER_STORE_FORMAT_XY, exec_write_format, 2)
ROW(TBUFFER_STORE_FORMAT_XYZ, exec_write_format, 3)
ROW(TBUFFER_STORE_FORMAT_XYZW, exec_write_format, 4)

/* ---- atomics ----------------------------------------------------------- */

enum { WIDE = 0x80 };

static uint64_t buffer_data_of(const struct wave *w, unsigned reg,
			       unsigned lane, bool wide)
{
	const uint32_t *v = gcn_vector(w, reg);

	return v[lane] | (wide ? (uint64_t)v[WAVE_LANES + lane] << 32 : 0);
}

/* A comparison's second operand follows the first. */
static void exec_buffer_atomic(struct wave *w, const struct wave_op *op)
{
	unsigned k = gcn_exec[op->op]->k;
	bool wide = k & WIDE;
	uint64_t b[WAVE_LANES], c[WAVE_LANES];
	enum wave_atomic_op what = (enum wave_atomic_op)(k & ~(unsigned)WIDE);
	bool compares = what == WAVE_CMPSWAP || what == WAVE_FCMPSWAP;
	struct reached a;

	buffer_locate(&a, w, op, wide ? 8 : 4);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		b[l] = buffer_data_of(w, op->d, l, wide);
		c[l] = compares ? buffer_data_of(w, op->d + (wide ? 2 : 1), l,
						 wide) :
				  0;
	}
	wave_atomic(w, what, wide, a.at, a.mask, b, c,
		    op->flags & GCN_FLAG_GLC ? gcn_vector(w, op->d) : NULL);
}

#define ATOMIC(name, what)                                         \
	ROW(BUFFER_ATOMIC_##name, exec_buffer_atomic, WAVE_##what) \
	ROW(BUFFER_ATOMIC_##name##_X2, exec_buffer_atomic, WAVE_##what | WIDE)
ATOMIC(SWAP, SWAP)
ATOMIC(CMPSWAP, CMPSWAP)
ATOMIC(ADD, ADD)
ATOMIC(SUB, SUB)
ATOMIC(SMIN, SMIN)
ATOMIC(UMIN, UMIN)
ATOMIC(SMAX, SMAX)
ATOMIC(UMAX, UMAX)
ATOMIC(AND, AND)
ATOMIC(OR, OR)
ATOMIC(XOR, XOR)
ATOMIC(INC, INC)
ATOMIC(DEC, DEC)
ATOMIC(FCMPSWAP, FCMPSWAP)
ATOMIC(FMIN, FMIN)
ATOMIC(FMAX, FMAX)

/* Caches are part of time. */
static void exec_invalidate(struct wave *w, const struct wave_op *op)
{
	(void)op;
	w->effect->invalidate = true;
}
ROW(BUFFER_WBINVL1_SC, exec_invalidate, 0)
ROW(BUFFER_WBINVL1, exec_invalidate, 0)
