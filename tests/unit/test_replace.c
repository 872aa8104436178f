/*
 * Replacement policies in one set of a tag array: the victims of short
 * sequences, derived by hand. test_tags_oracle.c compares long random ones.
 */
#include "test.h"

#include "cfg/param.h"
#include "mem/replace.h"
#include "mem/tags.h"

struct rig {
	struct arena arena;
	struct tags *t;
	struct tags_out out;
	uint32_t tokens[8];
};

static void rig_init(struct rig *r, enum cfg_replace policy, uint32_t ways)
{
	struct tags_cfg c = {
		.bytes = ways * 128,
		.line_bytes = 128,
		.sector_bytes = 32,
		.ways = ways,
		.mshrs = 16,
		.merges = 4,
		.replace = policy,
	};
	struct diag d;

	*r = (struct rig){ 0 };
	EQ(ERR_OK, tags_new(&r->t, &r->arena, &c, &d));
}

static void rig_free(struct rig *r)
{
	STREQ(NULL, tags_broken_law(r->t));
	arena_free(&r->arena);
}

/* Reads a line, named by a letter, and leaves it in flight if it misses. */
static enum tags_result rd(struct rig *r, char line)
{
	return tags_read(r->t, (uint64_t)line, 1, TAGS_NO_TOKEN, &r->out);
}

static void fill(struct rig *r, char line)
{
	tags_fill(r->t, (uint64_t)line, 1, r->tokens);
}

/* Reads the lines, which all hit. */
static void hits(struct rig *r, const char *lines)
{
	for (; *lines; lines++)
		EQ(TAGS_HIT, rd(r, *lines));
}

/*
 * Reads and fills the lines, which all miss. `left` has the line that each of
 * them evicts, '.' where it takes an empty way.
 */
static void misses(struct rig *r, const char *lines, const char *left)
{
	for (; *lines; lines++, left++) {
		EQ(TAGS_MISS, rd(r, *lines));
		EQ(*left,
		   r->out.victim.evicted ? (char)r->out.victim.line : '.');
		fill(r, *lines);
	}
}

TEST(replace, the_list_of_policies_is_that_of_the_parameters)
{
	const struct cfg_choice *l1 = cfg_params[CFG_ID_l1_replace].choices;
	const struct cfg_choice *l2 = cfg_params[CFG_ID_l2_replace].choices;
	int i;

	for (i = 0; l1[i].word; i++) {
		STREQ(l1[i].word, replace_all[i]->name);
		STREQ(l2[i].word, replace_all[i]->name);
	}
	EQ(NULL, (const void *)replace_all[i]);
}

TEST(replace, every_policy_takes_empty_ways_before_it_evicts)
{
	for (int p = 0; replace_all[p]; p++) {
		struct rig r;

		rig_init(&r, (enum cfg_replace)p, 3);
		misses(&r, "ABC", "...");
		hits(&r, "CAB");
		tags_invalidate(r.t, 'C');
		tags_invalidate(r.t, 'A');
		misses(&r, "D", ".");
		EQ(0, tags_probe(r.t, 'D').way);
		misses(&r, "E", ".");
		EQ(2, tags_probe(r.t, 'E').way);
		rig_free(&r);
	}
}

TEST(replace, every_policy_stalls_when_all_ways_are_in_flight)
{
	for (int p = 0; replace_all[p]; p++) {
		struct rig r;

		rig_init(&r, (enum cfg_replace)p, 3);
		for (char line = 'A'; line <= 'C'; line++)
			rd(&r, line);
		EQ(TAGS_STALL_WAY, rd(&r, 'D'));
		fill(&r, 'B');
		misses(&r, "D", "B");
		rig_free(&r);
	}
}

TEST(replace, every_policy_works_with_one_way)
{
	for (int p = 0; replace_all[p]; p++) {
		struct rig r;

		rig_init(&r, (enum cfg_replace)p, 1);
		misses(&r, "ABC", ".AB");
		hits(&r, "C");
		misses(&r, "A", "C");
		rig_free(&r);
	}
}

/* Comments: the predictions of all ways, from 0 (at once) to 3 (distant), when
 * each victim is chosen: after the last line is inserted. */
TEST(replace, srrip_keeps_a_line_in_use_through_a_scan)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_SRRIP, 4);
	misses(&r, "ABCD", "...."); /* 2222 */
	misses(&r, "EFGH", "ABCD"); /* 3333, 2333, 2233, 2223: 2222 */
	hits(&r, "E");              /* 0222 */
	misses(&r, "IJK", "FGH");   /* 1333, 1233, 1223: 1222 */
	misses(&r, "LMN", "IJK");   /* 2333, 2233, 2223: 2222 */
	misses(&r, "OPQR", "ELMN"); /* 3333, 2333, 2233, 2223: 2222 */
	rig_free(&r);
}

