/* What a program of a sweep comes down to, with a caller that finds nothing. */
#include <string.h>

#include "test.h"

#include "explore/sweep_run.h"

static enum err find_none(void *ctx, char path[PATH_MAX], const char *name,
			  struct diag *d)
{
	(void)ctx, (void)path;
	return fail(d, ERR_UNKNOWN, "no program '%s'", name);
}

static enum err compile_nothing(void *ctx, char **ptx, size_t *size,
				const struct sweep_program *p, unsigned sm,
				struct diag *d)
{
	(void)size, (void)p, (void)sm, (void)d;
	++*(int *)ctx;
	*ptx = NULL;
	return ERR_OK;
}

TEST(sweep_target, an_error_of_the_finder_names_the_program)
{
	const char *words[] = { "./none", "7" };
	struct sweep_program p = { .name = "bfs",
				   .kind = SWEEP_EXEC,
				   .words = words,
				   .word_count = 2 };
	struct target_finder f = { .find = find_none };
	struct sweep_target t = { .path = "" };
	struct sweep s = { .threads = 0 };
	struct diag d;

	EQ(ERR_UNKNOWN, target_prepare(&t, &f, &s, &p, 90, "/tmp", &d));
	STREQ("program 'bfs': no program './none'", d.text);
}

TEST(sweep_target, a_program_that_is_no_source_runs_as_its_command_says)
{
	const char *words[] = { HEDDLE_SOURCE_DIR "/tests/cli/saxpy.ptx",
				"--grid", "8" };
	const char *want[] = { "heddle",   "run",   words[0],    "--quiet",
			       "--gpu",    "a.cfg", "--json",    "a.json",
			       "--engine", "exact", "--threads", "2",
			       "--grid",   "8" };
	struct sweep_program p = { .name = "saxpy",
				   .kind = SWEEP_RUN,
				   .words = words,
				   .word_count = 3 };
	struct sweep s = { .engine = "exact", .threads = 2 };
	int compiled = 0;
	struct target_finder f = { .ctx = &compiled,
				   .compile = compile_nothing };
	struct plan_config k = { .env_count = 0 };
	struct sweep_target t = { .path = "" };
	struct words argv = { 0 };
	struct diag d;

	EQ(ERR_OK, target_prepare(&t, &f, &s, &p, 90, "/tmp", &d));
	EQ(1, compiled);
	EQ(STORE_KEY_SIZE - 1, strlen(t.identity.hash));
	EQ(ERR_OK, target_command(&argv, &s, &p, &t, &k, "heddle", "a.cfg",
				  "a.json", &d));
	EQ(sizeof(want) / sizeof(want[0]) + 1, argv.count);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		STREQ(want[i], argv.at[i]);
	OK(!argv.at[argv.count - 1]);
	words_free(&argv);
}

static bool has_pair(const struct words *w, const char *a, const char *b)
{
	for (size_t i = 0; i + 2 < w->count; i++)
		if (!strcmp(w->at[i], a))
			return !strcmp(w->at[i + 1], b);
	return false;
}

