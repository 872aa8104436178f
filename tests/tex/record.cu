/*
 * Records what a GPU's texture unit gives for every case of cases.def.
 *
 *	nvcc -arch=sm_90 -Xcompiler -ffp-contract=off -o record record.cu
 *	./record tex.vec
 *
 * The file holds the results of the cases, one after the other: a checksum of
 * the input, then case_words words. A case that CUDA refuses is named and
 * leaves zeros. The kernels are PTX text that the driver compiles, one module
 * each: a refused instruction spoils no other case.
 */
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "cases.h"

#define TRY(call)                                                     \
	do {                                                          \
		cudaError_t e = (call);                               \
		if (e != cudaSuccess) {                               \
			fprintf(stderr, "%s: %s: %s\n", now, #call,   \
				cudaGetErrorString(e));               \
			throw e;                                      \
		}                                                     \
	} while (0)

static const char *now = "start"; /* the case under way */

struct object {
	cudaArray_t array;
	void *memory;
	cudaTextureObject_t texture;
	cudaSurfaceObject_t surface;
};

static cudaChannelFormatDesc channels_of(const tex_case *c)
{
	static const cudaChannelFormatKind kinds[] = {
		cudaChannelFormatKindUnsigned, cudaChannelFormatKindUnsigned,
		cudaChannelFormatKindUnsigned, cudaChannelFormatKindSigned,
		cudaChannelFormatKindSigned,   cudaChannelFormatKindSigned,
		cudaChannelFormatKindFloat,    cudaChannelFormatKindFloat
	};
	int bits = 8 * format_bytes(c->format);

	return cudaCreateChannelDesc(bits, c->channels > 1 ? bits : 0,
				     c->channels > 2 ? bits : 0,
				     c->channels > 2 ? bits : 0,
				     kinds[c->format]);
}

static cudaMemcpy3DParms copy_of(const tex_case *c, const object *o)
{
	cudaMemcpy3DParms p = {};

	/* A layer, face or slice is a slice to the copy. */
	p.extent = make_cudaExtent(c->width, at_least_1(c->height),
				   at_least_1(c->depth) *
					   at_least_1(c->layers));
	p.dstArray = o->array;
	return p;
}

static void make_array(const tex_case *c, object *o, unsigned char *texels)
{
	cudaChannelFormatDesc desc = channels_of(c);
	unsigned flags = 0;

	if (c->place == CUBE)
		flags |= cudaArrayCubemap;
	if (c->place == CUBE ? c->layers > 6 : c->layers > 0)
		flags |= cudaArrayLayered;
	if (c->place == SURFACE || c->place == WRITTEN)
		flags |= cudaArraySurfaceLoadStore;
	if (c->insn >= INSN_TLD4_R && c->insn <= INSN_TLD4_A)
		flags |= cudaArrayTextureGather;
	TRY(cudaMalloc3DArray(&o->array, &desc,
			      make_cudaExtent(c->width, c->height,
					      c->layers ? c->layers : c->depth),
			      flags));
	cudaMemcpy3DParms p = copy_of(c, o);
	p.srcPtr = make_cudaPitchedPtr(texels, case_row_bytes(c), c->width,
				       at_least_1(c->height));
	p.kind = cudaMemcpyHostToDevice;
	TRY(cudaMemcpy3D(&p));
}

static cudaResourceDesc make_resource(const tex_case *c, object *o,
				      unsigned char *texels)
{
	cudaResourceDesc r = {};
	size_t pitch;

	if (c->place == LINEAR) {
		TRY(cudaMalloc(&o->memory, case_bytes(c)));
		TRY(cudaMemcpy(o->memory, texels, case_bytes(c),
			       cudaMemcpyHostToDevice));
		r.resType = cudaResourceTypeLinear;
		r.res.linear.devPtr = o->memory;
		r.res.linear.desc = channels_of(c);
		r.res.linear.sizeInBytes = case_bytes(c);
	} else if (c->place == PITCH) {
		TRY(cudaMallocPitch(&o->memory, &pitch, case_row_bytes(c),
				    c->height));
		TRY(cudaMemcpy2D(o->memory, pitch, texels, case_row_bytes(c),
				 case_row_bytes(c), c->height,
				 cudaMemcpyHostToDevice));
		r.resType = cudaResourceTypePitch2D;
		r.res.pitch2D.devPtr = o->memory;
		r.res.pitch2D.desc = channels_of(c);
		r.res.pitch2D.width = c->width;
		r.res.pitch2D.height = c->height;
		r.res.pitch2D.pitchInBytes = pitch;
	} else {
		make_array(c, o, texels);
		r.resType = cudaResourceTypeArray;
		r.res.array.array = o->array;
	}
	return r;
}

