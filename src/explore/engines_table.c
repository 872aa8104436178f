/* Tables for people, as text. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/human.h"
#include "explore/engines.h"
#include "stat/series.h"

enum { LABEL_MIN = 12, LABEL_MAX = 40, MAX_ROWS = 1024, SMS_SHOWN = 32 };

/* Where tables go; bold and plain begin and end a title. */
struct table_out {
	const struct engines *e;
	FILE *to;
	const char *bold, *plain;
};

static int table_name_width(const struct engines *e)
{
	int width = LABEL_MIN;

	for (size_t i = 0; i < e->program_count; i++) {
		int n = (int)strlen(e->program[i].label);

		width = n > width ? n : width;
	}
	return width < LABEL_MAX ? width : LABEL_MAX;
}

static void table_name(const struct table_out *t, const char *name)
{
	fprintf(t->to, "  %-*.*s", table_name_width(t->e), LABEL_MAX, name);
}

static void table_title(const struct table_out *t, const char *title)
{
	fprintf(t->to, "\n%s%s%s\n", t->bold, title, t->plain);
}

/* NaN: a dash. */
static void table_real(const struct table_out *t, int width, int digits,
		       double v)
{
	if (isnan(v))
		fprintf(t->to, " %*s", width, "-");
	else
		fprintf(t->to, " %*.*f", width, digits, v);
}

static void table_count(const struct table_out *t, int width, double v)
{
	char text[GROUPED_TEXT];

	fprintf(t->to, " %*s", width,
		isnan(v) ? "-" : grouped(text, (uint64_t)(v + 0.5)));
}

/* The engines that are compared with serial. */
static void table_engines(const struct table_out *t, int width)
{
	const struct engines *e = t->e;

	for (size_t i = 1; i < e->engine_count; i++)
		fprintf(t->to, " %*s", width, e->engine[i].name);
	fputc('\n', t->to);
}

static void table_speed(const struct table_out *t)
{
	const struct engines *e = t->e;

	table_title(t, "Speed-up over serial, by the median of the runs "
		       "(Figure 5)");
	table_name(t, "program");
	fprintf(t->to, " %10s %9s", "serial s", "M instr/s");
	table_engines(t, 10);
	for (size_t i = 0; i < e->program_count; i++) {
		struct engines_sum s = engines_sum(e, i, 0);

		table_name(t, e->program[i].label);
		table_real(t, 10, 4, s.seconds);
		table_real(t, 9, 2, s.rate / 1e6);
		for (size_t k = 1; k < e->engine_count; k++)
			table_real(t, 10, 2, engines_sum(e, i, k).speedup);
		fputc('\n', t->to);
	}
}

static void table_mean_speed(const struct table_out *t)
{
	const struct engines *e = t->e;
	double x[MAX_ROWS];

	if (e->program_count < 2)
		return;
	table_name(t, "geometric mean");
	fprintf(t->to, " %10s %9s", "", "");
	for (size_t k = 1; k < e->engine_count; k++) {
		size_t n = 0;

		for (size_t i = 0; i < e->program_count && n < MAX_ROWS; i++)
			if (engines_complete(e, i, k))
				x[n++] = engines_sum(e, i, k).speedup;
		table_real(t, 10, 2, n ? series_geometric_mean(x, n) : NAN);
	}
	fputc('\n', t->to);
}

/* The heading of a table with two numbers for each engine. */
static void table_pairs(const struct table_out *t, const char *first,
			const char *second)
{
	const struct engines *e = t->e;

	fprintf(t->to, "%*s %14s", table_name_width(t->e) + 2, "", "");
	for (size_t i = 1; i < e->engine_count; i++)
		fprintf(t->to, "  %17s", e->engine[i].name);
	fputc('\n', t->to);
	table_name(t, "program");
	fprintf(t->to, " %14s", "serial cycles");
	for (size_t i = 1; i < e->engine_count; i++)
		fprintf(t->to, "  %8s %8s", first, second);
	fputc('\n', t->to);
}

static double table_field(const struct engines_sum *s, size_t offset)
{
	double v;

	memcpy(&v, (const char *)s + offset, sizeof(v));
	return v;
}

/* Two numbers of struct engines_sum for each engine, beside serial's cycles. */
static void table_of_two(const struct table_out *t, size_t a, size_t b)
{
	const struct engines *e = t->e;

	for (size_t i = 0; i < e->program_count; i++) {
		table_name(t, e->program[i].label);
		table_count(t, 14, engines_sum(e, i, 0).cycles);
		for (size_t k = 1; k < e->engine_count; k++) {
			struct engines_sum s = engines_sum(e, i, k);

			fputc(' ', t->to);
			table_real(t, 8, 2, table_field(&s, a));
			table_real(t, 8, 2, table_field(&s, b));
		}
		fputc('\n', t->to);
	}
}

static void table_cycles(const struct table_out *t)
{
	table_title(t, "Simulated cycles: mean error against serial, and "
		       "variation over the runs, in % (Table VI)");
	table_pairs(t, "error", "CV");
	table_of_two(t, offsetof(struct engines_sum, error),
		     offsetof(struct engines_sum, variation));
}

