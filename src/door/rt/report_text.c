/* The report on stderr: a line for each launch, a table at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/common/isa_choice.h"
#include "door/common/launch_json.h"
#include "door/common/text.h"
#include "door/rt/report_state.h"

enum { NAME_MIN = 12, NAME_MAX_WIDTH = 32, LINE = 512 };

static double safe_ratio(double over, double under)
{
	return under > 0 ? over / under : 0;
}

/* Appends to a text; cuts off what does not fit. */
static void text_add(char text[LINE], const char *fmt, ...) PRINTF_LIKE(2, 3);

static void text_add(char text[LINE], const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, LINE - used, fmt, ap);
	va_end(ap);
}

static void text_add_shape(char text[LINE], const char *what,
			   struct heddle_dim3 v)
{
	text_add(text, "%s %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", ", what, v.x,
		 v.y, v.z);
}

static void text_add_timing(char text[LINE], const struct report_launch *l)
{
	uint64_t cycles = report_cycles(l);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	text_add(text, "%s cycles, %s, IPC %.2f per SM", grouped(a, cycles),
		 duration(b, l->end - l->start),
		 safe_ratio((double)l->result->warp_instructions,
			    (double)(cycles * report_sms(l))));
	if (l->group > 1)
		text_add(text, ", one of %" PRIu32 " at once", l->group);
}

/* Counters that disagree are a bug in Heddle: warn about the numbers. */
static void warn_broken_law(const struct report_launch *l)
{
	struct heddle_timing_info info;

	if (!l->timing)
		return;
	heddle_timing_info(l->timing, &info);
	if (info.law)
		report_say("error: a bug in Heddle: the counters of launch "
			   "%" PRIu64 " disagree (%s); please report it",
			   l->number, info.law);
}

void report_line(const struct report_launch *l, const struct report_kernel *k)
{
	char text[LINE] = "", a[GROUPED_TEXT];

	warn_broken_law(l);
	if (!l->timing && report.functional > REPORT_FUNCTIONAL) {
		if (report.functional == REPORT_FUNCTIONAL + 1)
			report_say("further launches that are not timed are "
				   "only counted, in the table at the end");
		return;
	}
	text_add(text, "launch %" PRIu64 ", %.100s: ", l->number, k->name);
	if (report.device_count > 1)
		text_add(text, "device %d, ", l->device);
	if (isa_is_machine(l->isa))
		text_add(text, "machine code for %s%u, ",
			 strcmp(l->isa, "gcn") ? "sm_" : "gfx", l->target);
	text_add_shape(text, "grid", l->grid);
	text_add_shape(text, "block", l->block);
	if (l->timing)
		text_add_timing(text, l);
	else
		text_add(text, "functional, %s warp-instructions",
			 grouped(a, l->result->warp_instructions));
	text_add(text, ", host %s", duration(a, l->result->seconds));
	if (l->result->fault.kind)
		text_add(text, "; cut short: %s",
			 fault_name(l->result->fault.kind));
	report_say("%s", text);
}

/*
 * The table
 */

static int compare_times(const void *a, const void *b)
{
	const struct report_kernel *x = *(struct report_kernel *const *)a;
	const struct report_kernel *y = *(struct report_kernel *const *)b;

	if (x->gpu_seconds != y->gpu_seconds)
		return x->gpu_seconds > y->gpu_seconds ? -1 : 1;
	if (x->host_seconds != y->host_seconds)
		return x->host_seconds > y->host_seconds ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The kernels that were launched, longest time first; malloc'ed. */
static const struct report_kernel **sort_kernels(size_t *count)
{
	size_t n = report.symbols.count;
	const struct report_kernel **rows = malloc((n + 1) * sizeof(*rows));

	*count = 0;
	for (size_t i = 0; rows && i < n; i++)
		if (report.kernels[i].launches)
			rows[(*count)++] = &report.kernels[i];
	if (rows && *count)
		qsort(rows, *count, sizeof(*rows), compare_times);
	return rows;
}

static int kernel_name_width(const struct report_kernel **rows, size_t n)
{
	int width = NAME_MIN;

	for (size_t i = 0; i < n; i++) {
		int length = (int)strlen(rows[i]->name);

		width = length > width ? length : width;
	}
	return width < NAME_MAX_WIDTH ? width : NAME_MAX_WIDTH;
}

/* The name without its namespaces, which are long in libraries. */
static const char *bare_name(const char *name)
{
	const char *end = name + strcspn(name, "<");

	for (const char *p = name; p + 1 < end; p++)
		if (p[0] == ':' && p[1] == ':')
			name = p + 2;
	return name;
}

static void print_kernel_name(const struct report_kernel *k, int width)
{
	const char *name = (int)strlen(k->name) > width ? bare_name(k->name) :
							  k->name;

	if ((int)strlen(name) > width)
		fprintf(stderr, "  %.*s...", width - 3, name);
	else
		fprintf(stderr, "  %-*s", width, name);
}

static void print_launches(const struct report_kernel *k)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], text[2 * GROUPED_TEXT + 4];

	if (report.timed && k->timed < k->launches)
		snprintf(text, sizeof(text), "%s of %s", grouped(a, k->timed),
			 grouped(b, k->launches));
	else
		snprintf(text, sizeof(text), "%s", grouped(a, k->launches));
	fprintf(stderr, " %10s", text);
}

