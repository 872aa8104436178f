/*
 * Control bits: when a warp issues if its instructions carry stall counts and
 * name counters. Rules: arch/timed.h, sm/counters.h.
 *
 * The programs are PTX. After they are loaded, the control bits of a test
 * replace the registers of their timed instructions, so that nothing but these
 * bits decides when an instruction issues. Functions run at issue: the results
 * are those of the PTX.
 */
#include <string.h>

#include "test.h"

#include "api/device.h"
#include "rig.h"

static struct rig r;

/* The instructions that START of rig.h puts before a body. */
enum { BODY = 14 };

/* Ports and the return path take a whole line in a cycle. */
#define LONE                                                                                 \
	"sm.count=1 unit.lsu.lanes=64 lsu.return_width=1024 net.sm_in=4096 net.sm_out=4096 " \
	"net.slice_in=4096 net.slice_out=4096 "

/* Of an instruction; counters are numbered from 0, given as 1 << n. */
struct bits {
	unsigned stall;
	unsigned wait, write, read;
	bool yields;
};

static unsigned number(unsigned mask)
{
	return mask ? (unsigned)__builtin_ctz(mask) + 1 : 0;
}

static void put_bits(struct timed_inst *ti, const struct bits *b)
{
	ti->stall = (uint8_t)b->stall;
	ti->counters =
		timed_counters(number(b->write), number(b->read), b->yields);
	if (ti->kind == KIND_PLAIN && ti->counters & ~TIMED_YIELDS)
		ti->kind = KIND_COUNTED;
	for (unsigned left = b->wait; left; left &= left - 1)
		ti->reg[ti->regs++] = (uint16_t)__builtin_ctz(left);
	for (unsigned i = ti->regs; i < TIMED_QUICK; i++)
		ti->reg[i] = ti->reg[0];
}

/* The timed instruction i of the body. */
static struct timed_inst *timed_of(unsigned i)
{
	struct timed_func *f = &r.mod->timed->func[0];

	for (uint32_t n = 0; n < f->count; n++)
		if (f->code->insts[n].index == BODY + i &&
		    !(f->code->insts[n].flip & INST_PSEUDO))
			return &f->inst[n];
	OK(!"an instruction of the body");
	return NULL;
}

/* Opens a kernel whose body begins with n instructions of these control
 * bits; all others have a stall count of 1. */
static void open_with(const char *text, const char *set, const struct bits *b,
		      unsigned n)
{
	struct timed_func *f;

	rig_open(&r, text, set);
	f = &r.mod->timed->func[0];
	EQ(1, r.mod->timed->func_count);
	f->scoreboard = TIMED_COUNTER_SCORES;
	r.mod->timed->scoreboard = TIMED_COUNTER_ROOM;
	for (uint32_t i = 0; i < f->count; i++) {
		f->inst[i].writes = f->inst[i].regs = 0;
		f->inst[i].more = NULL;
		f->inst[i].stall = 1;
	}
	for (unsigned i = 0; i < n; i++)
		put_bits(timed_of(i), &b[i]);
}

#define OPEN(text, set, ...)                                            \
	open_with(text, LONE set, (const struct bits[]){ __VA_ARGS__ }, \
		  sizeof((const struct bits[]){ __VA_ARGS__ }) /        \
			  sizeof(struct bits))

/* Runs one warp: how many cycles after clock 0 clock 1 was read. */
static uint64_t between(void)
{
	uint64_t n;

	rig_run(&r, 1, 32);
	n = r.c[0][1] - r.c[0][0];
	rig_close(&r);
	return n;
}

TEST(control, a_warp_issues_when_its_stall_count_has_passed)
{
	OPEN(KERNEL(CLOCK(0) "add.u32 %r1, %r40, 1; "
			     "add.u32 %r2, %r1, 1; " CLOCK(1)),
	     "lat.alu.cycles=9", { .stall = 5 }, { .stall = 1 },
	     { .stall = 15 });
	/* Whatever the latency: 5 to the first addition, 1 to the second, 15
	 * to the clock. */
	EQ(21, between());
}

