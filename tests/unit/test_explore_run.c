#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/run.h"
#include "explore/view.h"

/* A run whose file is this text. */
static enum err reads(struct run_result *r, const char *text, struct diag *d)
{
	char path[] = "/tmp/heddle-run-XXXXXX";
	int fd = mkstemp(path);
	enum err e;

	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	e = run_read(r, path, d);
	unlink(path);
	return e;
}

#define HEAD \
	"{\"heddle\": \"0.1.0\", \"program\": \"a.cu\", \"kernel\": \"k\", "
#define TIME "\"gpu\": \"tiny\", \"cycles\": 100, \"clock_mhz\": 1000, "

TEST(explore_run, counters_keep_every_digit)
{
	struct run_result r;
	struct diag d;

	EQ(ERR_OK,
	   reads(&r,
		 HEAD
		 "\"grid\": [2, 3], \"timing\": {" TIME
		 "\"stats\": {\"l2\": {\"reads\": 18446744073709551615, "
		 "\"writes\": 9007199254740993}, \"unit\": {\"fp32\": 7}}, "
		 "\"config\": {\"sm.count\": 3, \"l1.on\": false, "
		 "\"dram.bandwidth\": 0.10000000000000001, "
		 "\"gpu.name\": \"it \"}}}",
		 &d));
	EQ(UINT64_MAX, r.launches[0].stats.l2.reads);
	EQ(UINT64_C(9007199254740993), r.launches[0].stats.l2.writes);
	EQ(7, r.launches[0].stats.unit[1]);
	EQ(3, r.devices[0].cfg.sm.count);
	EQ(false, r.devices[0].cfg.l1.on);
	EQ(true, r.devices[0].cfg.dram.bandwidth == 0.1);
	STREQ("it ", r.devices[0].cfg.gpu.name);
	EQ(2, r.launches[0].grid[0]);
	EQ(1, r.launches[0].grid[2]);
	EQ(true, r.launches[0].seconds == 1e-7);
	run_free(&r);
}

TEST(explore_run, a_launch_beside_others_has_statistics_of_its_own)
{
	struct run_result r;
	struct diag d;

	EQ(ERR_OK, reads(&r,
			 HEAD "\"launches_at_once\": 2, \"timing\": {" TIME
			      "\"kernel_cycles\": 60, "
			      "\"stats\": {\"l2\": {\"reads\": 2}}, "
			      "\"group_stats\": {\"l2\": {\"reads\": 7}, "
			      "\"reason\": {\"issued\": 5, \"luck\": 3}}, "
			      "\"config\": {}}}",
			 &d));
	EQ(true, r.launches[0].own_known);
	EQ(2, r.launches[0].own.l2.reads);
	EQ(7, r.launches[0].stats.l2.reads);
	EQ(5, r.launches[0].stats.reason[REASON_ISSUED]);
	EQ(0, r.launches[0].own.reason[REASON_ISSUED]);
	EQ(1, r.launches[0].other_count);
	EQ(1, r.unknown);
	EQ(60, r.launches[0].cycles);
	EQ(100, r.launches[0].group_cycles);
	run_free(&r);
	/* As older versions have written it. */
	EQ(ERR_OK, reads(&r,
			 HEAD "\"launches_at_once\": 2, \"timing\": {" TIME
			      "\"stats\": {\"l2\": {\"reads\": 7}}, "
			      "\"config\": {}}}",
			 &d));
	EQ(false, r.launches[0].own_known);
	EQ(7, r.launches[0].stats.l2.reads);
	run_free(&r);
}

TEST(explore_run, what_this_version_does_not_know_is_counted)
{
	struct run_result r;
	struct diag d;

	EQ(ERR_OK, reads(&r,
			 HEAD "\"timing\": {" TIME
			      "\"stats\": {\"l9\": {\"reads\": 1}, \"l2\": "
			      "{\"reads\": 2, \"wishes\": 3}}, "
			      "\"config\": {\"l9.ways\": 2}}}",
			 &d));
	EQ(3, r.unknown);
	EQ(2, r.launches[0].stats.l2.reads);
	EQ(true, r.missing > 100);
	run_free(&r);
}

