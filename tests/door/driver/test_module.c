#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

TEST(driver_module, globals_are_found_by_name)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUdeviceptr factor, table, out;
	size_t size;
	unsigned v = 6, funcs;

	WORKS(cuModuleGetGlobal(&factor, &size, m, "factor"));
	EQ(4u, size);
	WORKS(cuModuleGetGlobal(&table, &size, m, "offset"));
	EQ(8u, size);
	WORKS(cuMemcpyHtoD(factor, &v, sizeof(v)));
	WORKS(cuMemAlloc(&out, 4));
	WORKS(cuLaunchKernel(function(m, "scale"), 1, 1, 1, 1, 1, 1, 0, NULL,
			     ARGS(&out), NULL));
	WORKS(cuMemcpyDtoH(&v, out, sizeof(v)));
	EQ(42u, v);
	WORKS(cuMemcpyDtoH(&v, table, sizeof(v)));
	EQ(5u, v);
	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&out, &size, m, "none"));
	WORKS(cuModuleGetFunctionCount(&funcs, m));
	EQ(7u, funcs);
	end(ctx);
}

TEST(driver_module, names_and_handles_that_are_none_are_refused)
{
	CUcontext ctx = begin();
	CUmodule m = load(ptx_kernels);
	CUfunction f;

	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, m, "none"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&f, m, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE,
	      cuModuleGetFunction(&f, (CUmodule)&m, "add"));
	WORKS(cuModuleUnload(m));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(m));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, m, "add"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&m, NULL));
	end(ctx);
}

TEST(driver_module, images_that_are_none_are_refused)
{
	CUcontext ctx = begin();
	CUmodule m;

	GIVES(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, "what is this?"));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/nowhere/at/all"));
	end(ctx);
}

TEST(driver_module, a_mistake_is_in_the_log_with_its_line)
{
	CUcontext ctx = begin();
	CUmodule m;
	char log[512] = "", info[64] = "";
	CUjit_option options[] = {
		CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
		CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
		CU_JIT_WALL_TIME,        CU_JIT_OPTIMIZATION_LEVEL
	};
	void *values[] = { log,  (void *)sizeof(log),
			   info, (void *)sizeof(info),
			   NULL, (void *)4 };

	GIVES(CUDA_ERROR_INVALID_PTX,
	      cuModuleLoadDataEx(&m, ptx_wrong, 6, options, values));
	OK(strstr(log, "frobnicate") != NULL);
	OK(strstr(log, ":6") != NULL);
	EQ(strlen(log) + 1, (size_t)values[1]);
	EQ(0u, (size_t)values[3]);
	/* A short buffer gets what it can hold, with its NUL. */
	memset(log, 'x', sizeof(log));
	values[1] = (void *)8;
	GIVES(CUDA_ERROR_INVALID_PTX,
	      cuModuleLoadDataEx(&m, ptx_wrong, 2, options, values));
	EQ(7u, strlen(log));
	EQ('x', log[8]);
	values[1] = (void *)sizeof(log);
	WORKS(cuModuleLoadDataEx(&m, ptx_kernels, 6, options, values));
	EQ(0u, (size_t)values[1]);
	options[5] = CU_JIT_NUM_OPTIONS;
	GIVES(CUDA_ERROR_INVALID_VALUE,
	      cuModuleLoadDataEx(&m, ptx_kernels, 6, options, values));
	end(ctx);
}

/* A file with so many bytes of an image. */
static void write_file(char path[32], const void *image, size_t size)
{
	int fd;

	strcpy(path, "/tmp/heddle_driver_XXXXXX");
	fd = mkstemp(path);
	OK(fd >= 0);
	EQ((ssize_t)size, write(fd, image, size));
	close(fd);
}

TEST(driver_module, modules_come_from_files)
{
	CUcontext ctx = begin();
	CUmodule m;
	char path[32];
	/* A fat binary whose images are not there. */
	unsigned cut[] = { 0xba55ed50, 0x00100001, 1 << 20, 0 };

	write_file(path, ptx_kernels, strlen(ptx_kernels));
	WORKS(cuModuleLoad(&m, path));
	function(m, "add");
	unlink(path);
	write_file(path, cut, sizeof(cut));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuModuleLoad(&m, path));
	unlink(path);
	/* Machine code, of nothing. */
	write_file(path, "\177ELF\2\1\1\0", 8);
	OK(cuModuleLoad(&m, path) != CUDA_SUCCESS);
	unlink(path);
	end(ctx);
}

