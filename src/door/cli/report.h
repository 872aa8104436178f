/*
 * Reports the time of a launch, as text and as JSON.
 */
#ifndef HEDDLE_CLI_REPORT_H
#define HEDDLE_CLI_REPORT_H

#include "base/jsonwrite.h"
#include "door/cli/timing.h"

/* Prints to stderr, below the head of the summary. */
void report_print(const struct timing *t);
/* Writes the member "timing". */
void report_json(struct timing *t, struct json *j);
/* Prints to stderr that a law between our counters does not hold. */
void report_bug(const struct timing *t);

#endif
