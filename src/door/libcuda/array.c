#include "door/libcuda/api.h"

/* Formats of channels: the bits and the kind of each. Texels have one, two or
 * four channels. */
static const struct {
	CUarray_format format;
	int bits, kind;
} formats[] = {
	{ CU_AD_FORMAT_UNSIGNED_INT8, 8, RT_CHANNEL_UNSIGNED },
	{ CU_AD_FORMAT_UNSIGNED_INT16, 16, RT_CHANNEL_UNSIGNED },
	{ CU_AD_FORMAT_UNSIGNED_INT32, 32, RT_CHANNEL_UNSIGNED },
	{ CU_AD_FORMAT_SIGNED_INT8, 8, RT_CHANNEL_SIGNED },
	{ CU_AD_FORMAT_SIGNED_INT16, 16, RT_CHANNEL_SIGNED },
	{ CU_AD_FORMAT_SIGNED_INT32, 32, RT_CHANNEL_SIGNED },
	{ CU_AD_FORMAT_HALF, 16, RT_CHANNEL_FLOAT },
	{ CU_AD_FORMAT_FLOAT, 32, RT_CHANNEL_FLOAT },
};

enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

bool channel_of(struct rt_channel *out, CUarray_format format,
		unsigned channels)
{
	if (channels != 1 && channels != 2 && channels != 4)
		return false;
	for (int i = 0; i < FORMATS; i++) {
		int bits = formats[i].bits;

		if (formats[i].format != format)
			continue;
		*out = (struct rt_channel){ bits, channels > 1 ? bits : 0,
					    channels > 2 ? bits : 0,
					    channels > 2 ? bits : 0,
					    formats[i].kind };
		return true;
	}
	return false;
}

CUarray_format format_of(const struct rt_channel *c, unsigned *channels)
{
	*channels = c->w ? 4 : c->y ? 2 : 1;
	for (int i = 0; i < FORMATS; i++)
		if (formats[i].bits == c->x && formats[i].kind == c->kind)
			return formats[i].format;
	return CU_AD_FORMAT_UNSIGNED_INT8;
}

static CUDA_ARRAY3D_DESCRIPTOR flat_to_3d(const CUDA_ARRAY_DESCRIPTOR *d)
{
	return (CUDA_ARRAY3D_DESCRIPTOR){ .Width = d->Width,
					  .Height = d->Height,
					  .Format = d->Format,
					  .NumChannels = d->NumChannels };
}

static int array_read_descriptor(struct rt_channel *c, struct rt_extent *x,
				 const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	if (!d || !channel_of(c, d->Format, d->NumChannels))
		return CUDA_ERROR_INVALID_VALUE;
	*x = (struct rt_extent){ d->Width, d->Height, d->Depth };
	return 0;
}

static int array_create(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	struct rt_channel c;
	struct rt_extent x;
	int e = array_read_descriptor(&c, &x, d);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	return rt_array_new((void *)out, &c, &x, d->Flags);
}

static int array_create_flat(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
	CUDA_ARRAY3D_DESCRIPTOR whole;

	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	whole = flat_to_3d(d);
	return array_create(out, &whole);
}

static int array_describe(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray a)
{
	struct rt_array_info info;
	int e = rt_array_info(&info, (void *)a);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = (CUDA_ARRAY3D_DESCRIPTOR){ .Width = info.extent.width,
					  .Height = info.extent.height,
					  .Depth = info.extent.depth,
					  .Flags = info.flags };
	out->Format = format_of(&info.channel, &out->NumChannels);
	return 0;
}

static int array_describe_flat(CUDA_ARRAY_DESCRIPTOR *out, CUarray a)
{
	CUDA_ARRAY3D_DESCRIPTOR whole;
	int e = array_describe(&whole, a);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = (CUDA_ARRAY_DESCRIPTOR){ .Width = whole.Width,
					.Height = whole.Height,
					.Format = whole.Format,
					.NumChannels = whole.NumChannels };
	return 0;
}

API(cuArrayCreate_v2, (CUarray * out, const CUDA_ARRAY_DESCRIPTOR *d),
    array_create_flat(out, d))
API(cuArray3DCreate_v2, (CUarray * out, const CUDA_ARRAY3D_DESCRIPTOR *d),
    array_create(out, d))
API(cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * out, CUarray a),
    array_describe_flat(out, a))
API(cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR * out, CUarray a),
    array_describe(out, a))
/* NULL is an error here; rt accepts it, as the runtime API does. */
API(cuArrayDestroy, (CUarray a),
    a ? rt_array_free((void *)a) : CUDA_ERROR_INVALID_HANDLE)

static int mipmap_create(CUmipmappedArray *out,
			 const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
	struct rt_channel c;
	struct rt_extent x;
	int e = array_read_descriptor(&c, &x, d);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	return rt_mipmap_new((void *)out, &c, &x, levels, d->Flags);
}

API(cuMipmappedArrayCreate,
    (CUmipmappedArray * out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels),
    mipmap_create(out, d, levels))
API(cuMipmappedArrayGetLevel,
    (CUarray * out, CUmipmappedArray m, unsigned level),
    NEED(out, rt_mipmap_level((void *)out, (void *)m, level)))
API(cuMipmappedArrayDestroy, (CUmipmappedArray m),
    m ? rt_mipmap_free((void *)m) : CUDA_ERROR_INVALID_HANDLE)