/* A file of tests/cli/isa: saxpy(n, a, x, y, times) as machine code. */
static size_t read_machine(char *to, size_t room, const char *name)
{
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/cli/isa/%s", HEDDLE_SOURCE_DIR,
		 name);
	f = fopen(path, "rb");
	OK(f);
	n = fread(to, 1, room, f);
	OK(n && feof(f));
	fclose(f);
	return n;
}

static int attribute(CUfunction f, CUfunction_attribute which)
{
	int v = -1;

	WORKS(cuFuncGetAttribute(&v, which, f));
	return v;
}

/* Launches saxpy of machine code, and unloads nothing. */
static void check_machine(CUfunction f)
{
	float x[32], y[32], a = 3;
	unsigned n = 32, times = 2;
	CUdeviceptr at[2];

	for (int i = 0; i < 32; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	for (int i = 0; i < 2; i++)
		WORKS(cuMemAlloc(&at[i], sizeof(x)));
	WORKS(cuMemcpyHtoD(at[0], x, sizeof(x)));
	WORKS(cuMemcpyHtoD(at[1], y, sizeof(y)));
	WORKS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL,
			     ARGS(&n, &a, &at[0], &at[1], &times), NULL));
	WORKS(cuMemcpyDtoH(y, at[1], sizeof(y)));
	for (int i = 0; i < 32; i++)
		EQ(1 + 6.0f * (float)i, y[i]);
	EQ(16, attribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS));
	EQ(90, attribute(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION));
	EQ(0, attribute(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
}

TEST(driver_module, machine_code_is_loaded_from_memory_and_files)
{
	static const char *const names[] = { "saxpy_90.cubin", "saxpy.fatbin" };
	static char image[32768], path[512];
	CUcontext ctx = begin();
	CUlibrary library;
	CUkernel kernel;
	CUmodule m;

	for (int i = 0; i < 2; i++) {
		read_machine(image, sizeof(image), names[i]);
		WORKS(cuModuleLoadData(&m, image));
		/* The image is not needed any longer. */
		memset(image, 0xff, sizeof(image));
		check_machine(function(m, "saxpy"));
		WORKS(cuModuleUnload(m));
		snprintf(path, sizeof(path), "%s/tests/cli/isa/%s",
			 HEDDLE_SOURCE_DIR, names[i]);
		WORKS(cuModuleLoad(&m, path));
		check_machine(function(m, "saxpy"));
		WORKS(cuModuleUnload(m));
		WORKS(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL,
					    NULL, 0));
		WORKS(cuLibraryGetKernel(&kernel, library, "saxpy"));
		check_machine((CUfunction)kernel);
		WORKS(cuLibraryUnload(library));
	}
	read_machine(image, sizeof(image), "saxpy.fatbin");
	WORKS(cuModuleLoadFatBinary(&m, image));
	check_machine(function(m, "saxpy"));
	end(ctx);
}

TEST(driver_module, machine_code_of_another_gpu_or_damaged_is_refused)
{
	static char image[32768], path[32];
	CUcontext ctx = begin();
	CUmodule m;
	size_t n = read_machine(image, sizeof(image), "saxpy_80.cubin");

	GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&m, image));
	/* Half a file: its headers are at the end. */
	write_file(path, image, n / 2);
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuModuleLoad(&m, path));
	unlink(path);
	end(ctx);
}

TEST(driver_module, a_linker_passes_one_text_on)
{
	CUcontext ctx = begin();
	CUlinkState l;
	CUmodule m;
	void *image;
	size_t size;

	WORKS(cuLinkCreate(0, NULL, NULL, &l));
	WORKS(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)ptx_kernels,
			    strlen(ptx_kernels) + 1, "kernels.ptx", 0, NULL,
			    NULL));
	WORKS(cuLinkComplete(l, &image, &size));
	OK(size > 0);
	WORKS(cuModuleLoadData(&m, image));
	WORKS(cuLinkDestroy(l));
	function(m, "add");
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(l));
	end(ctx);
}