#define SHARED ".shared .align 128 .b32 s[256]; "
#define LDS(d) "ld.shared.u32 %r" #d ", [%r40]; "

TEST(control, a_counter_is_zero_when_the_result_is_there)
{
	/* The load issues 1 after the clock, its result is there 30 later. */
	OPEN(KERNEL(SHARED CLOCK(0) LDS(1) CLOCK(1)), "shared.latency=30",
	     { .stall = 1 }, { .stall = 2, .write = 1 << 3 },
	     { .stall = 1, .wait = 1 << 3 });
	EQ(31, between());
}

TEST(control, other_counters_are_not_waited_for)
{
	OPEN(KERNEL(SHARED CLOCK(0) LDS(1) CLOCK(1)), "shared.latency=30",
	     { .stall = 1 }, { .stall = 2, .write = 1 << 3 },
	     { .stall = 1, .wait = 1 << 2 | 1 << 4 });
	EQ(3, between());
	/* And without a counter nothing is. */
	OPEN(KERNEL(SHARED CLOCK(0) LDS(1) CLOCK(1)), "shared.latency=30",
	     { .stall = 1 }, { .stall = 2 }, { .stall = 1, .wait = 0x3f });
	EQ(3, between());
}

TEST(control, a_counter_stays_raised_until_the_last_of_its_loads)
{
	/* Loads at 1, 2 and 7 after the clock; all raise counter 0. */
	OPEN(KERNEL(SHARED CLOCK(0) LDS(1) LDS(2) LDS(3) CLOCK(1)),
	     "shared.latency=30", { .stall = 1 }, { .stall = 1, .write = 1 },
	     { .stall = 5, .write = 1 }, { .stall = 2, .write = 1 },
	     { .stall = 1, .wait = 1 });
	EQ(37, between());
}

TEST(control, a_wait_names_several_counters)
{
	/* At 1 with counter 0, at 3 with counter 5: 3 + 30. */
	OPEN(KERNEL(SHARED CLOCK(0) LDS(1) LDS(2) CLOCK(1)),
	     "shared.latency=30", { .stall = 1 },
	     { .stall = 2, .write = 1 << 5 }, { .stall = 2, .write = 1 },
	     { .stall = 1, .wait = 0x3f });
	EQ(33, between());
}

TEST(control, a_load_from_the_l2_lowers_its_counter_when_it_returns)
{
	const char *text =
		KERNEL(CLOCK(0) "ld.global.u32 %r1, [%mine]; " CLOCK(1));
	struct bits b[] = { { .stall = 1 },
			    { .stall = 2, .write = 1 << 1 },
			    { .stall = 1, .wait = 1 << 1 } };

	open_with(text, LONE, b, 3);
	rig_warm(&r, 0, 4096);
	/* Issued at 1; then 5 to the network, 10 there, 7 in the L2, 10 back
	 * and 3 to the register. */
	EQ(1 + 5 + 10 + 7 + 10 + 3, between());
}

TEST(control, plain_instructions_lower_their_counters_after_their_latency)
{
	OPEN(KERNEL(CLOCK(0) "sin.approx.f32 %f1, %f2; " CLOCK(1)),
	     "lat.sfu.cycles=17", { .stall = 1 },
	     { .stall = 2, .write = 1 << 2 }, { .stall = 1, .wait = 1 << 2 });
	EQ(18, between());
}

