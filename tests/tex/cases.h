/*
 * The cases of the texture vectors: what the recorder (CUDA, on a GPU) and the
 * test (on Heddle) must make alike. Texels and coordinates come from a
 * generator, so that only the GPU's results are stored.
 *
 * C that is also C++. Compiled without contraction: the floats must be the
 * same everywhere, which a checksum proves.
 */
#ifndef HEDDLE_TESTS_TEX_CASES_H
#define HEDDLE_TESTS_TEX_CASES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum insn {
#define INSN(id, coords, text) INSN_##id,
#include "insn.def"
	INSN_COUNT
};

static const struct insn_info {
	const char *coords, *text;
} insns[INSN_COUNT] = {
#define INSN(id, coords, text) { coords, text },
#include "insn.def"
};

/* Where the texels are. SURFACE: an array, used as surface; WRITTEN: the same,
 * and the result is what the array holds at the end. */
enum place { ARRAY, LINEAR, PITCH, CUBE, SURFACE, WRITTEN };

/* In the order of enum heddle_texel. */
enum format { U8, U16, U32, S8, S16, S32, F16, F32 };

/* In the order of enum heddle_address_mode, and cudaTextureAddressMode. */
enum address { WRAP, CLAMP, MIRROR, BORDER };

/* BITS: anything. MIXED: finite floats of different size. UNIT: floats in
 * [0, 1). INDEX: the texel's number. STEP: 0 and 1 by turns. */
enum texels { BITS, MIXED, UNIT, INDEX, STEP };

/*
 * Coordinates, before they are normalised. MIX: the list of special values,
 * then all of the others by turns. INSIDE: uniform in the texture. AROUND:
 * uniform in some widths around it. EXACT: texel centres plus n/256. WEIGHT:
 * some last places around (n + 1/2)/256. NEAR: some last places around whole
 * and half numbers.
 */
enum coords { MIX, INSIDE, AROUND, EXACT, WEIGHT, NEAR };

struct tex_case {
	const char *name;
	enum insn insn;
	enum place place;
	enum format format;
	int channels;
	int width, height, depth, layers;
	enum address address;
	int linear, normalized, as_float;
	enum texels texels;
	enum coords coords;
	int count; /* fetches */
	int words; /* of the four of a fetch that are stored */
};

enum { WORDS_IN = 8, WORDS_OUT = 4 };

static const struct tex_case cases[] = {
#define CASE(name, insn, place, format, channels, width, height, depth,     \
	     layers, address, linear, normalized, as_float, texels, coords, \
	     count, words)                                                  \
	{ name,     INSN_##insn, place,  format,  channels, width,          \
	  height,   depth,       layers, address, linear,   normalized,     \
	  as_float, texels,      coords, count,   words },
#ifdef CASES_DEF
#include CASES_DEF
#else
#include "cases.def"
#endif
};

enum { CASE_COUNT = sizeof(cases) / sizeof(cases[0]) };

/* The border's colour in every case; as bits, integer textures use it too. */
static const float case_border[4] = { 0.25f, -0.5f, 0.75f, 3.0f };

/*
 * The kernel `fetch` of an instruction as PTX text, NUL-terminated:
 *
 *	fetch(u64 object, u64 in, u64 out, u32 n)
 *
 * Threads take every n-th of the fetches, n the size of the grid, so that one
 * thread alone does them in order.
 */
