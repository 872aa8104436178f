/*
 * Engines with drifting partitions. Their timing may be wrong, and they say so;
 * the results of a program without races must be right, and they must never
 * hang.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "races.h"

LABEL(drift_few, threads);

#define CONFIG(name) HEDDLE_SOURCE_DIR "/configs/" name ".cfg"

struct job {
	const char *config;
	const char *const *engines; /* ends with NULL */
	const unsigned *threads;    /* ends with 0 */
	const struct program *programs;
	unsigned count;
};

static bool says_so(const char *engine, const struct outcome *o)
{
	if (!strcmp(engine, o->engine) && !o->exact)
		return true;
	printf("    %s, exact %d; not %s\n", o->engine, o->exact, engine);
	return false;
}

/* Every engine on every number of threads leaves the same memory as serial. */
static bool same_result(const struct program *p, const struct heddle_config *c,
			const struct job *j)
{
	static struct outcome want, got;
	struct way way = { .threads = 1, .engine = "serial" };

	if (!program_run(p, c, way, &want))
		return false;
	if (want.status)
		return printf("    refused: %s\n", want.error), true;
	for (const char *const *e = j->engines; *e; e++)
		for (const unsigned *n = j->threads; *n; n++) {
			way.engine = *e;
			way.threads = *n;
			if (!program_run(p, c, way, &got) || got.status ||
			    !says_so(*e, &got) || !same_memory(&want, &got) ||
			    !bytes_add_up(&got))
				return printf("    %s, %u threads\n", *e, *n),
				       false;
		}
	return true;
}

static bool all_same(const void *ctx)
{
	const struct job *j = ctx;
	struct heddle_config *c;
	bool good = true;

	if (heddle_config_load(&c, j->config, NULL))
		return false;
	for (unsigned i = 0; good && i < j->count; i++) {
		printf("  %s\n", j->programs[i].kernel);
		good = same_result(&j->programs[i], c, j);
	}
	heddle_config_free(c);
	return good;
}

static const char *const all_engines[] = { "slack:1",   "slack:10",
					   "slack:100", "slack:100000",
					   "workgroup", NULL };
static const char *const two_engines[] = { "slack:50", "workgroup", NULL };

static void check(const char *config, const char *const *engines,
		  const unsigned *threads)
{
	struct job j = { config, engines, threads, programs, program_count };

	OK(apart(all_same, &j, 240));
}

/* For the thread sanitizer, which is slow. */
TEST(drift_few, threads_are_enough_to_find_data_races)
{
	check(CONFIG("tiny"), two_engines, (const unsigned[]){ 3, 0 });
}

TEST(drift_tiny, programs_without_races_compute_what_they_should)
{
	check(CONFIG("tiny"), all_engines, (const unsigned[]){ 1, 3, 0 });
}

TEST(drift_gtx285, programs_without_races_compute_what_they_should)
{
	check(CONFIG("gtx285"), two_engines, (const unsigned[]){ 1, 2, 3, 0 });
}

TEST(drift_h200, programs_without_races_compute_what_they_should)
{
	check(CONFIG("h200"), two_engines, (const unsigned[]){ 2, 8, 0 });
}

/*
 * Contention
 */

/* Every thread adds, and passes on a number that it gets from the one before
 * it: no number may be lost or duplicated. */
#define HAND_ON                                                             \
	KERNEL("hand_on", "",                                               \
	       "mov.u32 %r4, 0; mov.u32 %r5, 0; and.b32 %r6, %r1, 3; "      \
	       "mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd0, %rd2; "      \
	       "add.u32 %r9, %r1, 1; "                                      \
	       "A: atom.global.exch.b32 %r9, [%rd2], %r9; "                 \
	       "atom.global.add.u32 %r7, [%rd2+16], 1; "                    \
	       "red.global.add.u32 [%rd2+32], %r4; "                        \
	       "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; "             \
	       "@%p1 bra A; red.global.add.u32 [%rd2+48], %r9; "            \
	       "atom.global.inc.u32 %r8, [%rd2+64], 12; membar.gl; "        \
	       "atom.global.add.u32 %r8, [%rd0+96], 1; "                    \
	       "mov.u32 %r3, %nctaid.x; mul.lo.u32 %r3, %r3, 64; "          \
	       "sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r8, %r3; @%p2 ret; " \
	       "mov.u32 %r4, 0; "                                           \
	       "B: mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd0, %rd2; "   \
	       "atom.global.exch.b32 %r5, [%rd2], 0; "                      \
	       "red.global.add.u32 [%rd2+48], %r5; "                        \
	       "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4; @%p1 bra B; " \
	       "st.global.u32 [%rd0+96], 0;")

