/* What a program prints, and how it ends after a fault. */
#include <string.h>

#include "prog.h"

void check_print_formats(struct prog *p)
{
	const char word[] = "word";
	heddle_ptr at = PUT(p, word);

	RUN(p, "print_formats", D1(1), D1(1), 0, ARG(at));
	STREQ("none\n"
	      "-1 42 4000000000     7|7    |00007|+7\n"
	      "beef BEEF 0xff 10 ok %\n"
	      "-1234567890123 18446744073709551615 123456789abcdef 77\n"
	      "3.500000 0.67   -1.250|1.234568e+04 1.200e-04 1e-10 100\n"
	      "word and      right|left  |cu\n"
	      "1 mixed 0.500000 1099511627776 x 2.5 -3\n",
	      p->text);
	RUN(p, "print_formats", D1(3), D1(64), 0, ARG(at));
	STREQ("block 1 thread 0\nblock 1 thread 20\nblock 1 thread 40\n"
	      "block 1 thread 60\n"
	      "block 2 thread 0\nblock 2 thread 20\nblock 2 thread 40\n"
	      "block 2 thread 60\n",
	      strstr(p->text, "block 1"));
}

void check_assert_fails(struct prog *p)
{
	int in[64] = { [41] = -1 };
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(in));

	EQ(HEDDLE_FAULT,
	   TRY(p, "assert_fails", D1(2), D1(32), 0, ARG(from), ARG(to)));
	EQ(HEDDLE_FAULT_ASSERT, p->result.fault.kind);
	STREQ("assert_fails", p->result.fault.kernel);
	EQ(1, p->result.fault.block.x);
	EQ(9, p->result.fault.thread.x);
	OK(p->text && strstr(p->text, "assert_fails.cu:7"));
	OK(strstr(p->text, "block: [1,0,0], thread: [9,0,0] Assertion "
			   "`in[i] >= 0` failed."));
}

void check_wild_store(struct prog *p)
{
	const int64_t where = 1ll << 44;
	heddle_ptr to = prog_room(p, 64 * sizeof(int));

	EQ(HEDDLE_FAULT,
	   TRY(p, "wild_store", D1(1), D1(64), 0, ARG(to), ARG(where)));
	EQ(HEDDLE_FAULT_ADDRESS, p->result.fault.kind);
	EQ(37, p->result.fault.thread.x);
	EQ(1, p->result.fault.warp);
	EQ(5, p->result.fault.lane);
	EQ(to + 4 * (where + 37), p->result.fault.address);
}
