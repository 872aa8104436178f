#include "test.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/store.h"

/* A database in a folder of its own, and a plan of five points, of which two
 * are the same. */
struct rig {
	char folder[64], path[80];
	struct sweep sweep;
	struct sweep_plan plan;
	struct cfg cfg;
	struct store_program program;
	struct result_store *store;
	struct diag d;
};

static const char five[] = "gpu = tiny\nprogram p { run = \"a\" }\n"
			   "vary sm.count = 1, 2, 80\nvariant n { l1.on = no }";

static void plan_of(struct rig *r, const char *name, const char *text)
{
	EQ(ERR_OK, sweep_read(&r->sweep, name, text, strlen(text), &r->d));
	cfg_defaults(&r->cfg);
	EQ(ERR_OK, plan_make(&r->plan, &r->sweep, &r->cfg, &r->d));
}

static void replan(struct rig *r, const char *name, const char *text)
{
	plan_free(&r->plan);
	sweep_free(&r->sweep);
	plan_of(r, name, text);
}

static enum err reopen(struct rig *r)
{
	store_close(r->store);
	return store_open(&r->store, r->path, STORE_WRITE, &r->d);
}

static void rig_open(struct rig *r)
{
	*r = (struct rig){ .program = { "p", "a", "1234" } };
	snprintf(r->folder, sizeof(r->folder), "/tmp/heddle_store_XXXXXX");
	OK(mkdtemp(r->folder) != NULL);
	snprintf(r->path, sizeof(r->path), "%s/a.db", r->folder);
	plan_of(r, "five.sweep", five);
	EQ(ERR_OK, reopen(r));
}

static void rig_close(struct rig *r)
{
	char command[128];

	store_close(r->store);
	plan_free(&r->plan);
	sweep_free(&r->sweep);
	snprintf(command, sizeof(command), "rm -r %s", r->folder);
	EQ(0, system(command));
}

static void put_plan(struct rig *r, const char *version)
{
	EQ(ERR_OK,
	   store_plan(r->store, &r->plan, "text", &r->program, version, &r->d));
}

/* How many points have to be run; the first of them is copied. */
static size_t todo(struct rig *r, struct store_todo *first)
{
	struct store_todo *all;
	size_t n;

	EQ(ERR_OK, store_todo(r->store, &r->plan, &all, &n, &r->d));
	if (first && n)
		*first = all[0];
	free(all);
	return n;
}

static struct sweep_outcome outcome(bool ok, uint64_t cycles)
{
	struct sweep_outcome o = { .ok = ok,
				   .cycles = (double)cycles,
				   .code = "sass sm_90" };

	o.stats.gpu.cycles = cycles;
	o.stats.l2.reads = 10;
	o.stats.l2.read_hits = 5;
	snprintf(o.reason, sizeof(o.reason), "%s", ok ? "" : "it broke");
	return o;
}

static void put(struct rig *r, const char *key, bool ok)
{
	struct sweep_outcome o = outcome(ok, 7);

	EQ(ERR_OK, store_result(r->store, key, &o, &r->d));
}

/* What SQLite itself says, as a number. */
static double says(struct rig *r, const char *sql)
{
	sqlite3_stmt *a;
	sqlite3 *db;
	double v;

	EQ(SQLITE_OK, sqlite3_open(r->path, &db));
	EQ(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &a, NULL));
	EQ(SQLITE_ROW, sqlite3_step(a));
	v = sqlite3_column_double(a, 0);
	sqlite3_finalize(a);
	sqlite3_close(db);
	return v;
}

TEST(store, points_that_are_the_same_are_run_once)
{
	struct store_counts c;
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	EQ(4, todo(&r, &t)); /* 80 SMs are the baseline's */
	EQ(0, t.config);
	put(&r, t.key, true);
	EQ(ERR_OK, store_count(r.store, "five", &c, &r.d));
	EQ(5, c.points);
	EQ(2, c.ok);
	EQ(3, c.left);
	EQ(3, todo(&r, &t));
	EQ(1, t.config);
	rig_close(&r);
}

TEST(store, the_tables_hold_what_a_report_needs)
{
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	todo(&r, &t);
	put(&r, t.key, true);
	OK(says(&r, "SELECT COUNT(*) FROM point WHERE baseline") == 1);
	OK(says(&r, "SELECT number FROM setting JOIN point ON point.id = point "
		    "WHERE label = '2'") == 2);
	OK(says(&r, "SELECT factor FROM setting JOIN point ON point.id = point "
		    "WHERE label = '2'") == 0.025);
	OK(says(&r, "SELECT value FROM stat WHERE name = 'l2.hit_rate'") ==
	   0.5);
	OK(says(&r, "SELECT value FROM stat WHERE name = 'unit.fp32'") == 0);
	/* With nothing under the line there is none. */
	OK(says(&r, "SELECT COUNT(*) FROM stat WHERE name = 'l1.hit_rate'") ==
	   0);
	OK(says(&r, "SELECT text LIKE '%sm.count = 80%' FROM config LIMIT 1") ==
	   1);
	OK(says(&r, "SELECT cost IS NULL FROM point LIMIT 1") == 1);
	OK(says(&r, "SELECT COUNT(*) FROM code WHERE code = 'sass sm_90'") ==
	   1);
	rig_close(&r);
}

