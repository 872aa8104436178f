#include "test.h"

#include <string.h>

#include "door/rt/join.h"

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

static void joins(const char *want, const char *a, const char *b)
{
	struct ptx_join j = { 0 };

	OK(join_add(&j, a));
	OK(join_add(&j, b));
	STREQ(want, j.text);
	EQ(strlen(want), j.size);
	join_free(&j);
}

TEST(rt_join, one_header_is_kept)
{
	joins(HEADER ".global .u32 a;\n\n.global .u32 b;\n\n",
	      HEADER ".global .u32 a;\n", HEADER ".global .u32 b;\n");
}

TEST(rt_join, of_weak_definitions_the_first_is_kept)
{
	const char *func = ".weak .func (.param .b32 r) twice(.param .b32 p)\n"
			   "{\n{ .reg .b32 %x; }\nret;\n}\n";
	const char *other = ".weak .func other()\n{\nret;\n}\n";
	char a[512], b[512], want[1024];

	strcpy(a, HEADER);
	strcat(a, func);
	strcpy(b, HEADER);
	strcat(b, func);
	strcat(b, other);
	strcpy(want, a);
	strcat(want, "\n");
	strcat(want, other);
	strcat(want, "\n");
	joins(want, a, b);
}

TEST(rt_join, a_function_that_is_announced_is_not_defined)
{
	joins(HEADER ".weak .func f();\n.weak .func f()\n{ ret; }\n\n"
		     ".weak .func f();\n\n",
	      HEADER ".weak .func f();\n.weak .func f()\n{ ret; }\n",
	      HEADER ".weak .func f();\n.weak .func f()\n{ ret; }\n");
}

TEST(rt_join, variables_can_be_weak_too)
{
	joins(HEADER ".weak .global .align 4 .u32 v[4] = {1, 2};\n\n"
		     ".global .u32 w;\n\n",
	      HEADER ".weak .global .align 4 .u32 v[4] = {1, 2};\n",
	      HEADER ".weak .global .align 4 .u32 v[4];\n.global .u32 w;\n");
}

TEST(rt_join, what_is_cut_short_is_taken_as_it_is)
{
	joins(".weak\n.weak .func f(\n", ".weak", ".weak .func f(");
}

TEST(rt_join, what_is_an_objects_own_stays_its_own)
{
	joins(HEADER ".global .b8 $str[2];\nmov.u64 %a, $str;\n\n"
		     ".global .b8 $str__1[3];\n.visible .global .b8 str[1];\n"
		     "mov.u64 %$str, $str__1;\n\n",
	      HEADER ".global .b8 $str[2];\nmov.u64 %a, $str;\n",
	      HEADER ".global .b8 $str[3];\n.visible .global .b8 str[1];\n"
		     "mov.u64 %$str, $str;\n");
}
