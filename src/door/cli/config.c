/*
 * heddle config: configurations from elsewhere. Each subcommand is a command of its
 * own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/words.h"
#include "door/cli/commands.h"
#include "door/cli/gpgpusim.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"

struct import_options {
	const char *out, *name;
	bool quiet;
};

#define AT(field) offsetof(struct import_options, field)

static const struct opt import_opts[] = {
	OPT_HEADING("Options:"),
	{ "out", 'o', "FILE",
	  "write the configuration to FILE, not to standard "
	  "output",
	  opt_string, AT(out) },
	{ "name", 0, "TEXT",
	  "name of the GPU; else that of the first file's "
	  "folder",
	  opt_string, AT(name) },
	{ "quiet", 'q', NULL, "do not list what has no counterpart", opt_on,
	  AT(quiet) },
	OPT_END
};

/* tested-cfgs/SM7_QV100/gpgpusim.config is the GPU SM7_QV100. */
static void name_after_folder(char name[CFG_TEXT_SIZE], const char *path)
{
	const char *end = strrchr(path, '/'), *start = end;

	while (start && start > path && start[-1] != '/')
		start--;
	if (end && end > start && *start != '.')
		snprintf(name, CFG_TEXT_SIZE, "%.*s", (int)(end - start),
			 start);
	else
		snprintf(name, CFG_TEXT_SIZE, "GPGPU-Sim");
	for (char *p = name; *p; p++)
		if (*p == '"' || (unsigned char)*p < ' ')
			*p = '_';
}

static void print_import_summary(const struct gpgpusim *g,
				 const struct import_options *o)
{
	unsigned left = gpgpusim_left_out(g), odd = gpgpusim_unknown_count(g);

	fprintf(stderr,
		"%u parameters set, %u options without a counterpart, %u not "
		"known\n",
		g->sets, left, odd);
	for (const struct gpgpusim_unknown *u = g->unknown; u && !o->quiet;
	     u = u->next)
		fprintf(stderr, "heddle: warning: %s:%u: %.60s is not known\n",
			u->value.file, u->value.line, u->name);
	if (left && !o->quiet)
		fputs("The comments at the end of the configuration list those "
		      "without a counterpart.\n",
		      stderr);
}

static enum err write_import(const struct gpgpusim *g, const char *path,
			     struct diag *d)
{
	struct outfile f;
	enum err e = outfile_open(&f, path ? path : "-", d);

	if (e)
		return e;
	gpgpusim_write(g, f.to);
	return outfile_close(&f, ERR_OK, d);
}

static int import_files(const struct words *files,
			const struct import_options *o)
{
	char name[CFG_TEXT_SIZE];
	struct gpgpusim g;
	enum err e = ERR_OK;
	struct diag d;

	gpgpusim_init(&g);
	for (size_t i = 0; !e && i < files->count; i++)
		e = gpgpusim_read(&g, files->at[i], &d);
	name_after_folder(name, files->at[0]);
	if (!e)
		e = gpgpusim_convert(&g, o->name ? o->name : name, &d);
	if (!e)
		e = write_import(&g, o->out, &d);
	if (e)
		say_error("%s", d.text);
	else
		print_import_summary(&g, o);
	gpgpusim_free(&g);
	return e ? EXIT_INPUT : EXIT_OK;
}

static int import_main(int argc, char **argv)
{
	struct import_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = command_parse(&cmd_config_import, to, argc, argv, &files);

	if (code < 0 && !files.count) {
		say_error("no file given");
		fputs("Usage: heddle config import FILE... [OPTIONS]\n"
		      "Try 'heddle config import --help'.\n",
		      stderr);
		code = EXIT_USAGE;
	}
	if (code < 0)
		code = import_files(&files, &o);
	words_free(&files);
	return code;
}

const struct command cmd_config_import = {
	.name = "config import",
	.summary = "Make a configuration of option files of GPGPU-Sim",
	.usage = "FILE... [OPTIONS]",
	.details =
		"FILE is a gpgpusim.config of GPGPU-Sim or Accel-Sim, old or "
		"new; others that belong\nto it may follow: a trace.config, "
		"whose latencies come before those of PTX, and\nthe .icnt file "
		"of the network. The result is for 'heddle run --gpu FILE.cfg'. "
		"Each\nvalue has a comment with the option that it comes from; "
		"options without a\ncounterpart are listed at the end, with the "
		"reason.\n\n"
		"Examples:\n"
		"  heddle config import gpgpusim.config -o mine.cfg\n"
		"  heddle config import gpgpusim.config trace.config -o "
		"mine.cfg\n"
		"  heddle run kernelslist.g --gpu ./mine.cfg\n",
	.tables = { import_opts },
	.run = import_main,
};

static const struct command *const subcommands[] = { &cmd_config_import, NULL };

static int config_main(int argc, char **argv)
{
	bool help = argc &&
		    (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"));
	FILE *to = help ? stdout : stderr;

	if (argc && !help && command_find(subcommands, argv[0])) {
		interrupt_catch();
		return cmd_config_import.run(argc - 1, argv + 1);
	}
	if (argc && !help)
		say_error("unknown command 'config %s', did you mean 'config "
			  "import'?",
			  argv[0]);
	fprintf(to,
		"%sUsage:%s heddle config COMMAND [OPTIONS]\n\n%s.\n\n"
		"%sCommands:%s\n  %-10s %s\n\n'heddle config COMMAND --help' "
		"explains a command; 'heddle gpus' shows configurations.\n",
		tint(to, TINT_BOLD), tint(to, TINT_OFF), cmd_config.summary,
		tint(to, TINT_BOLD), tint(to, TINT_OFF),
		command_word(&cmd_config_import), cmd_config_import.summary);
	return help ? EXIT_OK : EXIT_USAGE;
}

const struct command cmd_config = {
	.name = "config",
	.summary = "Make configurations of those of other simulators",
	.usage = "COMMAND [OPTIONS]",
	.details = "'heddle config --help' lists the commands.\n",
	.parts = subcommands,
	.own_signals = true,
	.run = config_main,
};
