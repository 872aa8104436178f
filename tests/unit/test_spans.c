/* Spans of time: however many there are, no more are kept than fit. */
#include "base/spans.h"
#include "test.h"

TEST(spans, each_is_kept_while_there_is_room)
{
	static struct spans s;

	for (unsigned i = 0; i < SPANS_MOST; i++)
		spans_add(&s, i % 2, 10 * i, 10 * i + 5);
	EQ(SPANS_MOST, s.count);
	EQ(0, s.gap);
	EQ(35, s.at[3].end);
	EQ(1, s.at[3].kind);
	EQ(1, s.at[3].count);
}

TEST(spans, neighbours_of_a_kind_become_one_when_it_is_full)
{
	static struct spans s;
	uint64_t count[2] = { 0 }, end = 0;

	for (unsigned i = 0; i < 100000; i++)
		spans_add(&s, i % 2, 10 * i, 10 * i + 5);
	OK(s.count <= SPANS_MOST);
	OK(s.gap >= 15);
	for (unsigned i = 0; i < s.count; i++) {
		OK(s.at[i].begin < s.at[i].end);
		count[s.at[i].kind] += s.at[i].count;
		end = s.at[i].end > end ? s.at[i].end : end;
	}
	/* None is lost. */
	EQ(50000, count[0]);
	EQ(50000, count[1]);
	EQ(999995, end);
}

TEST(spans, what_is_far_from_others_stays_by_itself)
{
	static struct spans s;

	spans_add(&s, 7, 0, 1);
	for (unsigned i = 0; i < 5000; i++)
		spans_add(&s, 1, 1000000 + 2 * i, 1000000 + 2 * i + 1);
	spans_add(&s, 7, 9000000, 9000001);
	EQ(7, s.at[0].kind);
	EQ(1, s.at[0].end);
	EQ(7, s.at[s.count - 1].kind);
	EQ(1, s.at[s.count - 1].count);
}
