/*
 * What people read: colours, and by base/human.h numbers.
 */
#ifndef HEDDLE_COMMON_TEXT_H
#define HEDDLE_COMMON_TEXT_H

#include <stdio.h>

#include "base/human.h"

enum tint { TINT_OFF, TINT_BOLD, TINT_RED, TINT_GREEN };
/* The escape sequence, or "" where colours are not wanted. */
const char *tint(FILE *to, enum tint t);

#endif
