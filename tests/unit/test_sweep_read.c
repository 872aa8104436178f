#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/sweep.h"

#define HEAD "gpu = \"tiny\"\nprogram p { run = \"a.ptx\" }\n"

static enum err reads(struct sweep *s, const char *text, struct diag *d)
{
	return sweep_read(s, "a/t.sweep", text, strlen(text), d);
}

/* A sweep that must be right. */
static struct sweep *good(const char *text)
{
	static struct sweep s;
	struct diag d = { .text = "" };

	reads(&s, text, &d);
	STREQ("", d.text);
	return &s;
}

static void refuses(const char *text, const char *message)
{
	struct sweep s;
	struct diag d = { .text = "" };

	OK(reads(&s, text, &d) != ERR_OK);
	STREQ(message, d.text);
	sweep_free(&s);
}

static const struct sweep_axis *axis(const struct sweep *s, size_t i)
{
	OK(i < s->set_count);
	return &s->sets[i].axes[0];
}

TEST(sweep_read, a_file_says_what_is_run_and_varied)
{
	struct sweep *s = good("# SArcs\n"
			       "name = \"mm\"; title = 'SMs \"and\" L2'\n"
			       "gpu = c2050\n"
			       "engine = \"exact\"\n"
			       "threads = 2; timeout = 30\n"
			       "l1.replace = fifo\n"
			       "program mm {\n"
			       "\texec = \"./mm 256\"\n"
			       "\tkernels = \"first:1\"; timeout = 9\n"
			       "\tisa = \"sass\"\n"
			       "\tinput = \"a.dat\", \"b.dat\"\n"
			       "}\n"
			       "program old { trace = \"mm.trace\" }\n"
			       "vary sm.count = 1, 2\n");

	STREQ("mm", s->name);
	STREQ("sass", s->programs[0].isa);
	OK(!s->programs[1].isa);
	STREQ("SMs \"and\" L2", s->title);
	STREQ("c2050", s->gpu);
	EQ(3, s->gpu_at.line);
	STREQ("exact", s->engine);
	EQ(2, s->threads);
	OK(s->timeout == 30);
	EQ(1, s->base.count);
	EQ(CFG_ID_l1_replace, s->base.assigns[0].id);
	EQ(2, s->program_count);
	EQ(SWEEP_EXEC, s->programs[0].kind);
	EQ(2, s->programs[0].word_count);
	STREQ("./mm", s->programs[0].words[0]);
	STREQ("256", s->programs[0].words[1]);
	STREQ("first:1", s->programs[0].kernels);
	OK(s->programs[0].timeout == 9);
	EQ(2, s->programs[0].input_count);
	STREQ("b.dat", s->programs[0].inputs[1]);
	EQ(SWEEP_TRACE, s->programs[1].kind);
	EQ(1, s->set_count);
	STREQ("sm.count", axis(s, 0)->name);
	EQ(2, axis(s, 0)->count);
	sweep_free(s);
}

TEST(sweep_read, a_name_left_out_is_that_of_the_file)
{
	struct sweep *s = good(HEAD);

	STREQ("t", s->name);
	EQ(0, s->set_count);
	sweep_free(s);
}

/* The numbers of an axis with one parameter; -1 ends them. */
static void numbers(const char *statement, const double *want)
{
	char text[400];
	struct sweep *s;
	size_t n = 0;

	snprintf(text, sizeof(text), HEAD "%s\n", statement);
	s = good(text);
	for (; want[n] >= 0; n++) {
		const struct sweep_choice *c = &axis(s, 0)->choices[n];

		OK(n < axis(s, 0)->count);
		OK(c->assigns[0].number > want[n] - 1e-9 &&
		   c->assigns[0].number < want[n] + 1e-9);
	}
	EQ(n, axis(s, 0)->count);
	sweep_free(s);
}

#define NUMBERS(statement, ...) \
	numbers(statement, (const double[]){ __VA_ARGS__, -1 })

TEST(sweep_read, lists_and_ranges_give_values_in_order)
{
	NUMBERS("vary sm.count = 4", 4);
	NUMBERS("vary sm.count = 8, 2, 4", 8, 2, 4);
	NUMBERS("vary sm.count = 3..6", 3, 4, 5, 6);
	NUMBERS("vary sm.count = 1, 2, 4, 8..32 step 8, 50", 1, 2, 4, 8, 16, 24,
		32, 50);
	NUMBERS("vary sm.count = 1..10 step 4", 1, 5, 9);
	NUMBERS("vary sm.count = 1..20 times 2", 1, 2, 4, 8, 16);
	NUMBERS("vary l2.bytes = 256K..1M times 2", 262144, 524288, 1048576);
	NUMBERS("vary dram.bandwidth *= 0.5..1.5 step 0.1", 0.5, 0.6, 0.7, 0.8,
		0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5);
	NUMBERS("vary sm.count = 1,\n\t2, # and\n\t4", 1, 2, 4);
	NUMBERS("vary sm.count = 5..5", 5);
}

