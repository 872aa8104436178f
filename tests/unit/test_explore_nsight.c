#include "test.h"

#include <ctype.h>
#include <string.h>

#include "cfg/cfg.h"
#include "explore/nsight.h"
#include "explore/run.h"

/* unit__counter{.rollup}, as the tool takes them on its command line. */
static bool is_metric(const char *s)
{
	if (!strstr(s, "__"))
		return false;
	for (; *s; s++)
		if (!islower((unsigned char)*s) &&
		    !isdigit((unsigned char)*s) && *s != '_' && *s != '.')
			return false;
	return true;
}

TEST(explore_nsight, every_statistic_has_a_name_or_a_note)
{
	unsigned known = 0;
	char key[STAT_KEY_SIZE];

	for (unsigned i = 0; i < stat_count; i++) {
		const struct nsight_name *n = nsight_of(i);

		EQ(stat_key(key, i), n != NULL);
		if (!n)
			continue;
		known++;
		EQ(1, n->name[0] || n->note[0]);
		if (n->suffix)
			EQ(!n->name[0], !n->suffix[0]);
		else if (n->name[0])
			EQ(1, is_metric(n->name));
	}
	EQ(stat_count - STAT_UNITS + UNIT_COUNT, known);
}

TEST(explore_nsight, rows_are_those_of_the_table)
{
	STREQ("dram__bytes_read.sum",
	      nsight_of((unsigned)stat_index("dram.bytes_read"))->name);
	STREQ("lts__t_sector_op_read_hit_rate.pct",
	      nsight_of((unsigned)stat_index("l2.hit_rate"))->name);
	STREQ("Stall Long Scoreboard",
	      nsight_of((unsigned)stat_index("reason.memory"))->name);
	STREQ("sm__inst_executed_pipe_tensor.sum",
	      nsight_of((unsigned)stat_index("unit.tensor"))->name);
	EQ(1, nsight_of(stat_count) == NULL);
}
