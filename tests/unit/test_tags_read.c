#include "test.h"

#include <string.h>

#include "mem/tags.h"

/* One array, and the answers of its last call. */
struct rig {
	struct arena arena;
	struct tags *t;
	struct tags_out out;
	uint32_t tokens[64];
	struct diag d;
};

/* Two sets of four ways: lines 0, 2, 4... share a set. */
static struct tags_cfg small(void)
{
	return (struct tags_cfg){
		.bytes = 1024,
		.line_bytes = 128,
		.sector_bytes = 32,
		.ways = 4,
		.mshrs = 6,
		.merges = 3,
	};
}

static void rig_init(struct rig *r, const struct tags_cfg *cfg)
{
	*r = (struct rig){ 0 };
	EQ(ERR_OK, tags_new(&r->t, &r->arena, cfg, &r->d));
	arena_seal(&r->arena);
}

static void rig_free(struct rig *r)
{
	STREQ(NULL, tags_broken_law(r->t));
	arena_free(&r->arena);
}

static enum tags_result rd(struct rig *r, uint64_t line, unsigned sectors)
{
	return tags_read(r->t, line, sectors, (uint32_t)line, &r->out);
}

/* Reads a line and fills it. */
static enum tags_result bring(struct rig *r, uint64_t line)
{
	enum tags_result e = rd(r, line, 0xf);

	if (r->out.request)
		tags_fill_mshr(r->t, r->out.mshr, r->out.request, r->tokens);
	return e;
}

/* Reads the line, which misses, and returns the line that it evicts. */
static uint64_t evicted_by(struct rig *r, uint64_t line)
{
	EQ(TAGS_MISS, bring(r, line));
	OK(r->out.victim.evicted);
	return r->out.victim.line;
}

TEST(tags_read, a_first_read_misses_and_fetches_its_sectors)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	EQ(TAGS_MISS, rd(&r, 5, 0x5));
	EQ(0x5, r.out.request);
	EQ(0, r.out.forward);
	EQ(0, r.out.victim.evicted);
	EQ(5, tags_mshr_line(r.t, r.out.mshr));
	EQ(1, tags_outstanding(r.t));
	EQ(1, tags_fill(r.t, 5, 0x5, r.tokens));
	EQ(5, r.tokens[0]);
	EQ(TAGS_HIT, rd(&r, 5, 0x4));
	EQ(0, r.out.request);
	rig_free(&r);
}

TEST(tags_read, an_absent_sector_of_a_present_line_is_fetched_alone)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	rd(&r, 5, 0x1);
	tags_fill(r.t, 5, 0x1, r.tokens);
	EQ(TAGS_MISS, rd(&r, 5, 0x3));
	EQ(0x2, r.out.request);
	EQ(1, tags_fill(r.t, 5, 0x2, r.tokens));
	EQ(0x3, tags_probe(r.t, 5).valid);
	rig_free(&r);
}

TEST(tags_read, a_read_of_what_is_in_flight_waits_for_it)
{
	struct tags_cfg c = small();
	struct rig r;
	uint32_t mshr;

	rig_init(&r, &c);
	rd(&r, 5, 0x3);
	mshr = r.out.mshr;
	EQ(TAGS_PENDING, tags_read(r.t, 5, 0x2, 77, &r.out));
	EQ(0, r.out.request);
	EQ(mshr, r.out.mshr);
	EQ(1, tags_outstanding(r.t));
	EQ(2, tags_fill(r.t, 5, 0x3, r.tokens));
	EQ(77, r.tokens[1]);
	rig_free(&r);
}

TEST(tags_read, more_sectors_of_a_line_in_flight_take_no_second_mshr)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	rd(&r, 5, 0x1);
	EQ(TAGS_MISS, tags_read(r.t, 5, 0x7, 8, &r.out));
	EQ(0x6, r.out.request);
	EQ(1, tags_outstanding(r.t));
	rig_free(&r);
}

TEST(tags_read, a_valid_sector_of_a_line_in_flight_hits)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	rd(&r, 5, 0x3);
	tags_fill(r.t, 5, 0x1, r.tokens);
	EQ(TAGS_HIT, rd(&r, 5, 0x1));
	EQ(1, tags_outstanding(r.t));
	rig_free(&r);
}