TEST(store, results_are_there_when_it_is_opened_again)
{
	struct store_counts c;
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	todo(&r, &t);
	put(&r, t.key, true);
	EQ(ERR_OK, reopen(&r));
	put_plan(&r, "v");
	EQ(3, todo(&r, &t));
	put(&r, t.key, false);
	EQ(ERR_OK, store_count(r.store, "five", &c, &r.d));
	EQ(1, c.failed);
	EQ(2, todo(&r, NULL));
	/* The ones that failed are run again if that is wanted. */
	EQ(ERR_OK, store_again(r.store, "five", true, &r.d));
	EQ(3, todo(&r, NULL));
	EQ(ERR_OK, store_again(r.store, "five", false, &r.d));
	EQ(4, todo(&r, NULL));
	rig_close(&r);
}

TEST(store, a_result_stays_until_a_new_one_replaces_it)
{
	struct sweep_outcome o = outcome(true, 9);
	struct store_counts c;
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	while (todo(&r, &t))
		put(&r, t.key, true);
	EQ(ERR_OK, store_again(r.store, "five", false, &r.d));
	EQ(4, todo(&r, &t));
	EQ(ERR_OK, store_count(r.store, "five", &c, &r.d));
	EQ(5, c.ok);
	EQ(0, c.left);
	EQ(5, c.again);
	/* Whatever happens now, the old ones are there. */
	EQ(ERR_OK, reopen(&r));
	put_plan(&r, "v");
	EQ(4, todo(&r, &t));
	OK(says(&r, "SELECT TOTAL(cycles) FROM result") == 4 * 7);
	EQ(ERR_OK, store_result(r.store, t.key, &o, &r.d));
	EQ(3, todo(&r, NULL));
	OK(says(&r, "SELECT TOTAL(cycles) FROM result") == 3 * 7 + 9);
	OK(says(&r, "SELECT TOTAL(value) FROM stat WHERE name = "
		    "'gpu.cycles'") == 3 * 7 + 9);
	while (todo(&r, &t))
		put(&r, t.key, true);
	EQ(ERR_OK, store_count(r.store, "five", &c, &r.d));
	EQ(5, c.ok);
	EQ(0, c.again);
	rig_close(&r);
}

static void drop_again(struct rig *r)
{
	sqlite3 *db;

	store_close(r->store);
	r->store = NULL;
	EQ(SQLITE_OK, sqlite3_open(r->path, &db));
	EQ(SQLITE_OK, sqlite3_exec(db, "DROP TABLE again; DROP TABLE code",
				   NULL, NULL, NULL));
	sqlite3_close(db);
}

TEST(store, a_database_of_an_earlier_version_is_read_and_continued)
{
	struct store_counts c;
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	todo(&r, &t);
	put(&r, t.key, true);
	drop_again(&r);
	EQ(ERR_OK, store_open(&r.store, r.path, STORE_READ, &r.d));
	EQ(ERR_OK, store_count(r.store, "five", &c, &r.d));
	EQ(2, c.ok); /* two points are the same */
	EQ(0, c.again);
	EQ(ERR_OK, reopen(&r));
	EQ(3, todo(&r, NULL));
	EQ(ERR_OK, store_again(r.store, "five", false, &r.d));
	EQ(4, todo(&r, NULL));
	rig_close(&r);
}

TEST(store, sweeps_share_results_of_the_same_points)
{
	struct store_counts c;
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	while (todo(&r, &t))
		put(&r, t.key, true);
	replan(&r, "two.sweep",
	       "gpu = tiny\nprogram q { run = \"a\" }\n"
	       "vary { sm.count = 1, 2; l1.on = no, yes }");
	put_plan(&r, "v");
	EQ(1, todo(&r, &t)); /* one SM without an L1 is new */
	EQ(1, t.config);
	EQ(ERR_OK, store_count(r.store, "two", &c, &r.d));
	EQ(2, c.ok);
	/* The other sweep is still there. */
	EQ(ERR_OK, store_count(r.store, "five", &c, &r.d));
	EQ(5, c.ok);
	rig_close(&r);
}

