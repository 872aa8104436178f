#include "door/cli/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"

/* A command without a function of its own only groups its subcommands. */
static bool is_group(const struct command *c)
{
	return !c->run;
}

static void print_group(const struct command *c, FILE *to)
{
	fprintf(to,
		"%sUsage:%s heddle %s %s\n\n%s.\n\n"
		"%sCommands:%s\n",
		tint(to, TINT_BOLD), tint(to, TINT_OFF), c->name, c->usage,
		c->summary, tint(to, TINT_BOLD), tint(to, TINT_OFF));
	for (const struct command *const *p = c->parts; *p; p++)
		fprintf(to, "  %-10s %s\n", command_word(*p), (*p)->summary);
	fprintf(to, "\n'heddle %s COMMAND --help' explains a command.\n",
		c->name);
	if (c->details)
		fprintf(to, "\n%s", c->details);
}

static int unknown_part(const struct command *c, const char *name)
{
	struct nearest near = { .word = name };

	for (const struct command *const *p = c->parts; *p; p++)
		nearest_offer(&near, command_word(*p));
	if (nearest_best(&near))
		say_error("unknown command '%s %s', did you mean '%s %s'?",
			  c->name, name, c->name, nearest_best(&near));
	else
		say_error("unknown command '%s %s'", c->name, name);
	fprintf(stderr, "Try 'heddle %s --help'.\n", c->name);
	return EXIT_USAGE;
}

static int run_group(const struct command *c, int argc, char **argv)
{
	const struct command *part;

	if (argc == 0) {
		print_group(c, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) {
		print_group(c, stdout);
		return EXIT_OK;
	}
	part = command_find(c->parts, argv[0]);
	return part ? command_run(part, argc - 1, argv + 1) :
		      unknown_part(c, argv[0]);
}

int command_run(const struct command *c, int argc, char **argv)
{
	if (is_group(c))
		return run_group(c, argc, argv);
	if (!c->own_signals)
		interrupt_catch();
	return c->run(argc, argv);
}

void command_explain(const struct command *c)
{
	if (is_group(c))
		print_group(c, stdout);
	else
		command_help(c);
}
