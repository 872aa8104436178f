/* heddle sweep: programs over many configurations of a GPU. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/commands.h"
#include "door/cli/sweep_run.h"
#include "door/cli/sweep_slurm.h"
#include "door/cli/text.h"

#define AT(field) offsetof(struct sweep_options, field)

static enum err opt_where(void *to, const char *value, struct diag *d)
{
	*(const char **)to = value;
	if (strcmp(value, "local") && strcmp(value, "slurm") != 0)
		return fail(d, ERR_UNKNOWN, "expected local or slurm");
	return ERR_OK;
}

static const struct opt sweep_opts[] = {
	OPT_HEADING("Options:"),
	{ "workers", 0, "N", "points at a time (the cores of this machine)",
	  opt_count, AT(workers) },
	{ "out", 0, "FILE", "the database (FILE.db for FILE.sweep)", opt_string,
	  AT(out) },
	{ "dry-run", 0, NULL, "only check the sweep and list its points",
	  opt_on, AT(dry_run) },
	{ "limit", 0, "N", "end after N points; another run goes on", opt_count,
	  AT(limit) },
	{ "retry", 0, NULL, "run points again that have failed", opt_on,
	  AT(retry) },
	{ "fresh", 0, NULL, "run all points again, whatever is known", opt_on,
	  AT(fresh) },
	{ "quiet", 'q', NULL, "say nothing unless something fails", opt_on,
	  AT(quiet) },
	{ "progress", 0, NULL, "show progress even if stderr is no terminal",
	  opt_on, AT(progress) },
	OPT_HEADING("On a cluster:"),
	{ "on", 0, "WHERE", "local, this machine (the default), or slurm",
	  opt_where, AT(on) },
	{ "slurm-options", 0, "TEXT",
	  "more options of sbatch: '--partition=p --time=60'", opt_string,
	  AT(slurm_options) },
	{ "per-task", 0, "N", "points of a task of the job array (8)",
	  opt_count, AT(per_task) },
	{ "no-wait", 0, NULL,
	  "submit and end; the same command, or 'heddle sweep collect', takes "
	  "the results in",
	  opt_on, AT(no_wait) },
	OPT_END
};

static const struct opt collect_opts[] = {
	OPT_HEADING("Options:"),
	{ "out", 0, "FILE", "the database (FILE.db for FILE.sweep)", opt_string,
	  AT(out) },
	{ "quiet", 'q', NULL, "say nothing unless something fails", opt_on,
	  AT(quiet) },
	OPT_END
};

/* Subcommands: "sweep status" and so on. */
static const struct command *const parts[] = { &cmd_sweep_status,
					       &cmd_sweep_report,
					       &cmd_sweep_collect,
					       &cmd_sweep_work, NULL };

static const struct command *find_part(const char *word)
{
	for (size_t i = 0; parts[i]; i++)
		if (!strcmp(strchr(parts[i]->name, ' ') + 1, word))
			return parts[i];
	return NULL;
}

static void print_point(const struct sweep_run *r, size_t i)
{
	const struct plan_config *k =
		&r->plan.configs[i % r->plan.config_count];
	const char *program = r->sweep.programs[i / r->plan.config_count].name;
	bool named = *k->axis && strcmp(k->axis, k->label) != 0;

	printf("%6zu  %-16s %s%s%s", i, program,
	       *k->axis ? k->axis : "baseline", named ? " = " : "",
	       named ? k->label : "");
	if (k->cost == k->cost)
		printf("  cost %g", k->cost);
	putchar('\n');
}

static int list_points(const struct sweep_run *r)
{
	size_t n = plan_points(&r->plan);

	for (size_t i = 0; i < n; i++)
		print_point(r, i);
	if (!r->o.quiet)
		fprintf(stderr,
			"%s: %zu points, %zu program%s on %zu configurations "
			"of %s\n",
			r->sweep.name, n, r->sweep.program_count,
			r->sweep.program_count == 1 ? "" : "s",
			r->plan.config_count, r->sweep.gpu);
	return EXIT_OK;
}

