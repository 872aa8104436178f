/* The contract of mem/dram.h: tables, configurations, bounds, and time that may
 * be divided into any advances. */
#include "test.h"

#include <string.h>

#include "dram_rig.h"
#include "mem/dram_sched.h"

static struct rig r;

TEST(dram, every_standard_has_every_time_and_its_source)
{
	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		const struct dram_standard *d = &dram_standards[s];

		OK(d->name != NULL && d->doc != NULL);
		for (int t = 0; t < DRAM_T_COUNT; t++) {
			OK(d->clocks[t] > 0);
			OK(d->source[t] != NULL);
			OK(d->source[t][0] != '\0');
		}
		for (int o = 0; o < s; o++)
			OK(strcmp(d->name, dram_standards[o].name) != 0);
	}
}

TEST(dram, times_of_a_standard_fit_together)
{
	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		const uint32_t *t = dram_standards[s].clocks;

		OK(t[DRAM_T_RC] >= t[DRAM_T_RAS] + t[DRAM_T_RP]);
		OK(t[DRAM_T_RAS] >= t[DRAM_T_RCD_RD]);
		OK(t[DRAM_T_RCD_WR] <= t[DRAM_T_RCD_RD]);
		OK(t[DRAM_T_CCD_L] >= t[DRAM_T_CCD_S]);
		OK(t[DRAM_T_RRD_L] >= t[DRAM_T_RRD_S]);
		OK(t[DRAM_T_WTR_L] >= t[DRAM_T_WTR_S]);
		OK(t[DRAM_T_CCD_S] >= dram_standards[s].burst_clocks);
		OK(t[DRAM_T_CWL] <= t[DRAM_T_CL]);
		OK(t[DRAM_T_REFI] > 5 * t[DRAM_T_RFC]);
	}
}

TEST(dram, policies_are_found_by_name)
{
	STREQ("frfcfs", dram_policy_name(dram_policy("frfcfs")));
	STREQ("fcfs", dram_policy_name(dram_policy("fcfs")));
	EQ(NULL, dram_policy("lifo"));
}

/* The configuration is refused, and the message names this value. */
static void refused(const struct dram_config *c, const char *names)
{
	struct arena a = { 0 };
	struct dram *m = NULL;
	struct diag d = { 0 };

	EQ(ERR_RANGE, dram_new(&m, &a, c, NULL, &d));
	EQ(NULL, m);
	OK(strstr(d.text, names) != NULL);
	EQ(0, a.used);
}

#define REFUSED(member, value, names)                                       \
	do {                                                                \
		struct dram_config refused_ = dram_defaults(DRAM_STD_HBM2); \
		refused_.member = (value);                                  \
		refused(&refused_, names);                                  \
	} while (0)

TEST(dram, a_configuration_out_of_range_is_refused)
{
	REFUSED(standard, DRAM_STD_COUNT, "standard");
	REFUSED(core_khz, 0, "gpu.clock");
	REFUSED(core_khz, UINT32_MAX, "gpu.clock");
	REFUSED(dram_khz, UINT32_MAX, "dram.clock");
	REFUSED(reads, 0, "dram.queue");
	REFUSED(reads, 65, "dram.queue");
	REFUSED(writes, 0, "dram.write_queue");
	REFUSED(writes, 47, "dram.write_high");
	REFUSED(drain_high, 0, "dram.write_high");
	REFUSED(drain_low, 48, "dram.write_low");
	REFUSED(policy, NULL, "policy");
	REFUSED(starve, 0, "starve");
	REFUSED(pseudo, 3, "pseudo");
	REFUSED(pseudo, 4, "clocks of a burst");
	REFUSED(banks, 24, "banks");
	REFUSED(banks, 128, "banks");
	REFUSED(groups, 1, "dram.bank_groups");
	REFUSED(groups, 64, "dram.bank_groups");
	REFUSED(row_bytes, 1000, "dram.row");
	REFUSED(burst_bytes, 24, "dram.burst");
	REFUSED(burst_bytes, 2048, "dram.burst");
	REFUSED(burst_clocks, 65, "bursts of 65 clocks");
	REFUSED(clocks[DRAM_T_RAS], 2000000, "RAS");
	REFUSED(clocks[DRAM_T_CWL], 100, "CWL");
	REFUSED(clocks[DRAM_T_REFI], 250, "REFI");
}

