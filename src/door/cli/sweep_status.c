/* heddle sweep status: prints the progress of the sweeps of a database. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "door/cli/commands.h"
#include "door/cli/text.h"
#include "explore/sweep_run.h"

struct status_options {
	const char *out;
	bool failed;
};

#define AT(field) offsetof(struct status_options, field)

static const struct opt status_opts[] = {
	OPT_HEADING("Options:"),
	{ "out", 0, "FILE", "the database of FILE.sweep (FILE.db)", opt_string,
	  AT(out) },
	{ "failed", 0, NULL, "list the failed points with their reasons",
	  opt_on, AT(failed) },
	OPT_END
};

struct status {
	struct result_store *store;
	const struct status_options *o;
	struct diag d;
	enum err e;
};

static void show_failed_point(void *ctx, const char *program, const char *axis,
			      const char *label, const char *reason)
{
	(void)ctx;
	printf("  %s, %s%s%s: %s\n", program, *axis ? axis : "baseline",
	       *axis ? " = " : "", label, reason);
}

static void show_one_sweep(void *ctx, const char *name, const char *title,
			   const struct store_counts *c)
{
	struct status *s = ctx;

	printf("%s%s%s: %" PRIu64 " points, %" PRIu64 " done, %" PRIu64
	       " failed, %" PRIu64 " left",
	       tint(stdout, TINT_BOLD), name, tint(stdout, TINT_OFF), c->points,
	       c->ok, c->failed, c->left);
	if (c->again)
		printf(", %" PRIu64 " to be run again", c->again);
	printf("%s%s\n", *title ? "; " : "", title);
	if (s->o->failed && c->failed && !s->e)
		s->e = store_failed(s->store, name, show_failed_point, NULL,
				    &s->d);
}

static int show_sweeps(const struct status_options *o, const char *file)
{
	struct status s = { .o = o };
	char path[PATH_MAX];
	bool database = !word_ends_with(file, ".sweep");

	s.e = sweep_database_path(path, database ? file : o->out, file, &s.d);
	if (!s.e)
		s.e = store_open(&s.store, path, STORE_READ, &s.d);
	if (!s.e) {
		struct diag d;
		enum err e = store_sweeps(s.store, show_one_sweep, &s, &d);

		if (e && !s.e) {
			s.e = e;
			s.d = d;
		}
	}
	store_close(s.store);
	if (s.e) {
		say_error("%s", s.d.text);
		return EXIT_INPUT;
	}
	return EXIT_OK;
}

static int status_main(int argc, char **argv)
{
	struct status_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_sweep_status, to, argc, argv, &files);

	if (code < 0 && files.count != 1) {
		say_error("expected one FILE.sweep or FILE.db, %zu given",
			  files.count);
		code = EXIT_USAGE;
	}
	if (code < 0)
		code = show_sweeps(&o, files.at[0]);
	words_free(&files);
	return code;
}

const struct command cmd_sweep_status = {
	.name = "sweep status",
	.summary = "Show the progress of the sweeps of a database",
	.usage = "FILE.sweep|FILE.db [OPTIONS]",
	.tables = { status_opts },
	.run = status_main,
};
