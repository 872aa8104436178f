/*
 * Loads of shared memory that a compiler makes one of: which ones are merged, where
 * they stand then, and that they cost what the one load does.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/fold.h"
#include "isa/ptx/schedule.h"
#include "test.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define VARS ".shared .align 4 .b8 s[4096]; .shared .align 4 .b8 o[4096];\n"
#define REGS                                                      \
	".reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<19>; " \
	".reg .f32 %f<99>; .reg .f64 %d<9>;\n"                    \
	"mov.u32 %r1, %tid.x; mov.u64 %rd1, s; "
/* %rd2: the address of a row of so many bytes. */
#define ROW(bytes) \
	"mul.wide.u32 %rd3, %r1, " #bytes "; add.s64 %rd2, %rd1, %rd3; "

enum { BEFORE = 4 }; /* instructions of REGS and ROW */

/* Checks what becomes of a body's instructions, in the order of the text: '-' nothing,
 * 'w' a load of 8 bytes, 'W' of 16, 'm' merged, 'A' folded. Those that are merged
 * must follow the load that they are part of. */
static void check_merges(const char *row, const char *body, const char *want)
{
	static const char letters[] = "-A--wWm";
	char text[4000], got[100] = "";
	struct diag d = { .text = "" };
	struct ptx_module *m;
	const struct ptx_func *f;
	struct cfg cfg;

	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", HEAD, VARS,
		 ".visible .entry k(.param .u64 a) {\n", REGS, row, body,
		 "\nret;\n}\n");
	cfg_defaults(&cfg);
	cfg.sm.compiled = true;
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ("", d.text);
	EQ(ERR_OK, ptx_schedule(m, &cfg, &d));
	f = ptx_find_func(m, "k");
	OK(f->inst_count < sizeof(got));
	for (uint32_t i = 0; i + 1 < f->inst_count; i++) {
		got[f->place[i]] = letters[f->fold[i]];
		OK(f->fold[i] != FOLD_MERGED || f->fold[i - 1] == FOLD_MERGED ||
		   f->fold[i - 1] == FOLD_WIDE_8 ||
		   f->fold[i - 1] == FOLD_WIDE_16);
	}
	STREQ(want, got + BEFORE);
	ptx_module_free(m);
}

#define LOAD(register, offset) \
	"ld.shared.f32 %f" #register ", [%rd2+" #offset "]; "

TEST(merge, loads_of_an_aligned_piece_become_one)
{
	check_merges(ROW(64), LOAD(1, 0) LOAD(2, 4) LOAD(3, 8) LOAD(4, 12),
		     "Wmmm");
	check_merges(ROW(64), LOAD(1, 12) LOAD(2, 8) LOAD(3, 4) LOAD(4, 0),
		     "Wmmm");
	check_merges(ROW(64), LOAD(1, 0) LOAD(2, 4), "wm");
	check_merges(ROW(64), LOAD(1, 8) LOAD(2, 12), "wm");
	/* Of 16 bytes, three words are enough. */
	check_merges(ROW(64), LOAD(1, 0) LOAD(2, 4) LOAD(3, 8), "Wmm");
	check_merges(ROW(64), LOAD(1, 0) LOAD(2, 8) LOAD(3, 12), "Wmm");
	check_merges(ROW(64), LOAD(1, 0) LOAD(2, 8), "--");
	check_merges(ROW(64), LOAD(1, 4) LOAD(2, 8), "--");
	/* across two pieces */
	check_merges(ROW(64), LOAD(1, 4) LOAD(2, 8) LOAD(3, 12) LOAD(4, 16),
		     "Wmm-");
	check_merges(ROW(64), LOAD(1, 8) LOAD(2, 12) LOAD(3, 16) LOAD(4, 20),
		     "wmwm");
	check_merges(ROW(64),
		     "ld.shared.f64 %d1, [%rd2]; ld.shared.f64 %d2, [%rd2+8]; ",
		     "Wm");
	check_merges(ROW(64),
		     "ld.shared.f32 %f1, [%rd2]; ld.shared.f64 %d2, [%rd2+8]; ",
		     "--");
}

