/* Text of `heddle compare`. */
#ifndef HEDDLE_CLI_COMPARE_H
#define HEDDLE_CLI_COMPARE_H

#include "explore/compare.h"

/* Prints what differs: configuration, slots, statistics. */
void compare_print(const struct compare *c);

#endif
