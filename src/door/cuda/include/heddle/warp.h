/*
 * Warp-level functions: shuffle, vote, match, reduce, activemask (CUDA C++
 * programming guide, "Warp Vote/Match/Reduce/Shuffle Functions"; PTX ISA
 * shfl.sync, vote.sync, match.sync, redux.sync). The legacy forms without a
 * mask act on the active lanes.
 *
 * The c operand of shfl.sync holds the clamp value in bits 0-4 and the segment
 * mask in bits 8-12.
 */
#ifndef HEDDLE_CUDA_WARP_H
#define HEDDLE_CUDA_WARP_H
#pragma GCC system_header

#include "config.h"
#include "sync.h"

HEDDLE_D unsigned __activemask(void)
{
	unsigned m;
	asm volatile("activemask.b32 %0;" : "=r"(m));
	return m;
}

/* One 32-bit shuffle each; wider types go through them in pieces. */
#define HEDDLE_SHFL32(mode)                                                   \
	HEDDLE_D unsigned heddle_shfl_##mode(unsigned mask, unsigned v,       \
					     unsigned b, unsigned c)          \
	{                                                                     \
		unsigned d;                                                   \
		asm volatile("shfl.sync." #mode ".b32 %0, %1, %2, %3, %4;"    \
			     : "=r"(d)                                        \
			     : "r"(v), "r"(b), "r"(c), "r"(mask));            \
		return d;                                                     \
	}
HEDDLE_SHFL32(idx)
HEDDLE_SHFL32(up)
HEDDLE_SHFL32(down)
HEDDLE_SHFL32(bfly)
#undef HEDDLE_SHFL32

/*            name               mode  clamp  type of b */
#define HEDDLE_SHFL_FORMS(X)                             \
	X(__shfl_sync,      __shfl,      idx,  0x1f, int)          \
	X(__shfl_up_sync,   __shfl_up,   up,   0,    unsigned)     \
	X(__shfl_down_sync, __shfl_down, down, 0x1f, unsigned)     \
	X(__shfl_xor_sync,  __shfl_xor,  bfly, 0x1f, int)

#define HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, T)                    \
	HEDDLE_D T name(unsigned mask, T v, btype b, int width = 32)          \
	{                                                                     \
		unsigned w[(sizeof(T) + 3) / 4] = {};                         \
		__builtin_memcpy(w, &v, sizeof(T));                           \
		unsigned c = ((32u - (unsigned)width) << 8) | (clamp);        \
		for (unsigned i = 0; i < sizeof(w) / 4; i++)                  \
			w[i] = heddle_shfl_##mode(mask, w[i], (unsigned)b, c);\
		__builtin_memcpy(&v, w, sizeof(T));                           \
		return v;                                                     \
	}                                                                     \
	HEDDLE_D T legacy(T v, btype b, int width = 32)                       \
	{                                                                     \
		return name(__activemask(), v, b, width);                     \
	}
#define X(name, legacy, mode, clamp, btype)                                   \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, int)                  \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, unsigned)             \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, long)                 \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, unsigned long)        \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, long long)            \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, unsigned long long)   \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, float)                \
	HEDDLE_SHFL_T(name, legacy, mode, clamp, btype, double)
HEDDLE_SHFL_FORMS(X)
#undef X

HEDDLE_D unsigned __ballot_sync(unsigned mask, int pred)
{
	unsigned r;
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t"
		     "vote.sync.ballot.b32 %0, p, %2;\n\t}"
		     : "=r"(r) : "r"(pred), "r"(mask));
	return r;
}

#define HEDDLE_VOTE(name, op)                                                 \
	HEDDLE_D int name(unsigned mask, int pred)                            \
	{                                                                     \
		int r;                                                        \
		asm volatile("{\n\t.reg .pred p, q;\n\t"                      \
			     "setp.ne.s32 p, %1, 0;\n\t"                      \
			     "vote.sync." op ".pred q, p, %2;\n\t"            \
			     "selp.s32 %0, 1, 0, q;\n\t}"                     \
			     : "=r"(r) : "r"(pred), "r"(mask));               \
		return r;                                                     \
	}
