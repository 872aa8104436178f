/*
 * Records vectors.bin on an NVIDIA GPU of compute capability 9.0 through the
 * CUDA driver. README.md has the commands.
 *
 *	record frame.cubin forms.txt vectors.bin
 *
 * A form that fails is named and left out. An instruction that the GPU refuses
 * makes its process useless, so processes do the work, some at a time, and are
 * replaced. They leave their results in shared memory.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "opfile.h"
#include "recorder.h"
#include "vec.h"

enum {
	MAX_CASES = 4096,
	CASE_BYTES = VEC_WORDS * 4,
	WORKERS = 8,
	SECONDS = 240,
	HANG = 20,   /* seconds after which a form has failed */
	REFUSALS = 3 /* of one name, after which others like it are left out */
};

/* What became of a form. */
enum state { WAITING, RUNNING, DONE, FAILED, LEFT_OUT };

struct result {
	enum state state;
	CUresult rc;
	size_t at; /* of its words in `stored` */
};

struct recorder {
	CUdeviceptr in, out;
	unsigned char cubin[VEC_CUBIN];
	size_t cubin_size;
	uint32_t *host_in;
	struct vec_form *form;
	int forms;
	struct result *result; /* these two are shared by the processes */
	uint32_t *stored;
	time_t start;
};

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory");
	return p;
}

/* ---- a process that works ------------------------------------------------ */