static int check_use(const struct sweep_options *o)
{
	bool slurm = o->on && !strcmp(o->on, "slurm");
	const char *vain = o->slurm_options ? "--slurm-options" :
			   o->per_task      ? "--per-task" :
			   o->no_wait       ? "--no-wait" :
					      NULL;

	if (slurm || !vain)
		return -1;
	say_error("%s needs --on slurm", vain);
	return EXIT_USAGE;
}

static int run_sweep(struct sweep_run *r)
{
	int code = check_use(&r->o);

	if (code < 0)
		code = sweep_load(r);
	if (code < 0 && r->o.dry_run)
		return list_points(r);
	if (code < 0)
		code = sweep_prepare(r);
	if (code >= 0)
		return code;
	return r->o.on && !strcmp(r->o.on, "slurm") ? sweep_slurm(r) :
						      sweep_local(r);
}

static int run_collect(struct sweep_run *r)
{
	int code = sweep_load(r);

	if (code < 0)
		code = sweep_prepare(r);
	return code < 0 ? sweep_collect(r) : code;
}

/* A command about one sweep file. */
static int with_file(const struct command *c, int argc, char **argv,
		     int (*then)(struct sweep_run *r))
{
	struct sweep_run r = { .path = NULL };
	struct words files = { 0 };
	void *const to[] = { &r.o };
	int code = command_parse(c, to, argc, argv, &files);

	if (code < 0 && files.count != 1) {
		say_error(files.count ? "one sweep at a time, %zu given" :
					"no sweep file given",
			  files.count);
		fprintf(stderr, "Usage: heddle %s %s\n", c->name, c->usage);
		code = EXIT_USAGE;
	}
	if (code < 0) {
		r.path = files.at[0];
		code = then(&r);
	}
	sweep_end(&r);
	words_free(&files);
	return code;
}

static int sweep(int argc, char **argv)
{
	const struct command *part = argc ? find_part(argv[0]) : NULL;

	if (part)
		return part->run(argc - 1, argv + 1);
	return with_file(&cmd_sweep, argc, argv, run_sweep);
}

static int collect(int argc, char **argv)
{
	return with_file(&cmd_sweep_collect, argc, argv, run_collect);
}

const struct command cmd_sweep_collect = {
	.name = "sweep collect",
	.summary = "Take in the results that a job on a cluster has left",
	.usage = "FILE.sweep [OPTIONS]",
	.tables = { collect_opts },
	.run = collect,
};

const struct command cmd_sweep = {
	.name = "sweep",
	.summary = "Run programs over many configurations of a GPU",
	.usage = "FILE.sweep [OPTIONS]",
	.details =
		"FILE.sweep names programs, a GPU and what is varied of it:\n"
		"\n"
		"  gpu = \"c2050\"\n"
		"  program mm { exec = \"./matmul 256\" }\n"
		"  vary sm.count = 7, 14, 28..56 step 14\n"
		"  vary dram.bandwidth *= 1..10\n"
		"  variant \"no L1\" { l1.on = no }\n"
		"\n"
		"docs/sweeps.md has all of it. Every point is checked before "
		"any runs. Results\nare kept in an SQLite database as soon as "
		"they are there: a sweep that is\ninterrupted goes on where "
		"it was when it is started again, and a point is\nnever "
		"simulated twice. A point that fails is noted with its reason, "
		"and the\nothers go on.\n"
		"\n"
		"With --on slurm the points are a job array; results come back "
		"as files beside\nthe database, FILE.db.slurm, which the "
		"cluster must see.\n"
		"\n"
		"  heddle sweep status FILE    how far it is, and what failed\n"
		"  heddle sweep report FILE.db a page with plots and tables\n"
		"  heddle sweep collect FILE   takes in results of a cluster\n"
		"\n"
		"Exit codes: 0 all points are done, 1 wrong input, 2 wrong "
		"usage, 3 points\nhave failed, 130 interrupted.\n"
		"\n"
		"Examples:\n"
		"  heddle sweep l2.sweep --dry-run\n"
		"  heddle sweep l2.sweep --workers 8\n"
		"  heddle sweep l2.sweep --on slurm --slurm-options "
		"'--partition=long'\n",
	.tables = { sweep_opts },
	.own_signals = true,
	.run = sweep,
};
