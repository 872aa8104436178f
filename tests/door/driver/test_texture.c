#include "support.h"

CUresult cuModuleGetTexRef(CUtexref *out, CUmodule m, const char *name);
CUresult cuTexRefSetArray(CUtexref ref, CUarray a, unsigned flags);
CUresult cuTexRefSetFormat(CUtexref ref, CUarray_format format, int channels);
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref ref, CUdeviceptr p,
			       size_t size);
CUresult cuTexRefSetFlags(CUtexref ref, unsigned flags);
CUresult cuTexRefSetFilterMode(CUtexref ref, CUfilter_mode mode);
CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref ref);
CUresult cuTexRefGetArray(CUarray *a, CUtexref ref);

enum { N = 32 };

static CUarray make_array(void)
{
	CUDA_ARRAY_DESCRIPTOR d = { .Width = N,
				    .Format = CU_AD_FORMAT_FLOAT,
				    .NumChannels = 1 };
	float texels[N];
	CUarray a;

	for (int i = 0; i < N; i++)
		texels[i] = (float)(i * i);
	WORKS(cuArrayCreate(&a, &d));
	WORKS(cuMemcpyHtoA(a, 0, texels, sizeof(texels)));
	return a;
}

static void check(CUdeviceptr p, float scale)
{
	float got[N];

	WORKS(cuMemcpyDtoH(got, p, sizeof(got)));
	for (int i = 0; i < N; i++)
		EQ((float)(i * i) * scale, got[i]);
	WORKS(cuMemsetD8(p, 0, sizeof(got)));
}

TEST(driver_texture, objects_are_sampled)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUarray a = make_array();
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY,
				 .res.array.hArray = a },
			   got;
	CUDA_TEXTURE_DESC t = { .filterMode = CU_TR_FILTER_MODE_POINT }, got_t;
	CUDA_RESOURCE_VIEW_DESC view = { .width = 9 };
	CUtexObject object;
	CUdeviceptr p;

	WORKS(cuMemAlloc(&p, N * sizeof(float)));
	WORKS(cuTexObjectCreate(&object, &r, &t, NULL));
	WORKS(cuLaunchKernel(function(m, "sample_object"), 1, 1, 1, N, 1, 1, 0,
			     NULL, ARGS(&p, &object), NULL));
	check(p, 1);
	WORKS(cuTexObjectGetResourceDesc(&got, object));
	OK(got.res.array.hArray == a);
	WORKS(cuTexObjectGetTextureDesc(&got_t, object));
	EQ((int)CU_TR_FILTER_MODE_POINT, (int)got_t.filterMode);
	WORKS(cuTexObjectGetResourceViewDesc(&view, object));
	EQ(9u, view.width);
	WORKS(cuTexObjectDestroy(object));
	WORKS(cuTexObjectDestroy(object));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuTexObjectGetResourceDesc(&got, object));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuTexObjectCreate(&object, &r, NULL, NULL));
	r.resType = 17;
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuTexObjectCreate(&object, &r, &t, NULL));
	end(ctx);
}

TEST(driver_texture, bytes_are_read_as_fractions_unless_told)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	unsigned char bytes[N];
	float got[N];
	CUDA_RESOURCE_DESC r = {
		.resType = CU_RESOURCE_TYPE_LINEAR,
		.res.linear = { .format = CU_AD_FORMAT_UNSIGNED_INT8,
				.numChannels = 1,
				.sizeInBytes = N },
	};
	CUDA_TEXTURE_DESC t = { .filterMode = CU_TR_FILTER_MODE_POINT };
	CUtexObject object;
	CUdeviceptr p, texels;

	for (int i = 0; i < N; i++)
		bytes[i] = (unsigned char)(i * 8);
	WORKS(cuMemAlloc(&texels, N));
	WORKS(cuMemcpyHtoD(texels, bytes, N));
	r.res.linear.devPtr = texels;
	WORKS(cuTexObjectCreate(&object, &r, &t, NULL));
	WORKS(cuMemAlloc(&p, sizeof(got)));
	WORKS(cuLaunchKernel(function(m, "fetch_object"), 1, 1, 1, N, 1, 1, 0,
			     NULL, ARGS(&p, &object), NULL));
	WORKS(cuMemcpyDtoH(got, p, sizeof(got)));
	EQ(0.0f, got[0]);
	OK(got[16] > 0.49f && got[16] < 0.51f);
	end(ctx);
}

TEST(driver_texture, references_are_bound_to_their_module)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUarray a = make_array(), got;
	CUfunction f = function(m, "fetch");
	CUfilter_mode mode;
	CUtexref ref, again;
	CUdeviceptr p, linear;
	float texels[N];
	size_t offset = 99;

	WORKS(cuMemAlloc(&p, sizeof(texels)));
	WORKS(cuModuleGetTexRef(&ref, m, "image"));
	WORKS(cuModuleGetTexRef(&again, m, "image"));
	OK(ref == again);
	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&again, m, "nothing"));
	WORKS(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
	WORKS(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_POINT));
	WORKS(cuTexRefSetFlags(ref, CU_TRSF_READ_AS_INTEGER));
	WORKS(cuTexRefGetFilterMode(&mode, ref));
	EQ((int)CU_TR_FILTER_MODE_POINT, (int)mode);
	WORKS(cuTexRefGetArray(&got, ref));
	OK(got == a);
	WORKS(cuLaunchKernel(function(m, "sample"), 1, 1, 1, N, 1, 1, 0, NULL,
			     ARGS(&p), NULL));
	check(p, 1);
	/* Then to linear memory. */
	for (int i = 0; i < N; i++)
		texels[i] = (float)(i * i * 2);
	WORKS(cuMemAlloc(&linear, sizeof(texels)));
	WORKS(cuMemcpyHtoD(linear, texels, sizeof(texels)));
	WORKS(cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 1));
	WORKS(cuTexRefSetAddress_v2(&offset, ref, linear, sizeof(texels)));
	EQ(0u, offset);
	WORKS(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, NULL, ARGS(&p), NULL));
	check(p, 2);
	WORKS(cuModuleUnload(m));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&got, ref));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&got, NULL));
	end(ctx);
}
