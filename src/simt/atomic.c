#include "simt/atomic.h"

#include <string.h>

#include "simt/block.h"
#include "simt/lane.h"
#include "simt/mem.h"
#include "simt/view.h"

static enum atom_op atom_op_of(const struct inst *in)
{
	return (enum atom_op)(in->k & ((1 << ATOM_TYPE_SHIFT) - 1));
}

/* On global memory a NaN is returned as it is, that of the operand first. On
 * shared memory this is an ordinary addition, with the old value last. */
static uint64_t add_f64(uint64_t old, uint64_t b, bool global)
{
	if (global && f64_bits_nan(b))
		return b;
	if (global && f64_bits_nan(old))
		return old;
	return f64_bits(f64_add(f64_of(b), f64_of(old), 0));
}

/* Single precision flushes subnormals on global memory, but not on shared memory
 * (PTX ISA, atom). */
static uint64_t atom_add(enum num_type t, uint64_t a, uint64_t b, unsigned ftz)
{
	switch (t) {
	case NUM_F32:
		return f32_bits(
			f32_add(f32_of((uint32_t)a), f32_of((uint32_t)b), ftz));
	case NUM_F64:
		return add_f64(a, b, ftz);
	case NUM_F16:
		return f16_add((uint16_t)a, (uint16_t)b, 0);
	case NUM_BF16:
		return bf16_add((uint16_t)a, (uint16_t)b, 0);
	case NUM_F16X2:
		return f16x2_add((uint32_t)a, (uint32_t)b, 0);
	case NUM_BF16X2:
		return bf16x2_add((uint32_t)a, (uint32_t)b, 0);
	default:
		return a + b;
	}
}

static bool atom_less(enum num_type t, uint64_t a, uint64_t b)
{
	switch (t) {
	case NUM_S32:
		return (int32_t)a < (int32_t)b;
	case NUM_S64:
		return (int64_t)a < (int64_t)b;
	case NUM_U32:
		return (uint32_t)a < (uint32_t)b;
	default:
		return a < b;
	}
}

static uint64_t atom_min(enum num_type t, uint64_t a, uint64_t b)
{
	switch (t) {
	case NUM_F16:
		return f16_min((uint16_t)a, (uint16_t)b, 0);
	case NUM_BF16:
		return bf16_min((uint16_t)a, (uint16_t)b, 0);
	case NUM_F16X2:
		return f16x2_min((uint32_t)a, (uint32_t)b, 0);
	case NUM_BF16X2:
		return bf16x2_min((uint32_t)a, (uint32_t)b, 0);
	default:
		return atom_less(t, b, a) ? b : a;
	}
}

static uint64_t atom_max(enum num_type t, uint64_t a, uint64_t b)
{
	switch (t) {
	case NUM_F16:
		return f16_max((uint16_t)a, (uint16_t)b, 0);
	case NUM_BF16:
		return bf16_max((uint16_t)a, (uint16_t)b, 0);
	case NUM_F16X2:
		return f16x2_max((uint32_t)a, (uint32_t)b, 0);
	case NUM_BF16X2:
		return bf16x2_max((uint32_t)a, (uint32_t)b, 0);
	default:
		return atom_less(t, a, b) ? b : a;
	}
}

static uint64_t atom_apply(enum atom_op op, enum num_type t, uint64_t old,
			   uint64_t b, uint64_t c, unsigned ftz)
{
	switch (op) {
	case ATOM_ADD:
		return atom_add(t, old, b, ftz);
	case ATOM_EXCH:
		return b;
	case ATOM_CAS:
		return old == b ? c : old;
	case ATOM_INC:
		return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
	case ATOM_DEC:
		return old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
	case ATOM_MIN:
		return atom_min(t, old, b);
	case ATOM_MAX:
		return atom_max(t, old, b);
	case ATOM_AND:
		return old & b;
	case ATOM_OR:
		return old | b;
	default:
		return old ^ b;
	}
}

/* Where the word is, which decides the rules, and whether other host threads may
 * access it. */