TEST(sweep_target, a_program_on_a_system_has_an_environment)
{
	const char *words[] = { HEDDLE_SOURCE_DIR "/tests/cli/saxpy.ptx", "8" };
	const char *env[] = { "OMP_NUM_THREADS=2", "MODE=fast" };
	const char *varied[] = { "OMP_NUM_THREADS=4" };
	const char *want[] = { "heddle",
			       "system",
			       "--quiet",
			       "--config",
			       "a.cfg",
			       "--json",
			       "a.json",
			       "--root",
			       "data",
			       "--env",
			       "MODE=fast",
			       "--env",
			       "OMP_NUM_THREADS=4",
			       "--",
			       words[0],
			       "8" };
	struct sweep_program p = { .name = "bfs",
				   .kind = SWEEP_SYSTEM,
				   .words = words,
				   .word_count = 2,
				   .env = env,
				   .env_count = 2,
				   .root = "data",
				   .region = -1 };
	struct plan_config k = { .env = varied, .env_count = 1 };
	struct target_finder f = { .ctx = NULL };
	struct sweep_target t = { .path = "" };
	struct sweep s = { .threads = 0 };
	char plain[STORE_KEY_SIZE];
	struct words argv = { 0 };
	struct diag d;

	EQ(ERR_OK, target_prepare(&t, &f, &s, &p, 0, "/tmp", &d));
	EQ(ERR_OK, target_command(&argv, &s, &p, &t, &k, "heddle", "a.cfg",
				  "a.json", &d));
	EQ(sizeof(want) / sizeof(want[0]) + 1, argv.count);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		STREQ(want[i], argv.at[i]);
	words_free(&argv);
	/* All of that makes it another program. */
	memcpy(plain, t.identity.hash, sizeof(plain));
	p.region = 1;
	EQ(ERR_OK, target_prepare(&t, &f, &s, &p, 0, "/tmp", &d));
	OK(strcmp(plain, t.identity.hash) != 0);
	p.region = -1;
	p.env_count = 1;
	EQ(ERR_OK, target_prepare(&t, &f, &s, &p, 0, "/tmp", &d));
	OK(strcmp(plain, t.identity.hash) != 0);
}

TEST(sweep_target, the_instruction_set_is_passed_on_and_identifies)
{
	const char *words[] = { HEDDLE_SOURCE_DIR "/tests/cli/saxpy.ptx" };
	struct sweep_program p = { .name = "saxpy",
				   .kind = SWEEP_RUN,
				   .words = words,
				   .word_count = 1 };
	struct sweep s = { .threads = 0 };
	int compiled = 0;
	struct target_finder f = { .ctx = &compiled,
				   .compile = compile_nothing };
	struct plan_config k = { .env_count = 0 };
	struct sweep_target t = { .path = "" };
	struct words argv = { 0 };
	char plain[STORE_KEY_SIZE];
	struct diag d;

	EQ(ERR_OK, target_prepare(&t, &f, &s, &p, 80, "/tmp", &d));
	memcpy(plain, t.identity.hash, sizeof(plain));
	p.isa = "sass";
	EQ(ERR_OK, target_prepare(&t, &f, &s, &p, 80, "/tmp", &d));
	OK(strcmp(plain, t.identity.hash) != 0);
	EQ(ERR_OK, target_command(&argv, &s, &p, &t, &k, "heddle", "a.cfg",
				  "a.json", &d));
	OK(has_pair(&argv, "--isa", "sass"));
	/* A trace of machine code is recorded for the baseline's GPU, and holds
	 * it. */
	EQ(ERR_OK, target_record(&argv, &t, &p, "heddle", "a.cfg", "/tmp", &d));
	OK(has_pair(&argv, "--isa", "sass") && has_pair(&argv, "--sm", "80"));
	EQ(ERR_OK, target_command(&argv, &s, &p, &t, &k, "heddle", "a.cfg",
				  "a.json", &d));
	OK(!has_pair(&argv, "--isa", "sass"));
	t.trace[0] = '\0';
	p.kind = SWEEP_EXEC;
	EQ(ERR_OK, target_record(&argv, &t, &p, "heddle", "a.cfg", "/tmp", &d));
	OK(has_pair(&argv, "--isa", "sass") &&
	   has_pair(&argv, "--gpu", "a.cfg"));
	words_free(&argv);
}

TEST(sweep_target, the_database_is_named_after_the_file)
{
	char path[PATH_MAX];
	struct diag d;

	EQ(ERR_OK, sweep_database_path(path, NULL, "some/l2.sweep", &d));
	STREQ("l2.db", path);
	EQ(ERR_OK, sweep_database_path(path, "x/all.db", "l2.sweep", &d));
	STREQ("x/all.db", path);
}
