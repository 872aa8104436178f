#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore/sweep_file.h"

#define KEY "0123456789abcdef0123456789abcdef"

static void folder_open(char folder[64])
{
	char results[80];

	snprintf(folder, 64, "/tmp/heddle_sweep_XXXXXX");
	OK(mkdtemp(folder) != NULL);
	snprintf(results, sizeof(results), "%s/" SWEEP_RESULTS, folder);
	EQ(0, mkdir(results, 0777));
}

static void folder_close(const char *folder)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	EQ(0, system(command));
}

TEST(sweep_file, a_result_comes_back_as_it_was)
{
	struct sweep_outcome o = { .ok = true,
				   .cycles = 5144,
				   .gpu_seconds = 5.144e-06,
				   .host_seconds = 0.00932557900523534,
				   .warp_instructions = 6316,
				   .launches = 2,
				   .engine = "serial",
				   .code = "sass sm_90" };
	struct sweep_outcome back;
	char folder[64];
	struct diag d;

	o.stats.l2.reads = UINT64_C(1) << 60;
	o.stats.gpu.cycles = 5144;
	o.stats.reason[REASON_LAUNCH] = 7;
	o.stats.unit[1] = 3;
	snprintf(o.reason, sizeof(o.reason), "a \"word\", \xc3\xa9");
	folder_open(folder);
	OK(!sweep_result_exists(folder, KEY));
	EQ(ERR_UNKNOWN, sweep_result_read(&back, folder, KEY, &d));
	EQ(ERR_OK, sweep_result_write(folder, KEY, &o, &d));
	OK(sweep_result_exists(folder, KEY));
	EQ(ERR_OK, sweep_result_read(&back, folder, KEY, &d));
	OK(back.ok && back.cycles == o.cycles && back.launches == 2 &&
	   back.gpu_seconds == o.gpu_seconds &&
	   back.host_seconds == o.host_seconds &&
	   back.warp_instructions == o.warp_instructions);
	STREQ(o.reason, back.reason);
	STREQ(o.engine, back.engine);
	STREQ(o.code, back.code);
	EQ(0, memcmp(&o.stats, &back.stats, sizeof(o.stats)));
	sweep_result_remove(folder, KEY);
	OK(!sweep_result_exists(folder, KEY));
	folder_close(folder);
}

TEST(sweep_file, so_does_that_of_a_program_on_a_system)
{
	static struct sweep_outcome o, back;
	char folder[64];
	struct diag d;

	o = (struct sweep_outcome){ .ok = true, .cycles = 7 };
	o.system.is = true;
	o.system.cpu.instructions = 12345678901;
	o.system.cpu.load = 9;
	o.system.cgm.l1d.hits = 77;
	o.system.cgm.memory.row_hits = 3;
	o.system.more[0] =
		(struct outcome_value){ "region.1.nanoseconds", 12.5 };
	o.system.mores = 1;
	folder_open(folder);
	EQ(ERR_OK, sweep_result_write(folder, KEY, &o, &d));
	EQ(ERR_OK, sweep_result_read(&back, folder, KEY, &d));
	EQ(true, back.system.is);
	EQ(0, memcmp(&o.system.cpu, &back.system.cpu, sizeof(o.system.cpu)));
	EQ(0, memcmp(&o.system.cgm, &back.system.cgm, sizeof(o.system.cgm)));
	EQ(1, back.system.mores);
	STREQ("region.1.nanoseconds", back.system.more[0].name);
	OK(back.system.more[0].value == 12.5);
	folder_close(folder);
}

/* A file of that text in the folder. */
static void put(const char *folder, const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	OK(f && fputs(text, f) >= 0 && !fclose(f));
}

TEST(sweep_file, a_result_that_is_not_whole_is_an_error)
{
	struct sweep_outcome back;
	char folder[64];
	struct diag d;

	folder_open(folder);
	put(folder, SWEEP_RESULTS "/" KEY ".json", "{\"ok\": true, \"cyc");
	EQ(ERR_SYNTAX, sweep_result_read(&back, folder, KEY, &d));
	put(folder, SWEEP_RESULTS "/" KEY ".json",
	    "{\"ok\": true, \"stats\": {\"gpu.cycles\": 1}}");
	EQ(ERR_SYNTAX, sweep_result_read(&back, folder, KEY, &d));
	OK(strstr(d.text, "was written by another version") != NULL);
	folder_close(folder);
}

TEST(sweep_file, points_come_back_with_every_word)
{
	const char *words[] = { "/a b/heddle", "run", "it's \"x\"\n", "",
				NULL };
	struct sweep_job job = { KEY, "0.1+2", words, 1.5, 7 }, *jobs;
	struct arena a = { 0 };
	char folder[64], path[100];
	struct diag d;
	size_t n;
	FILE *f;

	folder_open(folder);
	EQ(ERR_IO, sweep_jobs_read(&jobs, &n, &a, folder, &d));
	snprintf(path, sizeof(path), "%s/" SWEEP_POINTS, folder);
	f = fopen(path, "w");
	for (int i = 0; i < 100; i++)
		EQ(ERR_OK, sweep_job_write(f, &job, &d));
	EQ(0, fclose(f));
	EQ(ERR_OK, sweep_jobs_read(&jobs, &n, &a, folder, &d));
	EQ(100, n);
	STREQ(KEY, jobs[99].key);
	STREQ("0.1+2", jobs[99].version);
	OK(jobs[99].timeout == 1.5);
	for (int i = 0; i < 5; i++)
		STREQ(words[i], jobs[99].argv[i]);
	put(folder, SWEEP_POINTS, "{\"key\": \"../x\", \"argv\": [\"a\"]}\n");
	EQ(ERR_SYNTAX, sweep_jobs_read(&jobs, &n, &a, folder, &d));
	put(folder, SWEEP_POINTS, "{\"key\": \"" KEY "\", \"argv\": []}\n");
	EQ(ERR_SYNTAX, sweep_jobs_read(&jobs, &n, &a, folder, &d));
	arena_free(&a);
	folder_close(folder);
}
