/* UTF-8, as far as those who write text need it. */
#ifndef HEDDLE_BASE_UTF8_H
#define HEDDLE_BASE_UTF8_H

#include <stddef.h>

/* The bytes of the character that s, which ends in NUL, begins with; 0: it is
 * none. */
size_t utf8_length(const char *s);

#endif
