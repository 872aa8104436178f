/* Which parts of CGM wake, and what they count while they rest. */
#include <string.h>

#include "mem/cgm/wheel.h"
#include "test.h"

enum { PARTS = 70 };

struct wheel_rig {
	struct arena a;
	struct cgm_part part[PARTS], *at[PARTS];
	struct cgm_wheel w;
};

static cycle_t never(struct cgm_part *p, cycle_t now)
{
	(void)p, (void)now;
	return CYCLE_NEVER;
}

static void wheel_rig_init(struct wheel_rig *r)
{
	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < PARTS; i++) {
		cgm_part_init(&r->part[i], never, 1 + i % 4);
		r->at[i] = &r->part[i];
	}
	OK(cgm_wheel_init(&r->w, &r->a, r->at, PARTS));
}

static void wake(struct wheel_rig *r, unsigned i, cycle_t at)
{
	r->part[i].wake = at;
	cgm_wheel_wake(&r->w, &r->part[i]);
}

static bool is_due(const struct wheel_rig *r, unsigned i)
{
	return r->w.due[i / 64] >> i % 64 & 1;
}

/* Runs the window of a tick. */
static void run_tick(struct wheel_rig *r, cycle_t now)
{
	cgm_wheel_begin(&r->w, now, now + 1);
	for (unsigned i = 0; i < PARTS; i++)
		if (is_due(r, i))
			cgm_part_run(&r->part[i], now + 1);
	cgm_wheel_end(&r->w);
}

TEST(wheel, parts_wake_in_their_order_however_far_away)
{
	static const cycle_t times[] = { 7, 100, 5000, 1000000 };
	struct wheel_rig r;

	wheel_rig_init(&r);
	EQ(CYCLE_NEVER, cgm_wheel_next(&r.w));
	for (unsigned i = 0; i < 4; i++)
		wake(&r, 69 - 20 * i, times[i]);
	for (unsigned i = 0; i < 4; i++) {
		EQ(times[i], cgm_wheel_next(&r.w));
		cgm_wheel_begin(&r.w, times[i], times[i] + 1);
		for (unsigned k = 0; k < PARTS; k++)
			EQ(k == 69 - 20 * i, is_due(&r, k));
		r.part[69 - 20 * i].wake = CYCLE_NEVER;
		cgm_wheel_end(&r.w);
	}
	EQ(CYCLE_NEVER, cgm_wheel_next(&r.w));
	arena_free(&r.a);
}

TEST(wheel, mail_wakes_a_part_in_a_cycle_of_its_clock)
{
	struct wheel_rig r;

	wheel_rig_init(&r);
	wake(&r, 67, 400); /* of a clock of four ticks */
	cgm_part_mail(&r.part[67], 21);
	cgm_part_mail(&r.part[67], 30);
	EQ(24, cgm_wheel_next(&r.w));
	run_tick(&r, 24);
	EQ(CYCLE_NEVER, r.part[67].wake);
	/* The entry of tick 400 is out of date. */
	EQ(CYCLE_NEVER, cgm_wheel_next(&r.w));
	arena_free(&r.a);
}

TEST(wheel, mail_that_comes_later_than_the_part_wakes_changes_nothing)
{
	struct wheel_rig r;

	wheel_rig_init(&r);
	wake(&r, 0, 10);
	cgm_part_mail(&r.part[0], 50);
	EQ(10, cgm_wheel_next(&r.w));
	EQ(CYCLE_NEVER, atomic_load(&r.part[0].mail));
	arena_free(&r.a);
}

TEST(wheel, a_part_woken_from_outside_runs_in_the_window_that_has_ended)
{
	struct wheel_rig r;

	wheel_rig_init(&r);
	wake(&r, 1, 500);
	EQ(500, cgm_wheel_next(&r.w));
	run_tick(&r, 500);
	wake(&r, 2, 500 - CGM_WHEEL_BACK + 1);
	EQ(500 - CGM_WHEEL_BACK + 1, cgm_wheel_next(&r.w));
	arena_free(&r.a);
}

TEST(rest, cycles_like_the_last_are_those_between_two_steps)
{
	struct cgm_part p;

	cgm_part_init(&p, never, 4);
	EQ(0, cgm_part_rested(&p, 100));
	p.rest = 40;
	EQ(0, cgm_part_rested(&p, 40));
	EQ(0, cgm_part_rested(&p, 44));
	EQ(1, cgm_part_rested(&p, 45));
	EQ(1, cgm_part_rested(&p, 48));
	EQ(4, cgm_part_rested(&p, 60));
}
