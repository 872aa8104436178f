/*
 * What the executors of arithmetic share.
 *
 * sass_prepare sets m, k, count and width of struct inst from the modifiers, so
 * that an executor decides once for the warp and its loops over the lanes have
 * no branches. Loops run on all lanes and results are blended by the mask.
 */
#ifndef HEDDLE_ISA_SASS_EXEC_ALU_H
#define HEDDLE_ISA_SASS_EXEC_ALU_H

#include "isa/sass/exec.h"
#include "simt/warp.h"

#define INLINE static inline __attribute__((always_inline))

/*
 * Sets m, k, count and width of an instruction by its executor, in->exec, which
 * is set already. Slots are not touched. P2R and R2P want the slot of P0 (UP0)
 * in in->c, and that the others follow it.
 */
void sass_prepare(struct inst *in, const struct sass_inst *s);

/* in->k of comparisons has a bit for each relation that makes them true, which
 * are the values of the modifiers: less, equal, greater, unordered. */
enum { SASS_IF_LT = 1, SASS_IF_EQ = 2, SASS_IF_GT = 4, SASS_IF_UN = 8 };

/* in->k of instructions with carries. */
enum {
	SASS_K_X = 1,      /* adds the carries that PP and PQ hold */
	SASS_K_OUT = 2,    /* PU or PV is not PT */
	SASS_K_SIGNED = 4, /* operands are signed */
	SASS_K_PV = 8      /* PV is not PT */
};

/* in->k of packed pairs: B is crossed over, its halves are (low, -high). */
enum { SASS_K_CROSSED = 64 };

/* All ones if the operand is negated, for x ^ n, x ^ n - n. */
static inline uint32_t sass_all(const struct inst *in, unsigned bit)
{
	return in->m & bit ? ~UINT32_C(0) : 0;
}

static inline uint64_t sass_all64(const struct inst *in, unsigned bit)
{
	return in->m & bit ? ~UINT64_C(0) : 0;
}

/* The magnitude and sign of a float, as masks: (x & keep) ^ flip. */
struct sass_sign {
	uint32_t keep, flip;
};

static inline struct sass_sign sass_sign_of(unsigned m, unsigned neg,
					    uint32_t top)
{
	return (struct sass_sign){ m & (neg << 1) ? ~top : ~UINT32_C(0),
				   m & neg ? top : 0 };
}

static inline uint32_t sass_signed(uint32_t x, struct sass_sign s)
{
	return (x & s.keep) ^ s.flip;
}

/* Predicate sources, negation applied. */
static inline pred_t sass_pp(const struct warp *w, const struct inst *in)
{
	return pred_src(w, in, in->e, 0);
}

static inline pred_t sass_pq(const struct warp *w, const struct inst *in)
{
	return pred_src(w, in, sass_more_of(in)->pq, 1);
}

static inline pred_t sass_pr(const struct warp *w, const struct inst *in)
{
	return pred_src(w, in, sass_more_of(in)->pr, 2);
}

static inline void sass_put_pv(struct warp *w, const struct inst *in,
			       pred_t bits)
{
	pred_put(w, sass_more_of(in)->pv, bits);
}

/* How a comparison is combined with PP: in->count. */
static inline pred_t sass_combine(unsigned bop, pred_t bits, pred_t pp)
{
	switch (bop) {
	case SASS_BOP_AND:
		return bits & pp;
	case SASS_BOP_OR:
		return bits | pp;
	default:
		return bits ^ pp;
	}
}

/* in->count is the modifier BOP, and this if PV is not PT. */
enum { SASS_COUNT_PV = 4 };

static inline void sass_put_compared(struct warp *w, const struct inst *in,
				     pred_t truth)
{
	const unsigned bop = in->count & 3;
	const pred_t pp = sass_pp(w, in);

	pred_put(w, in->d2, sass_combine(bop, truth, pp));
	if (in->count & SASS_COUNT_PV)
		sass_put_pv(w, in, sass_combine(bop, (pred_t)~truth, pp));
}

static inline pred_t sass_truth(unsigned k, pred_t lt, pred_t eq, pred_t un)
{
	pred_t gt = (pred_t) ~(lt | eq | un), r = 0;

	r |= k & SASS_IF_LT ? lt : 0;
	r |= k & SASS_IF_EQ ? eq : 0;
	r |= k & SASS_IF_GT ? gt : 0;
	r |= k & SASS_IF_UN ? un : 0;
	return r;
}

/* in->k of SHF. */
enum {
	SASS_SHF_HI = 1,     /* the upper word of the result */
	SASS_SHF_RIGHT = 2,  /* else left */
	SASS_SHF_SIGNED = 4, /* the sign is shifted in */
	SASS_SHF_WIDE = 8,   /* amounts are limited to 64 instead of 32 */
	SASS_SHF_WRAP = 16   /* amounts are taken modulo that */
};

