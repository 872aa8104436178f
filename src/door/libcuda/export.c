#include <stdio.h>
#include <string.h>

#include "door/libcuda/api.h"

/*
 * Tables of functions that only the vendor's own libraries use; there are none
 * here. The static CUDA runtime, which nvcc links by default, needs these two:
 * a program linked with it never uses our libcudart. Run-time compilers ask for
 * other tables and work without them.
 */
static const unsigned char runtime_tables[][16] = {
	{ 0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e, 0xb9, 0xe2, 0xfb,
	  0x46, 0x9e, 0x7c, 0x0d, 0xd9 },
	{ 0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9,
	  0x39, 0x12, 0xfd, 0x9d, 0xf9 },
};

static bool is_runtime_table(const CUuuid *id)
{
	for (size_t i = 0;
	     i < sizeof(runtime_tables) / sizeof(runtime_tables[0]); i++)
		if (!memcmp(id->bytes, runtime_tables[i],
			    sizeof(runtime_tables[i])))
			return true;
	return false;
}

static int get_export_table(const void **out, const CUuuid *id)
{
	static bool said;

	if (!out || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*out = NULL;
	if (!is_runtime_table(id))
		return CUDA_ERROR_NOT_FOUND;
	if (!said)
		fprintf(stderr,
			"heddle: this program is linked with the static CUDA "
			"runtime, which needs the vendor's driver; link it "
			"with -cudart shared\n");
	said = true;
	/* Not a CUresult: the static runtime returns it to the program. */
	return cudaErrorInsufficientDriver;
}

API_ANY(cuGetExportTable, (const void **out, const CUuuid *id),
	get_export_table(out, id))
