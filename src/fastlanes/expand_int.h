/* Comparison of integers of 64 bits, for setp and set. */
#ifndef HEDDLE_FASTLANES_EXPAND_INT_H
#define HEDDLE_FASTLANES_EXPAND_INT_H

#include <stdbool.h>
#include <stdint.h>

struct fl_build;

/* Sets p to the comparison of the sources `first` and the next one. cmp: enum
 * fl_cmp. */
void fl_compare_pairs(struct fl_build *b, unsigned cmp, bool is_signed,
		      uint32_t p, unsigned first);

#endif
