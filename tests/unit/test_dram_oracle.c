/* The fast model against the plain one, on random streams. */
#include "test.h"

#include <stdlib.h>

#include "dram_oracle.h"

enum { REQUESTS = 1000, PATTERNS = 4 };

struct pair {
	struct arena arena;
	struct dram *m;
	struct oracle *o;
	uint64_t seed;
	struct dram_done got[REQUESTS];
	int got_count;
};

static uint32_t draw(struct pair *p, uint32_t below)
{
	p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(p->seed >> 33) % below;
}

static void pair_init(struct pair *p, const struct dram_config *cfg,
		      uint64_t seed)
{
	struct diag d;

	*p = (struct pair){ .seed = seed };
	EQ(ERR_OK, dram_new(&p->m, &p->arena, cfg, NULL, &d));
	p->o = calloc(1, sizeof(*p->o));
	OK(p->o != NULL);
	oracle_init(p->o, dram_config(p->m));
}

static void take_all(struct pair *p)
{
	while (p->got_count < REQUESTS &&
	       dram_take(p->m, &p->got[p->got_count]))
		p->got_count++;
}

/* Few rows in few banks, so that hits, misses and conflicts all occur. */
static struct dram_request request(struct pair *p, uint64_t tag, int pattern)
{
	const struct dram_config *c = dram_config(p->m);
	uint32_t bytes = DRAM_SECTOR << draw(p, 3);
	uint32_t spots = c->row_bytes / bytes;

	return (struct dram_request){
		.tag = tag,
		.row = draw(p, pattern & 1 ? 2 : 50),
		.bank = draw(p, pattern & 2 ? c->banks : 3),
		.column = draw(p, spots) * bytes,
		.bytes = bytes,
		.write = draw(p, 10) < (pattern & 1 ? 3 : 5),
	};
}

/* Bursts of requests and pauses, some long enough for rows to be refreshed. */
static void drive(struct pair *p, int pattern)
{
	cycle_t now = 0;

	for (int i = 0; i < REQUESTS; i++) {
		struct dram_request r = request(p, (uint64_t)i, pattern);
		bool ok;

		if (draw(p, 3) == 0)
			now += draw(p, draw(p, 40) == 0 ? 3000 : 60);
		for (;;) {
			dram_advance(p->m, now);
			take_all(p);
			oracle_advance(p->o, now);
			ok = dram_push(p->m, now, &r);
			EQ(ok, oracle_push(p->o, now, &r));
			if (ok)
				break;
			now += 1 + draw(p, 20);
		}
	}
	now += 100000;
	dram_advance(p->m, now);
	take_all(p);
	oracle_advance(p->o, now);
	oracle_sort(p->o);
}

static void same(struct pair *p)
{
	const struct dram_stats *a = dram_stats(p->m), *b = &p->o->st;

	EQ(REQUESTS, p->o->done_count);
	EQ(REQUESTS, p->got_count);
	for (int i = 0; i < REQUESTS; i++) {
		struct dram_done want = oracle_result(p->o, i);

		EQ(want.tag, p->got[i].tag);
		EQ(want.cycle, p->got[i].cycle);
		EQ(want.write, p->got[i].write);
	}
	EQ(b->reads, a->reads);
	EQ(b->writes, a->writes);
	EQ(b->bytes, a->bytes);
	EQ(b->row_hits, a->row_hits);
	EQ(b->row_misses, a->row_misses);
	EQ(b->row_conflicts, a->row_conflicts);
	EQ(b->activates, a->activates);
	EQ(b->precharges, a->precharges);
	EQ(b->refreshes, a->refreshes);
	EQ(b->bus_clocks, a->bus_clocks);
	EQ(b->wait_clocks, a->wait_clocks);
	EQ(b->drains, a->drains);
	EQ(b->rejected, a->rejected);
}

static void compare_one(const struct dram_config *cfg, int pattern)
{
	static struct pair p;

	pair_init(&p, cfg, (uint64_t)(cfg->standard * 7 + pattern));
	drive(&p, pattern);
	same(&p);
	free(p.o);
	arena_free(&p.arena);
}

static void compare(const struct dram_config *cfg)
{
	for (int pattern = 0; pattern < PATTERNS; pattern++)
		compare_one(cfg, pattern);
}