static uint64_t make_object(const tex_case *c, object *o,
			    unsigned char *texels)
{
	cudaTextureDesc t = {};

	cudaResourceDesc r = make_resource(c, o, texels);
	if (c->place == SURFACE || c->place == WRITTEN) {
		TRY(cudaCreateSurfaceObject(&o->surface, &r));
		return o->surface;
	}
	for (int i = 0; i < 3; i++)
		t.addressMode[i] = (cudaTextureAddressMode)c->address;
	for (int i = 0; i < 4; i++)
		t.borderColor[i] = case_border[i];
	t.filterMode = c->linear ? cudaFilterModeLinear : cudaFilterModePoint;
	t.normalizedCoords = c->normalized;
	t.readMode = c->as_float ? cudaReadModeNormalizedFloat :
				   cudaReadModeElementType;
	TRY(cudaCreateTextureObject(&o->texture, &r, &t, NULL));
	return o->texture;
}

static void free_object(object *o)
{
	if (o->texture)
		TRY(cudaDestroyTextureObject(o->texture));
	if (o->surface)
		TRY(cudaDestroySurfaceObject(o->surface));
	if (o->array)
		TRY(cudaFreeArray(o->array));
	TRY(cudaFree(o->memory));
}

static std::vector<uint32_t> fetched(const tex_case *c, const void *out)
{
	std::vector<uint32_t> all(c->count * WORDS_OUT), kept;

	TRY(cudaMemcpy(all.data(), out, all.size() * sizeof(uint32_t),
		       cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < all.size(); i++)
		if (i % WORDS_OUT < (size_t)c->words)
			kept.push_back(all[i]);
	return kept;
}

static std::vector<uint32_t> written(const tex_case *c, const object *o)
{
	std::vector<uint32_t> words(case_words(c));
	cudaMemcpy3DParms p = copy_of(c, o);

	p.dstArray = NULL;
	p.srcArray = o->array;
	p.dstPtr = make_cudaPitchedPtr(words.data(), case_row_bytes(c),
				       c->width, at_least_1(c->height));
	p.kind = cudaMemcpyDeviceToHost;
	TRY(cudaMemcpy3D(&p));
	return words;
}

static cudaKernel_t kernel_of(enum insn id)
{
	static cudaKernel_t known[INSN_COUNT];
	static char text[8192];
	cudaLibrary_t library;

	if (!known[id]) {
		insn_kernel(id, text, sizeof(text));
		TRY(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL,
					NULL, 0));
		TRY(cudaLibraryGetKernel(&known[id], library, "fetch"));
	}
	return known[id];
}

static std::vector<uint32_t> record(const tex_case *c)
{
	std::vector<unsigned char> texels(case_bytes(c));
	std::vector<uint32_t> in(c->count * WORDS_IN), result;
	object o = {};
	void *din, *dout;

	case_texels(c, texels.data());
	case_coords(c, in.data());
	uint64_t handle = make_object(c, &o, texels.data());
	TRY(cudaMalloc(&din, in.size() * sizeof(uint32_t)));
	TRY(cudaMalloc(&dout, c->count * WORDS_OUT * sizeof(uint32_t)));
	TRY(cudaMemcpy(din, in.data(), in.size() * sizeof(uint32_t),
		       cudaMemcpyHostToDevice));
	/* Stores to one place must come in order: one thread does them all. */
	int threads = c->place == WRITTEN ? 1 : 128;
	void *args[] = { &handle, &din, &dout, (void *)&c->count };
	TRY(cudaLaunchKernel(kernel_of(c->insn),
			     dim3(c->place == WRITTEN ? 1 : 64), dim3(threads),
			     args, 0, 0));
	TRY(cudaDeviceSynchronize());
	result = c->place == WRITTEN ? written(c, &o) : fetched(c, dout);
	TRY(cudaFree(din));
	TRY(cudaFree(dout));
	free_object(&o);
	result.insert(result.begin(),
		      case_checksum(c, texels.data(), in.data()));
	return result;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!f) {
		fprintf(stderr, "usage: record FILE\n");
		return 1;
	}
	int failed = 0;
	for (int i = 0; i < CASE_COUNT; i++) {
		std::vector<uint32_t> r(1 + case_words(&cases[i]));
		now = cases[i].name;
		try {
			r = record(&cases[i]);
		} catch (cudaError_t) {
			failed = 1;
		}
		fwrite(r.data(), sizeof(uint32_t), r.size(), f);
	}
	return fclose(f) || failed;
}
