/*
 * Images in software: addressing, filtering and conversions as OpenCL 1.2 states
 * them (sections 8.2 and 8.3). A linear filter weighs with the whole fraction, not
 * with the 8 bits of texture units.
 */
#include "common.h"
#include "image.h"

typedef IMAGE_SPACE const struct heddle_image *image_t;
typedef CONSTANT const void *sampler_t;

enum {
	ORDER_R = 0x10b0,
	ORDER_A,
	ORDER_RG,
	ORDER_RA,
	ORDER_RGB,
	ORDER_RGBA,
	ORDER_BGRA,
	ORDER_ARGB,
	ORDER_INTENSITY,
	ORDER_LUMINANCE,

	SNORM8 = 0x10d0,
	SNORM16,
	UNORM8,
	UNORM16,
	UNORM565,
	UNORM555,
	UNORM101010,
	SIGNED8,
	SIGNED16,
	SIGNED32,
	UNSIGNED8,
	UNSIGNED16,
	UNSIGNED32,
	HALF,
	FLOAT,

	ADDRESS_NONE = 0,
	ADDRESS_EDGE = 2,
	ADDRESS_CLAMP = 4,
	ADDRESS_REPEAT = 6,
	ADDRESS_MIRROR = 8,
};

/* The sampler of a read without one: integer coordinates, nearest. */
#define NO_SAMPLER HEDDLE_SAMPLER_NEAREST

INLINE float bits_float(uint v)
{
	return __builtin_bit_cast(float, v);
}

INLINE uint float_bits(float v)
{
	return __builtin_bit_cast(uint, v);
}

/*
 * Pixels
 */

/* Channel i as it is stored, extended to 32 bits by its type. */
INLINE uint channel_load(image_t im, ulong at, int i)
{
	switch (im->type) {
	case SNORM8:
	case SIGNED8:
		return (uint)(int)((GLOBAL const signed char *)at)[i];
	case UNORM8:
	case UNSIGNED8:
		return ((GLOBAL const uchar *)at)[i];
	case SNORM16:
	case SIGNED16:
		return (uint)(int)((GLOBAL const short *)at)[i];
	case UNORM16:
	case UNSIGNED16:
	case HALF:
		return ((GLOBAL const ushort *)at)[i];
	default:
		return ((GLOBAL const uint *)at)[i];
	}
}

/* By hand: not every GPU of these has the type. */
INLINE float half_to_float(uint h)
{
	uint sign = (h & 0x8000) << 16, rest = h & 0x7fff;

	if (rest >= 0x7c00) /* infinite or not a number */
		return bits_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);
	if (rest >= 0x400)
		return bits_float(sign | ((rest << 13) + 0x38000000));
	/* Subnormal: units of 2 to the -24. */
	return (sign ? -1.0f : 1.0f) * (float)rest * 0x1p-24f;
}

/* Rounds to the nearest, ties to even. */
INLINE uint float_to_half(float f)
{
	uint v = float_bits(f), sign = v >> 16 & 0x8000, rest = v & 0x7fffffff;

	if (rest > 0x7f800000)
		return sign | 0x7e00;
	if (rest >= 0x477ff000)
		return sign | 0x7c00;
	if (rest < 0x38800000) /* the sum's last bits are the half's */
		return sign | (float_bits(bits_float(rest) + 0.5f) & 0xfff);
	return sign | ((rest + 0xfff + (rest >> 13 & 1) - 0x38000000) >> 13);
}

INLINE float snorm(int v, float most)
{
	float f = (float)v / most;

	return f < -1.0f ? -1.0f : f;
}

/* The bits of a channel as a float, for a read of floats. */
INLINE uint channel_to_float(int type, uint v)
{
	switch (type) {
	case SNORM8:
		return float_bits(snorm((int)v, 127.0f));
	case SNORM16:
		return float_bits(snorm((int)v, 32767.0f));
	case UNORM8:
		return float_bits((float)v / 255.0f);
	case UNORM16:
		return float_bits((float)v / 65535.0f);
	case HALF:
		return float_bits(half_to_float(v));
	default:
		return v;
	}
}