TEST(tags_read, a_token_returns_with_its_last_sector_in_the_order_of_reads)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	tags_read(r.t, 5, 0x3, 10, &r.out);
	tags_read(r.t, 5, 0x1, 11, &r.out);
	tags_read(r.t, 5, 0x6, 12, &r.out);
	EQ(1, tags_fill(r.t, 5, 0x1, r.tokens));
	EQ(11, r.tokens[0]);
	EQ(0, tags_fill(r.t, 5, 0x4, r.tokens));
	EQ(1, tags_outstanding(r.t));
	EQ(2, tags_fill(r.t, 5, 0x2, r.tokens));
	EQ(10, r.tokens[0]);
	EQ(12, r.tokens[1]);
	EQ(0, tags_outstanding(r.t));
	rig_free(&r);
}

TEST(tags_read, a_prefetch_fetches_the_line_and_wakes_no_read)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	EQ(TAGS_MISS, tags_read(r.t, 5, 0xf, TAGS_NO_TOKEN, &r.out));
	EQ(0, tags_fill(r.t, 5, 0xf, r.tokens));
	EQ(TAGS_HIT, rd(&r, 5, 0xf));
	rig_free(&r);
}

TEST(tags_read, merges_bound_the_reads_that_wait_for_one_line)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	EQ(TAGS_MISS, rd(&r, 5, 1));
	EQ(TAGS_PENDING, rd(&r, 5, 1));
	EQ(TAGS_PENDING, rd(&r, 5, 1));
	EQ(TAGS_STALL_MERGE, rd(&r, 5, 1));
	EQ(TAGS_STALL_MERGE, rd(&r, 5, 2));
	EQ(1, tags_probe(r.t, 5).pending);
	EQ(TAGS_MISS, rd(&r, 6, 1));
	EQ(2, tags_stats(r.t)->stall_merge);
	EQ(3, tags_fill(r.t, 5, 1, r.tokens));
	EQ(TAGS_HIT, rd(&r, 5, 1));
	rig_free(&r);
}

TEST(tags_read, mshrs_bound_the_lines_in_flight)
{
	struct tags_cfg c = small();
	struct rig r;

	c.mshrs = 2;
	rig_init(&r, &c);
	rd(&r, 0, 1);
	rd(&r, 1, 1);
	EQ(TAGS_STALL_MSHR, rd(&r, 2, 1));
	EQ(0, tags_probe(r.t, 2).present);
	EQ(TAGS_PENDING, rd(&r, 0, 1));
	tags_fill(r.t, 1, 1, r.tokens);
	EQ(TAGS_MISS, rd(&r, 2, 1));
	EQ(1, tags_stats(r.t)->stall_mshr);
	rig_free(&r);
}

TEST(tags_read, waiters_bound_all_reads_that_wait)
{
	struct tags_cfg c = small();
	struct rig r;

	c.waiters = 2;
	rig_init(&r, &c);
	rd(&r, 0, 1);
	rd(&r, 1, 1);
	EQ(TAGS_STALL_WAITER, rd(&r, 2, 1));
	EQ(TAGS_STALL_WAITER, rd(&r, 0, 1));
	EQ(TAGS_MISS, tags_read(r.t, 2, 1, TAGS_NO_TOKEN, &r.out));
	tags_fill(r.t, 0, 1, r.tokens);
	EQ(TAGS_PENDING, rd(&r, 2, 1));
	EQ(2, tags_stats(r.t)->stall_waiter);
	rig_free(&r);
}

TEST(tags_read, a_line_in_flight_is_never_a_victim)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	rd(&r, 0, 1);
	for (uint64_t line = 2; line < 40; line += 2)
		bring(&r, line);
	OK(tags_probe(r.t, 0).present);
	EQ(1, tags_fill(r.t, 0, 1, r.tokens));
	EQ(0, evicted_by(&r, 40));
	rig_free(&r);
}

TEST(tags_read, a_set_that_is_all_in_flight_stalls_and_the_other_does_not)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line += 2)
		EQ(TAGS_MISS, rd(&r, line, 1));
	EQ(TAGS_STALL_WAY, rd(&r, 8, 1));
	EQ(TAGS_MISS, rd(&r, 1, 1));
	tags_fill(r.t, 4, 1, r.tokens);
	EQ(TAGS_MISS, rd(&r, 8, 1));
	EQ(4, r.out.victim.line);
	EQ(1, tags_stats(r.t)->stall_way);
	rig_free(&r);
}

TEST(tags_read, empty_ways_are_taken_from_the_first)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	for (uint32_t i = 0; i < 4; i++) {
		bring(&r, 2 * i);
		EQ(0, r.out.victim.evicted);
		EQ(i, tags_probe(r.t, 2 * i).way);
	}
	rig_free(&r);
}

