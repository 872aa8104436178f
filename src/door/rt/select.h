/*
 * Selects which launches are timed; the others run functionally only.
 */
#ifndef HEDDLE_RT_SELECT_H
#define HEDDLE_RT_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text: $HEDDLE_KERNELS; NULL: time all launches. Returns NULL, or a static
 * line that says what is wrong with the text. */
const char *select_open(const char *text);
/* number: the launch in the process, from 1. Call it once for each launch, in
 * order. */
bool select_timed(const char *kernel, uint64_t number);

#endif