TEST(control, a_counter_may_be_raised_by_a_load_and_an_instruction)
{
	/* The load at 1 ends at 31, the sine at 3 at 20: and the other way
	 * round with 40 cycles at 43. */
	for (int i = 0; i < 2; i++) {
		OPEN(KERNEL(SHARED CLOCK(0) LDS(
			     1) "sin.approx.f32 %f1, %f2; " CLOCK(1)),
		     "shared.latency=30 lat.sfu.cycles=17", { .stall = 1 },
		     { .stall = 2, .write = 1 }, { .stall = 2, .write = 1 },
		     { .stall = 1, .wait = 1 });
		if (i)
			timed_of(2)->cycles = 40;
		EQ(i ? 43 : 31, between());
	}
}

TEST(control, a_read_counter_falls_when_the_lsu_has_the_operands)
{
	/* The store leaves its queue lat.mem.cycles after its issue. */
	OPEN(KERNEL(CLOCK(0) "st.global.u32 [%mine], %r40; " CLOCK(1)),
	     "lat.mem.cycles=9 shared.latency=30 l1.hit_latency=30 "
	     "l1.miss_latency=20",
	     { .stall = 1 }, { .stall = 2, .read = 1 << 4 },
	     { .stall = 1, .wait = 1 << 4 });
	EQ(1 + 9, between());
	/* Three of them, 6 cycles apart at the head of the queue. */
	OPEN(KERNEL(CLOCK(0)
			    X2("st.global.u32 [%mine], %r40; ") "st.global.u32 [%mine], %r40; " CLOCK(
				    1)),
	     "lat.mem.cycles=9 shared.latency=30 l1.hit_latency=30 "
	     "l1.miss_latency=20 lsu.address_interval=6",
	     { .stall = 1 }, { .stall = 1 }, { .stall = 1 },
	     { .stall = 2, .read = 1 << 4 }, { .stall = 1, .wait = 1 << 4 });
	EQ(1 + 9 + 6 + 6, between());
}

TEST(control, a_load_has_a_read_and_a_write_counter)
{
	OPEN(KERNEL(SHARED CLOCK(0) LDS(1) CLOCK(1) CLOCK(2)),
	     "lat.mem.cycles=9 shared.latency=30 l1.hit_latency=30 "
	     "l1.miss_latency=20",
	     { .stall = 1 }, { .stall = 2, .write = 1 << 0, .read = 1 << 1 },
	     { .stall = 1, .wait = 1 << 1 }, { .stall = 1, .wait = 1 << 0 });
	rig_run(&r, 1, 32);
	EQ(10, r.c[0][1] - r.c[0][0]);
	EQ(31, r.c[0][2] - r.c[0][0]);
	rig_close(&r);
}

TEST(control, an_access_of_no_lane_lowers_its_counters_at_once)
{
	OPEN(KERNEL(CLOCK(0) "@%p1 ld.global.u32 %r1, [%mine]; " CLOCK(1)),
	     "lat.alu.cycles=6", { .stall = 1 },
	     { .stall = 1, .write = 1 << 0, .read = 1 << 1 },
	     { .stall = 1, .wait = 1 << 0 | 1 << 1 });
	EQ(1 + 6, between());
}

TEST(control, a_warp_ends_when_its_operands_have_been_read)
{
	OPEN(SILENT("st.global.u32 [%mine], %r40; "), "lat.mem.cycles=9",
	     { .stall = 1, .read = 1 });
	rig_run(&r, 1, 32);
	rig_close(&r);
}

/*
 * Two warps of one scheduler. The elder one is the last to arrive at the barrier
 * and goes on first: it reads its clock at 0 and, as its load has no lanes and
 * ends 4 cycles after its issue at 1, again at 5. Its additions issue from 6 to
 * 37 and its last clock, which yields, at 38. The younger one reads its clock at
 * 2 and loads at 3, so that it can read its second clock at 23.
 */
#define RACE                                                                  \
	KERNEL(SHARED                                                         \
	       "setp.eq.u32 %p1, %w, 1; bar.sync 0; " CLOCK(0) "@%p1 " LDS(1) \
		       CLOCK(1) X32("add.u32 %r2, %r40, 1; ") CLOCK(2))

