#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explore/measured.h"

static struct measured m;
static struct diag d;

static enum err reads(const char *text)
{
	return measured_read_text(&m, "p.csv", text, strlen(text), &d);
}

static double value(size_t launch, const char *name)
{
	double v = -1;

	EQ(ERR_OK, measured_number(&v, &m, &m.launches[launch], name,
				   strlen(name), &d));
	return v;
}

#define LONG_HEADER                                              \
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\","  \
	"\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\"," \
	"\"Grid Size\",\"Device\",\"CC\",\"Section Name\","      \
	"\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define LONG(id, kernel, block, grid, name, unit, v)                         \
	"\"" id "\",\"9\",\"a\",\"h\",\"" kernel "\",\"1\",\"7\",\"" block   \
	"\",\"" grid "\",\"0\",\"9.0\",\"s\",\"" name "\",\"" unit "\",\"" v \
	"\"\n"

TEST(explore_measured, a_line_for_each_metric_after_what_the_program_printed)
{
	EQ(ERR_OK,
	   reads("==PROF== Connected to process 9\n"
		 "\"quoted\", said the program\n"
		 "sum 12: ok\n" LONG_HEADER LONG(
			 "0", "void ns::k<float, (int)4>(T1 *)", "(64, 1, 1)",
			 "(16, 2, 1)", "gpc__cycles_elapsed.max", "cycle",
			 "91,684") LONG("0", "void ns::k<float, (int)4>(T1 *)",
					"(64, 1, 1)", "(16, 2, 1)", "hit.pct",
					"%", "12.5")
			 LONG("1", "k2(int)", "(32, 1, 1)", "(1, 1, 1)",
			      "gpc__cycles_elapsed.max", "cycle",
			      "1,234,567")));
	EQ(2, m.count);
	EQ(MEASURED_NCU, m.tool);
	STREQ("k", m.launches[0].name.base);
	STREQ("<float,4", m.launches[0].name.arguments);
	EQ(64, m.launches[0].block[0]);
	EQ(2, m.launches[0].grid[1]);
	EQ(91684, value(0, "gpc__cycles_elapsed.max"));
	EQ(0.125, value(0, "hit.pct"));
	EQ(1234567, value(1, "gpc__cycles_elapsed.max"));
	EQ(1, m.launches[1].id);
	EQ(true, isnan(value(1, "hit.pct")));
	measured_free(&m);
}

TEST(explore_measured, a_line_for_each_launch_with_units_in_the_second)
{
	EQ(ERR_OK,
	   reads("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\","
		 "\"dram__bytes_read.sum\",\"gpu__time_duration.sum\","
		 "\"sm__clock\",\"a text\"\r\n"
		 "\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"us\",\"cycle/nsecond\","
		 "\"\"\r\n"
		 "\"7\",\"_Z3sumIfLi4EEvPT_\",\"(256, 1, 1)\",\"(4, 1, 1)\","
		 "\"9.0\",\"1.5\",\"2.25\",\"1.98\",\"(a, \"\"b\"\")\"\r\n"));
	EQ(1, m.count);
	EQ(7, m.launches[0].id);
	STREQ("sum", m.launches[0].name.base);
	STREQ("<float,4", m.launches[0].name.arguments);
	EQ(1.5e6, value(0, "dram__bytes_read.sum"));
	EQ(true, fabs(value(0, "gpu__time_duration.sum") - 2.25e-6) < 1e-15);
	EQ(true, fabs(value(0, "sm__clock") - 1.98e9) < 1);
	measured_free(&m);
}

static double number(const char *unit, const char *text, const char *other)
{
	char all[2000];
	double v;

	snprintf(all, sizeof(all),
		 LONG_HEADER LONG("0", "k", "(1, 1, 1)", "(1, 1, 1)", "x", "%s",
				  "%s") LONG("0", "k", "(1, 1, 1)", "(1, 1, 1)",
					     "y", "", "%s"),
		 unit, text, other);
	EQ(ERR_OK, reads(all));
	if (measured_number(&v, &m, &m.launches[0], "x", 1, &d))
		v = -1;
	measured_free(&m);
	return v;
}

