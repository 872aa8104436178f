/*
 * Images: loads, stores, atomics and samples of their first level.
 *
 * Texels lie row by row: coordinates outside of the image read as 0 and are not
 * written. A sampler's filter is computed in single precision from the four (eight)
 * texels around; a mirror, a clamp or a border is what the sampler's words say.
 * Levels beyond the first, cube maps, comparisons and offsets are not modelled.
 */
#include "base/fp.h"
#include "isa/gcn/exec.h"
#include "isa/gcn/format.h"
#include "simt/wave_mem.h"

#define ROW(id, fn, n) \
	const struct gcn_exec gcn_exec_##id = { .exec = fn, .k = n };

enum image_type {
	IMAGE_1D = 8,
	IMAGE_2D,
	IMAGE_3D,
	IMAGE_CUBE,
	IMAGE_1D_ARRAY,
	IMAGE_2D_ARRAY
};

struct image {
	uint64_t base;
	unsigned dims; /* coordinates, without that of a layer */
	bool is_array;
	uint32_t size[3], layers, first_layer, pitch;
	uint32_t selectors;
	enum gcn_number number;
	struct gcn_data_format format;
};

static struct image image_of(const struct wave *w, const struct wave_op *op)
{
	const uint32_t *s = &w->s[op->b];
	bool is_short = op->flags & GCN_FLAG_R128;
	unsigned type = s[3] >> 28;
	struct image im = {
		.base = (s[0] | (uint64_t)(s[1] & 0xff) << 32) << 8,
		.number = (enum gcn_number)(s[1] >> 26 & 7),
		.format = gcn_data_format(s[1] >> 20 & 63),
		.size = { (s[2] & 0x3fff) + 1, (s[2] >> 14 & 0x3fff) + 1, 1 },
		.layers = 1,
		.selectors = s[3] & 0xfff,
		.dims = type == IMAGE_3D                           ? 3 :
			type == IMAGE_1D || type == IMAGE_1D_ARRAY ? 1 :
								     2,
		.is_array = type == IMAGE_1D_ARRAY || type == IMAGE_2D_ARRAY,
	};

	im.pitch = im.size[0];
	if (is_short)
		return im;
	im.pitch = (s[4] >> 13 & 0x3fff) + 1;
	if (im.dims == 3)
		im.size[2] = (s[4] & 0x1fff) + 1;
	im.first_layer = s[5] & 0x1fff;
	if (im.is_array)
		im.layers = (s[5] >> 13 & 0x1fff) - im.first_layer + 1;
	if (im.dims == 1)
		im.size[1] = 1;
	return im;
}

/* Where a texel is; false: outside of the image. */
static bool image_texel_at(const struct image *im, const int32_t at[3],
			   uint32_t layer, uint64_t *out)
{
	uint64_t slice;

	for (unsigned i = 0; i < im->dims; i++)
		if (at[i] < 0 || (uint32_t)at[i] >= im->size[i])
			return false;
	if (layer >= im->layers || !im->format.bytes)
		return false;
	slice = im->is_array  ? im->first_layer + layer :
		im->dims == 3 ? (uint32_t)at[2] :
				0;
	*out = im->base +
	       ((slice * im->size[1] + (im->dims > 1 ? (uint32_t)at[1] : 0)) *
			im->pitch +
		(uint32_t)at[0]) *
		       im->format.bytes;
	return true;
}

/* ---- texels of all lanes ----------------------------------------------- */

struct texels {
	int32_t at[3][WAVE_LANES];
	uint32_t layer[WAVE_LANES];
};

static uint64_t image_locate(const struct image *im, const struct texels *t,
			     uint64_t mask, uint64_t addr[WAVE_LANES])
{
	uint64_t inside = 0;

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		int32_t at[3] = { t->at[0][l], t->at[1][l], t->at[2][l] };

		addr[l] = 0;
		if (mask >> l & 1 &&
		    image_texel_at(im, at, t->layer[l], &addr[l]))
			inside |= (uint64_t)1 << l;
	}
	return inside;
}