/* The first value that is refused, the message, and the last that is not. */
#define EDGE(member, bad, says, good)                                    \
	do {                                                             \
		struct dram_config edge_ = dram_defaults(DRAM_STD_HBM2); \
		struct diag d_ = { 0 };                                  \
		edge_.member = (bad);                                    \
		EQ(ERR_RANGE, dram_resolve(&edge_, &d_));                \
		STREQ(says, d_.text);                                    \
		edge_ = dram_defaults(DRAM_STD_HBM2);                    \
		edge_.member = (good);                                   \
		EQ(ERR_OK, dram_resolve(&edge_, &d_));                   \
	} while (0)

TEST(dram, what_is_refused_begins_right_after_what_is_allowed)
{
	EDGE(standard, 8, "dram.standard = 8: outside [0, 7]", 7);
	EDGE(core_khz, 16777217,
	     "gpu.clock in kHz = 16777217: outside [1, 16777216]", 16777216);
	EDGE(reads, 65, "dram.queue = 65: outside [1, 64]", 64);
	EDGE(reads, 0, "dram.queue = 0: outside [1, 64]", 1);
	EDGE(writes, 47, "dram.write_high = 48: outside [1, 47]", 48);
	EDGE(writes, 65, "dram.write_queue = 65: outside [1, 64]", 64);
	EDGE(drain_low, 48, "dram.write_low = 48: outside [0, 47]", 47);
	EDGE(drain_high, 65, "dram.write_high = 65: outside [1, 64]", 64);
	EDGE(starve, 0, "dram.starve = 0: outside [1, 4294967295]", 1);
	EDGE(pseudo, 8, "dram.pseudo = 8: outside [1, 4]", 1);
	EDGE(pseudo, 3, "dram.pseudo = 3: not a power of two", 2);
	EDGE(pseudo, 4,
	     "dram.pseudo = 4: more than the 2 clocks of a burst, which "
	     "dram.bandwidth, dram.clock and dram.channels give: one column "
	     "command a clock cannot feed them",
	     2);
	EDGE(banks, 128, "dram.banks = 128: outside [1, 64]", 64);
	EDGE(groups, 1,
	     "dram.pseudo = 2, the default of hbm2: more than "
	     "dram.bank_groups = 1",
	     2);
	EDGE(groups, 64,
	     "dram.bank_groups = 64: more than dram.banks = 32, the default "
	     "of hbm2",
	     32);
	EDGE(row_bytes, 32, "dram.row = 32: outside [64, 65536]", 64);
	EDGE(row_bytes, 131072, "dram.row = 131072: outside [64, 65536]",
	     65536);
	EDGE(burst_bytes, 4, "dram.burst = 4: outside [8, 65536]", 8);
	EDGE(burst_bytes, 2048,
	     "dram.burst = 2048: more than dram.row = 1024, the default of "
	     "hbm2",
	     1024);
	EDGE(burst_clocks, 65,
	     "bursts of 65 clocks, which dram.bandwidth, dram.clock and "
	     "dram.channels give: expected 1 to 64",
	     64);
	EDGE(clocks[DRAM_T_RAS], 1048577,
	     "RAS of hbm2 = 1048577 clocks: expected 1 to 1048576", 1048576);
	/* CL 18, a burst of 2, TURN 7. */
	EDGE(clocks[DRAM_T_CWL], 28,
	     "CWL of hbm2 = 28 clocks: the data of a write would follow those "
	     "of a later read; at most CL + a burst + TURN",
	     27);
	/* RFC 220, RC 42, CWL 7, WR 14. */
	EDGE(clocks[DRAM_T_REFI], 283,
	     "REFI of hbm2 = 283 clocks: must be more than 283, the time that "
	     "a refresh can take; or dram.refresh = no",
	     284);
}

