/*
 * Traces have the addresses of texels: a replay reads them through the caches
 * as the run did. Those of an older format do not have them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/heddle.h"
#include "test.h"

#include "trace/codec.h"
#include "trace/crc.h"
#include "trace/format.h"
#include "trace/trace.h"

enum { SIDE = 128, THREADS = 64, BLOCKS = 24 };

/*
 * Neighbours in a plane, some of them beyond its border; words of a surface,
 * guarded; and between them loads, comparisons and a store, which a compiler
 * would reorder.
 */
static const char text[] =
	".version 8.4\n.target sm_90\n.address_size 64\n"
	".global .texref image; .global .surfref plane;\n"
	".visible .entry fetch(.param .u64 out) {\n"
	".reg .pred %p<8>; .reg .b32 %r<20>; .reg .f32 %f<20>; "
	".reg .b64 %rd<8>;\n"
	"ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; "
	"mov.u32 %r2, %ctaid.x; mov.u32 %r9, 0;\n"
	"mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd2, %r3, 4; "
	"add.u64 %rd3, %rd1, %rd2;\n"
	"LOOP: add.u32 %r4, %r1, %r9; cvt.rn.f32.u32 %f1, %r4; "
	"cvt.rn.f32.u32 %f2, %r2;\n"
	"ld.global.f32 %f3, [%rd3];\n"
	"tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f1, %f2}];\n"
	"setp.gt.f32 %p1, %f3, 0f3f000000;\n"
	"tld4.r.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [image, {%f2, %f1}];\n"
	"and.b32 %r5, %r4, 127; shl.b32 %r6, %r5, 2;\n"
	"@%p1 suld.b.2d.b32.zero {%r7}, [plane, {%r6, %r2}];\n"
	"tex.2d.v4.f32.s32 {%f12, %f13, %f14, %f15}, [image, {%r5, %r9}];\n"
	"add.f32 %f3, %f3, %f4; add.f32 %f3, %f3, %f9; "
	"add.f32 %f3, %f3, %f12;\n"
	"st.global.f32 [%rd3], %f3; add.u32 %r9, %r9, 17;\n"
	"setp.lt.u32 %p2, %r9, 100; @%p2 bra LOOP; ret; }\n";

static struct heddle_error err;

static struct heddle_config *config_with(const char *lookup)
{
	struct heddle_config *c;

	OK(!heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/h200.cfg",
			       &err));
	OK(!heddle_config_set(c, lookup, &err));
	return c;
}

static struct heddle_device *device_of(const struct heddle_config *c)
{
	struct heddle_device_options o = { .threads = 1, .config = c };
	struct heddle_device *dev;

	OK(!heddle_device_new(&dev, &o, &err));
	return dev;
}

/* Cycles, texels looked up and a hash of all statistics of the last launch. */
struct took {
	uint64_t cycles, sectors, hash;
};

static uint64_t stat_of(const struct heddle_device *dev, const char *key)
{
	struct heddle_stat s;

	OK(!heddle_stats_find(heddle_timing_stats(heddle_device_timing(dev)),
			      key, &s, &err));
	return s.count;
}

static struct took took(const struct heddle_device *dev)
{
	const struct heddle_timing *t = heddle_device_timing(dev);
	struct took out = { 0 };

	if (!t)
		return out;
	out.cycles = stat_of(dev, "gpu.cycles");
	out.sectors = stat_of(dev, "lsu.load_sectors");
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		struct heddle_stat s;

		heddle_stats_get(heddle_timing_stats(t), i, &s, NULL);
		out.hash = (out.hash ^ s.count) * UINT64_C(1099511628211);
	}
	return out;
}

static void same(const struct took *want, const struct took *got)
{
	EQ(want->cycles, got->cycles);
	EQ(want->sectors, got->sectors);
	EQ(want->hash, got->hash);
}

/* Runs the kernel; path: where it is recorded, or NULL. */
static struct took run(const struct heddle_config *c, const char *path)
{
	struct heddle_device *dev = device_of(c);
	struct heddle_texture t = { .format = HEDDLE_TEXEL_F32,
				    .channels = 1,
				    .width = SIDE,
				    .height = SIDE,
				    .address = { HEDDLE_ADDRESS_BORDER,
						 HEDDLE_ADDRESS_BORDER },
				    .linear = 1 };
	struct heddle_launch l = { .kernel = "fetch",
				   .grid = { BLOCKS, 1, 1 },
				   .block = { THREADS, 1, 1 } };
	uint64_t object, plane;
	struct heddle_module *mod;
	struct heddle_result result;
	struct took out;
	heddle_ptr to;

