/*
 * Records what a GPU answers to the kernels of cases.def.
 *
 *	nvcc -arch=sm_90 -o record record.cu -lcuda
 *	./record mma_sm90.bin [SCALE]	 SCALE times as many runs
 *	./record --ptx FOLDER		 the kernels as files
 *
 * The file is, for each case: its name with its NUL, runs and bytes of a run
 * as 32-bit numbers, then the outputs.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <vector>

#include "cases.c"

static void check(CUresult r, const char *what, const char *op)
{
	const char *text = "?";

	if (r == CUDA_SUCCESS)
		return;
	cuGetErrorString(r, &text);
	fprintf(stderr, "record: %s: %s: %s\n", op, what, text);
	exit(1);
}

static std::vector<char> run(const struct mma_case *c, int runs)
{
	static char text[1 << 16];
	char log[4096] = "";
	CUjit_option opts[] = { CU_JIT_ERROR_LOG_BUFFER,
				CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *vals[] = { log, (void *)sizeof(log) };
	CUmodule mod;
	CUfunction fn;
	CUdeviceptr p[WHICH_COUNT];
	void *args[WHICH_COUNT];
	std::vector<char> buf;

	case_ptx(c, text, sizeof(text));
	if (cuModuleLoadDataEx(&mod, text, 2, opts, vals) != CUDA_SUCCESS) {
		fprintf(stderr, "record: %s: %s\n", c->op, log);
		exit(1);
	}
	check(cuModuleGetFunction(&fn, mod, "k"), "kernel", c->op);
	for (int w = 0; w < WHICH_COUNT; w++) {
		size_t size = case_bytes(c, (enum which)w) * runs;

		buf.assign(size + 16, 0);
		if (w != OUT_D && size)
			case_fill(c, (enum which)w, buf.data(), runs);
		check(cuMemAlloc(&p[w], size + 16), "memory", c->op);
		check(cuMemcpyHtoD(p[w], buf.data(), size + 16), "copy", c->op);
		args[w] = &p[w];
	}
	check(cuLaunchKernel(fn, runs, 1, 1, 32, 1, 1, 0, 0, args, NULL),
	      "launch", c->op);
	check(cuCtxSynchronize(), "run", c->op);
	buf.resize(case_bytes(c, OUT_D) * runs);
	check(cuMemcpyDtoH(buf.data(), p[OUT_D], buf.size()), "copy", c->op);
	for (int w = 0; w < WHICH_COUNT; w++)
		cuMemFree(p[w]);
	cuModuleUnload(mod);
	return buf;
}

static int write_ptx(const char *folder)
{
	static char text[1 << 16];
	char name[512];

	for (int i = 0; i < mma_case_count; i++) {
		size_t n = case_ptx(&mma_cases[i], text, sizeof(text));

		snprintf(name, sizeof(name), "%s/%03d-%s.ptx", folder, i,
			 mma_cases[i].op);
		FILE *f = fopen(name, "w");
		if (!f || fwrite(text, 1, n, f) != n || fclose(f)) {
			perror(name);
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	CUdevice dev;
	CUcontext ctx;

	if (argc == 3 && !strcmp(argv[1], "--ptx"))
		return write_ptx(argv[2]);
	int scale = argc > 2 ? atoi(argv[2]) : 1;
	FILE *f = argc > 1 ? fopen(argv[1], "wb") : NULL;
	if (!f) {
		fprintf(stderr, "usage: record FILE [SCALE]\n");
		return 1;
	}
	check(cuInit(0), "init", "-");
	check(cuDeviceGet(&dev, 0), "device", "-");
	check(cuDevicePrimaryCtxRetain(&ctx, dev), "context", "-");
	check(cuCtxSetCurrent(ctx), "context", "-");
	for (int i = 0; i < mma_case_count; i++) {
		const struct mma_case *c = &mma_cases[i];
		int more = c->kind <= CASE_WMMA;
		uint32_t n[2] = { (uint32_t)(c->runs * (more ? scale : 1)),
				  (uint32_t)case_bytes(c, OUT_D) };
		std::vector<char> out = run(c, (int)n[0]);

		fwrite(c->name, 1, strlen(c->name) + 1, f);
		fwrite(n, 4, 2, f);
		fwrite(out.data(), 1, out.size(), f);
	}
	return fclose(f) != 0;
}
