/*
 * Executors of the lane rows of ptx.def, expanded from their semantics.
 *
 * A row's semantics run on all lanes of the warp, inactive ones too, and the
 * result is blended by the mask, so that the compiler can vectorise the loop.
 * Floating-point rows are expanded three times: for no modifiers, for .ftz, and
 * for the general case. So rounding modes cost nothing if they are not used.
 */
#include "simt/lane_carry.h"

#include <stdint.h>

#include "isa/ptx/exec_rows.h"

#define CT_U16 uint16_t
#define CT_U32 uint32_t
#define CT_U64 uint64_t
#define CT_S16 int16_t
#define CT_S32 int32_t
#define CT_S64 int64_t
#define CT_B16 uint16_t
#define CT_B32 uint32_t
#define CT_B64 uint64_t
#define CT_F16 uint16_t
#define CT_BF16 uint16_t
#define CT_F32 float
#define CT_F64 double
#define CT_F16X2 uint32_t
#define CT_BF16X2 uint32_t
#define CT_U16X2 uint32_t
#define CT_S16X2 uint32_t
#define CT_F32X2 uint64_t

/* Whether rows of a type have modifiers that are worth the expansion. */
#define HAS_MODS_U16 0
#define HAS_MODS_U32 0
#define HAS_MODS_U64 0
#define HAS_MODS_S16 0
#define HAS_MODS_S32 0
#define HAS_MODS_S64 0
#define HAS_MODS_B16 0
#define HAS_MODS_B32 0
#define HAS_MODS_B64 0
#define HAS_MODS_F16 1
#define HAS_MODS_BF16 1
#define HAS_MODS_F32 1
#define HAS_MODS_F64 1
#define HAS_MODS_F16X2 1
#define HAS_MODS_BF16X2 1
#define HAS_MODS_U16X2 0
#define HAS_MODS_S16X2 0
#define HAS_MODS_F32X2 1

#define INLINE static inline __attribute__((always_inline))

#define STORE(type)                                                     \
	do {                                                            \
		const pred_t mask = (pred_t)w->mask;                    \
		type *to = slot_at(w, in->d);                           \
		if (LIKELY(lanes_are_all(mask)))                        \
			memcpy(to, out, sizeof(out));                   \
		else                                                    \
			for (int l = 0; l < LANES; l++)                 \
				to[l] = mask >> l & 1 ? out[l] : to[l]; \
	} while (0)

/* Runs the loop with the common modifiers as constants. */
#define DISPATCH(id, has_mods)                                \
	void exec_##id(struct warp *w, const struct inst *in) \
	{                                                     \
		if (!(has_mods))                              \
			loop_##id(w, in, 0);                  \
		else if (LIKELY(in->m == 0))                  \
			loop_##id(w, in, 0);                  \
		else if (in->m == M_FTZ)                      \
			loop_##id(w, in, M_FTZ);              \
		else                                          \
			loop_##id(w, in, in->m);              \
	}

