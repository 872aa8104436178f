#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/cudart/api.h"

/*
 * Libraries: modules that the program loads itself
 */

/* Options of the compiler and of the library have no effect. */
static int library_load_data(cudaLibrary_t *out, const void *code)
{
	int e;

	if (!out || !code)
		return cudaErrorInvalidValue;
	e = rt_module_new((void *)out, code, true);
	if (e)
		return e;
	e = rt_module_load((void *)*out);
	if (e)
		rt_module_free((void *)*out);
	return e;
}

/* The whole file, followed by a NUL; NULL: it cannot be read. */
static char *library_read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text = NULL;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		text = malloc((size_t)st.st_size + 1);
	if (text)
		n = read(fd, text, (size_t)st.st_size);
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static int library_load_file(cudaLibrary_t *out, const char *path)
{
	char *text = path ? library_read_file(path) : NULL;
	int e;

	if (!text)
		return path ? cudaErrorFileNotFound : cudaErrorInvalidValue;
	e = library_load_data(out, text);
	free(text);
	return e;
}

static int library_list_kernels(cudaKernel_t *list, unsigned room,
				struct rt_module *m)
{
	size_t n;
	int e = rt_module_func_count(&n, m);

	if (!e && !list)
		e = cudaErrorInvalidValue;
	for (size_t i = 0; !e && i < n && i < room; i++)
		e = rt_module_func_at((void *)&list[i], m, i);
	return e;
}

static int library_kernel_count(unsigned *count, struct rt_module *m)
{
	size_t n;
	int e = rt_module_func_count(&n, m);

	if (e || !count)
		return e ? e : cudaErrorInvalidValue;
	*count = (unsigned)n;
	return cudaSuccess;
}

static int library_managed(void **at, size_t *size, struct rt_module *m,
			   const char *name)
{
	struct rt_pointer p;
	void *where;
	int e = name ? rt_module_global(&where, size, m, name) :
		       cudaErrorInvalidValue;

	if (e)
		return e;
	rt_pointer(&p, where);
	if (!p.on_host)
		return cudaErrorSymbolNotFound;
	if (at)
		*at = where;
	return cudaSuccess;
}

API(cudaLibraryLoadData,
    (cudaLibrary_t * out, const void *code, enum cudaJitOption *options,
     void **values, unsigned count, enum cudaLibraryOption *library_options,
     void **library_values, unsigned library_count),
    ((void)options, (void)values, (void)count, (void)library_options,
     (void)library_values, (void)library_count, library_load_data(out, code)))
API(cudaLibraryLoadFromFile,
    (cudaLibrary_t * out, const char *path, enum cudaJitOption *options,
     void **values, unsigned count, enum cudaLibraryOption *library_options,
     void **library_values, unsigned library_count),
    ((void)options, (void)values, (void)count, (void)library_options,
     (void)library_values, (void)library_count, library_load_file(out, path)))
API(cudaLibraryUnload, (cudaLibrary_t m), rt_module_free((void *)m))
API(cudaLibraryGetKernel,
    (cudaKernel_t * out, cudaLibrary_t m, const char *name),
    rt_module_func((void *)out, (void *)m, name))
API(cudaLibraryGetGlobal,
    (void **at, size_t *size, cudaLibrary_t m, const char *name),
    NEED(name, rt_module_global(at, size, (void *)m, name)))
API(cudaLibraryGetManaged,
    (void **at, size_t *size, cudaLibrary_t m, const char *name),
    library_managed(at, size, (void *)m, name))
API(cudaLibraryGetKernelCount, (unsigned *count, cudaLibrary_t m),
    library_kernel_count(count, (void *)m))
API(cudaLibraryEnumerateKernels,
    (cudaKernel_t * list, unsigned room, cudaLibrary_t m),
    library_list_kernels(list, room, (void *)m))

/*
 * The profiler, which has no effect, and functions of the driver library
 */

API(cudaProfilerStart, (void), cudaSuccess)
API(cudaProfilerStop, (void), cudaSuccess)

/* Asks the driver library, if it is there. */
static int driver_entry_point(const char *symbol, void **out,
			      enum cudaDriverEntryPointQueryResult *status)
{
	void *driver, *at;

	if (!symbol || !out)
		return cudaErrorInvalidValue;
	driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	at = driver ? dlsym(driver, symbol) : NULL;
	*out = at;
	if (status)
		*status = at ? cudaDriverEntryPointSuccess :
			       cudaDriverEntryPointSymbolNotFound;
	return at || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

#if CUDART_MAJOR >= 12
API_ON(cudaGetDriverEntryPoint, _ptsz,
       (const char *symbol, void **out, unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *status),
       ((void)default_, (void)flags, driver_entry_point(symbol, out, status)))
#else
AS_ON(entry_point11, "cudaGetDriverEntryPoint", "_ptsz",
      (const char *symbol, void **out, unsigned long long flags),
      ((void)default_, (void)flags, driver_entry_point(symbol, out, NULL)))
#endif
API_ON(cudaGetDriverEntryPointByVersion, _ptsz,
       (const char *symbol, void **out, unsigned version,
	unsigned long long flags, enum cudaDriverEntryPointQueryResult *status),
       ((void)default_, (void)flags, (void)version,
	driver_entry_point(symbol, out, status)))
