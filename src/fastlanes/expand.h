/* The functions that expand PTX instructions: expand.def names them. */
#ifndef HEDDLE_FASTLANES_EXPAND_H
#define HEDDLE_FASTLANES_EXPAND_H

struct fl_build;

#define EXPAND(op, fn) void fn(struct fl_build *b);
#include "fastlanes/expand.def"

#endif
