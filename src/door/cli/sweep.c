/* heddle sweep: programs over many configurations of a GPU. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/commands.h"
#include "door/cli/sweep_run.h"
#include "door/cli/text.h"

#define AT(field) offsetof(struct sweep_options, field)

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
	OPT_END
};

/* Subcommands: "sweep status" and so on. */
static const struct command *const parts[] = { &cmd_sweep_status,
					       &cmd_sweep_report, NULL };

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

static int run_sweep(struct sweep_run *r)
{
	int code = sweep_load(r);

	if (code < 0 && r->o.dry_run)
		return list_points(r);
	if (code < 0)
		code = sweep_prepare(r);
	return code < 0 ? sweep_local(r) : code;
}

static int sweep(int argc, char **argv)
{
	const struct command *part = argc ? find_part(argv[0]) : NULL;
	struct sweep_run r = { .path = NULL };
	struct words files = { 0 };
	void *const to[] = { &r.o };
	int code;

	if (part)
		return part->run(argc - 1, argv + 1);
	code = command_parse(&cmd_sweep, to, argc, argv, &files);
	if (code < 0 && files.count != 1) {
		say_error(files.count ? "one sweep at a time, %zu given" :
					"no sweep file given",
			  files.count);
		fprintf(stderr, "Usage: heddle sweep %s\n", cmd_sweep.usage);
		code = EXIT_USAGE;
	}
	if (code < 0) {
		r.path = files.at[0];
		code = run_sweep(&r);
	}
	sweep_end(&r);
	words_free(&files);
	return code;
}

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
		"Exit codes: 0 all points are done, 1 wrong input, 2 wrong "
		"usage, 3 points\nhave failed, 130 interrupted.\n"
		"\n"
		"Examples:\n"
		"  heddle sweep l2.sweep --dry-run\n"
		"  heddle sweep l2.sweep --workers 8\n",
	.tables = { sweep_opts },
	.own_signals = true,
	.run = sweep,
};
