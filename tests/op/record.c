/*
 * Records vectors.bin on an NVIDIA GPU through the CUDA driver.
 *
 *	nvcc -I../../src -o record record.c opgen.c opinput.c opfile.c -lcuda
 *	record forms.txt vectors.bin
 *
 * A form that fails is named and left out; the tester will miss it.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opfile.h"
#include "opgen.h"
#include "recorder.h"

enum { BATCH = 50, MAX_CASES = 4096 };

struct recorder {
	CUdeviceptr in, out, mem;
	uint64_t *host_in, *host_out;
	struct op_writer file;
	int done, failed;
	long cases;
};

static CUresult launch(struct recorder *r, const struct op_form *f,
		       CUfunction kernel)
{
	size_t in = (size_t)f->inputs * (size_t)f->cases * 8;
	size_t out = (size_t)f->outputs * (size_t)f->cases * 8;
	void *params[] = { &r->in, &r->out, &r->mem };
	CUresult rc = cuMemcpyHtoD(r->in, r->host_in, in);

	if (!rc)
		rc = cuMemsetD8(r->out, 0, out);
	if (!rc)
		rc = cuLaunchKernel(kernel, (unsigned)f->cases / OP_BLOCK, 1, 1,
				    OP_BLOCK, 1, 1, 0, NULL, params, NULL);
	if (!rc)
		rc = cuCtxSynchronize();
	if (!rc)
		rc = cuMemcpyDtoH(r->host_out, r->out, out);
	return rc;
}

static void failed(struct recorder *r, const struct op_form *f, CUresult rc)
{
	const char *text = "unknown error";

	cuGetErrorString(rc, &text);
	printf("FAILED  %s: %s\n", f->line, text);
	r->failed++;
}

static void run(struct recorder *r, const struct op_form *f, CUmodule mod,
		int number)
{
	CUfunction kernel;
	char name[20];

	snprintf(name, sizeof(name), "k%d", number);
	op_inputs(f, r->host_in);
	CUresult rc = cuModuleGetFunction(&kernel, mod, name);

	if (!rc)
		rc = launch(r, f, kernel);
	if (rc) {
		failed(r, f, rc);
		return;
	}
	op_writer_add(&r->file, f,
		      op_hash(r->host_in,
			      (size_t)f->inputs * (size_t)f->cases * 8),
		      r->host_out);
	r->done++;
	r->cases += f->cases;
}

/* One bad kernel makes its module fail: then each kernel gets a module of its
 * own. */
static void run_batch(struct recorder *r, const struct op_form *f, int n)
{
	struct op_text t = { 0 };
	CUmodule mod;

	op_ptx_header(&t, f->legacy);
	for (int i = 0; i < n; i++)
		op_ptx_kernel(&t, &f[i], i);
	if (t.failed)
		die("out of memory");
	CUresult rc = cuModuleLoadData(&mod, t.s);

	free(t.s);
	if (rc && n == 1)
		failed(r, f, rc);
	for (int i = 0; rc && n > 1 && i < n; i++)
		run_batch(r, &f[i], 1);
	if (rc)
		return;
	for (int i = 0; i < n; i++)
		run(r, &f[i], mod, i);
	cuModuleUnload(mod);
}

static void run_file(struct recorder *r, const char *path)
{
	static struct op_form batch[BATCH];
	char line[OP_LINE + 2];
	FILE *in = fopen(path, "r");
	int n = 0;

	if (!in)
		die("cannot open the forms");
	while (fgets(line, sizeof(line), in)) {
		struct op_form f;

		if (!op_parse(&f, line) || f.cases > MAX_CASES)
			die(line);
		if (n == BATCH || (n && batch[0].legacy != f.legacy)) {
			run_batch(r, batch, n);
			n = 0;
		}
		batch[n++] = f;
	}
	if (n)
		run_batch(r, batch, n);
	fclose(in);
}

int main(int argc, char **argv)
{
	const size_t room = (size_t)OP_SLOTS * MAX_CASES * 8;
	struct recorder r = { 0 };
	char about[600];
	CUcontext ctx;
	CUdevice dev;

	if (argc != 3)
		die("usage: record forms.txt vectors.bin");
	need(cuInit(0), "cuInit");
	need(cuDeviceGet(&dev, 0), "device");
	need(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
	need(cuCtxSetCurrent(ctx), "context");
	need(cuMemAlloc(&r.in, room), "memory");
	need(cuMemAlloc(&r.out, room), "memory");
	need(cuMemAlloc(&r.mem, (size_t)MAX_CASES * OP_MEM_BYTES), "memory");
	r.host_in = malloc(room);
	r.host_out = malloc(room);
	if (!r.host_in || !r.host_out)
		die("out of memory");
	describe(about, sizeof(about), dev);
	op_writer_init(&r.file, about);
	run_file(&r, argv[1]);
	size_t size = r.file.out.size;

	if (!op_writer_close(&r.file, argv[2]))
		die("cannot write the vectors");
	printf("%sforms: %d recorded, %d failed\ncases: %ld\nbytes: %zu\n",
	       about, r.done, r.failed, r.cases, size);
	return r.failed != 0;
}