TEST(replace, srrip_ages_all_lines_when_none_is_distant)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_SRRIP, 4);
	misses(&r, "ABCD", "....");
	hits(&r, "DCBA");         /* 0000 */
	misses(&r, "E", "A");     /* 3333: 2333 */
	hits(&r, "B");            /* 2033 */
	misses(&r, "FG", "CD");   /* 2033, 2023: 2022 */
	misses(&r, "HIJ", "EFG"); /* 3133, 2133, 2123: 2122 */
	misses(&r, "K", "H");     /* 3233: 2233 */
	misses(&r, "LMN", "IJK"); /* 2233, 2223, 3333: 2333 */
	misses(&r, "O", "B");     /* 2233 */
	rig_free(&r);
}

TEST(replace, srrip_takes_any_number_of_ways)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_SRRIP, 3);
	misses(&r, "ABC", "...");
	hits(&r, "B");            /* 202 */
	misses(&r, "DE", "AC");   /* 313, 213: 212 */
	misses(&r, "FG", "DE");   /* 323, 223: 222 */
	misses(&r, "HIJ", "FBG"); /* 333, 233, 223: 222 */
	rig_free(&r);
}

TEST(replace, srrip_ages_a_line_in_flight_but_does_not_evict_it)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_SRRIP, 4);
	rd(&r, 'A');
	misses(&r, "BCD", "..."); /* 2222 */
	misses(&r, "EFG", "BCD"); /* 3333, 3233, 3223: 3222 */
	misses(&r, "H", "E");     /* 3333: 3233 */
	fill(&r, 'A');
	misses(&r, "I", "A"); /* 2233 */
	misses(&r, "J", "F");
	rig_free(&r);
}

TEST(replace, srrip_counts_an_access_to_a_line_in_flight)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_SRRIP, 4);
	rd(&r, 'A');
	EQ(TAGS_PENDING, rd(&r, 'A'));
	misses(&r, "BCD", "..."); /* 0222 */
	fill(&r, 'A');
	misses(&r, "EFGH", "BCDE"); /* 1333, 1233, 1223, 2333: 2233 */
	rig_free(&r);
}

/* Comments: where the root points to (left: ways 0 and 1), then the two nodes
 * below it. */
TEST(replace, plru_points_away_from_what_was_used)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_PLRU, 4);
	misses(&r, "ABCD", "...."); /* left 0 2 */
	hits(&r, "A");              /* right 1 2 */
	misses(&r, "E", "C");       /* left 1 3; LRU would evict B */
	misses(&r, "F", "B");       /* right 0 3 */
	misses(&r, "G", "D");       /* left 0 2 */
	misses(&r, "HIJK", "AEFG"); /* all of them once */
	hits(&r, "JH");             /* right 1 2 */
	misses(&r, "L", "I");
	rig_free(&r);
}

TEST(replace, plru_of_three_ways_has_one_of_them_higher_in_the_tree)
{
	struct rig r;

	/* The root has way 0 and a node with ways 1 and 2. */
	rig_init(&r, CFG_REPLACE_PLRU, 3);
	misses(&r, "ABC", "...");
	misses(&r, "DEFGHI", "ABDCFE"); /* ways 0 1 0 2 0 1 */
	hits(&r, "H");                  /* way 0 */
	misses(&r, "J", "G");
	rig_free(&r);
}

TEST(replace, plru_of_six_ways_has_two_of_them_higher_in_the_tree)
{
	struct rig r;

	/* The root has ways (0 1) and a node with ways (2 3) and (4 5). */
	rig_init(&r, CFG_REPLACE_PLRU, 6);
	misses(&r, "ABCDEF", "......");
	misses(&r, "GHIJ", "ACBE"); /* ways 0 2 1 4 */
	misses(&r, "KLMN", "GDIF"); /* ways 0 3 1 5 */
	misses(&r, "OP", "KH");     /* ways 0 2 */
	rig_free(&r);
}

TEST(replace, plru_takes_the_neighbour_of_a_line_in_flight)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_PLRU, 4);
	rd(&r, 'A');
	misses(&r, "BCD", "..."); /* left 0 2 */
	misses(&r, "E", "B");     /* right 0 2 */
	misses(&r, "F", "C");     /* left 0 3 */
	misses(&r, "G", "E");     /* right 0 3 */
	misses(&r, "H", "D");     /* left 0 2 */
	fill(&r, 'A');
	misses(&r, "I", "A");
	rig_free(&r);
}

TEST(replace, plru_leaves_a_half_whose_lines_are_all_in_flight)
{
	struct rig r;

	rig_init(&r, CFG_REPLACE_PLRU, 4);
	rd(&r, 'A');
	rd(&r, 'B');
	misses(&r, "CD", "..");   /* left 0 2 */
	misses(&r, "EFG", "CDE"); /* left 0 3, left 0 2, left 0 3 */
	fill(&r, 'B');
	misses(&r, "H", "B"); /* right 0 3 */
	misses(&r, "I", "F"); /* left 0 2 */
	fill(&r, 'A');
	misses(&r, "J", "A");
	rig_free(&r);
}
