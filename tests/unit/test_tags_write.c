#include "test.h"

#include "mem/tags.h"

struct rig {
	struct arena arena;
	struct tags *t;
	struct tags_out out;
	uint32_t tokens[64];
	struct diag d;
};

/* One set, with at most so many dirty lines; 0: no limit. */
static void rig_init_set(struct rig *r, uint32_t ways, uint32_t dirty,
			 bool write_back, enum tags_write_miss miss)
{
	struct tags_cfg c = {
		.bytes = 128 * ways,
		.line_bytes = 128,
		.sector_bytes = 32,
		.ways = ways,
		.dirty_ways = dirty,
		.mshrs = 2,
		.merges = 4,
		.write_back = write_back,
		.write_miss = miss,
	};

	*r = (struct rig){ 0 };
	EQ(ERR_OK, tags_new(&r->t, &r->arena, &c, &r->d));
	arena_seal(&r->arena);
}

/* One set of two ways. */
static void rig_init(struct rig *r, bool write_back, enum tags_write_miss miss)
{
	rig_init_set(r, 2, 0, write_back, miss);
}

static void rig_free(struct rig *r)
{
	STREQ(NULL, tags_broken_law(r->t));
	arena_free(&r->arena);
}

static enum tags_result rd(struct rig *r, uint64_t line, unsigned sectors)
{
	return tags_read(r->t, line, sectors, 0, &r->out);
}

static void bring(struct rig *r, uint64_t line, unsigned sectors)
{
	rd(r, line, sectors);
	tags_fill(r->t, line, r->out.request, r->tokens);
}

/* Writes some bytes of one sector. */
static enum tags_result wr(struct rig *r, uint64_t line, uint32_t sector,
			   uint32_t bytes)
{
	uint32_t all[4] = { bytes, bytes, bytes, bytes };

	return tags_write(r->t, line, 1u << sector, all, &r->out);
}

TEST(tags_write, around_does_not_allocate_on_a_miss)
{
	struct rig r;

	rig_init(&r, false, TAGS_AROUND);
	EQ(TAGS_MISS, wr(&r, 3, 1, 0xff));
	EQ(0x2, r.out.forward);
	EQ(0, r.out.request);
	EQ(0, tags_probe(r.t, 3).present);
	rig_free(&r);
}

TEST(tags_write, through_forwards_a_hit_and_keeps_it_valid_and_clean)
{
	struct rig r;

	rig_init(&r, false, TAGS_AROUND);
	bring(&r, 3, 0x2);
	EQ(TAGS_HIT, wr(&r, 3, 1, 0xff));
	EQ(0x2, r.out.forward);
	EQ(0x2, tags_probe(r.t, 3).valid);
	EQ(0, tags_probe(r.t, 3).written);
	EQ(TAGS_MISS, wr(&r, 3, 0, ~0u));
	EQ(0x2, tags_probe(r.t, 3).valid);
	EQ(0, tags_dirty_lines(r.t));
	rig_free(&r);
}

TEST(tags_write, a_write_counts_as_a_use_for_lru)
{
	struct rig r;

	rig_init(&r, false, TAGS_AROUND);
	bring(&r, 1, 0xf);
	bring(&r, 2, 0xf);
	wr(&r, 1, 0, 1);
	rd(&r, 3, 1);
	EQ(2, r.out.victim.line);
	rig_free(&r);
}

TEST(tags_write, fetch_requests_a_sector_written_in_part)
{
	struct rig r;

	rig_init(&r, false, TAGS_FETCH);
	EQ(TAGS_MISS, wr(&r, 3, 1, 0xff));
	EQ(0x2, r.out.forward);
	EQ(0x2, r.out.request);
	EQ(TAGS_PENDING, rd(&r, 3, 0x2));
	EQ(1, tags_fill(r.t, 3, 0x2, r.tokens));
	EQ(TAGS_HIT, rd(&r, 3, 0x2));
	EQ(1, tags_stats(r.t)->write_fetches);
	rig_free(&r);
}

