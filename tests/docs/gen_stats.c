/*
 * Writes docs/stats.md, the table of statistics as a page, to the standard
 * output: `make docs` keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/row.h"
#include "stat/cpu.h"
#include "stat/stat.h"

/* The tables write a counter as s->name; a reader needs the name alone. */
static void plain(const char *s)
{
	while (*s) {
		if (!strncmp(s, "s->", 3)) {
			s += 3;
			continue;
		}
		putchar(*s++);
	}
}

static void head(enum stat_group g)
{
	printf("\n## %s: %s\n\n"
	       "| statistic | unit | what it is |\n|---|---|---|\n",
	       stat_groups[g].name, stat_groups[g].title);
}

static void row(const struct stat_info *t)
{
	const char *group = stat_groups[t->group].name;

	if (t->kind == STAT_UNIT)
		return;
	printf("| `%s.%s` | %s | %s", group, t->name, t->unit, t->doc);
	if (t->kind == STAT_RATE) {
		printf(": `");
		plain(t->over);
		printf("` / `");
		plain(t->under);
		putchar('`');
	}
	if (t->kind == STAT_PEAK)
		printf("; the maximum over all components");
	puts(" |");
}

static void units(void)
{
	for (int u = 0; u < UNIT_COUNT; u++)
		printf("| `unit.%s` | instruction | warp-instructions of this "
		       "unit |\n",
		       unit_names[u]);
}

static void laws(void)
{
	printf("\n## Laws\n\nThey hold at the end of every run.\n\n"
	       "| group | law |\n|---|---|\n");
	for (unsigned i = 0; i < stat_law_count; i++) {
		const struct stat_law *law = &stat_laws[i];

		printf("| %s | `", law->group ? law->group : "between groups");
		plain(law->text);
		puts("` |");
	}
}

static void together(void)
{
	printf("\n## Launches at the same time\n\n"
	       "Of launches that overlap, each has statistics of its own: its "
	       "cycles, instructions,\nsectors, hits, and bytes of the DRAM. "
	       "An L2 miss belongs to the launch whose request\nmissed, an "
	       "eviction and a write-back to the one whose request made room, "
	       "whoever wrote\nthe line. `sm.cycles` and `sm.slots` are those "
	       "from its start to its end; `sm.active_cycles`\ncounts cycles "
	       "with a block of this launch. What they share is known only of "
	       "all of them\ntogether:\n\n"
	       "| statistic | why |\n|---|---|\n");
	for (unsigned i = 0; i < stat_together_count; i++)
		printf("| `%s` | %s |\n", stat_together[i].key,
		       stat_together[i].why);
}

static void cores(void)
{
	printf("\n## Cores of a CPU\n\n"
	       "Of `heddle system --config` ([system.md](system.md)), from "
	       "src/stat/cpu.def; those of the\nmemory system are in "
	       "[cgm.md](cgm.md). The commit slots of all uses add up to "
	       "`slots`.\n\n"
	       "| statistic | unit | meaning |\n|---|---|---|\n");
	for (unsigned i = 0; i < cpu_stat_count; i++)
		printf("| `%s%s` | %s | %s |\n",
		       cpu_stat_rows[i].slot ? "slot." : "",
		       cpu_stat_rows[i].name, cpu_stat_rows[i].unit,
		       cpu_stat_rows[i].doc);
}

int main(void)
{
	unsigned shown = 0;

	for (unsigned i = 0; i < stat_count; i++)
		shown += stat_table[i].kind != STAT_UNIT;
	printf("# The statistics\n\n"
	       "<!-- made by `make docs` from src/stat/stat.def; "
	       "changes here are lost -->\n\n"
	       "%u statistics tell what a simulated GPU did. Cycles are those "
	       "of `gpu.clock`. Every\ncomponent counts for itself; a result "
	       "holds the sum over all components. Ratios are\ncomputed from "
	       "the sums.\n",
	       shown + UNIT_COUNT);
	for (unsigned i = 0; i < stat_count; i++) {
		if (!i || stat_table[i].group != stat_table[i - 1].group)
			head(stat_table[i].group);
		row(&stat_table[i]);
	}
	units();
	together();
	laws();
	cores();
	return 0;
}