/* A lock that is released by a store, as in many programs. */
#define RELEASE                                                      \
	KERNEL("release", "",                                        \
	       "setp.ne.u32 %p1, %r0, 0; @%p1 ret; mov.u32 %r4, 0; " \
	       "L: atom.global.cas.b32 %r5, [%rd0], 0, 1; "          \
	       "setp.ne.u32 %p2, %r5, 0; @%p2 bra L; membar.gl; "    \
	       "ld.volatile.global.u32 %r6, [%rd0+128]; "            \
	       "mad.lo.u32 %r6, %r6, 3, 1; "                         \
	       "st.volatile.global.u32 [%rd0+128], %r6; membar.gl; " \
	       "st.volatile.global.u32 [%rd0], 0; "                  \
	       "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; "      \
	       "@%p1 bra L;")

/* Blocks in a chain: each waits for a word that the one before it stores after
 * several others. */
#define CHAIN                                                             \
	KERNEL("chain", "",                                               \
	       "mul.wide.u32 %rd2, %r2, 512; add.u64 %rd2, %rd0, %rd2; "  \
	       "setp.eq.u32 %p1, %r2, 0; mov.u32 %r5, %r0; @%p1 bra S; "  \
	       "W: ld.volatile.global.u32 %r4, [%rd2+-4]; "               \
	       "setp.eq.u32 %p2, %r4, 0; @%p2 bra W; membar.gl; "         \
	       "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd2, %rd3; "    \
	       "ld.volatile.global.u32 %r5, [%rd3+-512]; "                \
	       "mad.lo.u32 %r5, %r5, 5, 3; "                              \
	       "S: mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd2, %rd3; " \
	       "st.volatile.global.u32 [%rd3], %r5; membar.gl; "          \
	       "bar.sync 0; setp.ne.u32 %p3, %r0, 0; @%p3 ret; "          \
	       "st.volatile.global.u32 [%rd2+508], 1;")

#define ONE_BUFFER(name, text, blocks, threads, bytes)           \
	{                                                        \
		name, text, { blocks, 1, 1 }, { threads, 1, 1 }, \
			{ { FILL_ZERO, bytes } }, { 0 }, 0       \
	}

static const struct program contended[] = {
	ONE_BUFFER("hand_on", HAND_ON, 24, 64, 128),
	ONE_BUFFER("release", RELEASE, 16, 32, 256),
};
static const struct program chain[] = {
	ONE_BUFFER("chain", CHAIN, 4, 64, 2048),
};

TEST(drift_contend, no_atomic_is_lost_or_done_twice)
{
	static const char *const engines[] = { "slack:10", "slack:1000",
					       "workgroup", NULL };
	static const unsigned threads[] = { 1, 3, 8, 0 };

	OK(apart(all_same,
		 &(struct job){ CONFIG("tiny"), engines, threads, contended,
				2 },
		 120));
	OK(apart(all_same,
		 &(struct job){ CONFIG("gtx285"), two_engines, threads,
				contended, 2 },
		 120));
}

TEST(drift_contend, a_thread_that_sees_a_store_sees_those_before_it)
{
	static const unsigned threads[] = { 1, 2, 4, 0 };

	OK(apart(all_same,
		 &(struct job){ CONFIG("tiny"), all_engines, threads, chain,
				1 },
		 120));
	OK(apart(all_same,
		 &(struct job){ CONFIG("gtx285"), two_engines, threads, chain,
				1 },
		 120));
}

/*
 * Time
 */

static bool run(const struct program *p, const char *config, struct way way,
		struct outcome *out)
{
	struct heddle_config *c;
	bool good;

	if (heddle_config_load(&c, config, NULL))
		return false;
	good = program_run(p, c, way, out) && !out->status;
	heddle_config_free(c);
	return good;
}