TEST(tags_write, fetch_does_not_request_a_sector_written_whole)
{
	struct rig r;

	rig_init(&r, true, TAGS_FETCH);
	EQ(TAGS_MISS, wr(&r, 3, 1, ~0u));
	EQ(0, r.out.request);
	EQ(0, r.out.forward);
	EQ(TAGS_HIT, rd(&r, 3, 0x2));
	EQ(0, tags_outstanding(r.t));
	rig_free(&r);
}

TEST(tags_write, fetch_stalls_without_an_mshr)
{
	struct rig r;

	rig_init(&r, true, TAGS_FETCH);
	wr(&r, 1, 0, 1);
	wr(&r, 2, 0, 1);
	EQ(TAGS_STALL_MSHR, wr(&r, 3, 0, 1));
	EQ(TAGS_STALL_WAY, wr(&r, 3, 0, ~0u));
	EQ(TAGS_MISS, wr(&r, 1, 1, 1));
	EQ(2, tags_stats(r.t)->stall_mshr + tags_stats(r.t)->stall_way);
	rig_free(&r);
}

TEST(tags_write, back_absorbs_a_write_and_marks_its_bytes)
{
	struct rig r;

	rig_init(&r, true, TAGS_VALIDATE);
	EQ(TAGS_MISS, wr(&r, 3, 1, 0xf0));
	EQ(0, r.out.forward);
	EQ(0, r.out.request);
	EQ(0x2, tags_probe(r.t, 3).written);
	EQ(0, tags_probe(r.t, 3).valid);
	EQ(1, tags_dirty_lines(r.t));
	EQ(0, tags_outstanding(r.t));
	EQ(TAGS_HIT, wr(&r, 3, 1, 0x0f));
	EQ(1, tags_dirty_lines(r.t));
	rig_free(&r);
}

TEST(tags_write, an_eviction_returns_the_dirty_bytes_of_each_sector)
{
	struct rig r;

	rig_init(&r, true, TAGS_VALIDATE);
	wr(&r, 3, 1, 0xf0);
	wr(&r, 3, 1, 0x0000ff00);
	wr(&r, 3, 3, ~0u);
	bring(&r, 3, 0x1);
	bring(&r, 4, 0x1);
	EQ(TAGS_MISS, rd(&r, 5, 0x1));
	EQ(1, r.out.victim.evicted);
	EQ(3, r.out.victim.line);
	EQ(0xa, r.out.victim.dirty);
	EQ(0x0000fff0, r.out.victim.bytes[1]);
	EQ(~0u, r.out.victim.bytes[3]);
	EQ(0, tags_dirty_lines(r.t));
	EQ(1, tags_stats(r.t)->dirty_evictions);
	EQ(2, tags_stats(r.t)->dirty_sectors);
	rig_free(&r);
}

TEST(tags_write, a_line_that_replaces_a_dirty_one_is_clean)
{
	struct rig r;

	rig_init(&r, true, TAGS_VALIDATE);
	wr(&r, 1, 0, 0xff);
	wr(&r, 2, 0, 0xff);
	wr(&r, 3, 0, 0x100);
	EQ(0xff, r.out.victim.bytes[0]);
	wr(&r, 4, 1, 1);
	wr(&r, 5, 1, 1);
	EQ(3, r.out.victim.line);
	EQ(0x1, r.out.victim.dirty);
	EQ(0x100, r.out.victim.bytes[0]);
	rig_free(&r);
}

TEST(tags_write, writes_that_complete_a_sector_make_it_valid)
{
	for (int back = 0; back < 2; back++) {
		struct rig r;

		rig_init(&r, back, TAGS_VALIDATE);
		wr(&r, 3, 2, 0x0000ffff);
		EQ(0, tags_probe(r.t, 3).valid);
		wr(&r, 3, 2, 0xffff0000);
		EQ(0x4, tags_probe(r.t, 3).valid);
		EQ(back ? 0x4 : 0, tags_probe(r.t, 3).written);
		EQ(TAGS_HIT, rd(&r, 3, 0x4));
		rig_free(&r);
	}
}