/* in->width of HFMA2 that moves C, instead of a modifier FMZ. */
enum { SASS_HFMA2_MOVES = 8 };

/* in->k of F2FP: what is converted, and what is put above it. */
enum {
	SASS_F2FP_PACK_AB,
	SASS_F2FP_PACK_B,
	SASS_F2FP_MERGE_C,
	SASS_F2FP_PACK_AB_MERGE_C,
	SASS_F2FP_UNPACK_E5M2,
	SASS_F2FP_UNPACK_E4M3,
	SASS_F2FP_UNPACK_B_MERGE_C
};

/* Tells the compiler that no iteration of the next loop reads what another one
 * writes. */
#ifdef __clang__
#define SASS_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define SASS_APART _Pragma("GCC ivdep")
#endif

/*
 * Sets register s of the lanes l in w->mask to `value`, an expression of l. No
 * copy is needed: registers are the same or do not overlap, so that a lane never
 * overwrites what another one reads.
 */
#define SASS_EACH_LANE(w, s, value)                                \
	do {                                                       \
		const pred_t mask_ = (pred_t)(w)->mask;            \
		uint32_t *to_ = slot_at(w, s);                     \
                                                                   \
		if (LIKELY(lanes_are_all(mask_))) {                \
			SASS_APART for (int l = 0; l < LANES; l++) \
				to_[l] = (value);                  \
			break;                                     \
		}                                                  \
		SASS_APART for (int l = 0; l < LANES; l++)         \
		{                                                  \
			uint32_t v_ = (value);                     \
                                                                   \
			to_[l] = mask_ >> l & 1 ? v_ : to_[l];     \
		}                                                  \
	} while (0)

/* A pair of registers. */
struct sass_pair {
	const uint32_t *lo, *hi;
};

static inline struct sass_pair sass_pair_at(const struct warp *w, slot_t s)
{
	const uint32_t *lo = slot_at(w, s);

	return (struct sass_pair){ lo, lo + LANES };
}

static inline uint64_t sass_pair_get(struct sass_pair p, int l)
{
	return (uint64_t)p.hi[l] << 32 | p.lo[l];
}

static inline void sass_put_pair(struct warp *w, slot_t s,
				 const uint64_t v[LANES])
{
	uint32_t half[LANES];

	for (int l = 0; l < LANES; l++)
		half[l] = (uint32_t)v[l];
	put32(w, s, half);
	for (int l = 0; l < LANES; l++)
		half[l] = (uint32_t)(v[l] >> 32);
	put32(w, s + SASS_PAIR_BYTES, half);
}

/* Executors of one, two and three 32-bit sources; `expr` has a, b, c. */
#define SASS_LANE1(name, expr)                                       \
	INLINE uint32_t name##_of(const struct inst *in, uint32_t b) \
	{                                                            \
		(void)in;                                            \
		return (uint32_t)(expr);                             \
	}                                                            \
	INLINE void name(struct warp *w, const struct inst *in)      \
	{                                                            \
		const uint32_t *rb = slot_at(w, in->b);              \
                                                                     \
		SASS_EACH_LANE(w, in->d, name##_of(in, rb[l]));      \
	}
#define SASS_LANE2(name, expr)                                     \
	INLINE uint32_t name##_of(uint32_t a, uint32_t b)          \
	{                                                          \
		return (uint32_t)(expr);                           \
	}                                                          \
	INLINE void name(struct warp *w, const struct inst *in)    \
	{                                                          \
		const uint32_t *ra = slot_at(w, in->a);            \
		const uint32_t *rb = slot_at(w, in->b);            \
                                                                   \
		SASS_EACH_LANE(w, in->d, name##_of(ra[l], rb[l])); \
	}
#define SASS_LANE3(name, expr)                                                \
	INLINE uint32_t name##_of(const struct inst *in, uint32_t a,          \
				  uint32_t b, uint32_t c)                     \
	{                                                                     \
		(void)in, (void)a, (void)b;                                   \
		return (uint32_t)(expr);                                      \
	}                                                                     \
	INLINE void name(struct warp *w, const struct inst *in)               \
	{                                                                     \
		const uint32_t *ra = slot_at(w, in->a);                       \
		const uint32_t *rb = slot_at(w, in->b);                       \
		const uint32_t *rc = slot_at(w, in->c);                       \
                                                                              \
		SASS_EACH_LANE(w, in->d, name##_of(in, ra[l], rb[l], rc[l])); \
	}

#endif
