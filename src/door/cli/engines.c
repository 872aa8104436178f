/*
 * heddle engines: compares the engines in speed and results with `serial`.
 * explore/engines.h does the work.
 */
#include "explore/engines.h"

#include <string.h>

#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"

struct engines_options {
	struct engines_request request;
	uint64_t runs;
	const char *json;
	bool quiet;
};

#define AT(field) offsetof(struct engines_options, field)

static const struct opt engines_opts[] = {
	OPT_HEADING("Options:"),
	{ "gpu", 0, "NAME|FILE",
	  "the GPU to simulate, 'heddle gpus' lists them (gtx285)", opt_string,
	  AT(request.gpu) },
	{ NULL, 'o', "KEY=VALUE", "set a parameter of the GPU; may be repeated",
	  opt_words, AT(request.set) },
	{ "engines", 0, "LIST",
	  "names separated by commas (all, with slack:10 and slack:100); "
	  "serial is always included, as the reference",
	  opt_string, AT(request.engines) },
	{ "threads", 0, "N",
	  "host threads of the engines that use several (all cores)",
	  opt_count32, AT(request.threads) },
	{ "runs", 0, "N", "runs of each program by each engine (3)", opt_count,
	  AT(runs) },
	{ "out", 0, "DIR",
	  "keep all files in this folder: results of all runs, JSON, CSV, "
	  "plots as SVG and PNG",
	  opt_string, AT(request.out) },
	{ "json", 0, "FILE", "write all numbers as JSON; - is standard output",
	  opt_string, AT(json) },
	{ "quiet", 'q', NULL, "do not report each run", opt_on, AT(quiet) },
	OPT_END
};

/*
 * The runs
 */

static void on_run_end(void *ctx, const struct engines *e, size_t program,
		       size_t engine, unsigned run, size_t done, size_t all)
{
	const struct engines_options *o = ctx;
	const struct engines_run *r = engines_run_of(e, program, engine, run);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (o->quiet || interrupted())
		return;
	fprintf(stderr, "heddle: %zu of %zu: %s, %s, run %u: ", done, all,
		e->program[program].label, engines_name(e, engine), run + 1);
	if (r->done)
		fprintf(stderr, "%s cycles, %s\n",
			grouped(a, (uint64_t)r->cycles),
			duration(b, r->seconds));
	else
		fputs("failed\n", stderr);
}

static bool on_stop_asked(void *ctx)
{
	(void)ctx;
	return interrupted();
}

static void on_child(void *ctx, pid_t pid)
{
	(void)ctx;
	interrupt_stops_child(pid);
}

/*
 * Results
 */

static bool say_failure(const struct engines *e, size_t program, size_t engine,
			unsigned run)
{
	const struct engines_run *r = engines_run_of(e, program, engine, run);

	if (!r->tried || r->done)
		return false;
	say_error("%s, %s, run %u: %s", e->program[program].label,
		  engines_name(e, engine), run + 1, r->why);
	return true;
}

/* Prints what is wrong with the results; the exit code. */
static int say_failures(const struct engines *e)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < e->program_count; i++) {
		const char *liar = engines_mismatch(e, i);
		bool bad = false;

		for (size_t k = 0; k < engines_runs_of_program(e); k++)
			bad |= say_failure(e, i, k / e->runs,
					   (unsigned)(k % e->runs));
		if (bad && code == EXIT_OK)
			code = EXIT_FAULT;
		if (liar) {
			say_error("a bug in Heddle: %s is an exact engine, but "
				  "its result of %s differs from serial's; "
				  "please report it",
				  liar, e->program[i].label);
			code = EXIT_BUG;
		}
	}
	return code;
}

static enum err engines_write_json(const struct engines *e, const char *path,
				   struct diag *d)
{
	struct outfile f;

	if (outfile_open(&f, path, d))
		return d->code;
	engines_json(e, f.to);
	return outfile_close(&f, ERR_OK, d);
}

