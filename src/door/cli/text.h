/*
 * What the program says to a person: errors, and by common/text.h colours and
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
	EXIT_BUG = 70, /* our own, as sysexits.h calls it */
	EXIT_INTERRUPTED = 130
};

/* "heddle: error: ..." on stderr. */
void say_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The library's diagnosis as one of ours. */
enum err fail_api(struct diag *d, const struct heddle_error *e);

#endif