enum atom_at { AT_SHARED, AT_GLOBAL, AT_GLOBAL_ALONE };

#define ATOM_WIDTH(T)                                                          \
	static uint64_t atom_##T(enum atom_op op, enum num_type t,             \
				 uintptr_t at, uint64_t b, uint64_t c,         \
				 enum atom_at where)                           \
	{                                                                      \
		T *p = (T *)at, old = __atomic_load_n(p, __ATOMIC_RELAXED);    \
                                                                               \
		if (where != AT_GLOBAL) {                                      \
			*p = (T)atom_apply(op, t, old, b, c,                   \
					   where == AT_SHARED ? 0 : M_FTZ);    \
			return old;                                            \
		}                                                              \
		while (!__atomic_compare_exchange_n(                           \
			p, &old, (T)atom_apply(op, t, old, b, c, M_FTZ), true, \
			__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))                   \
			;                                                      \
		return old;                                                    \
	}
ATOM_WIDTH(uint16_t)
ATOM_WIDTH(uint32_t)
ATOM_WIDTH(uint64_t)
#undef ATOM_WIDTH

/* Performs it for one lane; returns its result. */
static uint64_t atom_lane(const struct inst *in, uintptr_t at, uint64_t b,
			  uint64_t c, enum atom_at where)
{
	enum atom_op op = atom_op_of(in);
	enum num_type t = (enum num_type)(in->k >> ATOM_TYPE_SHIFT);
	uint64_t old;

	switch (in->width) {
	case 2:
		old = atom_uint16_t(op, t, at, b, c, where);
		break;
	case 4:
		old = atom_uint32_t(op, t, at, b, c, where);
		break;
	default:
		old = atom_uint64_t(op, t, at, b, c, where);
	}
	return UNLIKELY(in->m & ATOM_TEST) ? old == b : old;
}

uint64_t atom_at_once(const struct inst *in, uintptr_t at, uint64_t b)
{
	return atom_lane(in, at, b, 0, AT_GLOBAL);
}

static enum atom_at atom_where(const struct warp *w, const struct inst *in,
			       int lane)
{
	enum space space = (enum space)in->space;

	if (space == SPACE_GENERIC)
		space = window_of(w->effect->addr[lane]);
	return space == SPACE_SHARED ? AT_SHARED : AT_GLOBAL;
}

/* 8 bytes of each lane that are two arrays of words. */
static void atom_join(const uint32_t *words, uint64_t to[LANES])
{
	for (int l = 0; l < LANES; l++)
		to[l] = (uint64_t)words[l + LANES] << 32 | words[l];
}

/* Reads an operand of all lanes. */
static void atom_read(uint64_t to[][LANES], const struct warp *w,
		      const struct inst *in, slot_t s)
{
	const uint32_t *words = slot_at(w, s);

	if (LIKELY(in->width == 4)) {
		for (int l = 0; l < LANES; l++)
			to[0][l] = words[l];
	} else if (in->width == 2) {
		for (int l = 0; l < LANES; l++)
			to[0][l] = ((const uint16_t *)words)[l];
	} else if (in->m & ATOM_WORDS) {
		atom_join(words, to[0]);
		if (in->width == 16)
			atom_join(words + 2 * LANES, to[1]);
	} else {
		memcpy(to, words, in->width * LANES);
	}
}

/* Writes a result to w->mask's lanes of the destination. */
static void atom_write(struct warp *w, const struct inst *in,
		       const uint64_t v[][LANES])
{
	unsigned parts = in->width == 16 ? 2 : 1;

	if (in->d == SLOT_NONE)
		return;
	if (in->width < 8) {
		put_any(w, in->d, in->width, v[0]);
		return;
	}
	for (unsigned i = 0; i < parts; i++) {
		slot_t d = in->d + 8 * LANES * i;
		uint32_t lo[LANES], hi[LANES];

		if (!(in->m & ATOM_WORDS)) {
			put64(w, d, v[i]);
			continue;
		}
		for (int l = 0; l < LANES; l++) {
			lo[l] = (uint32_t)v[i][l];
			hi[l] = (uint32_t)(v[i][l] >> 32);
		}
		put32(w, d, lo);
		put32(w, d + 4 * LANES, hi);
	}
}

