/* Tables for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "door/cli/engines.h"
#include "door/cli/text.h"
#include "stat/series.h"

enum { NAME_LEAST = 12, NAME_MOST = 40, MOST_ROWS = 1024, SMS_SHOWN = 32 };

static int name_width(const struct engines *e)
{
	int width = NAME_LEAST;

	for (size_t i = 0; i < e->program_count; i++) {
		int n = (int)strlen(e->program[i].label);

		width = n > width ? n : width;
	}
	return width < NAME_MOST ? width : NAME_MOST;
}

static void print_name(const struct engines *e, const char *name)
{
	printf("  %-*.*s", name_width(e), NAME_MOST, name);
}

static void print_title(const char *title)
{
	printf("\n%s%s%s\n", tint(stdout, TINT_BOLD), title,
	       tint(stdout, TINT_OFF));
}

/* A dash where there is none. */
static void print_real(int width, int digits, double v)
{
	if (isnan(v))
		printf(" %*s", width, "-");
	else
		printf(" %*.*f", width, digits, v);
}

static void print_count(int width, double v)
{
	char text[GROUPED_TEXT];

	printf(" %*s", width,
	       isnan(v) ? "-" : grouped(text, (uint64_t)(v + 0.5)));
}

/* The engines that are compared with serial. */
static void print_engines(const struct engines *e, int width)
{
	for (size_t i = 1; i < e->engine_count; i++)
		printf(" %*s", width, e->engine[i].name);
	putchar('\n');
}

static void print_speed(const struct engines *e)
{
	print_title("Speed-up over serial, by the median of the runs "
		    "(Figure 5)");
	print_name(e, "program");
	printf(" %10s %9s", "serial s", "M instr/s");
	print_engines(e, 10);
	for (size_t i = 0; i < e->program_count; i++) {
		struct engines_sum s = engines_sum(e, i, 0);

		print_name(e, e->program[i].label);
		print_real(10, 4, s.seconds);
		print_real(9, 2, s.rate / 1e6);
		for (size_t k = 1; k < e->engine_count; k++)
			print_real(10, 2, engines_sum(e, i, k).speedup);
		putchar('\n');
	}
}

static void print_mean_speed(const struct engines *e)
{
	double x[MOST_ROWS];

	if (e->program_count < 2)
		return;
	print_name(e, "geometric mean");
	printf(" %10s %9s", "", "");
	for (size_t k = 1; k < e->engine_count; k++) {
		size_t n = 0;

		for (size_t i = 0; i < e->program_count && n < MOST_ROWS; i++)
			if (engines_whole(e, i, k))
				x[n++] = engines_sum(e, i, k).speedup;
		print_real(10, 2, n ? series_geometric_mean(x, n) : NAN);
	}
	putchar('\n');
}

/* Two numbers of each engine, under its name. */
static void print_pairs(const struct engines *e, const char *first,
			const char *second)
{
	printf("%*s %14s", name_width(e) + 2, "", "");
	for (size_t i = 1; i < e->engine_count; i++)
		printf("  %17s", e->engine[i].name);
	putchar('\n');
	print_name(e, "program");
	printf(" %14s", "serial cycles");
	for (size_t i = 1; i < e->engine_count; i++)
		printf("  %8s %8s", first, second);
	putchar('\n');
}

static void print_cycles(const struct engines *e)
{
	print_title("Simulated cycles: mean error against serial, and "
		    "variation over the runs, in % (Table VI)");
	print_pairs(e, "error", "CV");
	for (size_t i = 0; i < e->program_count; i++) {
		print_name(e, e->program[i].label);
		print_count(14, engines_sum(e, i, 0).cycles);
		for (size_t k = 1; k < e->engine_count; k++) {
			struct engines_sum s = engines_sum(e, i, k);

			putchar(' ');
			print_real(8, 2, s.error);
			print_real(8, 2, s.variation);
		}
		putchar('\n');
	}
}

static void print_sms(const struct engines *e)
{
	print_title("Cycles of each SM until its last block ended: accuracy, "
		    "mean of the SMs, and variation, in % (Figure 7)");
	print_pairs(e, "accuracy", "CV");
	for (size_t i = 0; i < e->program_count; i++) {
		print_name(e, e->program[i].label);
		print_count(14, engines_sum(e, i, 0).cycles);
		for (size_t k = 1; k < e->engine_count; k++) {
			struct engines_sum s = engines_sum(e, i, k);

			putchar(' ');
			print_real(8, 2, s.sm_accuracy);
			print_real(8, 2, s.sm_variation);
		}
		putchar('\n');
	}
}

