#include <dlfcn.h>
#include <string.h>

#include "support.h"

CUresult old_proc(const char *name, void **out, int version,
		  cuuint64_t flags) __asm__("cuGetProcAddress");
CUresult cuGetExportTable(const void **out, const CUuuid *id);
CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
		     const CUmemAllocationProp *prop, unsigned long long flags);

enum { OF_THREAD = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM };

/* The symbol that a name means to a version. */
static void means(const char *symbol, const char *name, int version,
		  cuuint64_t flags)
{
	CUdriverProcAddressQueryResult status = 99;
	void *got = NULL;

	WORKS(cuGetProcAddress(name, &got, version, flags, &status));
	EQ(0, (int)status);
	OK(got && got == dlsym(RTLD_DEFAULT, symbol));
}

static void is_not(int why, const char *name, int version)
{
	CUdriverProcAddressQueryResult status = 99;
	void *got = &status;

	WORKS(cuGetProcAddress(name, &got, version, 0, &status));
	EQ(why, (int)status);
	OK(!got);
	GIVES(CUDA_ERROR_NOT_FOUND, old_proc(name, &got, version, 0));
}

TEST(driver_proc, names_have_versions)
{
	void *got;

	means("cuInit", "cuInit", 13000, 0);
	means("cuMemAlloc_v2", "cuMemAlloc", 11000, 0);
	means("cuCtxCreate_v2", "cuCtxCreate", 11000, 0);
	means("cuCtxCreate_v3", "cuCtxCreate", 12000, 0);
	means("cuCtxCreate_v4", "cuCtxCreate", 13000, 0);
	means("cuMemcpyHtoD_v2", "cuMemcpyHtoD", 12000, 0);
	means("cuMemcpyHtoD_v2_ptds", "cuMemcpyHtoD", 12000, OF_THREAD);
	means("cuLaunchKernel_ptsz", "cuLaunchKernel", 12000, OF_THREAD);
	means("cuLaunchKernel", "cuLaunchKernel", 6000, OF_THREAD);
	means("cuMemAlloc_v2", "cuMemAlloc", 12000, OF_THREAD);
	means("cuGetProcAddress_v2", "cuGetProcAddress", 12000, 0);
	means("cuGraphAddKernelNode", "cuGraphAddKernelNode", 11000, 0);
	means("cuMemCreate", "cuMemCreate", 12000, 0);
	is_not(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "cuFrobnicate", 12000);
	is_not(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "cuMemAlloc_v2", 12000);
	is_not(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, "cuLibraryLoadData",
	       11000);
	is_not(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, "cuMemAlloc", 3000);
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuGetProcAddress("cuInit", &got, 99000, 0, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuGetProcAddress("cuInit", &got, 12000, 4, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuGetProcAddress(NULL, &got, 12000, 0, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuGetProcAddress("cuInit", NULL, 12000, 0, NULL));
	WORKS(old_proc("cuInit", &got, 12000, 0));
}

TEST(driver_proc, what_is_not_there_says_so)
{
	CUcontext ctx = begin();
	CUmemGenericAllocationHandle h;
	CUuuid id = { "no such table" };
	const void *table = &id;

	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate(&h, 4096, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(&table, NULL));
	GIVES(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &id));
	OK(!table);
	end(ctx);
}
