/* The subcommands of heddle fastlanes; fastlanes.c lists them. */
#ifndef HEDDLE_CLI_FASTLANES_H
#define HEDDLE_CLI_FASTLANES_H

#include "door/cli/opt.h"
#include "isa/fastlanes/code.h"

extern const struct command cmd_fastlanes_compile, cmd_fastlanes_dis,
	cmd_fastlanes_run;

/* Reads a CODE file; free *out with fl_code_free. */
MUST_USE enum err fastlanes_read(struct fl_code **out, const char *path,
				 struct diag *d);

#endif