TEST(tags_write, a_read_of_a_partly_written_sector_fetches_the_rest)
{
	struct rig r;

	rig_init(&r, true, TAGS_VALIDATE);
	wr(&r, 3, 1, 0xff);
	EQ(TAGS_MISS, rd(&r, 3, 0x2));
	EQ(0x2, r.out.request);
	EQ(1, tags_stats(r.t)->read_partials);
	wr(&r, 3, 1, 0xff00);
	tags_fill(r.t, 3, 0x2, r.tokens);
	EQ(TAGS_HIT, rd(&r, 3, 0x2));
	rd(&r, 4, 1);
	tags_fill(r.t, 4, 1, r.tokens);
	rd(&r, 5, 1);
	EQ(3, r.out.victim.line);
	EQ(0xffff, r.out.victim.bytes[1]);
	rig_free(&r);
}

TEST(tags_write, a_write_stalls_when_all_ways_are_in_flight)
{
	struct rig r;

	rig_init(&r, true, TAGS_VALIDATE);
	rd(&r, 1, 1);
	rd(&r, 2, 1);
	EQ(TAGS_STALL_WAY, wr(&r, 3, 0, 1));
	EQ(TAGS_HIT, wr(&r, 1, 0, 1));
	tags_fill(r.t, 2, 1, r.tokens);
	EQ(TAGS_MISS, wr(&r, 3, 0, 1));
	EQ(2, r.out.victim.line);
	EQ(0, r.out.victim.dirty);
	rig_free(&r);
}

TEST(tags_write, back_around_absorbs_hits_and_forwards_the_rest)
{
	struct rig r;

	rig_init(&r, true, TAGS_AROUND);
	bring(&r, 3, 0x1);
	EQ(TAGS_MISS, tags_write(r.t, 3, 0x3, NULL, &r.out));
	EQ(0x2, r.out.forward);
	EQ(0x1, tags_probe(r.t, 3).written);
	EQ(TAGS_MISS, wr(&r, 9, 0, 1));
	EQ(0, tags_probe(r.t, 9).present);
	rig_free(&r);
}

TEST(tags_write, cleaning_returns_every_dirty_line_once_and_keeps_it)
{
	struct rig r;
	struct tags_victim v;
	uint32_t cursor = 0;

	rig_init(&r, true, TAGS_VALIDATE);
	wr(&r, 1, 0, ~0u);
	wr(&r, 2, 1, 0xff);
	OK(tags_clean_next(r.t, &cursor, &v));
	EQ(1, v.line);
	EQ(0x1, v.dirty);
	EQ(~0u, v.bytes[0]);
	OK(tags_clean_next(r.t, &cursor, &v));
	EQ(2, v.line);
	EQ(0xff, v.bytes[1]);
	OK(!tags_clean_next(r.t, &cursor, &v));
	EQ(TAGS_HIT, rd(&r, 1, 0x1));
	/* Line 2 had no complete sector. */
	EQ(0, tags_probe(r.t, 2).present);
	EQ(0, tags_dirty_lines(r.t));
	EQ(2, tags_stats(r.t)->cleans);
	rig_free(&r);
}

TEST(tags_write, a_resize_with_dirty_lines_is_a_bug)
{
	struct rig r;

	rig_init(&r, true, TAGS_VALIDATE);
	wr(&r, 1, 0, 1);
	DIES(tags_resize(r.t, 1, 1));
	tags_invalidate(r.t, 1);
	tags_resize(r.t, 1, 1);
	rig_free(&r);
}

TEST(tags_write, a_write_of_no_bytes_is_a_bug)
{
	struct rig r;

	rig_init(&r, true, TAGS_VALIDATE);
	DIES(wr(&r, 1, 0, 0));
	DIES(tags_write(r.t, 1, 0, NULL, &r.out));
	DIES(tags_write(r.t, 1, 0x10, NULL, &r.out));
	rig_free(&r);
}

