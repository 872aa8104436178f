/* The order in which requests are served, and how fast. */
#include "test.h"

#include <string.h>

#include "dram_rig.h"

static struct rig r;

static void init(enum dram_std standard, const char *policy)
{
	struct dram_config c = rig_config(standard);

	c.policy = dram_policy(policy);
	rig_init(&r, &c);
}

/* Checks the tags in the order of their completion. */
static void order(const char *tags)
{
	rig_drain(&r);
	rig_laws(&r);
	for (int i = 0; tags[i]; i++)
		EQ(tags[i] - '0', r.done[i].tag);
	EQ(strlen(tags), r.count);
	rig_free(&r);
}

TEST(dram_order, frfcfs_serves_hits_of_the_open_row_first)
{
	init(DRAM_STD_HBM2, "frfcfs");
	rig_read(&r, 0, 0);
	rig_read(&r, 0, 1);
	rig_read(&r, 0, 0);
	rig_read(&r, 0, 1);
	rig_read(&r, 0, 0);
	order("02413");
	EQ(3, r.st.row_hits);
	EQ(1, r.st.row_misses);
	EQ(1, r.st.row_conflicts);
}

TEST(dram_order, fcfs_serves_in_the_order_of_arrival)
{
	init(DRAM_STD_HBM2, "fcfs");
	rig_read(&r, 0, 0);
	rig_read(&r, 0, 1);
	rig_read(&r, 0, 0);
	rig_read(&r, 0, 1);
	rig_read(&r, 0, 0);
	order("01234");
	EQ(0, r.st.row_hits);
	EQ(1, r.st.row_misses);
	EQ(4, r.st.row_conflicts);
}

TEST(dram_order, fcfs_opens_rows_of_other_banks_ahead)
{
	init(DRAM_STD_HBM2, "fcfs");
	rig_read(&r, 0, 0);
	rig_read(&r, 0, 1);
	rig_read(&r, 2, 0);
	order("012");
	/* The third waits for the data of the second, not for a row: CCD_S. */
	EQ(r.at[1] + 2, r.at[2]);
}

TEST(dram_order, frfcfs_lets_a_ready_bank_pass)
{
	init(DRAM_STD_HBM2, "frfcfs");
	rig_read(&r, 0, 0);
	rig_read(&r, 0, 1);
	rig_read(&r, 2, 0);
	order("021");
}

TEST(dram_order, starvation_is_bounded)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);
	int place = -1;

	c.starve = 5;
	rig_init(&r, &c);
	rig_read(&r, 0, 0);
	rig_read(&r, 0, 1); /* the starved one, behind a stream of hits */
	for (int i = 0; i < 40; i++)
		rig_read(&r, 0, 0);
	rig_drain(&r);
	for (int i = 0; i < r.count; i++)
		if (r.done[i].tag == 1)
			place = i;
	/* The first, then five that passed it. */
	EQ(1 + 5, place);
	rig_laws(&r);
	rig_free(&r);
}

TEST(dram_order, reads_pass_writes_below_the_high_mark)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	c.drain_high = 4;
	c.drain_low = 1;
	rig_init(&r, &c);
	for (int i = 0; i < 3; i++)
		rig_write(&r, 0, 0);
	for (int i = 0; i < 3; i++)
		rig_read(&r, 2, 0);
	order("345012");
	EQ(1, r.st.drains);
}

TEST(dram_order, writes_drain_from_the_high_mark_to_the_low)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	c.drain_high = 4;
	c.drain_low = 1;
	rig_init(&r, &c);
	for (int i = 0; i < 4; i++)
		rig_write(&r, 0, 0);
	for (int i = 0; i < 3; i++)
		rig_read(&r, 2, 0);
	/* Three writes leave one; the reads; the last write. */
	order("0124563");
	EQ(2, r.st.drains);
}

TEST(dram_order, writes_alone_need_no_mark)
{
	init(DRAM_STD_GDDR6, "frfcfs");
	rig_write(&r, 0, 0);
	order("0");
}

TEST(dram_order, a_closed_page_controller_closes_idle_rows)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	c.close_page = true;
	rig_init(&r, &c);
	rig_read(&r, 0, 0);
	rig_until(&r, 200);
	EQ(1, dram_stats(r.m)->precharges);
	rig_read(&r, 0, 1);
	order("01");
	EQ(0, r.st.row_conflicts);
	EQ(2, r.st.row_misses);
	EQ(201 + 12 + 18 + 2, r.at[1]);
}

/* Keeps the read queue full of requests that `next` makes; returns the clocks
 * for n requests. */