	OK(!heddle_alloc(dev, BLOCKS * THREADS * 4, &to, &err));
	OK(!heddle_alloc(dev, SIDE * SIDE * 4, &t.data, &err));
	OK(!heddle_texture_new(dev, &t, &object, &err));
	OK(!heddle_texture_new(dev, &t, &plane, &err));
	if (path)
		OK(!heddle_trace_begin(dev, path, "a test", &err));
	OK(!heddle_module_load(dev, &mod, "fetch.ptx", text, sizeof(text) - 1,
			       &err));
	OK(!heddle_module_bind(dev, mod, "image", object, &err));
	OK(!heddle_module_bind(dev, mod, "plane", plane, &err));
	l.params = &to;
	l.param_bytes = sizeof(to);
	OK(!heddle_launch(dev, mod, &l, &result, &err));
	out = took(dev);
	if (path)
		OK(!heddle_trace_end(dev, &err));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
	return out;
}

struct replayed {
	struct heddle_device *dev;
	struct took took;
};

static int on_done(void *ctx, const struct heddle_replayed *r)
{
	struct replayed *to = ctx;

	(void)r;
	to->took = took(to->dev);
	return 0;
}

static struct took replay(const struct heddle_config *c, const char *path,
			  int want)
{
	struct replayed to = { .dev = device_of(c) };
	struct heddle_replay_options options = { .done = on_done, .ctx = &to };

	EQ(want, heddle_replay(to.dev, path, &options, &err));
	heddle_device_free(to.dev);
	return to.took;
}

static char path[64];

static bool make_path(void)
{
	int fd;

	strcpy(path, "/tmp/heddle-texels-XXXXXX");
	fd = mkstemp(path);
	OK(fd >= 0);
	close(fd);
	if (trace_supported())
		return true;
	printf("no libzstd: no traces\n");
	unlink(path);
	return false;
}

TEST(texels, replays_look_them_up_as_the_run_did)
{
	struct heddle_config *on = config_with("tex.lookup=yes");
	struct heddle_config *off = config_with("tex.lookup=no");
	const struct took with = run(on, NULL), without = run(off, NULL);
	/* Recorded without time, with other cycles, with these. */
	const struct heddle_config *const recorders[] = { NULL, off, on };

	OK(with.cycles > without.cycles && with.sectors > without.sectors);
	for (int i = 0; make_path() && i < 3; i++) {
		struct took live = run(recorders[i], path), again;

		if (recorders[i])
			same(recorders[i] == on ? &with : &without, &live);
		again = replay(on, path, 0);
		same(&with, &again);
		again = replay(off, path, 0);
		same(&without, &again);
		replay(NULL, path, 0);
		unlink(path);
	}
	heddle_config_free(on);
	heddle_config_free(off);
}

/* ---- traces made by hand ---- */

/* A fetch, a store and a comparison. */
static const char one[] =
	".version 8.4\n.target sm_90\n.address_size 64\n"
	".global .texref image;\n"
	".visible .entry fetch(.param .u64 out) {\n"
	".reg .pred %p1; .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %rd1;\n"
	"ld.param.u64 %rd1, [out];\n"
	"tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [image, {%r1}];\n"
	"st.global.f32 [%rd1], %f4; setp.ne.f32 %p1, %f4, %f4;\n"
	"@%p1 st.global.f32 [%rd1+4], %f5; ret; }\n";

/* Calls malloc. */
static const char calls[] =
	".version 8.4\n.target sm_90\n.address_size 64\n"
	".extern .func (.param .b64 at) malloc (.param .b64 n);\n"
	".visible .entry fetch(.param .u64 out) { .reg .b64 %rd<4>;\n"
	"mov.u64 %rd1, 5000;\n"
	"{ .param .b64 n; .param .b64 at; st.param.b64 [n], %rd1;\n"
	"call.uni (at), malloc, (n); ld.param.b64 %rd2, [at]; } ret; }\n";

/* Writes the trace of a block of one warp. */
static void write_trace(const char *ptx, uint32_t insts,
			const struct trace_writer_stream *s)
{
	const struct trace_info info = {
		.producer = "a test", .sm = 90, .sm_count = 1, .independent = 1
	};
	const uint64_t param = 0;
	struct trace_launch l = { .kernel = "fetch",
				  .grid = { 1, 1, 1 },
				  .block = { 32, 1, 1 },
				  .params = &param,
				  .param_bytes = sizeof(param) };
	struct trace_stream stream = { .bytes = s->bytes, .size = s->size };
	struct trace_block b = { .warp_instructions = insts,
				 .thread_instructions = insts * 32,
				 .streams = &stream,
				 .stream_count = s->size != 0 };
	struct trace_writer *w;
	uint32_t number;
	struct diag d;

	EQ(ERR_OK, trace_create(&w, path, &info, &d));
	EQ(ERR_OK,
	   trace_put_module(w, "ptx.ptx", ptx, strlen(ptx), &l.module, &d));
	EQ(ERR_OK, trace_begin_launch(w, &l, &number, &d));
	EQ(ERR_OK, trace_put_block(w, number, &b, &d));
	EQ(ERR_OK, trace_end_launch(w, number, NULL, &d));
	EQ(ERR_OK, trace_finish(w, &d));
}