INLINE uint4 order_colors(int order, uint4 c, uint one)
{
	switch (order) {
	case ORDER_R:
		return (uint4){ c.x, 0, 0, one };
	case ORDER_A:
		return (uint4){ 0, 0, 0, c.x };
	case ORDER_RG:
		return (uint4){ c.x, c.y, 0, one };
	case ORDER_RA:
		return (uint4){ c.x, 0, 0, c.y };
	case ORDER_BGRA:
		return (uint4){ c.z, c.y, c.x, c.w };
	case ORDER_ARGB:
		return (uint4){ c.y, c.z, c.w, c.x };
	case ORDER_INTENSITY:
		return (uint4){ c.x, c.x, c.x, c.x };
	case ORDER_LUMINANCE:
		return (uint4){ c.x, c.x, c.x, one };
	default:
		return c;
	}
}

INLINE int order_channels(int order)
{
	return order == ORDER_RGBA || order == ORDER_BGRA ||
			       order == ORDER_ARGB ?
		       4 :
	       order == ORDER_RG || order == ORDER_RA ? 2 :
							1;
}

/* The color beyond the edge. */
INLINE uint4 border_color(int order, uint one)
{
	return (uint4){ 0, 0, 0,
			order == ORDER_R || order == ORDER_RG ||
					order == ORDER_LUMINANCE ?
				one :
				0 };
}

/* A pixel, floats as their bits; beyond the image: the border. */
CORE uint4 pixel_load(image_t im, int x, int y, int z, int floats)
{
	uint one = floats ? 0x3f800000u : 1u;
	int rows = im->height ? im->height : 1, n = order_channels(im->order);
	int slices = im->depth ? im->depth : 1;
	uint4 c = { 0, 0, 0, 0 };
	ulong at;

	if (im->layers && im->height)
		slices = im->layers;
	else if (im->layers)
		rows = im->layers;
	if ((uint)x >= (uint)im->width || (uint)y >= (uint)rows ||
	    (uint)z >= (uint)slices)
		return border_color(im->order, one);
	at = im->data + (ulong)z * im->slice + (ulong)y * im->row +
	     (ulong)x * (ulong)im->element;
	for (int i = 0; i < n; i++) {
		uint v = channel_load(im, at, i);

		c[i] = floats ? channel_to_float(im->type, v) : v;
	}
	return order_colors(im->order, c, one);
}

/*
 * Addressing
 */

INLINE int clamp_int(int v, int least, int most)
{
	return v < least ? least : v > most ? most : v;
}

/* A coordinate of a pixel, for the nearest one or beside it for a filter. -1 and
 * n are the border. */
INLINE int address_pixel(int mode, int i, int n)
{
	switch (mode) {
	case ADDRESS_EDGE:
		return clamp_int(i, 0, n - 1);
	case ADDRESS_CLAMP:
		return clamp_int(i, -1, n);
	case ADDRESS_REPEAT:
		return i < 0 ? i + n : i > n - 1 ? i - n : i;
	case ADDRESS_MIRROR:
		return clamp_int(i, 0, n - 1);
	default:
		return i;
	}
}

/* The coordinate in pixels, with repetition applied. */
INLINE float address_scale(uint sampler, float s, int n)
{
	int mode = (int)(sampler & HEDDLE_SAMPLER_ADDRESS);

	if (mode == ADDRESS_REPEAT)
		return (s - __builtin_floorf(s)) * (float)n;
	if (mode == ADDRESS_MIRROR)
		return __builtin_fabsf(s - 2.0f * __builtin_rintf(0.5f * s)) *
		       (float)n;
	return sampler & HEDDLE_SAMPLER_NORMALIZED ? s * (float)n : s;
}

/* Far beyond what an image has, conversions to int are not defined. */
INLINE int floor_int(float f)
{
	f = __builtin_floorf(f);
	return f >= 1e9f ? 1000000000 : f > -1e9f ? (int)f : -1000000000;
}

