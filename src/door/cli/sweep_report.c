/* heddle sweep report: writes the page of a sweep, CSV and plots. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
#include "door/cli/text.h"
#include "explore/files.h"
#include "explore/report_sweep.h"

struct sweep_report_options {
	const char *sweep, *out;
};

#define AT(field) offsetof(struct sweep_report_options, field)

static const struct opt report_opts[] = {
	{ "sweep", 0, "NAME", "the sweep, if the database holds several",
	  opt_string, AT(sweep) },
	{ "out", 0, "FOLDER|FILE.html",
	  "a folder for the page, CSV and plots, or a file for the page "
	  "alone (DB-report); - is standard output",
	  opt_string, AT(out) },
	OPT_END
};

static const char report_details[] =
	"DB is the database of 'heddle sweep FILE', which may still be running.\n"
	"The page is self-contained. A folder also gets points.csv, with every\n"
	"point, and each plot as SVG and PNG. Plots need gnuplot.\n"
	"\n"
	"Examples:\n"
	"  heddle sweep report sarcs.db\n"
	"  heddle sweep report all.db --sweep sarcs-sms --out sms.html\n";

static bool is_page_file(const char *out)
{
	size_t n = strlen(out);

	return !strcmp(out, "-") || (n > 5 && !strcmp(out + n - 5, ".html"));
}

static enum err sweep_write_page(const char *path, const struct swept *s,
				 const struct figures *f, const struct plots *p,
				 struct diag *d)
{
	struct outfile page;

	if (outfile_open(&page, path, d))
		return d->code;
	return outfile_close(&page, report_sweep(page.to, s, f, p, d), d);
}

static enum err sweep_write_csv(const char *path, const struct swept *s,
				struct diag *d)
{
	struct outfile page;

	if (outfile_open(&page, path, d))
		return d->code;
	return outfile_close(&page, report_sweep_csv(page.to, s, d), d);
}

static enum err sweep_write_folder(const char *folder, const struct swept *s,
				   const struct figures *f,
				   const struct plots *p, struct diag *d)
{
	char path[PATH_MAX];

	if (strlen(folder) + 100 > PATH_MAX)
		return fail(d, ERR_IO, "the folder's name is too long");
	if (mkdir(folder, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    folder, strerror(errno));
	snprintf(path, sizeof(path), "%s/points.csv", folder);
	if (folder_mark(folder, "The report has not been written to its end.",
			d) ||
	    sweep_write_csv(path, s, d))
		return d->code;
	for (size_t i = 0; i < p->count; i++)
		if (plots_copy(p, i, folder, d))
			return d->code;
	snprintf(path, sizeof(path), "%s/index.html", folder);
	if (sweep_write_page(path, s, f, p, d))
		return d->code;
	return folder_unmark(folder, d);
}

static enum err report_db(const char *path,
			  const struct sweep_report_options *o, const char *out,
			  struct diag *d)
{
	bool file = is_page_file(out);
	struct arena a = { 0 };
	struct plots plots = { 0 };
	struct figures f;
	struct swept s;
	enum err e;

	if (file && file_check_pair(path, "DB", out, "--out", d))
		return d->code;
	e = swept_read(&s, path, o->sweep, d);
	if (!e)
		e = plots_begin(&plots, !file, d);
	if (!e)
		e = figures_make(&f, &plots, &s, &a, d);
	if (!e)
		e = plots_draw(&plots, d);
	if (!e)
		e = file ? sweep_write_page(out, &s, &f, &plots, d) :
			   sweep_write_folder(out, &s, &f, &plots, d);
	plots_end(&plots);
	swept_free(&s);
	arena_free(&a);
	return e;
}

/* DB without .db, with -report. */
static char *sweep_page_name(const char *db)
{
	size_t n = strlen(db);
	char *name = malloc(n + 16);

	if (!name)
		return NULL;
	if (n > 3 && !strcmp(db + n - 3, ".db"))
		n -= 3;
	snprintf(name, n + 16, "%.*s-report", (int)n, db);
	return name;
}

static int sweep_report_main(int argc, char **argv)
{
	struct sweep_report_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_sweep_report, to, argc, argv, &files);
	char *name = NULL;
	struct diag d;

	if (code < 0 && files.count != 1) {
		say_error("expected one database");
		fputs("Try 'heddle sweep report --help'.\n", stderr);
		code = EXIT_USAGE;
	}
	if (code < 0 && !o.out)
		o.out = name = sweep_page_name(files.at[0]);
	if (code < 0 && (!o.out || report_db(files.at[0], &o, o.out, &d))) {
		say_error("%s", o.out ? d.text : "out of memory");
		code = EXIT_INPUT;
	}
	if (code < 0) {
		code = EXIT_OK;
		if (strcmp(o.out, "-") != 0)
			fprintf(stderr, "wrote %s%s\n", o.out,
				is_page_file(o.out) ? "" : "/index.html");
	}
	free(name);
	words_free(&files);
	return code;
}

const struct command cmd_sweep_report = {
	.name = "sweep report",
	.summary = "Write a page about the results of a sweep",
	.usage = "DB [OPTIONS]",
	.details = report_details,
	.tables = { report_opts },
	.run = sweep_report_main,
};
