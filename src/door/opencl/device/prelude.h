/*
 * Comes before every program. printf is not in libclc, and the compiler cannot pass
 * a variable number of arguments on a GPU: the macro notes each argument with its
 * kind, and the host formats them when the launch has ended.
 */
#ifndef __IMAGE_SUPPORT__
#define __IMAGE_SUPPORT__ 1
#endif

#include "half.h"
#include "atomic.h"

#ifdef HEDDLE_PRINTF
global uint *__heddle_print_buffer(void);

/* Words of one call: for each argument a head, then its value. */
struct __heddle_print {
	uint count;
	uint words[120];
};

/* The head: kind << 16 | bytes of an element << 8 | elements. */
enum {
	__HEDDLE_INT = 1 << 16,
	__HEDDLE_UINT = 2 << 16,
	__HEDDLE_FLOAT = 3 << 16,
	__HEDDLE_TEXT = 4 << 16,
	__HEDDLE_POINTER = 5 << 16
};

#define __HEDDLE_FN static inline __attribute__((overloadable, always_inline))

__HEDDLE_FN void __heddle_word(struct __heddle_print *p, uint v)
{
	if (p->count < 120)
		p->words[p->count++] = v;
}

__HEDDLE_FN void __heddle_long(struct __heddle_print *p, ulong v)
{
	__heddle_word(p, (uint)v);
	__heddle_word(p, (uint)(v >> 32));
}

#define __HEDDLE_ONE(type, kind, size, n, store)                        \
	__HEDDLE_FN void __heddle_put(struct __heddle_print *p, type v) \
	{                                                               \
		__heddle_word(p, kind | size << 8 | n);                 \
		store;                                                  \
	}
#define __HEDDLE_VECTOR(type, kind, size, n, put) \
	__HEDDLE_ONE(type, kind, size, n, for (int i = 0; i < n; i++) put(v[i]))