INLINE int pixel_nearest(uint sampler, float s, int n)
{
	float u = address_scale(sampler, s, n);

	return address_pixel((int)(sampler & HEDDLE_SAMPLER_ADDRESS),
			     floor_int(u), n);
}

/* The two pixels of a filter; returns the weight of the second. */
INLINE float pixel_pair(uint sampler, float s, int n, int *first, int *second)
{
	float u = address_scale(sampler, s, n) - 0.5f;
	int mode = (int)(sampler & HEDDLE_SAMPLER_ADDRESS);
	int i = floor_int(u);

	*first = address_pixel(mode, i, n);
	*second = address_pixel(mode, i + 1, n);
	return u - __builtin_floorf(u);
}

/*
 * Reading. dims: 1 to 3 of the coordinates are of the image; a layer, which is
 * never filtered, is y or z in pixels.
 */

struct coord {
	float x, y, z;
	int layer;
};

INLINE float4 as_floats(uint4 v)
{
	return (float4){ bits_float(v.x), bits_float(v.y), bits_float(v.z),
			 bits_float(v.w) };
}

INLINE float4 mix4(float4 a, float4 b, float w)
{
	return a * (1.0f - w) + b * w;
}

CORE float4 row_linear(image_t im, uint sampler, float x, int y, int z)
{
	int a, b;
	float w = pixel_pair(sampler, x, im->width, &a, &b);

	return mix4(as_floats(pixel_load(im, a, y, z, 1)),
		    as_floats(pixel_load(im, b, y, z, 1)), w);
}

CORE float4 plane_linear(image_t im, uint sampler, float x, float y, int z)
{
	int a, b;
	float w = pixel_pair(sampler, y, im->height, &a, &b);

	return mix4(row_linear(im, sampler, x, a, z),
		    row_linear(im, sampler, x, b, z), w);
}

INLINE float4 read_linear(image_t im, uint sampler, struct coord c, int dims)
{
	int a, b;
	float w;

	if (dims == 1)
		return row_linear(im, sampler, c.x, c.layer, 0);
	if (dims == 2)
		return plane_linear(im, sampler, c.x, c.y, c.layer);
	w = pixel_pair(sampler, c.z, im->depth, &a, &b);
	return mix4(plane_linear(im, sampler, c.x, c.y, a),
		    plane_linear(im, sampler, c.x, c.y, b), w);
}

INLINE uint4 read_nearest(image_t im, uint sampler, struct coord c, int dims,
			  int floats)
{
	int x = pixel_nearest(sampler, c.x, im->width), y = 0, z = 0;

	if (dims > 1)
		y = pixel_nearest(sampler, c.y, im->height);
	if (dims > 2)
		z = pixel_nearest(sampler, c.z, im->depth);
	if (dims == 1)
		y = c.layer;
	else if (dims == 2)
		z = c.layer;
	return pixel_load(im, x, y, z, floats);
}

INLINE uint sampler_bits(sampler_t s)
{
	return (uint)(ulong)s;
}

INLINE float4 read_floats(image_t im, uint sampler, struct coord c, int dims)
{
	if (sampler & HEDDLE_SAMPLER_LINEAR)
		return read_linear(im, sampler, c, dims);
	return as_floats(read_nearest(im, sampler, c, dims, 1));
}

/* Integer coordinates are never scaled. */
INLINE uint4 read_pixel(image_t im, uint sampler, int x, int y, int z, int dims,
			int floats)
{
	int mode = (int)(sampler & HEDDLE_SAMPLER_ADDRESS);

	x = address_pixel(mode, x, im->width);
	if (dims > 1)
		y = address_pixel(mode, y, im->height);
	if (dims > 2)
		z = address_pixel(mode, z, im->depth);
	return pixel_load(im, x, y, z, floats);
}

INLINE int layer_of(image_t im, float v)
{
	return clamp_int(floor_int(v + 0.5f), 0, im->layers - 1);
}

INLINE int layer_int(image_t im, int v)
{
	return clamp_int(v, 0, im->layers - 1);
}

