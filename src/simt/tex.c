#include "simt/tex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fp.h"

/* ---- the table ---- */

void tex_table_init(struct tex_table *table)
{
	memset(table, 0, sizeof(*table));
}

void tex_table_free(struct tex_table *table)
{
	free(table->slots);
	tex_table_init(table);
}

static struct tex_slot *free_slot(struct tex_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (!table->slots[i].used)
			return &table->slots[i];
	if (table->count == table->room) {
		uint32_t room = table->room ? 2 * table->room : 16;
		void *more =
			realloc(table->slots, room * sizeof(*table->slots));

		if (!more)
			return NULL;
		table->slots = more;
		table->room = room;
	}
	struct tex_slot *s = &table->slots[table->count++];
	s->age = 0;
	return s;
}

enum err tex_table_add(struct tex_table *table, const struct tex *t,
		       uint64_t *handle)
{
	struct tex_slot *s = free_slot(table);

	if (!s)
		return ERR_NOMEM;
	s->tex = *t;
	s->used = true;
	s->gone = false;
	s->age++;
	*handle = (uint64_t)s->age << 32 | (uint64_t)(s - table->slots + 1);
	return ERR_OK;
}

static struct tex_slot *slot_of(const struct tex_table *table, uint64_t handle)
{
	uint32_t i = (uint32_t)handle - 1;

	if (i >= table->count || !table->slots[i].used ||
	    table->slots[i].age != handle >> 32)
		return NULL;
	return &table->slots[i];
}

bool tex_table_remove(struct tex_table *table, uint64_t handle)
{
	struct tex_slot *s = slot_of(table, handle);

	if (s)
		s->used = false;
	return s != NULL;
}

const struct tex *tex_find(const struct tex_table *table, uint64_t handle)
{
	const struct tex_slot *s = slot_of(table, handle);

	return s && !s->gone ? &s->tex : NULL;
}

const struct tex *tex_find_low(const struct tex_table *table, uint32_t handle)
{
	uint32_t i = handle - 1;

	if (i >= table->count)
		return NULL;
	return tex_find(table, (uint64_t)table->slots[i].age << 32 | handle);
}

uint32_t tex_extent(const struct tex *t, unsigned dimension, bool surface)
{
	switch (dimension) {
	case 0:
		return t->width;
	case 1:
		if (t->height)
			return t->height;
		return t->layers ? t->layers : surface ? 0 : 1;
	default:
		return t->depth ? t->depth : t->height ? t->layers : 0;
	}
}

void tex_table_forget(struct tex_table *table, const char *data, uint64_t size)
{
	for (uint32_t i = 0; i < table->count; i++) {
		struct tex_slot *s = &table->slots[i];

		if ((uintptr_t)s->tex.data - (uintptr_t)data < size)
			s->gone = true;
	}
}

static uint64_t at_least_1(uint64_t n)
{
	return n ? n : 1;
}

enum err tex_complete(struct tex *t, struct diag *d)
{
	const uint64_t row =
		(uint64_t)t->width * t->channels * texel_bytes(t->format);
	const uint64_t rows = at_least_1(t->height);
	const uint64_t slices = at_least_1(t->depth) * at_least_1(t->layers);
	const uint64_t limit = UINT64_C(1) << 20; /* no GPU has a longer side */

	if (t->format >= TEXEL_COUNT)
		return fail(d, ERR_RANGE, "texture: unknown texel format");
	if (t->channels != 1 && t->channels != 2 && t->channels != 4)
		return fail(d, ERR_RANGE,
			    "texture: %u channels: must be 1, 2 or 4",
			    t->channels);
	if (t->width == 0 || t->width > UINT64_C(1) << 28 ||
	    t->height > limit || t->depth > limit || t->layers > limit)
		return fail(
			d, ERR_RANGE,
			"texture: %u x %u x %u texels, %u layers: the width "
			"must be 1 to 2^28, the others at most 2^20",
			t->width, t->height, t->depth, t->layers);
	if (t->row_bytes == 0)
		t->row_bytes = row;
	if (t->slice_bytes == 0)
		t->slice_bytes = t->row_bytes * rows;
	if (t->row_bytes < row || t->slice_bytes / rows < t->row_bytes)
		return fail(d, ERR_RANGE,
			    "texture: rows or slices overlap: row_bytes or "
			    "slice_bytes is too small");
	if (t->bytes < row + (rows - 1) * t->row_bytes ||
	    (t->bytes - row - (rows - 1) * t->row_bytes) / t->slice_bytes <
		    slices - 1)
		return fail(d, ERR_RANGE,
			    "texture: its texels do not fit its memory of "
			    "%llu bytes",
			    (unsigned long long)t->bytes);
	return ERR_OK;
}

