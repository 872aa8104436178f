/*
 * Accesses outside of allocations: they work in mapped pages, as on hardware,
 * with content and warnings that depend on the program only; or they fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simt/gmem.h"
#include "test.h"

#include "run_ptx.h"

LABEL(outside, threads);

#define TINY HEDDLE_SOURCE_DIR "/configs/tiny.cfg"
#define H200 HEDDLE_SOURCE_DIR "/configs/h200.cfg"

enum { SIZE = 1000, MIB = 1 << 20 };

/* A device with an allocation of SIZE bytes. */
struct rig {
	struct heddle_device *dev;
	struct heddle_module *mod;
	heddle_ptr out;
	struct heddle_result result;
	struct heddle_error err;
	char lines[4096]; /* of warnings, each with a newline */
};

static void rig_open(struct rig *r, const char *gpu, const char *engine,
		     unsigned threads)
{
	struct heddle_device_options o = { .memory_mode =
						   HEDDLE_MEMORY_HARDWARE,
					   .engine = engine,
					   .threads = threads };
	struct heddle_config *c = NULL;

	memset(r, 0, sizeof(*r));
	if (gpu)
		heddle_config_load(&c, gpu, &r->err);
	STREQ("", r->err.text);
	o.config = c;
	heddle_device_new(&r->dev, &o, &r->err);
	STREQ("", r->err.text);
	heddle_config_free(c);
	EQ(0, heddle_alloc(r->dev, SIZE, &r->out, NULL));
}

static void rig_close(struct rig *r)
{
	heddle_module_free(r->dev, r->mod);
	heddle_device_free(r->dev);
}

static void keep_line(void *ctx, const char *kernel, const char *line)
{
	struct rig *r = ctx;
	size_t n = strlen(r->lines);

	snprintf(r->lines + n, sizeof(r->lines) - n, "kernel %s, %s\n", kernel,
		 line);
}

/* Loads a module and launches its kernel. */
static int rig_run(struct rig *r, const char *text, uint32_t blocks,
		   uint32_t threads)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { blocks, 1, 1 },
				   .block = { threads, 1, 1 },
				   .params = &r->out,
				   .param_bytes = 8,
				   .warn = keep_line,
				   .ctx = r };

	heddle_module_free(r->dev, r->mod);
	heddle_module_load(r->dev, &r->mod, "t", text, strlen(text), &r->err);
	STREQ("", r->err.text);
	return heddle_launch(r->dev, r->mod, &l, &r->result, &r->err);
}

static uint32_t word_at(struct rig *r, heddle_ptr at)
{
	uint32_t w = 77;

	EQ(0, heddle_read(r->dev, &w, at, 4, NULL));
	return w;
}

/* Runs one thread of a kernel with a number in the place of the word N. */
static int rig_run_with(struct rig *r, const char *text, int64_t n)
{
	const char *at = strchr(text, 'N');
	char whole[2048];

	snprintf(whole, sizeof(whole), "%.*s%lld%s", (int)(at - text), text,
		 (long long)n, at + 1);
	return rig_run(r, whole, 1, 1);
}

/* What a thread reads at an offset from the output; that goes to its start. */
static uint32_t reads(struct rig *r, int64_t offset)
{
	rig_run_with(r,
		     KERNEL("ld.global.u32 %r1, [%rd0+N]; "
			    "st.global.u32 [%rd0], %r1; ret;"),
		     offset);
	STREQ("", r->err.text);
	return word_at(r, r->out);
}

/* Writes a word of value 42 and returns what the next launch reads there. */
static uint32_t writes(struct rig *r, int64_t offset)
{
	rig_run_with(r,
		     KERNEL("mov.u32 %r1, 42; st.global.u32 [%rd0+N], %r1; "
			    "ret;"),
		     offset);
	STREQ("", r->err.text);
	return reads(r, offset);
}

static int reads_badly(struct rig *r, int64_t offset)
{
	return rig_run_with(r, KERNEL("ld.global.u32 %r1, [%rd0+N]; ret;"),
			    offset);
}