#define LANE1(id, pat, dt, at, unit, lat, ...)                       \
	INLINE void loop_##id(struct warp *w, const struct inst *in, \
			      const unsigned m)                      \
	{                                                            \
		const CT_##at *ra = slot_at(w, in->a);               \
		CT_##dt out[LANES];                                  \
		(void)m;                                             \
		for (int l = 0; l < LANES; l++) {                    \
			CT_##at a = ra[l];                           \
			CT_##dt d;                                   \
			__VA_ARGS__;                                 \
			out[l] = d;                                  \
		}                                                    \
		STORE(CT_##dt);                                      \
	}                                                            \
	DISPATCH(id, HAS_MODS_##at)

#define LANE2(id, pat, dt, at, bt, unit, lat, ...)                   \
	INLINE void loop_##id(struct warp *w, const struct inst *in, \
			      const unsigned m)                      \
	{                                                            \
		const CT_##at *ra = slot_at(w, in->a);               \
		const CT_##bt *rb = slot_at(w, in->b);               \
		CT_##dt out[LANES];                                  \
		(void)m;                                             \
		for (int l = 0; l < LANES; l++) {                    \
			CT_##at a = ra[l];                           \
			CT_##bt b = rb[l];                           \
			CT_##dt d;                                   \
			__VA_ARGS__;                                 \
			out[l] = d;                                  \
		}                                                    \
		STORE(CT_##dt);                                      \
	}                                                            \
	DISPATCH(id, HAS_MODS_##at)

#define LANE3(id, pat, dt, at, bt, ct, unit, lat, ...)               \
	INLINE void loop_##id(struct warp *w, const struct inst *in, \
			      const unsigned m)                      \
	{                                                            \
		const CT_##at *ra = slot_at(w, in->a);               \
		const CT_##bt *rb = slot_at(w, in->b);               \
		const CT_##ct *rc = slot_at(w, in->c);               \
		CT_##dt out[LANES];                                  \
		(void)m;                                             \
		for (int l = 0; l < LANES; l++) {                    \
			CT_##at a = ra[l];                           \
			CT_##bt b = rb[l];                           \
			CT_##ct c = rc[l];                           \
			CT_##dt d;                                   \
			__VA_ARGS__;                                 \
			out[l] = d;                                  \
		}                                                    \
		STORE(CT_##dt);                                      \
	}                                                            \
	DISPATCH(id, HAS_MODS_##ct)

#define LANE4(id, pat, dt, at, bt, ct, et, unit, lat, ...)    \
	void exec_##id(struct warp *w, const struct inst *in) \
	{                                                     \
		const CT_##at *ra = slot_at(w, in->a);        \
		const CT_##bt *rb = slot_at(w, in->b);        \
		const CT_##ct *rc = slot_at(w, in->c);        \
		const CT_##et *re = slot_at(w, in->e);        \
		CT_##dt out[LANES];                           \
		for (int l = 0; l < LANES; l++) {             \
			CT_##at a = ra[l];                    \
			CT_##bt b = rb[l];                    \
			CT_##ct c = rc[l];                    \
			CT_##et e = re[l];                    \
			CT_##dt d;                            \
			__VA_ARGS__;                          \
			out[l] = d;                           \
		}                                             \
		STORE(CT_##dt);                               \
	}

/* in->e is the frame's carry flag; in->k: the instruction writes it. */
#define CARRY_OUT()                                \
	do {                                       \
		if (in->k)                         \
			pred_put(w, in->e, carry); \
	} while (0)

#define CARRY2(id, pat, dt, at, bt, unit, lat, use, ...)      \
	void exec_##id(struct warp *w, const struct inst *in) \
	{                                                     \
		const CT_##at *ra = slot_at(w, in->a);        \
		const CT_##bt *rb = slot_at(w, in->b);        \
		uint32_t old = pred_get(w, in->e), carry = 0; \
		CT_##dt out[LANES];                           \
		for (int l = 0; l < LANES; l++) {             \
			CT_##at a = ra[l];                    \
			CT_##bt b = rb[l];                    \
			CT_##dt d;                            \
			bool k = old >> l & 1;                \
			__VA_ARGS__;                          \
			out[l] = d;                           \
			carry |= (uint32_t)k << l;            \
		}                                             \
		STORE(CT_##dt);                               \
		CARRY_OUT();                                  \
	}

#define CARRY3(id, pat, dt, at, bt, ct, unit, lat, use, ...)  \
	void exec_##id(struct warp *w, const struct inst *in) \
	{                                                     \
		const CT_##at *ra = slot_at(w, in->a);        \
		const CT_##bt *rb = slot_at(w, in->b);        \
		const CT_##ct *rc = slot_at(w, in->c);        \
		uint32_t old = pred_get(w, in->e), carry = 0; \
		CT_##dt out[LANES];                           \
		for (int l = 0; l < LANES; l++) {             \
			CT_##at a = ra[l];                    \
			CT_##bt b = rb[l];                    \
			CT_##ct c = rc[l];                    \
			CT_##dt d;                            \
			bool k = old >> l & 1;                \
			__VA_ARGS__;                          \
			out[l] = d;                           \
			carry |= (uint32_t)k << l;            \
		}                                             \
		STORE(CT_##dt);                               \
		CARRY_OUT();                                  \
	}

/*
 * in->k has an IF_ bit for each relation (less, equal, greater, unordered) that
 * makes the comparison true. So one loop serves all eighteen comparisons.
 */

#define INT_LESS(a, b, m) ((a) < (b))
#define INT_EQUAL(a, b, m) ((a) == (b))
#define INT_UNORDERED(a, b, m) 0
#define LT_U16 INT_LESS
#define LT_U32 INT_LESS
#define LT_U64 INT_LESS
#define LT_S16 INT_LESS
#define LT_S32 INT_LESS
#define LT_S64 INT_LESS
#define LT_B16 INT_LESS
#define LT_B32 INT_LESS
#define LT_B64 INT_LESS
#define LT_F16 f16_lt
#define LT_BF16 bf16_lt
#define LT_F32 f32_lt
#define LT_F64 f64_lt
#define EQ_U16 INT_EQUAL
#define EQ_U32 INT_EQUAL
#define EQ_U64 INT_EQUAL
#define EQ_S16 INT_EQUAL
#define EQ_S32 INT_EQUAL
#define EQ_S64 INT_EQUAL
#define EQ_B16 INT_EQUAL
#define EQ_B32 INT_EQUAL
#define EQ_B64 INT_EQUAL
#define EQ_F16 f16_eq
#define EQ_BF16 bf16_eq
#define EQ_F32 f32_eq
#define EQ_F64 f64_eq
#define UN_U16 INT_UNORDERED
#define UN_U32 INT_UNORDERED
#define UN_U64 INT_UNORDERED
#define UN_S16 INT_UNORDERED
#define UN_S32 INT_UNORDERED
#define UN_S64 INT_UNORDERED
#define UN_B16 INT_UNORDERED
#define UN_B32 INT_UNORDERED
#define UN_B64 INT_UNORDERED
#define UN_F16 f16_un
#define UN_BF16 bf16_un
#define UN_F32 f32_un
#define UN_F64 f64_un

INLINE uint32_t compare_result(unsigned truth, uint32_t lt, uint32_t eq,
			       uint32_t un)
{
	uint32_t gt = ~(lt | eq | un), r = 0;

	r |= truth & IF_LT ? lt : 0;
	r |= truth & IF_EQ ? eq : 0;
	r |= truth & IF_GT ? gt : 0;
	r |= truth & IF_UN ? un : 0;
	return r;
}

#define COMPARE(id, type)                                                   \
	INLINE uint32_t compare_##id(struct warp *w, const struct inst *in, \
				     const unsigned m)                      \
	{                                                                   \
		const CT_##type *ra = slot_at(w, in->a);                    \
		const CT_##type *rb = slot_at(w, in->b);                    \
		uint32_t lt = 0, eq = 0, un = 0;                            \
		(void)m;                                                    \
		for (int l = 0; l < LANES; l++) {                           \
			uint32_t bit = 1u << l;                             \
			lt |= LT_##type(ra[l], rb[l], m) ? bit : 0;         \
			eq |= EQ_##type(ra[l], rb[l], m) ? bit : 0;         \
			un |= UN_##type(ra[l], rb[l], m) ? bit : 0;         \
		}                                                           \
		return compare_result(in->k, lt, eq, un);                   \
	}

#define SETP(id, pat, type, unit, lat)                                         \
	COMPARE(id, type)                                                      \
	void exec_##id(struct warp *w, const struct inst *in)                  \
	{                                                                      \
		uint32_t t = in->m & M_FTZ ? compare_##id(w, in, M_FTZ) :      \
					     compare_##id(w, in, 0);           \
		uint32_t p = compare_combine(w, in, t);                        \
		uint32_t q = in->d2 == SLOT_NONE ? 0 :                         \
						   compare_combine(w, in, ~t); \
		pred_put(w, in->d, p);                                         \
		pred_put(w, in->d2, q);                                        \
	}

/* `one` has the bits of the value that means true. */
#define BITS_U16 uint16_t
#define BITS_S16 uint16_t
#define BITS_F16 uint16_t
#define BITS_BF16 uint16_t
#define BITS_U32 uint32_t
#define BITS_S32 uint32_t
#define BITS_F32 uint32_t
#define SET(id, pat, dt, at, unit, lat, one)                              \
	COMPARE(id, at)                                                   \
	void exec_##id(struct warp *w, const struct inst *in)             \
	{                                                                 \
		uint32_t t = in->m & M_FTZ ? compare_##id(w, in, M_FTZ) : \
					     compare_##id(w, in, 0);      \
		uint32_t p = compare_combine(w, in, t);                   \
		BITS_##dt out[LANES];                                     \
		for (int l = 0; l < LANES; l++)                           \
			out[l] = p >> l & 1 ? (one) : 0;                  \
		STORE(BITS_##dt);                                         \
	}

#define SELP(id, pat, type, unit, lat)                        \
	void exec_##id(struct warp *w, const struct inst *in) \
	{                                                     \
		const CT_##type *ra = slot_at(w, in->a);      \
		const CT_##type *rb = slot_at(w, in->b);      \
		uint32_t p = pred_src(w, in, in->c, 0);       \
		CT_##type out[LANES];                         \
		for (int l = 0; l < LANES; l++)               \
			out[l] = p >> l & 1 ? ra[l] : rb[l];  \
		STORE(CT_##type);                             \
	}

#define TEST1(id, pat, at, unit, lat, ...)                    \
	void exec_##id(struct warp *w, const struct inst *in) \
	{                                                     \
		const CT_##at *ra = slot_at(w, in->a);        \
		uint32_t out = 0;                             \
		for (int l = 0; l < LANES; l++) {             \
			CT_##at a = ra[l];                    \
			bool d;                               \
			__VA_ARGS__;                          \
			out |= d ? 1u << l : 0;               \
		}                                             \
		pred_put(w, in->d, out);                      \
	}

#include "isa/ptx/ptx.def"
