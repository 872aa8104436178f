/* mem.kind = latency: hit or miss by the tags, then a fixed latency. */
#include "test.h"

#include "rig.h"

#define FIXED                                                \
	"sm.count=1 mem.kind=latency mem.shared_latency=17 " \
	"mem.l1_latency=23 mem.l2_latency=61 mem.dram_latency=147 "
#define REST "nanosleep.u32 1000; "
#define LOAD "ld.global.u32 %r8, [%mine]; add.u32 %r9, %r8, 1; "
#define SCATTERED                                                             \
	"mul.wide.u32 %rd1, %l, 128; add.u64 %rd1, %rd1, %data; " REST CLOCK( \
		0) "ld.global.u32 %r8, [%rd1]; add.u32 %r9, %r8, 1; " CLOCK(1)

TEST(latency_model, shared_memory_takes_its_latency_whatever_the_conflicts)
{
	EQ(17 + 2,
	   rig_between(
		   MODULE(".shared .align 4 .b8 s[4096];",
			  "mov.u32 %r1, s; mad.lo.u32 %r1, %l, 128, %r1; " REST
				  CLOCK(0) "ld.shared.u32 %r8, [%r1]; "
					   "add.u32 %r9, %r8, 1; " CLOCK(1)),
		   FIXED));
}

TEST(latency_model, a_miss_everywhere_takes_the_latency_of_the_dram)
{
	EQ(147 + 2, rig_between(KERNEL(CLOCK(0) LOAD CLOCK(1)), FIXED));
	EQ(147 + 2, rig_between(KERNEL(SCATTERED), FIXED));
}

TEST(latency_model, a_hit_in_the_l2_takes_its_latency)
{
	EQ(61 + 2, rig_between_warm(KERNEL(CLOCK(0) LOAD CLOCK(1)), FIXED));
	EQ(61 + 2, rig_between_warm(KERNEL(SCATTERED),
				    FIXED "net.sm_in=1 net.slice_out=1"));
}

TEST(latency_model, a_hit_in_the_l1_takes_its_latency)
{
	EQ(23 + 2,
	   rig_between(KERNEL(LOAD REST CLOCK(0) LOAD CLOCK(1)), FIXED));
}

TEST(latency_model, around_the_l1_it_is_the_l2)
{
	EQ(61 + 2, rig_between(KERNEL(LOAD REST CLOCK(
				       0) "ld.global.cg.u32 %r8, [%mine]; "
					  "add.u32 %r9, %r8, 1; " CLOCK(1)),
			       FIXED));
}

static struct rig r;

/* How many sectors a body has requested from the DRAM. */
static uint64_t missed(const char *body, const char *set)
{
	uint64_t n;

	rig_open(&r, rig_text("", body, NULL), set);
	rig_run(&r, 1, 32);
	n = rig_stat(&r, "l2.sectors_missed");
	rig_close(&r);
	return n;
}

TEST(latency_model, sectors_that_miss_are_counted)
{
	EQ(4, missed(LOAD, FIXED));
	EQ(4, missed(LOAD REST LOAD, FIXED));
	EQ(32, missed(SCATTERED, FIXED));
	EQ(4, missed("atom.global.add.u32 %r8, [%mine], 1; ", FIXED));
}
