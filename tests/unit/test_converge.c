/*
 * Convergence barriers, by a toy instruction set: code says where lanes meet.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "arch/isa.h"
#include "simt/block.h"
#include "simt/converge.h"
#include "simt/crew.h"
#include "simt/launch.h"
#include "simt/tex.h"

enum {
	B0 = 0, /* barrier registers, then predicates */
	B1 = 4 * LANES,
	LOW = 8 * LANES, /* lanes 0 to 7; 8 to 15; 16 to 23 */
	MID = LOW + 4,
	HIGH = LOW + 8,
	REG_BYTES = LOW + 12
};

enum { LOW_LANES = 0xff, MID_LANES = 0xff00, HIGH_LANES = 0xff0000 };

static lanes_t marks[64]; /* lanes that passed a mark, in order */
static unsigned mark_count;
static unsigned spins; /* of the lane that waits for another one */
static unsigned set;   /* how often what it waits for has happened */
static pred_t saved[LANES];

static void toy_preds(struct warp *w, const struct inst *in)
{
	(void)in;
	pred_put(w, SLOT(SLOT_REG, LOW), LOW_LANES);
	pred_put(w, SLOT(SLOT_REG, MID), MID_LANES);
	pred_put(w, SLOT(SLOT_REG, HIGH), HIGH_LANES);
}

static void toy_enter(struct warp *w, const struct inst *in)
{
	converge_enter(w, in->d);
}

static void toy_wait(struct warp *w, const struct inst *in)
{
	converge_wait(w, in->d);
}

static void toy_leave(struct warp *w, const struct inst *in)
{
	converge_leave(w, in->d);
}

/* A copy of a barrier register, as calls keep it. */
static void toy_save(struct warp *w, const struct inst *in)
{
	memcpy(saved, slot_at(w, in->d), sizeof(saved));
}

static void toy_load(struct warp *w, const struct inst *in)
{
	pred_t *to = slot_at(w, in->d);

	for (int l = 0; l < LANES; l++)
		to[l] = w->mask >> l & 1 ? saved[l] : to[l];
}

static void toy_mark(struct warp *w, const struct inst *in)
{
	(void)in;
	marks[mark_count++ % 64] = w->mask;
}

static void toy_jump(struct warp *w, const struct inst *in)
{
	if (w->mask == w->active)
		w->pc = (uint32_t)in->offset;
	else
		warp_diverge(w, w->mask, (uint32_t)in->offset, NO_PC);
	if (in->offset < in->index)
		warp_end_turn(w);
}

static void toy_exit_lanes(struct warp *w, const struct inst *in)
{
	(void)in;
	warp_exit(w, w->mask);
}

/* Jumps until another lane has set what it waits for. */
static void toy_spin(struct warp *w, const struct inst *in)
{
	spins++;
	if (!set)
		toy_jump(w, in);
}

/* The same, for what must happen twice. */
static void toy_spin_twice(struct warp *w, const struct inst *in)
{
	if (set < 2)
		toy_jump(w, in);
}

/* Tells the others that it spins. */
static void toy_yield(struct warp *w, const struct inst *in)
{
	(void)in;
	if (w->active == warp_live(w))
		return;
	converge_yield(w);
	w->slice = w->steps;
	w->event |= EVENT_SWITCH;
}

static void toy_nothing(struct warp *w, const struct inst *in)
{
	(void)w, (void)in;
}

/* A barrier of the whole warp. */
static void toy_sync(struct warp *w, const struct inst *in)
{
	(void)in;
	(void)warp_converge(w, LANES_ALL);
}

static void toy_set(struct warp *w, const struct inst *in)
{
	(void)w, (void)in;
	set++;
}

static void no_launch(char *sregs, const struct launch *l, uint32_t warp)
{
	(void)sregs, (void)l, (void)warp;
}

static void no_block(char *sregs, const struct block *b)
{
	(void)sregs, (void)b;
}

static const struct isa converge_isa = { .name = "toy",
					 .lanes = LANES,
					 .start_launch = no_launch,
					 .start_block = no_block };

enum { ANY = -1 };

struct line {
	exec_fn *exec;
	int guard;  /* predicate, or ANY */
	int64_t to; /* register or target */
};

struct toy_run {
	enum err result;
	enum fault_kind fault;
	char text[200];
};