TEST(store, a_key_names_all_that_a_result_depends_on)
{
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	while (todo(&r, &t))
		put(&r, t.key, true);
	put_plan(&r, "w");
	EQ(4, todo(&r, NULL));
	put_plan(&r, "v");
	EQ(0, todo(&r, NULL));
	snprintf(r.program.hash, sizeof(r.program.hash), "1235");
	put_plan(&r, "v");
	EQ(4, todo(&r, NULL));
	snprintf(r.program.hash, sizeof(r.program.hash), "1234");
	r.sweep.engine = "slack";
	put_plan(&r, "v");
	EQ(4, todo(&r, NULL));
	rig_close(&r);
}

TEST(store, a_sweep_that_has_changed_takes_the_place_of_the_old_one)
{
	struct store_counts c;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	replan(&r, "five.sweep", "gpu = tiny\nprogram p { run = \"a\" }\n");
	put_plan(&r, "v");
	EQ(ERR_OK, store_count(r.store, "five", &c, &r.d));
	EQ(1, c.points);
	OK(says(&r, "SELECT COUNT(*) FROM setting") == 0);
	OK(says(&r, "SELECT COUNT(*) FROM sweep") == 1);
	rig_close(&r);
}

struct seen {
	int count;
	char text[100];
};

static void note(void *ctx, const char *program, const char *axis,
		 const char *label, const char *reason)
{
	struct seen *s = ctx;

	s->count++;
	snprintf(s->text, sizeof(s->text), "%s|%s|%s|%s", program, axis, label,
		 reason);
}

TEST(store, failures_are_told_with_their_reason)
{
	struct seen s = { 0 };
	struct store_todo t;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	while (todo(&r, &t))
		put(&r, t.key, t.config != 4);
	EQ(ERR_OK, store_failed(r.store, "five", note, &s, &r.d));
	EQ(1, s.count);
	STREQ("p|n|n|it broke", s.text);
	EQ(ERR_UNKNOWN, store_failed(r.store, "six", note, &s, &r.d));
	rig_close(&r);
}

TEST(store, one_process_writes_at_a_time)
{
	struct result_store *other;
	struct diag d;
	struct rig r;

	rig_open(&r);
	EQ(ERR_IO, store_open(&other, r.path, STORE_WRITE, &d));
	OK(strstr(d.text, "another sweep is using it") != NULL);
	store_close(other);
	put_plan(&r, "v");
	EQ(ERR_OK, store_open(&other, r.path, STORE_READ, &d));
	store_close(other);
	rig_close(&r);
}

TEST(store, another_file_is_no_database)
{
	struct result_store *s;
	struct diag d;
	struct rig r;
	FILE *f;

	rig_open(&r);
	store_close(r.store);
	r.store = NULL;
	EQ(ERR_OK, remove(r.path));
	EQ(ERR_IO, store_open(&s, r.path, STORE_READ, &d));
	store_close(s);
	f = fopen(r.path, "w");
	fputs("these are sixteen bytes and some more, but no database", f);
	fclose(f);
	OK(store_open(&s, r.path, STORE_WRITE, &d) != ERR_OK);
	store_close(s);
	OK(store_open(&s, r.path, STORE_READ, &d) != ERR_OK);
	store_close(s);
	rig_close(&r);
}

static double results(struct rig *r)
{
	return says(r, "SELECT COUNT(*) FROM result");
}

/* A process that writes results until it is killed. */
static void write_forever(struct rig *r)
{
	char key[STORE_KEY_SIZE];

	for (unsigned i = 0;; i++) {
		struct sweep_outcome o = outcome(true, i);

		snprintf(key, sizeof(key), "%032u", i);
		if (store_result(r->store, key, &o, &r->d))
			_exit(1);
	}
}

TEST(store, a_writer_that_is_killed_leaves_whole_results)
{
	struct store_todo t;
	double stats = 0;
	struct rig r;

	rig_open(&r);
	put_plan(&r, "v");
	todo(&r, &t);
	put(&r, t.key, true);
	stats = says(&r, "SELECT COUNT(*) FROM stat");
	store_close(r.store);
	r.store = NULL;
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (!reopen(&r))
				write_forever(&r);
			_exit(1);
		}
		for (int k = 0; k < 3000 && results(&r) < 5 * (i + 1); k++)
			usleep(10000);
		usleep(1000 * (unsigned)i);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		EQ(ERR_OK, reopen(&r));
		OK(results(&r) >= 5 * (i + 1));
		OK(says(&r,
			"SELECT MIN(n) FROM (SELECT COUNT(*) AS n FROM "
			"result JOIN stat USING(key) GROUP BY key)") == stats);
		OK(says(&r, "SELECT COUNT(*) FROM stat WHERE key NOT IN "
			    "(SELECT key FROM result)") == 0);
		EQ(3, todo(&r, NULL));
		store_close(r.store);
		r.store = NULL;
	}
	rig_close(&r);
}
