/*
 * Vector comparisons: a bit for each active lane in vcc or a pair of scalar
 * registers; cmpx writes exec, too. cmps differs from cmp in the exceptions that it
 * signals, which are not modelled.
 */
#include "isa/gcn/lanes.h"

#define COMPARE_OF(id, s, A, B, prepare, expr)           \
	static void lanes_##id(struct gcn_lanes *x)      \
	{                                                \
		const gcn_type_##A *pa = x->a;           \
		const gcn_type_##B *pb = x->b;           \
		uint8_t r[WAVE_LANES];                   \
                                                         \
		GCN_EACH_LANE                            \
		{                                        \
			PREPARE_##prepare r[l] = (expr); \
		}                                        \
		x->mask = gcn_pack(r);                   \
	}                                                \
	GCN_VALU_ROW(id, GCN_SHAPE_MASK | (s), #expr)

/* Subnormal sources are flushed as the mode says. */
static inline float compare_float_of(uint32_t u, uint32_t mode)
{
	return f32_of(gcn_flush(u, gcn_keeps(mode, GCN_DENORM_IN_32)));
}
static inline double double_of(uint64_t u, uint32_t mode)
{
	return f64_of(gcn_flush64(u, mode & GCN_DENORM_IN_64));
}

#define PREPARE_FLOATS                              \
	float a = compare_float_of(pa[l], x->mode); \
	float b = compare_float_of(pb[l], x->mode); \
	(void)a, (void)b;
#define PREPARE_DOUBLES                       \
	double a = double_of(pa[l], x->mode); \
	double b = double_of(pb[l], x->mode); \
	(void)a, (void)b;
#define INTS_OF(type)                          \
	type a = (type)pa[l], b = (type)pb[l]; \
	(void)a, (void)b;
#define PREPARE_I32 INTS_OF(int32_t)
#define PREPARE_U32 INTS_OF(uint32_t)
#define PREPARE_I64 INTS_OF(int64_t)
#define PREPARE_U64 INTS_OF(uint64_t)

/* A comparison that writes vcc or a pair, and one that writes exec, too. */
#define BOTH(before, x_before, after, A, B, prepare, expr) \
	COMPARE_OF(before##after, 0, A, B, prepare, expr)  \
	COMPARE_OF(x_before##after, GCN_SHAPE_EXEC, A, B, prepare, expr)

#define OF_F32(rel, expr)                                    \
	BOTH(V_CMP_, V_CMPX_, rel##_F32, U, U, FLOATS, expr) \
	BOTH(V_CMPS_, V_CMPSX_, rel##_F32, U, U, FLOATS, expr)
#define OF_F64(rel, expr)                                     \
	BOTH(V_CMP_, V_CMPX_, rel##_F64, D, D, DOUBLES, expr) \
	BOTH(V_CMPS_, V_CMPSX_, rel##_F64, D, D, DOUBLES, expr)
#define OF_FLOATS(rel, expr) \
	OF_F32(rel, expr)    \
	OF_F64(rel, expr)
#define OF_INTS(rel, expr)                                \
	BOTH(V_CMP_, V_CMPX_, rel##_I32, U, U, I32, expr) \
	BOTH(V_CMP_, V_CMPX_, rel##_U32, U, U, U32, expr) \
	BOTH(V_CMP_, V_CMPX_, rel##_I64, D, D, I64, expr) \
	BOTH(V_CMP_, V_CMPX_, rel##_U64, D, D, U64, expr)

OF_FLOATS(F, 0)
OF_FLOATS(LT, a < b)
OF_FLOATS(EQ, a == b)
OF_FLOATS(LE, a <= b)
OF_FLOATS(GT, a > b)
OF_FLOATS(LG, a<b || a> b)
OF_FLOATS(GE, a >= b)
OF_FLOATS(O, a == a && b == b)
OF_FLOATS(U, a != a || b != b)
OF_FLOATS(NGE, !(a >= b))
OF_FLOATS(NLG, !(a < b || a > b))
OF_FLOATS(NGT, !(a > b))
OF_FLOATS(NLE, !(a <= b))
OF_FLOATS(NEQ, !(a == b))
OF_FLOATS(NLT, !(a < b))
OF_FLOATS(TRU, 1)

OF_INTS(F, 0)
OF_INTS(LT, a < b)
OF_INTS(EQ, a == b)
OF_INTS(LE, a <= b)
OF_INTS(GT, a > b)
OF_INTS(NE, a != b)
OF_INTS(GE, a >= b)
OF_INTS(T, 1)

/*
 * Classes, a bit of the second source each: signalling NaN, quiet NaN, -infinity,
 * negative normal, negative subnormal, -0, +0, positive subnormal, positive normal,
 * +infinity.
 */
enum { CLASS_SNAN = 1, CLASS_QNAN = 2 };

/* zero, subnormal, normal, infinite: from 0 to 3. */
static unsigned class_bit(unsigned magnitude, bool negative)
{
	return negative ? 1u << (5 - magnitude) : 1u << (6 + magnitude);
}
static unsigned class32(uint32_t u)
{
	uint32_t m = u & 0x7fffffff;

	if (m > 0x7f800000)
		return m & GCN_QUIET ? CLASS_QNAN : CLASS_SNAN;
	return class_bit(!m             ? 0 :
			 m < 0x800000   ? 1 :
			 m < 0x7f800000 ? 2 :
					  3,
			 u >> 31);
}
static unsigned class64(uint64_t u)
{
	uint64_t m = u & INT64_MAX, inf = UINT64_C(0x7ff) << 52;

	if (m > inf)
		return m & GCN_QUIET64 ? CLASS_QNAN : CLASS_SNAN;
	return class_bit(!m ? 0 : !(m >> 52) ? 1 : m < inf ? 2 : 3, u >> 63);
}
#define PREPARE_CLASS_32 uint32_t a = pa[l], b = pb[l];
#define PREPARE_CLASS_64    \
	uint64_t a = pa[l]; \
	uint32_t b = pb[l];
BOTH(V_CMP_, V_CMPX_, CLASS_F32, U, U, CLASS_32, (class32(a) & b) != 0)
BOTH(V_CMP_, V_CMPX_, CLASS_F64, D, U, CLASS_64, (class64(a) & b) != 0)
