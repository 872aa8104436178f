/* A device with the kernels of the benchmarks: see bench.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double clock_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double wall_seconds(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

double cpu_seconds(void)
{
	return clock_now(CLOCK_PROCESS_CPUTIME_ID);
}

void expect(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

void *need(void *allocated)
{
	expect(allocated != NULL, "out of memory");
	return allocated;
}

const char *rig_code = ".ptx";

/* The kernels, from kernels.ptx or another file of that name; malloc'ed. */
static char *read_kernels(size_t *size)
{
	char path[4096];
	FILE *f;
	char *text;
	long end = 0;

	snprintf(path, sizeof(path), KERNELS "%s", rig_code);
	f = fopen(path, "rb");

	expect(f && fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) > 0,
	       "cannot read " KERNELS);
	*size = (size_t)end;
	text = need(malloc(*size));
	rewind(f);
	expect(fread(text, 1, *size, f) == *size, "cannot read " KERNELS);
	fclose(f);
	return text;
}

static void rig_init_device(struct rig *r,
			    const struct heddle_device_options *options)
{
	struct heddle_error err;
	size_t size;
	char *text = read_kernels(&size);

	r->threads = options->threads;
	expect(heddle_device_new(&r->device, options, &err) == HEDDLE_OK,
	       err.text);
	expect(heddle_module_load(r->device, &r->module, "kernels", text, size,
				  &err) == HEDDLE_OK,
	       err.text);
	free(text);
}

void rig_init(struct rig *r, unsigned threads)
{
	rig_init_device(r,
			&(struct heddle_device_options){ .threads = threads });
}

void rig_init_engine(struct rig *r, const char *gpu, const char *engine,
		     unsigned threads)
{
	struct heddle_config *config;
	struct heddle_error err;
	char path[512];

	snprintf(path, sizeof(path), CONFIGS "/%s.cfg", gpu);
	expect(heddle_config_load(&config, path, &err) == HEDDLE_OK, err.text);
	rig_init_device(r, &(struct heddle_device_options){ .threads = threads,
							    .engine = engine,
							    .config = config });
	heddle_config_free(config);
}

void rig_init_timed(struct rig *r, const char *gpu)
{
	rig_init_engine(r, gpu, "serial", 1);
}

void rig_free(struct rig *r)
{
	heddle_module_free(r->device, r->module);
	heddle_device_free(r->device);
}

heddle_ptr rig_array(struct rig *r, const void *from, uint64_t size)
{
	struct heddle_error err;
	heddle_ptr at;

	expect(heddle_alloc(r->device, size, &at, &err) == HEDDLE_OK, err.text);
	/* Zeros are written as well, so that no launch pays for new pages. */
	if (from)
		expect(heddle_write(r->device, at, from, size, &err) ==
			       HEDDLE_OK,
		       err.text);
	else
		rig_zero(r, at, size);
	return at;
}

heddle_ptr rig_repeat(struct rig *r, const void *period, uint64_t bytes,
		      uint64_t size)
{
	struct heddle_error err;
	heddle_ptr at;

	expect(heddle_alloc(r->device, size, &at, &err) == HEDDLE_OK, err.text);
	for (uint64_t done = 0; done < size; done += bytes) {
		uint64_t n = size - done < bytes ? size - done : bytes;

		expect(heddle_write(r->device, at + done, period, n, &err) ==
			       HEDDLE_OK,
		       err.text);
	}
	return at;
}

void rig_read(struct rig *r, void *to, heddle_ptr from, uint64_t size)
{
	struct heddle_error err;

	expect(heddle_read(r->device, to, from, size, &err) == HEDDLE_OK,
	       err.text);
}

void rig_zero(struct rig *r, heddle_ptr at, uint64_t size)
{
	struct heddle_error err;

	expect(heddle_set(r->device, at, 0, size, &err) == HEDDLE_OK, err.text);
}

static double issued_part;

double rig_issued_part(void)
{
	return issued_part;
}

void rig_forget_issued(void)
{
	issued_part = 0;
}

static double find_issued_part(const struct rig *r, double executed)
{
	const struct heddle_timing *t = heddle_device_timing(r->device);
	struct heddle_stat issued;
	struct heddle_error err;

	if (!t)
		return 0;
	expect(heddle_stats_find(heddle_timing_stats(t), "sm.instructions",
				 &issued, &err) == HEDDLE_OK,
	       err.text);
	return issued.value / executed;
}

struct rig_took rig_launch(struct rig *r, const struct rig_run *run)
{
	struct heddle_launch launch = { .kernel = run->kernel,
					.grid = run->grid,
					.block = run->block,
					.params = run->params,
					.param_bytes = run->param_bytes };
	struct heddle_result result;
	struct heddle_error err;
	double (*clock)(void) = r->threads == 1 ? cpu_seconds : wall_seconds;
	double start = clock();
	int code = heddle_launch(r->device, r->module, &launch, &result, &err);
	double end = clock();

	expect(code == HEDDLE_OK, err.text);
	issued_part = find_issued_part(r, (double)result.warp_instructions);
	return (struct rig_took){ end - start, (double)result.warp_instructions,
				  (double)result.cycles };
}

double rig_rate(struct rig *r, const struct rig_run *run, int times)
{
	double best = 0;

	for (int i = 0; i < times; i++) {
		struct rig_took t = rig_launch(r, run);
		double rate = t.warp_instructions / t.seconds;

		best = rate > best ? rate : best;
	}
	return best;
}
