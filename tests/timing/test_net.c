/*
 * Ports and wires between SMs and slices. Rules: net/port.h, mem/partition.h:
 * the ports of a slice are part of l2.hit_latency if that is long enough; the
 * time spent waiting for a port is added. Bytes: net.header = 8, 32 a sector.
 */
#include <stdio.h>

#include "test.h"

#include "rig.h"

static struct rig r;

enum { L1_PART = 5 + 3, WIRES = 10 + 10, L2_HIT = 7 };

#define QUIET                                                               \
	"unit.lsu.lanes=64 lsu.return_width=1024 l1.mshrs=64 l1.bytes=32K " \
	"net.queue=64 l2.mshrs=64 regs.read_ports=4 "                       \
	"dispatch.blocks_per_cycle=64 "
#define LONE "sm.count=1 " QUIET
#define LOAD                                           \
	KERNEL(CLOCK(0) "ld.global.u32 %r8, [%mine]; " \
			"add.u32 %r9, %r8, 1; " CLOCK(1))

TEST(net, a_load_pays_both_ways)
{
	EQ(L1_PART + WIRES + L2_HIT + 2, rig_between_warm(LOAD, LONE));
	EQ(L1_PART + 25 + 10 + L2_HIT + 2,
	   rig_between_warm(LOAD, LONE "net.request_latency=25"));
	EQ(L1_PART + 10 + 33 + L2_HIT + 2,
	   rig_between_warm(LOAD, LONE "net.reply_latency=33"));
}

TEST(net, the_ports_of_a_slice_are_part_of_its_latency)
{
	/* In: 8 bytes, 1 cycle. Out: 136 bytes, 17 cycles of 8. */
	EQ(L1_PART + WIRES + 1 + 17 + 2,
	   rig_between_warm(LOAD, LONE "net.slice_out=8"));
	/* In: 4 cycles of 2 bytes. Out: 5 cycles of 32. */
	EQ(L1_PART + WIRES + 4 + 5 + 2,
	   rig_between_warm(LOAD, LONE "net.slice_in=2"));
	/* 1 + 6 cycles still fit into 7. */
	EQ(L1_PART + WIRES + L2_HIT + 2,
	   rig_between_warm(LOAD, LONE "net.slice_out=23"));
	EQ(L1_PART + WIRES + 1 + 5 + 2,
	   rig_between_warm(LOAD, LONE "l2.hit_latency=1"));
}

/* Half of the lanes read one line, half another, a sector each, in different
 * slices (l2.interleave = 256). */
#define TWO_LINES                                                      \
	KERNEL("shr.u32 %r1, %l, 4; mul.wide.u32 %rd1, %r1, 256; "     \
	       "add.u64 %rd1, %rd1, %data; nanosleep.u32 100; " CLOCK( \
		       0) "ld.global.u32 %r8, [%rd1]; add.u32 %r9, %r8, 1; " CLOCK(1))

TEST(net, answers_queue_at_the_port_of_their_sm)
{
	/* Looked up a cycle apart, so the second comes a cycle later. */
	EQ(L1_PART + WIRES + L2_HIT + 1 + 2, rig_between_warm(TWO_LINES, LONE));
	/* An answer of 40 bytes takes 4 cycles of 10: the second starts to
	 * pass when the first has. */
	EQ(L1_PART + WIRES + L2_HIT + 4 + 2,
	   rig_between_warm(TWO_LINES, LONE "net.sm_in=10"));
}

TEST(net, requests_queue_at_the_port_of_their_sm)
{
	/* A request of 8 bytes takes 4 cycles of 2. */
	EQ(L1_PART + WIRES + L2_HIT + 4 + 2,
	   rig_between_warm(TWO_LINES, LONE "net.sm_out=2"));
}

/* Each SM reads a line at offset + its number * stride; the latencies go to
 * late[], less that of a load alone. */
