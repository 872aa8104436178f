/*
 * Ctrl-C: the first one ends the run in good order, the second one at once.
 */
#ifndef HEDDLE_CLI_INTERRUPT_H
#define HEDDLE_CLI_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

#include "heddle/heddle.h"

/* From here on SIGINT, SIGTERM and SIGHUP are noted instead of deadly. */
void interrupt_catch(void);
bool interrupted(void);
/* What to stop when it comes; NULL, 0: nothing. */
void interrupt_stops_device(struct heddle_device *dev);
void interrupt_stops_child(pid_t pid);

#endif
