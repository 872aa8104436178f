/*
 * Text for people: colours here, numbers in base/human.h.
 */
#ifndef HEDDLE_COMMON_TEXT_H
#define HEDDLE_COMMON_TEXT_H

#include <stdio.h>

#include "base/human.h"

enum tint { TINT_OFF, TINT_BOLD, TINT_RED, TINT_GREEN };
/* The escape sequence, or "" if the output should have no colours. */
const char *tint(FILE *to, enum tint t);

#endif
