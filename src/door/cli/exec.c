/*
 * heddle exec: runs a CUDA or OpenCL program, unchanged, on simulated GPUs. It passes all
 * options in the environment, starts the program, and marks the folder of
 * results as incomplete if the program fails.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door/cli/clang.h"
#include "door/cli/commands.h"
#include "door/cli/exec_child.h"
#include "door/cli/exec_files.h"
#include "door/cli/exec_program.h"
#include "door/cli/text.h"
#include "door/cli/trace.h"
#include "door/common/results.h"
#include "door/common/sources.h"
#include "door/rt/select.h"
#include "door/rt/settings.h"
#include "explore/machine.h"

/*
 * Each option sets a variable; docs/cuda.md explains the variables.
 *
 *   id, name, letter, value (NULL: a switch), variable, separator of several
 *   values (0: the last one counts), help
 */
#define EXEC_OPTIONS(X)                                                        \
	X(GPU, "gpu", 0, "NAME|FILE", "HEDDLE_GPU", ',',                       \
	  "time launches on this GPU: a name ('heddle gpus' lists them) or a " \
	  "file; several, separated by commas or repeated, are several "       \
	  "devices")                                                           \
	X(DEVICES, "devices", 0, "N", "HEDDLE_DEVICES", 0,                     \
	  "number of devices of that GPU")                                     \
	X(SET, "set", 'o', "KEY=VALUE", "HEDDLE_SET", ';',                     \
	  "set a parameter of the GPUs; may be repeated")                      \
	X(FUNCTIONAL, "functional", 0, NULL, "HEDDLE_FUNCTIONAL", 0,           \
	  "compute results only, no times; the default without --gpu")         \
	X(ISA, "isa", 0, "auto|sass|ptx", "HEDDLE_ISA", 0,                     \
	  "which of the program's code runs: what a driver takes, machine "    \
	  "code that fits the GPU, else PTX (auto, the default); machine "     \
	  "code, which ptxas makes of PTX where there is none (sass); PTX "    \
	  "(ptx)")                                                             \
	X(ENGINE, "engine", 0, "NAME", "HEDDLE_ENGINE", 0,                     \
	  "how to simulate timed launches: serial (one thread), exact "        \
	  "(several) or cycle (several, in step every cycle), which give the " \
	  "same result; slack:K (slack:10, ...) or workgroup, which do not")   \
	X(PIN, "pin", 0, NULL, "HEDDLE_PIN", 0,                                \
	  "pin each of these threads to a core")                               \
	X(THREADS, "threads", 0, "N", "HEDDLE_THREADS", 0,                     \
	  "host threads (all cores; 1 for timed launches)")                    \
	X(HOST_TIME, "host-time", 0, NULL, "HEDDLE_HOST_TIME", 0,              \
	  "report in the results how the host's time was spent; a few "        \
	  "percent slower")                                                    \
	X(KERNELS, "kernels", 0, "SPEC", "HEDDLE_KERNELS", ',',                \
	  "which launches to time: 3, 3-7, 5-, NAME, NAME*, NAME:N, first:N, " \
	  "none; of the others only results are computed")                     \
	X(COLD, "cold", 0, NULL, "HEDDLE_COLD", 0,                             \
	  "start every launch with empty caches, as profilers measure")        \
	X(HAZARDS, "hazards", 0, NULL, "HEDDLE_HAZARDS", 0,                    \
	  "machine code: report registers that are read before they are "      \
	  "written; slower")                                                   \
	X(MAX_CYCLES, "max-cycles", 0, "N", "HEDDLE_MAX_CYCLES", 0,            \
	  "end a timed launch after this many cycles; the program sees an "    \
	  "error")                                                             \
	X(TIMEOUT, "timeout", 0, "SECONDS", "HEDDLE_TIMEOUT", 0,               \
	  "end a launch, timed or not, after this many seconds of the host")   \
	X(OUT, "out", 0, "DIR", "HEDDLE_OUT", 0,                               \
	  "write results to this folder: JSON for each launch and for the "    \
	  "program")                                                           \
	X(SOURCE, "source", 0, "DIR", "HEDDLE_SOURCE", ':',                    \
	  "also show lines of sources below this folder in the results; may "  \
	  "be repeated (the program's folder)")                                \
	X(INTERVAL, "interval", 0, "N", "HEDDLE_INTERVAL", 0,                  \
	  "of --csv and --timeline: values over time, for every N cycles")     \
	X(CSV, "csv", 0, "FILE", "HEDDLE_CSV", 0,                              \
	  "write all statistics as CSV, a row for each timed launch, or for "  \
	  "each interval")                                                     \
	X(TIMELINE, "timeline", 0, "FILE", "HEDDLE_TIMELINE", 0,               \
	  "write launches, blocks, warps and their waits for "                 \
	  "ui.perfetto.dev; slower")                                           \
	X(LIMIT, "timeline-limit", 0, "N", "HEDDLE_TIMELINE_LIMIT", 0,         \
	  "maximum number of events of the timeline (2,000,000)")              \
	X(RECORD, "record", 0, "FILE", "HEDDLE_TRACE", 0,                      \
	  "record a trace of all launches and copies, to be timed later on "   \
	  "any GPU: heddle run FILE")                                          \
	X(MEMORY, "memory", 0, "MODE", "HEDDLE_MEMORY", 0,                     \
	  "what accesses outside of allocations do: as on a GPU, which does "  \
	  "not notice them in mapped pages of 2 MiB, with a warning for each " \
	  "line (hardware, the default), or fault (strict)")                   \
	X(QUIET, "quiet", 'q', NULL, "HEDDLE_QUIET", 0,                        \
	  "print only errors to standard error")