TEST(dram, times_of_another_clock_are_rounded_up)
{
	struct dram_config c = dram_defaults(DRAM_STD_HBM2);
	struct diag d;

	c.dram_khz = 500001;
	EQ(ERR_OK, dram_resolve(&c, &d));
	EQ(10, c.clocks[DRAM_T_CL]); /* 9.000018 */
	EQ(8, c.clocks[DRAM_T_RP]);
	EQ(2, c.clocks[DRAM_T_CCD_S]); /* clocks, whatever they last */
	c = dram_defaults(DRAM_STD_HBM2);
	c.dram_khz = 500000;
	EQ(ERR_OK, dram_resolve(&c, &d));
	EQ(9, c.clocks[DRAM_T_CL]);
}

TEST(dram, the_configuration_in_force_has_no_defaults_left)
{
	struct dram_config c = dram_defaults(DRAM_STD_GDDR5);

	c.groups = 2;
	c.clocks[DRAM_T_CL] = 99;
	rig_init(&r, &c);
	EQ(1000000, dram_config(r.m)->dram_khz);
	EQ(16, dram_config(r.m)->banks);
	EQ(2, dram_config(r.m)->groups);
	EQ(2048, dram_config(r.m)->row_bytes);
	EQ(99, dram_config(r.m)->clocks[DRAM_T_CL]);
	EQ(12, dram_config(r.m)->clocks[DRAM_T_RP]);
	rig_free(&r);
}

TEST(dram, queues_are_bounded_and_rejections_counted)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);
	struct dram_request q = { .bytes = 32 };

	c.reads = 3;
	c.writes = 2;
	c.drain_high = 2;
	c.drain_low = 0;
	rig_init(&r, &c);
	for (int i = 0; i < 3; i++) {
		OK(dram_can_accept(r.m, false));
		OK(rig_push(&r, q));
	}
	OK(!dram_can_accept(r.m, false));
	OK(!rig_push(&r, q));
	q.write = true;
	OK(rig_push(&r, q));
	OK(rig_push(&r, q));
	OK(!rig_push(&r, q));
	OK(!rig_push(&r, q));
	EQ(3, dram_stats(r.m)->rejected);
	/* The writes have reached drain_high and go first: ACT 1, WR 7 frees
	 * one. */
	rig_until(&r, 6);
	OK(!dram_can_accept(r.m, true));
	rig_until(&r, 7);
	OK(dram_can_accept(r.m, true));
	OK(!dram_can_accept(r.m, false));
	rig_drain(&r);
	rig_laws(&r);
	rig_free(&r);
}

/* The only request has a place in its queue, too. */
TEST(dram, a_queue_of_one_is_full_with_one)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);
	struct dram_request q = { .bytes = 32 };

	c.reads = c.writes = 1;
	c.drain_high = 1;
	c.drain_low = 0;
	rig_init(&r, &c);
	OK(rig_push(&r, q));
	OK(!dram_can_accept(r.m, false));
	OK(!dram_has_room(r.m, DRAM_READ));
	OK(dram_has_room(r.m, DRAM_READ | DRAM_WRITE));
	OK(!rig_push(&r, q));
	EQ(1, dram_stats(r.m)->rejected);
	rig_drain(&r);
	OK(dram_can_accept(r.m, false));
	rig_laws(&r);
	rig_free(&r);
}

TEST(dram, an_advance_tells_of_completions)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);
	struct dram_done x;
	cycle_t at;

	rig_init(&r, &c);
	OK(dram_push(r.m, 0, &(struct dram_request){ .bytes = 32 }));
	for (at = 1; !dram_advance(r.m, at); at++)
		OK(!dram_take(r.m, &x));
	OK(dram_advance(r.m, at)); /* not taken yet */
	OK(dram_take(r.m, &x));
	EQ(at, x.cycle);
	OK(!dram_advance(r.m, at + 1));
	rig_free(&r);
}

