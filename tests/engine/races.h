/* Programs whose results depend on the order in which their warps run. */
#ifndef HEDDLE_TESTS_ENGINE_RACES_H
#define HEDDLE_TESTS_ENGINE_RACES_H

#include "law/law.h"

enum { RACES = 3 };
extern const struct program races[RACES];

#endif