/* 128 bits, low half first. Without c: an exchange with b. With c: writes c if
 * *p equals b. */
static void atom_pair(uint64_t *p, const uint64_t b[2], const uint64_t *c,
		      uint64_t old[2])
{
	old[0] = p[0];
	old[1] = p[1];
	if (!c) {
		p[0] = b[0];
		p[1] = b[1];
	} else if (old[0] == b[0] && old[1] == b[1]) {
		p[0] = c[0];
		p[1] = c[1];
	}
}

/* Not every host has an instruction for 128 bits: the launch's lock is held. */
static void atom_wide(struct warp *w, const struct inst *in,
		      const uintptr_t host[LANES])
{
	bool cas = atom_op_of(in) == ATOM_CAS;
	uint64_t b[2][LANES], c[2][LANES], out[2][LANES] = { { 0 } };

	atom_read(b, w, in, in->b);
	if (cas)
		atom_read(c, w, in, in->c);
	pthread_mutex_lock(&w->block->launch->lock);
	for (int l = 0; l < LANES; l++) {
		uint64_t old[2];

		if (!(w->mask >> l & 1))
			continue;
		atom_pair((uint64_t *)host[l], (uint64_t[]){ b[0][l], b[1][l] },
			  cas ? (uint64_t[]){ c[0][l], c[1][l] } : NULL, old);
		out[0][l] = old[0];
		out[1][l] = old[1];
	}
	pthread_mutex_unlock(&w->block->launch->lock);
	atom_write(w, in, (const uint64_t(*)[LANES])out);
}

enum { BANKS = 32, BANK_BYTES = 4 }; /* of shared memory, in every GPU */

/* The first lane of w->mask in each bank of shared memory. Words of 8 bytes are in
 * two banks, and each half of the warp has its own turn. */
static lanes_t atom_first_in_bank(const struct warp *w, const struct inst *in,
				  const uintptr_t host[LANES])
{
	uintptr_t base = (uintptr_t)w->block->shared;
	unsigned banks = BANKS * BANK_BYTES / in->width;
	uint32_t taken[2] = { 0 };
	lanes_t first = 0;

	for (lanes_t left = w->mask; left; left &= left - 1) {
		unsigned l = lanes_first(left);
		unsigned bank =
			(unsigned)((host[l] - base) / in->width) % banks;
		uint32_t *turn = &taken[l / banks % 2];

		if (!(*turn >> bank & 1))
			first |= lane_bit(l);
		*turn |= UINT32_C(1) << bank;
	}
	return first;
}

/* Performs the atomic for the lanes in w->mask. */
static void atom_now(struct warp *w, const struct inst *in,
		     const uintptr_t host[LANES])
{
	uint64_t b[1][LANES], c[1][LANES] = { { 0 } },
			      old[1][LANES] = { { 0 } };
	lanes_t served = w->mask;

	if (in->width == 16) {
		atom_wide(w, in, host);
		return;
	}
	atom_read(b, w, in, in->b);
	if (atom_op_of(in) == ATOM_CAS)
		atom_read(c, w, in, in->c);
	if (in->m & ATOM_SPIN)
		served = atom_first_in_bank(w, in, host);
	for (int l = 0; l < LANES; l++)
		if (served >> l & 1)
			old[0][l] = atom_lane(in, host[l], b[0][l], c[0][l],
					      atom_where(w, in, l));
	atom_write(w, in, (const uint64_t(*)[LANES])old);
}

