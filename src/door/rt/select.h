/*
 * Which launches are timed; the others are executed functionally.
 */
#ifndef HEDDLE_RT_SELECT_H
#define HEDDLE_RT_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text: $HEDDLE_KERNELS, or NULL: all of them. Returns NULL, or one line that
 * says what is wrong with it, which lives for ever. */
const char *select_open(const char *text);
/* number: of the launch in the process, from 1. Called once for each launch,
 * in order. */
bool select_timed(const char *kernel, uint64_t number);

#endif
