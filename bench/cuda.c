/*
 * The overhead of the CUDA runtime, measured through libcudart as in a program.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { CALLS = 200000, CUDA_LAUNCHES = 100000 };

struct cuda_dim {
	unsigned x, y, z;
};

/* The functions of libcudart that are needed here; 0 is success. */
struct cuda_functions {
	int (*GetDevice)(int *);
	int (*GetLastError)(void);
	int (*StreamQuery)(void *);
	int (*EventQuery)(void *);
	int (*EventCreate)(void **);
	int (*DeviceSynchronize)(void);
	int (*LibraryLoadData)(void **, const void *, void *, void *, unsigned,
			       void *, void *, unsigned);
	int (*LibraryGetKernel)(void **, void *, const char *);
	int (*LaunchKernel)(const void *, struct cuda_dim, struct cuda_dim,
			    void **, size_t, void *);
};

static void *find_symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	expect(p != NULL, name);
	return p;
}

static struct cuda_functions cuda_open(void)
{
	void *lib = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	struct cuda_functions c;

	setenv("HEDDLE_QUIET", "1", 1);
	setenv("HEDDLE_FUNCTIONAL", "1", 1);
	if (!lib)
		fprintf(stderr, "%s\n", dlerror());
	expect(lib != NULL, "cannot open " CUDA_LIBRARY);
#define GET(name) *(void **)&c.name = find_symbol(lib, "cuda" #name)
	GET(GetDevice);
	GET(GetLastError);
	GET(StreamQuery);
	GET(EventQuery);
	GET(EventCreate);
	GET(DeviceSynchronize);
	GET(LibraryLoadData);
	GET(LibraryGetKernel);
	GET(LaunchKernel);
#undef GET
	return c;
}

double bench_api_call(void)
{
	struct cuda_functions c = cuda_open();
	void *event;
	double start;
	int device;

	expect(!c.EventCreate(&event), "cannot create an event");
	start = cpu_seconds();
	for (int i = 0; i < CALLS; i += 4)
		expect(!c.GetDevice(&device) && !c.StreamQuery(NULL) &&
			       !c.EventQuery(event) && !c.GetLastError(),
		       "a call failed");
	return (cpu_seconds() - start) / CALLS * 1e6;
}

double bench_api_launch(void)
{
	static const char ptx[] = ".version 8.0\n.target sm_80\n"
				  ".address_size 64\n"
				  ".visible .entry k(.param .u32 n) { ret; }\n";
	struct cuda_functions c = cuda_open();
	struct cuda_dim one = { 1, 1, 1 }, warp = { 32, 1, 1 };
	void *library, *kernel, *args[1];
	int n = 0;
	double start;

	args[0] = &n;
	expect(!c.LibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0),
	       "cannot load the library");
	expect(!c.LibraryGetKernel(&kernel, library, "k"),
	       "cannot find the kernel");
	start = cpu_seconds();
	for (int i = 0; i < CUDA_LAUNCHES; i++)
		expect(!c.LaunchKernel(kernel, one, warp, args, 0, NULL),
		       "a launch failed");
	expect(!c.DeviceSynchronize(), "the device failed");
	return (cpu_seconds() - start) / CUDA_LAUNCHES * 1e6;
}
