/*
 * Atomics and reductions on memory.
 *
 * Lanes act one after the other, in the order of their numbers. An operation on
 * a word is a pure function. On global memory it is applied with the host's
 * compare-and-swap, because blocks run on several threads. Shared memory belongs
 * to one block, and a block runs on one thread. With timing, atomics on global
 * memory are recorded and performed later: see simt/view.h.
 */
#include <string.h>

#include "isa/ptx/exec_rows.h"
#include "simt/block.h"
#include "simt/lane.h"
#include "simt/mem.h"
#include "simt/view.h"

enum atom_op {
	ATOM_ADD,
	ATOM_EXCH,
	ATOM_CAS,
	ATOM_INC,
	ATOM_DEC,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR
};

static enum atom_op atom_op_of(const struct inst *in)
{
	switch (in->op) {
	case PTX_OP_ATOM_EXCH:
		return ATOM_EXCH;
	case PTX_OP_ATOM_CAS:
		return ATOM_CAS;
	case PTX_OP_ATOM_INC:
	case PTX_OP_RED_INC:
		return ATOM_INC;
	case PTX_OP_ATOM_DEC:
	case PTX_OP_RED_DEC:
		return ATOM_DEC;
	case PTX_OP_ATOM_MIN:
	case PTX_OP_RED_MIN:
		return ATOM_MIN;
	case PTX_OP_ATOM_MAX:
	case PTX_OP_RED_MAX:
		return ATOM_MAX;
	case PTX_OP_ATOM_AND:
	case PTX_OP_RED_AND:
		return ATOM_AND;
	case PTX_OP_ATOM_OR:
	case PTX_OP_RED_OR:
		return ATOM_OR;
	case PTX_OP_ATOM_XOR:
	case PTX_OP_RED_XOR:
		return ATOM_XOR;
	default:
		return ATOM_ADD;
	}
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
static uint64_t atom_add(enum ptx_type t, uint64_t a, uint64_t b, unsigned ftz)
{
	switch (t) {
	case PTX_F32:
		return f32_bits(
			f32_add(f32_of((uint32_t)a), f32_of((uint32_t)b), ftz));
	case PTX_F64:
		return add_f64(a, b, ftz);
	case PTX_F16:
		return f16_add((uint16_t)a, (uint16_t)b, 0);
	case PTX_BF16:
		return bf16_add((uint16_t)a, (uint16_t)b, 0);
	case PTX_F16X2:
		return f16x2_add((uint32_t)a, (uint32_t)b, 0);
	case PTX_BF16X2:
		return bf16x2_add((uint32_t)a, (uint32_t)b, 0);
	default:
		return a + b;
	}
}

static bool atom_less(enum ptx_type t, uint64_t a, uint64_t b)
{
	switch (t) {
	case PTX_S32:
		return (int32_t)a < (int32_t)b;
	case PTX_S64:
		return (int64_t)a < (int64_t)b;
	case PTX_U32:
		return (uint32_t)a < (uint32_t)b;
	default:
		return a < b;
	}
}

static uint64_t atom_apply(enum atom_op op, enum ptx_type t, uint64_t old,
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
		return atom_less(t, b, old) ? b : old;
	case ATOM_MAX:
		return atom_less(t, old, b) ? b : old;
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
	static uint64_t atom_##T(enum atom_op op, enum ptx_type t,             \
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

static uint64_t atom_lane(const struct inst *in, enum atom_op op, uintptr_t at,
			  uint64_t b, uint64_t c, enum atom_at where)
{
	enum ptx_type t = (enum ptx_type)in->k;

	switch (in->width) {
	case 2:
		return atom_uint16_t(op, t, at, b, c, where);
	case 4:
		return atom_uint32_t(op, t, at, b, c, where);
	default:
		return atom_uint64_t(op, t, at, b, c, where);
	}
}

static enum atom_at atom_where(const struct warp *w, const struct inst *in,
			       int lane)
{
	enum space space = (enum space)in->space;

	if (space == SPACE_GENERIC)
		space = window_of(w->effect->addr[lane]);
	return space == SPACE_SHARED ? AT_SHARED : AT_GLOBAL;
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
	const uint64_t *b = slot_at(w, in->b);
	const uint64_t *c = cas ? slot_at(w, in->c) : b;
	uint64_t lo[LANES] = { 0 }, hi[LANES] = { 0 };

	pthread_mutex_lock(&w->block->launch->lock);
	for (int l = 0; l < LANES; l++) {
		uint64_t old[2];

		if (!(w->mask >> l & 1))
			continue;
		atom_pair((uint64_t *)host[l],
			  (uint64_t[]){ b[l], b[l + LANES] },
			  cas ? (uint64_t[]){ c[l], c[l + LANES] } : NULL, old);
		lo[l] = old[0];
		hi[l] = old[1];
	}
	pthread_mutex_unlock(&w->block->launch->lock);
	put64(w, in->d, lo);
	put64(w, in->d == SLOT_NONE ? SLOT_NONE : in->d + 8 * LANES, hi);
}

/* Performs the atomic for the lanes in w->mask. */
static void atom_now(struct warp *w, const struct inst *in,
		     const uintptr_t host[LANES])
{
	enum atom_op op = atom_op_of(in);
	uint64_t old[LANES] = { 0 };

	if (in->width == 16) {
		atom_wide(w, in, host);
		return;
	}
	for (int l = 0; l < LANES; l++) {
		uint64_t b, c = 0;

		if (!(w->mask >> l & 1))
			continue;
		b = slot_lane(w, in->b, in->width, l);
		if (op == ATOM_CAS)
			c = slot_lane(w, in->c, in->width, l);
		old[l] = atom_lane(in, op, host[l], b, c, atom_where(w, in, l));
	}
	put_any(w, in->d, in->width, old);
}

/* Copies an operand of an atomic to its record. */
static void atom_keep(uint64_t to[][LANES], const struct warp *w, slot_t s,
		      unsigned width)
{
	if (width == 16) {
		memcpy(to, slot_at(w, s), 2 * LANES * sizeof(uint64_t));
		return;
	}
	for (int l = 0; l < LANES; l++)
		to[0][l] = slot_lane(w, s, width, l);
}

/* Performs one lane of a recorded atomic. */
void atom_perform(struct atomic *a, unsigned l)
{
	const struct inst *in = a->in;
	enum atom_op op = atom_op_of(in);

	if (in->width == 16) {
		uint64_t old[2];

		atom_pair((uint64_t *)a->host[l],
			  (uint64_t[]){ a->b[0][l], a->b[1][l] },
			  op == ATOM_CAS ?
				  (uint64_t[]){ a->c[0][l], a->c[1][l] } :
				  NULL,
			  old);
		a->b[0][l] = old[0];
		a->b[1][l] = old[1];
		return;
	}
	for (uint32_t i = 0; i * in->width < a->bytes; i++)
		a->b[i][l] = atom_lane(in, op, a->host[l] + i * in->width,
				       a->b[i][l], a->c[0][l], AT_GLOBAL_ALONE);
}

/* Records the lanes that access global memory; performs the others now. */
static __attribute__((noinline)) void
atom_timed(struct warp *w, const struct inst *in, const uintptr_t host[LANES])
{
	uint32_t all = w->mask, later = mem_global(w, in);

	if (later) {
		struct atomic *a = view_atomic(warp_view(w), w, in, later,
					       in->width, host);

		a->perform = atom_perform;
		atom_keep(a->b, w, in->b, in->width);
		if (atom_op_of(in) == ATOM_CAS)
			atom_keep(a->c, w, in->c, in->width);
	}
	w->mask = all & ~later;
	if (w->mask)
		atom_now(w, in, host);
	w->mask = all;
}

/* d, [a], b, c. */
void exec_atom(struct warp *w, const struct inst *in)
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

void exec_red(struct warp *w, const struct inst *in)
{
	exec_atom(w, in); /* in->d is SLOT_NONE */
}

/* in->x: the destinations (none for red), then the sources. The space is always
 * global. */
void exec_atom_vec(struct warp *w, const struct inst *in)
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
		slot_t b = x->slots[x->first[1] + i];
		uint64_t old[LANES] = { 0 };

		if (a) {
			atom_keep(&a->b[i], w, b, in->width);
			continue;
		}
		for (int l = 0; l < LANES; l++)
			if (w->mask >> l & 1)
				old[l] = atom_lane(
					in, ATOM_ADD, host[l] + i * in->width,
					slot_lane(w, b, in->width, l), 0,
					AT_GLOBAL);
		put_any(w, d, in->width, old);
	}
}

void exec_red_vec(struct warp *w, const struct inst *in)
{
	exec_atom_vec(w, in);
}
