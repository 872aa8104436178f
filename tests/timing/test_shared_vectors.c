/*
 * Vectors of shared memory that machine code loads: however an executor
 * describes the lanes' addresses, the passes are those that the banks need, and
 * the words are those that were there. data/vectors.cubin loads a vector for
 * each lane, from where a table says.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "heddle/heddle.h"
#include "sm/coalesce.h"
#include "watch.h"

enum {
	SHARED_WORDS = 512,
	STORES = SHARED_WORDS / WARP_LANES, /* that fill it, a pass each */
	FILE_ROOM = 1 << 16
};

struct loader {
	struct heddle_config *config;
	struct heddle_device *dev;
	struct heddle_module *module;
	heddle_ptr at, out;
	bool pairs; /* shared.pairs */
};

static void loader_open(struct loader *r, bool pairs)
{
	static char file[FILE_ROOM];
	struct heddle_device_options o = { .threads = 1 };
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/tests/timing/data/vectors.cubin",
			"rb");
	struct heddle_error err;
	size_t size;

	OK(f);
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	heddle_config_load(&r->config, HEDDLE_SOURCE_DIR "/configs/h200.cfg",
			   &err);
	STREQ("", err.text);
	EQ(0, heddle_config_set(r->config, "sm.count=2", NULL));
	EQ(0, heddle_config_set(r->config, "sm.hazards=no", NULL));
	EQ(0, heddle_config_set(r->config,
				pairs ? "shared.pairs=yes" : "shared.pairs=no",
				NULL));
	r->pairs = pairs;
	o.config = r->config;
	watch_options(&o);
	heddle_device_new(&r->dev, &o, &err);
	STREQ("", err.text);
	heddle_module_load(r->dev, &r->module, "vectors.cubin", file, size,
			   &err);
	STREQ("", err.text);
	EQ(0, heddle_alloc(r->dev, 4 * WARP_LANES, &r->at, NULL));
	EQ(0, heddle_alloc(r->dev, 16 * WARP_LANES, &r->out, NULL));
}

static void loader_close(struct loader *r)
{
	heddle_module_free(r->dev, r->module);
	heddle_device_free(r->dev);
	heddle_config_free(r->config);
}

static uint64_t stat_of(const struct loader *r, const char *key)
{
	const struct heddle_timing *t = heddle_device_timing(r->dev);
	struct heddle_stat s;

	EQ(0, heddle_stats_find(heddle_timing_stats(t), key, &s, NULL));
	return s.count;
}

/* Each lane loads `bytes` bytes at at[]. */
static void check(struct loader *r, const uint32_t at[WARP_LANES],
		  uint32_t bytes)
{
	const struct bank_shape banks = { 32, 4, WARP_LANES, false, r->pairs };
	unsigned passes, min = bank_min(&banks, ~0u, bytes);
	uint64_t params[2] = { r->at, r->out }, addr[WARP_LANES];
	struct heddle_launch l = { .kernel = bytes == 8 ? "load8" : "load16",
				   .grid = { 1, 1, 1 },
				   .block = { WARP_LANES, 1, 1 },
				   .params = params,
				   .param_bytes = sizeof(params) };
	uint32_t got[WARP_LANES * 4];
	struct heddle_result result;
	struct heddle_error err;

	EQ(0, heddle_write(r->dev, r->at, at, 4 * WARP_LANES, NULL));
	heddle_launch(r->dev, r->module, &l, &result, &err);
	STREQ("", err.text);
	EQ(0, heddle_read(r->dev, got, r->out, bytes * WARP_LANES, NULL));
	for (uint32_t i = 0; i < bytes / 4 * WARP_LANES; i++)
		EQ((at[i / (bytes / 4)] + 4 * i % bytes) / 4, got[i]);
	for (unsigned i = 0; i < WARP_LANES; i++)
		addr[i] = at[i];
	passes = bank_count_load(&banks, addr, ~0u, bytes);
	EQ(STORES + passes, stat_of(r, "lsu.shared_passes"));
	EQ(passes > min ? passes - min : 0, stat_of(r, "lsu.shared_conflicts"));
	EQ(1, stat_of(r, "lsu.shared_loads"));
}

/* Lane l loads from first + l / share * step. */
static void check_step(struct loader *r, uint32_t first, uint32_t share,
		       uint32_t step, uint32_t bytes)
{
	uint32_t at[WARP_LANES];

	for (uint32_t l = 0; l < WARP_LANES; l++)
		at[l] = first + l / share * step;
	check(r, at, bytes);
}

static void check_steps(bool pairs)
{
	static const uint32_t share[] = { 1, 2, 8, 16, 32 };
	struct loader r;

	loader_open(&r, pairs);
	for (uint32_t bytes = 8; bytes <= 16; bytes *= 2)
		for (size_t i = 0; i < sizeof(share) / sizeof(*share); i++) {
			check_step(&r, 0, share[i], bytes, bytes);
			check_step(&r, bytes, share[i], bytes, bytes);
			check_step(&r, 16, share[i], 2 * bytes, bytes);
			check_step(&r, 128, share[i], 3 * bytes, bytes);
			check_step(&r, 2 * bytes, share[i],
				   share[i] < 16 ? 2 * bytes : 1024, bytes);
		}
	loader_close(&r);
}

TEST(shared_vectors, have_the_passes_that_the_banks_need)
{
	check_steps(false);
	check_steps(true);
}

static void check_anywhere(bool pairs)
{
	uint32_t seed = 1, at[WARP_LANES];
	struct loader r;

	loader_open(&r, pairs);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t bytes = 8 << i % 2, places = 2u << i / 2 % 6;

		for (int l = 0; l < WARP_LANES; l++) {
			seed = seed * 1664525 + 1013904223;
			at[l] = (seed >> 8) % places * bytes +
				i / 16 % 5 * bytes;
		}
		check(&r, at, bytes);
	}
	loader_close(&r);
}

TEST(shared_vectors, anywhere_have_the_passes_that_the_banks_need)
{
	check_anywhere(false);
	check_anywhere(true);
}
