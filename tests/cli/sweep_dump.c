/*
 * What a database of sweeps holds, as lines that tests compare:
 *
 *	sweep_dump FILE.db points     what was simulated, without the host
 *	sweep_dump FILE.db times      which results, and when they were made
 *	sweep_dump FILE.db sql TEXT   what SQLite answers
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static const char points[] =
	"SELECT sweep.name, ordinal, program.name, axis, label, key, status, "
	"reason, cycles, gpu_seconds, warp_instructions, launches, "
	"(SELECT COUNT(*) FROM stat WHERE stat.key = point.key), "
	"(SELECT TOTAL(value) FROM stat WHERE stat.key = point.key) "
	"FROM point JOIN sweep ON sweep.id = sweep "
	"JOIN program ON program.id = program LEFT JOIN result USING(key) "
	"ORDER BY sweep.name, ordinal";
static const char times[] =
	"SELECT key, status, host_seconds, finished FROM result ORDER BY key";

static int print_row(void *ctx, int n, char **values, char **names)
{
	(void)ctx, (void)names;
	for (int i = 0; i < n; i++)
		printf("%s%s", i ? "|" : "", values[i] ? values[i] : "-");
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	const char *sql = argc == 3 && !strcmp(argv[2], "points") ? points :
			  argc == 3 && !strcmp(argv[2], "times")  ? times :
			  argc == 4                               ? argv[3] :
								    NULL;
	char *message = NULL;
	sqlite3 *db;

	if (!sql)
		return 2;
	if (sqlite3_open(argv[1], &db) ||
	    sqlite3_exec(db, sql, print_row, NULL, &message)) {
		fprintf(stderr, "%s: %s\n", argv[1],
			message ? message : sqlite3_errmsg(db));
		return 1;
	}
	return sqlite3_close(db) ? 1 : 0;
}