TEST(explore_run, an_old_run_with_undivided_slots_is_known_as_such)
{
	static const char text[] = HEAD
		"\"timing\": {" TIME
		"\"stats\": {\"sm\": {\"bank_conflicts\": 3}, "
		"\"reason\": {\"memory\": 2, \"%s\": 98}}, \"config\": {}}}";
	char filled[512];
	struct run_result r;
	struct diag d;

	snprintf(filled, sizeof(filled), text, "empty");
	EQ(ERR_OK, reads(&r, filled, &d));
	EQ(true, r.undivided);
	EQ(1, r.unknown);
	EQ(3, r.launches[0].stats.sm.register_conflicts);
	EQ(2, r.launches[0].stats.reason[REASON_MEMORY]);
	EQ(0, r.launches[0].stats.reason[REASON_LAUNCH]);
	run_free(&r);
	snprintf(filled, sizeof(filled), text, "launch");
	EQ(ERR_OK, reads(&r, filled, &d));
	EQ(false, r.undivided);
	EQ(0, r.unknown);
	EQ(98, r.launches[0].stats.reason[REASON_LAUNCH]);
	run_free(&r);
}

TEST(explore_run, slots_are_kept_whatever_their_reason_is_called)
{
	struct run_result r;
	struct diag d;

	EQ(ERR_OK,
	   reads(&r,
		 HEAD "\"timing\": {" TIME
		      "\"stats\": {\"reason\": {\"issued\": 1, \"vacant\": 2, "
		      "\"idle\": 3}}, \"config\": {}}}",
		 &d));
	EQ(1, r.launches[0].stats.reason[REASON_ISSUED]);
	EQ(2, r.launches[0].other_count);
	STREQ("vacant", r.launches[0].others[0].name);
	EQ(2, r.launches[0].others[0].n);
	STREQ("idle", r.launches[0].others[1].name);
	EQ(3, r.launches[0].others[1].n);
	run_free(&r);
}

TEST(explore_run, what_is_no_run_is_refused)
{
	struct run_result r;
	struct diag d;

	EQ(ERR_SYNTAX, reads(&r, "{}", &d));
	run_free(&r);
	EQ(ERR_SYNTAX, reads(&r, HEAD "\"timing\": null}", &d));
	run_free(&r);
	EQ(ERR_SYNTAX, reads(&r, HEAD "\"timing\": {}}", &d));
	run_free(&r);
	EQ(ERR_RANGE, reads(&r,
			    HEAD "\"timing\": {\"config\": "
				 "{\"sm.count\": 0}}}",
			    &d));
	run_free(&r);
	EQ(ERR_IO, run_read(&r, "/nowhere/run.json", &d));
	run_free(&r);
}

TEST(explore_run, many_intervals_are_joined_and_lose_nothing)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct run_result r;
	struct diag d;
	uint64_t sum = 0, at = 0;

	fputs(HEAD "\"timing\": {" TIME "\"config\": {}, \"intervals\": [", f);
	for (int i = 0; i < 1300; i++)
		fprintf(f,
			"%s{\"from\": %d, \"to\": %d, \"stats\": {\"sm\": "
			"{\"instructions\": %d}}}",
			i ? "," : "", 10 * i, 10 * i + 10, i);
	fputs("]}}", f);
	fclose(f);
	EQ(ERR_OK, reads(&r, text, &d));
	free(text);
	EQ(1300, r.launches[0].samples_read);
	EQ(true, r.launches[0].sample_count <= RUN_SAMPLES);
	for (size_t i = 0; i < r.launches[0].sample_count; i++) {
		const struct run_sample *s = &r.launches[0].samples[i];

		EQ(at, s->from);
		at = s->to;
		sum += s->stats.sm.instructions;
	}
	EQ(13000, at);
	EQ(1299 * 1300 / 2, sum);
	run_free(&r);
}