/* Four values of each lane; 0 outside. */
static bool load_texels(struct wave *w, const struct image *im,
			const struct texels *t, uint64_t mask, wave_data v,
			uint64_t *inside)
{
	uint64_t addr[WAVE_LANES];

	*inside = image_locate(im, t, mask, addr);
	if (!wave_load(w, addr, *inside, im->format.bytes, v))
		return false;
	for (uint64_t m = *inside; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		uint32_t raw[4], out[4];

		for (unsigned i = 0; i < 4; i++)
			raw[i] = v[i][l];
		gcn_format_unpack(im->format, im->number, raw, out);
		for (unsigned i = 0; i < 4; i++)
			v[i][l] = out[i];
	}
	for (uint64_t m = ~*inside; m; m &= m - 1)
		for (unsigned i = 0; i < 4; i++)
			v[i][lanes_first(m)] = 0;
	w->effect->image = true;
	return true;
}

/* The components of the mask, in consecutive registers. */
static void write_texels(struct wave *w, const struct wave_op *op,
			 const struct image *im, uint64_t mask, wave_data v)
{
	unsigned to = op->d;

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint32_t in[4], out[4];

		for (unsigned i = 0; i < 4; i++)
			in[i] = v[i][l];
		gcn_format_select(im->selectors, im->number, in, out);
		for (unsigned i = 0; i < 4; i++)
			v[i][l] = out[i];
	}
	for (unsigned i = 0; i < 4; i++)
		if (op->lanes >> i & 1)
			gcn_write(w, to++, mask, v[i]);
}

/* Coordinates that are integers. */
static void take_integers(struct texels *t, struct wave *w,
			  const struct wave_op *op, const struct image *im)
{
	const uint32_t *v = gcn_vector(w, op->a);

	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < im->dims; i++)
		memcpy(t->at[i], v + i * WAVE_LANES, sizeof(t->at[i]));
	if (im->is_array)
		memcpy(t->layer, v + im->dims * WAVE_LANES, sizeof(t->layer));
}

/* With k, the level follows the coordinates: only the first one has texels. */
static uint64_t first_level(struct wave *w, const struct wave_op *op,
			    const struct image *im, uint64_t mask)
{
	unsigned words = im->dims + im->is_array;
	const uint32_t *level = gcn_vector(w, op->a + words);

	for (unsigned l = 0; gcn_exec[op->op]->k && l < WAVE_LANES; l++)
		if (level[l])
			mask &= ~((uint64_t)1 << l);
	return mask;
}

static void exec_image_load(struct wave *w, const struct wave_op *op)
{
	struct image im = image_of(w, op);
	uint64_t exec = gcn_mask(w), inside;
	struct texels t;
	wave_data v;

	w->lane_steps += lanes_count(exec);
	take_integers(&t, w, op, &im);
	if (load_texels(w, &im, &t, first_level(w, op, &im, exec), v, &inside))
		write_texels(w, op, &im, exec, v);
}
ROW(IMAGE_LOAD, exec_image_load, 0)
ROW(IMAGE_LOAD_MIP, exec_image_load, 1)

static void exec_store(struct wave *w, const struct wave_op *op)
{
	struct image im = image_of(w, op);
	uint64_t exec = gcn_mask(w), mask, addr[WAVE_LANES];
	struct texels t;
	wave_data v = { { 0 } };

	w->lane_steps += lanes_count(exec);
	take_integers(&t, w, op, &im);
	mask = image_locate(&im, &t, first_level(w, op, &im, exec), addr);
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned l = lanes_first(m), from = op->d;
		uint32_t in[4] = { 0 }, raw[4];

		for (unsigned i = 0; i < 4; i++)
			if (op->lanes >> i & 1)
				in[i] = gcn_vector(w, from++)[l];
		gcn_format_pack(im.format, im.number, in, raw);
		for (unsigned i = 0; i < 4; i++)
			v[i][l] = raw[i];
	}
	if (wave_store(w, addr, mask, im.format.bytes, v))
		w->effect->image = true;
}
ROW(IMAGE_STORE, exec_store, 0)
ROW(IMAGE_STORE_MIP, exec_store, 1)

/* Width, height, depth or layers, number of levels. */
static void exec_resinfo(struct wave *w, const struct wave_op *op)
{
	struct image im = image_of(w, op);
	uint32_t last = im.dims == 3 ? im.size[2] : im.layers;
	uint32_t info[4] = { im.size[0], im.size[1], last, 1 };
	uint64_t exec = gcn_mask(w);
	unsigned to = op->d;

	w->lane_steps += lanes_count(exec);
	if (im.dims == 1)
		info[1] = im.layers;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t v[WAVE_LANES];

		GCN_EACH_LANE
		v[l] = info[i];
		if (op->lanes >> i & 1)
			gcn_write(w, to++, exec, v);
	}
}
ROW(IMAGE_GET_RESINFO, exec_resinfo, 0)