TEST(tags_write, a_large_sector_is_written_in_pieces_of_32_bytes)
{
	struct tags_cfg c = {
		.bytes = 256,
		.line_bytes = 128,
		.sector_bytes = 128,
		.ways = 2,
		.mshrs = 2,
		.merges = 4,
		.write_back = true,
		.write_miss = TAGS_VALIDATE,
	};
	struct rig r = { 0 };

	EQ(ERR_OK, tags_new(&r.t, &r.arena, &c, &r.d));
	for (uint32_t i = 0; i < 4; i++) {
		EQ(0, tags_probe(r.t, 3).valid);
		tags_write(r.t, 3, 1u << i, NULL, &r.out);
	}
	EQ(1, tags_probe(r.t, 3).valid);
	wr(&r, 4, 2, 0xff);
	tags_write(r.t, 5, 0xf, NULL, &r.out);
	EQ(3, r.out.victim.line);
	for (int i = 0; i < 4; i++)
		EQ(~0u, r.out.victim.bytes[i]);
	tags_write(r.t, 6, 0xf, NULL, &r.out);
	EQ(1, r.out.victim.dirty);
	EQ(0, r.out.victim.bytes[1]);
	EQ(0xff, r.out.victim.bytes[2]);
	rig_free(&r);
}

/* Copies from the host: whole sectors, at once. */
TEST(tags_write, what_is_placed_can_be_read_and_nothing_else)
{
	struct rig r;

	rig_init(&r, true, TAGS_FETCH);
	tags_place(r.t, 5, 1u << 1);
	EQ(TAGS_HIT, rd(&r, 5, 1u << 1));
	EQ(TAGS_MISS, rd(&r, 5, 1u << 0));
	EQ(1u << 0, r.out.request);
	/* Beside what is on its way, and over it: that comes all the same. */
	tags_place(r.t, 5, 1u << 2 | 1u << 0);
	EQ(TAGS_HIT, rd(&r, 5, 1u << 2));
	EQ(TAGS_HIT, rd(&r, 5, 1u << 0));
	EQ(1u, tags_fill(r.t, 5, 1u << 0, r.tokens));
	EQ(TAGS_HIT, rd(&r, 5, 7u));
	EQ(TAGS_MISS, rd(&r, 5, 1u << 3));
	tags_fill(r.t, 5, 1u << 3, r.tokens);
	/* It is dirty: once it is evicted, it is written. */
	bring(&r, 6, 1);
	EQ(TAGS_MISS, rd(&r, 7, 1));
	OK(r.out.victim.evicted);
	EQ(7u, r.out.victim.dirty);
	tags_fill(r.t, 7, 1, r.tokens);
	rig_free(&r);
}

TEST(tags_write, a_write_beyond_the_limit_cleans_the_oldest_dirty_line)
{
	struct rig r;

	rig_init_set(&r, 4, 2, true, TAGS_VALIDATE);
	bring(&r, 10, 1);
	EQ(TAGS_MISS, wr(&r, 11, 0, UINT32_MAX));
	EQ(TAGS_MISS, wr(&r, 12, 1, UINT32_MAX));
	EQ(0, r.out.victim.dirty);
	/* 10 is older, but clean; 11 was used after 12. */
	EQ(TAGS_HIT, rd(&r, 11, 1));
	EQ(TAGS_MISS, wr(&r, 13, 0, UINT32_MAX));
	OK(!r.out.victim.evicted);
	EQ(12, r.out.victim.line);
	EQ(2, r.out.victim.dirty);
	EQ(UINT32_MAX, r.out.victim.bytes[1]);
	EQ(2, tags_dirty_lines(r.t));
	EQ(2, tags_probe(r.t, 12).valid);
	/* A line that is dirty already may be written again. */
	EQ(TAGS_HIT, wr(&r, 11, 0, 1));
	EQ(0, r.out.victim.dirty);
	/* A dirty victim makes room: 10 and 12 go first, and are clean. */
	EQ(TAGS_MISS, rd(&r, 14, 1));
	OK(r.out.victim.evicted);
	EQ(0, r.out.victim.dirty);
	tags_fill(r.t, 14, r.out.request, r.tokens);
	EQ(TAGS_MISS, rd(&r, 15, 1));
	OK(r.out.victim.evicted);
	tags_fill(r.t, 15, r.out.request, r.tokens);
	EQ(TAGS_MISS, wr(&r, 16, 0, 1));
	OK(r.out.victim.evicted);
	EQ(13, r.out.victim.line);
	EQ(1, r.out.victim.dirty);
	EQ(2, tags_dirty_lines(r.t));
	rig_free(&r);
}