static void table_sms(const struct table_out *t)
{
	table_title(t,
		    "Cycles of each SM until its last block ended: accuracy, "
		    "mean of the SMs, and variation, in % (Figure 7)");
	table_pairs(t, "accuracy", "CV");
	table_of_two(t, offsetof(struct engines_sum, sm_accuracy),
		     offsetof(struct engines_sum, sm_variation));
}

/* The SMs to show: none if no SM has an error, or there are too many. */
static size_t table_sm_count(const struct engines *e, size_t engine)
{
	size_t sms = 0;

	for (size_t i = 0; i < e->program_count; i++)
		if (engines_complete(e, i, engine) &&
		    engines_sum(e, i, engine).sm_error > 0)
			sms = engines_run_of(e, i, 0, 0)->sms;
	return sms <= SMS_SHOWN ? sms : 0;
}

/* One row for each program. */
static void table_each_sm(const struct table_out *t, size_t engine)
{
	const struct engines *e = t->e;
	size_t sms = table_sm_count(e, engine);
	char title[128];

	if (!sms)
		return;
	snprintf(title, sizeof(title),
		 "The same, error of each SM by %s, in %% (Figure 6)",
		 e->engine[engine].name);
	table_title(t, title);
	table_name(t, "program, SM");
	for (size_t k = 0; k < sms; k++)
		fprintf(t->to, " %5zu", k);
	fputc('\n', t->to);
	for (size_t i = 0; i < e->program_count; i++) {
		bool whole = engines_complete(e, i, engine);

		table_name(t, e->program[i].label);
		for (size_t k = 0; k < sms; k++)
			table_real(t, 5, 1,
				   whole ? engines_sm_error(e, i, engine, k) :
					   NAN);
		fputc('\n', t->to);
	}
}

static void table_blocks(const struct table_out *t)
{
	const struct engines *e = t->e;

	table_title(t, "Ends of blocks, in waves that fill the GPU, in "
		       "cycles; by serial (Table III)");
	table_name(t, "program");
	fprintf(t->to, " %10s %10s %10s\n", "blocks", "deviation", "gap");
	for (size_t i = 0; i < e->program_count; i++) {
		struct engines_sum s = engines_sum(e, i, 0);

		table_name(t, e->program[i].label);
		table_count(t, 10, engines_run_of(e, i, 0, 0)->blocks);
		table_count(t, 10, s.deviation);
		table_count(t, 10, s.gap);
		fputc('\n', t->to);
	}
}

static void table_mix(const struct table_out *t)
{
	const struct engines *e = t->e;

	table_title(t,
		    "Warp-instructions, and the host's time, in %; by serial "
		    "(Table II)");
	table_name(t, "program");
	for (int i = 0; i < MIXES; i++)
		fprintf(t->to, " %7s", mix_names[i]);
	fprintf(t->to, "  ");
	for (int i = 0; i < COSTS; i++)
		fprintf(t->to, " %7s", cost_names[i]);
	fputc('\n', t->to);
	for (size_t i = 0; i < e->program_count; i++) {
		const struct engines_run *r = engines_host_timed(e, i);

		table_name(t, e->program[i].label);
		for (size_t k = 0; k < MIXES; k++)
			table_real(t, 7, 1,
				   r ? engines_share(r->mix, MIXES, k) : NAN);
		fprintf(t->to, "  ");
		for (size_t k = 0; k < COSTS; k++)
			table_real(t, 7, 1,
				   r ? engines_share(r->cost, COSTS, k) : NAN);
		fputc('\n', t->to);
	}
}

static void table_late(const struct table_out *t)
{
	const struct engines *e = t->e;

	table_title(t, "Late messages, mean of the runs");
	table_name(t, "program");
	table_engines(t, 12);
	for (size_t i = 0; i < e->program_count; i++) {
		table_name(t, e->program[i].label);
		for (size_t k = 1; k < e->engine_count; k++)
			table_count(t, 12, engines_sum(e, i, k).late);
		fputc('\n', t->to);
	}
}

static bool engines_all_exact(const struct engines *e)
{
	for (size_t i = 0; i < e->engine_count; i++)
		if (!e->engine[i].exact)
			return false;
	return true;
}

void engines_print(const struct engines *e, FILE *to, const char *bold,
		   const char *plain)
{
	const struct table_out t = { e, to, bold, plain };

	fprintf(to, "%s (%s), %u thread%s, %u run%s of each\n", e->gpu_name,
		e->gpu, e->threads, e->threads == 1 ? "" : "s", e->runs,
		e->runs == 1 ? "" : "s");
	table_speed(&t);
	table_mean_speed(&t);
	table_cycles(&t);
	table_sms(&t);
	for (size_t i = 1; i < e->engine_count; i++)
		table_each_sm(&t, i);
	table_blocks(&t);
	table_mix(&t);
	/* With exact engines no message is late. */
	if (!engines_all_exact(e))
		table_late(&t);
}