TEST(explore_measured, numbers_may_have_separators_and_a_decimal_comma)
{
	EQ(1234.5, number("", "1,234.5", ""));
	EQ(1234567, number("", "1,234,567", ""));
	EQ(12.5, number("", "12.5", ""));
	EQ(0.125, number("", "0.125", ""));
	EQ(1e6, number("", "1e+06", ""));
	EQ(-3, number("", "-3", ""));
	/* Other locales. */
	EQ(1234.5, number("", "1.234,5", ""));
	EQ(12.5, number("", "12,5", ""));
	EQ(1234567, number("", "1.234.567", ""));
	EQ(1234.5, number("", "1 234,5", ""));
	EQ(1234567.5, number("",
			     "1\xe2\x80\xaf"
			     "234\xc2\xa0"
			     "567,5",
			     ""));
	/* Another number tells what this one means. */
	EQ(12345, number("", "12,345", ""));
	EQ(12345, number("", "12,345", "0.5"));
	EQ(12.345, number("", "12,345", "0,5"));
	EQ(12345, number("", "12.345", "0,5"));
	/* None. */
	EQ(true, isnan(number("", "n/a", "")));
	EQ(true, isnan(number("", "", "")));
}

TEST(explore_measured, a_text_that_is_no_number_is_an_error_with_its_line)
{
	EQ(-1, number("", "12,34,5", ""));
	EQ(-1, number("", "high", ""));
	STREQ("p.csv:2: x is 'high'; expected a number", d.text);
	EQ(-1, number("parsec", "5", ""));
	STREQ("p.csv:2: x has the unit 'parsec', which is not known; try ncu's "
	      "--print-units base",
	      d.text);
}

TEST(explore_measured, units_are_scaled)
{
	EQ(5e3, number("Kbyte", "5", ""));
	EQ(5e9, number("Gbyte", "5", ""));
	EQ(5e9, number("Gbyte/second", "5", ""));
	EQ(5e9, number("Ghz", "5", ""));
	EQ(0.5, number("%", "50", ""));
	EQ(5, number("register/thread", "5", ""));
	EQ(5e-3, number("ms", "5", ""));
	EQ(5, number("second", "5", ""));
	EQ(5e-9, number("nsecond", "5", ""));
	/* nvprof appends them. */
	EQ(0.985, number("", "98.5%", ""));
	EQ(12e9, number("", "12GB/s", ""));
}

TEST(explore_measured, traces_of_nvprof_have_durations_and_sizes)
{
	EQ(ERR_OK,
	   reads("==15== NVPROF is profiling process 15\n"
		 "==15== Profiling result:\n"
		 "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\","
		 "\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\","
		 "\"Size\",\"Device\",\"Context\",\"Stream\",\"Name\"\n"
		 "s,us,,,,,,,,KB,,,,\n"
		 "0.1,1.1,,,,,,,,4.0,\"V\",\"1\",\"7\",\"[CUDA memcpy HtoD]\"\n"
		 "0.2,5.5,80,2,1,256,1,1,16,,\"V\",\"1\",\"7\","
		 "\"scale(float const *, int) [112]\"\n"));
	EQ(1, m.count);
	EQ(MEASURED_NVPROF, m.tool);
	STREQ("scale(float const *, int)", m.launches[0].kernel);
	STREQ("scale", m.launches[0].name.base);
	EQ(true, m.launches[0].sized);
	EQ(2, m.launches[0].grid[1]);
	EQ(256, m.launches[0].block[0]);
	EQ(true, fabs(value(0, "Duration") - 5.5e-6) < 1e-15);
	EQ(16, value(0, "Registers Per Thread"));
	measured_free(&m);
}

