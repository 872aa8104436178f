#include <stdio.h>
#include <string.h>

#include "door/libcuda/api.h"

/*
 * Tables of functions that nothing but the vendor's own libraries knows; there
 * are none here. The static CUDA runtime, which nvcc links unless it is told
 * otherwise, works through these two: with it a program never meets our
 * libcudart. Run-time compilers ask for others, and do without.
 */
static const unsigned char of_runtime[][16] = {
	{ 0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e, 0xb9, 0xe2, 0xfb,
	  0x46, 0x9e, 0x7c, 0x0d, 0xd9 },
	{ 0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9,
	  0x39, 0x12, 0xfd, 0x9d, 0xf9 },
};

static bool is_of_runtime(const CUuuid *id)
{
	for (size_t i = 0; i < sizeof(of_runtime) / sizeof(of_runtime[0]); i++)
		if (!memcmp(id->bytes, of_runtime[i], sizeof(of_runtime[i])))
			return true;
	return false;
}

static int get_table(const void **out, const CUuuid *id)
{
	static bool said;

	if (!out || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*out = NULL;
	if (!is_of_runtime(id))
		return CUDA_ERROR_NOT_FOUND;
	if (!said)
		fprintf(stderr,
			"heddle: this program is linked with the static CUDA "
			"runtime, which needs the vendor's driver; link it "
			"with -cudart shared\n");
	said = true;
	/* Not a CUresult; the runtime passes it on to the program. */
	return cudaErrorInsufficientDriver;
}

API_ANY(cuGetExportTable, (const void **out, const CUuuid *id),
	get_table(out, id))