static void run_lines(struct toy_run *out, const struct line *lines,
		      uint32_t count, uint32_t threads)
{
	static struct inst insts[32];
	struct gmem gmem;
	struct tex_table textures;
	struct machine m = { .gmem = &gmem,
			     .textures = &textures,
			     .threads = 1,
			     .sm_count = 1,
			     .local_bytes = 64,
			     .max_steps = 100000,
			     .independent = true };
	struct function func = { .name = "k", .is_kernel = true };
	struct code code = { .func = &func,
			     .insts = insts,
			     .count = count,
			     .reg_bytes = REG_BYTES };
	struct program p = { .isa = &converge_isa,
			     .name = "toy",
			     .funcs = &func,
			     .func_count = 1,
			     .turns_at_branches = true,
			     .lanes_by_place = true };
	struct launch l = { .machine = &m,
			    .program = &p,
			    .kernel = &code,
			    .grid = { 1, 1, 1 },
			    .block = { threads, 1, 1 } };
	struct diag d = { .text = "" };

	memset(insts, 0, sizeof(insts));
	for (uint32_t i = 0; i < count; i++) {
		insts[i] = (struct inst){ .exec = lines[i].exec, .index = i };
		insts[i].guard = lines[i].guard == ANY ?
					 SLOT_NONE :
					 SLOT(SLOT_REG, lines[i].guard);
		insts[i].d = SLOT(SLOT_REG, lines[i].to);
		insts[i].offset = lines[i].to;
	}
	func.code = &code;
	func.program = &p;
	mark_count = spins = 0;
	set = 0;
	gmem_init(&gmem, GMEM_BASE_64, 1 << 20);
	tex_table_init(&textures);
	out->result = launch_run(&l, &d);
	out->fault = l.fault.kind;
	snprintf(out->text, sizeof(out->text), "%.199s", l.fault.text);
	launch_clear(&l);
	crew_free(m.crew);
	tex_table_free(&textures);
	gmem_free_all(&gmem);
}

#define RUN(lines, threads)                                                 \
	({                                                                  \
		struct toy_run run_;                                        \
		run_lines(&run_, lines, sizeof(lines) / sizeof((lines)[0]), \
			  threads);                                         \
		run_;                                                       \
	})

TEST(converge, lanes_meet_where_the_code_says)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 5 },       { toy_mark, ANY, 0 },
		{ toy_jump, ANY, 6 },       { toy_mark, ANY, 0 },
		{ toy_wait, ANY, B0 },      { toy_mark, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 },
	};
	struct toy_run r = RUN(k, 32);

	EQ(ERR_OK, r.result);
	EQ(3u, mark_count);
	EQ(LANES_ALL, marks[0] | marks[1]);
	EQ(0u, marks[0] & marks[1]);
	EQ(LANES_ALL, marks[2]);
}

/* Without a barrier nothing brings them together again. */
TEST(converge, lanes_stay_apart_without_a_barrier)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_jump, LOW, 3 },
		{ toy_mark, ANY, 0 },       { toy_mark, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 },
	};
	struct toy_run r = RUN(k, 32);

	EQ(ERR_OK, r.result);
	EQ(3u, mark_count);
	for (int i = 0; i < 3; i++)
		OK(marks[i] == LOW_LANES ||
		   marks[i] == (LANES_ALL & ~LOW_LANES));
}

/* The inner barrier is passed by its own lanes first. */
TEST(converge, barriers_nest)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 8 },       { toy_enter, ANY, B1 },
		{ toy_jump, MID, 6 },       { toy_mark, ANY, 0 },
		{ toy_wait, ANY, B1 },      { toy_mark, ANY, 0 },
		{ toy_wait, ANY, B0 },      { toy_mark, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 },
	};
	struct toy_run r = RUN(k, 32);

	EQ(ERR_OK, r.result);
	EQ(3u, mark_count);
	EQ(LANES_ALL & ~(LOW_LANES | MID_LANES), marks[0]);
	EQ(LANES_ALL & ~LOW_LANES, marks[1]);
	EQ(LANES_ALL, marks[2]);
}

/* Diverged lanes may use the same register for meetings of their own: the low
 * lanes meet while others wait for the high ones. */
TEST(converge, each_lane_has_its_own_meeting_in_a_register)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_jump, ANY, 7 },
		{ toy_mark, ANY, 0 },       { toy_jump, ANY, 12 },
		{ toy_enter, ANY, B0 },     { toy_wait, ANY, B0 },
		{ toy_jump, ANY, 13 },      { toy_jump, LOW, 4 },
		{ toy_enter, ANY, B0 },     { toy_jump, MID, 12 },
		{ toy_jump, HIGH, 2 },      { toy_nothing, ANY, 0 },
		{ toy_wait, ANY, B0 },      { toy_mark, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 },
	};
	struct toy_run r = RUN(k, 32);

	EQ(ERR_OK, r.result);
	EQ(3u, mark_count);
	EQ(LOW_LANES, marks[0]);
	EQ(HIGH_LANES, marks[1]);
	EQ(LANES_ALL & ~LOW_LANES, marks[2]);
}

