/*
 * What engines whose parts drift do about a slow thread: who waits for whom, and
 * what comes late if nobody does. The rules by themselves are in
 * tests/unit/test_drift_rules.c.
 */
#include <stdio.h>

#include "test.h"

#include "law/law.h"
#include "script.h"

LABEL(drift_script, threads);

enum {
	FEW = 4,   /* blocks that fit at once: nobody waits for one to end */
	MANY = 60, /* blocks */
	LONG = 100 /* rounds, in which all others have come as far as they may */
};

static cycle_t serial_cycles(unsigned blocks)
{
	struct script s = { .blocks = blocks };

	OK(script_play(&s, "serial", 1));
	OK(s.right);
	return s.cycles;
}

/* Without loads, workgroup has the cycles of serial, however slow an SM is. */
static void play(struct script *s, unsigned threads)
{
	OK(script_play(s, "workgroup", threads));
	OK(s->right);
	EQ(serial_cycles(s->blocks), s->cycles);
}

/* What may wait when each SM has done one more step than it should have. */
static uint64_t full(const struct script *s)
{
	return s->room + SCRIPT_SMS * s->step;
}

TEST(drift_script, a_full_reorder_queue_stops_who_is_ahead)
{
	struct script s = { .blocks = FEW };

	play(&s, 1);
	EQ(2 * SCRIPT_SMS, s.room); /* each makes one request in a cycle */
	OK(s.stopped.set);
	OK(s.stopped.requests >= s.room);
	OK(!s.far.set);
	OK(s.went_on);
	OK(s.peak <= full(&s));
}

TEST(drift_script, who_is_stopped_stays_where_it_is_until_the_slow_one_moves)
{
	struct script s = { .blocks = FEW, .rounds = LONG };

	play(&s, 1);
	OK(s.stopped.set);
	EQ(s.stopped.fast, s.end.fast);
	EQ(SCRIPT_HOLD, s.end.slow);
	OK(s.end.requests >= s.room);
	OK(s.went_on);
}

/* Memory is what is slow: SMs at the same cycle do not go on together. */
TEST(drift_script, a_full_reorder_queue_stops_all_if_memory_is_behind)
{
	struct script s = { .blocks = FEW,
			    .slow_memory = true,
			    .rounds = LONG };

	play(&s, 1);
	OK(s.stopped.set);
	OK(s.stopped.requests >= s.room);
	OK(!s.far.set);
	OK(s.end.slow <= s.end.memory + s.step);
	EQ(s.stopped.fast, s.end.fast);
	OK(s.went_on);
	OK(s.peak <= full(&s));
}

TEST(drift_script, without_a_limit_the_reorder_queue_grows)
{
	struct script s = { .blocks = FEW, .no_bound = true };

	play(&s, 1);
	OK(s.far.set);
	OK(!s.stopped.set);
	OK(s.peak > full(&s));
}

struct job {
	unsigned threads;
	bool slow_memory;
};

static bool stops_and_goes_on(const void *ctx)
{
	const struct job *j = ctx;
	struct script s = { .blocks = FEW, .slow_memory = j->slow_memory };

	if (!script_play(&s, "workgroup", j->threads))
		return false;
	printf("  stopped %d, %u requests, far ahead %d, went on %d, right %d\n",
	       s.stopped.set, (unsigned)s.stopped.requests, s.far.set,
	       s.went_on, s.right);
	return s.stopped.set && s.stopped.requests >= s.room && !s.far.set &&
	       s.went_on && s.right;
}

/* The threads of who is stopped and who is held back sleep: each must be woken.
 */
TEST(drift_script, threads_wait_for_a_full_reorder_queue_and_go_on)
{
	for (unsigned threads = 2; threads <= FEW; threads++) {
		OK(apart(stops_and_goes_on, &(struct job){ threads, false },
			 60));
		OK(apart(stops_and_goes_on, &(struct job){ threads, true },
			 60));
	}
}

TEST(drift_script, requests_wait_for_the_slowest_sm_and_are_never_late)
{
	struct script s = { .blocks = FEW, .no_bound = true, .rounds = LONG };

	play(&s, 1);
	OK(s.end.fast > s.end.slow + SCRIPT_FAR * s.step);
	EQ(s.end.slow + s.request, s.end.memory);
	OK(s.end.requests > 0);
	EQ(0, s.late_memory.messages);
	/* Again and again. SMs that are ahead hear of memory too late. */
	s = (struct script){
		.blocks = MANY, .no_bound = true, .rounds = LONG, .every = 50
	};
	play(&s, 1);
	EQ(0, s.late_memory.messages);
	OK(s.late_sms.messages > 0);
	EQ((double)s.late_sms.messages, s.late);
}

TEST(drift_script, a_request_older_than_what_memory_has_done_is_late)
{
	static const unsigned slack[] = { 10, 40, 100 };

	for (unsigned i = 0; i < sizeof(slack) / sizeof(*slack); i++) {
		struct script s = { .blocks = FEW, .rounds = LONG };
		char engine[32];

		snprintf(engine, sizeof(engine), "slack:%u", slack[i]);
		OK(script_play(&s, engine, 1));
		OK(s.right);
		EQ(s.end.slow + slack[i], s.end.fast);
		EQ(s.end.slow + slack[i], s.end.memory);
		EQ((double)(s.late_memory.messages + s.late_sms.messages),
		   s.late);
		/* Of the slack, 10 cycles are what a request takes anyway. */
		EQ(10, s.request);
		EQ(slack[i] > 10, s.late_memory.messages > 0);
		OK(s.late_memory.most <= slack[i] - s.request);
	}
}

TEST(drift_script, blocks_go_out_in_the_order_of_ends_on_a_slow_sm_too)
{
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		struct script s = { .blocks = MANY,
				    .no_bound = true,
				    .rounds = LONG,
				    .every = 50 };

		play(&s, threads);
		OK(s.far.set);
		OK(s.went_on);
	}
}
