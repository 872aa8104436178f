/* The return path from the LSU to the registers: sm/back.h. */
#include "test.h"

#include <string.h>

#include "sm/back.h"

static struct back b;

static void fresh(uint32_t width)
{
	memset(&b, 0, sizeof(b));
	back_init(&b, width);
}

TEST(back, results_share_the_width)
{
	fresh(32);
	EQ(100, back_pass(&b, 50, 100, 128));
	/* The cycles before were taken by the first one. */
	EQ(104, back_pass(&b, 50, 100, 128));
	/* 128 bytes are in time, the others take longer. */
	EQ(208, back_pass(&b, 50, 200, 384));
	/* Cells before those of an earlier result are free. */
	EQ(100, back_pass(&b, 50, 96 + 4, 0));
	EQ(90, back_pass(&b, 50, 90, 64));
	EQ(92, back_pass(&b, 50, 90, 128));
}

TEST(back, half_of_a_cycle_is_left_for_another_result)
{
	fresh(64);
	EQ(100, back_pass(&b, 0, 100, 32));
	EQ(100, back_pass(&b, 0, 100, 32));
	EQ(100, back_pass(&b, 0, 100, 64));
	EQ(101, back_pass(&b, 0, 100, 1));
	EQ(102, back_pass(&b, 0, 100, 127));
}

/* The cells tell of 960 cycles; what is due later waits in line. */
TEST(back, results_far_ahead_queue_and_leave_the_cells_alone)
{
	fresh(32);
	EQ(5000, back_pass(&b, 0, 5000, 128));
	EQ(5004, back_pass(&b, 0, 5000, 128));
	EQ(5005, back_pass(&b, 0, 5000, 1));
	/* The cell of cycle 4996 is that of cycle 900. */
	EQ(904, back_pass(&b, 0, 904, 128));
	EQ(908, back_pass(&b, 0, 904, 128));
	/* When the cycles have come close, they are taken. */
	EQ(5009, back_pass(&b, 4500, 5000, 128));
	EQ(4996, back_pass(&b, 4500, 4996, 128));
	EQ(5012, back_pass(&b, 4500, 5012, 96));
	EQ(5014, back_pass(&b, 4500, 5012, 64));
}

TEST(back, the_last_cell_is_a_cell_and_the_next_is_not)
{
	const cycle_t end = BACK_CELLS - BACK_PAST;

	fresh(128);
	/* Data starts a cycle before: in the last cell. */
	EQ(end, back_pass(&b, 0, end, 128));
	EQ(0, b.over);
	EQ(end + 1, back_pass(&b, 0, end + 1, 128));
	EQ(end + 1, b.over);
	EQ(end, b.over_from);
}

enum { ORACLE = 100000 };
static uint32_t left[ORACLE];

/* The same with a cell for every cycle there is. */
static cycle_t oracle_pass(cycle_t ready, uint32_t bytes)
{
	cycle_t c = ready > b.lead ? ready - b.lead : 0;

	while (bytes) {
		uint32_t take = left[c] < bytes ? left[c] : bytes;

		left[c++] -= take;
		bytes -= take;
	}
	return c > ready ? c : ready;
}

TEST(back, random_results_pass_as_with_endless_cells)
{
	static const uint32_t widths[] = { 16, 32, 64, 128, 512 };
	uint64_t x = 17;

	for (int i = 0; i < 5; i++) {
		cycle_t now = 0;

		fresh(widths[i]);
		for (int c = 0; c < ORACLE; c++)
			left[c] = widths[i];
		for (int n = 0; n < 3000; n++) {
			cycle_t ready;
			uint32_t bytes;

			x = x * 6364136223846793005u + 1442695040888963407u;
			bytes = 1 + (uint32_t)(x >> 40) % 256;
			/* Faster than it can pass for a while, then slower. */
			if (n % 100 >= 40)
				now += 1 + (x >> 30) % (800 / widths[i] + 1);
			ready = now + 8 + (x >> 50) % 60;
			EQ(oracle_pass(ready, bytes),
			   back_pass(&b, now, ready, bytes));
			EQ(0, b.over); /* it stays within the cells */
		}
	}
}

/* Cells are cleared only where they were used. */
TEST(back, cells_are_free_again_after_any_wait)
{
	for (cycle_t wait = 1; wait < 3 * BACK_CELLS; wait += 7) {
		cycle_t now = 5000, end = now + BACK_CELLS - BACK_PAST;

		fresh(4);
		/* Two results up to the last cell, and one beyond it. */
		back_pass(&b, now, now + 100, 128);
		back_pass(&b, now, end - 8, 128);
		back_pass(&b, now, end - 8, 128);
		now += BACK_CELLS + wait;
		for (cycle_t c = now; c < now + BACK_CELLS - 2 * BACK_PAST;
		     c += 32)
			EQ(c + 32, back_pass(&b, now, c + 32, 128));
	}
}

/* The third result finds two full cells, which may be the last of their line. */
TEST(back, a_cell_behind_full_ones_is_free_again)
{
	for (cycle_t at = 100; at < 100 + 2 * BACK_LINE; at++) {
		cycle_t again = at + BACK_CELLS;

		fresh(128);
		for (cycle_t i = 0; i < 3; i++)
			EQ(at + i, back_pass(&b, 90, at, 128));
		for (cycle_t i = 0; i < 3; i++)
			EQ(again + i,
			   back_pass(&b, again - 10, again + i, 128));
	}
}