TEST(dram, the_wait_in_the_queue_is_counted)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	rig_init(&r, &c);
	rig_read(&r, 0, 0); /* from 1 to RD at 13 */
	rig_read(&r, 0, 0); /* from 1 to RD at 16 */
	rig_drain(&r);
	EQ(12 + 15, dram_stats(r.m)->wait_clocks);
	rig_free(&r);
}

TEST(dram, a_misuse_is_a_bug)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);
	struct dram_request q = { .bytes = 32 };

	rig_init(&r, &c);
	dram_advance(r.m, 100);
	DIES(dram_push(r.m, 99, &q));
	DIES(dram_push(r.m, 101, &q));
	DIES(dram_advance(r.m, 99));
	q.bytes = 0;
	DIES(dram_push(r.m, 100, &q));
	q.bytes = 16;
	DIES(dram_push(r.m, 100, &q));
	q.bytes = 32;
	q.column = 8;
	DIES(dram_push(r.m, 100, &q));
	q.column = 1024;
	DIES(dram_push(r.m, 100, &q));
	q.column = 992;
	q.bytes = 64;
	DIES(dram_push(r.m, 100, &q));
	q.bytes = 32;
	OK(dram_push(r.m, 100, &q));
	q.bank = 32;
	DIES(dram_push(r.m, 100, &q));
	rig_free(&r);
}

TEST(dram, an_idle_channel_has_no_event_and_yet_refreshes)
{
	struct dram_config c = dram_defaults(DRAM_STD_HBM2);

	rig_init(&r, &c);
	EQ(CYCLE_NEVER, dram_next_event(r.m));
	rig_read(&r, 0, 0);
	EQ(1, dram_next_event(r.m));
	rig_drain(&r);
	EQ(CYCLE_NEVER, dram_next_event(r.m));
	rig_until(&r, UINT64_C(3900) * 1000000 + 5);
	EQ(1000000, dram_stats(r.m)->refreshes);
	EQ(1, dram_stats(r.m)->precharges);
	/* Right after a refresh: REF, RFC, ACT. */
	rig_read(&r, 0, 0);
	rig_drain(&r);
	EQ(UINT64_C(3900) * 1000000 + 220 + 12 + 18 + 2, r.at[1]);
	rig_free(&r);
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* From a cycle on, pushes one request after the other as soon as there is room:
 * waits for room cycle by cycle, or advances to it at once, up to a limit. */
static void fill_up(struct rig *x, const struct dram_config *c, cycle_t from,
		    cycle_t leap)
{
	uint64_t seed = 5;

	rig_init(x, c);
	rig_until(x, from);
	while (x->pushed < 2000) {
		struct dram_request q = {
			.bank = draw(&seed, dram_config(x->m)->banks),
			.row = draw(&seed, 3),
			.bytes = 64,
			.write = draw(&seed, 3) == 0,
		};
		unsigned kind = q.write ? DRAM_WRITE : DRAM_READ;

		while (!dram_has_room(x->m, kind)) {
			cycle_t to = x->now + 1;

			if (leap)
				to = dram_advance_to_room(x->m, kind,
							  x->now + leap);
			rig_until(x, to);
		}
		rig_push(x, q);
	}
	rig_drain(x);
	rig_laws(x);
}

TEST(dram, advancing_to_room_finds_it_when_it_comes)
{
	static struct rig other;

	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = dram_defaults((enum dram_std)s);

		/* With several clocks in a cycle, and with less than one. */
		c.core_khz = s % 2 ? 400000 : 1980000;
		fill_up(&other, &c, 0, 0);
		for (cycle_t leap = 1; leap < 10000; leap *= 7) {
			fill_up(&r, &c, 0, leap);
			EQ(other.now, r.now);
			EQ(other.count, r.count);
			EQ(0, memcmp(other.at, r.at, sizeof(r.at)));
			EQ(0, memcmp(&other.st, &r.st, sizeof(r.st)));
			DIES(dram_advance_to_room(r.m, DRAM_READ, r.now + 1));
			rig_free(&r);
		}
		rig_free(&other);
	}
}