TEST(sweep_read, parameters_move_together)
{
	struct sweep *s = good(HEAD "vary { l2.bytes = 256K, 512K; "
				    "l2.ways = 8, 16\n l1.on = no }\n"
				    "vary \"both\" { sm.count *= 1..3\n\n"
				    "dram.bandwidth *= 2..4 }");
	const struct sweep_axis *a = axis(s, 0);

	STREQ("l2.bytes, l2.ways, l1.on", a->name);
	EQ(2, a->count);
	EQ(3, a->choices[1].count);
	STREQ("512K", a->choices[1].assigns[0].text);
	STREQ("16", a->choices[1].assigns[1].text);
	STREQ("no", a->choices[1].assigns[2].text);
	a = axis(s, 1);
	STREQ("both", a->name);
	EQ(3, a->count);
	OK(a->choices[2].assigns[1].factor);
	OK(a->choices[2].assigns[1].number == 4);
	sweep_free(s);
}

TEST(sweep_read, variants_stand_alone_or_are_one_axis_of_a_cross)
{
	struct sweep *s = good(HEAD "variant \"no L1\" { l1.on = no }\n"
				    "variant fifo { l1.replace = fifo; "
				    "l2.replace = fifo; cost = 7 }\n"
				    "cross {\n"
				    "\tvary sm.count = 1, 2, 4\n"
				    "\tvariant a {}\n"
				    "\tvary l2.ways = 2, 4; variant b "
				    "{ l1.on = no }\n"
				    "}\n");

	EQ(3, s->set_count);
	STREQ("no L1", axis(s, 0)->name);
	STREQ("fifo", axis(s, 1)->choices[0].label);
	EQ(2, axis(s, 1)->choices[0].count);
	OK(axis(s, 1)->choices[0].cost != NULL);
	EQ(3, s->sets[2].count);
	STREQ("variant", s->sets[2].axes[1].name);
	EQ(2, s->sets[2].axes[1].count);
	STREQ("b", s->sets[2].axes[1].choices[1].label);
	EQ(2, s->sets[2].axes[2].count);
	sweep_free(s);
}

TEST(sweep_read, a_cost_is_an_expression_over_parameters)
{
	struct sweep *s;
	struct cfg c;

	cfg_defaults(&c);
	s = good(HEAD "cost = 2 * sm.count + l2.bytes / 1M -\n"
		      " -(3 - l1.on) * 0.5  # so much\n");
	STREQ("2 * sm.count + l2.bytes / 1M -  -(3 - l1.on) * 0.5",
	      s->cost_text);
	OK(sweep_expr_value(s->cost, &c) == 2 * 80 + 6 + 1);
	sweep_free(s);
}

TEST(sweep_read, commands_are_split_as_a_shell_does)
{
	struct sweep *s = good("gpu = tiny\nprogram p { run = \"a.cu  --arg "
			       "'x y'\" ' --set \"v=\\\"1\" z\\ z' }");
	const struct sweep_program *p = &s->programs[0];

	EQ(6, p->word_count);
	STREQ("a.cu", p->words[0]);
	STREQ("x y", p->words[2]);
	STREQ("--set", p->words[3]);
	STREQ("v=\"1", p->words[4]);
	STREQ("z z", p->words[5]);
	sweep_free(s);
}

#define AT "a/t.sweep:"

TEST(sweep_read, errors_name_the_place_and_what_is_right)
{
	refuses("", AT "1:1: the sweep has no GPU; write gpu = \"c2050\"");
	refuses("gpu = tiny\n", AT "2:1: the sweep has no program; write "
				   "program mm { exec = \"./matmul 256\" }");
	refuses("gpu = \"tiny\n", AT "1:7: a string is not closed");
	refuses("gpu = \"a\tb\x01\"",
		AT "1:7: a string holds a control character");
	refuses("gpu : tiny", AT "1:5: unexpected ':'");
	refuses("gpu tiny", AT "1:5: expected '=', found 'tiny'");
	refuses("gpu = tiny tiny",
		AT "1:12: expected the end of the statement, found 'tiny'");
	refuses("gpu = tiny; gpu = tiny", AT "1:13: 'gpu' is set twice");
	refuses("gpus = tiny",
		AT "1:1: unknown statement 'gpus', did you mean 'gpu'?");
	refuses("name = \"\"", AT "1:8: the name is empty");
	refuses("threads = 0", AT "1:11: expected a number from 1 to 1024");
	refuses("threads = x", AT "1:11: expected a number, found 'x'");
	refuses("= 5", AT "1:1: expected a statement, found '='");
	refuses("\xc3\xa9", AT "1:1: unexpected character");
}