TEST(outside, bytes_that_nobody_wrote_are_zero_and_written_ones_stay)
{
	struct rig r;

	rig_open(&r, NULL, NULL, 1);
	EQ(0, heddle_set(r.dev, r.out, 0xff, SIZE, NULL));
	EQ(0u, reads(&r, SIZE));
	EQ(0u, reads(&r, 5000));
	EQ(0u, reads(&r, -8));
	EQ(42u, writes(&r, SIZE));
	EQ(42u, writes(&r, 5000));
	EQ(42u, writes(&r, -8));
	EQ(42u, reads(&r, SIZE));
	EQ(0u, reads(&r, 5004));
	EQ(1u, r.result.outside_accesses);
	rig_close(&r);
}

TEST(outside, without_pages_it_is_a_fault)
{
	struct run r = { 0 };

	run_ptx(&r, KERNEL("ld.global.u32 %r1, [%rd0+4096]; ret;"));
	EQ(HEDDLE_FAULT, r.status);
	EQ(HEDDLE_FAULT_ADDRESS, r.result.fault.kind);
	EQ(0u, r.result.outside_accesses);
}

TEST(outside, an_allocation_that_takes_the_bytes_zeroes_them)
{
	char zero[8192] = { 0 }, got[8192];
	heddle_ptr b;
	struct rig r;

	rig_open(&r, NULL, NULL, 1);
	EQ(42u, writes(&r, 5000));
	EQ(0, heddle_alloc(r.dev, sizeof(got), &b, NULL));
	OK(b <= r.out + 5000 && r.out + 5004 <= b + sizeof(got));
	EQ(0, heddle_read(r.dev, got, b, sizeof(got), NULL));
	EQ(0, memcmp(zero, got, sizeof(got)));
	EQ(0, heddle_set(r.dev, b, 0xee, sizeof(got), NULL));
	EQ(0, heddle_free(r.dev, b, NULL));
	EQ(0u, reads(&r, 5000));
	rig_close(&r);
}

TEST(outside, a_page_is_mapped_while_an_allocation_has_bytes_in_it)
{
	heddle_ptr big, last;
	struct rig r;

	rig_open(&r, NULL, NULL, 1);
	EQ(0, heddle_alloc(r.dev, 6 * MIB, &big, NULL));
	EQ(0, heddle_alloc(r.dev, 4, &last, NULL));
	EQ(0, heddle_set(r.dev, big, 0xee, 6 * MIB, NULL));
	EQ(0, heddle_free(r.dev, big, NULL));
	EQ(0u, reads(&r, (int64_t)(last - r.out) - 512));
	EQ(0u, reads(&r, 4096));
	EQ(HEDDLE_FAULT, reads_badly(&r, 2 * MIB));
	EQ(HEDDLE_FAULT_ADDRESS, r.result.fault.kind);
	OK(strstr(r.err.text, "where nothing is allocated") != NULL);
	EQ(0, heddle_free(r.dev, last, NULL));
	EQ(HEDDLE_FAULT, reads_badly(&r, (int64_t)(last - r.out)));
	/* What was written goes with the page. */
	EQ(0, heddle_alloc(r.dev, 4 * MIB, &big, NULL));
	EQ(42u, writes(&r, 5 * MIB));
	EQ(0, heddle_free(r.dev, big, NULL));
	EQ(0, heddle_alloc(r.dev, 4 * MIB, &big, NULL));
	EQ(0u, reads(&r, 5 * MIB));
	rig_close(&r);
}