void atom_perform(struct atomic *a, unsigned l)
{
	const struct inst *in = a->in;

	if (in->width == 16) {
		uint64_t old[2];

		atom_pair((uint64_t *)a->host[l],
			  (uint64_t[]){ a->b[0][l], a->b[1][l] },
			  atom_op_of(in) == ATOM_CAS ?
				  (uint64_t[]){ a->c[0][l], a->c[1][l] } :
				  NULL,
			  old);
		a->b[0][l] = old[0];
		a->b[1][l] = old[1];
		return;
	}
	for (uint32_t i = 0; i * in->width < a->bytes; i++)
		a->b[i][l] = atom_lane(in, a->host[l] + i * in->width,
				       a->b[i][l], a->c[0][l], AT_GLOBAL_ALONE);
}

/* Records the lanes that access global memory; performs the others now. */
static __attribute__((noinline)) void
atom_timed(struct warp *w, const struct inst *in, const uintptr_t host[LANES])
{
	lanes_t all = w->mask, later = mem_global(w, in);

	if (later) {
		struct atomic *a = view_atomic(warp_view(w), w, in, later,
					       in->width, host);

		a->perform = atom_perform;
		atom_read(a->b, w, in, in->b);
		if (atom_op_of(in) == ATOM_CAS)
			atom_read(a->c, w, in, in->c);
	}
	w->mask = all & ~later;
	if (w->mask)
		atom_now(w, in, host);
	w->mask = all;
}

void atom_exec(struct warp *w, const struct inst *in)
{
	uintptr_t host[LANES];

	if (!mem_locate(w, in, KIND_ATOMIC, in->width, in->width, host))
		return;
	w->syncs++;
	if (UNLIKELY(warp_view(w) != NULL))
		atom_timed(w, in, host);
	else
		atom_now(w, in, host);
}

void atom_exec_vector(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	uint32_t bytes = (uint32_t)in->width * in->count;
	struct atomic *a = NULL;
	uintptr_t host[LANES];

	if (!mem_locate(w, in, KIND_ATOMIC, bytes, bytes, host))
		return;
	if (warp_view(w)) {
		a = view_atomic(warp_view(w), w, in, w->mask, bytes, host);
		a->vector = true;
		a->perform = atom_perform;
	}
	for (uint32_t i = 0; i < in->count; i++) {
		slot_t d = x->count[0] ? x->slots[x->first[0] + i] : SLOT_NONE;
		slot_t s = x->slots[x->first[1] + i];
		uint64_t b[1][LANES], old[LANES] = { 0 };

		atom_read(a ? &a->b[i] : b, w, in, s);
		if (a)
			continue;
		for (int l = 0; l < LANES; l++)
			if (w->mask >> l & 1)
				old[l] = atom_lane(in, host[l] + i * in->width,
						   b[0][l], 0, AT_GLOBAL);
		put_any(w, d, in->width, old);
	}
}

/* Copies `bytes` bytes of each lane's value, from byte `from` on, to register
 * s. */
static void atom_put(const struct atomic *a, slot_t s, unsigned bytes,
		     const uint64_t v[LANES], unsigned from)
{
	char *to;

	if (s == SLOT_NONE)
		return;
	CHECK(SLOT_PLACE(s) == SLOT_REG);
	to = a->regs + SLOT_OFFSET(s);
	for (lanes_t left = a->mask; left; left &= left - 1) {
		unsigned l = lanes_first(left);
		uint64_t value = v[l] >> 8 * from;

		memcpy(to + l * bytes, &value, bytes);
	}
}

void atom_put_results(const struct atomic *a)
{
	const struct inst *in = a->in;
	const struct opnd_lists *x = in->x;

	if (a->vector) {
		for (unsigned i = 0; i < x->count[0]; i++)
			atom_put(a, x->slots[x->first[0] + i], in->width,
				 a->b[i], 0);
		return;
	}
	if (in->d == SLOT_NONE)
		return;
	for (unsigned at = 0; at < in->width;) {
		bool word = in->width < 8 || in->m & ATOM_WORDS;
		unsigned n = !word ? 8 : in->width < 4 ? in->width : 4;

		atom_put(a, in->d + at * LANES, n, a->b[at / 8], at % 8);
		at += n;
	}
}
