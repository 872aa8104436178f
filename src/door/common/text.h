/*
 * What people read: colours and numbers.
 */
#ifndef HEDDLE_COMMON_TEXT_H
#define HEDDLE_COMMON_TEXT_H

#include <stdint.h>
#include <stdio.h>

enum tint { TINT_OFF, TINT_BOLD, TINT_RED, TINT_GREEN };
/* The escape sequence, or "" where colours are not wanted. */
const char *tint(FILE *to, enum tint t);

#define GROUPED_TEXT 32
/* 1234567 as 1,234,567. */
const char *grouped(char text[GROUPED_TEXT], uint64_t v);
/* 0.00213 as "2.13 ms". */
const char *duration(char text[GROUPED_TEXT], double seconds);
/* 1.2e7 as "12.0 M". */
const char *scaled(char text[GROUPED_TEXT], double v);
/* 1.23e7 as "12.3 MB". */
const char *bytes_text(char text[GROUPED_TEXT], double bytes);

#endif