TEST(tags_read, lru_evicts_the_line_whose_last_access_is_oldest)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line += 2)
		bring(&r, line);
	EQ(TAGS_HIT, rd(&r, 0, 1));
	EQ(TAGS_HIT, rd(&r, 4, 1));
	EQ(2, evicted_by(&r, 8));
	EQ(6, evicted_by(&r, 10));
	EQ(0, evicted_by(&r, 12));
	EQ(TAGS_HIT, rd(&r, 4, 1));
	EQ(8, evicted_by(&r, 14));
	rig_free(&r);
}

TEST(tags_read, lru_counts_accesses_not_arrivals)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line += 2)
		rd(&r, line, 1);
	for (uint64_t line = 8; line > 0; line -= 2)
		tags_fill(r.t, line - 2, 1, r.tokens);
	EQ(0, evicted_by(&r, 8));
	EQ(2, evicted_by(&r, 10));
	rig_free(&r);
}

TEST(tags_read, fifo_evicts_in_the_order_of_allocation)
{
	struct tags_cfg c = small();
	struct rig r;

	c.replace = CFG_REPLACE_FIFO;
	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line += 2)
		bring(&r, line);
	EQ(TAGS_HIT, rd(&r, 0, 1));
	for (uint64_t line = 8; line < 40; line += 2)
		EQ(line - 8, evicted_by(&r, line));
	rig_free(&r);
}

/* Stores the ways that n misses in one full set take. */
static void random_ways(uint64_t seed, uint32_t *way, int n)
{
	struct tags_cfg c = small();
	struct rig r;

	c.replace = CFG_REPLACE_RANDOM;
	c.seed = seed;
	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line += 2)
		bring(&r, line);
	for (int i = 0; i < n; i++) {
		uint64_t line = 8 + 2 * (uint64_t)i;

		evicted_by(&r, line);
		way[i] = tags_probe(r.t, line).way;
	}
	rig_free(&r);
}

TEST(tags_read, random_replacement_repeats_with_its_seed_and_is_even)
{
	enum { N = 4000 };
	static uint32_t a[N], b[N], other[N];
	int hits[4] = { 0 };

	random_ways(1, a, N);
	random_ways(1, b, N);
	random_ways(2, other, N);
	EQ(0, memcmp(a, b, sizeof(a)));
	OK(memcmp(a, other, sizeof(a)) != 0);
	for (int i = 0; i < N; i++)
		hits[a[i]]++;
	for (int i = 0; i < 4; i++)
		OK(hits[i] > N / 4 - N / 20 && hits[i] < N / 4 + N / 20);
}

TEST(tags_read, invalidation_empties_the_array)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line++)
		bring(&r, line);
	tags_invalidate_all(r.t);
	for (uint64_t line = 0; line < 8; line++)
		EQ(0, tags_probe(r.t, line).present);
	EQ(TAGS_MISS, bring(&r, 6));
	EQ(0, r.out.victim.evicted);
	EQ(0, tags_probe(r.t, 6).way);
	rig_free(&r);
}

TEST(tags_read, what_is_in_flight_outlives_an_invalidation)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	bring(&r, 2);
	rd(&r, 0, 3);
	tags_fill(r.t, 0, 1, r.tokens);
	tags_invalidate_all(r.t);
	EQ(0, tags_probe(r.t, 2).present);
	EQ(0, tags_probe(r.t, 0).valid);
	EQ(1, tags_fill(r.t, 0, 2, r.tokens));
	EQ(2, tags_probe(r.t, 0).valid);
	rig_free(&r);
}

TEST(tags_read, the_way_emptied_last_is_taken_first)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line += 2)
		bring(&r, line);
	tags_invalidate(r.t, 2);
	tags_invalidate(r.t, 6);
	bring(&r, 8);
	EQ(3, tags_probe(r.t, 8).way);
	bring(&r, 10);
	EQ(1, tags_probe(r.t, 10).way);
	EQ(0, evicted_by(&r, 12));
	rig_free(&r);
}

