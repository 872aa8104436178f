/*
 * How engines with drifting partitions handle a slow thread: which partition
 * waits for which, and what is late if none does. tests/unit/test_drift_rules.c
 * tests the rules by themselves.
 */
#include <inttypes.h>
#include <stdio.h>

#include "test.h"

#include "law/law.h"
#include "script.h"

LABEL(drift_script, threads);

enum {
	FEW = 4,    /* blocks that fit at once: none waits for another to end */
	MANY = 60,  /* blocks */
	LONG = 100, /* rounds; enough for all others to advance fully */
	BUSY = 400  /* a cycle in which SMs store all the time */
};

/* Without loads, workgroup takes the cycles of serial, however slow a partition
 * is. */
static bool as_serial(struct script *s, unsigned threads)
{
	struct script serial = { .blocks = s->blocks };

	if (!script_play(&serial, "serial", 1) || !serial.right)
		return printf("    serial went wrong\n"), false;
	if (!script_play(s, "workgroup", threads))
		return printf("    there was no end\n"), false;
	if (!s->right || s->cycles != serial.cycles)
		return printf("    right %d, %" PRIu64 " cycles, not %" PRIu64
			      "\n",
			      s->right, s->cycles, serial.cycles),
		       false;
	return true;
}

/* The number of requests that may wait when each SM has done one step too
 * many. */
static uint64_t full(const struct script *s)
{
	return s->room + SCRIPT_SMS * s->step;
}

TEST(drift_script, a_full_reorder_queue_stops_the_sm_ahead)
{
	struct script s = { .blocks = FEW, .from = BUSY };

	OK(as_serial(&s, 1));
	EQ(2 * SCRIPT_SMS, s.room); /* each makes one request in a cycle */
	OK(s.stopped.set);
	OK(s.stopped.requests >= s.room);
	OK(!s.far.set);
	OK(s.went_on);
	OK(s.peak <= full(&s));
}

TEST(drift_script, a_stopped_sm_stays_until_the_slow_one_advances)
{
	struct script s = { .blocks = FEW, .from = BUSY, .rounds = LONG };

	OK(as_serial(&s, 1));
	OK(s.stopped.set);
	EQ(s.stopped.fast, s.end.fast);
	EQ(BUSY, s.end.slow);
	OK(s.end.requests >= s.room);
	OK(s.went_on);
}

/* Memory is the slow one: SMs at the same cycle do not advance together. */
TEST(drift_script, a_full_reorder_queue_stops_all_if_memory_is_behind)
{
	struct script s = { .blocks = FEW,
			    .target = HOLD_MEMORY,
			    .from = BUSY,
			    .rounds = LONG };

	OK(as_serial(&s, 1));
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
	struct script s = { .blocks = FEW, .from = BUSY, .no_bound = true };

	OK(as_serial(&s, 1));
	OK(s.far.set);
	OK(!s.stopped.set);
	OK(s.peak > full(&s));
}

struct job {
	unsigned threads;
	enum script_held target;
};

static bool stops_and_goes_on(const void *ctx)
{
	const struct job *j = ctx;
	struct script s = { .blocks = FEW, .target = j->target, .from = BUSY };

	if (!as_serial(&s, j->threads))
		return false;
	printf("    stopped %d, %" PRIu64 " requests, far %d, went on %d\n",
	       s.stopped.set, s.stopped.requests, s.far.set, s.went_on);
	return s.stopped.set && s.stopped.requests >= s.room && !s.far.set &&
	       s.went_on;
}

/* The threads of the stopped and the held partition sleep: each must be
 * woken. */
TEST(drift_script, threads_wait_for_a_full_reorder_queue_and_go_on)
{
	for (unsigned n = 2; n <= FEW; n++) {
		OK(apart(stops_and_goes_on, &(struct job){ n, HOLD_SM }, 60));
		OK(apart(stops_and_goes_on, &(struct job){ n, HOLD_MEMORY },
			 60));
	}
}

TEST(drift_script, requests_wait_for_the_slowest_sm_and_are_never_late)
{
	struct script s = {
		.blocks = FEW, .from = BUSY, .no_bound = true, .rounds = LONG
	};

	OK(as_serial(&s, 1));
	OK(s.end.fast > s.end.slow + SCRIPT_FAR * s.step);
	EQ(s.end.slow + s.request, s.end.memory);
	OK(s.end.requests > 0);
	EQ(0, s.late_memory.messages);
	/* Now several times. SMs that are ahead get answers too late. */
	s = (struct script){
		.blocks = MANY, .no_bound = true, .rounds = LONG, .every = 50
	};
	OK(as_serial(&s, 1));
	EQ(0, s.late_memory.messages);
	OK(s.late_sms.messages > 0);
	EQ((double)s.late_sms.messages, s.late);
}

TEST(drift_script, a_request_older_than_what_memory_has_done_is_late)
{
	static const unsigned slack[] = { 10, 40, 100 };

	for (unsigned i = 0; i < sizeof(slack) / sizeof(*slack); i++) {
		struct script s = { .blocks = FEW,
				    .from = BUSY,
				    .rounds = LONG };
		char engine[32];

		snprintf(engine, sizeof(engine), "slack:%u", slack[i]);
		OK(script_play(&s, engine, 1));
		OK(s.right);
		EQ(s.end.slow + slack[i], s.end.fast);
		EQ(s.end.slow + slack[i], s.end.memory);
		EQ((double)(s.late_memory.messages + s.late_sms.messages),
		   s.late);
		/* Of the slack, 10 cycles are the latency of a request. */
		EQ(10, s.request);
		EQ(slack[i] > 10, s.late_memory.messages > 0);
		OK(s.late_memory.max <= slack[i] - s.request);
	}
}

/* On several threads FAST may not have come far in the others' rounds. */
static bool gives_blocks(const void *ctx)
{
	unsigned threads = *(const unsigned *)ctx;
	struct script s = { .blocks = MANY,
			    .from = BUSY,
			    .no_bound = true,
			    .rounds = LONG,
			    .every = 50 };

	return as_serial(&s, threads) &&
	       (threads > 1 || (s.far.set && s.went_on));
}

TEST(drift_script, blocks_go_out_in_the_order_of_ends_on_a_slow_sm_too)
{
	for (unsigned threads = 1; threads <= 3; threads++)
		OK(apart(gives_blocks, &threads, 60));
}

/* All SMs get the blocks that they can hold before any of them advances. */
TEST(drift_script, sms_wait_for_the_blocks_that_the_dispatcher_has_for_them)
{
	struct script s = { .blocks = FEW,
			    .target = HOLD_DISPATCHER,
			    .from = 20, /* it has sent two blocks */
			    .rounds = LONG };

	OK(as_serial(&s, 1));
	EQ(20, s.end.dispatcher);
	EQ(20 + s.block, s.end.fast);
	EQ(20 + s.block, s.end.slow);
}