enum { STREAM = 4000 };

/* Plays one fixed stream. Between pushes, time advances as `how` says: 0: at
 * once, 1: cycle by cycle, 2: from event to event, 3: in random steps. */
static void play(struct rig *x, const struct dram_config *c, int how)
{
	uint64_t seed = 1, portions = 77;
	cycle_t now = 0;

	rig_init(x, c);
	while (x->pushed < STREAM) {
		struct dram_request q = {
			.bank = draw(&seed, dram_config(x->m)->banks),
			.row = draw(&seed, 3),
			.bytes = 32,
			.write = draw(&seed, 3) == 0,
		};

		now += draw(&seed, 50) ? draw(&seed, 5) : draw(&seed, 6000);
		while (x->now < now) {
			cycle_t to = now, next = dram_next_event(x->m);

			if (how == 1)
				to = x->now + 1;
			else if (how == 2 && next < now)
				to = next;
			else if (how == 3)
				to = x->now + draw(&portions, 300);
			rig_until(x, to < now ? to : now);
		}
		rig_push(x, q);
	}
	rig_drain(x);
	rig_until(x, now + 100000);
	rig_laws(x);
}

TEST(dram, the_division_of_time_into_advances_changes_nothing)
{
	static struct rig other;

	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = dram_defaults((enum dram_std)s);

		c.core_khz = 1410000;
		c.close_page = s % 2;
		c.reads = 24;
		play(&r, &c, 0);
		for (int how = 1; how < 4; how++) {
			play(&other, &c, how);
			EQ(r.count, other.count);
			for (int i = 0; i < r.count; i++) {
				EQ(r.done[i].tag, other.done[i].tag);
				EQ(r.done[i].cycle, other.done[i].cycle);
			}
			EQ(0, memcmp(dram_stats(r.m), dram_stats(other.m),
				     sizeof(struct dram_stats)));
			rig_free(&other);
		}
		rig_free(&r);
	}
}

/* A request that is served, and a refresh that is issued, long before the cycle to
 * which a channel advances apply no rules; those that come soon after must not
 * notice. */
TEST(dram, requests_far_apart_are_served_alike_at_once_and_in_steps)
{
	static struct rig other;

	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = dram_defaults((enum dram_std)s);
		uint64_t seed = 3, results;

		c.core_khz = 1980000;
		rig_init(&r, &c);
		rig_init(&other, &c);
		for (int i = 0; i < 3000; i++) {
			struct dram_request q = {
				.bank = draw(&seed, dram_config(r.m)->banks),
				.row = draw(&seed, 3),
				.bytes = 32u << draw(&seed, 3),
				.write = draw(&seed, 9) == 0,
			};
			cycle_t to = r.now + 1 + draw(&seed, 400);

			if (draw(&seed, 6) == 0)
				to += draw(&seed, 20000);
			rig_push(&r, q);
			rig_push(&other, q);
			rig_until(&r, to);
			while (other.now < to)
				rig_until(&other, other.now + 1);
			EQ(0, memcmp(dram_stats(r.m), dram_stats(other.m),
				     sizeof(struct dram_stats)));
			EQ(dram_next_event(other.m), dram_next_event(r.m));
			EQ(other.count, r.count);
			EQ(other.at[i], r.at[i]);
		}
		results = !!dram_stats(r.m)->row_hits +
			  !!dram_stats(r.m)->row_misses +
			  !!dram_stats(r.m)->row_conflicts;
		EQ(3, results);
		OK(dram_stats(r.m)->refreshes > 100);
		rig_free(&other);
		rig_free(&r);
	}
}

