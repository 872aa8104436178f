/*
 * Indirect branches of machine code to several places: data/targets.cubin. The
 * counts are those of an H200 (smsp__inst_executed.sum); a replay repeats them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#include "heddle/heddle.h"
#include "trace/trace.h"
#include "watch.h"

static struct heddle_error err;

struct targets {
	struct heddle_config *config;
	struct heddle_device *dev;
	struct heddle_module *mod;
	heddle_ptr at;
};

static void targets_open(struct targets *r, const char *config)
{
	static char file[1 << 16];
	struct heddle_device_options o = { .sm_major = 9, .threads = 1 };
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/tests/timing/data/targets.cubin",
			"rb");
	uint32_t words[128];
	size_t size;

	memset(r, 0, sizeof(*r));
	OK(f);
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	if (config)
		EQ(0, heddle_config_load(&r->config, config, NULL));
	o.config = r->config;
	watch_options(&o);
	EQ(0, heddle_device_new(&r->dev, &o, NULL));
	EQ(0, heddle_module_load(r->dev, &r->mod, "targets", file, size, NULL));
	for (uint32_t i = 0; i < 128; i++)
		words[i] = (i * 2654435761u >> 7) % 900 + 1;
	EQ(0, heddle_alloc(r->dev, sizeof(words), &r->at, NULL));
	EQ(0, heddle_write(r->dev, r->at, words, sizeof(words), NULL));
}

static void targets_close(struct targets *r)
{
	heddle_module_free(r->dev, r->mod);
	heddle_device_free(r->dev);
	heddle_config_free(r->config);
}

static uint64_t targets_run(struct targets *r, const char *kernel, uint32_t k)
{
	struct {
		heddle_ptr p;
		uint32_t k;
	} params = { r->at, k };
	struct heddle_launch l = { .kernel = kernel,
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = &params,
				   .param_bytes = 12 };
	struct heddle_result result;

	(void)heddle_launch(r->dev, r->mod, &l, &result, &err);
	STREQ("", err.text);
	return result.warp_instructions;
}

#define H200 HEDDLE_SOURCE_DIR "/configs/h200.cfg"

/* Instructions on an H200 by the number of places. */
static const struct {
	const char *kernel;
	uint32_t k;
	uint64_t count;
} counts[] = {
	{ "call", 1, 35 },    { "call", 2, 40 },    { "call", 4, 50 },
	{ "choose", 1, 45 },  { "choose", 2, 53 },  { "choose", 3, 67 },
	{ "choose", 4, 76 },  { "choose", 5, 108 }, { "choose", 6, 132 },
	{ "choose", 7, 141 }, { "choose", 8, 150 },
};

enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

TEST(targets, each_place_is_an_instruction)
{
	const char *const configs[] = { NULL, H200 };
	struct targets r;

	for (int c = 0; c < 2; c++) {
		targets_open(&r, configs[c]);
		for (int i = 0; i < COUNTS; i++)
			EQ(counts[i].count,
			   targets_run(&r, counts[i].kernel, counts[i].k));
		targets_close(&r);
	}
}

static int on_replayed(void *ctx, const struct heddle_replayed *r)
{
	int *n = ctx;

	EQ(1, r->count);
	EQ(counts[*n].count, r->results[0].warp_instructions);
	++*n;
	return 0;
}

TEST(targets, replays_have_as_many)
{
	char path[] = "/tmp/heddle-targets-XXXXXX";
	struct heddle_replay_options o = { .done = on_replayed };
	int fd = mkstemp(path), n = 0;
	struct targets r;

	OK(fd >= 0);
	close(fd);
	if (trace_supported()) {
		targets_open(&r, NULL);
		EQ(0, heddle_trace_begin(r.dev, path, "a test", NULL));
		for (int i = 0; i < COUNTS; i++)
			targets_run(&r, counts[i].kernel, counts[i].k);
		EQ(0, heddle_trace_end(r.dev, NULL));
		targets_close(&r);
		targets_open(&r, H200);
		o.ctx = &n;
		(void)heddle_replay(r.dev, path, &o, &err);
		STREQ("", err.text);
		EQ(COUNTS, n);
		targets_close(&r);
	}
	unlink(path);
}
