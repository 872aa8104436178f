/*
 * nvcuda::wmma: fragments, load, store, fill and multiply-accumulate as the
 * wmma instructions of PTX (PTX ISA, "Warp Level Matrix Instructions"). Which
 * lane holds which element is not specified: only operations that treat all
 * elements alike are portable, as in CUDA.
 *
 * Provided: f16 and s8/u8 and bf16 in the shapes m16n16k16, m32n8k16 and
 * m8n32k16; tf32 in m16n16k8; f64 in m8n8k4. Not provided: sub-byte types
 * (wmma::experimental).
 */
#ifndef HEDDLE_MMA_H
#define HEDDLE_MMA_H
#pragma GCC system_header

#include "heddle/language.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda
{
namespace wmma
{
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;

enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
}

/* How a fragment is stored: the type and number of elements in x[], the type
 * and number of registers. */
template <class Use, int M, int N, int K, class T> struct heddle_frag;
#define FRAG(Use, M, N, K, T, Elem, elems, Reg, regs)                         \
	template <> struct heddle_frag<Use, M, N, K, T> {                     \
		typedef Elem elem;                                            \
		typedef Reg reg;                                              \
		enum { count = elems, nreg = regs };                          \
	};
#define FRAGS_16(M, N, abf, bbf, a8, b8)                                      \
	FRAG(matrix_a, M, N, 16, __half, __half, 16, unsigned, 8)             \
	FRAG(matrix_b, M, N, 16, __half, __half, 16, unsigned, 8)             \
	FRAG(accumulator, M, N, 16, __half, __half, 8, unsigned, 4)           \
	FRAG(accumulator, M, N, 16, float, float, 8, float, 8)                \
	FRAG(accumulator, M, N, 16, int, int, 8, int, 8)                      \
	FRAG(matrix_a, M, N, 16, __nv_bfloat16, __nv_bfloat16, 2 * abf,       \
	     unsigned, abf)                                                   \
	FRAG(matrix_b, M, N, 16, __nv_bfloat16, __nv_bfloat16, 2 * bbf,       \
	     unsigned, bbf)                                                   \
	FRAG(matrix_a, M, N, 16, signed char, signed char, 4 * a8, unsigned,  \
	     a8)                                                              \
	FRAG(matrix_b, M, N, 16, signed char, signed char, 4 * b8, unsigned,  \
	     b8)                                                              \
	FRAG(matrix_a, M, N, 16, unsigned char, unsigned char, 4 * a8,        \
	     unsigned, a8)                                                    \
	FRAG(matrix_b, M, N, 16, unsigned char, unsigned char, 4 * b8,        \
	     unsigned, b8)
FRAGS_16(16, 16, 4, 4, 2, 2)
FRAGS_16(32, 8, 8, 2, 4, 1)
FRAGS_16(8, 32, 2, 8, 1, 4)
FRAG(matrix_a, 16, 16, 8, precision::tf32, float, 4, unsigned, 4)
FRAG(matrix_b, 16, 16, 8, precision::tf32, float, 4, unsigned, 4)
FRAG(accumulator, 16, 16, 8, float, float, 8, float, 8)
FRAG(matrix_a, 8, 8, 4, double, double, 1, double, 1)
FRAG(matrix_b, 8, 8, 4, double, double, 1, double, 1)
FRAG(accumulator, 8, 8, 4, double, double, 2, double, 2)
#undef FRAGS_16
#undef FRAG

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment
{
	typedef heddle_frag<Use, M, N, K, T> f;

      public:
	typedef typename f::elem element_type;
	typedef typename f::elem storage_element_type;
	enum { num_elements = f::count, num_storage_elements = f::count };
	element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout>
HEDDLE_DT void
fill_fragment(fragment<Use, M, N, K, T, Layout> &frag,
	      const typename heddle_frag<Use, M, N, K, T>::elem &v)
{
	for (int i = 0; i < frag.num_elements; i++)
		frag.x[i] = v;
}

HEDDLE_D float __float_to_tf32(float f)
{
	unsigned u;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(f));
	return __uint_as_float(u);
}

/* Registers of an operand by name: {%[a0], %[a1], ...} in the text, outputs or
 * inputs in the operand lists. */
#define TXT1(v) "{%[" v "0]}"
#define TXT2(v) "{%[" v "0], %[" v "1]}"
#define TXT4(v) "{%[" v "0], %[" v "1], %[" v "2], %[" v "3]}"
#define TXT8(v)                                                               \
	"{%[" v "0], %[" v "1], %[" v "2], %[" v "3], %[" v "4], %[" v        \
	"5], %[" v "6], %[" v "7]}"
#define OUT1(v, c) [v##0] "=" c(v[0])
#define OUT2(v, c) OUT1(v, c), [v##1] "=" c(v[1])
#define OUT4(v, c) OUT2(v, c), [v##2] "=" c(v[2]), [v##3] "=" c(v[3])
#define OUT8(v, c)                                                            \
	OUT4(v, c), [v##4] "=" c(v[4]), [v##5] "=" c(v[5]),                   \
		[v##6] "=" c(v[6]), [v##7] "=" c(v[7])
#define IN1(v, c) [v##0] c(v[0])
#define IN2(v, c) IN1(v, c), [v##1] c(v[1])
#define IN4(v, c) IN2(v, c), [v##2] c(v[2]), [v##3] c(v[3])
#define IN8(v, c)                                                             \
	IN4(v, c), [v##4] c(v[4]), [v##5] c(v[5]), [v##6] c(v[6]),            \
		[v##7] c(v[7])

/* ---- loads of a and b, one per layout ---- */

#define LOAD_L(Use, use, M, N, K, T, Mem, Layout, layout, ptx, Reg, c, n)     \
	HEDDLE_D void load_matrix_sync(                                       \
		fragment<Use, M, N, K, T, Layout> &frag, const Mem *p,        \
		unsigned ldm)                                                 \
	{                                                                     \
		Reg r[n];                                                     \
		asm volatile("wmma.load." use ".sync.aligned." layout         \
			     ".m" #M "n" #N "k" #K "." ptx " " TXT##n("r")    \
			     ", [%[p]], %[ldm];"                              \
			     : OUT##n(r, c)                                   \
			     : [p] "l"(p), [ldm] "r"(ldm) : "memory");        \
		__builtin_memcpy(frag.x, r, sizeof(r));                       \
	}
#define LOAD(Use, use, M, N, K, T, Mem, ptx, Reg, c, n)                       \
	LOAD_L(Use, use, M, N, K, T, Mem, row_major, "row", ptx, Reg, c, n)   \
	LOAD_L(Use, use, M, N, K, T, Mem, col_major, "col", ptx, Reg, c, n)
#define LOADS_16(M, N, abf, bbf, a8, b8)                                      \
	LOAD(matrix_a, "a", M, N, 16, __half, __half, "f16", unsigned, "r",   \
	     8)                                                               \
	LOAD(matrix_b, "b", M, N, 16, __half, __half, "f16", unsigned, "r",   \
	     8)                                                               \
	LOAD(matrix_a, "a", M, N, 16, __nv_bfloat16, __nv_bfloat16, "bf16",   \
	     unsigned, "r", abf)                                              \
	LOAD(matrix_b, "b", M, N, 16, __nv_bfloat16, __nv_bfloat16, "bf16",   \
	     unsigned, "r", bbf)                                              \
	LOAD(matrix_a, "a", M, N, 16, signed char, signed char, "s8",         \
	     unsigned, "r", a8)                                               \
	LOAD(matrix_b, "b", M, N, 16, signed char, signed char, "s8",         \
	     unsigned, "r", b8)                                               \
	LOAD(matrix_a, "a", M, N, 16, unsigned char, unsigned char, "u8",     \
	     unsigned, "r", a8)                                               \
	LOAD(matrix_b, "b", M, N, 16, unsigned char, unsigned char, "u8",     \
	     unsigned, "r", b8)
LOADS_16(16, 16, 4, 4, 2, 2)
LOADS_16(32, 8, 8, 2, 4, 1)
LOADS_16(8, 32, 2, 8, 1, 4)
LOAD(matrix_a, "a", 16, 16, 8, precision::tf32, float, "tf32", unsigned, "r", 4)
LOAD(matrix_b, "b", 16, 16, 8, precision::tf32, float, "tf32", unsigned, "r", 4)
LOAD(matrix_a, "a", 8, 8, 4, double, double, "f64", double, "d", 1)
LOAD(matrix_b, "b", 8, 8, 4, double, double, "f64", double, "d", 1)
#undef LOADS_16
#undef LOAD
#undef LOAD_L

/* ---- accumulators: the layout is an argument ---- */

#define ACC_L(fn, M, N, K, T, layout, ptx, Reg, c, n)                         \
	HEDDLE_D void heddle_load_##fn(Reg *r, const T *p, unsigned ldm)      \
	{                                                                     \
		asm volatile("wmma.load.c.sync.aligned." layout               \
			     ".m" #M "n" #N "k" #K "." ptx " " TXT##n("r")    \
			     ", [%[p]], %[ldm];"                              \
			     : OUT##n(r, c)                                   \
			     : [p] "l"(p), [ldm] "r"(ldm) : "memory");        \
	}                                                                     \
	HEDDLE_D void heddle_store_##fn(const Reg *r, T *p, unsigned ldm)     \
	{                                                                     \
		asm volatile("wmma.store.d.sync.aligned." layout              \
			     ".m" #M "n" #N "k" #K "." ptx " [%[p]], "        \
			     TXT##n("r") ", %[ldm];"                          \
			     : : [p] "l"(p), [ldm] "r"(ldm), IN##n(r, c)      \
			     : "memory");                                     \
	}
#define ACC(id, M, N, K, T, ptx, Reg, c, n)                                   \
	ACC_L(row_##id, M, N, K, T, "row", ptx, Reg, c, n)                    \
	ACC_L(col_##id, M, N, K, T, "col", ptx, Reg, c, n)                    \
	HEDDLE_D void load_matrix_sync(fragment<accumulator, M, N, K, T> &f,  \
				       const T *p, unsigned ldm,              \
				       layout_t layout)                       \
	{                                                                     \
		Reg r[n];                                                     \
		if (layout == mem_row_major)                                  \
			heddle_load_row_##id(r, p, ldm);                      \
		else                                                          \
			heddle_load_col_##id(r, p, ldm);                      \
		__builtin_memcpy(f.x, r, sizeof(r));                          \
	}                                                                     \
	HEDDLE_D void store_matrix_sync(                                      \
		T *p, const fragment<accumulator, M, N, K, T> &f,             \
		unsigned ldm, layout_t layout)                                \
	{                                                                     \
		Reg r[n];                                                     \
		__builtin_memcpy(r, f.x, sizeof(r));                          \
		if (layout == mem_row_major)                                  \
			heddle_store_row_##id(r, p, ldm);                     \
		else                                                          \
			heddle_store_col_##id(r, p, ldm);                     \
	}
#define ACCS_16(M, N)                                                         \
	ACC(h##M##x##N, M, N, 16, __half, "f16", unsigned, "r", 4)            \
	ACC(f##M##x##N, M, N, 16, float, "f32", float, "f", 8)                \
	ACC(i##M##x##N, M, N, 16, int, "s32", int, "r", 8)
ACCS_16(16, 16)
ACCS_16(32, 8)
ACCS_16(8, 32)
ACC(tf32, 16, 16, 8, float, "f32", float, "f", 8)
ACC(f64, 8, 8, 4, double, "f64", double, "d", 2)
#undef ACCS_16
#undef ACC
#undef ACC_L

/* ---- d = a b + c ---- */

#define MMA_L(LA, la, LB, lb, M, N, K, AB, RAB, cab, na, nb, C, RC, cc, nc,   \
	      D, RD, cd, nd, mid, types)                                      \
	HEDDLE_D void mma_sync(                                               \
		fragment<accumulator, M, N, K, D> &df,                        \
		const fragment<matrix_a, M, N, K, AB, LA> &af,                \
		const fragment<matrix_b, M, N, K, AB, LB> &bf,                \
		const fragment<accumulator, M, N, K, C> &cf)                  \
	{                                                                     \
		RAB a[na], b[nb];                                             \
		RC c[nc];                                                     \
		RD d[nd];                                                     \
		__builtin_memcpy(a, af.x, sizeof(a));                         \
		__builtin_memcpy(b, bf.x, sizeof(b));                         \
		__builtin_memcpy(c, cf.x, sizeof(c));                         \
		asm volatile("wmma.mma.sync.aligned." la "." lb               \
			     ".m" #M "n" #N "k" #K mid types " " TXT##nd("d") \
			     ", " TXT##na("a") ", " TXT##nb("b") ", "         \
			     TXT##nc("c") ";"                                 \
			     : OUT##nd(d, cd)                                 \
			     : IN##na(a, cab), IN##nb(b, cab), IN##nc(c, cc));\
		__builtin_memcpy(df.x, d, sizeof(d));                         \
	}
#define MMA(...)                                                              \
	MMA_L(row_major, "row", row_major, "row", __VA_ARGS__)                \
	MMA_L(row_major, "row", col_major, "col", __VA_ARGS__)                \
	MMA_L(col_major, "col", row_major, "row", __VA_ARGS__)                \
	MMA_L(col_major, "col", col_major, "col", __VA_ARGS__)
#define MMAS_16(M, N, abf, bbf, a8, b8)                                       \
	MMA(M, N, 16, __half, unsigned, "r", 8, 8, float, float, "f", 8,      \
	    float, float, "f", 8, "", ".f32.f32")                             \
	MMA(M, N, 16, __half, unsigned, "r", 8, 8, __half, unsigned, "r", 4,  \
	    __half, unsigned, "r", 4, "", ".f16.f16")                         \
	MMA(M, N, 16, __half, unsigned, "r", 8, 8, __half, unsigned, "r", 4,  \
	    float, float, "f", 8, "", ".f32.f16")                             \
	MMA(M, N, 16, __half, unsigned, "r", 8, 8, float, float, "f", 8,      \
	    __half, unsigned, "r", 4, "", ".f16.f32")                         \
	MMA(M, N, 16, __nv_bfloat16, unsigned, "r", abf, bbf, float, float,   \
	    "f", 8, float, float, "f", 8, "", ".f32.bf16.bf16.f32")           \
	MMA(M, N, 16, signed char, unsigned, "r", a8, b8, int, int, "r", 8,   \
	    int, int, "r", 8, "", ".s32.s8.s8.s32")                           \
	MMA(M, N, 16, unsigned char, unsigned, "r", a8, b8, int, int, "r", 8, \
	    int, int, "r", 8, "", ".s32.u8.u8.s32")
MMAS_16(16, 16, 4, 4, 2, 2)
MMAS_16(32, 8, 8, 2, 4, 1)
MMAS_16(8, 32, 2, 8, 1, 4)
MMA(16, 16, 8, precision::tf32, unsigned, "r", 4, 4, float, float, "f", 8,
    float, float, "f", 8, "", ".f32.tf32.tf32.f32")
MMA(8, 8, 4, double, double, "d", 1, 1, double, double, "d", 2, double, double,
    "d", 2, ".rn", ".f64.f64.f64.f64")
#undef MMAS_16
#undef MMA
#undef MMA_L
#undef TXT1
#undef TXT2
#undef TXT4
#undef TXT8
#undef OUT1
#undef OUT2
#undef OUT4
#undef OUT8
#undef IN1
#undef IN2
#undef IN4
#undef IN8
}
}

#endif
