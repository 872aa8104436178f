/*
 * When SMs see what others have done to memory. Rules: simt/view.h and "Memory
 * inside a window" of the architecture: stores are seen by others from the
 * next multiple of the epoch on, by their own SM at once.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "rig.h"

static struct rig r;

/* An epoch of 10 cycles: the minimum of the three. */
#define TEN                                            \
	"net.request_latency=10 net.reply_latency=10 " \
	"dispatch.block_latency=10 dispatch.blocks_per_cycle=64 "

/* Block 0 stores a flag at some time; block 1, on another SM, polls it and
 * keeps the clocks before its last two loads. */
#define FLAG(delay)                                                          \
	KERNEL("setp.ne.u32 %p1, %b, 0; @%p1 bra A; nanosleep.u32 " delay    \
	       "; " CLOCK(                                                   \
		       0) "st.volatile.global.u32 [%data], 7; bra J; "       \
			  "A: mov.u64 %c2, %c3; " CLOCK(                     \
				  3) "ld.volatile.global.u32 %r1, [%data]; " \
				     "setp.ne.u32 %p2, %r1, 7; @%p2 bra A; J:")

static void seen(const char *text, const char *set, uint64_t epoch)
{
	uint64_t stored, from;

	rig_open(&r, text, set);
	rig_run(&r, 2, 32);
	rig_close(&r);
	stored = r.c[0][0] + 1;
	from = (stored / epoch + 1) * epoch;
	OK(r.c[1][3] + 1 >= from);
	OK(r.c[1][2] + 1 < from);
}

TEST(epoch, a_store_is_seen_by_another_sm_from_the_next_epoch_on)
{
	seen(FLAG("100"), TEN, 10);
	seen(FLAG("101"), TEN, 10);
	seen(FLAG("105"), TEN, 10);
	seen(FLAG("108"), TEN, 10);
	seen(FLAG("109"), TEN, 10);
	seen(FLAG("104"), TEN "mem.epoch=3", 3);
	seen(FLAG("104"), TEN "mem.epoch=1", 1);
}

TEST(epoch, a_warp_sees_its_own_store_at_once)
{
	rig_open(&r,
		 KERNEL("st.global.u32 [%mine], %l; ld.global.u32 %r1, "
			"[%mine]; cvt.u64.u32 %c0, %r1; "),
		 TEN);
	rig_run(&r, 1, 32);
	EQ(31, r.c[0][0]); /* the last lane's */
	rig_close(&r);
}

TEST(epoch, atomics_that_arrive_together_are_performed_in_the_order_of_sms)
{
	rig_open(&r,
		 KERNEL("setp.ne.u32 %p1, %l, 0; nanosleep.u32 100; "
			"@%p1 bra J; atom.global.add.u32 %r1, [%data], 1; "
			"J: shfl.sync.idx.b32 %r1, %r1, 0, 31, -1; "
			"cvt.u64.u32 %c0, %r1; "),
		 TEN "sm.count=4");
	rig_run(&r, 4, 32);
	for (unsigned i = 0; i < 4; i++)
		EQ(i, r.c[i][0]);
	EQ(4, rig_word(&r, 0));
	rig_close(&r);
}

TEST(epoch, an_earlier_atomic_is_performed_first)
{
	/* The SM with the higher number is earlier by more than an epoch. */
	rig_open(&r,
		 KERNEL("setp.ne.u32 %p1, %b, 0; @%p1 bra A; "
			"nanosleep.u32 30; A: setp.ne.u32 %p1, %l, 0; "
			"@%p1 bra J; atom.global.add.u32 %r1, [%data], 1; "
			"J: shfl.sync.idx.b32 %r1, %r1, 0, 31, -1; "
			"cvt.u64.u32 %c0, %r1; "),
		 TEN);
	rig_run(&r, 2, 32);
	EQ(1, r.c[0][0]);
	EQ(0, r.c[1][0]);
	rig_close(&r);
}

/*
 * Every warp overwrites the same words and adds up what it finds there, with
 * plain accesses, atomics and a barrier: the result depends on the order of
 * everything.
 */
#define RACE                                                             \
	KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 1; "                        \
	       "A: and.b32 %r3, %r2, 7; mul.wide.u32 %rd1, %r3, 4; "     \
	       "add.u64 %rd1, %rd1, %data; "                             \
	       "ld.volatile.global.u32 %r4, [%rd1]; "                    \
	       "mad.lo.u32 %r2, %r2, 5, %r4; add.u32 %r5, %r2, %w; "     \
	       "st.volatile.global.u32 [%rd1], %r5; "                    \
	       "atom.global.add.u32 %r6, [%rd1+64], %w; "                \
	       "xor.b32 %r2, %r2, %r6; st.global.u32 [%mine+128], %r2; " \
	       "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; "         \
	       "@%p1 bra A; cvt.u64.u32 %c0, %r2; ")

static void race(uint64_t window, uint64_t c[WARPS][CLOCKS], uint32_t words[64],
		 uint64_t *cycles)
{
	memset(&r, 0, sizeof(r));
	r.window = window;
	rig_open_on(&r, "tiny", RACE, TEN "sm.count=5");
	rig_run(&r, 15, 64);
	memcpy(c, r.c, sizeof(r.c));
	for (uint64_t i = 0; i < 64; i++)
		words[i] = rig_word(&r, i);
	*cycles = r.result.cycles;
	rig_close(&r);
}

TEST(epoch, a_race_ends_the_same_in_every_window_and_every_time)
{
	static uint64_t a[WARPS][CLOCKS], b[WARPS][CLOCKS];
	uint32_t x[64], y[64];
	uint64_t cycles, again;

	race(0, a, x, &cycles);
	for (uint64_t window = 0; window <= 10; window++) {
		race(window, b, y, &again);
		EQ(cycles, again);
		OK(!memcmp(a, b, sizeof(a)));
		OK(!memcmp(x, y, sizeof(x)));
	}
}