static void race(bool yields, uint64_t want)
{
	const struct bits load = { .stall = 2, .write = 1 };
	const struct bits wait = { .stall = 1, .wait = 1 };
	const struct bits add = { .stall = 1, .yields = yields };
	const struct bits last = { .stall = 1, .yields = true };

	open_with(RACE,
		  LONE "sm.schedulers=1 sm.subcores=1 sm.scheduler=cggty "
		       "shared.latency=20 lat.alu.cycles=4",
		  NULL, 0);
	put_bits(timed_of(3), &load);
	put_bits(timed_of(4), &wait);
	for (unsigned i = 5; i < 37; i++)
		put_bits(timed_of(i), &add);
	put_bits(timed_of(37), &last);
	rig_run(&r, 1, 64);
	EQ(5, r.c[0][1] - r.c[0][0]);
	EQ(want, r.c[1][1] - r.c[1][0]);
	/* If both yield, the younger one has 23 and 24, and 25, where a new
	 * round begins with the youngest; then they take turns, and the elder
	 * has 26, 28, ... for its last 15 additions and its clock. */
	EQ(yields ? 26 + 2 * 15 - 5 : 38 - 5, r.c[0][2] - r.c[0][1]);
	rig_close(&r);
}

TEST(control, a_greedy_scheduler_stays_with_a_warp_until_it_yields)
{
	race(false, 39 - 2);
	race(true, 23 - 2);
}

#define CONSTANTS "ccache.perfect=no ccache.l0_cycles=10 ccache.l2_cycles=90 "

TEST(control, a_constant_operand_must_be_in_the_first_cache)
{
	OPEN(KERNEL(CLOCK(0) "add.u32 %r1, %r40, 1; " CLOCK(1) "add.u32 %r1, %r40, 1; " CLOCK(
		     2) "add.u32 %r1, %r40, 1; " CLOCK(3)),
	     CONSTANTS "ccache.l0=128 ccache.l0_line=64 ccache.l0_ways=1");
	for (unsigned i = 1; i <= 5; i += 2) {
		timed_of(i)->order = ORDER_CONSTANT;
		timed_of(i)->constant = 0x1000 + 4 * i;
	}
	timed_of(5)->constant = 0x1040;
	rig_run(&r, 1, 32);
	/* A miss takes as much longer than a hit as it does for a load. */
	EQ(1 + 80 + 1, r.c[0][1] - r.c[0][0]);
	EQ(2, r.c[0][2] - r.c[0][1]);
	EQ(1 + 80 + 1, r.c[0][3] - r.c[0][2]);
	EQ(160, rig_stat(&r, "reason.constant"));
	rig_close(&r);
}

#define COPIES                                                                    \
	MODULE(".shared .align 128 .b32 s[256]; ",                                \
	       "mov.u32 %r1, s; mad.lo.u32 %r1, %l, 4, %r1; " CLOCK(              \
		       0) "cp.async.ca.shared.global [%r1], [%mine], 4; "         \
			  "cp.async.commit_group; "                               \
			  "cp.async.ca.shared.global [%r1+256], [%mine+256], 4; " \
			  "cp.async.commit_group; cp.async.wait_group 0; " CLOCK( \
				  1))

/* Copies are issued at 1 and at 3 and take 35 and a cycle in shared memory; the
 * commits raise counter 2. */
static void copies(unsigned most, unsigned wait, uint64_t want)
{
	const struct bits commit = { .stall = 1, .write = 1 << 2 };
	const struct bits clock = { .stall = 1, .wait = wait };

	open_with(COPIES, LONE "l1.mshrs=64", NULL, 0);
	rig_warm(&r, 0, 4096);
	put_bits(timed_of(4), &commit);
	put_bits(timed_of(6), &commit);
	timed_of(7)->kind = KIND_COUNT_WAIT;
	timed_of(7)->bound = timed_bound(2, most);
	put_bits(timed_of(8), &clock);
	EQ(want, between());
}