/* One set of four ways that two lines may lack a part of. */
static void rig_init_partial(struct rig *r)
{
	struct tags_cfg c = {
		.bytes = 512,
		.line_bytes = 128,
		.sector_bytes = 32,
		.ways = 4,
		.partial_ways = 2,
		.group = 2,
		.mshrs = 1,
		.merges = 4,
		.write_back = true,
		.write_miss = TAGS_VALIDATE,
	};

	*r = (struct rig){ 0 };
	EQ(ERR_OK, tags_new(&r->t, &r->arena, &c, &r->d));
	arena_seal(&r->arena);
}

TEST(tags_write, a_write_beyond_the_limit_completes_the_oldest_partial_line)
{
	struct rig r;

	rig_init_partial(&r);
	wr(&r, 1, 0, 1);
	wr(&r, 1, 3, 1);
	wr(&r, 2, 0, 1);
	EQ(0, r.out.complete);
	wr(&r, 1, 1, ~0u); /* line 2 is the oldest now */
	EQ(0, r.out.complete);
	wr(&r, 3, 2, 1);
	EQ(0x1, r.out.complete);
	EQ(2, r.out.complete_line);
	EQ(0, r.out.request);
	EQ(0, tags_fill_mshr(r.t, r.out.complete_mshr, 0x1, r.tokens));
	EQ(0x1, tags_probe(r.t, 2).valid);
	EQ(0x1, r.out.victim.dirty);
	EQ(2, r.out.victim.line);
	EQ(0, tags_probe(r.t, 2).written);
	/* Another sector of a line that lacks something already counts once. */
	wr(&r, 3, 3, 1);
	EQ(0, r.out.complete);
	wr(&r, 4, 0, 1);
	EQ(0x9, r.out.complete);
	EQ(1, r.out.complete_line);
	tags_fill(r.t, 1, 0x9, r.tokens);
	EQ(0xb, tags_probe(r.t, 1).valid);
	rig_free(&r);
}

TEST(tags_write, without_an_mshr_a_partial_line_stays_as_it_is)
{
	struct rig r;

	rig_init_partial(&r);
	rd(&r, 9, 0x1); /* takes the only one */
	wr(&r, 1, 0, 1);
	wr(&r, 2, 0, 1);
	wr(&r, 3, 0, 1);
	EQ(0, r.out.complete);
	tags_fill(r.t, 9, 0x3, r.tokens);
	wr(&r, 3, 1, 1);
	EQ(0x1, r.out.complete);
	EQ(1, r.out.complete_line);
	tags_fill(r.t, 1, 0x1, r.tokens);
	rig_free(&r);
}

TEST(tags_write, what_is_claimed_is_valid_and_goes_on)
{
	struct rig r;

	rig_init(&r, false, TAGS_AROUND);
	EQ(TAGS_MISS, tags_claim(r.t, 3, 0x5, &r.out));
	EQ(0x5, r.out.forward);
	EQ(0, r.out.request);
	EQ(0x5, tags_probe(r.t, 3).valid);
	EQ(0, tags_dirty_lines(r.t));
	EQ(TAGS_HIT, rd(&r, 3, 0x4));
	EQ(TAGS_HIT, tags_claim(r.t, 3, 0x4, &r.out));
	/* A sector in flight stays so, and wakes its reader. */
	EQ(TAGS_MISS, rd(&r, 3, 0x2));
	EQ(TAGS_HIT, tags_claim(r.t, 3, 0x2, &r.out));
	EQ(0x2, tags_probe(r.t, 3).pending);
	EQ(1, tags_fill(r.t, 3, 0x2, r.tokens));
	rig_free(&r);
}

TEST(tags_write, a_claim_stalls_when_all_ways_are_in_flight)
{
	struct rig r;

	rig_init(&r, false, TAGS_AROUND);
	rd(&r, 1, 1);
	rd(&r, 2, 1);
	EQ(TAGS_STALL_WAY, tags_claim(r.t, 3, 1, &r.out));
	tags_fill(r.t, 1, 1, r.tokens);
	EQ(TAGS_MISS, tags_claim(r.t, 3, 1, &r.out));
	tags_fill(r.t, 2, 1, r.tokens);
	rig_free(&r);
}