TEST(explore_measured, metrics_and_events_of_nvprof_are_means_of_a_kernel)
{
	EQ(ERR_OK,
	   reads("==2== Event result:\n"
		 "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\","
		 "\"Max\",\"Avg\",\"Total\"\n"
		 "\"K20 (0)\",\"k(float*)\",3,\"elapsed_cycles_sm\",9,9,9,27\n"
		 "==2== Metric result:\n"
		 "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\","
		 "\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"
		 "\"K20 (0)\",\"k(float*)\",3,\"inst_executed\","
		 "\"Instructions Executed\",1,3,2.000000\n"
		 "\"K20 (0)\",\"k(float*)\",3,\"stall_sync\",\"Sync\",\"1.00%\","
		 "\"3.00%\",\"2.00%\"\n"
		 "\"K20 (0)\",\"j\",1,\"inst_executed\",\"I\",7,7,7\n"));
	EQ(2, m.count);
	EQ(3, m.launches[0].invocations);
	EQ(false, m.launches[0].sized);
	EQ(9, value(0, "elapsed_cycles_sm"));
	EQ(2, value(0, "inst_executed"));
	EQ(0.02, value(0, "stall_sync"));
	EQ(7, value(1, "inst_executed"));
	measured_free(&m);
}

TEST(explore_measured, a_damaged_file_is_an_error_with_its_line)
{
	EQ(ERR_SYNTAX, reads(LONG_HEADER "\"0\",\"9\",\"a\",\"h\",\"k"));
	STREQ("p.csv:2: a quote is not closed; the file may have been cut short",
	      d.text);
	measured_free(&m);
	EQ(ERR_SYNTAX, reads(LONG_HEADER "\"0\",\"9\",\"a\"\n"));
	STREQ("p.csv:2: 3 fields, but the table has 15 columns; the file may "
	      "have been cut short",
	      d.text);
	measured_free(&m);
	EQ(ERR_SYNTAX, reads(LONG_HEADER LONG("zero", "k", "(1, 1, 1)",
					      "(1, 1, 1)", "x", "", "1")));
	STREQ("p.csv:2: 'zero' in the column ID; expected a whole number",
	      d.text);
	measured_free(&m);
	EQ(ERR_SYNTAX, reads(LONG_HEADER LONG("0", "k", "(1, 1)", "(1, 1, 1)",
					      "x", "", "1")));
	STREQ("p.csv:2: '(1, 1)' in the column Block Size; expected a size such "
	      "as (64, 1, 1)",
	      d.text);
	measured_free(&m);
	EQ(ERR_SYNTAX, reads("nothing\n"));
	EQ(true, strstr(d.text, "has no launch") != NULL);
	measured_free(&m);
	EQ(ERR_SYNTAX, reads(""));
	measured_free(&m);
}

static void name(const char *base, const char *arguments, const char *kernel)
{
	struct kernel_name n;
	struct arena a = { 0 };

	EQ(ERR_OK, kernel_name_read(&n, &a, kernel, &d));
	STREQ(base, n.base);
	STREQ(arguments, n.arguments);
	arena_free(&a);
}

TEST(explore_measured, a_kernel_has_one_name_however_it_is_written)
{
	name("reduce", NULL, "reduce");
	name("reduce", NULL, "reduce(const float *, float *, int)");
	name("reduce", NULL, "_Z6reducePKfPfi");
	name("reduce", NULL, "ns::inner::reduce(int)");
	name("apply", NULL,
	     "apply(unsigned int (*)(unsigned int, unsigned int), int)");
	name("k", NULL, "(anonymous namespace)::k(int)");
	name("k", "<0", "void memory::k<0>(const unsigned int *)");
	name("k", "<float,4,true", "void k<float, (int)4, (bool)1>(T1 *)");
	name("k", "<float,4,true", "k<float, 4, true>");
	name("k", "<unsigned,8", "void k<unsigned int, 8ul>(unsigned int)");
	name("k", "<unsigned,8", "_Z1kIjLm8EEvPT_");
	name("k", "<ns::v<float,3>,-1",
	     "void ns::k<ns::v<float, 3>, (int)-1>()");
	/* Arguments that the demangler does not know. */
	name("k", NULL, "_Z1kIN2ns1vIfEEEvPT_");
	name("", NULL, "");
}