static void insn_kernel(enum insn id, char *out, size_t size)
{
	snprintf(out, size,
		 ".version 8.0\n.target sm_90\n.address_size 64\n"
		 ".visible .entry fetch(.param .u64 object, .param .u64 in,\n"
		 "\t.param .u64 out, .param .u32 n)\n{\n"
		 "\t.reg .b64 t, d0, d1, from, to, at;\n"
		 "\t.reg .b32 c0, c1, c2, c3, c4, c5, c6, c7;\n"
		 "\t.reg .b32 r0, r1, r2, r3, i, count, step, a, b;\n"
		 "\t.reg .b16 h0, h1, h2, h3;\n"
		 "\t.reg .pred p0, p1, p2, p3, over;\n"
		 "\tld.param.u64 t, [object];\n"
		 "\tld.param.u64 from, [in];\n"
		 "\tld.param.u64 to, [out];\n"
		 "\tld.param.u32 count, [n];\n"
		 "\tmov.u32 a, %%ctaid.x;\n"
		 "\tmov.u32 b, %%ntid.x;\n"
		 "\tmov.u32 i, %%tid.x;\n"
		 "\tmad.lo.u32 i, a, b, i;\n"
		 "\tmov.u32 a, %%nctaid.x;\n"
		 "\tmul.lo.u32 step, a, b;\n"
		 "next:\n"
		 "\tsetp.ge.u32 over, i, count;\n"
		 "\t@over ret;\n"
		 "\tmad.wide.u32 at, i, 32, from;\n"
		 "\tld.global.v4.u32 {c0,c1,c2,c3}, [at];\n"
		 "\tld.global.v4.u32 {c4,c5,c6,c7}, [at+16];\n"
		 "\tmov.b32 r0, 0;\n\tmov.b32 r1, 0;\n"
		 "\tmov.b32 r2, 0;\n\tmov.b32 r3, 0;\n"
		 "\t%s\n"
		 "\tmad.wide.u32 at, i, 16, to;\n"
		 "\tst.global.v4.u32 [at], {r0,r1,r2,r3};\n"
		 "\tadd.u32 i, i, step;\n"
		 "\tbra next;\n}\n",
		 insns[id].text);
}

