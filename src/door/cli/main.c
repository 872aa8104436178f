/*
 * heddle: the command line. Dispatches to the commands, which are thin: all
 * simulation happens behind heddle.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/commands.h"
#include "door/cli/dispatch.h"
#include "door/cli/text.h"
#include "heddle/heddle.h"

static int help_main(int argc, char **argv);

static const struct command cmd_help = {
	.name = "help",
	.summary = "Explain a command",
	.usage = "[COMMAND]",
	.run = help_main,
};

const struct command *const commands[] = {
	&cmd_run,     &cmd_dis,       &cmd_as,       &cmd_kernels,
	&cmd_gpus,    &cmd_config,    &cmd_exec,     &cmd_system,
	&cmd_cc,      &cmd_trace,     &cmd_sweep,    &cmd_report,
	&cmd_compare, &cmd_correlate, &cmd_engines,  &cmd_fastlanes,
	&cmd_cgm,     &cmd_help,      &cmd_complete, &cmd_manual,
	NULL
};

static int unknown_command(const char *name)
{
	struct nearest near = { .word = name };

	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			nearest_offer(&near, commands[i]->name);
	if (nearest_best(&near))
		say_error("unknown %s '%s', did you mean '%s'?",
			  name[0] == '-' ? "option" : "command", name,
			  nearest_best(&near));
	else
		say_error("unknown %s '%s'",
			  name[0] == '-' ? "option" : "command", name);
	fputs("Try 'heddle help'.\n", stderr);
	return EXIT_USAGE;
}

static void print_commands(FILE *to)
{
	fprintf(to,
		"%sUsage:%s heddle COMMAND [OPTIONS]\n\n"
		"Heddle runs GPU programs on a simulated GPU.\n\n"
		"%sCommands:%s\n",
		tint(to, TINT_BOLD), tint(to, TINT_OFF), tint(to, TINT_BOLD),
		tint(to, TINT_OFF));
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			fprintf(to, "  %-10s %s\n", commands[i]->name,
				commands[i]->summary);
	fputs("\n'heddle COMMAND --help' explains a command, 'heddle "
	      "--version' prints the version.\n\n"
	      "Exit codes: 0 success, 1 invalid input, 2 invalid usage, 3 the "
	      "program on the GPU\nfaulted, 4 a comparison failed, 70 a bug "
	      "in Heddle, 130 interrupted, 143 terminated.\n",
	      to);
}

static int help_main(int argc, char **argv)
{
	const struct command *c;

	if (argc == 0 || !strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) {
		print_commands(stdout);
		return EXIT_OK;
	}
	c = command_find(commands, argv[0]);
	if (!c)
		return unknown_command(argv[0]);
	command_explain(c);
	return EXIT_OK;
}

static int dispatch(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("heddle " HEDDLE_VERSION);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help_main(0, NULL);
	c = command_find(commands, argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	return command_run(c, argc - 2, argv + 2);
}

/* A full disk behind stdout must not look like success. A write may have failed
 * long before the end, so that the last flush succeeds. */
static int check_stdout(int code)
{
	const char *why = fflush(stdout) ? strerror(errno) : NULL;

	if (!why && !ferror(stdout))
		return code;
	/* A command that failed to write there has said so. */
	if (code != EXIT_INPUT)
		say_error("cannot write to standard output%s%s",
			  why ? ": " : "", why ? why : "");
	return code ? code : EXIT_INPUT;
}

int main(int argc, char **argv)
{
	return check_stdout(dispatch(argc, argv));
}