/* A message takes 60 cycles on this GPU, and more. */
TEST(drift_time, a_slack_below_a_messages_latency_changes_nothing)
{
	static struct outcome want, got;

	for (unsigned i = 0; i < program_count; i++) {
		struct way way = { .threads = 1, .engine = "serial" };

		if (!run(&programs[i], CONFIG("gtx285"), way, &want))
			continue; /* not supported by that GPU */
		way.threads = 1 + i % 3;
		way.engine = i % 2 ? "slack:60" : "slack:10";
		OK(run(&programs[i], CONFIG("gtx285"), way, &got));
		OK(same_memory(&want, &got));
		OK(same_stats(&want, &got));
	}
}

static double late(const struct outcome *o, const char *what)
{
	char key[64];

	snprintf(key, sizeof(key), "engine.late_%s", what);
	return stat_of(o, key);
}

/* On one thread the same messages are late in every run. Blocks are in flight
 * for one cycle here. */
TEST(drift_time, late_messages_are_counted_and_never_later_than_the_slack)
{
	struct way way = { .threads = 1, .engine = "slack:40" };
	static struct outcome a, b;
	double all = 0;

	for (unsigned i = 0; i < program_count; i++) {
		OK(run(&programs[i], CONFIG("tiny"), way, &a));
		OK(run(&programs[i], CONFIG("tiny"), way, &b));
		OK(same_stats(&a, &b));
		all += late(&a, "messages");
		OK(late(&a, "most") < 40);
		OK(late(&a, "cycles") >= late(&a, "messages"));
		OK(late(&a, "cycles") <=
		   late(&a, "messages") * late(&a, "most"));
	}
	OK(all > 0);
	way.engine = "serial";
	OK(run(&programs[0], CONFIG("tiny"), way, &a));
	EQ(0.0, late(&a, "messages"));
}

/* All samples and events arrive, in order. */
TEST(drift_time, samples_and_events_are_those_of_the_run)
{
	struct way way = { .threads = 3, .watch = true };
	static struct outcome got;

	for (const char *const *e = two_engines; *e; e++) {
		way.engine = *e;
		OK(run(&programs[0], CONFIG("tiny"), way, &got));
		OK(got.samples && got.events);
	}
}

/* Without loads, time depends only on the SM and on when it gets its blocks:
 * they are handed out in the order in which others end. */
#define UNEVEN                                                             \
	KERNEL("uneven", "",                                               \
	       "mad.lo.u32 %r4, %r2, 37, 11; rem.u32 %r4, %r4, 23; "       \
	       "mul.lo.u32 %r4, %r4, 9; mov.u32 %r5, %r1; "                \
	       "A: mad.lo.u32 %r5, %r5, 5, %r4; sub.u32 %r4, %r4, 1; "     \
	       "setp.gt.s32 %p1, %r4, 0; @%p1 bra A; mov.u32 %r6, %smid; " \
	       "mad.lo.u32 %r5, %r5, 64, %r6; st.global.u32 [%rd1], %r5;")

static const struct program uneven =
	ONE_BUFFER("uneven", UNEVEN, 150, 128, 76800);

TEST(drift_groups, blocks_go_out_in_the_order_of_completion)
{
	static struct outcome want, got;
	struct way way = { .threads = 1, .engine = "serial" };

	OK(run(&uneven, CONFIG("gtx285"), way, &want));
	way.engine = "workgroup";
	for (unsigned n = 1; n < 6; n++) {
		way.threads = n;
		OK(run(&uneven, CONFIG("gtx285"), way, &got));
		OK(same_memory(&want, &got));
		EQ(want.cycles, got.cycles);
	}
}

/* The programs with their own text, as many as run at once. */
static bool share_the_gpu(const void *config)
{
	static struct outcome want, got;
	const struct program *list[GROUP];
	struct heddle_config *c;
	bool good;
	size_t n = 0;

	for (unsigned i = 0; i < program_count && n < GROUP; i++)
		if (programs[i].text)
			list[n++] = &programs[i];
	if (heddle_config_load(&c, config, NULL))
		return false;
	good = group_run(list, n, c, PLAIN_WAY, &want);
	for (unsigned i = 0; good && i < 4; i++) {
		struct way way = { .engine = two_engines[i % 2],
				   .threads = 1 + i };

		good = group_run(list, n, c, way, &got) &&
		       same_memory(&want, &got);
	}
	heddle_config_free(c);
	return good;
}

TEST(drift_groups, kernels_of_several_streams_share_the_gpu)
{
	OK(apart(share_the_gpu, CONFIG("tiny"), 120));
	OK(apart(share_the_gpu, CONFIG("gtx285"), 120));
}
