/* heddle sweep: runs programs over many configurations of a GPU or a system. */
#include "door/cli/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "door/cli/clang.h"
#include "door/cli/commands.h"
#include "door/cli/exec_program.h"
#include "door/cli/run.h"
#include "door/cli/text.h"

#define AT(field) offsetof(struct sweep_session, field)

static enum err opt_where(void *to, const char *value, struct diag *d)
{
	*(const char **)to = value;
	if (strcmp(value, "local") && strcmp(value, "slurm") != 0)
		return fail(d, ERR_UNKNOWN, "expected local or slurm");
	return ERR_OK;
}

static const struct opt sweep_opts[] = {
	OPT_HEADING("Options:"),
	{ "workers", 0, "N", "points to run at a time (the number of cores)",
	  opt_count, AT(run.o.workers) },
	{ "out", 0, "FILE", "the database (FILE.db for FILE.sweep)", opt_string,
	  AT(run.o.database) },
	{ "dry-run", 0, NULL, "only check the sweep and list its points",
	  opt_on, AT(dry_run) },
	{ "limit", 0, "N", "stop after N points; the next run continues",
	  opt_count, AT(run.o.limit) },
	{ "retry", 0, NULL, "run failed points again", opt_on,
	  AT(run.o.retry) },
	{ "fresh", 0, NULL,
	  "run all points again; a result stays until the new one is there",
	  opt_on, AT(run.o.fresh) },
	{ "quiet", 'q', NULL, "print nothing unless something fails", opt_on,
	  AT(quiet) },
	{ "progress", 0, NULL, "show progress even if stderr is not a terminal",
	  opt_on, AT(progress) },
	OPT_HEADING("On a cluster:"),
	{ "on", 0, "WHERE",
	  "where to run: local, this machine (the default), or slurm",
	  opt_where, AT(on) },
	{ "slurm-options", 0, "TEXT",
	  "more options for sbatch: '--partition=p --time=60'", opt_string,
	  AT(run.o.slurm_options) },
	{ "per-task", 0, "N", "points per task of the job array (8)", opt_count,
	  AT(run.o.per_task) },
	{ "no-wait", 0, NULL,
	  "submit the job and exit; the same command, or 'heddle sweep "
	  "collect', stores the results later",
	  opt_on, AT(run.o.no_wait) },
	OPT_END
};

static const struct opt collect_opts[] = {
	OPT_HEADING("Options:"),
	{ "out", 0, "FILE", "the database (FILE.db for FILE.sweep)", opt_string,
	  AT(run.o.database) },
	{ "quiet", 'q', NULL, "print nothing unless something fails", opt_on,
	  AT(quiet) },
	OPT_END
};

/* Subcommands: "sweep status" and so on. */
static const struct command *const parts[] = { &cmd_sweep_status,
					       &cmd_sweep_report,
					       &cmd_sweep_collect,
					       &cmd_sweep_work, NULL };

static int sweep_check_use(const struct sweep_session *s)
{
	const struct sweep_options *o = &s->run.o;
	bool slurm = s->on && !strcmp(s->on, "slurm");
	const char *vain = o->slurm_options ? "--slurm-options" :
			   o->per_task      ? "--per-task" :
			   o->no_wait       ? "--no-wait" :
					      NULL;

	if (slurm || !vain)
		return -1;
	say_error("%s needs --on slurm", vain);
	return EXIT_USAGE;
}

/*
 * Programs of the sweep
 */

/* As `heddle exec` finds it. */
static enum err sweep_find_program(void *ctx, char path[PATH_MAX],
				   const char *name, struct diag *d)
{
	struct exec_program found;
	char folder[CLANG_PATH_SIZE];

	(void)ctx;
	if (clang_find_library(folder, d) ||
	    exec_program(&found, name, folder, d))
		return d->code;
	snprintf(path, PATH_MAX, "%s", found.path);
	return ERR_OK;
}

/* As `heddle run` compiles it. */
static enum err sweep_compile_program(void *ctx, char **ptx, size_t *size,
				      const struct sweep_program *p,
				      unsigned sm, struct diag *d)
{
	struct sweep_session *s = ctx;
	char **argv = calloc(p->word_count, sizeof(*argv));

	if (!argv)
		return fail(d, ERR_NOMEM, "out of memory");
	memcpy(argv, p->words, p->word_count * sizeof(*argv));
	s->usage = run_compile((int)p->word_count, argv, sm, ptx, size, d);
	free(argv);
	return s->usage < 0 ? ERR_OK : d->code;
}

static void find_programs(struct sweep_session *s)
{
	struct target_finder *f = &s->run.host.finder;
	struct diag d;

	f->ctx = s;
	f->find = sweep_find_program;
	f->compile = sweep_compile_program;
	/* Without the libraries a CUDA program is an error, but only then. */
	if (!clang_find_library(s->libraries, &d))
		f->libraries = s->libraries;
	s->usage = -1;
}

/*
 * The commands
 */

/* Prints the error; returns the exit code. */
static int sweep_failed(const struct sweep_session *s, const struct diag *d)
{
	say_error("%s", d->text);
	return s->run.interrupted ? exit_of_signal(s->run.interrupted) :
	       s->usage >= 0      ? s->usage :
				    EXIT_INPUT;
}

static int run_local(struct sweep_session *s)
{
	struct diag d;
	enum err e = sweep_run_local(&s->run, &d);

	sweep_end_progress(s);
	return e ? sweep_failed(s, &d) : sweep_conclude(s);
}

static int run_slurm(struct sweep_session *s)
{
	struct slurm_state state;
	struct diag d;
	enum err e = sweep_run_slurm(&s->run, &state, &d);

	sweep_end_progress(s);
	return e ? sweep_failed(s, &d) : sweep_conclude_slurm(s, &state);
}

