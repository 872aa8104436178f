/* heddle report: writes the page of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
#include "door/cli/text.h"
#include "explore/report_run.h"
#include "explore/report_system.h"

struct report_options {
	const char *out;
};

static const struct opt report_opts[] = {
	{ "out", 0, "FILE", "the page (RUN.html); - is standard output",
	  opt_string, offsetof(struct report_options, out) },
	OPT_END
};

static const char report_details[] =
	"RUN is the file of 'heddle run --gpu NAME --json FILE', the folder of\n"
	"'heddle exec --gpu NAME --out FOLDER', or the file or folder of 'heddle\n"
	"system --config NAME' or 'heddle cgm' with --json or --out.\n"
	"\n"
	"The page is self-contained: a browser opens it from the disk, and it can\n"
	"be sent by mail. It shows values over time if the run had --interval.\n"
	"\n"
	"Examples:\n"
	"  heddle run saxpy.cu --gpu h200 ... --interval 1000 --json saxpy.json\n"
	"  heddle report saxpy.json\n"
	"  heddle exec --gpu h200 --out bfs.out -- ./bfs 20000\n"
	"  heddle report bfs.out --out bfs.html\n";

/* RUN with .html in place of its suffix. */
static char *report_page_name(const char *run)
{
	size_t n = strlen(run);
	char *name = malloc(n + 8);

	if (!name)
		return NULL;
	while (n > 1 && run[n - 1] == '/')
		n--;
	if (n > 5 && !strncmp(run + n - 5, ".json", 5))
		n -= 5;
	snprintf(name, n + 8, "%.*s.html", (int)n, run);
	return name;
}

/* A run of either kind. */
struct reported {
	bool of_system;
	union {
		struct run_result gpu;
		struct system_run system;
	};
};

static enum err page_read(struct reported *r, const char *path, struct diag *d)
{
	r->of_system = system_run_is(path);
	return r->of_system ? system_run_read(&r->system, path, d) :
			      run_read(&r->gpu, path, d);
}

static enum err page_put(FILE *to, struct reported *r, struct diag *d)
{
	return r->of_system ? report_system(to, &r->system, d) :
			      report_run(to, &r->gpu, d);
}

static void page_free(struct reported *r)
{
	if (r->of_system)
		system_run_free(&r->system);
	else
		run_free(&r->gpu);
}

static enum err page_write(const char *path, const char *out, struct diag *d)
{
	struct reported run;
	struct outfile page;
	enum err e = page_read(&run, path, d);

	if (!e)
		e = outfile_open(&page, out, d);
	if (!e) {
		e = page_put(page.to, &run, d);
		e = outfile_close(&page, e, d);
	}
	page_free(&run);
	return e;
}

static int report_one(const char *path, const char *out)
{
	struct diag d;

	if (file_check_pair(path, "RUN", out, "--out", &d) ||
	    page_write(path, out, &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (strcmp(out, "-") != 0)
		fprintf(stderr, "wrote %s\n", out);
	return EXIT_OK;
}

static int report_main(int argc, char **argv)
{
	struct report_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_report, to, argc, argv, &files);
	char *name = NULL;

	if (code < 0 && files.count != 1) {
		say_error("expected one RUN");
		fputs("Try 'heddle report --help'.\n", stderr);
		code = EXIT_USAGE;
	}
	if (code < 0 && !o.out) {
		o.out = name = report_page_name(files.at[0]);
		if (!name) {
			say_error("out of memory");
			code = EXIT_INPUT;
		}
	}
	if (code < 0)
		code = report_one(files.at[0], o.out);
	free(name);
	words_free(&files);
	return code;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "Write a page that shows where the time of a run went",
	.usage = "RUN [OPTIONS]",
	.details = report_details,
	.tables = { report_opts },
	.run = report_main,
};
