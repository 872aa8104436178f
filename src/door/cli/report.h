/*
 * What a person, or a program, reads about the time of a launch.
 */
#ifndef HEDDLE_CLI_REPORT_H
#define HEDDLE_CLI_REPORT_H

#include "base/jsonwrite.h"
#include "door/cli/timing.h"

/* On stderr, below the summary's head. */
void report_print(const struct timing *t);
/* As member "timing" of an object. */
void report_json(struct timing *t, struct json *j);
/* A law of our own that does not hold, on stderr. */
void report_bug(const struct timing *t);

#endif