static int run_sweep(struct sweep_session *s)
{
	int code = sweep_check_use(s);
	struct diag d;

	if (code >= 0)
		return code;
	if (sweep_run_load(&s->run, &d))
		return sweep_failed(s, &d);
	if (s->dry_run) {
		sweep_print_points(s);
		return EXIT_OK;
	}
	if (sweep_run_prepare(&s->run, &d))
		return sweep_failed(s, &d);
	return s->on && !strcmp(s->on, "slurm") ? run_slurm(s) : run_local(s);
}

static int run_collect(struct sweep_session *s)
{
	struct slurm_state state;
	struct diag d;

	if (sweep_run_load(&s->run, &d) || sweep_run_prepare(&s->run, &d) ||
	    sweep_run_collect(&s->run, &state, &d))
		return sweep_failed(s, &d);
	return sweep_conclude_slurm(s, &state);
}

/* Runs a command that takes one sweep file. */
static int with_file(const struct command *c, int argc, char **argv,
		     int (*then)(struct sweep_session *s))
{
	struct sweep_session s = { .on = NULL };
	struct words files = { 0 };
	void *const to[] = { &s };
	int code = command_parse(c, to, argc, argv, &files);

	if (code < 0 && files.count != 1) {
		say_error(files.count ? "expected one sweep file, %zu given" :
					"no sweep file given",
			  files.count);
		fprintf(stderr, "Usage: heddle %s %s\n", c->name, c->usage);
		code = EXIT_USAGE;
	}
	if (code < 0) {
		s.run.path = files.at[0];
		s.progress = !s.quiet && (s.progress || isatty(STDERR_FILENO));
		find_programs(&s);
		sweep_begin_progress(&s);
		code = then(&s);
	}
	sweep_run_free(&s.run);
	words_free(&files);
	return code;
}

/* The subcommand that a word was meant to be: one that is no file, and not
 * called as sweeps are. NULL: it is a file. */
static const char *sweep_meant(const char *word)
{
	struct nearest near = { .word = word };

	if (word[0] == '-' || strpbrk(word, "./") || !access(word, F_OK))
		return NULL;
	for (size_t i = 0; parts[i]; i++)
		if (parts[i] != &cmd_sweep_work) /* not for people */
			nearest_offer(&near, strchr(parts[i]->name, ' ') + 1);
	return nearest_best(&near);
}

static int sweep_main(int argc, char **argv)
{
	const struct command *part = argc ? command_find(parts, argv[0]) : NULL;
	const char *meant = argc ? sweep_meant(argv[0]) : NULL;

	if (part)
		return part->run(argc - 1, argv + 1);
	if (meant) {
		say_error("unknown command 'sweep %s', did you mean "
			  "'sweep %s'?",
			  argv[0], meant);
		fputs("Try 'heddle sweep --help'.\n", stderr);
		return EXIT_USAGE;
	}
	return with_file(&cmd_sweep, argc, argv, run_sweep);
}

static int collect_main(int argc, char **argv)
{
	return with_file(&cmd_sweep_collect, argc, argv, run_collect);
}

const struct command cmd_sweep_collect = {
	.name = "sweep collect",
	.summary = "Store the results that a job on a cluster has left",
	.usage = "FILE.sweep [OPTIONS]",
	.tables = { collect_opts },
	.run = collect_main,
};

const struct command cmd_sweep = {
	.name = "sweep",
	.summary = "Run programs over many configurations of a GPU or system",
	.usage = "FILE.sweep [OPTIONS]",
	.details =
		"FILE.sweep names programs, a GPU and the parameters to vary:\n"
		"\n"
		"  gpu = \"c2050\"\n"
		"  program mm { exec = \"./matmul 256\" }\n"
		"  vary sm.count = 7, 14, 28..56 step 14\n"
		"  vary dram.bandwidth *= 1..10\n"
		"  variant \"no L1\" { l1.on = no }\n"
		"\n"
		"or a system, programs for its cores and their environment:\n"
		"\n"
		"  config = \"cgm\"\n"
		"  program km { system = \"./kmeans 2048\"; region = 1 }\n"
		"  vary env.OMP_NUM_THREADS = 1, 2, 4\n"
		"  vary cgm.l2_bytes = 128K..1M times 2\n"
		"\n"
		"docs/sweeps.md describes the format. All points are checked "
		"before any of them\nruns. Each result is stored in an SQLite "
		"database as soon as it is known: an\ninterrupted sweep "
		"continues where it stopped when it is started again, and no\n"
		"point is simulated twice. A point that fails is stored with "
		"its reason; the\nothers continue.\n"
		"\n"
		"With --on slurm the points form a job array; results come back "
		"as files in\nFILE.db.slurm, beside the database, which the "
		"cluster must be able to access.\n"
		"\n"
		"  heddle sweep status FILE    progress, and what failed\n"
		"  heddle sweep report FILE.db write a page with plots and "
		"tables\n"
		"  heddle sweep collect FILE   store results of a cluster\n"
		"\n"
		"Exit codes: 0 all points are done, 1 invalid input, 2 invalid "
		"usage, 3 points\nhave failed, 130 interrupted, 143 terminated.\n"
		"\n"
		"Examples:\n"
		"  heddle sweep l2.sweep --dry-run\n"
		"  heddle sweep l2.sweep --workers 8\n"
		"  heddle sweep l2.sweep --on slurm --slurm-options "
		"'--partition=long'\n",
	.tables = { sweep_opts },
	.parts = parts,
	.own_signals = true,
	.run = sweep_main,
};
