#include "isa/gcn/format.h"

#include <string.h>

#include "base/fp.h"

static const struct gcn_data_format formats[] = {
	[1] = { 1, 1, { 8 } },
	[2] = { 2, 1, { 16 } },
	[3] = { 2, 2, { 8, 8 } },
	[4] = { 4, 1, { 32 } },
	[5] = { 4, 2, { 16, 16 } },
	[6] = { 4, 3, { 11, 11, 10 } },
	[7] = { 4, 3, { 10, 11, 11 } },
	[8] = { 4, 4, { 2, 10, 10, 10 } },
	[9] = { 4, 4, { 10, 10, 10, 2 } },
	[10] = { 4, 4, { 8, 8, 8, 8 } },
	[11] = { 8, 2, { 32, 32 } },
	[12] = { 8, 4, { 16, 16, 16, 16 } },
	[13] = { 12, 3, { 32, 32, 32 } },
	[14] = { 16, 4, { 32, 32, 32, 32 } },
};

struct gcn_data_format gcn_data_format(unsigned code)
{
	static const struct gcn_data_format none;

	return code < sizeof(formats) / sizeof(formats[0]) ? formats[code] :
							     none;
}

static uint32_t mask_of(unsigned bits)
{
	return bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;
}

static int32_t signed_of(uint32_t v, unsigned bits)
{
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* 10 and 11 bits: a half without a sign and with a shorter mantissa. */
static uint32_t format_float_of(uint32_t v, unsigned bits)
{
	if (bits == 32)
		return v;
	if (bits == 16)
		return f32_bits(f16_to_f32((uint16_t)v));
	return f32_bits(f16_to_f32((uint16_t)(v << (15 - bits))));
}

static uint32_t unpack(enum gcn_number n, uint32_t v, unsigned bits)
{
	double most = (double)mask_of(bits), half = (double)mask_of(bits - 1);
	double x;

	switch (n) {
	case GCN_NUMBER_UNORM:
		return f32_bits((float)((double)v / most));
	case GCN_NUMBER_SNORM:
		x = (double)signed_of(v, bits) / half;
		return f32_bits((float)(x < -1 ? -1 : x));
	case GCN_NUMBER_SNORM_OGL:
		x = 2 * (double)signed_of(v, bits) + 1;
		return f32_bits((float)(x / most));
	case GCN_NUMBER_USCALED:
		return f32_bits((float)v);
	case GCN_NUMBER_SSCALED:
		return f32_bits((float)signed_of(v, bits));
	case GCN_NUMBER_SINT:
		return (uint32_t)signed_of(v, bits);
	case GCN_NUMBER_FLOAT:
		return format_float_of(v, bits);
	default:
		return v;
	}
}

/* The integer nearest to v, within the limits; a NaN is 0. */
static uint32_t format_limited(double v, double least, double most)
{
	v = v > least ? v < most ? v : most : v == v ? least : 0;
	return (uint32_t)fp_to_int(FP_F64, f64_bits(v), 64, true, RND_RN);
}

static uint32_t pack(enum gcn_number n, uint32_t u, unsigned bits)
{
	double most = (double)mask_of(bits), half = (double)mask_of(bits - 1);
	double v = (double)f32_of(u);

	switch (n) {
	case GCN_NUMBER_UNORM:
		return format_limited(v * most, 0, most);
	case GCN_NUMBER_SNORM:
		return format_limited(v * half, -half, half);
	case GCN_NUMBER_SNORM_OGL:
		return format_limited((v * most - 1) / 2, -half - 1, half);
	case GCN_NUMBER_USCALED:
		return format_limited(v, 0, most);
	case GCN_NUMBER_SSCALED:
		return format_limited(v, -half - 1, half);
	case GCN_NUMBER_SINT:
		v = (double)(int32_t)u;
		return format_limited(v, -half - 1, half);
	case GCN_NUMBER_FLOAT:
		if (bits == 32)
			return u;
		u = f32_to_f16(f32_of(u));
		return bits == 16 ? u : (u & 0x8000) ? 0 : u >> (15 - bits);
	default:
		return u < mask_of(bits) ? u : mask_of(bits);
	}
}

static uint32_t one_of(enum gcn_number n)
{
	return n == GCN_NUMBER_UINT || n == GCN_NUMBER_SINT ? 1 :
							      f32_bits(1.0f);
}

void gcn_format_unpack(struct gcn_data_format f, enum gcn_number n,
		       const uint32_t words[4], uint32_t out[4])
{
	unsigned at = 0;

	for (unsigned i = 0; i < 4; i++) {
		out[i] = i == 3 ? one_of(n) : 0;
		if (i >= f.count)
			continue;
		out[i] = unpack(n,
				words[at / 32] >> at % 32 & mask_of(f.bits[i]),
				f.bits[i]);
		at += f.bits[i];
	}
}

void gcn_format_pack(struct gcn_data_format f, enum gcn_number n,
		     const uint32_t in[4], uint32_t words[4])
{
	unsigned at = 0;

	memset(words, 0, 4 * sizeof(words[0]));
	for (unsigned i = 0; i < f.count; i++) {
		uint32_t v = pack(n, in[i], f.bits[i]) & mask_of(f.bits[i]);

		words[at / 32] |= v << at % 32;
		at += f.bits[i];
	}
}

void gcn_format_select(uint32_t selectors, enum gcn_number n,
		       const uint32_t in[4], uint32_t out[4])
{
	uint32_t v[4];

	for (unsigned i = 0; i < 4; i++) {
		unsigned s = selectors >> 3 * i & 7;

		v[i] = s >= 4 ? in[s - 4] : s == 1 ? one_of(n) : 0;
	}
	memcpy(out, v, sizeof(v));
}
