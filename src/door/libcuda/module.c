#include <stdlib.h>

#include "door/libcuda/image.h"
#include "door/libcuda/texture.h"

/* Loads a module of one image. */
static int module_load_image(CUmodule *out, const void *image, unsigned count,
			     const CUjit_option *options, void **values)
{
	struct rt_module *m;
	struct jit j;
	int e = out && image ? jit_read(&j, count, options, values) :
			       CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = image_load(&m, image, &j);
	if (!e)
		*out = (void *)m;
	return e;
}

static int module_load_file(CUmodule *out, const char *path)
{
	void *image;
	size_t size;
	int e = image_read(&image, &size, path);

	if (e)
		return e;
	e = module_load_image(out, image, 0, NULL, NULL);
	free(image);
	return e;
}

static int cu_module_unload(CUmodule m)
{
	references_free((void *)m);
	prepared_free((void *)m);
	return rt_module_free((void *)m);
}

static int module_get_func(CUfunction *out, CUmodule m, const char *name)
{
	return NEED(out && name && *name,
		    rt_module_func((void *)out, (void *)m, name));
}

static int module_get_global(CUdeviceptr *at, size_t *size, CUmodule m,
			     const char *name)
{
	void *p;
	int e = name && (at || size) ?
			rt_module_global(&p, size, (void *)m, name) :
			CUDA_ERROR_INVALID_VALUE;

	if (!e && at)
		*at = (uintptr_t)p;
	return e;
}

static int module_count_funcs(unsigned *out, CUmodule m)
{
	size_t n;
	int e = out ? rt_module_func_count(&n, (void *)m) :
		      CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = (unsigned)n;
	return e;
}

static int module_list_funcs(CUfunction *out, unsigned count, CUmodule m)
{
	size_t n;
	int e = out ? rt_module_func_count(&n, (void *)m) :
		      CUDA_ERROR_INVALID_VALUE;

	for (size_t i = 0; !e && i < n && i < count; i++)
		e = rt_module_func_at((void *)&out[i], (void *)m, i);
	return e;
}

API(cuModuleLoad, (CUmodule * out, const char *path),
    module_load_file(out, path))
API(cuModuleLoadData, (CUmodule * out, const void *image),
    module_load_image(out, image, 0, NULL, NULL))
API(cuModuleLoadDataEx,
    (CUmodule * out, const void *image, unsigned count, CUjit_option *options,
     void **values),
    module_load_image(out, image, count, options, values))
API(cuModuleLoadFatBinary, (CUmodule * out, const void *image),
    module_load_image(out, image, 0, NULL, NULL))
API_HANDLE(cuModuleUnload, (CUmodule m), cu_module_unload(m))
API_HANDLE(cuModuleGetFunction,
	   (CUfunction * out, CUmodule m, const char *name),
	   module_get_func(out, m, name))
API_HANDLE(cuModuleGetFunctionCount, (unsigned *out, CUmodule m),
	   module_count_funcs(out, m))
API_HANDLE(cuModuleEnumerateFunctions,
	   (CUfunction * out, unsigned count, CUmodule m),
	   module_list_funcs(out, count, m))
API_HANDLE(cuModuleGetGlobal_v2,
	   (CUdeviceptr * at, size_t *size, CUmodule m, const char *name),
	   module_get_global(at, size, m, name))
API_INIT(cuModuleGetLoadingMode, (int *out),
	 NEED(out, (*out = CU_MODULE_EAGER_LOADING, 0)))

/*
 * Libraries: modules that belong to no context. Every module is loaded on each
 * device that uses it, so a library is a module here, and its kernels are
 * functions.
 */

/* Errors are returned when the library is first used; the log has them at
 * once. */
static int library_load(CUlibrary *out, const void *image,
			const CUjit_option *options, void **values,
			unsigned count)
{
	struct rt_module *m;
	struct jit j;
	int e = out && image ? jit_read(&j, count, options, values) :
			       CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = rt_module_new(&m, image, true);
	if (e)
		return e;
	jit_report(&j, rt_module_load(m) ? rt_module_log(m) : "");
	*out = (void *)m;
	return 0;
}

static int cu_library_load_file(CUlibrary *out, const char *path,
				const CUjit_option *options, void **values,
				unsigned count)
{
	void *image;
	size_t size;
	int e = image_read(&image, &size, path);

	if (e)
		return e;
	e = library_load(out, image, options, values, count);
	free(image);
	return e;
}

API_INIT(cuLibraryLoadData,
	 (CUlibrary * out, const void *code, CUjit_option *options,
	  void **values, unsigned count, CUlibraryOption *library_options,
	  void **library_values, unsigned library_count),
	 ((void)library_options, (void)library_values, (void)library_count,
	  library_load(out, code, options, values, count)))
API_INIT(cuLibraryLoadFromFile,
	 (CUlibrary * out, const char *path, CUjit_option *options,
	  void **values, unsigned count, CUlibraryOption *library_options,
	  void **library_values, unsigned library_count),
	 ((void)library_options, (void)library_values, (void)library_count,
	  cu_library_load_file(out, path, options, values, count)))
API_INIT(cuLibraryUnload, (CUlibrary library),
	 cu_module_unload((void *)library))
API_INIT(cuLibraryGetKernel,
	 (CUkernel * out, CUlibrary library, const char *name),
	 module_get_func((void *)out, (void *)library, name))
API_INIT(cuLibraryGetKernelCount, (unsigned *out, CUlibrary library),
	 module_count_funcs(out, (void *)library))
API_INIT(cuLibraryEnumerateKernels,
	 (CUkernel * out, unsigned count, CUlibrary library),
	 module_list_funcs((void *)out, count, (void *)library))
API(cuLibraryGetGlobal,
    (CUdeviceptr * at, size_t *size, CUlibrary library, const char *name),
    module_get_global(at, size, (void *)library, name))

/* The module of a library, loaded. */
static int library_get_module(CUmodule *out, CUlibrary library)
{
	int e = out ? rt_module_load((void *)library) :
		      CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = (void *)library;
	return e;
}

/* A managed variable is one that the host can access. */
static int library_get_managed(CUdeviceptr *at, size_t *size, CUlibrary library,
			       const char *name)
{
	struct rt_pointer info;
	CUdeviceptr p;
	int e = module_get_global(&p, size, (void *)library, name);

	if (e)
		return e;
	rt_pointer(&info, as_pointer(p));
	if (!info.on_host)
		return CUDA_ERROR_NOT_FOUND;
	if (at)
		*at = p;
	return 0;
}

static int kernel_get_library(CUlibrary *out, CUkernel kernel)
{
	return NEED(out, rt_func_module((void *)out, (void *)kernel));
}

static int kernel_get_function(CUfunction *out, CUkernel kernel)
{
	struct rt_func_info info;
	int e = out ? rt_func_info(&info, (void *)kernel) :
		      CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = (void *)kernel;
	return e;
}

API(cuLibraryGetModule, (CUmodule * out, CUlibrary library),
    library_get_module(out, library))
API_INIT(cuLibraryGetManaged,
	 (CUdeviceptr * at, size_t *size, CUlibrary library, const char *name),
	 library_get_managed(at, size, library, name))
API_INIT(cuKernelGetLibrary, (CUlibrary * out, CUkernel kernel),
	 kernel_get_library(out, kernel))
API(cuKernelGetFunction, (CUfunction * out, CUkernel kernel),
    kernel_get_function(out, kernel))