TEST(control, a_warp_waits_until_a_counter_is_low_enough)
{
	copies(0, 0, 3 + 35 + 1);
	copies(1, 0, 1 + 35 + 1);
	copies(2, 0, 6);
	/* The counter is zero when both groups are complete. */
	copies(1, 1 << 2, 3 + 35 + 1);
	copies(2, 1 << 2, 3 + 35 + 1);
	copies(2, 1 << 3, 6);
}

/*
 * The check of hazards. Registers 0 to 3 are read and written as a test says;
 * producers of class 1 take 4 cycles to consumers of class 0 and 6 to those of
 * class 1, those of class 2 take 13 to both.
 */
static const uint8_t latency[3][2] = { { 0, 0 }, { 4, 6 }, { 13, 13 } };

struct accessed {
	unsigned inst; /* of the body */
	uint16_t reg;
	uint8_t class;
	bool writes;
	uint8_t group;
};

/* Opens the kernel with these accesses, in the order of the body. */
static void open_checked(const char *text, const char *set,
			 const struct bits *b, unsigned n,
			 const struct accessed *a, unsigned count)
{
	static struct timed_use use[32];
	static struct timed_check check[256];
	static struct timed_checks checks;
	struct timed_func *f;

	open_with(text, set, b, n);
	f = &r.mod->timed->func[0];
	OK(f->count < 256 && count < 32);
	memset(check, 0, sizeof(check));
	for (unsigned i = count; i-- > 0;) {
		struct timed_check *k = &check[timed_of(a[i].inst) - f->inst];

		use[i] =
			(struct timed_use){ a[i].reg, a[i].class, a[i].writes };
		k->first = i;
		k->uses++;
		k->group = a[i].group;
	}
	checks = (struct timed_checks){ .inst = check,
					.use = use,
					.regs = 4,
					.latency = &latency[0][0],
					.consumers = 2 };
	f->checks = &checks;
}

static uint64_t hazards(void)
{
	uint64_t n;

	rig_run(&r, 1, 32);
	n = r.result.hazards;
	rig_close(&r);
	return n;
}

#define CHECKED LONE "sm.hazards=yes "

/* An instruction that writes register 1 by a class, and one that reads it after
 * so many cycles. */
static uint64_t fixed(unsigned distance, uint8_t producer, uint8_t consumer)
{
	const struct bits b[] = { { .stall = distance }, { .stall = 1 } };
	const struct accessed a[] = { { 0, 1, producer, true, 0 },
				      { 1, 1, consumer, false, 0 } };

	open_checked(KERNEL("add.u32 %r1, %r40, 1; add.u32 %r2, %r1, 1; "),
		     CHECKED, b, 2, a, 2);
	return hazards();
}

TEST(hazards, a_result_has_its_latency_by_producer_and_consumer)
{
	EQ(1, fixed(3, 1, 0));
	EQ(0, fixed(4, 1, 0));
	EQ(1, fixed(5, 1, 1));
	EQ(0, fixed(6, 1, 1));
	EQ(1, fixed(12, 2, 1));
	EQ(0, fixed(13, 2, 1));
}

TEST(hazards, other_registers_and_the_instruction_itself_are_not_meant)
{
	const struct bits b[] = { { .stall = 1 }, { .stall = 1 } };
	const struct accessed a[] = { { 0, 1, 1, true, 0 },
				      { 1, 2, 0, false, 0 },
				      { 1, 2, 1, true, 0 } };

	open_checked(KERNEL("add.u32 %r1, %r40, 1; add.u32 %r2, %r2, 1; "),
		     CHECKED, b, 2, a, 3);
	EQ(0, hazards());
}