static uint64_t stream(const struct dram_config *c, int n,
		       struct dram_request (*next)(const struct dram_config *,
						   uint64_t))
{
	uint64_t clocks;

	rig_init(&r, c);
	while (r.pushed < (uint64_t)n) {
		struct dram_request q = next(dram_config(r.m), r.pushed);

		if (!dram_can_accept(r.m, q.write))
			rig_until(&r, dram_next_event(r.m));
		else
			OK(rig_push(&r, q));
	}
	rig_drain(&r);
	rig_laws(&r);
	clocks = dram_clock(r.m, r.now);
	rig_free(&r);
	return clocks;
}

/* Whole rows, 128 bytes of a bank before the next one. */
static struct dram_request sequential(const struct dram_config *c, uint64_t i)
{
	uint64_t line = i / 4, row_lines = c->row_bytes / 128;
	uint32_t ways = c->groups < 4 ? 4 : c->groups;
	uint64_t turn = line / ways;

	return (struct dram_request){
		.bank = (uint32_t)(line % ways + turn / row_lines * ways) %
			c->banks,
		.row = turn / row_lines / (c->banks / ways),
		.column = (uint32_t)(turn % row_lines * 128 + i % 4 * 32),
		.bytes = 32,
	};
}

static struct dram_request sequential_write(const struct dram_config *c,
					    uint64_t i)
{
	struct dram_request q = sequential(c, i);

	q.write = true;
	return q;
}

static struct dram_request sequential_64(const struct dram_config *c,
					 uint64_t i)
{
	struct dram_request q = sequential(c, i * 2);

	q.bytes = 64;
	return q;
}

TEST(dram_order, a_stream_of_hits_reaches_the_peak_of_the_bus)
{
	enum { N = 20000 };

	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = rig_config((enum dram_std)s);
		const struct dram_standard *d = &dram_standards[s];
		/* With bursts of 64 bytes, requests have 64 bytes. */
		bool wide = d->burst_bytes > 32;
		uint64_t ideal = (uint64_t)N * d->burst_clocks / d->pseudo;
		uint64_t took =
			stream(&c, N, wide ? sequential_64 : sequential);

		OK(took >= ideal);
		OK(took <= ideal + ideal / 100);
		if (wide)
			continue;
		took = stream(&c, N, sequential_write);
		OK(took >= ideal);
		OK(took <= ideal + ideal / 100);
	}
}

TEST(dram_order, refreshes_cost_the_stream_their_share)
{
	enum { N = 40000 };
	struct dram_config c = rig_config(DRAM_STD_HBM3);
	uint64_t without = stream(&c, N, sequential), with;

	c.refresh = true;
	with = stream(&c, N, sequential);
	/* RP + RFC + RCD of every REFI, and the rows that must be reopened. */
	OK(with > without + with / 6240 * (26 + 400 + 31));
	OK(with < without + with / 6240 * (26 + 400 + 31 + 150));
}

/* Every request opens another row. */
static struct dram_request all_banks(const struct dram_config *c, uint64_t i)
{
	return (struct dram_request){
		.bank = (uint32_t)(i % c->banks),
		.row = i / c->banks,
		.bytes = 32,
	};
}

static struct dram_request one_bank(const struct dram_config *c, uint64_t i)
{
	(void)c;
	return (struct dram_request){ .row = i, .bytes = 32 };
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

TEST(dram_order, misses_in_one_bank_take_the_row_cycle)
{
	enum { N = 2000 };

	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = rig_config((enum dram_std)s);
		uint64_t ideal =
			(uint64_t)N * dram_standards[s].clocks[DRAM_T_RC];
		uint64_t took = stream(&c, N, one_bank);

		OK(took >= ideal - dram_standards[s].clocks[DRAM_T_RC]);
		OK(took <= ideal + ideal / 100);
	}
}

TEST(dram_order, misses_in_all_banks_take_the_tightest_bound)
{
	enum { N = 20000 };

	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		const struct dram_standard *d = &dram_standards[s];
		const uint32_t *t = d->clocks;
		struct dram_config c = rig_config((enum dram_std)s);
		/* The time of four requests, because of the four-activate
		 * window. */
		uint64_t bound = max_u64(4 * t[DRAM_T_RRD_S], t[DRAM_T_FAW]);
		uint64_t took = stream(&c, N, all_banks);

		bound = max_u64(bound, 4 * d->burst_clocks);
		bound = max_u64(bound, 4 * t[DRAM_T_RC] * d->pseudo / d->banks);
		bound = N / 4 * bound / d->pseudo;
		/* RCD is twice RRD: on the single bus every other activate
		 * collides with a read, which goes first. */
		if (s == DRAM_STD_GDDR5)
			bound += N / 2;
		OK(took >= bound);
		OK(took <= bound + bound / 100);
	}
}
