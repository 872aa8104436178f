/* Programs that choose by what the processor has: resolvers of functions, clones by
 * target, features asked for by name and by CPUID. All choices compute the same. */
#include <cpuid.h>
#include <nmmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Chosen by the linker, before main. */
static unsigned bits_plain(uint64_t v)
{
	unsigned n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

__attribute__((target("popcnt"))) static unsigned bits_popcnt(uint64_t v)
{
	return (unsigned)__builtin_popcountll(v);
}

static unsigned (*bits_choose(void))(uint64_t)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("popcnt") ? bits_popcnt : bits_plain;
}

unsigned bits(uint64_t v) __attribute__((ifunc("bits_choose")));

/* Chosen among clones that the compiler makes. */
__attribute__((target_clones("default", "sse4.1", "avx2",
			     "avx512f"))) static int
largest(const int *v, int n)
{
	int most = v[0];

	for (int i = 1; i < n; i++)
		most = v[i] > most ? v[i] : most;
	return most;
}

/* Chosen by the program, as libraries for cryptography do. */
static uint32_t crc_plain(uint32_t crc, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

__attribute__((target("sse4.2"))) static uint32_t
crc_sse42(uint32_t crc, const uint8_t *p, size_t n)
{
	uint64_t wide = crc, v;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&v, p, 8);
		wide = _mm_crc32_u64(wide, v);
	}
	crc = (uint32_t)wide;
	for (; n; n--, p++)
		crc = _mm_crc32_u8(crc, *p);
	return crc;
}

__attribute__((target("sse4.2"))) static int vowel_sse42(const char *s)
{
	const __m128i set = _mm_setr_epi8('a', 'e', 'i', 'o', 'u', 0, 0, 0, 0,
					  0, 0, 0, 0, 0, 0, 0);

	return _mm_cmpistri(set, _mm_loadu_si128((const void *)s),
			    _SIDD_CMP_EQUAL_ANY);
}

__attribute__((target("sse4.1"))) static void rows_sse41(void)
{
	const __m128i a = _mm_setr_epi32(-5, 7, 1 << 30, -1 << 31);
	const __m128i b = _mm_setr_epi32(3, -9, 77, 12);
	__m128i p = _mm_mullo_epi32(a, b), m = _mm_max_epi32(a, b);
	__m128 f = _mm_dp_ps(_mm_setr_ps(1, 2, 3, 4), _mm_setr_ps(5, 6, 7, 8),
			     0xf1);
	__m128d r = _mm_round_pd(_mm_setr_pd(-2.5, 3.5),
				 _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);

	printf("%d %d %d %d\n", _mm_extract_epi32(p, 0),
	       _mm_extract_epi32(p, 3), _mm_extract_epi32(m, 1),
	       _mm_extract_epi32(_mm_blendv_epi8(a, b, p), 1));
	printf("%g %g %g %d\n", (double)_mm_cvtss_f32(f), _mm_cvtsd_f64(r),
	       _mm_cvtsd_f64(_mm_unpackhi_pd(r, r)), _mm_testz_si128(a, b));
}

int main(void)
{
	unsigned a, b, c, d;
	int v[100];
	uint8_t data[1003];
	uint32_t crc;
	char text[32] = "rhythm myths are";

	for (int i = 0; i < 100; i++)
		v[i] = i * 7919 % 1009;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i);
	printf("%u %u\n", bits(0x123456789abcdef), bits(~0ull));
	printf("%d\n", largest(v, 100));
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return 1;
	crc = c & bit_SSE4_2 ? crc_sse42(~0u, data, sizeof(data)) :
			       crc_plain(~0u, data, sizeof(data));
	printf("%08x %d\n", crc, crc == crc_plain(~0u, data, sizeof(data)));
	/* What is said by name is said by number. */
	printf("%d %d %d\n",
	       !__builtin_cpu_supports("sse4.2") == !(c & bit_SSE4_2),
	       !__builtin_cpu_supports("ssse3") == !(c & bit_SSSE3),
	       !__builtin_cpu_supports("popcnt") == !(c & bit_POPCNT));
	if (c & bit_SSE4_1)
		rows_sse41();
	if (c & bit_SSE4_2)
		printf("%d\n", vowel_sse42(text));
	return 0;
}