/* How coordinates become places, for each kind of image. */
#define COORD_1D(im, c) ((struct coord){ (c), 0, 0, 0 })
#define COORD_1D_ARRAY(im, c) \
	((struct coord){ (c).x, 0, 0, layer_of(im, (c).y) })
#define COORD_2D(im, c) ((struct coord){ (c).x, (c).y, 0, 0 })
#define COORD_2D_ARRAY(im, c) \
	((struct coord){ (c).x, (c).y, 0, layer_of(im, (c).z) })
#define COORD_3D(im, c) ((struct coord){ (c).x, (c).y, (c).z, 0 })
#define PLACE_1D(im, c) (c), 0, 0
#define PLACE_1D_ARRAY(im, c) (c).x, layer_int(im, (c).y), 0
#define PLACE_2D(im, c) (c).x, (c).y, 0
#define PLACE_2D_ARRAY(im, c) (c).x, (c).y, layer_int(im, (c).z)
#define PLACE_3D(im, c) (c).x, (c).y, (c).z

INLINE int4 as_ints(uint4 v)
{
	return (int4){ (int)v.x, (int)v.y, (int)v.z, (int)v.w };
}

INLINE uint4 as_uints(uint4 v)
{
	return v;
}

#define DEFINE(type, name, mangled, parameters, ...) \
	API type name parameters __asm__(mangled);   \
	API type name parameters                     \
	{                                            \
		__VA_ARGS__;                         \
	}