HEDDLE_VOTE(__all_sync, "all")
HEDDLE_VOTE(__any_sync, "any")
HEDDLE_VOTE(__uni_sync, "uni")
#undef HEDDLE_VOTE

HEDDLE_D unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }
HEDDLE_D int __all(int p) { return __all_sync(__activemask(), p); }
HEDDLE_D int __any(int p) { return __any_sync(__activemask(), p); }

HEDDLE_D unsigned heddle_match_any32(unsigned mask, unsigned v)
{
	unsigned r;
	asm volatile("match.any.sync.b32 %0, %1, %2;"
		     : "=r"(r) : "r"(v), "r"(mask));
	return r;
}

HEDDLE_D unsigned heddle_match_any64(unsigned mask, unsigned long long v)
{
	unsigned r;
	asm volatile("match.any.sync.b64 %0, %1, %2;"
		     : "=r"(r) : "l"(v), "r"(mask));
	return r;
}

HEDDLE_D unsigned heddle_match_all32(unsigned mask, unsigned v, int *pred)
{
	unsigned r;
	asm volatile("{\n\t.reg .pred p;\n\t"
		     "match.all.sync.b32 %0|p, %2, %3;\n\t"
		     "selp.s32 %1, 1, 0, p;\n\t}"
		     : "=r"(r), "=r"(*pred) : "r"(v), "r"(mask));
	return r;
}

HEDDLE_D unsigned heddle_match_all64(unsigned mask, unsigned long long v,
				     int *pred)
{
	unsigned r;
	asm volatile("{\n\t.reg .pred p;\n\t"
		     "match.all.sync.b64 %0|p, %2, %3;\n\t"
		     "selp.s32 %1, 1, 0, p;\n\t}"
		     : "=r"(r), "=r"(*pred) : "l"(v), "r"(mask));
	return r;
}

#define HEDDLE_MATCH_T(T, U, bits)                                            \
	HEDDLE_D unsigned __match_any_sync(unsigned mask, T v)                \
	{                                                                     \
		U u;                                                          \
		__builtin_memcpy(&u, &v, sizeof(u));                          \
		return heddle_match_any##bits(mask, u);                       \
	}                                                                     \
	HEDDLE_D unsigned __match_all_sync(unsigned mask, T v, int *pred)     \
	{                                                                     \
		U u;                                                          \
		__builtin_memcpy(&u, &v, sizeof(u));                          \
		return heddle_match_all##bits(mask, u, pred);                 \
	}
HEDDLE_MATCH_T(int, unsigned, 32)
HEDDLE_MATCH_T(unsigned, unsigned, 32)
HEDDLE_MATCH_T(float, unsigned, 32)
HEDDLE_MATCH_T(long, unsigned long long, 64)
HEDDLE_MATCH_T(unsigned long, unsigned long long, 64)
HEDDLE_MATCH_T(long long, unsigned long long, 64)
HEDDLE_MATCH_T(unsigned long long, unsigned long long, 64)
HEDDLE_MATCH_T(double, unsigned long long, 64)
#undef HEDDLE_MATCH_T

#define HEDDLE_REDUX(name, op, ptxtype, T)                                    \
	HEDDLE_D T name(unsigned mask, T v)                                   \
	{                                                                     \
		T r;                                                          \
		asm volatile("redux.sync." op "." ptxtype " %0, %1, %2;"      \
			     : "=r"(r) : "r"(v), "r"(mask));                  \
		return r;                                                     \
	}
HEDDLE_REDUX(__reduce_add_sync, "add", "u32", unsigned)
HEDDLE_REDUX(__reduce_add_sync, "add", "s32", int)
HEDDLE_REDUX(__reduce_min_sync, "min", "u32", unsigned)
HEDDLE_REDUX(__reduce_min_sync, "min", "s32", int)
HEDDLE_REDUX(__reduce_max_sync, "max", "u32", unsigned)
HEDDLE_REDUX(__reduce_max_sync, "max", "s32", int)
HEDDLE_REDUX(__reduce_and_sync, "and", "b32", unsigned)
HEDDLE_REDUX(__reduce_or_sync, "or", "b32", unsigned)
HEDDLE_REDUX(__reduce_xor_sync, "xor", "b32", unsigned)
#undef HEDDLE_REDUX

#endif
