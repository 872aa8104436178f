/*
 * heddle engines: simulates programs by one engine after the other, several
 * times, and compares speed and results with those of `serial`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfg/configs.h"
#include "door/cli/commands.h"
#include "door/cli/engines.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"
#include "heddle/heddle.h"

enum { MOST_ENGINES = 32 };

struct engines_options {
	const char *gpu, *engines, *out, *json;
	struct words set;
	unsigned threads;
	uint64_t runs;
	bool quiet;
};

#define AT(field) offsetof(struct engines_options, field)

static const struct opt engines_opts[] = {
	OPT_HEADING("Options:"),
	{ "gpu", 0, "NAME|FILE",
	  "the GPU to simulate, 'heddle gpus' lists them (gtx285)", opt_string,
	  AT(gpu) },
	{ NULL, 'o', "KEY=VALUE",
	  "another value for a parameter of the GPU; may be given several "
	  "times",
	  opt_words, AT(set) },
	{ "engines", 0, "LIST",
	  "names with commas between them (all, with slacks of 10 and 100); "
	  "serial is always there, for the others to be compared with",
	  opt_string, AT(engines) },
	{ "threads", 0, "N",
	  "of the host, for engines that use several (all cores)", opt_u32,
	  AT(threads) },
	{ "runs", 0, "N", "of each program by each engine (3)", opt_count,
	  AT(runs) },
	{ "out", 0, "DIR",
	  "keep everything here: results of all runs, JSON, CSV, plots as SVG "
	  "and PNG",
	  opt_string, AT(out) },
	{ "json", 0, "FILE", "write all numbers; - is standard output",
	  opt_string, AT(json) },
	{ "quiet", 'q', NULL, "do not report each run", opt_on, AT(quiet) },
	OPT_END
};

/*
 * What is asked for
 */

/* The part before the number, if the engine has one in its name, "slack:K";
 * else 0. */
static size_t stem(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, ":K") ? n - 1 : 0;
}

static bool is_called(const struct heddle_engine *x, const char *name)
{
	size_t n = stem(x->name);
	const char *number = name + n;

	if (!n || strncmp(x->name, name, n))
		return !strcmp(x->name, name);
	return *number && !number[strspn(number, "0123456789")];
}

static enum err no_engine(const char *name, struct diag *d)
{
	char names[160];
	struct heddle_engine x;
	size_t used = 0;

	for (size_t i = 0; !heddle_engine_get(i, &x, NULL); i++)
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used,
						 sizeof(names) - used, "%s%s",
						 i ? ", " : "", x.name);
	return fail(d, ERR_UNKNOWN, "no engine named '%.40s'; there are: %s",
		    name, names);
}

static enum err add_engine(struct engines *e, const char *name, struct diag *d)
{
	struct engines_engine *to = &e->engine[e->engine_count];
	struct heddle_engine x;

	for (size_t i = 0; i < e->engine_count; i++)
		if (!strcmp(e->engine[i].name, name))
			return ERR_OK;
	for (size_t i = 0;; i++) {
		if (heddle_engine_get(i, &x, NULL))
			return no_engine(name, d);
		if (is_called(&x, name))
			break;
	}
	if (e->engine_count == MOST_ENGINES)
		return fail(d, ERR_RANGE, "more than %d engines", MOST_ENGINES);
	snprintf(to->name, sizeof(to->name), "%.40s", name);
	to->exact = x.exact;
	to->threads = x.threads;
	e->engine_count++;
	return ERR_OK;
}

/* All of them; one with a number in its name with 10 and with 100, as in the
 * paper. */
static enum err add_all(struct engines *e, struct diag *d)
{
	struct heddle_engine x;
	char name[48];

