/* What the subcommands of `heddle trace` share. */
#ifndef HEDDLE_CLI_TRACE_H
#define HEDDLE_CLI_TRACE_H

#include <stdio.h>

#include "arch/effect.h"
#include "door/cli/opt.h"
#include "trace/trace.h"

/* trace.c lists them. */
extern const struct command cmd_trace_info, cmd_trace_record, cmd_trace_show,
	cmd_trace_diff, cmd_trace_map;

/* Reads options and as many names of traces as the command takes; returns as
 * command_parse does. */
int trace_parse(const struct command *c, void *const to[], int argc,
		char **argv, struct words *files, size_t count);

/* Opens a trace, and says what is wrong with it. False: it cannot be read. */
MUST_USE bool trace_begin(struct trace **out, const char *path);
/* "heddle: warning: ..." on stderr, if there is damage. True: there is. */
bool trace_warn(struct trace *t, const char *path);

/* "2,1,0" or "2x1x0" of a grid; what is not given is 0. Beyond the grid: a
 * mistake that is said. */
MUST_USE bool trace_block_number(const char *text, const struct trace_launch *l,
				 uint64_t *index);

/* An executed instruction, one line and one more for each of its accesses. */
void trace_print_inst(FILE *to, const struct step *s);
/* "global", "shared", ... */
const char *trace_space(enum space space);

#endif