static void print_timed(const struct report_kernel *k, double all)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];
	const char *stall;
	double share;

	if (!k->timed) {
		fprintf(stderr, " %15s %10s %7s %7s  %s\n", "-", "-", "-", "-",
			"-");
		return;
	}
	fprintf(stderr, " %15s %10s %6.1f%% %7.2f", grouped(a, k->cycles),
		duration(b, k->gpu_seconds),
		100 * safe_ratio(k->gpu_seconds, all), report_ipc(k));
	stall = report_top_stall(k, &share);
	if (stall)
		fprintf(stderr, "  %s %.1f%%\n", stall, 100 * share);
	else
		fputs("  -\n", stderr);
}

static void print_functional(const struct report_kernel *k, double all)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	fprintf(stderr, " %20s %10s %6.1f%%\n",
		grouped(a, k->warp_instructions), duration(b, k->host_seconds),
		100 * safe_ratio(k->host_seconds, all));
}

static void print_table_head(int width)
{
	fprintf(stderr, "  %-*s %10s", width, "kernel", "launches");
	if (report.timed)
		fprintf(stderr, " %15s %10s %7s %7s  %s\n", "cycles", "time",
			"share", "IPC/SM", "top stall");
	else
		fprintf(stderr, " %20s %10s %7s\n", "warp-instructions",
			"host time", "share");
}

/* Below the table, for the kernels that took the longest. */
static void print_advice(void)
{
	size_t n = 0, shown = 0, timed = 0;
	const struct report_kernel **rows = sort_kernels(&n);
	struct advice_list a;

	for (size_t i = 0; rows && i < n; i++) {
		if (!rows[i]->timed)
			continue;
		if (timed++ >= REPORT_ADVISED)
			continue;
		report_advice(&a, rows[i]);
		advice_print_kernel(stderr, rows[i]->name, &a);
		shown++;
	}
	if (shown < timed)
		fprintf(stderr,
			"  advice    on %zu more kernels is in the JSON of "
			"--out\n",
			timed - shown);
	free(rows);
}

static void print_kernels(const struct report_kernel *sum)
{
	size_t n, shown;
	const struct report_kernel **rows = sort_kernels(&n);
	int width;

	if (!rows)
		return;
	shown = n < REPORT_TABLE ? n : REPORT_TABLE;
	width = kernel_name_width(rows, shown);
	print_table_head(width);
	for (size_t i = 0; i < shown; i++) {
		print_kernel_name(rows[i], width);
		print_launches(rows[i]);
		if (report.timed)
			print_timed(rows[i], sum->gpu_seconds);
		else
			print_functional(rows[i], sum->host_seconds);
	}
	if (shown < n)
		fprintf(stderr, "  ... %zu more kernels\n", n - shown);
	free(rows);
}

static double print_copy_sums(void)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];
	double seconds = 0;

	for (int i = 0; i < REPORT_COPY_KINDS; i++) {
		const struct report_copies *s = &report.copies[i];

		if (!s->count)
			continue;
		fprintf(stderr, "  %-16s %s, %s", report_copy_names[i],
			grouped(a, s->count), bytes_text(b, (double)s->bytes));
		if (report.timed)
			fprintf(stderr, ", %s", duration(c, s->seconds));
		fputc('\n', stderr);
		seconds += s->seconds;
	}
	return seconds;
}

static const char *gpu_name(void)
{
	return report.device_count && report.devices[0].name[0] ?
		       report.devices[0].name :
		       "a GPU";
}

void report_table(void)
{
	struct report_kernel sum = report_total();
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];
	double copies;

	fprintf(stderr, "heddle: %s launch%s on %s", grouped(a, sum.launches),
		sum.launches == 1 ? "" : "es", gpu_name());
	if (report.device_count > 1)
		fprintf(stderr, " and %u more", report.device_count - 1);
	fputs(report.timed ? "\n" : ", results only\n", stderr);
	print_kernels(&sum);
	copies = print_copy_sums();
	if (report.timed)
		fprintf(stderr,
			"  simulated time   %s, what overlaps counted once; "
			"kernels %s, copies %s\n",
			duration(a, report.end), duration(b, sum.gpu_seconds),
			duration(c, copies));
	if (report.timed && report.inexact_engine)
		fprintf(stderr,
			"  warning          the engine %s is not exact\n",
			report.inexact_engine);
	fprintf(stderr, "  API calls        %s\n", grouped(a, report.calls));
	if (report.timed)
		print_advice();
}