TEST(dram_oracle, every_standard_agrees_with_its_defaults)
{
	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = dram_defaults((enum dram_std)s);

		c.reads = c.writes = 16;
		c.drain_high = 12;
		c.drain_low = 4;
		compare(&c);
	}
}

TEST(dram_oracle, every_standard_agrees_first_come_first_served)
{
	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = dram_defaults((enum dram_std)s);

		c.policy = dram_policy("fcfs");
		c.reads = 20;
		c.writes = 9;
		c.drain_high = 9;
		c.drain_low = 0;
		compare(&c);
	}
}

TEST(dram_oracle, every_standard_agrees_with_a_tight_bound_on_starvation)
{
	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = dram_defaults((enum dram_std)s);

		c.starve = 1 + (uint32_t)s % 3;
		c.reads = 24;
		c.refresh = s % 2;
		compare(&c);
	}
}

TEST(dram_oracle, every_standard_agrees_when_idle_rows_are_closed)
{
	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = dram_defaults((enum dram_std)s);

		c.close_page = true;
		c.reads = 8;
		c.writes = 8;
		c.drain_high = 6;
		c.drain_low = 5;
		compare(&c);
	}
}

TEST(dram_oracle, clocks_in_any_ratio_agree)
{
	static const uint32_t khz[][2] = {
		{ 1980000, 1600500 }, { 700000, 924000 },  { 1, 1 },
		{ 3000000, 1000000 }, { 999983, 1000003 }, { 500000, 2000000 },
	};

	for (int i = 0; i < (int)(sizeof(khz) / sizeof(khz[0])); i++) {
		struct dram_config c =
			dram_defaults(i % 2 ? DRAM_STD_GDDR5 : DRAM_STD_HBM3);

		c.core_khz = khz[i][0];
		c.dram_khz = khz[i][1];
		/* At 1 kHz every time is one clock. */
		if (c.dram_khz == 1)
			for (int t = 0; t < DRAM_T_COUNT; t++)
				c.clocks[t] =
					dram_standards[c.standard].clocks[t];
		c.reads = c.writes = 16;
		c.drain_high = 10;
		c.drain_low = 2;
		compare(&c);
	}
}

TEST(dram_oracle, as_many_banks_as_there_may_be_agree)
{
	struct dram_config c = dram_defaults(DRAM_STD_HBM3);

	c.banks = DRAM_MAX_BANKS;
	c.reads = c.writes = 16;
	c.drain_high = 12;
	c.drain_low = 4;
	compare(&c);
}

TEST(dram_oracle, pseudo_channels_of_any_number_agree)
{
	for (uint32_t pseudo = 1; pseudo <= 4; pseudo *= 2)
		for (uint32_t groups = pseudo; groups <= 16; groups *= 4) {
			struct dram_config c = dram_defaults(DRAM_STD_DDR4);

			c.pseudo = pseudo;
			c.groups = groups;
			c.banks = 16;
			c.reads = c.writes = 32;
			c.drain_high = 20;
			c.drain_low = 8;
			compare(&c);
		}
}

/* Some times are far longer than one turn of the time wheel. */
TEST(dram_oracle, times_of_any_length_agree)
{
	struct pair dice = { .seed = 99 };

	for (int i = 0; i < 12; i++) {
		struct dram_config c =
			dram_defaults((enum dram_std)(i % DRAM_STD_COUNT));

		for (int t = 0; t < DRAM_T_COUNT; t++)
			c.clocks[t] =
				1 + draw(&dice, draw(&dice, 3) ? 30 : 300);
		c.clocks[DRAM_T_CL] += c.clocks[DRAM_T_CWL];
		c.clocks[DRAM_T_REFI] += 2000;
		c.policy = dram_policy(i % 3 ? "frfcfs" : "fcfs");
		c.close_page = i % 4 == 3;
		c.starve = 1 + draw(&dice, 20);
		c.reads = 1 + draw(&dice, DRAM_MAX_QUEUE);
		c.writes = 1 + draw(&dice, DRAM_MAX_QUEUE);
		c.drain_high = 1 + draw(&dice, c.writes);
		c.drain_low = draw(&dice, c.drain_high);
		compare_one(&c, i % PATTERNS);
	}
}
