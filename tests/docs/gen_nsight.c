/*
 * Writes docs/nsight.md, our names beside those of Nsight Compute, to the
 * standard output: `make docs` keeps it, a test compares.
 */
#include <stdio.h>
#include <string.h>

#include "cfg/cfg.h"
#include "explore/nsight.h"
#include "explore/run.h"

static const char introduction[] =
	"# Names of Nsight Compute\n\n"
	"<!-- made by `make docs` from src/explore/nsight.def; changes here are "
	"lost -->\n\n"
	"Those who know NVIDIA's profiler find their numbers here: each reason "
	"and each\nstatistic beside the name of the warp state or metric that "
	"comes nearest. Pages\n([reports.md](reports.md)) show both names. An "
	"empty remark: the two mean the same. No\nname: Nsight Compute has "
	"nothing like it, and the remark says why.\n\n"
	"Three differences apply to all of them:\n\n"
	"- Heddle executes PTX, hardware executes SASS. Counts of instructions "
	"differ where the\n  compiler's back end does not translate one "
	"instruction into one.\n"
	"- Nsight Compute empties the caches before it measures a kernel, unless "
	"told otherwise\n  (`--cache-control none`), and runs the kernel "
	"several times.\n"
	"- Metrics that are sums here have the suffix `.sum` there; `.avg` is the "
	"mean over the\n  components, `.pct` a percentage where Heddle prints a "
	"fraction.\n";

static const char reasons[] =
	"\n## reason: issue slots and warp states\n\n"
	"Heddle charges every cycle of every scheduler, a *slot*, to one reason, "
	"so that the\nreasons add up to `sm.slots`. Nsight Compute looks at "
	"warps: in each cycle every resident\nwarp is in one state, whether or "
	"not the scheduler could issue from another one. A\nstate `x` is the "
	"metric\n`smsp__average_warps_issue_stalled_x_per_issue_active.ratio`, "
	"and\n`smsp__pcsamp_warps_issue_stalled_x` by sampling. A state that "
	"many warps share while\nanother warp issues costs nothing: it is "
	"large there and absent here. For the same\nreason Heddle has no "
	"`Stall Not Selected`: in such a cycle an instruction was issued.\n\n"
	"| reason | warp state | `x` | remark |\n|---|---|---|---|\n";

static void row(unsigned i)
{
	const struct nsight_name *n = nsight_of(i);
	const char *tick;
	char key[STAT_KEY_SIZE];

	if (!n || !stat_key(key, i))
		return;
	tick = n->name[0] && !n->suffix ? "`" : "";
	printf("| `%s` | %s%s%s |", key, tick, n->name, tick);
	if (n->suffix)
		printf(n->suffix[0] ? " `%s` |" : " %s |", n->suffix);
	printf(" %s |\n", n->note);
}

int main(void)
{
	int group = -1;

	fputs(introduction, stdout);
	for (unsigned i = 0; i < stat_count; i++) {
		enum stat_group g = stat_table[i].group;

		if ((int)g != group && g == STAT_GROUP_reason)
			fputs(reasons, stdout);
		else if ((int)g != group)
			printf("\n## %s: %s\n\n| statistic | metric | remark |"
			       "\n|---|---|---|\n",
			       stat_groups[g].name, stat_groups[g].title);
		group = (int)g;
		row(i);
	}
	return 0;
}