static int engines_show(const struct engines *e,
			const struct engines_options *o)
{
	int code = EXIT_OK, failed;
	bool drawn = true;
	struct diag d;

	if (!o->json || strcmp(o->json, "-") != 0)
		engines_print(e, stdout, tint(stdout, TINT_BOLD),
			      tint(stdout, TINT_OFF));
	if ((o->json && engines_write_json(e, o->json, &d)) ||
	    (e->keep && engines_write(e, &drawn, &d)) ||
	    engines_folder_finish(e, interrupted(), &d)) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	}
	if (!drawn)
		fprintf(stderr,
			"heddle: no plots, because gnuplot is not installed; "
			"'gnuplot FILE.gp' in '%s' draws them\n",
			e->folder);
	failed = say_failures(e);
	if (interrupted())
		return interrupt_exit();
	return failed ? failed : code;
}

static int compare_engines(struct engines_options *o, const struct words *lines)
{
	struct engines e = { .host = { o, on_stop_asked, on_child,
				       on_run_end } };
	struct diag d;
	int code = EXIT_INPUT;

	if ((o->json && outfile_check(o->json, &d)) ||
	    engines_open(&e, &o->request, lines, &d)) {
		say_error("%s", d.text);
	} else {
		if (e.load >= 0.5 && !o->quiet)
			fprintf(stderr,
				"heddle: other programs are running (load "
				"%.1f): do not trust the speeds\n",
				e.load);
		engines_run_all(&e);
		code = engines_show(&e, o);
	}
	engines_close(&e);
	return code;
}

static int engines_main(int argc, char **argv)
{
	struct engines_options o = { 0 };
	struct words lines = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_engines, to, argc, argv, &lines);

	if (code < 0 && !lines.count) {
		say_error("no program given");
		fputs("Usage: heddle engines [OPTIONS] PROGRAM...\n"
		      "Try 'heddle engines --help'.\n",
		      stderr);
		code = EXIT_USAGE;
	} else if (code < 0 && o.runs > ENGINES_RUNS) {
		say_error("--runs: expected at most %d", ENGINES_RUNS);
		code = EXIT_USAGE;
	}
	if (code < 0) {
		o.request.runs = (unsigned)o.runs;
		code = compare_engines(&o, &lines);
	}
	words_free(&o.request.set);
	words_free(&lines);
	return code;
}

const struct command cmd_engines = {
	.name = "engines",
	.summary = "Compare the engines: speed and error of the results",
	.usage = "[OPTIONS] PROGRAM...",
	.details =
		"Simulates every PROGRAM with every engine, several times, "
		"each run in its own\nprocess, and prints: speed-up over "
		"'serial'; error of the simulated cycles and\ntheir variation "
		"between runs, of the GPU and of each SM; how far apart blocks\n"
		"end; the instruction mix, and how the host's time was spent. "
		"These are the tables\nand figures of Lee and Ro's paper on "
		"parallel simulation of GPUs;\ndocs/engines.md explains them "
		"and shows theirs.\n\n"
		"A PROGRAM is one for 'heddle exec', or a .cu or .ptx file "
		"for 'heddle run',\nwith its arguments in one word: "
		"'./scan 512'.\n\n"
		"Speed is that of the simulation alone: reading the program "
		"and its own work on\nthe host do not count. Let no other "
		"program run meanwhile. Ctrl-C ends the\ncurrent run and shows "
		"the results so far.\n\n"
		"The exit code is 3 if a program failed; the others are still "
		"compared.\n\n"
		"Examples:\n"
		"  heddle engines './scan 512' './clock 64'\n"
		"  heddle engines --gpu h200 --engines exact,cycle --threads "
		"8 ./bfs\n"
		"  heddle engines --runs 10 --out comparison ./matrix_mul\n"
		"  heddle engines 'saxpy.ptx --grid 80 --block 256 --arg 1000 "
		"...'\n",
	.tables = { engines_opts },
	.run = engines_main,
};