/* ---- texels ---- */

struct fetch {
	const struct tex *t;
	uint64_t slice; /* of the layer or face; a 3D texture adds z */
	struct tex_span *span;
};

/*
 * Where a GPU has the byte at column x of row y. Tiles of 64 bytes by 8 rows lie
 * one after the other; within one, 16 bytes by 2 rows are a sector, and 32 bytes
 * by 4 rows a line (Tegra X1 TRM, 20.1: block-linear).
 */
static uint64_t tex_tiled(uint64_t row_bytes, uint64_t x, uint64_t y)
{
	uint64_t tiles = (row_bytes + 63) / 64; /* of a row */
	uint64_t tile = y / 8 * tiles + x / 64;

	return tile * 512 + (x >> 5 & 1) * 256 + (y >> 1 & 3) * 64 +
	       (x >> 4 & 1) * 32 + (y & 1) * 16 + x % 16;
}

/* Keeps the place of a texel, as the last one of the fetch and, if it is that,
 * the first one. */
static void tex_keep_place(const struct fetch *f, const int64_t i[3])
{
	const struct tex *t = f->t;
	uint64_t x = (uint64_t)i[0] * t->channels * texel_bytes(t->format);
	uint64_t slice = (f->slice + (uint64_t)i[2]) * t->slice_bytes;

	f->span->last =
		slice + (t->tiled ? tex_tiled(t->row_bytes, x, (uint64_t)i[1]) :
				    (uint64_t)i[1] * t->row_bytes + x);
	if (f->span->first == TEX_NOWHERE)
		f->span->first = f->span->last;
}

static uint32_t tex_size_of(const struct tex *t, int axis)
{
	const uint32_t size[3] = { t->width, t->height, t->depth };

	return (uint32_t)at_least_1(size[axis]);
}

/* A channel's value as it is stored; integers are extended. */
static uint32_t stored(enum texel f, const char *p)
{
	uint16_t h;
	uint32_t v;

	switch (f) {
	case TEXEL_U8:
		return (uint8_t)*p;
	case TEXEL_S8:
		return (uint32_t)(int8_t)*p;
	case TEXEL_U16:
	case TEXEL_F16:
		memcpy(&h, p, sizeof(h));
		return h;
	case TEXEL_S16:
		memcpy(&h, p, sizeof(h));
		return (uint32_t)(int16_t)h;
	default:
		memcpy(&v, p, sizeof(v));
		return v;
	}
}

/*
 * The driver converts the border's colour to the texture's own format: floats
 * are rounded, integers are truncated.
 */
static uint32_t stored_border(const struct tex *t, unsigned c)
{
	float f = t->border[c];
	uint32_t bits = f32_bits(f);

	if (t->format == TEXEL_F32)
		return bits;
	if (t->format == TEXEL_F16)
		return f32_to_f16(f);
	if (!t->as_float || texel_bytes(t->format) == 4)
		return stored(t->format, (const char *)&bits);
	bool is_signed = t->format == TEXEL_S8 || t->format == TEXEL_S16;
	float max =
		(float)((1 << (8 * texel_bytes(t->format) - is_signed)) - 1);
	f = fminf(fmaxf(f, is_signed ? -1.0f : 0.0f), 1.0f);
	return (uint32_t)(int32_t)floorf(f * max + 0.5f);
}