/* How many SMs there are to show: none if none has erred. */
static size_t sms_shown(const struct engines *e, size_t engine)
{
	size_t sms = 0;

	for (size_t i = 0; i < e->program_count; i++)
		if (engines_whole(e, i, engine) &&
		    engines_sum(e, i, engine).sm_error > 0)
			sms = engines_run_of(e, i, 0, 0)->sms;
	return sms <= SMS_SHOWN ? sms : 0;
}

/* One line for each program. */
static void print_each_sm(const struct engines *e, size_t engine)
{
	size_t sms = sms_shown(e, engine);
	char title[128];

	if (!sms)
		return;
	snprintf(title, sizeof(title),
		 "The same, error of each SM by %s, in %% (Figure 6)",
		 e->engine[engine].name);
	print_title(title);
	print_name(e, "program, SM");
	for (size_t k = 0; k < sms; k++)
		printf(" %5zu", k);
	putchar('\n');
	for (size_t i = 0; i < e->program_count; i++) {
		bool whole = engines_whole(e, i, engine);

		print_name(e, e->program[i].label);
		for (size_t k = 0; k < sms; k++)
			print_real(5, 1,
				   whole ? engines_sm_error(e, i, engine, k) :
					   NAN);
		putchar('\n');
	}
}

static void print_blocks(const struct engines *e)
{
	print_title("Ends of blocks, in waves that the GPU holds at once, in "
		    "cycles; by serial (Table III)");
	print_name(e, "program");
	printf(" %10s %10s %10s\n", "blocks", "deviation", "gap");
	for (size_t i = 0; i < e->program_count; i++) {
		struct engines_sum s = engines_sum(e, i, 0);

		print_name(e, e->program[i].label);
		print_count(10, engines_run_of(e, i, 0, 0)->blocks);
		print_count(10, s.deviation);
		print_count(10, s.gap);
		putchar('\n');
	}
}

static void print_mix(const struct engines *e)
{
	print_title("Warp-instructions, and the host's time, in %; by serial "
		    "(Table II)");
	print_name(e, "program");
	for (int i = 0; i < MIXES; i++)
		printf(" %7s", mix_names[i]);
	printf("  ");
	for (int i = 0; i < COSTS; i++)
		printf(" %7s", cost_names[i]);
	putchar('\n');
	for (size_t i = 0; i < e->program_count; i++) {
		const struct engines_run *r = engines_watched(e, i);

		print_name(e, e->program[i].label);
		for (size_t k = 0; k < MIXES; k++)
			print_real(7, 1,
				   r ? engines_share(r->mix, MIXES, k) : NAN);
		printf("  ");
		for (size_t k = 0; k < COSTS; k++)
			print_real(7, 1,
				   r ? engines_share(r->cost, COSTS, k) : NAN);
		putchar('\n');
	}
}

static void print_late(const struct engines *e)
{
	print_title("Messages that came late, mean of the runs");
	print_name(e, "program");
	print_engines(e, 12);
	for (size_t i = 0; i < e->program_count; i++) {
		print_name(e, e->program[i].label);
		for (size_t k = 1; k < e->engine_count; k++)
			print_count(12, engines_sum(e, i, k).late);
		putchar('\n');
	}
}

static bool all_exact(const struct engines *e)
{
	for (size_t i = 0; i < e->engine_count; i++)
		if (!e->engine[i].exact)
			return false;
	return true;
}

void engines_print(const struct engines *e)
{
	printf("%s (%s), %u thread%s, %u run%s of each\n", e->gpu_name, e->gpu,
	       e->threads, e->threads == 1 ? "" : "s", e->runs,
	       e->runs == 1 ? "" : "s");
	print_speed(e);
	print_mean_speed(e);
	print_cycles(e);
	print_sms(e);
	for (size_t i = 1; i < e->engine_count; i++)
		print_each_sm(e, i);
	print_blocks(e);
	print_mix(e);
	/* Exact engines have none: that is what exact means. */
	if (!all_exact(e))
		print_late(e);
}