enum {
#define X(id, name, letter, value, variable, join, help) OPTION_##id,
	EXEC_OPTIONS(X)
#undef X
		OPTIONS
};

struct exec_options {
	struct words given[OPTIONS]; /* a switch gives one that is NULL */
};

/* clang-format off */
static const struct opt exec_opts[] = {
	OPT_HEADING("Options:"),
#define X(id, name, letter, value, variable, join, help) \
	{ name, letter, value, help, opt_words, \
	  offsetof(struct exec_options, given[OPTION_##id]) },
	EXEC_OPTIONS(X)
#undef X
	OPT_END
};
/* clang-format on */

static const struct {
	const char *option, *variable;
	char join;
} targets[OPTIONS] = {
#define X(id, name, letter, value, variable, join, help) \
	[OPTION_##id] = { name, variable, join },
	EXEC_OPTIONS(X)
#undef X
};

/* The value of the variable, malloc'ed. */
static char *join_values(const struct words *w, char separator)
{
	size_t first = separator ? 0 : w->count - 1, size = 2;
	char *text;

	for (size_t i = first; i < w->count; i++)
		size += w->at[i] ? strlen(w->at[i]) + 1 : 0;
	text = malloc(size);
	if (!text)
		return NULL;
	text[0] = '\0';
	for (size_t i = first; i < w->count; i++) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, "%.*s%s", i > first,
			 &separator, w->at[i] ? w->at[i] : "1");
	}
	return text;
}

/* Options whose variables take 0 for "not given". */
static bool exec_is_count(int option)
{
	return option == OPTION_DEVICES || option == OPTION_THREADS ||
	       option == OPTION_MAX_CYCLES || option == OPTION_INTERVAL ||
	       option == OPTION_LIMIT;
}

static enum err exec_check_value(int option, const char *text, struct diag *d)
{
	if (!text[0])
		return fail(d, ERR_SYNTAX, "--%s: expected a value",
			    targets[option].option);
	if (exec_is_count(option) && !text[strspn(text, "0")])
		return fail(d, ERR_RANGE,
			    "--%s %.40s: expected a number of at least 1",
			    targets[option].option, text);
	return ERR_OK;
}

/* Names the option that was given in place of its variable, which a message
 * about settings starts with: VARIABLE: or VARIABLE=VALUE. */
static void exec_name_option(const struct exec_options *o, struct diag *d)
{
	for (int i = 0; i < OPTIONS; i++) {
		size_t n = strlen(targets[i].variable);
		struct diag old = *d;

		if (!o->given[i].count ||
		    strncmp(old.text, targets[i].variable, n) != 0)
			continue;
		if (old.text[n] == '=')
			fail(d, old.code, "--%s %.440s", targets[i].option,
			     old.text + n + 1);
		else if (old.text[n] == ':')
			fail(d, old.code, "--%s%.440s", targets[i].option,
			     old.text + n);
	}
}

static enum err set_variables(const struct exec_options *o, struct diag *d)
{
	for (int i = 0; i < OPTIONS; i++) {
		const struct words *w = &o->given[i];
		char *text = w->count ? join_values(w, targets[i].join) : NULL;
		enum err e = text ? exec_check_value(i, text, d) : ERR_OK;
		int failed = w->count &&
			     (!text || setenv(targets[i].variable, text, 1));

		free(text);
		if (e)
			return e;
		if (failed)
			return fail(d, ERR_NOMEM, "out of memory");
	}
	return ERR_OK;
}

/* Checks the folders of sources, and passes absolute names: the program may
 * change its folder. */
static enum err exec_set_sources(const struct exec_options *o, struct diag *d)
{
	const struct words *w = &o->given[OPTION_SOURCE];
	struct sources s = { 0 };
	enum err e = ERR_OK;
	char *list;

	for (size_t i = 0; !e && i < w->count; i++) {
		e = sources_add(&s, w->at[i], d);
		if (!e && strchr(s.folders[i], ':'))
			e = fail(d, ERR_RANGE,
				 "--source %.200s: a colon in the name of a "
				 "folder separates two",
				 w->at[i]);
	}
	list = e || !w->count ? NULL : sources_list(&s);
	if (list && setenv(targets[OPTION_SOURCE].variable, list, 1))
		e = fail(d, ERR_NOMEM, "out of memory");
	free(list);
	sources_free(&s);
	return e;
}

/* Finds mistakes that the program would only meet at its first call. */
static enum err check_settings(struct settings *s, struct diag *d)
{
	const char *wrong;

	if (settings_read(s, d))
		return d->code;
	for (int i = 0; i < s->gpu_count; i++) {
		struct cfg_sheet sheet;
		enum err e;

		cfg_sheet_init(&sheet);
		e = machine_load(&sheet, s->gpus[i],
				 (const char *const *)s->set, s->set_count, d);
		cfg_sheet_free(&sheet);
		if (e)
			return e;
	}
	wrong = select_open(s->kernels);
	return wrong ? fail(d, ERR_SYNTAX, "HEDDLE_KERNELS: %s", wrong) :
		       ERR_OK;
}

/* Refuses options that would have no effect. */
static int exec_check_use(const struct exec_options *o,
			  const struct settings *s)
{
	const char *vain = o->given[OPTION_KERNELS].count    ? "--kernels" :
			   o->given[OPTION_MAX_CYCLES].count ? "--max-cycles" :
			   o->given[OPTION_HOST_TIME].count  ? "--host-time" :
			   o->given[OPTION_COLD].count       ? "--cold" :
			   o->given[OPTION_HAZARDS].count    ? "--hazards" :
			   o->given[OPTION_CSV].count        ? "--csv" :
			   o->given[OPTION_TIMELINE].count   ? "--timeline" :
							       NULL;

	if (o->given[OPTION_INTERVAL].count && !s->csv && !s->timeline) {
		say_error("--interval needs --csv or --timeline");
		return EXIT_USAGE;
	}
	if (o->given[OPTION_LIMIT].count && !s->timeline) {
		say_error("--timeline-limit needs --timeline");
		return EXIT_USAGE;
	}
	if (!s->functional || !vain)
		return -1;
	say_error("%s needs timed launches: --gpu%s", vain,
		  o->given[OPTION_FUNCTIONAL].count ? " without --functional" :
						      "");
	return EXIT_USAGE;
}

static void say_about(const struct exec_program *p, bool quiet)
{
	if (p->no_platform)
		say_error(
			"'%s' uses OpenCL, for which this build of Heddle has "
			"no library; install opencl-headers and "
			"ocl-icd-opencl-dev, and build it again",
			p->path);
	else if (p->missing[0])
		say_error("'%s' needs %s, which Heddle does not provide; the "
			  "system's is used, if there is one",
			  p->path, p->missing);
	else if (p->kernels && !p->cudart && !quiet)
		fprintf(stderr,
			"heddle: '%s' is not linked with the shared CUDA "
			"runtime; unless it uses only the driver API, relink "
			"it with 'nvcc -cudart shared'\n",
			p->path);
}

/* Says in one line why the folder is incomplete; "": it is complete. */
static void judge_results(char *why, size_t size, const struct results *r,
			  int status)
{
	unsigned taken, completed;

	results_count(r, &taken, &completed);
	why[0] = '\0';
	if (WIFSIGNALED(status))
		snprintf(why, size, "The program was killed by signal %d (%s).",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (!taken)
		snprintf(why, size,
			 "The program ended with exit status %d and did not "
			 "use CUDA or OpenCL through Heddle.",
			 WEXITSTATUS(status));
	else if (completed < taken && taken == 1)
		snprintf(why, size,
			 "The program ended with exit status %d before its "
			 "results were written.",
			 WEXITSTATUS(status));
	else if (completed < taken)
		snprintf(why, size,
			 "The program ended with exit status %d; %u of its %u "
			 "processes ended before their results were written.",
			 WEXITSTATUS(status), taken - completed, taken);
}

static enum err finish_results(const struct results *r, int status,
			       struct diag *d)
{
	char why[256];

	judge_results(why, sizeof(why), r, status);
	if (!why[0])
		return results_complete(r, d);
	fprintf(stderr, "heddle: the results in '%s' are incomplete: %s\n",
		r->path, why);
	return results_incomplete(r, why, d);
}

static enum err open_results(struct results *r, const char *path,
			     struct diag *d)
{
	if (results_open(r, path, d))
		return d->code;
	/* The program may change its folder, or start others. */
	if (setenv("HEDDLE_OUT", r->path, 1) ||
	    setenv(RESULTS_OPENED, r->path, 1))
		return fail(d, ERR_NOMEM, "out of memory");
	return ERR_OK;
}

static int exit_code(enum err e)
{
	return e == ERR_UNKNOWN ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int run_child(const struct results *r, const struct exec_files *f,
		     const char *path, char *const *argv, struct diag *d)
{
	struct diag other;
	int status, code;
	enum err e = child_run(path, argv, &status, d);

	if (e) {
		say_error("%s", d->text);
		if (r && results_incomplete(r, d->text, &other))
			say_error("%s", other.text);
		return exit_code(e);
	}
	code = WIFSIGNALED(status) ? exit_of_signal(WTERMSIG(status)) :
				     WEXITSTATUS(status);
	if (!exec_files_check(f, status) && !code)
		code = EXIT_INPUT;
	if (r && finish_results(r, status, d)) {
		say_error("%s", d->text);
		return EXIT_INPUT;
	}
	return code;
}

static int exec_run_program(const struct settings *s, const struct words *words)
{
	char folder[CLANG_PATH_SIZE], real[PATH_MAX];
	struct results results = { .lock = -1 };
	struct exec_files files = { .status = -1 };
	struct exec_program program;
	struct diag d;
	int code = EXIT_INPUT;
	enum err e;

	if (clang_find_library(folder, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (!realpath(folder, real))
		snprintf(real, sizeof(real), "%s", folder);
	e = exec_program(&program, words->at[0], real, &d);
	if (e) {
		say_error("%s", d.text);
		return exit_code(e);
	}
	say_about(&program, s->quiet);
	if (exec_library_path(&program, real, &d) ||
	    exec_files_open(&files, s, program.path, &d) ||
	    (s->out && open_results(&results, s->out, &d))) {
		say_error("%s", d.text);
	} else {
		/* argv is not const, for historical reasons. */
		code = run_child(s->out ? &results : NULL, &files, program.path,
				 (char *const *)words->at, &d);
	}
	exec_files_free(&files);
	results_close(&results);
	return code;
}

/* Names the trace PROGRAM.trace, in the current folder. */
static enum err name_trace(struct exec_options *o, const char *program,
			   char *name, size_t size, struct diag *d)
{
	const char *slash = strrchr(program, '/');

	if (o->given[OPTION_RECORD].count)
		return ERR_OK;
	snprintf(name, size, "%s.trace", slash ? slash + 1 : program);
	return words_add(&o->given[OPTION_RECORD], name, d);
}

static int check_and_run(const struct command *c, struct exec_options *o,
			 struct words *words)
{
	struct settings s = { 0 };
	char name[PATH_MAX];
	struct diag d;
	int code = EXIT_USAGE;

	if (!words->count) {
		say_error("no program given");
		fprintf(stderr,
			"Usage: heddle %s %s\nTry 'heddle %s --help'.\n",
			c->name, c->usage, c->name);
		return EXIT_USAGE;
	}
	if (c == &cmd_trace_record &&
	    name_trace(o, words->at[0], name, sizeof(name), &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	/* execvp needs a NULL at the end. */
	if (words_add(words, NULL, &d) || set_variables(o, &d) ||
	    exec_set_sources(o, &d) || check_settings(&s, &d)) {
		exec_name_option(o, &d);
		say_error("%s", d.text);
	} else {
		code = exec_check_use(o, &s);
		if (code < 0)
			code = exec_run_program(&s, words);
	}
	settings_free(&s);
	return code;
}

static int exec_command(const struct command *c, int argc, char **argv)
{
	struct exec_options o = { 0 };
	struct words words = { 0 };
	void *const to[] = { &o };
	int code = command_parse(c, to, argc, argv, &words);

	if (code < 0)
		code = check_and_run(c, &o, &words);
	for (int i = 0; i < OPTIONS; i++)
		words_free(&o.given[i]);
	words_free(&words);
	return code;
}

static int exec_main(int argc, char **argv)
{
	return exec_command(&cmd_exec, argc, argv);
}

static int record_main(int argc, char **argv)
{
	return exec_command(&cmd_trace_record, argc, argv);
}

const struct command cmd_trace_record = {
	.name = "trace record",
	.summary =
		"Run a CUDA or OpenCL program and write a trace of what it does",
	.usage = "[OPTIONS] -- PROGRAM [ARGUMENTS]",
	.details =
		"Has the options of 'heddle exec'. Without --gpu the program "
		"runs fast, without\ntimes; its trace can be timed later, on "
		"any GPU. The trace is PROGRAM.trace\nunless --record names "
		"it; the names of further devices and processes end in a\n"
		"number. 'heddle run --record FILE' records a single "
		"kernel.\n\n"
		"Examples:\n"
		"  heddle trace record -- ./app 1024\n"
		"  heddle run app.trace --gpu h200\n",
	.tables = { exec_opts },
	.ends_at_word = true,
	.own_signals = true,
	.run = record_main,
};

const struct command cmd_exec = {
	.name = "exec",
	.summary = "Run a CUDA or OpenCL program, unchanged, on simulated GPUs",
	.usage = "[OPTIONS] -- PROGRAM [ARGUMENTS]",
	.details =
		"PROGRAM was built by nvcc with '-cudart shared' or by 'heddle "
		"cc', or uses\nOpenCL by the system's loader, or is a script "
		"that starts such programs. It finds\nHeddle's libraries "
		"instead of the vendor's; no GPU or driver is needed. Options\n"
		"end at the first word without a dash, or at --.\n\n"
		"Every option can also be set in the environment: "
		"HEDDLE_GPU=h200,\nHEDDLE_OUT=DIR and so on; see "
		"docs/cuda.md and docs/opencl.md.\n\n"
		"The exit code is the program's; 128 plus the number of the "
		"signal that killed\nit; 127 if the program was not found, 126 "
		"if it cannot be run; 1 if a file that\nwas asked for cannot be "
		"written, and the program itself succeeded.\n\n"
		"Examples:\n"
		"  heddle exec -- ./app 1024\n"
		"  heddle exec --gpu h200 -o sm.count=66 -- ./app 1024\n"
		"  heddle exec --gpu h200 --kernels 'first:1' --out results "
		"-- ./app\n"
		"  heddle exec --gpu h200 --devices 2 -- ./app\n",
	.tables = { exec_opts },
	.ends_at_word = true,
	.own_signals = true,
	.run = exec_main,
};
