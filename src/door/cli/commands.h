/* The commands; main.c lists them. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

#include "door/cli/opt.h"

/* All of them, in the order of the help; ends in NULL. */
extern const struct command *const commands[];

extern const struct command cmd_run, cmd_dis, cmd_as, cmd_kernels, cmd_gpus,
	cmd_exec, cmd_system, cmd_cc, cmd_trace, cmd_sweep, cmd_report,
	cmd_compare, cmd_correlate, cmd_engines, cmd_config, cmd_fastlanes,
	cmd_cgm, cmd_complete, cmd_manual;
/* Subcommands of config. */
extern const struct command cmd_config_import;
/* Subcommands of sweep; sweep.c lists them. */
extern const struct command cmd_sweep_collect, cmd_sweep_report,
	cmd_sweep_status, cmd_sweep_work;

#endif
