/*
 * The functions of vector rows: a loop over all lanes of a pure function of a
 * lane's operands, which the compiler vectorises.
 *
 *	LANES2(V_AND_B32, U, U, U, a & b)
 *
 * names the types of the result and of each source: U a word, D two words. The
 * driver (gcn_valu) fetches sources, applies their modifiers, writes results to
 * the active lanes, clamps and multiplies.
 */
#ifndef HEDDLE_ISA_GCN_LANES_H
#define HEDDLE_ISA_GCN_LANES_H

#include "base/fp.h"
#include "isa/gcn/exec.h"

typedef uint32_t gcn_type_U;
typedef uint64_t gcn_type_D;

#define GCN_VALU_ROW(id, s, text)                                    \
	const struct gcn_exec gcn_exec_##id = { .exec = gcn_valu,    \
						.lanes = lanes_##id, \
						.shape = s,          \
						.does = text };

#define LANES1_OF(id, s, R, A, expr)                 \
	static void lanes_##id(struct gcn_lanes *x)  \
	{                                            \
		const gcn_type_##A *pa = x->a;       \
		gcn_type_##R *d = x->d;              \
                                                     \
		GCN_EACH_LANE                        \
		{                                    \
			gcn_type_##A a = pa[l];      \
                                                     \
			d[l] = (gcn_type_##R)(expr); \
		}                                    \
	}                                            \
	GCN_VALU_ROW(id, s, #expr)

#define LANES2_OF(id, s, R, A, B, expr)              \
	static void lanes_##id(struct gcn_lanes *x)  \
	{                                            \
		const gcn_type_##A *pa = x->a;       \
		const gcn_type_##B *pb = x->b;       \
		gcn_type_##R *d = x->d;              \
                                                     \
		GCN_EACH_LANE                        \
		{                                    \
			gcn_type_##A a = pa[l];      \
			gcn_type_##B b = pb[l];      \
                                                     \
			d[l] = (gcn_type_##R)(expr); \
		}                                    \
	}                                            \
	GCN_VALU_ROW(id, s, #expr)

#define LANES3_OF(id, s, R, A, B, C, expr)           \
	static void lanes_##id(struct gcn_lanes *x)  \
	{                                            \
		const gcn_type_##A *pa = x->a;       \
		const gcn_type_##B *pb = x->b;       \
		const gcn_type_##C *pc = x->c;       \
		gcn_type_##R *d = x->d;              \
                                                     \
		GCN_EACH_LANE                        \
		{                                    \
			gcn_type_##A a = pa[l];      \
			gcn_type_##B b = pb[l];      \
			gcn_type_##C c = pc[l];      \
                                                     \
			d[l] = (gcn_type_##R)(expr); \
		}                                    \
	}                                            \
	GCN_VALU_ROW(id, s, #expr)

#define LANES1(id, R, A, expr) LANES1_OF(id, 0, R, A, expr)
#define LANES2(id, R, A, B, expr) LANES2_OF(id, 0, R, A, B, expr)
#define LANES3(id, R, A, B, C, expr) LANES3_OF(id, 0, R, A, B, C, expr)
/* Of floats: the result is a float, too. */
#define FLOAT1(id, R, A, expr) LANES1_OF(id, GCN_SHAPE_FLOAT, R, A, expr)
#define FLOAT2(id, R, A, B, expr) LANES2_OF(id, GCN_SHAPE_FLOAT, R, A, B, expr)
#define FLOAT3(id, R, A, B, C, expr) \
	LANES3_OF(id, GCN_SHAPE_FLOAT, R, A, B, C, expr)

/* Bit l of the result is set if r[l] is 1; it is 0 or 1. */
static inline uint64_t gcn_pack(const uint8_t r[WAVE_LANES])
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < WAVE_LANES / 8; i++) {
		uint64_t eight;

		memcpy(&eight, r + 8 * i, sizeof(eight));
		mask |= (eight * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
	}
	return mask;
}

/* ---- subnormals and NaNs ----------------------------------------------- */

/* ~0: subnormals stay; 0: they become zero of their sign. */
static inline uint32_t gcn_keeps(uint32_t mode, uint32_t bit)
{
	return mode & bit ? UINT32_MAX : 0;
}

static inline uint32_t gcn_flush(uint32_t u, uint32_t keep)
{
	return u & (((u & 0x7f800000) ? UINT32_MAX : 0x80000000) | keep);
}

static inline uint64_t gcn_flush64(uint64_t u, bool keep)
{
	return keep || (u & UINT64_C(0x7ff0000000000000)) ?
		       u :
		       u & UINT64_C(0x8000000000000000);
}

static inline bool gcn_is_nan(uint32_t u)
{
	return (u & 0x7fffffff) > 0x7f800000;
}

static inline bool gcn_is_nan64(uint64_t u)
{
	return (u & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

enum { GCN_NAN = 0x7fc00000, GCN_QUIET = 0x00400000 };
#define GCN_NAN64 UINT64_C(0x7ff8000000000000)
#define GCN_QUIET64 UINT64_C(0x0008000000000000)

/* The first operand that is a NaN, quiet; if none is, the NaN of an operation
 * without a result. */
static inline uint32_t gcn_nan(uint32_t a, uint32_t b, uint32_t c)
{
	return gcn_is_nan(a) ? a | GCN_QUIET :
	       gcn_is_nan(b) ? b | GCN_QUIET :
	       gcn_is_nan(c) ? c | GCN_QUIET :
			       GCN_NAN;
}

static inline uint64_t gcn_nan64(uint64_t a, uint64_t b, uint64_t c)
{
	return gcn_is_nan64(a) ? a | GCN_QUIET64 :
	       gcn_is_nan64(b) ? b | GCN_QUIET64 :
	       gcn_is_nan64(c) ? c | GCN_QUIET64 :
				 GCN_NAN64;
}

static inline enum rnd gcn_round(unsigned bits)
{
	static const enum rnd modes[4] = { RND_RN, RND_RP, RND_RM, RND_RZ };

	return modes[bits & 3];
}

static inline enum rnd gcn_round32(uint32_t mode)
{
	return gcn_round(mode);
}

static inline enum rnd gcn_round64(uint32_t mode)
{
	return gcn_round(mode >> 2);
}

#endif