	for (size_t i = 0; !heddle_engine_get(i, &x, NULL); i++) {
		int n = (int)stem(x.name);

		for (int k = 10; n && k <= 100; k *= 10) {
			snprintf(name, sizeof(name), "%.*s%d", n, x.name, k);
			if (add_engine(e, name, d))
				return d->code;
		}
		if (!n && add_engine(e, x.name, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err choose_engines(struct engines *e, const char *list,
			       struct diag *d)
{
	char name[sizeof(e->engine->name)];

	e->engine = calloc(MOST_ENGINES, sizeof(*e->engine));
	if (!e->engine)
		return fail(d, ERR_NOMEM, "out of memory");
	if (add_engine(e, "serial", d))
		return d->code;
	if (!list)
		return add_all(e, d);
	while (*list) {
		size_t n = strcspn(list, ",");

		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		if (add_engine(e, name, d))
			return d->code;
		list += n + (list[n] == ',');
	}
	return ERR_OK;
}

static enum err check_gpu(struct engines *e, struct diag *d)
{
	struct cfg_sheet sheet;
	enum err err;

	cfg_sheet_init(&sheet);
	err = configs_load(&sheet, e->gpu, e->set.at, e->set.count, d);
	if (!err)
		snprintf(e->gpu_name, sizeof(e->gpu_name), "%s",
			 sheet.cfg.gpu.name);
	cfg_sheet_free(&sheet);
	return err;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

/* "scan 512": what tables call it. */
static void name_program(struct engines_program *p)
{
	const char *path = p->argv.at[0], *slash = strrchr(path, '/');
	size_t used = 0;

	for (size_t i = 0; i < p->argv.count; i++) {
		const char *word = i ? p->argv.at[i] : slash ? slash + 1 : path;

		if (used < sizeof(p->label))
			used += (size_t)snprintf(p->label + used,
						 sizeof(p->label) - used,
						 "%s%s", i ? " " : "", word);
	}
}

static enum err add_programs(struct engines *e, const struct words *lines,
			     struct diag *d)
{
	e->program = calloc(lines->count, sizeof(*e->program));
	if (!e->program)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < lines->count; i++) {
		struct engines_program *p = &e->program[e->program_count++];

		p->run = calloc((e->engine_count + 1) * e->runs,
				sizeof(*p->run));
		if (!p->run)
			return fail(d, ERR_NOMEM, "out of memory");
		if (words_split(&p->argv, &p->text, lines->at[i], d))
			return d->code;
		p->source = ends_with(p->argv.at[0], ".cu") ||
			    ends_with(p->argv.at[0], ".ptx");
		name_program(p);
	}
	return ERR_OK;
}

static enum err prepare(struct engines *e, const struct engines_options *o,
			const struct words *lines, struct diag *d)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	e->gpu = o->gpu ? o->gpu : "gtx285";
	e->set = o->set;
	e->quiet = o->quiet;
	e->runs = o->runs ? (unsigned)o->runs : 3;
	e->threads = o->threads ? o->threads : cores > 0 ? (unsigned)cores : 1;
	if (choose_engines(e, o->engines, d) || check_gpu(e, d) ||
	    add_programs(e, lines, d))
		return d->code;
	return engines_folder_open(e, o->out, d);
}

static void free_engines(struct engines *e)
{
	size_t runs = (e->engine_count + 1) * e->runs;

	for (size_t i = 0; i < e->program_count; i++) {
		struct engines_program *p = &e->program[i];

		for (size_t k = 0; p->run && k < runs; k++)
			free(p->run[k].ends);
		free(p->run);
		free(p->text);
		words_free(&p->argv);
	}
	free(e->program);
	free(e->engine);
}

/*
 * The runs
 */

struct count {
	size_t done, all;
};

/* Of a program: the engines, and serial with --host-time. */
static size_t runs_of(const struct engines *e)
{
	return (e->engine_count + 1) * e->runs;
}

static void say_run(const struct engines *e, const struct count *n,
		    size_t program, size_t engine, unsigned run)
{
	const struct engines_run *r = engines_run_of(e, program, engine, run);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (e->quiet || interrupted())
		return;
	fprintf(stderr, "heddle: %zu of %zu: %s, %s, run %u: ", n->done, n->all,
		e->program[program].label, engines_name(e, engine), run + 1);
	if (r->done)
		fprintf(stderr, "%s cycles, %s\n",
			grouped(a, (uint64_t)r->cycles),
			duration(b, r->seconds));
	else
		fputs("failed\n", stderr);
}

/* Every engine has its turn, so that what disturbs the host for a while
 * disturbs all of them. False: serial has failed, or somebody wants us to
 * stop. */
static bool run_round(struct engines *e, struct count *n, size_t program,
		      unsigned run)
{
	for (size_t i = 0; i <= e->engine_count && !interrupted(); i++) {
		engines_child(e, program, i, run);
		n->done++;
		say_run(e, n, program, i, run);
		if (i == 0 && !engines_run_of(e, program, 0, run)->done)
			return false;
	}
	return !interrupted();
}

/* Speeds are by the clock on the wall: what else runs is in them. */
static void say_load(struct engines *e)
{
	if (getloadavg(&e->load, 1) != 1)
		e->load = 0;
	if (e->load >= 0.5 && !e->quiet)
		fprintf(stderr,
			"heddle: other programs are at work (load %.1f): do "
			"not trust the speeds\n",
			e->load);
}

static void run_all(struct engines *e)
{
	struct count n = { .all = e->program_count * runs_of(e) };

	for (size_t i = 0; i < e->program_count && !interrupted(); i++) {
		bool go_on = true;

		n.done = i * runs_of(e);
		for (unsigned run = 0; go_on && run < e->runs; run++)
			go_on = run_round(e, &n, i, run);
	}
}

/*
 * What came of it
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

/* EXIT_OK, or what is wrong with the results. */
static int say_failures(const struct engines *e)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < e->program_count; i++) {
		const char *liar = engines_liar(e, i);
		bool bad = false;

		for (size_t k = 0; k < runs_of(e); k++)
			bad |= say_failure(e, i, k / e->runs,
					   (unsigned)(k % e->runs));
		if (bad && code == EXIT_OK)
			code = EXIT_FAULT;
		if (liar) {
			say_error("a bug in Heddle: %s is exact, and %s has "
				  "another result than with serial; please "
				  "report it",
				  liar, e->program[i].label);
			code = EXIT_BUG;
		}
	}
	return code;
}

static enum err write_json(const struct engines *e, const char *path,
			   struct diag *d)
{
	bool out = !strcmp(path, "-");
	FILE *f = out ? stdout : fopen(path, "we");
	bool bad;

