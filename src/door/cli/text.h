/*
 * What the program says to a person: errors, colours, near misses, numbers.
 */
#ifndef HEDDLE_CLI_TEXT_H
#define HEDDLE_CLI_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
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

enum tint { TINT_OFF, TINT_BOLD, TINT_RED, TINT_GREEN };
/* The escape sequence, or "" where colours are not wanted. */
const char *tint(FILE *to, enum tint t);

/* The candidate most like a misspelt word. */
struct nearest {
	const char *word;
	const char *best;
	size_t distance;
};
void nearest_offer(struct nearest *n, const char *candidate);
/* NULL when nothing offered is near enough to have been meant. */
const char *nearest_best(const struct nearest *n);

#define GROUPED_TEXT 32
/* 1234567 as 1,234,567. */
const char *grouped(char text[GROUPED_TEXT], uint64_t v);
/* 0.00213 as "2.13 ms". */
const char *duration(char text[GROUPED_TEXT], double seconds);
/* 1.2e7 as "12.0 M". */
const char *scaled(char text[GROUPED_TEXT], double v);

#endif