TEST(explore_run, of_a_trace_the_sum_of_its_launches_counts)
{
	static const char text[] = HEAD
		"\"timing\": {" TIME
		"\"config\": {}, \"stats\": {\"l2\": {\"reads\": 1}}}, "
		"\"trace\": {\"launches\": 2, \"cycles\": 500, "
		"\"launch\": [{\"number\": 4, \"kernel\": \"a\", "
		"\"cycles\": 400, \"gpu_seconds\": 4e-7}, "
		"{\"number\": 5, \"kernel\": \"b\", \"cycles\": 100}]%s}}";
	char filled[1024];
	struct run_result r;
	struct diag d;

	snprintf(filled, sizeof(filled), text,
		 ", \"stats\": {\"l2.reads\": 9, \"l9.reads\": 1, "
		 "\"reason.vacant\": 6}");
	EQ(ERR_OK, reads(&r, filled, &d));
	EQ(true, r.traced_sums);
	EQ(2, r.traced_count);
	STREQ("a", r.traced[0].kernel);
	EQ(9, r.launches[0].stats.l2.reads);
	EQ(500, r.launches[0].cycles);
	EQ(2, r.unknown);
	EQ(1, r.launches[0].other_count);
	STREQ("vacant", r.launches[0].others[0].name);
	EQ(6, r.launches[0].others[0].n);
	run_free(&r);
	snprintf(filled, sizeof(filled), text, "");
	EQ(ERR_OK, reads(&r, filled, &d));
	EQ(false, r.traced_sums);
	EQ(1, r.launches[0].stats.l2.reads);
	run_free(&r);
}

/* ---- folders ---- */

/* A folder with these files: a name, a text, ... NULL; removed by the caller. */
static void make_folder(char path[64], const char *const *files)
{
	char name[128];

	snprintf(path, 64, "/tmp/heddle-folder-XXXXXX");
	CHECK(mkdtemp(path));
	for (; *files; files += 2) {
		FILE *f;

		snprintf(name, sizeof(name), "%s/%s", path, files[0]);
		f = fopen(name, "w");
		CHECK(f && fputs(files[1], f) >= 0 && !fclose(f));
	}
}

static enum err reads_folder(struct run_result *r, const char *const *files,
			     struct diag *d)
{
	static char path[64];
	char command[100];
	enum err e;

	make_folder(path, files);
	e = run_read(r, path, d);
	snprintf(command, sizeof(command), "rm -r %s", path);
	EQ(0, system(command));
	return e;
}

#define LAUNCH                                                                 \
	"{\"launch\": 1, \"kernel\": \"k\", \"device\": 0, \"timing\": {" TIME \
	"\"stats\": {}}}"

TEST(explore_run, an_unfinished_folder_is_called_so_and_shows_what_it_has)
{
	const char *const killed[] = { "INCOMPLETE",
				       "The program was killed.\n",
				       "gpu-0.cfg",
				       "sm.count = 3\n",
				       "launch-000001.json",
				       LAUNCH,
				       NULL };
	/* Of one process of several. */
	const char *const process[] = {
		"program.json.tmp",   "",     "gpu-0.cfg", "",
		"launch-000001.json", LAUNCH, NULL
	};
	struct run_result r;
	struct diag d;

	EQ(ERR_OK, reads_folder(&r, killed, &d));
	STREQ("The program was killed.", r.incomplete);
	EQ(1, r.timed_count);
	EQ(3, r.devices[0].cfg.sm.count);
	EQ(ERR_FAULT, run_check_complete(&r, &d));
	OK(strstr(d.text, "' is incomplete: The program was killed.") != NULL);
	run_free(&r);
	EQ(ERR_OK, reads_folder(&r, process, &d));
	STREQ("The process ended before its results were written.",
	      r.incomplete);
	run_free(&r);
}

