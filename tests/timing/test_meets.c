/*
 * Where lanes of machine code part and meet again, and calls: data/meets.cubin. The
 * cycles are those of an H200 (validation/micro/cuda/branch.cu).
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "heddle/heddle.h"
#include "watch.h"

#define FOLDER HEDDLE_SOURCE_DIR "/tests/timing/data/"

/* The words of struct Span: the SM, the beginning, and the end. */
enum { LANES = 32, SPAN = 3 };

struct meets {
	struct heddle_config *config;
	struct heddle_device *dev;
	struct heddle_module *mod;
	heddle_ptr out;
};

/* indirect: an assignment of sm.indirect, or NULL: that of the H200. */
static void meets_open(struct meets *m, const char *indirect)
{
	static char file[1 << 16];
	struct heddle_device_options o = { .sm_major = 9, .threads = 1 };
	FILE *f = fopen(FOLDER "meets.cubin", "rb");
	size_t size;

	memset(m, 0, sizeof(*m));
	OK(f);
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	EQ(0, heddle_config_load(&m->config,
				 HEDDLE_SOURCE_DIR "/configs/h200.cfg", NULL));
	if (indirect)
		EQ(0, heddle_config_set(m->config, indirect, NULL));
	o.config = m->config;
	watch_options(&o);
	EQ(0, heddle_device_new(&m->dev, &o, NULL));
	EQ(0, heddle_module_load(m->dev, &m->mod, "meets", file, size, NULL));
	EQ(0, heddle_alloc(m->dev, 1024, &m->out, NULL));
}

static void meets_close(struct meets *m)
{
	heddle_module_free(m->dev, m->mod);
	heddle_device_free(m->dev);
	heddle_config_free(m->config);
}

/* What its only warp has noted. */
static const uint64_t *span_of(struct meets *m, const struct heddle_launch *l)
{
	static uint64_t span[SPAN];
	struct heddle_result result;

	EQ(0, heddle_launch(m->dev, m->mod, l, &result, NULL));
	EQ(0, heddle_read(m->dev, span, m->out, sizeof(span), NULL));
	return span;
}

/* Cycles of four rounds of 16 steps each; `half` of the lanes are on one side. */
static uint64_t chain(struct meets *m, const char *kernel, uint32_t half)
{
	struct {
		uint32_t never, always, half, share;
		heddle_ptr sink;
		uint64_t rounds;
		heddle_ptr out, keep;
	} params = { .never = UINT32_MAX,
		     .half = half,
		     .share = LANES,
		     .sink = m->out,
		     .rounds = 4,
		     .out = m->out,
		     .keep = m->out + SPAN * sizeof(uint64_t) };
	struct heddle_launch l = { .kernel = kernel,
				   .grid = { 1, 1, 1 },
				   .block = { LANES, 1, 1 },
				   .params = &params,
				   .param_bytes = sizeof(params) };
	const uint64_t *span = span_of(m, &l);

	return span[2] - span[1];
}

/* Cycles of a loop of 64 rounds. */
static uint64_t leave(struct meets *m, bool by_lane)
{
	struct {
		uint32_t rounds, by_lane;
		heddle_ptr out, keep;
	} params = { 64, by_lane, m->out, m->out + SPAN * sizeof(uint64_t) };
	struct heddle_launch l = { .kernel = "leave",
				   .grid = { 1, 1, 1 },
				   .block = { LANES, 1, 1 },
				   .params = &params,
				   .param_bytes = sizeof(params) };
	const uint64_t *span = span_of(m, &l);

	return span[2] - span[1];
}

/* The 31 lanes that leave before the last one cost 13 cycles each. */
TEST(meets, lanes_that_leave_a_loop_take_what_they_take_on_an_h200)
{
	struct meets m;

	meets_open(&m, NULL);
	EQ(leave(&m, false) + 403, leave(&m, true));
	meets_close(&m);
}

/* 13,887 on an H200, 217 each. */
TEST(meets, two_sides_take_what_they_take_on_an_h200)
{
	struct meets m;

	meets_open(&m, NULL);
	EQ(13886, chain(&m, "_Z5chainI9two_sidedEv4ArgsiP4SpanPj", 16));
	meets_close(&m);
}

/* 118.4 a call of a function that calls another one; a return is 28 cycles of it more
 * than a branch, which takes 10. */
TEST(meets, returns_take_longer_than_branches)
{
	const char *kernel = "_Z5chainI10call_twiceEv4ArgsiP4SpanPj";
	struct meets m;
	uint64_t as_branches;

	meets_open(&m, "sm.indirect=10");
	as_branches = chain(&m, kernel, 0);
	meets_close(&m);
	meets_open(&m, NULL);
	EQ(as_branches + UINT64_C(4) * 16 * 2 * 28, chain(&m, kernel, 0));
	meets_close(&m);
}
