/*
 * Ctrl-C: the first one ends a run in good order, the second one kills us.
 */
#ifndef HEDDLE_CLI_INTERRUPT_H
#define HEDDLE_CLI_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "heddle/heddle.h"

/* From now on the first SIGINT, SIGTERM or SIGHUP is noted, not deadly. */
void interrupt_catch(void);
bool interrupted(void);
/*
 * read(), which a signal ends whenever it comes: also just before the read, which
 * would then wait for an input that may never come. -1 after one.
 */
ssize_t interrupt_read(int fd, void *to, size_t size);
/* The exit code after it: 130 for SIGINT, 143 for SIGTERM. */
int interrupt_exit(void);
/* What to stop when a signal comes; NULL, 0: nothing. */
void interrupt_stops_device(struct heddle_device *dev);
void interrupt_stops_child(pid_t pid);

#endif