TEST(dram, it_is_known_when_a_lone_read_is_complete)
{
	for (int s = 0; s < DRAM_STD_COUNT; s++) {
		struct dram_config c = rig_config((enum dram_std)s);
		uint64_t seed = 9, results;

		rig_init(&r, &c);
		for (int i = 0; i < 300; i++) {
			uint32_t bank = draw(&seed, 4);
			uint64_t tag = rig_read(&r, bank, draw(&seed, 2));
			cycle_t known = dram_lone_read_done(r.m);

			rig_until(&r, r.now + 1000);
			EQ(known, r.at[tag]);
		}
		results = !!dram_stats(r.m)->row_hits +
			  !!dram_stats(r.m)->row_misses +
			  !!dram_stats(r.m)->row_conflicts;
		EQ(3, results);
		rig_free(&r);
	}
}

TEST(dram, a_lone_read_is_not_complete_before_it_is_known_to_be)
{
	struct dram_config c = dram_defaults(DRAM_STD_HBM3);
	uint64_t seed = 11;

	c.core_khz = 1980000;
	rig_init(&r, &c);
	for (int i = 0; i < 20000; i++) {
		uint64_t tag = rig_read(&r, draw(&seed, 32), draw(&seed, 3));
		cycle_t known = dram_lone_read_done(r.m);

		if (draw(&seed, 2)) {
			rig_write(&r, 0, 1);
			EQ(0, dram_lone_read_done(r.m));
		}
		rig_until(&r, r.now + draw(&seed, 300));
		if (r.at[tag])
			OK(known <= r.at[tag]);
		rig_drain(&r);
		EQ(0, dram_lone_read_done(r.m));
	}
	rig_free(&r);
}

TEST(dram, nothing_visible_happens_before_the_next_event)
{
	struct dram_config c = dram_defaults(DRAM_STD_HBM3);
	uint64_t seed = 5;
	cycle_t next;

	c.core_khz = 1980000;
	c.reads = 8;
	rig_init(&r, &c);
	for (int i = 0; i < 20000; i++) {
		struct dram_stats before;
		int count;

		if (draw(&seed, 20) == 0)
			rig_push(&r, (struct dram_request){
					     .bank = draw(&seed, 32),
					     .row = draw(&seed, 3),
					     .bytes = 32,
					     .write = draw(&seed, 2) });
		next = dram_next_event(r.m);
		OK(next > r.now);
		before = *dram_stats(r.m);
		count = r.count;
		rig_until(&r, r.now + 1);
		if (r.now >= next)
			continue;
		EQ(count, r.count);
		EQ(before.reads, dram_stats(r.m)->reads);
		EQ(before.writes, dram_stats(r.m)->writes);
	}
	rig_free(&r);
}

/* Internal clocks have 32 bits and are relative to a base that moves on. */
TEST(dram, the_same_requests_take_as_long_after_hours)
{
	static struct rig other;
	const cycle_t moves[] = { UINT64_C(1) << 31, UINT64_C(5) << 31 };

	for (int s = 0; s < DRAM_STD_COUNT; s++)
		for (int i = 0; i < 2; i++) {
			struct dram_config c = dram_defaults((enum dram_std)s);
			const uint32_t refi = 2000;
			cycle_t by = (moves[i] - 200) / refi * refi - refi;

			c.clocks[DRAM_T_REFI] = refi;
			fill_up(&other, &c, refi, 0);
			fill_up(&r, &c, refi + by, i ? 100 : 0);
			OK(r.now > moves[i]);
			EQ(by, r.now - other.now);
			EQ(by / refi, r.st.refreshes - other.st.refreshes);
			EQ(other.st.wait_clocks, r.st.wait_clocks);
			EQ(other.st.row_hits, r.st.row_hits);
			EQ(other.count, r.count);
			for (int k = 0; k < r.count; k++)
				EQ(by, r.at[k] - other.at[k]);
			rig_free(&r);
			rig_free(&other);
		}
}
