/* Profiles of kernels whose counts are known. */
#include <stdio.h>
#include <string.h>

#include "run_ptx.h"
#include "test.h"

struct profiled {
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_profile *profile;
	heddle_ptr out;
	struct heddle_result result;
};

static void start(struct profiled *p, const char *text, unsigned threads)
{
	struct heddle_device_options o = { .threads = threads };

	EQ(HEDDLE_OK, heddle_device_new(&p->dev, &o, NULL));
	EQ(HEDDLE_OK, heddle_module_load(p->dev, &p->mod, "t.ptx", text,
					 strlen(text), NULL));
	EQ(HEDDLE_OK, heddle_alloc(p->dev, 1 << 20, &p->out, NULL));
	EQ(HEDDLE_OK, heddle_profile_new(&p->profile, NULL));
}

static void launch(struct profiled *p, uint32_t grid, uint32_t block)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { grid, 1, 1 },
				   .block = { block, 1, 1 },
				   .shared_bytes = 32768,
				   .params = &p->out,
				   .param_bytes = sizeof(p->out),
				   .profile = p->profile };

	EQ(HEDDLE_OK, heddle_launch(p->dev, p->mod, &l, &p->result, NULL));
}

static void end(struct profiled *p)
{
	heddle_profile_free(p->profile);
	heddle_module_free(p->dev, p->mod);
	heddle_device_free(p->dev);
}

/* The row of the first instruction whose text starts with this. */
static struct heddle_profile_row row(struct profiled *p, const char *start_of)
{
	struct heddle_profile_row r;
	size_t n = heddle_profile_count(p->profile);

	for (size_t i = 0; i < n; i++) {
		EQ(HEDDLE_OK, heddle_profile_get(p->profile, i, &r, NULL));
		if (strstr(r.instruction, start_of))
			return r;
	}
	printf("no row for %s\n", start_of);
	OK(0);
	return r;
}

TEST(profile, executions_add_up_to_the_instructions_of_the_launch)
{
	struct profiled p;
	struct heddle_profile_row r;
	uint64_t sum = 0, lanes = 0;

	start(&p,
	      KERNEL("setp.lt.u32 %p1, %r0, 7; @%p1 bra L;\n"
		     "add.u32 %r1, %r0, 1; L: st.global.u32 [%rd1], %r1; ret;"),
	      3);
	launch(&p, 5, 70);
	for (size_t i = 0; i < heddle_profile_count(p.profile); i++) {
		EQ(HEDDLE_OK, heddle_profile_get(p.profile, i, &r, NULL));
		sum += r.executions;
		lanes += r.lanes;
	}
	EQ(p.result.warp_instructions, sum);
	EQ(p.result.thread_instructions, lanes);
	end(&p);
}

TEST(profile, a_branch_that_parts_the_warp_is_counted)
{
	struct profiled p;
	struct heddle_profile_row r;

	start(&p,
	      KERNEL("setp.lt.u32 %p1, %r0, 7; @%p1 bra L;\n"
		     "add.u32 %r1, %r0, 1; L: st.global.u32 [%rd1], %r1; ret;"),
	      1);
	launch(&p, 1, 64);
	r = row(&p, "bra");
	EQ(1, r.branches);
	EQ(2, r.executions);
	EQ(7, r.lanes);
	EQ(1, r.diverged); /* the second warp goes one way */
	STREQ("branch", r.unit);
	end(&p);
}

TEST(profile, global_accesses_count_sectors_and_how_many_were_needed)
{
	struct profiled p;
	struct heddle_profile_row r;

	start(&p,
	      KERNEL("ld.global.u32 %r1, [%rd1];\n"
		     "mul.wide.u32 %rd2, %r0, 128; add.u64 %rd2, %rd0, %rd2;\n"
		     "st.global.u32 [%rd2], %r1; ret;"),
	      1);
	launch(&p, 1, 32);
	r = row(&p, "ld.global");
	EQ(1, r.global.requests);
	EQ(4, r.global.parts);
	EQ(4, r.global.ideal);
	EQ(0, r.writes);
	r = row(&p, "st.global");
	EQ(32, r.global.parts);
	EQ(4, r.global.ideal);
	EQ(1, r.writes);
	EQ(BODY_LINE + 2, r.ptx_line);
	end(&p);
}

TEST(profile, shared_accesses_count_passes_generic_ones_too)
{
	struct profiled p;
	struct heddle_profile_row r;

	start(&p,
	      MODULE(".extern .shared .align 16 .b8 sh[];",
		     "mul.lo.u32 %r2, %r0, 8; st.shared.u32 [%r2], %r0;\n"
		     "mul.wide.u32 %rd3, %r0, 128; cvta.shared.u64 %rd4, %rd3;\n"
		     "ld.u32 %r3, [%rd4]; ret;"),
	      1);
	launch(&p, 1, 32);
	EQ(2, row(&p, "st.shared").shared.parts);
	r = row(&p, "ld.u32");
	EQ(1, r.shared.requests);
	EQ(32, r.shared.parts);
	EQ(1, r.shared.ideal);
	EQ(0, r.global.requests);
	end(&p);
}

TEST(profile, launches_add_up_and_another_module_is_refused)
{
	struct profiled p, q;
	struct heddle_launch l;

	start(&p, KERNEL("st.global.u32 [%rd1], %r0; ret;"), 2);
	start(&q, KERNEL("st.global.u32 [%rd1], %r0; ret;"), 2);
	launch(&p, 3, 32);
	launch(&p, 4, 32);
	EQ(7, row(&p, "st.global").executions);
	l = (struct heddle_launch){ .kernel = "k",
				    .grid = { 1, 1, 1 },
				    .block = { 1, 1, 1 },
				    .params = &q.out,
				    .param_bytes = sizeof(q.out),
				    .profile = p.profile };
	EQ(HEDDLE_RANGE, heddle_launch(q.dev, q.mod, &l, &q.result, NULL));
	end(&p);
	end(&q);
}

TEST(profile, watching_changes_neither_results_nor_counts)
{
	static const char text[] =
		KERNEL("mov.u32 %r1, 0; mov.u32 %r2, %r0;\n"
		       "L: add.u32 %r1, %r1, %r2; sub.u32 %r2, %r2, 1;\n"
		       "setp.gt.s32 %p1, %r2, 0; @%p1 bra L;\n"
		       "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\n"
		       "st.global.u32 [%rd1], %r3; ret;");
	struct run plain = { .block = { 32, 1, 1 } };
	struct profiled p;
	uint32_t got[32];

	run_ok(&plain, text);
	start(&p, text, 1);
	launch(&p, 1, 32);
	EQ(HEDDLE_OK, heddle_read(p.dev, got, p.out, sizeof(got), NULL));
	EQ(0, memcmp(got, plain.w, sizeof(got)));
	EQ(plain.result.warp_instructions, p.result.warp_instructions);
	EQ(plain.result.thread_instructions, p.result.thread_instructions);
	end(&p);
}