TEST(driver_module, a_linker_joins_texts)
{
	CUcontext ctx = begin();
	CUlinkState l;
	CUmodule m;
	CUdeviceptr out;
	void *image;
	size_t size;
	int v = 21;

	WORKS(cuLinkCreate(0, NULL, NULL, &l));
	WORKS(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)ptx_caller,
			    strlen(ptx_caller), NULL, 0, NULL, NULL));
	WORKS(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)ptx_callee,
			    strlen(ptx_callee), NULL, 0, NULL, NULL));
	WORKS(cuLinkComplete(l, &image, &size));
	WORKS(cuModuleLoadData(&m, image));
	WORKS(cuLinkDestroy(l));
	WORKS(cuMemAlloc(&out, 4));
	WORKS(cuLaunchKernel(function(m, "call"), 1, 1, 1, 1, 1, 1, 0, NULL,
			     ARGS(&out, &v), NULL));
	WORKS(cuMemcpyDtoH(&v, out, sizeof(v)));
	EQ(42, v);
	end(ctx);
}

TEST(driver_module, a_linker_says_what_is_wrong)
{
	CUcontext ctx = begin();
	CUlinkState l;
	char log[512] = "";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER,
				   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)sizeof(log) }, *image;

	WORKS(cuLinkCreate(0, NULL, NULL, &l));
	WORKS(cuLinkComplete(l, &image, NULL));
	WORKS(cuLinkDestroy(l));
	WORKS(cuLinkCreate(2, options, values, &l));
	GIVES(CUDA_ERROR_INVALID_PTX,
	      cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)ptx_wrong,
			    strlen(ptx_wrong), NULL, 0, NULL, NULL));
	OK(strstr(log, ":6") != NULL);
	GIVES(CUDA_ERROR_NOT_SUPPORTED,
	      cuLinkAddData(l, CU_JIT_INPUT_CUBIN, log, sizeof(log), NULL, 0,
			    NULL, NULL));
	OK(strstr(log, "PTX") != NULL);
	WORKS(cuLinkDestroy(l));
	/* What is named and never defined. The size was written over. */
	values[1] = (void *)sizeof(log);
	WORKS(cuLinkCreate(2, options, values, &l));
	WORKS(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)ptx_caller,
			    strlen(ptx_caller), NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_PTX, cuLinkComplete(l, &image, NULL));
	OK(strstr(log, "twice") != NULL);
	WORKS(cuLinkDestroy(l));
	end(ctx);
}

TEST(driver_module, libraries_need_no_context)
{
	CUlibrary lib, of;
	CUkernel k, all[7];
	CUfunction f;
	CUmodule m;
	CUdeviceptr p, out;
	CUcontext ctx;
	const char *name;
	size_t size;
	unsigned n;
	int v;

	WORKS(cuInit(0));
	/* What is wrong comes out at the first use. */
	WORKS(cuLibraryLoadData(&lib, ptx_wrong, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_PTX, cuLibraryGetKernel(&k, lib, "wrong"));
	WORKS(cuLibraryUnload(lib));
	WORKS(cuLibraryLoadData(&lib, ptx_kernels, NULL, NULL, 0, NULL, NULL,
				0));
	WORKS(cuLibraryGetKernel(&k, lib, "scale"));
	WORKS(cuLibraryGetKernelCount(&n, lib));
	EQ(7u, n);
	WORKS(cuLibraryEnumerateKernels(all, 7, lib));
	WORKS(cuKernelGetName(&name, k));
	STREQ("scale", name);
	WORKS(cuKernelGetLibrary(&of, k));
	OK(of == lib);
	WORKS(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, k, 0));
	EQ(70, v);
	GIVES(CUDA_ERROR_INVALID_DEVICE,
	      cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, k, 99));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuKernelGetFunction(&f, k));
	ctx = begin();
	WORKS(cuKernelGetFunction(&f, k));
	WORKS(cuLibraryGetModule(&m, lib));
	WORKS(cuLibraryGetGlobal(&p, &size, lib, "factor"));
	GIVES(CUDA_ERROR_NOT_FOUND,
	      cuLibraryGetManaged(&p, &size, lib, "factor"));
	WORKS(cuLibraryGetGlobal(&p, &size, lib, "factor"));
	WORKS(cuMemsetD32(p, 3, 1));
	WORKS(cuMemAlloc(&out, 4));
	/* A kernel passes for a function. */
	WORKS(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL,
			     ARGS(&out), NULL));
	WORKS(cuMemcpyDtoH(&v, out, 4));
	EQ(21, v);
	WORKS(cuLibraryUnload(lib));
	end(ctx);
}