/* The channels of the texel at i[], or of the border if it is outside. */
static void texel_at(const struct fetch *f, const int64_t i[3], uint32_t out[4])
{
	const struct tex *t = f->t;
	const uint32_t bytes = texel_bytes(t->format);
	bool in = true;

	for (int a = 0; a < 3; a++)
		in = in && i[a] >= 0 && i[a] < tex_size_of(t, a);
	memset(out, 0, 4 * sizeof(*out));
	if (!in) {
		for (unsigned c = 0; c < t->channels; c++)
			out[c] = stored_border(t, c);
		return;
	}
	tex_keep_place(f, i);
	const char *p = t->data + (f->slice + (uint64_t)i[2]) * t->slice_bytes +
			(uint64_t)i[1] * t->row_bytes +
			(uint64_t)i[0] * t->channels * bytes;
	for (unsigned c = 0; c < t->channels; c++)
		out[c] = stored(t->format, p + c * bytes);
}

/* A NaN keeps its payload here, unlike in a conversion instruction. */
static uint32_t half_bits(uint32_t h)
{
	if ((h & 0x7fff) > 0x7c00)
		return (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13;
	return f32_bits(f16_to_f32((uint16_t)h));
}

static float unorm(int32_t v, int32_t max)
{
	float f = (float)v / (float)max;

	return f < -1.0f ? -1.0f : f;
}

/* What an unfiltered fetch returns for a stored value. */
static uint32_t returned(const struct tex *t, uint32_t v)
{
	if (t->format == TEXEL_F16)
		return half_bits(v);
	if (!t->as_float)
		return v;
	switch (t->format) {
	case TEXEL_U8:
		return f32_bits(unorm((int32_t)v, 255));
	case TEXEL_S8:
		return f32_bits(unorm((int32_t)v, 127));
	case TEXEL_U16:
		return f32_bits(unorm((int32_t)v, 65535));
	case TEXEL_S16:
		return f32_bits(unorm((int32_t)v, 32767));
	default:
		return v;
	}
}

/* ---- coordinates ---- */

enum { FRAC = 8, ONE = 1 << FRAC }; /* of a filter's weight */

/* The texels that a coordinate selects on one axis of the texture. */
struct axis {
	int64_t i[2]; /* the two texels of a linear filter; nearest: i[0] */
	int f;        /* weight of i[1], of ONE */
};

/* Bits of fraction that a normalised coordinate keeps; they depend on the
 * longest side of the texture. */
static int norm_bits(const struct tex *t)
{
	uint32_t max = t->width > t->height ? t->width : t->height;

	return max > 65536 ? 23 : max > 8192 ? 22 : 21;
}

/* A NaN becomes 0, and so does a subnormal. */
static double clean(float x)
{
	return x != x || (x < 0x1p-126f && x > -0x1p-126f) ? 0.0 : x;
}

/*
 * A coordinate in texels, exact. A normalised one is truncated to fixed point
 * first.
 */
static double texels_of(const struct tex *t, int axis, float x)
{
	const uint32_t size = tex_size_of(t, axis);
	/* Beyond any texture, and small enough for the arithmetic below. */
	const double far = t->normalized ? 0x1p24 : 0x1p40;
	double u = clean(x);

	if (!t->normalized)
		return u > far ? far : u < -far ? -far : u;
	const double one = ldexp(1.0, norm_bits(t));
	/* Two periods are enough: a mirrored one differs from the next. */
	if (t->address[axis] == TEX_WRAP || t->address[axis] == TEX_MIRROR)
		u = u - u == 0.0 ? fmod(u, 2.0) : 0.0; /* inf: 0 */
	u = u > far ? far : u < -far ? -far : u;
	return floor(u * one) / one * size;
}

/* Maps a texel's number into the texture; with a border it may stay outside. */
static int64_t wrapped(const struct tex *t, int axis, int64_t i)
{
	const int64_t n = tex_size_of(t, axis);
	enum tex_address mode = t->address[axis];

	if (mode == TEX_BORDER || (i >= 0 && i < n))
		return i;
	if (t->normalized && mode == TEX_WRAP)
		return (i % n + n) % n;
	if (t->normalized && mode == TEX_MIRROR) {
		i = (i % (2 * n) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	}
	return i < 0 ? 0 : n - 1;
}

static bool clamps(const struct tex *t, int axis)
{
	return t->address[axis] == TEX_CLAMP ||
	       (!t->normalized && t->address[axis] != TEX_BORDER);
}

static struct axis axis_at(const struct tex *t, int axis, float x,
			   int32_t offset, bool linear)
{
	double u = texels_of(t, axis, x);
	struct axis a = { { 0, 0 }, 0 };
	int64_t i;

	if (!linear) {
		i = (int64_t)floor(u);
		a.i[0] = a.i[1] = wrapped(t, axis, i + offset);
		return a;
	}
	int64_t q = (int64_t)floor(u * ONE - (ONE / 2 - 0.5));
	i = (q >> FRAC) + offset;
	a.f = (int)(q & (ONE - 1));
	a.i[0] = wrapped(t, axis, i);
	a.i[1] = wrapped(t, axis, i + 1);
	/* The rounding of the weights shows that clamping comes first. */
	if (a.i[0] == a.i[1] && clamps(t, axis))
		a.f = 0;
	return a;
}

/* ---- filters ---- */

static int tex_share(int weight, int f)
{
	return (weight * f + ONE / 2) >> FRAC;
}

/*
 * Weights of the eight texels, x fastest; they add up to ONE. They are split by
 * z first, then x, then y: one share is rounded, the other gets the rest.
 */
static void weights(const struct axis a[3], int w[8])
{
	for (int z = 0; z < 2; z++) {
		int all = z ? a[2].f : ONE - a[2].f;
		int x1 = tex_share(all, a[0].f), x0 = all - x1;
		int *v = w + 4 * z;

		v[3] = tex_share(x1, a[1].f);
		v[1] = x1 - v[3];
		v[0] = tex_share(x0, ONE - a[1].f);
		v[2] = x0 - v[0];
	}
}

/* What filters need to know of a binary floating-point format. */
struct float_kind {
	int man, bias;
};

static int exponent(const struct float_kind *k, uint32_t v)
{
	const int top = 2 * k->bias + 1;
	int e = (int)(v >> k->man) & top;

	return e ? e : 1;
}

static uint32_t tex_sign_bit(const struct float_kind *k)
{
	return (2 * (uint32_t)k->bias + 2) << k->man;
}

/*
 * True if infinities or NaNs decide: *out is an infinity, or the NaN that is
 * all ones in the format. A weight that was rounded to 0 still multiplies.
 */
static bool filter_special(const struct float_kind *k, const uint32_t v[8],
			   const int w[8], uint32_t *out)
{
	const uint32_t sign = tex_sign_bit(k),
		       inf = sign - (UINT32_C(1) << k->man);
	bool nan = false, plus = false, minus = false;

	for (int i = 0; i < 8; i++) {
		uint32_t mag = v[i] & (sign - 1);

		if (mag < inf)
			continue;
		nan = nan || mag > inf || w[i] == 0;
		plus = plus || !(v[i] & sign);
		minus = minus || v[i] & sign;
	}
	if (nan || (plus && minus))
		*out = 0x7fffffffu >> (23 - k->man) << (23 - k->man);
	else
		*out = minus ? 0xff800000u : 0x7f800000u;
	return nan || plus || minus;
}

enum { GUARD = 4 }; /* bits kept below a mantissa when it is shifted */

/*
 * The weighted sum of four texels. They are aligned to the largest exponent of
 * those with a weight; bits that are shifted out are lost. The unit of the sum
 * is 2^(*e - bias - man - GUARD - FRAC).
 */
static int64_t quad_sum(const struct float_kind *k, const uint32_t v[4],
			const int w[4], int *e)
{
	const uint32_t sign = tex_sign_bit(k);
	int64_t sum = 0;

	*e = 0;
	for (int i = 0; i < 4; i++)
		if (w[i] && (v[i] & (sign - 1)) && exponent(k, v[i]) > *e)
			*e = exponent(k, v[i]);
	for (int i = 0; i < 4; i++) {
		int64_t m = v[i] & ((UINT32_C(1) << k->man) - 1);
		int by = *e - exponent(k, v[i]);

		if (!w[i] || by > 40)
			continue;
		if (v[i] & (sign - (UINT32_C(1) << k->man)))
			m |= INT64_C(1) << k->man;
		else if (k->man == 23)
			m = 0; /* single subnormals are flushed, halves not */
		m = by < 0 ? 0 : (m << GUARD) >> by;
		sum += (v[i] & sign ? -m : m) * w[i];
	}
	return sum;
}

static int64_t tex_shifted(int64_t v, int left)
{
	if (left >= 0)
		return v * (INT64_C(1) << left);
	return left < -62 ? (v < 0 ? -1 : 0) : v >> -left;
}

/* mag * 2^x, rounded to the format's precision, halves away from zero. */
static float rounded(const struct float_kind *k, int64_t v, int x)
{
	const int min = 1 - k->bias - k->man; /* exponent of the last bit */
	uint64_t mag = v < 0 ? -(uint64_t)v : (uint64_t)v;
	int cut = mag ? 63 - __builtin_clzll(mag) - k->man : 0;

	if (x + cut < min)
		cut = min - x;
	if (cut > 0 && cut < 64) {
		mag = (mag + (UINT64_C(1) << (cut - 1))) >> cut;
		x += cut;
	} else if (cut >= 64) {
		mag = 0;
	}
	float f = ldexpf((float)mag, x);
	return v < 0 ? -f : f;
}

/*
 * The sums of two quads are added after they are aligned to the larger
 * exponent, rounded down to a multiple of four; bits are lost toward minus
 * infinity.
 */
static uint32_t filter_float(const struct float_kind *k, const uint32_t v[8],
			     const int w[8])
{
	uint32_t special;
	int e0, e1;

	if (filter_special(k, v, w, &special))
		return special;
	int64_t s0 = quad_sum(k, v, w, &e0);
	int64_t s1 = quad_sum(k, v + 4, w + 4, &e1);
	int base = (e0 > e1 ? e0 : e1) & ~3;
	int64_t sum = tex_shifted(s0, e0 - base) + tex_shifted(s1, e1 - base);

	return f32_bits(
		rounded(k, sum, base - k->bias - k->man - GUARD - FRAC));
}

/* Filters an integer format to 16 bits, then converts that to a float. */
static uint32_t filter_norm(enum texel f, const uint32_t v[8], const int w[8])
{
	int32_t sum = 0;

	for (int i = 0; i < 8; i++)
		sum += (int32_t)v[i] * w[i];
	switch (f) {
	case TEXEL_U8:
		return f32_bits(unorm((sum * 257 + ONE / 2) >> FRAC, 65535));
	case TEXEL_U16:
		return f32_bits(unorm((sum + ONE / 2) >> FRAC, 65535));
	case TEXEL_S8:
		/* 32767/127 of it, approximately */
		sum += ((sum >> 4) + (sum >> 12) + 4) >> 3;
		return f32_bits(unorm(sum, 32767));
	default:
		return f32_bits(unorm((sum + ONE / 2) >> FRAC, 32767));
	}
}

static uint32_t filter(const struct tex *t, const uint32_t v[8], const int w[8])
{
	static const struct float_kind single = { 23, 127 }, half = { 10, 15 };

	switch (t->format) {
	case TEXEL_F32:
		return filter_float(&single, v, w);
	case TEXEL_F16:
		return filter_float(&half, v, w);
	default:
		return filter_norm(t->format, v, w);
	}
}

/* ---- fetches ---- */

static bool filters(const struct tex *t)
{
	switch (t->format) {
	case TEXEL_F32:
	case TEXEL_F16:
		return t->linear;
	case TEXEL_U32:
	case TEXEL_S32:
		return false;
	default:
		return t->linear && t->as_float;
	}
}

static struct fetch layer_of(const struct tex *t, uint32_t layer,
			     struct tex_span *span)
{
	uint32_t last = (uint32_t)at_least_1(t->layers) - 1;

	*span = (struct tex_span){ TEX_NOWHERE, TEX_NOWHERE };
	return (struct fetch){ t, layer > last ? last : layer, span };
}

/* Whether texel j of the eight is fetched at all. */
static bool reaches(const struct axis a[3], int j)
{
	return (!(j & 1) || a[0].f) && (!(j & 2) || a[1].f) &&
	       (!(j & 4) || a[2].f);
}

static void sample_linear(const struct fetch *f, const struct axis a[3],
			  uint32_t out[4])
{
	uint32_t v[4][8] = { { 0 } };
	int w[8];

	weights(a, w);
	for (int j = 0; j < 8; j++) {
		const int64_t i[3] = { a[0].i[j & 1], a[1].i[j >> 1 & 1],
				       a[2].i[j >> 2] };
		uint32_t c[4];

		if (!reaches(a, j))
			continue;
		texel_at(f, i, c);
		for (int k = 0; k < 4; k++)
			v[k][j] = c[k];
	}
	memset(out, 0, 4 * sizeof(*out));
	for (unsigned k = 0; k < f->t->channels; k++)
		out[k] = filter(f->t, v[k], w);
}

static void sample_nearest(const struct fetch *f, const struct axis a[3],
			   uint32_t out[4])
{
	const int64_t i[3] = { a[0].i[0], a[1].i[0], a[2].i[0] };

	texel_at(f, i, out);
	for (unsigned k = 0; k < f->t->channels; k++)
		out[k] = returned(f->t, out[k]);
}

void tex_sample(const struct tex *t, int dims, uint32_t layer,
		const float at[3], const int32_t offset[3], uint32_t out[4],
		struct tex_span *span)
{
	const struct fetch f = layer_of(t, layer, span);
	struct axis a[3] = { { { 0, 0 }, 0 } };

	for (int i = 0; i < dims; i++)
		a[i] = axis_at(t, i, at[i], offset[i], filters(t));
	/* A line is a row of height 1, taken at its edge: under a linear
	 * filter, half of it is the border. The sign of an offset reaches the
	 * row's number too. */
	if (dims == 1 && t->layers == 0)
		a[1] = axis_at(t, 1, 0.0f, offset[0] < 0 ? -1 : 0, filters(t));
	if (filters(t))
		sample_linear(&f, a, out);
	else
		sample_nearest(&f, a, out);
}

void tex_gather(const struct tex *t, unsigned channel, const float at[2],
		uint32_t out[4], struct tex_span *span)
{
	/* Counter-clockwise from the lower left, y up. */
	static const int corner[4][2] = {
		{ 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 }
	};
	const struct fetch f = layer_of(t, 0, span);
	struct axis a[2];

	for (int i = 0; i < 2; i++)
		a[i] = axis_at(t, i, at[i], 0, true);
	for (int k = 0; k < 4; k++) {
		const int64_t i[3] = { a[0].i[corner[k][0]],
				       a[1].i[corner[k][1]], 0 };
		uint32_t c[4];

		texel_at(&f, i, c);
		out[k] = channel < t->channels ? returned(t, c[channel]) : 0;
	}
}

void tex_load(const struct tex *t, int dims, uint32_t layer,
	      const int32_t at[3], const int32_t offset[3], uint32_t out[4],
	      struct tex_span *span)
{
	const struct fetch f = { t, layer, span };
	int64_t i[3] = { 0, 0, 0 };
	bool in = layer < at_least_1(t->layers);

	*span = (struct tex_span){ TEX_NOWHERE, TEX_NOWHERE };
	for (int k = 0; k < dims; k++) {
		i[k] = (int64_t)at[k] + offset[k];
		in = in && i[k] >= 0 && i[k] < tex_size_of(t, k);
	}
	memset(out, 0, 4 * sizeof(*out));
	if (!in)
		return;
	texel_at(&f, i, out);
	for (unsigned k = 0; k < t->channels; k++)
		out[k] = returned(t, out[k]);
}

/*
 * A direction hits the face of its largest component. Faces are in the order
 * +x -x +y -y +z -z (CUDA programming guide, cubemap textures).
 */
void tex_sample_cube(const struct tex *t, uint32_t layer, const float dir[3],
		     uint32_t out[4], struct tex_span *span)
{
	const float x = dir[0], y = dir[1], z = dir[2];
	const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
	const int32_t none[3] = { 0, 0, 0 };
	float at[3] = { 0, 0, 0 }, m;
	uint32_t face;

	if (az >= ax && az >= ay) {
		m = az, face = z < 0 ? 5 : 4;
		at[0] = z < 0 ? -x : x, at[1] = -y;
	} else if (ay >= ax) {
		m = ay, face = y < 0 ? 3 : 2;
		at[0] = x, at[1] = y < 0 ? -z : z;
	} else {
		m = ax, face = x < 0 ? 1 : 0;
		at[0] = x < 0 ? z : -z, at[1] = -y;
	}
	for (int i = 0; i < 2; i++)
		at[i] = m > 0.0f ? (at[i] / m + 1.0f) / 2.0f : 0.5f;
	uint32_t cubes = (uint32_t)at_least_1(t->layers / 6);
	layer = layer >= cubes ? cubes - 1 : layer;
	tex_sample(t, 2, 6 * layer + face, at, none, out, span);
}

/* ---- surfaces ---- */

char *surf_at(const struct tex *t, int dims, uint32_t layer,
	      const int32_t at[3], uint32_t size, bool clamp)
{
	const uint64_t row =
		(uint64_t)t->width * t->channels * texel_bytes(t->format);
	int64_t i[3] = { 0, 0, 0 }, last[3] = { 0, 0, 0 };
	int64_t last_layer = (int64_t)at_least_1(t->layers) - 1;
	bool in = row >= size;

	if (!in)
		return NULL;
	/* The layer's number is one of 16 bits. */
	int64_t z = layer & 0xffff;
	in = z <= last_layer;
	z = in ? z : last_layer;
	for (int k = 0; k < dims; k++) {
		last[k] = k ? (int64_t)tex_size_of(t, k) - 1 :
			      (int64_t)(row / size - 1) * size;
		i[k] = at[k] < 0 ? 0 : at[k] > last[k] ? last[k] : at[k];
		in = in && i[k] == at[k];
	}
	if (!in && !clamp)
		return NULL;
	return t->data + (uint64_t)(z + i[2]) * t->slice_bytes +
	       (uint64_t)i[1] * t->row_bytes + i[0];
}

static uint32_t saturated(uint32_t v, unsigned bits, bool is_signed)
{
	const int32_t max = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
	const int32_t i = (int32_t)v;

	if (!is_signed)
		return v > (uint32_t)max ? (uint32_t)max : v;
	return (uint32_t)(i > max ? max : i < -max - 1 ? -max - 1 : i);
}

/* Toward zero; a NaN keeps what fits of its payload. */
static uint32_t half_cut(uint32_t v)
{
	uint32_t payload = (v & 0x7fffff) >> 13;

	if ((v & 0x7fffffff) > 0x7f800000)
		return (v >> 16 & 0x8000) | 0x7c00 | (payload ? payload : 1);
	return (uint32_t)fp_cvt(FP_F16, FP_F32, v, RND_RZ, false);
}

static uint32_t stored_value(enum texel f, uint32_t v)
{
	switch (f) {
	case TEXEL_U8:
		return saturated(v, 8, false);
	case TEXEL_U16:
		return saturated(v, 16, false);
	case TEXEL_S8:
		return saturated(v, 8, true);
	case TEXEL_S16:
		return saturated(v, 16, true);
	case TEXEL_F16:
		return half_cut(v);
	default:
		return v;
	}
}

void surf_put(const struct tex *t, char *texel, const uint32_t *v,
	      unsigned count)
{
	const uint32_t bytes = texel_bytes(t->format);

	for (unsigned c = 0; c < t->channels; c++) {
		uint32_t x = c < count ? stored_value(t->format, v[c]) : 0;

		memcpy(texel + c * bytes, &x, bytes);
	}
}