/* ---- atomics ----------------------------------------------------------- */

/* On texels of one word; on those of two where the mask has four components, or
 * two of an operation without a comparison. */
static void exec_image_atomic(struct wave *w, const struct wave_op *op)
{
	enum wave_atomic_op what = (enum wave_atomic_op)gcn_exec[op->op]->k;
	bool compares = what == WAVE_CMPSWAP || what == WAVE_FCMPSWAP;
	bool wide = op->lanes == 15 || (op->lanes == 3 && !compares);
	unsigned words = wide ? 2 : 1;
	struct image im = image_of(w, op);
	uint64_t mask, addr[WAVE_LANES], b[WAVE_LANES], c[WAVE_LANES];
	const uint32_t *v = gcn_vector(w, op->d);
	struct texels t;

	w->lane_steps += lanes_count(gcn_mask(w));
	take_integers(&t, w, op, &im);
	mask = image_locate(&im, &t, gcn_mask(w), addr);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		const uint32_t *next = v + words * WAVE_LANES;

		b[l] = v[l];
		c[l] = next[l];
		if (wide) {
			b[l] |= (uint64_t)v[l + WAVE_LANES] << 32;
			c[l] |= (uint64_t)next[l + WAVE_LANES] << 32;
		}
	}
	if (wave_atomic(w, what, wide, addr, mask, b, compares ? c : NULL,
			op->flags & GCN_FLAG_GLC ? gcn_vector(w, op->d) : NULL))
		w->effect->image = true;
}
#define ATOMIC(name) ROW(IMAGE_ATOMIC_##name, exec_image_atomic, WAVE_##name)
ATOMIC(SWAP)
ATOMIC(CMPSWAP)
ATOMIC(ADD)
ATOMIC(SUB)
ATOMIC(RSUB)
ATOMIC(SMIN)
ATOMIC(UMIN)
ATOMIC(SMAX)
ATOMIC(UMAX)
ATOMIC(AND)
ATOMIC(OR)
ATOMIC(XOR)
ATOMIC(INC)
ATOMIC(DEC)
ATOMIC(FCMPSWAP)
ATOMIC(FMIN)
ATOMIC(FMAX)

/* ---- samplers ---------------------------------------------------------- */

enum { WRAP, MIRROR, CLAMP, MIRROR_ONCE, CLAMP_BORDER = 6 };

struct sampler {
	unsigned address[3];
	bool linear, texels; /* texels: coordinates are in texels */
	float border[4];
};

static struct sampler sampler_of(const struct wave *w, const struct wave_op *op)
{
	const uint32_t *s = &w->s[op->c];
	unsigned border = s[3] >> 30;
	struct sampler sa = {
		.address = { s[0] & 7, s[0] >> 3 & 7, s[0] >> 6 & 7 },
		.linear = s[2] >> 20 & 1,
		.texels = s[0] >> 15 & 1 || op->flags & GCN_FLAG_UNORM,
	};

	/* Transparent or opaque black, white. */
	for (unsigned i = 0; i < 4; i++)
		sa.border[i] = border == 2 || (border == 1 && i == 3) ? 1 : 0;
	return sa;
}

static int32_t image_wrapped(int64_t at, int64_t size)
{
	at %= size;
	return (int32_t)(at < 0 ? at + size : at);
}

/* The texel that a coordinate means; -1: the border. */
static int32_t addressed(unsigned mode, int32_t at, uint32_t size)
{
	int64_t n = size, m;

	switch (mode) {
	case WRAP:
		return image_wrapped(at, n);
	case MIRROR:
		m = image_wrapped(at, 2 * n);
		return (int32_t)(m < n ? m : 2 * n - 1 - m);
	case CLAMP:
	case MIRROR_ONCE:
		m = mode == MIRROR_ONCE && at < 0 ? -1 - (int64_t)at : at;
		return (int32_t)(m < 0 ? 0 : m < n ? m : n - 1);
	default:
		return at < 0 || at >= n ? -1 : at;
	}
}

