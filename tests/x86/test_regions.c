/* Regions: what threads, nesting and markers without a partner count. */
#include "heddle/guest.h"
#include "isa/x86/region.h"
#include "test.h"

static struct x86_regions regions;

/* A marker at instruction `own` of the thread, and `now` of all. */
static void mark(unsigned thread, unsigned number, bool end, uint64_t own,
		 uint64_t now)
{
	struct x86_mark m = { .thread = thread,
			      .number = number,
			      .end = end,
			      .at = now,
			      .own = own,
			      .all = now,
			      .time = 10 * now };

	x86_regions_mark(&regions, &m);
}

static void leave(unsigned thread, uint64_t own, uint64_t now)
{
	struct x86_mark m = {
		.thread = thread, .own = own, .all = now, .time = 10 * now
	};

	x86_regions_leave(&regions, &m);
}

static const struct x86_region *of(unsigned number)
{
	return &regions.region[number];
}

static void start(void)
{
	x86_regions_free(&regions);
	regions = (struct x86_regions){ 0 };
}

TEST(regions, the_header_for_guests_has_the_same_numbers)
{
	EQ(X86_MARK, HEDDLE_REGION_MARK);
	EQ(X86_MARK_END, HEDDLE_REGION_MARK_END);
	EQ(X86_REGION_NUMBERS, HEDDLE_REGION_NUMBERS);
}

TEST(regions, a_region_inside_of_itself_counts_once)
{
	start();
	mark(0, 5, false, 100, 1000);
	mark(0, 5, false, 110, 1010);
	mark(0, 5, true, 120, 1020);
	EQ(0u, of(5)->own);
	mark(0, 5, true, 150, 1050);
	EQ(1u, of(5)->entries);
	EQ(50u, of(5)->own);
	EQ(500u, of(5)->time);
	mark(0, 5, false, 200, 2000);
	mark(0, 5, true, 201, 2001);
	EQ(2u, of(5)->entries);
	EQ(1u, of(5)->threads);
	EQ(51u, of(5)->all);
	start();
}

TEST(regions, time_with_several_threads_inside_counts_once)
{
	start();
	mark(0, 1, false, 0, 100);
	mark(1, 1, false, 0, 110);
	mark(0, 1, true, 20, 140);
	mark(1, 1, true, 30, 150);
	EQ(2u, of(1)->entries);
	EQ(2u, of(1)->threads);
	EQ(50u, of(1)->own);
	EQ(50u, of(1)->all);
	EQ(500u, of(1)->time);
	start();
}

TEST(regions, markers_without_a_partner_are_counted)
{
	start();
	mark(3, 7, true, 1, 10);
	mark(2, 7, true, 1, 11);
	EQ(2u, of(7)->ends.count);
	EQ(3u, of(7)->ends.thread);
	EQ(10u, of(7)->ends.at);
	mark(3, 8, false, 5, 20);
	/* Another thread's end is none of this one's. */
	mark(2, 8, true, 2, 21);
	EQ(1u, of(8)->ends.count);
	leave(2, 9, 30);
	EQ(0u, of(8)->begins.count);
	leave(3, 25, 40);
	EQ(1u, of(8)->begins.count);
	EQ(20u, of(8)->begins.at);
	EQ(20u, of(8)->own);
	EQ(200u, of(8)->time);
	EQ(0u, regions.visits);
	start();
}
