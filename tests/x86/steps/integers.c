/* Integers of all sizes: arithmetic, shifts, divisions, bits, atomics. */
#include "start.h"

#define OPERATIONS(type, stype, name)                                      \
	static __attribute__((noinline)) type name(type a, type b, int n)  \
	{                                                                  \
		type r = (type)(a + b);                                    \
		stype s = (stype)a, t = (stype)(b | 1);                    \
		unsigned bits = 8 * sizeof(type), k = n & (bits - 1);      \
		r = (type)(r ^ (type)(a - b) ^ (type)(a * b));             \
		r = (type)(r + (type)(a / (type)t) + (type)(a % (type)t)); \
		if (s != (stype)((type)1 << (bits - 1)) || t != -1)        \
			r = (type)(r ^ (type)(s / t) ^ (type)(s % t));     \
		r = (type)(r + (type)(a << k) + (type)(a >> k));           \
		r = (type)(r + (type)(s >> k));                            \
		r = (type)(r ^ (type)(a << k | a >> ((bits - k) % bits))); \
		r += a < b ? 3 : 5;                                        \
		r += s <= t ? a : b;                                       \
		r = (type)(r ^ -(s > 0));                                  \
		return (type)~r;                                           \
	}
OPERATIONS(uint8_t, int8_t, ops8)
OPERATIONS(uint16_t, int16_t, ops16)
OPERATIONS(uint32_t, int32_t, ops32)
OPERATIONS(uint64_t, int64_t, ops64)

static __attribute__((noinline)) uint64_t wide(uint64_t a, uint64_t b, int n)
{
	unsigned __int128 v = (unsigned __int128)a * b + (a ^ b);
	__int128 s = (__int128)(int64_t)a * (int64_t)b - (__int128)b;

	v += (unsigned __int128)s << (n & 63);
	v ^= v >> (n & 127);
	return (uint64_t)(v >> 64) ^ (uint64_t)v;
}

static __attribute__((noinline)) uint64_t bits(uint64_t a, uint64_t b)
{
	uint64_t r = __builtin_bswap64(a) + __builtin_bswap32((uint32_t)b);

	r += (uint64_t)__builtin_ctzll(a | 1ull << 63);
	r += (uint64_t)__builtin_clzll(b | 1);
	r ^= a >> (b & 63) & 1 ? a | 1ull << (b & 63) : a & ~(1ull << (b & 63));
	r += (uint64_t)__builtin_popcountll(a);
	r += (uint64_t)__builtin_parity((uint32_t)b);
	return r;
}

static uint64_t cell;
static uint32_t cells[64];

static __attribute__((noinline)) uint64_t atomics(uint64_t a, uint64_t b)
{
	uint64_t old = __atomic_fetch_add(&cell, a, __ATOMIC_SEQ_CST);

	old ^= __atomic_exchange_n(&cells[a & 63], (uint32_t)b,
				   __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(&cell, &old, b, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	__atomic_or_fetch(&cells[b & 63], (uint32_t)a, __ATOMIC_SEQ_CST);
	return old + cells[(a >> 8) & 63];
}

static __attribute__((noinline)) void sort(uint32_t *v, int n)
{
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
			uint32_t t = v[j];

			v[j] = v[j - 1];
			v[j - 1] = t;
		}
}

int main(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < 150; i++) {
		uint64_t a = next(), b = next();

		if (i % 5 == 0)
			a = (uint64_t)(int64_t)(i - 50);
		if (i % 7 == 0)
			b = 1ull << (i & 63);
		sum += ops8((uint8_t)a, (uint8_t)b, i);
		sum ^= ops16((uint16_t)a, (uint16_t)b, i);
		sum += ops32((uint32_t)a, (uint32_t)b, i);
		sum ^= ops64(a, b, i);
		sum += wide(a, b, i) ^ bits(a, b) ^ atomics(a, b);
	}
	sort(cells, 64);
	return (int)((sum ^ cells[7]) & 0x7f);
}