/* One function with a sampler and its variants, of the result's type. */
#define READ_WITH(id, image, dims, result, letter, suffix, from, fc, fm, ic, im_)  \
	DEFINE(result, read_##id##_##letter##_f,                                   \
	       "_Z1" suffix image "11ocl_sampler" fm,                              \
	       (image_t im, sampler_t s, fc c),                                    \
	       return from(read_nearest(im, sampler_bits(s),                       \
					COORD_##id(im, c), dims, 0)))              \
	DEFINE(result, read_##id##_##letter##_i,                                   \
	       "_Z1" suffix image "11ocl_sampler" im_,                             \
	       (image_t im, sampler_t s, ic c),                                    \
	       return from(read_pixel(im, sampler_bits(s), PLACE_##id(im, c),      \
				      dims, 0)))

#define READ_PLAIN(id, image, dims, result, letter, suffix, from, floats, ic, im_) \
	DEFINE(result, read_##id##_##letter##_plain,                               \
	       "_Z1" suffix image im_, (image_t im, ic c),                         \
	       return from(read_pixel(im, NO_SAMPLER, PLACE_##id(im, c), dims,     \
				      floats)))

#define READS(id, image, dims, fc, fm, ic, im_)                                 \
	DEFINE(float4, read_##id##_f_f, "_Z11read_imagef" image "11ocl_sampler" fm, \
	       (image_t im, sampler_t s, fc c),                                 \
	       return read_floats(im, sampler_bits(s), COORD_##id(im, c), dims))\
	DEFINE(float4, read_##id##_f_i, "_Z11read_imagef" image "11ocl_sampler" im_,\
	       (image_t im, sampler_t s, ic c),                                 \
	       return as_floats(read_pixel(im, sampler_bits(s),                 \
					   PLACE_##id(im, c), dims, 1)))        \
	READ_WITH(id, image, dims, int4, si, "1read_imagei", as_ints, fc, fm, ic, im_) \
	READ_WITH(id, image, dims, uint4, ui, "2read_imageui", as_uints, fc, fm, ic,   \
		  im_)                                                          \
	PLAIN_READS(id, image, dims, ic, im_)

#define PLAIN_READS(id, image, dims, ic, im_)                                  \
	READ_PLAIN(id, image, dims, float4, f, "1read_imagef", as_floats, 1, ic, \
		   im_)                                                        \
	READ_PLAIN(id, image, dims, int4, si, "1read_imagei", as_ints, 0, ic, im_) \
	READ_PLAIN(id, image, dims, uint4, ui, "2read_imageui", as_uints, 0, ic, \
		   im_)

#define PLACE_1D_BUFFER PLACE_1D

READS(1D, "14ocl_image1d_ro", 1, float, "f", int, "i")
READS(1D_ARRAY, "20ocl_image1d_array_ro", 1, float2, "Dv2_f", int2, "Dv2_i")
READS(2D, "14ocl_image2d_ro", 2, float2, "Dv2_f", int2, "Dv2_i")
READS(2D_ARRAY, "20ocl_image2d_array_ro", 2, float4, "Dv4_f", int4, "Dv4_i")
READS(3D, "14ocl_image3d_ro", 3, float4, "Dv4_f", int4, "Dv4_i")
PLAIN_READS(1D_BUFFER, "21ocl_image1d_buffer_ro", 1, int, "i")

/*
 * Writing
 */

INLINE int round_between(float f, float scale, float least, float most)
{
	float v = f * scale;

	v = v >= most ? most : v > least ? v : v == v ? least : 0.0f;
	return (int)__builtin_rintf(v);
}

INLINE uint channel_from_float(int type, uint bits)
{
	float f = bits_float(bits);

	switch (type) {
	case SNORM8:
		return (uint)round_between(f, 127.0f, -128.0f, 127.0f);
	case SNORM16:
		return (uint)round_between(f, 32767.0f, -32768.0f, 32767.0f);
	case UNORM8:
		return (uint)round_between(f, 255.0f, 0.0f, 255.0f);
	case UNORM16:
		return (uint)round_between(f, 65535.0f, 0.0f, 65535.0f);
	case HALF:
		return float_to_half(f);
	default:
		return bits;
	}
}

INLINE uint channel_from_int(int type, uint v)
{
	switch (type) {
	case SIGNED8:
		return (uint)clamp_int((int)v, -128, 127);
	case SIGNED16:
		return (uint)clamp_int((int)v, -32768, 32767);
	case UNSIGNED8:
		return v > 255 ? 255 : v;
	case UNSIGNED16:
		return v > 65535 ? 65535 : v;
	default:
		return v;
	}
}

INLINE void channel_store(int bytes, ulong at, int i, uint v)
{
	if (bytes == 1)
		((GLOBAL uchar *)at)[i] = (uchar)v;
	else if (bytes == 2)
		((GLOBAL ushort *)at)[i] = (ushort)v;
	else
		((GLOBAL uint *)at)[i] = v;
}

INLINE uint4 colors_stored(int order, uint4 c)
{
	switch (order) {
	case ORDER_A:
		return (uint4){ c.w, 0, 0, 0 };
	case ORDER_RA:
		return (uint4){ c.x, c.w, 0, 0 };
	case ORDER_BGRA:
		return (uint4){ c.z, c.y, c.x, c.w };
	case ORDER_ARGB:
		return (uint4){ c.w, c.x, c.y, c.z };
	default:
		return c;
	}
}

/* A pixel beyond the image is not written. */
CORE void pixel_store(image_t im, int x, int y, int z, uint4 color, int floats)
{
	int rows = im->height ? im->height : 1, n = order_channels(im->order);
	int slices = im->depth ? im->depth : 1;
	uint4 c = colors_stored(im->order, color);
	ulong at;

	if (im->layers && im->height)
		slices = im->layers;
	else if (im->layers)
		rows = im->layers;
	if ((uint)x >= (uint)im->width || (uint)y >= (uint)rows ||
	    (uint)z >= (uint)slices)
		return;
	at = im->data + (ulong)z * im->slice + (ulong)y * im->row +
	     (ulong)x * (ulong)im->element;
	for (int i = 0; i < n; i++)
		channel_store(im->element / n, at, i,
			      floats ? channel_from_float(im->type, c[i]) :
				       channel_from_int(im->type, c[i]));
}

INLINE uint4 float_bits4(float4 v)
{
	return (uint4){ float_bits(v.x), float_bits(v.y), float_bits(v.z),
			float_bits(v.w) };
}

INLINE uint4 int_bits4(int4 v)
{
	return (uint4){ (uint)v.x, (uint)v.y, (uint)v.z, (uint)v.w };
}

#define WRITES(id, image, ic, im_, wi)                                             \
	DEFINE(void, write_##id##_f, "_Z12write_imagef" image im_ "Dv4_f",     \
	       (image_t im, ic c, float4 v),                                   \
	       pixel_store(im, PLACE_##id(im, c), float_bits4(v), 1))          \
	DEFINE(void, write_##id##_si, "_Z12write_imagei" image im_ wi,        \
	       (image_t im, ic c, int4 v),                                     \
	       pixel_store(im, PLACE_##id(im, c), int_bits4(v), 0))            \
	DEFINE(void, write_##id##_ui, "_Z13write_imageui" image im_ "Dv4_j",   \
	       (image_t im, ic c, uint4 v),                                    \
	       pixel_store(im, PLACE_##id(im, c), v, 0))

/* wi: how a vector of four ints is mangled after the coordinate. */
WRITES(1D, "14ocl_image1d_wo", int, "i", "Dv4_i")
WRITES(1D_BUFFER, "21ocl_image1d_buffer_wo", int, "i", "Dv4_i")
WRITES(1D_ARRAY, "20ocl_image1d_array_wo", int2, "Dv2_i", "Dv4_i")
WRITES(2D, "14ocl_image2d_wo", int2, "Dv2_i", "Dv4_i")
WRITES(2D_ARRAY, "20ocl_image2d_array_wo", int4, "Dv4_i", "S0_")
WRITES(3D, "14ocl_image3d_wo", int4, "Dv4_i", "S0_")

/*
 * Questions
 */
#define ASK(id, image, title, mangled, type, ...)                       \
	DEFINE(type, title##_##id, "_Z" mangled image, (image_t im),    \
	       return __VA_ARGS__)

#define ASK_ALL(id, image)                                              \
	ASK(id, image, width, "15get_image_width", int, im->width)      \
	ASK(id, image, type, "27get_image_channel_data_type", int,      \
	    im->type)                                                   \
	ASK(id, image, order, "23get_image_channel_order", int, im->order)
#define ASK_PLANE(id, image)                                            \
	ASK_ALL(id, image)                                              \
	ASK(id, image, height, "16get_image_height", int, im->height)
#define ASK_LAYERS(id, image)                                           \
	ASK(id, image, layers, "20get_image_array_size", ulong,         \
	    (ulong)im->layers)
#define ASK_DIM2(id, image)                                             \
	ASK(id, image, dim, "13get_image_dim", int2,                    \
	    (int2){ im->width, im->height })
#define ASK_BOTH(id, kind, size)                                        \
	ASK_##kind(id##_ro, size "_ro") ASK_##kind(id##_wo, size "_wo")

ASK_BOTH(1d, ALL, "14ocl_image1d")
ASK_BOTH(1db, ALL, "21ocl_image1d_buffer")
ASK_BOTH(1da, ALL, "20ocl_image1d_array")
ASK_BOTH(1da, LAYERS, "20ocl_image1d_array")
ASK_BOTH(2d, PLANE, "14ocl_image2d")
ASK_BOTH(2d, DIM2, "14ocl_image2d")
ASK_BOTH(2da, PLANE, "20ocl_image2d_array")
ASK_BOTH(2da, DIM2, "20ocl_image2d_array")
ASK_BOTH(2da, LAYERS, "20ocl_image2d_array")
ASK_BOTH(3d, PLANE, "14ocl_image3d")
ASK(3d_ro, "14ocl_image3d_ro", depth, "15get_image_depth", int, im->depth)
ASK(3d_wo, "14ocl_image3d_wo", depth, "15get_image_depth", int, im->depth)
ASK(3d_ro, "14ocl_image3d_ro", dim, "13get_image_dim", int4,
    (int4){ im->width, im->height, im->depth, 0 })
ASK(3d_wo, "14ocl_image3d_wo", dim, "13get_image_dim", int4,
    (int4){ im->width, im->height, im->depth, 0 })

/* A sampler in the source is its bits, and stays so. */
API sampler_t sampler_make(uint bits) __asm__("__translate_sampler_initializer");
API sampler_t sampler_make(uint bits)
{
	return (sampler_t)(ulong)bits;
}