TEST(sweep_read, errors_of_values_name_the_value)
{
	refuses("vary sm.cuont = 1", AT "1:6: no parameter named 'sm.cuont', "
					"did you mean 'sm.count'?");
	refuses("vary sm.count = 1, 2000",
		AT "1:20: sm.count = 2000: out of range; expected 1 to 1024 "
		   "SM");
	refuses("vary sm.scheduler = lrr, gtoo",
		AT "1:26: sm.scheduler = gtoo: invalid value; expected "
		   "one of lrr, gto, two_level, cggty, ccws");
	refuses("vary sm.scheduler *= 2",
		AT "1:19: sm.scheduler is not a number and cannot be "
		   "multiplied");
	refuses("vary sm.count *= x",
		AT "1:18: expected a factor such as 2 or 0.5, found 'x'");
	refuses("vary sm.count", AT "1:14: expected '=' or '*=', found the "
				    "end of the file");
	refuses("vary sm.count =\n", AT "2:1: expected a value, found the "
					"end of the file");
	refuses("vary sm.count = 8..4", AT "1:20: a range must ascend: 4 is "
					   "less than its first number");
	refuses("vary sm.count = 1..x",
		AT "1:20: expected the last number of the range, found 'x'");
	refuses("vary sm.count = 1..8 step 0",
		AT "1:27: 'step' needs a number above 0");
	refuses("vary sm.count = 1..8 times 1",
		AT "1:28: 'times' needs a number above 1");
	refuses("vary sm.max_warps *= 0..8 times 2",
		AT "1:22: a range with 'times' cannot start at 0");
	refuses("vary l2.bytes = 256K..1M",
		AT "1:17: the file has more than 100000 values; a range can "
		   "have a step: 256K..1M step 256K");
	refuses("sm.count = 1, 2", AT "1:13: expected one value; a list is "
				      "for 'vary'");
	refuses("sm.count = 1..2", AT "1:13: expected one value; a range is "
				      "for 'vary'");
	refuses("sm.count = 1\nsm.count = 2",
		AT "2:12: sm.count is set twice, first in line 1");
}

TEST(sweep_read, errors_of_blocks_name_what_does_not_fit)
{
	refuses("vary { l2.bytes = 1K, 2K; l2.ways = 1, 2, 3 }",
		AT "1:8: l2.bytes has 2 values, but l2.ways, which varies "
		   "with it, has 3");
	refuses("vary { l2.ways = 1; l2.ways = 2 }",
		AT "1:31: l2.ways is set twice, first in line 1");
	refuses("vary { }", AT "1:8: expected a parameter such as sm.count, "
			       "found '}'");
	refuses("vary { l2.ways = 1",
		AT "1:19: expected a parameter such as sm.count, found the "
		   "end of the file");
	refuses("variant { l1.on = no }", AT "1:9: expected a name, found '{'");
	refuses("variant a l1.on = no", AT "1:11: expected '{', found 'l1.on'");
	refuses("cross { variant a {}; variant a {} }",
		AT "1:23: a second variant 'a'; the first is in line 1");
	refuses("cross { }", AT "1:9: expected 'vary' or 'variant', found '}'");
	refuses("cross { sm.count = 1 }",
		AT "1:9: expected 'vary', 'variant' or '}', found 'sm.count'");
	refuses("cross { vary sm.count = 1\nvary \"n\" { sm.count *= 2 } }",
		AT "2:24: sm.count is varied twice in this 'cross'");
	refuses("cost = sm.count +",
		AT "1:18: expected a number, a "
		   "parameter or '(', found the end of the file");
	refuses("cost = (1", AT "1:10: expected ')', found the end of the "
				"file");
	refuses("cost = gpu.name",
		AT "1:8: gpu.name is not a number and cannot be part of a "
		   "cost");
	refuses("cost = l2.size", AT "1:8: no parameter named 'l2.size', did "
				     "you mean 'l2.bytes'?");
	refuses("cost = 1x", AT "1:8: expected a number such as 1.5 or 64K, "
				"found '1x'");
}

