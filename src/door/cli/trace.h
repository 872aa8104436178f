/* Shared by the subcommands of `heddle trace`. */
#ifndef HEDDLE_CLI_TRACE_H
#define HEDDLE_CLI_TRACE_H

#include <stdio.h>

#include "arch/effect.h"
#include "door/cli/opt.h"
#include "trace/trace.h"

/* trace.c lists them. */
extern const struct command cmd_trace_info, cmd_trace_record, cmd_trace_show,
	cmd_trace_diff, cmd_trace_map;

/* Parses options and exactly `count` names of traces; returns what
 * command_parse does. */
int trace_parse(const struct command *c, void *const to[], int argc,
		char **argv, struct words *files, size_t count);

/* Opens a trace. False: it cannot be read, and an error was printed. */
MUST_USE bool trace_begin(struct trace **out, const char *path);
/* Prints a warning to stderr if the trace is damaged. True: it is. */
bool trace_warn(struct trace *t, const char *path);

/* Parses "2,1,0" or "2x1x0"; missing coordinates are 0. False: it is invalid or
 * outside the grid, and an error was printed. */
MUST_USE bool trace_block_number(const char *text, const struct trace_launch *l,
				 uint64_t *index);

/* `heddle trace info` of a list of Accel-Sim; returns the exit code. */
int accelsim_info(const char *path, bool json, bool all, bool quick);

/* Prints an executed instruction, and one line for each of its accesses. */
void trace_print_inst(FILE *to, const struct step *s);

#endif
