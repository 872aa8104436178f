/*
 * The first accesses to regions of memory. Rules: sm/tlb.h. tiny.cfg has no
 * translations; here a region is 4 KiB, and the data are in the L2.
 */
#include "test.h"

#include "rig.h"

static struct rig r;

/* A walk begins when the load is issued; without, its request leaves four cycles
 * later. */
enum { L2_HIT = 5 + 10 + 7 + 10 + 3, WALK = 300, NEXT = 70, WARM = 8448 };

#define QUIET                                                             \
	"sm.count=1 unit.lsu.lanes=64 lsu.return_width=1024 l1.mshrs=64 " \
	"l1.bytes=32K net.queue=64 l2.mshrs=64 regs.read_ports=4 "        \
	"dispatch.blocks_per_cycle=64 tlb.walk_latency=300 "              \
	"tlb.walk_interval=70 "
#define WALKS QUIET "tlb.region=4K tlb.copies=no "
/* One lane, one sector, at the beginning of a region or elsewhere. */
#define LOAD(to, at) "ld.global.cg.u32 %r" to ", [%data+" at "]; "
#define USE(from) "add.u32 %r9, %r" from ", 1; "
#define REST "nanosleep.u32 2000; "

static uint64_t between(const char *set, const char *code)
{
	rig_open(&r, rig_text("", CLOCK(0), code, CLOCK(1), NULL), set);
	rig_warm(&r, 0, WARM);
	rig_run(&r, 1, 32);
	rig_close(&r);
	return r.c[0][1] - r.c[0][0];
}

TEST(tlb, the_first_access_to_a_region_waits_for_its_translation)
{
	const char *one = LOAD("8", "0") USE("8");

	EQ(L2_HIT + 2, between(QUIET, one));
	EQ(L2_HIT + 2 + WALK - 4, between(WALKS, one));
}

TEST(tlb, later_accesses_do_not_wait)
{
	rig_open(&r,
		 KERNEL(LOAD("8", "0") USE("8") REST CLOCK(0) LOAD("8", "256")
				USE("8") CLOCK(1) REST CLOCK(2)
					LOAD("8", "8192") USE("8") CLOCK(3)),
		 WALKS);
	rig_warm(&r, 0, WARM);
	rig_run(&r, 1, 32);
	EQ(L2_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(L2_HIT + 2 + WALK - 4, r.c[0][3] - r.c[0][2]);
	OK(rig_stat(&r, "lsu.stall_tlb") > 2 * WALK - 20);
	/* The next launch finds what this one has used. */
	rig_run(&r, 1, 32);
	EQ(L2_HIT + 2, r.c[0][3] - r.c[0][2]);
	EQ(0, rig_stat(&r, "lsu.stall_tlb"));
	rig_close(&r);
}

TEST(tlb, walks_overlap)
{
	const char *two = LOAD("7", "0") LOAD("8", "8192") USE("8");

	EQ(L2_HIT + 3, between(QUIET, two));
	/* The second begins NEXT cycles after the first. */
	EQ(L2_HIT + 2 + NEXT + WALK - 4, between(WALKS, two));
}

TEST(tlb, copies_of_the_host_leave_translations)
{
	EQ(L2_HIT + 2,
	   between(QUIET "tlb.region=4K ", LOAD("8", "0") USE("8")));
}

TEST(tlb, a_fixed_latency_has_no_translations)
{
	const char *load = LOAD("8", "0") USE("8");

	EQ(between(QUIET "mem.kind=latency ", load),
	   between(WALKS "mem.kind=latency ", load));
}