/* The same bytes behind the end of an allocation, whatever accesses them. */
static const struct {
	const char *text;
	uint32_t threads, word; /* of the result */
	uint64_t accesses;
} accesses[] = {
	/* A vector whose first two words are the allocation's last. */
	{ KERNEL("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd0+992]; "
		 "add.u32 %r1, %r1, %r3; st.global.u32 [%rd0], %r1; ret;"),
	  1, 0xffffffff, 1 },
	{ KERNEL("ld.u16 %rs1, [%rd0+1000]; cvt.u32.u16 %r1, %rs1; "
		 "st.global.u32 [%rd0], %r1; ret;"),
	  1, 0, 1 },
	{ KERNEL("atom.global.add.u32 %r1, [%rd0+1004], 5; "
		 "atom.add.u32 %r1, [%rd0+1004], 5; membar.gl; "
		 "red.global.add.u32 [%rd0+1004], 5; membar.gl; "
		 "st.global.u32 [%rd0], %r1; ret;"),
	  1, 5, 3 },
	{ MODULE(".shared .align 16 .b8 s[16];",
		 "mov.u32 %r1, s; cp.async.cg.shared.global [%r1], [%rd0+992], "
		 "16; cp.async.wait_all; ld.shared.u32 %r2, [%r1+8]; "
		 "ld.shared.u32 %r3, [%r1+4]; add.u32 %r2, %r2, %r3; "
		 "st.global.u32 [%rd0], %r2; ret;"),
	  1, 0xffffffff, 1 },
	/* 512 bytes of which only the first chunks are allocated. */
	{ MODULE(".shared .align 16 .b8 s[512]; .shared .align 8 .b64 m;",
		 "mov.u32 %r1, m; mov.u32 %r2, s; "
		 "mbarrier.init.shared::cta.b64 [%r1], 1; "
		 "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 512; "
		 "mov.u32 %r3, 6; st.global.u32 [%rd0+1300], %r3; "
		 "membar.gl; fence.proxy.async; "
		 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
		 "::bytes [%r2], [%rd0+928], 512, [%r1];\n"
		 "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; "
		 "@!%p1 bra W; ld.shared.u32 %r4, [%r2+372]; "
		 "ld.shared.u32 %r5, [%r2]; add.u32 %r4, %r4, %r5; "
		 "st.global.u32 [%rd0], %r4; ret;"),
	  1, 5, 2 },
	/* Rows of 64 bytes, 64 apart: the last ones are outside, and one lies
	 * on both sides of the end of the granule. Two lanes name each row. */
	{ KERNEL("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
		 "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd0+32], 16; "
		 "add.u64 %rd2, %rd0, 992; "
		 "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 "
		 "[%rd2], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, 16; "
		 "membar.gl; ld.global.u32 %r1, [%rd0+1024]; "
		 "st.global.u32 [%rd0], %r1; ret;"),
	  32, 0xffffffff, 2 + 32 + 32 },
	/* Every lane is outside, as words of consecutive halves. */
	{ KERNEL("st.global.u32 [%rd1+2048], %r0; "
		 "ld.global.u32 %r2, [%rd1+2048]; "
		 "st.global.u32 [%rd1], %r2; ret;"),
	  32, 0, 64 },
};

TEST(outside, every_kind_of_access_works_with_and_without_time)
{
	static const char *const gpus[] = { NULL, H200 };

	for (size_t i = 0; i < 2 * sizeof(accesses) / sizeof(accesses[0]);
	     i++) {
		size_t k = i / 2;
		struct rig r;

		rig_open(&r, gpus[i % 2], NULL, 1);
		EQ(0, heddle_set(r.dev, r.out, 0xff, SIZE, NULL));
		rig_run(&r, accesses[k].text, 1, accesses[k].threads);
		STREQ("", r.err.text);
		EQ(accesses[k].word, word_at(&r, r.out));
		EQ(accesses[k].accesses, r.result.outside_accesses);
		rig_close(&r);
	}
}

TEST(outside, other_mistakes_are_faults_as_ever)
{
	static const struct {
		const char *text;
		enum heddle_fault_kind kind;
	} bad[] = {
		{ KERNEL("mov.u64 %rd2, 0; ld.u32 %r1, [%rd2]; ret;"),
		  HEDDLE_FAULT_ADDRESS },
		{ KERNEL("mov.u64 %rd2, 0; ld.global.u32 %r1, [%rd2+4096]; "
			 "ret;"),
		  HEDDLE_FAULT_ADDRESS },
		{ KERNEL("ld.global.u32 %r1, [%rd0+1002]; ret;"),
		  HEDDLE_FAULT_MISALIGNED },
		/* The page ends 0x1fff00 bytes after the allocation begins. */
		{ KERNEL("ld.global.u32 %r1, [%rd0+0x1fff00]; ret;"),
		  HEDDLE_FAULT_ADDRESS },
		{ KERNEL("st.global.u8 [%rd0+0x1fff00], %rs1; ret;"),
		  HEDDLE_FAULT_ADDRESS },
		{ MODULE(".const .b32 c[4];",
			 "mov.u64 %rd2, c; ld.const.u32 %r1, [%rd2+65536]; "
			 "ret;"),
		  HEDDLE_FAULT_ADDRESS },
		{ MODULE(".shared .b32 s[4];",
			 "mov.u32 %r1, s; ld.shared.u32 %r2, [%r1+16]; ret;"),
		  HEDDLE_FAULT_SHARED },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rig r;

		rig_open(&r, NULL, NULL, 1);
		rig_run(&r, bad[i].text, 1, 1);
		if (!r.err.code)
			STREQ("a fault", bad[i].text);
		EQ(bad[i].kind, r.result.fault.kind);
		STREQ("", r.lines);
		rig_close(&r);
	}
}