TEST(converge, nobody_waits_for_lanes_that_left_or_exited)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 7 },       { toy_jump, MID, 9 },
		{ toy_wait, ANY, B0 },      { toy_mark, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 }, { toy_leave, ANY, B0 },
		{ toy_jump, ANY, 8 },       { toy_exit_lanes, ANY, 0 },
	};
	struct line ends[sizeof(k) / sizeof(k[0])];
	struct toy_run r;

	/* Those that left spin for ever: the limit of instructions ends it. */
	r = RUN(k, 32);
	EQ(ERR_FAULT, r.result);
	EQ(FAULT_LOOP, r.fault);
	EQ(1u, mark_count);
	EQ(LANES_ALL & ~(LOW_LANES | MID_LANES), marks[0]);
	memcpy(ends, k, sizeof(k));
	ends[8] = (struct line){ toy_exit_lanes, ANY, 0 };
	r = RUN(ends, 32);
	EQ(ERR_OK, r.result);
	EQ(1u, mark_count);
}

/* The low lanes run first, and spin until the others have set what they wait
 * for: each has its turn, and the barrier holds for as long as that takes. */
TEST(converge, lanes_that_spin_let_the_others_run)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 }, { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 5 },  { toy_set, ANY, 0 },
		{ toy_jump, ANY, 7 },  { toy_nothing, ANY, 0 },
		{ toy_spin, ANY, 5 },  { toy_wait, ANY, B0 },
		{ toy_mark, ANY, 0 },  { toy_exit_lanes, ANY, 0 },
	};
	struct toy_run r = RUN(k, 32);

	OK(spins > 1);
	EQ(ERR_OK, r.result);
	EQ(1u, mark_count);
	EQ(LANES_ALL, marks[0]);
}

/* The low lanes leave the loop at once and wait for the others, which spin until
 * a low lane has set something behind the barrier. */
TEST(converge, lanes_that_yield_are_not_waited_for)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 5 },       { toy_yield, ANY, 0 },
		{ toy_spin, ANY, 3 },       { toy_wait, ANY, B0 },
		{ toy_mark, ANY, 0 },       { toy_set, LOW, 0 },
		{ toy_exit_lanes, ANY, 0 },
	};
	struct line silent[sizeof(k) / sizeof(k[0])];
	struct toy_run r = RUN(k, 32);

	EQ(ERR_OK, r.result);
	EQ(2u, mark_count);
	EQ(LOW_LANES, marks[0]);
	EQ(LANES_ALL & ~LOW_LANES, marks[1]);
	/* Without a word of it, the barrier holds. */
	memcpy(silent, k, sizeof(k));
	silent[3].exec = toy_nothing;
	r = RUN(silent, 32);
	EQ(ERR_FAULT, r.result);
	EQ(FAULT_LOOP, r.fault);
}

/* The low lanes yield once, before the others arrive, and spin in silence then. */
TEST(converge, lanes_that_have_yielded_before_are_not_waited_for)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 }, { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 6 },  { toy_wait, ANY, B0 },
		{ toy_set, ANY, 0 },   { toy_jump, ANY, 8 },
		{ toy_yield, ANY, 0 }, { toy_spin, ANY, 7 },
		{ toy_mark, ANY, 0 },  { toy_exit_lanes, ANY, 0 },
	};
	struct line silent[sizeof(k) / sizeof(k[0])];
	struct toy_run r = RUN(k, 32);

	EQ(ERR_OK, r.result);
	EQ(LANES_ALL, marks[0] | marks[1]);
	memcpy(silent, k, sizeof(k));
	silent[6].exec = toy_nothing;
	r = RUN(silent, 32);
	EQ(ERR_FAULT, r.result);
	EQ(FAULT_LOOP, r.fault);
}

TEST(converge, where_lanes_part_the_fewer_run_first)
{
	static const struct line forward[] = {
		{ toy_preds, ANY, 0 }, { toy_jump, LOW, 4 },
		{ toy_mark, ANY, 0 },  { toy_exit_lanes, ANY, 0 },
		{ toy_mark, ANY, 0 },  { toy_exit_lanes, ANY, 0 },
	};
	static const struct line backward[] = {
		{ toy_preds, ANY, 0 },      { toy_jump, ANY, 4 },
		{ toy_mark, ANY, 0 },       { toy_exit_lanes, ANY, 0 },
		{ toy_jump, LOW, 2 },       { toy_mark, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 },
	};

	EQ(ERR_OK, RUN(forward, 32).result);
	EQ(2u, mark_count);
	EQ(LOW_LANES, marks[0]);
	EQ(ERR_OK, RUN(backward, 32).result);
	EQ(2u, mark_count);
	EQ(LOW_LANES, marks[0]);
	/* Of the lowest 12 lanes, 8 jump and 4 stay. */
	EQ(ERR_OK, RUN(forward, 12).result);
	EQ(LOW_LANES, marks[1]);
	EQ(ERR_OK, RUN(backward, 12).result);
	EQ(LOW_LANES, marks[1]);
	/* Of the lowest 16, 8 do each. */
	EQ(ERR_OK, RUN(forward, 16).result);
	EQ(LOW_LANES, marks[1]);
	EQ(ERR_OK, RUN(backward, 16).result);
	EQ(LOW_LANES, marks[1]);
}

