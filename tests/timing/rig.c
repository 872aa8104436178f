#include "rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "watch.h"

static void set_all(struct heddle_config *c, const char *set)
{
	struct heddle_error err = { 0 };
	char word[128];
	int n;

	for (; sscanf(set, " %127s%n", word, &n) == 1; set += n) {
		heddle_config_set(c, word, &err);
		STREQ("", err.text);
	}
}

void rig_open_on(struct rig *r, const char *config, const char *text,
		 const char *set)
{
	struct heddle_device_options o = { .threads = 1, .window = r->window };
	struct heddle_error err;
	char path[512];

	snprintf(path, sizeof(path), HEDDLE_SOURCE_DIR "/configs/%s.cfg",
		 config);
	heddle_config_load(&r->config, path, &err);
	STREQ("", err.text);
	set_all(r->config, set);
	o.config = r->config;
	watch_options(&o);
	heddle_device_new(&r->dev, &o, &err);
	STREQ("", err.text);
	heddle_module_load(r->dev, &r->mod, "t", text, strlen(text), &err);
	STREQ("", err.text);
	EQ(0, heddle_alloc(r->dev, sizeof(r->c), &r->out, NULL));
	/* From a round address on: its first byte lies in slice 0, bank 0, at
	 * the beginning of a row. */
	EQ(0, heddle_alloc(r->dev, 2 * DATA_BYTES, &r->data, NULL));
	r->data = (r->data + DATA_BYTES - 1) / DATA_BYTES * DATA_BYTES;
	r->params[0] = r->out;
	r->params[1] = r->data;
}

const char *rig_text(const char *before, ...)
{
	static char text[1 << 16];
	const char *more;
	va_list bodies;
	size_t at = (size_t)snprintf(text, sizeof(text), "%s%s%s", HEAD, before,
				     START);

	va_start(bodies, before);
	while ((more = va_arg(bodies, const char *)) != NULL)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s",
				       more);
	va_end(bodies);
	at += (size_t)snprintf(text + at, sizeof(text) - at, "%s\n}\n", KEEP);
	OK(at < sizeof(text));
	return text;
}

void rig_open(struct rig *r, const char *text, const char *set)
{
	memset(r, 0, sizeof(*r));
	rig_open_on(r, "tiny", text, set);
}

void rig_run(struct rig *r, uint32_t blocks, uint32_t threads)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { blocks, 1, 1 },
				   .block = { threads, 1, 1 },
				   .params = r->params,
				   .param_bytes = sizeof(r->params) };
	struct heddle_timing_info info;
	struct heddle_error err;
	uint64_t size;

	heddle_launch(r->dev, r->mod, &l, &r->result, &err);
	STREQ("", err.text);
	heddle_timing_info(heddle_device_timing(r->dev), &info);
	STREQ(NULL, info.law);
	/* No more than there is: what is copied comes into the L2. */
	size = (uint64_t)blocks * ((threads + 31) / 32) * sizeof(r->c[0]);
	size = size < sizeof(r->c) ? size : sizeof(r->c);
	EQ(0, heddle_read(r->dev, r->c, r->out, size, NULL));
	watch_launch(r->dev, "k");
	watch_bytes(r->c, size);
}

void rig_close(struct rig *r)
{
	heddle_module_free(r->dev, r->mod);
	heddle_device_free(r->dev);
	heddle_config_free(r->config);
}

void rig_warm(struct rig *r, uint64_t offset, uint64_t bytes)
{
	void *zeros = calloc(1, bytes);

	EQ(0, heddle_write(r->dev, r->data + offset, zeros, bytes, NULL));
	free(zeros);
}

uint32_t rig_word(struct rig *r, uint64_t index)
{
	uint32_t word;

	EQ(0, heddle_read(r->dev, &word, r->data + 4 * index, 4, NULL));
	return word;
}

uint64_t rig_stat(const struct rig *r, const char *key)
{
	const struct heddle_timing *t = heddle_device_timing(r->dev);
	struct heddle_stat s;
	struct heddle_error err;

	heddle_stats_find(heddle_timing_stats(t), key, &s, &err);
	STREQ("", err.text);
	return s.count;
}

static struct rig one;

uint64_t rig_between(const char *text, const char *set)
{
	rig_open(&one, text, set);
	rig_run(&one, 1, 32);
	rig_close(&one);
	return one.c[0][1] - one.c[0][0];
}

uint64_t rig_between_warm(const char *text, const char *set)
{
	rig_open(&one, text, set);
	rig_warm(&one, 0, 8 << 10);
	rig_run(&one, 1, 32);
	rig_close(&one);
	return one.c[0][1] - one.c[0][0];
}

uint64_t rig_cycles(const char *text, const char *set, uint32_t blocks,
		    uint32_t threads)
{
	rig_open(&one, text, set);
	rig_run(&one, blocks, threads);
	rig_close(&one);
	return one.result.cycles;
}