static float floor_limited(float v)
{
	v = v > -0x1p30f ? v < 0x1p30f ? v : 0x1p30f : -0x1p30f;
	return __builtin_floorf(v);
}

/* Of a lane: the lower texel of each dimension, and the upper one's weight. */
struct point {
	int32_t low[3][WAVE_LANES];
	float weight[3][WAVE_LANES];
	uint32_t layer[WAVE_LANES];
};

static void take_floats(struct point *p, struct wave *w,
			const struct wave_op *op, const struct image *im,
			const struct sampler *sa)
{
	const uint32_t *v = gcn_vector(w, op->a);

	memset(p, 0, sizeof(*p));
	for (unsigned i = 0; i < im->dims; i++) {
		for (unsigned l = 0; l < WAVE_LANES; l++) {
			float x = f32_of(v[i * WAVE_LANES + l]), low;

			x = x == x ? x : 0;
			if (!sa->texels)
				x *= (float)im->size[i];
			if (sa->linear)
				x -= 0.5f;
			low = floor_limited(x);
			p->low[i][l] = (int32_t)low;
			p->weight[i][l] = sa->linear && x - low < 1 ? x - low :
								      0;
		}
	}
	for (unsigned l = 0; im->is_array && l < WAVE_LANES; l++) {
		float x = f32_of(v[im->dims * WAVE_LANES + l]) + 0.5f;
		uint32_t n = x > 0 ? (uint32_t)floor_limited(x) : 0;

		p->layer[l] = n < im->layers ? n : im->layers - 1;
	}
}

/* The texels at corner `corner` of each lane's square or cube. */
static void corner_of(struct texels *t, const struct point *p,
		      const struct image *im, const struct sampler *sa,
		      unsigned corner)
{
	memset(t, 0, sizeof(*t));
	memcpy(t->layer, p->layer, sizeof(t->layer));
	for (unsigned i = 0; i < im->dims; i++)
		for (unsigned l = 0; l < WAVE_LANES; l++)
			t->at[i][l] =
				addressed(sa->address[i],
					  p->low[i][l] + (int)(corner >> i & 1),
					  im->size[i]);
}

static float weight_of(const struct point *p, const struct image *im,
		       unsigned corner, unsigned lane)
{
	float w = 1;

	for (unsigned i = 0; i < im->dims; i++)
		w *= corner >> i & 1 ? p->weight[i][lane] :
				       1 - p->weight[i][lane];
	return w;
}

static bool is_integer(const struct image *im)
{
	return im->number == GCN_NUMBER_UINT || im->number == GCN_NUMBER_SINT;
}

/* Adds a corner's texels to the sums; an integer is not filtered. */
static void add_corner(wave_data sum, wave_data v, uint64_t inside,
		       const struct point *p, const struct image *im,
		       const struct sampler *sa, unsigned corner)
{
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		float weight = weight_of(p, im, corner, l);

		for (unsigned i = 0; i < 4; i++) {
			float x = inside >> l & 1 ? f32_of(v[i][l]) :
						    sa->border[i];

			if (is_integer(im))
				sum[i][l] = corner ? sum[i][l] : v[i][l];
			else if (weight != 0)
				sum[i][l] = f32_bits(f32_of(sum[i][l]) +
						     weight * x);
		}
	}
}

static void exec_sample(struct wave *w, const struct wave_op *op)
{
	struct image im = image_of(w, op);
	struct sampler sa = sampler_of(w, op);
	uint64_t exec = gcn_mask(w), inside;
	unsigned corners = sa.linear && !is_integer(&im) ? 1u << im.dims : 1;
	struct point p;
	struct texels t;
	wave_data v, sum = { { 0 } };

	w->lane_steps += lanes_count(exec);
	take_floats(&p, w, op, &im, &sa);
	for (unsigned corner = corners; corner--;) {
		corner_of(&t, &p, &im, &sa, corner);
		if (!load_texels(w, &im, &t, exec, v, &inside))
			return;
		add_corner(sum, v, inside, &p, &im, &sa, corner);
	}
	write_texels(w, op, &im, exec, sum);
}
ROW(IMAGE_SAMPLE, exec_sample, 0)
ROW(IMAGE_SAMPLE_L, exec_sample, 0)
ROW(IMAGE_SAMPLE_LZ, exec_sample, 0)