TEST(explore_run, an_unfinished_folder_with_nothing_in_it_says_why)
{
	const char *const no_launch[] = { "INCOMPLETE",
					  "The run has not ended.\n",
					  "gpu-0.cfg", "", NULL };
	const char *const nothing[] = { "INCOMPLETE", "", NULL };
	const char *const other[] = { "notes", "", NULL };
	struct run_result r;
	struct diag d;

	EQ(ERR_FAULT, reads_folder(&r, no_launch, &d));
	OK(strstr(d.text,
		  "' is incomplete and has no timed launch: The run has "
		  "not ended.") != NULL);
	run_free(&r);
	EQ(ERR_FAULT, reads_folder(&r, nothing, &d));
	OK(strstr(d.text, "' is incomplete and has no GPU: The run has not "
			  "ended.") != NULL);
	run_free(&r);
	EQ(ERR_IO, reads_folder(&r, other, &d));
	OK(strstr(d.text, "program.json") != NULL);
	run_free(&r);
}

/* ---- views ---- */

static struct run_launch launch(const char *kernel, uint64_t cycles)
{
	return (struct run_launch){ .kernel = kernel,
				    .timed = true,
				    .at_once = 1,
				    .cycles = cycles,
				    .group_cycles = cycles,
				    .mhz = 1,
				    .stats = { .l2 = { .reads = cycles } } };
}

TEST(explore_run, launches_that_ran_together_count_once)
{
	struct run_launch l[4] = { launch("a", 10), launch("b", 20),
				   launch("b", 20), launch("a", 5) };
	struct run_device dev = { .gpu = "" };
	struct run_result r = { .devices = &dev,
				.device_count = 1,
				.launches = l,
				.launch_count = 4 };
	struct arena a = { 0 };
	struct view_list k;
	struct run_view v;
	struct diag d;

	l[1].at_once = l[2].at_once = 2;
	l[2].place = 1;
	EQ(ERR_OK, view_of(&v, &a, &r, 0, NULL, &d));
	EQ(4, v.launches);
	EQ(35, v.s.l2.reads);
	EQ(true, v.cycles == 35);
	EQ(ERR_OK, view_kernels(&k, &a, &r, 0, &d));
	EQ(2, k.count);
	STREQ("a", k.at[0].name);
	EQ(15, k.at[0].s.l2.reads);
	STREQ("b", k.at[1].name);
	EQ(2, k.at[1].together);
	EQ(0, k.at[1].s.l2.reads);
	arena_free(&a);
}

TEST(explore_run, lines_of_several_launches_are_joined)
{
	struct run_line lines[2][2] = {
		{ { .file = "f", .line = 1, .instruction = "x", .waited = 5 },
		  { .file = "f", .line = 2, .instruction = "y", .waited = 4 } },
		{ { .file = "f", .line = 2, .instruction = "z", .waited = 8 },
		  { .file = "g", .line = 1, .instruction = "w", .waited = 1 } },
	};
	struct run_launch l[2] = { launch("a", 10), launch("a", 20) };
	struct run_device dev = { .gpu = "" };
	struct run_result r = { .devices = &dev,
				.device_count = 1,
				.launches = l,
				.launch_count = 2 };
	struct arena a = { 0 };
	struct run_view v;
	struct diag d;

	for (int i = 0; i < 2; i++) {
		l[i].lines = lines[i];
		l[i].line_count = 2;
	}
	EQ(ERR_OK, view_of(&v, &a, &r, 0, NULL, &d));
	EQ(3, v.line_count);
	EQ(18, v.waited);
	EQ(2, v.lines[0].line);
	EQ(12, v.lines[0].waited);
	STREQ("z", v.lines[0].instruction);
	arena_free(&a);
}