TEST(tags_read, a_smaller_shape_holds_fewer_lines)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	for (uint64_t line = 0; line < 8; line++)
		bring(&r, line);
	tags_resize(r.t, 2, 1);
	EQ(0, tags_probe(r.t, 0).present);
	EQ(TAGS_MISS, bring(&r, 0));
	EQ(0, evicted_by(&r, 2));
	tags_resize(r.t, 1, 3);
	for (uint64_t line = 0; line < 3; line++)
		bring(&r, line);
	EQ(0, evicted_by(&r, 3));
	tags_resize(r.t, 2, 4);
	for (uint64_t line = 0; line < 8; line++)
		EQ(TAGS_MISS, bring(&r, line));
	for (uint64_t line = 0; line < 8; line++)
		EQ(TAGS_HIT, bring(&r, line));
	rig_free(&r);
}

TEST(tags_read, a_resize_with_lines_in_flight_is_a_bug)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	rd(&r, 0, 1);
	DIES(tags_resize(r.t, 1, 1));
	rig_free(&r);
}

TEST(tags_read, a_fill_of_what_is_not_in_flight_is_a_bug)
{
	struct tags_cfg c = small();
	struct rig r;

	rig_init(&r, &c);
	DIES(tags_fill(r.t, 0, 1, r.tokens));
	rd(&r, 0, 1);
	DIES(tags_fill(r.t, 0, 2, r.tokens));
	DIES(tags_fill_mshr(r.t, r.out.mshr, 3, r.tokens));
	rig_free(&r);
}

TEST(tags_read, sets_need_not_be_a_power_of_two)
{
	struct tags_cfg c = small();
	struct rig r;
	int in_set[12] = { 0 };

	c.bytes = 12 * 4 * 128;
	c.hash = MAP_ROTATE;
	rig_init(&r, &c);
	EQ(12, tags_sets(r.t));
	for (uint64_t line = 0; line < 48; line++) {
		bring(&r, line);
		EQ(0, r.out.victim.evicted);
		in_set[tags_probe(r.t, line).set]++;
	}
	for (int i = 0; i < 12; i++)
		EQ(4, in_set[i]);
	rig_free(&r);
}

TEST(tags_read, hashing_spreads_a_stride_that_falls_on_one_set)
{
	for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
		struct tags_cfg c = small();
		struct rig r;

		c.bytes = 64 * 4 * 128;
		c.hash = (enum map_hash)hash;
		rig_init(&r, &c);
		for (uint64_t i = 0; i < 200; i++)
			bring(&r, i * 64);
		if (hash == MAP_NONE)
			EQ(196, tags_stats(r.t)->evictions);
		else
			OK(tags_stats(r.t)->evictions < 20);
		rig_free(&r);
	}
}

TEST(tags_read, counters_distinguish_hits_waits_and_misses)
{
	struct tags_cfg c = small();
	struct rig r;
	const struct tags_stats *s;

	rig_init(&r, &c);
	rd(&r, 0, 0x3);
	rd(&r, 0, 0x2);
	rd(&r, 0, 0x6);
	tags_fill(r.t, 0, 0x7, r.tokens);
	rd(&r, 0, 0x7);
	s = tags_stats(r.t);
	EQ(4, s->reads);
	EQ(1, s->read_hits);
	EQ(1, s->read_pending);
	EQ(2, s->read_misses);
	EQ(8, s->read_sectors);
	EQ(3, s->sector_hits);
	EQ(2, s->sector_pending);
	EQ(3, s->sector_misses);
	EQ(1, s->fills);
	EQ(3, s->fill_sectors);
	rig_free(&r);
}

/* Returns the message of tags_new for a configuration that it refuses. */
static const char *refusal(struct tags_cfg c)
{
	static struct diag d;
	struct arena a = { 0 };
	struct tags *t;

	EQ(ERR_RANGE, tags_new(&t, &a, &c, &d));
	arena_free(&a);
	return d.text;
}

TEST(tags_read, an_impossible_shape_is_refused_with_the_reason)
{
	struct tags_cfg c = small();

	c.ways = 129;
	OK(strstr(refusal(c), "129 ways") != NULL);
	c = small();
	c.bytes = 1000;
	OK(strstr(refusal(c), "1000 bytes") != NULL);
	c = small();
	c.sector_bytes = 8;
	OK(strstr(refusal(c), "16 sectors") != NULL);
	c = small();
	c.sector_bytes = 256;
	OK(strstr(refusal(c), "sectors of 256") != NULL);
	c = small();
	c.mshrs = 0;
	OK(strstr(refusal(c), "0 MSHRs") != NULL);
	c = small();
	c.merges = 0;
	OK(strstr(refusal(c), "0 reads") != NULL);
	c.mshrs = c.merges = 65536;
	OK(strstr(refusal(c), "4294967296 reads") != NULL);
}