TEST(outside, the_last_byte_of_a_page_works)
{
	struct rig r;

	rig_open(&r, NULL, NULL, 1);
	EQ(0x100u, r.out % GMEM_PAGE); /* as the test above assumes */
	EQ(0u, reads(&r, 0x1ffefc));
	rig_close(&r);
}

/* Blocks of 64 threads read a word each, from 16 bytes before the allocation to
 * 8 bytes past its end. Some of block 0 access words before it, in two
 * instructions of one line. */
static const char warned[] =
	KERNEL("mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0; "
	       "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd0, %rd2; "
	       "setp.ne.u32 %p1, %r1, 0;\n"
	       "ld.global.u32 %r3, [%rd2+-16];\n"
	       "@%p1 bra DONE;\n"
	       "st.global.u32 [%rd1+-64], %r0; ld.global.u32 %r3, [%rd1+-64];\n"
	       "DONE: ret;");

static const char warnings[] =
	"kernel k, t:9: 4-byte load from global memory at 0x2000008000f0, 16 "
	"bytes before the allocation of 1000 bytes at 0x200000800100 (6 such "
	"accesses in this launch)\n"
	"kernel k, t:11: 4-byte store to global memory at 0x2000008000c0, 64 "
	"bytes before the allocation of 1000 bytes at 0x200000800100 (32 such "
	"accesses in this launch)\n";

TEST(outside, warnings_are_the_same_for_all_threads_and_engines)
{
	static const struct {
		const char *gpu, *engine;
		unsigned threads;
	} ways[] = {
		{ NULL, NULL, 1 },     { NULL, NULL, 4 },
		{ TINY, "serial", 1 }, { TINY, "exact", 2 },
		{ TINY, "exact", 3 },  { TINY, "cycle", 2 },
		{ H200, "serial", 1 }, { H200, "exact", 4 },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct rig r;

		rig_open(&r, ways[i].gpu, ways[i].engine, ways[i].threads);
		EQ(0, rig_run(&r, warned, 4, 64));
		STREQ(warnings, r.lines);
		EQ(38u, r.result.outside_accesses);
		rig_close(&r);
	}
}

TEST(outside, a_line_is_warned_about_once_on_a_device)
{
	struct rig r;

	rig_open(&r, NULL, NULL, 1);
	EQ(0, rig_run(&r, warned, 4, 64));
	EQ(0, rig_run(&r, warned, 4, 64));
	STREQ(warnings, r.lines);
	EQ(38u, r.result.outside_accesses);
	rig_close(&r);
	rig_open(&r, NULL, NULL, 1);
	EQ(0, rig_run(&r, warned, 4, 64));
	STREQ(warnings, r.lines);
	rig_close(&r);
}

TEST(outside, a_fault_has_no_warnings_beside_it)
{
	struct rig r;

	rig_open(&r, NULL, NULL, 1);
	EQ(HEDDLE_FAULT,
	   rig_run(&r, KERNEL("ld.global.u32 %r1, [%rd0+1000]; trap; ret;"), 1,
		   1));
	STREQ("", r.lines);
	rig_close(&r);
}

