/*
 * Output for people: exit codes and errors; common/text.h adds colours and
 * numbers.
 */
#ifndef HEDDLE_CLI_TEXT_H
#define HEDDLE_CLI_TEXT_H

#include "base/diag.h"
#include "door/common/text.h"
#include "heddle/heddle.h"

/* Exit codes; `heddle help` and the manual list them. */
enum {
	EXIT_OK = 0,
	EXIT_INPUT = 1,
	EXIT_USAGE = 2,
	EXIT_FAULT = 3,
	EXIT_DIFFERS = 4,
	EXIT_BUG = 70 /* in Heddle; EX_SOFTWARE of sysexits.h */
};

/* The exit code after a signal, as a shell reports it: 130 for Ctrl-C. */
static inline int exit_of_signal(int number)
{
	return 128 + number;
}

/* Prints "heddle: error: ..." to stderr. */
void say_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Converts a diagnosis of the library. */
enum err fail_api(struct diag *d, const struct heddle_error *e);

#endif
