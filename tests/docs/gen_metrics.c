/*
 * Writes docs/metrics.md, what `heddle correlate` compares, to the standard
 * output: `make docs` keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "explore/correlate.h"
#include "explore/nsight.h"

static const char introduction[] =
	"# What is compared with hardware\n\n"
	"<!-- made by `make docs` from src/explore/correlate.def and nsight.def; "
	"changes here are\nlost -->\n\n"
	"`heddle correlate` ([validation.md](validation.md)) compares these "
	"metrics. Of several\nnames the first that a profile has counts; a name "
	"with blanks is that of a section's\ntable. `sms` and `dram_peak` are "
	"the SMs and the bandwidth of the simulated GPU. The\nsimulated value is "
	"made of the [statistics](stats.md) of the launch and of\n"
	"[parameters](params.md).\n\n"
	"`ratio(a, b)` is a / b, `rest(a, b)` is 1 - a / b and at least 0.\n\n"
	"An error is relative to what hardware counted. Of rates (hit rates, "
	"occupancy, use) it\nis the difference, in percentage points. Beyond "
	"the tolerance a metric is shown as wrong,\nand named as a reason of a "
	"launch that is far off.\n";

static const char states[] =
	"\n## Warp states\n\n"
	"For the launches that are farthest off, the shares of the time that "
	"warps wait are\ncompared, by state, as far as the profile has them: "
	"metrics\n`smsp__average_warps_issue_stalled_STATE_per_issue_active"
	".ratio`,\n`smsp__average_warp_latency_issue_stalled_STATE.ratio`,\n"
	"`smsp__warp_issue_stalled_STATE_per_warp_active.pct` or\n"
	"`smsp__pcsamp_warps_issue_stalled_STATE`, or nvprof's `stall_` metrics. "
	"Hardware counts\nwarps, Heddle counts issue slots ([nsight.md]"
	"(nsight.md) tells the difference), so these\nshares are hints, and no "
	"part of an error.\n\n"
	"| state | nvprof |\n|---|---|\n";

/* Writes the alternatives of a profiler, with Nsight's names of statistics. */
static void alternatives(const char *text)
{
	char key[STAT_KEY_SIZE];

	putchar('`');
	for (; *text; text++) {
		size_t n = strspn(text + 1,
				  "abcdefghijklmnopqrstuvwxyz0123456789"
				  "_.");

		if (!strncmp(text, " | ", 3)) {
			fputs("` or `", stdout);
			text += 2;
		} else if (*text == '@') {
			snprintf(key, sizeof(key), "%.*s", (int)n, text + 1);
			fputs(nsight_of((unsigned)stat_index(key))->name,
			      stdout);
			text += n;
		} else {
			putchar(*text);
		}
	}
	putchar('`');
}

/* Writes an expression of C as one of statistics. */
static void simulated(const char *text)
{
	static const struct {
		const char *from, *to;
	} words[] = { { "(double)", "" },
		      { "s->", "" },
		      { "c->", "" },
		      { "l->", "launch." } };

	while (*text) {
		size_t i = 0;

		while (i < 4 &&
		       strncmp(text, words[i].from, strlen(words[i].from)) != 0)
			i++;
		if (i == 4) {
			putchar(*text++);
			continue;
		}
		fputs(words[i].to, stdout);
		text += strlen(words[i].from);
	}
}

static void metric(const struct correlate_info *i)
{
	printf("\n## %s\n\n", i->name);
	if (i->note[0])
		printf("%c%s.\n\n", i->note[0] - 32 * (i->note[0] >= 'a'),
		       i->note + 1);
	printf("| | |\n|---|---|\n| unit | %s |\n| tolerance | %g%s |\n",
	       i->unit[0] ? i->unit : "a share", 100 * i->tolerance,
	       i->scale == CORRELATE_POINTS ? " points" : "%");
	if (i->floor > 0)
		printf("| relative to at least | %g |\n", i->floor);
	printf("| simulated | `");
	simulated(i->simulated);
	printf("` |\n| Nsight Compute | ");
	alternatives(i->ncu);
	printf(" |\n| nvprof | ");
	if (i->nvprof[0])
		alternatives(i->nvprof);
	else
		printf("does not count it");
	puts(" |");
}

static const char *of_nvprof(const char *state)
{
	/* clang-format off */
#define STATE(suffix, nvprof) \
	if (!strcmp(state, suffix)) \
		return "`" nvprof "`";
#include "explore/correlate.def"
	/* clang-format on */
	return "";
}

int main(void)
{
	fputs(introduction, stdout);
	for (int i = 0; i < CORRELATE_METRICS; i++)
		metric(&correlate_info[i]);
	fputs(states, stdout);
	for (size_t i = 0; i < correlate_state_count(); i++)
		printf("| `%s` | %s |\n", correlate_state_name(i),
		       of_nvprof(correlate_state_name(i)));
	return 0;
}