TEST(merge, the_alignment_must_be_known)
{
	check_merges(ROW(8), LOAD(1, 0) LOAD(2, 4) LOAD(3, 8) LOAD(4, 12),
		     "wmwm");
	check_merges(ROW(68), LOAD(1, 0) LOAD(2, 4) LOAD(3, 8) LOAD(4, 12),
		     "----");
	/* of a constant address; by a mask; by a product that is added */
	check_merges(ROW(4),
		     "ld.shared.f32 %f1, [s+8]; ld.shared.f32 %f2, [s+12];",
		     "wm");
	check_merges(ROW(4),
		     "and.b32 %r2, %r1, 504; cvt.u64.u32 %rd4, %r2; "
		     "add.s64 %rd5, %rd1, %rd4; ld.shared.f32 %f1, [%rd5]; "
		     "ld.shared.f32 %f2, [%rd5+4];",
		     "-A-wm");
	check_merges(ROW(4),
		     "mad.lo.s32 %r2, %r1, 16, 8; cvt.u64.u32 %rd4, %r2; "
		     "add.s64 %rd5, %rd1, %rd4; ld.shared.f32 %f1, [%rd5-8]; "
		     "ld.shared.f32 %f2, [%rd5]; ld.shared.f32 %f3, [%rd5+4];",
		     "-A-Wmm");
}

/* A register that steps through a row is aligned if the steps are. */
TEST(merge, alignment_is_known_through_loops)
{
	check_merges(ROW(64),
		     "mov.u64 %rd4, %rd2; L: ld.shared.f32 %f1, [%rd4]; "
		     "ld.shared.f32 %f2, [%rd4+4]; bar.sync 0; "
		     "add.s64 %rd4, %rd4, 8; add.s32 %r4, %r4, %r5; "
		     "setp.lt.s32 %p1, %r4, %r6; @%p1 bra L;",
		     "Awm-----");
	check_merges(ROW(64),
		     "mov.u64 %rd4, %rd2; L: ld.shared.f32 %f1, [%rd4]; "
		     "ld.shared.f32 %f2, [%rd4+4]; bar.sync 0; "
		     "add.s64 %rd4, %rd4, 4; add.s32 %r4, %r4, %r5; "
		     "setp.lt.s32 %p1, %r4, %r6; @%p1 bra L;",
		     "A-------");
}

TEST(merge, stores_guards_barriers_and_volatile_loads_keep_loads_apart)
{
	check_merges(ROW(64), LOAD(1, 0) "st.shared.f32 [o], %f9;" LOAD(2, 4),
		     "---");
	check_merges(ROW(64),
		     LOAD(1, 0) "st.global.f32 [%rd7], %f9;" LOAD(2, 4), "w-m");
	check_merges(ROW(64), LOAD(1, 0) "bar.sync 0;" LOAD(2, 4), "---");
	check_merges(ROW(64), LOAD(1, 0) "@%p1 ld.shared.f32 %f2, [%rd2+4]; ",
		     "--");
	check_merges(ROW(64),
		     LOAD(1, 0) "ld.volatile.shared.f32 %f2, [%rd2+4]; ", "--");
	check_merges(ROW(64),
		     "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4];",
		     "--");
}

/* What the second load needs must not depend on the first one. */
TEST(merge, a_load_cannot_come_before_its_operands)
{
	/* It overwrites what only the sum of the first one reads. */
	check_merges(ROW(64),
		     LOAD(1, 0) "add.f32 %f3, %f1, %f2;" LOAD(
			     2, 4) "st.global.f32 [%rd7], %f3; "
				   "st.global.f32 [%rd7+4], %f2;",
		     "-----");
	/* An address that is a constant away is there at once. */
	check_merges(ROW(64),
		     LOAD(1, 0) "add.s64 %rd5, %rd2, 4; "
				"ld.shared.f32 %f2, [%rd5];",
		     "wAm");
}
