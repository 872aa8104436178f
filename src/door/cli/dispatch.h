/* Runs a command, or a subcommand of one that only groups them. */
#ifndef HEDDLE_CLI_DISPATCH_H
#define HEDDLE_CLI_DISPATCH_H

#include "door/cli/opt.h"

/* Runs the command with the words after its name. Returns an exit code. */
int command_run(const struct command *c, int argc, char **argv);
/* Prints the command's help; of a group, the list of its subcommands. */
void command_explain(const struct command *c);

#endif