/* splitmix64 */
static uint64_t rng_next(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint32_t rng_below(uint64_t *s, uint32_t n)
{
	return (uint32_t)((rng_next(s) >> 32) * n >> 32);
}

/* In [0, 1), a multiple of 2^-24. */
static float rng_unit(uint64_t *s)
{
	return (float)(rng_next(s) >> 40) * 0x1p-24f;
}

static float bits_float(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static uint32_t float_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static int format_bytes(enum format f)
{
	static const int bytes[] = { 1, 2, 4, 1, 2, 4, 2, 4 };

	return bytes[f];
}

static int at_least_1(int n)
{
	return n ? n : 1;
}

static int case_texel_bytes(const struct tex_case *c)
{
	return c->channels * format_bytes(c->format);
}

static int case_row_bytes(const struct tex_case *c)
{
	return c->width * case_texel_bytes(c);
}

static int case_rows(const struct tex_case *c)
{
	return at_least_1(c->height) * at_least_1(c->depth) *
	       at_least_1(c->layers);
}

static int case_bytes(const struct tex_case *c)
{
	return case_row_bytes(c) * case_rows(c);
}

static uint32_t float_texel(enum texels how, uint64_t *s, int index)
{
	uint64_t r;

	switch (how) {
	case BITS:
		return (uint32_t)(rng_next(s) >> 32);
	case MIXED:
		r = rng_next(s);
		return (uint32_t)(r >> 32 & 0x807fffffu) |
		       (119u + (uint32_t)(r & 15)) << 23;
	case UNIT:
		return float_bits(rng_unit(s));
	case INDEX:
		return float_bits((float)index);
	case STEP:
		return float_bits((float)(index & 1));
	}
	return 0;
}

static uint32_t half_texel(enum texels how, uint64_t *s, int index)
{
	static const uint16_t step[2] = { 0, 0x3c00 };
	uint32_t r = (uint32_t)(rng_next(s) >> 48);

	switch (how) {
	case BITS:
		return r;
	case STEP:
		return step[index & 1];
	default: /* finite and normal */
		return (r & 0x83ffu) | (0x2400u + (r >> 2 & 0x1c00u));
	}
}

static uint32_t int_texel(enum texels how, uint64_t *s, int index,
			  enum format f)
{
	switch (how) {
	case INDEX:
		return (uint32_t)index;
	case STEP:
		if (!(index & 1))
			return 0;
		return f == S8 || f == S16 || f == S32 ?
			       0x7fffffffu >> (32 - 8 * format_bytes(f)) :
			       0xffffffffu;
	default:
		return (uint32_t)(rng_next(s) >> 32);
	}
}

/* The texels, packed. */
static void case_texels(const struct tex_case *c, unsigned char *out)
{
	uint64_t s = 0x7e8e15u + (uint64_t)c->format;
	int bytes = format_bytes(c->format);
	int n = case_bytes(c) / bytes;

	for (int i = 0; i < n; i++) {
		uint32_t v;

		if (c->format == F32)
			v = float_texel(c->texels, &s, i);
		else if (c->format == F16)
			v = half_texel(c->texels, &s, i);
		else
			v = int_texel(c->texels, &s, i, c->format);
		memcpy(out + (size_t)i * (size_t)bytes, &v, (size_t)bytes);
	}
}

/* Some last places away from f. */
static float nudge(float f, uint64_t *s)
{
	uint32_t u = float_bits(f);
	uint32_t by = rng_below(s, 4) ? rng_below(s, 9) : rng_below(s, 1025);
	uint32_t mid = by > 8 ? 512 : 4;

	if ((u & 0x7fffffffu) < 1024)
		return (float)((int)by - (int)mid) * 0x1p-20f;
	return bits_float(u + by - mid);
}

static float one_coord(enum coords how, int size, uint64_t *s)
{
	float n = (float)size;
	float cell = (float)rng_below(s, (uint32_t)size);

	switch (how) {
	case AROUND:
		return (rng_unit(s) * 9.0f - 4.0f) * n;
	case EXACT:
		return cell + 0.5f + (float)rng_below(s, 257) / 256.0f;
	case WEIGHT:
		return nudge(cell + 0.5f +
				     ((float)rng_below(s, 257) + 0.5f) / 256.0f,
			     s);
	case NEAR:
		cell = (float)(rng_below(s, 2 * (uint32_t)size + 9)) - 4.0f;
		return nudge(cell / 2.0f, s);
	default:
		return rng_unit(s) * n;
	}
}

enum { SPECIAL_COUNT = 32 };

static float special_coord(int i, int size)
{
	const float n = (float)size;
	const float list[SPECIAL_COUNT] = { 0.0f,
					    -0.0f,
					    0.5f,
					    1.0f,
					    -0.5f,
					    -1.0f,
					    -1.5f,
					    -0.25f,
					    n,
					    n - 0.5f,
					    n + 0.5f,
					    n - 1.0f,
					    n + 1.0f,
					    2.0f * n,
					    -n,
					    -2.0f * n,
					    3.0f * n + 0.75f,
					    -3.0f * n - 0.75f,
					    1e-30f,
					    -1e-30f,
					    bits_float(1),
					    bits_float(0x80000001u),
					    1e5f,
					    -1e5f,
					    16777216.0f,
					    -16777216.0f,
					    3e9f,
					    1e38f,
					    -1e38f,
					    bits_float(0x7f800000u),
					    bits_float(0xff800000u),
					    bits_float(0x7fc00000u) };

	return list[i];
}

/* Fetch i's coordinate along a side of `size` texels. */
static float float_coord(const struct tex_case *c, int size, int i, uint64_t *s)
{
	enum coords how = c->coords;
	float f;

	if (how == MIX && i < 2 * SPECIAL_COUNT) {
		f = rng_below(s, 2) || i < SPECIAL_COUNT ?
			    special_coord(i % SPECIAL_COUNT, size) :
			    one_coord(INSIDE, size, s);
	} else {
		if (how == MIX)
			how = (enum coords)(1 + rng_below(s, 5));
		f = one_coord(how, size, s);
	}
	return c->normalized ? f / (float)size : f;
}

static int32_t int_coord(const struct tex_case *c, int size, uint64_t *s)
{
	static const int32_t far[] = { -2147483647 - 1, 2147483647, -65536,
				       65536,           -16777217,  16777216 };

	if (c->coords == INSIDE || rng_below(s, 4) == 0)
		return (int32_t)rng_below(s, (uint32_t)size);
	if (rng_below(s, 16) == 0)
		return far[rng_below(s, 6)];
	return (int32_t)rng_below(s, (uint32_t)size + 8) - 4;
}

/* Hardware faults on a misaligned one. AROUND: between texels too. */
static int32_t byte_coord(const struct tex_case *c, int align, uint64_t *s)
{
	int32_t x = int_coord(c, c->width, s);

	if (x <= 65535 && x >= -65535)
		x *= case_texel_bytes(c);
	if (c->coords == AROUND)
		x ^= (int32_t)rng_below(s, 16);
	return x & -align;
}

static float direction(const struct tex_case *c, uint64_t *s)
{
	if (c->coords == MIX && rng_below(s, 4) == 0)
		return (float)rng_below(s, 5) - 2.0f;
	return rng_unit(s) * 4.0f - 2.0f;
}

static int32_t layer(const struct tex_case *c, int layers, uint64_t *s)
{
	static const int32_t odd[] = {
		-1, 65535, 65536, 2147483647, -2147483647 - 1, 511, 512, 2047
	};

	if (c->coords == MIX && rng_below(s, 8) == 0)
		return odd[rng_below(s, 8)];
	return (int32_t)rng_below(s, (uint32_t)layers + 2);
}

static uint32_t coord_word(const struct tex_case *c, char what, int i,
			   uint64_t *s)
{
	switch (what) {
	case 'x':
		return float_bits(float_coord(c, c->width, i, s));
	case 'y':
		return float_bits(float_coord(c, at_least_1(c->height), i, s));
	case 'z':
		return float_bits(float_coord(c, at_least_1(c->depth), i, s));
	case 'X':
	case 'S':
		return (uint32_t)int_coord(c, c->width, s);
	case 'Y':
		return (uint32_t)int_coord(c, at_least_1(c->height), s);
	case 'Z':
		return (uint32_t)int_coord(c, at_least_1(c->depth), s);
	case '1':
	case '2':
	case '4':
	case '8':
		return (uint32_t)byte_coord(c, what - '0', s);
	case '6':
		return (uint32_t)byte_coord(c, 16, s);
	case 'f':
		return float_bits(direction(c, s));
	case 'l':
		return (uint32_t)layer(
			c, c->place == CUBE ? c->layers / 6 : c->layers, s);
	case 'g':
		return float_bits(rng_unit(s) * 8.0f - 2.0f);
	case 'o':
		return rng_below(s, 16) - 8;
	default:
		return (uint32_t)(rng_next(s) >> 32);
	}
}

/* WORDS_IN words for each fetch: c0 to c7. */
static void case_coords(const struct tex_case *c, uint32_t *out)
{
	const char *kinds = insns[c->insn].coords;
	uint64_t s = 0xc002du;

	memset(out, 0, sizeof(*out) * WORDS_IN * (size_t)c->count);
	for (int i = 0; i < c->count; i++)
		for (int k = 0; kinds[k]; k++)
			out[i * WORDS_IN + k] = coord_word(c, kinds[k], i, &s);
}

/* Tells when recorder and test disagree on the input. */
static uint32_t case_checksum(const struct tex_case *c,
			      const unsigned char *texels,
			      const uint32_t *coords)
{
	uint32_t h = 2166136261u;

	for (int i = 0; i < case_bytes(c); i++)
		h = (h ^ texels[i]) * 16777619u;
	for (int i = 0; i < c->count * WORDS_IN; i++)
		h = (h ^ coords[i]) * 16777619u;
	return h;
}

/* Words of a case's result in the file; the checksum goes before them. */
static int case_words(const struct tex_case *c)
{
	if (c->place == WRITTEN)
		return (case_bytes(c) + 3) / 4;
	return c->count * c->words;
}

#endif