TEST(sweep_read, errors_of_programs_name_what_is_missing)
{
	refuses("program p { }", AT "1:1: program 'p' has none of run, "
				    "exec, trace and system");
	refuses("program p { run = \"a\"; exec = \"b\" }",
		AT "1:24: a program has only one of run, exec, trace and "
		   "system; this one already has run");
	refuses("program p { rum = \"a\" }",
		AT "1:13: unknown property 'rum' of a program, did you mean "
		   "'run'?");
	refuses("program p { run = a }",
		AT "1:19: expected a text in quotes, found 'a'");
	refuses("program p { run = \" \" }", AT "1:19: the command is empty");
	refuses("program p { run = \"a 'b\" }",
		AT "1:19: a quote in the command is not closed");
	refuses("program p { run = \"a.cu --gpu h200\" }",
		AT "1:19: --gpu is not allowed in a program's command; write "
		   "gpu = \"NAME\" outside the program");
	refuses("program p { run = \"a.cu -osm.count=1\" }",
		AT "1:19: -osm.count=1 is not allowed in a program's "
		   "command; write sm.count = 8 outside the program");
	refuses("program p { trace = \"a b\" }",
		AT "1:21: expected the name of one trace file");
	refuses("program p { run = \"a\"; kernels = \"1\" }",
		AT "1:1: program 'p': 'kernels' needs 'exec'");
	refuses("program p { trace = \"a\"; record = yes }",
		AT "1:1: program 'p' is a trace; 'record' needs 'run' or "
		   "'exec'");
	refuses("program p { exec = \"a\"; record = yes; kernels = \"1\" }",
		AT "1:1: program 'p': 'kernels' cannot be combined with "
		   "'record', which times all launches");
	refuses("program p { run = \"a\"; isa = \"SASS\" }",
		AT "1:30: isa = \"SASS\": expected \"auto\", \"sass\" or "
		   "\"ptx\"");
	refuses("program p { trace = \"a\"; isa = \"ptx\" }",
		AT "1:1: program 'p' is a trace, which holds the code that "
		   "ran; 'isa' needs 'run' or 'exec'");
	refuses("program p { run = \"a\"; record = 1 }",
		AT "1:33: expected yes or no, found '1'");
	refuses(HEAD "program p { run = \"a\" }",
		AT "3:1: a second program 'p'; the first is in line 2");
}

TEST(sweep_read, a_deep_expression_is_refused)
{
	char text[1000] = "cost = ";

	for (int i = 0; i < 300; i++)
		strcat(text, "(");
	refuses(text, AT "1:108: the expression has more than 100 levels");
	strcpy(text, "cost = 1");
	for (int i = 0; i < 300; i++)
		strcat(text, "+1");
	refuses(text, AT "1:209: the expression has more than 100 levels");
}

TEST(sweep_read, a_program_on_a_system_has_words_of_its_own)
{
	struct sweep *s =
		good("config = \"cgm\"\n"
		     "program k {\n"
		     "\tsystem = \"./kmeans 12\"\n"
		     "\tenv = \"A=1\", \"B=\"\n"
		     "\troot = \"data\"; region = 3\n"
		     "}\n"
		     "program o { system = \"a\"; region = opencl }\n");

	STREQ("cgm", s->gpu);
	EQ(SWEEP_SYSTEM, s->programs[0].kind);
	EQ(2, s->programs[0].word_count);
	EQ(2, s->programs[0].env_count);
	STREQ("B=", s->programs[0].env[1]);
	STREQ("data", s->programs[0].root);
	EQ(3, s->programs[0].region);
	EQ(-2, s->programs[1].region);
	OK(sweep_is_for_systems(s, true) && sweep_is_for_systems(s, false));
	sweep_free(s);
	s = good("gpu = tiny\nprogram p { run = \"a\" }\n");
	EQ(-1, s->programs[0].region);
	OK(!sweep_is_for_systems(s, false));
	sweep_free(s);
	refuses("gpu = t; program p { run = \"a\"; env = \"A=1\" }",
		AT "1:10: program 'p': 'env' needs 'system'");
	refuses("gpu = t; program p { exec = \"a\"; region = 1 }",
		AT "1:10: program 'p': 'region' needs 'system'");
	refuses("gpu = t; program p { system = \"a\"; record = yes }",
		AT "1:10: program 'p': a program on a system has no 'record'");
	refuses("gpu = t; program p { system = \"a\"; env = \"A\" }",
		AT "1:40: env = \"A\": expected \"NAME=VALUE\"");
	refuses("gpu = t; program p { run = \"a\" }; vary env.A = 1",
		AT "1:48: env.A: only programs with 'system' have an "
		   "environment");
	refuses("gpu = t; program p { system = \"a\" }; vary env.A *= 2",
		AT "1:49: env.A is not a number and cannot be multiplied");
	refuses("gpu = t; program p { system = \"a\" }\n"
		"cross { vary env.A = 1; vary env.A = 2 }",
		AT "2:38: env.A is varied twice in this 'cross'");
}