/* The low lanes yield and are overtaken, but only to where they are. */
TEST(converge, lanes_that_are_ready_at_one_instruction_run_together)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },   { toy_jump, LOW, 3 },
		{ toy_nothing, ANY, 0 }, { toy_yield, ANY, 0 },
		{ toy_mark, ANY, 0 },    { toy_exit_lanes, ANY, 0 },
	};

	EQ(ERR_OK, RUN(k, 32).result);
	EQ(1u, mark_count);
	EQ(LANES_ALL, marks[0]);
}

/* The low lanes wait at B1 for all others, which wait at B0. */
TEST(converge, where_all_wait_those_at_the_innermost_barrier_go_on)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },  { toy_enter, ANY, B0 },
		{ toy_enter, ANY, B1 }, { toy_jump, LOW, 6 },
		{ toy_wait, ANY, B0 },  { toy_jump, ANY, 8 },
		{ toy_wait, ANY, B1 },  { toy_wait, ANY, B0 },
		{ toy_mark, ANY, 0 },   { toy_exit_lanes, ANY, 0 },
	};

	EQ(ERR_OK, RUN(k, 32).result);
	EQ(2u, mark_count);
	EQ(LANES_ALL, marks[0] | marks[1]);
}

TEST(converge, lanes_that_wait_for_ever_are_a_deadlock)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 5 },       { toy_sync, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 }, { toy_wait, ANY, B0 },
		{ toy_exit_lanes, ANY, 0 },
	};
	struct toy_run r = RUN(k, 32);

	/* The low lanes wait at B0 for all others, which wait at a barrier of the
	 * warp. */
	EQ(ERR_FAULT, r.result);
	EQ(FAULT_BARRIER, r.fault);
	OK(strstr(r.text, "wait for lanes"));
}

/* All lanes enter B1 for a call, and save B0 in between. The low lanes spin; the others
 * go ahead, also of the outer barrier, of which the low lanes have a copy, and wait for
 * the whole warp. */
TEST(converge, copies_of_barriers_do_not_hold_lanes_that_went_ahead)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },  { toy_enter, ANY, B0 },
		{ toy_enter, ANY, B1 }, { toy_jump, LOW, 8 },
		{ toy_wait, ANY, B1 },  { toy_wait, ANY, B0 },
		{ toy_set, ANY, 0 },    { toy_jump, ANY, 13 },
		{ toy_save, ANY, B0 },  { toy_yield, ANY, 0 },
		{ toy_spin, ANY, 9 },   { toy_load, ANY, B0 },
		{ toy_wait, ANY, B0 },  { toy_sync, ANY, 0 },
		{ toy_mark, ANY, 0 },   { toy_exit_lanes, ANY, 0 },
	};

	EQ(ERR_OK, RUN(k, 32).result);
	EQ(1u, mark_count);
	EQ(LANES_ALL, marks[0]);
}

/* Like these, but the low lanes find that others, which they wait for as well, spin until
 * the low ones have come. */
TEST(converge, lanes_that_spin_need_no_deadlock_to_be_passed)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 },      { toy_enter, ANY, B0 },
		{ toy_save, ANY, B0 },      { toy_jump, LOW, 8 },
		{ toy_jump, MID, 12 },      { toy_wait, ANY, B0 },
		{ toy_set, ANY, 0 },        { toy_jump, ANY, 14 },
		{ toy_yield, ANY, 0 },      { toy_spin, ANY, 8 },
		{ toy_load, ANY, B0 },      { toy_jump, ANY, 5 },
		{ toy_yield, ANY, 0 },      { toy_spin_twice, ANY, 12 },
		{ toy_sync, ANY, 0 },       { toy_mark, ANY, 0 },
		{ toy_exit_lanes, ANY, 0 },
	};

	EQ(ERR_OK, RUN(k, 32).result);
	EQ(1u, mark_count);
	EQ(LANES_ALL, marks[0]);
}

TEST(converge, lanes_that_do_not_exist_are_not_waited_for)
{
	static const struct line k[] = {
		{ toy_preds, ANY, 0 }, { toy_enter, ANY, B0 },
		{ toy_jump, LOW, 3 },  { toy_wait, ANY, B0 },
		{ toy_mark, ANY, 0 },  { toy_exit_lanes, ANY, 0 },
	};
	struct toy_run r = RUN(k, 12);

	EQ(ERR_OK, r.result);
	EQ(1u, mark_count);
	EQ(lanes_below(12), marks[0]);
}
