/* UTF-8, as far as writers of text need it. */
#ifndef HEDDLE_BASE_UTF8_H
#define HEDDLE_BASE_UTF8_H

#include <stddef.h>

/* The length in bytes of the first character of s, which ends in NUL; 0: not a
 * valid character. */
size_t utf8_length(const char *s);
/* Replaces control characters but tabs by question marks: what comes from a file
 * must not steer the terminal that shows it. NULL is accepted. */
void utf8_make_plain(char *s);

#endif