/* A load at 0 whose result is there 30 cycles later, read at `distance`. */
static uint64_t loaded(unsigned distance, unsigned write, unsigned wait)
{
	const struct bits b[] = { { .stall = 2, .write = write },
				  { .stall = distance - 2 },
				  { .stall = 1, .wait = wait } };
	const struct accessed a[] = { { 0, 1, TIMED_VARIABLE, true, 1 },
				      { 2, 1, 0, false, 0 } };

	open_checked(KERNEL(SHARED LDS(1) "add.u32 %r2, %r40, 1; "
					  "add.u32 %r3, %r1, 1; "),
		     CHECKED "shared.latency=30", b, 3, a, 2);
	return hazards();
}

TEST(hazards, a_load_is_complete_when_its_counter_has_been_zero)
{
	EQ(0, loaded(4, 1, 1));
	EQ(1, loaded(4, 1, 0));
	EQ(1, loaded(4, 1, 1 << 1));
	EQ(1, loaded(29, 1, 0));
	EQ(0, loaded(30, 1, 0)); /* nobody waited, but it is there */
	EQ(1, loaded(30, 0, 0)); /* nobody can know */
}

/* Of two loads from one memory the first needs no counter. */
static uint64_t in_order(uint8_t group)
{
	const struct bits b[] = { { .stall = 1 },
				  { .stall = 2, .write = 1 << 3 },
				  { .stall = 1, .wait = 1 << 3 } };
	const struct accessed a[] = { { 0, 1, TIMED_VARIABLE, true, 1 },
				      { 1, 2, TIMED_VARIABLE, true, group },
				      { 2, 1, 0, false, 0 },
				      { 2, 2, 0, false, 0 } };

	open_checked(KERNEL(SHARED LDS(1) LDS(2) "add.u32 %r3, %r1, %r2; "),
		     CHECKED, b, 3, a, 4);
	return hazards();
}

TEST(hazards, loads_of_a_group_complete_in_order)
{
	EQ(0, in_order(1));
	EQ(1, in_order(2));
}

TEST(hazards, lanes_that_took_another_way_have_their_own_registers)
{
	const struct bits b[] = { { .stall = 1 },
				  { .stall = 1 },
				  { .stall = 1 } };
	const struct accessed a[] = { { 1, 1, 2, true, 0 },
				      { 2, 1, 1, false, 0 } };
	static const char *const second[] = { "@!%p1 ", "@%p1 ", "" };

	for (int i = 0; i < 3; i++) {
		open_checked(rig_text("", "setp.eq.u32 %p1, %l, 0; ",
				      "@%p1 add.u32 %r1, %r40, 1; ", second[i],
				      "add.u32 %r2, %r1, 1; ", NULL),
			     CHECKED, b, 3, a, 2);
		EQ(i > 0, hazards());
	}
}

TEST(hazards, nothing_is_reported_unless_it_is_asked_for)
{
	const struct bits b[] = { { .stall = 1 }, { .stall = 1 } };
	const struct accessed a[] = { { 0, 1, 1, true, 0 },
				      { 1, 1, 0, false, 0 } };

	open_checked(KERNEL("add.u32 %r1, %r40, 1; add.u32 %r2, %r1, 1; "),
		     LONE, b, 2, a, 2);
	EQ(0, hazards());
}

TEST(control, a_parameter_is_in_the_second_constant_cache)
{
	OPEN(KERNEL(CLOCK(0) "add.u32 %r1, %r40, 1; " CLOCK(
		     1) "add.u32 %r1, %r40, 1; " CLOCK(2)),
	     CONSTANTS "ccache.l1_cycles=50");
	for (unsigned i = 1; i <= 3; i += 2) {
		timed_of(i)->order = ORDER_CONSTANT;
		timed_of(i)->flags = TIMED_PARAMETER;
		timed_of(i)->constant = 0x210;
	}
	rig_run(&r, 1, 32);
	EQ(1 + 40 + 1, r.c[0][1] - r.c[0][0]);
	EQ(2, r.c[0][2] - r.c[0][1]);
	rig_close(&r);
}