static void contend(int sms, const char *stride, const char *set,
		    uint64_t late[])
{
	char all[512];

	snprintf(all, sizeof(all), QUIET "sm.count=%d %s", sms, set);
	rig_open(
		&r,
		rig_text(
			"", "mul.wide.u32 %rd1, %b, ", stride,
			"; add.u64 %rd1, %rd1, %mine; nanosleep.u32 100; " CLOCK(
				0) "ld.global.u32 %r8, [%rd1]; "
				   "add.u32 %r9, %r8, 1; " CLOCK(1),
			NULL),
		all);
	rig_warm(&r, 0, 8192);
	rig_run(&r, (uint32_t)sms, 32);
	rig_close(&r);
	for (int i = 0; i < sms; i++) {
		EQ(r.c[0][0], r.c[i][0]);
		late[i] = r.c[i][1] - r.c[i][0] - L1_PART - WIRES - L2_HIT - 2;
	}
}

TEST(net, answers_of_one_slice_pass_its_port_one_after_the_other)
{
	uint64_t late[4];

	/* 136 bytes take 4.25 cycles of 32; the n-th answer has passed at
	 * 4.25 n, rounded up, the first at 5. In the order of the SMs. */
	contend(4, "0", "", late);
	EQ(0, late[0]);
	EQ(9 - 5, late[1]);
	EQ(13 - 5, late[2]);
	EQ(17 - 5, late[3]);
}

TEST(net, a_slice_looks_up_one_request_a_cycle)
{
	uint64_t late[4];

	contend(4, "0", "net.slice_out=4096", late);
	for (uint64_t i = 0; i < 4; i++)
		EQ(i, late[i]);
	contend(4, "0", "net.slice_out=4096 l2.lookups=2", late);
	for (uint64_t i = 0; i < 4; i++)
		EQ(i / 2, late[i]);
}

TEST(net, slices_have_ports_of_their_own_unless_they_share_a_channel)
{
	uint64_t late[2];

	contend(2, "256", "", late);
	EQ(0, late[0]);
	EQ(0, late[1]);
	contend(2, "256", "net.channels=1", late);
	EQ(0, late[0] < late[1] ? late[0] : late[1]);
	EQ(9 - 5, late[0] > late[1] ? late[0] : late[1]);
}

TEST(net, without_credits_requests_wait_for_one)
{
	/* One credit for each slice, two lines of one slice: the second request
	 * is sent when the first has been taken from the slice's queue and the
	 * credit is back. Issued at 1, the first arrives at 1 + 5 + 10, passes
	 * the port in one cycle, and its credit takes 10 cycles: 27. The
	 * second, looked up at 6, is sent then, after what is left of the miss
	 * latency, 1 cycle. */
	EQ(27 + 1 + 10 + L2_HIT + 10 + 3 + 1,
	   rig_between_warm(
		   KERNEL("shr.u32 %r1, %l, 4; mul.wide.u32 %rd1, %r1, 128; "
			  "add.u64 %rd1, %rd1, %data; nanosleep.u32 100; " CLOCK(
				  0) "ld.global.u32 %r8, [%rd1]; "
				     "add.u32 %r9, %r8, 1; " CLOCK(1)),
		   LONE "net.queue=1 lat.mem.cycles=4"));
}

static uint64_t l2_bytes_in(const char *text)
{
	uint64_t n;

	rig_open(&r, text, LONE);
	rig_run(&r, 1, 32);
	n = rig_stat(&r, "l2.bytes_in");
	rig_close(&r);
	return n;
}

#define ATOM "atom.global.add.u32 %r8, [%mine], 1; add.u32 %r9, %r8, 1; "

TEST(net, an_atomic_carries_a_word_of_each_lane)
{
	const char *atom = KERNEL(CLOCK(0) ATOM CLOCK(1));

	/* A header of 8 bytes and 4 for each lane. */
	EQ(8 + 32 * 4, l2_bytes_in(SILENT("red.global.add.u32 [%mine], 1; ")));
	EQ(8 + 3 * 4, l2_bytes_in(SILENT("setp.lt.u32 %p1, %l, 3; @%p1 "
					 "red.global.add.u32 [%mine], 1; ")));
	/* They pass the port of the slice. */
	EQ(136 - 68, rig_between_warm(atom, LONE "net.slice_in=1") -
			     rig_between_warm(atom, LONE "net.slice_in=2"));
}
