/*
 * Loops that spin (isa/ptx/spin.h), and those that do not.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/spin.h"
#include "test.h"

/* Checks which instructions of a body begin loops that spin. */
static void check_spins(const char *body, const char *want)
{
	char text[3000], got[100] = "";
	struct diag d = { .text = "" };
	struct arena a = { 0 };
	struct ptx_flow flow;
	struct ptx_module *m;
	const struct ptx_func *f;
	const bool *spins;
	size_t n = 0;

	snprintf(text, sizeof(text),
		 ".version 8.0\n.target sm_90\n.address_size 64\n.func go();\n"
		 ".entry k() { .reg .pred %%p<9>; .reg .b32 %%r<20>; "
		 ".reg .b64 %%rd<20>;\n%s\nret; }",
		 body);
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ("", d.text);
	f = ptx_find_func(m, "k");
	EQ(ERR_OK, ptx_flow(&flow, f, &a, &d));
	spins = ptx_spins(f, &flow, &a, &d);
	OK(spins);
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (spins[i])
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u",
					      n ? " " : "", i);
	STREQ(want, got);
	arena_free(&a);
	ptx_module_free(m);
}

TEST(ptx_spin, a_loop_around_compare_and_swap_spins)
{
	check_spins("mov.u32 %r5, 1;"
		    "L: atom.global.cas.b32 %r1, [%rd1], 0, 1;"
		    "setp.ne.s32 %p1, %r1, 0; @%p1 bra L;",
		    "1");
}

TEST(ptx_spin, what_is_computed_from_the_result_counts)
{
	check_spins("L: atom.shared.add.u32 %r1, [%r9], 1;"
		    "add.s32 %r2, %r1, 3; and.b32 %r3, %r2, %r8;"
		    "setp.lt.s32 %p1, %r3, %r7; not.pred %p2, %p1;"
		    "@%p2 bra E; st.global.u32 [%rd2], %r1; bra L; E:",
		    "0");
}

TEST(ptx_spin, strong_loads_spin_and_weak_ones_do_not)
{
	check_spins("L: ld.volatile.global.u32 %r1, [%rd1];"
		    "setp.eq.s32 %p1, %r1, 0; @%p1 bra L;",
		    "0");
	check_spins("L: ld.acquire.gpu.global.u32 %r1, [%rd1];"
		    "setp.eq.s32 %p1, %r1, 0; @%p1 bra L;",
		    "0");
	check_spins("L: ld.global.u32 %r1, [%rd1];"
		    "setp.eq.s32 %p1, %r1, 0; @%p1 bra L;",
		    "");
}

TEST(ptx_spin, an_atomic_that_decides_nothing_does_not)
{
	check_spins("L: atom.global.add.u32 %r1, [%rd1], 1;"
		    "st.global.u32 [%rd2], %r1; ld.global.u32 %r2, [%rd3];"
		    "setp.ne.s32 %p1, %r2, 0; @%p1 bra L;",
		    "");
}

TEST(ptx_spin, a_loop_that_counts_ends_by_itself)
{
	/* by a break, too */
	check_spins("L: atom.global.add.u32 %r1, [%rd1], 1;"
		    "setp.gt.s32 %p2, %r1, 5; @%p2 bra E;"
		    "add.s32 %r2, %r2, 32; setp.lt.s32 %p1, %r2, %r3;"
		    "@%p1 bra L; E:",
		    "");
	/* by way of a copy */
	check_spins("L: atom.global.add.u32 %r1, [%rd1], 1;"
		    "setp.gt.s32 %p2, %r1, 5; @%p2 bra E;"
		    "add.s32 %r4, %r2, 32; setp.lt.s32 %p1, %r4, %r3;"
		    "mov.u32 %r2, %r4; @%p1 bra L; E:",
		    "");
}

TEST(ptx_spin, a_counter_that_may_stand_still_does_not_end_it)
{
	check_spins("L: ld.volatile.global.u32 %r1, [%rd1];"
		    "setp.eq.s32 %p2, %r1, 0; @%p2 bra S;"
		    "add.s32 %r2, %r2, -1;"
		    "S: setp.gt.s32 %p1, %r2, -1; setp.ne.s32 %p3, %r1, 7;"
		    "and.pred %p4, %p3, %p1; @%p4 bra L;",
		    "0");
	check_spins("L: atom.global.add.u32 %r1, [%rd1], 1;"
		    "setp.gt.s32 %p2, %r1, 5; @%p2 add.s32 %r2, %r2, 1;"
		    "setp.lt.s32 %p1, %r2, %r3; @%p1 bra L;",
		    "0");
}

TEST(ptx_spin, only_the_loop_that_waits_is_one)
{
	check_spins("O: add.s32 %r2, %r2, 1;"
		    "L: ld.volatile.global.u32 %r1, [%rd1];"
		    "setp.eq.s32 %p1, %r1, 0; @%p1 bra L;"
		    "setp.lt.s32 %p2, %r2, %r3; @%p2 bra O;",
		    "1");
}

TEST(ptx_spin, a_search_for_a_free_slot_waits_for_nobody)
{
	check_spins("mov.u32 %r5, 1;"
		    "L: add.s32 %r2, %r2, 1; and.b32 %r2, %r2, 2047;"
		    "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;"
		    "atom.global.cas.b32 %r1, [%rd3], -1, %r5;"
		    "setp.ne.s32 %p1, %r1, -1; @%p1 bra L;",
		    "");
	/* Its address is computed anew, but is the same. */
	check_spins("mov.u32 %r5, 1;"
		    "L: mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;"
		    "atom.global.cas.b32 %r1, [%rd3], -1, %r5;"
		    "setp.ne.s32 %p1, %r1, -1; @%p1 bra L;",
		    "1");
	/* What others have written decides where it looks next. */
	check_spins("mov.u32 %r5, 1;"
		    "L: mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;"
		    "atom.global.cas.b32 %r2, [%rd3], -1, %r5;"
		    "setp.ne.s32 %p1, %r2, -1; @%p1 bra L;",
		    "1");
	/* It counts how often it has tried. */
	check_spins("mov.u32 %r5, 1; mov.u32 %r6, 0;"
		    "L: atom.global.cas.b32 %r1, [%rd1], -1, %r5;"
		    "add.s32 %r6, %r6, 1;"
		    "setp.ne.s32 %p1, %r1, -1; @%p1 bra L;"
		    "st.global.u32 [%rd2], %r6;",
		    "2");
}