static void open_context(struct recorder *r)
{
	CUcontext ctx;
	CUdevice dev;

	need(cuInit(0), "cuInit");
	need(cuDeviceGet(&dev, 0), "device");
	need(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
	need(cuCtxSetCurrent(ctx), "context");
	need(cuMemAlloc(&r->in, (size_t)MAX_CASES * CASE_BYTES), "memory");
	need(cuMemAlloc(&r->out, (size_t)MAX_CASES * CASE_BYTES), "memory");
}

/* The cases from `first` on that have the same constants. */
static CUresult launch_some(struct recorder *r, const struct vec_form *f,
			    CUmodule mod, CUfunction kernel, unsigned first)
{
	unsigned threads = vec_threads(f), cases = vec_launch_cases(f);
	CUdeviceptr in = r->in + (size_t)first * CASE_BYTES;
	CUdeviceptr out = r->out + (size_t)first * CASE_BYTES;
	struct vec_constants k;
	void *params[] = { &in, &out, &k.b, &k.c };
	CUdeviceptr bank3;
	size_t size;
	CUresult rc = cuModuleGetGlobal(&bank3, &size, mod, VEC_BANK3);

	vec_constants(&k, r->host_in, first);
	if (!rc)
		rc = cuMemcpyHtoD(bank3, &k, sizeof(k));
	if (!rc)
		rc = cuLaunchKernel(kernel, cases / threads, 1, 1, threads, 1,
				    1, 0, NULL, params, NULL);
	if (!rc)
		rc = cuCtxSynchronize();
	return rc;
}

static CUresult launch(struct recorder *r, const struct vec_form *f,
		       CUmodule mod, CUfunction kernel, uint32_t *stored)
{
	size_t bytes = (size_t)f->op.cases * CASE_BYTES;
	CUresult rc = cuMemcpyHtoD(r->in, r->host_in, bytes);

	if (!rc)
		rc = cuMemsetD8(r->out, 0, bytes);
	for (unsigned i = 0; !rc && i < (unsigned)f->op.cases;
	     i += vec_launch_cases(f))
		rc = launch_some(r, f, mod, kernel, i);
	if (!rc)
		rc = cuMemcpyDtoH(stored, r->out, bytes);
	return rc;
}

static CUresult execute(struct recorder *r, const struct vec_form *f,
			uint32_t *stored)
{
	unsigned char image[VEC_CUBIN];
	CUfunction kernel;
	CUmodule mod;

	memcpy(image, r->cubin, r->cubin_size);
	if (!vec_patch(image, r->cubin_size, f))
		die("this is not the cubin of the frame");
	CUresult rc = cuModuleLoadData(&mod, image);

	if (rc)
		return rc;
	rc = cuModuleGetFunction(&kernel, mod, "frame");
	if (!rc)
		rc = launch(r, f, mod, kernel, stored);
	cuModuleUnload(mod);
	return rc;
}

/* The name of an instruction with its modifiers. */
static bool same_name(const struct vec_form *a, const struct vec_form *b)
{
	size_t n = strcspn(a->text, " ");

	return n == strcspn(b->text, " ") && !strncmp(a->text, b->text, n);
}

/* Others of its name were refused, and none was executed. */
static bool is_hopeless(const struct recorder *r, int i)
{
	int refused = 0;

	for (int k = 0; k < i; k++) {
		enum state s = r->result[k].state;

		if (s != FAILED && s != DONE)
			continue;
		if (!same_name(&r->form[k], &r->form[i]))
			continue;
		if (s == DONE)
			return false;
		refused++;
	}
	return refused >= REFUSALS;
}

static void run(struct recorder *r, int i)
{
	struct result *res = &r->result[i];
	uint64_t hash;

	if (is_hopeless(r, i) || time(NULL) - r->start > SECONDS) {
		res->state = LEFT_OUT;
		return;
	}
	res->state = RUNNING;
	alarm(HANG);
	vec_inputs(&r->form[i], r->host_in, &hash);
	res->rc = execute(r, &r->form[i], r->stored + res->at);
	res->state = res->rc ? FAILED : DONE;
	if (res->rc)
		_exit(0);
}

static void work(struct recorder *r, int number)
{
	open_context(r);
	for (int i = number; i < r->forms; i += WORKERS)
		if (r->result[i].state == WAITING)
			run(r, i);
	_exit(0);
}

/* ---- the process that waits for them ------------------------------------- */

static bool is_finished(const struct recorder *r, int number)
{
	for (int i = number; i < r->forms; i += WORKERS)
		if (r->result[i].state == WAITING)
			return false;
	return true;
}

static pid_t start_worker(struct recorder *r, int number)
{
	fflush(stdout);
	pid_t pid = fork();

	if (pid < 0)
		die("cannot start a process");
	if (pid == 0)
		work(r, number);
	return pid;
}

/* A process that ended while a form was running could not say so. */
static void run_workers(struct recorder *r)
{
	pid_t pid[WORKERS];

	for (int n = 0; n < WORKERS; n++)
		pid[n] = start_worker(r, n);
	for (;;) {
		int status, n = 0;
		pid_t ended = wait(&status);

		if (ended < 0)
			return;
		while (n < WORKERS && pid[n] != ended)
			n++;
		for (int i = n; i < r->forms; i += WORKERS)
			if (r->result[i].state == RUNNING)
				r->result[i].state = FAILED;
		if (WIFEXITED(status) && WEXITSTATUS(status))
			continue; /* it has said why */
		if (!is_finished(r, n))
			pid[n] = start_worker(r, n);
	}
}

static void read_forms(struct recorder *r, const char *path)
{
	char line[OP_LINE + VEC_TEXT];
	FILE *in = fopen(path, "r");
	int room = 0;

	if (!in)
		die("cannot open the forms");
	while (fgets(line, sizeof(line), in)) {
		if (r->forms == room) {
			room = room ? 2 * room : 1024;
			r->form = realloc(r->form,
					  (size_t)room * sizeof(*r->form));
			if (!r->form)
				die("out of memory");
		}
		line[strcspn(line, "\n")] = 0;
		if (!vec_parse(&r->form[r->forms], line) ||
		    r->form[r->forms].op.cases > MAX_CASES)
			die(line);
		r->forms++;
	}
	fclose(in);
}

static void make_room(struct recorder *r)
{
	size_t words = 0;

	r->result = shared((size_t)r->forms * sizeof(*r->result));
	for (int i = 0; i < r->forms; i++) {
		r->result[i].at = words;
		words += (size_t)r->form[i].op.cases * VEC_WORDS;
	}
	r->stored = shared(words * sizeof(*r->stored));
	r->host_in = malloc((size_t)MAX_CASES * CASE_BYTES);
	if (!r->host_in)
		die("out of memory");
}

static void read_cubin(struct recorder *r, const char *path)
{
	FILE *in = fopen(path, "rb");

	if (!in)
		die("cannot open the cubin of the frame");
	r->cubin_size = fread(r->cubin, 1, sizeof(r->cubin), in);
	fclose(in);
}

/* In a process of its own: it may not have a context and fork. */
static void describe_gpu(char *about)
{
	char *text = shared(600);
	pid_t pid = fork();
	CUdevice dev;

	if (pid == 0) {
		need(cuInit(0), "cuInit");
		need(cuDeviceGet(&dev, 0), "device");
		describe(text, 600, dev);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	memcpy(about, text, 600);
}

static void write_form(struct recorder *r, int i, struct op_writer *file)
{
	static uint64_t slots[MAX_CASES * VEC_OUTPUTS];
	const struct vec_form *f = &r->form[i];
	const struct result *res = &r->result[i];
	const char *text = "unknown error";
	uint64_t hash;

	cuGetErrorString(res->rc, &text);
	if (res->state != DONE) {
		printf("%s %s %s: %s\n",
		       res->state == FAILED ? "FAILED" : "LEFT", f->op.line,
		       f->text, res->state == FAILED ? text : "");
		return;
	}
	vec_inputs(f, r->host_in, &hash);
	vec_outputs(f, r->host_in, r->stored + res->at, slots);
	op_writer_add(file, &f->op, hash, slots);
}

int main(int argc, char **argv)
{
	static struct recorder r;
	struct op_writer file;
	char about[600];

	if (argc != 4)
		die("usage: record frame.cubin forms.txt vectors.bin");
	r.start = time(NULL);
	read_cubin(&r, argv[1]);
	read_forms(&r, argv[2]);
	make_room(&r);
	describe_gpu(about);
	run_workers(&r);
	op_writer_init(&file, about);
	for (int i = 0; i < r.forms; i++)
		write_form(&r, i, &file);
	printf("%sforms: %u of %d recorded in %ld s\nbytes: %zu\n", about,
	       (unsigned)file.forms, r.forms, (long)(time(NULL) - r.start),
	       file.out.size);
	if (!op_writer_close(&file, argv[3]))
		die("cannot write the vectors");
	return 0;
}