TEST(outside, how_far_is_said_from_the_nearest_allocation)
{
	static const struct {
		int64_t offset;
		const char *words;
	} cases[] = {
		{ SIZE, "0x2000008004e8, just past the end of the allocation "
			"of 1000 bytes at 0x200000800100 (1 such access in" },
		{ SIZE + 24,
		  "24 bytes past the end of the allocation of 1000" },
		{ SIZE + 200, "80 bytes before the allocation of 64 bytes" },
		{ 4096, "2752 bytes past the end of the allocation of 64" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		heddle_ptr b;
		struct rig r;

		rig_open(&r, NULL, NULL, 1);
		EQ(0, heddle_alloc(r.dev, 64, &b, NULL));
		EQ(0u, reads(&r, cases[i].offset));
		if (!strstr(r.lines, cases[i].words))
			STREQ(cases[i].words, r.lines);
		rig_close(&r);
	}
}

TEST(outside, memory_shared_with_the_host_has_such_bytes_too)
{
	struct rig r;
	heddle_ptr own;
	void *host;

	rig_open(&r, NULL, NULL, 1);
	own = r.out;
	EQ(0, heddle_alloc_shared(r.dev, 4096, &host, NULL));
	r.out = (uintptr_t)host;
	memset(host, 0xff, 4096);
	EQ(0u, reads(&r, 4096));
	EQ(42u, writes(&r, 4096));
	/* A sanitizer may have the address that the device would take; then
	 * there is no more than the granule behind. */
	if (r.out >> 40 == own >> 40)
		EQ(0u, reads(&r, 8192));
	rig_close(&r);
}

TEST(outside, mapped_host_memory_has_no_pages)
{
	static _Alignas(256) char mine[512];
	struct rig r;

	rig_open(&r, NULL, NULL, 1);
	EQ(0, heddle_map(r.dev, mine, 256, NULL));
	r.out = (uintptr_t)mine;
	EQ(HEDDLE_FAULT, reads_badly(&r, 256));
	rig_close(&r);
}

TEST(outside, pages_do_not_change_where_allocations_are)
{
	static const uint64_t sizes[] = { 1,       1000,    3 * MIB, 256,
					  2 * MIB, 5 * MIB, 7,       9 * MIB };
	struct diag d;
	struct gmem g[2];

	for (int paged = 0; paged < 2; paged++) {
		gmem_init(&g[paged], GMEM_BASE_32, 3u << 30);
		if (paged)
			gmem_page(&g[paged], 0);
	}
	for (unsigned i = 0; i < 200; i++) {
		uint64_t size = sizes[i * 7 % 8], at[2];

		for (int paged = 0; paged < 2; paged++)
			EQ(ERR_OK,
			   i % 5 == 4 ?
				   gmem_free(&g[paged],
					     g[paged].ranges[i % 3].range.base,
					     &d) :
				   gmem_alloc(&g[paged], size, &at[paged], &d));
		if (i % 5 != 4)
			EQ(at[0], at[1]);
		EQ(g[0].used, g[1].used);
	}
	gmem_free_all(&g[0]);
	gmem_free_all(&g[1]);
}

TEST(outside, pages_begin_after_what_is_skipped)
{
	uint64_t at;
	struct gmem g;
	struct diag d;

	gmem_init(&g, GMEM_BASE_64, 4 * MIB);
	gmem_page(&g, 1 << 30);
	gmem_skip(&g, 1 << 30);
	EQ(ERR_OK, gmem_alloc(&g, 4 * MIB, &at, &d));
	OK(gmem_outside(&g, at - 4, 4, false) != NULL);
	OK(gmem_outside(&g, at + 4 * MIB, 4, false) != NULL);
	gmem_free_all(&g);
	gmem_init(&g, GMEM_BASE_64, 4 * MIB);
	gmem_page(&g, UINT64_MAX); /* nothing is left */
	EQ(0u, g.paged_bytes);
	gmem_free_all(&g);
}

/* Memory shared with the host takes addresses, too. */
TEST(outside, what_lies_beyond_the_pages_is_never_found)
{
	uint64_t shared, own;
	struct gmem g;
	struct diag d;

	gmem_init(&g, GMEM_BASE_64, 2 * MIB);
	gmem_page(&g, 0);
	EQ(4u * MIB, g.paged_bytes);
	EQ(ERR_OK, gmem_alloc_shared(&g, 3 * MIB, &shared, &d));
	EQ(ERR_OK, gmem_alloc(&g, 2 * MIB, &own, &d));
	if (shared == GMEM_BASE_64) { /* else the host has something there */
		OK(own < GMEM_BASE_64 + 4 * MIB);
		OK(own + 2 * MIB > GMEM_BASE_64 + 4 * MIB);
		EQ(NULL, gmem_outside(&g, own + 2 * MIB, 4, true));
		EQ(NULL, gmem_outside(&g, own - 4, 8, false));
	}
	OK(gmem_find(&g, own, 2 * MIB) != NULL);
	EQ(NULL, gmem_outside(&g, UINT64_MAX - 3, 4, false));
	EQ(NULL, gmem_outside(&g, 0, 4, false));
	EQ(ERR_OK, gmem_free(&g, own, &d));
	EQ(ERR_OK, gmem_free(&g, shared, &d));
	gmem_free_all(&g);
}