/* A fetch; texel: NULL if it has none. */
static void write_one(const uint64_t *texel)
{
	static struct trace_writer_stream s;
	uint64_t lane[TRACE_LANES];
	uint32_t site = texel != NULL;

	trace_stream_start(&s);
	if (texel)
		trace_put_lanes(&s, 0, ~0u, texel);
	for (int i = 0; i < TRACE_LANES; i++)
		lane[i] = 4096;
	trace_put_lanes(&s, site, ~0u, lane);
	trace_put_mask(&s, site + 1, ~0u, 0);
	EQ(ERR_OK, trace_stream_end(&s));
	write_trace(one, 6, &s);
	trace_stream_free(&s);
}

/* Makes the file one of an older version. */
static void make_old(uint32_t version)
{
	uint8_t header[FILE_HEADER_BYTES];
	FILE *f = fopen(path, "r+b");
	uint32_t crc;

	file_header_pack(header);
	header[MAGIC_BYTES] = (uint8_t)version;
	crc = trace_crc(header, MAGIC_BYTES + 4);
	for (int i = 0; i < 4; i++)
		header[MAGIC_BYTES + 4 + i] = (uint8_t)(crc >> 8 * i);
	OK(f && fwrite(header, sizeof(header), 1, f) == 1);
	fclose(f);
}

TEST(texels, traces_without_them_replay_if_they_are_not_looked_up)
{
	struct heddle_config *on = config_with("tex.lookup=yes");
	struct heddle_config *off = config_with("tex.lookup=no");

	if (make_path()) {
		write_one(NULL);
		make_old(1);
		replay(NULL, path, 0);
		OK(replay(off, path, 0).cycles > 0);
		replay(on, path, HEDDLE_FAULT);
		OK(strstr(err.text, "format version 1 of traces has no "
				    "addresses of texels: record it again, or "
				    "replay it with tex.lookup = no"));
		unlink(path);
	}
	heddle_config_free(on);
	heddle_config_free(off);
}

TEST(texels, traces_without_sizes_replay_if_malloc_takes_no_time)
{
	static const struct trace_writer_stream none;
	struct heddle_config *on = config_with("system.malloc_cycles=5000");
	struct heddle_config *off = config_with("system.malloc_cycles=0");

	for (uint32_t version = 1; make_path() && version < 3; version++) {
		write_trace(calls, 5, &none);
		make_old(version);
		replay(NULL, path, 0);
		OK(replay(off, path, 0).cycles > 0);
		replay(on, path, HEDDLE_FAULT);
		OK(strstr(err.text, "format versions 1 and 2 of traces have no "
				    "sizes of what malloc allocates: record it "
				    "again, or replay it with "
				    "system.malloc_cycles = 0"));
		unlink(path);
	}
	heddle_config_free(on);
	heddle_config_free(off);
}

TEST(texels, damaged_ones_are_errors)
{
	/* An address times 8, plus 1 and the logarithm of the size. */
	static const struct {
		uint64_t first, others;
		bool good;
	} cases[] = {
		{ 0x1000 * 8 + 3, 0x1000 * 8 + 3, true },
		{ 0x1000 * 8 + 1, 0, true }, /* the others read none */
		{ 0x1000 * 8 + 3, 0x1000 * 8 + 2, false },
		{ 0x1000 * 8, 0x1000 * 8, false },
		{ UINT64_MAX, UINT64_MAX, false },
	};
	struct heddle_config *on = config_with("tex.lookup=yes");

	for (size_t i = 0; make_path() && i < sizeof(cases) / sizeof(cases[0]);
	     i++) {
		uint64_t texel[TRACE_LANES];

		for (int l = 0; l < TRACE_LANES; l++)
			texel[l] = l ? cases[i].others : cases[i].first;
		write_one(texel);
		replay(on, path, cases[i].good ? 0 : HEDDLE_FAULT);
		if (!cases[i].good)
			OK(strstr(err.text, "a recorded texel is invalid"));
		replay(NULL, path, cases[i].good ? 0 : HEDDLE_FAULT);
		/* Facts of the older version, where these are expected. */
		write_one(NULL);
		replay(on, path, HEDDLE_FAULT);
		unlink(path);
	}
	heddle_config_free(on);
}
