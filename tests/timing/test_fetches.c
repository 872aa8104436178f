/*
 * Texture fetches of machine code. data/fetches.cubin makes two of them, the second
 * from where the first one says, each behind a load of constants to a uniform
 * register.
 */
#include <stdio.h>

#include "test.h"

#include "heddle/heddle.h"
#include "watch.h"

enum { LANES = 32, FILE_ROOM = 1 << 16 };

struct fetcher {
	struct heddle_config *config;
	struct heddle_device *dev;
	struct heddle_module *module;
	heddle_ptr texels, out;
	uint64_t texture;
};

static void fetcher_open(struct fetcher *r)
{
	static char file[FILE_ROOM];
	struct heddle_device_options o = { .threads = 1 };
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/tests/timing/data/fetches.cubin",
			"rb");
	struct heddle_texture t = { .format = HEDDLE_TEXEL_S32,
				    .channels = 1,
				    .width = LANES };
	int32_t texel[LANES];
	struct heddle_error err;
	size_t size;

	OK(f);
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	heddle_config_load(&r->config, HEDDLE_SOURCE_DIR "/configs/h200.cfg",
			   &err);
	STREQ("", err.text);
	EQ(0, heddle_config_set(r->config, "sm.count=2", NULL));
	o.config = r->config;
	watch_options(&o);
	heddle_device_new(&r->dev, &o, &err);
	STREQ("", err.text);
	heddle_module_load(r->dev, &r->module, "fetches.cubin", file, size,
			   &err);
	STREQ("", err.text);
	EQ(0, heddle_alloc(r->dev, sizeof(texel), &r->texels, NULL));
	EQ(0, heddle_alloc(r->dev, sizeof(texel), &r->out, NULL));
	for (int i = 0; i < LANES; i++)
		texel[i] = (i + 5) % LANES;
	EQ(0, heddle_write(r->dev, r->texels, texel, sizeof(texel), NULL));
	t.data = r->texels;
	heddle_texture_new(r->dev, &t, &r->texture, &err);
	STREQ("", err.text);
}

static void fetcher_close(struct fetcher *r)
{
	EQ(0, heddle_texture_free(r->dev, r->texture, NULL));
	heddle_module_free(r->dev, r->module);
	heddle_device_free(r->dev);
	heddle_config_free(r->config);
}

static uint64_t stat_of(const struct fetcher *r, const char *key)
{
	const struct heddle_timing *t = heddle_device_timing(r->dev);
	struct heddle_stat s;

	EQ(0, heddle_stats_find(heddle_timing_stats(t), key, &s, NULL));
	return s.count;
}

TEST(fetches, behind_constants_of_the_uniform_datapath_are_fetches)
{
	struct fetcher r;
	struct heddle_error err;
	struct heddle_result result;
	int32_t got[LANES];

	fetcher_open(&r);
	uint64_t params[3] = { r.texture, r.texture, r.out };
	struct heddle_launch l = { .kernel = "fetches",
				   .grid = { 1, 1, 1 },
				   .block = { LANES, 1, 1 },
				   .params = params,
				   .param_bytes = sizeof(params) };
	heddle_launch(r.dev, r.module, &l, &result, &err);
	STREQ("", err.text);
	EQ(0, heddle_read(r.dev, got, r.out, sizeof(got), NULL));
	for (int i = 0; i < LANES; i++)
		EQ((i + 10) % LANES, got[i]);
	EQ(2, stat_of(&r, "lsu.textures"));
	fetcher_close(&r);
}