#define __HEDDLE_TYPE(type, kind, size, put)         \
	__HEDDLE_ONE(type, kind, size, 1, put(v))    \
	__HEDDLE_VECTOR(type##2, kind, size, 2, put) \
	__HEDDLE_VECTOR(type##3, kind, size, 3, put) \
	__HEDDLE_VECTOR(type##4, kind, size, 4, put) \
	__HEDDLE_VECTOR(type##8, kind, size, 8, put) \
	__HEDDLE_VECTOR(type##16, kind, size, 16, put)
#define __HEDDLE_W(v) __heddle_word(p, (uint)(int)(v))
#define __HEDDLE_L(v) __heddle_long(p, (ulong)(v))
#define __HEDDLE_F(v) __heddle_word(p, as_uint(v))
#define __HEDDLE_D(v) __heddle_long(p, as_ulong(v))

__HEDDLE_TYPE(char, __HEDDLE_INT, 1, __HEDDLE_W)
__HEDDLE_TYPE(uchar, __HEDDLE_UINT, 1, __HEDDLE_W)
__HEDDLE_TYPE(short, __HEDDLE_INT, 2, __HEDDLE_W)
__HEDDLE_TYPE(ushort, __HEDDLE_UINT, 2, __HEDDLE_W)
__HEDDLE_TYPE(int, __HEDDLE_INT, 4, __HEDDLE_W)
__HEDDLE_TYPE(uint, __HEDDLE_UINT, 4, __HEDDLE_W)
__HEDDLE_TYPE(long, __HEDDLE_INT, 8, __HEDDLE_L)
__HEDDLE_TYPE(ulong, __HEDDLE_UINT, 8, __HEDDLE_L)
__HEDDLE_TYPE(float, __HEDDLE_FLOAT, 4, __HEDDLE_F)
__HEDDLE_TYPE(double, __HEDDLE_FLOAT, 8, __HEDDLE_D)

#define __HEDDLE_ADDRESS(type, kind) \
	__HEDDLE_ONE(type, kind, 8, 1, __heddle_long(p, (ulong)(size_t)v))
__HEDDLE_ADDRESS(constant char *, __HEDDLE_TEXT)
__HEDDLE_ADDRESS(const constant void *, __HEDDLE_POINTER)
__HEDDLE_ADDRESS(const global void *, __HEDDLE_POINTER)
__HEDDLE_ADDRESS(const local void *, __HEDDLE_POINTER)
__HEDDLE_ADDRESS(const private void *, __HEDDLE_POINTER)

/* The buffer: words in use, words in all, then a size and words for each call. What
 * does not fit is counted, and lost. */
__HEDDLE_FN int __heddle_print_end(struct __heddle_print *p)
{
	volatile global uint *b = __heddle_print_buffer();
	uint at = atomic_add(b, p->count + 1);

	if (at + p->count + 1 > b[1])
		return -1;
	b[2 + at] = p->count;
	for (uint i = 0; i < p->count; i++)
		b[3 + at + i] = p->words[i];
	return 0;
}

#define __HEDDLE_EACH1(x) __heddle_put(&__heddle_p, x);
#define __HEDDLE_EACH2(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH1(__VA_ARGS__)
#define __HEDDLE_EACH3(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH2(__VA_ARGS__)
#define __HEDDLE_EACH4(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH3(__VA_ARGS__)
#define __HEDDLE_EACH5(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH4(__VA_ARGS__)
#define __HEDDLE_EACH6(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH5(__VA_ARGS__)
#define __HEDDLE_EACH7(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH6(__VA_ARGS__)
#define __HEDDLE_EACH8(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH7(__VA_ARGS__)
#define __HEDDLE_EACH9(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH8(__VA_ARGS__)
#define __HEDDLE_EACH10(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH9(__VA_ARGS__)
#define __HEDDLE_EACH11(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH10(__VA_ARGS__)
#define __HEDDLE_EACH12(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH11(__VA_ARGS__)
#define __HEDDLE_EACH13(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH12(__VA_ARGS__)
#define __HEDDLE_EACH14(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH13(__VA_ARGS__)
#define __HEDDLE_EACH15(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH14(__VA_ARGS__)
#define __HEDDLE_EACH16(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH15(__VA_ARGS__)
#define __HEDDLE_EACH17(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH16(__VA_ARGS__)
#define __HEDDLE_EACH18(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH17(__VA_ARGS__)
#define __HEDDLE_EACH19(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH18(__VA_ARGS__)
#define __HEDDLE_EACH20(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH19(__VA_ARGS__)
#define __HEDDLE_EACH21(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH20(__VA_ARGS__)
#define __HEDDLE_EACH22(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH21(__VA_ARGS__)
#define __HEDDLE_EACH23(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH22(__VA_ARGS__)
#define __HEDDLE_EACH24(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH23(__VA_ARGS__)
#define __HEDDLE_EACH25(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH24(__VA_ARGS__)
#define __HEDDLE_EACH26(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH25(__VA_ARGS__)
#define __HEDDLE_EACH27(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH26(__VA_ARGS__)
#define __HEDDLE_EACH28(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH27(__VA_ARGS__)
#define __HEDDLE_EACH29(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH28(__VA_ARGS__)
#define __HEDDLE_EACH30(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH29(__VA_ARGS__)
#define __HEDDLE_EACH31(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH30(__VA_ARGS__)
#define __HEDDLE_EACH32(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH31(__VA_ARGS__)
#define __HEDDLE_EACH33(x, ...) __HEDDLE_EACH1(x) __HEDDLE_EACH32(__VA_ARGS__)
#define __HEDDLE_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, \
		      _14, _15, _16, _17, _18, _19, _20, _21, _22, _23, _24,  \
		      _25, _26, _27, _28, _29, _30, _31, _32, _33, NAME, ...) \
	NAME
#define __HEDDLE_COUNT(...)                                              \
	__HEDDLE_PICK(__VA_ARGS__, __HEDDLE_EACH33, __HEDDLE_EACH32,     \
		      __HEDDLE_EACH31, __HEDDLE_EACH30, __HEDDLE_EACH29, \
		      __HEDDLE_EACH28, __HEDDLE_EACH27, __HEDDLE_EACH26, \
		      __HEDDLE_EACH25, __HEDDLE_EACH24, __HEDDLE_EACH23, \
		      __HEDDLE_EACH22, __HEDDLE_EACH21, __HEDDLE_EACH20, \
		      __HEDDLE_EACH19, __HEDDLE_EACH18, __HEDDLE_EACH17, \
		      __HEDDLE_EACH16, __HEDDLE_EACH15, __HEDDLE_EACH14, \
		      __HEDDLE_EACH13, __HEDDLE_EACH12, __HEDDLE_EACH11, \
		      __HEDDLE_EACH10, __HEDDLE_EACH9, __HEDDLE_EACH8,   \
		      __HEDDLE_EACH7, __HEDDLE_EACH6, __HEDDLE_EACH5,    \
		      __HEDDLE_EACH4, __HEDDLE_EACH3, __HEDDLE_EACH2,    \
		      __HEDDLE_EACH1, 0)
#define printf(...)                                            \
	({                                                     \
		struct __heddle_print __heddle_p;              \
		__heddle_p.count = 0;                          \
		__HEDDLE_COUNT(__VA_ARGS__)                    \
		(__VA_ARGS__) __heddle_print_end(&__heddle_p); \
	})
#endif