	if (!f)
		return fail(d, ERR_IO, "cannot create '%.300s'", path);
	engines_json(e, f);
	bad = ferror(f) || fflush(f);
	if (!out && fclose(f))
		bad = true;
	return bad ? fail(d, ERR_IO, "cannot write '%.300s'", path) : ERR_OK;
}

static enum err keep(const struct engines *e, bool *drawn, struct diag *d)
{
	FILE *f = engines_create(e, "engines.json", d);

	if (!f)
		return d->code;
	engines_json(e, f);
	if (engines_finish(f, "engines.json", d) || engines_csv(e, d))
		return d->code;
	return engines_plot(e, drawn, d);
}

static int show(const struct engines *e, const struct engines_options *o)
{
	int code = EXIT_OK, failed;
	bool drawn = true;
	struct diag d;

	if (!o->json || strcmp(o->json, "-") != 0)
		engines_print(e);
	if ((o->json && write_json(e, o->json, &d)) ||
	    (e->keep && keep(e, &drawn, &d))) {
		say_error("%s", d.text);
		code = EXIT_INPUT;
	}
	if (!drawn)
		fprintf(stderr,
			"heddle: no plots, because there is no gnuplot; "
			"'gnuplot FILE.gp' in '%s' draws them\n",
			e->folder);
	failed = say_failures(e);
	if (interrupted())
		return EXIT_INTERRUPTED;
	return failed ? failed : code;
}

static int compare(const struct engines_options *o, const struct words *lines)
{
	struct engines e = { 0 };
	struct diag d;
	int code = EXIT_INPUT;

	if (prepare(&e, o, lines, &d)) {
		say_error("%s", d.text);
	} else {
		say_load(&e);
		run_all(&e);
		code = show(&e, o);
	}
	engines_folder_close(&e);
	free_engines(&e);
	return code;
}

static int engines(int argc, char **argv)
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
		say_error("--runs: at most %d", ENGINES_RUNS);
		code = EXIT_USAGE;
	}
	if (code < 0)
		code = compare(&o, &lines);
	words_free(&o.set);
	words_free(&lines);
	return code;
}

const struct command cmd_engines = {
	.name = "engines",
	.summary = "Compare the engines: speed, and error of the result",
	.usage = "[OPTIONS] PROGRAM...",
	.details =
		"Simulates every PROGRAM with every engine, several times, "
		"each run in a process\nof its own, and prints: speed-up over "
		"'serial'; error of the simulated cycles\nand their variation "
		"from run to run, of the GPU and of each SM; how far apart\n"
		"blocks end; the mix of instructions, and what the host's "
		"time went to. These\nare the tables and figures of Lee and "
		"Ro's paper on parallel simulation of\nGPUs; docs/engines.md "
		"explains them and shows theirs.\n\n"
		"A PROGRAM is one for 'heddle exec', or a .cu or .ptx file "
		"for 'heddle run',\nwith its arguments in one word: "
		"'./scan 512'.\n\n"
		"Speed is that of the simulation alone: neither reading the "
		"program nor its own\nwork on the host count. Let nothing "
		"else run meanwhile. Ctrl-C ends the run\nunder way and shows "
		"what there is.\n\n"
		"The exit code is 3 if a program failed; the others are "
		"compared all the same.\n\n"
		"Examples:\n"
		"  heddle engines './scan 512' './clock 64'\n"
		"  heddle engines --gpu h200 --engines exact,cycle --threads "
		"8 ./bfs\n"
		"  heddle engines --runs 10 --out comparison ./matrix_mul\n"
		"  heddle engines 'saxpy.ptx --grid 80 --block 256 --arg 1000 "
		"...'\n",
	.tables = { engines_opts },
	.run = engines,
};
